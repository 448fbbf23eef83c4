//! From arguments to a character with all its clips.

use crate::args::{EulerArg, ImportArgs, SourceArgs, SpaceArg};
use crate::exit::{Failure, Result};
use sinew::Character;
#[cfg(feature = "render")]
use sinew_import::manifest;
use sinew_import::{EulerUnit, InfluenceLimit, Loaded, Options, SpaceMode};

/// What the import arguments ask for.
pub fn options(args: &ImportArgs) -> Options {
    let mut options = Options {
        space: match args.space {
            SpaceArg::Canonical => SpaceMode::Canonical,
            SpaceArg::Keep => SpaceMode::Keep,
        },
        influences: if args.influences == "8" { InfluenceLimit::Eight } else { InfluenceLimit::Four },
        resample: args.resample,
        euler_unit: match args.euler_unit {
            EulerArg::Auto => EulerUnit::Auto,
            EulerArg::Degrees => EulerUnit::Degrees,
            EulerArg::Radians => EulerUnit::Radians,
        },
        ..Options::default()
    };
    options.textures.folders.extend(args.textures.iter().cloned());
    options.textures.allow_outside = args.allow_outside_textures;
    for (name, value) in &args.limit {
        // Names were checked when the arguments were read.
        let _ = options.limits.set(name, *value);
    }
    options
}

/// A character and the clips of its animation files, merged by joint name.
pub fn character(sources: &SourceArgs, args: &ImportArgs) -> Result<Loaded> {
    sinew_import::load_with(&sources.character, &sources.animations, &options(args))
        .map_err(|e| Failure::Input(e.to_string()))
}

/// A character whose clips are read when they are asked for, where its files allow that: one that cannot be read is then no hindrance to
/// the others.
#[cfg(feature = "render")]
pub fn lazily(sources: &SourceArgs, args: &ImportArgs) -> Result<Character> {
    let path = &sources.character;
    if sources.animations.is_empty() && (path.is_dir() || manifest::is_manifest(path)) {
        let options = manifest::OpenOptions { import: options(args), ..Default::default() };
        return Ok(manifest::open(path, &options)?.character);
    }
    Ok(character(sources, args)?.character)
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
