//! One thing being played: a clip or a blend space, its clock, its weight, and where it counts.

use super::fade::{Fade, Ramp};
use super::options::{Layering, VoiceOptions};
use super::scratch::Scratch;
use super::source::{MOST_PARTS, Part, Source};
use crate::root_motion::Motion;
use crate::{
    Clip, Ease, LoopMode, Mask, Mirror, Playback, Pose, RootMotion, Sampling, Skeleton, SyncGroup, Travel,
};
use glam::DVec3;
use std::sync::Arc;

/// A voice of one [`Mixer`](super::Mixer). Never given again, so one that is over stays over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VoiceId(pub(super) u32);

/// One thing being played: a clip or a blend space.
#[derive(Clone, Debug)]
pub struct Voice {
    pub(super) id: VoiceId,
    pub(super) source: Source,
    pub(super) playback: Playback,
    pub(super) sampling: Sampling,
    pub(super) root_motion: RootMotion,
    pub(super) layer: u8,
    pub(super) mask: Option<Arc<Mask>>,
    pub(super) mirror: Option<Arc<Mirror>>,
    pub(super) layering: Layering,
    pub(super) group: Option<SyncGroup>,
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
    /// Whether it stands still until an inertial transition has looked at it.
    pub(super) is_outgoing: bool,
    /// Whether it is heard no more: it goes with the next advance.
    pub(super) is_over: bool,
    /// Whether it led its sync group in the last advance, and which of its parts did.
    pub(super) is_leader: bool,
    pub(super) leading_part: u8,
    /// Parts whose rotations have their side of the sphere chosen, a bit for each.
    pub(super) sides_held: u8,
}

impl Voice {
    pub(super) fn new(id: VoiceId, source: Source, options: VoiceOptions, replaces: bool) -> Self {
        let play = options.play;
        let mode = match (&source, play.mode.unwrap_or(LoopMode::Loop)) {
            // The clock of a blend space goes round.
            (Source::Space { .. }, LoopMode::PingPong) => LoopMode::Loop,
            (_, mode) => mode,
        };
        Self {
            id,
            playback: Playback::new(source.turn(), mode, play.speed.unwrap_or(1.0)),
            sampling: play.sampling.unwrap_or(Sampling::Interpolate),
            root_motion: play.root_motion.unwrap_or(RootMotion::Keep),
            source,
            layer: options.layer,
            mask: options.mask,
            mirror: options.mirror,
            layering: options.layering,
            group: options.sync,
            weight: Ramp::new(options.weight),
            rise: Fade::new(play.crossfade, play.ease),
            replaces,
            ends_silent: false,
            share: 0.0,
            share_before: 0.0,
            is_fading: false,
            is_outgoing: false,
            is_over: false,
            is_leader: true,
            leading_part: 0,
            sides_held: 0,
        }
    }

    /// Its id.
    pub fn id(&self) -> VoiceId {
        self.id
    }

    /// The clip; of a blend space, the one that counts most.
    pub fn clip(&self) -> &Arc<Clip> {
        match &self.source {
            Source::Clip { clip, .. } => clip,
            Source::Space { space, members } => space.clip(members[self.source.leader()].0),
        }
    }

    /// The clips that count in it, each with what it counts within the voice and the time at which it is: one, or those of a blend space.
    pub fn playing(&self) -> impl Iterator<Item = (&Clip, f32, f64)> {
        self.parts().map(|part| (part.clip, part.weight, part.playback.time()))
    }

    /// The clock. That of a clip counts seconds, that of a blend space turns: 1 is once round.
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

    /// How its clips are read between keys.
    pub fn sampling(&self) -> Sampling {
        self.sampling
    }

    /// As in which mirror it is played.
    pub(crate) fn mirror(&self) -> Option<&Arc<Mirror>> {
        self.mirror.as_ref()
    }

    /// How its root travels; of a blend space, that of the clip that counts most.
    pub fn travel(&self) -> Travel {
        self.part(self.source.leader()).map_or_else(Travel::default, |part| *part.travel)
    }

    /// What it counts within its layer: its own weight, times its rise, times what those that rise over it leave. From 0 to 1.
    pub fn share(&self) -> f32 {
        if self.is_outgoing { 0.0 } else { self.share }
    }

