//! Reads each file once.

use crate::{Content, Entry, Files, ReadError};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Reads each file of another [`Files`] once and keeps it, so that later reads get the same bytes. It holds all of them in memory:
/// drop it, or [clear](Self::clear) it, when what is made from the files is done.
#[derive(Debug, Default)]
pub struct Cache<F> {
    files: F,
    kept: Mutex<HashMap<PathBuf, Arc<Slot>>>,
}

/// Held locked while the file is read, so that other readers of it wait.
type Slot = Mutex<Option<Content>>;

impl<F: Files> Cache<F> {
    /// An empty cache.
    pub fn new(files: F) -> Self {
        Self { files, kept: Mutex::default() }
    }

    /// Forgets all files.
    pub fn clear(&self) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl<F: Files> Files for Cache<F> {
    fn read(&self, path: &Path, limit: u64) -> Result<Content, ReadError> {
        // `./a` and `a` are one file.
        let key = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let slot = self.kept.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default().clone();
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(content) = &*slot {
            let found = content.len() as u64;
            return if found > limit {
                Err(ReadError::TooLarge { found: Some(found), limit })
            } else {
                Ok(content.clone())
            };
        }
        let content = self.files.read(path, limit)?;
        Ok(slot.insert(content).clone())
    }

    fn is_file(&self, path: &Path) -> bool {
        self.files.is_file(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>> {
        self.files.list(folder)
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        self.files.resolve(path)
    }

    fn spellings(&self, path: &Path) -> Vec<String> {
        self.files.spellings(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Memory;

    #[test]
    fn each_file_is_read_once_whoever_asks() {
        let memory = Arc::new(Memory::default().with("a", "one").with("b", "two"));
        let cache = Cache::new(memory.clone());
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    assert_eq!(&*cache.read(Path::new("a"), 9).unwrap(), b"one");
                    assert_eq!(&*cache.read(Path::new("./a"), 9).unwrap(), b"one");
                });
            }
        });
        assert_eq!(memory.reads(), [PathBuf::from("a")]);
        assert!(matches!(cache.read(Path::new("a"), 2), Err(ReadError::TooLarge { .. })));
        assert!(cache.read(Path::new("c"), 9).is_err());
        cache.clear();
        assert!(cache.read(Path::new("a"), 9).is_ok());
        assert_eq!(memory.reads().len(), 3, "once again, and the missing one");
    }
}
