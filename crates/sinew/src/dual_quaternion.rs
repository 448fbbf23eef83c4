//! Blending of rigid motions by dual quaternions: a joint that twists keeps its volume, where a linear blend of matrices collapses.

use crate::Mat3x4;
use glam::{Affine3, Mat3, Quat, Vec3, Vec4};

/// A weighted sum of motions. Scales are blended linearly beside them.
pub(crate) struct DualQuaternion {
    /// Rotation, not normalised.
    real: Vec4,
    /// Half the translation times the rotation.
    dual: Vec4,
    scale: Vec3,
}

impl DualQuaternion {
    /// Nothing summed yet.
    pub(crate) const ZERO: Self = Self { real: Vec4::ZERO, dual: Vec4::ZERO, scale: Vec3::ZERO };

    /// Adds a matrix with a weight. Of the two quaternions of a rotation, the one nearer to the sum so far counts.
    pub(crate) fn add(&mut self, matrix: &Mat3x4, weight: f32) {
        let (rotation, scale) = split(&matrix.matrix3());
        let real = Vec4::from(rotation);
        let weight_signed = if self.real.dot(real) < 0.0 { -weight } else { weight };
        self.real += real * weight_signed;
        self.dual += product(matrix.translation(), real) * (0.5 * weight_signed);
        self.scale += scale * weight;
    }

    /// The motion that the sum stands for, if it stands for one.
    pub(crate) fn matrix(&self) -> Option<Affine3> {
        let length = self.real.length();
        if length.is_nan() || length <= f32::MIN_POSITIVE {
            return None;
        }
        let (real, dual) = (self.real / length, self.dual / length);
        let (r, d) = (real.truncate(), dual.truncate());
        let translation = 2.0 * (d * real.w - r * dual.w + r.cross(d));
        let rotation = Mat3::from_quat(Quat::from_vec4(real));
        let matrix3 = Mat3::from_cols(
            rotation.x_axis * self.scale.x,
            rotation.y_axis * self.scale.y,
            rotation.z_axis * self.scale.z,
        );
        Some(Affine3 { matrix3, translation })
    }
}

/// The quaternion `(t, 0) * q`.
fn product(t: Vec3, q: Vec4) -> Vec4 {
    let v = q.truncate();
    (t * q.w + t.cross(v)).extend(-t.dot(v))
}

/// Rotation and scale of a matrix. A mirrored one gets its sign on all axes.
fn split(m: &Mat3) -> (Quat, Vec3) {
    let mut scale = Vec3::new(m.x_axis.length(), m.y_axis.length(), m.z_axis.length());
    if m.x_axis.dot(m.y_axis.cross(m.z_axis)) < 0.0 {
        scale = -scale;
    }
    let unit =
        |axis: Vec3, length: f32, otherwise: Vec3| if length == 0.0 { otherwise } else { axis / length };
    let rotation = Mat3::from_cols(
        unit(m.x_axis, scale.x, Vec3::X),
        unit(m.y_axis, scale.y, Vec3::Y),
        unit(m.z_axis, scale.z, Vec3::Z),
    );
    (Quat::from_mat3(&rotation).normalize(), scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_rigid() -> impl Strategy<Value = Affine3> {
        ([-2.0f32..2.0, -2.0..2.0, -2.0..2.0], [-1.0f32..1.0, -1.0..1.0, -1.0..1.0, 0.1..1.0])
            .prop_map(|(t, r)| Affine3::from_rotation_translation(Quat::from_array(r).normalize(), t.into()))
    }

    fn blend(matrices: &[Affine3], weights: &[f32]) -> Affine3 {
        let mut sum = DualQuaternion::ZERO;
        matrices.iter().zip(weights).for_each(|(matrix, &weight)| sum.add(&(*matrix).into(), weight));
        sum.matrix().unwrap()
    }

    proptest! {
        /// One matrix comes out as it went in, whatever its scale and handedness.
        #[test]
        fn one_motion_is_itself(matrix in any_rigid(), scale in 0.1f32..3.0, mirrored in any::<bool>()) {
            let scale = Vec3::new(scale, 1.0, 0.5) * if mirrored { -1.0 } else { 1.0 };
            let matrix = matrix * Affine3::from_scale(scale);
            let out = blend(&[matrix], &[1.0]);
            prop_assert!(out.abs_diff_eq(matrix, 1e-4), "{out:?} {matrix:?}");
        }

        /// A blend of rigid motions is rigid, and moves with a common motion in front or behind.
        #[test]
        fn a_blend_is_rigid_and_independent_of_the_frame(
            a in any_rigid(), b in any_rigid(), frame in any_rigid(), weight in 0.0f32..1.0,
        ) {
            let turned = (a.matrix3.transpose() * b.matrix3).x_axis.x.abs() < 0.9;
            prop_assume!(turned);
            let weights = [1.0 - weight, weight];
            let out = blend(&[a, b], &weights);
            let gram = out.matrix3.transpose() * out.matrix3;
            prop_assert!(gram.abs_diff_eq(Mat3::IDENTITY, 1e-4));
            let behind = blend(&[a * frame, b * frame], &weights);
            let dot = Quat::from_mat3(&a.matrix3).dot(Quat::from_mat3(&b.matrix3)).abs();
            prop_assume!(dot > 0.05);
            prop_assert!(behind.abs_diff_eq(out * frame, 2e-3), "{behind:?} {:?}", out * frame);
        }
    }

    #[test]
    fn a_twist_by_half_a_turn_keeps_its_radius() {
        let twist = |angle: f32| Affine3::from_mat3(Mat3::from_rotation_x(angle));
        let point = blend(&[twist(0.0), twist(3.0)], &[0.5, 0.5]).transform_point3(Vec3::Y);
        assert!((point.length() - 1.0).abs() < 1e-5, "{point}");
        let linear = (Vec3::Y + twist(3.0).transform_point3(Vec3::Y)) * 0.5;
        assert!(linear.length() < 0.1, "{linear}");
    }
}
