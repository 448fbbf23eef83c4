//! Folders of characters: every manifest and every other file in a tree, read in parallel, with a progress bar.

use crate::exit::Result;
use crate::print::{self, Out};
use crate::progress;
use rayon::prelude::*;
use sinew::Finding;
use sinew_files::Disk;
use sinew_findings::plural;
use sinew_import::manifest::{self, OpenOptions, Opened};
use sinew_import::{Cause, ImportError, Imported, Options, find_sources};
use std::path::{Path, PathBuf};

/// Whether a path is a folder without a manifest of its own, which is searched for characters. Otherwise it is one character.
pub fn is_tree(path: &Path) -> bool {
    let has_manifest = || {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).any(|path| manifest::is_found_manifest(&path, &Disk))
    };
    path.is_dir() && !has_manifest()
}

/// What became of a folder.
pub struct Tree<T> {
    /// What the work made of each character: those of manifests, then those that are a file each.
    pub done: Vec<T>,
    /// What could not be read.
    pub failed: Vec<ImportError>,
    /// Files with clips and no model to play them on.
    pub clips: Vec<PathBuf>,
    /// What was odd about the folder itself.
    pub findings: Vec<Finding>,
}

impl<T> Tree<T> {
    /// Says what is not told of any character.
    pub fn print(&self, out: &mut Out) -> Result<()> {
        self.findings.iter().try_for_each(|finding| print::finding(out, finding))?;
        if let Some(first) = self.clips.first() {
            let files = plural(self.clips.len(), "file holds", "files hold");
            out.note(&format!(
                "{files} clips without a model, such as {}: name them after their character, or list both in a manifest with `sinew manifest`",
                first.display()
            ));
        }
        Ok(())
    }
}

/// Reads every character in a folder and below, in parallel: each manifest is handed to `listed`, each other file that can be read to `alone`.
pub fn each<T: Send>(
    folder: &Path,
    options: &Options,
    out: &Out,
    listed: impl Fn(Opened) -> T + Sync,
    alone: impl Fn(&Path, Imported) -> T + Sync,
) -> Result<Tree<T>> {
    let bar = progress::bar(out);
    let opened = manifest::process_tree(folder, &OpenOptions::new(options.clone()), listed, |progress| {
        bar.set_length(progress.total as u64);
        bar.set_position(progress.done as u64);
    })?;
    let (mut files, _) =
        find_sources(folder).map_err(|error| ImportError::new(folder, Cause::Read(error)))?;
    files.retain(|file| !manifest::is_manifest(file));
    bar.inc_length(files.len() as u64);
    let read = |file: &PathBuf| {
        let read = sinew_import::import(file, options).map(|imported| alone(file, imported));
        bar.inc(1);
        read
    };
    let read: Vec<_> = files.par_iter().map(read).collect();
    bar.finish_and_clear();
    let mut tree =
        Tree { done: opened.done, failed: opened.failed, clips: Vec::new(), findings: opened.findings };
    for result in read {
        match result {
            Ok(done) => tree.done.push(done),
            Err(ImportError { file, cause: Cause::ClipsOnly }) => tree.clips.push(file),
            Err(error) => tree.failed.push(error),
        }
    }
    if tree.done.is_empty() && tree.failed.is_empty() && tree.clips.is_empty() {
        let empty = std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none());
        return Err(ImportError::new(folder, Cause::NothingToRead { empty }).into());
    }
    Ok(tree)
}

/// The errors of characters that could not be opened, as one text.
pub fn failures(failed: &[ImportError]) -> String {
    failed.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n       ")
}
