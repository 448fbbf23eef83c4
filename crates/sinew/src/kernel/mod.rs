//! The hot loops: sampling, blending, hierarchy, skin matrices, morph targets and skinning, eight lanes at a time.
//!
//! Each kernel is written once, over [`simd::Simd`], and runs on what the machine has: AVX2 and, for hierarchies and skinning, AVX-512 (found at run time), NEON, or
//! plain arithmetic. All give the same bits, because all do the same operations in the same order.

pub(crate) mod blend;
pub(crate) mod frames;
pub(crate) mod hierarchy;
pub(crate) mod inertia;
pub(crate) mod layer;
pub(crate) mod morph;
mod scalar;
pub(crate) mod simd;
pub(crate) mod skin;
pub(crate) mod sum;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(test)]
mod tests;

use crate::pose::Lanes;
use simd::{Matrix, Simd, Wide};
use std::sync::atomic::{AtomicU8, Ordering};

/// The widest numbers that [`Simd::unpack`] takes, in bits: an `f32` holds them exactly.
pub(crate) const WIDEST: usize = 24;

/// Which instructions the hot loops use. The choice counts for the whole process.
///
/// ```
/// use sinew::Kernels;
///
/// assert_eq!(Kernels::chosen(), Kernels::Detect);
/// Kernels::Fast.choose();    // a single-player game may trade equal bits for a little speed
/// # Kernels::Detect.choose();
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Kernels {
    /// The machine's vector instructions, in a fixed order of operations without fused multiply-add: the same bits on every machine.
    #[default]
    Detect,
    /// Plain arithmetic: the reference that the others are tested against. The same bits as `Detect`.
    Scalar,
    /// Fused multiply-add where the machine has it: a little faster, and its last bits differ from machine to machine.
    Fast,
}

static CHOSEN: AtomicU8 = AtomicU8::new(0);

impl Kernels {
    const ALL: [Self; 3] = [Self::Detect, Self::Scalar, Self::Fast];

    /// Uses these from now on, in all threads.
    pub fn choose(self) {
        CHOSEN.store(self as u8, Ordering::Relaxed);
    }

    /// Which are in use.
    pub fn chosen() -> Self {
        let number = CHOSEN.load(Ordering::Relaxed);
        Self::ALL.get(usize::from(number)).copied().unwrap_or_default()
    }
}

/// Three components of a block. Spelled out, as closures over lanes are not compiled for the backend.
///
/// # Safety
/// The machine has the instructions of `S`.
#[inline(always)]
pub(crate) unsafe fn load3<S: Simd>(lanes: &[Lanes; 3]) -> [S; 3] {
    // SAFETY: the caller's promise.
    unsafe { [S::load(&lanes[0].0), S::load(&lanes[1].0), S::load(&lanes[2].0)] }
}

/// Four components of a block.
///
/// # Safety
/// The machine has the instructions of `S`.
#[inline(always)]
pub(crate) unsafe fn load4<S: Simd>(lanes: &[Lanes; 4]) -> [S; 4] {
    // SAFETY: the caller's promise.
    unsafe { [S::load(&lanes[0].0), S::load(&lanes[1].0), S::load(&lanes[2].0), S::load(&lanes[3].0)] }
}

/// A loop that is compiled for each backend.
pub(crate) trait Kernel {
    /// Runs it.
    ///
    /// # Safety
    /// The machine has the instructions of `S`.
    unsafe fn run<S: Simd>(self);
}

/// A loop that gains from registers of more than eight lanes.
pub(crate) trait WideKernel: Kernel {
    /// Runs it.
    ///
    /// # Safety
    /// The machine has the instructions of `S` and `W`.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        allow(dead_code, reason = "no other backend has wider registers")
    )]
    unsafe fn run_wide<S: Simd, W: Wide + Matrix>(self);
}

/// Runs a kernel on the best backend that was chosen: one decision per call.
///
/// Inlined always, so that what the kernel holds is written once, where it is read: a copy made of several numbers at once waits for those that were just
/// written one by one.
#[inline(always)]
pub(crate) fn dispatch<K: Kernel>(kernel: K) {
    dispatch_to(Kernels::chosen(), kernel);
}

/// The same with a choice of its own, for tests.
#[inline(always)]
pub(crate) fn dispatch_to<K: Kernel>(kernels: Kernels, kernel: K) {
    if kernels != Kernels::Scalar {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            if kernels == Kernels::Fast && std::arch::is_x86_feature_detected!("fma") {
                // SAFETY: the features were just detected.
                return unsafe { avx2_fma(kernel) };
            }
            // SAFETY: the feature was just detected.
            return unsafe { avx2(kernel) };
        }
        #[cfg(target_arch = "aarch64")]
        {
            // SAFETY: NEON is part of aarch64.
            return unsafe {
                if kernels == Kernels::Fast {
                    kernel.run::<neon::Neon<true>>()
                } else {
                    kernel.run::<neon::Neon<false>>()
                }
            };
        }
    }
    #[allow(unreachable_code, reason = "aarch64 returns above")]
    plain(kernel);
}

/// How many lanes a [`WideKernel`] may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// As many as the machine has.
    Widest,
    /// Eight, for tests on a machine with more.
    #[cfg(test)]
    Eight,
}

/// [`dispatch`] for a kernel that gains from wider registers.
#[inline(always)]
pub(crate) fn dispatch_wide<K: WideKernel>(kernel: K) {
    dispatch_wide_to((Kernels::chosen(), Width::Widest), kernel);
}

/// [`dispatch_to`] for a kernel that gains from more lanes than eight.
#[inline(always)]
pub(crate) fn dispatch_wide_to<K: WideKernel>((kernels, width): (Kernels, Width), kernel: K) {
    // What has VBMI2 keeps its clock under AVX-512; the processors before it do not.
    #[cfg(target_arch = "x86_64")]
    if width == Width::Widest && kernels != Kernels::Scalar && avx512_detected() {
        // SAFETY: the features were just detected.
        return unsafe { if kernels == Kernels::Fast { avx512_fma(kernel) } else { avx512(kernel) } };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = width;
    dispatch_to(kernels, kernel);
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn avx512_detected() -> bool {
    use std::arch::is_x86_feature_detected as detected;
    detected!("avx512vbmi2") && detected!("avx512f") && detected!("avx2") && detected!("fma")
}

/// By itself, so that callers do not make room on the stack for what this needs.
#[inline(never)]
fn plain<K: Kernel>(kernel: K) {
    // SAFETY: plain arithmetic needs nothing.
    unsafe { kernel.run::<scalar::Scalar>() }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn avx2<K: Kernel>(kernel: K) {
    // SAFETY: the caller detected AVX2.
    unsafe { kernel.run::<avx2::Avx2<false>>() }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2_fma<K: Kernel>(kernel: K) {
    // SAFETY: the caller detected AVX2 and FMA.
    unsafe { kernel.run::<avx2::Avx2<true>>() }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,avx512f")]
unsafe fn avx512<K: WideKernel>(kernel: K) {
    // SAFETY: the caller detected AVX-512.
    unsafe { kernel.run_wide::<avx2::Avx2<false>, avx512::Avx512<false>>() }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,avx512f")]
unsafe fn avx512_fma<K: WideKernel>(kernel: K) {
    // SAFETY: the caller detected AVX-512.
    unsafe { kernel.run_wide::<avx2::Avx2<true>, avx512::Avx512<true>>() }
}
