//! What loading a bundle allocates: counted, since a game waits for it.

use sinew::{Bundle, Bytes, Character};
use sinew_build::bundle::{BundleOptions, write_bundle};
use sinew_build::compress::compress;
use sinew_compress::Profile;
use sinew_import::{Options, SourceInfo, import};
use sinew_testkit::humanoid;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::path::PathBuf;

struct Counting;

thread_local! {
    // Per thread, so that the test harness's own threads do not disturb the count.
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps `GlobalAlloc::alloc`'s contract.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps `GlobalAlloc::dealloc`'s contract.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of reading the character's bundle, with its clips as keys and as frames.
fn allocations(character: &Character, source: &SourceInfo) -> [usize; 2] {
    let compressed = compress(character, source, Profile::Balanced).unwrap();
    [(character, source), (&compressed.character, &compressed.source)].map(|(character, source)| {
        let bytes = write_bundle(character, source, &BundleOptions::default(), None).unwrap();
        let bytes = Bytes::from(bytes);
        let before = COUNT.with(Cell::get);
        let read = Bundle::read(bytes);
        let count = COUNT.with(Cell::get) - before;
        assert_eq!(read.unwrap().character.clips().len(), character.clips().len());
        count
    })
}

/// The most for a character: so many at all, for each clip, mesh, material and texture; none for a joint, a track, a key or a vertex.
fn most(character: &Character) -> usize {
    let [clips, meshes] = [character.clips().len(), character.meshes().len()];
    16 + 5 * clips + 2 * meshes + character.materials().len() + 4 * character.textures().len()
}

#[test]
fn nothing_is_allocated_for_a_joint_track_or_vertex() {
    let folder = tempfile::tempdir().unwrap();
    let mut paths = Vec::new();
    for (name, bytes) in humanoid::files() {
        paths.push(folder.path().join(name));
        std::fs::write(&paths[paths.len() - 1], bytes).unwrap();
    }
    let hero = sinew_import::load(&paths[0], &paths[1..]).unwrap();
    let most = most(&hero.character);
    for (count, how) in allocations(&hero.character, &hero.source).into_iter().zip(["keys", "frames"]) {
        assert!(count <= most, "{count} allocations with {how}, {most} at most");
    }
}

#[test]
fn xbot_loads_in_few_allocations() {
    let Some(corpus) = std::env::var_os("SINEW_CORPUS").filter(|f| !f.is_empty()).map(PathBuf::from) else {
        #[allow(clippy::print_stdout, reason = "skip notes are for whoever runs the tests")]
        {
            println!("SINEW-SKIP: xbot_loads_in_few_allocations: corpus not set");
        }
        return;
    };
    let xbot = import(&corpus.join("three/gltf/Xbot.glb"), &Options::default()).unwrap();
    for (count, how) in allocations(&xbot.character, &xbot.source).into_iter().zip(["keys", "frames"]) {
        assert!(count <= 50, "{count} allocations with {how}");
    }
}
