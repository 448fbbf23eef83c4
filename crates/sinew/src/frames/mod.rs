//! Compiled clips: poses at even steps of time, a few bits for each number that moves.
//!
//! A seek costs the same anywhere, since every frame has the same length. `sinew-build` chooses rate and widths by the error that they make; what frames
//! cannot hold exactly (steps and jumps) stays as keys beside them.

mod moved;
mod read;

pub use moved::{Moved, Parts};

use crate::bundle::layout::ConstantRecord;
use crate::kernel::dispatch;
use crate::kernel::frames::{Between, Decode, DecodeLoose, DecodeOctet, Loose, Octet};
use crate::keys::Keys;
use crate::math::normalize;
use crate::pose::{JointBlock, LANES};
use crate::{Buffer, Bytes, Pose, Sampling, Skeleton, Transform};

pub use read::decode_clip;
pub(crate) use read::read;

/// Components of a joint in a block: translation, rotation, scale.
const COMPONENTS: usize = 10;

/// Fewest frames of a clip with cubics: one before the start, one behind the end, and two between.
pub(crate) const CUBIC_FEWEST: usize = 4;

/// Bytes behind the last frame that the decoder may read.
pub(crate) const SLACK: usize = 16;

/// A clip as frames at even steps of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Frames {
    /// Joints and scalars of the skeleton that it was made for.
    shape: (usize, usize),
    count: usize,
    rate: f64,
    stride: usize,
    cubic: bool,
    octets: Box<[Octet]>,
    loose: Box<[Loose]>,
    scalars: Box<[Loose]>,
    /// Numbers that have one value throughout.
    constants: Buffer<ConstantRecord>,
    /// Joints whose rotations are four loose numbers each.
    wide: Buffer<u16>,
    /// Steps and jumps.
    kept: Keys,
    moved: Moved,
    travel: Option<(u16, [f32; 2])>,
    data: Bytes,
    /// Everything behind the name of the clip in its section.
    body: Bytes,
}

impl Frames {
    /// Number of frames. With cubics, the first lies a step before the start of the clip, and the last a step behind its end.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Frames a second.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Bytes of one frame.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Whether values between frames follow a cubic through four frames instead of the shortest arc between two.
    pub fn is_cubic(&self) -> bool {
        self.cubic
    }

    /// Bits that a frame spends on a joint, by its share of the octets that it lies in.
    pub fn joint_bits(&self, joint: u16) -> usize {
        let octet = self.octets.get(usize::from(joint) / LANES);
        let rotation = octet.map_or(0, |octet| octet.widths.iter().map(|&w| usize::from(w)).sum());
        let (block, lane) = (usize::from(joint) / LANES, usize::from(joint) % LANES);
        let own = |target: &&u32| {
            let target = **target as usize;
            target / (COMPONENTS * LANES) == block && target % LANES == lane
        };
        let loose = |l: &Loose| l.targets.iter().filter(own).take(1).count() * usize::from(l.width);
        rotation + self.loose.iter().map(loose).sum::<usize>()
    }

    pub(crate) fn moved(&self) -> &Moved {
        &self.moved
    }

    /// The joint that travels, and the times of its first and last key.
    pub(crate) fn travel(&self) -> Option<(u16, [f32; 2])> {
        self.travel
    }

    /// Bytes that it takes in a bundle.
    pub(crate) fn bytes(&self) -> usize {
        self.body.len()
    }

    /// What follows the name of the clip in its section of a bundle.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// What is kept as keys: steps and jumps.
    pub fn kept(&self) -> &Keys {
        &self.kept
    }

    /// The local pose at a time; joints without frames are at rest. The caller has checked that the pose is of the skeleton that this was read for.
    pub(crate) fn sample(&self, skeleton: &Skeleton, time: f64, sampling: Sampling, out: &mut Pose) {
        let rest = skeleton.rest();
        let (out_blocks, out_scalars) = out.parts_mut();
        out_scalars.copy_from_slice(rest.scalars());
        dispatch(Decode {
            octets: &self.octets,
            loose: &self.loose,
            scalars: &self.scalars,
            between: self.between(time, sampling),
            rest: rest.blocks(),
            out: &mut *out_blocks,
            scalars_out: out_scalars,
        });
        for &joint in &self.wide {
            unit_rotation(out_blocks, joint.into());
        }
        let numbers: &mut [f32] = bytemuck::cast_slice_mut(out_blocks);
        for constant in &self.constants {
            numbers[constant.place()] = constant.value;
        }
        self.kept.apply(time, sampling, out);
    }

