//! Mixing poses: translations and scales on a line, rotations by normalised lerp on the shorter way.

use super::Kernel;
use super::simd::Simd;
use super::{load3, load4};
use crate::pose::{JointBlock, Lanes};

/// `from` to `to` by one weight from 0 to 1, above 0 unless there is a mask, times one per joint where there is one. The caller has checked that and the
/// lengths.
pub(crate) struct Blend<'a> {
    pub(crate) from: &'a [JointBlock],
    pub(crate) to: &'a [JointBlock],
    pub(crate) weight: f32,
    pub(crate) mask: Option<&'a [Lanes]>,
    pub(crate) out: &'a mut [JointBlock],
}

impl Kernel for Blend<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        // SAFETY: the caller runs this on a machine with S.
        let weight = unsafe { S::splat(self.weight) };
        let blocks = self.from.iter().zip(self.to).zip(self.out);
        // Two loops: without a mask no weight is zero, and most blends have none.
        match self.mask {
            None => {
                for ((from, to), out) in blocks {
                    // SAFETY: as above.
                    unsafe { store(blend_block(from, to, weight, out), &mut out.rotation) };
                }
            }
            Some(mask) => {
                for (((from, to), out), factor) in blocks.zip(mask) {
                    // SAFETY: as above.
                    unsafe {
                        let weight = weight.mul(S::load(&factor.0));
                        let turned = blend_block(from, to, weight, out);
                        // A weight of zero leaves the rotation as it was.
                        let kept = load4::<S>(&from.rotation);
                        store(S::where_greater(weight, S::splat(0.0), turned, kept), &mut out.rotation);
                    }
                }
            }
        }
    }
}

/// Writes translations and scales, and hands back the rotations.
#[inline(always)]
unsafe fn blend_block<S: Simd>(
    from: &JointBlock,
    to: &JointBlock,
    weight: S,
    out: &mut JointBlock,
) -> [S; 4] {
    // SAFETY: the caller runs this on a machine with S.
    unsafe {
        mix_lanes(&from.translation, &to.translation, weight, &mut out.translation);
        mix_lanes(&from.scale, &to.scale, weight, &mut out.scale);
        let (a, b) = (load4::<S>(&from.rotation), load4::<S>(&to.rotation));
        let keep = S::splat(1.0).sub(weight);
        let taken = weight.flip(dot(a, b));
        let sum = [
            b[0].mul_add(taken, a[0].mul(keep)),
            b[1].mul_add(taken, a[1].mul(keep)),
            b[2].mul_add(taken, a[2].mul(keep)),
            b[3].mul_add(taken, a[3].mul(keep)),
        ];
        S::where_equal(a, b, a, normalized(sum))
    }
}

#[inline(always)]
unsafe fn mix_lanes<S: Simd>(from: &[Lanes; 3], to: &[Lanes; 3], weight: S, out: &mut [Lanes; 3]) {
    for ((from, to), out) in from.iter().zip(to).zip(out) {
        // SAFETY: the caller runs this on a machine with S.
        unsafe {
            let from = S::load(&from.0);
            S::load(&to.0).sub(from).mul_add(weight, from).store(&mut out.0);
        }
    }
}

#[inline(always)]
pub(super) unsafe fn dot<S: Simd>(a: [S; 4], b: [S; 4]) -> S {
    // SAFETY: the caller runs this on a machine with S.
    unsafe { a[3].mul_add(b[3], a[2].mul_add(b[2], a[1].mul_add(b[1], a[0].mul(b[0])))) }
}

/// Scaled to length one; identity where there is no direction.
#[inline(always)]
pub(super) unsafe fn normalized<S: Simd>(q: [S; 4]) -> [S; 4] {
    // SAFETY: the caller runs this on a machine with S.
    unsafe {
        let square = dot(q, q);
        let inverse = S::splat(1.0).div(square.sqrt());
        let unit = [q[0].mul(inverse), q[1].mul(inverse), q[2].mul(inverse), q[3].mul(inverse)];
        let zero = S::splat(0.0);
        S::where_greater(square, S::splat(f32::MIN_POSITIVE), unit, [zero, zero, zero, S::splat(1.0)])
    }
}

/// The weighted sum of any number of poses, rotations on the side of the first that counts. The caller has checked the lengths, and that
/// the weights above zero, times `scale`, sum to one.
pub(crate) struct Mix<'a> {
    pub(crate) layers: &'a [(&'a [JointBlock], f32)],
    pub(crate) scale: f32,
    pub(crate) out: &'a mut [JointBlock],
}

