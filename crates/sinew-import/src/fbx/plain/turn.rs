//! Rotations of three angles in degrees.
//!
//! Sines and cosines of half of each angle are computed side by side, of additions and multiplications in one order alone: those of the C library take longer,
//! and differ from one machine to another in their last bits.

use crate::euler::Order;
use glam::{DQuat, DVec3};
use std::f64::consts::PI;

/// Turns about three axes in one order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    signs: DVec3,
    last: f64,
}

impl Turn {
    pub(super) fn new(order: Order) -> Self {
        let (signs, last) = order.signs();
        Self { signs, last }
    }

    /// The rotation of three angles, if they are not all zero.
    #[inline]
    pub(super) fn by(&self, degrees: DVec3) -> Option<DQuat> {
        if degrees == DVec3::ZERO {
            return None;
        }
        let [sines, cosines] = of_halves(degrees);
        let others = |v: DVec3| DVec3::new(v.y * v.z, v.z * v.x, v.x * v.y);
        let (two_cosines, two_sines) = (others(cosines), others(sines));
        let vector = sines * two_cosines + self.signs * (cosines * two_sines);
        let scalar = cosines.x * two_cosines.x + self.last * (sines.x * two_sines.x);
        Some(DQuat::from_xyzw(vector.x, vector.y, vector.z, scalar))
    }
}

/// Adding and subtracting it rounds to a whole number.
const WHOLE: f64 = 1.5 * (1u64 << 52) as f64;

/// Sines and cosines of half of each angle in degrees.
#[inline]
fn of_halves(degrees: DVec3) -> [DVec3; 2] {
    // Quarters of a turn are taken away while the angles are degrees, which is exact.
    let quarters = (degrees * (1.0 / 180.0) + WHOLE) - WHOLE;
    let rest = (degrees - quarters * 180.0) * (PI / 360.0);
    let (sines, cosines) = near_zero(rest);
    if quarters == DVec3::ZERO {
        return [sines, cosines];
    }
    let x = ahead(sines.x, cosines.x, quarters.x);
    let y = ahead(sines.y, cosines.y, quarters.y);
    let z = ahead(sines.z, cosines.z, quarters.z);
    [DVec3::new(x.0, y.0, z.0), DVec3::new(x.1, y.1, z.1)]
}

/// Sine and cosine some quarters of a turn ahead.
fn ahead(sine: f64, cosine: f64, quarters: f64) -> (f64, f64) {
    match quarters as i64 & 3 {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    }
}

/// One over the factorials of the exponents in the series of sine and cosine, without the first term. Up to an eighth of a turn, what is left out is below half
/// of the last bit.
const SINE: [f64; 8] = inverse_factorials(3, 15);
const COSINE: [f64; 8] = inverse_factorials(2, 16);

#[allow(clippy::indexing_slicing, reason = "constants: an index out of range does not compile")]
const fn inverse_factorials(lowest: u64, highest: u64) -> [f64; 8] {
    let (mut out, mut index, mut exponent) = ([0.0; 8], 0, lowest);
    while exponent <= highest {
        let (mut product, mut factor) = (1, 2);
        while factor <= exponent {
            product *= factor;
            factor += 1;
        }
        let sign = if exponent & 2 == 0 { 1.0 } else { -1.0 };
        out[index] = sign / product as f64;
        index += 1;
        exponent += 2;
    }
    out
}

/// Sines and cosines of angles of an eighth of a turn at the most, in radians.
#[inline]
fn near_zero(angles: DVec3) -> (DVec3, DVec3) {
    let second = angles * angles;
    let (fourth, eighth) = (second * second, second * second * (second * second));
    // In pairs, which do not wait for each other.
    let series = |[a, b, c, d, e, f, g, h]: [f64; 8]| {
        let pair = |low: f64, high: f64| DVec3::splat(low) + second * high;
        (pair(a, b) + pair(c, d) * fourth) + (pair(e, f) + pair(g, h) * fourth) * eighth
    };
    let sines = angles + angles * (second * series(SINE));
    (sines, DVec3::ONE + second * series(COSINE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against the crate `libm`, whose results are off by less than one bit.
        #[test]
        fn sines_are_right_to_the_last_bits(degrees in prop::array::uniform3(-2000.0..2000.0f64)) {
            let [sines, cosines] = of_halves(degrees.into());
            for (axis, degrees) in degrees.into_iter().enumerate() {
                let (sine, cosine) = libm::sincos(degrees.to_radians() / 2.0);
                // The angle itself is rounded.
                let most = 3e-16 + degrees.abs() * 4e-18;
                prop_assert!((sines[axis] - sine).abs() <= most, "{degrees}: {} {sine}", sines[axis]);
                prop_assert!((cosines[axis] - cosine).abs() <= most, "{degrees}: {} {cosine}", cosines[axis]);
            }
        }

        /// Against one rotation after the other.
        #[test]
        fn a_turn_is_a_product(angles in prop::array::uniform3(-400.0..400.0f64), order in 0usize..6) {
            let (angles, order) = (DVec3::from(angles), Order::ALL[order]);
            let expected = crate::euler::rotation(angles * (PI / 180.0), order);
            let got = Turn::new(order).by(angles).unwrap();
            prop_assert!(got.abs_diff_eq(expected, 1e-14), "{order:?}: {got} {expected}");
        }
    }

    #[test]
    fn quarters_are_exact() {
        let [sines, cosines] = of_halves(DVec3::new(180.0, -360.0, 540.0));
        assert_eq!([sines, cosines], [DVec3::new(1.0, 0.0, -1.0), DVec3::new(0.0, -1.0, 0.0)]);
        assert_eq!(Turn::new(Order::ZYX).by(DVec3::ZERO), None);
    }
}
