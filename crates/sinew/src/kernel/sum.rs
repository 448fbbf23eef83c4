//! Several voices of a layer: their weighted sum, laid over what lies below.

use super::blend::{normalized, store};
use super::layer::{Share, Sides};
use super::simd::Simd;
use super::{Kernel, load3, load4};
use crate::pose::{JointBlock, Lanes};

/// What a layer is laid over, and where the result goes.
pub(crate) struct Ground<'a> {
    /// `None` if it is what `out` holds.
    pub(crate) below: Option<&'a [JointBlock]>,
    pub(crate) out: &'a mut [JointBlock],
}

impl Ground<'_> {
    #[inline(always)]
    fn below(&self, i: usize) -> &JointBlock {
        match self.below {
            Some(below) => &below[i],
            None => &self.out[i],
        }
    }
}

/// Adds one of several voices of a layer to their sum. The last one lays the sum over what lies below: weights above one in sum are relative to it; below
/// one, the rest is what lies below.
pub(crate) struct Accumulate<'a> {
    pub(crate) voice: &'a [JointBlock],
    pub(crate) share: Share<'a>,
    pub(crate) sides: Sides<'a>,
    /// Where nothing was added before, the side of what lies below counts.
    pub(crate) ground: Ground<'a>,
    /// Whether it is the first of the layer: the sums begin with it.
    pub(crate) first: bool,
    pub(crate) last: bool,
    pub(crate) sum: &'a mut [JointBlock],
    pub(crate) weights: &'a mut [Lanes],
}

impl Kernel for Accumulate<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(mut self) {
        // SAFETY: the caller runs this on a machine with S.
        unsafe {
            let mut excess = Excess::<S>::new();
            for i in 0..self.voice.len() {
                let sum = self.block::<S>(i);
                if self.last {
                    let below = Parts::load(self.ground.below(i));
                    sum.settled(&below, &mut excess).store(&mut self.ground.out[i]);
                } else {
                    sum.parts.store(&mut self.sum[i]);
                    sum.total.store(&mut self.weights[i].0);
                }
            }
        }
    }
}

impl Accumulate<'_> {
    /// The sum of a block with this voice.
    ///
    /// # Safety
    /// The machine has S.
    #[inline(always)]
    unsafe fn block<S: Simd>(&mut self, i: usize) -> Sum<S> {
        // SAFETY: the caller's promise.
        unsafe {
            let weight = self.share.block::<S>(i);
            let voice = Parts::<S>::load(&self.voice[i]);
            let before = if self.first {
                None
            } else {
                Some(Sum { parts: Parts::load(&self.sum[i]), total: S::load(&self.weights[i].0) })
            };
            if !self.sides.held {
                let below = load4::<S>(&self.ground.below(i).rotation);
                let reference = match &before {
                    Some(sum) => S::where_greater(sum.total, S::splat(0.0), sum.parts.rotation, below),
                    None => below,
                };
                self.sides.choose(i, reference, voice.rotation);
            }
            let signed = weight.flip(self.sides.signs(i));
            match before {
                Some(sum) => sum.plus(&voice, weight, signed),
                None => Sum { parts: voice.times(weight, signed), total: weight },
            }
        }
    }
}

/// The components of a block.
struct Parts<S> {
    translation: [S; 3],
    rotation: [S; 4],
    scale: [S; 3],
}

