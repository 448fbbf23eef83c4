//! The hero walks up a staircase: its feet stand on the steps, by the gait's own times of contact.

use sinew::glam::Vec3;
use sinew::ik::{Footing, Ground, Leg, PlantFeet};
use sinew::{Character, Clip, Instance, Mat3x4, Sampling, Travel, job};
use sinew_contacts::{Contacts, Criteria, Foot, detect, feet};
use sinew_import::{Options, Sources, import_bytes};
use sinew_testkit::humanoid::{self, Motion};
use std::path::Path;
use std::sync::Arc;

/// Half of a step of the walk, so that each foot lands two steps further; the feet land in the middle of their steps.
const DEPTH: f32 = 0.35;
const RISE: f32 = 0.12;
const FIRST: f32 = 1.255;
const STEPS: f32 = 16.0;
const FRAME: f32 = 1.0 / 60.0;

/// Height of the staircase at a place.
fn stairs(z: f32) -> f32 {
    RISE * (((z - FIRST) / DEPTH).floor() + 1.0).clamp(0.0, STEPS)
}

/// Height of a ramp along it, which the game moves the figure on.
fn ramp(z: f32) -> f32 {
    RISE * ((z - FIRST) / DEPTH).clamp(0.0, STEPS)
}

/// A figure that walks along Z.
struct Walker {
    clip: Arc<Clip>,
    travel: Travel,
    contacts: Contacts,
    feet: Vec<Foot>,
    hips: u16,
    legs: [Leg; 2],
    footing: [Footing; 2],
    instance: Instance,
    time: f32,
}

impl Walker {
    fn new(character: Arc<Character>) -> Self {
        let skeleton = character.skeleton().clone();
        let joint = |name: &str| skeleton.joint(name).unwrap();
        let leg = |side: &str| Leg {
            upper: joint(&format!("{side}UpLeg")),
            lower: joint(&format!("{side}Leg")),
            foot: joint(&format!("{side}Foot")),
            pole: None,
        };
        let clip = character.clips().by_name("walk").unwrap();
        let feet = feet(&skeleton);
        Self {
            travel: clip.travel(&character, None),
            contacts: detect(&character, &clip, &feet, &Criteria::default()).unwrap(),
            hips: joint("Hips"),
            legs: [leg("Left"), leg("Right")],
            footing: [Footing::default(); 2],
            instance: Instance::new(character),
            time: 0.0,
            feet,
            clip,
        }
    }

    /// Whether a foot stands now, as its contacts say.
    fn stands(&self, foot: usize) -> bool {
        let now = self.time.rem_euclid(self.clip.duration());
        let within =
            |time: f32| self.contacts.feet[foot].stands.iter().any(|s| (s.start..s.end).contains(&time));
        within(now) || within(now + self.clip.duration())
    }

    /// One frame on the staircase, with or without planting the feet.
    fn walk(&mut self, planted: bool) {
        let skeleton = self.instance.character().skeleton().clone();
        let now = self.time.rem_euclid(self.clip.duration());
        let way = self.travel.whole().z * self.time / self.clip.duration();
        let pose = self.instance.pose_mut();
        job::sample(&skeleton, &self.clip, now.into(), Sampling::Interpolate, pose).unwrap();
        self.travel.remove(&skeleton, now.into(), pose);
        let root = Vec3::new(0.0, ramp(way), way);
        self.instance.set_root(Mat3x4::from_translation(root));
        let stands = [self.stands(0), self.stands(1)];
        let mut posed = self.instance.posed().unwrap();
        let ground = [0, 1].map(|index| {
            let place = |joint: u16| posed.model()[usize::from(joint)].translation();
            let foot = &self.feet[index];
            let middle = (place(foot.ankle) + place(foot.toe.unwrap())) * 0.5;
            Ground { height: stairs(middle.z) - root.y, normal: Vec3::Y, contact: stands[index] }
        });
        if planted {
            let plan = PlantFeet::new(self.hips, &self.legs);
            plan.solve(&ground, &mut self.footing, FRAME, &mut posed).unwrap();
        }
        self.instance.finish().unwrap();
        self.time += FRAME;
    }

    fn place(&self, joint: u16) -> Vec3 {
        self.instance.model_matrices()[usize::from(joint)].translation()
    }
}

fn hero() -> Arc<Character> {
    let options = Options::default();
    let mut files =
        humanoid::files().into_iter().filter(|(name, _)| name == "hero.fbx" || name == "walk.fbx");
    let mut read = || {
        let (name, bytes) = files.next()?;
        let imported = import_bytes(&bytes, Path::new(&name), &options).unwrap();
        Some((name, imported))
    };
    let (character, walk) = (read().unwrap(), read());
    Arc::new(Sources::new(character, walk, &options).merge().unwrap().character)
}

/// How far joints that stand, by the gait's own numbers, are from where they stand on level ground, and how far they slide.
fn worst(character: &Arc<Character>, planted: bool) -> (f32, f32) {
    let mut walker = Walker::new(character.clone());
    let skeleton = character.skeleton();
    let level = |joint: u16| skeleton.rest_model()[usize::from(joint)].translation().y;
    let spans: Vec<(u16, f32, f32)> = Motion::Walk
        .contacts()
        .iter()
        .map(|c| (skeleton.joint(&c.joint).unwrap(), c.span.0 as f32, c.span.1 as f32))
        .collect();
    let mut began: Vec<Option<Vec3>> = vec![None; spans.len()];
    let (mut off, mut slide) = (0.0f32, 0.0f32);
    while walker.time < 6.0 * walker.clip.duration() {
        let now = walker.time.rem_euclid(walker.clip.duration());
        walker.walk(planted);
        for (&(joint, start, end), began) in spans.iter().zip(&mut began) {
            let stands = [now, now + walker.clip.duration()].iter().any(|time| (start..end).contains(time));
            let place = walker.place(joint);
            if !stands {
                *began = None;
                continue;
            }
            let first = *began.get_or_insert(place);
            off = off.max((place.y - stairs(place.z) - level(joint)).abs());
            slide = slide.max(Vec3::new(place.x - first.x, 0.0, place.z - first.z).length());
        }
    }
    (off, slide)
}

#[test]
fn feet_stand_on_the_steps_of_a_staircase() {
    let hero = hero();
    let (off, slide) = worst(&hero, true);
    assert!(off < 0.01, "{off} m off the steps");
    assert!(slide < 0.015, "slides {slide} m");
    let (off, _) = worst(&hero, false);
    assert!(off > 0.05, "without planting they would be off by {off} m");
}

#[test]
fn knees_and_hips_move_evenly() {
    let hero = hero();
    let mut walker = Walker::new(hero.clone());
    let joints = ["Hips", "LeftLeg", "RightLeg", "LeftFoot", "RightFoot"]
        .map(|name| hero.skeleton().joint(name).unwrap());
    let mut before: Option<[Vec3; 5]> = None;
    while walker.time < 6.0 * walker.clip.duration() {
        walker.walk(true);
        let places = joints.map(|joint| walker.place(joint));
        for (index, (a, b)) in before.iter().flatten().zip(places).enumerate() {
            // A foot swings at 4 m/s; a jump would be a step of the staircase in one frame.
            assert!(
                a.distance(b) < 0.1,
                "{:.2} s: {} moves {}",
                walker.time,
                hero.skeleton().name(joints[index]),
                a.distance(b)
            );
        }
        before = Some(places);
    }
}
