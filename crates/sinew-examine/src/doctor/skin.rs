//! Checks of the skins: vertices without weights, and bind against rest.

use super::exceeds;
use super::figure::Figure;
use crate::criteria::STRETCHING;
use glam::{Affine3, Vec3};
use sinew::{Finding, Mesh, Skin};
use sinew_findings::catalogue::examine::{BIND_MISMATCH, REST_DIFFERS, UNWEIGHTED};
use sinew_import::Source;
use std::collections::{HashMap, HashSet};

/// All checks of a character's skins.
pub(super) fn examine(figure: &Figure<'_>, source: &Source<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for (index, mesh) in figure.character.meshes().iter().enumerate() {
        let Some(skin) = &mesh.skin else { continue };
        let place = format!("{}: {}", source.file, mesh.name);
        found.extend(unweighted(mesh, |vertex| source.info.vertex(index, vertex), &place));
        found.extend(bind_mismatch(figure, skin, &place));
        found.extend(rest_differs(figure, mesh, skin, &place));
    }
    found
}

/// Vertices that faces use and no joint carries, counted as the source counts them.
fn unweighted(mesh: &Mesh, source: impl Fn(u32) -> u32, place: &str) -> Option<Finding> {
    let loose = |&vertex: &u32| mesh.influences.of(vertex as usize).all(|(_, weight)| weight == 0.0);
    let vertices: HashSet<u32> = mesh.indices.iter().copied().filter(loose).map(source).collect();
    let count = vertices.len();
    let message = format!("{count} vertices of {} have no weights", mesh.name);
    exceeds(&UNWEIGHTED, count as f64)
        .then(|| Finding::new(&UNWEIGHTED, place, message).count(count).measured(count as f64))
}

/// Bones whose ends stood at another distance when the skin was bound than they do at rest.
fn bind_mismatch(figure: &Figure<'_>, skin: &Skin, place: &str) -> Option<Finding> {
    let binds: HashMap<u16, Vec3> = skin
        .joints
        .iter()
        .zip(&skin.inverse_binds)
        .filter(|(_, inverse_bind)| inverse_bind.matrix3.determinant().abs() > f32::MIN_POSITIVE)
        .map(|(&joint, inverse_bind)| (joint, inverse_bind.inverse().translation))
        .collect();
    let factor = |&joint: &u16| {
        let parent = figure.skeleton().parent(joint)?;
        let bind = binds.get(&joint)?.distance(*binds.get(&parent)?);
        let rest = figure.place(joint).distance(figure.place(parent));
        let counts = bind.max(rest) >= figure.share(STRETCHING.value);
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
        figure.skeleton().name(joint),
        super::character::others(wrong.len())
    );
    Some(Finding::new(&BIND_MISMATCH, place, message).count(wrong.len()).measured(factor))
}

/// How far the rest takes vertices from where they were bound.
fn rest_differs(figure: &Figure<'_>, mesh: &Mesh, skin: &Skin, place: &str) -> Option<Finding> {
    let mut matrices = vec![Affine3::IDENTITY; skin.joints.len()];
    mesh.skin_matrices(figure.rest, &mut matrices).ok()?;
    let distance = |(vertex, &bound): (usize, &Vec3)| {
        let weights = || mesh.influences.of(vertex).filter(|&(_, weight)| weight > 0.0);
        let posed = |(slot, weight): (u16, f32)| matrices[usize::from(slot)].transform_point3(bound) * weight;
        if weights().next().is_none() { 0.0 } else { weights().map(posed).sum::<Vec3>().distance(bound) }
    };
    let largest = mesh.positions.iter().enumerate().map(distance).fold(0.0, f32::max);
    let measured = figure.millimetres(largest);
    let message =
        format!("at rest, vertices stand up to {} from where they were bound", figure.length(largest));
    exceeds(&REST_DIFFERS, measured).then(|| Finding::new(&REST_DIFFERS, place, message).measured(measured))
}
