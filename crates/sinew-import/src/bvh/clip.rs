//! Frames as tracks, and the file's own evaluation of them.

use super::hierarchy::{ChannelKind, Hierarchy, Node};
use super::motion::Motion;
use crate::decompose::Trs;
use crate::space::Conversion;
use crate::{Budget, Cause, SourceEvaluator};
use glam::{DQuat, DVec3, Quat, Vec3};
use sinew::{Clip, Interpolation, JointTracks, Key, Track, Transform};

/// What a file says about joints at a frame.
pub(super) struct Evaluator {
    pub(super) hierarchy: Hierarchy,
    pub(super) motion: Motion,
    pub(super) space: Conversion,
}

impl Evaluator {
    /// Rest of all joints: offsets and no rotation, or the pose of a frame.
    pub(super) fn rest(&self, frame: Option<usize>) -> Vec<Transform> {
        let nodes = self.hierarchy.nodes.iter();
        nodes.map(|node| self.local(node, frame).to_transform()).collect()
    }

    /// A joint's transform in a frame, in the space of the character; without a frame, as if all numbers were left out.
    fn local(&self, node: &Node, frame: Option<usize>) -> Trs {
        let mut local = Trs { translation: node.offset, ..Trs::IDENTITY };
        let numbers = frame.map(|frame| self.motion.frame(frame, node.first)).unwrap_or_default();
        for (channel, &number) in node.channels.iter().zip(numbers) {
            let number = f64::from(number);
            match channel.kind {
                ChannelKind::Position => set(&mut local.translation, channel.axis, number),
                ChannelKind::Rotation => local.rotation *= turn(channel.axis, number),
                ChannelKind::Scale => {}
            }
        }
        self.space.local(node.parent.is_none(), &local)
    }

    /// The frames as a clip; none for a file without frames.
    pub(super) fn clip(&self, name: &str, budget: &Budget<'_>) -> Result<Option<Clip>, Cause> {
        let frames = self.motion.frames();
        if frames == 0 {
            return Ok(None);
        }
        let mut joints = Vec::new();
        for (joint, node) in (0u16..).zip(&self.hierarchy.nodes) {
            let mut tracks = JointTracks::new(joint);
            if node.has(ChannelKind::Position) {
                let of = |local: Trs| local.translation.as_vec3();
                tracks.translation = Some(self.track::<Vec3>(joint, node, of, budget)?);
            }
            if node.has(ChannelKind::Rotation) {
                let of = |local: Trs| local.to_transform().rotation;
                tracks.rotation = Some(self.track::<Quat>(joint, node, of, budget)?);
            }
            if !tracks.is_empty() {
                joints.push(tracks);
            }
        }
        let duration = self.motion.time(frames - 1) as f32;
        Ok(Some(Clip::new(name, duration, joints, vec![])?))
    }

    /// A key for each frame; a value that never changes needs only one.
    fn track<T: Key>(
        &self,
        joint: u16,
        node: &Node,
        of: impl Fn(Trs) -> T,
        budget: &Budget<'_>,
    ) -> Result<Track<T>, Cause> {
        let value = |frame: usize| of(self.local(node, Some(frame)));
        let first = value(0);
        let numbers = |frame: usize| self.motion.frame(frame, node.first).get(..node.channels.len());
        let mut frames = self.motion.frames();
        budget.source_keys(frames as u64)?;
        if (1..frames).all(|frame| numbers(frame) == numbers(0) || value(frame) == first) {
            frames = 1;
        }
        budget.keys(frames as u64)?;
        let times = (0..frames).map(|frame| self.motion.time(frame) as f32).collect();
        let values = (0..frames).map(value).collect();
        let wrong = |error| Cause::Track { error, place: format!("joint {joint}") };
        Track::new(times, values, Interpolation::Linear).map_err(wrong)
    }
}

/// Evaluates frames, and between them what players show: straight lines and shortest arcs.
pub(super) struct Evaluated {
    evaluator: Evaluator,
    rest: Vec<Transform>,
}

impl Evaluated {
    pub(super) fn new(evaluator: Evaluator, rest: Vec<Transform>) -> Self {
        Self { evaluator, rest }
    }
}

impl SourceEvaluator for Evaluated {
    fn locals(&self, clip: usize, time: f64, out: &mut [Transform]) {
        let last = self.evaluator.motion.frames().checked_sub(1).filter(|_| clip == 0);
        let Some(last) = last else {
            out.iter_mut().zip(&self.rest).for_each(|(out, rest)| *out = *rest);
            return;
        };
        let place = (time / self.evaluator.motion.frame_time).clamp(0.0, last as f64);
        let (before, along) = (place as usize, place.fract());
        let after = (before + 1).min(last);
        for (node, out) in self.evaluator.hierarchy.nodes.iter().zip(out) {
            let [a, b] = [before, after].map(|frame| self.evaluator.local(node, Some(frame)));
            *out = a.between(&b, along).to_transform();
        }
    }

    fn scalars(&self, _: usize, _: f64, _: &mut [f32]) {}
}

fn set(vector: &mut DVec3, axis: usize, value: f64) {
    match axis {
        0 => vector.x = value,
        1 => vector.y = value,
        _ => vector.z = value,
    }
}

/// A rotation about an axis by degrees.
fn turn(axis: usize, degrees: f64) -> DQuat {
    let (sine, cosine) = libm::sincos(degrees.to_radians() * 0.5);
    let mut along = DVec3::ZERO;
    set(&mut along, axis, sine);
    DQuat::from_xyzw(along.x, along.y, along.z, cosine)
}
