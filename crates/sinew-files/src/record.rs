//! A record of what was read and what was not found.

use crate::case::same_names;
use crate::{Content, Disk, Entry, FileVersion, Files, ReadError, digest, file_version, folder_of};
use std::collections::{BTreeMap, HashMap};
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
    /// If it was looked for without regard to case: how its name was spelled in its folder, however often. Such a record says nothing about the content.
    pub spellings: Option<Vec<String>>,
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
            spellings: None,
        }
    }

    /// A file that was read through [`Files`], as a source.
    pub fn of_content(path: &Path, content: &Content) -> Self {
        Self {
            digest: Some(content.digest()),
            version: content.version(),
            fresh: content.is_fresh(),
            ..Self::missing(path, Role::Source)
        }
    }

    fn missing(path: &Path, role: Role) -> Self {
        Self { path: path.to_owned(), digest: None, role, version: None, fresh: false, spellings: None }
    }

    /// By which records are told apart: a file may be looked for exactly and without regard to case.
    fn key(&self) -> (&Path, bool) {
        (&self.path, self.spellings.is_some())
    }

    /// Whether the file on disk is still what was read, or still missing. A file with another date and the same content is.
    pub fn is_current(&self) -> bool {
        if let Some(spellings) = &self.spellings {
            return Disk.spellings(&self.path) == *spellings;
        }
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
    /// What was looked for without regard to case.
    spelled: Mutex<BTreeMap<PathBuf, FileRecord>>,
    /// Folders that were listed for that, each once: all who look see the same.
    listed: Mutex<HashMap<PathBuf, Arc<Vec<Entry>>>>,
}

impl Recorder {
    /// An empty recorder.
    pub fn new(files: Arc<dyn Files>) -> Self {
        Self { files, seen: Mutex::default(), spelled: Mutex::default(), listed: Mutex::default() }
    }

    /// The same files, read as pictures.
    pub fn pictures(&self) -> Pictures<'_> {
        Pictures(self)
    }

    /// Everything so far, sorted by path. What was found but not read is not in it.
    pub fn records(&self) -> Vec<FileRecord> {
        let of = |map: &Mutex<BTreeMap<PathBuf, FileRecord>>| -> Vec<FileRecord> {
            map.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
        };
        let mut records = of(&self.seen);
        records.extend(of(&self.spelled));
        records.sort_by(|a, b| a.key().cmp(&b.key()));
        records
    }

    /// The same with one file first: the one that led to the others.
    pub fn records_from(&self, first: &Path) -> Vec<FileRecord> {
        let mut records = self.records();
        records.sort_by_key(|record| record.key() != (first, false));
        records
    }

    /// Records a file that was read in another way.
    pub fn add(&self, record: FileRecord) {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).insert(record.path.clone(), record);
    }

    /// Records a file that was read in another way while others were read here. Fails if it was one of them, and has changed.
    pub fn add_late(&self, record: FileRecord) -> Result<(), ReadError> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let known = seen.get(&record.path).and_then(|known| known.digest);
        if known.is_some() && known != record.digest {
            return Err(ReadError::Changed);
        }
        seen.insert(record.path.clone(), record);
        Ok(())
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
                    FileRecord { digest, version, fresh, ..FileRecord::missing(path, role) },
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
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.entry(path.to_owned()).or_insert_with(|| FileRecord::missing(path, role));
        }
        there
    }

    fn spellings_as(&self, role: Role, path: &Path) -> Vec<String> {
        let folder = folder_of(path);
        let listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner).get(folder).cloned();
        let entries = listed.unwrap_or_else(|| {
            let entries = Arc::new(self.files.list(folder).unwrap_or_default());
            let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
            listed.entry(folder.to_owned()).or_insert(entries).clone()
        });
        let spellings = same_names(&entries, path);
        let mut spelled = self.spelled.lock().unwrap_or_else(PoisonError::into_inner);
        spelled.entry(path.to_owned()).or_insert_with(|| FileRecord {
            spellings: Some(spellings.clone()),
            ..FileRecord::missing(path, role)
        });
        spellings
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

    fn spellings(&self, path: &Path) -> Vec<String> {
        self.spellings_as(Role::Source, path)
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

    fn spellings(&self, path: &Path) -> Vec<String> {
        self.0.spellings_as(Role::Picture, path)
    }
}

/// Records of several imports as one list, sorted by path, each file once, and once more if it was looked for without regard to case.
pub fn merged<'r>(records: impl IntoIterator<Item = &'r FileRecord>) -> Vec<FileRecord> {
    let mut all: BTreeMap<(&Path, bool), &FileRecord> = BTreeMap::new();
    for record in records {
        let known = all.entry(record.key()).or_insert(record);
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
    fn what_was_looked_for_in_any_case_is_noticed_in_any_case() {
        let folder = tempfile::tempdir().unwrap();
        let wanted = folder.path().join("skin.png");
        let recorder = Recorder::new(Arc::new(Disk));
        assert!(!recorder.is_file(&wanted) && recorder.pictures().spellings(&wanted).is_empty());
        let current = || recorder.records().iter().all(FileRecord::is_current);
        assert_eq!(recorder.records().len(), 2);
        std::fs::write(folder.path().join("other.png"), "").unwrap();
        assert!(current(), "another file is nothing to it");
        std::fs::write(folder.path().join("sKiN.png"), "").unwrap();
        assert!(!current());
        assert_eq!(recorder.spellings(&wanted), [""; 0], "one import sees one state of a folder");
        assert_eq!(merged(&[recorder.records(), recorder.records()].concat()).len(), 2);
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
    fn a_file_that_was_recorded_late_must_be_the_one_that_was_read() {
        let [a, b] = ["a", "b"].map(Path::new);
        let recorder = Recorder::new(Arc::new(Memory::default().with("a", "one").with("b", "two")));
        let content = recorder.read(a, 9).unwrap();
        recorder.add_late(FileRecord::of_content(a, &content)).unwrap();
        recorder.add_late(FileRecord::of_bytes(b, b"two")).unwrap();
        recorder.read(b, 9).unwrap();
        assert!(matches!(recorder.add_late(FileRecord::of_bytes(a, b"two")), Err(ReadError::Changed)));
        assert_eq!(recorder.records()[0].digest, Some(content.digest()));
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
