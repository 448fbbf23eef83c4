//! Ordinary files must have no findings; `tests/doctor_fixtures.rs` tests that each check reports its fixture.

use super::*;
use glam::{Quat, Vec3};
use sinew::CharacterData;
use sinew::{
    Character, ClipLibrary, Influences, Interpolation, Joint, JointTracks, Mesh, Skeleton, Skin, Space,
    Track, Transform,
};
use sinew_import::SourceInfo;
use std::f32::consts::{FRAC_PI_2, PI, TAU};
use std::sync::LazyLock;

const JOINTS: [(&str, Option<u16>, [f32; 3]); 12] = [
    ("Hips", None, [0.0, 1.0, 0.0]),
    ("Spine", Some(0), [0.0, 0.3, 0.0]),
    ("Head", Some(1), [0.0, 0.4, 0.0]),
    ("LeftArm", Some(1), [0.2, 0.2, 0.0]),
    ("LeftHand", Some(3), [0.6, 0.0, 0.0]),
    ("RightArm", Some(1), [-0.2, 0.2, 0.0]),
    ("RightHand", Some(5), [-0.6, 0.0, 0.0]),
    ("LeftLeg", Some(0), [0.1, 0.0, 0.0]),
    ("LeftFoot", Some(7), [0.0, -0.9, 0.0]),
    ("RightLeg", Some(0), [-0.1, 0.0, 0.0]),
    ("RightFoot", Some(9), [0.0, -0.9, 0.0]),
    ("Sword", Some(6), [-0.1, 0.0, 0.0]),
];

/// A character with a vertex on every joint but the sword, and one on the ground and above the head.
fn character(clips: Vec<Clip>) -> Character {
    let joints =
        JOINTS.map(|(name, parent, at)| Joint::new(name, parent, Transform::from_translation(at.into())));
    let skeleton = Skeleton::new(joints.to_vec(), vec![]).unwrap();
    let mut places: Vec<Vec3> = Vec::new();
    for (_, parent, at) in JOINTS {
        places.push(parent.map_or(Vec3::ZERO, |p| places[usize::from(p)]) + Vec3::from_array(at));
    }
    let mut positions = places[..11].to_vec();
    positions.extend([Vec3::ZERO, Vec3::Y * 1.8]);
    let skin_joints = (0..11u16).chain([8, 2]).flat_map(|joint| [joint, 0, 0, 0]).collect();
    let mesh = Mesh {
        skin: Some(Skin {
            joints: (0..11).collect(),
            inverse_binds: places[..11].iter().map(|&p| Mat3x4::from_translation(-p)).collect(),
        }),
        influences: Influences {
            per_vertex: 4,
            skin_joints,
            weights: [1.0, 0.0, 0.0, 0.0].repeat(13).into(),
            ..Influences::default()
        },
        positions: positions.into(),
        ..Mesh::new("Body")
    };
    Character::new(CharacterData {
        name: "character".into(),
        skeleton,
        meshes: vec![mesh],
        materials: vec![],
        textures: vec![],
        clips: ClipLibrary::new(clips),
        space: Space::CANONICAL,
    })
    .unwrap()
}

type Turn = fn(f32) -> Quat;
type Move = fn(f32) -> Vec3;

/// A clip of one second from functions of the time, 30 keys a second.
fn clip(turns: &[(&str, Turn)], moves: &[(&str, Move)]) -> Clip {
    let joint = |name: &str| JOINTS.iter().position(|j| j.0 == name).unwrap() as u16;
    let times: Vec<f32> = (0..=30).map(|i| i as f32 / 30.0).collect();
    let mut tracks: Vec<_> = (0..JOINTS.len() as u16).map(JointTracks::new).collect();
    for (name, turn) in turns {
        let values = times.iter().map(|&t| turn(t)).collect();
        let track = Track::new(times.clone(), values, Interpolation::Linear).unwrap();
        tracks[usize::from(joint(name))].rotation = Some(track);
    }
    for (name, at) in moves {
        let values = times.iter().map(|&t| at(t)).collect();
        let track = Track::new(times.clone(), values, Interpolation::Linear).unwrap();
        tracks[usize::from(joint(name))].translation = Some(track);
    }
    tracks.retain(|t| !t.is_empty());
    Clip::new("clip", 1.0, tracks, vec![]).unwrap()
}

