//! A record of what was read and what was not found.

use crate::{Content, Entry, FileVersion, Files, ReadError, digest, file_version};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// What a file was read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Role {
    /// Skeleton, meshes and clips, and manifests that list them.
    Source,
    /// The picture of a texture.
    Picture,
}

/// A file that was read, or not found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileRecord {
    /// Where it is, or would be.
    pub path: PathBuf,
    /// SHA-256 of the bytes that were read; `None` if it was not found.
    pub digest: Option<[u8; 32]>,
    /// What it was read for.
    pub role: Role,
    /// Its version then.
    pub(crate) version: Option<FileVersion>,
    /// Whether it had changed just before, so that another change may not show in its version.
    pub(crate) fresh: bool,
}

impl FileRecord {
    /// A file that was read in another way than through [`Files`].
    pub fn of_bytes(path: &Path, bytes: &[u8]) -> Self {
        let digest = <sha2::Sha256 as sha2::Digest>::digest(bytes).into();
        Self {
            path: path.to_owned(),
            digest: Some(digest),
            role: Role::Source,
            version: file_version(path),
            fresh: true,
        }
    }

    /// Whether the file on disk is still what was read, or still missing. A file with another date and the same content is.
    pub fn is_current(&self) -> bool {
        let same_version = file_version(&self.path) == self.version;
        match self.digest {
            Some(read) => same_version && !self.fresh || digest(&self.path) == Some(read),
            None => same_version,
        }
    }

    /// Its name without folders; empty if that is not Unicode.
    pub fn name(&self) -> &str {
        self.path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }
}

/// Records what is read and what is not found. Fails if a file that is read again has changed.
pub struct Recorder {
    files: Arc<dyn Files>,
    seen: Mutex<BTreeMap<PathBuf, FileRecord>>,
}

impl Recorder {
    /// An empty recorder.
    pub fn new(files: Arc<dyn Files>) -> Self {
        Self { files, seen: Mutex::default() }
    }

    /// The same files, read as pictures.
    pub fn pictures(&self) -> Pictures<'_> {
        Pictures(self)
    }

    /// Everything so far, sorted by path. What was found but not read is not in it.
    pub fn records(&self) -> Vec<FileRecord> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// The same with one file first: the one that led to the others.
    pub fn records_from(&self, first: &Path) -> Vec<FileRecord> {
        let mut records = self.records();
        records.sort_by_key(|record| record.path != first);
        records
    }

    /// Records a file that was read in another way.
    pub fn add(&self, record: FileRecord) {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(record.path.clone(), record);
    }

    fn read_as(&self, role: Role, path: &Path, limit: u64) -> Result<Content, ReadError> {
        let read = self.files.read(path, limit);
        let content = read.as_ref().ok();
        let digest = content.map(Content::digest);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        match seen.get(path).and_then(|record| record.digest) {
            None => {
                let version = match &read {
                    Ok(content) => content.version(),
                    Err(ReadError::Changed) => None,
                    // A file that cannot be read has its present version.
                    Err(_) => file_version(path),
                };
                let fresh = content.is_some_and(Content::is_fresh);
                seen.insert(
                    path.to_owned(),
                    FileRecord { path: path.to_owned(), digest, role, version, fresh },
                );
            }
            known if known == digest => {}
            Some(_) => return read.and_then(|_| Err(ReadError::Changed)),
        }
        read
    }

    fn is_file_as(&self, role: Role, path: &Path) -> bool {
        let there = self.files.is_file(path);
        if !there {
            let missing =
                || FileRecord { path: path.to_owned(), digest: None, role, version: None, fresh: false };
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.entry(path.to_owned()).or_insert_with(missing);
        }
        there
    }
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder").field("seen", &self.seen).finish_non_exhaustive()
    }
}

impl Files for Recorder {
    fn read(&self, path: &Path, limit: u64) -> Result<Content, ReadError> {
        self.read_as(Role::Source, path, limit)
    }

    fn is_file(&self, path: &Path) -> bool {
        self.is_file_as(Role::Source, path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>> {
        self.files.list(folder)
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        self.files.resolve(path)
    }
}

/// The files of a [`Recorder`], read as pictures.
#[derive(Clone, Copy, Debug)]
pub struct Pictures<'r>(&'r Recorder);

impl Files for Pictures<'_> {
    fn read(&self, path: &Path, limit: u64) -> Result<Content, ReadError> {
        self.0.read_as(Role::Picture, path, limit)
    }

    fn is_file(&self, path: &Path) -> bool {
        self.0.is_file_as(Role::Picture, path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>> {
        self.0.files.list(folder)
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        self.0.files.resolve(path)
    }
}

/// Records of several imports as one list, sorted by path, each file once.
pub fn merged<'r>(records: impl IntoIterator<Item = &'r FileRecord>) -> Vec<FileRecord> {
    let mut all: BTreeMap<&Path, &FileRecord> = BTreeMap::new();
    for record in records {
        let known = all.entry(&record.path).or_insert(record);
        // A file that was read takes precedence over one that was not found, a source over a picture.
        let counts = |record: &FileRecord| (record.digest.is_some(), record.role == Role::Source);
        if counts(record) > counts(known) {
            *known = record;
        }
    }
    all.into_values().cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Disk, Memory};

    #[test]
    fn what_was_read_and_what_was_missed_is_known() {
        let memory = Memory::default().with("a", "one").with("b", "two").with("c", "three");
        let recorder = Recorder::new(Arc::new(memory));
        let [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map(Path::new);
        recorder.read(c, 9).unwrap();
        recorder.pictures().read(a, 9).unwrap();
        assert!(recorder.is_file(b) && !recorder.is_file(d) && recorder.pictures().read(e, 9).is_err());
        let seen: Vec<_> =
            recorder.records_from(c).into_iter().map(|r| (r.path, r.digest.is_some(), r.role)).collect();
        let expected = [
            (c, true, Role::Source),
            (a, true, Role::Picture),
            (d, false, Role::Source),
            (e, false, Role::Picture),
        ];
        assert_eq!(seen, expected.map(|(path, read, role)| (path.to_owned(), read, role)), "b was not read");
    }

    #[test]
    fn a_file_that_changed_between_two_reads_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        std::fs::write(&file, "one").unwrap();
        let recorder = Recorder::new(Arc::new(Disk));
        recorder.read(&file, 9).unwrap();
        recorder.read(&file, 9).unwrap();
        std::fs::write(&file, "two").unwrap();
        assert!(recorder.read(&file, 9).unwrap_err().to_string().contains("changed"));
    }

    #[test]
    fn a_record_is_current_until_the_content_changes() {
        let folder = tempfile::tempdir().unwrap();
        let [file, missing] = ["a", "b"].map(|name| folder.path().join(name));
        std::fs::write(&file, "one").unwrap();
        let recorder = Recorder::new(Arc::new(Disk));
        recorder.read(&file, 9).unwrap();
        assert!(!recorder.is_file(&missing));
        let current = || recorder.records().iter().map(FileRecord::is_current).collect::<Vec<_>>();
        assert_eq!(current(), [true, true]);
        std::fs::File::options()
            .append(true)
            .open(&file)
            .unwrap()
            .set_modified(std::time::UNIX_EPOCH)
            .unwrap();
        assert_eq!(current(), [true, true], "another date");
        // At once after the first: such a change may show neither in the date nor in the length.
        std::fs::write(&file, "two").unwrap();
        std::fs::write(&missing, "new").unwrap();
        assert_eq!(current(), [false, false]);
        std::fs::remove_file(&missing).unwrap();
        assert_eq!(current(), [false, true]);
    }
}
