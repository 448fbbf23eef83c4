//! What happens between reading files and playing them: clips from several files become one character ([`mod@merge`]), and what is
//! likely to be wrong with it is found out ([`doctor`]). Two characters are compared by [`mod@diff`].
//!
//! A folder of sources with a `sinew.toml` is a [`project`]; its characters are compiled to [bundles](bundle).
//!
//! [`load`](load()) does it all from paths; [`merge`](merge()) and [`doctor::examine`] work on files that are read already. Nothing here prints.

pub mod bundle;
pub mod choose;
pub mod diff;
pub mod doctor;
pub mod findings;
pub mod glb;
pub mod load;
pub mod merge;
pub mod project;
mod purpose;
pub mod textures;

pub use diff::{Diff, DiffError, diff};
pub use load::{LoadError, Loaded, Sources, import, load, load_with};
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

/// The README, whose example is compiled.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;

/// The page about projects, whose example is compiled.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/projects.md")]
pub struct ProjectsPage;
