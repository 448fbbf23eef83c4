//! Where joints are in frames.

use glam::{DAffine3, DQuat, DVec3};
use sinew::{Character, Clip, JobError, Pose, Skeleton, Transform};

/// A joint as BVH has it: where it is seen from its parent, and how it is turned, both relative to the parent's turn from its rest.
#[derive(Clone, Copy)]
pub(super) struct Local {
    /// Centimetres.
    pub(super) place: DVec3,
    pub(super) turn: DQuat,
}

/// The joints at rest.
pub(super) struct Figure<'a> {
    pub(super) skeleton: &'a Skeleton,
    /// Centimetres to a unit.
    unit: f64,
    /// Model rotations at rest.
    rest: Vec<DQuat>,
}

impl<'a> Figure<'a> {
    pub(super) fn new(character: &'a Character) -> Self {
        let skeleton = &**character.skeleton();
        let unit = f64::from(character.space().unit_meters) * 100.0;
        let rest = rotations(skeleton, skeleton.rest());
        Self { skeleton, unit, rest }
    }

    /// All joints of a pose.
    pub(super) fn locals(&self, pose: &Pose) -> Vec<Local> {
        let rotations = rotations(self.skeleton, pose);
        let turns: Vec<DQuat> = rotations
            .iter()
            .zip(&self.rest)
            .map(|(now, rest)| (*now * rest.conjugate()).normalize())
            .collect();
        let mut models: Vec<DAffine3> = Vec::with_capacity(turns.len());
        let mut locals = Vec::with_capacity(turns.len());
        for (joint, local) in (0u16..).zip(pose.iter()) {
            let parent = self.skeleton.parent(joint).map(usize::from);
            let above = parent.map_or(DAffine3::IDENTITY, |parent| models[parent]);
            let model = above * matrix(&local);
            let back = parent.map_or(DQuat::IDENTITY, |parent| turns[parent].conjugate());
            let place = back * (model.translation - above.translation) * self.unit;
            locals.push(Local { place, turn: (back * turns[usize::from(joint)]).normalize() });
            models.push(model);
        }
        locals
    }

    /// All joints in a frame of a clip, or at rest.
    pub(super) fn frame(&self, clip: Option<&Clip>, time: f64) -> Result<Vec<Local>, JobError> {
        match clip {
            Some(clip) => Ok(self.locals(&Pose::of_clip(self.skeleton, clip, time)?)),
            None => Ok(self.locals(self.skeleton.rest())),
        }
    }
}

/// Model rotations of all joints.
pub(crate) fn rotations(skeleton: &Skeleton, pose: &Pose) -> Vec<DQuat> {
    let mut rotations: Vec<DQuat> = Vec::with_capacity(skeleton.len());
    for (joint, local) in (0u16..).zip(pose.iter()) {
        let above = skeleton.parent(joint).map_or(DQuat::IDENTITY, |parent| rotations[usize::from(parent)]);
        rotations.push((above * local.rotation.as_dquat()).normalize());
    }
    rotations
}

/// A local transform in double precision.
pub(crate) fn matrix(local: &Transform) -> DAffine3 {
    let (scale, rotation) = (local.scale.as_dvec3(), local.rotation.as_dquat().normalize());
    DAffine3::from_scale_rotation_translation(scale, rotation, local.translation.as_dvec3())
}
