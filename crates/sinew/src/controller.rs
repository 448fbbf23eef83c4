//! Plays a character's clips by tag: `play("Walk")`, one `update` a frame, crossfades between clips.

use crate::blend::blend_poses;
use crate::tags::TaggedClips;
use crate::voice::Voice;
use crate::{
    Character, Clip, ClipError, ClipErrorKind, Event, Instance, JobError, PlayOptions, Playback, Pose,
};
use glam::Vec3;
use std::sync::Arc;

/// Why a tag was not played.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlayError {
    /// No clip has it.
    #[error("no clip has the tag `{0}`")]
    UnknownTag(String),
    /// Its clip could not be loaded, or does not fit the character.
    #[error(transparent)]
    Clip(#[from] ClipError),
}

/// The same without allocating, so that a game may ask for an unknown tag every frame.
#[derive(Clone, Copy, Debug)]
enum Refusal {
    /// The tag is in [`Controller::unknown_tag`].
    UnknownTag,
    /// The library's entry has the reason.
    NotLoaded {
        clip: usize,
    },
    Unfit {
        clip: usize,
        error: JobError,
    },
}

/// What a crossfade starts from.
#[derive(Clone, Debug)]
enum Outgoing {
    /// A clip that plays on during the crossfade.
    Voice(Voice),
    /// The blended pose of an interrupted crossfade, held still so that nothing jumps.
    Frozen,
}

#[derive(Clone, Debug)]
struct Fade {
    outgoing: Outgoing,
    elapsed: f64,
    length: f64,
}

impl Fade {
    fn weight(&self) -> f32 {
        (self.elapsed / self.length) as f32
    }
}

