//! x86-64 with AVX-512: two blocks of eight lanes in one register, for skinning, or a matrix, for hierarchies.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "the comment above the implementation says it for all of its functions"
)]

use super::simd::{Matrix, Rows, Vector, Wide};
use crate::math::INVERSE_ROOT_BITS;
use crate::pose::Lanes;
use std::arch::x86_64::*;

/// One register of sixteen lanes. `FUSED` rounds once in `mul_add` and `sub_mul`.
#[derive(Clone, Copy)]
pub(crate) struct Avx512<const FUSED: bool>(__m512);

// SAFETY of all functions below: `super::dispatch_wide_to` runs them only where AVX-512 was detected; pointers are those that the caller promises.
impl<const FUSED: bool> Vector for Avx512<FUSED> {
    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        unsafe { Self(_mm512_set1_ps(value)) }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        unsafe { Self(_mm512_add_ps(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        unsafe { Self(_mm512_sub_ps(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        unsafe { Self(_mm512_mul_ps(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn mul_add(self, factor: Self, summand: Self) -> Self {
        unsafe {
            if FUSED {
                Self(_mm512_fmadd_ps(self.0, factor.0, summand.0))
            } else {
                Self(_mm512_add_ps(_mm512_mul_ps(self.0, factor.0), summand.0))
            }
        }
    }
    #[inline(always)]
    unsafe fn sub_mul(self, a: Self, b: Self) -> Self {
        unsafe {
            if FUSED {
                Self(_mm512_fnmadd_ps(a.0, b.0, self.0))
            } else {
                Self(_mm512_sub_ps(self.0, _mm512_mul_ps(a.0, b.0)))
            }
        }
    }
    #[inline(always)]
    unsafe fn inverse_root_guess(self) -> Self {
        unsafe {
            let half = _mm512_srli_epi32::<1>(_mm512_castps_si512(self.0));
            Self(_mm512_castsi512_ps(_mm512_sub_epi32(_mm512_set1_epi32(INVERSE_ROOT_BITS as i32), half)))
        }
    }
    #[inline(always)]
    unsafe fn flip(self, sign: Self) -> Self {
        unsafe {
            let sign = _mm512_and_si512(_mm512_castps_si512(sign.0), _mm512_set1_epi32(i32::MIN));
            Self(_mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(self.0), sign)))
        }
    }
    #[inline(always)]
    unsafe fn flip_below_zero(self, value: Self) -> Self {
        unsafe {
            let below = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(value.0, _mm512_setzero_ps());
            let bits = _mm512_castps_si512(self.0);
            let flipped = _mm512_mask_xor_epi32(bits, below, bits, _mm512_set1_epi32(i32::MIN));
            Self(_mm512_castsi512_ps(flipped))
        }
    }
    #[inline(always)]
    unsafe fn where_between(value: Self, low: f32, high: f32, yes: [Self; 3], no: [Self; 3]) -> [Self; 3] {
        unsafe {
            let above = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(value.0, _mm512_set1_ps(low));
            let within = _mm512_mask_cmp_ps_mask::<_CMP_LT_OQ>(above, value.0, _mm512_set1_ps(high));
            let [x, y, z] = yes;
            if within == !0 {
                return yes;
            }
            [
                Self(_mm512_mask_blend_ps(within, no[0].0, x.0)),
                Self(_mm512_mask_blend_ps(within, no[1].0, y.0)),
                Self(_mm512_mask_blend_ps(within, no[2].0, z.0)),
            ]
        }
    }
}

/// The last lane of each row.
const FOURTHS: __mmask16 = 0x8888;

impl<const FUSED: bool> Rows for Avx512<FUSED> {
    #[inline(always)]
    unsafe fn spread<const I: usize>(self) -> Self {
        unsafe {
            Self(match I {
                0 => _mm512_permute_ps::<0x00>(self.0),
                1 => _mm512_permute_ps::<0x55>(self.0),
                2 => _mm512_permute_ps::<0xAA>(self.0),
                _ => _mm512_permute_ps::<0xFF>(self.0),
            })
        }
    }
    #[inline(always)]
    unsafe fn fourth(self) -> Self {
        unsafe { Self(_mm512_maskz_mov_ps(FOURTHS, self.0)) }
    }
}

/// The lanes of three rows.
const THREE_ROWS: __mmask16 = 0x0FFF;

/// The fourth row of the register counts for nothing.
impl<const FUSED: bool> Matrix for Avx512<FUSED> {
    #[inline(always)]
    unsafe fn load_matrix(from: &[[f32; 4]; 3]) -> Self {
        unsafe { Self(_mm512_maskz_loadu_ps(THREE_ROWS, from.as_ptr().cast())) }
    }
    #[inline(always)]
    unsafe fn every_row(row: &[f32; 4]) -> Self {
        unsafe { Self(_mm512_broadcast_f32x4(_mm_loadu_ps(row.as_ptr()))) }
    }
    #[inline(always)]
    unsafe fn store_matrix(self, to: &mut [[f32; 4]; 3]) {
        unsafe { _mm512_mask_storeu_ps(to.as_mut_ptr().cast(), THREE_ROWS, self.0) }
    }
    #[inline(always)]
    unsafe fn load_parts(from: &[[f32; 4]; 3]) -> Self {
        unsafe {
            let from: *const f32 = from.as_ptr().cast();
            let upper = _mm512_castps256_ps512(_mm256_loadu_ps(from));
            Self(_mm512_insertf32x4::<2>(upper, _mm_loadu_ps(from.add(8))))
        }
    }
    #[inline(always)]
    unsafe fn store_parts(self, to: &mut [[f32; 4]; 3]) {
        unsafe {
            let to: *mut f32 = to.as_mut_ptr().cast();
            _mm256_storeu_ps(to, _mm512_castps512_ps256(self.0));
            _mm_storeu_ps(to.add(8), _mm512_extractf32x4_ps::<2>(self.0));
        }
    }
}

/// Which lanes of x and y, and then of those and z, are the sixteen numbers of each third of x₀ y₀ z₀ x₁ …
static INTERLEAVE: [[[i32; 16]; 2]; 3] = {
    let mut table = [[[0; 16]; 2]; 3];
    let mut at = 0;
    while at < 48 {
        let (third, lane, vector, component) = (at / 16, at % 16, (at / 3) as i32, at % 3);
        table[third][0][lane] = if component == 1 { 16 + vector } else { vector };
        table[third][1][lane] = if component == 2 { 16 + vector } else { lane as i32 };
        at += 1;
    }
    table
};

impl<const FUSED: bool> Wide for Avx512<FUSED> {
    const BLOCKS: usize = 2;

    #[inline(always)]
    unsafe fn gather(lanes: &[Lanes], stride: usize) -> Self {
        unsafe {
            let (first, second) =
                (_mm256_loadu_ps(lanes[0].0.as_ptr()), _mm256_loadu_ps(lanes[stride].0.as_ptr()));
            let both = _mm512_insertf64x4::<1>(
                _mm512_castps_pd(_mm512_castps256_ps512(first)),
                _mm256_castps_pd(second),
            );
            Self(_mm512_castpd_ps(both))
        }
    }
    #[inline(always)]
    unsafe fn write_three([x, y, z]: [Self; 3], to: *mut f32) {
        unsafe {
            let mut third = 0;
            while third < 3 {
                let [of_xy, of_z] = &INTERLEAVE[third];
                let xy = _mm512_permutex2var_ps(x.0, _mm512_loadu_si512(of_xy.as_ptr().cast()), y.0);
                let xyz = _mm512_permutex2var_ps(xy, _mm512_loadu_si512(of_z.as_ptr().cast()), z.0);
                _mm512_storeu_ps(to.add(16 * third), xyz);
                third += 1;
            }
        }
    }
    #[inline(always)]
    unsafe fn write_four([x, y, z, w]: [Self; 4], to: *mut f32) {
        unsafe {
            let (xy_low, xy_high) = (_mm512_unpacklo_ps(x.0, y.0), _mm512_unpackhi_ps(x.0, y.0));
            let (zw_low, zw_high) = (_mm512_unpacklo_ps(z.0, w.0), _mm512_unpackhi_ps(z.0, w.0));
            // Vectors k, k + 4, k + 8 and k + 12.
            let a = _mm512_shuffle_ps::<0x44>(xy_low, zw_low);
            let b = _mm512_shuffle_ps::<0xEE>(xy_low, zw_low);
            let c = _mm512_shuffle_ps::<0x44>(xy_high, zw_high);
            let d = _mm512_shuffle_ps::<0xEE>(xy_high, zw_high);
            let (ab_low, cd_low) = (_mm512_shuffle_f32x4::<0x44>(a, b), _mm512_shuffle_f32x4::<0x44>(c, d));
            let (ab_high, cd_high) = (_mm512_shuffle_f32x4::<0xEE>(a, b), _mm512_shuffle_f32x4::<0xEE>(c, d));
            _mm512_storeu_ps(to, _mm512_shuffle_f32x4::<0x88>(ab_low, cd_low));
            _mm512_storeu_ps(to.add(16), _mm512_shuffle_f32x4::<0xDD>(ab_low, cd_low));
            _mm512_storeu_ps(to.add(32), _mm512_shuffle_f32x4::<0x88>(ab_high, cd_high));
            _mm512_storeu_ps(to.add(48), _mm512_shuffle_f32x4::<0xDD>(ab_high, cd_high));
        }
    }
}
