//! Evaluates the file's samplers at any time, in double precision.

use super::animation::Animation;
use super::rig::Rig;
use crate::SourceEvaluator;
use crate::resample::Side;
use sinew::Transform;
use std::sync::Arc;

pub(super) struct Evaluator {
    pub(super) rig: Arc<Rig>,
    /// In the order of the character's clips.
    pub(super) animations: Vec<Animation>,
}

impl SourceEvaluator for Evaluator {
    fn locals(&self, clip: usize, time: f64, out: &mut [Transform]) {
        let animation = self.animations.get(clip);
        for ((joint, rest), out) in (0u16..).zip(&self.rig.rest).zip(out) {
            let channels = animation.and_then(|animation| animation.joint(joint));
            let local = channels.map_or(*rest, |channels| channels.at(time, Side::After, rest));
            *out = local.to_transform();
        }
    }

    fn scalars(&self, clip: usize, time: f64, out: &mut [f32]) {
        for (scalar, out) in self.rig.scalars.iter().zip(&mut *out) {
            *out = scalar.rest;
        }
        for channel in self.animations.get(clip).iter().flat_map(|animation| &animation.weights) {
            for weight in 0..channel.sampler.width {
                if let Some(out) = out.get_mut(usize::from(channel.first_scalar) + weight) {
                    *out = channel.sampler.weight(weight, time, Side::After) as f32;
                }
            }
        }
    }
}
