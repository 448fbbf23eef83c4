//! Rotations of three angles in degrees.
//!
//! Sines and cosines of half of each angle are computed of additions and multiplications in one order alone: those of the C library take longer,
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
    #[inline(always)]
    pub(super) fn by(&self, degrees: DVec3) -> Option<DQuat> {
        if degrees == DVec3::ZERO {
            return None;
        }
        let degrees = within(degrees);
        let (x, y, z) = (of_half(degrees.x), of_half(degrees.y), of_half(degrees.z));
        Some(self.with([x.0, y.0, z.0].into(), [x.1, y.1, z.1].into()))
    }

    /// The rotation of three angles, of which the sines and cosines of the halves are known.
    #[inline]
    pub(super) fn with(&self, sines: DVec3, cosines: DVec3) -> DQuat {
        let others = |v: DVec3| DVec3::new(v.y * v.z, v.z * v.x, v.x * v.y);
        let (two_cosines, two_sines) = (others(cosines), others(sines));
        let vector = sines * two_cosines + self.signs * (cosines * two_sines);
        let scalar = cosines.x * two_cosines.x + self.last * (sines.x * two_sines.x);
        DQuat::from_xyzw(vector.x, vector.y, vector.z, scalar)
    }
}

/// Sines and cosines of the halves of many angles. By themselves most of the time is spent waiting for the last result.
#[derive(Default)]
pub(in crate::fbx) struct Halves {
    degrees: Vec<f64>,
    sines: Vec<f64>,
    cosines: Vec<f64>,
}

impl Halves {
    /// Of some angles.
    pub(in crate::fbx) fn find(&mut self, degrees: impl Iterator<Item = DVec3>) {
        self.degrees.clear();
        self.degrees.extend(degrees.flat_map(|degrees| within(degrees).to_array()));
        self.sines.resize(self.degrees.len(), 0.0);
        self.cosines.resize(self.degrees.len(), 0.0);
        let out = self.sines.iter_mut().zip(&mut self.cosines);
        for (&degrees, (sine, cosine)) in self.degrees.iter().zip(out) {
            (*sine, *cosine) = of_half(degrees);
        }
    }

    /// Sines and cosines of each three angles.
    pub(in crate::fbx) fn iter(&self) -> impl Iterator<Item = (DVec3, DVec3)> + '_ {
        let [sines, cosines] = [&self.sines, &self.cosines].map(|values| values.as_chunks::<3>().0);
        sines.iter().zip(cosines).map(|(&sines, &cosines)| (sines.into(), cosines.into()))
    }
}

/// Adding and subtracting it rounds to a whole number, whose lowest bits are those of the sum.
const WHOLE: f64 = 1.5 * (1u64 << 52) as f64;

/// The same angles, within what [`of_half`] takes: of larger ones quarters of a turn cannot be taken away by rounding.
#[inline]
fn within(degrees: DVec3) -> DVec3 {
    if degrees.x.abs() + degrees.y.abs() + degrees.z.abs() < 1e12 { degrees } else { remainder(degrees) }
}

/// Without whole turns. A half of an angle changes its sign with each turn, so two of them count as one.
#[cold]
fn remainder(degrees: DVec3) -> DVec3 {
    degrees % 720.0
}

/// Sine and cosine of half of an angle in degrees.
#[inline]
fn of_half(degrees: f64) -> (f64, f64) {
    // Quarters of a turn are taken away while the angle is in degrees, which is exact.
    let shifted = degrees * (1.0 / 180.0) + WHOLE;
    let (sine, cosine) = near_zero((degrees - (shifted - WHOLE) * 180.0) * (PI / 360.0));
    ahead(sine, cosine, shifted.to_bits())
}

/// Sine and cosine some quarters of a turn ahead. Without branches, so that several angles are computed at a time.
#[inline]
fn ahead(sine: f64, cosine: f64, quarters: u64) -> (f64, f64) {
    let swapped = (sine.to_bits() ^ cosine.to_bits()) & 0u64.wrapping_sub(quarters & 1);
    let negative = |quarters: u64| (quarters & 2) << 62;
    (
        f64::from_bits(sine.to_bits() ^ swapped ^ negative(quarters)),
        f64::from_bits(cosine.to_bits() ^ swapped ^ negative(quarters.wrapping_add(1))),
    )
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

/// Sine and cosine of an angle of an eighth of a turn at the most, in radians.
#[inline]
fn near_zero(angle: f64) -> (f64, f64) {
    let second = angle * angle;
    let (fourth, eighth) = (second * second, second * second * (second * second));
    // In pairs, which do not wait for each other.
    let series = |[a, b, c, d, e, f, g, h]: [f64; 8]| {
        let pair = |low: f64, high: f64| low + second * high;
        (pair(a, b) + pair(c, d) * fourth) + (pair(e, f) + pair(g, h) * fourth) * eighth
    };
    let sine = angle + angle * (second * series(SINE));
    (sine, 1.0 + second * series(COSINE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Against the crate `libm`, whose results are off by less than one bit.
        #[test]
        fn sines_are_right_to_the_last_bits(degrees in prop::array::uniform3(-2000.0..2000.0f64)) {
            let mut halves = Halves::default();
            halves.find(std::iter::once(degrees.into()));
            let (sines, cosines) = halves.iter().next().unwrap();
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
    fn angles_of_any_size_are_turns() {
        for degrees in [1e11, 1e12, -3e15, 1e16, 7e22, -1e300] {
            let turn = Turn::new(Order::ZYX).by(DVec3::new(degrees, -degrees, degrees * 0.3)).unwrap();
            assert!((turn.length() - 1.0).abs() < 1e-14, "{degrees}: {turn}");
            let near = Turn::new(Order::ZYX).by(DVec3::X * (degrees % 720.0)).unwrap_or_default();
            let same = Turn::new(Order::ZYX).by(DVec3::X * degrees).unwrap();
            assert!(same.abs_diff_eq(near, 1e-14), "{degrees}: {same} {near}");
        }
    }

    #[test]
    fn quarters_are_exact() {
        let halves = [0.0, 180.0, -360.0, 540.0, -180.0].map(of_half);
        assert_eq!(halves, [(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0), (-1.0, 0.0)]);
        assert_eq!(Turn::new(Order::ZYX).by(DVec3::ZERO), None);
    }
}
