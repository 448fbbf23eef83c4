//! What a VRM says beside its model, in bundles: kept, whatever the order of joints, and used by retargeting.

use glam::Vec3;
use sinew::{Character, Clip, ClipLibrary, Event, JointTracks, Socket, Track, Transform};
use sinew_build::bundle::{BundleOptions, write_bundle};
use sinew_build::compress::compress;
use sinew_build::project::{Target, TargetOptions};
use sinew_compress::Profile;
use sinew_files::Disk;
use sinew_import::bundle::BundleFile;
use sinew_import::{Imported, Options, RetargetOptions, SourceInfo, Vrm, import_bytes, retarget};
use sinew_retarget::{Humanoid, Known, Method};
use sinew_testkit::vrm::{Version, animation, model};
use std::path::Path;

fn read(bytes: &[u8], name: &str) -> Imported {
    import_bytes(bytes, Path::new(name), &Options::default()).unwrap()
}

fn bundle(imported: &Imported, source: &SourceInfo, character: &Character) -> Vec<u8> {
    assert_eq!(imported.character.name(), character.name());
    write_bundle(character, source, &BundleOptions::default(), None).unwrap()
}

/// Roles by the names of their joints.
fn named(vrm: &Vrm, character: &Character) -> Vec<(String, String)> {
    let name = |joint: u16| character.skeleton().name(joint).to_owned();
    vrm.roles.iter().map(|(role, joint)| (role.clone(), name(*joint))).collect()
}

#[test]
fn bundles_keep_what_a_vrm_says() {
    for (bytes, name) in
        [(model(Version::V0), "old.vrm"), (model(Version::V1), "new.vrm"), (animation(), "dance.vrma")]
    {
        let imported = read(&bytes, name);
        let vrm = imported.source.vrm.as_deref().unwrap();
        let plain = bundle(&imported, &imported.source, &imported.character);
        let compressed = compress(&imported.character, &imported.source, Profile::Balanced).unwrap();
        // Joints in the opposite order as far as parents come first: the order that bits want may be the source's.
        let other = bundle(&imported, &compressed.source, &compressed.character);
        for bytes in [plain, other] {
            // As it lies in the file, and in the order of the source.
            let file = BundleFile::read(bytes.as_slice()).unwrap();
            let kept = file.source.vrm.as_deref().unwrap();
            assert_eq!(named(kept, &file.character), named(vrm, &imported.character), "{name}");
            let again = read(&bytes, "again.sinew");
            assert_eq!(again.source.vrm.as_deref(), Some(vrm), "{name}");
        }
    }
}

/// Every order of joints gives the roles back.
#[test]
fn roles_follow_their_joints() {
    let imported = read(&model(Version::V1), "new.vrm");
    let vrm = imported.source.vrm.as_deref().unwrap();
    let joints = imported.character.skeleton().len() as u16;
    let order: Vec<u16> = (0..joints).map(|joint| (joint * 7 + 3) % joints).collect();
    let mut back = vec![0u16; order.len()];
    (0u16..).zip(&order).for_each(|(new, &old)| back[usize::from(old)] = new);
    let moved = vrm.reordered(&order);
    for ((role, joint), (same, new)) in vrm.roles.iter().zip(&moved.roles) {
        assert_eq!((role, *joint), (same, order[usize::from(*new)]));
    }
    assert_ne!(moved.roles, vrm.roles);
    assert_eq!(&moved.reordered(&back), vrm);
}

