//! Rotations as three angles: composing them, and taking a matrix apart into them.

#![allow(clippy::indexing_slicing, reason = "indices run over three axes")]

use glam::{DMat3, DQuat, DVec3};
use std::f64::consts::{PI, TAU};

/// In which order three rotations are multiplied: the axis of the leftmost first. The last one is applied first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order([usize; 3]);

impl Order {
    /// `Rz * Ry * Rx`, the usual one.
    pub const ZYX: Self = Self([2, 1, 0]);
    /// `Rz * Rx * Ry`, which most BVH files have.
    pub const ZXY: Self = Self([2, 0, 1]);
    /// All orders of three different axes, the usual one first.
    pub const ALL: [Self; 6] =
        [Self::ZYX, Self([0, 1, 2]), Self([0, 2, 1]), Self([1, 0, 2]), Self([1, 2, 0]), Self::ZXY];

    /// As text: `ZYX`.
    pub fn name(self) -> String {
        self.0.iter().map(|&axis| ["X", "Y", "Z"].get(axis).copied().unwrap_or_default()).collect()
    }

    /// Whether swapping axes into this order mirrors space.
    fn is_odd(self) -> bool {
        let [left, middle, right] = self.0;
        // From (right, middle, left) to (x, y, z): the three even ones are rotations of (0, 1, 2).
        !matches!([right, middle, left], [0, 1, 2] | [1, 2, 0] | [2, 0, 1])
    }

    /// Signs of the products of two sines, by the axis that they turn about, and of the product of all three in the quaternion of three rotations:
    /// two axes multiply to the third, and three to a number.
    pub(crate) fn signs(self) -> (DVec3, f64) {
        let sign = if self.is_odd() { -1.0 } else { 1.0 };
        let mut signs = DVec3::splat(-sign);
        signs[self.0[1]] = sign;
        (signs, sign)
    }
}

/// The rotation of three angles about x, y and z, in radians.
pub fn rotation(angles: DVec3, order: Order) -> DQuat {
    let about = |axis: usize| {
        let axis_vector = DVec3::AXES[axis];
        DQuat::from_axis_angle(axis_vector, angles[axis])
    };
    let [left, middle, right] = order.0;
    about(left) * about(middle) * about(right)
}

/// Angles about x, y and z of a rotation matrix, in radians.
///
/// Without thresholds and special cases: the third angle is measured in the frame rotated by the other two, which is valid at the
/// pole and for matrices printed with few decimals.
pub fn angles(m: &DMat3, order: Order) -> DVec3 {
    let [left, middle, right] = order.0;
    let axis = [right, middle, left];
    let r = |row: usize, column: usize| m.col(axis[column])[axis[row]];
    let gamma = libm::atan2(r(1, 0), r(0, 0));
    let beta = libm::atan2(-r(2, 0), libm::hypot(r(0, 0), r(1, 0)));
    let (sine, cosine) = libm::sincos(gamma);
    let alpha = libm::atan2(sine * r(0, 2) - cosine * r(1, 2), cosine * r(1, 1) - sine * r(0, 1));
    let sign = if order.is_odd() { -1.0 } else { 1.0 };
    let mut angles = DVec3::ZERO;
    angles[right] = sign * alpha;
    angles[middle] = sign * beta;
    angles[left] = sign * gamma;
    angles
}

/// The other three angles of the same rotation.
pub(crate) fn other_branch(angles: DVec3, order: Order) -> DVec3 {
    let middle = order.0[1];
    let mut other = angles + PI;
    other[middle] = PI - angles[middle];
    other
}

/// Of all angles of a rotation those nearest to the wanted ones; axes without a wanted angle do not count.
///
/// There are two branches. At the pole, where the outer two axes coincide, there are many more: then the axis that has
/// a wanted angle gets it, and the other one the remainder.
pub fn nearest(angles: DVec3, order: Order, wanted: [Option<f64>; 3]) -> DVec3 {
    let [left, middle, right] = order.0;
    let branch = nearest_branch(angles, order, wanted);
    let (sine, cosine) = libm::sincos(branch[middle]);
    if cosine.abs() > POLE {
        return branch;
    }
    // The rotation determines only the sum or the difference of the outer angles.
    let together = if (sine > 0.0) != order.is_odd() { 1.0 } else { -1.0 };
    let mut shifted = branch;
    match (wanted[left], wanted[right]) {
        (Some(wish), None) => {
            shifted[left] = wish;
            shifted[right] += together * (wish - branch[left]);
        }
        (None, Some(wish)) => {
            shifted[right] = wish;
            shifted[left] += together * (wish - branch[right]);
        }
        _ => {}
    }
    shifted
}

/// Cosine of the middle angle below which six decimals no longer determine the outer angles.
const POLE: f64 = 1e-5;

