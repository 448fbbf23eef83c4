//! Files in memory.

use crate::{Content, Entry, Files, ReadError};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Files in memory, with a list of those that were opened.
#[derive(Debug, Default)]
pub struct Memory {
    files: BTreeMap<PathBuf, Content>,
    reads: Mutex<Vec<PathBuf>>,
}

impl Memory {
    /// The same with one file more.
    #[must_use]
    pub fn with(mut self, path: impl Into<PathBuf>, bytes: impl Into<Vec<u8>>) -> Self {
        self.insert(path, bytes);
        self
    }

    /// Adds a file, or takes the place of one.
    pub fn insert(&mut self, path: impl Into<PathBuf>, bytes: impl Into<Vec<u8>>) {
        self.files.insert(path.into(), Content::from(bytes.into()));
    }

    /// A copy of all files below a folder, under the same paths.
    pub fn copy_of(folder: &Path) -> io::Result<Self> {
        let mut memory = Self::default();
        let mut open = vec![folder.to_owned()];
        while let Some(folder) = open.pop() {
            for entry in crate::Disk.list(&folder)? {
                if entry.is_folder {
                    open.push(entry.path);
                } else {
                    memory.insert(&entry.path, std::fs::read(&entry.path)?);
                }
            }
        }
        Ok(memory)
    }

    /// Every attempt to open a file so far, in order.
    pub fn reads(&self) -> Vec<PathBuf> {
        self.reads.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Files for Memory {
    fn read(&self, path: &Path, limit: u64) -> Result<Content, ReadError> {
        self.reads.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
        let missing = || io::Error::from(io::ErrorKind::NotFound);
        let content = self.files.get(&normal(path)).ok_or_else(missing)?;
        let found = content.len() as u64;
        if found > limit {
            return Err(ReadError::TooLarge { found: Some(found), limit });
        }
        Ok(content.clone())
    }

    fn is_file(&self, path: &Path) -> bool {
        self.files.contains_key(&normal(path))
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>> {
        let inside = self.files.keys().filter_map(|path| {
            let mut parts = path.strip_prefix(normal(folder)).ok()?.components();
            let first = parts.next()?;
            Some((folder.join(first), parts.next().is_some()))
        });
        let entries: BTreeSet<(PathBuf, bool)> = inside.collect();
        if entries.is_empty() {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(entries.into_iter().map(|(path, is_folder)| Entry { path, is_folder }).collect())
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(normal(path))
    }
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_folders() {
        let memory = Memory::default().with("hero/a.dae", "a").with("hero/clips/b.dae", "b");
        let names = |folder: &str| -> Vec<(String, bool)> {
            let entries = memory.list(Path::new(folder)).unwrap();
            entries.iter().map(|entry| (entry.name().to_owned(), entry.is_folder)).collect()
        };
        assert_eq!(names("hero"), [("a.dae".to_owned(), false), ("clips".to_owned(), true)]);
        assert_eq!(names(""), [("hero".to_owned(), true)]);
        assert!(memory.list(Path::new("hero/a.dae")).is_err() && !memory.is_file(Path::new("hero")));
        assert_eq!(&*memory.read(Path::new("hero/clips/../a.dae"), 1).unwrap(), b"a");
    }
}
