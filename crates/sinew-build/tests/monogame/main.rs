//! Characters as XNB files, read back by a reader that was written from MonoGame's order of reading: structure, poses and vertices.

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
use std::path::PathBuf;

/// The files of a character whose model is `hero.xnb`.
fn written(character: &Character, options: &MonoGameOptions) -> MonoGame {
    write_monogame("hero.xnb", character, &Textures::Embed, options).unwrap()
}

/// Its model, by the reader of the tests.
fn model(files: &MonoGame) -> xnb::Model {
    let file = files.files.last().expect("the model comes last");
    assert_eq!(file.name, "hero.xnb");
    xnb::read(&file.bytes).model()
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
