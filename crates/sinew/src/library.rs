//! The clips of a character, each loaded at most once.

use crate::names::UnknownName;
use crate::{Clip, ClipId, LoopMode, PlayError, PlayOptions, RootMotion, Text, Travel};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Why a clip is not available. Kept in the library's entry: a clip that failed to load is not tried again. Cloning it allocates nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("clip `{clip}`: {reason}")]
#[non_exhaustive]
pub struct ClipError {
    /// What kind of error it is.
    pub kind: ClipErrorKind,
    /// Name of the clip.
    pub clip: Arc<str>,
    /// What went wrong, with file and remedy where a file is behind it.
    pub reason: Arc<str>,
}

impl ClipError {
    /// An error about a clip.
    pub fn new(kind: ClipErrorKind, clip: impl Into<Arc<str>>, reason: impl Into<Arc<str>>) -> Self {
        Self { kind, clip: clip.into(), reason: reason.into() }
    }

    /// A stable id of what went wrong, for programs.
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }
}

/// The kinds of [`ClipError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ClipErrorKind {
    /// There is no clip of that name or number.
    NotFound,
    /// Its data cannot be read.
    Unreadable,
    /// It was made for another skeleton.
    DoesNotFit,
    /// Its channels could mean several joints.
    Ambiguous,
}

sinew_findings::error_codes! { ClipErrorKind {
    Self::NotFound => "clip.not-found", "There is no clip of that name or number";
    Self::Unreadable => "clip.load-failed", "The data of a clip cannot be read";
    Self::DoesNotFit => "clip.does-not-fit", "A clip was made for another skeleton";
    Self::Ambiguous => "clip.ambiguous", "Channels of a clip could mean several joints";
} }

/// Why a clip that a user named was not found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClipLookupError {
    /// The text after `#` is not a number.
    #[error("`{wanted}` is not a clip number: write it as in #0")]
    Number {
        /// As it was written.
        wanted: String,
    },
    /// No clip has that name, tag or number.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
}

/// Loads a clip when it is first needed: from a file or an archive.
pub trait ClipSource: Send + Sync {
    /// Reads the clip. Called at most once per entry, from whichever thread asks first.
    fn load(&self) -> Result<Clip, ClipError>;
}

/// What is known about a clip before it is loaded.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ClipInfo {
    /// Name, as a game asks for it.
    pub name: Text,
    /// Name in the data that the clip was taken from, where that is another.
    pub source_name: Option<Text>,
    /// What the clip is for (`Idle`, `Walk`), where that is known; see [`crate::TaggedClips`].
    pub tag: Option<Text>,
    /// Its number in a source that numbers its clips.
    pub source_index: Option<u32>,
    /// What is to happen at its end, if given explicitly.
    pub mode: Option<LoopMode>,
    /// What is to become of its travel, if given explicitly.
    pub root_motion: Option<RootMotion>,
}

impl ClipInfo {
    /// How the clip is meant to be played: what is given explicitly.
    pub fn options(&self) -> PlayOptions {
        PlayOptions { mode: self.mode, root_motion: self.root_motion, ..PlayOptions::default() }
    }
}

impl<T: Into<Text>> From<T> for ClipInfo {
    fn from(name: T) -> Self {
        Self { name: name.into(), ..Self::default() }
    }
}

struct Entry {
    info: ClipInfo,
    travel: Option<Travel>,
    cell: OnceLock<Result<Arc<Clip>, ClipError>>,
    source: Option<Box<dyn ClipSource>>,
}

/// Clips by name and number. Cheap to clone: clones share the entries and what was loaded into them.
///
/// ```
/// # fn demo(character: std::sync::Arc<sinew::Character>) -> Result<(), Box<dyn std::error::Error>> {
/// let clips = character.clips().clone();    // shares what is loaded
/// std::thread::spawn(move || {
///     clips.load(0);    // a clip in a file is read here, and not in the frame that plays it
/// });
/// # Ok(()) }
/// ```
#[derive(Clone, Default)]
pub struct ClipLibrary {
    entries: Vec<Arc<Entry>>,
}

