//! Evaluates every joint at any time with ufbx's own evaluation, or often.

use super::animation::Take;
use super::morph;
use super::plain::PlainNodes;
use super::rig::{Moment, Parts, Rig};
use crate::{Evaluate, SourceEvaluator};
use sinew::Transform;
use std::sync::{Arc, OnceLock};

pub(super) struct Evaluator {
    rig: Arc<Rig>,
    clips: Vec<EvaluatedClip>,
}

struct EvaluatedClip {
    stack: usize,
    begin: f64,
    /// Of the joints, from when it is first evaluated often: preparing them takes as long as evaluating them tens of times.
    plain: OnceLock<PlainNodes>,
}

impl Evaluator {
    pub(super) fn new(rig: Arc<Rig>, takes: &[Take]) -> Self {
        let clip = |take: &Take| EvaluatedClip {
            stack: take.stack,
            begin: take.range.begin,
            plain: OnceLock::new(),
        };
        Self { rig, clips: takes.iter().map(clip).collect() }
    }

    fn moment(&self, clip: usize, time: f64) -> Option<Moment<'_>> {
        let clip = self.clips.get(clip)?;
        let anim = &self.rig.scene.anim_stacks.get(clip.stack)?.anim;
        Some(self.rig.moment(anim, clip.begin + time, Parts::ALL))
    }

    fn plain(&self, clip: usize) -> Option<&PlainNodes> {
        let clip = self.clips.get(clip)?;
        let anim = &self.rig.scene.anim_stacks.get(clip.stack)?.anim;
        let nodes = self.rig.joints.iter().map(|joint| joint.node);
        Some(clip.plain.get_or_init(|| PlainNodes::among(&self.rig.scene, anim, nodes)))
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
        let plain = self.plain(clip);
        Box::new(move |time, out| {
            let moment = self.moment(clip, time).zip(plain);
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
