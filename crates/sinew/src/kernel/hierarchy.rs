//! Local to model, and model to skin matrices.

use super::Kernel;
use super::simd::Simd;
use super::{load3, load4};
use crate::pose::{JointBlock, LANES};
use crate::{Mat3x4, NO_JOINT, Skin};

/// Parents, and in which blocks lanes k and k + 4 can be computed together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order<'a> {
    pub(crate) parents: &'a [u16],
    pub(crate) paired: &'a [bool],
}

/// Whether no joint of a block needs one that is not computed before it, if joints k and k + 4 are computed together.
pub(crate) fn is_paired(block: usize, parents: &[u16]) -> bool {
    let first = block * LANES;
    let ready = |lane: usize, parent: u16| {
        let inside = usize::from(parent).checked_sub(first).filter(|_| parent != NO_JOINT);
        inside.is_none_or(|above| above % 4 < lane % 4)
    };
    parents.len() == LANES && parents.iter().enumerate().all(|(lane, &parent)| ready(lane, parent))
}

/// Model matrices from local transforms. The caller has checked: as many `paired` as blocks, enough `locals` and `out`, parents before
/// children.
pub(crate) struct LocalToModel<'a> {
    pub(crate) order: Order<'a>,
    pub(crate) locals: &'a [JointBlock],
    pub(crate) root: &'a Mat3x4,
    pub(crate) out: &'a mut [Mat3x4],
}

impl Kernel for LocalToModel<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let Self { order, locals, root, out } = self;
        for ((block, parents), local) in order.parents.chunks(LANES).enumerate().zip(locals) {
            let first = block * LANES;
            // SAFETY: the caller runs this on a machine with S.
            let rows = unsafe { local_rows::<S>(local) };
            if order.paired[block] {
                for k in 0..4 {
                    let above = [*above(parents[k], root, out), *above(parents[k + 4], root, out)];
                    // SAFETY: as above.
                    unsafe { pair::<S>(&above, rows[k], first + k, out) };
                }
            } else {
                // SAFETY: as above.
                unsafe { one_by_one::<S>(rows, parents, root, first, out) };
            }
        }
    }
}

#[inline(always)]
fn above<'a>(parent: u16, root: &'a Mat3x4, out: &'a [Mat3x4]) -> &'a Mat3x4 {
    if parent == NO_JOINT { root } else { &out[usize::from(parent)] }
}

/// Two joints, four apart, under their parents.
#[inline(always)]
unsafe fn pair<S: Simd>(above: &[Mat3x4; 2], local: [S; 3], first: usize, out: &mut [Mat3x4]) {
    let [low, high] = out.get_disjoint_mut([first, first + 4]).unwrap_or_else(|_| unreachable!());
    for row in 0..3 {
        // SAFETY: the caller runs this on a machine with S.
        unsafe {
            let parent = S::rows(&above[0].rows[row], &above[1].rows[row]);
            product(parent, local).store_rows(&mut low.rows[row], &mut high.rows[row]);
        }
    }
}

/// The joints of a block in which one hangs on another.
#[inline(always)]
unsafe fn one_by_one<S: Simd>(
    rows: [[S; 3]; 4],
    parents: &[u16],
    root: &Mat3x4,
    first: usize,
    out: &mut [Mat3x4],
) {
    // SAFETY: the caller runs this on a machine with S.
    let locals = unsafe { unpacked::<S>(rows) };
    for (lane, &parent) in parents.iter().enumerate() {
        let above = *above(parent, root, out);
        // SAFETY: as above.
        out[first + lane] = unsafe { multiply::<S>(&above, &locals[lane]) };
    }
}

/// Local matrices of a block, joint by joint.
#[inline(always)]
unsafe fn unpacked<S: Simd>(rows: [[S; 3]; 4]) -> [Mat3x4; LANES] {
    let mut locals = [Mat3x4::IDENTITY; LANES];
    let (low, high) = locals.split_at_mut(4);
    for (k, rows) in rows.into_iter().enumerate() {
        for (r, row) in rows.into_iter().enumerate() {
            // SAFETY: the caller runs this on a machine with S.
            unsafe { row.store_rows(&mut low[k].rows[r], &mut high[k].rows[r]) };
        }
    }
    locals
}

/// Model matrices of a joint and of all below it; the others stay. The caller has checked: enough `locals` and `out`, `from` is a joint,
/// parents before children.
pub(crate) struct SubtreeToModel<'a> {
    pub(crate) parents: &'a [u16],
    pub(crate) locals: &'a [JointBlock],
    pub(crate) root: &'a Mat3x4,
    pub(crate) from: u16,
    pub(crate) out: &'a mut [Mat3x4],
}

impl Kernel for SubtreeToModel<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let Self { parents, locals, root, from, out } = self;
        let first_block = usize::from(from) / LANES;
        for (block, local) in locals.iter().enumerate().take(parents.len().div_ceil(LANES)).skip(first_block)
        {
            let first = block * LANES;
            let joints = first.max(usize::from(from))..parents.len().min(first + LANES);
            if !joints.clone().any(|joint| is_below(parents, joint as u16, from)) {
                continue;
            }
            // SAFETY: the caller runs this on a machine with S.
            let locals = unsafe { unpacked::<S>(local_rows::<S>(local)) };
            for joint in joints {
                if !is_below(parents, joint as u16, from) {
                    continue;
                }
                let above = *above(parents[joint], root, out);
                // SAFETY: as above.
                out[joint] = unsafe { multiply::<S>(&above, &locals[joint - first]) };
            }
        }
    }
}

