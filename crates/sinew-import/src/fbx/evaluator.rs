//! Evaluates every joint at any time with ufbx's own evaluation, or often.

use super::animation::Take;
use super::morph;
use super::plain::{Halves, MOST_BYTES, Plain, PlainNodes};
use super::rig::{Moment, Parts, Rig, RigJoint};
use crate::decompose::Trs;
use crate::{Evaluate, SourceEvaluator};
use glam::DVec3;
use sinew::Transform;
use std::cell::RefCell;
use std::sync::{Arc, OnceLock};
use ufbx::Node;

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
        // All clips together, since they are kept.
        let bytes = MOST_BYTES / self.clips.len() as u64;
        Some(clip.plain.get_or_init(|| PlainNodes::among(&self.rig.scene, anim, nodes, bytes)))
    }

    fn locals_at(&self, moment: Option<Moment<'_>>, out: &mut [Transform]) {
        for (joint, out) in self.rig.joints.iter().zip(out) {
            *out = finite(moment.map_or(joint.rest, |moment| self.rig.local(joint, &moment)), joint);
        }
    }
}

/// A transform of a joint, or its rest if that is no number.
#[inline(always)]
fn finite(local: Trs, joint: &RigJoint) -> Transform {
    if local.is_finite() { local } else { joint.rest }.to_transform()
}

impl SourceEvaluator for Evaluator {
    fn locals(&self, clip: usize, time: f64, out: &mut [Transform]) {
        self.locals_at(self.moment(clip, time), out);
    }

    fn often(&self, clip: usize) -> Evaluate<'_> {
        let Some(plain) = self.plain(clip) else {
            return Box::new(move |time, out| self.locals(clip, time, out));
        };
        let (direct, halves) = (self.rig.direct(plain), RefCell::new(Halves::default()));
        Box::new(move |time, out| {
            let Some(moment) = self.moment(clip, time) else { return };
            let mut halves = halves.borrow_mut();
            let angles = |node: &Option<(&Node, &Plain)>| {
                node.map_or(DVec3::ZERO, |(node, plain)| plain.angles(node, moment.time))
            };
            halves.find(direct.iter().map(angles));
            let joints = self.rig.joints.iter().zip(&direct).zip(halves.iter());
            for (((joint, direct), halves), out) in joints.zip(out) {
                let local = match direct {
                    Some((node, plain)) => {
                        let own = plain.with_halves(node, moment.time, halves);
                        self.rig.conversion.local(joint.parent.is_none(), &own)
                    }
                    None => self.rig.local(joint, &moment.with(plain)),
                };
                *out = finite(local, joint);
            }
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
