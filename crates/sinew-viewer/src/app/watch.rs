//! Detects changes of source files by modification time and size.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Version of a file; `None` if it does not exist.
type Stamp = Option<(SystemTime, u64)>;

/// Largest number of files that are checked in a folder.
const MOST: usize = 4096;

/// Files, and their versions when they were read.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    files: Vec<Watched>,
}

#[derive(Clone, Debug)]
struct Watched {
    path: PathBuf,
    /// Whether loading fails without it.
    needed: bool,
    /// Version that was read.
    read: Stamp,
    /// Version at the last poll.
    seen: Stamp,
    /// Number of polls since it disappeared.
    gone: u32,
}

/// Polls after which a missing file counts as deleted. Programs that save by replacing create the new file at once.
const GRACE: u32 = 4;

impl Watch {
    /// Records the current versions of files and folders. To be called before they are read, so that later changes are detected.
    pub fn new(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut watch = Self::default();
        watch.take_note(paths, true);
        watch
    }

    /// Adds optional files.
    pub fn add(&mut self, paths: impl IntoIterator<Item = PathBuf>) {
        self.take_note(paths, false);
    }

    fn take_note(&mut self, paths: impl IntoIterator<Item = PathBuf>, needed: bool) {
        self.files.extend(paths.into_iter().map(|path| {
            let stamp = stamp(&path);
            Watched { path, needed, read: stamp, seen: stamp, gone: 0 }
        }));
    }

    /// Checks the files. Returns true once a file differs from the version that was read and has stopped changing, so that a file is not read while
    /// it is being written. A missing file counts as changed only after some polls.
    pub fn poll(&mut self) -> bool {
        let mut changed = false;
        let mut settled = true;
        for file in &mut self.files {
            let now = stamp(&file.path);
            file.gone = if now.is_none() { file.gone.saturating_add(1) } else { 0 };
            settled &= now == file.seen && (now.is_some() || !file.needed || file.gone > GRACE);
            changed |= now != file.read;
            file.seen = now;
        }
        if changed && settled {
            self.files.iter_mut().for_each(|file| file.read = file.seen);
        }
        changed && settled
    }
}

fn stamp(path: &Path) -> Stamp {
    let about = std::fs::metadata(path).ok()?;
    if !about.is_dir() {
        return Some((about.modified().ok()?, about.len()));
    }
    let mut files = Vec::new();
    collect(path, &mut files);
    let stamps = files.iter().filter_map(|path| stamp(path));
    let latest =
        |(time, size): (SystemTime, u64), (t, s): (SystemTime, u64)| (time.max(t), size.wrapping_add(s));
    Some(stamps.fold((about.modified().ok()?, files.len() as u64), latest))
}

/// Files in a folder and its subfolders. Links to folders are not followed, since they may form a cycle.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.filter_map(Result::ok) {
        if files.len() >= MOST {
            return;
        }
        match entry.file_type() {
            Ok(file_type) if file_type.is_dir() => collect(&entry.path(), files),
            Ok(file_type) if file_type.is_file() => files.push(entry.path()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_told_once_when_it_has_settled() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hero.fbx");
        std::fs::write(&file, "one").unwrap();
        let mut watch = Watch::new([file.clone()]);
        assert!(!watch.poll());
        std::fs::write(&file, "longer").unwrap();
        assert!(!watch.poll(), "it may still be written");
        assert!(watch.poll());
        assert!(!watch.poll());
    }

    #[test]
    fn what_is_gone_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hero.fbx");
        std::fs::write(&file, "one").unwrap();
        let mut watch = Watch::new([file.clone()]);
        std::fs::remove_file(&file).unwrap();
        assert!(!watch.poll() && !watch.poll());
        std::fs::write(&file, "another").unwrap();
        assert!(!watch.poll());
        assert!(watch.poll());
    }

    #[test]
    fn what_stays_gone_is_told_once_and_holds_nothing_up() {
        let folder = tempfile::tempdir().unwrap();
        let [hero, walk] = ["hero.fbx", "walk.fbx"].map(|name| folder.path().join(name));
        std::fs::write(&hero, "one").unwrap();
        std::fs::write(&walk, "two").unwrap();
        let mut watch = Watch::new([hero.clone(), walk.clone()]);
        std::fs::remove_file(&walk).unwrap();
        assert_eq!((0..20).filter(|_| watch.poll()).count(), 1);
        std::fs::write(&hero, "another").unwrap();
        assert_eq!((0..20).filter(|_| watch.poll()).count(), 1);
    }

    #[test]
    fn what_is_not_needed_may_go_and_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let [file, texture] = ["hero.fbx", "skin.png"].map(|name| folder.path().join(name));
        std::fs::write(&file, "one").unwrap();
        std::fs::write(&texture, "red").unwrap();
        let mut watch = Watch::new([file.clone()]);
        watch.add([texture.clone()]);
        let mut changes = || (watch.poll(), watch.poll(), watch.poll());
        std::fs::remove_file(&texture).unwrap();
        assert_eq!(changes(), (false, true, false));
        std::fs::write(&file, "another").unwrap();
        assert_eq!(changes(), (false, true, false), "nor does it keep others from being read");
        std::fs::write(&texture, "green").unwrap();
        assert_eq!(changes(), (false, true, false));
    }

    #[test]
    fn a_folder_changes_with_what_is_in_it() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("clips")).unwrap();
        std::fs::write(folder.path().join("clips/a.dae"), "a").unwrap();
        let mut watch = Watch::new([folder.path().to_owned()]);
        assert!(!watch.poll());
        std::fs::write(folder.path().join("clips/a.dae"), "ab").unwrap();
        assert!(!watch.poll());
        assert!(watch.poll());
    }
}
