//! Check of the surfaces: normals and faces that point inwards.

use super::exceeds;
use super::rest::RestPose;
use crate::criteria::{CLOSED_SURFACE, OPENING, OUTWARD};
use glam::Vec3;
use sinew::skinning::SkinnedVertices;
use sinew::{Finding, Mat3x4, Mesh};
use sinew_findings::catalogue::examine::NORMALS_INWARDS;
use sinew_import::Source;
use std::collections::HashMap;

/// The check of every mesh, as it stands at rest.
pub(super) fn examine(at_rest: &RestPose<'_>, source: &Source<'_>) -> Vec<Finding> {
    let meshes = at_rest.character.meshes().iter();
    meshes.filter_map(|mesh| inwards(at_rest, mesh, &format!("{}: {}", source.file, mesh.name))).collect()
}

fn inwards(at_rest: &RestPose<'_>, mesh: &Mesh, place: &str) -> Option<Finding> {
    let mut matrices = vec![Mat3x4::IDENTITY; mesh.skin_matrix_count()];
    mesh.skin_matrices(at_rest.models, &mut matrices).ok()?;
    let mut vertices = SkinnedVertices::for_mesh(mesh);
    vertices.skin(mesh, &matrices, at_rest.skeleton().rest().scalars()).ok()?;
    let faces = faces(mesh, &matrices, &vertices.positions);
    let against = against_normals(&faces, &vertices.normals);
    let inside_out = inside_out(&faces, &vertices.positions);
    let (measured, message) = match (against, inside_out) {
        (Some(share), _) if exceeds(&NORMALS_INWARDS, share) => {
            (share, format!("the normals of {share:.0} % of its surface point to the backs of its faces"))
        }
        (_, Some(share)) if exceeds(&NORMALS_INWARDS, share) => {
            (share, format!("{share:.0} % of its closed surface is inside out: faces show their backs"))
        }
        _ => return None,
    };
    Some(Finding::new(&NORMALS_INWARDS, place, message).measured(measured))
}

/// A triangle with an area.
struct Face {
    corners: [u32; 3],
    /// Twice its area, along its normal.
    normal: Vec3,
}

impl Face {
    fn area(&self) -> f64 {
        f64::from(self.normal.length())
    }
}

/// The faces as they are seen: a joint that mirrors the rigid mesh on it turns their corners round, and renderers turn them back. Those of a skin are wound where its
/// joints take them.
fn faces(mesh: &Mesh, matrices: &[Mat3x4], positions: &[Vec3]) -> Vec<Face> {
    let mirrors = |matrix: &Mat3x4| matrix.matrix3().determinant() < 0.0;
    let mirrored = mesh.skin.is_none() && matrices.first().is_some_and(mirrors);
    let face = |corners: &[u32]| {
        let mut corners: [u32; 3] = corners.try_into().ok()?;
        if mirrored {
            corners.swap(1, 2);
        }
        let [a, b, c] = corners.map(|corner| positions.get(corner as usize).copied());
        let (a, b, c) = (a?, b?, c?);
        let normal = (b - a).cross(c - a);
        (normal.is_finite() && normal.length_squared() > 0.0).then_some(Face { corners, normal })
    };
    mesh.indices.chunks_exact(3).filter_map(face).collect()
}

/// Percentage of the surface whose faces point against the normals of their corners; none for a mesh without normals.
fn against_normals(faces: &[Face], normals: &[Vec3]) -> Option<f64> {
    let (mut against, mut total) = (0.0, 0.0);
    for face in faces {
        let normal: Vec3 = face.corners.iter().filter_map(|&corner| normals.get(corner as usize)).sum();
        let along = normal.dot(face.normal);
        if along != 0.0 {
            total += face.area();
            against += if along < 0.0 { face.area() } else { 0.0 };
        }
    }
    (total > 0.0).then(|| against / total * 100.0)
}

/// Percentage of the closed parts of a surface whose faces point into the volume that they enclose; none if no part is closed.
fn inside_out(faces: &[Face], positions: &[Vec3]) -> Option<f64> {
    let (mut inwards, mut total) = (0.0, 0.0);
    for part in Parts::of(faces, positions).closed(faces, positions) {
        let area: f64 = part.iter().map(|face| face.area()).sum();
        let volume = volume(&part, positions);
        // That of a ball of this surface, both in the measures used here.
        let most = area * (area / (8.0 * std::f64::consts::PI)).sqrt();
        // A part that is nearly flat has no inside to speak of.
        if volume.abs() >= most * OUTWARD.value / 100.0 {
            total += area;
            inwards += if volume < 0.0 { area } else { 0.0 };
        }
    }
    (total > 0.0).then(|| inwards / total * 100.0)
}

