//! Writing a manifest for a folder of files, and repairing one that is out of date.

mod edit;
mod repair;
mod survey;

use super::files::{Disk, Files};
use super::json;
use super::open::{OpenOptions, locate};
use crate::TagTable;
use crate::{Cause, ImportError};
use repair::Repair;
use serde_json::Value;
use sinew::Finding;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use survey::Survey;

/// How manifests are written.
#[derive(Clone, Debug, Default)]
pub struct WriteOptions {
    /// How model and clips are read, to see how long the clips are.
    pub import: crate::Options,
    /// How clips get their tags. Without one, the built-in table whose slots agree best with the tags that are there.
    pub tags: Option<TagTable>,
    /// Say what would be written, and write nothing.
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
    /// What is odd about the folder and could not be mended.
    pub findings: Vec<Finding>,
}

/// Writes a manifest for a folder of COLLADA files, or repairs the one that is there; `path` is the folder or its manifest.
///
/// A repair finds files that moved or are spelled in another case, adds clips that are not listed, corrects numbers of frames that the
/// clips' keys contradict, and gives tags. It keeps tags that were set by hand, fields that it does not know, and the order of
/// everything. The file is written whole or not at all, and one that cannot be parsed is never touched.
pub fn write(path: &Path, options: &WriteOptions) -> Result<Written, ImportError> {
    let (path, root) = match locate(path, &Disk) {
        Ok(path) => {
            let bytes = Disk.read(&path, options.import.limits.bytes);
            let root = json::parse(&path, &bytes.map_err(|cause| ImportError::new(&path, cause))?)?;
            (path, Some(root))
        }
        Err(ImportError { cause: Cause::NoManifest { found: 0 }, .. }) => (path.join("manifest.json"), None),
        Err(error) => return Err(error),
    };
    let created = root.is_none();
    let folder = path.parent().unwrap_or(Path::new(""));
    let survey = Survey::of(folder, &options.import.limits)?;
    let root = match root {
        Some(root) => root,
        None => survey.outline()?,
    };
    let repaired = Repair::new(&path, root, &survey, options)?.run()?;
    if !options.dry_run && (created || !repaired.changes.is_empty()) {
        replace(&path, &repaired.root).map_err(|error| ImportError::new(&path, Cause::Write(error)))?;
    }
    Ok(Written { path, created, changes: repaired.changes, findings: repaired.findings })
}

pub(super) fn open_options(options: &WriteOptions) -> OpenOptions {
    OpenOptions { import: options.import.clone(), ..OpenOptions::default() }
}

/// Writes beside the file and puts the result in its place in one step, so that nobody ever sees half of it.
fn replace(path: &Path, root: &Value) -> io::Result<()> {
    let mut text = serde_json::to_string_pretty(root)?;
    text.push('\n');
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let written = write_new(&beside, path, text.as_bytes()).and_then(|()| std::fs::rename(&beside, path));
    if written.is_err() {
        // The error that counts is the first; a file that was never made cannot be removed.
        let _ = std::fs::remove_file(&beside);
    }
    written
}

fn write_new(beside: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).open(beside)?;
    file.write_all(bytes)?;
    if let Ok(old) = std::fs::metadata(path) {
        file.set_permissions(old.permissions())?;
    }
    file.sync_all()
}

#[cfg(test)]
mod tests;