/// Where names mislead, retargeting from and to a bundle goes by the roles of the VRM that it was made from.
#[test]
fn retargeting_uses_the_roles_of_a_bundle() {
    let dance = read(&animation(), "dance.vrma");
    let hero = read(&model(Version::V1), "hero.vrm");
    let skeleton = hero.character.skeleton();
    // All joints lose their names, and with them what auto-mapping goes by.
    let nameless = |imported: Imported| {
        let character = &imported.character;
        let joints = character.skeleton().joints().enumerate();
        let joints = joints.map(|(at, joint)| sinew::Joint { name: format!("x{at}"), ..joint }).collect();
        let scalars = character.skeleton().scalars().collect();
        let clips: Vec<_> = (0..character.clips().len())
            .map(|clip| sinew::Clip::clone(&character.clips().get(clip).unwrap()))
            .collect();
        let changed = Character::new(sinew::CharacterData {
            name: character.name().to_owned(),
            skeleton: sinew::Skeleton::new(joints, scalars).unwrap(),
            meshes: character.meshes().to_vec(),
            materials: character.materials().to_vec(),
            textures: character.textures().to_vec(),
            clips: sinew::ClipLibrary::new(clips),
            space: character.space(),
        });
        let changed = changed.unwrap();
        let bytes = write_bundle(&changed, &imported.source, &BundleOptions::default(), None).unwrap();
        read(&bytes, "nameless.sinew")
    };
    let fingers =
        |roles: &Humanoid| roles.roles().filter(|(role, _)| role.to_string().contains("Thumb")).count();
    let known = Known { roles: hero.source.known_roles(), ..Known::default() };
    let truth = Humanoid::knowing(skeleton, &known).unwrap();
    assert!(fingers(&truth) > 0);
    let (hero, dance) = (nameless(hero), nameless(dance));
    let known = Known { roles: hero.source.known_roles(), ..Known::default() };
    let found = Humanoid::knowing(hero.character.skeleton(), &known).unwrap();
    assert!(
        found
            .roles()
            .all(|(role, found)| { found.method == Method::Vrm && truth.joint(role) == Some(found.joint) })
    );
    let how = RetargetOptions { target_roles: hero.source.known_roles(), ..RetargetOptions::default() };
    let duration = dance.character.clips().get(0).unwrap().duration();
    let made = retarget(dance, Path::new("dance.sinew"), &hero.character, &how, &Options::default()).unwrap();
    let clip = made.character.clips().get(0).unwrap();
    assert_eq!(clip.duration(), duration);
    // The shape of the tree does not tell fingers apart; roles do.
    let thumb = found.roles().find(|(role, _)| role.to_string() == "leftThumbMetacarpal").unwrap().1.joint;
    assert!(clip.moved_joints().any(|joint| joint == thumb));
}

/// Ids of the findings of a target.
fn ids(target: Target, imported: &Imported) -> Vec<&'static str> {
    let Imported { character, source, .. } = imported;
    let options = TargetOptions::default();
    let written = target.write("out.file", character, source, None, &options, &Disk).unwrap();
    written.findings.iter().map(sinew::Finding::id).collect()
}

#[test]
fn what_has_no_place_for_it_says_so() {
    for (target, id) in [
        (Target::Glb, "glb.vrm-left-out"),
        (Target::Bvh, "bvh.vrm-left-out"),
        (Target::MonoGame, "monogame.vrm-left-out"),
        (Target::Vrma, "vrma.vrm-left-out"),
    ] {
        let mut imported = read(&model(Version::V1), "new.vrm");
        assert_eq!(ids(target, &imported).iter().filter(|found| **found == id).count(), 1, "{id}");
        imported.source.vrm = None;
        assert!(!ids(target, &imported).contains(&id), "{id}");
    }
    assert_eq!(ids(Target::Sinew, &read(&model(Version::V1), "new.vrm")), [] as [&str; 0]);
}

/// Each of these is left out of a `.vrma` with a finding, and none of them is found where there is nothing to leave out.
#[test]
fn vrma_says_what_it_leaves_out() {
    let dance = read(&animation(), "dance.vrma");
    let left_out = ["vrma.sockets-left-out", "vrma.events-left-out", "vrma.stretch-left-out"];
    let found = ids(Target::Vrma, &dance);
    assert!(left_out.iter().chain(&["vrma.meshes-left-out"]).all(|id| !found.contains(id)), "{found:?}");
    assert!(ids(Target::Vrma, &read(&model(Version::V1), "new.vrm")).contains(&"vrma.meshes-left-out"));

    let skeleton = dance.character.skeleton();
    let vrm = dance.source.vrm.as_deref().unwrap();
    let head = vrm.roles.iter().find(|(role, _)| role == "head").unwrap().1;
    let clip = dance.character.clips().get(0).unwrap();
    let rest = skeleton.rest().get(head.into()).translation;
    let away = Track::constant(rest + Vec3::Y * (0.1 * dance.character.size())).unwrap();
    let mut tracks = clip.to_keys(skeleton).joints().to_vec();
    tracks.retain(|tracks| tracks.joint != head);
    tracks.push(JointTracks { translation: Some(away), ..JointTracks::new(head) });
    tracks.sort_by_key(|tracks| tracks.joint);
    let odd = Clip::new(clip.name(), clip.duration(), tracks, vec![]).unwrap();
    let odd = odd.with_events(vec![Event::new(0.1, "step")]).unwrap();
    let character = dance.character.with_clips(ClipLibrary::new([odd])).unwrap();
    let socket = Socket { name: "hand".into(), joint: head, offset: Transform::IDENTITY };
    let character = character.with_sockets(vec![socket]).unwrap();
    let found = ids(Target::Vrma, &Imported { character, ..dance });
    assert!(left_out.iter().all(|id| found.contains(id)), "{found:?}");
}
