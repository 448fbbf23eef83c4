//! Skinning on the CPU: morph, then blend of matrices, linear or by dual quaternions. Faster paths are tested against it.

use crate::dual_quaternion::DualQuaternion;
use crate::job::{at_least, exactly};
use crate::math::normalize_or;
use crate::{Aabb, JobError, Mat3x4, Mesh};
use glam::{Affine3, Mat3, Vec3, Vec4};

/// Buffers for a deformed mesh, made once and written every frame.
///
/// ```
/// # fn demo(character: std::sync::Arc<sinew::Character>) -> Result<(), Box<dyn std::error::Error>> {
/// use sinew::{Player, skinning::SkinnedVertices};
///
/// let player = Player::new(character.clone());
/// let mesh = &character.meshes()[0];
/// let mut vertices = SkinnedVertices::for_mesh(mesh);    // once
/// vertices.skin(mesh, player.skin_matrices(0), player.pose().scalars())?;    // every frame
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct SkinnedVertices {
    /// Positions in model space.
    pub positions: Vec<Vec3>,
    /// Unit normals, if the mesh has any.
    pub normals: Vec<Vec3>,
    /// Unit tangents and the sign of the bitangent, if the mesh has any.
    pub tangents: Vec<Vec4>,
}

impl SkinnedVertices {
    /// Buffers of the right length for a mesh.
    pub fn for_mesh(mesh: &Mesh) -> Self {
        Self {
            positions: mesh.positions.clone(),
            normals: mesh.normals.clone(),
            tangents: mesh.tangents.clone(),
        }
    }

    /// Deforms the mesh into these buffers; see [`skin`].
    pub fn skin(&mut self, mesh: &Mesh, matrices: &[Mat3x4], scalars: &[f32]) -> Result<(), JobError> {
        let out = SkinOutput {
            positions: &mut self.positions,
            normals: &mut self.normals,
            tangents: &mut self.tangents,
        };
        skin(mesh, matrices, scalars, out)
    }

    /// Box of the deformed vertices.
    pub fn bounds(&self) -> Aabb {
        Aabb::of(&self.positions)
    }
}

/// Where [`skin`] writes. An empty slice for normals or tangents leaves them out.
#[derive(Debug)]
pub struct SkinOutput<'a> {
    /// As many as the mesh has vertices.
    pub positions: &'a mut [Vec3],
    /// As many as the mesh has normals, or none.
    pub normals: &'a mut [Vec3],
    /// As many as the mesh has tangents, or none.
    pub tangents: &'a mut [Vec4],
}

/// Deforms a mesh: morph targets by the pose's scalars, then the weighted skin matrices.
///
/// `matrices` are those of [`Mesh::skin_matrices`]. A vertex without weights stays where it was bound. Normals stay at right angles to
/// the surface under any scale; normals and tangents come out with length one.
///
/// Fails if a buffer does not fit the mesh, or matrices or scalars are missing.
pub fn skin(
    mesh: &Mesh,
    matrices: &[Mat3x4],
    scalars: &[f32],
    mut out: SkinOutput<'_>,
) -> Result<(), JobError> {
    check(mesh, matrices, scalars, &out)?;
    out.positions.copy_from_slice(&mesh.positions);
    if !out.normals.is_empty() {
        out.normals.copy_from_slice(&mesh.normals);
    }
    if !out.tangents.is_empty() {
        out.tangents.copy_from_slice(&mesh.tangents);
    }
    morph(mesh, scalars, &mut out);
    for vertex in 0..mesh.vertex_count() {
        let Some(matrix) = blend(mesh, matrices, vertex) else { continue };
        out.positions[vertex] = matrix.transform_point3(out.positions[vertex]);
        if let Some(normal) = out.normals.get_mut(vertex) {
            *normal = normalize_or(normal_matrix(&matrix.matrix3) * *normal, *normal);
        }
        if let Some(tangent) = out.tangents.get_mut(vertex) {
            let direction = matrix.matrix3 * tangent.truncate();
            *tangent = normalize_or(direction, tangent.truncate()).extend(tangent.w);
        }
    }
    Ok(())
}

