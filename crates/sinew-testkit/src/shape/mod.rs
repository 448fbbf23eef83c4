//! Surfaces with weights: tubes along paths, ellipsoids, smooth normals; and [`field`] for smooth bodies.

pub mod field;

use crate::math::{self, TURN, cos, sin};
use crate::scene::{Mesh, Skin};
use glam::{DQuat, DVec2, DVec3};

/// Weights of a vertex: node index and weight.
pub type Weights = Vec<(usize, f64)>;

/// One cross-section of a tube: an ellipse in the X and Z axes of its rotation.
#[derive(Clone, Debug)]
pub struct Ring {
    /// Centre.
    pub centre: DVec3,
    /// Y runs along the tube, X and Z across it.
    pub rotation: DQuat,
    /// Radii along X and Z.
    pub radius: DVec2,
    /// What moves the whole ring.
    pub weights: Weights,
}

/// A surface that grows part by part.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    /// Positions.
    pub vertices: Vec<DVec3>,
    /// Texture coordinates, V up.
    pub uvs: Vec<DVec2>,
    /// Weights of each vertex.
    pub weights: Vec<Weights>,
    /// Polygons, counter-clockwise from outside.
    pub faces: Vec<Vec<u32>>,
    /// Index of each face's material.
    pub face_materials: Vec<usize>,
}

impl Surface {
    pub(crate) fn vertex(&mut self, position: DVec3, uv: DVec2, weights: Weights) -> u32 {
        self.vertices.push(position);
        self.uvs.push(uv);
        self.weights.push(weights);
        self.vertices.len() as u32 - 1
    }

    pub(crate) fn face(&mut self, corners: &[u32], material: usize) {
        self.faces.push(corners.to_vec());
        self.face_materials.push(material);
    }

    /// A tube through rings, from the bottom up its Y axes, closed by flat caps where an end has any width.
    /// The seam repeats its vertices so that the texture wraps once around.
    pub fn tube(&mut self, rings: &[Ring], sides: usize, material: usize) {
        let base = self.vertices.len() as u32;
        let row = sides as u32 + 1;
        for (level, ring) in rings.iter().enumerate() {
            let v = level as f64 / (rings.len() - 1).max(1) as f64;
            for side in 0..=sides {
                let u = side as f64 / sides as f64;
                // The seam's last column must land exactly on its first.
                let angle = (side % sides) as f64 / sides as f64 * TURN;
                let offset = DVec3::new(ring.radius.x * sin(angle), 0.0, ring.radius.y * cos(angle));
                self.vertex(ring.centre + ring.rotation * offset, DVec2::new(u, v), ring.weights.clone());
            }
        }
        for level in 0..rings.len() as u32 - 1 {
            for side in 0..sides as u32 {
                let a = base + level * row + side;
                self.face(&[a, a + 1, a + 1 + row, a + row], material);
            }
        }
        self.cap(base, row, &rings[0], true, material);
        let last = base + (rings.len() as u32 - 1) * row;
        self.cap(last, row, &rings[rings.len() - 1], false, material);
    }

    /// Closes the end of a tube with a fan around its centre.
    fn cap(&mut self, first: u32, row: u32, ring: &Ring, bottom: bool, material: usize) {
        if ring.radius.max_element() <= 0.0 {
            return;
        }
        let v = if bottom { 0.0 } else { 1.0 };
        let centre = self.vertex(ring.centre, DVec2::new(0.5, v), ring.weights.clone());
        for side in 0..row - 1 {
            let (a, b) = (first + side, first + side + 1);
            let corners = if bottom { [b, a, centre] } else { [a, b, centre] };
            self.face(&corners, material);
        }
    }

    /// An ellipsoid around `centre`, its poles on the Y axis of `rotation`.
    pub fn ellipsoid(
        &mut self,
        centre: DVec3,
        rotation: DQuat,
        radius: DVec3,
        weights: &Weights,
        (sides, levels): (usize, usize),
        material: usize,
    ) {
        let rings: Vec<Ring> = (0..=levels)
            .map(|level| {
                let angle = level as f64 / levels as f64 * TURN / 2.0;
                // At the poles the sine is not quite zero; a pole must be a point.
                let pole = level == 0 || level == levels;
                let width = if pole { 0.0 } else { sin(angle) };
                Ring {
                    centre: centre + rotation * DVec3::Y * (-cos(angle) * radius.y),
                    rotation,
                    radius: DVec2::new(radius.x, radius.z) * width,
                    weights: weights.clone(),
                }
            })
            .collect();
        self.tube(&rings, sides, material);
    }

