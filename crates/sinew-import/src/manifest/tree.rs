//! Whole trees of manifests.

use super::is_found_manifest;
use super::open::{OpenOptions, Opened, open_recorded, read_recorded};
use crate::{Cause, ImportError, recorder};
use rayon::prelude::*;
use sinew::Finding;
use sinew_files::{Cache, Files};
use sinew_findings::catalogue::import::MANIFEST_FOLDER;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// All manifests in a folder and below, sorted; links to folders are not followed. Folders that cannot be searched are reported.
///
/// Fails if the folder itself cannot be searched.
pub fn find_manifests(folder: &Path, files: &dyn Files) -> Result<(Vec<PathBuf>, Vec<Finding>), ImportError> {
    let (mut manifests, mut findings) = (Vec::new(), Vec::new());
    let mut open = vec![folder.to_owned()];
    while let Some(at) = open.pop() {
        match files.list(&at) {
            Ok(entries) => {
                for entry in entries {
                    if entry.is_folder {
                        open.push(entry.path);
                    } else if is_found_manifest(&entry.path, files) {
                        manifests.push(entry.path);
                    }
                }
            }
            Err(error) if at == folder => return Err(ImportError::new(folder, Cause::Read(error))),
            Err(error) => {
                findings.push(Finding::new(&MANIFEST_FOLDER, at.display().to_string(), error.to_string()));
            }
        }
    }
    manifests.sort();
    Ok((manifests, findings))
}

/// How far the work on a tree has come. Manifests are done in any order.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'p> {
    /// Manifests that are done, this one included.
    pub done: usize,
    /// Manifests in the tree.
    pub total: usize,
    /// The one that was done just now.
    pub manifest: &'p Path,
    /// How many of its models could not be opened.
    pub failed: usize,
}

/// What became of a tree.
#[derive(Debug)]
pub struct Tree<T> {
    /// What the work made of each model, in order of paths.
    pub done: Vec<T>,
    /// Manifests and models that could not be opened, in order of paths.
    pub failed: Vec<ImportError>,
    /// What was odd about the tree itself.
    pub findings: Vec<Finding>,
}

/// Opens every model of every manifest in a folder and below, in parallel, and hands it to `work`. One that cannot be opened is
/// reported and skipped.
///
/// Fails if the folder cannot be searched.
pub fn process_tree<T: Send>(
    folder: &Path,
    options: &OpenOptions,
    work: impl Fn(Opened) -> T + Sync,
    progress: impl Fn(Progress<'_>) + Sync,
) -> Result<Tree<T>, ImportError> {
    let (manifests, findings) = find_manifests(folder, &*options.files)?;
    let done = AtomicUsize::new(0);
    let each = |path: &PathBuf| {
        let models = open_all(path, options, &work);
        let failed = models.iter().filter(|model| model.is_err()).count();
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        progress(Progress { done, total: manifests.len(), manifest: path, failed });
        models
    };
    let results: Vec<Vec<Result<T, ImportError>>> = manifests.par_iter().map(each).collect();
    let mut tree = Tree { done: Vec::new(), failed: Vec::new(), findings };
    for result in results.into_iter().flatten() {
        match result {
            Ok(item) => tree.done.push(item),
            Err(error) => tree.failed.push(error),
        }
    }
    Ok(tree)
}

fn open_all<T>(
    path: &Path,
    options: &OpenOptions,
    work: &impl Fn(Opened) -> T,
) -> Vec<Result<T, ImportError>> {
    let files = Arc::new(recorder(Arc::new(Cache::new(options.files.clone())), &options.import));
    let (manifest, findings) = match read_recorded(path, &files, options) {
        Ok(read) => read,
        Err(error) => return vec![Err(error)],
    };
    let open = |model| {
        let mut opened = open_recorded(manifest.clone(), model, &files, options)?;
        opened.findings.splice(..0, findings.clone());
        Ok(work(opened))
    };
    (0..manifest.models.len()).map(open).collect()
}
