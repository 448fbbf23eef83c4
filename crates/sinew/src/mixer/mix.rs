//! The local pose of all voices: layer over layer, from the rest up.

use super::voice::{Layering, Voice};
use super::{Mixer, Scratch};
use crate::job::exactly;
use crate::kernel::dispatch;
use crate::kernel::layer::{Accumulate, Add, Over, Settle, Sides};
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
        if let Some(place) = self.alone() {
            let alone = &mut self.voices[place];
            alone.sides_held = false;
            alone.sample(skeleton, out);
            return Ok(());
        }
        out.copy_from(rest);
        let blocks = rest.blocks().len();
        let layers = self.voices.chunk_by_mut(|a, b| a.layer == b.layer);
        let mut sides = &mut self.sides[..];
        for layer in layers {
            let (own, others) = sides.split_at_mut(layer.len() * blocks);
            sides = others;
            Layer { skeleton, voices: layer, sides: own, blocks }.lay_over(scratch, out);
        }
        Ok(())
    }

    /// The place of the one voice that is heard, if it alone makes the pose.
    fn alone(&self) -> Option<usize> {
        let mut heard = self.voices.iter().enumerate().filter(|(_, voice)| voice.share > 0.0);
        let (place, first) = heard.next()?;
        let alone =
            heard.next().is_none() && first.share >= 1.0 && first.mask.is_none() && first.is_override();
        alone.then_some(place)
    }

    /// The voice that alone makes the pose, and its place, for a crowd that samples it instead of mixing.
    pub(crate) fn lone_voice(&mut self) -> Option<(usize, &Voice)> {
        let place = self.alone()?;
        let voice = &mut self.voices[place];
        voice.sides_held = false;
        Some((place, voice))
    }
}

struct Layer<'a> {
    skeleton: &'a Skeleton,
    voices: &'a mut [Voice],
    /// For each voice a byte for each block.
    sides: &'a mut [u8],
    blocks: usize,
}

impl Layer<'_> {
    fn lay_over(self, scratch: &mut Scratch, out: &mut Pose) {
        let is_heard = |voice: &&Voice| voice.share > 0.0 && voice.is_override();
        let together = self.voices.iter().filter(is_heard).count() > 1;
        let mut first = true;
        for (voice, bits) in self.voices.iter_mut().zip(self.sides.chunks_mut(self.blocks.max(1))) {
            if !(voice.share > 0.0 && voice.is_override()) {
                continue;
            }
            voice.sample(self.skeleton, &mut scratch.voice);
            let sides = Sides { bits, held: voice.sides_held };
            if together {
                accumulate(voice, sides, first, scratch, out);
            } else {
                let (share, voice) = (voice.shares(), scratch.voice.blocks());
                dispatch(Over { voice, share, sides, out: out.blocks_mut() });
            }
            mix_scalars(voice, first, together, scratch, out);
            voice.sides_held = true;
            first = false;
        }
        if together {
            settle(scratch, out);
        }
        for voice in self.voices.iter().filter(|voice| voice.share > 0.0) {
            if let Layering::Additive(reference) = &voice.layering {
                voice.sample(self.skeleton, &mut scratch.voice);
                add(voice, reference, scratch, out);
            }
        }
    }
}

fn accumulate(voice: &Voice, sides: Sides<'_>, first: bool, scratch: &mut Scratch, below: &Pose) {
    let (pose, sum, weights) = scratch.parts();
    let (share, voice, below) = (voice.shares(), pose.blocks(), below.blocks());
    dispatch(Accumulate { voice, share, sides, below, first, sum, weights });
}

fn mix_scalars(voice: &Voice, first: bool, together: bool, scratch: &mut Scratch, out: &mut Pose) {
    let Scratch { voice: pose, sum, scalar_weights, .. } = scratch;
    for (scalar, &value) in pose.scalars().iter().enumerate() {
        let share = voice.scalar_share(scalar);
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

fn add(voice: &Voice, reference: &Pose, scratch: &mut Scratch, out: &mut Pose) {
    let pose = &scratch.voice;
    if !pose.same_shape(reference) {
        // A reference of another skeleton: there is no difference from it.
        return;
    }
    let (voice_blocks, share) = (pose.blocks(), voice.shares());
    dispatch(Add { voice: voice_blocks, reference: reference.blocks(), share, out: out.blocks_mut() });
    let values = pose.scalars().iter().zip(reference.scalars());
    for (scalar, (below, (value, reference))) in out.scalars_mut().iter_mut().zip(values).enumerate() {
        *below += (value - reference) * voice.scalar_share(scalar);
    }
}
