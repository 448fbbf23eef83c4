//! The few functions of the hot path that would otherwise call the platform's maths library.

use glam::{Quat, Vec3};

/// Below this angle between two quaternions a straight line, normalised, is the arc to within `f32`'s own rounding (5e-7 rad).
const NEARLY_PARALLEL: f32 = 0.9995;

/// Spherical interpolation on the shortest arc. Scalar, and bit-equal on every machine.
pub fn slerp(a: Quat, b: Quat, t: f32) -> Quat {
    let (a, mut b) = (a.to_array(), b.to_array());
    let mut dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    if dot < 0.0 {
        dot = -dot;
        b = b.map(|x| -x);
    }
    let (wa, wb) = if dot > NEARLY_PARALLEL {
        (1.0 - t, t)
    } else {
        let angle = libm::acosf(dot);
        let inverse_sine = 1.0 / libm::sinf(angle);
        (libm::sinf((1.0 - t) * angle) * inverse_sine, libm::sinf(t * angle) * inverse_sine)
    };
    normalize([0, 1, 2, 3].map(|i| a[i] * wa + b[i] * wb))
}

/// A unit quaternion along `q`, or identity if `q` is zero.
#[inline]
pub fn normalize(q: [f32; 4]) -> Quat {
    let square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if !(square > f32::MIN_POSITIVE && square.is_finite()) {
        return Quat::IDENTITY;
    }
    // IEEE 754 defines the square root exactly, so the standard library's is the same everywhere.
    let inverse = 1.0 / square.sqrt();
    Quat::from_array(q.map(|x| x * inverse))
}

/// The product of two rotations, first `b`, then `a`, in a fixed order of operations: glam's own does not promise one.
#[inline]
pub fn product(a: Quat, b: Quat) -> Quat {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (a.to_array(), b.to_array());
    Quat::from_xyzw(
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )
}

/// `v` scaled to length one, or `fallback` if it is zero.
pub fn normalize_or(v: Vec3, fallback: Vec3) -> Vec3 {
    let square = v.x * v.x + v.y * v.y + v.z * v.z;
    if square > f32::MIN_POSITIVE && square.is_finite() { v * (1.0 / square.sqrt()) } else { fallback }
}

/// Minus half of a number's exponent and about minus half of its fraction: subtracted from this, half of its bits are those of its inverse square root, to
/// within 4 %.
pub(crate) const INVERSE_ROOT_BITS: u32 = 0x5F20_7790;

/// Coefficients of the two steps of [`inverse_root`], chosen with the above so that the greatest error is the least. The first step leaves a factor of 1.431,
/// which the second takes out.
pub(crate) const INVERSE_ROOT: [f32; 3] = [2.400_884_9, 1.048_258_9, 0.170_648_15];

/// A first guess at `1 / sqrt(x)` for positive numbers.
#[inline]
pub(crate) fn inverse_root_guess(x: f32) -> f32 {
    f32::from_bits(INVERSE_ROOT_BITS.wrapping_sub(x.to_bits() >> 1))
}

/// `1 / sqrt(x)` to 6e-7 for numbers above the least normal one, by two steps of Newton's method: several times as fast as a root and a division, and in
/// operations that every machine rounds alike.
#[inline]
pub(crate) fn inverse_root(x: f32) -> f32 {
    let [first, second, third] = INVERSE_ROOT;
    let guess = inverse_root_guess(x);
    let near = guess * (first - x * guess * guess);
    near * (second - third * (x * near * near))
}

/// A vector turned by a rotation, in plain arithmetic.
pub(crate) fn rotate(q: Quat, v: Vec3) -> Vec3 {
    let [x, y, z, w] = q.to_array();
    let axis = Vec3::new(x, y, z);
    let cross =
        |a: Vec3, b: Vec3| Vec3::new(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
    let side = cross(axis, v) * 2.0;
    v + side * w + cross(axis, side)
}

/// A weight from 0 to 1; NaN counts as 0.
pub(crate) fn share(weight: f32) -> f32 {
    if weight > 0.0 { weight.min(1.0) } else { 0.0 }
}

/// Whether something is true of all values. Checks whole blocks without branches, so that it compiles to SIMD.
pub(crate) fn in_blocks<T>(values: &[T], is_fine: impl Fn(&T) -> bool) -> bool {
    values.chunks(1024).all(|block| block.iter().fold(true, |fine, value| fine & is_fine(value)))
}

/// Whether all values made of `f32` are finite.
pub(crate) fn all_finite<T: bytemuck::NoUninit>(values: &[T]) -> bool {
    const EXPONENT: u32 = 0x7F80_0000;
    in_blocks(bytemuck::cast_slice::<T, u32>(values), |word| word & EXPONENT != EXPONENT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unit() -> impl Strategy<Value = Quat> {
        [-1.0f32..1.0, -1.0..1.0, -1.0..1.0, -1.0..1.0]
            .prop_filter("has a direction", |q| q.iter().map(|x| x * x).sum::<f32>() > 1e-3)
            .prop_map(normalize)
    }

    proptest! {
        /// Compared with the textbook formula in double precision.
        #[test]
        fn slerp_follows_the_arc(a in unit(), b in unit(), t in 0.0f32..=1.0) {
            let (da, mut db) = (a.as_dquat(), b.as_dquat());
            if da.dot(db) < 0.0 { db = -db; }
            let expected = da.normalize().slerp(db.normalize(), f64::from(t));
            let got = slerp(a, b, t).as_dquat();
            prop_assert!((got - expected).length().min((got + expected).length()) < 2e-6);
        }

        #[test]
        fn slerp_ends_where_it_should(a in unit(), b in unit()) {
            prop_assert!(slerp(a, b, 0.0).dot(a).abs() > 1.0 - 1e-6);
            prop_assert!(slerp(a, b, 1.0).dot(b).abs() > 1.0 - 1e-6);
        }
    }

    /// Compared with the root in double precision, over all exponents.
    #[test]
    fn inverse_roots_are_near() {
        let step = if cfg!(miri) { 100_000_007 } else { 10_007 };
        for bits in (f32::MIN_POSITIVE.to_bits()..f32::INFINITY.to_bits()).step_by(step) {
            let x = f32::from_bits(bits);
            let off = f64::from(inverse_root(x)) * f64::from(x).sqrt() - 1.0;
            assert!(off.abs() < 6e-7, "{x:e}: {off:e}");
        }
    }

    #[test]
    fn one_infinity_is_found_anywhere() {
        for at in [0, 1, 1023, 1024, 3070] {
            let mut values = vec![Vec3::splat(f32::MAX); 1024];
            assert!(all_finite(&values));
            for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                values[at / 3][at % 3] = bad;
                assert!(!all_finite(&values), "{bad} at {at}");
            }
        }
    }

    #[test]
    fn nothing_has_no_direction() {
        assert_eq!(normalize([0.0; 4]), Quat::IDENTITY);
        assert_eq!(normalize([f32::NAN; 4]), Quat::IDENTITY);
        assert_eq!(normalize_or(Vec3::ZERO, Vec3::Y), Vec3::Y);
    }
}
