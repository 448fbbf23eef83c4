//! How much memory is held at most, and how long the processor is busy: what Rust allocates is counted; what C code allocates itself is told by the system,
//! where it tells.
//!
//! A test that asks makes [`Counting`] its allocator: `#[global_allocator] static COUNTING: Counting = Counting;`. The peak is that of the whole
//! process, so such tests run one at a time.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The system's allocator, which counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counting;

static NOW: AtomicU64 = AtomicU64::new(0);
static MOST: AtomicU64 = AtomicU64::new(0);

fn add(bytes: usize) {
    let now = NOW.fetch_add(bytes as u64, Relaxed) + bytes as u64;
    MOST.fetch_max(now, Relaxed);
}

// SAFETY: every call is handed to the system's allocator as it came; counting does not touch the memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size() as u64, Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        add(size);
        NOW.fetch_sub(layout.size() as u64, Relaxed);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// The most that is held from a moment on.
#[derive(Clone, Copy, Debug)]
pub struct Peak {
    counted: u64,
    resident: Option<u64>,
}

impl Peak {
    /// Of what Rust allocates alone, which is exact and quick to ask for.
    pub fn of_rust() -> Self {
        let counted = NOW.load(Relaxed);
        MOST.store(counted, Relaxed);
        Self { counted, resident: None }
    }

    /// Of the whole process.
    pub fn start() -> Self {
        // Five resets the peak that the system keeps.
        let reset = std::fs::write("/proc/self/clear_refs", "5");
        Self { resident: reset.ok().and_then(|()| status("VmRSS:")), ..Self::of_rust() }
    }

    /// The most so far, above what was held at the start.
    pub fn bytes(&self) -> u64 {
        let counted = MOST.load(Relaxed) - self.counted;
        let resident =
            self.resident.zip(status("VmHWM:")).map_or(0, |(before, peak)| peak.saturating_sub(before));
        counted.max(resident)
    }
}

/// A number of bytes that the system tells about this process.
fn status(key: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(key))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

/// Seconds that all threads of this process have run, where the system tells: unlike the clock they do not count other programs.
pub fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    fields.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}
