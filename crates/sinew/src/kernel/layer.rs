//! Laying one layer of a mix over what lies below it, in place.
//!
//! Rotations are summed on one side of the sphere. Which side a voice is on is chosen once and held (a bit for each joint), so that a blend that has
//! begun one way round does not turn over when the rotations come to lie opposite.

use super::blend::{dot, mix_lanes, normalized, store};
use super::simd::Simd;
use super::{Kernel, load3, load4};
use crate::pose::{JointBlock, LANES, Lanes};

/// The largest number below one.
const BELOW_ONE: f32 = 1.0 - f32::EPSILON / 2.0;

/// How much of a voice counts: one weight, times one for each joint of the clip, times one for each joint of a mask.
#[derive(Clone, Copy)]
pub(crate) struct Share<'a> {
    pub(crate) weight: f32,
    /// Blocks behind its end count as zero.
    pub(crate) coverage: &'a [Lanes],
    pub(crate) mask: Option<&'a [Lanes]>,
}

impl Share<'_> {
    #[inline(always)]
    unsafe fn block<S: Simd>(&self, i: usize) -> S {
        // SAFETY: the caller runs this on a machine with S.
        unsafe {
            let Some(coverage) = self.coverage.get(i) else { return S::splat(0.0) };
            let weight = S::splat(self.weight).mul(S::load(&coverage.0));
            match self.mask {
                Some(mask) => weight.mul(S::load(&mask[i].0)),
                None => weight,
            }
        }
    }
}

/// On which side of the sphere the rotations of a voice count.
pub(crate) struct Sides<'a> {
    /// A byte for each block, a bit for each joint: set where a rotation is turned over.
    pub(crate) bits: &'a mut [u8],
    /// Whether they are chosen already.
    pub(crate) held: bool,
}

impl Sides<'_> {
    /// 1 or −1 in each lane, chosen by the side of `reference` unless it is held.
    #[inline(always)]
    unsafe fn block<S: Simd>(&mut self, i: usize, reference: [S; 4], turn: [S; 4]) -> S {
        // SAFETY: the caller runs this on a machine with S.
        unsafe {
            if !self.held {
                let mut products = [0.0; LANES];
                dot(reference, turn).store(&mut products);
                self.bits[i] = 0;
                for (lane, product) in products.iter().enumerate() {
                    self.bits[i] |= u8::from(*product < 0.0) << lane;
                }
            }
            S::load(&SIGNS[usize::from(self.bits[i])])
        }
    }
}

/// The signs of eight lanes, by the bits of a byte.
static SIGNS: [[f32; LANES]; 256] = {
    let mut signs = [[1.0; LANES]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut lane = 0;
        while lane < LANES {
            if byte >> lane & 1 == 1 {
                signs[byte][lane] = -1.0;
            }
            lane += 1;
        }
        byte += 1;
    }
    signs
};

/// One voice over what lies below: at a share of one its own transform and at zero the one below, to the last bit.
pub(crate) struct Over<'a> {
    pub(crate) voice: &'a [JointBlock],
    pub(crate) share: Share<'a>,
    pub(crate) sides: Sides<'a>,
    pub(crate) out: &'a mut [JointBlock],
}

impl Kernel for Over<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(mut self) {
        for (i, (voice, out)) in self.voice.iter().zip(self.out).enumerate() {
            // SAFETY: the caller runs this on a machine with S.
            unsafe {
                let weight = self.share.block::<S>(i);
                let (below, turn) = (load4::<S>(&out.rotation), load4::<S>(&voice.rotation));
                let sign = self.sides.block(i, below, turn);
                over_block(voice, below, turn, weight, weight.flip(sign), out);
            }
        }
    }
}

#[inline(always)]
unsafe fn over_block<S: Simd>(
    voice: &JointBlock,
    below: [S; 4],
    turn: [S; 4],
    weight: S,
    signed: S,
    out: &mut JointBlock,
) {
    // SAFETY: the caller runs this on a machine with S.
    unsafe {
        let keep = S::splat(1.0).sub(weight);
        let sum = [
            turn[0].mul_add(signed, below[0].mul(keep)),
            turn[1].mul_add(signed, below[1].mul(keep)),
            turn[2].mul_add(signed, below[2].mul(keep)),
            turn[3].mul_add(signed, below[3].mul(keep)),
        ];
        let unit = normalized(sum);
        store(choose(weight, turn, unit, below), &mut out.rotation);
        for (voice, out) in [(&voice.translation, &mut out.translation), (&voice.scale, &mut out.scale)] {
            let (to, from) = (load3::<S>(voice), load3::<S>(out));
            let mut mixed = [Lanes::splat(0.0); 3];
            mix_lanes(out, voice, weight, &mut mixed);
            store(choose(weight, to, load3(&mixed), from), out);
        }
    }
}

