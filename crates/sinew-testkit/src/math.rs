//! Angles and rotations, through glam alone.
//!
//! Everything goes through glam's `libm` backend, never through the platform's own functions: the files of this crate
//! must come out byte for byte the same on every machine.

use glam::{DMat3, DMat4, DQuat, DVec2, DVec3};

/// One full turn in radians.
pub const TURN: f64 = core::f64::consts::TAU;

/// Sine of an angle in radians.
pub fn sin(radians: f64) -> f64 {
    DVec2::from_angle(radians).y
}

/// Cosine of an angle in radians.
pub fn cos(radians: f64) -> f64 {
    DVec2::from_angle(radians).x
}

/// The angle of the vector (x, y), in radians.
pub fn atan2(y: f64, x: f64) -> f64 {
    DVec2::new(x, y).to_angle()
}

/// Angle whose cosine is given; the argument is clamped to −1…1.
pub fn acos(cosine: f64) -> f64 {
    let c = cosine.clamp(-1.0, 1.0);
    atan2((1.0 - c * c).sqrt(), c)
}

/// Rises from 0 to 1 between `from` and `to`, with no slope at either end.
pub fn smoothstep(from: f64, to: f64, x: f64) -> f64 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Rotation of Euler angles in degrees about fixed axes, X applied first: `Rz · Ry · Rx`.
pub fn euler_xyz(degrees: DVec3) -> DQuat {
    let r = degrees.map(f64::to_radians);
    DQuat::from_rotation_z(r.z) * DQuat::from_rotation_y(r.y) * DQuat::from_rotation_x(r.x)
}

/// Euler angles in degrees, X applied first, of a rotation: the inverse of [`euler_xyz`].
///
/// X is found after undoing Z, so that the result holds at the pole too.
pub fn to_euler_xyz(q: DQuat) -> DVec3 {
    let m = DMat3::from_quat(q);
    let z = atan2(m.x_axis.y, m.x_axis.x);
    // The square root is exact to the bit everywhere, `f64::hypot` is not.
    let y = atan2(-m.x_axis.z, m.x_axis.truncate().length());
    let (s, c) = (sin(z), cos(z));
    let x = atan2(s * m.z_axis.x - c * m.z_axis.y, c * m.y_axis.y - s * m.y_axis.x);
    DVec3::new(x.to_degrees(), y.to_degrees(), z.to_degrees())
}

/// `angle` shifted by whole turns to lie nearest to `reference`, both in degrees.
pub fn nearest_turn(angle: f64, reference: f64) -> f64 {
    angle - ((angle - reference) / 360.0).round() * 360.0
}

/// Euler angles of the same rotation as `degrees`, on the branch and turn nearest to `reference`.
///
/// Curves of Euler angles must run on without jumps, or interpolating them spins the joint.
pub fn nearest_branch(degrees: DVec3, reference: DVec3) -> DVec3 {
    let unwind = |d: DVec3| {
        DVec3::new(
            nearest_turn(d.x, reference.x),
            nearest_turn(d.y, reference.y),
            nearest_turn(d.z, reference.z),
        )
    };
    let one = unwind(degrees);
    let other = unwind(DVec3::new(degrees.x + 180.0, 180.0 - degrees.y, degrees.z + 180.0));
    if one.distance_squared(reference) <= other.distance_squared(reference) { one } else { other }
}

/// Rotation whose axes are `x`, `y` and `x × y`, both made orthonormal, `y` kept exact.
pub fn frame(y: DVec3, x_hint: DVec3) -> DQuat {
    let y = y.normalize();
    let x = (x_hint - y * y.dot(x_hint)).normalize();
    DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y)))
}

/// The same matrix with its translation multiplied by `scale`; the axes are left alone.
pub fn scale_translation(matrix: DMat4, scale: f64) -> DMat4 {
    let mut m = matrix;
    m.w_axis = (m.w_axis.truncate() * scale).extend(1.0);
    m
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn euler_round_trip_also_at_the_pole() {
        for degrees in [
            DVec3::new(10.0, 20.0, 30.0),
            DVec3::new(-170.0, 80.0, 120.0),
            DVec3::new(35.0, 90.0, -50.0),
            DVec3::new(35.0, -90.0, 70.0),
        ] {
            let q = euler_xyz(degrees);
            let back = euler_xyz(to_euler_xyz(q));
            assert!(q.angle_between(back) < 1e-7, "{degrees}");
        }
    }

    #[test]
    fn nearest_branch_is_the_same_rotation() {
        let degrees = DVec3::new(170.0, 100.0, -170.0);
        let near = nearest_branch(degrees, DVec3::ZERO);
        assert!(near.length() < degrees.length());
        assert!(euler_xyz(near).angle_between(euler_xyz(degrees)) < 1e-7);
    }

    #[test]
    fn x_is_applied_first() {
        let q = euler_xyz(DVec3::new(90.0, 0.0, 90.0));
        assert!((q * DVec3::Y - DVec3::Z).length() < 1e-12);
        assert!((q * DVec3::X - DVec3::Y).length() < 1e-12);
    }
}
