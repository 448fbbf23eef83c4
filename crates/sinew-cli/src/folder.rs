//! Folders of characters: every manifest in a tree, side by side, with a bar that shows how far it is.

use crate::exit::Result;
use crate::print::Out;
use crate::progress;
use sinew_import::manifest::{self, OpenOptions, Opened, Tree};
use sinew_import::{ImportError, Options};
use std::path::Path;

/// What a path is to the commands that take folders.
pub enum Target {
    /// A file of its own, or one manifest: a single character.
    One,
    /// A folder without a manifest of its own, to be searched.
    Tree,
}

/// One character, or a tree of them?
pub fn target(path: &Path) -> Target {
    let has_manifest = || {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).any(|path| path.is_file() && manifest::is_manifest(&path))
    };
    if path.is_dir() && !has_manifest() { Target::Tree } else { Target::One }
}

/// Opens every character in a folder and below, in parallel, and hands each to `work`.
pub fn each<T: Send>(
    folder: &Path,
    options: &Options,
    out: &Out,
    work: impl Fn(Opened) -> T + Sync,
) -> Result<Tree<T>> {
    let options = OpenOptions::new(options.clone());
    let bar = progress::bar(out);
    let tree = manifest::process_tree(folder, &options, work, |progress| {
        bar.set_length(progress.total as u64);
        bar.set_position(progress.done as u64);
    })?;
    bar.finish_and_clear();
    Ok(tree)
}

/// What could not be opened, as one text.
pub fn failures(failed: &[ImportError]) -> String {
    failed.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n       ")
}
