//! Checks of the skins: vertices without weights, and bind against rest.

use super::exceeds;
use super::rest::RestPose;
use crate::criteria::STRETCHING;
use glam::Vec3;
use sinew::{Finding, Mat3x4, Mesh, Skin};
use sinew_findings::catalogue::examine::{BIND_MISMATCH, REST_DIFFERS, UNWEIGHTED};
use sinew_findings::plural;
use sinew_import::Source;
use std::collections::{HashMap, HashSet};

/// All checks of a character's skins.
pub(super) fn examine(at_rest: &RestPose<'_>, source: &Source<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for (index, mesh) in at_rest.character.meshes().iter().enumerate() {
        let Some(skin) = &mesh.skin else { continue };
        let place = format!("{}: {}", source.file, mesh.name);
        found.extend(unweighted(mesh, |vertex| source.info.vertex(index, vertex), &place));
        found.extend(bind_mismatch(at_rest, skin, &place));
        found.extend(rest_differs(at_rest, mesh, skin, &place));
    }
    found
}

/// Vertices that triangles use and that have no weights, counted by their numbers in the source.
fn unweighted(mesh: &Mesh, source: impl Fn(u32) -> u32, place: &str) -> Option<Finding> {
    let loose = |&vertex: &u32| mesh.influences.of(vertex as usize).all(|(_, weight)| weight == 0.0);
    let vertices: HashSet<u32> = mesh.indices.iter().copied().filter(loose).map(source).collect();
    let count = vertices.len();
    let verb = if count == 1 { "has" } else { "have" };
    let message = format!("{} of {} {verb} no weights", plural(count, "vertex", "vertices"), mesh.name);
    exceeds(&UNWEIGHTED, count as f64)
        .then(|| Finding::new(&UNWEIGHTED, place, message).count(count).measured(count as f64))
}

/// Bones whose length in the bind pose differs from that at rest.
fn bind_mismatch(at_rest: &RestPose<'_>, skin: &Skin, place: &str) -> Option<Finding> {
    let binds: HashMap<u16, Vec3> = skin
        .joints
        .iter()
        .zip(&skin.inverse_binds)
        .filter(|(_, inverse_bind)| inverse_bind.matrix3().determinant().abs() > f32::MIN_POSITIVE)
        .map(|(&joint, inverse_bind)| (joint, inverse_bind.to_affine().inverse().translation))
        .collect();
    let factor = |&joint: &u16| {
        let parent = at_rest.skeleton().parent(joint)?;
        let bind = binds.get(&joint)?.distance(*binds.get(&parent)?);
        let rest = at_rest.place(joint).distance(at_rest.place(parent));
        let counts = bind.max(rest) >= at_rest.share(STRETCHING.value);
        counts.then(|| (joint, f64::from(bind.max(rest) / bind.min(rest).max(f32::MIN_POSITIVE))))
    };
    let wrong: Vec<_> = skin
        .joints
        .iter()
        .filter_map(factor)
        .filter(|&(_, factor)| exceeds(&BIND_MISMATCH, factor))
        .collect();
    let &(joint, factor) = wrong.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let message = format!(
        "the bone to `{}` differs by a factor of {factor:.2} between bind and rest{}",
        at_rest.skeleton().name(joint),
        super::character::others(wrong.len())
    );
    Some(Finding::new(&BIND_MISMATCH, place, message).count(wrong.len()).measured(factor))
}

/// The largest distance of a vertex at rest from its bind position.
fn rest_differs(at_rest: &RestPose<'_>, mesh: &Mesh, skin: &Skin, place: &str) -> Option<Finding> {
    let mut matrices = vec![Mat3x4::IDENTITY; skin.joints.len()];
    mesh.skin_matrices(at_rest.models, &mut matrices).ok()?;
    let distance = |(vertex, &bound): (usize, &Vec3)| {
        let weights = || mesh.influences.of(vertex).filter(|&(_, weight)| weight > 0.0);
        let posed = |(slot, weight): (u16, f32)| matrices[usize::from(slot)].transform_point3(bound) * weight;
        if weights().next().is_none() { 0.0 } else { weights().map(posed).sum::<Vec3>().distance(bound) }
    };
    let largest = mesh.positions.iter().enumerate().map(distance).fold(0.0, f32::max);
    let measured = at_rest.millimetres(largest);
    let message =
        format!("at rest, vertices stand up to {} from where they were bound", at_rest.length(largest));
    exceeds(&REST_DIFFERS, measured).then(|| Finding::new(&REST_DIFFERS, place, message).measured(measured))
}
