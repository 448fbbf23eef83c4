//! SHA-256 of the bundle and the GLB of every character in a folder: one machine's list compared with another's shows that both write the
//! same bytes.
//!
//! `cargo run --release -p sinew-build --example digests -- FOLDER`

#![allow(clippy::print_stdout)]

use sha2::{Digest, Sha256};
use sinew_build::bundle::{self, Evidence, certify};
use sinew_build::project::{Target, TargetOptions};
use sinew_files::{Cache, Disk, Files};
use sinew_import::{Options, load_from};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const EXTENSIONS: [&str; 5] = ["fbx", "dae", "zae", "gltf", "glb"];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("usage: digests FOLDER")?;
    let mut characters = Vec::new();
    find(Path::new(&folder), &mut characters)?;
    characters.sort();
    for path in characters {
        let name = path.strip_prefix(&folder)?.display();
        match digests(&path) {
            Ok([bundle, glb]) => println!("{bundle} {glb} {name}"),
            Err(error) => println!("refused {name}: {error}"),
        }
    }
    Ok(())
}

/// Files that importers read. A folder with a manifest is one character.
fn find(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let manifest = folder.join("manifest.json");
    if manifest.is_file() {
        found.push(manifest);
        return Ok(());
    }
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let extension = path.extension().map(|extension| extension.to_ascii_lowercase());
        if path.is_dir() {
            find(&path, found)?;
        } else if EXTENSIONS.iter().any(|known| extension.as_deref() == Some(known.as_ref())) {
            found.push(path);
        }
    }
    Ok(())
}

fn digests(path: &Path) -> Result<[String; 2], Box<dyn Error>> {
    let files: Arc<dyn Files> = Arc::new(Cache::new(Disk));
    let loaded = load_from(&files, path, &[] as &[&Path], &Options::default())?;
    let origins: Vec<_> = loaded.origins.iter().map(|origin| Some(bundle::origin(origin))).collect();
    let certificate = certify(&loaded.character, &loaded.source, &origins, &Evidence::of_loaded(&loaded))?;
    let digest = |target: Target| -> Result<String, Box<dyn Error>> {
        let (character, source) = (&loaded.character, &loaded.source);
        let written = target.write(
            "character",
            character,
            source,
            Some(&certificate),
            &TargetOptions::default(),
            &files,
        )?;
        let mut digest = Sha256::new();
        written.files.iter().for_each(|file| digest.update(&file.bytes));
        Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    };
    Ok([digest(Target::Sinew)?, digest(Target::Glb)?])
}
