//! From arguments to a character with all its clips.

use crate::args::SourceArgs;
use crate::exit::{Failure, Result};
use sinew::Character;
use sinew_files::{Cache, Disk, FileRecord, Files};
#[cfg(feature = "render")]
use sinew_import::manifest;
use sinew_import::{Loaded, Options};
use std::path::Path;
use std::sync::Arc;

/// A character and the clips of its animation files, merged by joint name.
pub fn character(sources: &SourceArgs, options: &Options) -> Result<Loaded> {
    character_from(&files(), sources, options)
}

/// Like [`character`], reading through `files`.
pub fn character_from(files: &Arc<dyn Files>, sources: &SourceArgs, options: &Options) -> Result<Loaded> {
    sinew_import::load_from(files, &sources.character, &sources.animations, options)
        .map_err(|e| Failure::Input(e.to_string()))
}

/// The disk, with each file read once.
pub fn files() -> Arc<dyn Files> {
    Arc::new(Cache::new(Disk))
}

/// An error if writing a file would overwrite one of those that were read.
pub fn keep_sources(output: &Path, read: &[FileRecord]) -> Result<()> {
    let read = read.iter().filter(|record| record.digest.is_some()).map(|record| &*record.path);
    match sinew_files::overwritten(output, read) {
        None => Ok(()),
        Some(source) => Err(Failure::Input(format!(
            "{}: would overwrite its own source {}; choose another name",
            output.display(),
            source.display()
        ))),
    }
}

/// A character whose clips are loaded on first use if it has a manifest, so that a clip that cannot be read does not prevent the use of the
/// others.
#[cfg(feature = "render")]
pub fn lazily(sources: &SourceArgs, options: &Options) -> Result<(Character, Vec<FileRecord>)> {
    let path = &sources.character;
    if sources.animations.is_empty() && (path.is_dir() || manifest::is_manifest(path)) {
        let options = manifest::OpenOptions::new(options.clone());
        let opened = manifest::open(path, &options)?;
        let files = opened.files();
        return Ok((opened.character, files));
    }
    let loaded = character(sources, options)?;
    Ok((loaded.character, loaded.sources.files()))
}

/// The clip asked for.
pub fn clip(character: &Character, wanted: &str) -> Result<usize> {
    character.find_clip(wanted).map_err(|error| Failure::Input(error.to_string()))
}

/// The clip asked for, or the first.
pub fn choose_clip(character: &Character, wanted: Option<&str>) -> Result<Option<usize>> {
    match wanted {
        Some(wanted) => clip(character, wanted).map(Some),
        None => Ok((!character.clips().is_empty()).then_some(0)),
    }
}