fn nearest_branch(angles: DVec3, order: Order, wanted: [Option<f64>; 3]) -> DVec3 {
    let distance = |candidate: DVec3| -> f64 {
        let offset = |(axis, w): (usize, &Option<f64>)| Some(wrapped(candidate[axis] - (*w)?));
        wanted.iter().enumerate().filter_map(offset).map(|offset| offset * offset).sum()
    };
    let other = other_branch(angles, order);
    if distance(other) < distance(angles) { other } else { angles }
}

/// An angle between −π and π.
fn wrapped(angle: f64) -> f64 {
    angle - TAU * (angle / TAU).round()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matrix(angles: DVec3, order: Order) -> DMat3 {
        DMat3::from_quat(rotation(angles, order))
    }

    fn any_angles() -> impl Strategy<Value = DVec3> {
        let angle = || prop_oneof![-PI..PI, Just(PI / 2.0), Just(-PI / 2.0), Just(0.0), Just(PI)];
        (angle(), angle(), angle()).prop_map(|(x, y, z)| DVec3::new(x, y, z))
    }

    fn any_order() -> impl Strategy<Value = Order> {
        (0usize..6).prop_map(|i| Order::ALL[i])
    }

    /// A matrix as an exporter prints it.
    fn printed(m: &DMat3) -> DMat3 {
        let round = |v: f64| format!("{v:.6}").parse::<f64>().unwrap();
        DMat3::from_cols_array(&m.to_cols_array().map(round))
    }

    proptest! {
        /// Angles that come back need not be the same, but the rotation must: also at the pole, and from six decimals.
        #[test]
        fn a_matrix_comes_back(angles_in in any_angles(), order in any_order()) {
            let m = matrix(angles_in, order);
            let back = matrix(angles(&m, order), order);
            prop_assert!(back.abs_diff_eq(m, 1e-9), "{:?}", order);
            let back = matrix(angles(&printed(&m), order), order);
            prop_assert!(back.abs_diff_eq(m, 3e-6), "{:?}: {}", order, back - m);
        }

        #[test]
        fn both_branches_are_the_same_rotation(angles_in in any_angles(), order in any_order()) {
            let m = matrix(angles_in, order);
            let other = matrix(other_branch(angles_in, order), order);
            prop_assert!(other.abs_diff_eq(m, 1e-9));
        }

        /// Whatever branch an exporter wrote, the one that is chosen is its own, whole turns apart.
        #[test]
        fn the_branch_is_found(angles_in in any_angles(), order in any_order(), turns in -2i32..3) {
            let middle = angles_in[order.0[1]];
            // At the pole the branches meet in a line of angles, and either will do.
            prop_assume!(middle.cos().abs() > 0.05);
            let written = angles_in + TAU * f64::from(turns);
            let m = matrix(written, order);
            let found = nearest(angles(&m, order), order, [Some(written.x), Some(written.y), Some(written.z)]);
            for axis in 0..3 {
                prop_assert!(wrapped(found[axis] - written[axis]).abs() < 1e-9, "{found} {written}");
            }
        }
    }

    proptest! {
        /// At the pole one outer angle is free: whatever a curve says it is, the other makes up for it.
        #[test]
        fn at_the_pole_a_wish_is_granted(
            outer in [-PI..PI, -PI..PI], up in any::<bool>(), order in any_order(), wish in -PI..PI, on_left in any::<bool>(),
        ) {
            let [left, middle, right] = order.0;
            let mut angles_in = DVec3::ZERO;
            (angles_in[left], angles_in[right]) = (outer[0], outer[1]);
            angles_in[middle] = if up { PI / 2.0 } else { -PI / 2.0 };
            let m = printed(&matrix(angles_in, order));
            let mut wanted = [None; 3];
            wanted[if on_left { left } else { right }] = Some(wish);
            let found = nearest(angles(&m, order), order, wanted);
            prop_assert_eq!(found[if on_left { left } else { right }], wish);
            prop_assert!(matrix(found, order).abs_diff_eq(m, 5e-6), "{:?} {}", order, matrix(found, order) - m);
        }
    }

    #[test]
    fn the_usual_order_applies_x_first() {
        let r = matrix(DVec3::new(PI / 2.0, 0.0, PI / 2.0), Order::ZYX);
        // About x first: y goes to z, and stays there.
        assert!((r * DVec3::Y).abs_diff_eq(DVec3::Z, 1e-12));
        let quarter = DMat3::from_rotation_z(PI / 2.0);
        assert!(angles(&quarter, Order::ZYX).abs_diff_eq(DVec3::new(0.0, 0.0, PI / 2.0), 1e-12));
        assert_eq!(Order::ZYX.name(), "ZYX");
    }
}
