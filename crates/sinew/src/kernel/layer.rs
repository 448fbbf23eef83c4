//! Laying one layer of a mix over what lies below it, in place.
//!
//! Rotations are summed on one side of the sphere. Which side a voice is on is chosen once and held (a bit for each joint), so that a blend that has
//! begun one way round does not turn over when the rotations come to lie opposite.

use super::blend::{dot, normalized, store};
use super::simd::Simd;
use super::{Kernel, load3, load4};
use crate::pose::{JointBlock, LANES, Lanes};

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
    pub(super) unsafe fn block<S: Simd>(&self, i: usize) -> S {
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
    /// Chooses the sides of a block: those of `reference`.
    #[inline(always)]
    pub(super) unsafe fn choose<S: Simd>(&mut self, i: usize, reference: [S; 4], turn: [S; 4]) {
        let mut products = [0.0; LANES];
        // SAFETY: the caller runs this on a machine with S.
        unsafe { dot(reference, turn).store(&mut products) };
        self.bits[i] = 0;
        for (lane, product) in products.iter().enumerate() {
            self.bits[i] |= u8::from(*product < 0.0) << lane;
        }
    }

    /// 1 or −1 in each lane.
    #[inline(always)]
    pub(super) unsafe fn signs<S: Simd>(&self, i: usize) -> S {
        // SAFETY: the caller runs this on a machine with S.
        unsafe { S::load(&SIGNS[usize::from(self.bits[i])]) }
    }
}

/// The signs of eight lanes, by the bits of a byte: −1 where one is set.
pub(super) static SIGNS: [[f32; LANES]; 256] = {
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
                if !self.sides.held {
                    self.sides.choose(i, below, turn);
                }
                over_block(voice, below, turn, weight, weight.flip(self.sides.signs(i)), out);
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
            let mixed = [
                to[0].sub(from[0]).mul_add(weight, from[0]),
                to[1].sub(from[1]).mul_add(weight, from[1]),
                to[2].sub(from[2]).mul_add(weight, from[2]),
            ];
            store(choose(weight, to, mixed, from), out);
        }
    }
}

/// In each lane `all` at a weight of one, `none` at zero, and `part` between.
#[inline(always)]
unsafe fn choose<S: Simd, const N: usize>(weight: S, all: [S; N], part: [S; N], none: [S; N]) -> [S; N] {
    // SAFETY: the caller runs this on a machine with S.
    unsafe {
        let some = S::where_greater(weight, S::splat(0.0), part, none);
        S::where_greater(S::splat(1.0), weight, some, all)
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
