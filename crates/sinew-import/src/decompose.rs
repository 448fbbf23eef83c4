//! Matrices as translation, rotation and scale, in double precision.

use glam::{DAffine3, DMat3, DQuat, DVec3, DVec4};
use sinew::Transform;

/// `T * R * S` in double precision: what importers compute with before keys are rounded to `f32`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trs {
    /// Translation.
    pub translation: DVec3,
    /// Rotation, a unit quaternion.
    pub rotation: DQuat,
    /// Scale along the rotated axes.
    pub scale: DVec3,
}

impl Trs {
    /// No change.
    pub const IDENTITY: Self =
        Self { translation: DVec3::ZERO, rotation: DQuat::IDENTITY, scale: DVec3::ONE };

    /// The same as a matrix.
    pub fn to_affine(self) -> DAffine3 {
        DAffine3::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }

    /// Rounded to single precision, the rotation to unit length.
    #[inline]
    pub fn to_transform(self) -> Transform {
        let [x, y, z, w] = self.rotation.to_array();
        Transform {
            translation: self.translation.as_vec3(),
            rotation: sinew::math::normalize([x as f32, y as f32, z as f32, w as f32]),
            scale: self.scale.as_vec3(),
        }
    }

    /// From this one (0) to another (1): on straight lines, and on the shortest arc.
    pub fn between(&self, to: &Self, part: f64) -> Self {
        let nearer = if self.rotation.dot(to.rotation) < 0.0 { -to.rotation } else { to.rotation };
        Self {
            translation: self.translation.lerp(to.translation, part),
            rotation: self.rotation.slerp(nearer, part).normalize(),
            scale: self.scale.lerp(to.scale, part),
        }
    }

    /// Whether every component is a finite number.
    #[inline]
    pub fn is_finite(&self) -> bool {
        // If a sum is finite, so is all that it is of.
        let sum = (self.translation + self.scale).element_sum() + DVec4::from(self.rotation).element_sum();
        sum.is_finite()
            || (self.translation.is_finite() && self.rotation.is_finite() && self.scale.is_finite())
    }
}

impl From<Transform> for Trs {
    fn from(t: Transform) -> Self {
        Self {
            translation: t.translation.as_dvec3(),
            rotation: t.rotation.as_dquat().normalize(),
            scale: t.scale.as_dvec3(),
        }
    }
}

/// The nearest `T * R * S` of a matrix, and how far it is from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decomposed {
    /// The nearest.
    pub trs: Trs,
    /// Largest difference of a column, relative to the longest column: zero without shear.
    pub residual: f64,
}

/// Finds the nearest `T * R * S`. Of a matrix that mirrors, the scale along x is negative.
pub fn decompose(matrix: &DAffine3) -> Decomposed {
    let m = matrix.matrix3;
    let columns = [m.x_axis, m.y_axis, m.z_axis];
    let longest = columns.iter().fold(0.0f64, |l, c| l.max(c.length()));
    if !(longest > 0.0 && longest.is_finite()) {
        let trs = Trs { translation: matrix.translation, scale: DVec3::ZERO, ..Trs::IDENTITY };
        return Decomposed { trs, residual: 0.0 };
    }
    let mirror = m.determinant() < 0.0;
    let mut rotation = orthonormal(columns.map(|c| c / longest), mirror);
    let mut least = f64::INFINITY;
    let mut scale = DVec3::ONE;
    // Alternating projection: the best scale for a rotation, then the best rotation for that scale. Without shear the
    // first round is exact.
    for _ in 0..1000 {
        scale = DVec3::new(
            rotation.x_axis.dot(m.x_axis),
            rotation.y_axis.dot(m.y_axis),
            rotation.z_axis.dot(m.z_axis),
        );
        let now = squares(&m, &rotation, scale);
        if now < 1e-24 * longest * longest || now > least * (1.0 - 1e-10) {
            break;
        }
        least = now;
        let weighted = DMat3::from_cols(m.x_axis * scale.x, m.y_axis * scale.y, m.z_axis * scale.z);
        rotation = polar(&weighted).unwrap_or(rotation);
    }
    let trs =
        Trs { translation: matrix.translation, rotation: DQuat::from_mat3(&rotation).normalize(), scale };
    Decomposed { trs, residual: difference(&m, &DMat3::from_quat(trs.rotation), scale) / longest }
}

fn squares(m: &DMat3, rotation: &DMat3, scale: DVec3) -> f64 {
    let x = (m.x_axis - rotation.x_axis * scale.x).length_squared();
    let y = (m.y_axis - rotation.y_axis * scale.y).length_squared();
    let z = (m.z_axis - rotation.z_axis * scale.z).length_squared();
    x + y + z
}

fn difference(m: &DMat3, rotation: &DMat3, scale: DVec3) -> f64 {
    let x = (m.x_axis - rotation.x_axis * scale.x).length();
    let y = (m.y_axis - rotation.y_axis * scale.y).length();
    let z = (m.z_axis - rotation.z_axis * scale.z).length();
    x.max(y).max(z)
}

/// A rotation along three columns, some of which may be zero; the first is negated where they mirror.
fn orthonormal(columns: [DVec3; 3], mirror: bool) -> DMat3 {
    let [a, b, c] = columns;
    let a = if mirror { -a } else { a };
    let x = a.try_normalize().or_else(|| b.cross(c).try_normalize());
    let x = x.unwrap_or_else(|| {
        c.try_normalize().or(b.try_normalize()).unwrap_or(DVec3::X).any_orthonormal_vector()
    });
    let y = (b - x * x.dot(b)).try_normalize();
    let y = y.or_else(|| c.cross(x).try_normalize()).unwrap_or_else(|| x.any_orthonormal_vector());
    DMat3::from_cols(x, y, x.cross(y))
}

