//! Model and skin matrices.

use glam::{Affine3, Mat3, Mat4, Vec3, Vec4};

/// An affine transform as the upper three rows of its 4×4 matrix: what model matrices and palettes are made of.
///
/// Rows of four fill a vector register and a shader's `vec4` without padding. It converts from and to glam's types.
///
/// ```
/// use sinew::{Mat3x4, glam::Vec3};
///
/// let up = Mat3x4::from_translation(Vec3::Y);
/// assert_eq!(up.transform_point3(Vec3::X), Vec3::new(1.0, 1.0, 0.0));
/// assert_eq!(up.translation(), Vec3::Y);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(16))]
pub struct Mat3x4 {
    /// The rows: three numbers of the 3×3 part and one of the translation each.
    pub rows: [[f32; 4]; 3],
}

impl Mat3x4 {
    /// All numbers zero.
    pub(crate) const ZERO: Self = Self { rows: [[0.0; 4]; 3] };
    /// No change.
    pub const IDENTITY: Self =
        Self { rows: [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]] };

    /// A translation alone.
    pub const fn from_translation(translation: Vec3) -> Self {
        let mut rows = Self::IDENTITY.rows;
        rows[0][3] = translation.x;
        rows[1][3] = translation.y;
        rows[2][3] = translation.z;
        Self { rows }
    }

    /// The place of the origin.
    #[inline]
    pub fn translation(&self) -> Vec3 {
        self.column(3)
    }

    /// One of the four columns: the axes, then the translation.
    #[inline]
    fn column(&self, index: usize) -> Vec3 {
        Vec3::from_array(self.rows.map(|row| row[index]))
    }

    /// The 3×3 part.
    #[inline]
    pub fn matrix3(&self) -> Mat3 {
        Mat3::from_cols(self.column(0), self.column(1), self.column(2))
    }

    /// Moves a point.
    #[inline]
    pub fn transform_point3(&self, point: Vec3) -> Vec3 {
        self.to_affine().transform_point3(point)
    }

    /// Turns and scales a direction.
    #[inline]
    pub fn transform_vector3(&self, vector: Vec3) -> Vec3 {
        self.matrix3() * vector
    }

    /// The same as glam's type.
    #[inline]
    pub fn to_affine(&self) -> Affine3 {
        Affine3 { matrix3: self.matrix3(), translation: self.translation() }
    }

    /// The three rows as vectors of four, as a shader takes them.
    #[inline]
    pub fn to_vec4s(&self) -> [Vec4; 3] {
        self.rows.map(Vec4::from_array)
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.rows.as_flattened().iter().all(|x| x.is_finite())
    }
}

impl Default for Mat3x4 {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl From<Affine3> for Mat3x4 {
    #[inline]
    fn from(from: Affine3) -> Self {
        let [x, y, z] = [from.matrix3.x_axis, from.matrix3.y_axis, from.matrix3.z_axis];
        Self { rows: std::array::from_fn(|r| [x[r], y[r], z[r], from.translation[r]]) }
    }
}

impl From<Mat3x4> for Affine3 {
    #[inline]
    fn from(from: Mat3x4) -> Self {
        from.to_affine()
    }
}

impl From<Mat3x4> for Mat4 {
    #[inline]
    fn from(from: Mat3x4) -> Self {
        Self::from(from.to_affine())
    }
}

/// `a * b`, in a fixed order of scalar operations.
impl std::ops::Mul for Mat3x4 {
    type Output = Self;

    #[inline]
    fn mul(self, b: Self) -> Self {
        let rows = self.rows.map(|a| {
            std::array::from_fn(|c| {
                let turned = a[0] * b.rows[0][c] + a[1] * b.rows[1][c] + a[2] * b.rows[2][c];
                turned + if c == 3 { a[3] } else { 0.0 }
            })
        });
        Self { rows }
    }
}