/// In each lane `all` at a weight of one, `none` at zero, and `part` between.
#[inline(always)]
unsafe fn choose<S: Simd, const N: usize>(weight: S, all: [S; N], part: [S; N], none: [S; N]) -> [S; N] {
    // SAFETY: the caller runs this on a machine with S.
    unsafe {
        let some = S::where_greater(weight, S::splat(0.0), part, none);
        S::where_greater(weight, S::splat(BELOW_ONE), all, some)
    }
}

/// Adds one of several voices of a layer to their sum.
pub(crate) struct Accumulate<'a> {
    pub(crate) voice: &'a [JointBlock],
    pub(crate) share: Share<'a>,
    pub(crate) sides: Sides<'a>,
    /// What lies below, whose side counts where nothing was added before.
    pub(crate) below: &'a [JointBlock],
    /// Whether it is the first of the layer: the sums begin with it.
    pub(crate) first: bool,
    pub(crate) sum: &'a mut [JointBlock],
    pub(crate) weights: &'a mut [Lanes],
}

impl Kernel for Accumulate<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(mut self) {
        for (i, voice) in self.voice.iter().enumerate() {
            let (sum, total) = (&mut self.sum[i], &mut self.weights[i]);
            if self.first {
                (*sum, *total) = (EMPTY, Lanes::splat(0.0));
            }
            // SAFETY: the caller runs this on a machine with S.
            unsafe {
                let weight = self.share.block::<S>(i);
                let before = S::load(&total.0);
                let (summed, turn) = (load4::<S>(&sum.rotation), load4::<S>(&voice.rotation));
                let below = load4::<S>(&self.below[i].rotation);
                let sign = self.sides.block(i, choose(before, summed, summed, below), turn);
                let signed = weight.flip(sign);
                let turns = [
                    turn[0].mul_add(signed, summed[0]),
                    turn[1].mul_add(signed, summed[1]),
                    turn[2].mul_add(signed, summed[2]),
                    turn[3].mul_add(signed, summed[3]),
                ];
                store(turns, &mut sum.rotation);
                add(&voice.translation, weight, &mut sum.translation);
                add(&voice.scale, weight, &mut sum.scale);
                before.add(weight).store(&mut total.0);
            }
        }
    }
}

/// A sum of nothing.
const EMPTY: JointBlock = JointBlock {
    translation: [Lanes::splat(0.0); 3],
    rotation: [Lanes::splat(0.0); 4],
    scale: [Lanes::splat(0.0); 3],
};

#[inline(always)]
unsafe fn add<S: Simd>(values: &[Lanes; 3], weight: S, sum: &mut [Lanes; 3]) {
    for (value, sum) in values.iter().zip(sum) {
        // SAFETY: the caller runs this on a machine with S.
        unsafe { S::load(&value.0).mul_add(weight, S::load(&sum.0)).store(&mut sum.0) };
    }
}

/// Lays the sum of a layer over what lies below. Weights above one in sum are relative to it; below one, the rest is what lies below.
pub(crate) struct Settle<'a> {
    pub(crate) sum: &'a [JointBlock],
    pub(crate) weights: &'a [Lanes],
    pub(crate) out: &'a mut [JointBlock],
}

impl Kernel for Settle<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        for ((sum, weights), out) in self.sum.iter().zip(self.weights).zip(self.out) {
            // SAFETY: the caller runs this on a machine with S.
            unsafe {
                let (one, total) = (S::splat(1.0), S::load(&weights.0));
                let [keep] = S::where_greater(one, total, [one.sub(total)], [S::splat(0.0)]);
                let scale = one.div(total.max(one));
                let (turn, below) = (load4::<S>(&sum.rotation), load4::<S>(&out.rotation));
                let turns = [
                    below[0].mul_add(keep, turn[0]),
                    below[1].mul_add(keep, turn[1]),
                    below[2].mul_add(keep, turn[2]),
                    below[3].mul_add(keep, turn[3]),
                ];
                let unit = normalized(turns);
                store(choose(total, unit, unit, below), &mut out.rotation);
                settle3(&sum.translation, total, keep, scale, &mut out.translation);
                settle3(&sum.scale, total, keep, scale, &mut out.scale);
            }
        }
    }
}

