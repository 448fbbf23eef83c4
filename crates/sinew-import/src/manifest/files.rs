//! Where manifests, models and clips are read from.

use crate::{Cause, limits};
use std::io;
use std::path::{Component, Path, PathBuf};

/// A place that files are read from: the disk, or what a test or an archive puts in its stead.
pub trait Files: Send + Sync {
    /// A whole file of at most so many bytes.
    fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>, Cause>;

    /// Whether there is a file; this does not open it.
    fn is_file(&self, path: &Path) -> bool;

    /// What is in a folder, sorted by name.
    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>>;
}

/// Something in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Where it is.
    pub path: PathBuf,
    /// Whether it is a folder of its own; a link to a folder is not.
    pub is_folder: bool,
}

impl Entry {
    /// Its name, empty if that is no Unicode.
    pub fn name(&self) -> &str {
        self.path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }
}

/// The file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>, Cause> {
        limits::read(path, limit)
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
}

/// A reference of a manifest as a path below its folder; nothing if it leads out of it.
pub(super) fn below(folder: &Path, reference: &str) -> Option<PathBuf> {
    let reference = reference.replace('\\', "/");
    let mut path = PathBuf::new();
    for part in Path::new(&reference).components() {
        match part {
            // On other systems a drive is just a name with a colon.
            Component::Normal(part) if part.to_str().is_some_and(|p| !p.contains(':')) => path.push(part),
            Component::CurDir => {}
            Component::ParentDir => path.pop().then_some(())?,
            _ => return None,
        }
    }
    (!path.as_os_str().is_empty()).then(|| folder.join(path))
}

/// The file of a reference, also where upper and lower case differ: manifests are often written where that does not matter.
pub(super) fn find(files: &dyn Files, folder: &Path, reference: &str) -> Option<PathBuf> {
    let path = below(folder, reference)?;
    if files.is_file(&path) {
        return Some(path);
    }
    let mut at = folder.to_owned();
    let parts: Vec<_> = path.strip_prefix(folder).ok()?.components().collect();
    for (i, part) in parts.iter().enumerate() {
        let name = part.as_os_str().to_str()?;
        let last = i + 1 == parts.len();
        let entries = files.list(&at).ok()?;
        let same = |e: &&Entry| e.is_folder != last && e.name().eq_ignore_ascii_case(name);
        let exact = entries.iter().filter(same).find(|e| e.name() == name);
        at = exact.or_else(|| entries.iter().find(same))?.path.clone();
    }
    files.is_file(&at).then_some(at)
}

/// A path below a folder as manifests write it.
pub(super) fn reference(folder: &Path, path: &Path) -> String {
    let parts = path.strip_prefix(folder).unwrap_or(path).components();
    let parts: Vec<_> = parts.map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_stay_below_their_folder() {
        let below = |reference| below(Path::new("hero"), reference);
        assert_eq!(below("clips\\a\\b.dae"), Some(PathBuf::from("hero/clips/a/b.dae")));
        assert_eq!(below("./clips/../model.dae"), Some(PathBuf::from("hero/model.dae")));
        for outside in
            ["../model.dae", "clips/../../x", "/etc/passwd", "C:\\x\\model.dae", "\\\\host\\x", "", "."]
        {
            assert_eq!(below(outside), None, "{outside}");
        }
    }

    #[test]
    fn case_does_not_matter_where_nothing_is_exact() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("Clips")).unwrap();
        for file in ["Clips/Walk.DAE", "model.dae", "MODEL.dae"] {
            std::fs::write(folder.path().join(file), "x").unwrap();
        }
        let find =
            |reference| find(&Disk, folder.path(), reference).map(|p| super::reference(folder.path(), &p));
        assert_eq!(find("clips/walk.dae").as_deref(), Some("Clips/Walk.DAE"));
        assert_eq!(find("MODEL.dae").as_deref(), Some("MODEL.dae"));
        assert_eq!(find("clips/run.dae"), None);
        assert_eq!(find("clips"), None, "a folder is no file");
    }
}
