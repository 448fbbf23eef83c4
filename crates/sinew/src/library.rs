//! The clips of a character, each loaded at most once.

use crate::Clip;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Why a clip is not to be had. Kept by its slot, so asking again gives the same answer without trying again.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("clip `{clip}`: {reason}")]
pub struct ClipError {
    /// Name of the clip.
    pub clip: String,
    /// What went wrong, with file and remedy where a file is behind it.
    pub reason: String,
}

/// Something that can produce a clip when it is first needed: a file, a place in an archive.
pub trait ClipSource: Send + Sync {
    /// Reads the clip. Called at most once per slot, from whichever thread asks first.
    fn load(&self) -> Result<Clip, ClipError>;
}

struct Slot {
    name: String,
    cell: OnceLock<Result<Arc<Clip>, ClipError>>,
    source: Option<Box<dyn ClipSource>>,
}

/// Clips by name and number. Cheap to clone: clones share the slots and what was loaded into them.
#[derive(Clone, Default)]
pub struct ClipLibrary {
    slots: Vec<Arc<Slot>>,
}

impl ClipLibrary {
    /// A library of clips that are there already.
    pub fn new(clips: impl IntoIterator<Item = Clip>) -> Self {
        let mut library = Self::default();
        for clip in clips {
            library.add(clip);
        }
        library
    }

    /// Adds a clip that is there already. Other clones of the library do not see it.
    pub fn add(&mut self, clip: impl Into<Arc<Clip>>) {
        let clip = clip.into();
        let name = clip.name().to_owned();
        self.slots.push(Arc::new(Slot { name, cell: OnceLock::from(Ok(clip)), source: None }));
    }

    /// Adds a clip that is read when it is first asked for.
    pub fn add_source(&mut self, name: impl Into<String>, source: impl ClipSource + 'static) {
        self.slots.push(Arc::new(Slot {
            name: name.into(),
            cell: OnceLock::new(),
            source: Some(Box::new(source)),
        }));
    }

    /// Adds all clips of another library; what either loads later is shared.
    pub fn extend(&mut self, other: &Self) {
        self.slots.extend(other.slots.iter().cloned());
    }

    /// Number of clips.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Names in order; a name may occur twice.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.slots.iter().map(|slot| slot.name.as_str())
    }

    /// Number of the first clip of that very name, else of the first that differs in upper and lower case only.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.names()
            .position(|n| n == name)
            .or_else(|| self.names().position(|n| n.eq_ignore_ascii_case(name)))
    }

    /// Whether a clip can be had without loading.
    pub fn is_ready(&self, index: usize) -> bool {
        self.slots.get(index).is_some_and(|slot| matches!(slot.cell.get(), Some(Ok(_))))
    }

    /// A clip, loading it if it was not asked for before.
    pub fn get(&self, index: usize) -> Result<Arc<Clip>, ClipError> {
        let Some(slot) = self.slots.get(index) else {
            return Err(ClipError {
                clip: format!("#{index}"),
                reason: format!("there are only {} clips", self.slots.len()),
            });
        };
        slot.cell
            .get_or_init(|| match &slot.source {
                Some(source) => source.load().map(Arc::new),
                None => {
                    Err(ClipError { clip: slot.name.clone(), reason: "its slot has no source".to_owned() })
                }
            })
            .clone()
    }

    /// A clip by name; see [`ClipLibrary::find`].
    pub fn by_name(&self, name: &str) -> Result<Arc<Clip>, ClipError> {
        match self.find(name) {
            Some(index) => self.get(index),
            None => Err(ClipError {
                clip: name.to_owned(),
                reason: format!("there is none of that name among {} clips", self.slots.len()),
            }),
        }
    }

    /// All clips that are loaded.
    pub fn ready(&self) -> impl Iterator<Item = Arc<Clip>> + '_ {
        self.slots.iter().filter_map(|slot| slot.cell.get()?.as_ref().ok().cloned())
    }
}

impl fmt::Debug for ClipLibrary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    struct Counting(Arc<AtomicUsize>, bool);

    impl ClipSource for Counting {
        fn load(&self) -> Result<Clip, ClipError> {
            self.0.fetch_add(1, Ordering::SeqCst);
            if self.1 {
                Ok(Clip::new("lazy", 1.0, vec![], vec![]).unwrap())
            } else {
                Err(ClipError { clip: "lazy".into(), reason: "broken".into() })
            }
        }
    }

    #[test]
    fn a_clip_is_loaded_once_and_shared() {
        for works in [true, false] {
            let count = Arc::new(AtomicUsize::new(0));
            let mut library = ClipLibrary::default();
            library.add_source("lazy", Counting(count.clone(), works));
            let clone = library.clone();
            assert!(!library.is_ready(0));
            assert_eq!(count.load(Ordering::SeqCst), 0);
            assert_eq!(library.get(0).is_ok(), works);
            assert_eq!(clone.by_name("LAZY").is_ok(), works);
            assert_eq!(clone.is_ready(0), works);
            assert_eq!(count.load(Ordering::SeqCst), 1);
        }
    }

    #[test]
    fn an_unknown_clip_is_an_error() {
        let library = ClipLibrary::new([Clip::new("walk", 1.0, vec![], vec![]).unwrap()]);
        assert!(library.by_name("run").unwrap_err().to_string().contains("`run`"));
        assert!(library.get(3).unwrap_err().to_string().contains("only 1"));
        assert_eq!(library.find("Walk"), Some(0));
    }
}
