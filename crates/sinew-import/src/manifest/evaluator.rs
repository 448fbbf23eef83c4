//! Evaluates the clips of a manifest by their files' own evaluators; a file is parsed again when it is first evaluated.

use super::clip_file::{ClipFile, Truth};
use crate::SourceEvaluator;
use sinew::{Pose, Transform};
use std::sync::{Arc, OnceLock};

/// The file that a clip is evaluated from.
pub(super) enum Backing {
    /// A file of its own.
    File(Arc<ClipFile>, Box<OnceLock<Option<Truth>>>),
    /// The model's file, and the clip's index in it.
    Model(usize),
}

/// Evaluates the clips of a manifest by the files that they are in. A clip that cannot be read gives the rest pose.
pub(super) struct ManifestEvaluator {
    pub(super) model: Box<dyn SourceEvaluator>,
    pub(super) rest: Pose,
    pub(super) clips: Vec<Backing>,
}

impl SourceEvaluator for ManifestEvaluator {
    fn locals(&self, clip: usize, time: f64, out: &mut [Transform]) {
        for (out, rest) in out.iter_mut().zip(self.rest.iter()) {
            *out = rest;
        }
        match self.clips.get(clip) {
            Some(Backing::Model(index)) => self.model.locals(*index, time, out),
            Some(Backing::File(file, truth)) => {
                if let Some(truth) = truth.get_or_init(|| file.truth()) {
                    truth.locals(time, out);
                }
            }
            None => {}
        }
    }

    fn scalars(&self, clip: usize, time: f64, out: &mut [f32]) {
        for (out, rest) in out.iter_mut().zip(self.rest.scalars()) {
            *out = *rest;
        }
        match self.clips.get(clip) {
            Some(Backing::Model(index)) => self.model.scalars(*index, time, out),
            Some(Backing::File(file, truth)) => {
                if let Some(truth) = truth.get_or_init(|| file.truth()) {
                    truth.scalars(time, out);
                }
            }
            None => {}
        }
    }
}
