//! Inverse kinematics: jobs that change a pose so that a hand, a gaze or a foot is where the game wants it.
//!
//! They run between mixing and finishing, on a [`Posed`]: the local pose, and model matrices that follow each job.
//!
//! | job | what it does |
//! |---|---|
//! | [`TwoBone`] | an arm or a leg reaches a point, bending towards a pole |
//! | [`Aim`] | a head, with the spine below it, looks at a point |
//! | [`Reach`] | a chain of any length, such as a tail, reaches a point (FABRIK) |
//! | [`PlantFeet`] | feet stand on uneven ground |
//!
//! Only rotations change, and the translation of the hips: segments keep their length. Local axes may be any. Scale above
//! a limb or chain, and that of the upper joint of a limb, may differ from axis to axis and the result is exact.
//! Targets are in model space, that of [`Instance::model_matrices`](crate::Instance::model_matrices). Nothing allocates, and results are bit-equal on
//! every machine.
//!
//! ```
//! # fn demo(instance: &mut sinew::Instance, door: sinew::glam::Vec3) -> Result<(), Box<dyn std::error::Error>> {
//! use sinew::{glam::Vec3, ik::TwoBone};
//!
//! let skeleton = instance.character().skeleton().clone();
//! let arm = ["RightArm", "RightForeArm", "RightHand"].map(|name| skeleton.joint(name));
//! let [upper, lower, end] = [arm[0].clone()?, arm[1].clone()?, arm[2].clone()?];
//! let reach = TwoBone { pole: Some(Vec3::NEG_Z), ..TwoBone::new(upper, lower, end, door) };
//! reach.solve(&mut instance.posed()?)?;
//! instance.finish()?;
//! # Ok(()) }
//! ```

mod aim;
mod feet;
mod posed;
mod reach;
mod rotation;
mod two_bone;

pub use aim::{Aim, AimJoint, Gaze};
pub use feet::{Footing, Ground, Leg, PlantFeet};
pub use posed::Posed;
pub use reach::Reach;
pub use two_bone::TwoBone;

use crate::Skeleton;
use glam::Vec3;

/// A direction of the model at rest as the axis of a joint: which of its own axes points forward, say, for [`Aim::forward`].
///
/// ```
/// # fn demo(skeleton: &sinew::Skeleton) -> Option<()> {
/// use sinew::{glam::Vec3, ik};
///
/// let head = skeleton.find("Head")?;
/// let forward = ik::axis_at_rest(skeleton, head, Vec3::Z);
/// # Some(()) }
/// ```
pub fn axis_at_rest(skeleton: &Skeleton, joint: u16, direction: Vec3) -> Vec3 {
    let Some(model) = skeleton.rest_model().get(usize::from(joint)) else { return direction };
    rotation::inverse(model.to_affine())
        .map_or(direction, |back| crate::math::normalize_or(back.transform_vector3(direction), direction))
}

#[cfg(test)]
mod tests;
