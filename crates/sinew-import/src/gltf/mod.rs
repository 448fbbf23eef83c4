//! glTF 2.0: `.glb`, and `.gltf` with its data inside or beside it.
//!
//! The document is read as it is written (`json`), its numbers through accessors that never leave their buffers (`accessor`).
//! Every node of the scene is a joint (`rig`); steps and straight lines keep their keys, curves are resampled (`clips`).

mod accessor;
mod animation;
mod clips;
mod container;
mod evaluator;
mod json;
mod material;
mod mesh;
mod rig;

use crate::space::{Conversion, SourceSpace};
use crate::{Cause, Imported, Options, SourceInfo};
use evaluator::Evaluator;
use rig::Rig;
use sinew::character::CharacterData;
use sinew::{Aabb, Character, Mesh};
use std::path::Path;
use std::sync::Arc;

/// How far a rotation may be from length one before that is worth a word.
const UNIT_TOLERANCE: f64 = 1e-4;

pub(crate) fn import(bytes: &[u8], path: &Path, options: &Options) -> Result<Imported, Cause> {
    let mut findings = Vec::new();
    let file = container::open(bytes, path, options)?;
    let rig = Arc::new(Rig::new(&file, &options.limits, &mut findings)?);
    let animations = animation::animations(&file, &rig, &options.limits, &mut findings)?;
    let (materials, textures) = material::materials(&file, path, options, &mut findings)?;
    let meshes = mesh::meshes(&file, &rig, options, &mut findings)?;
    let diagonal = diagonal(&rig, &meshes);
    let (clips, sources) =
        clips::clips(&file.document.animations, &rig, &animations, diagonal, options, &mut findings)?;
    let character = Character::new(CharacterData {
        name: path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default(),
        skeleton: rig.skeleton()?,
        meshes,
        materials,
        textures,
        clips,
        space: Conversion::new(&SourceSpace::CANONICAL, options.space).space(),
    })?;
    Ok(Imported {
        // Vertices are as the file has them, mesh by mesh.
        source: SourceInfo {
            joints: rig.sources(),
            vertices: vec![Vec::new(); character.meshes().len()],
            clips: sources,
        },
        character,
        evaluator: Box::new(Evaluator { rig, animations }),
        findings,
        clip_target: None,
    })
}

/// Size of the character at rest: of its vertices, else of its joints, else one metre.
fn diagonal(rig: &Rig, meshes: &[Mesh]) -> f64 {
    let model: Vec<_> = rig.model().iter().map(glam::DAffine3::as_affine3).collect();
    let mut bounds = Aabb::EMPTY;
    for mesh in meshes {
        let mut matrices = vec![glam::Affine3::IDENTITY; mesh.slot_count()];
        let mut out = sinew::skinning::SkinnedVertices::for_mesh(mesh);
        let rests: Vec<f32> = rig.scalars.iter().map(|s| s.rest).collect();
        let skinned =
            mesh.skin_matrices(&model, &mut matrices).and_then(|()| out.skin(mesh, &matrices, &rests));
        if skinned.is_ok() {
            bounds = bounds.union(out.bounds());
        }
    }
    if bounds.is_empty() {
        bounds = Aabb::of(&model.iter().map(|m| m.translation).collect::<Vec<_>>());
    }
    let diagonal = f64::from(bounds.diagonal());
    if diagonal > 0.0 && diagonal.is_finite() { diagonal } else { 1.0 }
}