impl<S: Simd> Parts<S> {
    /// # Safety
    /// The machine has S.
    #[inline(always)]
    unsafe fn load(block: &JointBlock) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            Self {
                translation: load3(&block.translation),
                rotation: load4(&block.rotation),
                scale: load3(&block.scale),
            }
        }
    }

    /// # Safety
    /// The machine has S.
    #[inline(always)]
    unsafe fn store(self, to: &mut JointBlock) {
        // SAFETY: the caller's promise.
        unsafe {
            store(self.translation, &mut to.translation);
            store(self.rotation, &mut to.rotation);
            store(self.scale, &mut to.scale);
        }
    }

    /// By a weight, rotations by another.
    ///
    /// # Safety
    /// The machine has S.
    #[inline(always)]
    unsafe fn times(&self, weight: S, turn_weight: S) -> Self {
        let Self { translation: t, rotation: r, scale: s } = self;
        let w = turn_weight;
        // SAFETY: the caller's promise.
        unsafe {
            Self {
                translation: [t[0].mul(weight), t[1].mul(weight), t[2].mul(weight)],
                rotation: [r[0].mul(w), r[1].mul(w), r[2].mul(w), r[3].mul(w)],
                scale: [s[0].mul(weight), s[1].mul(weight), s[2].mul(weight)],
            }
        }
    }

    /// `self` by weights, and `other`.
    ///
    /// # Safety
    /// The machine has S.
    #[inline(always)]
    unsafe fn times_plus(&self, weight: S, turn_weight: S, other: &Self) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            Self {
                translation: times_plus(&self.translation, weight, &other.translation),
                rotation: times_plus(&self.rotation, turn_weight, &other.rotation),
                scale: times_plus(&self.scale, weight, &other.scale),
            }
        }
    }
}

/// # Safety
/// The machine has S.
#[inline(always)]
unsafe fn times_plus<S: Simd, const N: usize>(values: &[S; N], weight: S, sum: &[S; N]) -> [S; N] {
    let mut out = *sum;
    let mut c = 0;
    while c < N {
        // SAFETY: the caller's promise.
        out[c] = unsafe { values[c].mul_add(weight, sum[c]) };
        c += 1;
    }
    out
}

/// The weighted sum of voices, and of their weights.
struct Sum<S> {
    parts: Parts<S>,
    total: S,
}

impl<S: Simd> Sum<S> {
    /// # Safety
    /// The machine has S.
    #[inline(always)]
    unsafe fn plus(self, voice: &Parts<S>, weight: S, turn_weight: S) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            Self { parts: voice.times_plus(weight, turn_weight, &self.parts), total: self.total.add(weight) }
        }
    }

    /// Over what lies below; where nothing counts, that alone.
    ///
    /// # Safety
    /// The machine has S.
    #[inline(always)]
    unsafe fn settled(self, below: &Parts<S>, excess: &mut Excess<S>) -> Parts<S> {
        // SAFETY: the caller's promise.
        unsafe {
            let (one, zero) = (S::splat(1.0), S::splat(0.0));
            let [keep] = S::where_greater(one, self.total, [one.sub(self.total)], [zero]);
            let sum = below.times_plus(keep, keep, &self.parts);
            let scale = excess.inverse(self.total);
            let ([x, y, z], [a, b, c]) = (sum.translation, sum.scale);
            let [p, q, r, s] = normalized(sum.rotation);
            let whole = [
                x.mul(scale),
                y.mul(scale),
                z.mul(scale),
                p,
                q,
                r,
                s,
                a.mul(scale),
                b.mul(scale),
                c.mul(scale),
            ];
            let ([x, y, z], [a, b, c], [p, q, r, s]) = (below.translation, below.scale, below.rotation);
            let none = [x, y, z, p, q, r, s, a, b, c];
            let [x, y, z, p, q, r, s, a, b, c] = S::where_greater(self.total, zero, whole, none);
            Parts { translation: [x, y, z], rotation: [p, q, r, s], scale: [a, b, c] }
        }
    }
}

/// What a sum is divided by. Weights are the same from block to block nearly everywhere, so that one division does for all.
struct Excess<S> {
    total: S,
    inverse: S,
}

impl<S: Simd> Excess<S> {
    /// # Safety
    /// The machine has S.
    #[inline(always)]
    unsafe fn new() -> Self {
        // SAFETY: the caller's promise.
        let one = unsafe { S::splat(1.0) };
        Self { total: one, inverse: one }
    }

    /// One over the sum of the weights where that is above one, else one.
    ///
    /// # Safety
    /// The machine has S.
    #[inline(always)]
    unsafe fn inverse(&mut self, total: S) -> S {
        // SAFETY: the caller's promise.
        unsafe {
            if !total.all_equal(self.total) {
                let one = S::splat(1.0);
                (self.total, self.inverse) = (total, one.div(total.max(one)));
            }
            self.inverse
        }
    }
}
