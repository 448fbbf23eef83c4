//! Writes a `sinew.toml` for a folder of downloads: which files are characters, which clips belong to them, how these are played.
//!
//! Decisions come from measurements and names. The written file gives the reason of each, and wrong guesses are corrected there.

mod choose;
mod guess;
mod scan;
mod text;

pub use text::{is_own, text};

use super::settings::ClipSettings;
use sinew_files::write_file;
use sinew_import::Options;
use std::path::{Path, PathBuf};

/// The characters found in a folder.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Decision {
    /// The characters, in the order of their files.
    pub characters: Vec<CharacterChoice>,
    /// What was left out.
    pub left_out: Vec<LeftOut>,
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
    /// No file holds a character.
    #[error("{}: no file here holds a character", .folder.display())]
    NoCharacter {
        /// The folder.
        folder: PathBuf,
        /// What was found instead.
        left_out: Vec<LeftOut>,
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
    Self::NoCharacter { .. } => "init.no-character", "No file holds a character";
    Self::NotOwn { .. } => "init.not-own", "The project file was not written by `sinew init`, or was edited since";
    Self::Write { .. } => "init.unwritable", "The project's file cannot be written";
} }

/// Reads all files below a folder and decides. `done` is called with the number of files read so far and the total.
pub fn decide(folder: &Path, done: &(dyn Fn(usize, usize) + Sync)) -> Result<Decision, InitError> {
    let wrong = |error| InitError::Read { folder: folder.to_owned(), error };
    let files = scan::files(folder).map_err(wrong)?;
    let found = scan::read(folder, files, &Options::default(), done);
    let decision = choose::choose(found);
    if decision.characters.is_empty() {
        return Err(InitError::NoCharacter { folder: folder.to_owned(), left_out: decision.left_out });
    }
    Ok(decision)
}

/// Whether a project may be written: there is none yet, or one that [`write()`] wrote and that was not edited since.
pub fn may_write(file: &Path, force: bool) -> Result<(), InitError> {
    match std::fs::read_to_string(file) {
        Ok(before) if force || is_own(&before) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        // A file that is not text was not written by `init`.
        Ok(_) | Err(_) if !force => Err(InitError::NotOwn { file: file.to_owned() }),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Writes the project's file.
pub fn write(file: &Path, decision: &Decision, force: bool) -> Result<(), InitError> {
    may_write(file, force)?;
    let wrong = |error| InitError::Write { file: file.to_owned(), error };
    write_file(file, text(decision).as_bytes()).map_err(wrong)
}
