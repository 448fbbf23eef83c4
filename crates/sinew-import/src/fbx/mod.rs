//! Autodesk FBX, ASCII and binary, on ufbx.
//!
//! All of FBX's own mathematics (pre- and post-rotations, pivots, rotation orders, layers, tangents) is ufbx's: this module
//! decides which nodes are joints (`rig`), when to evaluate them (`animation`), and transforms vertices to bind space
//! (`mesh`). Nodes of the usual kind are composed here (`plain`), to the same numbers.

mod animation;
mod clips;
mod convert;
mod curve;
mod evaluator;
mod load;
mod materials;
mod mesh;
mod morph;
mod plain;
mod rig;
mod skin;

use crate::space::Conversion;
use crate::textures::Lookup;
use crate::{Budget, Cause, Imported, Options, SourceInfo, cameras_lights, findings};
use evaluator::Evaluator;
use rig::Rig;
use sinew::CharacterData;
use sinew::{Character, Finding};
use sinew_files::Recorder;
use std::path::Path;
use std::sync::Arc;

pub(crate) fn import(
    bytes: &[u8],
    path: &Path,
    files: &Recorder,
    options: &Options,
    budget: &Budget<'_>,
) -> Result<Imported, Cause> {
    let mut findings = Vec::new();
    let scene = load::load(bytes, budget, &mut findings)?;
    count_vertices(&scene, budget)?;
    let kind = &findings::CAMERAS_LIGHTS;
    cameras_lights::report(kind, scene.cameras.len(), scene.lights.len(), &mut findings);
    let source = convert::source_space(&scene);
    if !source.is_valid() {
        let message = format!("its axes are {source:?}");
        findings.push(Finding::new(&findings::SPACE_INVALID, "the file", message));
    }
    let conversion = Conversion::new(&source, options.space);
    let takes = animation::takes(&scene, options.resample, budget, &mut findings)?;
    let rig = Arc::new(Rig::new(scene, conversion, &takes, budget, &mut findings)?);
    let skeleton = rig.skeleton()?;
    let diagonal = skin::diagonal(&rig);
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let mut notes = Vec::new();
    let (geometry, clips) = rayon::join(
        || geometry(&rig, &Lookup::new(path, files, options), options, budget, &mut findings),
        || clips::clips(&rig, &takes, diagonal, &stem, options.resample, budget, &mut notes),
    );
    let (geometry, clips) = (geometry?, clips?);
    let clips = clips.into_iter().zip(&takes);
    let (clips, sources) =
        options.tags.library(clips.map(|(clip, take)| (clip.name().into(), clip, take.range.begin)));
    findings.append(&mut notes);
    let character = Character::new(CharacterData {
        name: stem,
        skeleton,
        meshes: geometry.meshes,
        materials: geometry.materials,
        textures: geometry.textures,
        clips,
        space: conversion.space(),
    })?;
    let source = SourceInfo {
        joints: rig.sources(),
        vertices: geometry.points,
        clips: sources,
        ..SourceInfo::default()
    };
    let evaluator = Box::new(Evaluator::new(rig, &takes));
    Ok(Imported { character, source, evaluator, findings, clip_nodes: None, files: Vec::new() })
}

struct Geometry {
    meshes: Vec<sinew::Mesh>,
    /// Control points of the vertices of each mesh.
    points: Vec<Vec<u32>>,
    materials: Vec<sinew::Material>,
    textures: Vec<sinew::Texture>,
}

/// Counts the vertices and corners of all meshes, each as often as a node shows it.
fn count_vertices(scene: &ufbx::Scene, budget: &Budget<'_>) -> Result<(), Cause> {
    let corners = |mesh: &ufbx::Mesh| {
        (mesh.num_indices.max(mesh.num_triangles.saturating_mul(3)) + mesh.num_vertices) as u64
    };
    let instances = mesh::instances(scene);
    budget.vertices(instances.iter().filter_map(|i| i.mesh(scene)).map(corners).sum())
}

fn geometry(
    rig: &Rig,
    lookup: &Lookup<'_>,
    options: &Options,
    budget: &Budget<'_>,
    findings: &mut Vec<Finding>,
) -> Result<Geometry, Cause> {
    let (materials, textures) = materials::materials(&rig.scene, lookup, budget, findings)?;
    let (mut meshes, mut points) = (Vec::new(), Vec::new());
    for instance in &mesh::instances(&rig.scene) {
        if let Some((mesh, of_mesh)) = mesh::build(rig, instance, options, budget, findings)? {
            budget.mesh(&mesh)?;
            meshes.push(mesh);
            points.push(of_mesh);
        }
    }
    mesh::report_unused(&rig.scene, findings);
    Ok(Geometry { meshes, points, materials, textures })
}
