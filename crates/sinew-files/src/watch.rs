//! Detects changes of files by polling.

use crate::{Disk, FileRecord, FileVersion, Files, digest, file_version};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Files, and their versions when they were read.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    files: BTreeMap<PathBuf, Watched>,
    names: BTreeMap<PathBuf, Spelled>,
}

/// How a name is spelled in its folder.
#[derive(Clone, Debug)]
struct Spelled {
    /// When it was looked for.
    read: Vec<String>,
    /// At the last poll.
    seen: Vec<String>,
}

#[derive(Clone, Debug)]
struct Watched {
    /// Nothing can be read without it.
    needed: bool,
    /// Version that was read.
    read: Option<FileVersion>,
    /// Digest of what was read, if a change may not show in the version.
    unsure: Option<[u8; 32]>,
    /// Version at the last poll.
    seen: Option<FileVersion>,
    /// Polls since then at which it was missing.
    gone: u32,
}

/// Polls after which a missing file counts as deleted. Programs that save by replacing create the new file at once.
const GRACE: u32 = 4;

impl Watch {
    /// Watches files from their present version on. Call it before they are read, so that changes meanwhile are noticed.
    pub fn new(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut watch = Self::default();
        watch.add(paths);
        watch.files.values_mut().for_each(|file| file.needed = file.read.is_some());
        watch
    }

    /// Watches further files from their present version on; they may come and go.
    pub fn add(&mut self, paths: impl IntoIterator<Item = PathBuf>) {
        for path in paths {
            let version = file_version(&path);
            self.note(path, version, None);
        }
    }

    /// Watches files from the recorded version on.
    pub fn add_records<'r>(&mut self, records: impl IntoIterator<Item = &'r FileRecord>) {
        for record in records {
            if let Some(spellings) = &record.spellings {
                let spelled = Spelled { read: spellings.clone(), seen: spellings.clone() };
                self.names.insert(record.path.clone(), spelled);
                continue;
            }
            self.note(record.path.clone(), record.version, record.digest.filter(|_| record.fresh));
        }
    }

    fn note(&mut self, path: PathBuf, read: Option<FileVersion>, unsure: Option<[u8; 32]>) {
        let needed = self.files.get(&path).is_some_and(|known| known.needed);
        self.files.insert(path, Watched { needed, read, unsure, seen: read, gone: 0 });
    }

    /// Checks the files. Returns true once a file differs from the version that was read and has stopped changing, so that a file is not read while
    /// it is being written. A missing file counts as changed only after some polls.
    pub fn poll(&mut self) -> bool {
        let mut changed = false;
        let mut settled = true;
        for (path, file) in &mut self.files {
            let now = file_version(path);
            file.gone = if now.is_none() { file.gone.saturating_add(1) } else { 0 };
            settled &= now == file.seen && (now.is_some() || !file.needed || file.gone > GRACE);
            changed |= now != file.read || file.is_other(path);
            file.seen = now;
        }
        for (path, name) in &mut self.names {
            let now = Disk.spellings(path);
            settled &= now == name.seen;
            changed |= now != name.read;
            name.seen = now;
        }
        if changed && settled {
            self.names.values_mut().for_each(|name| name.read.clone_from(&name.seen));
            self.files.values_mut().for_each(|file| (file.read, file.unsure) = (file.seen, None));
        }
        changed && settled
    }
}

impl Watched {
    /// Whether a file of the same version has another digest. Checked once: later changes get another date.
    fn is_other(&mut self, path: &Path) -> bool {
        let Some(read) = self.unsure else { return false };
        let other = digest(path) != Some(read);
        if !other {
            self.unsure = None;
        }
        other
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recorder;
    use std::sync::Arc;

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
    fn a_file_counts_as_it_was_read() {
        let folder = tempfile::tempdir().unwrap();
        let [file, missing] = ["hero.fbx", "skin.png"].map(|name| folder.path().join(name));
        std::fs::write(&file, "one").unwrap();
        let recorder = Recorder::new(Arc::new(Disk));
        recorder.read(&file, 9).unwrap();
        recorder.is_file(&missing);
        let watch = || {
            let mut watch = Watch::new([file.clone()]);
            watch.add_records(&recorder.records());
            watch
        };
        let told = |mut watch: Watch| (0..3).filter(|_| watch.poll()).count();
        assert_eq!(told(watch()), 0);
        // Length and date stay the same, before the first poll.
        let date = std::fs::metadata(&file).unwrap().modified().unwrap();
        std::fs::write(&file, "two").unwrap();
        std::fs::File::options().append(true).open(&file).unwrap().set_modified(date).unwrap();
        assert_eq!(told(watch()), 1);
        std::fs::write(&file, "one").unwrap();
        std::fs::write(&missing, "").unwrap();
        assert_eq!(told(watch()), 1, "the missing file has appeared");
    }

    #[test]
    fn a_name_that_appears_in_another_case_is_told_once() {
        let folder = tempfile::tempdir().unwrap();
        let recorder = Recorder::new(Arc::new(Disk));
        assert!(recorder.spellings(&folder.path().join("skin.png")).is_empty());
        let mut watch = Watch::new([]);
        watch.add_records(&recorder.records());
        assert_eq!((0..3).filter(|_| watch.poll()).count(), 0);
        std::fs::write(folder.path().join("Skin.PNG"), "").unwrap();
        assert_eq!((0..4).filter(|_| watch.poll()).count(), 1);
    }
}
