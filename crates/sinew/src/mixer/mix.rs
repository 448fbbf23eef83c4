//! The local pose of all voices: layer over layer, from the rest up.

use super::inertia::{Inertia, STEP, State};
use super::options::Layering;
use super::source::{MOST_PARTS, Part, Source};
use super::voice::Voice;
use super::{Mixer, Scratch};
use crate::job::exactly;
use crate::kernel::dispatch;
use crate::kernel::layer::{Add, Over, Share, Sides};
use crate::kernel::sum::{Accumulate, Ground};
use crate::pose::{LANES, Lanes};
use crate::{JobError, Pose, Skeleton};

impl Mixer {
    /// Mixes the local pose: what no voice moves is at rest.
    ///
    /// Layer by layer, voices that override are averaged by what they count ([`Voice::share`]); where that sums to less than one, the rest is
    /// what lies below, and where to nothing, all of it. Additive voices follow. At a joint that a single voice of a layer moves with a weight of
    /// one, the transform is that of its clip, to the last bit.
    ///
    /// Fails if scratch or pose are of another skeleton; then nothing was written.
    pub fn mix(&mut self, scratch: &mut Scratch, out: &mut Pose) -> Result<(), JobError> {
        let skeleton = self.character.skeleton();
        let rest = skeleton.rest();
        exactly("out.joints", rest.len(), out.len())?;
        exactly("out.scalars", rest.scalars().len(), out.scalars().len())?;
        exactly("scratch.joints", rest.len(), scratch.voice.len())?;
        exactly("scratch.scalars", rest.scalars().len(), scratch.voice.scalars().len())?;
        if let Some((alone, slot)) = only_part(&self.voices, &self.inertias) {
            let voice = &mut self.voices[alone];
            voice.sides_held = 0;
            if let Some(part) = voice.part(slot) {
                voice.sample(&part, 0.0, skeleton, &mut scratch.mirrored, out);
            }
            return Ok(());
        }
        // What the first layer lies over: not copied where that layer reads it from here.
        let mut below = Some(rest);
        let bytes = MOST_PARTS * rest.blocks().len();
        let mut sides = &mut self.sides[..];
        for voices in self.voices.chunk_by_mut(|a, b| a.layer == b.layer) {
            let (own, others) = sides.split_at_mut(voices.len() * bytes);
            sides = others;
            let layer = voices[0].layer;
            let inertia = self.inertias.iter_mut().find(|i| i.layer == layer && i.state != State::Done);
            let mut layer = Layer { skeleton, voices, sides: own, bytes };
            match inertia {
                Some(inertia) => {
                    put(below.take(), out);
                    layer.lay_with_inertia(inertia, scratch, out);
                }
                None => layer.lay_over(Which::Heard, 0.0, below.take(), scratch, out),
            }
        }
        put(below, out);
        self.remove_if(|voice| voice.is_outgoing);
        Ok(())
    }

    /// The voice that alone makes the pose, and its place, if it plays a clip: for a crowd, which samples it instead of mixing.
    pub(crate) fn lone_voice(&mut self) -> Option<(usize, &Voice)> {
        let (place, _) = only_part(&self.voices, &self.inertias)?;
        let voice = &mut self.voices[place];
        if matches!(voice.source, Source::Space { .. }) {
            return None;
        }
        voice.sides_held = 0;
        Some((place, voice))
    }
}

/// Takes over a pose where there is one.
fn put(pose: Option<&Pose>, out: &mut Pose) {
    if let Some(pose) = pose {
        out.copy_from(pose);
    }
}

/// The one clip that is heard, if it alone makes the pose.
fn only_part(voices: &[Voice], inertias: &[Inertia]) -> Option<(usize, usize)> {
    if inertias.iter().any(|inertia| inertia.state != State::Done) {
        return None;
    }
    let mut heard = (0..voices.len()).filter(|&voice| voices[voice].is_heard());
    let first = heard.next()?;
    let voice = &voices[first];
    let mut parts = voice.parts();
    let part = parts.next()?;
    let alone = heard.next().is_none()
        && parts.next().is_none()
        && voice.share * part.weight >= 1.0
        && voice.mask.is_none()
        && voice.is_override();
    alone.then_some((first, part.slot))
}