impl ClipLibrary {
    /// A library of loaded clips.
    pub fn new(clips: impl IntoIterator<Item = Clip>) -> Self {
        let mut library = Self::default();
        for clip in clips {
            library.add(clip);
        }
        library
    }

    /// Adds a loaded clip. Other clones of the library do not see it.
    pub fn add(&mut self, clip: impl Into<Arc<Clip>>) {
        let clip = clip.into();
        self.add_with(clip.text().clone(), clip);
    }

    /// No clips yet, with room for so many.
    pub(crate) fn with_capacity(clips: usize) -> Self {
        Self { entries: Vec::with_capacity(clips) }
    }

    /// Adds a loaded clip, and what is known about it.
    pub fn add_with(&mut self, info: impl Into<ClipInfo>, clip: impl Into<Arc<Clip>>) {
        self.add_measured(info.into(), clip, None);
    }

    /// The same for a clip whose travel a bundle states.
    pub(crate) fn add_measured(
        &mut self,
        info: ClipInfo,
        clip: impl Into<Arc<Clip>>,
        travel: Option<Travel>,
    ) {
        let cell = OnceLock::from(Ok(clip.into()));
        self.entries.push(Arc::new(Entry { info, travel, cell, source: None }));
    }

    /// Adds a clip that is read when it is first asked for: under a name, or with all that is known about it.
    pub fn add_source(&mut self, info: impl Into<ClipInfo>, source: impl ClipSource + 'static) {
        let source: Box<dyn ClipSource> = Box::new(source);
        let (info, cell) = (info.into(), OnceLock::new());
        self.entries.push(Arc::new(Entry { info, travel: None, cell, source: Some(source) }));
    }

    /// Adds all clips of another library; what either loads later is shared.
    pub fn extend(&mut self, other: &Self) {
        self.entries.extend(other.entries.iter().cloned());
    }

