//! What a caller asks for when a clip is played.

use crate::{Ease, LoopMode, RootMotion, Sampling};

/// How one motion becomes another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "toml", derive(serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Transition {
    /// Both play, and the weight goes from one to the other.
    #[default]
    Crossfade,
    /// Only the new one plays; the old one goes on by its own velocity, which dies away. Needs room ([`crate::Mixer::with_inertia`]), else it is a
    /// crossfade.
    Inertial,
}

/// How a clip or a tag is played: as the clip is meant to be ([`crate::ClipInfo::options`]), except for what is given here.
///
/// ```
/// use sinew::{PlayOptions, RootMotion};
///
/// let walk = PlayOptions::fading(0.2);          // loop and root motion are the clip's own
/// let jump = PlayOptions::once(0.1).reset();    // once, from the start, even if it is playing
/// let slow = PlayOptions { speed: Some(0.5), root_motion: Some(RootMotion::InPlace), ..PlayOptions::default() };
/// assert_eq!((walk.mode, jump.crossfade, slow.mode), (None, 0.1, None));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlayOptions {
    /// Seconds of the crossfade from the pose shown before; zero by default. A [`crate::Player`] has none.
    pub crossfade: f64,
    /// How the motion before goes over into this one.
    pub transition: Transition,
    /// How the crossfade goes; evenly by default.
    pub ease: Ease,
    /// Start again if the tag plays already. Otherwise it goes on as it is, whatever the other options say. A [`crate::Player`] always starts
    /// again.
    pub reset: bool,
    /// What happens at the end. Unless clip or caller say otherwise, the clip plays in a loop.
    pub mode: Option<LoopMode>,
    /// Factor on the game's time, 1 by default; negative plays backward, from the end.
    pub speed: Option<f64>,
    /// What becomes of the clip's travel; kept by default.
    pub root_motion: Option<RootMotion>,
    /// How the clip is read between its keys; interpolated by default.
    pub sampling: Option<Sampling>,
}

impl PlayOptions {
    /// Plays as the clip is meant to be, after a crossfade of so many seconds.
    pub fn fading(crossfade: f64) -> Self {
        Self { crossfade, ..Self::default() }
    }

    /// Plays in a loop, after a crossfade of so many seconds.
    pub fn looping(crossfade: f64) -> Self {
        Self { mode: Some(LoopMode::Loop), ..Self::fading(crossfade) }
    }

    /// Plays once, after a crossfade of so many seconds.
    pub fn once(crossfade: f64) -> Self {
        Self { mode: Some(LoopMode::Once), ..Self::fading(crossfade) }
    }

    /// The same, starting again if the tag plays already.
    pub fn reset(mut self) -> Self {
        self.reset = true;
        self
    }

    /// What is given here, and the clip's own options for the rest.
    pub(crate) fn over(self, own: Self) -> Self {
        Self {
            mode: self.mode.or(own.mode),
            speed: self.speed.or(own.speed),
            root_motion: self.root_motion.or(own.root_motion),
            sampling: self.sampling.or(own.sampling),
            ..self
        }
    }
}