/// Which voices of a layer are meant.
#[derive(Clone, Copy, PartialEq)]
enum Which {
    Heard,
    /// Those that an inertial transition takes the place of.
    Outgoing,
}

struct Layer<'a> {
    skeleton: &'a Skeleton,
    voices: &'a mut [Voice],
    /// For each part of each voice a byte for each block.
    sides: &'a mut [u8],
    /// Of one voice.
    bytes: usize,
}

impl Layer<'_> {
    /// Lays the voices over what lies below, as they are so many seconds ago. That is `below`, or what `out` holds.
    fn lay_over(
        &mut self,
        which: Which,
        ago: f64,
        below: Option<&Pose>,
        scratch: &mut Scratch,
        out: &mut Pose,
    ) {
        let voices = &*self.voices;
        let counts = |voice: &&Voice| voice.counts(which == Which::Outgoing) && voice.is_override();
        let parts = voices.iter().filter(counts).map(|voice| voice.source.count()).sum();
        if parts < 2 {
            put(below, out);
        }
        let mut turn = Turn { number: 0, of: parts };
        for (voice, sides) in self.voices.iter_mut().zip(self.sides.chunks_mut(self.bytes.max(1))) {
            if !counts(&&*voice) {
                continue;
            }
            let mut held = voice.sides_held;
            for part in voice.parts() {
                voice.sample(&part, ago, self.skeleton, &mut scratch.mirrored, &mut scratch.voice);
                let blocks = self.bytes / MOST_PARTS;
                let bits = &mut sides[part.slot * blocks..(part.slot + 1) * blocks];
                let sides = Sides { bits, held: held >> part.slot & 1 == 1 };
                lay_part(voice, &part, sides, turn, below, scratch, out);
                held |= 1 << part.slot;
                turn.number += 1;
            }
            voice.sides_held = held;
        }
        for voice in self.voices.iter().filter(|voice| voice.counts(which == Which::Outgoing)) {
            let Layering::Additive(reference) = &voice.layering else { continue };
            for part in voice.parts() {
                voice.sample(&part, ago, self.skeleton, &mut scratch.mirrored, &mut scratch.voice);
                add(voice, &part, reference, scratch, out);
            }
        }
    }

    /// The same with the old motion going on over it.
    fn lay_with_inertia(&mut self, inertia: &mut Inertia, scratch: &mut Scratch, out: &mut Pose) {
        if inertia.state == State::Pending {
            // The old voices are looked at twice, now and a moment ago, over what lies below them now.
            let empty = || Pose::identity(0, 0);
            let mut now = std::mem::replace(&mut scratch.now, empty());
            let mut before = std::mem::replace(&mut scratch.before, empty());
            for (ago, pose) in [(0.0, &mut now), (STEP, &mut before)] {
                pose.copy_from(out);
                self.lay_over(Which::Outgoing, ago, None, scratch, pose);
                inertia.lay_interrupted(ago, &mut scratch.voice, pose);
            }
            inertia.capture(&before, &now);
            (scratch.now, scratch.before) = (now, before);
            self.cover(&mut inertia.coverage);
        }
        self.lay_over(Which::Heard, 0.0, None, scratch, out);
        inertia.lay_over(&mut scratch.voice, out);
    }

    /// Where any voice of the layer counts.
    fn cover(&self, out: &mut [Lanes]) {
        for voice in self.voices.iter() {
            for part in voice.parts() {
                for joint in 0..self.skeleton.len() {
                    let from = voice.mirror.as_ref().map_or(joint, |mirror| mirror.pair(joint as u16).into());
                    let coverage =
                        part.clip.coverage().get(from / LANES).map_or(0.0, |lanes| lanes.0[from % LANES]);
                    let masked = voice.mask.as_ref().map_or(1.0, |mask| mask.weight(joint as u16));
                    let lane = &mut out[joint / LANES].0[joint % LANES];
                    *lane = lane.max(if coverage * masked > 0.0 { 1.0 } else { 0.0 });
                }
            }
        }
    }
}

