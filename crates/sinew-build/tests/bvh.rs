//! Clips written as BVH and read again: joints where they were, and turned from their rest as they were.

use glam::{DAffine3, DQuat, Vec3};
use sinew::{
    Character, CharacterData, Clip, ClipInfo, ClipLibrary, Event, Interpolation, Joint, JointTracks, Pose,
    Scalar, ScalarTrack, Skeleton, Space, Track, Transform,
};
use sinew_build::bvh::write_bvh;
use sinew_import::{Given, Imported, Options, SourceInfo, SpaceMode, import, import_bytes};
use sinew_testkit::{fbx, humanoid};
use std::path::{Path, PathBuf};

/// Where each joint is, and how it is turned from its rest, in model space.
fn joints(character: &Character, clip: &Clip, time: f64) -> Vec<(DAffine3, DQuat)> {
    let skeleton = character.skeleton();
    let mut out: Vec<(DAffine3, DQuat, DQuat)> = Vec::new();
    let pose = Pose::of_clip(skeleton, clip, time).unwrap();
    for (joint, (local, rest)) in (0u16..).zip(pose.iter().zip(skeleton.rest().iter())) {
        let none = (DAffine3::IDENTITY, DQuat::IDENTITY, DQuat::IDENTITY);
        let above = skeleton.parent(joint).map_or(none, |parent| out[usize::from(parent)]);
        let rotation = local.rotation.as_dquat().normalize();
        let (scale, translation) = (local.scale.as_dvec3(), local.translation.as_dvec3());
        let matrix = DAffine3::from_scale_rotation_translation(scale, rotation, translation);
        out.push((above.0 * matrix, above.1 * rotation, above.2 * rest.rotation.as_dquat().normalize()));
    }
    out.into_iter().map(|(model, rotation, rest)| (model, rotation * rest.conjugate())).collect()
}

/// Writes all clips, reads them again, and compares them at frames. Gives the largest error of a place, relative to the size of the figure, and of a turn, in radians.
fn round_trip(imported: &Imported) -> (f64, f64) {
    let character = &imported.character;
    let written = write_bvh("out.bvh", character, &SourceInfo::default()).unwrap();
    assert_eq!(written.files.len(), character.clips().len().max(1));
    let options = Options::default().with(|options| options.bvh_unit = Given::Value(0.01));
    let (mut place, mut turn) = (0.0f64, 0.0f64);
    for index in 0..character.clips().len() {
        let file = if index == 0 { written.files.last() } else { written.files.get(index - 1) }.unwrap();
        let back = import_bytes(&file.bytes, Path::new(&file.name), &options).unwrap();
        let (before, after) = (character.clips().get(index).unwrap(), back.character.clips().get(0).unwrap());
        assert!(
            (before.duration() - after.duration()).abs() < 1e-5,
            "{} {}",
            before.duration(),
            after.duration()
        );
        let skeleton = back.character.skeleton();
        let frames = after.keys().unwrap().joint(0).unwrap().times().count().max(2);
        let names: Vec<u16> = (0..skeleton.len() as u16).collect();
        for frame in (0..frames).step_by((frames / 40).max(1)) {
            let time = f64::from(after.duration()) * frame as f64 / (frames - 1) as f64;
            let (a, b) = (joints(character, &before, time), joints(&back.character, &after, time));
            assert_eq!(a.len(), b.len());
            // The file has children behind their parents, in any order that has: pairs are found by path.
            for &joint in &names {
                let old = usize::from(find(character, &back.character, joint));
                let new = usize::from(joint);
                place = place
                    .max(a[old].0.translation.distance(b[new].0.translation) / f64::from(character.size()));
                turn = turn.max(2.0 * (a[old].1 * b[new].1.conjugate()).xyz().length());
            }
        }
    }
    (place, turn)
}

/// The joint of the original that a joint which was read again stands for: the one at the same place in a walk through all joints.
fn find(before: &Character, after: &Character, joint: u16) -> u16 {
    let order = walk(before);
    let place = walk(after).iter().position(|&other| other == joint).unwrap();
    let found = order[place];
    assert_eq!(before.skeleton().name(found), after.skeleton().name(joint));
    found
}

