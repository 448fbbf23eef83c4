//! Finds and reads the files of a folder.

use rayon::prelude::*;
use sinew_files::slashes;
use sinew_import::{Cause, Format, Imported, Options, manifest};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Folders below this depth are not searched.
const DEPTH: usize = 8;

/// Bytes from the start of a file that are enough to detect its format.
const HEAD: u64 = 4096;

/// A file that may hold a character or clips.
pub(super) struct Found {
    /// Relative to the folder, with forward slashes.
    pub(super) file: String,
    /// What it holds, or why it cannot be read.
    pub(super) content: Result<Imported, Cause>,
}

/// Files of known formats below a folder, sorted. Hidden folders and those with compiled files are left out.
pub(super) fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        // A folder with a manifest is one character; its other files are not searched.
        if let Some(manifest) = manifest_of(&folder)? {
            files.push(manifest);
            continue;
        }
        for entry in std::fs::read_dir(&folder)? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            // Symbolic links to folders are not followed, since they may form cycles.
            if kind.is_dir() && !hidden && depth < DEPTH && !path.join(".sinew").is_dir() {
                folders.push((path, depth + 1));
            } else if !hidden && path.is_file() && is_source(&path) {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

fn manifest_of(folder: &Path) -> std::io::Result<Option<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if manifest::is_manifest(&path) && path.is_file() {
            found.push(path);
        }
    }
    Ok(found.into_iter().min())
}

fn is_source(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    read.is_ok() && Format::detect(&head, path).is_some_and(|format| format != Format::Bundle)
}

/// Reads the files in parallel.
pub(super) fn read(
    folder: &Path,
    files: Vec<PathBuf>,
    options: &Options,
    done: &(dyn Fn(usize, usize) + Sync),
) -> Vec<Found> {
    let (count, read) = (files.len(), AtomicUsize::new(0));
    done(0, count);
    let found = files.into_par_iter().map(|path| {
        let content = sinew_import::read(&path, options).map_err(|error| error.cause);
        let file = slashes(&path.strip_prefix(folder).unwrap_or(&path).to_string_lossy());
        done(read.fetch_add(1, Ordering::Relaxed) + 1, count);
        Found { file, content }
    });
    found.collect()
}
