//! One part of a transform as four numbers, so that translation, rotation and scale share what can be shared.

use crate::decompose::Trs;
use glam::{DQuat, DVec4};

/// Translation or scale as x, y, z, 0; rotation as x, y, z, w.
pub(super) type Value = DVec4;

/// Number of the rotation among the parts; translation comes before it, scale behind.
pub(super) const ROTATION: usize = 1;

/// A part of a transform.
pub(super) fn value(trs: &Trs, part: usize) -> Value {
    match part {
        0 => trs.translation.extend(0.0),
        ROTATION => DVec4::from_array(trs.rotation.to_array()),
        _ => trs.scale.extend(0.0),
    }
}

/// How far two values of a part are from one another: a length, an angle, a factor.
pub(super) fn distance(part: usize, a: Value, b: Value) -> f64 {
    match part {
        ROTATION => 2.0 * (a - b).length().min((a + b).length()),
        0 => (a - b).length(),
        _ => (a - b).abs().max_element(),
    }
}

/// How far `at` is from what lies between `a` and `b`.
pub(super) fn deviation(part: usize, a: Value, b: Value, u: f64, at: Value) -> f64 {
    let between = if part == ROTATION { slerp(a, b, u) } else { a.lerp(b, u) };
    distance(part, between, at)
}

/// The shortest arc. Between near rotations, which is nearly always, the sines are series.
fn slerp(a: Value, b: Value, u: f64) -> Value {
    let dot = a.dot(b);
    let (b, dot) = if dot < 0.0 { (-b, -dot) } else { (b, dot) };
    let gap = 1.0 - dot;
    if gap > 0.005 {
        let quat = |v: Value| DQuat::from_array(v.to_array());
        return DVec4::from_array(quat(a).slerp(quat(b), u).to_array());
    }
    let square = 2.0 * gap * (1.0 + gap / 6.0);
    let share = |u: f64| {
        let uu = u * u;
        u * (1.0 + square * (1.0 - uu) / 6.0 + square * square * (7.0 - 10.0 * uu + 3.0 * uu * uu) / 360.0)
    };
    a * share(1.0 - u) + b * share(u)
}

/// The same rotation on the side of `before`, so that samples can be interpolated.
pub(super) fn align(mut trs: Trs, before: &Trs) -> Trs {
    if trs.rotation.dot(before.rotation) < 0.0 {
        trs.rotation = -trs.rotation;
    }
    trs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_is_the_arc() {
        for angle in [1e-9, 1e-3, 0.1, 0.19, 0.3, 2.0] {
            let a = DQuat::from_rotation_x(0.4);
            let b = a * DQuat::from_rotation_z(angle);
            for u in [0.0, 0.25, 0.5, 0.9, 1.0] {
                let expected = a * DQuat::from_rotation_z(angle * u);
                let expected = DVec4::from_array(expected.to_array());
                let (a, b) = (DVec4::from_array(a.to_array()), DVec4::from_array(b.to_array()));
                assert!(distance(ROTATION, slerp(a, b, u), expected) < 1e-8, "{angle} {u}");
                assert!(distance(ROTATION, slerp(a, -b, u), expected) < 1e-8, "{angle} {u}");
            }
        }
    }
}
