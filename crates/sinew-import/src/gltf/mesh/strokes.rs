//! Points and lines as triangles, since a mesh has nothing else: a line becomes a thin bar, a point a small cube.

use super::{Group, Shown};
use crate::{Budget, Cause, findings};
use glam::Vec3;
use sinew::{Finding, Mesh, MorphDelta, Part};
use sinew_findings::plural;

/// How often the width of a bar goes into the size of its mesh.
const WIDTHS: f32 = 80.0;
/// How many times as wide a point is.
const POINT: f32 = 2.0;
/// Half the width of a bar in a mesh without size, a single point.
const ALONE: f32 = 0.005;

/// Corners at each end of a bar.
const SIDES: u32 = 4;
/// Triangles of a bar with the corners 0 to 3 at one end and 4 to 7 at the other, seen from outside.
const BAR: [[u32; 3]; 12] = [
    [0, 2, 1],
    [0, 3, 2],
    [4, 5, 6],
    [4, 6, 7],
    [0, 1, 5],
    [0, 5, 4],
    [1, 2, 6],
    [1, 6, 5],
    [2, 3, 7],
    [2, 7, 6],
    [3, 0, 4],
    [3, 4, 7],
];

/// Adds bars for the points and lines of a group, behind its triangles.
pub(super) fn add(
    shown: &Shown<'_>,
    group: &Group<'_>,
    mesh: &mut Mesh,
    budget: &Budget<'_>,
    place: &str,
    findings: &mut Vec<Finding>,
) -> Result<(), Cause> {
    let vertices = mesh.vertex_count();
    let half = half_width(&mesh.positions);
    let mut count = 0;
    for primitive in &group.primitives {
        let Some(mode) = primitive.mode.filter(|&mode| mode < 4) else { continue };
        let corners = shown.corners(primitive, vertices, budget, place)?;
        budget.list::<[u32; 2]>(corners.len())?;
        let ends = ends(&corners, mode);
        if ends.is_empty() {
            continue;
        }
        let first = mesh.indices.len();
        allow(mesh, ends.len() as u64, budget)?;
        mesh.positions.to_mut().reserve_exact(ends.len() * SIDES as usize * 2);
        mesh.indices.to_mut().reserve_exact(ends.len() * BAR.len() * 3);
        for ends in &ends {
            add_bar(mesh, *ends, half);
        }
        let too_many = |_| Cause::malformed("it has too many indices", place);
        mesh.parts.push(Part {
            material: shown.material(primitive, place)?,
            first: u32::try_from(first).map_err(too_many)?,
            count: u32::try_from(mesh.indices.len() - first).map_err(too_many)?,
        });
        count += ends.len();
    }
    if count > 0 {
        let message = format!(
            "{} shown as thin bars",
            plural(count, "of its points and lines is", "of its points and lines are")
        );
        findings.push(Finding::new(&findings::GEOMETRY_STROKES, place, message).count(count));
    }
    Ok(())
}

/// The vertices that each stroke runs between; a point begins and ends at one.
fn ends(corners: &[u32], mode: u32) -> Vec<[u32; 2]> {
    let along = corners.windows(2).filter_map(|pair| pair.first_chunk().copied());
    let back = corners.last().zip(corners.first()).filter(|_| corners.len() > 2).map(|(&a, &b)| [a, b]);
    match mode {
        0 => corners.iter().map(|&corner| [corner; 2]).collect(),
        1 => corners.as_chunks().0.to_vec(),
        2 => along.chain(back).collect(),
        _ => along.collect(),
    }
}

fn half_width(positions: &[Vec3]) -> f32 {
    let least = positions.iter().copied().reduce(Vec3::min).unwrap_or_default();
    let most = positions.iter().copied().reduce(Vec3::max).unwrap_or_default();
    let size = least.distance(most);
    if size.is_finite() && size > 0.0 { size / WIDTHS / 2.0 } else { ALONE }
}