fn check(mesh: &Mesh, matrices: &[Mat3x4], scalars: &[f32], out: &SkinOutput<'_>) -> Result<(), JobError> {
    at_least("matrices", mesh.skin_matrix_count(), matrices.len())?;
    exactly("out.positions", mesh.positions.len(), out.positions.len())?;
    if !out.normals.is_empty() {
        exactly("out.normals", mesh.normals.len(), out.normals.len())?;
    }
    if !out.tangents.is_empty() {
        exactly("out.tangents", mesh.tangents.len(), out.tangents.len())?;
    }
    let highest = mesh.morphs.iter().map(|m| usize::from(m.scalar) + 1).max().unwrap_or(0);
    at_least("scalars", highest, scalars.len())
}

fn morph(mesh: &Mesh, scalars: &[f32], out: &mut SkinOutput<'_>) {
    for target in &mesh.morphs {
        let weight = scalars[usize::from(target.scalar)];
        if weight == 0.0 {
            continue;
        }
        for delta in &target.deltas {
            let vertex = delta.vertex as usize;
            out.positions[vertex] += delta.position * weight;
            if let Some(normal) = out.normals.get_mut(vertex) {
                *normal += delta.normal * weight;
            }
            if let Some(tangent) = out.tangents.get_mut(vertex) {
                *tangent += (delta.tangent * weight).extend(0.0);
            }
        }
    }
}

/// The weighted sum of a vertex's matrices, or `None` for one without weights.
fn blend(mesh: &Mesh, matrices: &[Mat3x4], vertex: usize) -> Option<Affine3> {
    if mesh.skin.is_none() {
        return Some(matrices[0].into());
    }
    let used = || mesh.influences.of(vertex).filter(|&(_, weight)| weight != 0.0);
    used().next()?;
    let share = mesh.influences.dual_quaternion.get(vertex).copied().unwrap_or(0.0);
    let mut sum = Affine3::ZERO;
    for (joint, weight) in used() {
        let matrix = &matrices[usize::from(joint)];
        sum.matrix3 += matrix.matrix3() * weight;
        sum.translation += matrix.translation() * weight;
    }
    if share == 0.0 {
        return Some(sum);
    }
    let mut turned = DualQuaternion::ZERO;
    used().for_each(|(joint, weight)| turned.add(&matrices[usize::from(joint)], weight));
    let Some(turned) = turned.matrix() else { return Some(sum) };
    Some(Affine3 {
        matrix3: sum.matrix3 * (1.0 - share) + turned.matrix3 * share,
        translation: sum.translation * (1.0 - share) + turned.translation * share,
    })
}

/// Inverse transpose up to a positive factor, from cross products: it needs no division and survives a scale of zero.
fn normal_matrix(m: &Mat3) -> Mat3 {
    let cofactors =
        Mat3::from_cols(m.y_axis.cross(m.z_axis), m.z_axis.cross(m.x_axis), m.x_axis.cross(m.y_axis));
    if m.x_axis.dot(cofactors.x_axis) < 0.0 { cofactors * -1.0 } else { cofactors }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Influences, MorphDelta, MorphTarget, Skin};
    use glam::{Mat4, Quat};
    use proptest::prelude::*;

    fn mesh(weights: &[[f32; 4]]) -> Mesh {
        let n = weights.len();
        Mesh {
            positions: (0..n).map(|i| Vec3::new(i as f32, 1.0, -0.5)).collect(),
            normals: vec![Vec3::Z; n],
            tangents: vec![Vec4::new(1.0, 0.0, 0.0, -1.0); n],
            skin: Some(Skin { joints: vec![0, 1, 2], inverse_binds: vec![Mat3x4::IDENTITY; 3] }),
            influences: Influences {
                per_vertex: 4,
                skin_joints: [0, 1, 2, 0].repeat(n),
                weights: weights.concat(),
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
        mesh.morphs = vec![MorphTarget { name: "up".into(), scalar: 1, deltas: vec![delta] }];
        let quarter = Affine3::from_rotation_z(std::f32::consts::FRAC_PI_2);
        let mut out = SkinnedVertices::for_mesh(&mesh);
        out.skin(&mesh, &[quarter.into(); 3], &[9.0, 0.5]).unwrap();
        assert!(out.positions[0].abs_diff_eq(Vec3::new(-1.5, 0.0, -0.5), 1e-6), "{}", out.positions[0]);
        // The buffer is used again: nothing of the frame before is left.
        out.skin(&mesh, &[Mat3x4::IDENTITY; 3], &[0.0, 0.0]).unwrap();
        assert_eq!(out.positions, mesh.positions);
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
}
