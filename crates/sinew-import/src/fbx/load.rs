//! Loading a file within its limits.

use crate::{Budget, Cause, Limits, findings, limits};
use sinew::Finding;
use ufbx::{AllocatorOpts, ErrorType, LoadOpts, SceneRoot};

pub(super) fn load(
    bytes: &[u8],
    budget: &Budget<'_>,
    findings: &mut Vec<Finding>,
) -> Result<SceneRoot, Cause> {
    let (limits, memory) = (budget.limits(), budget.memory_left());
    let opts = LoadOpts {
        // Half for what is kept and half for what is needed meanwhile.
        temp_allocator: allocator(memory / 2),
        result_allocator: allocator(memory / 2),
        node_depth_limit: u32::try_from(limits.allowed_depth()).unwrap_or(u32::MAX).max(1),
        skip_mesh_parts: true,
        generate_missing_normals: true,
        file_format: ufbx::FileFormat::Fbx,
        ..LoadOpts::default()
    };
    let scene = ufbx::load_memory(bytes, opts).map_err(|error| cause(&error, limits))?;
    budget.memory(scene.metadata.result_memory_used as u64)?;
    check(&scene, limits)?;
    for warning in &scene.metadata.warnings {
        let element = usize::try_from(warning.element_id).ok().and_then(|id| scene.elements.get(id));
        let place = element.map_or(String::new(), |e| e.name.to_string());
        let place = if place.is_empty() { "the file".to_owned() } else { format!("`{place}`") };
        let finding = Finding::new(&findings::FBX_WARNING, place, warning.description.to_string());
        findings.push(finding.count(warning.count));
    }
    Ok(scene)
}

fn allocator(memory: u64) -> AllocatorOpts {
    AllocatorOpts { memory_limit: usize::try_from(memory).unwrap_or(usize::MAX), ..AllocatorOpts::default() }
}

fn cause(error: &ufbx::Error, limits: &Limits) -> Cause {
    match error.type_ {
        ErrorType::MemoryLimit | ErrorType::OutOfMemory => {
            Cause::Limit { name: "memory", found: None, limit: limits.memory }
        }
        ErrorType::NodeDepthLimit => {
            Cause::Limit { name: "depth", found: None, limit: limits.allowed_depth() }
        }
        // ufbx's generic message names neither cause nor place.
        ErrorType::Unknown if &*error.description == "Failed to load" => {
            Cause::malformed("its structure breaks off or contradicts itself", error.info())
        }
        _ => Cause::malformed(error.description.to_string(), error.info()),
    }
}

fn check(scene: &ufbx::Scene, limits: &Limits) -> Result<(), Cause> {
    limits::check("nodes", scene.nodes.len() as u64, limits.nodes)?;
    let keys = scene.anim_curves.into_iter().map(|curve| curve.keyframes.len() as u64).sum();
    limits::check("keys", keys, limits.keys)?;
    let vertices = scene.meshes.into_iter().map(|mesh| (mesh.num_indices + mesh.num_vertices) as u64).sum();
    limits::check("vertices", vertices, limits.vertices)
}
