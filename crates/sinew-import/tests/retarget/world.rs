//! A second way of computing where joints are: matrices in double precision, joint by joint up to the root.

use glam::{DAffine3, DQuat, DVec3};
use sinew::{Character, Clip, Pose, Skeleton, Transform};
use sinew_retarget::{Humanoid, Part, Role, Side};

pub fn affine(local: Transform) -> DAffine3 {
    DAffine3::from_scale_rotation_translation(
        local.scale.as_dvec3(),
        local.rotation.as_dquat().normalize(),
        local.translation.as_dvec3(),
    )
}

/// Model matrices of local transforms.
fn models(skeleton: &Skeleton, local: impl Fn(u16) -> Transform) -> Vec<DAffine3> {
    let up = |joint: u16| std::iter::successors(Some(joint), |&joint| skeleton.parent(joint));
    let product =
        |joint: u16| up(joint).fold(DAffine3::IDENTITY, |below, joint| affine(local(joint)) * below);
    (0..skeleton.len() as u16).map(product).collect()
}

/// Model matrices of a clip at a time.
pub fn at(skeleton: &Skeleton, clip: &Clip, time: f64) -> Vec<DAffine3> {
    models(skeleton, |joint| clip.sample_joint(skeleton, joint, time).unwrap())
}

/// Model matrices of a pose.
pub fn of_pose(skeleton: &Skeleton, pose: &Pose) -> Vec<DAffine3> {
    models(skeleton, |joint| pose.get(joint.into()))
}

/// Times between and on the keys of a clip.
pub fn times(clip: &Clip) -> Vec<f64> {
    let steps = (f64::from(clip.duration()) * 47.0).ceil().clamp(2.0, 300.0);
    (0..=steps as usize).map(|at| f64::from(clip.duration()) * at as f64 / steps).collect()
}

/// The farthest that any joint of one is from the same joint of the other.
pub fn farthest(a: &[DAffine3], b: &[DAffine3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.translation.distance(b.translation)).fold(0.0, f64::max)
}

pub fn angle(a: DQuat, b: DQuat) -> f64 {
    let turn = a.inverse() * b;
    (2.0 * turn.xyz().length().atan2(turn.w.abs())).to_degrees()
}

/// The rotation of a matrix without scale.
pub fn turn(matrix: &DAffine3) -> DQuat {
    matrix.to_scale_rotation_translation().1
}

/// The direction from the joint of one role to that of another.
pub fn direction(roles: &Humanoid, models: &[DAffine3], side: Side, parts: [Part; 2]) -> DVec3 {
    let [from, to] =
        parts.map(|part| models[usize::from(roles.joint(Role::new(side, part)).unwrap())].translation);
    (to - from).normalize()
}

pub fn clips(character: &Character) -> Vec<std::sync::Arc<Clip>> {
    (0..character.clips().len()).map(|clip| character.clips().get(clip).unwrap()).collect()
}
