//! Tangents by MikkTSpace, for meshes with a normal map whose source has none.

use bevy_mikktspace::{Geometry, TangentSpace, generate_tangents};
use sinew::Mesh;
use sinew::glam::{Vec2, Vec3, Vec4};

/// The mesh with tangents for one of its sets of texture coordinates. Vertices at which triangles need different tangents, as at the seam of
/// mirrored texture coordinates, are doubled.
pub(crate) fn with_tangents(mesh: &Mesh, uvs: &[Vec2]) -> Mesh {
    let corners = vec![None; mesh.indices.len()];
    let mut geometry = Corners { mesh, uvs, tangents: corners };
    // Its only error type has no values.
    let _ = generate_tangents(&mut geometry);
    let tangents = geometry.tangents;
    let mut groups = Groups::new(mesh);
    let indices = mesh.indices.iter().zip(tangents).map(|(&vertex, tangent)| groups.add(vertex, tangent));
    let indices = indices.collect();
    doubled(mesh, &groups.copies, indices, groups.finish(mesh))
}

struct Corners<'a> {
    mesh: &'a Mesh,
    uvs: &'a [Vec2],
    tangents: Vec<Option<Vec4>>,
}

impl Corners<'_> {
    fn vertex(&self, face: usize, corner: usize) -> usize {
        self.mesh.indices[face * 3 + corner] as usize
    }
}

impl Geometry for Corners<'_> {
    fn num_faces(&self) -> usize {
        self.mesh.indices.len() / 3
    }

    fn num_vertices_of_face(&self, _: usize) -> usize {
        3
    }

    fn position(&self, face: usize, vert: usize) -> [f32; 3] {
        self.mesh.positions[self.vertex(face, vert)].to_array()
    }

    fn normal(&self, face: usize, vert: usize) -> [f32; 3] {
        self.mesh.normals[self.vertex(face, vert)].to_array()
    }

    fn tex_coord(&self, face: usize, vert: usize) -> [f32; 2] {
        self.uvs[self.vertex(face, vert)].to_array()
    }

    fn set_tangent(&mut self, space: Option<TangentSpace>, face: usize, vert: usize) {
        let tangent = space.map(|space| Vec4::from_array(space.tangent_encoded()));
        // The algorithm takes V upwards; here it goes down, while Y of a normal map points up.
        self.tangents[face * 3 + vert] = tangent
            .filter(|tangent| tangent.is_finite())
            .map(|tangent| tangent.truncate().extend(-tangent.w));
    }
}

/// Corners of one vertex with similar tangents.
struct Group {
    sum: Vec3,
    /// Sign of the bitangent; zero as long as no corner of the group has a tangent.
    sign: f32,
    /// Vertex of the new mesh.
    vertex: u32,
    next: Option<usize>,
}

struct Groups {
    groups: Vec<Group>,
    /// First group of each vertex.
    firsts: Vec<Option<usize>>,
    /// Vertices that were doubled, one for each new vertex.
    copies: Vec<u32>,
}

/// Cosine between tangents that are averaged.
const SIMILAR: f32 = 0.5;

impl Groups {
    fn new(mesh: &Mesh) -> Self {
        Self { groups: Vec::new(), firsts: vec![None; mesh.vertex_count()], copies: Vec::new() }
    }

    /// Adds a corner of a vertex. Returns the vertex to be used for it.
    fn add(&mut self, vertex: u32, tangent: Option<Vec4>) -> u32 {
        let (along, sign) = tangent.map_or((Vec3::ZERO, 0.0), |t| (t.truncate(), t.w));
        let mut at = self.firsts[vertex as usize];
        let mut last = None;
        while let Some(group) = at.map(|at| &mut self.groups[at]) {
            let unset = sign == 0.0 || group.sign == 0.0;
            if unset || (group.sign == sign && group.sum.normalize_or_zero().dot(along) > SIMILAR) {
                group.sum += along;
                group.sign = if sign == 0.0 { group.sign } else { sign };
                return group.vertex;
            }
            (last, at) = (at, group.next);
        }
        let number = self.groups.len();
        let vertex = match last {
            None => {
                self.firsts[vertex as usize] = Some(number);
                vertex
            }
            Some(last) => {
                self.groups[last].next = Some(number);
                self.copies.push(vertex);
                (self.firsts.len() + self.copies.len() - 1) as u32
            }
        };
        self.groups.push(Group { sum: along, sign, vertex, next: None });
        vertex
    }

    /// The tangents of all vertices.
    fn finish(&self, mesh: &Mesh) -> Vec<Vec4> {
        let any = |normal: &Vec3| normal.any_orthogonal_vector().normalize_or(Vec3::X).extend(1.0);
        let copies = self.copies.iter().map(|&vertex| &mesh.normals[vertex as usize]);
        let mut tangents: Vec<Vec4> = mesh.normals.iter().chain(copies).map(any).collect();
        for group in self.groups.iter().filter(|group| group.sign != 0.0) {
            let tangent = &mut tangents[group.vertex as usize];
            *tangent = group.sum.normalize_or(tangent.truncate()).extend(group.sign);
        }
        tangents
    }
}

