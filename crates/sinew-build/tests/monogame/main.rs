//! Characters as XNB files, read back by a reader that was written from MonoGame's order of reading: structure, poses and vertices.

#![allow(clippy::print_stdout, reason = "figures are for whoever runs the tests")]

mod back;
mod cases;
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/figures.rs"]
mod figures;
mod golden;
mod poses;
mod project;
mod sizes;
mod xnb;

use sinew::Character;
use sinew_build::monogame::{MonoGame, MonoGameOptions, write_monogame};
use sinew_build::textures::Textures;
use sinew_import::SourceInfo;
use std::path::PathBuf;
use xnb::Resource;

/// The files of a character whose model is `hero.xnb`.
fn written(character: &Character, options: &MonoGameOptions) -> MonoGame {
    write_monogame("hero.xnb", character, &SourceInfo::default(), &Textures::Embed, options).unwrap()
}

/// Its model, by the reader of the tests.
fn model(files: &MonoGame) -> xnb::Model {
    let file = files.files.last().expect("the model comes last");
    assert_eq!(file.name, "hero.xnb");
    let model = xnb::read(&file.bytes).model();
    check_parts(&model);
    model
}

/// Every part has vertices, triangles among them, and an effect.
fn check_parts(model: &xnb::Model) {
    for part in model.meshes.iter().flat_map(|mesh| &mesh.parts) {
        let resources = [part.vertices, part.indices, part.effect].map(|index| &model.resources[index]);
        let [Resource::Vertices(vertices), Resource::Indices { indices, .. }, Resource::Effect(effect)] =
            resources
        else {
            panic!("a part refers to resources of other kinds")
        };
        assert!(part.vertex_offset + part.vertex_count <= vertices.count);
        let drawn = &indices[part.start_index..][..3 * part.primitives];
        assert_eq!(drawn.iter().max().map(|&last| last as usize + 1), Some(part.vertex_count));
        assert_eq!(effect.skinned, vertices.offset(5, 6).is_some());
    }
}

/// The bytes of a file beside the model.
fn file<'f>(files: &'f MonoGame, name: &str) -> &'f [u8] {
    let names = || files.files.iter().map(|file| file.name.as_str()).collect::<Vec<_>>();
    &files
        .files
        .iter()
        .find(|file| file.name == name)
        .unwrap_or_else(|| panic!("{name} of {:?}", names()))
        .bytes
}

/// A file of the corpus; `None`, with a line for the report, where there is no corpus.
fn corpus(test: &str, file: &str) -> Option<PathBuf> {
    match std::env::var_os("SINEW_CORPUS") {
        Some(folder) => Some(PathBuf::from(folder).join(file)),
        None => {
            println!("SINEW-SKIP: {test}: no corpus");
            None
        }
    }
}
