//! Which extensions are read, which only change looks, and which refuse a file.

use super::json::Document;
use crate::{Cause, cameras_lights, findings};
use sinew::Finding;
use std::collections::BTreeSet;

/// What is read, some of it converted, or reported where it is left out. All else that is used is a finding.
const READ: [&str; 21] = [
    "EXT_mesh_gpu_instancing",
    "EXT_meshopt_compression",
    "EXT_texture_webp",
    "KHR_animation_pointer",
    "KHR_draco_mesh_compression",
    "KHR_materials_emissive_strength",
    "KHR_materials_pbrSpecularGlossiness",
    "KHR_materials_transmission",
    "KHR_materials_unlit",
    "KHR_mesh_quantization",
    "KHR_meshopt_compression",
    "KHR_node_visibility",
    "KHR_texture_basisu",
    "KHR_texture_transform",
    "MSFT_texture_dds",
    "VRM",
    "VRMC_materials_mtoon",
    "VRMC_node_constraint",
    "VRMC_springBone",
    "VRMC_vrm",
    "VRMC_vrm_animation",
];

/// Parts of the names of extensions that leave geometry and motion as they are: looks, sound, behaviour, descriptions.
const HARMLESS: [&str; 21] = [
    "_materials_",
    "_texture_",
    "_lights_",
    "_environments",
    "_technique",
    "_xmp",
    "_audio",
    "_video",
    "_interactivity",
    "_selectability",
    "_hoverability",
    "_physics",
    "_implicit_shapes",
    "_metadata",
    "_features",
    "_outline",
    "_packing_",
    "_lod",
    "_thumbnail",
    "_ngon_encoding",
    "VRM",
];

fn is_read(name: &str) -> bool {
    READ.contains(&name)
}

/// Refuses a file that requires an extension which may change geometry and is not read.
pub(super) fn check_required(document: &Document) -> Result<(), Cause> {
    let refused = |name: &&String| !is_read(name) && !HARMLESS.iter().any(|part| name.contains(part));
    match document.extensions_required.iter().find(refused) {
        Some(name) => Err(Cause::Extension { name: name.clone() }),
        None => Ok(()),
    }
}

/// Names what the file uses and is left out, each once. Extensions of materials are named where materials are read.
pub(super) fn report(document: &Document, findings: &mut Vec<Finding>) {
    let of_materials: BTreeSet<&String> =
        document.materials.iter().flat_map(|material| material.extensions.other.keys()).collect();
    let used: BTreeSet<&String> =
        document.extensions_used.iter().chain(&document.extensions_required).collect();
    for name in used.difference(&of_materials).filter(|name| !is_read(name)) {
        let message = format!("its extension `{name}` is not read");
        findings.push(Finding::new(&findings::GLTF_EXTENSION, "the file", message));
    }
    let lights = document.extensions.lights.as_ref().map_or(0, |lights| lights.lights.len());
    let kind = &findings::GLTF_CAMERAS_LIGHTS;
    cameras_lights::report(kind, document.cameras.len(), lights, findings);
}
