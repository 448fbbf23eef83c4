//! Retargeting a pose each frame.

use crate::{Retarget, Shift};
use glam::Quat;
use sinew::{JobError, Mat3x4, Pose};
use std::sync::Arc;

/// Carries poses of one character over to another, one a frame, without allocating.
///
/// ```
/// # fn demo(source: &sinew::Character, target: &sinew::Character) -> Result<(), Box<dyn std::error::Error>> {
/// use sinew_retarget::{LiveRetarget, Retarget};
///
/// let (retarget, _findings) = Retarget::new(source, target, &sinew::BoneMap::default())?;
/// let mut live = LiveRetarget::new(retarget);
/// let mut pose = target.skeleton().rest().clone();
/// live.apply(source.skeleton().rest(), &mut pose)?;    // each frame
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct LiveRetarget {
    retarget: Arc<Retarget>,
    turns: Vec<Quat>,
    models: Vec<Mat3x4>,
}

impl LiveRetarget {
    /// Scratch space for one thread.
    pub fn new(retarget: impl Into<Arc<Retarget>>) -> Self {
        let retarget = retarget.into();
        let turns = vec![Quat::IDENTITY; retarget.source().len() + retarget.target().len()];
        let models = vec![Mat3x4::IDENTITY; retarget.target().len()];
        Self { retarget, turns, models }
    }

    /// What it carries over.
    pub fn retarget(&self) -> &Arc<Retarget> {
        &self.retarget
    }

    /// Writes the target's pose for a pose of the source.
    ///
    /// Fails if a pose is not of its skeleton's shape.
    pub fn apply(&mut self, source: &Pose, target: &mut Pose) -> Result<(), JobError> {
        let (from, to) = (self.retarget.source(), self.retarget.target());
        exactly("source.joints", from.len(), source.len())?;
        exactly("source.scalars", from.rest().scalars().len(), source.scalars().len())?;
        exactly("target.joints", to.len(), target.len())?;
        exactly("target.scalars", to.rest().scalars().len(), target.scalars().len())?;
        self.retarget.apply(source, &mut self.turns, target);
        Ok(())
    }

    /// The same, with hips, feet and hands moved. Arms and legs are bent so that they reach; feet and hands are turned as without.
    ///
    /// Fails also if the shift is not finite.
    pub fn apply_shifted(&mut self, source: &Pose, shift: &Shift, target: &mut Pose) -> Result<(), JobError> {
        self.apply(source, target)?;
        if !shift.hips.is_finite() {
            return Err(JobError::NotFinite { field: "shift.hips" });
        }
        self.retarget.shift(source, shift, &mut self.models, target)
    }
}

fn exactly(field: &'static str, needed: usize, got: usize) -> Result<(), JobError> {
    if got == needed { Ok(()) } else { Err(JobError::Mismatch { field, needed, got }) }
}
