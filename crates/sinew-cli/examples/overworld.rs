//! A hero walks in a meadow, and the camera follows.
//!
//! What it shows: the game moves the hero, and a state machine that is put together in code shows it: standing, a blend space from walk to run that is
//! kept in step, jump and landing. The clips' own speed sets the hero's speed, so that no foot slides.
//!
//! Keys: WASD walks, Shift runs, Space jumps, Escape quits.

#[path = "scene/mod.rs"]
mod scene;

use scene::props::{Props, around, chance, rgb};
use scene::{Game, Key, Keys, Present, Result};
use sinew::glam::{Affine3, Quat, Vec3};
use sinew::machine::{
    Animator, Definition, Graph, Layer, Machine, MachineError, MachinePlan, Parameter, State, Transition,
};
use sinew::{Character, RootMotion, SyncMode};
use sinew_render::{Batch, Camera, Color, Look, Renderer, Scene, Skinning};
use std::f32::consts::{PI, TAU};
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    scene::run::<Overworld>()
}

struct Overworld {
    hero: Batch,
    scenery: Batch,
    animator: Animator,
    /// Speeds at which the clips walk and run, in metres per second.
    walk: f32,
    run: f32,
    place: Vec3,
    facing: f32,
    speed: f32,
    /// Seconds until a jump lands, of those that the clip takes from crouch to ground.
    in_air: Option<f64>,
    /// The point that the camera looks at, and its angle around the hero.
    focus: Vec3,
    orbit: f32,
}

/// Seconds from the start of the jump to the landing, as in the clip. The clip itself lifts the character off the ground, so the game only needs
/// the duration.
const JUMP: f64 = 1.02;

/// In metres per second squared.
const ACCELERATION: f32 = 7.0;

/// Rate of turning towards the steered direction, per second.
const TURNING: f32 = 9.0;

impl Game for Overworld {
    const TITLE: &'static str = "overworld: WASD walks, Shift runs, Space jumps";
    const SCRIPT: &'static [(Key, f64, f64)] = &[
        (Key::Char('w'), 0.6, 7.6),
        (Key::Char('d'), 2.0, 3.1),
        (Key::Shift, 2.6, 6.6),
        (Key::Space, 4.6, 4.7),
        (Key::Char('s'), 8.4, 12.2),
        (Key::Char('a'), 9.4, 10.2),
    ];
    const SCRIPT_LENGTH: f64 = 13.0;

    fn new(renderer: &mut Renderer) -> Result<Self> {
        let actor = scene::actors::hero(renderer)?;
        let (walk, run) = (speed_of(&actor.character, "walk")?, speed_of(&actor.character, "run")?);
        let plan = Arc::new(MachinePlan::new(Arc::new(machine(walk, run)?), &actor.character)?);
        Ok(Self {
            hero: renderer.batch(&actor.model, 1, Skinning::Auto)?,
            scenery: scenery().build(renderer)?,
            walk,
            run,
            animator: Animator::new(actor.character, plan)?,
            place: Vec3::ZERO,
            facing: PI,
            speed: 0.0,
            in_air: None,
            focus: Vec3::Y,
            orbit: 0.42,
        })
    }

    fn update(&mut self, keys: &Keys, seconds: f64) -> Result {
        self.steer(keys, seconds as f32);
        self.jump(keys, seconds);
        self.place += Quat::from_rotation_y(self.facing) * Vec3::Z * self.speed * seconds as f32;

        // The game says what is so; the machine decides what to show. Below the speed of a walk, the walk is slower.
        self.animator.set_number("speed", self.speed)?;
        self.animator.set_number("pace", (self.speed / self.walk).clamp(0.5, 1.0))?;
        self.animator.set_bool("grounded", self.in_air.is_none())?;
        self.animator.update(seconds)?;

        let follow = 1.0 - (-5.0 * seconds as f32).exp();
        self.focus = self.focus.lerp(self.place + Vec3::Y * 0.95, follow);
        Ok(())
    }

    fn draw(&mut self, _: f32, present: Present<'_>) -> Result {
        let matrix = Affine3::from_rotation_translation(Quat::from_rotation_y(self.facing), self.place);
        self.hero.set(0, self.animator.instance())?;
        self.hero.place(0, matrix)?;
        let eye = self.focus + around(self.orbit / TAU, 5.2) + Vec3::Y * 1.25;
        let camera = Camera::look_at(eye, self.focus, 34f32.to_radians());
        let mut look = Look::default().with_ground(0.0, self.place, 6.0);
        (look.light, look.shadow) = (Vec3::new(-0.55, 0.85, 0.5), 0.55);
        look.ground.iter_mut().for_each(|ground| ground.line = Color::TRANSPARENT);
        present(&mut Scene::new(&camera, &look, &mut [&mut self.scenery, &mut self.hero]))
    }
}

