//! Five heroes in one blend space, from a walk to a run.
//!
//! What it shows: clips that are kept in step by markers, where their feet touch the ground. All five play the same two clips, each with another weight, and
//! put their feet down together.

#[path = "scene/mod.rs"]
mod scene;

use scene::props::{Props, rgb};
use scene::{Game, Key, Keys, Present, Result};
use sinew::glam::{Affine3, Vec3};
use sinew::{BlendSpace, Character, Clip, Instance, Mixer, PlayOptions, RootMotion, Scratch, SyncMode};
use sinew_contacts::{Criteria, detect, feet};
use sinew_render::{Batch, Camera, Color, Look, Renderer, Scene, Skinning};
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    scene::run::<Heroes>()
}

const HEROES: usize = 5;
/// Seconds of one cycle, the same for all: a mean of walk and run.
const CYCLE: f32 = 13.0 / 15.0;

struct Heroes {
    batch: Batch,
    scenery: Batch,
    mixers: Vec<Mixer>,
    instances: Vec<Instance>,
    scratch: Scratch,
}

impl Game for Heroes {
    const TITLE: &'static str = "blend space: from walk to run, in step";
    const SCRIPT: &'static [(Key, f64, f64)] = &[];
    const SCRIPT_LENGTH: f64 = 1.0;

    fn new(renderer: &mut Renderer) -> Result<Self> {
        let actor = scene::actors::hero(renderer)?;
        let character = actor.character;
        let (walk, run) = (marked(&character, "walk")?, marked(&character, "run")?);
        let lengths = [walk.duration(), run.duration()];
        let space = BlendSpace::line(&character, [(0.0, walk), (1.0, run)], SyncMode::Markers)?;
        let space = Arc::new(space);
        let mut mixers = Vec::new();
        for number in 0..HEROES {
            let weight = number as f32 / (HEROES - 1) as f32;
            let seconds = lengths[0] * (1.0 - weight) + lengths[1] * weight;
            let mut mixer = Mixer::new(character.clone(), 1);
            let options = PlayOptions {
                root_motion: Some(RootMotion::InPlace),
                speed: Some((seconds / CYCLE).into()),
                ..PlayOptions::default()
            };
            let voice = mixer.play_space(space.clone(), options)?;
            mixer.set_parameter(voice, [weight, 0.0]);
            mixers.push(mixer);
        }
        let mut props = Props::default();
        props.sky(rgb(0x5b8fc7), rgb(0xdfe8ee), rgb(0xb9c7cf));
        props.ground(60.0, rgb(0xb9c4c9), rgb(0xdfe8ee), 0.0);
        Ok(Self {
            batch: renderer.batch(&actor.model, HEROES, Skinning::Auto)?,
            scenery: props.build(renderer)?,
            instances: (0..HEROES).map(|_| Instance::new(character.clone())).collect(),
            scratch: Scratch::new(character.skeleton()),
            mixers,
        })
    }

    fn update(&mut self, _: &Keys, seconds: f64) -> Result {
        for (mixer, instance) in self.mixers.iter_mut().zip(&mut self.instances) {
            mixer.advance(seconds);
            mixer.mix(&mut self.scratch, instance.pose_mut())?;
            instance.finish()?;
        }
        Ok(())
    }

    fn draw(&mut self, _: f32, present: Present<'_>) -> Result {
        for (number, instance) in self.instances.iter().enumerate() {
            self.batch.set(number, instance)?;
            let aside = (number as f32 - (HEROES - 1) as f32 / 2.0) * 0.85;
            self.batch.place(number, Affine3::from_translation(Vec3::new(0.0, 0.0, aside)))?;
        }
        let camera = Camera::look_at(Vec3::new(6.6, 1.7, 2.6), Vec3::new(0.0, 0.85, 0.0), 27f32.to_radians());
        let mut look = Look::default().with_ground(0.0, Vec3::ZERO, 6.0);
        (look.light, look.shadow) = (Vec3::new(0.5, 0.85, 0.4), 0.5);
        look.ground.iter_mut().for_each(|ground| ground.line = Color::TRANSPARENT);
        present(&mut Scene::new(&camera, &look, &mut [&mut self.scenery, &mut self.batch]))
    }
}

/// A clip with markers where its feet come down and are lifted.
fn marked(character: &Character, name: &str) -> Result<Arc<Clip>> {
    let clip = character.clips().by_name(name)?;
    let contacts = detect(character, &clip, &feet(character.skeleton()), &Criteria::default())?;
    Ok(Arc::new(Clip::clone(&clip).with_markers(contacts.markers())?))
}