/// Counts what bars take before they are made.
fn allow(mesh: &Mesh, bars: u64, budget: &Budget<'_>) -> Result<(), Cause> {
    let corners = bars.saturating_mul(u64::from(SIDES) * 2);
    budget.vertices(corners.saturating_add(bars.saturating_mul(BAR.len() as u64 * 3)))?;
    budget.morph_deltas(corners.saturating_mul(mesh.morphs.len() as u64))?;
    let deltas = mesh.morphs.len() * size_of::<MorphDelta>();
    let influences = mesh.influences.per_vertex * (size_of::<u16>() + size_of::<f32>());
    // Position, normal, tangent, two sets of texture coordinates, colour; nine indices for each corner.
    let bytes = (12 + 12 + 16 + 16 + 16 + 36 + deltas + influences) as u64;
    budget.memory(corners.saturating_mul(bytes))
}

/// Adds a bar whose corners move as the vertices do between which it runs.
fn add_bar(mesh: &mut Mesh, [a, b]: [u32; 2], half: f32) {
    let at = |mesh: &Mesh, vertex: u32| mesh.positions.get(vertex as usize).copied().unwrap_or_default();
    let half = if a == b { half * POINT } else { half };
    let along = sinew::math::normalize_or(at(mesh, b) - at(mesh, a), Vec3::Z);
    let (across, up) = along.any_orthonormal_pair();
    let first = mesh.positions.len() as u32;
    for (vertex, end) in [(a, -along), (b, along)] {
        for side in [-across - up, across - up, across + up, up - across] {
            add_corner(mesh, vertex, (side + end) * half);
        }
    }
    mesh.indices.extend(BAR.as_flattened().iter().map(|corner| first + corner));
}

/// Adds a copy of a vertex, moved by an offset, in the direction of which it faces.
fn add_corner(mesh: &mut Mesh, vertex: u32, offset: Vec3) {
    let (from, to) = (vertex as usize, mesh.positions.len() as u32);
    let position = mesh.positions.get(from).copied().unwrap_or_default();
    mesh.positions.push(position + offset);
    if !mesh.normals.is_empty() {
        mesh.normals.push(sinew::math::normalize_or(offset, Vec3::Y));
    }
    copy(mesh.tangents.to_mut(), from, 1);
    copy(mesh.uvs.to_mut(), from, 1);
    copy(mesh.second_uvs.to_mut(), from, 1);
    copy(mesh.colors.to_mut(), from, 1);
    let influences = &mut mesh.influences;
    copy(influences.skin_joints.to_mut(), from, influences.per_vertex);
    copy(influences.weights.to_mut(), from, influences.per_vertex);
    for morph in &mut mesh.morphs {
        // The deltas of the file's own vertices come first, in their order.
        if let Ok(found) = morph.deltas.binary_search_by_key(&vertex, |delta| delta.vertex) {
            let delta =
                morph.deltas.get(found).map(|delta| MorphDelta { vertex: to, normal: Vec3::ZERO, ..*delta });
            morph.deltas.extend(delta);
        }
    }
}

/// Repeats the values of a vertex at the end of a list, if it has any.
fn copy<T: Copy>(list: &mut Vec<T>, vertex: usize, width: usize) {
    let range = vertex * width..(vertex + 1) * width;
    if range.end <= list.len() {
        list.extend_from_within(range);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strokes_of_every_mode() {
        let corners = [5, 6, 7, 8, 9];
        assert_eq!(ends(&corners[..2], 0), [[5, 5], [6, 6]]);
        assert_eq!(ends(&corners, 1), [[5, 6], [7, 8]]);
        assert_eq!(ends(&corners[..3], 2), [[5, 6], [6, 7], [7, 5]]);
        assert_eq!(ends(&corners[..3], 3), [[5, 6], [6, 7]]);
        assert!(ends(&[], 2).is_empty() && ends(&[1], 3).is_empty());
    }

    #[test]
    fn a_bar_is_seen_from_outside() {
        let mut mesh = Mesh { positions: vec![Vec3::X, Vec3::X + Vec3::Y * 3.0].into(), ..Mesh::new("") };
        add_bar(&mut mesh, [0, 1], 0.1);
        let centre = Vec3::new(1.0, 1.5, 0.0);
        for &corners in mesh.indices.as_chunks::<3>().0 {
            let [a, b, c] = corners.map(|corner| mesh.positions[corner as usize]);
            assert!((b - a).cross(c - a).dot(a - centre) > 0.0, "{corners:?}");
        }
        let bar = &mesh.positions[2..];
        assert!(
            bar.iter().all(|p| (p.x - 1.0).abs() < 0.11 && p.z.abs() < 0.11 && p.y > -0.11 && p.y < 3.11)
        );
    }
}