    /// Number of clips.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Names in order; a name may occur twice.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.infos().map(|info| info.name.as_str())
    }

    /// What is known about each clip, in order, whether it is loaded or not.
    pub fn infos(&self) -> impl ExactSizeIterator<Item = &ClipInfo> {
        self.entries.iter().map(|entry| &entry.info)
    }

    /// What is known about one clip.
    pub fn info(&self, index: usize) -> Option<&ClipInfo> {
        self.entries.get(index).map(|entry| &entry.info)
    }

    /// How far a clip takes the root and turns it, where the bundle that it comes from says so: what [`Clip::travel`] measures, without sampling.
    pub fn travel(&self, index: usize) -> Option<&Travel> {
        self.entries.get(index)?.travel.as_ref()
    }

    /// Number of the first clip of that very name, else of the first that differs in upper and lower case only.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.names()
            .position(|n| n == name)
            .or_else(|| self.names().position(|n| n.eq_ignore_ascii_case(name)))
    }

    /// The first clip with that tag. Without the fallback to the first clip that [`crate::TaggedClips`] has for Idle.
    pub fn find_by_tag(&self, tag: &str) -> Option<usize> {
        let has = |info: &ClipInfo| info.tag.as_deref().is_some_and(|own| own.eq_ignore_ascii_case(tag));
        self.infos().position(has)
    }

    /// A clip as users write it: by its number (`#0`), its name here or in its source, or its tag (`Idle`).
    pub fn id(&self, wanted: &str) -> Option<ClipId> {
        let found = match wanted.strip_prefix('#') {
            Some(number) => number.parse::<usize>().ok().filter(|&number| number < self.len()),
            None => self
                .find(wanted)
                .or_else(|| self.infos().position(|info| info.source_name.as_deref() == Some(wanted)))
                .or_else(|| self.find_by_tag(wanted)),
        };
        found.map(ClipId::new)
    }

    /// The same; where there is none, the error says what there is. `owner` is whose clips they are.
    pub(crate) fn lookup(&self, wanted: &str, owner: &str) -> Result<usize, ClipLookupError> {
        if wanted.strip_prefix('#').is_some_and(|number| number.parse::<usize>().is_err()) {
            return Err(ClipLookupError::Number { wanted: wanted.to_owned() });
        }
        self.id(wanted).map(ClipId::index).ok_or_else(|| {
            let is_name = |tag: &str| self.names().any(|name| name.eq_ignore_ascii_case(tag));
            let tags = self.infos().filter_map(|info| info.tag.as_deref());
            // Tags are more telling than names such as `clip_007`.
            let known = tags.filter(|tag| !is_name(tag)).chain(self.names());
            UnknownName::new(format!("`{owner}` has no clip"), wanted, known).into()
        })
    }

    /// Whether a clip is loaded.
    pub fn is_ready(&self, index: usize) -> bool {
        self.entries.get(index).is_some_and(|entry| matches!(entry.cell.get(), Some(Ok(_))))
    }

    /// A clip, loading it if it was not asked for before.
    pub fn get(&self, index: usize) -> Result<Arc<Clip>, ClipError> {
        match self.load(index) {
            Some(Ok(clip)) => Ok(clip.clone()),
            Some(Err(error)) => Err(error.clone()),
            None => {
                let reason = format!("there are only {} clips", self.entries.len());
                Err(ClipError::new(ClipErrorKind::NotFound, format!("#{index}"), reason))
            }
        }
    }

    /// Loads a clip if it was not asked for before, and returns the outcome; `None` if the index is out of range.
    ///
    /// Call it on a clone of the library from another thread, and the frame that plays the clip need not wait for it.
    pub fn load(&self, index: usize) -> Option<&Result<Arc<Clip>, ClipError>> {
        let entry = self.entries.get(index)?;
        Some(entry.cell.get_or_init(|| match &entry.source {
            Some(source) => source.load().map(Arc::new),
            None => Err(ClipError::new(
                ClipErrorKind::NotFound,
                entry.info.name.as_str(),
                "its entry has no source",
            )),
        }))
    }

    /// A clip to be played, loaded, with its own options below those given. Allocates nothing, also where it is refused.
    pub(crate) fn to_play(
        &self,
        clip: ClipId,
        options: PlayOptions,
    ) -> Result<(Arc<Clip>, PlayOptions), PlayError> {
        match self.load(clip.index()) {
            Some(Ok(loaded)) => {
                let own = self.info(clip.index()).map(ClipInfo::options).unwrap_or_default();
                Ok((loaded.clone(), options.over(own)))
            }
            Some(Err(error)) => Err(error.clone().into()),
            None => Err(PlayError::NoSuchClip(clip)),
        }
    }

    /// A clip by name; see [`ClipLibrary::find`].
    pub fn by_name(&self, name: &str) -> Result<Arc<Clip>, ClipError> {
        match self.find(name) {
            Some(index) => self.get(index),
            None => {
                let reason = format!("there is none of that name among {} clips", self.entries.len());
                Err(ClipError::new(ClipErrorKind::NotFound, name, reason))
            }
        }
    }

    /// Finds what mixers need to know of the clips that are loaded, so that playing them allocates nothing.
    pub(crate) fn prepare(&self) {
        self.ready().for_each(|clip| clip.prepare());
    }

    /// All clips that are loaded.
    pub fn ready(&self) -> impl Iterator<Item = Arc<Clip>> + '_ {
        self.entries.iter().filter_map(|entry| entry.cell.get()?.as_ref().ok().cloned())
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
                Err(ClipError::new(ClipErrorKind::Unreadable, "lazy", "broken"))
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
        assert_eq!(library.get(3).unwrap_err().code(), "clip.not-found");
        assert_eq!(library.find("Walk"), Some(0));
    }
}
