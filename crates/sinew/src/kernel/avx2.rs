//! x86-64 with AVX2, with or without fused multiply-add.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "the comment above the implementation says it for all of its functions"
)]

use super::WIDEST;
use super::simd::{Rows, Simd, Vector};
use crate::math::INVERSE_ROOT_BITS;
use std::arch::x86_64::*;

/// One register of eight lanes. `FUSED` rounds once in `mul_add` and `sub_mul`.
#[derive(Clone, Copy)]
pub(crate) struct Avx2<const FUSED: bool>(__m256);

/// Where the bits of eight numbers lie: bytes to each lane, then shift and mask.
#[repr(C, align(32))]
#[derive(Clone, Copy)]
struct Unpack {
    shuffle: [u8; 32],
    shift: [u32; 8],
    mask: [u32; 8],
}

/// By width. Lanes 0–3 are taken from the 16 bytes at the start, lanes 4–7 from those at half the width.
static UNPACK: [Unpack; WIDEST + 1] = {
    let mut table = [Unpack { shuffle: [0x80; 32], shift: [0; 8], mask: [0; 8] }; WIDEST + 1];
    let mut width = 1;
    while width <= WIDEST {
        let mut lane = 0;
        while lane < 8 {
            let bit = lane * width - if lane >= 4 { 8 * (width / 2) } else { 0 };
            let mut byte = 0;
            while byte < 4 {
                table[width].shuffle[lane * 4 + byte] = (bit / 8 + byte) as u8;
                byte += 1;
            }
            table[width].shift[lane] = (bit % 8) as u32;
            table[width].mask[lane] = (1 << width) - 1;
            lane += 1;
        }
        width += 1;
    }
    table
};