    /// Whether another voice takes its place, or its weight goes to zero.
    pub fn is_fading(&self) -> bool {
        self.is_fading
    }

    /// How far through its clip or turn it is, from 0 to 1.
    pub fn phase(&self) -> f64 {
        let turn = self.source.turn();
        if turn > 0.0 { self.playback.time() / turn } else { 0.0 }
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
        self.leading_part = self.source.leader() as u8;
        let stands = self.playback.is_paused();
        let unit = self.source.unit();
        self.playback.advance(if unit > 0.0 { heard / unit } else { 0.0 });
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

    pub(super) fn part(&self, slot: usize) -> Option<Part<'_>> {
        self.source.part(slot, &self.playback)
    }

    /// The clips that count in it.
    pub(super) fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        (0..MOST_PARTS).filter_map(|slot| self.part(slot)).filter(|part| part.weight > 0.0)
    }

    /// The local pose of a part, on the skeleton of the character that the voice was made for. `ago` is in seconds before now; `spare` is
    /// written where it is played as in a mirror.
    pub(super) fn sample(
        &self,
        part: &Part<'_>,
        ago: f64,
        skeleton: &Skeleton,
        spare: &mut Pose,
        out: &mut Pose,
    ) {
        let time = if ago == 0.0 { part.playback.time() } else { part.playback.time_ago(ago * part.rate) };
        self.sample_part(part, time, skeleton, spare, out);
    }

    /// The local pose of a voice that plays one clip, at a time of it.
    pub(crate) fn sample_at(&self, time: f64, skeleton: &Skeleton, scratch: &mut Scratch, out: &mut Pose) {
        if let Some(part) = self.part(0) {
            self.sample_part(&part, time, skeleton, &mut scratch.mirrored, out);
        }
    }

    fn sample_part(&self, part: &Part<'_>, time: f64, skeleton: &Skeleton, spare: &mut Pose, out: &mut Pose) {
        let place = if self.mirror.is_some() { &mut *spare } else { &mut *out };
        // The clip's fit was checked when the voice was made.
        part.clip.sample(skeleton, time, self.sampling, place);
        part.clip.mend(time, place);
        if self.root_motion != RootMotion::Keep {
            part.travel.remove(skeleton, time, place);
        }
        if let Some(mirror) = &self.mirror {
            mirror.reflect(spare, out);
        }
    }

    pub(super) fn is_heard(&self) -> bool {
        self.counts(false)
    }

    /// Whether it is heard; or whether it is one of those that an inertial transition takes the place of.
    pub(super) fn counts(&self, outgoing: bool) -> bool {
        self.share > 0.0 && self.is_outgoing == outgoing
    }

    pub(super) fn is_override(&self) -> bool {
        self.layering == Layering::Override
    }

    /// What a part counts for a scalar.
    pub(super) fn scalar_share(&self, part: &Part<'_>, scalar: usize) -> f32 {
        if !part.clip.moves_scalar(scalar as u16) {
            return 0.0;
        }
        self.share * part.weight * self.mask.as_ref().map_or(1.0, |mask| mask.scalar_weight())
    }

    /// What a part counts at its root.
    pub(super) fn root_share(&self, part: &Part<'_>) -> f32 {
        let joint = part.travel.joint().unwrap_or(0);
        let moves = part.clip.moved(joint).any() || part.travel.is_over_ground();
        if self.mirror.is_none() && !moves {
            return 0.0;
        }
        self.share * part.weight * self.mask.as_ref().map_or(1.0, |mask| mask.weight(joint))
    }

    /// How the last advance moved the character by a part: not at all unless root motion is extracted.
    pub(super) fn root_delta(&self, part: &Part<'_>) -> Motion {
        if self.root_motion != RootMotion::Extract {
            return Motion::default();
        }
        let travel = if self.mirror.is_some() { part.travel.mirrored() } else { *part.travel };
        let motion = part.playback.motion(&travel);
        let most = DVec3::splat(f32::MAX.into());
        Motion { way: motion.way.clamp(-most, most), ..motion }
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
