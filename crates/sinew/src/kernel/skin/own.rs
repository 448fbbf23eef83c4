//! Vertices with joints of their own: the sum of matrices is made for each of them, and its numbers put into lanes.

use super::{Joints, Run, SkinRuns};
use crate::Mat3x4;
use crate::kernel::simd::{Simd, Wide};
use crate::pose::{LANES, Lanes};
use std::mem::MaybeUninit;

/// The numbers of eight matrices, row by row.
pub(super) type Sums = [Lanes; 12];

impl SkinRuns<'_> {
    /// The joints of the vertices of a block, one after another.
    #[inline(always)]
    pub(super) fn own_joints(&self, run: &Run, block: usize) -> &[[u16; LANES]] {
        match run.joints {
            Joints::Own(start) => &self.joints[start + block * run.len..][..run.len],
            Joints::Shared(_) => unreachable!("a run whose vertices share their joints"),
        }
    }

    /// The sums of the weighted matrices of a block: a number in each lanes.
    #[inline(always)]
    pub(super) unsafe fn own<S: Simd>(&self, joints: &[[u16; LANES]], weights: &[Lanes]) -> Sums {
        let mut out = [Lanes::splat(0.0); 12];
        // SAFETY: the caller runs this on a machine with S.
        unsafe {
            let pairs = [
                self.pair::<S, 0>(joints, weights),
                self.pair::<S, 1>(joints, weights),
                self.pair::<S, 2>(joints, weights),
                self.pair::<S, 3>(joints, weights),
            ];
            let mut row = 0;
            while row < 3 {
                // What turns components into rows turns rows into components.
                let lanes = S::to_rows([pairs[0][row], pairs[1][row], pairs[2][row], pairs[3][row]]);
                lanes[0].store(&mut out[4 * row].0);
                lanes[1].store(&mut out[4 * row + 1].0);
                lanes[2].store(&mut out[4 * row + 2].0);
                lanes[3].store(&mut out[4 * row + 3].0);
                row += 1;
            }
        }
        out
    }

    /// The rows of the sums for vertices `K` and `K + 4` of a block. The first matrix is taken as it is, or is zero, as in [`Self::spread_out`].
    #[inline(always)]
    unsafe fn pair<S: Simd, const K: usize>(&self, joints: &[[u16; LANES]], weights: &[Lanes]) -> [S; 3] {
        let (whole, others) = joints.split_at(joints.len() - weights.len());
        let of = |joints: &[u16; LANES]| {
            [&self.matrices[usize::from(joints[K])].rows, &self.matrices[usize::from(joints[K + 4])].rows]
        };
        let [low, high] = whole.first().map_or([&Mat3x4::ZERO.rows; 2], of);
        // SAFETY: the caller runs this on a machine with S.
        unsafe {
            let first = [S::rows(&low[0], &high[0]), S::rows(&low[1], &high[1]), S::rows(&low[2], &high[2])];
            let mut sum = first;
            for (joints, weights) in others.iter().zip(weights) {
                let ([low, high], weight) = (of(joints), S::load(&weights.0).spread::<K>());
                sum[0] = S::rows(&low[0], &high[0]).sub(first[0]).mul_add(weight, sum[0]);
                sum[1] = S::rows(&low[1], &high[1]).sub(first[1]).mul_add(weight, sum[1]);
                sum[2] = S::rows(&low[2], &high[2]).sub(first[2]).mul_add(weight, sum[2]);
            }
            sum
        }
    }
}

/// Sums that were made before, of as many blocks as W takes.
///
/// # Safety
/// The machine has W, and the sums were written.
#[inline(always)]
pub(super) unsafe fn summed<W: Wide>(sums: &[MaybeUninit<Sums>]) -> [[W; 4]; 3] {
    let sums = &sums[..W::BLOCKS];
    // SAFETY: the caller's promise.
    unsafe {
        let lanes = std::slice::from_raw_parts(sums.as_ptr().cast::<Lanes>(), 12 * sums.len());
        let mut sum = [[W::splat(0.0); 4]; 3];
        let mut n = 0;
        while n < 12 {
            sum[n / 4][n % 4] = W::gather(&lanes[n..], 12);
            n += 1;
        }
        sum
    }
}
