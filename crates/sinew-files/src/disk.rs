//! The file system.

use crate::{Content, Entry, FileVersion, Files, ReadError};
use sha2::{Digest, Sha256};
use std::fs::{File, FileType, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

/// The text of a file such as settings. As with all files, only regular ones are opened.
///
/// # Errors
/// If it cannot be read, is larger than 64 MB, or is not UTF-8.
pub fn read_text(files: &dyn Files, path: &Path) -> io::Result<String> {
    let content = files.read(path, 64 << 20)?;
    let text = std::str::from_utf8(&content);
    text.map(str::to_owned).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
}

/// How often a file that changes while it is read is read again.
const ATTEMPTS: usize = 4;

impl Files for Disk {
    fn read(&self, path: &Path, limit: u64) -> Result<Content, ReadError> {
        for _ in 0..ATTEMPTS {
            if let Some(content) = read_once(path, limit)? {
                return Ok(content);
            }
        }
        Err(ReadError::Changed)
    }

    fn is_file(&self, path: &Path) -> bool {
        path.is_file()
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            entries.push(Entry { is_folder: entry.file_type()?.is_dir(), path: entry.path() });
        }
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(entries)
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        path.canonicalize()
    }
}

/// The content of a file; `None` if it was written to meanwhile, so that the bytes may be of two versions.
fn read_once(path: &Path, limit: u64) -> Result<Option<Content>, ReadError> {
    let (mut file, about) = open(path)?;
    let length = about.len();
    if length > limit {
        return Err(ReadError::TooLarge { found: Some(length), limit });
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
    // The length is only a hint: the file may grow.
    (&mut file).take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLarge { found: None, limit });
    }
    let version = FileVersion::new(&about);
    let same = version == FileVersion::new(&file.metadata()?);
    Ok(same.then(|| Content::new(bytes, Some(version))))
}

/// Opens a regular file. Anything else is refused: a FIFO or a device may never end.
fn open(path: &Path) -> io::Result<(File, Metadata)> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        // Opening a FIFO without a writer would block.
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    }
    let file = options.open(path)?;
    let about = file.metadata()?;
    if about.is_file() {
        return Ok((file, about));
    }
    let what = format!("it is a {}, not a regular file", kind(about.file_type()));
    Err(io::Error::new(io::ErrorKind::InvalidInput, what))
}

fn kind(kind: FileType) -> &'static str {
    if kind.is_dir() {
        return "folder";
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "FIFO";
        }
        if kind.is_socket() {
            return "socket";
        }
    }
    "device"
}

/// SHA-256 of a file's content; nothing if it cannot be read. The file is not held in memory.
pub fn digest(path: &Path) -> Option<[u8; 32]> {
    let (mut file, _) = open(path).ok()?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 256 << 10];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Some(hasher.finalize().into()),
            Ok(read) => hasher.update(buffer.get(..read)?),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

/// Identity of a file, whatever path or link leads to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileId(Id);

/// Device and number on it: a file has them whatever its names are. Elsewhere the path without links, which does not tell hard links.
#[cfg(any(unix, windows))]
type Id = (u64, u64);
#[cfg(not(any(unix, windows)))]
type Id = PathBuf;

impl FileId {
    /// The identity of a file that exists.
    pub fn of(path: &Path) -> Option<Self> {
        id(path).ok().map(Self)
    }
}

#[cfg(unix)]
fn id(path: &Path) -> io::Result<Id> {
    use std::os::unix::fs::MetadataExt;
    // The file is not opened: it may be a FIFO, or not be readable.
    std::fs::metadata(path).map(|about| (about.dev(), about.ino()))
}

#[cfg(windows)]
fn id(path: &Path) -> io::Result<Id> {
    // The handle is closed at once: one that stays open would keep others from replacing the file.
    let file = winapi_util::Handle::from_path_any(path)?;
    let about = winapi_util::file::information(&file)?;
    Ok((about.volume_serial_number(), about.file_index()))
}

#[cfg(not(any(unix, windows)))]
fn id(path: &Path) -> io::Result<Id> {
    path.canonicalize()
}

/// The first input that writing an output would overwrite, if any.
pub fn overwritten<'i>(output: &Path, inputs: impl IntoIterator<Item = &'i Path>) -> Option<&'i Path> {
    let output = FileId::of(output)?;
    inputs.into_iter().find(|input| FileId::of(input).as_ref() == Some(&output))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        let name = std::ffi::CString::new(fifo.to_str().unwrap()).unwrap();
        // SAFETY: the name is a string that ends in a zero and outlives the call.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
        let refused = |path: &Path| Disk.read(path, 1000).unwrap_err().to_string();
        assert!(refused(&fifo).contains("FIFO"));
        assert!(refused(folder.path()).contains("folder"));
        assert!(refused(Path::new("/dev/zero")).contains("device"));
        assert!(!Disk.is_file(&fifo) && digest(&fifo).is_none());
    }

    #[test]
    fn the_limit_itself_is_allowed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        std::fs::write(&file, "four").unwrap();
        assert_eq!(&*Disk.read(&file, 4).unwrap(), b"four");
        assert!(matches!(Disk.read(&file, 3), Err(ReadError::TooLarge { found: Some(4), limit: 3 })));
        assert_eq!(digest(&file), Some(Disk.read(&file, 4).unwrap().digest()));
    }
}

#[cfg(all(test, any(unix, windows)))]
mod identity {
    use super::*;

    #[test]
    fn links_lead_to_the_same_file() {
        let folder = tempfile::tempdir().unwrap();
        let [file, hard, soft, other] = ["a", "b", "c", "d"].map(|name| folder.path().join(name));
        std::fs::write(&file, "x").unwrap();
        std::fs::write(&other, "x").unwrap();
        std::fs::hard_link(&file, &hard).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(&file, &soft).unwrap();
        // A soft link takes a privilege there.
        #[cfg(windows)]
        std::fs::hard_link(&file, &soft).unwrap();
        for output in [&file, &hard, &soft] {
            assert_eq!(overwritten(output, [&*other, &*file]), Some(&*file));
        }
        assert_eq!(
            overwritten(Path::new("no"), [Path::new("no")]),
            None,
            "a missing file cannot be overwritten"
        );
    }
}
