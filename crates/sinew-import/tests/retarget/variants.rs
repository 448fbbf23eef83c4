//! The hero, and the same hero rigged otherwise.

use glam::{Quat, Vec3};
use sinew::{
    Character, CharacterData, Clip, ClipLibrary, Interpolation, Joint, JointTracks, Sampling, Skeleton,
    Track, Transform,
};
use sinew_import::{Options, Sources, import_bytes};
use std::path::Path;
use std::sync::OnceLock;

/// The testkit's humanoid with all its motions.
pub fn hero() -> &'static Character {
    static HERO: OnceLock<Character> = OnceLock::new();
    HERO.get_or_init(|| {
        let options = Options::default();
        let read = |(name, bytes): (String, Vec<u8>)| {
            let imported = import_bytes(&bytes, Path::new(&name), &options).unwrap();
            (name, imported)
        };
        let mut files = sinew_testkit::humanoid::files().into_iter().map(read);
        let character = files.next().unwrap();
        Sources::new(character, files, &options).merge().unwrap().character
    })
}

/// Another skeleton with other clips, of the same space, without a mesh.
pub fn character(joints: Vec<Joint>, clips: impl IntoIterator<Item = Clip>) -> Character {
    let skeleton = Skeleton::new(joints, vec![]).unwrap();
    Character::new(CharacterData {
        name: "variant".into(),
        skeleton,
        meshes: vec![],
        materials: vec![],
        textures: vec![],
        clips: ClipLibrary::new(clips),
        space: hero().space(),
    })
    .unwrap()
}

/// Changes the locals of every joint, at rest and in every key: the change is given the joint and its parent.
pub fn changed(from: &Character, change: impl Fn(u16, Option<u16>, Transform) -> Transform) -> Character {
    let skeleton = from.skeleton();
    let joints = (0u16..).zip(skeleton.joints());
    let joints = joints.map(|(at, joint)| Joint { rest: change(at, joint.parent, joint.rest), ..joint });
    character(joints.collect(), dense(from).iter().map(|clip| map_keys(skeleton, clip, &change)))
}

/// The clips with keys of all parts of all joints, so that no rest is left in them.
pub fn dense(character: &Character) -> Vec<Clip> {
    super::world::clips(character).iter().map(|clip| dense_from(character, clip, 0.0)).collect()
}

/// The same of one clip, from a time on.
pub fn dense_from(character: &Character, clip: &Clip, start: f32) -> Clip {
    let skeleton = character.skeleton();
    let mut times: Vec<f32> = clip.times().map(|time| time as f32).filter(|time| *time > start).collect();
    times.push(start);
    times.sort_by(f32::total_cmp);
    times.dedup();
    let shifted: Vec<f32> = times.iter().map(|time| time - start).collect();
    let tracks = (0..skeleton.len() as u16).map(|joint| {
        let at = |&time: &f32| clip.sample_joint(skeleton, joint, time.into()).unwrap();
        let locals: Vec<Transform> = times.iter().map(at).collect();
        keyed(joint, &shifted, &locals)
    });
    Clip::new(clip.name(), clip.duration() - start, tracks.collect(), vec![]).unwrap()
}

fn keyed(joint: u16, times: &[f32], locals: &[Transform]) -> JointTracks {
    let translations = locals.iter().map(|local| local.translation).collect();
    let rotations = locals.iter().map(|local| local.rotation).collect();
    JointTracks {
        translation: Some(Track::new(times.to_vec(), translations, Interpolation::Linear).unwrap()),
        rotation: Some(Track::new(times.to_vec(), rotations, Interpolation::Linear).unwrap()),
        ..JointTracks::new(joint)
    }
}

fn map_keys(
    skeleton: &Skeleton,
    clip: &Clip,
    change: impl Fn(u16, Option<u16>, Transform) -> Transform,
) -> Clip {
    let tracks = clip.keys().unwrap().joints().iter().map(|tracks| {
        let times = tracks.rotation.as_ref().unwrap().times();
        let rest = skeleton.rest().get(tracks.joint.into());
        let at = |&time: &f32| {
            let local = tracks.over(rest, time.into(), Sampling::Interpolate);
            change(tracks.joint, skeleton.parent(tracks.joint), local)
        };
        keyed(tracks.joint, times, &times.iter().map(at).collect::<Vec<_>>())
    });
    Clip::new(clip.name(), clip.duration(), tracks.collect(), vec![]).unwrap()
}

/// The hero with arms that rest lowered by so much, in radians. Its clips are the hero's, key by key.
pub fn lowered(radians: f32) -> Character {
    let hero = hero();
    let skeleton = hero.skeleton();
    let joints = (0u16..).zip(skeleton.joints()).map(|(at, mut joint)| {
        let sign = match joint.name.as_str() {
            "mixamorig:LeftArm" => -1.0,
            "mixamorig:RightArm" => 1.0,
            _ => return joint,
        };
        let parent = skeleton.rest_model()[usize::from(skeleton.parent(at).unwrap())];
        let above = Quat::from_mat3(&parent.matrix3()).normalize();
        let down = Quat::from_axis_angle(Vec3::Z, sign * radians);
        joint.rest.rotation = (above.inverse() * down * above * joint.rest.rotation).normalize();
        joint
    });
    character(joints.collect(), dense(hero))
}
