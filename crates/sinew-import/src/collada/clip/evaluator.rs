//! Evaluates a document's curves at any time.

use super::super::curve::Curve;
use super::super::motion::Motion;
use super::super::stack::decompose_quickly;
use crate::SourceEvaluator;
use crate::decompose::Trs;
use crate::resample::Side;
use crate::space::Conversion;
use glam::{DAffine3, DQuat};
use sinew::Transform;
use std::sync::Arc;

/// A joint that moves.
pub(super) struct JointMotion {
    pub(super) joint: u16,
    pub(super) is_root: bool,
    /// Rotation that a helper below holds, if the rest is sheared.
    pub(super) inner: Option<DQuat>,
    pub(super) motion: Motion,
}

impl JointMotion {
    /// Local transform at a time of the document, in the character's space.
    pub(super) fn sample(&self, conversion: &Conversion, time: f64, side: Side) -> Trs {
        let mut trs = self.motion.sample(time, side);
        if let Some(inner) = self.inner {
            trs = decompose_quickly(&(trs.to_affine() * DAffine3::from_quat(inner.inverse()))).trs;
        }
        conversion.local(self.is_root, &trs)
    }
}

/// A weight that moves.
pub(super) struct WeightMotion {
    pub(super) scalar: u16,
    pub(super) curve: Arc<Curve>,
    pub(super) number: usize,
}

impl WeightMotion {
    pub(super) fn sample(&self, time: f64, side: Side) -> f64 {
        self.curve.sample(self.number, time, side)
    }
}

/// All that moves in one clip.
pub(super) struct ClipMotion {
    pub(super) start: f64,
    pub(super) joints: Vec<JointMotion>,
    pub(super) weights: Vec<WeightMotion>,
}

/// Evaluates the clips of a document.
pub(super) struct Evaluator {
    pub(super) conversion: Conversion,
    pub(super) rest: Vec<Trs>,
    pub(super) scalars: Vec<f32>,
    pub(super) clips: Vec<ClipMotion>,
}

impl SourceEvaluator for Evaluator {
    fn locals(&self, clip: usize, time: f64, out: &mut [Transform]) {
        for (slot, rest) in out.iter_mut().zip(&self.rest) {
            *slot = rest.to_transform();
        }
        let Some(clip) = self.clips.get(clip) else { return };
        for joint in &clip.joints {
            if let Some(slot) = out.get_mut(usize::from(joint.joint)) {
                *slot = joint.sample(&self.conversion, clip.start + time, Side::After).to_transform();
            }
        }
    }

    fn scalars(&self, clip: usize, time: f64, out: &mut [f32]) {
        for (slot, rest) in out.iter_mut().zip(&self.scalars) {
            *slot = *rest;
        }
        let Some(clip) = self.clips.get(clip) else { return };
        for weight in &clip.weights {
            if let Some(slot) = out.get_mut(usize::from(weight.scalar)) {
                *slot = weight.sample(clip.start + time, Side::After) as f32;
            }
        }
    }
}
