//! Evaluates every joint at any time with ufbx's own evaluation.

use super::animation::Take;
use super::morph;
use super::rig::{Moment, Parts, Rig};
use crate::SourceEvaluator;
use sinew::Transform;
use std::sync::Arc;

pub(super) struct Evaluator {
    rig: Arc<Rig>,
    /// Stack and begin of each clip.
    clips: Vec<(usize, f64)>,
}

impl Evaluator {
    pub(super) fn new(rig: Arc<Rig>, takes: &[Take]) -> Self {
        Self { rig, clips: takes.iter().map(|take| (take.stack, take.range.begin)).collect() }
    }

    fn moment(&self, clip: usize, time: f64) -> Option<Moment<'_>> {
        let (stack, begin) = *self.clips.get(clip)?;
        let anim = &self.rig.scene.anim_stacks.get(stack)?.anim;
        Some(self.rig.moment(anim, begin + time, Parts::ALL))
    }
}

impl SourceEvaluator for Evaluator {
    fn locals(&self, clip: usize, time: f64, out: &mut [Transform]) {
        let moment = self.moment(clip, time);
        for (joint, out) in self.rig.joints.iter().zip(out) {
            let local = moment.map(|moment| self.rig.local(joint, &moment));
            *out = local.filter(|l| l.is_finite()).unwrap_or(joint.rest).to_transform();
        }
    }

    fn scalars(&self, clip: usize, time: f64, out: &mut [f32]) {
        let moment = self.moment(clip, time);
        for (scalar, out) in self.rig.scalars.iter().zip(out) {
            let value = moment.and_then(|m| morph::weight(&self.rig.scene, scalar, m.anim?, m.time));
            *out = value.unwrap_or(scalar.rest) as f32;
        }
    }
}
