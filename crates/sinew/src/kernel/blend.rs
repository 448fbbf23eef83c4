//! Mixing poses: translations and scales on a line, rotations by normalised lerp on the shorter way.

use super::Kernel;
use super::load4;
use super::simd::Simd;
use crate::pose::{JointBlock, Lanes};

/// `from` to `to` by one weight from 0 to 1, times one per joint where there is a mask. The caller has checked the lengths.
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
        for (i, ((from, to), out)) in self.from.iter().zip(self.to).zip(self.out).enumerate() {
            let weight = match self.mask {
                None => weight,
                // SAFETY: as above.
                Some(mask) => unsafe { weight.mul(S::load(&mask[i].0)) },
            };
            // SAFETY: as above.
            unsafe { blend_block(from, to, weight, out) };
        }
    }
}

#[inline(always)]
unsafe fn blend_block<S: Simd>(from: &JointBlock, to: &JointBlock, weight: S, out: &mut JointBlock) {
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
        let unit = S::where_equal(a, b, a, normalized(sum));
        // A weight of zero, as a mask has, leaves the rotation as it was.
        let zero = S::splat(0.0);
        let unit = [
            S::where_greater(weight, zero, unit[0], a[0]),
            S::where_greater(weight, zero, unit[1], a[1]),
            S::where_greater(weight, zero, unit[2], a[2]),
            S::where_greater(weight, zero, unit[3], a[3]),
        ];
        store(unit, &mut out.rotation);
    }
}

#[inline(always)]
pub(super) unsafe fn mix_lanes<S: Simd>(from: &[Lanes; 3], to: &[Lanes; 3], weight: S, out: &mut [Lanes; 3]) {
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
        let smallest = S::splat(f32::MIN_POSITIVE);
        let zero = S::splat(0.0);
        [
            S::where_greater(square, smallest, q[0].mul(inverse), zero),
            S::where_greater(square, smallest, q[1].mul(inverse), zero),
            S::where_greater(square, smallest, q[2].mul(inverse), zero),
            S::where_greater(square, smallest, q[3].mul(inverse), S::splat(1.0)),
        ]
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
        let Self { layers, scale, out } = self;
        let Some(first) = layers.iter().position(|&(_, weight)| weight > 0.0) else { return };
        for (i, out) in out.iter_mut().enumerate() {
            // SAFETY: the caller runs this on a machine with S.
            unsafe { mix_block::<S>(i, &layers[first..], scale, out) };
        }
    }
}

#[inline(always)]
unsafe fn mix_block<S: Simd>(i: usize, layers: &[(&[JointBlock], f32)], scale: f32, out: &mut JointBlock) {
    // SAFETY: the caller runs this on a machine with S.
    unsafe {
        let side = load4::<S>(&layers[0].0[i].rotation);
        let zero = S::splat(0.0);
        let (mut translations, mut scales, mut rotations) = ([zero; 3], [zero; 3], [zero; 4]);
        for (blocks, weight) in layers.iter().filter(|(_, weight)| *weight > 0.0) {
            let (block, weight) = (&blocks[i], S::splat(*weight * scale));
            for c in 0..3 {
                translations[c] = S::load(&block.translation[c].0).mul_add(weight, translations[c]);
                scales[c] = S::load(&block.scale[c].0).mul_add(weight, scales[c]);
            }
            let turn = load4::<S>(&block.rotation);
            let weight = weight.flip(dot(side, turn));
            for c in 0..4 {
                rotations[c] = turn[c].mul_add(weight, rotations[c]);
            }
        }
        store(translations, &mut out.translation);
        store(scales, &mut out.scale);
        store(normalized(rotations), &mut out.rotation);
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