/// The rotation of a polar decomposition, by Newton's iteration; none for a matrix that is (nearly) singular or mirrors.
fn polar(m: &DMat3) -> Option<DMat3> {
    let mut q = *m;
    for _ in 0..64 {
        let determinant = q.determinant().abs();
        if determinant <= 1e-30 || !determinant.is_finite() {
            return None;
        }
        let next = (q + q.inverse().transpose()) * 0.5;
        let change = difference(&next, &q, DVec3::ONE);
        q = next;
        if change < 1e-14 {
            break;
        }
    }
    (q.determinant() > 0.0 && q.is_finite()).then_some(q)
}

/// A sheared matrix as two transforms without shear, one after the other: `matrix = outer * inner`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split {
    /// `T * U * Σ`, for the joint itself.
    pub outer: Trs,
    /// `Vᵀ`, a rotation alone, for a helper joint below it.
    pub inner: DQuat,
}

/// Splits any matrix into `T·U·Σ | Vᵀ` by its singular values.
pub fn split(matrix: &DAffine3) -> Split {
    let m = matrix.matrix3;
    // The eigenvectors of MᵀM are V; M·V has orthogonal columns, which are U·Σ.
    let v = eigenvectors(m.transpose() * m);
    let product = DAffine3 { matrix3: m * v, translation: matrix.translation };
    let outer = decompose(&product).trs;
    Split { outer, inner: DQuat::from_mat3(&v.transpose()).normalize() }
}

/// Orthonormal eigenvectors of a symmetric matrix as columns of a rotation, by Jacobi's method.
fn eigenvectors(mut a: DMat3) -> DMat3 {
    let mut v = DMat3::IDENTITY;
    for _ in 0..32 {
        let mut off = 0.0;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let apq = a.col(q)[p];
            off += apq * apq;
            if apq.abs() < 1e-300 {
                continue;
            }
            let theta = (a.col(q)[q] - a.col(p)[p]) / (2.0 * apq);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            let mut turn = DMat3::IDENTITY;
            turn.col_mut(p)[p] = c;
            turn.col_mut(q)[q] = c;
            turn.col_mut(q)[p] = s;
            turn.col_mut(p)[q] = -s;
            a = turn.transpose() * a * turn;
            v *= turn;
        }
        if off < 1e-300 {
            break;
        }
    }
    v
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_trs() -> impl Strategy<Value = Trs> {
        let unit = -1.0f64..1.0;
        (
            [-5.0f64..5.0, -5.0..5.0, -5.0..5.0],
            [unit.clone(), unit.clone(), unit.clone(), unit],
            [0.1f64..3.0, 0.1..3.0, 0.1..3.0],
            any::<bool>(),
        )
            .prop_filter("has a direction", |(_, r, _, _)| r.iter().map(|x| x * x).sum::<f64>() > 1e-3)
            .prop_map(|(t, r, s, mirror)| Trs {
                translation: t.into(),
                rotation: DQuat::from_array(r).normalize(),
                scale: DVec3::from(s) * DVec3::new(if mirror { -1.0 } else { 1.0 }, 1.0, 1.0),
            })
    }

    proptest! {
        #[test]
        fn a_product_comes_back(trs in any_trs()) {
            let got = decompose(&trs.to_affine());
            prop_assert!(got.residual < 1e-12);
            prop_assert!(got.trs.to_affine().abs_diff_eq(trs.to_affine(), 1e-12));
            prop_assert!((got.trs.scale - trs.scale).length() < 1e-12);
        }

        #[test]
        fn any_matrix_is_two_transforms(a in any_trs(), b in any_trs()) {
            let sheared = a.to_affine() * b.to_affine();
            let split = split(&sheared);
            let product = split.outer.to_affine() * DAffine3::from_quat(split.inner);
            prop_assert!(product.abs_diff_eq(sheared, 1e-10));
        }

        /// No rotation and scale in the neighbourhood of the answer is nearer to the matrix.
        #[test]
        fn the_nearest_is_near(a in any_trs(), b in any_trs()) {
            let sheared = a.to_affine() * b.to_affine();
            let got = decompose(&sheared);
            let squares = |trs: &Trs| {
                let d = trs.to_affine().matrix3 - sheared.matrix3;
                d.x_axis.length_squared() + d.y_axis.length_squared() + d.z_axis.length_squared()
            };
            let best = squares(&got.trs);
            for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                for angle in [-1e-2, 1e-2] {
                    let near = Trs { rotation: DQuat::from_axis_angle(axis, angle) * got.trs.rotation, ..got.trs };
                    prop_assert!(squares(&near) >= best * (1.0 - 1e-6));
                }
            }
        }
    }

    #[test]
    fn flat_and_empty_matrices_are_no_trouble() {
        for scale in [DVec3::ZERO, DVec3::new(1.0, 0.0, 1.0), DVec3::new(0.0, 0.0, 2.0)] {
            let trs = Trs { scale, ..Trs::IDENTITY };
            let got = decompose(&trs.to_affine());
            assert!(
                got.trs.is_finite() && got.trs.to_affine().abs_diff_eq(trs.to_affine(), 1e-12),
                "{scale}"
            );
            assert!(split(&trs.to_affine()).outer.is_finite());
        }
    }
}