// SAFETY of all functions below: `super::dispatch` runs them only where AVX2 (and FMA, if `FUSED`) was detected; loads and stores
// go through references, but for `unpack`, whose caller promises the bytes.
impl<const FUSED: bool> Vector for Avx2<FUSED> {
    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        unsafe { Self(_mm256_set1_ps(value)) }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        unsafe { Self(_mm256_add_ps(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        unsafe { Self(_mm256_sub_ps(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        unsafe { Self(_mm256_mul_ps(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, summand: Self) -> Self {
        unsafe {
            if FUSED {
                Self(_mm256_fmadd_ps(self.0, factor.0, summand.0))
            } else {
                Self(_mm256_add_ps(_mm256_mul_ps(self.0, factor.0), summand.0))
            }
        }
    }
    #[inline(always)]
    unsafe fn sub_mul(self, a: Self, b: Self) -> Self {
        unsafe {
            if FUSED {
                Self(_mm256_fnmadd_ps(a.0, b.0, self.0))
            } else {
                Self(_mm256_sub_ps(self.0, _mm256_mul_ps(a.0, b.0)))
            }
        }
    }
    #[inline(always)]
    unsafe fn inverse_root_guess(self) -> Self {
        unsafe {
            let half = _mm256_srli_epi32::<1>(_mm256_castps_si256(self.0));
            Self(_mm256_castsi256_ps(_mm256_sub_epi32(_mm256_set1_epi32(INVERSE_ROOT_BITS as i32), half)))
        }
    }
    #[inline(always)]
    unsafe fn flip(self, sign: Self) -> Self {
        unsafe { Self(_mm256_xor_ps(self.0, _mm256_and_ps(sign.0, _mm256_set1_ps(-0.0)))) }
    }
    #[inline(always)]
    unsafe fn flip_below_zero(self, value: Self) -> Self {
        unsafe {
            let below = _mm256_cmp_ps::<_CMP_LT_OQ>(value.0, _mm256_setzero_ps());
            Self(_mm256_xor_ps(self.0, _mm256_and_ps(below, _mm256_set1_ps(-0.0))))
        }
    }
    #[inline(always)]
    unsafe fn where_between(value: Self, low: f32, high: f32, yes: [Self; 3], no: [Self; 3]) -> [Self; 3] {
        unsafe {
            let above = _mm256_cmp_ps::<_CMP_GT_OQ>(value.0, _mm256_set1_ps(low));
            let below = _mm256_cmp_ps::<_CMP_LT_OQ>(value.0, _mm256_set1_ps(high));
            choose(_mm256_and_ps(above, below), yes, no)
        }
    }
}

impl<const FUSED: bool> Rows for Avx2<FUSED> {
    #[inline(always)]
    unsafe fn spread<const I: usize>(self) -> Self {
        unsafe {
            Self(match I {
                0 => _mm256_permute_ps::<0x00>(self.0),
                1 => _mm256_permute_ps::<0x55>(self.0),
                2 => _mm256_permute_ps::<0xAA>(self.0),
                _ => _mm256_permute_ps::<0xFF>(self.0),
            })
        }
    }
    #[inline(always)]
    unsafe fn fourth(self) -> Self {
        unsafe { Self(_mm256_blend_ps::<0x88>(_mm256_setzero_ps(), self.0)) }
    }
}

impl<const FUSED: bool> Simd for Avx2<FUSED> {
    #[inline(always)]
    unsafe fn load(from: &[f32; 8]) -> Self {
        unsafe { Self(_mm256_loadu_ps(from.as_ptr())) }
    }
    #[inline(always)]
    unsafe fn store(self, to: &mut [f32; 8]) {
        unsafe { _mm256_storeu_ps(to.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    unsafe fn div(self, other: Self) -> Self {
        unsafe { Self(_mm256_div_ps(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn sqrt(self) -> Self {
        unsafe { Self(_mm256_sqrt_ps(self.0)) }
    }
    #[inline(always)]
    unsafe fn max(self, other: Self) -> Self {
        unsafe { Self(_mm256_max_ps(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn all_equal(self, other: Self) -> bool {
        unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_EQ_OQ>(self.0, other.0)) == 0xFF }
    }
    #[inline(always)]
    unsafe fn where_greater<const N: usize>(a: Self, b: Self, yes: [Self; N], no: [Self; N]) -> [Self; N] {
        unsafe { choose(_mm256_cmp_ps::<_CMP_GT_OQ>(a.0, b.0), yes, no) }
    }
    #[inline(always)]
    unsafe fn where_equal(a: [Self; 4], b: [Self; 4], yes: [Self; 4], no: [Self; 4]) -> [Self; 4] {
        unsafe {
            let xy = _mm256_or_ps(
                _mm256_cmp_ps::<_CMP_NEQ_UQ>(a[0].0, b[0].0),
                _mm256_cmp_ps::<_CMP_NEQ_UQ>(a[1].0, b[1].0),
            );
            let zw = _mm256_or_ps(
                _mm256_cmp_ps::<_CMP_NEQ_UQ>(a[2].0, b[2].0),
                _mm256_cmp_ps::<_CMP_NEQ_UQ>(a[3].0, b[3].0),
            );
            choose(_mm256_or_ps(xy, zw), no, yes)
        }
    }
    #[inline(always)]
    unsafe fn unpack(from: *const u8, width: usize) -> Self {
        unsafe {
            let table = &*(&raw const UNPACK).cast::<Unpack>().add(width);
            let low = _mm_loadu_si128(from.cast());
            let high = _mm_loadu_si128(from.add(width / 2).cast());
            let bytes = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high);
            let bytes = _mm256_shuffle_epi8(bytes, _mm256_load_si256(table.shuffle.as_ptr().cast()));
            let shifted = _mm256_srlv_epi32(bytes, _mm256_load_si256(table.shift.as_ptr().cast()));
            let masked = _mm256_and_si256(shifted, _mm256_load_si256(table.mask.as_ptr().cast()));
            Self(_mm256_cvtepi32_ps(masked))
        }
    }
    #[inline(always)]
    unsafe fn rows(first: &[f32; 4], second: &[f32; 4]) -> Self {
        unsafe {
            let first = _mm256_castps128_ps256(_mm_loadu_ps(first.as_ptr()));
            Self(_mm256_insertf128_ps::<1>(first, _mm_loadu_ps(second.as_ptr())))
        }
    }
    #[inline(always)]
    unsafe fn twice(row: &[f32; 4]) -> Self {
        unsafe { Self(_mm256_broadcast_ps(&*row.as_ptr().cast())) }
    }
    #[inline(always)]
    unsafe fn halves(first: Self, second: Self) -> Self {
        unsafe { Self(_mm256_blend_ps::<0xF0>(first.0, second.0)) }
    }
    #[inline(always)]
    unsafe fn row_twice<const SECOND: bool>(self) -> Self {
        unsafe {
            Self(if SECOND {
                _mm256_permute2f128_ps::<0x11>(self.0, self.0)
            } else {
                _mm256_insertf128_ps::<1>(self.0, _mm256_castps256_ps128(self.0))
            })
        }
    }
    #[inline(always)]
    unsafe fn store_rows(self, first: &mut [f32; 4], second: &mut [f32; 4]) {
        unsafe {
            _mm_storeu_ps(first.as_mut_ptr(), _mm256_castps256_ps128(self.0));
            _mm_storeu_ps(second.as_mut_ptr(), _mm256_extractf128_ps::<1>(self.0));
        }
    }
    #[inline(always)]
    unsafe fn to_rows(components: [Self; 4]) -> [Self; 4] {
        unsafe {
            let [Self(x), Self(y), Self(z), Self(w)] = components;
            let (xy_low, xy_high) = (_mm256_unpacklo_ps(x, y), _mm256_unpackhi_ps(x, y));
            let (zw_low, zw_high) = (_mm256_unpacklo_ps(z, w), _mm256_unpackhi_ps(z, w));
            [
                Self(_mm256_shuffle_ps::<0x44>(xy_low, zw_low)),
                Self(_mm256_shuffle_ps::<0xEE>(xy_low, zw_low)),
                Self(_mm256_shuffle_ps::<0x44>(xy_high, zw_high)),
                Self(_mm256_shuffle_ps::<0xEE>(xy_high, zw_high)),
            ]
        }
    }
    #[inline(always)]
    unsafe fn interleave(vectors: [Self; 3], to: &mut [f32; 24]) {
        unsafe {
            let [Self(x), Self(y), Self(z)] = vectors;
            // In each half: x0 y0 z0 x1 | y1 z1 x2 y2 | z2 x3 y3 z3.
            let xy = _mm256_unpacklo_ps(x, y);
            let zx = _mm256_shuffle_ps::<0b11_01_10_00>(z, x);
            let a = _mm256_shuffle_ps::<0b10_00_01_00>(xy, zx);
            let yz = _mm256_shuffle_ps::<0b01_01_01_01>(y, z);
            let b = _mm256_shuffle_ps::<0b01_00_10_00>(yz, _mm256_unpackhi_ps(x, y));
            let c = _mm256_shuffle_ps::<0b11_10_11_01>(zx, _mm256_unpackhi_ps(y, z));
            let to = to.as_mut_ptr();
            // Six halves: storing an upper half costs no shuffle, joining halves does.
            _mm_storeu_ps(to, _mm256_castps256_ps128(a));
            _mm_storeu_ps(to.add(4), _mm256_castps256_ps128(b));
            _mm_storeu_ps(to.add(8), _mm256_castps256_ps128(c));
            _mm_storeu_ps(to.add(12), _mm256_extractf128_ps::<1>(a));
            _mm_storeu_ps(to.add(16), _mm256_extractf128_ps::<1>(b));
            _mm_storeu_ps(to.add(20), _mm256_extractf128_ps::<1>(c));
        }
    }
}

/// `usual` where the mask is set, else `otherwise`. Nearly always it is set in all lanes: a branch costs less than a blend of each component.
#[inline(always)]
unsafe fn choose<const FUSED: bool, const N: usize>(
    mask: __m256,
    usual: [Avx2<FUSED>; N],
    otherwise: [Avx2<FUSED>; N],
) -> [Avx2<FUSED>; N] {
    unsafe {
        if _mm256_movemask_ps(mask) == 0xFF {
            return usual;
        }
        let mut out = usual;
        let mut c = 0;
        while c < N {
            out[c].0 = _mm256_blendv_ps(otherwise[c].0, usual[c].0, mask);
            c += 1;
        }
        out
    }
}
