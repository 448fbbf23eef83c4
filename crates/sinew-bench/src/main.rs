//! Runs the workloads: `report FOLDER` prints tables and writes plots into a folder, `count` runs each workload once for a counter of instructions.

// A command-line program: it prints.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use sinew_bench::clock::Rounds;
use sinew_bench::{report, synthetic, work};
use sinew_compress::Profile;
use std::alloc::{GlobalAlloc, Layout, System};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The system's allocator, which counts.
struct Counting;

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all calls are the system's; counting does not touch memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        ALLOCATED.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["report", folder] => report(Path::new(folder)),
        ["count"] => count(),
        _ => Err("usage: sinew-bench report FOLDER | count".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(complaint) => {
            eprintln!("sinew-bench: {complaint}");
            ExitCode::FAILURE
        }
    }
}

fn report(folder: &Path) -> Result<(), String> {
    let report = report::write(Rounds::default(), &|| ALLOCATED.load(Ordering::Relaxed))
        .map_err(|wrong| wrong.to_string())?;
    for (name, plot) in report.plots {
        let path = folder.join(name);
        std::fs::write(&path, plot).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    print!("{}", report.text);
    Ok(())
}

/// Prints which kernels are used and the names of the workloads, in the order in which [`sinew_counted`] runs them.
fn count() -> Result<(), String> {
    println!("kernels {}", kernels());
    let (character, _) = synthetic::character(report::JOINTS, 0.5, 30.0, Profile::Balanced);
    let mut all = work::all(&character, 1_000);
    all.push(work::crowd(&character, 10, 2));
    all.extend(work::above(report::JOINTS));
    for work in &mut all {
        work.verify().map_err(|wrong| wrong.to_string())?;
    }
    for mut work in all {
        println!("{}", work.name);
        // The first call fills the caches of the dispatch.
        work.run();
        sinew_counted(&mut work);
    }
    Ok(())
}

fn kernels() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        return "avx2";
    }
    if cfg!(target_arch = "aarch64") { "neon" } else { "plain" }
}

/// What is counted: the counter switches itself on and off by this name.
#[unsafe(no_mangle)]
#[inline(never)]
extern "Rust" fn sinew_counted(work: &mut work::Workload) {
    work.run();
}
