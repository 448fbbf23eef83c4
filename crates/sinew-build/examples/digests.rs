//! SHA-256 of the bundle, the bundle with compiled clips and the GLB of every character in a folder: one machine's list compared with another's
//! shows that both write the same bytes.
//!
//! `cargo run --release -p sinew-build --example digests -- FOLDER`

#![allow(clippy::print_stdout)]

mod folder;

use folder::find;
use sha2::{Digest, Sha256};
use sinew::Character;
use sinew_build::bundle::{self, Evidence, certify};
use sinew_build::compress::{CompressOptions, compress_from};
use sinew_build::project::{Target, TargetOptions};
use sinew_files::{Cache, Disk, Files, hex};
use sinew_import::{Options, SourceInfo, load_from};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("usage: digests FOLDER")?;
    let mut characters = Vec::new();
    find(Path::new(&folder), &mut characters)?;
    characters.sort();
    for path in characters {
        let name = path.strip_prefix(&folder)?.display();
        match digests(&path) {
            Ok(digests) => println!("{} {name}", digests.join(" ")),
            Err(error) => println!("refused {name}: {error}"),
        }
    }
    Ok(())
}

fn digests(path: &Path) -> Result<[String; 3], Box<dyn Error>> {
    let files: Arc<dyn Files> = Arc::new(Cache::new(Disk));
    let loaded = load_from(&files, path, &[] as &[&Path], &Options::default())?;
    let origins: Vec<_> = loaded.origins.iter().map(|origin| Some(bundle::origin(origin))).collect();
    let evidence = Evidence::of_loaded(&loaded);
    let digest =
        |target: Target, character: &Character, source: &SourceInfo| -> Result<String, Box<dyn Error>> {
            let certificate = certify(character, source, &origins, &evidence)?;
            let options = TargetOptions::default();
            let written =
                target.write("character", character, source, Some(&certificate), &options, &files)?;
            let mut digest = Sha256::new();
            written.files.iter().for_each(|file| digest.update(&file.bytes));
            Ok(hex(&digest.finalize()))
        };
    let (character, source) = (&loaded.character, &loaded.source);
    let compressed = compress_from(character, source, &CompressOptions::default(), &origins, &evidence)?;
    Ok([
        digest(Target::Sinew, character, source)?,
        digest(Target::Sinew, &compressed.character, &compressed.source)?,
        digest(Target::Glb, character, source)?,
    ])
}
