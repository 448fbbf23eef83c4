//! The reference: plain arithmetic, on any machine.

use super::simd::{Rows, Simd, Vector};
use crate::math::inverse_root_guess;

/// Eight lanes as an array.
#[derive(Clone, Copy)]
pub(crate) struct Scalar([f32; 8]);

impl Scalar {
    #[inline(always)]
    fn zip(self, other: Self, op: impl Fn(f32, f32) -> f32) -> Self {
        let mut out = self;
        for lane in 0..8 {
            out.0[lane] = op(self.0[lane], other.0[lane]);
        }
        out
    }
}

// SAFETY of all functions below: only `unpack` reads through a pointer, within what its caller promises.
impl Vector for Scalar {
    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        Self([value; 8])
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, summand: Self) -> Self {
        self.zip(factor, |a, b| a * b).zip(summand, |a, b| a + b)
    }
    #[inline(always)]
    unsafe fn sub_mul(self, a: Self, b: Self) -> Self {
        self.zip(a.zip(b, |a, b| a * b), |s, p| s - p)
    }
    #[inline(always)]
    unsafe fn inverse_root_guess(self) -> Self {
        Self(self.0.map(inverse_root_guess))
    }
    #[inline(always)]
    unsafe fn flip(self, sign: Self) -> Self {
        self.zip(sign, |v, s| f32::from_bits(v.to_bits() ^ (s.to_bits() & 0x8000_0000)))
    }
    #[inline(always)]
    unsafe fn flip_below_zero(self, value: Self) -> Self {
        self.zip(value, |v, s| if s < 0.0 { -v } else { v })
    }
    #[inline(always)]
    unsafe fn where_between(value: Self, low: f32, high: f32, yes: [Self; 3], no: [Self; 3]) -> [Self; 3] {
        let mut out = yes;
        for lane in 0..8 {
            if !(low < value.0[lane] && value.0[lane] < high) {
                for c in 0..3 {
                    out[c].0[lane] = no[c].0[lane];
                }
            }
        }
        out
    }
}

impl Rows for Scalar {
    #[inline(always)]
    unsafe fn spread<const I: usize>(self) -> Self {
        Self(std::array::from_fn(|i| self.0[i / 4 * 4 + I]))
    }
    #[inline(always)]
    unsafe fn fourth(self) -> Self {
        Self(std::array::from_fn(|i| if i % 4 == 3 { self.0[i] } else { 0.0 }))
    }
}

impl Simd for Scalar {
    #[inline(always)]
    unsafe fn load(from: &[f32; 8]) -> Self {
        Self(*from)
    }
    #[inline(always)]
    unsafe fn store(self, to: &mut [f32; 8]) {
        *to = self.0;
    }
    #[inline(always)]
    unsafe fn div(self, other: Self) -> Self {
        self.zip(other, |a, b| a / b)
    }
    #[inline(always)]
    unsafe fn sqrt(self) -> Self {
        Self(self.0.map(f32::sqrt))
    }
    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    unsafe fn all_equal(self, other: Self) -> bool {
        self.0 == other.0
    }
    #[inline(always)]
    unsafe fn where_greater<const N: usize>(a: Self, b: Self, yes: [Self; N], no: [Self; N]) -> [Self; N] {
        let mut out = no;
        for lane in 0..8 {
            if a.0[lane] > b.0[lane] {
                for c in 0..N {
                    out[c].0[lane] = yes[c].0[lane];
                }
            }
        }
        out
    }
    #[inline(always)]
    unsafe fn where_equal(a: [Self; 4], b: [Self; 4], yes: [Self; 4], no: [Self; 4]) -> [Self; 4] {
        let mut out = no;
        for lane in 0..8 {
            if (0..4).all(|c| a[c].0[lane] == b[c].0[lane]) {
                for c in 0..4 {
                    out[c].0[lane] = yes[c].0[lane];
                }
            }
        }
        out
    }
    #[inline(always)]
    unsafe fn unpack(from: *const u8, width: usize) -> Self {
        let mask = (1u32 << width) - 1;
        Self(std::array::from_fn(|lane| {
            let bit = lane * width;
            // SAFETY: a lane ends below bit 8 · width, so its four bytes lie within the 16 at `from` or the 16 at `from + width / 2`.
            let word = unsafe { from.add(bit / 8).cast::<[u8; 4]>().read() };
            (u32::from_le_bytes(word) >> (bit % 8) & mask) as f32
        }))
    }
    #[inline(always)]
    unsafe fn rows(first: &[f32; 4], second: &[f32; 4]) -> Self {
        Self(std::array::from_fn(|i| if i < 4 { first[i] } else { second[i - 4] }))
    }
    #[inline(always)]
    unsafe fn twice(row: &[f32; 4]) -> Self {
        Self(std::array::from_fn(|i| row[i % 4]))
    }
    #[inline(always)]
    unsafe fn halves(first: Self, second: Self) -> Self {
        Self(std::array::from_fn(|i| if i < 4 { first.0[i] } else { second.0[i] }))
    }
    #[inline(always)]
    unsafe fn row_twice<const SECOND: bool>(self) -> Self {
        Self(std::array::from_fn(|i| self.0[i % 4 + if SECOND { 4 } else { 0 }]))
    }
    #[inline(always)]
    unsafe fn store_rows(self, first: &mut [f32; 4], second: &mut [f32; 4]) {
        first.copy_from_slice(&self.0[..4]);
        second.copy_from_slice(&self.0[4..]);
    }
    #[inline(always)]
    unsafe fn to_rows(components: [Self; 4]) -> [Self; 4] {
        std::array::from_fn(|k| Self(std::array::from_fn(|i| components[i % 4].0[i / 4 * 4 + k])))
    }
    #[inline(always)]
    unsafe fn interleave(vectors: [Self; 3], to: &mut [f32; 24]) {
        for (i, to) in to.iter_mut().enumerate() {
            *to = vectors[i % 3].0[i / 3];
        }
    }
}
