//! Folders of characters: every manifest in a tree, opened in parallel, with a progress bar.

use crate::exit::Result;
use crate::print::Out;
use crate::progress;
use sinew_import::manifest::{self, OpenOptions, Opened, Tree};
use sinew_import::{Cause, ImportError, Options};
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
    if tree.done.is_empty() && tree.failed.is_empty() {
        let empty = std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none());
        return Err(nothing_here(folder, empty).into());
    }
    Ok(tree)
}

/// The error of a folder without a manifest anywhere. Sources without a manifest are named with what to do.
fn nothing_here(folder: &Path, empty: bool) -> ImportError {
    let cause =
        if has_documents(folder) { Cause::NoManifest { found: 0 } } else { Cause::NothingToRead { empty } };
    ImportError::new(folder, cause)
}

/// Whether there is a COLLADA file in a folder or one level below.
fn has_documents(folder: &Path) -> bool {
    let is_document = |path: &Path| {
        path.extension().is_some_and(|e| e.eq_ignore_ascii_case("dae") || e.eq_ignore_ascii_case("zae"))
    };
    let entries =
        |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries(folder).any(|path| is_document(&path) || entries(&path).any(|path| is_document(&path)))
}

/// The errors of characters that could not be opened, as one text.
pub fn failures(failed: &[ImportError]) -> String {
    failed.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n       ")
}
