//! From arguments to a character with all its clips.

use crate::args::{EulerArg, ImportArgs, SpaceArg};
use crate::exit::{Failure, Result};
use sinew_build::Loaded;
use sinew_import::{EulerUnit, InfluenceLimit, Options, SpaceMode};
use std::path::{Path, PathBuf};

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
pub fn character(character: &Path, animations: &[PathBuf], args: &ImportArgs) -> Result<Loaded> {
    sinew_build::load_with(character, animations, &options(args)).map_err(|e| Failure::Input(e.to_string()))
}
