//! Reading FBX from memory: bare ufbx against import with source keys only and with the default tolerance.
//!
//! Bare is what any importer on ufbx pays at the least: loading and its default bake. Needs `SINEW_CORPUS`.

#![allow(clippy::print_stdout, reason = "a benchmark reports")]

use divan::counter::BytesCount;
use sinew_import::{Options, Resample, import_bytes};
use std::alloc::{GlobalAlloc, Layout, System};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts what is in use at the most: ours and, as ufbx allocates through the global allocator, its own.
struct Counting;

static USED: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn grow(bytes: usize) {
    let used = USED.fetch_add(bytes, Ordering::Relaxed) + bytes;
    PEAK.fetch_max(used, Ordering::Relaxed);
}

// SAFETY: every call goes to the system allocator unchanged; only numbers are kept beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        USED.fetch_sub(layout.size(), Ordering::Relaxed);
        grow(size);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// One long clip of dense keys, and several short ones of a rig with inherited scales.
const FILES: [&str; 2] = ["three/fbx/Samba_Dancing.fbx", "ozz/fbx/robot.fbx"];

fn read(file: &str) -> Option<(PathBuf, Vec<u8>)> {
    let path = PathBuf::from(std::env::var_os("SINEW_CORPUS")?).join(file);
    let bytes = std::fs::read(&path).ok()?;
    Some((path, bytes))
}

fn bare(bytes: &[u8]) {
    let scene = ufbx::load_memory(bytes, ufbx::LoadOpts::default()).expect("the file is sound");
    for stack in &scene.anim_stacks {
        divan::black_box(ufbx::bake_anim(&scene, &stack.anim, ufbx::BakeOpts::default()).expect("bakes"));
    }
}

fn ours(path: &Path, bytes: &[u8], resample: Resample) {
    let options = Options::default().with(|options| options.resample = resample);
    divan::black_box(import_bytes(bytes, path, &options).expect("the file is sound"));
}

fn bench(bencher: divan::Bencher<'_, '_>, file: &str, run: impl Fn(&Path, &[u8]) + Sync) {
    match read(file) {
        Some((path, bytes)) => {
            bencher.counter(BytesCount::of_slice(&bytes)).bench(|| run(&path, &bytes));
        }
        None => bencher.bench(|| ()),
    }
}

#[divan::bench(name = "1 bare ufbx", args = FILES)]
fn bare_ufbx(bencher: divan::Bencher<'_, '_>, file: &str) {
    bench(bencher, file, |_, bytes| bare(bytes));
}

#[divan::bench(name = "2 source keys", args = FILES)]
fn keys(bencher: divan::Bencher<'_, '_>, file: &str) {
    bench(bencher, file, |path, bytes| ours(path, bytes, Resample::Keys));
}

#[divan::bench(name = "3 default tolerance", args = FILES)]
fn tolerance(bencher: divan::Bencher<'_, '_>, file: &str) {
    bench(bencher, file, |path, bytes| ours(path, bytes, Resample::default()));
}

fn peak(name: &str, run: impl FnOnce()) {
    let before = USED.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    run();
    let megabytes = (PEAK.load(Ordering::Relaxed) - before) as f64 / (1 << 20) as f64;
    println!("{name}: {megabytes:.1} MiB at the most");
}

fn main() {
    let Some((path, bytes)) = read(FILES[0]) else {
        println!("SINEW-SKIP: import benchmark: corpus not set");
        return;
    };
    peak("bare ufbx", || bare(&bytes));
    peak("source keys", || ours(&path, &bytes, Resample::Keys));
    peak("default tolerance", || ours(&path, &bytes, Resample::default()));
    divan::main();
}
