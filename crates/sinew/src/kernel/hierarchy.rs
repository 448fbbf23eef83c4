//! Local to model, and model to skin matrices.

use super::simd::{Matrix, Rows, Simd, Wide};
use super::{Kernel, WideKernel};
use super::{load3, load4};
use crate::pose::{JointBlock, LANES};
use crate::{Mat3x4, NO_JOINT, Skin};

/// Parents, and which joints of each block can be computed together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order<'a> {
    pub(crate) parents: &'a [u16],
    /// By block; see [`pairs`].
    pub(crate) pairs: &'a [u8],
}

/// All pairs of a block.
const ALL_PAIRS: u8 = 0b1111;

/// Which joints k and k + 4 of a block are computed together, as bit k. Pairs come first, by rising k, among them the joints k of those that are not
/// computed together; the joints k + 4 of the latter come last. Each parent is then computed before its children.
pub(crate) fn pairs(block: usize, parents: &[u16]) -> u8 {
    let first = block * LANES;
    let mut pairs = 0;
    for k in 0..4 {
        let Some(&parent) = parents.get(k + 4) else { continue };
        let inside = usize::from(parent).checked_sub(first).filter(|_| parent != NO_JOINT);
        let ready = inside.is_none_or(|above| match above.checked_sub(4) {
            None => above < k,
            Some(column) => pairs >> column & 1 != 0,
        });
        pairs |= u8::from(ready) << k;
    }
    pairs
}

/// Model matrices from local transforms. The caller has checked: as many `pairs` as blocks, enough `locals` and `out`, parents before
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
        let to = Models { root, joints: out.as_mut_ptr() };
        let blocks = order.parents.chunks(LANES).zip(order.pairs).zip(locals);
        for (block, ((parents, &pairs), local)) in blocks.enumerate() {
            let first = block * LANES;
            // SAFETY: the caller runs this on a machine with S, and has checked that every joint has a place and a parent before it.
            unsafe {
                let rows = local_rows::<S>(local);
                if pairs == ALL_PAIRS {
                    to.pair(first, [parents[0], parents[4]], rows[0]);
                    to.pair(first + 1, [parents[1], parents[5]], rows[1]);
                    to.pair(first + 2, [parents[2], parents[6]], rows[2]);
                    to.pair(first + 3, [parents[3], parents[7]], rows[3]);
                } else {
                    to.some_pairs(first, parents, pairs, rows);
                }
            }
        }
    }
}

/// Joint after joint, each matrix in one register: fewer operations than two joints in three of half the lanes, and the next joint, which most often hangs below, finds it there.
impl WideKernel for LocalToModel<'_> {
    #[inline(always)]
    unsafe fn run_wide<S: Simd, M: Wide + Matrix>(self) {
        let Self { order, locals, root, out } = self;
        let to = Models { root, joints: out.as_mut_ptr() };
        let mut local = LocalMatrices::default();
        // Kept in memory: in registers, the compiler would spread rows by permutations instead of reads.
        let local = std::hint::black_box(&mut local);
        let (blocks, rest) = order.parents.as_chunks::<LANES>();
        // SAFETY: the caller runs this on a machine with S and M, and has checked that every joint has a place and a parent before it.
        unsafe {
            let mut last = M::load_matrix(&root.rows);
            for (block, (parents, transforms)) in blocks.iter().zip(locals).enumerate() {
                let first = block * LANES;
                local.set::<S>(transforms);
                // Spelled out, so that the places are known.
                last = to.next(last, first, parents[0], local.of(0));
                last = to.next(last, first + 1, parents[1], local.of(1));
                last = to.next(last, first + 2, parents[2], local.of(2));
                last = to.next(last, first + 3, parents[3], local.of(3));
                last = to.next(last, first + 4, parents[4], local.of(4));
                last = to.next(last, first + 5, parents[5], local.of(5));
                last = to.next(last, first + 6, parents[6], local.of(6));
                last = to.next(last, first + 7, parents[7], local.of(7));
            }
            if let Some(transforms) = locals.get(blocks.len()).filter(|_| !rest.is_empty()) {
                local.set::<S>(transforms);
                for (lane, &parent) in rest.iter().enumerate() {
                    last = to.next(last, blocks.len() * LANES + lane, parent, local.of(lane));
                }
            }
        }
    }
}

