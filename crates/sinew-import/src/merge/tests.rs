use super::*;
use glam::{Quat, Vec3};
use sinew::ChannelKind;
use sinew::CharacterData;
use sinew::Scalar;
use sinew::names::Match;
use sinew::{Event, Interpolation, Joint, JointTracks, Skeleton, Track, Transform};
use std::sync::LazyLock;

/// A character whose joints hang on one another in the order given.
fn character(joints: &[&str], scalars: &[&str], clips: Vec<Clip>) -> Character {
    let joint =
        |(i, name): (u16, &&str)| Joint::new(*name, i.checked_sub(1), Transform::from_translation(Vec3::Y));
    let scalar = |name: &&str| Scalar { name: (*name).to_owned(), rest: 0.0 };
    let skeleton =
        Skeleton::new((0u16..).zip(joints).map(joint).collect(), scalars.iter().map(scalar).collect());
    Character::new(CharacterData {
        name: "hero".into(),
        skeleton: skeleton.unwrap(),
        meshes: vec![],
        materials: vec![],
        textures: vec![],
        clips: ClipLibrary::new(clips),
        space: Space::CANONICAL,
    })
    .unwrap()
}

/// A clip that turns each joint by its own angle, and sets each scalar to its own value.
fn clip(name: &str, joints: &[u16], scalars: &[u16]) -> Clip {
    let turn = |&joint: &u16| {
        let turns = vec![Quat::IDENTITY, Quat::from_rotation_x(0.1 * (f32::from(joint) + 1.0))];
        let rotation = Track::new(vec![0.0, 1.0], turns, Interpolation::Linear).unwrap();
        JointTracks { rotation: Some(rotation), ..JointTracks::new(joint) }
    };
    let set = |&scalar: &u16| sinew::ScalarTrack {
        scalar,
        track: Track::constant(f32::from(scalar) + 1.0).unwrap(),
    };
    Clip::new(name, 1.0, joints.iter().map(turn).collect(), scalars.iter().map(set).collect()).unwrap()
}

fn source<'a>(file: &'a str, character: &'a Character) -> Source<'a> {
    static UNKNOWN: LazyLock<SourceInfo> = LazyLock::new(SourceInfo::default);
    Source { file, character, info: &UNKNOWN, findings: &[] }
}

fn ids(findings: &[Finding]) -> Vec<&str> {
    findings.iter().map(Finding::id).collect()
}

#[test]
fn tracks_find_their_joints_in_any_order_and_under_any_prefix() {
    let base =
        character(&["mixamorig:Hips", "mixamorig:Spine", "mixamorig:Head"], &["smile", "blink"], vec![]);
    let event = Event::new(0.5, "step");
    let walk = clip("walk", &[0, 1, 2, 3], &[0, 1]).with_events(vec![event]).unwrap();
    let file = character(
        &["mixamorig1:Head", "Camera", "mixamorig:Hips", "mixamorig1:Spine"],
        &["frown", "smile"],
        vec![walk.clone()],
    );
    let merged = merge(&base, &file, "walk.fbx").unwrap();
    let [out] = &merged.clips[..] else { panic!("one clip") };
    for (joint, from) in [(0, 2), (1, 3), (2, 0)] {
        assert_eq!(
            out.keys().unwrap().joint(joint).unwrap().rotation,
            walk.keys().unwrap().joint(from).unwrap().rotation
        );
    }
    assert_eq!(out.keys().unwrap().joints().len(), 3);
    assert_eq!(
        out.keys().unwrap().scalars(),
        [sinew::ScalarTrack { scalar: 0, track: Track::constant(2.0).unwrap() }]
    );
    assert_eq!((out.duration(), out.events()), (1.0, walk.events()));
    let table = &merged.table;
    assert_eq!((table.exact(), table.prefix(), table.unmatched(), table.ambiguous()), (2, 2, 2, 0));
    assert_eq!((table.matched(), table.total()), (4, 6));
    assert_eq!(table.rows[0].channel, "mixamorig1:Head");
    assert_eq!(
        (table.rows[0].how.name(), &table.rows[0].targets[..]),
        ("prefix", &["mixamorig:Head".to_owned()][..])
    );
    assert_eq!((table.rows[1].how.clone(), table.rows[1].targets.len()), (Match::None, 0));
    assert_eq!(table.rows_of(ChannelKind::Scalar).count(), 2);
}

#[test]
fn only_what_moves_is_matched() {
    // Two joints called `End` that nothing moves are not ambiguous.
    let base = character(&["Hips", "End", "End"], &[], vec![]);
    let file = character(&["Hips", "End", "End"], &[], vec![clip("walk", &[0], &[])]);
    let merged = merge(&base, &file, "walk.fbx").unwrap();
    assert_eq!((merged.table.total(), merged.clips.len()), (1, 1));
}

#[test]
fn doubt_is_an_error_that_names_the_channel() {
    let base = character(&["Hips", "Foot", "Foot"], &[], vec![]);
    let file = character(&["Hips", "Foot"], &[], vec![clip("walk", &[0, 1], &[])]);
    let error = merge(&base, &file, "walk.fbx").unwrap_err();
    assert!(matches!(&error, MergeError::Ambiguous { names, .. } if names.rows.len() == 2), "{error}");
    let text = error.to_string();
    assert!(text.contains("walk.fbx") && text.contains("`Foot` could mean 2 joints called `Foot`"), "{text}");
    let file = character(&["x:Hips", "y:Hips"], &[], vec![clip("walk", &[0, 1], &[])]);
    let text = merge(&base, &file, "walk.fbx").unwrap_err().to_string();
    assert!(text.contains("`y:Hips` could mean `Hips`, as another channel does"), "{text}");
    let base = character(&["a:Hips", "b:Hips"], &[], vec![]);
    let file = character(&["Hips"], &[], vec![clip("walk", &[0], &[])]);
    let text = merge(&base, &file, "walk.fbx").unwrap_err().to_string();
    assert!(text.contains("`a:Hips` or `b:Hips`"), "{text}");
}

