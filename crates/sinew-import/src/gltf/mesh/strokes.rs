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

/// Above this number of strokes in a primitive they are slivers, which take less and are thinner: as many bars would hide each other.
const MANY: usize = 4096;
/// How many times as thin as a bar a sliver is.
const THINNER: f32 = 5.0;
/// Triangles of a sliver with two corners at each end, across and up, seen from outside.
const SLIVER: [[u32; 3]; 4] = [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]];

/// What a stroke is made of.
#[derive(Clone, Copy)]
enum Stroke {
    Bar,
    Sliver,
}

impl Stroke {
    fn of(count: usize) -> Self {
        if count > MANY { Self::Sliver } else { Self::Bar }
    }

    /// Corners at each end.
    fn sides(self) -> u32 {
        match self {
            Self::Bar => SIDES,
            Self::Sliver => 2,
        }
    }

    fn triangles(self) -> &'static [[u32; 3]] {
        match self {
            Self::Bar => &BAR,
            Self::Sliver => &SLIVER,
        }
    }
}

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
        let stroke = Stroke::of(ends.len());
        allow(mesh, stroke, ends.len() as u64, budget)?;
        mesh.positions.to_mut().reserve_exact(ends.len() * stroke.sides() as usize * 2);
        mesh.indices.to_mut().reserve_exact(ends.len() * stroke.triangles().len() * 3);
        for ends in &ends {
            add_stroke(mesh, stroke, *ends, half);
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

/// Counts what strokes take before they are made.
fn allow(mesh: &Mesh, stroke: Stroke, count: u64, budget: &Budget<'_>) -> Result<(), Cause> {
    let corners = count.saturating_mul(u64::from(stroke.sides()) * 2);
    let indices = count.saturating_mul(stroke.triangles().len() as u64 * 3);
    budget.vertices(corners.saturating_add(indices))?;
    budget.morph_deltas(corners.saturating_mul(mesh.morphs.len() as u64))?;
    let deltas = mesh.morphs.len() * size_of::<MorphDelta>();
    let influences = mesh.influences.per_vertex * (size_of::<u16>() + size_of::<f32>());
    // Position, normal, tangent, two sets of texture coordinates, colour; at most nine indices for each corner.
    let bytes = (12 + 12 + 16 + 16 + 16 + 36 + deltas + influences) as u64;
    budget.memory(corners.saturating_mul(bytes))
}

/// Adds a stroke whose corners move as the vertices do between which it runs.
fn add_stroke(mesh: &mut Mesh, stroke: Stroke, [a, b]: [u32; 2], half: f32) {
    let at = |mesh: &Mesh, vertex: u32| mesh.positions.get(vertex as usize).copied().unwrap_or_default();
    let half = if a == b { half * POINT } else { half };
    let along = sinew::math::normalize_or(at(mesh, b) - at(mesh, a), Vec3::Z);
    let (across, up) = along.any_orthonormal_pair();
    let first = mesh.positions.len() as u32;
    match stroke {
        Stroke::Bar => {
            for (vertex, end) in [(a, -along), (b, along)] {
                for side in [-across - up, across - up, across + up, up - across] {
                    add_corner(mesh, vertex, (side + end) * half);
                }
            }
        }
        Stroke::Sliver => {
            for (vertex, end, side) in [(a, -along, across), (b, along, up)] {
                add_corner(mesh, vertex, (end - side) * (half / THINNER));
                add_corner(mesh, vertex, (end + side) * (half / THINNER));
            }
        }
    }
    mesh.indices.extend(stroke.triangles().as_flattened().iter().map(|corner| first + corner));
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
    fn a_stroke_is_seen_from_outside() {
        for stroke in [Stroke::Bar, Stroke::Sliver] {
            for ends in [[0, 1], [0, 0]] {
                let mut mesh =
                    Mesh { positions: vec![Vec3::X, Vec3::X + Vec3::Y * 3.0].into(), ..Mesh::new("") };
                add_stroke(&mut mesh, stroke, ends, 0.1);
                let centre = Vec3::new(1.0, if ends == [0, 1] { 1.5 } else { 0.0 }, 0.0);
                for &corners in mesh.indices.as_chunks::<3>().0 {
                    let [a, b, c] = corners.map(|corner| mesh.positions[corner as usize]);
                    assert!((b - a).cross(c - a).dot(a - centre) > 0.0, "{corners:?}");
                }
                let made = &mesh.positions[2..];
                assert_eq!(made.len(), stroke.sides() as usize * 2);
                let inside = |p: &Vec3| (p.x - 1.0).abs() < 0.21 && p.z.abs() < 0.21 && p.y < 3.21;
                assert!(made.iter().all(|p| inside(p) && p.y > -0.21));
            }
        }
    }
}
