//! Evaluates every joint at any time with ufbx's own evaluation, or often.

use super::animation::Take;
use super::morph;
use super::plain::PlainNodes;
use super::rig::{Moment, Parts, Rig};
use crate::{Evaluate, SourceEvaluator};
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

    fn locals_at(&self, moment: Option<Moment<'_>>, out: &mut [Transform]) {
        for (joint, out) in self.rig.joints.iter().zip(out) {
            let local = moment.map(|moment| self.rig.local(joint, &moment));
            *out = local.filter(|l| l.is_finite()).unwrap_or(joint.rest).to_transform();
        }
    }
}

impl SourceEvaluator for Evaluator {
    fn locals(&self, clip: usize, time: f64, out: &mut [Transform]) {
        self.locals_at(self.moment(clip, time), out);
    }

    fn often(&self, clip: usize) -> Evaluate<'_> {
        let anim = self.moment(clip, 0.0).and_then(|moment| moment.anim);
        let nodes = self.rig.joints.iter().map(|joint| joint.node);
        let plain = anim.map(|anim| PlainNodes::among(&self.rig.scene, anim, nodes));
        Box::new(move |time, out| {
            let moment = self.moment(clip, time).zip(plain.as_ref());
            self.locals_at(moment.map(|(moment, plain)| moment.with(plain)), out);
        })
    }

    fn scalars(&self, clip: usize, time: f64, out: &mut [f32]) {
        let moment = self.moment(clip, time);
        for (scalar, out) in self.rig.scalars.iter().zip(out) {
            let value = moment.and_then(|m| morph::weight(&self.rig.scene, scalar, m.anim?, m.time));
            *out = value.unwrap_or(scalar.rest) as f32;
        }
    }
}