fn walk(character: &Character) -> Vec<u16> {
    let skeleton = character.skeleton();
    let children = |parent: Option<u16>| {
        (0..skeleton.len() as u16).filter(move |&joint| skeleton.parent(joint) == parent)
    };
    let mut order = Vec::new();
    let mut todo: Vec<u16> = children(None).collect::<Vec<_>>().into_iter().rev().collect();
    while let Some(joint) = todo.pop() {
        order.push(joint);
        todo.extend(children(Some(joint)).collect::<Vec<_>>().into_iter().rev());
    }
    order
}

fn read(bytes: &[u8], name: &str) -> Imported {
    let options = Options::default().with(|options| options.space = SpaceMode::Canonical);
    import_bytes(bytes, Path::new(name), &options).unwrap()
}

#[test]
fn a_dance_comes_back() {
    let text = sinew_testkit::bvh::Figure::dancer(100).text();
    let imported = read(text.as_bytes(), "dance.bvh");
    let (place, turn) = round_trip(&imported);
    assert!(place < 1e-6 && turn < 1e-5, "{place:.1e} {turn:.1e}");
    let written = write_bvh("dance.bvh", &imported.character, &imported.source).unwrap();
    assert!(written.findings.is_empty(), "{:?}", written.findings);
}

#[test]
fn joints_that_are_turned_at_rest_come_back() {
    let file = fbx::write(&humanoid::clip(humanoid::Motion::ALL[0]));
    let (place, turn) = round_trip(&read(file.as_bytes(), "walk.fbx"));
    assert!(place < 1e-6 && turn < 1e-5, "{place:.1e} {turn:.1e}");
}

#[test]
fn what_bvh_cannot_hold_is_a_finding() {
    let ids = |character: &Character| -> Vec<&str> {
        write_bvh("out.bvh", character, &SourceInfo::default())
            .unwrap()
            .findings
            .iter()
            .map(|finding| finding.kind.id)
            .collect()
    };
    let hero = read(fbx::write(&humanoid::character()).as_bytes(), "hero.fbx");
    assert_eq!(ids(&hero.character), ["bvh.meshes-left-out", "bvh.several-roots"]);
    let joint = |name: &str| Joint::new(name, None, Transform::IDENTITY);
    let scalar = Scalar { name: "smile".to_owned(), rest: 0.0 };
    let skeleton = Skeleton::new(vec![joint("a"), joint("b")], vec![scalar]).unwrap();
    let scale =
        Track::new(vec![0.0, 0.3, 1.0], vec![Vec3::ONE, Vec3::ONE * 2.0, Vec3::ONE], Interpolation::Linear);
    let tracks = JointTracks { scale: Some(scale.unwrap()), ..JointTracks::new(0) };
    let smile = ScalarTrack { scalar: 0, track: Track::constant(1.0).unwrap() };
    let clip = Clip::new("odd", 1.0, vec![tracks], vec![smile]).unwrap();
    let clip = clip.with_events(vec![Event::new(0.5, "step")]).unwrap();
    let mut clips = ClipLibrary::default();
    clips.add_with(ClipInfo::from("odd"), clip);
    let character = Character::new(CharacterData {
        name: "odd".to_owned(),
        skeleton,
        meshes: vec![],
        materials: vec![],
        textures: vec![],
        clips,
        space: Space::CANONICAL,
    })
    .unwrap();
    let left_out = [
        "bvh.several-roots",
        "bvh.scale-left-out",
        "bvh.curves-left-out",
        "bvh.events-left-out",
        "bvh.resampled",
    ];
    assert_eq!(ids(&character), left_out);
}

#[test]
fn motion_capture_comes_back() {
    let Some(corpus) = std::env::var_os("SINEW_CORPUS").filter(|f| !f.is_empty()).map(PathBuf::from) else {
        #[allow(clippy::print_stdout, reason = "skip notes are for whoever runs the tests")]
        {
            println!("SINEW-SKIP: motion_capture_comes_back: corpus not set");
        }
        return;
    };
    for file in ["cmu/02_01.bvh", "cmu/90_11.bvh", "three/gltf/Xbot.glb", "ozz/fbx/pab/walk.fbx"] {
        let imported = import(&corpus.join(file), &Options::default()).unwrap();
        let (place, turn) = round_trip(&imported);
        #[allow(clippy::print_stdout, reason = "for whoever runs the tests")]
        {
            println!("{file}: place {place:.1e} of D, turn {turn:.1e} rad");
        }
        assert!(place < 2e-6 && turn < 2e-5, "{file}: {place:.1e} {turn:.1e}");
    }
}