/// The volume that faces enclose, times six; negative if they point inwards.
fn volume(part: &[&Face], positions: &[Vec3]) -> f64 {
    let at = |corner: u32| positions.get(corner as usize).copied().unwrap_or_default().as_dvec3();
    let corners = || part.iter().flat_map(|face| face.corners);
    // About the middle, so that small openings count for little.
    let middle = corners().map(at).sum::<glam::DVec3>() / corners().count().max(1) as f64;
    let of = |face: &&Face| {
        let [a, b, c] = face.corners.map(|corner| at(corner) - middle);
        a.dot(b.cross(c))
    };
    part.iter().map(of).sum()
}

#[derive(Default)]
struct Edge {
    /// How many faces run along it, either way.
    forward: u32,
    back: u32,
    ends: [u32; 2],
}

/// The edges of a part.
#[derive(Default)]
struct Border {
    edges: usize,
    /// Those that are not shared as they should be.
    odd: usize,
    /// Length of those that have one face.
    open: f64,
}

impl Border {
    /// Of a fine sheet few edges are open, but they are long beside its area.
    fn is_closed(&self, area: f64) -> bool {
        self.odd as f64 <= self.edges as f64 * CLOSED_SURFACE.value / 100.0
            && self.open * self.open <= area * OPENING.value / 100.0
    }
}

/// Faces that hang together where their corners are in one place.
struct Parts {
    /// The number of the place of each vertex.
    places: Vec<u32>,
    /// The place that stands for the part of each place, by steps.
    above: Vec<u32>,
}

impl Parts {
    fn of(faces: &[Face], positions: &[Vec3]) -> Self {
        let mut known = HashMap::new();
        let mut place = |position: &Vec3| {
            let next = known.len() as u32;
            // Zero of both signs is one place.
            *known.entry(position.to_array().map(|value| (value + 0.0).to_bits())).or_insert(next)
        };
        let places: Vec<u32> = positions.iter().map(&mut place).collect();
        let above = (0..known.len() as u32).collect();
        let mut parts = Self { places, above };
        for face in faces {
            let [a, b, c] = parts.corners(face);
            parts.join(a, b);
            parts.join(b, c);
        }
        parts
    }

    fn corners(&self, face: &Face) -> [u32; 3] {
        face.corners.map(|corner| self.places.get(corner as usize).copied().unwrap_or_default())
    }

    fn part(&mut self, mut place: u32) -> u32 {
        while let Some(&above) = self.above.get(place as usize)
            && above != place
        {
            // Half of the way is saved for the next time.
            let next = self.above.get(above as usize).copied().unwrap_or(above);
            if let Some(own) = self.above.get_mut(place as usize) {
                *own = next;
            }
            place = next;
        }
        place
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.part(a), self.part(b));
        if let Some(above) = self.above.get_mut(a as usize) {
            *above = b;
        }
    }

    /// The parts that are closed but for a few edges: every other edge is shared by two faces, which run along it in opposite directions.
    fn closed<'f>(mut self, faces: &'f [Face], positions: &[Vec3]) -> Vec<Vec<&'f Face>> {
        let mut edges: HashMap<(u32, u32), Edge> = HashMap::new();
        for face in faces {
            let ([a, b, c], [u, v, w]) = (self.corners(face), face.corners);
            for (from, to, ends) in [(a, b, [u, v]), (b, c, [v, w]), (c, a, [w, u])] {
                let edge = edges.entry((from.min(to), from.max(to))).or_default();
                edge.ends = ends;
                *(if from < to { &mut edge.forward } else { &mut edge.back }) += 1;
            }
        }
        let at = |corner: u32| positions.get(corner as usize).copied().unwrap_or_default();
        let mut borders: HashMap<u32, Border> = HashMap::new();
        for ((place, _), edge) in edges {
            let border = borders.entry(self.part(place)).or_default();
            border.edges += 1;
            border.odd += usize::from((edge.forward, edge.back) != (1, 1));
            if edge.forward + edge.back == 1 {
                let [from, to] = edge.ends.map(at);
                border.open += f64::from(from.distance(to));
            }
        }
        let mut parts: HashMap<u32, Vec<&Face>> = HashMap::new();
        for face in faces {
            let [place, ..] = self.corners(face);
            parts.entry(self.part(place)).or_default().push(face);
        }
        let closed = |part: &u32, faces: &[&Face]| {
            // Faces have twice their area.
            let area = faces.iter().map(|face| face.area()).sum::<f64>() / 2.0;
            borders.get(part).is_some_and(|border| border.is_closed(area))
        };
        let mut parts: Vec<_> = parts.into_iter().filter(|(part, faces)| closed(part, faces)).collect();
        // The order of sums is that of the file.
        parts.sort_unstable_by_key(|(part, _)| *part);
        parts.into_iter().map(|(_, faces)| faces).collect()
    }
}
