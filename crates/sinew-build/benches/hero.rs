//! Loading and playing a character of 65 joints with 10 clips and meshes of 28,000 vertices: from its bundle, from its source files, and a frame
//! of it.
//!
//! `cargo bench -p sinew-build --bench hero`

#[path = "../tests/common/mod.rs"]
mod common;

use common::{Size, character};
use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use sinew::bundle_file::Sections;
use sinew::skinning::SkinnedVertices;
use sinew::{Bundle, Character, Controller, PlayOptions, Player};
use sinew_build::bundle::{BundleOptions, write_bundle};
use sinew_import::{MergedCharacter, Source, SourceInfo};
use sinew_testkit::{fbx, humanoid};
use std::sync::Arc;

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
    write_bundle(&hero(), &SourceInfo::default(), &BundleOptions::default(), None).expect("it is valid")
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
        .bench(|| Sections::read(black_box(&bytes)).map(|sections| sections.iter().count()));
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
    bencher.bench(|| write_bundle(black_box(&hero), &SourceInfo::default(), &BundleOptions::default(), None));
}

/// The files that a team really has: the synthetic humanoid as FBX text, its meshes four times over, and ten clip files.
fn sources() -> Vec<(String, Vec<u8>)> {
    let mut scene = humanoid::character();
    for mesh in &mut scene.meshes {
        let count = mesh.vertices.len() as u32;
        let (faces, materials) = (mesh.faces.clone(), mesh.face_materials.clone());
        for copy in 1..4 {
            let shifted = faces.iter().map(|face| face.iter().map(|v| v + copy * count).collect());
            mesh.faces.extend(shifted);
            mesh.face_materials.extend(&materials);
        }
        mesh.vertices = mesh.vertices.repeat(4);
        mesh.normals = mesh.normals.repeat(4);
        mesh.uvs = mesh.uvs.repeat(4);
        for cluster in mesh.skin.iter_mut().flat_map(|skin| &mut skin.clusters) {
            let once = cluster.weights.clone();
            for copy in 1..4 {
                cluster.weights.extend(once.iter().map(|&(vertex, weight)| (vertex + copy * count, weight)));
            }
        }
    }
    let mut files = vec![("hero.fbx".to_owned(), fbx::write(&scene).into())];
    for (i, motion) in humanoid::Motion::ALL.iter().cycle().take(10).enumerate() {
        files
            .push((format!("{motion:?}{i}.fbx").to_lowercase(), fbx::write(&humanoid::clip(*motion)).into()));
    }
    files
}

fn import_all(files: &[(String, Vec<u8>)]) -> MergedCharacter {
    let options = sinew_import::Options::default();
    let imported: Vec<_> = files
        .iter()
        .map(|(name, bytes)| sinew_import::import_bytes(bytes, name.as_ref(), &options).expect("it is valid"))
        .collect();
    let named: Vec<_> = files.iter().zip(&imported).map(|((name, _), i)| Source::new(name, i)).collect();
    sinew_import::merge_all(named[0], &named[1..], &options.tags).expect("it fits")
}

/// From source files in memory to a character with its clips.
#[divan::bench(sample_count = 10)]
fn hero_from_fbx_sources(bencher: Bencher<'_, '_>) {
    let files = sources();
    bencher.bench(|| import_all(black_box(&files)).character.clips().len());
}

/// The same character from its bundle.
#[divan::bench]
fn hero_from_bundle(bencher: Bencher<'_, '_>) {
    let MergedCharacter { character: hero, source, .. } = import_all(&sources());
    let vertices: usize = hero.meshes().iter().map(|mesh| mesh.vertex_count()).sum();
    assert!(vertices >= 28_000 && hero.clips().len() == 10 && hero.skeleton().len() >= 65);
    let bytes = write_bundle(&hero, &source, &BundleOptions::default(), None).expect("it is valid");
    bencher.counter(BytesCount::new(bytes.len())).bench(|| Bundle::read(black_box(&bytes)));
}

/// The same character from a source format: the quickest of those that are read.
#[divan::bench]
fn import_glb(bencher: Bencher<'_, '_>) {
    let glb = sinew_build::glb::write_glb(&hero(), &Default::default(), &Default::default())
        .expect("it is valid")
        .bytes;
    let (path, options) = (std::path::Path::new("hero.glb"), sinew_import::Options::default());
    bencher
        .counter(BytesCount::new(glb.len()))
        .bench(|| sinew_import::import_bytes(black_box(&glb), path, &options).map(|i| i.findings.len()));
}

/// One frame of one character: sample the clip, walk the hierarchy, compute the skin matrices.
#[divan::bench]
fn frame_of_one_clip(bencher: Bencher<'_, '_>) {
    let hero = Arc::new(import_all(&sources()).character);
    let walk = hero.find_clip("Walk").expect("the hero walks");
    let mut player = Player::new(hero.clone());
    player.play(hero.clips().names().nth(walk).expect("it has a name")).expect("it plays");
    bencher.bench_local(|| {
        player.update(black_box(1.0 / 60.0));
        player.skin_matrices(0).len()
    });
}

/// The same during a crossfade that never ends: two clips sampled and blended.
#[divan::bench]
fn frame_of_a_crossfade(bencher: Bencher<'_, '_>) {
    let mut controller = Controller::new(Arc::new(import_all(&sources()).character));
    controller.play("Idle").expect("it idles");
    controller.update(0.1);
    controller.play_with("Walk", PlayOptions::looping(1e9)).expect("it walks");
    bencher.bench_local(|| {
        controller.update(black_box(1.0 / 60.0));
        controller.skin_matrices(0).len()
    });
}

/// Skinning all vertices on the CPU, positions and normals.
#[divan::bench]
fn skin_all_vertices(bencher: Bencher<'_, '_>) {
    let hero = Arc::new(import_all(&sources()).character);
    let player = Player::new(hero.clone());
    let mut out: Vec<_> = hero.meshes().iter().map(SkinnedVertices::for_mesh).collect();
    let vertices: usize = hero.meshes().iter().map(|mesh| mesh.vertex_count()).sum();
    bencher.counter(divan::counter::ItemsCount::new(vertices)).bench_local(|| {
        for (i, (mesh, out)) in hero.meshes().iter().zip(&mut out).enumerate() {
            out.skin(mesh, player.skin_matrices(i), player.pose().scalars()).expect("it fits");
        }
    });
}
