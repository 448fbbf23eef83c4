//! Walk and run mixed by a blend space: feet that stand do not slide over the ground, which moves by the root motion of the blend.

use sinew::glam::Vec3;
use sinew::{BlendSpace, Character, Clip, Instance, Mixer, PlayOptions, RootMotion, Scratch, SyncMode};
use sinew_contacts::{Criteria, Foot, detect, feet};
use sinew_import::{Options, Sources, import, import_bytes};
use sinew_testkit::humanoid;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn hero() -> Character {
    let options = Options::default();
    let wanted = ["hero.fbx", "walk.fbx", "run.fbx"];
    let files = humanoid::files().into_iter().filter(|(name, _)| wanted.contains(&name.as_str()));
    let mut files = files.map(|(name, bytes)| {
        let imported = import_bytes(&bytes, Path::new(&name), &options).unwrap();
        (name, imported)
    });
    let character = files.next().unwrap();
    Sources::new(character, files, &options).merge().unwrap().character
}

/// A clip with markers where its feet come down and are lifted; made in place, with its velocity over the ground.
fn gait(character: &Character, name: &str) -> Arc<Clip> {
    let wanted = character.clips().names().position(|clip| clip.eq_ignore_ascii_case(name)).unwrap();
    let clip = Clip::clone(&character.clips().get(wanted).unwrap());
    let contacts = detect(character, &clip, &feet(character.skeleton()), &Criteria::default()).unwrap();
    let velocity = if contacts.in_place { contacts.ground_velocity } else { Vec3::ZERO };
    println!("{name} {} {:?} {:?}", clip.duration(), contacts.ground_velocity, contacts.feet);
    Arc::new(clip.with_markers(contacts.markers()).unwrap().with_ground_velocity(velocity).unwrap())
}

/// Whether a foot stands at a time of a clip, by its markers: the last one before says that it came down.
fn stands(clip: &Clip, foot: &Foot, time: f64) -> bool {
    let own = || clip.markers().iter().filter(|marker| marker.name.starts_with(&foot.name));
    let before = own().filter(|marker| f64::from(marker.time) <= time).last().or_else(|| own().last());
    before.is_some_and(|marker| marker.name.ends_with(" down"))
}

fn slide(character: &Arc<Character>, clips: &[Arc<Clip>; 2], sync: SyncMode, weight: f32) -> [f32; 3] {
    let feet = feet(character.skeleton());
    let points = clips.iter().zip([0.0, 1.0]).map(|(clip, at)| (at, clip.clone()));
    let space = BlendSpace::line(character, points, sync).unwrap();
    let mut mixer = Mixer::new(character.clone(), 1);
    let mut scratch = Scratch::new(character.skeleton());
    let mut instance = Instance::new(character.clone());
    let options = PlayOptions { root_motion: Some(RootMotion::Extract), ..PlayOptions::default() };
    let voice = mixer.play_space(Arc::new(space), options).unwrap();
    mixer.set_parameter(voice, [weight, 0.0]);
    let mut place = Vec3::ZERO;
    let mut worst = [0.0f32; 3];
    let mut start: Vec<Option<([Vec3; 2], [Vec3; 2], Vec3)>> = vec![None; feet.len()];
    for _ in 0..1000 {
        mixer.advance(1.0 / 240.0);
        mixer.mix(&mut scratch, instance.pose_mut()).unwrap();
        instance.finish().unwrap();
        place += mixer.root_delta().translation;
        for (foot, start) in feet.iter().zip(&mut start) {
            let voice = mixer.voice(voice).unwrap();
            if !voice.playing().all(|(clip, _, time)| stands(clip, foot, time)) {
                *start = None;
                continue;
            }
            let at = [foot.ankle, foot.toe.unwrap()].map(|joint| {
                let at = instance.model_matrices()[usize::from(joint)].translation() + place;
                Vec3::new(at.x, 0.0, at.z)
            });
            let (first, before, mut sum) = start.unwrap_or((at, at, Vec3::ZERO));
            let steps = [0, 1].map(|k| at[k] - before[k]);
            sum += if steps[0].length() < steps[1].length() { steps[0] } else { steps[1] };
            *start = Some((first, at, sum));
            worst[0] = worst[0].max(at[0].distance(first[0]));
            worst[1] = worst[1].max(at[1].distance(first[1]));
            worst[2] = worst[2].max(sum.length());
        }
    }
    worst
}

#[test]
fn explore() {
    let path = PathBuf::from(std::env::var_os("SINEW_CORPUS").unwrap()).join("three/gltf/Soldier.glb");
    for character in [hero(), import(&path, &Options::default()).unwrap().character] {
        let character = Arc::new(character);
        println!("{:?}", character.rest_bounds());
        let clips = ["walk", "run"].map(|name| gait(&character, name));
        for sync in [SyncMode::Markers, SyncMode::None] {
            for k in 0..=10u8 {
                let w = f32::from(k) / 10.0;
                println!("{sync:?} {w:.2} ankle toe slowest {:.3?}", slide(&character, &clips, sync, w));
            }
        }
    }
}
