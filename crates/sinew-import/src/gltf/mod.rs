//! glTF 2.0: `.glb`, and `.gltf` with its data inside or beside it.
//!
//! The document is read as it is written (`json`), its numbers through accessors that never leave their buffers (`accessor`).
//! Compressed buffer views are decoded first (`meshopt`); `extensions` says which extensions are read.
//! Every node of the scene is a joint (`rig`); steps and straight lines keep their keys, curves are resampled (`clips`).

mod accessor;
mod animation;
mod clips;
mod container;
mod draco;
mod evaluator;
mod extensions;
mod json;
mod material;
mod mesh;
mod meshopt;
mod rig;
mod specular;
mod stand_in;
mod turn;
mod vrm;

use crate::size::rest_size;
use crate::space::{Conversion, SourceSpace};
use crate::textures::Lookup;
use crate::{Budget, Cause, Imported, Options, SourceInfo, SpaceMode, findings};
use evaluator::Evaluator;
use rig::Rig;
use sinew::Character;
use sinew::CharacterData;
use sinew::Finding;
use sinew_files::Recorder;
use std::path::Path;
use std::sync::Arc;

/// How far a rotation may be from length one before it is reported.
const UNIT_TOLERANCE: f64 = 1e-4;

pub(crate) fn import(
    bytes: &[u8],
    path: &Path,
    files: &Recorder,
    options: &Options,
    budget: &Budget<'_>,
) -> Result<Imported, Cause> {
    let mut findings = Vec::new();
    let file = container::open(bytes, path, files, options, budget)?;
    extensions::report(&file.document, &mut findings);
    let mut rig = Rig::new(&file, &mut findings)?;
    let vrm = vrm::read(&file, &mut rig, &mut findings)?;
    let mut animations = animation::animations(&file, &rig, &mut findings)?;
    let lookup = Lookup::new(path, files, options);
    let (mut materials, textures) = material::materials(&file, &lookup, &mut findings)?;
    vrm::toon(&file.document, &mut materials, &mut findings);
    let mut meshes = mesh::meshes(&file, &rig, options, &mut findings)?;
    if vrm::faces_back(&file.document) && options.space == SpaceMode::Canonical {
        turn::rig(&mut rig);
        turn::animations(&mut animations, &rig);
        turn::meshes(&mut meshes);
        let message = "it faces −Z, as VRM 0.x does, and was turned round".to_owned();
        findings.push(Finding::new(&findings::VRM_TURNED, "the file", message));
    }
    let rig = Arc::new(rig);
    let skeleton = rig.skeleton()?;
    let diagonal = rest_size(&skeleton, &meshes);
    let (clips, sources) = clips::clips(&file, &rig, &animations, diagonal, options, &mut findings)?;
    let character = Character::new(CharacterData {
        name: path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default(),
        skeleton,
        meshes,
        materials,
        textures,
        clips,
        space: Conversion::new(&SourceSpace::CANONICAL, options.space).space(),
    })?;
    let character = character.with_sockets(rig.sockets(&file.document))?;
    Ok(Imported {
        // Vertices are as the file has them, mesh by mesh.
        source: SourceInfo {
            joints: rig.sources(),
            vertices: vec![Vec::new(); character.meshes().len()],
            clips: sources,
            vrm: vrm.map(Arc::new),
            ..SourceInfo::default()
        },
        character,
        evaluator: Box::new(Evaluator { rig, animations }),
        findings,
        clip_nodes: None,
        files: Vec::new(),
    })
}
