//! Where a pose would go by its own velocity.
//!
//! A velocity lies in the lanes of a block: of translation and scale as it is, of rotation as the vector `2·tan(angle / 2)` per second about its axis, in
//! the place of x, y, z.

use super::Kernel;
use super::blend::{normalized, store};
use super::layer::product;
use super::simd::Simd;
use super::{load3, load4};
use crate::pose::{JointBlock, Lanes};

/// The velocity from one pose to another, `rate` being one over the seconds between them.
pub(crate) struct Velocity<'a> {
    pub(crate) before: &'a [JointBlock],
    pub(crate) now: &'a [JointBlock],
    pub(crate) rate: f32,
    pub(crate) out: &'a mut [JointBlock],
}

impl Kernel for Velocity<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        for ((before, now), out) in self.before.iter().zip(self.now).zip(self.out) {
            // SAFETY: the caller runs this on a machine with S.
            unsafe {
                let rate = S::splat(self.rate);
                difference(&before.translation, &now.translation, rate, &mut out.translation);
                difference(&before.scale, &now.scale, rate, &mut out.scale);
                let (from, to, zero) =
                    (load4::<S>(&before.rotation), load4::<S>(&now.rotation), S::splat(0.0));
                let back = [zero.sub(from[0]), zero.sub(from[1]), zero.sub(from[2]), from[3]];
                let way = product(to, back);
                // Half a turn between two poses has no direction worth following.
                let square = way[3].mul(way[3]);
                let factor = S::splat(2.0).mul(rate).div(way[3]);
                let [factor] = S::where_greater(square, S::splat(1e-6), [factor], [zero]);
                store([way[0].mul(factor), way[1].mul(factor), way[2].mul(factor), zero], &mut out.rotation);
            }
        }
    }
}

#[inline(always)]
unsafe fn difference<S: Simd>(before: &[Lanes; 3], now: &[Lanes; 3], rate: S, out: &mut [Lanes; 3]) {
    // SAFETY: the caller runs this on a machine with S.
    unsafe {
        let (before, now) = (load3::<S>(before), load3::<S>(now));
        let rates = [
            now[0].sub(before[0]).mul(rate),
            now[1].sub(before[1]).mul(rate),
            now[2].sub(before[2]).mul(rate),
        ];
        store(rates, out);
    }
}

/// A pose moved on by its velocity for so many seconds.
pub(crate) struct Extrapolate<'a> {
    pub(crate) pose: &'a [JointBlock],
    pub(crate) velocity: &'a [JointBlock],
    pub(crate) seconds: f32,
    pub(crate) out: &'a mut [JointBlock],
}

impl Kernel for Extrapolate<'_> {
    #[inline(always)]
    unsafe fn run<S: Simd>(self) {
        for ((pose, velocity), out) in self.pose.iter().zip(self.velocity).zip(self.out) {
            // SAFETY: the caller runs this on a machine with S.
            unsafe {
                let seconds = S::splat(self.seconds);
                moved(&pose.translation, &velocity.translation, seconds, &mut out.translation);
                moved(&pose.scale, &velocity.scale, seconds, &mut out.scale);
                let (turn, rate) = (load4::<S>(&pose.rotation), load4::<S>(&velocity.rotation));
                let half = seconds.mul(S::splat(0.5));
                let way = [rate[0].mul(half), rate[1].mul(half), rate[2].mul(half), S::splat(1.0)];
                store(normalized(product(way, turn)), &mut out.rotation);
            }
        }
    }
}

#[inline(always)]
unsafe fn moved<S: Simd>(from: &[Lanes; 3], rate: &[Lanes; 3], seconds: S, out: &mut [Lanes; 3]) {
    // SAFETY: the caller runs this on a machine with S.
    unsafe {
        let (from, rate) = (load3::<S>(from), load3::<S>(rate));
        let to = [
            rate[0].mul_add(seconds, from[0]),
            rate[1].mul_add(seconds, from[1]),
            rate[2].mul_add(seconds, from[2]),
        ];
        store(to, out);
    }
}
