//! From arguments to a character with all its clips.

use crate::args::SourceArgs;
use crate::exit::{Failure, Result};
use crate::print::Out;
use sinew::{Character, Clip};
use sinew_examine::doctor::ClipMeasurer;
use sinew_files::{Cache, Disk, Files, Recorder};
#[cfg(feature = "render")]
use sinew_import::manifest;
use sinew_import::{Loaded, Options};
use std::path::Path;
use std::sync::Arc;

/// What a command reads, each file once. Everything that it reads goes through here, options that are files included, and everything that it writes is
/// checked here: a file that was read is never written.
pub struct Inputs(Arc<Recorder>);

impl Inputs {
    /// With what was read for the options already.
    pub fn new(options: &Options) -> Self {
        let inputs = Self::without_options();
        options.tags.file.iter().for_each(|file| inputs.0.add(file.clone()));
        inputs
    }

    /// For a command without options of import.
    pub fn without_options() -> Self {
        Self(Arc::new(Recorder::new(Arc::new(Cache::new(Disk)))))
    }

    /// The files.
    pub fn files(&self) -> Arc<dyn Files> {
        self.0.clone()
    }

    /// A character and the clips of its animation files, merged by joint name.
    pub fn character(&self, sources: &SourceArgs, options: &Options) -> Result<Loaded> {
        sinew_import::load_from(&self.files(), &sources.character, &sources.animations, options)
            .map_err(|e| Failure::Input(e.to_string()))
    }

    /// The text of a file such as settings.
    pub fn text(&self, path: &Path) -> Result<String> {
        sinew_files::read_text(&*self.0, path)
            .map_err(|error| Failure::Input(format!("{}: {error}", path.display())))
    }

    /// An error if writing a file would overwrite one of those that were read so far.
    pub fn keep(&self, output: &Path) -> Result<()> {
        let read = self.0.records();
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

    /// Writes a file, unless it was read.
    pub fn write(&self, output: &Path, bytes: &[u8]) -> Result<()> {
        self.keep(output)?;
        let named = |error: std::io::Error| {
            std::io::Error::new(error.kind(), format!("{}: {error}", output.display()))
        };
        Ok(sinew_files::write_file(output, bytes).map_err(named)?)
    }
}

/// A character whose clips are loaded on first use if it has a manifest, so that a clip that cannot be read does not prevent the use of the
/// others; and the number of clips that are its own, which come before those of the animation files.
#[cfg(feature = "render")]
pub fn lazily(inputs: &Inputs, sources: &SourceArgs, options: &Options) -> Result<(Character, usize)> {
    let path = &sources.character;
    if sources.animations.is_empty() && (path.is_dir() || manifest::is_manifest(path)) {
        let options = manifest::OpenOptions::from_files(options.clone(), inputs.files());
        let opened = manifest::open(path, &options)?;
        let own = opened.character.clips().len();
        return Ok((opened.character, own));
    }
    let loaded = inputs.character(sources, options)?;
    let own = own_clips(&loaded);
    Ok((loaded.character, own))
}

/// Number of clips of the character's own file.
pub fn own_clips(loaded: &Loaded) -> usize {
    loaded.origins.iter().filter(|origin| origin.file == 0).count()
}

/// The clip asked for.
pub fn clip(character: &Character, wanted: &str) -> Result<usize> {
    character.find_clip(wanted).map_err(|error| {
        let mut text = error.to_string();
        if text.contains("did you mean") {
            let names: Vec<String> = character.clips().names().map(|name| format!("`{name}`")).collect();
            text += &format!(" There are {}", names.join(", "));
        }
        Failure::Input(text)
    })
}

/// The clip asked for; else the first that comes after the character's `own`, else the first that moves, else the first.
pub fn choose_clip(character: &Character, own: usize, wanted: Option<&str>) -> Result<Option<usize>> {
    let clips = character.clips();
    match wanted {
        Some(wanted) => clip(character, wanted).map(Some),
        None if clips.is_empty() => Ok(None),
        None if own < clips.len() => Ok(Some(own)),
        None => {
            let measurer = ClipMeasurer::new(character);
            let moves = |&index: &usize| {
                let clip = clips.get(index).ok();
                clip.and_then(|clip| measurer.measure(&clip)).is_some_and(|motion| !motion.still)
            };
            Ok(Some((0..clips.len()).find(moves).unwrap_or(0)))
        }
    }
}

/// Says which of the times lie outside a clip.
pub fn tell_times(clip: &Clip, times: &[f64], out: &Out) {
    let duration = f64::from(clip.duration());
    for time in times.iter().filter(|time| !(0.0..=duration).contains(*time)) {
        let end = if *time < 0.0 { "start" } else { "end" };
        out.note(&format!(
            "`{}` is {} s long, so {time} s is shown as its {end}",
            clip.name(),
            (duration * 1e3).round() / 1e3
        ));
    }
}