/// Local matrices of a block in memory, where each row can be spread while it is read: element k holds the rows of joints k and k + 4.
#[derive(Default)]
#[repr(C, align(32))]
struct LocalMatrices([[[f32; 8]; 3]; 4]);

impl LocalMatrices {
    /// Those of a block.
    ///
    /// # Safety
    /// The machine has S.
    #[inline(always)]
    unsafe fn set<S: Simd>(&mut self, block: &JointBlock) {
        // SAFETY: the caller's promise.
        unsafe {
            let rows = local_rows::<S>(block);
            let mut k = 0;
            while k < 4 {
                rows[k][0].store(&mut self.0[k][0]);
                rows[k][1].store(&mut self.0[k][1]);
                rows[k][2].store(&mut self.0[k][2]);
                k += 1;
            }
        }
    }

    /// The rows of one joint's, each as every row.
    ///
    /// # Safety
    /// The machine has M.
    #[inline(always)]
    unsafe fn of<M: Matrix>(&self, lane: usize) -> [M; 3] {
        let [first, second, third] = &self.0[lane % 4];
        let half = lane / 4;
        // SAFETY: the caller's promise.
        unsafe {
            [
                M::every_row(&first.as_chunks().0[half]),
                M::every_row(&second.as_chunks().0[half]),
                M::every_row(&third.as_chunks().0[half]),
            ]
        }
    }
}

/// The model matrices that are written, which those of children are computed from.
#[derive(Clone, Copy)]
struct Models {
    root: *const Mat3x4,
    joints: *mut Mat3x4,
}

impl Models {
    /// The rows of a parent's matrix.
    ///
    /// # Safety
    /// The parent is among the joints, or there is none.
    #[inline(always)]
    unsafe fn above<'a>(self, parent: u16) -> &'a [[f32; 4]; 3] {
        let at = if parent == NO_JOINT { self.root } else { self.joints.wrapping_add(parent.into()) };
        // SAFETY: the caller's promise.
        unsafe { &(*at).rows }
    }

    /// The matrix of a joint, which is written too. `last` is that of the joint before it, or of the root.
    ///
    /// # Safety
    /// As for [`Self::pair`], with M.
    #[inline(always)]
    unsafe fn next<M: Matrix>(self, last: M, joint: usize, parent: u16, local: [M; 3]) -> M {
        // Of no joint comes joint 0, whose parent is the root.
        const { assert!(NO_JOINT == u16::MAX) }
        // SAFETY: the caller's promise.
        unsafe {
            // A branch, for it is often so: reading what was just written takes longer than the product.
            let above = if usize::from(parent.wrapping_add(1)) == joint {
                last
            } else {
                M::load_parts(self.above(parent))
            };
            let model = product(above, local);
            model.store_parts(&mut (*self.joints.add(joint)).rows);
            model
        }
    }

    /// Two joints, four apart, under their parents.
    ///
    /// # Safety
    /// The machine has S; both joints and their parents are among the joints, and the parents are other joints.
    #[inline(always)]
    unsafe fn pair<S: Simd>(self, joint: usize, parents: [u16; 2], local: [S; 3]) {
        // SAFETY: the caller's promise.
        unsafe {
            let (a, b) = (self.above(parents[0]), self.above(parents[1]));
            let first = product(S::rows(&a[0], &b[0]), local);
            let second = product(S::rows(&a[1], &b[1]), local);
            let third = product(S::rows(&a[2], &b[2]), local);
            let (low, high) = (self.joints.add(joint), self.joints.add(joint + 4));
            first.store_rows(&mut (*low).rows[0], &mut (*high).rows[0]);
            second.store_rows(&mut (*low).rows[1], &mut (*high).rows[1]);
            third.store_rows(&mut (*low).rows[2], &mut (*high).rows[2]);
        }
    }

