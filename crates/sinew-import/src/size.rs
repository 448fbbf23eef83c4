//! How large a character is, measured on all threads: at that time there is nothing else to do.

use rayon::prelude::*;
use sinew::bounds::{mesh_rest_bounds, rest_size_of};
use sinew::{Aabb, Mesh, Skeleton};

/// Vertices that are measured together, at the least.
const TOGETHER: usize = 2048;

/// Size at rest: as [`sinew::bounds::rest_size`].
pub(crate) fn rest_size(skeleton: &Skeleton, meshes: &[Mesh]) -> f64 {
    let parts = meshes.iter().flat_map(|mesh| {
        let (count, together) = (mesh.vertex_count(), together(mesh));
        (0..count).step_by(together).map(move |first| (mesh, first..first + together))
    });
    let parts: Vec<_> = parts.collect();
    let part = |(mesh, vertices)| mesh_rest_bounds(skeleton, mesh, vertices).unwrap_or(Aabb::EMPTY);
    rest_size_of(skeleton, parts.into_par_iter().map(part).reduce(|| Aabb::EMPTY, Aabb::union)).into()
}

/// So many that what each part does anew, matrices and morph targets, is little of it.
fn together(mesh: &Mesh) -> usize {
    if mesh.morphs.is_empty() {
        TOGETHER.max(mesh.skin_matrix_count() * 8)
    } else {
        mesh.vertex_count().max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::glam::Vec3;
    use sinew::{Joint, Mat3x4, MorphDelta, MorphTarget, Scalar, Skin, Transform};

    fn skeleton() -> Skeleton {
        let joint = |name: &str, parent, y| {
            Joint::new(name, parent, Transform::from_translation(Vec3::new(0.0, y, 0.0)))
        };
        let joints = vec![joint("a", None, 1.0), joint("b", Some(0), 2.0)];
        Skeleton::new(joints, vec![Scalar { name: "smile".into(), rest: 0.5 }]).unwrap()
    }

    /// Some parts and a rest.
    fn mesh() -> Mesh {
        let count = 2 * TOGETHER + 17;
        let place = |v: usize| Vec3::new((v % 7) as f32, (v % 13) as f32 * 0.1, v as f32 * 0.003);
        let weights =
            |v: usize| if v.is_multiple_of(3) { [0.25, 0.75, 0.0, 0.0] } else { [1.0, 0.0, 0.0, 0.0] };
        let mut mesh = Mesh::new("mesh");
        mesh.positions = (0..count).map(place).collect::<Vec<_>>().into();
        mesh.skin = Some(Skin { joints: vec![0, 1].into(), inverse_binds: vec![Mat3x4::IDENTITY; 2].into() });
        mesh.influences.per_vertex = 4;
        mesh.influences.skin_joints = [0, 1, 0, 0].repeat(count).into();
        mesh.influences.weights = (0..count).flat_map(weights).collect::<Vec<_>>().into();
        mesh
    }

    /// The size by parts, which is that of the whole.
    fn size(meshes: &[Mesh]) -> f64 {
        let (skeleton, by_parts) = (skeleton(), rest_size(&skeleton(), meshes));
        assert_eq!(by_parts, f64::from(sinew::bounds::rest_size(&skeleton, meshes)));
        by_parts
    }

    #[test]
    fn parts_give_the_size_of_the_whole() {
        let plain = size(&[mesh()]);
        assert!(plain > 12.0);
        assert_eq!(size(&[]), 2.0);
        let mut morphed = mesh();
        let delta =
            MorphDelta { vertex: 3, position: Vec3::X * 40.0, normal: Vec3::ZERO, tangent: Vec3::ZERO };
        morphed.morphs = vec![MorphTarget { name: "smile".into(), scalar: 0, deltas: vec![delta].into() }];
        assert!(size(&[morphed.clone()]) > plain + 5.0);
        // One that does not fit the skeleton is left out.
        let mut other = mesh();
        other.skin = Some(Skin { joints: vec![9].into(), inverse_binds: vec![Mat3x4::IDENTITY].into() });
        assert_eq!(size(&[mesh(), other]), plain);
    }

    #[test]
    fn a_place_that_is_no_number_is_left_out() {
        let plain = size(&[mesh()]);
        let mut mesh = mesh();
        let mut positions = mesh.positions.to_vec();
        positions[TOGETHER + 5] = Vec3::new(1.0, f32::NAN, 1.0);
        mesh.positions = positions.into();
        assert_eq!(size(&[mesh]), plain);
    }
}
