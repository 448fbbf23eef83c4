//! Notices that source files change, by their time and size.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What tells one version of a file from another; `None` where there is no file.
type Stamp = Option<(SystemTime, u64)>;

/// Files under a folder that are looked at, at most.
const MOST: usize = 4096;

/// Files, and their versions when they were read.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    files: Vec<Watched>,
}

#[derive(Clone, Debug)]
struct Watched {
    path: PathBuf,
    /// Nothing can be read without it.
    needed: bool,
    /// When it was read.
    read: Stamp,
    /// When it was looked at last.
    seen: Stamp,
    /// How often it was looked for in vain since then.
    gone: u32,
}

/// Looks after which a file that is needed and gone counts as deleted: programs that save put another in its place at once.
const GRACE: u32 = 4;

impl Watch {
    /// Takes note of files and folders as they are. Call it before they are read, so that what changes meanwhile is noticed.
    pub fn new(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut watch = Self::default();
        watch.take_note(paths, true);
        watch
    }

    /// Takes note of further files, which are read if they are there.
    pub fn add(&mut self, paths: impl IntoIterator<Item = PathBuf>) {
        self.take_note(paths, false);
    }

    fn take_note(&mut self, paths: impl IntoIterator<Item = PathBuf>, needed: bool) {
        self.files.extend(paths.into_iter().map(|path| {
            let stamp = stamp(&path);
            Watched { path, needed, read: stamp, seen: stamp, gone: 0 }
        }));
    }

    /// Looks at the files. True once one is another than was read, and has stopped changing: who writes a large file is not
    /// disturbed half-way. A file that is needed and gone is waited for, but not for ever: then reading tells of it.
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

/// Files under a folder; links to folders are not followed, since they may lead back.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.filter_map(Result::ok) {
        if files.len() >= MOST {
            return;
        }
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => collect(&entry.path(), files),
            Ok(kind) if kind.is_file() => files.push(entry.path()),
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
