//! Clips by tag at run time: a table from tags to the clips of a character.
//!
//! A clip's tag is [`ClipInfo::tag`]: importers and builds fill it in. The first clip with a tag is played for it; further ones are reported. Tags
//! compare without regard to case.

use crate::bone_map::{BoneMap, BoneMapError, Mapping};
use crate::{Character, Clip, ClipError, ClipErrorKind, ClipInfo, ClipLibrary, ClipSource, Finding};
use sinew_findings::catalogue::play::TAG_TAKEN;
use std::sync::Arc;

/// The tag that falls back to the first clip.
pub const IDLE: &str = "Idle";

#[derive(Clone, Debug)]
struct Entry {
    tag: String,
    clip: usize,
    /// Idle, if no clip has that tag: then the first clip is used.
    stand_in: bool,
}

/// Clips by tag: made once for a character, and shared by all its instances and threads.
///
/// ```
/// # fn demo(character: std::sync::Arc<sinew::Character>) -> Result<(), Box<dyn std::error::Error>> {
/// use sinew::{Controller, TaggedClips};
/// use std::sync::Arc;
///
/// // Made once, shared by all enemies.
/// let tags = Arc::new(TaggedClips::new(character.clips()));
/// let enemy = Controller::with_clips(character, tags);
/// # let _ = enemy;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default)]
pub struct TaggedClips {
    clips: ClipLibrary,
    entries: Vec<Entry>,
    findings: Vec<Finding>,
}

impl TaggedClips {
    /// Lists the clips by tag; none is loaded. A second clip of a tag is among [`TaggedClips::findings`].
    pub fn new(clips: &ClipLibrary) -> Self {
        let mut tagged = Self { clips: clips.clone(), ..Self::default() };
        for (index, info) in clips.infos().enumerate() {
            let tag = info.tag.as_deref().map(str::trim).filter(|tag| !tag.is_empty());
            let Some(tag) = tag else { continue };
            match tagged.find(tag) {
                None => tagged.push(tag, index),
                Some(first) => {
                    let first = clips.infos().nth(first).map_or("", |info| &info.name);
                    let message = format!("tag `{tag}` belongs to clip `{first}`, which comes first");
                    tagged.findings.push(Finding::new(&TAG_TAKEN, info.name.as_str(), message));
                }
            }
        }
        tagged.stand_in_for_idle();
        tagged
    }

    /// Borrows clips of another character for the tags that this one, `own`, does not have. They are loaded and re-indexed when
    /// they are first played.
    ///
    /// On an error nothing was borrowed.
    pub fn borrow_missing(
        &mut self,
        own: &Character,
        lender: &Character,
        lent: &Self,
        map: &BoneMap,
    ) -> Result<(), BoneMapError> {
        let (mapping, findings) = Mapping::new(map, lender, own)?;
        let mapping = Arc::new(mapping);
        self.entries.retain(|entry| !entry.stand_in);
        for Entry { tag, clip, .. } in lent.entries.iter().filter(|entry| !entry.stand_in) {
            if self.find(tag).is_some() {
                continue;
            }
            let info = lent.clips.infos().nth(*clip).cloned().unwrap_or_default();
            let info = ClipInfo { tag: Some(tag.into()), source_index: None, ..info };
            let source = Borrowed { clips: lent.clips.clone(), index: *clip, mapping: mapping.clone() };
            self.push(tag, self.clips.len());
            self.clips.add_source(info, source);
        }
        self.stand_in_for_idle();
        self.findings.extend(findings);
        Ok(())
    }

    /// Number of the clip that plays for a tag. If no clip is tagged Idle, the first clip is used.
    pub fn find(&self, tag: &str) -> Option<usize> {
        self.entry(tag).map(|(_, clip)| clip)
    }

    /// Every tag that can be played, Idle included if the first clip is used for it.
    pub fn tags(&self) -> impl ExactSizeIterator<Item = &str> {
        self.entries.iter().map(|entry| entry.tag.as_str())
    }

    /// Whether the clip of a tag can be played without loading.
    pub fn is_ready(&self, tag: &str) -> bool {
        self.find(tag).is_some_and(|index| self.clips.is_ready(index))
    }

    /// Loads the clip of a tag now: call it from a thread that may wait. Says whether the clip can be played.
    pub fn prefetch(&self, tag: &str) -> bool {
        self.find(tag).is_some_and(|clip| matches!(self.clips.load(clip), Some(Ok(_))))
    }

    /// The clips, the character's own first and then the borrowed ones.
    pub fn clips(&self) -> &ClipLibrary {
        &self.clips
    }

    /// What was odd about the tags.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Index of a tag among [`TaggedClips::tags`], and its clip.
    pub(crate) fn entry(&self, tag: &str) -> Option<(usize, usize)> {
        let place = self.tags().position(|t| t.eq_ignore_ascii_case(tag))?;
        Some((place, self.entries[place].clip))
    }

    /// Index of the first tag for which a clip plays.
    pub(crate) fn tag_of(&self, clip: usize) -> Option<usize> {
        self.entries.iter().position(|entry| entry.clip == clip)
    }

    fn push(&mut self, tag: &str, clip: usize) {
        self.entries.push(Entry { tag: tag.to_owned(), clip, stand_in: false });
    }

    fn stand_in_for_idle(&mut self) {
        if !self.clips.is_empty() && self.find(IDLE).is_none() {
            self.entries.push(Entry { tag: IDLE.to_owned(), clip: 0, stand_in: true });
        }
    }
}

/// A clip of another skeleton.
struct Borrowed {
    clips: ClipLibrary,
    index: usize,
    mapping: Arc<Mapping>,
}

impl ClipSource for Borrowed {
    fn load(&self) -> Result<Clip, ClipError> {
        let clip = self.clips.get(self.index)?;
        self.mapping
            .apply(&clip)
            .map_err(|error| ClipError::new(ClipErrorKind::DoesNotFit, clip.name(), error.to_string()))
    }
}

#[cfg(test)]
mod tests;
