//! Mixing two poses, as functions over plain slices: they hold no state and allocate nothing.

use crate::job::{at_least, exactly};
use crate::kernel::blend::{Blend, Mix};
use crate::kernel::dispatch;
use crate::pose::{JointBlock, Lanes};
use crate::{JobError, Pose};

/// From `from` (weight 0) to `to` (weight 1), joint by joint: translation and scale on a line, rotation by normalised lerp on the shorter way.
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
    match Share::of(weight) {
        Share::From => out[..from.len()].copy_from_slice(from),
        Share::To => out[..to.len()].copy_from_slice(to),
        Share::Both(weight) => dispatch(Blend { from, to, weight, mask: None, out }),
    }
    Ok(())
}

/// The same with a factor on the weight for each joint: 0 leaves a joint at `from`, to the last bit.
///
/// Fails if `to` or `mask` are not as long as `from`, or `out` is shorter.
pub fn blend_masked(
    from: &[JointBlock],
    to: &[JointBlock],
    weight: f32,
    mask: &[Lanes],
    out: &mut [JointBlock],
) -> Result<(), JobError> {
    exactly("to", from.len(), to.len())?;
    exactly("mask", from.len(), mask.len())?;
    at_least("out", from.len(), out.len())?;
    let weight = crate::math::share(weight);
    dispatch(Blend { from, to, weight, mask: Some(mask), out });
    Ok(())
}

/// The mean of any number of poses by weight, in one pass: rotations are summed on the side of the first and normalised. Weights are taken relative
/// to their sum; what is not above zero does not count. Where nothing counts, `out` stays as it is.
///
/// Fails if a layer is not as long as `out`.
pub fn mix(layers: &[(&[JointBlock], f32)], out: &mut [JointBlock]) -> Result<(), JobError> {
    for (blocks, _) in layers {
        exactly("layers", out.len(), blocks.len())?;
    }
    let total: f32 = layers.iter().map(|&(_, weight)| if weight > 0.0 { weight } else { 0.0 }).sum();
    if total > 0.0 && total.is_finite() {
        dispatch(Mix { layers, scale: 1.0 / total, out });
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
            Share::Both(weight) => from + (to - from) * weight,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Transform;
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
        fn it_is_the_line_and_the_normalised_line(a in any_pose(), b in any_pose(), weight in 0.0f32..=1.0) {
            let mut out = Pose::identity(11, 2);
            blend_poses(&a, &b, weight, &mut out).unwrap();
            for ((a, b), got) in a.iter().zip(b.iter()).zip(out.iter()) {
                prop_assert!(got.translation.abs_diff_eq(a.translation.lerp(b.translation, weight), 1e-5));
                prop_assert!(got.scale.abs_diff_eq(a.scale.lerp(b.scale, weight), 1e-5));
                let expected = a.rotation.lerp(b.rotation, weight);
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

    proptest! {
        /// Second path: sums in double precision.
        #[test]
        fn a_mix_is_the_weighted_mean(a in any_pose(), b in any_pose(), c in any_pose(), w in [0.0f32..3.0, 0.01..3.0, 0.0..3.0]) {
            let mut out = Pose::identity(11, 2);
            mix(&[(a.blocks(), w[0]), (b.blocks(), w[1]), (c.blocks(), w[2])], out.blocks_mut()).unwrap();
            let total = f64::from(w[0]) + f64::from(w[1]) + f64::from(w[2]);
            for joint in 0..11 {
                let side = if w[0] > 0.0 { a.get(joint) } else { b.get(joint) }.rotation.as_dquat();
                let mut rotation = glam::DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
                let mut place = glam::DVec3::ZERO;
                for (pose, w) in [&a, &b, &c].into_iter().zip(w) {
                    let t = pose.get(joint);
                    let turn = t.rotation.as_dquat();
                    rotation += turn * (f64::from(w) * if side.dot(turn) < 0.0 { -1.0 } else { 1.0 });
                    place += t.translation.as_dvec3() * f64::from(w) / total;
                }
                prop_assert!(out.get(joint).translation.as_dvec3().abs_diff_eq(place, 1e-5));
                if rotation.length() > 1e-2 * total {
                    let got = out.get(joint).rotation.as_dquat();
                    prop_assert!(got.dot(rotation.normalize()).abs() > 1.0 - 1e-6);
                }
            }
        }

        #[test]
        fn a_mask_keeps_what_it_excludes(a in any_pose(), b in any_pose(), weight in 0.0f32..=1.0) {
            let mut mask = vec![Lanes::splat(0.0); 2];
            mask[0].0[3] = 1.0;
            let mut out = Pose::identity(11, 2);
            blend_masked(a.blocks(), b.blocks(), weight, &mask, out.blocks_mut()).unwrap();
            let mut whole = Pose::identity(11, 2);
            blend(a.blocks(), b.blocks(), weight, whole.blocks_mut()).unwrap();
            for joint in 0..11 {
                let expected = if joint == 3 { whole.get(3) } else { a.get(joint) };
                let got = out.get(joint);
                prop_assert!(got.rotation.dot(expected.rotation).abs() > 1.0 - 1e-6);
                if joint != 3 {
                    prop_assert_eq!(got, expected);
                }
            }
        }
    }

    #[test]
    fn a_mix_of_nothing_changes_nothing() {
        let (mut out, layer) = (Pose::identity(3, 0), Pose::identity(3, 0));
        out.set(1, Transform::from_translation(Vec3::ONE));
        let before = out.clone();
        mix(&[], out.blocks_mut()).unwrap();
        mix(&[(layer.blocks(), 0.0), (layer.blocks(), -1.0), (layer.blocks(), f32::NAN)], out.blocks_mut())
            .unwrap();
        assert_eq!(out, before);
        assert!(mix(&[(&[], 1.0)], out.blocks_mut()).is_err());
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
