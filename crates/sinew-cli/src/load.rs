//! From arguments to a character with all its clips.

use crate::args::SourceArgs;
use crate::exit::{Failure, Result};
use sinew::Character;
#[cfg(feature = "render")]
use sinew_import::manifest;
use sinew_import::{Loaded, Options};

/// A character and the clips of its animation files, merged by joint name.
pub fn character(sources: &SourceArgs, options: &Options) -> Result<Loaded> {
    sinew_import::load_with(&sources.character, &sources.animations, options)
        .map_err(|e| Failure::Input(e.to_string()))
}

/// A character whose clips are read when they are asked for, where its files allow that: one that cannot be read is then no hindrance to
/// the others.
#[cfg(feature = "render")]
pub fn lazily(sources: &SourceArgs, options: &Options) -> Result<Character> {
    let path = &sources.character;
    if sources.animations.is_empty() && (path.is_dir() || manifest::is_manifest(path)) {
        let options = manifest::OpenOptions::new(options.clone());
        return Ok(manifest::open(path, &options)?.character);
    }
    Ok(character(sources, options)?.character)
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
