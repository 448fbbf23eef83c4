//! Writing a manifest for a folder of files, and repairing one that is out of date.

mod content;
mod edit;
mod repair;
mod survey;

use super::open::{OpenOptions, locate};
use super::{is_manifest_name, json};
use crate::TagTable;
use crate::{Cause, ImportError, recorder};
use repair::Repair;
use sinew::Finding;
use sinew_files::{Cache, Disk, Entry, Files, overwritten, write_file};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use survey::Survey;

/// How manifests are written.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ManifestOptions {
    /// How model and clips are read, to see how long the clips are.
    pub import: crate::Options,
    /// How clips get their tags. Without one, the built-in table whose slots agree best with the tags that are there.
    pub tags: Option<TagTable>,
    /// Report what would be written, and write nothing.
    pub dry_run: bool,
}

/// What was written.
#[derive(Clone, Debug)]
pub struct Written {
    /// The manifest.
    pub path: PathBuf,
    /// Whether there was none before.
    pub created: bool,
    /// What was changed, field by field. If nothing was, the file was not touched.
    pub changes: Vec<String>,
    /// What is odd about the folder and could not be repaired.
    pub findings: Vec<Finding>,
}

/// Writes a manifest for a folder of COLLADA files, or repairs the one that is there; `path` is the folder or its manifest.
///
/// A repair finds files that moved or are spelled in another case, adds clips that are not listed, corrects numbers of frames that the
/// clips' keys contradict, and gives tags. It keeps tags that were set by hand, unknown fields, and the order of
/// everything. The file is written whole or not at all, and one that cannot be parsed is never touched.
pub fn write(path: &Path, options: &ManifestOptions) -> Result<Written, ImportError> {
    let recorder = Arc::new(recorder(Arc::new(Cache::new(Disk)), &options.import));
    let files: Arc<dyn Files> = recorder.clone();
    let (path, root) = match locate(path, &files) {
        Ok(path) => {
            let bytes = files.read(&path, options.import.limits.bytes);
            let root = json::parse(&path, &bytes.map_err(|error| ImportError::new(&path, error.into()))?)?;
            (path, Some(root))
        }
        Err(ImportError { cause: Cause::NoManifest { found: 0 }, .. }) => (path.join("manifest.json"), None),
        Err(error) => return Err(error),
    };
    let created = root.is_none();
    let folder = path.parent().unwrap_or(Path::new(""));
    let survey = Survey::of(folder, files, &options.import.limits)?;
    let root = match root {
        Some(root) => root,
        None => survey.outline()?,
    };
    let repaired = Repair::new(&path, root, &survey, options)?.run()?;
    if !options.dry_run && (created || !repaired.changes.is_empty()) {
        let mut text = format!("{:#}", repaired.root);
        text.push('\n');
        // The manifest itself was read, and is to be changed.
        let read = recorder.records();
        let read = read.iter().filter(|record| record.digest.is_some() && record.path != path);
        if let Some(source) = overwritten(&path, read.map(|record| &*record.path)) {
            let what = format!("would overwrite its own source {}; remove the link", source.display());
            return Err(ImportError::new(&path, Cause::Write(std::io::Error::other(what))));
        }
        write_file(&path, text.as_bytes()).map_err(|error| ImportError::new(&path, Cause::Write(error)))?;
    }
    Ok(Written { path, created, changes: repaired.changes, findings: repaired.findings })
}

/// Writes or repairs the manifests of a tree: of the folder itself if it is one character, else of every folder below that is one. In order
/// of paths; a folder that fails does not stop the others. Empty if there is no COLLADA file anywhere.
pub fn write_tree(
    path: &Path,
    options: &ManifestOptions,
) -> Result<Vec<Result<Written, ImportError>>, ImportError> {
    let files: Arc<dyn Files> = Arc::new(Disk);
    if files.list(path).is_err() {
        return Ok(vec![write(path, options)]);
    }
    let (mut characters, mut open) = (Vec::new(), vec![path.to_owned()]);
    while let Some(folder) = open.pop() {
        let entries = files.list(&folder).map_err(|error| ImportError::new(&folder, Cause::Read(error)))?;
        if is_character(&folder, &entries, &files, options) {
            characters.push(folder);
            continue;
        }
        let below = entries.into_iter().filter(|entry| entry.is_folder && !entry.name().starts_with('.'));
        open.extend(below.map(|entry| entry.path));
    }
    characters.sort();
    Ok(characters.iter().map(|folder| write(folder, options)).collect())
}

/// Whether a folder has a manifest or COLLADA files, or holds the model in one of its folders and clips in another.
fn is_character(folder: &Path, entries: &[Entry], files: &Arc<dyn Files>, options: &ManifestOptions) -> bool {
    let is_source = |entry: &Entry| {
        !entry.is_folder && (is_manifest_name(entry.name()) || survey::is_document(&entry.path))
    };
    entries.iter().any(is_source)
        || Survey::of(folder, files.clone(), &options.import.limits).is_ok_and(|survey| survey.is_split())
}

pub(super) fn open_options(options: &ManifestOptions, files: &Arc<dyn Files>) -> OpenOptions {
    OpenOptions::from_files(options.import.clone(), files.clone())
}
