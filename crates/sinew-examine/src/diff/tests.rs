use super::*;
use glam::Quat;
use sinew::CharacterData;
use sinew::{ClipLibrary, Interpolation, Joint, JointTracks, Skeleton, Space, Track, Transform};

/// An arm of two bones, 0.9 m each, whose elbow a clip turns by `angle` within a second.
fn arm(prefix: &str, clip: &str, angle: f32, unit: f32) -> Character {
    let up = |metres: f32| Transform::from_translation(Vec3::Y * (metres / unit));
    let joint = |name: &str, parent, at| Joint::new(format!("{prefix}{name}"), parent, at);
    let joints = vec![
        joint("shoulder", None, up(0.0)),
        joint("elbow", Some(0), up(0.9)),
        joint("wrist", Some(1), up(0.9)),
    ];
    let turn =
        Track::new(vec![0.0, 1.0], vec![Quat::IDENTITY, Quat::from_rotation_z(angle)], Interpolation::Linear);
    let tracks = JointTracks { rotation: Some(turn.unwrap()), ..JointTracks::new(1) };
    let clips = ClipLibrary::new([
        Clip::new(clip, 1.0, vec![tracks], vec![]).unwrap(),
        Clip::new("still", 2.0, vec![], vec![]).unwrap(),
    ]);
    Character::new(CharacterData {
        name: "arm".into(),
        skeleton: Skeleton::new(joints, vec![]).unwrap(),
        meshes: vec![],
        materials: vec![],
        textures: vec![],
        clips,
        space: Space { unit_meters: unit, ..Space::CANONICAL },
    })
    .unwrap()
}

#[test]
fn the_same_is_the_same_in_any_unit_and_under_any_prefix() {
    let result = diff(&arm("", "bend", 1.0, 1.0), &arm("rig:", "bend", 1.0, 0.01), None, 30.0).unwrap();
    let (_, worst) = result.worst().unwrap();
    assert!(worst.distance < 1e-3, "{worst:?}");
    assert_eq!(result.joints, ["shoulder", "elbow", "wrist"]);
    assert_eq!(result.series.len(), 3, "rest and two clips");
    assert!(result.is_within(result.budget) && (result.budget - 0.1).abs() < 1e-6);
}

#[test]
fn the_worst_is_named_with_its_time() {
    let result = diff(&arm("", "bend", 1.0, 1.0), &arm("", "bend", 1.2, 1.0), None, 30.0).unwrap();
    let (series, worst) = result.worst().unwrap();
    assert_eq!((series.clip.as_deref(), result.joints[worst.joint].as_str()), (Some("bend"), "wrist"));
    assert_eq!(worst.time, 1.0);
    // The chord of 0.2 radians: at the wrist, and at its point 3 cm farther out along the arm.
    let chord = |radius: f32| 2.0 * (0.1f32).sin() * radius * 1e3;
    assert!((worst.distance - chord(0.93)).abs() < 0.01, "{} is not {}", worst.distance, chord(0.93));
    let elbow = &series.distances[1];
    assert!((elbow.last().unwrap() - chord(0.03)).abs() < 0.01, "turned in place: {elbow:?}");
    assert!(!result.is_within(100.0) && result.is_within(200.0));
}

#[test]
fn what_only_one_has_is_told() {
    let a = arm("", "bend", 1.0, 1.0);
    let result = diff(&a, &arm("", "wave", 1.0, 1.0), None, 30.0).unwrap();
    assert_eq!(
        (&result.unmatched[0].clips, &result.unmatched[1].clips),
        (&vec!["bend".to_owned()], &vec!["wave".to_owned()])
    );
    assert!(!result.is_within(f32::INFINITY));
    let single =
        |c: &Character| c.with_clips(ClipLibrary::new([c.clips().get(0).unwrap().as_ref().clone()])).unwrap();
    let result = diff(&single(&a), &single(&arm("", "wave", 1.0, 1.0)), None, 30.0).unwrap();
    assert!(result.is_within(0.001), "two single clips are compared whatever their names");
    let error = diff(&a, &single(&arm("x_", "bend", 1.0, 1.0)), None, 30.0).unwrap_err();
    assert!(error.to_string().contains("`x_shoulder`"), "{error}");
}

/// The arm with joints beside it that nothing moves.
fn with_joints(arm: &Character, names: &[&str]) -> Character {
    let more = names.iter().map(|name| Joint::new(*name, Some(0), Transform::IDENTITY));
    let joints = arm.skeleton().joints().chain(more).collect();
    Character::new(CharacterData {
        name: "arm".into(),
        skeleton: Skeleton::new(joints, vec![]).unwrap(),
        meshes: vec![],
        materials: vec![],
        textures: vec![],
        clips: arm.clips().clone(),
        space: arm.space(),
    })
    .unwrap()
}

#[test]
fn doubt_matters_where_a_clip_moves_the_joint() {
    let plain = arm("", "bend", 1.0, 1.0);
    let (a, b) = (with_joints(&plain, &["end", "end"]), with_joints(&plain, &["end"]));
    let result = diff(&a, &b, None, 30.0).unwrap();
    assert_eq!(result.joints, ["shoulder", "elbow", "wrist"]);
    assert_eq!((result.unmatched[0].joints.len(), result.unmatched[1].joints.len()), (2, 1));
    // The clips turn `elbow`, which could be either of the other's.
    let twice = with_joints(&arm("a:", "bend", 1.0, 1.0), &["b:elbow"]);
    for (a, b) in [(&plain, &twice), (&twice, &plain)] {
        let error = diff(a, b, None, 30.0).unwrap_err().to_string();
        assert!(error.contains("`elbow` could mean `a:elbow` or `b:elbow`"), "{error}");
    }
}

#[test]
fn a_shorter_clip_holds_its_end() {
    let a = arm("", "bend", 1.0, 1.0);
    let longer = |c: &Character| {
        let clip = c.clips().get(0).unwrap();
        let clip = Clip::new("bend", 1.5, clip.keys().unwrap().joints().to_vec(), vec![]).unwrap();
        c.with_clips(ClipLibrary::new([clip, Clip::new("still", 2.0, vec![], vec![]).unwrap()])).unwrap()
    };
    let result = diff(&a, &longer(&a), None, 30.0).unwrap();
    assert_eq!(result.series[1].durations, [1.0, 1.5]);
    assert!((result.series[1].times.last().unwrap() - 1.5).abs() < 1e-9);
    assert!(result.worst().unwrap().1.distance < 1e-3);
    assert!(!result.is_within(1e-3), "near, but not of one length");
}