impl Overworld {
    /// Turns and accelerates by the keys, relative to the camera.
    fn steer(&mut self, keys: &Keys, seconds: f32) {
        let away = keys.axis(Key::Char('w'), Key::Char('s'));
        let right = keys.axis(Key::Char('d'), Key::Char('a'));
        let wanted = Quat::from_rotation_y(self.orbit) * Vec3::new(right, 0.0, -away);
        let fast = if keys.held(Key::Shift) { self.run } else { self.walk };
        let goal = if wanted == Vec3::ZERO { 0.0 } else { fast };
        self.speed += (goal - self.speed).clamp(-ACCELERATION * seconds, ACCELERATION * seconds);
        if wanted != Vec3::ZERO {
            let turn = (wanted.x.atan2(wanted.z) - self.facing + PI).rem_euclid(TAU) - PI;
            self.facing += turn * (TURNING * seconds).min(1.0);
        }
    }

    fn jump(&mut self, keys: &Keys, seconds: f64) {
        match &mut self.in_air {
            None if keys.pressed(Key::Space) => self.in_air = Some(JUMP),
            Some(left) if *left <= seconds => self.in_air = None,
            Some(left) => *left -= seconds,
            None => {}
        }
    }
}

/// Standing, walking to running, jump and landing, for clips that walk and run at these speeds.
fn machine(walk: f32, run: f32) -> std::result::Result<Machine, MachineError> {
    let state = |name: &str| State::clip(name, name).root_motion(RootMotion::InPlace);
    let gait = State::line("Move", "speed", [(walk, "Walk"), (run, "Run")]);
    let body = Graph::new("Idle")
        .state(state("Idle"))
        .state(gait.sync(SyncMode::Phase).speed("pace").root_motion(RootMotion::InPlace))
        .state(state("Jump").once())
        .state(state("Land").once())
        .transition(Transition::from_any("Jump").when("not grounded").fade(0.1))
        .transition(Transition::new("Jump", "Land").when("grounded").fade(0.1))
        .transition(Transition::new("Land", "Move").when("speed > 0.2").after(1.0).fade(0.2))
        .transition(Transition::new("Land", "Idle").after(1.0).fade(0.2))
        .transition(Transition::new("Idle", "Move").when("speed > 0.2").fade(0.2))
        .transition(Transition::new("Move", "Idle").when("speed < 0.1").fade(0.2));
    Definition::new()
        .parameter(Parameter::number("speed", 0.0))
        .parameter(Parameter::number("pace", 1.0))
        .parameter(Parameter::flag("grounded", true))
        .layer(Layer::new("body", body))
        .build()
}

/// Mean speed of a clip's root motion, in metres per second.
fn speed_of(character: &Character, clip: &str) -> Result<f32> {
    let clip = character.clips().by_name(clip)?;
    Ok(clip.travel(character, None).whole().length() / clip.duration())
}

fn scenery() -> Props {
    let mut props = Props::default();
    props.sky(rgb(0x4f9be6), rgb(0xe9f1ee), rgb(0xa3c57f));
    props.hills(190.0, 34.0, rgb(0xa9bfd3), 11);
    props.hills(130.0, 15.0, rgb(0x86ac9a), 4);
    props.ground(110.0, rgb(0x7fb356), rgb(0xa6c687), 0.14);
    let bend = |z: f32| Vec3::new(-0.45 * z + 1.6 * (z * 0.22).sin(), 0.0, z);
    let path: Vec<Vec3> = (0..60).map(|i| bend(12.0 - i as f32 * 0.8)).collect();
    props.ribbon(&path, 1.7, rgb(0xcdb083));
    let spots = |seed: u32, count: u32, from: f32, to: f32, clear: f32| {
        (0..count)
            .map(move |i| around(chance(seed + i), from + (to - from) * chance(seed * 3 + i)))
            .filter(move |at| (*at - bend(at.z)).length() > clear)
    };
    // No tree near the path, where it could hide the hero.
    for (i, at) in spots(1, 120, 5.0, 52.0, 5.5).enumerate() {
        let green = rgb(0x4a8a45).lerp(rgb(0x7ea24a), chance(i as u32 + 900));
        props.tree(at, 2.6 + 2.2 * chance(i as u32 + 500), green, i as u32);
    }
    for (i, at) in spots(400, 60, 2.0, 24.0, 1.4).enumerate() {
        props.stone(at, 0.1 + 0.24 * chance(i as u32 + 33), rgb(0x9c9a92), i as u32);
    }
    for (i, at) in spots(700, 420, 1.5, 26.0, 1.1).enumerate() {
        let petals = [0xf6f2e8, 0xf2c84b, 0xe98a7a, 0xb79ae0][i % 4];
        props.flower(at, 0.1 + 0.06 * chance(i as u32), rgb(petals));
    }
    props
}
