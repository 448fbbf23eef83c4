//! One clip being played: clip, clock, weight, and where it counts.

use super::fade::{Fade, Ramp};
use crate::kernel::layer::Share;
use crate::{
    Character, Clip, Ease, JobError, LoopMode, Mask, PlayOptions, Playback, Pose, RootMotion, Sampling,
    Skeleton, Travel,
};
use glam::Vec3;
use std::sync::Arc;

/// A voice of one [`Mixer`](super::Mixer). Never given again, so one that is over stays over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VoiceId(pub(super) u32);

/// What a voice does with what lies below it.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Layering {
    /// It takes its place, by weight.
    #[default]
    Override,
    /// Its difference from a reference is added: a breath, a recoil. The reference is a pose such as the rest, or that of a clip at a time
    /// ([`Pose::of_clip`]).
    Additive(Arc<Pose>),
}

/// How a voice is played, and where in the mix it counts.
///
/// ```
/// # fn demo(skeleton: &sinew::Skeleton) -> Result<(), sinew::names::UnknownName> {
/// use sinew::{Mask, PlayOptions, VoiceOptions};
/// use std::sync::Arc;
///
/// let arms = Arc::new(Mask::below(skeleton, "Spine")?);
/// let wave = VoiceOptions::from(PlayOptions::once(0.2)).on_layer(1).masked(arms);
/// # let _ = wave;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct VoiceOptions {
    /// Clock, travel, and the fade with which it begins.
    pub play: PlayOptions,
    /// Voices of one layer are mixed by weight; layers lie over each other in rising order.
    pub layer: u8,
    /// From 0 to 1.
    pub weight: f32,
    /// Where it counts; everywhere by default. What its clip does not move it leaves alone in any case.
    pub mask: Option<Arc<Mask>>,
    /// Whether it takes the place of what lies below.
    pub layering: Layering,
}

impl Default for VoiceOptions {
    fn default() -> Self {
        Self { play: PlayOptions::default(), layer: 0, weight: 1.0, mask: None, layering: Layering::Override }
    }
}

impl From<PlayOptions> for VoiceOptions {
    fn from(play: PlayOptions) -> Self {
        Self { play, ..Self::default() }
    }
}

impl VoiceOptions {
    /// The same on another layer.
    pub fn on_layer(self, layer: u8) -> Self {
        Self { layer, ..self }
    }

    /// The same with another weight.
    pub fn weighted(self, weight: f32) -> Self {
        Self { weight, ..self }
    }

    /// The same, counting only where a mask says.
    pub fn masked(self, mask: Arc<Mask>) -> Self {
        Self { mask: Some(mask), ..self }
    }

    /// The same, added to what lies below as a difference from a reference.
    pub fn additive(self, reference: Arc<Pose>) -> Self {
        Self { layering: Layering::Additive(reference), ..self }
    }
}

/// One clip being played.
#[derive(Clone, Debug)]
pub struct Voice {
    pub(super) id: VoiceId,
    pub(super) clip: Arc<Clip>,
    pub(super) playback: Playback,
    pub(super) sampling: Sampling,
    pub(super) root_motion: RootMotion,
    pub(super) travel: Travel,
    pub(super) layer: u8,
    pub(super) mask: Option<Arc<Mask>>,
    pub(super) layering: Layering,
    /// The weight that it was given.
    pub(super) weight: Ramp,
    /// Its rise over the voices of its layer that were there before.
    pub(super) rise: Option<Fade>,
    /// Whether those go out as it rises.
    pub(super) replaces: bool,
    /// Whether it ends once its weight has come to zero.
    pub(super) ends_silent: bool,
    /// What it counts in the mix, now and before the last advance.
    pub(super) share: f32,
    pub(super) share_before: f32,
    /// Whether another takes its place, or its weight goes to zero.
    pub(super) is_fading: bool,
    /// Whether it is heard no more: it goes with the next advance.
    pub(super) is_over: bool,
    /// Whether the sides of its rotations are chosen.
    pub(super) sides_held: bool,
}

impl Voice {
    /// A clip at its start, if it fits the character.
    pub(super) fn new(
        id: VoiceId,
        character: &Character,
        clip: Arc<Clip>,
        options: VoiceOptions,
        root_joint: Option<u16>,
    ) -> Result<Self, (Arc<Clip>, JobError)> {
        let rest = character.skeleton().rest();
        if let Err(error) = clip.fits(rest.len(), rest.scalars().len()) {
            return Err((clip, error));
        }
        let play = options.play;
        Ok(Self {
            id,
            playback: Playback::new(
                clip.duration().into(),
                play.mode.unwrap_or(LoopMode::Loop),
                play.speed.unwrap_or(1.0),
            ),
            sampling: play.sampling.unwrap_or(Sampling::Interpolate),
            root_motion: play.root_motion.unwrap_or(RootMotion::Keep),
            travel: clip.travel(character, root_joint),
            clip,
            layer: options.layer,
            mask: options.mask,
            layering: options.layering,
            weight: Ramp::new(options.weight),
            rise: Fade::new(play.crossfade, play.ease),
            replaces: true,
            ends_silent: false,
            share: 0.0,
            share_before: 0.0,
            is_fading: false,
            is_over: false,
            sides_held: false,
        })
    }

