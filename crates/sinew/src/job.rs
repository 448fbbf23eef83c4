//! The three stages of a frame, as functions over plain slices: they hold no state and allocate nothing.

use crate::kernel::hierarchy::{LocalToModel, SkinMatrices, SubtreeToModel};
use crate::kernel::{dispatch, dispatch_wide};
use crate::pose::{JointBlock, LANES};
use crate::{Character, Clip, Hierarchy, JobError, Mat3x4, Pose, Sampling, Skeleton, Skin};

pub(crate) fn at_least(field: &'static str, needed: usize, got: usize) -> Result<(), JobError> {
    if got < needed { Err(JobError::TooShort { field, needed, got }) } else { Ok(()) }
}

pub(crate) fn exactly(field: &'static str, needed: usize, got: usize) -> Result<(), JobError> {
    if got == needed { Ok(()) } else { Err(JobError::Mismatch { field, needed, got }) }
}

/// First stage: the local pose of a clip at a time. Joints and scalars without keys are set to the rest, so nothing
/// remains of the clip before.
///
/// Fails if `out` is not of the skeleton's shape, or the clip moves joints or scalars that it does not have.
pub fn sample(
    skeleton: &Skeleton,
    clip: &Clip,
    time: f64,
    sampling: Sampling,
    out: &mut Pose,
) -> Result<(), JobError> {
    exactly("out.joints", skeleton.len(), out.len())?;
    exactly("out.scalars", skeleton.rest().scalars().len(), out.scalars().len())?;
    clip.fits(out.len(), out.scalars().len())?;
    clip.sample(skeleton, time, sampling, out);
    Ok(())
}

/// Second stage: model matrices, from the front to the back of the hierarchy, under a root transform.
///
/// Fails if `locals` or `out` are shorter than the hierarchy.
pub fn local_to_model(
    hierarchy: &Hierarchy,
    locals: &[JointBlock],
    root: &Mat3x4,
    out: &mut [Mat3x4],
) -> Result<(), JobError> {
    at_least("locals", hierarchy.len().div_ceil(LANES), locals.len())?;
    at_least("out", hierarchy.len(), out.len())?;
    dispatch_wide(LocalToModel { order: hierarchy.order(), locals, root, out });
    Ok(())
}

/// The second stage from a joint on: its model matrix and those of all joints below it, the others being right already. Gives the same bits
/// as [`local_to_model`] where only the local transform of that joint, and of joints below it, changed.
///
/// Fails if `locals` or `out` are shorter than the hierarchy, or `from` is not a joint of it.
pub fn local_to_model_from(
    hierarchy: &Hierarchy,
    locals: &[JointBlock],
    root: &Mat3x4,
    from: u16,
    out: &mut [Mat3x4],
) -> Result<(), JobError> {
    at_least("hierarchy", usize::from(from).saturating_add(1), hierarchy.len())?;
    at_least("locals", hierarchy.len().div_ceil(LANES), locals.len())?;
    at_least("out", hierarchy.len(), out.len())?;
    dispatch(SubtreeToModel { parents: hierarchy.parents(), locals, root, from, out });
    Ok(())
}

/// Third stage: the matrices that carry a mesh's vertices from bind to pose.
///
/// Fails if a joint of the skin has no model matrix or `out` is shorter than the skin.
pub fn skin_matrices(skin: &Skin, model: &[Mat3x4], out: &mut [Mat3x4]) -> Result<(), JobError> {
    at_least("out", skin.joints.len(), out.len())?;
    exactly("skin.inverse_binds", skin.joints.len(), skin.inverse_binds.len())?;
    // A fold over numbers, which runs in lanes; `max` over references goes from one to the next.
    let highest = skin.joints.iter().fold(0, |highest: u16, &joint| highest.max(joint));
    at_least("model", if skin.joints.is_empty() { 0 } else { usize::from(highest) + 1 }, model.len())?;
    dispatch_wide(SkinMatrices { skin, model, out });
    Ok(())
}