#[test]
fn clips_of_another_skeleton_are_refused_one_by_one() {
    let base = character(&["Hips", "Head"], &["smile"], vec![]);
    let clips = vec![
        clip("dog", &[2], &[0]),
        clip("nod", &[1], &[]),
        clip("empty", &[], &[]),
        clip("face", &[], &[0]),
        clip("frown", &[], &[1]),
    ];
    let file = character(&["Hips", "Head", "Tail"], &["smile", "frown"], clips);
    let merged = merge(&base, &file, "pack.fbx").unwrap();
    assert_eq!(merged.clips.iter().map(Clip::name).collect::<Vec<_>>(), ["nod", "face"]);
    assert_eq!(merged.sources, [1, 3]);
    assert_eq!(ids(&merged.findings), ["clip.no-matching-joints", "clip.empty", "clip.no-matching-joints"]);
    assert_eq!(merged.findings[0].place, "pack.fbx: dog");
    assert!(merged.findings[0].message.contains("Tail"), "{}", merged.findings[0].message);
    assert!(merged.findings[2].message.contains("frown"), "{}", merged.findings[2].message);
}

#[test]
fn spaces_must_be_one() {
    let base = character(&["Hips"], &[], vec![]);
    let file = character(&["Hips"], &[], vec![clip("walk", &[0], &[])]);
    let file = Character::new(CharacterData {
        name: "z".into(),
        skeleton: Skeleton::clone(file.skeleton()),
        meshes: vec![],
        materials: vec![],
        textures: vec![],
        clips: file.clips().clone(),
        space: Space { canonical: false, up: sinew::Axis::PlusZ, unit_meters: 0.01 },
    })
    .unwrap();
    let text = merge(&base, &file, "walk.fbx").unwrap_err().to_string();
    assert!(text.contains("+Z up, 0.01 m") && text.contains("canonical"), "{text}");
}

#[test]
fn every_clip_of_a_merged_character_has_its_name_and_origin() {
    let base = character(&["Hips", "Head"], &[], vec![clip("idle", &[0], &[]), clip("Walk", &[1], &[])]);
    let walk = character(&["Head", "Hips"], &[], vec![clip("walk", &[0], &[])]);
    let pack = character(&["Hips"], &[], vec![clip("idle", &[0], &[]), clip("run", &[0], &[])]);
    let dog = character(&["Tail"], &[], vec![clip("wag", &[0], &[])]);
    let files = [source("moves/forward.fbx", &walk), source("pack.fbx", &pack), source("dog.fbx", &dog)];
    let merged = merge_all(source("hero.fbx", &base), &files, &TagTable::default()).unwrap();
    let names: Vec<_> = merged.character.clips().names().collect();
    assert_eq!(names, ["idle", "Walk", "forward", "pack.idle", "run"]);
    let origins: Vec<_> =
        merged.origins.iter().map(|o| (o.name.as_str(), o.source_name.as_str(), o.file, o.clip)).collect();
    assert_eq!(origins[2..4], [("forward", "walk", 1, 0), ("pack.idle", "idle", 2, 0)]);
    assert_eq!(ids(&merged.findings), ["clip.name-taken", "clip.name-taken", "clip.no-matching-joints"]);
    assert_eq!((merged.tables.len(), merged.maps.len()), (3, 4));
    let map = merged.maps[1].as_ref().unwrap();
    assert_eq!((map.joint(0), map.joint(1)), (Some(1), None), "nothing moves its `Hips`");
    // The forward walk's `Head` is the base's second joint.
    assert_eq!(merged.character.clips().get(2).unwrap().keys().unwrap().joints()[0].joint, 1);
    assert!(std::sync::Arc::ptr_eq(merged.character.skeleton(), base.skeleton()));
}

#[test]
fn clips_keep_their_sources_and_inferred_tags_follow_new_names() {
    let base = character(&["Hips"], &[], vec![clip("Action", &[0], &[])]);
    let tagged = |tag: Option<&str>| {
        let mut clips = ClipLibrary::default();
        let info = ClipInfo { tag: tag.map(Into::into), ..ClipInfo::from("Action") };
        clips.add_with(info, clip("Action", &[0], &[]));
        base.with_clips(clips).unwrap()
    };
    let (plain, said) = (tagged(None), tagged(Some("Sneak")));
    let clips = vec![crate::SourceClip { start: 3.0, tag_inferred: false }];
    let info = SourceInfo { clips, ..SourceInfo::default() };
    let from = |file, character| Source { info: &info, ..source(file, character) };
    let files = [from("walk.fbx", &plain), from("run.fbx", &said)];
    let merged = merge_all(source("hero.fbx", &base), &files, &TagTable::default()).unwrap();
    let tags: Vec<_> =
        merged.character.clips().infos().map(|i| (i.name.as_str(), i.tag.as_deref())).collect();
    assert_eq!(tags, [("Action", None), ("walk", Some("Walk")), ("run", Some("Sneak"))]);
    let sources: Vec<_> = merged.source.clips.iter().map(|c| (c.start, c.tag_inferred)).collect();
    assert_eq!(sources, [(0.0, false), (3.0, true), (3.0, false)]);
}