    /// Its id.
    pub fn id(&self) -> VoiceId {
        self.id
    }

    /// The clip.
    pub fn clip(&self) -> &Arc<Clip> {
        &self.clip
    }

    /// The clock.
    pub fn playback(&self) -> &Playback {
        &self.playback
    }

    /// The layer on which it plays.
    pub fn layer(&self) -> u8 {
        self.layer
    }

    /// What becomes of its travel.
    pub fn root_motion(&self) -> RootMotion {
        self.root_motion
    }

    /// How its clip is read between keys.
    pub fn sampling(&self) -> Sampling {
        self.sampling
    }

    /// How its root travels.
    pub fn travel(&self) -> &Travel {
        &self.travel
    }

    /// What it counts within its layer: its own weight, times its rise, times what those that rise over it leave. From 0 to 1.
    pub fn share(&self) -> f32 {
        self.share
    }

    /// Whether another voice takes its place, or its weight goes to zero.
    pub fn is_fading(&self) -> bool {
        self.is_fading
    }

    /// How far it has risen over the voices before it.
    pub(super) fn risen(&self) -> f32 {
        self.rise.map_or(1.0, |fade| fade.progress())
    }

    /// What it leaves of the voices of its layer that were there before.
    pub(super) fn leaves(&self) -> f32 {
        if self.replaces { 1.0 - self.risen() } else { 1.0 }
    }

    /// Moves on by `seconds`, of which it is heard for `heard`.
    pub(super) fn advance(&mut self, seconds: f64, heard: f64) {
        self.share_before = self.share;
        let stands = self.playback.is_paused();
        self.playback.advance(heard);
        if stands {
            return;
        }
        self.weight.advance(seconds);
        if let Some(rise) = &mut self.rise {
            rise.advance(seconds);
            if rise.is_over() {
                self.rise = None;
            }
        }
    }

    /// The local pose now, on the skeleton of the character that the voice was made for.
    pub(super) fn sample(&self, skeleton: &Skeleton, out: &mut Pose) {
        self.sample_at(skeleton, self.playback.time(), out);
    }

    /// The same at another time of the clip.
    pub(crate) fn sample_at(&self, skeleton: &Skeleton, time: f64, out: &mut Pose) {
        // The clip's fit was checked when the voice was made.
        self.clip.sample(skeleton, time, self.sampling, out);
        if self.root_motion != RootMotion::Keep {
            self.travel.remove(skeleton, time, out);
        }
    }

    /// Where and how much it counts.
    pub(super) fn shares(&self) -> Share<'_> {
        Share {
            weight: self.share,
            coverage: self.clip.coverage(),
            mask: self.mask.as_ref().map(|mask| mask.lanes()),
        }
    }

    pub(super) fn is_override(&self) -> bool {
        self.layering == Layering::Override
    }

    /// What it counts for a scalar.
    pub(super) fn scalar_share(&self, scalar: usize) -> f32 {
        if !self.clip.moves_scalar(scalar as u16) {
            return 0.0;
        }
        self.share * self.mask.as_ref().map_or(1.0, |mask| mask.scalar_weight())
    }

    /// What it counts at a joint.
    pub(super) fn share_at(&self, joint: u16) -> f32 {
        if !self.clip.moved(joint).any() {
            return 0.0;
        }
        self.share * self.mask.as_ref().map_or(1.0, |mask| mask.weight(joint))
    }

    /// How far the last advance moved the character: zero unless root motion is extracted.
    pub(super) fn root_delta(&self) -> Vec3 {
        match self.root_motion {
            RootMotion::Extract => {
                let way = self.playback.displacement(&self.travel);
                way.clamp(glam::DVec3::splat(f32::MIN.into()), glam::DVec3::splat(f32::MAX.into())).as_vec3()
            }
            RootMotion::Keep | RootMotion::InPlace => Vec3::ZERO,
        }
    }

    /// Seconds until it is heard no more by its own weight, if it is on the way there.
    pub(super) fn until_silent(&self) -> Option<f64> {
        self.weight.until_silent().filter(|_| self.ends_silent)
    }

    /// Ends its fades at once.
    pub(super) fn settle(&mut self) {
        self.rise = None;
        self.weight.settle();
    }

    /// Goes to zero, and ends there.
    pub(super) fn fade_out(&mut self, seconds: f64, ease: Ease) {
        self.ends_silent = true;
        self.weight.go_to(0.0, Fade::new(seconds, ease));
    }
}
