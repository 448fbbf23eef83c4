//! What a kernel needs of a machine: eight numbers at a time.
//!
//! Kernels are written once, over this trait. Each operation is defined by IEEE 754 and rounds as the scalar one does, so every backend gives the same
//! bits; only [`Vector::mul_add`] and [`Vector::sub_mul`] may round once instead of twice, in backends that [`crate::Kernels::Fast`] chooses.

use crate::math::INVERSE_ROOT;
use crate::pose::Lanes;

/// Lanes of `f32`, as many as the backend has.
///
/// # Safety
/// As for [`Simd`].
pub(crate) trait Vector: Copy {
    /// One number in all lanes.
    unsafe fn splat(value: f32) -> Self;
    /// `self + other`.
    unsafe fn add(self, other: Self) -> Self;
    /// `self - other`.
    unsafe fn sub(self, other: Self) -> Self;
    /// `self * other`.
    unsafe fn mul(self, other: Self) -> Self;
    /// `self * factor + summand`.
    unsafe fn mul_add(self, factor: Self, summand: Self) -> Self;
    /// `self - a * b`.
    unsafe fn sub_mul(self, a: Self, b: Self) -> Self;
    /// A first guess at `1 / sqrt(self)` for positive numbers: [`crate::math::inverse_root_guess`] of each lane.
    unsafe fn inverse_root_guess(self) -> Self;
    /// `1 / sqrt(self)` for numbers above the least normal one: the operations of [`crate::math::inverse_root`].
    #[inline(always)]
    unsafe fn inverse_root(self) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            let [first, second, third] = INVERSE_ROOT;
            let guess = self.inverse_root_guess();
            let near = guess.mul(Self::splat(first).sub_mul(self.mul(guess), guess));
            near.mul(Self::splat(second).sub_mul(Self::splat(third), self.mul(near).mul(near)))
        }
    }
    /// `self` with its sign changed where `sign` is negative (or −0).
    unsafe fn flip(self, sign: Self) -> Self;
    /// `self` with its sign changed where `value < 0`.
    unsafe fn flip_below_zero(self, value: Self) -> Self;
    /// In each lane `yes` where `low < value < high`, else `no`, also for NaN. Quickest where that is so in all lanes.
    unsafe fn where_between(value: Self, low: f32, high: f32, yes: [Self; 3], no: [Self; 3]) -> [Self; 3];
}

/// Lanes as rows of four.
///
/// # Safety
/// As for [`Simd`].
pub(crate) trait Rows: Vector {
    /// Number `I` of each row, four times.
    unsafe fn spread<const I: usize>(self) -> Self;
    /// The fourth number of each row, zeros before it.
    unsafe fn fourth(self) -> Self;
}

/// A matrix of three rows, in one register.
///
/// # Safety
/// As for [`Simd`].
pub(crate) trait Matrix: Rows {
    /// The rows of a matrix.
    unsafe fn load_matrix(from: &[[f32; 4]; 3]) -> Self;
    /// One row as every row.
    unsafe fn every_row(row: &[f32; 4]) -> Self;
    /// The rows to memory.
    unsafe fn store_matrix(self, to: &mut [[f32; 4]; 3]);
    /// The rows of a matrix that [`Self::store_parts`] may have written a moment ago: read as what it wrote, for other loads would wait.
    unsafe fn load_parts(from: &[[f32; 4]; 3]) -> Self;
    /// The rows to memory where they are read again soon.
    unsafe fn store_parts(self, to: &mut [[f32; 4]; 3]);
}

