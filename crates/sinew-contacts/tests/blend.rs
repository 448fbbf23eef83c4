//! Walk and run mixed in a blend space: feet that stand do not slide over the ground, which moves by the root motion of the blend.

#![allow(clippy::print_stdout, reason = "the runner counts lines of skipped tests")]

use sinew::glam::Vec3;
use sinew::{
    BlendSpace, Character, Clip, Instance, Mat3x4, Mixer, PlayOptions, RootMotion, Scratch, SyncMode, VoiceId,
};
use sinew_contacts::{Criteria, Foot, detect, feet};
use sinew_import::{Options, Sources, import, import_bytes};
use sinew_testkit::humanoid;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a figure of 1.8 m may slide in one contact, in metres.
const BAR: f32 = 0.03;
/// How far the heel of such a figure lies behind its ankle.
const HEEL: f32 = 0.05;

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

/// A clip with markers where its feet come down and are lifted; one made in place, with its velocity over the ground.
fn gait(character: &Character, name: &str) -> Arc<Clip> {
    let wanted = character.clips().names().position(|clip| clip.eq_ignore_ascii_case(name)).unwrap();
    let clip = Clip::clone(&character.clips().get(wanted).unwrap());
    let contacts = detect(character, &clip, &feet(character.skeleton()), &Criteria::default()).unwrap();
    let velocity = if contacts.in_place { contacts.ground_velocity } else { Vec3::ZERO };
    Arc::new(clip.with_markers(contacts.markers()).unwrap().with_ground_velocity(velocity).unwrap())
}

/// When a foot stands, in turns of its clip: from when, and for how long; and how much later the other foot comes down.
#[derive(Clone, Copy)]
struct Stance {
    down: f64,
    lasts: f64,
    other: f64,
}

impl Stance {
    fn of(clip: &Clip, foot: &Foot, other: &Foot) -> Self {
        let at = |foot: &Foot, what: &str| {
            let name = format!("{} {what}", foot.name);
            let marker = clip.markers().iter().find(|marker| marker.name == name).unwrap();
            f64::from(marker.time / clip.duration())
        };
        let down = at(foot, "down");
        let after = |phase: f64| (phase - down).rem_euclid(1.0);
        Self { down, lasts: after(at(foot, "up")), other: after(at(other, "down")) }
    }

    /// What belongs to so many turns after the foot comes down here, in another clip: both feet come down together in both.
    fn mapped(&self, turns: f64, to: &Self) -> f64 {
        if turns < self.other {
            return turns / self.other * to.other;
        }
        to.other + (turns - self.other) / (1.0 - self.other) * (1.0 - to.other)
    }

    /// Turns since the foot came down.
    fn since(&self, clip: &Clip, time: f64) -> f64 {
        (time / f64::from(clip.duration()) - self.down).rem_euclid(1.0)
    }
}

/// Heel and ball of a foot: the joints that they move with, and where they are there, on the ground at rest.
fn sole(character: &Character, foot: &Foot, size: f32) -> [(u16, Vec3); 2] {
    let toe = foot.toe.unwrap();
    let rest = |joint: u16| character.skeleton().rest_model()[usize::from(joint)].to_affine();
    let place = |joint: u16| rest(joint).translation.with_y(0.0);
    let forward = (place(toe) - place(foot.ankle)).normalize();
    let heel = place(foot.ankle) - forward * HEEL * size;
    [(foot.ankle, heel), (toe, place(toe))]
        .map(|(joint, at)| (joint, rest(joint).inverse().transform_point3(at)))
}

/// A foot on its way: its contacts, and how far it has slid in the present one.
struct Tracked {
    stances: [Stance; 2],
    sole: [(u16, Vec3); 2],
    before: Option<[Vec3; 2]>,
    slid: Vec3,
}

impl Tracked {
    /// Whether it stands in all clips that count, by the source's markers mapped to the first of them through the sync.
    fn stands(&self, clips: &[Arc<Clip>; 2], mixer: &Mixer, voice: VoiceId) -> bool {
        let number = |clip: &Clip| clips.iter().position(|own| own.name() == clip.name()).unwrap();
        let playing: Vec<(usize, f64)> =
            mixer.voice(voice).unwrap().playing().map(|(clip, _, time)| (number(clip), time)).collect();
        let (first, time) = playing[0];
        let own = &self.stances[first];
        let lasts = playing.iter().map(|&(number, _)| {
            let stance = &self.stances[number];
            if number == first { stance.lasts } else { stance.mapped(stance.lasts, own) }
        });
        own.since(&clips[first], time) < lasts.fold(f64::INFINITY, f64::min)
    }

