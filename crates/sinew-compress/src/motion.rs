//! What a clip is measured against.

use sinew::glam::{DQuat, DVec3};
use sinew::{Clip, LANES, Parts, Pose, Sampling, Skeleton, job};

/// A local transform in double precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Local {
    /// Translation.
    pub translation: DVec3,
    /// Rotation, a unit quaternion.
    pub rotation: DQuat,
    /// Scale.
    pub scale: DVec3,
}

impl Local {
    /// No change.
    pub const IDENTITY: Self =
        Self { translation: DVec3::ZERO, rotation: DQuat::IDENTITY, scale: DVec3::ONE };

    /// Takes over some of its parts.
    pub(crate) fn replace(&mut self, parts: Parts, from: &Self) {
        if parts.translation {
            self.translation = from.translation;
        }
        if parts.rotation {
            self.rotation = from.rotation;
        }
        if parts.scale {
            self.scale = from.scale;
        }
    }

    /// Beyond `to`, on the way from `from`: 1 is `to` itself.
    pub(crate) fn beyond(from: &Self, to: &Self, factor: f64) -> Self {
        Self::along(from, to, &Arc::between(from.rotation, to.rotation), factor)
    }

    /// The same where the arc from one rotation to the other is known.
    pub(crate) fn along(from: &Self, to: &Self, arc: &Arc, factor: f64) -> Self {
        let half = arc.half * factor;
        let (sine, cosine) = (libm::sin(half), libm::cos(half));
        let turn = DQuat::from_xyzw(arc.axis.x * sine, arc.axis.y * sine, arc.axis.z * sine, cosine);
        Self {
            translation: from.translation + (to.translation - from.translation) * factor,
            rotation: from.rotation * turn,
            scale: from.scale + (to.scale - from.scale) * factor,
        }
    }
}

/// The shortest way from one rotation to another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arc {
    axis: DVec3,
    /// Half of its angle.
    half: f64,
}

impl Arc {
    pub(crate) fn between(from: DQuat, to: DQuat) -> Self {
        let mut turn = from.conjugate() * to;
        if turn.w < 0.0 {
            turn = -turn;
        }
        let axis = DVec3::new(turn.x, turn.y, turn.z);
        let sine = axis.length();
        let half = libm::atan2(sine, turn.w);
        Self { axis: if sine > 0.0 { axis / sine } else { DVec3::X }, half }
    }
}

/// The motion that a clip stands for: its source's own evaluation, or its keys.
pub trait Motion {
    /// Local transforms of all joints and values of all scalars at a time.
    fn sample(&mut self, time: f64, joints: &mut [Local], scalars: &mut [f64]);
}

/// The keys of a clip, evaluated exactly.
pub struct KeyMotion<'a> {
    skeleton: &'a Skeleton,
    clip: &'a Clip,
    pose: Pose,
}

impl<'a> KeyMotion<'a> {
    /// A clip of a skeleton.
    pub fn new(skeleton: &'a Skeleton, clip: &'a Clip) -> Self {
        Self { skeleton, clip, pose: skeleton.rest().clone() }
    }
}

impl Motion for KeyMotion<'_> {
    fn sample(&mut self, time: f64, joints: &mut [Local], scalars: &mut [f64]) {
        let checked = job::sample(self.skeleton, self.clip, time, Sampling::Interpolate, &mut self.pose);
        // Callers compile clips that fit; one that does not is at rest.
        if checked.is_err() {
            self.pose.copy_from(self.skeleton.rest());
        }
        read_pose(&self.pose, joints, scalars);
    }
}

/// A pose in double precision.
pub(crate) fn read_pose(pose: &Pose, joints: &mut [Local], scalars: &mut [f64]) {
    for (block, joints) in pose.blocks().iter().zip(joints.chunks_mut(LANES)) {
        for (lane, joint) in joints.iter_mut().enumerate() {
            let from = block.get(lane);
            *joint = Local {
                translation: from.translation.as_dvec3(),
                rotation: from.rotation.as_dquat(),
                scale: from.scale.as_dvec3(),
            };
        }
    }
    for (scalar, &from) in scalars.iter_mut().zip(pose.scalars()) {
        *scalar = from.into();
    }
}
