//! A `sinew.toml` for a folder of downloads: which files are characters, which clips belong to them, how these are to be played.
//!
//! Everything is measured or read from names, every decision has its reason, and the file that comes out says both. What was
//! guessed wrong is mended there.

mod choose;
mod guess;
mod scan;
mod text;

pub use text::{is_own, text};

use super::settings::ClipSettings;
use sinew_files::write_file;
use sinew_import::Options;
use std::path::{Path, PathBuf};

/// What a folder was found to hold.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Decision {
    /// The characters, in the order of their files.
    pub characters: Vec<CharacterChoice>,
    /// What was left out.
    pub left_out: Vec<LeftOut>,
}

/// A character, and why it is one.
#[derive(Clone, Debug, PartialEq)]
pub struct CharacterChoice {
    /// Its name.
    pub name: String,
    /// Its file.
    pub file: String,
    /// Why this file.
    pub why: String,
    /// Its clips, those with a tag first: of two clips with one tag, a game takes the first.
    pub clips: Vec<ClipChoice>,
}

/// A clip, and why it is as it is.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipChoice {
    /// What the project will say.
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
    /// File and, where not all of it, take.
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
    /// There is a file that was written or changed by somebody else.
    #[error(
        "{}: was written or changed by somebody else and is left alone; --force writes over it",
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
    Self::NotOwn { .. } => "init.not-own", "The project's file was written or changed by somebody else";
    Self::Write { .. } => "init.unwritable", "The project's file cannot be written";
} }

/// Looks at all files below a folder and decides. `done` is told how many files were read, of how
/// many.
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

/// Whether a project may be written: there is none yet, or one that [`write()`] wrote and nobody changed since.
pub fn may_write(file: &Path, force: bool) -> Result<(), InitError> {
    match std::fs::read_to_string(file) {
        Ok(before) if force || is_own(&before) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        // What cannot be read as text is not ours either.
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