/// Where and how much a part counts.
fn share<'a>(voice: &'a Voice, part: &Part<'a>, mirrored: &'a mut [Lanes]) -> Share<'a> {
    let coverage = match &voice.mirror {
        None => part.clip.coverage(),
        Some(mirror) => {
            mirror.cover(part.clip.coverage(), mirrored);
            mirrored
        }
    };
    Share { weight: voice.share * part.weight, coverage, mask: voice.mask.as_ref().map(|mask| mask.lanes()) }
}

/// Which of the parts of a layer is laid.
#[derive(Clone, Copy)]
struct Turn {
    number: usize,
    of: usize,
}

impl Turn {
    fn is_alone(self) -> bool {
        self.of == 1
    }

    fn is_first(self) -> bool {
        self.number == 0
    }

    fn is_last(self) -> bool {
        self.number + 1 == self.of
    }
}

/// Lays one part over what lies below, or adds it to the sum of its layer, which the last one lays there.
fn lay_part(
    voice: &Voice,
    part: &Part<'_>,
    sides: Sides<'_>,
    turn: Turn,
    below: Option<&Pose>,
    scratch: &mut Scratch,
    out: &mut Pose,
) {
    let Scratch { voice: pose, sum, weights, coverage, .. } = scratch;
    let share = share(voice, part, coverage);
    if turn.is_alone() {
        dispatch(Over { voice: pose.blocks(), share, sides, out: out.blocks_mut() });
    } else {
        let ground = Ground { below: below.map(Pose::blocks), out: out.blocks_mut() };
        let (first, last, sum) = (turn.is_first(), turn.is_last(), sum.blocks_mut());
        dispatch(Accumulate { voice: pose.blocks(), share, sides, ground, first, last, sum, weights });
    }
    mix_scalars(voice, part, turn, below, scratch, out);
}

fn mix_scalars(
    voice: &Voice,
    part: &Part<'_>,
    turn: Turn,
    below: Option<&Pose>,
    scratch: &mut Scratch,
    out: &mut Pose,
) {
    let Scratch { voice: pose, sum, scalar_weights, .. } = scratch;
    for (scalar, &value) in pose.scalars().iter().enumerate() {
        let share = voice.scalar_share(part, scalar);
        let out = &mut out.scalars_mut()[scalar];
        if turn.is_alone() {
            *out = if share >= 1.0 { value } else { *out + (value - *out) * share };
            continue;
        }
        let (sum, total) = (&mut sum.scalars_mut()[scalar], &mut scalar_weights[scalar]);
        if turn.is_first() {
            (*sum, *total) = (0.0, 0.0);
        }
        *sum += value * share;
        *total += share;
        if turn.is_last() {
            let below = below.map_or(*out, |below| below.scalars()[scalar]);
            *out = if *total > 1.0 { *sum / *total } else { *sum + below * (1.0 - *total) };
        }
    }
}

fn add(voice: &Voice, part: &Part<'_>, reference: &Pose, scratch: &mut Scratch, out: &mut Pose) {
    let Scratch { voice: pose, coverage, .. } = scratch;
    if !pose.same_shape(reference) {
        // A reference of another skeleton: there is no difference from it.
        return;
    }
    let share = share(voice, part, coverage);
    dispatch(Add { voice: pose.blocks(), reference: reference.blocks(), share, out: out.blocks_mut() });
    let values = pose.scalars().iter().zip(reference.scalars());
    for (scalar, (below, (value, reference))) in out.scalars_mut().iter_mut().zip(values).enumerate() {
        *below += (value - reference) * voice.scalar_share(part, scalar);
    }
}