    /// The local transform of one joint at a time, from its own numbers alone.
    pub(crate) fn sample_joint(&self, skeleton: &Skeleton, joint: u16, time: f64) -> Transform {
        let (block, lane) = (usize::from(joint) / LANES, usize::from(joint) % LANES);
        let between = self.between(time, Sampling::Interpolate);
        let mut out = [skeleton.rest().blocks()[block]];
        if let Some(octet) = self.octets.get(block) {
            let at = self.octets.iter().take(block).map(Octet::bytes).sum();
            dispatch(DecodeOctet { octet, between: between.skip(at), out: &mut out[0].rotation });
        }
        let mut at = self.octets.iter().map(Octet::bytes).sum();
        let first = block * COMPONENTS * LANES;
        for loose in &self.loose {
            let own =
                |&target: &u32| (target as usize).checked_sub(first).filter(|&t| t < COMPONENTS * LANES);
            if loose.targets.iter().any(|target| own(target).is_some()) {
                let mut values = [0.0; LANES];
                dispatch(DecodeLoose { loose, between: between.skip(at), out: &mut values });
                let numbers: &mut [f32] = bytemuck::cast_slice_mut(&mut out);
                let targets = loose.targets.iter().zip(values);
                targets
                    .filter_map(|(t, value)| Some((own(t)?, value)))
                    .for_each(|(t, value)| numbers[t] = value);
            }
            at += usize::from(loose.width);
        }
        if self.wide.contains(&joint) {
            unit_rotation(&mut out, lane);
        }
        let numbers: &mut [f32] = bytemuck::cast_slice_mut(&mut out);
        let places =
            self.constants.iter().map(|constant| (constant.place().wrapping_sub(first), constant.value));
        for (place, value) in places.filter(|(place, _)| *place < COMPONENTS * LANES) {
            numbers[place] = value;
        }
        let transform = out[0].get(lane);
        self.kept.joint(joint).map_or(transform, |tracks| tracks.over(transform, time, Sampling::Interpolate))
    }

    /// Lowest and highest value that a scalar takes.
    pub(crate) fn scalar_range(&self, scalar: u16) -> Option<(f32, f32)> {
        let own = |l: &Loose| {
            let lane = l.targets.iter().position(|&target| target == u32::from(scalar))?;
            let highest = ((1u32 << l.width) - 1) as f32;
            // A cubic can pass its frames by an eighth of their distance on each side.
            let beyond = if self.cubic { l.step[lane] * highest * 0.25 } else { 0.0 };
            Some((l.low[lane] - beyond, l.low[lane] + l.step[lane] * highest + beyond))
        };
        self.scalars.iter().find_map(own)
    }

    /// The frames around a time.
    fn between(&self, time: f64, sampling: Sampling) -> Between<'_> {
        let last = self.steps();
        let place = time * self.rate;
        let place = if place > 0.0 { place.min(last as f64) } else { 0.0 };
        let first = (place as usize).min(last.saturating_sub(1));
        let t = if sampling == Sampling::Step && place < last as f64 {
            0.0
        } else {
            (place - first as f64) as f32
        };
        let data: &[u8] = &self.data;
        let frame = |index: usize| data.get(index * self.stride..).unwrap_or_default();
        if self.cubic {
            // The first frame lies before the clip, so that the one before the start is number `first`.
            return Between::Cubic([first, first + 1, first + 2, first + 3].map(frame), cubic_weights(t));
        }
        Between::Arc([frame(first), frame((first + 1).min(last))], t)
    }

    /// Steps from the start to the end: frames less one, and less those outside of the clip.
    fn steps(&self) -> usize {
        self.count - if self.cubic { CUBIC_FEWEST - 1 } else { 1 }
    }
}

/// Weights of four frames at `t` between the second and the third: the cubic through both whose slopes are those of their neighbours (Catmull-Rom).
fn cubic_weights(t: f32) -> [f32; 4] {
    [
        ((2.0 - t) * t - 1.0) * t * 0.5,
        ((3.0 * t - 5.0) * t * t + 2.0) * 0.5,
        ((4.0 - 3.0 * t) * t + 1.0) * t * 0.5,
        (t - 1.0) * t * t * 0.5,
    ]
}

fn unit_rotation(blocks: &mut [JointBlock], joint: usize) {
    let (block, lane) = (&mut blocks[joint / LANES], joint % LANES);
    let rotation = block.get(lane).rotation;
    block.set_rotation(lane, normalize(rotation.to_array()));
}

impl ConstantRecord {
    /// Where it is among the numbers of a pose's blocks.
    fn place(&self) -> usize {
        place(self.joint.into(), self.component.into())
    }
}

/// Where a component of a joint is among the numbers of a pose's blocks.
fn place(joint: usize, component: usize) -> usize {
    (joint / LANES * COMPONENTS + component) * LANES + joint % LANES
}

impl Octet {
    /// Bytes in a frame: eight numbers of b bits are b bytes.
    fn bytes(&self) -> usize {
        self.widths.iter().map(|&width| usize::from(width)).sum()
    }
}

impl<'a> Between<'a> {
    /// The same frames without their first bytes.
    fn skip(self, bytes: usize) -> Self {
        let cut = |frame: &'a [u8]| frame.get(bytes..).unwrap_or_default();
        match self {
            Self::Arc(frames, t) => Self::Arc(frames.map(cut), t),
            Self::Cubic(frames, weights) => Self::Cubic(frames.map(cut), weights),
        }
    }
}

#[cfg(test)]
mod tests;
mod to_keys;
