//! Mixing two poses, as functions over plain slices: they hold no state and allocate nothing.

use crate::JobError;
use crate::job::{at_least, exactly};
use crate::math::slerp;
use crate::pose::{JointBlock, LANES, Lanes};
use crate::{Pose, Transform};

/// From `from` (weight 0) to `to` (weight 1), joint by joint: translation and scale on a line, rotation on the shortest arc.
///
/// At 0 and 1 the result is one of the two to the last bit, and so is every joint that is the same in both: padding lanes stay
/// identity. A weight outside 0…1 is clamped, NaN counts as 0.
///
/// Fails if `to` is not as long as `from`, or `out` is shorter.
pub fn blend(
    from: &[JointBlock],
    to: &[JointBlock],
    weight: f32,
    out: &mut [JointBlock],
) -> Result<(), JobError> {
    exactly("to", from.len(), to.len())?;
    at_least("out", from.len(), out.len())?;
    for ((from, to), out) in from.iter().zip(to).zip(out) {
        *out = match Share::of(weight) {
            Share::From => *from,
            Share::To => *to,
            Share::Both(weight) => blend_block(from, to, weight),
        };
    }
    Ok(())
}

/// The same for the scalar block of a pose.
///
/// Fails if `to` is not as long as `from`, or `out` is shorter.
pub fn blend_scalars(from: &[f32], to: &[f32], weight: f32, out: &mut [f32]) -> Result<(), JobError> {
    exactly("to", from.len(), to.len())?;
    at_least("out", from.len(), out.len())?;
    for ((&from, &to), out) in from.iter().zip(to).zip(out) {
        *out = match Share::of(weight) {
            Share::From => from,
            Share::To => to,
            Share::Both(weight) => mix(from, to, weight),
        };
    }
    Ok(())
}

/// [`blend`] and [`blend_scalars`] for whole poses.
///
/// Fails if the three are not of one shape.
pub fn blend_poses(from: &Pose, to: &Pose, weight: f32, out: &mut Pose) -> Result<(), JobError> {
    exactly("to.joints", from.len(), to.len())?;
    exactly("out.joints", from.len(), out.len())?;
    exactly("to.scalars", from.scalars().len(), to.scalars().len())?;
    exactly("out.scalars", from.scalars().len(), out.scalars().len())?;
    blend(from.blocks(), to.blocks(), weight, out.blocks_mut())?;
    blend_scalars(from.scalars(), to.scalars(), weight, out.scalars_mut())
}

/// Which of two poses count at a weight.
enum Share {
    From,
    To,
    Both(f32),
}

impl Share {
    fn of(weight: f32) -> Self {
        if weight >= 1.0 {
            Self::To
        } else if weight > 0.0 {
            Self::Both(weight)
        } else {
            Self::From
        }
    }
}

fn mix(from: f32, to: f32, weight: f32) -> f32 {
    from + (to - from) * weight
}

fn mix_lanes<const N: usize>(from: &[Lanes; N], to: &[Lanes; N], weight: f32, out: &mut [Lanes; N]) {
    for ((from, to), out) in from.iter().zip(to).zip(out) {
        for lane in 0..LANES {
            out.0[lane] = mix(from.0[lane], to.0[lane], weight);
        }
    }
}

fn blend_block(from: &JointBlock, to: &JointBlock, weight: f32) -> JointBlock {
    // Rotations that are equal are kept from here.
    let mut out = *from;
    mix_lanes(&from.translation, &to.translation, weight, &mut out.translation);
    mix_lanes(&from.scale, &to.scale, weight, &mut out.scale);
    for lane in 0..LANES {
        let (Transform { rotation: a, .. }, Transform { rotation: b, .. }) = (from.get(lane), to.get(lane));
        if a != b {
            out.set_rotation(lane, slerp(a, b, weight));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::normalize;
    use glam::Vec3;
    use proptest::prelude::*;

    fn any_pose() -> impl Strategy<Value = Pose> {
        let joint = (
            [-2.0f32..2.0, -2.0..2.0, -2.0..2.0],
            [-1.0f32..1.0, -1.0..1.0, -1.0..1.0, -1.0..1.0],
            [0.5f32..2.0, 0.5..2.0, 0.5..2.0],
        );
        (proptest::collection::vec(joint, 11), [0.0f32..1.0, -3.0..3.0]).prop_map(|(joints, scalars)| {
            let mut pose = Pose::identity(joints.len(), 2);
            for (i, (t, r, s)) in joints.into_iter().enumerate() {
                let transform = Transform { translation: t.into(), rotation: normalize(r), scale: s.into() };
                pose.set(i, transform);
            }
            pose.scalars_mut().copy_from_slice(&scalars);
            pose
        })
    }

    proptest! {
        /// Second path: glam's own interpolation, joint by joint.
        #[test]
        fn it_is_the_line_and_the_arc(a in any_pose(), b in any_pose(), weight in 0.0f32..=1.0) {
            let mut out = Pose::identity(11, 2);
            blend_poses(&a, &b, weight, &mut out).unwrap();
            for ((a, b), got) in a.iter().zip(b.iter()).zip(out.iter()) {
                prop_assert!(got.translation.abs_diff_eq(a.translation.lerp(b.translation, weight), 1e-5));
                prop_assert!(got.scale.abs_diff_eq(a.scale.lerp(b.scale, weight), 1e-5));
                let expected = a.rotation.slerp(b.rotation, weight);
                prop_assert!(got.rotation.dot(expected).abs() > 1.0 - 1e-5);
            }
            for i in 0..2 {
                let expected = a.scalars()[i] * (1.0 - weight) + b.scalars()[i] * weight;
                prop_assert!((out.scalars()[i] - expected).abs() < 1e-5);
            }
            prop_assert_eq!(out.blocks()[1].get(7), Transform::IDENTITY, "padding");
        }

        #[test]
        fn the_ends_are_exact(a in any_pose(), b in any_pose()) {
            let mut out = Pose::identity(11, 2);
            for (weight, expected) in [(0.0, &a), (-1.0, &a), (f32::NAN, &a), (1.0, &b), (7.0, &b)] {
                blend_poses(&a, &b, weight, &mut out).unwrap();
                prop_assert_eq!(&out, expected);
            }
            blend_poses(&a, &a, 0.3, &mut out).unwrap();
            prop_assert_eq!(&out, &a);
        }
    }

    #[test]
    fn shapes_that_differ_are_refused_by_name() {
        let (small, big) = (Pose::identity(3, 0), Pose::identity(9, 1));
        let refused =
            |from, to, out: &Pose| blend_poses(from, to, 0.5, &mut out.clone()).unwrap_err().to_string();
        assert!(refused(&small, &big, &small).starts_with("to.joints"));
        assert!(refused(&small, &small, &big).starts_with("out.joints"));
        assert!(blend(big.blocks(), big.blocks(), 0.5, &mut []).is_err());
        assert!(blend_scalars(&[1.0], &[], 0.5, &mut [0.0]).is_err());
    }

    #[test]
    fn halfway_is_halfway() {
        let (mut a, mut b) = (Pose::identity(1, 0), Pose::identity(1, 0));
        a.set(0, Transform::from_translation(Vec3::X));
        b.set(0, Transform::from_translation(Vec3::Y));
        let mut out = Pose::identity(1, 0);
        blend_poses(&a, &b, 0.5, &mut out).unwrap();
        assert_eq!(out.get(0).translation, Vec3::new(0.5, 0.5, 0.0));
    }
}
