//! Telling when to build again.

use super::job::Job;
use super::stamp::Stamp;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Date and length of a file: cheap to ask for, and enough to know that a closer look is due. Whether something has to be built is
/// then decided by content.
pub type Look = (SystemTime, u64);

/// Files and how they looked last time.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    seen: BTreeMap<PathBuf, Option<Look>>,
}

impl Watch {
    /// Looks at files, and says which look different from last time, or were not looked at before, or no longer are. The first look
    /// finds all of them.
    pub fn changed(
        &mut self,
        files: impl IntoIterator<Item = PathBuf>,
        look: impl Fn(&Path) -> Option<Look>,
    ) -> Vec<PathBuf> {
        let now: BTreeMap<PathBuf, Option<Look>> = files
            .into_iter()
            .map(|file| {
                let look = look(&file);
                (file, look)
            })
            .collect();
        let mut changed: Vec<PathBuf> = now
            .iter()
            .filter(|(file, look)| self.seen.get(*file) != Some(look))
            .map(|(f, _)| f.clone())
            .collect();
        changed.extend(self.seen.keys().filter(|file| !now.contains_key(*file)).cloned());
        self.seen = now;
        changed
    }

    /// Looks at files that were not looked at before; that they are new does not count as a change.
    pub fn add(&mut self, files: impl IntoIterator<Item = PathBuf>, look: impl Fn(&Path) -> Option<Look>) {
        for file in files {
            if !self.seen.contains_key(&file) {
                let look = look(&file);
                self.seen.insert(file, look);
            }
        }
    }
}

/// How a file looks; `None` if it is not there.
pub fn look(file: &Path) -> Option<Look> {
    let data = std::fs::metadata(file).ok()?;
    Some((data.modified().ok()?, data.len()))
}

impl Job {
    /// All files that it depends on, as far as they are known: sources, and what the last build
    /// read beside them.
    pub fn watched(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = self.files.iter().map(|file| self.path(file)).collect();
        for stamp in self.outputs.iter().filter_map(|output| Stamp::read(&output.stamp)) {
            files.extend(stamp.files().map(|file| self.path(file)));
        }
        files.sort();
        files.dedup();
        files
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn only_what_looks_different_has_changed() {
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let files = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        let mut watch = Watch::default();
        let both = files(&["a", "b"]);
        assert_eq!(
            watch.changed(both.clone(), |_| Some((at(1), 5))),
            both,
            "the first look finds everything"
        );
        assert!(watch.changed(both.clone(), |_| Some((at(1), 5))).is_empty());
        let of = |name: &'static str, new| {
            move |file: &Path| if file == Path::new(name) { new } else { Some((at(1), 5)) }
        };
        assert_eq!(watch.changed(both.clone(), of("b", Some((at(2), 5)))), files(&["b"]), "another date");
        assert_eq!(watch.changed(both.clone(), of("b", Some((at(2), 6)))), files(&["b"]), "another length");
        assert_eq!(watch.changed(both.clone(), of("b", None)), files(&["b"]), "gone");
        assert!(watch.changed(both.clone(), of("b", None)).is_empty());
        assert_eq!(watch.changed(both, |_| Some((at(1), 5))), files(&["b"]), "there again");
        assert_eq!(
            watch.changed(files(&["a", "c"]), |_| Some((at(1), 5))),
            files(&["c", "b"]),
            "others are watched"
        );
        watch.add(files(&["a", "d"]), |_| Some((at(9), 9)));
        assert_eq!(
            watch.changed(files(&["a", "c", "d"]), of("d", Some((at(9), 9)))),
            files(&[]),
            "what was added is known, and what was known is as it was seen"
        );
    }
}