/// Third stage for all meshes of a character, each palette once, however many meshes share it: see [`Character::palette_range`].
///
/// Fails if there are fewer model matrices than joints, or `out` is shorter than [`Character::palette_len`].
pub fn palette(character: &Character, model: &[Mat3x4], out: &mut [Mat3x4]) -> Result<(), JobError> {
    at_least("model", character.skeleton().len(), model.len())?;
    at_least("out", character.palette_len(), out.len())?;
    for (mesh, range) in character.palette_layout().distinct() {
        character.meshes()[mesh].skin_matrices(model, &mut out[range])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Joint, JointTracks, NO_JOINT, Scalar, Track, Transform};
    use glam::{Affine3, Mat4, Quat, Vec3};
    use proptest::prelude::*;

    fn chain(count: usize) -> Skeleton {
        let joints = (0..count).map(|i| {
            let parent = i.checked_sub(1).map(|p| p as u16);
            Joint::new(format!("j{i}"), parent, Transform::from_translation(Vec3::Y))
        });
        Skeleton::new(joints.collect(), vec![Scalar { name: "smile".into(), rest: 0.25 }]).unwrap()
    }

    fn any_transform() -> impl Strategy<Value = Transform> {
        (
            [-2.0f32..2.0, -2.0..2.0, -2.0..2.0],
            [-1.0f32..1.0, -1.0..1.0, -1.0..1.0, 0.1..1.0],
            [0.5f32..2.0, 0.5..2.0, 0.5..2.0],
        )
            .prop_map(|(t, r, s)| Transform {
                translation: t.into(),
                rotation: crate::math::normalize(r),
                scale: s.into(),
            })
    }

    proptest! {
        /// Second path: glam's own 4×4 product, joint by joint up to the root.
        #[test]
        fn model_is_the_product_of_all_ancestors(
            locals in proptest::collection::vec((any_transform(), any::<u16>()), 1..20),
            root in any_transform(),
        ) {
            let mut pose = Pose::identity(locals.len(), 0);
            let mut parents = Vec::new();
            for (i, (transform, seed)) in locals.iter().enumerate() {
                pose.set(i, *transform);
                let pick = usize::from(*seed) % (i + 1);
                parents.push(if pick == i { NO_JOINT } else { pick as u16 });
            }
            let mut model = vec![Mat3x4::IDENTITY; locals.len()];
            let hierarchy = Hierarchy::new(parents.clone()).unwrap();
            local_to_model(&hierarchy, pose.blocks(), &root.to_affine().into(), &mut model).unwrap();
            for (joint, got) in model.iter().enumerate() {
                let (mut at, mut expected) = (joint as u16, Mat4::IDENTITY);
                while at != NO_JOINT {
                    let t = locals[usize::from(at)].0;
                    expected = Mat4::from_scale_rotation_translation(t.scale, t.rotation, t.translation) * expected;
                    at = parents[usize::from(at)];
                }
                expected = Mat4::from_scale_rotation_translation(root.scale, root.rotation, root.translation) * expected;
                let size = expected.to_cols_array().iter().fold(1.0f32, |m, x| m.max(x.abs()));
                prop_assert!(Mat4::from(*got).abs_diff_eq(expected, size * 1e-4));
            }
        }
    }

    proptest! {
        /// Joints in any order that has parents first, not only depth first.
        #[test]
        fn a_subtree_is_computed_as_the_whole_is(
            locals in proptest::collection::vec((any_transform(), any_transform(), any::<u16>()), 1..40),
            root in any_transform(),
            from in any::<proptest::sample::Index>(),
        ) {
            let count = locals.len();
            let from = from.index(count);
            let pick = |i: usize| usize::from(locals[i].2) % (i + 1);
            let parents = (0..count).map(|i| if pick(i) == i { NO_JOINT } else { pick(i) as u16 });
            let hierarchy = Hierarchy::new(parents.collect()).unwrap();
            let below = |joint: usize| {
                let up = |&j: &u16| Some(hierarchy.parents()[usize::from(j)]).filter(|&p| p != NO_JOINT);
                std::iter::successors(Some(joint as u16), up).any(|j| usize::from(j) == from)
            };
            let mut pose = Pose::identity(count, 0);
            locals.iter().enumerate().for_each(|(i, l)| pose.set(i, l.0));
            let root = root.to_affine().into();
            let mut model = vec![Mat3x4::IDENTITY; count];
            local_to_model(&hierarchy, pose.blocks(), &root, &mut model).unwrap();
            (0..count).filter(|&i| below(i)).for_each(|i| pose.set(i, locals[i].1));
            let mut whole = model.clone();
            local_to_model(&hierarchy, pose.blocks(), &root, &mut whole).unwrap();
            // What lies outside the subtree must not be written.
            for (joint, matrix) in model.iter_mut().enumerate().filter(|(joint, _)| below(*joint)) {
                *matrix = Mat3x4::from_translation(Vec3::splat(joint as f32));
            }
            local_to_model_from(&hierarchy, pose.blocks(), &root, from as u16, &mut model).unwrap();
            prop_assert_eq!(model, whole);
        }
    }

    #[test]
    fn joints_without_keys_go_back_to_rest() {
        let skeleton = chain(3);
        let turn = Track::constant(Quat::from_rotation_z(1.0)).unwrap();
        let tracks = JointTracks { rotation: Some(turn), ..JointTracks::new(1) };
        let clip = Clip::new("turn", 1.0, vec![tracks], vec![]).unwrap();
        let mut pose = Pose::identity(3, 1);
        pose.set(2, Transform::from_translation(Vec3::splat(9.0)));
        pose.scalars_mut()[0] = 9.0;
        sample(&skeleton, &clip, 0.5, Sampling::Interpolate, &mut pose).unwrap();
        assert_eq!(pose.get(2), skeleton.rest().get(2));
        assert_eq!(pose.scalars(), [0.25]);
        assert_eq!(pose.get(1).rotation, Quat::from_rotation_z(1.0));
        assert_eq!(pose.get(1).translation, Vec3::Y, "a part without keys is at rest");
    }

    #[test]
    fn wrong_shapes_are_refused_by_name() {
        let skeleton = chain(3);
        let clip = Clip::new("c", 1.0, vec![JointTracks::new(7)], vec![]).unwrap();
        let mut pose = Pose::identity(3, 1);
        let error = sample(&skeleton, &clip, 0.0, Sampling::Interpolate, &mut pose).unwrap_err();
        assert_eq!(error.to_string(), "pose.joints has 3 elements and needs 8");
        let error = sample(&chain(2), &clip, 0.0, Sampling::Interpolate, &mut pose).unwrap_err();
        assert!(error.to_string().starts_with("out.joints"));
        let mut model = [Mat3x4::IDENTITY; 2];
        let roots = Hierarchy::new(vec![NO_JOINT; 3]).unwrap();
        assert!(local_to_model(&roots, pose.blocks(), &Mat3x4::IDENTITY, &mut model).is_err());
        let error = local_to_model_from(&roots, pose.blocks(), &Mat3x4::IDENTITY, 3, &mut model).unwrap_err();
        assert_eq!(error.to_string(), "hierarchy has 3 elements and needs 4");
        assert!(Hierarchy::new(vec![1, NO_JOINT]).is_err());
        let skin = Skin { joints: vec![5].into(), inverse_binds: vec![Mat3x4::IDENTITY].into() };
        assert!(skin_matrices(&skin, &model, &mut [Mat3x4::IDENTITY]).is_err());
    }

    #[test]
    fn rest_equal_to_bind_gives_identity() {
        let skeleton = chain(4);
        let model = skeleton.rest_model();
        let inverse = |joint: usize| model[joint].to_affine().inverse().into();
        let skin = Skin { joints: vec![3, 1].into(), inverse_binds: vec![inverse(3), inverse(1)].into() };
        let mut out = [Mat3x4::IDENTITY; 2];
        skin_matrices(&skin, model, &mut out).unwrap();
        assert!(out.iter().all(|m| m.to_affine().abs_diff_eq(Affine3::IDENTITY, 1e-6)));
    }
}
