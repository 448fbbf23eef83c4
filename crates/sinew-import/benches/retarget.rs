//! Retargeting whole clips of the testkit's humanoid of 65 joints. A pose a frame: `sinew-bench`.
//!
//! It counts milliseconds of animation as items: items per second over a thousand are seconds of animation per second.

use divan::counter::ItemsCount;
use sinew::{BoneMap, Character};
use sinew_files::{Files, Memory};
use sinew_import::{Locks, Options, RetargetOptions, Retargeting, Sources, import_bytes, retarget_files};
use sinew_testkit::bvh::Figure;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, OnceLock};

fn main() {
    divan::main();
}

fn hero() -> &'static Character {
    static HERO: OnceLock<Character> = OnceLock::new();
    HERO.get_or_init(|| {
        let options = Options::default();
        let read = |(name, bytes): (String, Vec<u8>)| {
            let imported = import_bytes(&bytes, Path::new(&name), &options).unwrap();
            (name, imported)
        };
        let mut files = sinew_testkit::humanoid::files().into_iter().map(read);
        let character = files.next().unwrap();
        Sources::new(character, files, &options).merge().unwrap().character
    })
}

fn retargeting(feet: bool) -> Retargeting {
    let (plain, _) = Retargeting::new(hero(), hero(), &BoneMap::default(), &Options::default()).unwrap();
    plain.locked(Locks { feet, hands: false })
}

const CLIPS: [&str; 5] = ["idle", "walk", "run", "jump", "wave"];

#[divan::bench(args = CLIPS)]
fn clip(bencher: divan::Bencher<'_, '_>, name: &str) {
    measure(bencher, name, false);
}

#[divan::bench(args = CLIPS)]
fn clip_with_feet_locked(bencher: divan::Bencher<'_, '_>, name: &str) {
    measure(bencher, name, true);
}

fn measure(bencher: divan::Bencher<'_, '_>, name: &str, feet: bool) {
    let retargeting = retargeting(feet);
    let clip = hero().clips().by_name(name).unwrap();
    let milliseconds = (clip.duration() * 1e3) as usize;
    bencher.counter(ItemsCount::new(milliseconds)).bench(|| retargeting.clip(&clip).unwrap());
}

/// A folder of a hundred captures of two seconds each, on one thread and on two: what `sinew retarget TARGET FOLDER` does but for writing.
#[divan::bench(args = [1, 2], sample_count = 5, sample_size = 1)]
fn folder_of_100(bencher: divan::Bencher<'_, '_>, threads: usize) {
    let mut memory = Memory::default();
    let names: Vec<String> = (0..100).map(|number| format!("{number:03}.bvh")).collect();
    for (number, name) in names.iter().enumerate() {
        memory.insert(name, Figure::dancer(120 + number % 7).text().into_bytes());
    }
    let files: Arc<dyn Files> = Arc::new(memory);
    let how = RetargetOptions { threads: NonZeroUsize::new(threads), ..RetargetOptions::default() };
    bencher.bench(|| retarget_files(&files, hero(), &names, &how, &Options::default(), || ()).unwrap());
}
