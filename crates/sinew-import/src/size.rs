//! How large a character is, measured on all threads: after the vertices there is nothing else to do at that time.

use rayon::prelude::*;
use sinew::bounds::{mesh_rest_bounds, rest_bounds, size_of};
use sinew::{Aabb, Mesh, Skeleton};

/// Vertices that are measured together.
const TOGETHER: usize = 2048;

/// Size at rest: as [`sinew::bounds::rest_size`].
pub(crate) fn rest_size(skeleton: &Skeleton, meshes: &[Mesh]) -> f64 {
    let parts = meshes.iter().flat_map(|mesh| {
        let count = mesh.vertex_count();
        (0..count).step_by(TOGETHER).map(move |first| (mesh, first..count.min(first + TOGETHER)))
    });
    let parts: Vec<_> = parts.collect();
    let part = |(mesh, vertices)| mesh_rest_bounds(skeleton, mesh, vertices).unwrap_or(Aabb::EMPTY);
    let bounds = parts.into_par_iter().map(part).reduce(|| Aabb::EMPTY, Aabb::union);
    f64::from(size_of(&if bounds.is_empty() { rest_bounds(skeleton, &[]) } else { bounds }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::glam::Vec3;
    use sinew::{Joint, Mat3x4, Skin, Transform};

    #[test]
    fn parts_give_the_size_of_the_whole() {
        let joint = |name: &str, parent, y| {
            Joint::new(name, parent, Transform::from_translation(Vec3::new(0.0, y, 0.0)))
        };
        let skeleton = Skeleton::new(vec![joint("a", None, 1.0), joint("b", Some(0), 2.0)], vec![]).unwrap();
        let count = 2 * TOGETHER + 17;
        let place = |v: usize| Vec3::new((v % 7) as f32, (v % 13) as f32 * 0.1, v as f32 * 0.003);
        let weights = |v: usize| if v.is_multiple_of(3) { [0.25, 0.75] } else { [1.0, 0.0] };
        let mut mesh = Mesh::new("mesh");
        mesh.positions = (0..count).map(place).collect::<Vec<_>>().into();
        mesh.skin = Some(Skin { joints: vec![0, 1].into(), inverse_binds: vec![Mat3x4::IDENTITY; 2].into() });
        mesh.influences.per_vertex = 2;
        mesh.influences.skin_joints = [0, 1].repeat(count).into();
        mesh.influences.weights = (0..count).flat_map(weights).collect::<Vec<_>>().into();
        let meshes = [mesh];
        let whole = sinew::bounds::rest_size(&skeleton, &meshes);
        assert!(whole > 12.0);
        assert_eq!(rest_size(&skeleton, &meshes), f64::from(whole));
        let joints = f64::from(sinew::bounds::rest_size(&skeleton, &[]));
        assert_eq!((rest_size(&skeleton, &[]), joints), (joints, 2.0));
    }
}
