//! From arguments to a character with all its clips.

use crate::args::{EulerArg, ImportArgs, SourceArgs, SpaceArg};
use crate::exit::{Failure, Result};
use crate::suggest::did_you_mean;
use sinew::{Character, ClipInfo, TagTable};
use sinew_build::Loaded;
use sinew_import::{EulerUnit, InfluenceLimit, Options, SpaceMode};

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
    sinew_build::load_with(&sources.character, &sources.animations, &options(args))
        .map_err(|e| Failure::Input(e.to_string()))
}

/// The clip asked for (by number, by its name here or in its source, or by what it is for), or the first.
pub fn choose_clip(character: &Character, wanted: Option<&str>) -> Result<Option<usize>> {
    let clips = character.clips();
    let Some(wanted) = wanted else { return Ok((!clips.is_empty()).then_some(0)) };
    let index = match wanted.strip_prefix('#') {
        Some(number) => {
            let number = number
                .parse::<usize>()
                .map_err(|_| Failure::Input(format!("`{wanted}` is no clip number: write it as in #0")))?;
            (number < clips.len()).then_some(number)
        }
        None => clips
            .find(wanted)
            .or_else(|| clips.infos().position(|info| info.source_name.as_deref() == Some(wanted)))
            .or_else(|| clip_by_tag(character, wanted)),
    };
    index.map(Some).ok_or_else(|| {
        let hint = did_you_mean(wanted, clips.names());
        Failure::Input(format!("`{}` has no clip `{wanted}`; {hint}", character.name()))
    })
}

/// The first clip that has a tag of its own; none stands in for another, since it is asked for by name.
fn clip_by_tag(character: &Character, wanted: &str) -> Option<usize> {
    let table = TagTable::default();
    let has = |info: &ClipInfo| table.resolve(info).is_some_and(|(tag, _)| tag.eq_ignore_ascii_case(wanted));
    character.clips().infos().position(has)
}
