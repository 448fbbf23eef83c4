//! Writing a file whole or not at all.

use crate::folder_of;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use tempfile::NamedTempFile;

/// A file that is being written: under a random name beside its place, until [`commit`](Self::commit) renames it. At every moment the
/// old file or the new one is there, whole, whoever else reads or writes it. Dropped before, it leaves nothing behind.
#[derive(Debug)]
pub struct NewFile {
    path: PathBuf,
    file: NamedTempFile,
}

const SUFFIX: &str = ".tmp";
/// Random characters in a temporary name.
const RANDOM: usize = 12;
/// Characters of the file's own name in a temporary name, at most: the whole must not be too long for a file system.
const NAMED: usize = 48;
/// Temporary files that are older belong to a process that was killed.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

impl NewFile {
    /// Begins to write the file at `path`.
    pub fn create(path: &Path) -> io::Result<Self> {
        let Some(name) = path.file_name() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"));
        };
        let prefix: String = name.to_string_lossy().chars().take(NAMED).collect();
        let prefix = format!(".{prefix}.");
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(SUFFIX).rand_bytes(RANDOM);
        // As any file that is created: the process's mask decides who may read it.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        Ok(Self { path: path.to_owned(), file: builder.tempfile_in(folder_of(path))? })
    }

    /// Puts the file in its place.
    pub fn commit(self) -> io::Result<()> {
        if let Ok(old) = std::fs::metadata(&self.path) {
            self.file.as_file().set_permissions(old.permissions())?;
        }
        // Before the rename: else a power failure could leave the new name with nothing behind it.
        self.file.as_file().sync_all()?;
        self.file.persist(&self.path).map_err(|failed| failed.error)?;
        Ok(())
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_file_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_file_mut().flush()
    }
}

/// Writes a file, whole or not at all.
pub fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = NewFile::create(path)?;
    file.write_all(bytes)?;
    file.commit()
}

/// Removes temporary files that killed processes left in a folder more than a day ago. What cannot be removed stays.
pub fn remove_leftovers(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_name().to_str().is_some_and(is_temporary)) {
        // Of the entry itself: a link was not made by this module.
        let Ok(about) = entry.metadata() else { continue };
        let age = about.modified().ok().and_then(|date| SystemTime::now().duration_since(date).ok());
        if about.is_file() && age.is_some_and(|age| age > DAY) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// `.NAME.RANDOM.tmp`.
fn is_temporary(name: &str) -> bool {
    let inner = name.strip_prefix('.').and_then(|name| name.strip_suffix(SUFFIX));
    let random = inner.and_then(|inner| inner.rsplit_once('.')).filter(|(name, _)| !name.is_empty());
    random.is_some_and(|(_, random)| {
        random.len() == RANDOM && random.bytes().all(|b| b.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        names.map(|name| name.into_string().unwrap()).collect()
    }

    #[test]
    fn a_writer_that_fails_leaves_the_old_file_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hero.sinew");
        write_file(&path, b"old").unwrap();
        let mut file = NewFile::create(&path).unwrap();
        file.write_all(b"ne").unwrap();
        assert!(names(folder.path()).iter().any(|name| is_temporary(name)));
        drop(file);
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["hero.sinew"], "nothing is left over");
        // A folder stands where the file should go, so the last step fails.
        std::fs::create_dir_all(folder.path().join("full/of")).unwrap();
        assert!(write_file(&folder.path().join("full"), b"new").is_err());
        assert!(write_file(&folder.path().join("no/such/folder"), b"new").is_err());
        assert_eq!(names(folder.path()).len(), 2);
    }

    #[test]
    fn a_crash_amid_writing_leaves_the_old_file_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hero.sinew");
        write_file(&path, b"old").unwrap();
        let mut file = NewFile::create(&path).unwrap();
        file.write_all(b"ne").unwrap();
        // As if the process were killed here.
        std::mem::forget(file);
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        write_file(&path, b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new", "leftovers of the crash do not matter");
    }

    #[test]
    fn old_leftovers_are_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let long_ago = SystemTime::now() - 2 * DAY;
        let old =
            [".a.sinew.abcDEF012345.tmp", ".hidden", "a.sinew", ".a.sinew.short.tmp", "a.abcDEF012345.tmp"];
        for name in old {
            let file = std::fs::File::create(folder.path().join(name)).unwrap();
            file.set_modified(long_ago).unwrap();
        }
        let young = ".b.sinew.abcDEF012345.tmp";
        std::fs::write(folder.path().join(young), "").unwrap();
        remove_leftovers(folder.path());
        let mut left = names(folder.path());
        left.sort();
        assert_eq!(left, [".a.sinew.short.tmp", young, ".hidden", "a.abcDEF012345.tmp", "a.sinew"]);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_those_of_an_ordinary_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let [ours, theirs] = ["a", "b"].map(|name| folder.path().join(name));
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode();
        write_file(&ours, b"x").unwrap();
        std::fs::write(&theirs, b"x").unwrap();
        assert_eq!(mode(&ours), mode(&theirs));
        std::fs::set_permissions(&ours, PermissionsExt::from_mode(0o640)).unwrap();
        write_file(&ours, b"y").unwrap();
        assert_eq!(mode(&ours) & 0o777, 0o640, "those of the file that was there stay");
    }
}
