//! The deformation itself: by plan and by the reference.

use super::*;
use crate::{Influences, MorphDelta, MorphTarget, Skin};
use glam::{Affine3, Mat4, Quat};
use proptest::prelude::*;

fn mesh(weights: &[[f32; 4]]) -> Mesh {
    let n = weights.len();
    Mesh {
        positions: (0..n).map(|i| Vec3::new(i as f32, 1.0, -0.5)).collect(),
        normals: vec![Vec3::Z; n].into(),
        tangents: vec![Vec4::new(1.0, 0.0, 0.0, -1.0); n].into(),
        skin: Some(Skin { joints: vec![0, 1, 2].into(), inverse_binds: vec![Mat3x4::IDENTITY; 3].into() }),
        influences: Influences {
            per_vertex: 4,
            skin_joints: [0, 1, 2, 0].repeat(n).into(),
            weights: weights.concat().into(),
            ..Influences::default()
        },
        ..Mesh::new("mesh")
    }
}

fn any_affine() -> impl Strategy<Value = Affine3> {
    (
        [-2.0f32..2.0, -2.0..2.0, -2.0..2.0],
        [-1.0f32..1.0, -1.0..1.0, -1.0..1.0, 0.1..1.0],
        [0.5f32..2.0, 0.5..2.0, 0.5..2.0],
    )
        .prop_map(|(t, r, s)| {
            Affine3::from_scale_rotation_translation(s.into(), Quat::from_array(r).normalize(), t.into())
        })
}

proptest! {
    /// Second path: transform by each joint first, in 4×4, and blend the results.
    #[test]
    fn blend_of_points_is_point_of_blend(
        matrices in [any_affine(), any_affine(), any_affine()], raw in [0.01f32..1.0, 0.0..1.0, 0.0..1.0],
    ) {
        let sum: f32 = raw.iter().sum();
        let w = raw.map(|x| x / sum);
        let mesh = mesh(&[[w[0], w[1], w[2], 0.0]; 3]);
        let mut out = SkinnedVertices::for_mesh(&mesh);
        out.skin(&mesh, &matrices.map(Mat3x4::from), &[]).unwrap();
        for (vertex, position) in mesh.positions.iter().enumerate() {
            let expected: Vec3 =
                (0..3).map(|i| Mat4::from(matrices[i]).transform_point3(*position) * w[i]).sum();
            prop_assert!(out.positions[vertex].abs_diff_eq(expected, 1e-4));
        }
    }

    /// A normal stays at right angles to every direction within the surface, and on the same side.
    #[test]
    fn normals_stay_normal(matrix in any_affine(), mirror in any::<bool>()) {
        let flip = if mirror { Vec3::new(-1.0, 1.0, 1.0) } else { Vec3::ONE };
        let matrix = matrix * Affine3::from_scale(flip);
        let mesh = mesh(&[[1.0, 0.0, 0.0, 0.0]]);
        let mut out = SkinnedVertices::for_mesh(&mesh);
        out.skin(&mesh, &[matrix.into(); 3], &[]).unwrap();
        let normal = out.normals[0];
        prop_assert!((normal.length() - 1.0).abs() < 1e-5);
        for direction in [Vec3::X, Vec3::Y] {
            prop_assert!(normal.dot(matrix.transform_vector3(direction).normalize()).abs() < 1e-4);
        }
        prop_assert!(normal.dot(matrix.transform_vector3(Vec3::Z)) > 0.0);
        prop_assert_eq!(out.tangents[0].w, -1.0);
    }
}

#[test]
fn vertices_without_weights_stay_put() {
    let mesh = mesh(&[[0.0; 4], [1.0, 0.0, 0.0, 0.0]]);
    let mut out = SkinnedVertices::for_mesh(&mesh);
    out.skin(&mesh, &[Mat3x4::from_translation(Vec3::Y); 3], &[]).unwrap();
    assert_eq!(out.positions[0], mesh.positions[0]);
    assert_eq!(out.positions[1], mesh.positions[1] + Vec3::Y);
}

#[test]
fn morphs_come_before_the_skin() {
    let mut mesh = mesh(&[[1.0, 0.0, 0.0, 0.0]]);
    let delta = MorphDelta { vertex: 0, position: Vec3::Y, normal: Vec3::X, tangent: Vec3::ZERO };
    mesh.morphs = vec![MorphTarget { name: "up".into(), scalar: 1, deltas: vec![delta].into() }];
    let quarter = Affine3::from_rotation_z(std::f32::consts::FRAC_PI_2);
    let mut out = SkinnedVertices::for_mesh(&mesh);
    out.skin(&mesh, &[quarter.into(); 3], &[9.0, 0.5]).unwrap();
    assert!(out.positions[0].abs_diff_eq(Vec3::new(-1.5, 0.0, -0.5), 1e-6), "{}", out.positions[0]);
    // The buffer is used again: nothing of the frame before is left.
    out.skin(&mesh, &[Mat3x4::IDENTITY; 3], &[0.0, 0.0]).unwrap();
    assert_eq!(mesh.positions, out.positions);
}

#[test]
fn buffers_that_do_not_fit_are_refused_by_name() {
    let mesh = mesh(&[[1.0, 0.0, 0.0, 0.0]]);
    let mut out = SkinnedVertices::for_mesh(&mesh);
    let error = out.skin(&mesh, &[], &[]).unwrap_err().to_string();
    assert_eq!(error, "matrices has 0 elements and needs 3");
    out.normals.push(Vec3::X);
    assert!(out.skin(&mesh, &[Mat3x4::IDENTITY; 3], &[]).is_err());
    out.normals.clear();
    assert!(out.skin(&mesh, &[Mat3x4::IDENTITY; 3], &[]).is_ok(), "none wanted, none written");
}
