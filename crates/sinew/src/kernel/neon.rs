//! aarch64: two registers of four lanes.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "the comment above the implementation says it for all of its functions"
)]

use super::simd::{Rows, Simd, Vector};
use crate::math::INVERSE_ROOT_BITS;
use std::arch::aarch64::*;

/// Lanes 0–3 and 4–7. `FUSED` rounds once in `mul_add` and `sub_mul`.
#[derive(Clone, Copy)]
pub(crate) struct Neon<const FUSED: bool>(float32x4_t, float32x4_t);

impl<const FUSED: bool> Neon<FUSED> {
    #[inline(always)]
    fn zip(self, other: Self, op: impl Fn(float32x4_t, float32x4_t) -> float32x4_t) -> Self {
        Self(op(self.0, other.0), op(self.1, other.1))
    }
}

/// Four numbers of `width` bits, of which the first begins at bit `first` of the bytes.
///
/// # Safety
/// As for [`Simd::unpack`].
#[inline(always)]
unsafe fn unpack_four(from: *const u8, width: usize, first: usize) -> float32x4_t {
    unsafe {
        let (mut words, mut shifts) = ([0u32; 4], [0i32; 4]);
        for lane in 0..4 {
            let bit = first + lane * width;
            words[lane] = u32::from_le_bytes(from.add(bit / 8).cast::<[u8; 4]>().read());
            shifts[lane] = -((bit % 8) as i32);
        }
        let shifted = vshlq_u32(vld1q_u32(words.as_ptr()), vld1q_s32(shifts.as_ptr()));
        vcvtq_f32_u32(vandq_u32(shifted, vdupq_n_u32((1 << width) - 1)))
    }
}

// SAFETY of all functions below: NEON is part of every aarch64 machine; loads and stores go through references, but for `unpack`, whose
// caller promises the bytes.
impl<const FUSED: bool> Vector for Neon<FUSED> {
    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        unsafe { Self(vdupq_n_f32(value), vdupq_n_f32(value)) }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| unsafe { vaddq_f32(a, b) })
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| unsafe { vsubq_f32(a, b) })
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| unsafe { vmulq_f32(a, b) })
    }
    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, summand: Self) -> Self {
        unsafe {
            if FUSED {
                Self(vfmaq_f32(summand.0, self.0, factor.0), vfmaq_f32(summand.1, self.1, factor.1))
            } else {
                self.mul(factor).add(summand)
            }
        }
    }
    #[inline(always)]
    unsafe fn sub_mul(self, a: Self, b: Self) -> Self {
        unsafe {
            if FUSED {
                Self(vfmsq_f32(self.0, a.0, b.0), vfmsq_f32(self.1, a.1, b.1))
            } else {
                self.sub(a.mul(b))
            }
        }
    }
    #[inline(always)]
    unsafe fn inverse_root_guess(self) -> Self {
        self.zip(self, |value, _| unsafe {
            let half = vshrq_n_u32::<1>(vreinterpretq_u32_f32(value));
            vreinterpretq_f32_u32(vsubq_u32(vdupq_n_u32(INVERSE_ROOT_BITS), half))
        })
    }
    #[inline(always)]
    unsafe fn flip(self, sign: Self) -> Self {
        self.zip(sign, |value, sign| unsafe {
            let bit = vandq_u32(vreinterpretq_u32_f32(sign), vdupq_n_u32(0x8000_0000));
            vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(value), bit))
        })
    }
    #[inline(always)]
    unsafe fn flip_below_zero(self, value: Self) -> Self {
        self.zip(value, |number, value| unsafe {
            let bit = vandq_u32(vcltzq_f32(value), vdupq_n_u32(0x8000_0000));
            vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(number), bit))
        })
    }
    #[inline(always)]
    unsafe fn where_between(value: Self, low: f32, high: f32, yes: [Self; 3], no: [Self; 3]) -> [Self; 3] {
        unsafe {
            let (low, high) = (vdupq_n_f32(low), vdupq_n_f32(high));
            let between = |v| vandq_u32(vcgtq_f32(v, low), vcltq_f32(v, high));
            let (first, second) = (between(value.0), between(value.1));
            let mut out = yes;
            for c in 0..3 {
                out[c] = Self(vbslq_f32(first, yes[c].0, no[c].0), vbslq_f32(second, yes[c].1, no[c].1));
            }
            out
        }
    }
}

impl<const FUSED: bool> Rows for Neon<FUSED> {
    #[inline(always)]
    unsafe fn spread<const I: usize>(self) -> Self {
        unsafe {
            match I {
                0 => Self(vdupq_laneq_f32::<0>(self.0), vdupq_laneq_f32::<0>(self.1)),
                1 => Self(vdupq_laneq_f32::<1>(self.0), vdupq_laneq_f32::<1>(self.1)),
                2 => Self(vdupq_laneq_f32::<2>(self.0), vdupq_laneq_f32::<2>(self.1)),
                _ => Self(vdupq_laneq_f32::<3>(self.0), vdupq_laneq_f32::<3>(self.1)),
            }
        }
    }
    #[inline(always)]
    unsafe fn fourth(self) -> Self {
        unsafe {
            let zero = vdupq_n_f32(0.0);
            Self(vcopyq_laneq_f32::<3, 3>(zero, self.0), vcopyq_laneq_f32::<3, 3>(zero, self.1))
        }
    }
}

