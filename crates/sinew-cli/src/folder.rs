//! Folders of characters: every manifest in a tree, opened in parallel, with a progress bar.

use crate::exit::Result;
use crate::print::Out;
use crate::progress;
use sinew_import::manifest::{self, OpenOptions, Opened, Tree};
use sinew_import::{ImportError, Options};
use std::path::Path;

/// Whether a path is a folder without a manifest of its own, whose subfolders are searched for characters. Otherwise it is one character.
pub fn is_tree(path: &Path) -> bool {
    let has_manifest = || {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).any(|path| path.is_file() && manifest::is_manifest(&path))
    };
    path.is_dir() && !has_manifest()
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

/// The errors of characters that could not be opened, as one text.
pub fn failures(failed: &[ImportError]) -> String {
    failed.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n       ")
}
