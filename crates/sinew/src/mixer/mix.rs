//! The local pose of all voices: layer over layer, from the rest up.

use super::inertia::{Inertia, STEP, State};
use super::options::Layering;
use super::source::{MOST_PARTS, Part, Source};
use super::voice::Voice;
use super::{Mixer, Scratch};
use crate::job::exactly;
use crate::kernel::dispatch;
use crate::kernel::layer::{Accumulate, Add, Over, Settle, Share, Sides};
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
        out.copy_from(rest);
        let bytes = MOST_PARTS * rest.blocks().len();
        let mut sides = &mut self.sides[..];
        for voices in self.voices.chunk_by_mut(|a, b| a.layer == b.layer) {
            let (own, others) = sides.split_at_mut(voices.len() * bytes);
            sides = others;
            let layer = voices[0].layer;
            let inertia = self.inertias.iter_mut().find(|i| i.layer == layer && i.state != State::Done);
            let mut layer = Layer { skeleton, voices, sides: own, bytes };
            match inertia {
                Some(inertia) => layer.lay_with_inertia(inertia, scratch, out),
                None => layer.lay_over(Which::Heard, 0.0, scratch, out),
            }
        }
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
    /// Lays the voices over what lies below, as they are so many seconds ago.
    fn lay_over(&mut self, which: Which, ago: f64, scratch: &mut Scratch, out: &mut Pose) {
        let voices = &*self.voices;
        let counts = |voice: &&Voice| voice.counts(which == Which::Outgoing) && voice.is_override();
        let together = voices.iter().filter(counts).flat_map(Voice::parts).take(2).count() > 1;
        let mut first = true;
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
                lay_part(voice, &part, sides, (together, first), scratch, out);
                held |= 1 << part.slot;
                first = false;
            }
            voice.sides_held = held;
        }
        if together {
            settle(scratch, out);
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
                self.lay_over(Which::Outgoing, ago, scratch, pose);
                inertia.lay_interrupted(ago, &mut scratch.voice, pose);
            }
            inertia.capture(&before, &now);
            (scratch.now, scratch.before) = (now, before);
            self.cover(&mut inertia.coverage);
        }
        self.lay_over(Which::Heard, 0.0, scratch, out);
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

/// Lays one part over what lies below, or adds it to the sum of its layer.
fn lay_part(
    voice: &Voice,
    part: &Part<'_>,
    sides: Sides<'_>,
    (together, first): (bool, bool),
    scratch: &mut Scratch,
    out: &mut Pose,
) {
    let Scratch { voice: pose, sum, weights, coverage, .. } = scratch;
    let share = share(voice, part, coverage);
    if together {
        let (below, sum) = (out.blocks(), sum.blocks_mut());
        dispatch(Accumulate { voice: pose.blocks(), share, sides, below, first, sum, weights });
    } else {
        dispatch(Over { voice: pose.blocks(), share, sides, out: out.blocks_mut() });
    }
    mix_scalars(voice, part, (together, first), scratch, out);
}

fn mix_scalars(
    voice: &Voice,
    part: &Part<'_>,
    (together, first): (bool, bool),
    scratch: &mut Scratch,
    out: &mut Pose,
) {
    let Scratch { voice: pose, sum, scalar_weights, .. } = scratch;
    for (scalar, &value) in pose.scalars().iter().enumerate() {
        let share = voice.scalar_share(part, scalar);
        if together {
            let (sum, total) = (&mut sum.scalars_mut()[scalar], &mut scalar_weights[scalar]);
            if first {
                (*sum, *total) = (0.0, 0.0);
            }
            *sum += value * share;
            *total += share;
        } else {
            let below = &mut out.scalars_mut()[scalar];
            *below = if share >= 1.0 { value } else { *below + (value - *below) * share };
        }
    }
}

fn settle(scratch: &Scratch, out: &mut Pose) {
    let (sum, weights) = (scratch.sum.blocks(), &scratch.weights[..]);
    dispatch(Settle { sum, weights, out: out.blocks_mut() });
    let sums = scratch.sum.scalars().iter().zip(&scratch.scalar_weights);
    for (below, (&sum, &total)) in out.scalars_mut().iter_mut().zip(sums) {
        *below = if total > 1.0 { sum / total } else { sum + *below * (1.0 - total) };
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
