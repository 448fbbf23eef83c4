//! What the jobs work on.

use super::rotation;
use crate::{Hierarchy, JobError, Mat3x4, NO_JOINT, Pose, job};
use glam::{Affine3, Mat3, Quat, Vec3};

/// A local pose and its model matrices, which follow whatever a job changes.
///
/// [`Instance::posed`](crate::Instance::posed) lends one.
#[derive(Debug)]
pub struct Posed<'a> {
    hierarchy: &'a Hierarchy,
    pose: &'a mut Pose,
    root: Mat3x4,
    model: &'a mut [Mat3x4],
}

impl<'a> Posed<'a> {
    /// Computes the model matrices of a pose under a root transform.
    ///
    /// Fails if pose or matrices are not of the hierarchy's length.
    pub fn new(
        hierarchy: &'a Hierarchy,
        pose: &'a mut Pose,
        root: &Mat3x4,
        model: &'a mut [Mat3x4],
    ) -> Result<Self, JobError> {
        job::exactly("pose", hierarchy.len(), pose.len())?;
        job::exactly("model", hierarchy.len(), model.len())?;
        job::local_to_model(hierarchy, pose.blocks(), root, model)?;
        Ok(Self { hierarchy, pose, root: *root, model })
    }

    /// Local transforms.
    pub fn pose(&self) -> &Pose {
        self.pose
    }

    /// Model matrices by joint.
    pub fn model(&self) -> &[Mat3x4] {
        self.model
    }

    /// Where a joint is.
    pub(super) fn place(&self, joint: u16) -> Vec3 {
        self.model[usize::from(joint)].translation()
    }

    /// A point of the level ground that clips are made on.
    pub(super) fn ground(&self) -> Vec3 {
        self.root.translation()
    }

    pub(super) fn parent(&self, joint: u16) -> u16 {
        self.hierarchy.parents()[usize::from(joint)]
    }

    /// The space in which a joint's local transform is.
    pub(super) fn above(&self, joint: u16) -> Affine3 {
        let parent = self.parent(joint);
        let matrix = if parent == NO_JOINT { &self.root } else { &self.model[usize::from(parent)] };
        matrix.to_affine()
    }

    /// From model space into that space.
    pub(super) fn to_parent(&self, joint: u16) -> Result<Affine3, JobError> {
        rotation::inverse(self.above(joint)).ok_or(JobError::NotFinite { field: "model" })
    }

    /// From the space of one joint into that of another above it.
    pub(super) fn between(&self, above: u16, below: u16) -> Affine3 {
        let (mut to, mut at) = (Affine3::IDENTITY, below);
        while at != above && at != NO_JOINT {
            to = self.pose.get(at.into()).to_affine() * to;
            at = self.parent(at);
        }
        to
    }

    /// Sets a local rotation. The matrices follow with [`Posed::follow`].
    pub(super) fn set_rotation(&mut self, joint: u16, rotation: Quat, weight: f32) {
        let mut local = self.pose.get(joint.into());
        local.rotation =
            if weight < 1.0 { crate::math::slerp(local.rotation, rotation, weight) } else { rotation };
        self.pose.set(joint.into(), local);
    }

    /// Turns a joint so that it has these axes in model space, turned by `tilt`, whatever what it hangs on does.
    pub(super) fn turn_to(&mut self, joint: u16, axes: Mat3, tilt: Quat) -> Result<(), JobError> {
        let back = self.to_parent(joint)?;
        let sign = self.pose.get(joint.into()).scale.map(f32::signum);
        let turned = |axis: Vec3, sign: f32| back.transform_vector3(rotation::rotate(tilt, axis * sign));
        if let Some(rotation) = rotation::from_axes(turned(axes.x_axis, sign.x), turned(axes.y_axis, sign.y))
        {
            self.set_rotation(joint, rotation, 1.0);
        }
        self.follow(joint)
    }

    /// Moves a joint, and all below it, in model space.
    pub(super) fn shift(&mut self, joint: u16, by: Vec3) -> Result<(), JobError> {
        let back = self.to_parent(joint)?;
        let mut local = self.pose.get(joint.into());
        local.translation += back.transform_vector3(by);
        self.pose.set(joint.into(), local);
        self.follow(joint)
    }

    /// Model matrices of a joint and of all below it.
    pub(super) fn follow(&mut self, joint: u16) -> Result<(), JobError> {
        job::local_to_model_from(self.hierarchy, self.pose.blocks(), &self.root, joint, self.model)
    }

    pub(super) fn has(&self, field: &'static str, joint: u16) -> Result<(), JobError> {
        let joints = self.hierarchy.len();
        if usize::from(joint) < joints { Ok(()) } else { Err(JobError::NoJoint { field, joint, joints }) }
    }

    /// Whether a joint is there and hangs below another.
    pub(super) fn hangs(&self, field: &'static str, joint: u16, above: u16) -> Result<(), JobError> {
        self.has(field, joint)?;
        if joint != above && crate::kernel::hierarchy::is_below(self.hierarchy.parents(), joint, above) {
            Ok(())
        } else {
            Err(JobError::NotBelow { field, joint, above })
        }
    }
}

pub(super) fn finite(field: &'static str, fine: bool) -> Result<(), JobError> {
    if fine { Ok(()) } else { Err(JobError::NotFinite { field }) }
}

/// A weight or share, within 0 and 1.
pub(super) fn share(field: &'static str, value: f32) -> Result<f32, JobError> {
    finite(field, value.is_finite())?;
    Ok(value.clamp(0.0, 1.0))
}