/// Eight lanes of `f32`, or two rows of four.
///
/// # Safety
/// The operations are safe to call only on a machine that has the backend's instructions. [`super::dispatch`] sees to that.
pub(crate) trait Simd: Rows {
    /// Eight numbers from memory.
    unsafe fn load(from: &[f32; 8]) -> Self;
    /// Eight numbers to memory.
    unsafe fn store(self, to: &mut [f32; 8]);
    /// `self / other`.
    unsafe fn div(self, other: Self) -> Self;
    /// The square root, correctly rounded.
    unsafe fn sqrt(self) -> Self;
    /// In each lane `self` where it is the greater, else `other`, also for NaN.
    unsafe fn max(self, other: Self) -> Self;
    /// Whether all lanes are equal, and none NaN.
    unsafe fn all_equal(self, other: Self) -> bool;
    /// In each lane `yes` where `a > b`, else `no`, also for NaN. Quickest where that is so in all lanes.
    unsafe fn where_greater<const N: usize>(a: Self, b: Self, yes: [Self; N], no: [Self; N]) -> [Self; N];
    /// In each lane `yes` where all four components of `a` and `b` are equal, else `no`. Quickest where that is so in no lane.
    unsafe fn where_equal(a: [Self; 4], b: [Self; 4], yes: [Self; 4], no: [Self; 4]) -> [Self; 4];
    /// Eight unsigned numbers of `width` bits each (at most [`super::WIDEST`]), lowest first, as `f32`.
    ///
    /// # Safety
    /// 16 bytes at `from` and 16 at `from + width / 2` can be read.
    unsafe fn unpack(from: *const u8, width: usize) -> Self;

    /// Two rows of four.
    unsafe fn rows(first: &[f32; 4], second: &[f32; 4]) -> Self;
    /// One row twice.
    unsafe fn twice(row: &[f32; 4]) -> Self;
    /// The first row of `first` and the second row of `second`.
    unsafe fn halves(first: Self, second: Self) -> Self;
    /// One of the two rows twice.
    unsafe fn row_twice<const SECOND: bool>(self) -> Self;
    /// The two rows to memory.
    unsafe fn store_rows(self, first: &mut [f32; 4], second: &mut [f32; 4]);
    /// Four components of eight joints as rows: result `k` has joint `k` in its first row and joint `k + 4` in its second.
    unsafe fn to_rows(components: [Self; 4]) -> [Self; 4];
    /// Writes x₀ y₀ z₀ x₁ y₁ z₁ … of eight vectors.
    unsafe fn interleave(vectors: [Self; 3], to: &mut [f32; 24]);
}

/// The most blocks that a backend takes at once.
pub(crate) const MOST_BLOCKS: usize = 2;

/// One or more blocks of eight lanes, for kernels that gain from more lanes than eight.
///
/// # Safety
/// As for [`Simd`].
pub(crate) trait Wide: Vector {
    /// How many blocks.
    const BLOCKS: usize;
    /// One lanes of each block: the first, and every one `stride` behind.
    unsafe fn gather(lanes: &[Lanes], stride: usize) -> Self;
    /// Writes x₀ y₀ z₀ x₁ y₁ z₁ …
    ///
    /// # Safety
    /// There is room for three numbers for each lane.
    unsafe fn write_three(vectors: [Self; 3], to: *mut f32);
    /// Writes x₀ y₀ z₀ w₀ x₁ …
    ///
    /// # Safety
    /// There is room for four numbers for each lane.
    unsafe fn write_four(vectors: [Self; 4], to: *mut f32);
}

impl<S: Simd> Wide for S {
    const BLOCKS: usize = 1;

    #[inline(always)]
    unsafe fn gather(lanes: &[Lanes], _: usize) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self::load(&lanes[0].0) }
    }
    #[inline(always)]
    unsafe fn write_three(vectors: [Self; 3], to: *mut f32) {
        // SAFETY: the caller's promise.
        unsafe { Self::interleave(vectors, &mut *to.cast()) }
    }
    #[inline(always)]
    unsafe fn write_four(vectors: [Self; 4], to: *mut f32) {
        // SAFETY: the caller's promise.
        let (low, high) =
            unsafe { (&mut *to.cast::<[[f32; 4]; 4]>(), &mut *to.add(16).cast::<[[f32; 4]; 4]>()) };
        // SAFETY: as above.
        unsafe {
            for (k, rows) in Self::to_rows(vectors).into_iter().enumerate() {
                rows.store_rows(&mut low[k], &mut high[k]);
            }
        }
    }
}