#[inline(always)]
unsafe fn settle3<S: Simd>(sum: &[Lanes; 3], total: S, keep: S, scale: S, out: &mut [Lanes; 3]) {
    // SAFETY: the caller runs this on a machine with S.
    unsafe {
        let (sums, below) = (load3::<S>(sum), load3::<S>(out));
        let mixed = [
            below[0].mul_add(keep, sums[0]).mul(scale),
            below[1].mul_add(keep, sums[1]).mul(scale),
            below[2].mul_add(keep, sums[2]).mul(scale),
        ];
        store(choose(total, mixed, mixed, below), out);
    }
}

/// Adds the difference between a voice and a reference: rotation `below · (reference⁻¹ · voice)^w`, translation by difference, scale by ratio.
/// The power is the normalised line from no turn.
pub(crate) struct Add<'a> {
    pub(crate) voice: &'a [JointBlock],
    pub(crate) reference: &'a [JointBlock],
    pub(crate) share: Share<'a>,
    pub(crate) out: &'a mut [JointBlock],
}

impl Kernel for Add<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        for (i, ((voice, reference), out)) in self.voice.iter().zip(self.reference).zip(self.out).enumerate()
        {
            // SAFETY: the caller runs this on a machine with S.
            unsafe {
                let weight = self.share.block::<S>(i);
                add_turn(&voice.rotation, &reference.rotation, weight, &mut out.rotation);
                let (to, from) = (load3::<S>(&voice.translation), load3::<S>(&reference.translation));
                let below = load3::<S>(&out.translation);
                let moved = [
                    to[0].sub(from[0]).mul_add(weight, below[0]),
                    to[1].sub(from[1]).mul_add(weight, below[1]),
                    to[2].sub(from[2]).mul_add(weight, below[2]),
                ];
                store(choose(weight, moved, moved, below), &mut out.translation);
                add_scale(&voice.scale, &reference.scale, weight, &mut out.scale);
            }
        }
    }
}

#[inline(always)]
unsafe fn add_turn<S: Simd>(voice: &[Lanes; 4], reference: &[Lanes; 4], weight: S, out: &mut [Lanes; 4]) {
    // SAFETY: the caller runs this on a machine with S.
    unsafe {
        let (q, r, below) = (load4::<S>(voice), load4::<S>(reference), load4::<S>(out));
        let zero = S::splat(0.0);
        let back = [zero.sub(r[0]), zero.sub(r[1]), zero.sub(r[2]), r[3]];
        let turn = product(back, q);
        // On the side of no turn.
        let signed = weight.flip(turn[3]);
        let part = normalized([
            turn[0].mul(signed),
            turn[1].mul(signed),
            turn[2].mul(signed),
            turn[3].mul_add(signed, S::splat(1.0).sub(weight)),
        ]);
        let turned = normalized(product(below, part));
        store(choose(weight, turned, turned, below), out);
    }
}

#[inline(always)]
unsafe fn add_scale<S: Simd>(voice: &[Lanes; 3], reference: &[Lanes; 3], weight: S, out: &mut [Lanes; 3]) {
    // SAFETY: the caller runs this on a machine with S.
    unsafe {
        let (to, from, below) = (load3::<S>(voice), load3::<S>(reference), load3::<S>(out));
        let one = S::splat(1.0);
        let mut scaled = below;
        let mut c = 0;
        while c < 3 {
            let ratio = to[c].div(from[c]);
            // Nothing has no ratio.
            let [ratio] = S::where_greater(from[c].mul(from[c]), S::splat(f32::MIN_POSITIVE), [ratio], [one]);
            scaled[c] = ratio.sub(one).mul_add(weight, one).mul(below[c]);
            c += 1;
        }
        store(choose(weight, scaled, scaled, below), out);
    }
}

/// The product of quaternions: first `b`, then `a`.
#[inline(always)]
pub(super) unsafe fn product<S: Simd>(a: [S; 4], b: [S; 4]) -> [S; 4] {
    // SAFETY: the caller runs this on a machine with S.
    unsafe {
        [
            a[1].mul(b[2]).add(a[0].mul(b[3])).add(a[3].mul(b[0])).sub(a[2].mul(b[1])),
            a[2].mul(b[0]).add(a[1].mul(b[3])).add(a[3].mul(b[1])).sub(a[0].mul(b[2])),
            a[0].mul(b[1]).add(a[2].mul(b[3])).add(a[3].mul(b[2])).sub(a[1].mul(b[0])),
            a[3].mul(b[3]).sub(a[0].mul(b[0])).sub(a[1].mul(b[1])).sub(a[2].mul(b[2])),
        ]
    }
}
