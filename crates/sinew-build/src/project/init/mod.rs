//! Writes a `sinew.toml` for a folder of downloads: which files are characters, which clips belong to them, how these are played.
//!
//! Decisions come from measurements and names. The written file gives the reason of each, and wrong guesses are corrected there.

mod choose;
mod guess;
mod scan;
mod text;

pub use text::{is_own, text};

use super::settings::ClipSettings;
use sinew_files::{Disk, overwritten, write_file};
use sinew_findings::plural;
use sinew_import::Options;
use std::path::{Path, PathBuf};

/// The characters found in a folder.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Decision {
    /// The characters, in the order of their files.
    pub characters: Vec<CharacterChoice>,
    /// What was left out.
    pub left_out: Vec<LeftOut>,
    /// How many of the files left out are COLLADA clips without a scene: a manifest binds them to their model.
    pub loose_clips: usize,
}

/// A character, and the reason for it.
#[derive(Clone, Debug, PartialEq)]
pub struct CharacterChoice {
    /// Its name.
    pub name: String,
    /// Its file.
    pub file: String,
    /// Why this file.
    pub why: String,
    /// Its clips, those with a tag first.
    pub clips: Vec<ClipChoice>,
}

/// A clip with its settings, and the reasons for them.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipChoice {
    /// Its settings in the project.
    pub settings: ClipSettings,
    /// Why this tag, or none.
    pub why_tag: String,
    /// Why this loop mode.
    pub why_loop: String,
    /// Why this root motion.
    pub why_root_motion: String,
}

/// A file or take that was left out, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The file and, if only a take is left out, the take.
    pub place: String,
    /// Why.
    pub why: String,
}

/// Why no project was written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InitError {
    /// The folder cannot be read.
    #[error("{}: cannot be read: {error}", .folder.display())]
    Read {
        /// The folder.
        folder: PathBuf,
        /// What went wrong.
        error: std::io::Error,
    },
    /// What was given is no folder.
    #[error("{}: is a file; name its folder, and `--character FILE` if that is the character", .path.display())]
    NoFolder {
        /// The file.
        path: PathBuf,
    },
    /// No file holds a character.
    #[error("{}: no file here holds a character", .folder.display())]
    NoCharacter {
        /// The folder.
        folder: PathBuf,
        /// What was found instead.
        left_out: Vec<LeftOut>,
    },
    /// There are characters without a clip, and clips without a scene.
    #[error(
        "{}: {} found, none with a clip, and {} without a scene, which only a manifest binds to their model; run `sinew manifest {}`, then \
         `sinew init` again", .folder.display(), plural(*.characters, "character", "characters"),
        plural(*.clips, "COLLADA clip", "COLLADA clips"), .folder.display()
    )]
    LooseClips {
        /// The folder.
        folder: PathBuf,
        /// How many characters there are.
        characters: usize,
        /// How many clips there are.
        clips: usize,
    },
    /// A file that was to be a character is not below the folder, or cannot be read.
    #[error("{}: {why}", .file.display())]
    NotFound {
        /// The file.
        file: PathBuf,
        /// Why it is none.
        why: String,
    },
    /// There is a `sinew.toml` that `init` did not write, or that was edited since.
    #[error(
        "{}: was not written by `sinew init`, or was edited since, and is kept; --force overwrites it",
        .file.display()
    )]
    NotOwn {
        /// The file.
        file: PathBuf,
    },
    /// The file is one of the sources, by a link.
    #[error("{} would overwrite its own source {}; remove the link", .file.display(), .source_file.display())]
    Overwrites {
        /// The file.
        file: PathBuf,
        /// The source.
        source_file: PathBuf,
    },
    /// The file cannot be written.
    #[error("{}: cannot be written: {error}", .file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// What went wrong.
        error: std::io::Error,
    },
}

