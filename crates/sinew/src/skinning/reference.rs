//! One vertex in plain arithmetic. Its order of operations is the contract: `kernel::skin` does the same eight vertices at a time, to the same bits.

use super::MOST_INFLUENCES;
use super::turn::Turn;
use crate::dual_quaternion::DualQuaternion;
use crate::math::inverse_root;
use crate::{Mat3x4, Mesh};
use glam::{Vec3, Vec4};

/// The influences of one vertex that count, by rising skin joint: vertices with the same joints then sum in the same order, however strong each is.
#[derive(Clone, Copy)]
pub(crate) struct Used {
    pub(crate) joints: [u16; MOST_INFLUENCES],
    pub(crate) weights: [f32; MOST_INFLUENCES],
    pub(crate) len: usize,
    /// Whether the weights sum to one, to within their rounding.
    pub(crate) whole: bool,
}

impl Used {
    /// Those of a vertex. A rigid mesh hangs on its one matrix.
    #[inline]
    pub(crate) fn of(mesh: &Mesh, vertex: usize) -> Self {
        let (joints, weights) = ([u16::MAX; MOST_INFLUENCES], [0.0; MOST_INFLUENCES]);
        let mut used = Self { joints, weights, len: 0, whole: true };
        if mesh.skin.is_none() {
            used.insert(0, 1.0);
            return used;
        }
        let mut sum = 0.0;
        for (joint, weight) in mesh.influences.of(vertex) {
            if weight != 0.0 {
                used.insert(joint, weight);
                sum += weight;
            }
        }
        used.whole = (sum - 1.0f32).abs() <= 1e-6;
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

    /// Whether one joint has all the weight.
    pub(crate) fn is_single(&self) -> bool {
        self.whole && self.len == 1
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

/// How one vertex is deformed.
pub(crate) struct Deform {
    matrix: Mat3x4,
    /// Whether that is the matrix of one joint.
    single: bool,
}

impl Deform {
    /// The weighted sum of a vertex's matrices, or `None` for one without weights.
    pub(crate) fn of(mesh: &Mesh, matrices: &[Mat3x4], vertex: usize) -> Option<Self> {
        let used = Used::of(mesh, vertex);
        let mut influences = used.iter();
        // Where weights sum to one, what the first joint's matrix counts is what the others leave.
        let first = if used.whole { matrices[influences.next()?.0] } else { Mat3x4::ZERO };
        let mut sum = first;
        for (joint, weight) in influences {
            let (term, before) = (&matrices[joint].rows, sum);
            each(&mut sum, |r, c| (term[r][c] - first.rows[r][c]) * weight + before.rows[r][c]);
        }
        let share = share(mesh, vertex);
        match () {
            () if used.len == 0 => None,
            () if share == 0.0 => Some(Self { matrix: sum, single: used.is_single() }),
            () => Some(Self { matrix: turn(mesh, matrices, vertex, share, sum), single: false }),
        }
    }

    /// A point.
    pub(crate) fn position(&self, p: Vec3) -> Vec3 {
        Vec3::from_array(self.matrix.rows.map(|row| row[0] * p.x + row[1] * p.y + row[2] * p.z + row[3]))
    }

    /// A unit normal, by the cofactors of the matrix: the inverse transpose up to a factor, which needs no division and survives a scale of zero.
    pub(crate) fn normal(&self, n: Vec3) -> Vec3 {
        let n = if self.single { unit(n) } else { n };
        if let Some(turn) = self.turn() {
            return turned(&turn.normals, n);
        }
        let [a, b, c] = [0, 1, 2].map(|column| self.matrix.rows.map(|row| row[column]));
        let x = cross(b, c);
        let sign = if dot(a, x) < 0.0 { -1.0 } else { 1.0 };
        // (b × c) · x + (c × a) · y + (a × b) · z, with two products instead of three.
        let yz = cross(a, [0, 1, 2].map(|r| b[r] * n.z - c[r] * n.y));
        scaled([0, 1, 2].map(|r| (x[r] * n.x + yz[r]) * sign), n)
    }

    /// A unit tangent. The sign of the bitangent stays.
    pub(crate) fn tangent(&self, t: Vec4) -> Vec4 {
        let direction = if self.single { unit(t.truncate()) } else { t.truncate() };
        let tangent = match self.turn() {
            Some(turn) => turned(&turn.tangents, direction),
            None => {
                let rows = self.matrix.rows.map(|[x, y, z, _]| [x, y, z]);
                scaled(rows.map(|row| dot(row, direction.to_array())), direction)
            }
        };
        tangent.extend(t.w)
    }

    fn turn(&self) -> Option<Turn> {
        if self.single { Turn::of(&self.matrix) } else { None }
    }
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

pub(super) fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// A vector scaled to length one; one without a direction as it is.
pub(super) fn unit(v: Vec3) -> Vec3 {
    scaled(v.to_array(), v)
}

/// A vector scaled to length one, or `otherwise` if it has no direction.
fn scaled(v: [f32; 3], otherwise: Vec3) -> Vec3 {
    let square = dot(v, v);
    if !(square > f32::MIN_POSITIVE && square < f32::INFINITY) {
        return otherwise;
    }
    let factor = inverse_root(square);
    Vec3::from_array(v.map(|x| x * factor))
}

/// A unit vector under the rows of a turn. It comes out nearly of length one, and one step of Newton's method makes up for the rest.
fn turned(rows: &[[f32; 3]; 3], v: Vec3) -> Vec3 {
    let turned = rows.map(|row| dot(row, v.to_array()));
    let factor = 1.5 - 0.5 * dot(turned, turned);
    Vec3::from_array(turned.map(|x| x * factor))
}
