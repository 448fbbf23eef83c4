//! Plays a character's clips by tag: `play("Walk")`, one `update` a frame, crossfades between clips.

use crate::tags::TaggedClips;
use crate::{Character, Clip, ClipId, ClipRef, Instance, Mixer, PlayError, PlayOptions, Scratch, VoiceId};
use std::sync::Arc;

/// Voices of a controller: the one that plays, those that it takes the place of, and the game's own layers. A voice is done with when one above it has
/// risen, so it takes that many changes within one crossfade to need more; then the quietest makes room.
const VOICES: usize = 16;

/// What was played last.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Active {
    /// Index among the tags, if it has one.
    tag: Option<usize>,
    clip: ClipId,
}

/// Plays the clips of one instance of a character by tag, with crossfades: tags over a [`Mixer`].
///
/// Its output is valid from the start: before a tag plays it is the rest pose. After construction nothing allocates, except what a
/// [`crate::ClipSource`] does when a clip is asked for the first time.
///
/// ```
/// # fn demo(character: std::sync::Arc<sinew::Character>) -> Result<(), Box<dyn std::error::Error>> {
/// use sinew::{Controller, PlayOptions};
///
/// let mut hero = Controller::new(character);
/// hero.play("Idle")?;
/// hero.play_with("Walk", PlayOptions::looping(0.2))?;    // crossfade of 0.2 s
/// hero.update(1.0 / 60.0);
/// let palette = hero.skin_matrices(0);
/// # let _ = palette;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Controller {
    clips: Arc<TaggedClips>,
    active: Option<Active>,
    voice: Option<VoiceId>,
    mixer: Mixer,
    scratch: Scratch,
    instance: Instance,
}

impl Controller {
    /// A controller that shows the rest pose, with the tags that the clips have ([`crate::ClipInfo::tag`]).
    pub fn new(character: Arc<Character>) -> Self {
        let clips = TaggedClips::new(character.clips());
        Self::with_clips(character, Arc::new(clips))
    }

    /// A controller that shows the rest pose, with clips that were tagged, or borrowed, before: share them between instances.
    pub fn with_clips(character: Arc<Character>, clips: Arc<TaggedClips>) -> Self {
        clips.clips().prepare();
        Self {
            clips,
            active: None,
            voice: None,
            mixer: Mixer::new(character.clone(), VOICES).with_inertia(1),
            scratch: Scratch::new(character.skeleton()),
            instance: Instance::new(character),
        }
    }

    /// Plays a tag at once, as its clip is meant to be ([`crate::ClipInfo::options`]): in a loop by default. See
    /// [`Controller::play_with`].
    pub fn play<'a>(&mut self, tag: impl Into<ClipRef<'a>>) -> Result<(), PlayError> {
        self.play_with(tag, PlayOptions::default())
    }

    /// Plays a tag, a clip by name, or a [`ClipId`] of [`Controller::clips`], as the clip is meant to be, except for what the options give. If it is playing
    /// already it goes on, unless [`PlayOptions::reset`] is set.
    ///
    /// An unknown tag, or a clip that cannot be loaded, is an error and leaves everything as it was. Asking again in each frame allocates nothing. A
    /// clip that is not [ready](Controller::is_ready) is loaded here, and the frame waits for it.
    pub fn play_with<'a>(
        &mut self,
        tag: impl Into<ClipRef<'a>>,
        options: PlayOptions,
    ) -> Result<(), PlayError> {
        let wanted = tag.into();
        let active = self.find(wanted).ok_or(wanted)?;
        if self.active == Some(active) && !options.reset {
            return Ok(());
        }
        let (clip, options) = self.clips.clips().to_play(active.clip, options)?;
        self.play_clip(clip, options)?;
        self.active = Some(active);
        Ok(())
    }

    /// Plays any clip made for this skeleton from its start, as the options say. No tag is active then. On an error everything stays as it was.
    pub fn play_clip(&mut self, clip: Arc<Clip>, options: PlayOptions) -> Result<(), PlayError> {
        self.voice = Some(self.mixer.play_clip(clip, options)?);
        self.active = None;
        // A crossfade begins with what was shown before: the pose stays as it is until the next update.
        if self.voice().is_some_and(|voice| voice.share() > 0.0) {
            self.refresh();
        }
        Ok(())
    }

    /// Shows the rest pose again, at once.
    pub fn stop(&mut self) {
        self.mixer.stop(None);
        (self.active, self.voice) = (None, None);
        self.refresh();
    }

    /// Whether a tag can be played, as far as is known before its clip is loaded.
    pub fn has_clip(&self, tag: &str) -> bool {
        self.clips.find(tag).is_some()
    }

    /// Every tag that can be played.
    pub fn tags(&self) -> impl Iterator<Item = &str> {
        self.clips.tags()
    }

    /// Whether a tag can be played without loading.
    pub fn is_ready(&self, tag: &str) -> bool {
        self.clips.is_ready(tag)
    }

    /// Loads the clip of a tag now. To load outside the frame, hand [`Controller::clips`] to a thread and call it there.
    pub fn prefetch(&self, tag: &str) -> bool {
        self.clips.prefetch(tag)
    }

    /// The tag that plays.
    pub fn active(&self) -> Option<&str> {
        self.clips.tags().nth(self.active?.tag?)
    }

    /// Whether a tag plays, spelled in upper or lower case.
    pub fn is_active(&self, tag: &str) -> bool {
        self.active().is_some_and(|active| active.eq_ignore_ascii_case(tag))
    }

    /// The active clip's weight in the pose: 1 except during a crossfade.
    pub fn weight(&self) -> f32 {
        self.voice().map_or(1.0, |voice| voice.share())
    }

    /// The clips by tag.
    pub fn clips(&self) -> &Arc<TaggedClips> {
        &self.clips
    }

    crate::instance::performing!();

    fn find(&self, wanted: ClipRef<'_>) -> Option<Active> {
        let by_id = |clip: ClipId| Active { tag: self.clips.tag_of(clip.index()), clip };
        match wanted {
            ClipRef::Id(id) => Some(by_id(id)),
            ClipRef::Text(text) => match self.clips.entry(text) {
                Some((tag, clip)) => Some(Active { tag: Some(tag), clip: ClipId::new(clip) }),
                None => self.clips.clips().id(text).map(by_id),
            },
        }
    }
}

#[cfg(test)]
mod tests;