sinew_findings::error_codes! { InitError {
    Self::Read { .. } => "init.unreadable", "The folder cannot be read";
    Self::NoFolder { .. } => "init.no-folder", "What was given is no folder";
    Self::NoCharacter { .. } => "init.no-character", "No file holds a character";
    Self::LooseClips { .. } => "init.loose-clips", "There are clips without a scene, and no manifest that binds them to a model";
    Self::NotFound { .. } => "init.not-found", "A file that was to be a character is not below the folder, or cannot be read";
    Self::NotOwn { .. } => "init.not-own", "The project file was not written by `sinew init`, or was edited since";
    Self::Overwrites { .. } => "init.overwrites", "The project's file is one of the sources";
    Self::Write { .. } => "init.unwritable", "The project's file cannot be written";
} }

/// Reads all files below a folder and decides. `characters` are files in it that are characters whatever their content suggests. `done` is
/// called with the number of files read so far and the total.
pub fn decide(
    folder: &Path,
    characters: &[PathBuf],
    done: &(dyn Fn(usize, usize) + Sync),
) -> Result<Decision, InitError> {
    let wrong = |error| InitError::Read { folder: folder.to_owned(), error };
    let (files, unread) = scan::files(folder).map_err(wrong)?;
    let found = scan::read(folder, files, &Options::default(), done);
    let named = characters.iter().map(|file| named(folder, file, &found)).collect::<Result<Vec<_>, _>>()?;
    let title = std::path::absolute(folder).ok();
    let title = title.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let mut decision = choose::choose(found, &named, title.as_deref().unwrap_or("character"));
    decision.left_out.extend(unread);
    if decision.characters.is_empty() {
        return Err(InitError::NoCharacter { folder: folder.to_owned(), left_out: decision.left_out });
    }
    if decision.loose_clips > 0 && decision.characters.iter().all(|character| character.clips.is_empty()) {
        let (characters, clips) = (decision.characters.len(), decision.loose_clips);
        return Err(InitError::LooseClips { folder: folder.to_owned(), characters, clips });
    }
    Ok(decision)
}

/// A file that is to be a character, as the scan calls it: seen from the folder, or from where the command runs.
fn named(folder: &Path, file: &Path, found: &[scan::Found]) -> Result<String, InitError> {
    let name = |path: &Path| path.to_string_lossy().replace('\\', "/");
    let wrong = |why: &str| InitError::NotFound { file: file.to_owned(), why: why.to_owned() };
    let wanted = [Some(file), file.strip_prefix(folder).ok()];
    let is = |found: &&scan::Found| wanted.iter().flatten().any(|path| name(path) == found.file);
    match found.iter().find(is) {
        None => Err(wrong("there is no such file that holds a character below the folder")),
        Some(scan::Found { content: Err(cause), .. }) => Err(wrong(&cause.to_string())),
        Some(found) => Ok(found.file.clone()),
    }
}

/// Whether a project may be written: there is none yet, or one that [`write()`] wrote and that was not edited since.
pub fn may_write(file: &Path, force: bool) -> Result<(), InitError> {
    match sinew_files::read_text(&Disk, file) {
        Ok(before) if force || is_own(&before) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => {
            Err(InitError::NoFolder { path: file.parent().unwrap_or(file).to_owned() })
        }
        // A file that is not text was not written by `init`.
        Ok(_) | Err(_) if !force => Err(InitError::NotOwn { file: file.to_owned() }),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// All files that a decision is about.
fn sources(file: &Path, decision: &Decision) -> Vec<PathBuf> {
    let clips = |character: &CharacterChoice| {
        let files = character.clips.iter().map(|clip| clip.settings.file.clone());
        files.chain([character.file.clone()]).collect::<Vec<_>>()
    };
    let left_out = decision.left_out.iter().map(|left_out| left_out.place.clone());
    let files = decision.characters.iter().flat_map(clips).chain(left_out);
    let folder = file.parent().unwrap_or(Path::new(""));
    files.filter(|file| !file.is_empty()).map(|file| folder.join(file)).collect()
}

/// Writes the project's file.
pub fn write(file: &Path, decision: &Decision, force: bool) -> Result<(), InitError> {
    may_write(file, force)?;
    let sources = sources(file, decision);
    if let Some(source) = overwritten(file, sources.iter().map(PathBuf::as_path)) {
        return Err(InitError::Overwrites { file: file.to_owned(), source_file: source.to_owned() });
    }
    let wrong = |error| InitError::Write { file: file.to_owned(), error };
    write_file(file, text(decision).as_bytes()).map_err(wrong)
}
