//! Retargeting whole clips of the testkit's humanoid of 65 joints. A pose a frame: `cargo bench -p sinew-retarget`.
//!
//! It counts milliseconds of animation as items: items per second over a thousand are seconds of animation per second.

use divan::counter::ItemsCount;
use sinew::{BoneMap, Character};
use sinew_import::{Options, Retargeting, Sources, import_bytes};
use std::path::Path;
use std::sync::OnceLock;

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

fn retargeting() -> Retargeting {
    Retargeting::new(hero(), hero(), &BoneMap::default(), &Options::default()).unwrap().0
}

#[divan::bench(args = ["idle", "walk", "run", "jump", "wave"])]
fn clip(bencher: divan::Bencher<'_, '_>, name: &str) {
    let retargeting = retargeting();
    let clip = hero().clips().by_name(name).unwrap();
    let milliseconds = (clip.duration() * 1e3) as usize;
    bencher.counter(ItemsCount::new(milliseconds)).bench(|| retargeting.clip(&clip).unwrap());
}