/// Plays the clips of one instance of a character by tag, with linear crossfades.
///
/// Its output is valid from the start: before a tag plays it is the rest pose. After construction nothing allocates, except what a
/// [`crate::ClipSource`] does when a clip is asked for the first time.
///
/// ```
/// # fn demo(character: std::sync::Arc<sinew::Character>) -> Result<(), Box<dyn std::error::Error>> {
/// use sinew::{Controller, PlayOptions};
///
/// let mut hero = Controller::new(character);
/// hero.play("Idle");
/// hero.play_with("Walk", PlayOptions::looping(0.2));    // crossfade of 0.2 s
/// hero.update(1.0 / 60.0);
/// let palette = hero.skin_matrices(0);
/// # let _ = palette;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Controller {
    clips: Arc<TaggedClips>,
    /// Index among the tags of `clips`.
    active: Option<usize>,
    current: Voice,
    fade: Option<Fade>,
    refusal: Option<Refusal>,
    unknown_tag: String,
    root_joint: Option<u16>,
    from: Pose,
    to: Pose,
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
        let rest = character.skeleton().rest();
        Self {
            clips,
            active: None,
            current: Voice::rest(),
            fade: None,
            refusal: None,
            unknown_tag: String::with_capacity(64),
            root_joint: None,
            from: rest.clone(),
            to: rest.clone(),
            instance: Instance::new(character),
        }
    }

    /// Plays a tag at once, as its clip is meant to be ([`crate::ClipInfo::options`]): in a loop by default. See
    /// [`Controller::play_with`].
    pub fn play(&mut self, tag: &str) -> bool {
        self.play_with(tag, PlayOptions::default())
    }

    /// Plays a tag as its clip is meant to be, except for what the options give. If it is playing already it goes on, unless
    /// [`PlayOptions::reset`] is set.
    ///
    /// An unknown tag, or a clip that cannot be loaded, returns false and leaves everything as it was; [`Controller::last_error`]
    /// has the reason. A clip that is not [ready](Controller::is_ready) is loaded here, and the frame waits for it.
    pub fn play_with(&mut self, tag: &str, options: PlayOptions) -> bool {
        let played = self.try_play(tag, options);
        self.refusal = played.err();
        played.is_ok()
    }

    /// Moves on by `seconds` and brings pose and matrices up to date.
    pub fn update(&mut self, seconds: f64) {
        self.current.playback.advance(seconds);
        if let Some(fade) = &mut self.fade {
            // A step that the clocks ignore is ignored here too.
            fade.elapsed += if seconds >= 0.0 && seconds.is_finite() { seconds } else { 0.0 };
            if let Outgoing::Voice(voice) = &mut fade.outgoing {
                voice.playback.advance(seconds);
            }
            if fade.elapsed >= fade.length {
                self.fade = None;
            }
        }
        self.refresh();
    }

    /// Shows the rest pose again, at once.
    pub fn stop(&mut self) {
        self.active = None;
        self.current = Voice::rest();
        self.fade = None;
        self.refresh();
    }

    /// Changes the speed of the active clip from here on; negative plays backward.
    pub fn set_speed(&mut self, speed: f64) {
        self.current.playback.set_speed(speed);
    }

    /// Chooses the joint whose travel counts, instead of the highest one that moves, for tags played from here on.
    pub fn set_root_joint(&mut self, joint: Option<u16>) {
        self.root_joint = joint;
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
        self.active.and_then(|entry| self.clips.tags().nth(entry))
    }

    /// Whether a tag plays, spelled in upper or lower case.
    pub fn is_active(&self, tag: &str) -> bool {
        self.active().is_some_and(|active| active.eq_ignore_ascii_case(tag))
    }

    /// The clip that plays.
    pub fn clip(&self) -> Option<&Arc<Clip>> {
        self.current.clip()
    }

    /// The clock of the clip that plays.
    pub fn playback(&self) -> &Playback {
        &self.current.playback
    }

    /// Whether the clip that plays has come to its end; a loop never does.
    pub fn has_ended(&self) -> bool {
        self.current.has_ended()
    }

    /// The active clip's weight in the pose: 1 except during a crossfade.
    pub fn weight(&self) -> f32 {
        self.fade.as_ref().map_or(1.0, Fade::weight)
    }

    /// Events of the active clip that the last update crossed.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.current.clip().into_iter().flat_map(|clip| self.current.playback.crossed(clip))
    }

    /// How far the last update moved the character, in model space: of clips whose root motion is extracted, each by its
    /// weight in the crossfade.
    pub fn root_delta(&self) -> Vec3 {
        let delta = self.current.root_delta();
        match &self.fade {
            Some(fade) => match &fade.outgoing {
                Outgoing::Voice(voice) => voice.root_delta().lerp(delta, fade.weight()),
                Outgoing::Frozen => delta * fade.weight(),
            },
            None => delta,
        }
    }

    /// Why the last [`Controller::play_with`] returned false, if it did.
    pub fn last_error(&self) -> Option<PlayError> {
        let clips = self.clips.clips();
        Some(match self.refusal? {
            Refusal::UnknownTag => PlayError::UnknownTag(self.unknown_tag.clone()),
            Refusal::NotLoaded { clip } => PlayError::Clip(clips.get(clip).err()?),
            Refusal::Unfit { clip, error } => PlayError::Clip(ClipError::new(
                ClipErrorKind::DoesNotFit,
                clips.names().nth(clip).unwrap_or_default(),
                error.to_string(),
            )),
        })
    }

    /// The clips by tag.
    pub fn clips(&self) -> &Arc<TaggedClips> {
        &self.clips
    }

    crate::instance::accessors!();

    fn try_play(&mut self, tag: &str, options: PlayOptions) -> Result<(), Refusal> {
        let Some((entry, clip)) = self.clips.entry(tag) else {
            self.unknown_tag.clear();
            self.unknown_tag.push_str(tag);
            return Err(Refusal::UnknownTag);
        };
        if self.active == Some(entry) && !options.reset {
            return Ok(());
        }
        let Some(Ok(loaded)) = self.clips.clips().load(clip) else { return Err(Refusal::NotLoaded { clip }) };
        let own = self.clips.clips().info(clip).map(crate::ClipInfo::options).unwrap_or_default();
        let voice = Voice::new(self.character(), loaded.clone(), options.over(own), self.root_joint)
            .map_err(|error| Refusal::Unfit { clip, error })?;
        self.start(entry, voice, options.crossfade);
        Ok(())
    }

    fn start(&mut self, entry: usize, voice: Voice, crossfade: f64) {
        let before = std::mem::replace(&mut self.current, voice);
        let interrupted = self.fade.is_some();
        self.active = Some(entry);
        if !(crossfade > 0.0 && crossfade.is_finite()) {
            self.fade = None;
            return self.refresh();
        }
        let outgoing = if interrupted {
            self.from.copy_from(self.instance.pose());
            Outgoing::Frozen
        } else {
            Outgoing::Voice(before)
        };
        // The pose stays as it is until the next update: a crossfade begins with what was shown before.
        self.fade = Some(Fade { outgoing, elapsed: 0.0, length: crossfade });
    }

    fn refresh(&mut self) {
        let (skeleton, pose) = self.instance.skeleton_and_pose();
        match &self.fade {
            None => self.current.sample(skeleton, pose),
            Some(fade) => {
                if let Outgoing::Voice(voice) = &fade.outgoing {
                    voice.sample(skeleton, &mut self.from);
                }
                self.current.sample(skeleton, &mut self.to);
                let checked = blend_poses(&self.from, &self.to, fade.weight(), pose);
                // All three are poses of one skeleton.
                debug_assert_eq!(checked, Ok(()));
            }
        }
        let checked = self.instance.finish();
        debug_assert_eq!(checked, Ok(()));
    }
}

#[cfg(test)]
mod tests;
