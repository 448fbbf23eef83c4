//! Autodesk FBX, ASCII and binary, on ufbx.
//!
//! All of FBX's own mathematics (pre- and post-rotations, pivots, rotation orders, layers, tangents) is ufbx's: this module
//! decides which nodes are joints (`rig`), when to evaluate them (`animation`), and puts vertices where a skin wants them
//! (`mesh`).

mod animation;
mod clips;
mod convert;
mod curve;
mod evaluator;
mod load;
mod materials;
mod mesh;
mod morph;
mod rig;
mod skin;

use crate::space::Conversion;
use crate::textures::Lookup;
use crate::{Cause, Imported, Options, findings, limits};
use evaluator::Evaluator;
use rig::Rig;
use sinew::character::CharacterData;
use sinew::{Character, ClipLibrary, Finding};
use sinew_files::Recorder;
use std::path::Path;
use std::sync::Arc;

pub(crate) fn import(
    bytes: &[u8],
    path: &Path,
    files: &Recorder,
    options: &Options,
) -> Result<Imported, Cause> {
    let mut findings = Vec::new();
    let scene = load::load(bytes, options, &mut findings)?;
    let source = convert::source_space(&scene);
    if !source.is_valid() {
        let message = format!("its axes are {source:?}");
        findings.push(Finding::new(&findings::SPACE_INVALID, "the file", message));
    }
    let conversion = Conversion::new(&source, options.space);
    let takes = animation::takes(&scene, options, &mut findings)?;
    let rig = Arc::new(Rig::new(scene, conversion, &takes, options, &mut findings)?);
    let skeleton = rig.skeleton()?;
    let diagonal = skin::diagonal(&rig);
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let mut notes = Vec::new();
    let (geometry, clips) = rayon::join(
        || geometry(&rig, &takes, &Lookup::new(path, files, options), options, &mut findings),
        || clips::clips(&rig, &takes, diagonal, &stem, options, &mut notes),
    );
    let (geometry, clips) = (geometry?, clips?);
    findings.append(&mut notes);
    let character = Character::new(CharacterData {
        name: stem,
        skeleton,
        meshes: geometry.meshes,
        materials: geometry.materials,
        textures: geometry.textures,
        clips: ClipLibrary::new(clips),
        space: conversion.space(),
    })?;
    let evaluator = Box::new(Evaluator::new(rig, &takes));
    Ok(Imported { character, evaluator, findings, clip_target: None, files: Vec::new() })
}

struct Geometry {
    meshes: Vec<sinew::Mesh>,
    materials: Vec<sinew::Material>,
    textures: Vec<sinew::Texture>,
}

fn geometry(
    rig: &Rig,
    takes: &[animation::Take],
    lookup: &Lookup<'_>,
    options: &Options,
    findings: &mut Vec<Finding>,
) -> Result<Geometry, Cause> {
    let (materials, textures) = materials::materials(&rig.scene, lookup, findings)?;
    let instances = mesh::instances(&rig.scene);
    let corners = |mesh: &ufbx::Mesh| {
        (mesh.num_indices.max(mesh.num_triangles.saturating_mul(3)) + mesh.num_vertices) as u64
    };
    let total = instances.iter().filter_map(|i| i.mesh(&rig.scene)).map(corners).sum();
    limits::check("vertices", total, options.limits.vertices)?;
    let mut meshes = Vec::with_capacity(instances.len());
    for instance in &instances {
        meshes.extend(mesh::build(rig, takes, instance, options, findings)?);
    }
    mesh::report_unused(&rig.scene, findings);
    Ok(Geometry { meshes, materials, textures })
}