impl<const FUSED: bool> Simd for Neon<FUSED> {
    #[inline(always)]
    unsafe fn load(from: &[f32; 8]) -> Self {
        unsafe { Self(vld1q_f32(from.as_ptr()), vld1q_f32(from.as_ptr().add(4))) }
    }
    #[inline(always)]
    unsafe fn store(self, to: &mut [f32; 8]) {
        unsafe {
            vst1q_f32(to.as_mut_ptr(), self.0);
            vst1q_f32(to.as_mut_ptr().add(4), self.1);
        }
    }
    #[inline(always)]
    unsafe fn div(self, other: Self) -> Self {
        self.zip(other, |a, b| unsafe { vdivq_f32(a, b) })
    }
    #[inline(always)]
    unsafe fn sqrt(self) -> Self {
        unsafe { Self(vsqrtq_f32(self.0), vsqrtq_f32(self.1)) }
    }
    // Not `vmaxq_f32`, which gives NaN for NaN.
    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| unsafe { vbslq_f32(vcgtq_f32(a, b), a, b) })
    }
    #[inline(always)]
    unsafe fn all_equal(self, other: Self) -> bool {
        unsafe { vminvq_u32(vandq_u32(vceqq_f32(self.0, other.0), vceqq_f32(self.1, other.1))) != 0 }
    }
    #[inline(always)]
    unsafe fn where_greater<const N: usize>(a: Self, b: Self, yes: [Self; N], no: [Self; N]) -> [Self; N] {
        unsafe {
            let (low, high) = (vcgtq_f32(a.0, b.0), vcgtq_f32(a.1, b.1));
            let mut out = yes;
            for c in 0..N {
                out[c] = Self(vbslq_f32(low, yes[c].0, no[c].0), vbslq_f32(high, yes[c].1, no[c].1));
            }
            out
        }
    }
    #[inline(always)]
    unsafe fn where_equal(a: [Self; 4], b: [Self; 4], yes: [Self; 4], no: [Self; 4]) -> [Self; 4] {
        unsafe {
            let (mut low, mut high) = (vdupq_n_u32(u32::MAX), vdupq_n_u32(u32::MAX));
            for c in 0..4 {
                low = vandq_u32(low, vceqq_f32(a[c].0, b[c].0));
                high = vandq_u32(high, vceqq_f32(a[c].1, b[c].1));
            }
            let mut out = yes;
            for c in 0..4 {
                out[c] = Self(vbslq_f32(low, yes[c].0, no[c].0), vbslq_f32(high, yes[c].1, no[c].1));
            }
            out
        }
    }
    #[inline(always)]
    unsafe fn unpack(from: *const u8, width: usize) -> Self {
        unsafe { Self(unpack_four(from, width, 0), unpack_four(from, width, 4 * width)) }
    }
    #[inline(always)]
    unsafe fn rows(first: &[f32; 4], second: &[f32; 4]) -> Self {
        unsafe { Self(vld1q_f32(first.as_ptr()), vld1q_f32(second.as_ptr())) }
    }
    #[inline(always)]
    unsafe fn twice(row: &[f32; 4]) -> Self {
        unsafe {
            let row = vld1q_f32(row.as_ptr());
            Self(row, row)
        }
    }
    #[inline(always)]
    unsafe fn halves(first: Self, second: Self) -> Self {
        Self(first.0, second.1)
    }
    #[inline(always)]
    unsafe fn row_twice<const SECOND: bool>(self) -> Self {
        let row = if SECOND { self.1 } else { self.0 };
        Self(row, row)
    }
    #[inline(always)]
    unsafe fn store_rows(self, first: &mut [f32; 4], second: &mut [f32; 4]) {
        unsafe {
            vst1q_f32(first.as_mut_ptr(), self.0);
            vst1q_f32(second.as_mut_ptr(), self.1);
        }
    }
    #[inline(always)]
    unsafe fn to_rows(components: [Self; 4]) -> [Self; 4] {
        let [x, y, z, w] = components;
        unsafe {
            let (low, high) = (transpose([x.0, y.0, z.0, w.0]), transpose([x.1, y.1, z.1, w.1]));
            [0, 1, 2, 3].map(|k| Self(low[k], high[k]))
        }
    }
    #[inline(always)]
    unsafe fn interleave(vectors: [Self; 3], to: &mut [f32; 24]) {
        let [x, y, z] = vectors;
        unsafe {
            vst3q_f32(to.as_mut_ptr(), float32x4x3_t(x.0, y.0, z.0));
            vst3q_f32(to.as_mut_ptr().add(12), float32x4x3_t(x.1, y.1, z.1));
        }
    }
}

/// Rows of a 4×4 matrix from its columns.
///
/// # Safety
/// None is needed beyond NEON, which every aarch64 machine has.
#[inline(always)]
unsafe fn transpose(columns: [float32x4_t; 4]) -> [float32x4_t; 4] {
    unsafe {
        let [x, y, z, w] = columns;
        let (xy, zw) = (vtrnq_f32(x, y), vtrnq_f32(z, w));
        [
            vcombine_f32(vget_low_f32(xy.0), vget_low_f32(zw.0)),
            vcombine_f32(vget_low_f32(xy.1), vget_low_f32(zw.1)),
            vcombine_f32(vget_high_f32(xy.0), vget_high_f32(zw.0)),
            vcombine_f32(vget_high_f32(xy.1), vget_high_f32(zw.1)),
        ]
    }
}