    /// Moves on, and says how far the foot has slid. The part of the sole that is lowest is the one that stands: a foot rolls from heel to toes.
    fn slide(&mut self, models: &[Mat3x4], place: Vec3) -> f32 {
        let now =
            self.sole.map(|(joint, at)| models[usize::from(joint)].to_affine().transform_point3(at) + place);
        if let Some(before) = self.before {
            let lower = usize::from(now[1].y < now[0].y);
            self.slid += (now[lower] - before[lower]).with_y(0.0);
        }
        self.before = Some(now);
        self.slid.length()
    }

    fn lift(&mut self) {
        (self.before, self.slid) = (None, Vec3::ZERO);
    }
}

/// The farthest that a foot slides in one contact at a weight of the run, for a figure of 1.8 m.
fn slide(character: &Arc<Character>, clips: &[Arc<Clip>; 2], sync: SyncMode, weight: f32) -> f32 {
    let bounds = character.rest_bounds();
    let size = (bounds.max.y - bounds.min.y) / 1.8;
    let feet = feet(character.skeleton());
    let mut tracked = [(0, 1), (1, 0)].map(|(own, other)| Tracked {
        stances: [0, 1].map(|clip: usize| Stance::of(&clips[clip], &feet[own], &feet[other])),
        sole: sole(character, &feet[own], size),
        before: None,
        slid: Vec3::ZERO,
    });
    let points = clips.iter().zip([0.0, 1.0]).map(|(clip, at)| (at, clip.clone()));
    let space = BlendSpace::line(character, points, sync).unwrap();
    let (mut mixer, mut scratch) = (Mixer::new(character.clone(), 1), Scratch::new(character.skeleton()));
    let mut instance = Instance::new(character.clone());
    let options = PlayOptions { root_motion: Some(RootMotion::Extract), ..PlayOptions::default() };
    let voice = mixer.play_space(Arc::new(space), options).unwrap();
    mixer.set_parameter(voice, [weight, 0.0]);
    let (mut place, mut worst) = (Vec3::ZERO, 0.0f32);
    for _ in 0..1200 {
        mixer.advance(1.0 / 240.0);
        mixer.mix(&mut scratch, instance.pose_mut()).unwrap();
        instance.finish().unwrap();
        place += mixer.root_delta().translation;
        for foot in &mut tracked {
            if foot.stands(clips, &mixer, voice) {
                worst = worst.max(foot.slide(instance.model_matrices(), place) / size);
            } else {
                foot.lift();
            }
        }
    }
    worst
}

fn check(character: Character) {
    let character = Arc::new(character);
    let clips = ["walk", "run"].map(|name| gait(&character, name));
    let worst = |sync: SyncMode| {
        let weights = (0..=20u8).map(|part| f32::from(part) / 20.0);
        weights
            .map(|weight| (slide(&character, &clips, sync, weight), weight))
            .max_by(|a, b| a.0.total_cmp(&b.0))
    };
    let (synced, weight) = worst(SyncMode::Markers).unwrap();
    assert!(synced < BAR, "{}: slides {synced} m at {weight}", character.name());
    let (free, weight) = worst(SyncMode::None).unwrap();
    assert!(
        free > BAR,
        "{}: without sync it slides {free} m at {weight}, so nothing is shown",
        character.name()
    );
    println!("{}: {synced} m, without sync {free} m", character.name());
}

#[test]
fn feet_of_the_hero_do_not_slide_at_any_weight() {
    check(hero());
}

#[test]
fn feet_of_a_soldier_in_place_do_not_slide_at_any_weight() {
    let path =
        std::env::var_os("SINEW_CORPUS").map(|folder| PathBuf::from(folder).join("three/gltf/Soldier.glb"));
    let Some(path) = path.filter(|path| path.is_file()) else {
        println!(
            "SINEW-SKIP: feet_of_a_soldier_in_place_do_not_slide_at_any_weight: the corpus is not there"
        );
        return;
    };
    check(import(&path, &Options::default()).unwrap().character);
}
