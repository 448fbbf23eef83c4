//! Rotations in plain scalar arithmetic: glam's operators on quaternions use other instructions on other machines.

use crate::math::{normalize, normalize_or};
use glam::{Affine3, Mat3, Quat, Vec3};

/// First `b`, then `a`.
pub(crate) fn multiply(a: Quat, b: Quat) -> Quat {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (a.to_array(), b.to_array());
    normalize([
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ])
}

/// The rotation back.
pub(crate) fn conjugate(q: Quat) -> Quat {
    let [x, y, z, w] = q.to_array();
    Quat::from_array([-x, -y, -z, w])
}

/// A vector turned.
pub(crate) fn rotate(q: Quat, v: Vec3) -> Vec3 {
    let [x, y, z, w] = q.to_array();
    let axis = Vec3::new(x, y, z);
    let twice = axis.cross(v) * 2.0;
    v + twice * w + axis.cross(twice)
}

/// A turn about a unit axis.
pub(crate) fn about(axis: Vec3, angle: f32) -> Quat {
    let (sine, cosine) = libm::sincosf(angle * 0.5);
    normalize([axis.x * sine, axis.y * sine, axis.z * sine, cosine])
}

/// The shortest turn from one direction to another; about `axis` where they are opposite, and none where one of them is zero.
pub(crate) fn arc(from: Vec3, to: Vec3, axis: Vec3) -> Quat {
    let (from, to) = (normalize_or(from, Vec3::ZERO), normalize_or(to, Vec3::ZERO));
    if from == Vec3::ZERO || to == Vec3::ZERO {
        return Quat::IDENTITY;
    }
    // Between unit vectors: the half-way vector gives half the angle, without loss where they are nearly equal.
    let half = from + to;
    if half.length_squared() < 1e-10 {
        let across = axis - from * from.dot(axis);
        let axis = normalize_or(across, perpendicular(from));
        return Quat::from_array([axis.x, axis.y, axis.z, 0.0]);
    }
    let is_exact = half.length_squared() > 0.01;
    let half = normalize_or(half, from);
    let turn = from.cross(half);
    let turn = normalize([turn.x, turn.y, turn.z, from.dot(half)]);
    // Where they are nearly opposite little of their digits is left in the sum: what is missing is turned behind.
    if is_exact { turn } else { multiply(arc(rotate(turn, from), to, axis), turn) }
}

/// Angle of a rotation, 0 to π.
pub(crate) fn angle(q: Quat) -> f32 {
    let [x, y, z, w] = q.to_array();
    2.0 * libm::atan2f((x * x + y * y + z * z).sqrt(), w.abs())
}

/// The same turn, at most so far.
pub(crate) fn at_most(q: Quat, limit: f32) -> Quat {
    let angle = angle(q);
    if angle <= limit { q } else { crate::math::slerp(Quat::IDENTITY, q, (limit / angle).max(0.0)) }
}

/// Some unit vector at right angles, the same for the same vector.
pub(crate) fn perpendicular(v: Vec3) -> Vec3 {
    let [x, y, z] = v.to_array().map(f32::abs);
    let other = if x <= y && x <= z {
        Vec3::X
    } else if y <= z {
        Vec3::Y
    } else {
        Vec3::Z
    };
    normalize_or(v.cross(other), Vec3::X)
}

/// The inverse, unless there is none.
pub(crate) fn inverse(matrix: Affine3) -> Option<Affine3> {
    let inverse = matrix.inverse();
    inverse.is_finite().then_some(inverse)
}

/// The rotation whose X axis lies along one vector and whose Y axis is as near as can be to another; none where they have no direction.
pub(crate) fn from_axes(x: Vec3, y: Vec3) -> Option<Quat> {
    let x = normalize_or(x, Vec3::ZERO);
    let z = normalize_or(x.cross(y), Vec3::ZERO);
    if x == Vec3::ZERO || z == Vec3::ZERO {
        return None;
    }
    let q = Quat::from_mat3(&Mat3::from_cols(x, z.cross(x), z));
    Some(normalize(q.to_array()))
}
