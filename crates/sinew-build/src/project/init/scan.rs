//! Finds and reads the files of a folder.

use super::LeftOut;
use rayon::prelude::*;
use sinew_files::slashes;
use sinew_import::{Cause, Format, Imported, Options, find_sources, format_of};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A file that may hold a character or clips.
pub(super) struct Found {
    /// Relative to the folder, with forward slashes.
    pub(super) file: String,
    /// What it holds, or why it cannot be read.
    pub(super) content: Result<Imported, Cause>,
}

/// Files of known formats below a folder, sorted, and folders that cannot be searched. Compiled characters are left out.
pub(super) fn files(folder: &Path) -> std::io::Result<(Vec<PathBuf>, Vec<LeftOut>)> {
    let (mut files, findings) = find_sources(folder)?;
    files.retain(|file| format_of(file) != Some(Format::Bundle));
    let unread = findings.into_iter().map(|finding| LeftOut { place: finding.place, why: finding.message });
    Ok((files, unread.collect()))
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
