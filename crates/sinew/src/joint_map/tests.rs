use super::*;
use crate::{Interpolation, Joint, Pose, Sampling, Scalar, Track, job};
use glam::{Quat, Vec3};
use proptest::prelude::*;

/// Joints without hierarchy, each with another rest.
fn skeleton(names: &[String], scalars: &[String]) -> Skeleton {
    let joint = |(i, name): (u16, &String)| {
        Joint::new(name.clone(), None, Transform::from_translation(Vec3::X * f32::from(i)))
    };
    let scalar = |name: &String| Scalar { name: name.clone(), rest: 0.25 };
    Skeleton::new((0..).zip(names).map(joint).collect(), scalars.iter().map(scalar).collect()).unwrap()
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// Moves joints and scalars, each in its own way: some parts of a joint only.
fn clip(joints: &[u16], scalars: &[u16]) -> Clip {
    let tracks = |&joint: &u16| {
        let angle = f32::from(joint) * 0.1 + 0.1;
        let values = vec![Quat::IDENTITY, Quat::from_rotation_y(angle)];
        let rotation = Track::new(vec![0.0, 1.0], values, Interpolation::Linear).unwrap();
        let translation = joint.is_multiple_of(2).then(|| Track::constant(Vec3::Y * angle).unwrap());
        let scale = joint.is_multiple_of(3).then(|| Track::constant(Vec3::splat(1.0 + angle)).unwrap());
        JointTracks { joint, translation, rotation: Some(rotation), scale }
    };
    let scalar = |&scalar: &u16| ScalarTrack { scalar, track: Track::constant(f32::from(scalar)).unwrap() };
    Clip::new("clip", 1.0, joints.iter().map(tracks).collect(), scalars.iter().map(scalar).collect()).unwrap()
}

fn pose(skeleton: &Skeleton, clip: &Clip) -> Pose {
    let mut pose = skeleton.rest().clone();
    job::sample(skeleton, clip, 0.5, Sampling::Interpolate, &mut pose).unwrap();
    pose
}

#[test]
fn a_clip_that_the_map_was_not_made_for_is_refused() {
    let names = owned(&["a", "b"]);
    let skeleton = skeleton(&names, &owned(&["s"]));
    let map = JointMap::for_clips(&skeleton, &skeleton, [&clip(&[0], &[])]).unwrap();
    assert!(map.apply(&skeleton, &clip(&[0], &[])).is_ok());
    let joint = JointMapError::NotCovered { kind: ChannelKind::Joint, index: 1 };
    assert_eq!(map.apply(&skeleton, &clip(&[0, 1], &[])), Err(joint));
    let scalar = JointMapError::NotCovered { kind: ChannelKind::Scalar, index: 0 };
    assert_eq!(map.apply(&skeleton, &clip(&[0], &[0])), Err(scalar));
    assert!(matches!(map.apply(&skeleton, &clip(&[5], &[])), Err(JointMapError::Foreign(_))));
}

#[test]
fn the_whole_map_holds_what_is_clear() {
    let (source, target) = (
        skeleton(&owned(&["End", "End", "old:Hips", "Head"]), &[]),
        skeleton(&owned(&["Head", "Hips", "End"]), &[]),
    );
    let map = JointMap::whole(&source, &target, [&clip(&[2], &[])]).unwrap();
    assert_eq!([0, 1, 2, 3].map(|joint| map.joint(joint)), [None, None, Some(1), Some(0)]);
    let error = JointMap::whole(&source, &target, [&clip(&[0, 1], &[])]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`End` could mean `End`, as another channel does, `End` could mean `End`, as another channel does"
    );
}

/// Names that stay apart without prefixes, in two orders and under two prefixes.
fn shuffled() -> impl Strategy<Value = (Vec<String>, Vec<String>, Vec<usize>)> {
    const PREFIXES: [&str; 4] = ["", "mixamorig:", "hero:", "mixamorig7_"];
    (1usize..40, 0usize..4, 0usize..4).prop_flat_map(|(count, from, to)| {
        let order = Just((0..count).collect::<Vec<usize>>()).prop_shuffle();
        order.prop_map(move |order| {
            let name = |prefix: usize, index: usize| format!("{}Joint{index}", PREFIXES[prefix]);
            let target = (0..count).map(|i| name(to, i)).collect();
            let source = order.iter().map(|&i| name(from, i)).collect();
            (source, target, order)
        })
    })
}

proptest! {
    /// A skeleton in another order and under other prefixes maps back to the same pose, as a clip and as a pose that is carried over.
    #[test]
    fn a_shuffled_skeleton_maps_back((source, target, order) in shuffled(), part in any::<u64>()) {
        let (from, to) = (skeleton(&source, &source), skeleton(&target, &target));
        let moved: Vec<u16> = (0..source.len() as u16).filter(|i| part >> (i % 64) & 1 == 1).collect();
        let there = clip(&moved, &moved);
        let map = JointMap::for_clips(&from, &to, [&there]).unwrap();
        for &joint in &moved {
            prop_assert_eq!(map.joint(joint), Some(order[usize::from(joint)] as u16));
        }
        let here = map.apply(&from, &there).unwrap();
        let (theirs, ours) = (pose(&from, &there), pose(&to, &here));

        let mut locals: Vec<Transform> = to.rest().iter().collect();
        let poses = map.pose_map(&there);
        poses.locals(&theirs.iter().collect::<Vec<_>>(), &mut locals);
        prop_assert_eq!(locals, ours.iter().collect::<Vec<_>>());
        let mut scalars = to.rest().scalars().to_vec();
        poses.scalars(theirs.scalars(), &mut scalars);
        prop_assert_eq!(&scalars[..], ours.scalars());

        let back = JointMap::for_clips(&to, &from, [&here]).unwrap();
        prop_assert_eq!(back.apply(&to, &here).unwrap(), there);
    }

    /// A joint that is there twice, on either side, refuses every clip that moves it and no other.
    #[test]
    fn doubt_is_always_refused((source, target, order) in shuffled(), pick in any::<prop::sample::Index>(), on_source: bool) {
        let (mut source, mut target) = (source, target);
        let twice = pick.index(source.len());
        // Neither copy has the exact name of the other side, which would settle it.
        if on_source {
            source[twice] = format!("one:Joint{}", order[twice]);
            source.push(format!("two:Joint{}", order[twice]));
        } else {
            target[order[twice]] = format!("one:Joint{}", order[twice]);
            target.push(format!("two:Joint{}", order[twice]));
        }
        let (from, to) = (skeleton(&source, &[]), skeleton(&target, &[]));
        let all: Vec<u16> = (0..source.len() as u16).collect();
        let error = JointMap::for_clips(&from, &to, [&clip(&all, &[])]).unwrap_err();
        let named = format!("`{}` could mean `", source[twice]);
        prop_assert!(error.to_string().contains(&named), "{}", error);
        let still: Vec<u16> = all.into_iter().filter(|&joint| usize::from(joint) != twice).collect();
        let map = JointMap::for_clips(&from, &to, [&clip(&still, &[])]).unwrap();
        prop_assert_eq!(still.iter().filter(|&&joint| map.joint(joint).is_none()).count(), 0);
        prop_assert_eq!(map.joint(twice as u16), None);
    }
}
