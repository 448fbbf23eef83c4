//! Loading a bundle: a character of 65 joints with 10 clips and a mesh of 28,000 vertices.
//!
//! `cargo bench -p sinew-build --bench bundle`

#[path = "../tests/common/mod.rs"]
mod common;

use common::{Size, character};
use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use sinew::{Bundle, Character};
use sinew_build::bundle::{WriteOptions, write_bundle};

fn main() {
    divan::main();
}

fn hero() -> Character {
    let size = Size { joints: 65, meshes: 1, vertices: 28_000, clips: 10, keys: 60 };
    let like_a_real_one = |c: &Character| {
        let mesh = &c.meshes()[0];
        mesh.skin.is_some()
            && mesh.influences.per_vertex == 4
            && !mesh.normals.is_empty()
            && !mesh.tangents.is_empty()
            && !mesh.uvs.is_empty()
    };
    (0..).map(|seed| character(seed, size)).find(like_a_real_one).expect("one of them is")
}

fn bytes() -> Vec<u8> {
    write_bundle(&hero(), &WriteOptions::default(), None).expect("it is valid")
}

/// What a game does: bytes to a checked character.
#[divan::bench]
fn read(bencher: Bencher<'_, '_>) {
    let bytes = bytes();
    bencher.counter(BytesCount::new(bytes.len())).bench(|| Bundle::read(black_box(&bytes)));
}

/// Part of it: checksums and padding alone.
#[divan::bench]
fn verify_outer_form(bencher: Bencher<'_, '_>) {
    let bytes = bytes();
    bencher
        .counter(BytesCount::new(bytes.len()))
        .bench(|| sinew::bundle::sections(black_box(&bytes)).map(|sections| sections.len()));
}

/// The floor: copying the bytes.
#[divan::bench]
fn copy(bencher: Bencher<'_, '_>) {
    let bytes = bytes();
    bencher.counter(BytesCount::new(bytes.len())).bench(|| black_box(&bytes).to_vec());
}

#[divan::bench]
fn write(bencher: Bencher<'_, '_>) {
    let hero = hero();
    bencher.bench(|| write_bundle(black_box(&hero), &WriteOptions::default(), None));
}

/// The same character from a source format: the quickest of those that are read.
#[divan::bench]
fn import_glb(bencher: Bencher<'_, '_>) {
    let glb = sinew_build::glb::write_glb(&hero(), &Default::default()).expect("it is valid").bytes;
    let (path, options) = (std::path::Path::new("hero.glb"), sinew_import::Options::default());
    bencher
        .counter(BytesCount::new(glb.len()))
        .bench(|| sinew_import::import_bytes(black_box(&glb), path, &options).map(|i| i.findings.len()));
}