    /// The joints of a block in which not all are paired.
    ///
    /// # Safety
    /// As for [`Self::pair`].
    #[inline(always)]
    unsafe fn some_pairs<S: Simd>(self, first: usize, parents: &[u16], pairs: u8, rows: [[S; 3]; 4]) {
        // Spelled out, so that the rows stay in registers.
        // SAFETY: the caller's promise.
        unsafe {
            self.low(first, 0, parents, pairs, rows[0]);
            self.low(first, 1, parents, pairs, rows[1]);
            self.low(first, 2, parents, pairs, rows[2]);
            self.low(first, 3, parents, pairs, rows[3]);
            self.high(first, 0, parents, pairs, rows[0]);
            self.high(first, 1, parents, pairs, rows[1]);
            self.high(first, 2, parents, pairs, rows[2]);
            self.high(first, 3, parents, pairs, rows[3]);
        }
    }

    /// Joint k of a block, together with joint k + 4 if the two are a pair.
    ///
    /// # Safety
    /// As for [`Self::pair`].
    #[inline(always)]
    unsafe fn low<S: Simd>(self, first: usize, k: usize, parents: &[u16], pairs: u8, local: [S; 3]) {
        // SAFETY: the caller's promise.
        unsafe {
            if pairs >> k & 1 != 0 {
                self.pair(first + k, [parents[k], parents[k + 4]], local);
            } else if k < parents.len() {
                self.single::<S, false>(first + k, parents[k], local);
            }
        }
    }

    /// Joint k + 4 of a block, unless it was computed as one of a pair.
    ///
    /// # Safety
    /// As for [`Self::pair`].
    #[inline(always)]
    unsafe fn high<S: Simd>(self, first: usize, k: usize, parents: &[u16], pairs: u8, local: [S; 3]) {
        if pairs >> k & 1 == 0 && k + 4 < parents.len() {
            // SAFETY: the caller's promise.
            unsafe { self.single::<S, true>(first + k + 4, parents[k + 4], local) };
        }
    }

