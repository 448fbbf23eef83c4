//! One vertex in plain arithmetic. Its order of operations is the contract: `kernel::skin` does the same eight vertices at a time, to the same bits.

use super::MOST_INFLUENCES;
use crate::dual_quaternion::DualQuaternion;
use crate::math::normalize_or;
use crate::{Mat3x4, Mesh};
use glam::{Vec3, Vec4};

/// The influences of one vertex that count, by rising skin joint: vertices with the same joints then sum in the same order, however strong each is.
#[derive(Clone, Copy)]
pub(crate) struct Used {
    pub(crate) joints: [u16; MOST_INFLUENCES],
    pub(crate) weights: [f32; MOST_INFLUENCES],
    pub(crate) len: usize,
}

impl Used {
    /// Those of a vertex. A rigid mesh hangs on its one matrix.
    #[inline]
    pub(crate) fn of(mesh: &Mesh, vertex: usize) -> Self {
        let mut used = Self { joints: [u16::MAX; MOST_INFLUENCES], weights: [0.0; MOST_INFLUENCES], len: 0 };
        if mesh.skin.is_none() {
            used.insert(0, 1.0);
            return used;
        }
        for (joint, weight) in mesh.influences.of(vertex) {
            if weight != 0.0 {
                used.insert(joint, weight);
            }
        }
        used
    }

    #[inline]
    fn insert(&mut self, joint: u16, weight: f32) {
        let mut at = self.len;
        while at > 0 && self.joints[at - 1] > joint {
            (self.joints[at], self.weights[at]) = (self.joints[at - 1], self.weights[at - 1]);
            at -= 1;
        }
        (self.joints[at], self.weights[at]) = (joint, weight);
        self.len += 1;
    }

    #[inline]
    fn iter(&self) -> impl Iterator<Item = (usize, f32)> + '_ {
        self.joints[..self.len].iter().map(|&joint| usize::from(joint)).zip(self.weights)
    }
}

/// How much of a vertex is blended by dual quaternions.
pub(crate) fn share(mesh: &Mesh, vertex: usize) -> f32 {
    if mesh.skin.is_none() {
        return 0.0;
    }
    mesh.influences.dual_quaternion.get(vertex).copied().unwrap_or(0.0)
}

/// The weighted sum of a vertex's matrices, or `None` for one without weights.
pub(crate) fn blend(mesh: &Mesh, matrices: &[Mat3x4], vertex: usize) -> Option<Mat3x4> {
    let used = Used::of(mesh, vertex);
    let mut influences = used.iter();
    let (joint, weight) = influences.next()?;
    let mut sum = matrices[joint];
    each(&mut sum, |row, column| matrices[joint].rows[row][column] * weight);
    for (joint, weight) in influences {
        let before = sum;
        each(&mut sum, |r, c| matrices[joint].rows[r][c] * weight + before.rows[r][c]);
    }
    let share = share(mesh, vertex);
    Some(if share == 0.0 { sum } else { turn(mesh, matrices, vertex, share, sum) })
}

#[inline]
fn each(matrix: &mut Mat3x4, number: impl Fn(usize, usize) -> f32) {
    for (r, row) in matrix.rows.iter_mut().enumerate() {
        for (c, to) in row.iter_mut().enumerate() {
            *to = number(r, c);
        }
    }
}

/// The linear sum, moved towards the blend by dual quaternions. These are summed the strongest first: the first decides the sign of the others.
fn turn(mesh: &Mesh, matrices: &[Mat3x4], vertex: usize, share: f32, linear: Mat3x4) -> Mat3x4 {
    let mut turned = DualQuaternion::ZERO;
    let used = mesh.influences.of(vertex).filter(|&(_, weight)| weight != 0.0);
    used.for_each(|(joint, weight)| turned.add(&matrices[usize::from(joint)], weight));
    let Some(turned) = turned.matrix().map(Mat3x4::from) else { return linear };
    let mut mixed = linear;
    each(&mut mixed, |r, c| linear.rows[r][c] * (1.0 - share) + turned.rows[r][c] * share);
    mixed
}

/// A point under a matrix.
pub(crate) fn position(m: &Mat3x4, p: Vec3) -> Vec3 {
    Vec3::from_array(m.rows.map(|row| row[0] * p.x + row[1] * p.y + row[2] * p.z + row[3]))
}

/// A unit normal under a matrix, by its cofactors: the inverse transpose up to a factor, which needs no division and survives a scale of zero.
pub(crate) fn normal(m: &Mat3x4, n: Vec3) -> Vec3 {
    let [a, b, c] = [0, 1, 2].map(|column| m.rows.map(|row| row[column]));
    // (b × c) · x + (c × a) · y + (a × b) · z, with two products instead of three.
    let x = cross(b, c);
    let determinant = a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
    let yz = cross(a, [0, 1, 2].map(|r| b[r] * n.z - c[r] * n.y));
    let turned = [0, 1, 2].map(|r| x[r] * n.x + yz[r]);
    let square = turned[0] * turned[0] + turned[1] * turned[1] + turned[2] * turned[2];
    if !(square > f32::MIN_POSITIVE && square < f32::INFINITY) {
        return n;
    }
    let inverse = if determinant < 0.0 { -1.0 } else { 1.0 } / square.sqrt();
    Vec3::from_array(turned.map(|x| x * inverse))
}

fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// A unit tangent under a matrix. The sign of the bitangent stays.
pub(crate) fn tangent(m: &Mat3x4, t: Vec4) -> Vec4 {
    let turned = Vec3::from_array(m.rows.map(|row| row[0] * t.x + row[1] * t.y + row[2] * t.z));
    normalize_or(turned, t.truncate()).extend(t.w)
}
