//! Normals and tangents for meshes that lack them: for drawing, and for formats that ask for them.

mod tangents;

use sinew::Mesh;
use sinew::glam::{Vec2, Vec3};
use sinew::math::normalize_or;
use std::borrow::Cow;
use tangents::with_tangents;

/// The mesh with normals, and for a normal map that uses this set of texture coordinates with tangents. A mesh without such coordinates gets
/// some tangents at right angles to its normals. Vertices may be doubled at the end, where triangles need different tangents.
pub fn complete(source: &Mesh, normal_map: Option<u8>) -> Cow<'_, Mesh> {
    let mut mesh = Cow::Borrowed(source);
    if source.normals.is_empty() {
        // Tangents of other normals are of no use.
        mesh = Cow::Owned(Mesh {
            normals: normals(source).into(),
            tangents: Default::default(),
            ..source.clone()
        });
    }
    let Some(set) = normal_map.filter(|_| mesh.tangents.is_empty()) else { return mesh };
    let uvs = if set == 0 { &source.uvs } else { &source.second_uvs };
    if uvs.is_empty() {
        Cow::Owned(with_tangents(&mesh, &vec![Vec2::ZERO; mesh.vertex_count()]))
    } else {
        Cow::Owned(with_tangents(&mesh, uvs))
    }
}

/// Vertex normals from the adjacent triangles, weighted by area.
fn normals(mesh: &Mesh) -> Vec<Vec3> {
    let mut sums = vec![Vec3::ZERO; mesh.vertex_count()];
    for t in mesh.indices.chunks_exact(3) {
        let [a, b, c] = [t[0], t[1], t[2]].map(|i| mesh.positions[i as usize]);
        let face = (b - a).cross(c - a);
        t.iter().for_each(|&i| sums[i as usize] += face);
    }
    sums.into_iter().map(|sum| normalize_or(sum, Vec3::Y)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_normals_come_from_the_triangles() {
        let mesh = Mesh {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE].into(),
            indices: vec![0, 1, 2].into(),
            ..Mesh::new("m")
        };
        assert_eq!(normals(&mesh), [Vec3::Z, Vec3::Z, Vec3::Z, Vec3::Y]);
    }
}
