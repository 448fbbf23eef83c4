//! A clip sampled in even steps.

use super::rest::RestPose;
use crate::criteria::SAMPLES;
use glam::Quat;
use sinew::{Clip, Mat3x4, Sampling, Transform, job};

/// No more frames than this are sampled: two minutes at thirty a second.
const MOST_FRAMES: f64 = 3600.0;

/// One sample of a clip.
pub(super) struct Frame {
    /// Local transforms.
    pub(super) locals: Vec<Transform>,
    /// Model matrices.
    pub(super) models: Vec<Mat3x4>,
    /// Scalars.
    pub(super) scalars: Vec<f32>,
}

/// The frames of a clip, the first at its start and the last at its end. There is at least one.
pub(super) struct SampledClip {
    frames: Vec<Frame>,
    /// Seconds from one frame to the next.
    pub(super) step: f64,
}

impl SampledClip {
    /// Samples a clip on a character; `None` if it does not fit.
    pub(super) fn of(at_rest: &RestPose<'_>, clip: &Clip) -> Option<Self> {
        let duration = f64::from(clip.duration());
        let steps = (duration * SAMPLES.value).ceil().clamp(1.0, MOST_FRAMES) as u32;
        let count = if duration > 0.0 { steps } else { 0 };
        let sample = |i: u32| Frame::at(at_rest, clip, duration * f64::from(i) / f64::from(steps));
        let frames = (0..=count).map(sample).collect::<Option<Vec<_>>>()?;
        Some(Self { frames, step: duration / f64::from(steps) })
    }

    pub(super) fn frames(&self) -> &[Frame] {
        &self.frames
    }

    pub(super) fn first(&self) -> &Frame {
        &self.frames[0]
    }

    pub(super) fn last(&self) -> &Frame {
        &self.frames[self.frames.len() - 1]
    }

    /// Local rotation of one joint, frame by frame.
    pub(super) fn rotations(&self, joint: u16) -> Vec<Quat> {
        self.frames.iter().map(|frame| frame.locals[usize::from(joint)].rotation).collect()
    }
}

impl Frame {
    fn at(at_rest: &RestPose<'_>, clip: &Clip, time: f64) -> Option<Self> {
        let skeleton = at_rest.skeleton();
        let mut pose = skeleton.rest().clone();
        let mut models = vec![Mat3x4::IDENTITY; skeleton.len()];
        job::sample(skeleton, clip, time, Sampling::Interpolate, &mut pose).ok()?;
        job::local_to_model(skeleton.hierarchy(), pose.blocks(), &Mat3x4::IDENTITY, &mut models).ok()?;
        let locals = (0..skeleton.len()).map(|joint| pose.get(joint)).collect();
        Some(Self { locals, models, scalars: pose.scalars().to_vec() })
    }
}

/// Angle between two rotations in degrees, exact for small ones too.
pub(super) fn angle(a: Quat, b: Quat) -> f64 {
    let d = (a.as_dquat().inverse() * b.as_dquat()).normalize();
    2.0 * libm::atan2(d.xyz().length(), d.w.abs()).to_degrees()
}