fn wave(t: f32) -> f32 {
    (t * TAU).sin()
}

/// Limbs that swing and come back.
const SWING: [(&str, Turn); 5] = [
    ("Spine", |t| Quat::from_rotation_z(0.1 * wave(t))),
    ("LeftArm", |t| Quat::from_rotation_y(0.5 * wave(t))),
    ("RightArm", |t| Quat::from_rotation_y(0.5 * wave(t))),
    ("LeftLeg", |t| Quat::from_rotation_x(0.5 * wave(t))),
    ("RightLeg", |t| Quat::from_rotation_x(-0.5 * wave(t))),
];

/// The swing with some functions replaced or added.
fn swing(turns: &[(&'static str, Turn)], moves: &[(&str, Move)]) -> Clip {
    let kept = SWING.iter().filter(|(name, _)| !turns.iter().any(|(n, _)| n == name));
    clip(&kept.chain(turns).copied().collect::<Vec<_>>(), moves)
}

fn source<'a>(file: &'a str, character: &'a Character) -> Source<'a> {
    static UNKNOWN: LazyLock<SourceInfo> = LazyLock::new(SourceInfo::default);
    Source { file, character, info: &UNKNOWN, findings: &[] }
}

fn report(clip: Clip) -> Report {
    let character = character(vec![clip]);
    examine(source("hero.fbx", &character), &[])
}

fn ids(report: &Report) -> Vec<&str> {
    report.findings.iter().map(Finding::id).collect()
}

fn silent(clip: Clip) {
    let report = report(clip);
    assert!(report.findings.is_empty() && report.consequences.is_empty(), "{:#?}", report.findings);
    assert_eq!(report.verdict(), Verdict::Healthy);
}

#[test]
fn ordinary_poses_are_not_far_from_rest() {
    silent(swing(&[], &[]));
    let arms: [(&str, Turn); 2] = [
        ("LeftArm", |_| Quat::from_rotation_z(-1.4)),
        ("RightArm", |t| Quat::from_rotation_z(1.4 + 1.2 * wave(t)) * Quat::from_rotation_x(2.0)),
    ];
    silent(swing(&arms, &[]));
    let sitting: [(&str, Turn); 2] =
        [("LeftLeg", |_| Quat::from_rotation_x(-1.9)), ("RightLeg", |_| Quat::from_rotation_x(-2.2))];
    silent(swing(&sitting, &[("Hips", |_| Vec3::Y * 0.4)]));
    let twisted: [(&str, Turn); 1] = [("LeftLeg", |_| Quat::from_rotation_y(3.0))];
    silent(swing(&twisted, &[]));
    let back: [(&str, Turn); 1] = [("Hips", |_| Quat::from_rotation_y(PI))];
    silent(swing(&back, &[]));
    let upwards: [(&str, Turn); 2] =
        [("LeftLeg", |_| Quat::from_rotation_z(PI)), ("RightLeg", |_| Quat::from_rotation_z(PI))];
    let found = report(swing(&upwards, &[]));
    assert_eq!(ids(&found), ["clip.first-key-far-from-rest"]);
    assert_eq!((found.findings[0].count, found.findings[0].measured.unwrap().round()), (2, 180.0));
}

#[test]
fn lying_on_the_ground_is_meant_and_lying_in_the_air_is_not() {
    let lying: [(&str, Turn); 1] = [("Hips", |t| Quat::from_rotation_x(-FRAC_PI_2 + 0.05 * wave(t)))];
    silent(swing(&lying, &[("Hips", |_| Vec3::new(0.1, 0.12, 0.2))]));
    for moves in [&[][..], &[("Hips", (|t| Vec3::new(0.0, 1.0, 0.01 * wave(t))) as Move)]] {
        assert_eq!(ids(&report(swing(&lying, moves))), ["clip.axis-mismatch"]);
    }
    // Keys with Z up in a file that says Y: translation and rotation are turned together.
    let turned = report(swing(&lying, &[("Hips", |t| Vec3::new(0.0, 0.0, -1.0 + 0.01 * wave(t)))]));
    assert_eq!(ids(&turned), ["clip.axis-mismatch"]);
    // A dive passes through a right angle without staying there.
    let diving: [(&str, Turn); 1] = [("Hips", |t| Quat::from_rotation_x(-PI * t))];
    assert!(!ids(&report(swing(&diving, &[]))).contains(&"clip.axis-mismatch"));
}

#[test]
fn a_character_may_stand_anywhere_and_crouch() {
    silent(swing(&[], &[("Hips", |t| Vec3::new(80.0, 1.0 + 0.01 * wave(t), -60.0))]));
    silent(swing(&[], &[("Hips", |t| Vec3::new(0.0, 0.2 + 0.01 * wave(t), 0.0))]));
    for (factor, at) in [(100.0, (|_| Vec3::Y * 100.0) as Move), (100.0, |_| Vec3::Y * 0.01)] {
        let found = report(swing(&[], &[("Hips", at)]));
        assert_eq!(ids(&found), ["clip.unit-mismatch"]);
        assert!((found.findings[0].measured.unwrap() - factor).abs() < 0.1);
        assert_eq!(found.verdict(), Verdict::Broken);
    }
}

#[test]
fn a_wrong_unit_explains_what_follows() {
    let moves: [(&str, Move); 4] = [
        ("Hips", |t| Vec3::new(0.0, 100.0 + 30.0 * t, 140.0 * t)),
        ("Spine", |t| Vec3::new(0.0, 30.0 + 5.0 * wave(t), 0.0)),
        ("LeftFoot", |_| Vec3::Y * -90.0),
        ("LeftHand", |_| Vec3::X * 60.0),
    ];
    let found = report(swing(&[], &moves));
    assert_eq!(ids(&found), ["clip.unit-mismatch"]);
    let consequences: Vec<_> = found.consequences.iter().map(|c| (c.finding.id(), c.cause)).collect();
    let unit = "clip.unit-mismatch";
    assert_eq!(
        consequences,
        [("clip.bone-stretch", unit), ("clip.loop-seam", unit), ("clip.travelling-root", unit)]
    );
}

#[test]
fn props_fingers_and_growth_are_not_reported_as_stretch() {
    silent(swing(&[], &[("Sword", |t| Vec3::X * (-0.1 - 0.5 * wave(t).abs()))]));
    silent(swing(&[], &[("Spine", |t| Vec3::Y * (0.3 + 0.012 * wave(t)))]));
    let mut grows = swing(&[], &[]);
    let scales = vec![Vec3::ONE, Vec3::splat(1.5), Vec3::ONE];
    let track = Track::new(vec![0.0, 0.5, 1.0], scales, Interpolation::Linear).unwrap();
    let mut tracks = grows.keys().unwrap().joints().to_vec();
    tracks.insert(0, JointTracks { scale: Some(track), ..JointTracks::new(0) });
    grows = Clip::new("grows", 1.0, tracks, vec![]).unwrap();
    silent(grows);
    let found = report(swing(&[], &[("Spine", |t| Vec3::Y * (0.3 + 0.1 * wave(t)))]));
    assert_eq!(ids(&found), ["clip.bone-stretch"]);
}

#[test]
fn only_loops_have_seams() {
    // Half a swing: everything ends elsewhere, so it is not meant to loop.
    let once: Vec<(&str, Turn)> = vec![
        ("Spine", |t| Quat::from_rotation_z(0.4 * t)),
        ("LeftArm", |t| Quat::from_rotation_y(0.9 * t)),
        ("RightArm", |t| Quat::from_rotation_y(0.9 * t)),
        ("LeftLeg", |t| Quat::from_rotation_x(0.9 * t)),
        ("RightLeg", |t| Quat::from_rotation_x(-0.9 * t)),
    ];
    silent(clip(&once, &[("Hips", |t| Vec3::new(0.0, 1.0 - 0.5 * t, t))]));
    // A turn to the left ends in its first pose, facing elsewhere.
    let left: [(&str, Turn); 1] = [("Hips", |t| Quat::from_rotation_y(FRAC_PI_2 * t))];
    silent(swing(&left, &[]));
    let loose: [(&str, Turn); 1] = [("Head", |t| Quat::from_rotation_y(0.5 * t))];
    assert_eq!(ids(&report(swing(&loose, &[]))), ["clip.loop-seam"]);
    assert_eq!(ids(&report(swing(&[], &[("Hips", |t| Vec3::new(0.0, 1.0, t))]))), ["clip.travelling-root"]);
    silent(swing(&[], &[("Hips", |t| Vec3::new(0.0, 1.0, 0.015 * t))]));
}

#[test]
fn a_loop_without_its_last_frame_is_a_loop_that_jumps() {
    let short: Vec<(&str, Turn)> = vec![
        ("Spine", |t| Quat::from_rotation_z(0.1 * wave(t * 29.0 / 30.0))),
        ("LeftArm", |t| Quat::from_rotation_y(0.8 * wave(t * 29.0 / 30.0))),
        ("RightArm", |t| Quat::from_rotation_y(0.8 * wave(t * 29.0 / 30.0))),
        ("LeftLeg", |t| Quat::from_rotation_x(0.8 * wave(t * 29.0 / 30.0))),
        ("RightLeg", |t| Quat::from_rotation_x(-0.8 * wave(t * 29.0 / 30.0))),
    ];
    assert_eq!(ids(&report(clip(&short, &[]))), ["clip.loop-seam"]);
}

#[test]
fn fast_motion_is_not_a_jerk() {
    // The arm reverses abruptly in the middle too, so the change at the seam is not reported.
    let chop: [(&str, Turn); 1] = [("LeftArm", |t| Quat::from_rotation_y(1.5 * (2.0 * t - 1.0).abs()))];
    silent(swing(&chop, &[]));
    let jerk: [(&str, Turn); 1] = [("LeftArm", |t| Quat::from_rotation_y(8.0 * t * (1.0 - t)))];
    assert_eq!(ids(&report(swing(&jerk, &[]))), ["clip.loop-speed"]);
}

#[test]
fn a_pose_is_not_meant_to_move() {
    let still: [(&str, Turn); 1] = [("Head", |_| Quat::from_rotation_y(0.3))];
    assert_eq!(ids(&report(clip(&still, &[]))), ["clip.moves-nothing"]);
    let tracks = clip(&still, &[]).keys().unwrap().joints()[0].clone();
    let rotation = Track::constant(tracks.rotation.unwrap().values()[0]).unwrap();
    let tracks = JointTracks { rotation: Some(rotation), ..JointTracks::new(2) };
    silent(Clip::new("pose", 0.0, vec![tracks], vec![]).unwrap());
}

#[test]
fn refused_files_are_findings() {
    let base = character(vec![]);
    let other = |name: &str, space: Space| {
        let skeleton = Skeleton::new(vec![Joint::new(name, None, Transform::IDENTITY)], vec![]).unwrap();
        let rotation = Track::new(
            vec![0.0, 1.0],
            vec![Quat::IDENTITY, Quat::from_rotation_x(1.0)],
            Interpolation::Linear,
        );
        let tracks = JointTracks { rotation: Some(rotation.unwrap()), ..JointTracks::new(0) };
        Character::new(CharacterData {
            name: "other".into(),
            skeleton,
            meshes: vec![],
            materials: vec![],
            textures: vec![],
            clips: ClipLibrary::new([Clip::new("wag", 1.0, vec![tracks], vec![]).unwrap()]),
            space,
        })
        .unwrap()
    };
    let (tail, head) = (other("Tail", Space::CANONICAL), other("x:Head", Space::CANONICAL));
    let Merged { table, .. } = merge(&base, &head, "nod.fbx").unwrap();
    let found = examine(source("hero.fbx", &base), &[source("wag.fbx", &tail), source("nod.fbx", &head)]);
    assert_eq!(ids(&found), ["clip.no-matching-joints"]);
    assert_eq!((found.tables.len(), &found.tables[1]), (2, &table));
    assert_eq!(found.files.iter().map(|f| f.clips.len()).collect::<Vec<_>>(), [0, 0, 1]);
    assert_eq!((found.files[0].vertices, found.files[0].joints), (13, 12));
    let feet = other("Head", Space { unit_meters: 0.3048, ..Space::CANONICAL });
    let found = examine(source("hero.fbx", &base), &[source("feet.fbx", &feet), source("nod.fbx", &head)]);
    assert_eq!(ids(&found), ["clip.space-differs"]);
    let tables: Vec<_> = found.tables.iter().map(|t| (t.file.as_str(), t.total())).collect();
    assert_eq!(tables, [("feet.fbx", 0), ("nod.fbx", 1)], "each file has its table");
}

#[test]
fn findings_of_a_kind_stand_together_largest_first() {
    let seams = [0.1f32, 0.4, 0.2].map(|height| {
        let mut tracks = swing(&[], &[]).keys().unwrap().joints().to_vec();
        let values = vec![Vec3::Y, Vec3::Y * (1.0 + height)];
        let translation = Some(Track::new(vec![0.0, 1.0], values, Interpolation::Linear).unwrap());
        tracks.insert(0, JointTracks { translation, ..JointTracks::new(0) });
        Clip::new(format!("rise {height}"), 1.0, tracks, vec![]).unwrap()
    });
    let mut clips = seams.to_vec();
    clips.insert(1, swing(&[], &[("Hips", |t| Vec3::new(t, 1.0, 0.0))]));
    clips.insert(0, swing(&[], &[("Hips", |_| Vec3::Y * 100.0)]));
    let character = character(clips);
    let found = examine(source("hero.fbx", &character), &[]);
    let groups: Vec<_> = found.groups().map(|g| (g[0].id(), g.len(), g[0].place.as_str())).collect();
    assert_eq!(
        groups,
        [
            ("clip.unit-mismatch", 1, "hero.fbx: clip"),
            ("clip.loop-seam", 3, "hero.fbx: rise 0.4"),
            ("clip.travelling-root", 1, "hero.fbx: clip"),
        ]
    );
}

#[test]
fn a_pose_that_overflows_is_an_error() {
    let far: Move = |_| Vec3::splat(3e38);
    let report = report(swing(&[], &[("Spine", far), ("Head", far)]));
    assert_eq!(ids(&report), ["pose.not-finite"]);
    assert_eq!(report.verdict(), Verdict::Broken);
    assert!(report.findings[0].message.contains("`Head`"), "{}", report.findings[0].message);
}

#[test]
fn a_rest_pose_that_overflows_is_an_error() {
    let joints = [("Root", None), ("Child", Some(0))].map(|(name, parent)| {
        Joint::new(name, parent, Transform { scale: Vec3::splat(1e30), ..Transform::IDENTITY })
    });
    let character = Character::new(CharacterData {
        name: "figure".into(),
        skeleton: Skeleton::new(joints.to_vec(), vec![]).unwrap(),
        meshes: vec![],
        materials: vec![],
        textures: vec![],
        clips: ClipLibrary::new(vec![]),
        space: Space::CANONICAL,
    })
    .unwrap();
    let report = examine(source("huge.fbx", &character), &[]);
    assert!(ids(&report).contains(&"pose.not-finite"), "{:#?}", report.findings);
}