/// Whether a joint is another one or hangs below it.
pub(crate) fn is_below(parents: &[u16], joint: u16, above: u16) -> bool {
    let mut at = joint;
    // A parent comes before its children: past `above`, it cannot be met any more.
    while at != NO_JOINT && at > above {
        at = parents[usize::from(at)];
    }
    at == above
}

/// `a * b`, two rows at once and the third by itself.
#[inline(always)]
pub(crate) unsafe fn multiply<S: Simd>(a: &Mat3x4, b: &Mat3x4) -> Mat3x4 {
    let mut out = Mat3x4::IDENTITY;
    // SAFETY: the caller runs this on a machine with S.
    unsafe {
        let b = [
            S::rows(&b.rows[0], &b.rows[0]),
            S::rows(&b.rows[1], &b.rows[1]),
            S::rows(&b.rows[2], &b.rows[2]),
        ];
        let [first, second, third] = &mut out.rows;
        product(S::rows(&a.rows[0], &a.rows[1]), b).store_rows(first, second);
        let mut unused = [0.0; 4];
        product(S::rows(&a.rows[2], &a.rows[2]), b).store_rows(third, &mut unused);
    }
    out
}

/// Two rows of products: the rows of `a` by the matrices whose rows are `b`.
#[inline(always)]
unsafe fn product<S: Simd>(a: S, b: [S; 3]) -> S {
    // SAFETY: the caller runs this on a machine with S.
    unsafe {
        let turned = a.spread::<0>().mul(b[0]);
        let turned = a.spread::<1>().mul_add(b[1], turned);
        a.spread::<2>().mul_add(b[2], turned).add(a.fourth())
    }
}

/// Local matrices of a block: element k holds the three rows of joints k and k + 4.
#[inline(always)]
unsafe fn local_rows<S: Simd>(block: &JointBlock) -> [[S; 3]; 4] {
    // SAFETY: the caller runs this on a machine with S.
    unsafe {
        let one = S::splat(1.0);
        let [x, y, z, w] = load4::<S>(&block.rotation);
        let [sx, sy, sz] = load3::<S>(&block.scale);
        let [tx, ty, tz] = load3::<S>(&block.translation);
        let (x2, y2, z2) = (x.add(x), y.add(y), z.add(z));
        let (xx, xy, xz) = (x.mul(x2), x.mul(y2), x.mul(z2));
        let (yy, yz, zz) = (y.mul(y2), y.mul(z2), z.mul(z2));
        let (wx, wy, wz) = (w.mul(x2), w.mul(y2), w.mul(z2));
        let first = [one.sub(yy.add(zz)).mul(sx), xy.sub(wz).mul(sy), xz.add(wy).mul(sz), tx];
        let second = [xy.add(wz).mul(sx), one.sub(xx.add(zz)).mul(sy), yz.sub(wx).mul(sz), ty];
        let third = [xz.sub(wy).mul(sx), yz.add(wx).mul(sy), one.sub(xx.add(yy)).mul(sz), tz];
        let (a, b, c) = (S::to_rows(first), S::to_rows(second), S::to_rows(third));
        [[a[0], b[0], c[0]], [a[1], b[1], c[1]], [a[2], b[2], c[2]], [a[3], b[3], c[3]]]
    }
}

/// Skin matrices from model matrices. The caller has checked: every joint has a model matrix, as many inverse binds and at least as many `out`
/// as joints.
pub(crate) struct SkinMatrices<'a> {
    pub(crate) skin: &'a Skin,
    pub(crate) model: &'a [Mat3x4],
    pub(crate) out: &'a mut [Mat3x4],
}

impl Kernel for SkinMatrices<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let joints = self.skin.joints.chunks(2).zip(self.skin.inverse_binds.chunks(2));
        for ((joints, binds), out) in joints.zip(self.out.chunks_mut(2)) {
            let ([a, b], [p, q], [first, second]) = (joints, binds, &mut *out) else {
                // SAFETY: the caller runs this on a machine with S.
                out[0] = unsafe { multiply::<S>(&self.model[usize::from(joints[0])], &binds[0]) };
                continue;
            };
            let (a, b) = (&self.model[usize::from(*a)], &self.model[usize::from(*b)]);
            // SAFETY: as above.
            unsafe {
                let binds = [
                    S::rows(&p.rows[0], &q.rows[0]),
                    S::rows(&p.rows[1], &q.rows[1]),
                    S::rows(&p.rows[2], &q.rows[2]),
                ];
                for r in 0..3 {
                    let rows = product(S::rows(&a.rows[r], &b.rows[r]), binds);
                    rows.store_rows(&mut first.rows[r], &mut second.rows[r]);
                }
            }
        }
    }
}
