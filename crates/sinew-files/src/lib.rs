//! File access: reading through [`Files`] with a record of what was read, and atomic writes.
//!
//! [`Disk`] and [`Memory`] are places that files are read from. [`Cache`] reads each of their files once; [`Recorder`] records what was
//! read and what was not found. [`Access`] is the rule which files an asset may refer to. [`NewFile`] and [`write_file`]
//! write, and [`Watch`] detects changes.

mod access;
mod cache;
mod case;
mod content;
mod disk;
mod hex;
mod memory;
mod record;
mod version;
mod watch;
mod write;

pub use access::{Access, Place, clean, is_drive, leads_out, slashes};
pub use cache::Cache;
pub use case::in_any_case;
pub use content::Content;
pub use disk::{Disk, FileId, digest, overwritten, read_text};
pub use hex::hex;
pub use memory::Memory;
pub use record::{FileRecord, Pictures, Recorder, Role, merged};
pub use version::{FileVersion, file_version};
pub use watch::Watch;
pub use write::{NewFile, remove_leftovers, write_file};

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A place that files are read from.
pub trait Files: Send + Sync {
    /// A whole file of at most `limit` bytes. Only regular files are read.
    fn read(&self, path: &Path, limit: u64) -> Result<Content, ReadError>;

    /// Whether there is a regular file; this does not open it.
    fn is_file(&self, path: &Path) -> bool;

    /// What is in a folder, sorted by name.
    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>>;

    /// The path of something that exists, with links followed.
    fn resolve(&self, path: &Path) -> io::Result<PathBuf>;

    /// How the last name of a path is spelled in its folder, if upper and lower case letters are the same: all spellings there are, sorted.
    fn spellings(&self, path: &Path) -> Vec<String> {
        case::same_names(&self.list(folder_of(path)).unwrap_or_default(), path)
    }
}

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// It cannot be opened or read, or is not a regular file.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is larger than was asked for.
    #[error("it has {} bytes where {limit} are allowed", .found.map_or("more".to_owned(), |found| found.to_string()))]
    TooLarge {
        /// Its length, if that is known.
        found: Option<u64>,
        /// How many bytes are allowed.
        limit: u64,
    },
    /// It changed while it was read, or between two reads.
    #[error("it changed while it was being read; try again")]
    Changed,
}

impl From<ReadError> for io::Error {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Io(error) => error,
            other => Self::other(other),
        }
    }
}

/// Something in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Where it is.
    pub path: PathBuf,
    /// Whether it is a folder; a link to a folder is not.
    pub is_folder: bool,
}

impl Entry {
    /// Its name, empty if that is not Unicode.
    pub fn name(&self) -> &str {
        self.path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }
}

impl<F: Files + ?Sized> Files for Arc<F> {
    fn read(&self, path: &Path, limit: u64) -> Result<Content, ReadError> {
        (**self).read(path, limit)
    }

    fn is_file(&self, path: &Path) -> bool {
        (**self).is_file(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>> {
        (**self).list(folder)
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        (**self).resolve(path)
    }

    fn spellings(&self, path: &Path) -> Vec<String> {
        (**self).spellings(path)
    }
}

/// The folder of a file; of a bare name, the current one.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
