//! A hero walks up a staircase, with a clip that was made on level ground.
//!
//! What it shows: foot planting. The game moves the hero along a ramp and says how high the ground is below each foot; the feet are put onto the steps while they
//! stand, by the times of contact that are found in the clip, and the hips sink as far as the lower foot needs.

#[path = "scene/mod.rs"]
mod scene;

use scene::props::{Props, rgb};
use scene::{Game, Key, Keys, Present, Result};
use sinew::glam::{Affine3, Vec3};
use sinew::ik::{Footing, Ground, Leg, PlantFeet};
use sinew::{Instance, Mixer, PlayOptions, RootMotion, Scratch};
use sinew_contacts::{Contacts, Criteria, Foot, detect, feet};
use sinew_render::{Batch, Camera, Color, Look, Renderer, Scene, Skinning};
use std::process::ExitCode;

fn main() -> ExitCode {
    scene::run::<Stairs>()
}

/// A quarter of what the walk goes in two steps, so that each foot lands two stairs further, in their middle.
const DEPTH: f32 = 0.35;
const RISE: f32 = 0.12;
const FIRST: f32 = 1.255;
const STEPS: u8 = 40;

/// Height of the staircase at a place.
fn stairs(z: f32) -> f32 {
    RISE * (((z - FIRST) / DEPTH).floor() + 1.0).clamp(0.0, STEPS.into())
}

/// Height of a ramp along it, which the hero is moved on.
fn ramp(z: f32) -> f32 {
    RISE * ((z - FIRST) / DEPTH).clamp(0.0, STEPS.into())
}

struct Stairs {
    hero: Batch,
    scenery: Batch,
    mixer: Mixer,
    scratch: Scratch,
    instance: Instance,
    contacts: Contacts,
    feet: Vec<Foot>,
    hips: u16,
    legs: [Leg; 2],
    footing: [Footing; 2],
    way: f32,
}

impl Game for Stairs {
    const TITLE: &'static str = "stairs: feet stand on the steps";
    const SCRIPT: &'static [(Key, f64, f64)] = &[];
    const SCRIPT_LENGTH: f64 = 1.0;

    fn new(renderer: &mut Renderer) -> Result<Self> {
        let actor = scene::actors::hero(renderer)?;
        let character = actor.character;
        let skeleton = character.skeleton();
        let leg = |side: &str| -> Result<Leg> {
            let joint = |part: &str| skeleton.joint(&format!("{side}{part}"));
            Ok(Leg { upper: joint("UpLeg")?, lower: joint("Leg")?, foot: joint("Foot")?, pole: None })
        };
        let walk = character.clips().id("walk").ok_or("there is no walk")?;
        let clip = character.clips().get(walk.index())?;
        let mut mixer = Mixer::new(character.clone(), 1);
        mixer.play(walk, PlayOptions { root_motion: Some(RootMotion::Extract), ..PlayOptions::default() })?;
        let feet = feet(skeleton);
        Ok(Self {
            hero: renderer.batch(&actor.model, 1, Skinning::Auto)?,
            scenery: scenery().build(renderer)?,
            scratch: Scratch::new(skeleton),
            instance: Instance::new(character.clone()),
            contacts: detect(&character, &clip, &feet, &Criteria::default())?,
            hips: skeleton.joint("Hips")?,
            legs: [leg("Left")?, leg("Right")?],
            footing: [Footing::default(); 2],
            way: 0.0,
            mixer,
            feet,
        })
    }

    fn update(&mut self, _: &Keys, seconds: f64) -> Result {
        self.mixer.advance(seconds);
        self.way += self.mixer.root_delta().translation.z;
        self.mixer.mix(&mut self.scratch, self.instance.pose_mut())?;
        let stands = [self.stands(0), self.stands(1)];
        let root = Vec3::new(0.0, ramp(self.way), self.way);
        let mut pose = self.instance.posed()?;
        let ground = [0, 1].map(|index| {
            let place = |joint: u16| pose.model()[usize::from(joint)].translation();
            let foot = &self.feet[index];
            let middle = (place(foot.ankle) + place(foot.toe.unwrap_or(foot.ankle))) * 0.5;
            Ground { height: stairs(root.z + middle.z) - root.y, normal: Vec3::Y, contact: stands[index] }
        });
        PlantFeet::new(self.hips, &self.legs).solve(&ground, &mut self.footing, seconds as f32, &mut pose)?;
        Ok(self.instance.finish()?)
    }

    fn draw(&mut self, _: f32, present: Present<'_>) -> Result {
        let root = Vec3::new(0.0, ramp(self.way), self.way);
        self.hero.set(0, &self.instance)?;
        self.hero.place(0, Affine3::from_translation(root))?;
        let focus = root + Vec3::new(0.0, 0.8, 0.1);
        let camera = Camera::look_at(focus + Vec3::new(4.6, 0.7, -1.6), focus, 29f32.to_radians());
        let mut look = Look::default();
        look.light = Vec3::new(0.55, 0.85, -0.3);
        look.ground.iter_mut().for_each(|ground| ground.line = Color::TRANSPARENT);
        present(&mut Scene::new(&camera, &look, &mut [&mut self.scenery, &mut self.hero]))
    }
}

impl Stairs {
    /// Whether a foot stands now.
    fn stands(&self, foot: usize) -> bool {
        let playback = self.mixer.voices()[0].playback();
        let (now, length) = (playback.time() as f32, playback.duration() as f32);
        let within =
            |time: f32| self.contacts.feet[foot].stands.iter().any(|s| (s.start..s.end).contains(&time));
        within(now) || within(now + length)
    }
}

fn scenery() -> Props {
    let mut props = Props::default();
    props.sky(rgb(0x5b8fc7), rgb(0xdfe8ee), rgb(0xb9c7cf));
    props.ground(80.0, rgb(0xb9c4c9), rgb(0xdfe8ee), 0.0);
    for step in 0..STEPS {
        let front = FIRST + f32::from(step) * DEPTH;
        let (low, high) =
            (Vec3::new(-0.7, -0.5, front), Vec3::new(0.7, f32::from(step + 1) * RISE, front + DEPTH));
        props.block(low, high, rgb(0xd9cdb4), rgb(0xa8977a));
    }
    props
}