    /// The mesh of this surface, with smooth normals and a skin where any vertex has weights.
    pub fn into_mesh(mut self, name: impl Into<String>, materials: Vec<usize>) -> Mesh {
        self.drop_empty_faces();
        let normals = smooth_normals(&self.vertices, &self.faces);
        let skinned = self.weights.iter().any(|w| !w.is_empty());
        Mesh {
            name: name.into(),
            normals,
            skin: skinned.then(|| Skin::from_vertices(&self.weights)),
            vertices: self.vertices,
            uvs: self.uvs,
            faces: self.faces,
            face_materials: self.face_materials,
            materials,
            ..Mesh::default()
        }
    }

    /// At a pole a quad has two corners in one place: it becomes a triangle.
    fn drop_empty_faces(&mut self) {
        for face in &mut self.faces {
            let corners = face.clone();
            let mut kept: Vec<u32> = Vec::with_capacity(corners.len());
            for &corner in &corners {
                let place = self.vertices[corner as usize];
                if kept.iter().all(|&k| self.vertices[k as usize] != place) {
                    kept.push(corner);
                }
            }
            *face = kept;
        }
        let whole: Vec<bool> = self.faces.iter().map(|f| f.len() > 2).collect();
        let mut keep = whole.iter();
        self.faces.retain(|_| keep.next().is_some_and(|&k| k));
        let mut keep = whole.iter();
        self.face_materials.retain(|_| keep.next().is_some_and(|&k| k));
    }
}

/// Normals as the mean over all faces that meet in a place, so that seams do not show.
pub fn smooth_normals(vertices: &[DVec3], faces: &[Vec<u32>]) -> Vec<DVec3> {
    let mut order: Vec<usize> = (0..vertices.len()).collect();
    let key = |i: usize| vertices[i].to_array();
    order.sort_by(|&a, &b| {
        let (a, b) = (key(a), key(b));
        a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])).then(a[2].total_cmp(&b[2]))
    });
    let mut place = vec![0usize; vertices.len()];
    let mut places = 0;
    for pair in 0..order.len() {
        if pair > 0 && vertices[order[pair]] != vertices[order[pair - 1]] {
            places += 1;
        }
        place[order[pair]] = places;
    }
    let mut sums = vec![DVec3::ZERO; places + 1];
    for face in faces {
        // Newell's sum is the polygon's normal times twice its area.
        let mut normal = DVec3::ZERO;
        for (i, &corner) in face.iter().enumerate() {
            let next = face[(i + 1) % face.len()];
            normal += vertices[corner as usize].cross(vertices[next as usize]);
        }
        for &corner in face {
            sums[place[corner as usize]] += normal;
        }
    }
    place.iter().map(|&p| sums[p].normalize_or(DVec3::Y)).collect()
}

/// Weights that pass from `from` to `to` as `x` goes from `begin` to `end`.
pub fn blend(from: usize, to: usize, begin: f64, end: f64, x: f64) -> Weights {
    let t = math::smoothstep(begin, end, x);
    // Rounded, so that the two printed weights add up to one exactly.
    let t = (t * 1e6).round() / 1e6;
    let all = [(from, 1.0 - t), (to, t)];
    all.into_iter().filter(|w| w.1 > 0.0).collect()
}

/// The strongest four, rounded so that what is printed adds up to one.
pub fn tidy(mut weights: Weights) -> Weights {
    weights.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    weights.truncate(4);
    let sum: f64 = weights.iter().map(|w| w.1).sum();
    for weight in &mut weights {
        weight.1 = (weight.1 / sum * 1e4).round() / 1e4;
    }
    weights.retain(|w| w.1 > 0.0);
    let rest: f64 = weights.iter().skip(1).map(|w| w.1).sum();
    weights[0].1 = 1.0 - rest;
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ball() -> Mesh {
        let mut surface = Surface::default();
        let weights = vec![];
        surface.ellipsoid(DVec3::ZERO, DQuat::IDENTITY, DVec3::ONE, &weights, (12, 8), 0);
        surface.into_mesh("ball", vec![])
    }

    #[test]
    fn normals_of_a_ball_point_outwards() {
        let ball = ball();
        for (position, normal) in ball.vertices.iter().zip(&ball.normals) {
            assert!(position.normalize().dot(*normal) > 0.99, "{position}");
        }
    }

    #[test]
    fn poles_have_triangles_and_no_empty_faces() {
        let ball = ball();
        let triangles = ball.faces.iter().filter(|f| f.len() == 3).count();
        assert_eq!(triangles, 24);
        assert_eq!(ball.faces.len(), 12 * 8);
        assert_eq!(ball.faces.len(), ball.face_materials.len());
    }
}