    /// One joint, in the first or in the second rows of `local`.
    ///
    /// # Safety
    /// As for [`Self::pair`].
    #[inline(always)]
    unsafe fn single<S: Simd, const SECOND: bool>(self, joint: usize, parent: u16, local: [S; 3]) {
        // SAFETY: the caller's promise.
        unsafe {
            let local = [
                local[0].row_twice::<SECOND>(),
                local[1].row_twice::<SECOND>(),
                local[2].row_twice::<SECOND>(),
            ];
            let (above, to) = (self.above(parent), &mut *self.joints.add(joint));
            // Row by row, in and out: a child reads them a moment later, and a load that is not just what a store wrote waits longer.
            let [first, second, third] = &mut to.rows;
            product(S::rows(&above[0], &above[1]), local).store_rows(first, second);
            let mut unused = [0.0; 4];
            product(S::twice(&above[2]), local).store_rows(third, &mut unused);
        }
    }
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
        let to = Models { root, joints: out.as_mut_ptr() };
        let first_block = usize::from(from) / LANES;
        for (block, local) in locals.iter().enumerate().take(parents.len().div_ceil(LANES)).skip(first_block)
        {
            let first = block * LANES;
            let joints = first.max(usize::from(from))..parents.len().min(first + LANES);
            if !joints.clone().any(|joint| is_below(parents, joint as u16, from)) {
                continue;
            }
            // SAFETY: the caller runs this on a machine with S.
            let rows = unsafe { local_rows::<S>(local) };
            for joint in joints {
                if !is_below(parents, joint as u16, from) {
                    continue;
                }
                let (lane, parent) = (joint - first, parents[joint]);
                // SAFETY: as above; the caller has checked that every joint has a place and a parent before it.
                unsafe {
                    match lane.checked_sub(4) {
                        None => to.single::<S, false>(joint, parent, rows[lane]),
                        Some(lane) => to.single::<S, true>(joint, parent, rows[lane]),
                    }
                }
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
        let b = twice::<S>(b);
        product(S::load(upper(a)), b).store(upper_mut(&mut out));
        let mut unused = [0.0; 4];
        product(S::twice(&a.rows[2]), b).store_rows(&mut out.rows[2], &mut unused);
    }
    out
}

/// The first two rows of a matrix, which lie side by side.
#[inline(always)]
fn upper(matrix: &Mat3x4) -> &[f32; 8] {
    // SAFETY: the rows are twelve numbers without gaps.
    unsafe { &*matrix.rows.as_ptr().cast() }
}

/// The same to be written.
#[inline(always)]
fn upper_mut(matrix: &mut Mat3x4) -> &mut [f32; 8] {
    // SAFETY: as above.
    unsafe { &mut *matrix.rows.as_mut_ptr().cast() }
}

/// Each row of a matrix twice.
///
/// # Safety
/// The machine has S.
#[inline(always)]
unsafe fn twice<S: Simd>(matrix: &Mat3x4) -> [S; 3] {
    // SAFETY: the caller's promise.
    unsafe { [S::twice(&matrix.rows[0]), S::twice(&matrix.rows[1]), S::twice(&matrix.rows[2])] }
}

/// Rows of products: the rows of `a` by the matrices whose rows are `b`.
#[inline(always)]
unsafe fn product<R: Rows>(a: R, b: [R; 3]) -> R {
    // SAFETY: the caller runs this on a machine with R.
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
        let (joints, last_joint) = self.skin.joints.as_chunks::<2>();
        let (binds, last_bind) = self.skin.inverse_binds.as_chunks::<2>();
        let (out, last_out) = self.out[..self.skin.joints.len()].as_chunks_mut::<2>();
        for (([a, b], [p, q]), [first, second]) in joints.iter().zip(binds).zip(out) {
            // SAFETY: the caller runs this on a machine with S, and has checked the joints.
            unsafe {
                let a = self.model.get_unchecked(usize::from(*a));
                let b = self.model.get_unchecked(usize::from(*b));
                // Two rows of each matrix lie side by side; the third rows of both make another two.
                let (p, q) = (twice::<S>(p), twice::<S>(q));
                product(S::load(upper(a)), p).store(upper_mut(first));
                product(S::load(upper(b)), q).store(upper_mut(second));
                let both = [S::halves(p[0], q[0]), S::halves(p[1], q[1]), S::halves(p[2], q[2])];
                product(S::rows(&a.rows[2], &b.rows[2]), both)
                    .store_rows(&mut first.rows[2], &mut second.rows[2]);
            }
        }
        if let ([joint], [bind], [to]) = (last_joint, last_bind, last_out) {
            // SAFETY: as above.
            *to = unsafe { multiply::<S>(self.model.get_unchecked(usize::from(*joint)), bind) };
        }
    }
}

impl WideKernel for SkinMatrices<'_> {
    #[inline(always)]
    unsafe fn run_wide<S: Simd, M: Wide + Matrix>(self) {
        let skin = self.skin.joints.iter().zip(&*self.skin.inverse_binds);
        for ((&joint, bind), to) in skin.zip(self.out) {
            // SAFETY: the caller runs this on a machine with M, and has checked the joints.
            unsafe {
                let model = M::load_matrix(&self.model.get_unchecked(usize::from(joint)).rows);
                let [first, second, third] = &bind.rows;
                let bind = [M::every_row(first), M::every_row(second), M::every_row(third)];
                product(model, bind).store_matrix(&mut to.rows);
            }
        }
    }
}