impl Kernel for Mix<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        let mut live = self.layers.iter().filter(|(_, weight)| *weight > 0.0);
        let mut next = || live.next().map(|(blocks, weight)| (*blocks, *weight * self.scale));
        let first = [next(), next(), next(), next(), next()];
        // SAFETY: the caller runs this on a machine with S.
        unsafe {
            match first {
                // Few layers, as nearly always, keep their weights in registers.
                [None, ..] => {}
                [Some(a), None, ..] => mix_few::<S, 1>([a], self.out),
                [Some(a), Some(b), None, ..] => mix_few::<S, 2>([a, b], self.out),
                [Some(a), Some(b), Some(c), None, _] => mix_few::<S, 3>([a, b, c], self.out),
                [Some(a), Some(b), Some(c), Some(d), None] => mix_few::<S, 4>([a, b, c, d], self.out),
                _ => self.mix_many::<S>(),
            }
        }
    }
}

impl Mix<'_> {
    /// # Safety
    /// As for [`Kernel::run`].
    #[inline(always)]
    unsafe fn mix_many<S: Simd>(self) {
        let Self { layers, scale, out } = self;
        let mut live = layers.iter().filter(|(_, weight)| *weight > 0.0);
        let Some((first, first_weight)) = live.next() else { return };
        for ((i, out), first) in out.iter_mut().enumerate().zip(*first) {
            // SAFETY: the caller's promise.
            unsafe {
                let mut sum = Sum::<S>::new(first, S::splat(*first_weight * scale));
                for (blocks, weight) in live.clone() {
                    sum.add(&blocks[i], S::splat(*weight * scale));
                }
                sum.store(out);
            }
        }
    }
}

/// # Safety
/// As for [`Kernel::run`].
#[inline(always)]
unsafe fn mix_few<S: Simd, const N: usize>(layers: [(&[JointBlock], f32); N], out: &mut [JointBlock]) {
    let count = out.len();
    // SAFETY: the caller runs this on a machine with S, and layers are as long as `out`.
    unsafe {
        let mut weights = [S::splat(0.0); N];
        let mut n = 0;
        while n < N {
            weights[n] = S::splat(layers[n].1);
            n += 1;
        }
        let mut i = 0;
        while i < count {
            let mut sum = Sum::<S>::new(layers[0].0.get_unchecked(i), weights[0]);
            let mut n = 1;
            while n < N {
                sum.add(layers[n].0.get_unchecked(i), weights[n]);
                n += 1;
            }
            sum.store(out.get_unchecked_mut(i));
            i += 1;
        }
    }
}

/// The weighted sum of blocks.
struct Sum<S> {
    /// Rotations are taken on the side of these, which are those of the first block.
    side: [S; 4],
    translation: [S; 3],
    scale: [S; 3],
    rotation: [S; 4],
}

impl<S: Simd> Sum<S> {
    /// # Safety
    /// The machine has S.
    #[inline(always)]
    unsafe fn new(block: &JointBlock, weight: S) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            let side = load4::<S>(&block.rotation);
            let (translation, scale) = (load3::<S>(&block.translation), load3::<S>(&block.scale));
            Self {
                side,
                translation: [
                    translation[0].mul(weight),
                    translation[1].mul(weight),
                    translation[2].mul(weight),
                ],
                scale: [scale[0].mul(weight), scale[1].mul(weight), scale[2].mul(weight)],
                rotation: [
                    side[0].mul(weight),
                    side[1].mul(weight),
                    side[2].mul(weight),
                    side[3].mul(weight),
                ],
            }
        }
    }

    /// # Safety
    /// The machine has S.
    #[inline(always)]
    unsafe fn add(&mut self, block: &JointBlock, weight: S) {
        // SAFETY: the caller's promise.
        unsafe {
            for c in 0..3 {
                self.translation[c] = S::load(&block.translation[c].0).mul_add(weight, self.translation[c]);
                self.scale[c] = S::load(&block.scale[c].0).mul_add(weight, self.scale[c]);
            }
            let turn = load4::<S>(&block.rotation);
            let weight = weight.flip(dot(self.side, turn));
            for (sum, turn) in self.rotation.iter_mut().zip(turn) {
                *sum = turn.mul_add(weight, *sum);
            }
        }
    }

    /// # Safety
    /// The machine has S.
    #[inline(always)]
    unsafe fn store(self, out: &mut JointBlock) {
        // SAFETY: the caller's promise.
        unsafe {
            store(self.translation, &mut out.translation);
            store(self.scale, &mut out.scale);
            store(normalized(self.rotation), &mut out.rotation);
        }
    }
}

#[inline(always)]
pub(super) unsafe fn store<S: Simd, const N: usize>(from: [S; N], to: &mut [Lanes; N]) {
    let mut c = 0;
    while c < N {
        // SAFETY: the caller runs this on a machine with S.
        unsafe { from[c].store(&mut to[c].0) };
        c += 1;
    }
}
