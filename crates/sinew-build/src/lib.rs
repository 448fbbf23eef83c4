//! What happens between reading files and playing them: clips from several files become one character ([`merge`]), and what is
//! likely to be wrong with it is found out ([`doctor`]).
//!
//! Nothing here reads a file or prints: the importers hand over [`Source`]s, the command prints the results.

pub mod bundle;
pub mod doctor;
pub mod findings;
pub mod glb;
pub mod merge;
pub mod textures;

pub use merge::{MergeError, Merged, MergedCharacter, merge, merge_all};

use sinew::{Character, Finding};
use sinew_import::Imported;

/// One imported file, as merging and examining see it.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Name of the file, as the user wrote it.
    pub file: &'a str,
    /// What it holds.
    pub character: &'a Character,
    /// What was odd about it.
    pub findings: &'a [Finding],
}

impl<'a> Source<'a> {
    /// An imported file under a name.
    pub fn new(file: &'a str, imported: &'a Imported) -> Self {
        Self { file, character: &imported.character, findings: &imported.findings }
    }
}
