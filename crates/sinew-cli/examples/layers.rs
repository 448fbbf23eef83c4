//! A hero walks, and waves on the way.
//!
//! What it shows: two layers of a mixer. The walk plays on the lower one; the wave lies over it from the spine up, growing over two joints, and fades in and out.

#[path = "scene/mod.rs"]
mod scene;

use scene::props::{Props, rgb};
use scene::{Game, Key, Keys, Present, Result};
use sinew::glam::{Affine3, Vec3};
use sinew::{ClipId, Ease, Instance, Mask, Mixer, PlayOptions, RootMotion, Scratch, VoiceId, VoiceOptions};
use sinew_render::{Batch, Camera, Color, Look, Renderer, Scene, Skinning};
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    scene::run::<Greeting>()
}

/// Seconds of two steps of the walk, in each second pair of which the hero waves.
const CYCLE: f64 = 32.0 / 30.0;

struct Greeting {
    hero: Batch,
    scenery: Batch,
    mixer: Mixer,
    instance: Instance,
    scratch: Scratch,
    wave: ClipId,
    torso: Arc<Mask>,
    waving: Option<VoiceId>,
    time: f64,
}

impl Game for Greeting {
    const TITLE: &'static str = "layers: a wave over a walk";
    const SCRIPT: &'static [(Key, f64, f64)] = &[];
    const SCRIPT_LENGTH: f64 = 1.0;

    fn new(renderer: &mut Renderer) -> Result<Self> {
        let actor = scene::actors::hero(renderer)?;
        let character = actor.character;
        let id = |name: &str| character.clips().id(name).ok_or(format!("there is no clip {name}"));
        let (walk, wave) = (id("walk")?, id("wave")?);
        let mut mixer = Mixer::new(character.clone(), 4);
        let in_place = PlayOptions { root_motion: Some(RootMotion::InPlace), ..PlayOptions::default() };
        mixer.play(walk, in_place)?;
        let torso = Mask::below(character.skeleton(), "Spine")?.falloff(character.skeleton(), 2);
        let mut props = Props::default();
        props.sky(rgb(0x5b8fc7), rgb(0xdfe8ee), rgb(0xb9c7cf));
        props.ground(60.0, rgb(0xb9c4c9), rgb(0xdfe8ee), 0.0);
        Ok(Self {
            hero: renderer.batch(&actor.model, 1, Skinning::Auto)?,
            scenery: props.build(renderer)?,
            instance: Instance::new(character.clone()),
            scratch: Scratch::new(character.skeleton()),
            torso: Arc::new(torso),
            mixer,
            wave,
            waving: None,
            time: 0.0,
        })
    }

    fn update(&mut self, _: &Keys, seconds: f64) -> Result {
        self.time += seconds;
        let within = self.time % (2.0 * CYCLE);
        match self.waving {
            None if (0.1..1.5).contains(&within) => {
                let options =
                    VoiceOptions::from(PlayOptions::once(0.3)).on_layer(1).masked(self.torso.clone());
                let voice = self.mixer.play(self.wave, options)?;
                // The arm goes up while it fades in.
                self.mixer.seek(voice, 0.5);
                self.waving = Some(voice);
            }
            Some(voice) if within >= 1.6 => {
                self.mixer.fade_out(voice, 0.4, Ease::SmoothStep);
                self.waving = None;
            }
            _ => {}
        }
        self.mixer.advance(seconds);
        self.mixer.mix(&mut self.scratch, self.instance.pose_mut())?;
        Ok(self.instance.finish()?)
    }

    fn draw(&mut self, _: f32, present: Present<'_>) -> Result {
        self.hero.set(0, &self.instance)?;
        self.hero.place(0, Affine3::IDENTITY)?;
        let camera = Camera::look_at(Vec3::new(2.3, 1.5, 4.4), Vec3::new(0.0, 0.95, 0.0), 28f32.to_radians());
        let mut look = Look::default().with_ground(0.0, Vec3::ZERO, 6.0);
        (look.light, look.shadow) = (Vec3::new(0.5, 0.85, 0.4), 0.5);
        look.ground.iter_mut().for_each(|ground| ground.line = Color::TRANSPARENT);
        present(&mut Scene::new(&camera, &look, &mut [&mut self.scenery, &mut self.hero]))
    }
}
