//! A local transform: translation, rotation, scale.

use glam::{Affine3, Mat3, Quat, Vec3};

/// `T * R * S`, the only form a local transform takes: it interpolates, blends and compresses, which a matrix does not.
///
/// ```
/// use sinew::{Transform, glam::Vec3};
///
/// let up = Transform::from_translation(Vec3::Y);
/// assert_eq!(up.to_affine().transform_point3(Vec3::X), Vec3::new(1.0, 1.0, 0.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// Translation.
    pub translation: Vec3,
    /// Rotation, a unit quaternion.
    pub rotation: Quat,
    /// Scale along the rotated axes.
    pub scale: Vec3,
}

impl Transform {
    /// No change.
    pub const IDENTITY: Self = Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };

    /// A translation alone.
    pub fn from_translation(translation: Vec3) -> Self {
        Self { translation, ..Self::IDENTITY }
    }

    /// A rotation alone.
    pub fn from_rotation(rotation: Quat) -> Self {
        Self { rotation, ..Self::IDENTITY }
    }

    /// The same as a matrix, computed in plain scalar arithmetic so that it is bit-equal on every machine.
    pub fn to_affine(&self) -> Affine3 {
        let [x, y, z, w] = self.rotation.to_array();
        let (x2, y2, z2) = (x + x, y + y, z + z);
        let (xx, xy, xz) = (x * x2, x * y2, x * z2);
        let (yy, yz, zz) = (y * y2, y * z2, z * z2);
        let (wx, wy, wz) = (w * x2, w * y2, w * z2);
        let s = self.scale;
        Affine3 {
            matrix3: Mat3::from_cols(
                Vec3::new(1.0 - (yy + zz), xy + wz, xz - wy) * s.x,
                Vec3::new(xy - wz, 1.0 - (xx + zz), yz + wx) * s.y,
                Vec3::new(xz + wy, yz - wx, 1.0 - (xx + yy)) * s.z,
            ),
            translation: self.translation,
        }
    }

    /// Whether every component is a finite number.
    pub fn is_finite(&self) -> bool {
        self.translation.is_finite() && self.rotation.is_finite() && self.scale.is_finite()
    }
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrix_agrees_with_glam() {
        let transform = Transform {
            translation: Vec3::new(1.0, -2.0, 3.0),
            rotation: Quat::from_xyzw(0.1, -0.5, 0.3, 0.7).normalize(),
            scale: Vec3::new(2.0, 0.5, -1.0),
        };
        let other = Affine3::from_scale_rotation_translation(
            transform.scale,
            transform.rotation,
            transform.translation,
        );
        assert!(transform.to_affine().abs_diff_eq(other, 1e-6));
    }
}
