//! Detects changes of a file without reading it.

use std::fs::Metadata;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// A file's date, length and identity: two versions that differ in any of them are different files or contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileVersion {
    modified: Option<SystemTime>,
    length: u64,
    /// Device, inode, and seconds and nanoseconds of the last change of content or attributes.
    identity: [i128; 4],
}

/// Two changes at least this far apart have different dates.
const DATE_STEP: Duration = Duration::from_millis(20);

impl FileVersion {
    pub(crate) fn new(about: &Metadata) -> Self {
        #[cfg(unix)]
        let identity = {
            use std::os::unix::fs::MetadataExt;
            [about.dev().into(), about.ino().into(), about.ctime().into(), about.ctime_nsec().into()]
        };
        #[cfg(not(unix))]
        let identity = [0; 4];
        Self { modified: about.modified().ok(), length: about.len(), identity }
    }

    /// Whether the file changed so shortly before `now` that the next change may get the same date.
    pub(crate) fn is_fresh(&self, now: SystemTime) -> bool {
        let [_, _, seconds, nanoseconds] = self.identity;
        let changed = u64::try_from(seconds).ok().zip(u32::try_from(nanoseconds).ok());
        let changed = changed.map(|(s, n)| SystemTime::UNIX_EPOCH + Duration::new(s, n));
        let recent = |date: SystemTime| date + DATE_STEP >= now;
        self.modified.is_none_or(recent) || changed.is_some_and(recent)
    }
}

/// The present version of a regular file; `None` if there is none.
pub fn file_version(path: &Path) -> Option<FileVersion> {
    let about = std::fs::metadata(path).ok()?;
    about.is_file().then(|| FileVersion::new(&about))
}
