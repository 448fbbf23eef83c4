//! The state of a skeleton at one moment.

use crate::{Clip, JobError, Sampling, Skeleton, Transform};
use glam::{Quat, Vec3};

/// Number of joints that lie side by side in a [`JointBlock`], on every machine.
pub const LANES: usize = 8;

/// One component of eight joints.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(32))]
pub struct Lanes(pub [f32; LANES]);

impl Lanes {
    /// The same value in all lanes.
    pub const fn splat(value: f32) -> Self {
        Self([value; LANES])
    }
}

/// Local transforms of eight joints, component by component, so that sampling and blending run over lanes.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct JointBlock {
    /// Translation x, y, z.
    pub translation: [Lanes; 3],
    /// Rotation x, y, z, w.
    pub rotation: [Lanes; 4],
    /// Scale x, y, z.
    pub scale: [Lanes; 3],
}

impl JointBlock {
    /// Eight joints that change nothing; also the padding behind the last joint.
    pub const IDENTITY: Self = Self {
        translation: [Lanes::splat(0.0); 3],
        rotation: [Lanes::splat(0.0), Lanes::splat(0.0), Lanes::splat(0.0), Lanes::splat(1.0)],
        scale: [Lanes::splat(1.0); 3],
    };

    /// One lane as a transform.
    #[inline]
    pub fn get(&self, lane: usize) -> Transform {
        Transform {
            translation: Vec3::from_array([0, 1, 2].map(|c| self.translation[c].0[lane])),
            rotation: Quat::from_array([0, 1, 2, 3].map(|c| self.rotation[c].0[lane])),
            scale: Vec3::from_array([0, 1, 2].map(|c| self.scale[c].0[lane])),
        }
    }

    /// Sets the translation of one lane.
    #[inline]
    pub fn set_translation(&mut self, lane: usize, translation: Vec3) {
        for (lanes, value) in self.translation.iter_mut().zip(translation.to_array()) {
            lanes.0[lane] = value;
        }
    }

    /// Sets the rotation of one lane.
    #[inline]
    pub fn set_rotation(&mut self, lane: usize, rotation: Quat) {
        for (lanes, value) in self.rotation.iter_mut().zip(rotation.to_array()) {
            lanes.0[lane] = value;
        }
    }

    /// Sets the scale of one lane.
    #[inline]
    pub fn set_scale(&mut self, lane: usize, scale: Vec3) {
        for (lanes, value) in self.scale.iter_mut().zip(scale.to_array()) {
            lanes.0[lane] = value;
        }
    }
}

/// Local transforms of all joints, as structure of arrays, and the scalar block (morph weights and named curves).
///
/// ```
/// # fn demo(character: std::sync::Arc<sinew::Character>) -> Result<(), Box<dyn std::error::Error>> {
/// let rest = character.skeleton().rest();
/// let mut pose = rest.clone();
/// pose.set(0, sinew::Transform::IDENTITY);
/// assert_eq!(pose.len(), rest.len());
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Pose {
    blocks: Vec<JointBlock>,
    len: usize,
    scalars: Vec<f32>,
}

impl Pose {
    /// A pose of identity transforms and zero scalars.
    pub fn identity(joints: usize, scalars: usize) -> Self {
        Self {
            blocks: vec![JointBlock::IDENTITY; joints.div_ceil(LANES)],
            len: joints,
            scalars: vec![0.0; scalars],
        }
    }

    /// A pose of so many joints from its blocks, whose lanes behind the last joint are identity.
    pub(crate) fn from_blocks(blocks: Vec<JointBlock>, joints: usize, scalars: Vec<f32>) -> Self {
        debug_assert_eq!(blocks.len(), joints.div_ceil(LANES));
        Self { blocks, len: joints, scalars }
    }

    /// The pose of a clip at a time, such as the reference of an additive voice.
    ///
    /// Fails if the clip does not fit the skeleton.
    pub fn of_clip(skeleton: &Skeleton, clip: &Clip, time: f64) -> Result<Self, JobError> {
        let mut pose = skeleton.rest().clone();
        crate::job::sample(skeleton, clip, time, Sampling::Interpolate, &mut pose)?;
        Ok(pose)
    }

    /// Number of joints.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no joints.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The blocks of eight joints; lanes behind the last joint are identity.
    pub fn blocks(&self) -> &[JointBlock] {
        &self.blocks
    }

    /// The blocks, to be written. Leave the padding lanes alone.
    pub fn blocks_mut(&mut self) -> &mut [JointBlock] {
        &mut self.blocks
    }

    /// The scalar block.
    pub fn scalars(&self) -> &[f32] {
        &self.scalars
    }

    /// The scalar block, to be written.
    pub fn scalars_mut(&mut self) -> &mut [f32] {
        &mut self.scalars
    }

    /// Blocks and scalars at once, to be written.
    pub(crate) fn parts_mut(&mut self) -> (&mut [JointBlock], &mut [f32]) {
        (&mut self.blocks, &mut self.scalars)
    }

    /// Local transform of one joint.
    ///
    /// # Panics
    /// If `joint` is not below [`Pose::len`].
    pub fn get(&self, joint: usize) -> Transform {
        assert!(joint < self.len, "joint {joint} of {}", self.len);
        self.blocks[joint / LANES].get(joint % LANES)
    }

    /// Sets the local transform of one joint.
    ///
    /// # Panics
    /// If `joint` is not below [`Pose::len`].
    pub fn set(&mut self, joint: usize, transform: Transform) {
        assert!(joint < self.len, "joint {joint} of {}", self.len);
        let (block, lane) = (&mut self.blocks[joint / LANES], joint % LANES);
        block.set_translation(lane, transform.translation);
        block.set_rotation(lane, transform.rotation);
        block.set_scale(lane, transform.scale);
    }

    /// All local transforms in joint order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Transform> + '_ {
        (0..self.len).map(|joint| self.get(joint))
    }

    /// Whether another pose has as many joints and scalars.
    pub fn same_shape(&self, other: &Self) -> bool {
        self.len == other.len && self.scalars.len() == other.scalars.len()
    }

    /// Takes over another pose's values without allocating.
    ///
    /// # Panics
    /// If the shapes differ; ask [`Pose::same_shape`] first.
    pub fn copy_from(&mut self, other: &Self) {
        assert!(self.same_shape(other), "poses of different shape");
        self.blocks.copy_from_slice(&other.blocks);
        self.scalars.copy_from_slice(&other.scalars);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_keep_to_their_lanes() {
        let mut pose = Pose::identity(11, 2);
        let odd = Transform {
            translation: Vec3::new(1.0, 2.0, 3.0),
            rotation: Quat::from_xyzw(0.5, 0.5, 0.5, 0.5),
            scale: Vec3::splat(2.0),
        };
        pose.set(9, odd);
        for (joint, transform) in pose.iter().enumerate() {
            assert_eq!(transform, if joint == 9 { odd } else { Transform::IDENTITY });
        }
        assert_eq!(pose.blocks().len(), 2);
        assert_eq!(pose.blocks()[1].get(7), Transform::IDENTITY, "padding");
    }

    #[test]
    #[should_panic(expected = "joint 3 of 3")]
    fn padding_is_no_joint() {
        Pose::identity(3, 0).get(3);
    }
}