/// The mesh with copies of some vertices at the end.
fn doubled(mesh: &Mesh, copies: &[u32], indices: Vec<u32>, tangents: Vec<Vec4>) -> Mesh {
    fn extend<T: Clone>(all: &mut Vec<T>, per_vertex: usize, copies: &[u32]) {
        if all.is_empty() {
            return;
        }
        for &vertex in copies {
            let range = vertex as usize * per_vertex..(vertex as usize + 1) * per_vertex;
            all.extend_from_within(range);
        }
    }
    let mut mesh = Mesh { indices: indices.into(), tangents: tangents.into(), ..mesh.clone() };
    let first = mesh.vertex_count() as u32;
    extend(mesh.positions.to_mut(), 1, copies);
    extend(mesh.normals.to_mut(), 1, copies);
    extend(mesh.uvs.to_mut(), 1, copies);
    extend(mesh.second_uvs.to_mut(), 1, copies);
    extend(mesh.colors.to_mut(), 1, copies);
    let influences = &mut mesh.influences;
    extend(influences.skin_joints.to_mut(), influences.per_vertex, copies);
    extend(influences.weights.to_mut(), influences.per_vertex, copies);
    extend(influences.dual_quaternion.to_mut(), 1, copies);
    if !copies.is_empty() {
        for target in &mut mesh.morphs {
            let of: std::collections::HashMap<u32, sinew::MorphDelta> =
                target.deltas.iter().map(|delta| (delta.vertex, *delta)).collect();
            let copied = (first..).zip(copies).filter_map(|(vertex, source)| {
                of.get(source).map(|delta| sinew::MorphDelta { vertex, ..*delta })
            });
            target.deltas.extend(copied);
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{MorphDelta, MorphTarget};

    /// Two quads side by side that face +Z; U grows from the middle to either side if `mirrored`, else from left to right.
    fn sheet(mirrored: bool) -> Mesh {
        let at = |x: f32, y: f32| Vec3::new(x, y, 0.0);
        let u = |x: f32| if mirrored { x.abs() } else { x };
        let positions: Vec<_> = [-1.0, 0.0, 1.0].iter().flat_map(|&x| [at(x, 1.0), at(x, 0.0)]).collect();
        Mesh {
            uvs: positions.iter().map(|p| Vec2::new(u(p.x), 1.0 - p.y)).collect(),
            normals: vec![Vec3::Z; 6].into(),
            positions: positions.into(),
            indices: vec![0, 1, 3, 0, 3, 2, 2, 3, 5, 2, 5, 4].into(),
            morphs: vec![MorphTarget {
                name: String::new().into(),
                scalar: 0,
                deltas: vec![MorphDelta {
                    vertex: 2,
                    position: Vec3::Z,
                    normal: Vec3::ZERO,
                    tangent: Vec3::ZERO,
                }]
                .into(),
            }],
            ..Mesh::new("sheet")
        }
    }

    #[test]
    fn tangents_follow_u_and_the_bitangent_points_up_the_picture() {
        let mesh = sheet(false);
        let got = with_tangents(&mesh, &mesh.uvs);
        assert_eq!(got.tangents, [Vec4::new(1.0, 0.0, 0.0, 1.0); 6]);
        assert_eq!((&got.indices, &got.positions), (&mesh.indices, &mesh.positions), "nothing is doubled");
    }

    #[test]
    fn vertices_on_a_mirrored_seam_are_doubled() {
        let mesh = sheet(true);
        let got = with_tangents(&mesh, &mesh.uvs);
        assert_eq!(got.vertex_count(), 8);
        assert_eq!([got.normals.len(), got.uvs.len(), got.tangents.len(), got.colors.len()], [8, 8, 8, 0]);
        for face in got.indices.chunks_exact(3) {
            let right = face.iter().map(|&i| got.positions[i as usize].x).sum::<f32>() > 0.0;
            let expected =
                if right { Vec4::new(1.0, 0.0, 0.0, 1.0) } else { Vec4::new(-1.0, 0.0, 0.0, -1.0) };
            assert!(face.iter().all(|&i| got.tangents[i as usize] == expected));
        }
        let corners =
            |mesh: &Mesh| mesh.indices.iter().map(|&i| mesh.positions[i as usize]).collect::<Vec<_>>();
        assert_eq!(corners(&got), corners(&mesh));
        assert_eq!(got.morphs[0].deltas.len(), 2, "the copy morphs with its source");
    }

    #[test]
    fn degenerate_texture_coordinates_give_some_tangent() {
        let mesh = sheet(false);
        let got = with_tangents(&mesh, &[Vec2::ZERO; 6]);
        assert!(got.tangents.iter().all(|t| t.is_finite() && (t.truncate().length() - 1.0).abs() < 1e-5));
    }
}
