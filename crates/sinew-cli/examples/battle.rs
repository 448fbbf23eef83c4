//! Two creatures face each other, each on its platform. They idle, attack, react to hits, and at the end one faints.
//!
//! What it shows: two instances of one character that share one state machine (`scene/battle.machine.toml`): the game sets triggers, the machine
//! decides what plays; hits that are timed by the clip.
//!
//! Keys: 1 bite, 2 claw, 3 fire; 4 the other one bites; R restarts; Escape quits.

#[path = "scene/mod.rs"]
mod scene;

use scene::props::{Props, chance, rgb};
use scene::{Game, Key, Keys, Present, Result};
use sinew::glam::{Affine3, Quat, Vec3};
use sinew::machine::{Animator, Machine, MachinePlan};
use sinew_render::{Batch, Camera, Color, Depth, Look, Overlay, Renderer, Scene, Skinning};
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    scene::run::<Battle>()
}

/// An attack: its trigger and its state, the time of the hit as a part of the clip, how far the attacker leaps (metres), and the damage.
struct Move {
    trigger: &'static str,
    state: &'static str,
    blow: f64,
    leap: f32,
    damage: f32,
}

const BITE: Move = Move { trigger: "bite", state: "Bite", blow: 0.45, leap: 0.72, damage: 0.34 };
const CLAW: Move = Move { trigger: "claw", state: "Claw", blow: 0.45, leap: 0.72, damage: 0.28 };
const FIRE: Move = Move { trigger: "fire", state: "Fire", blow: 0.5, leap: 0.0, damage: 0.45 };

/// One of the two.
struct Fighter {
    name: &'static str,
    /// Position, and direction as an angle around the up axis.
    home: Vec3,
    facing: f32,
    animator: Animator,
    health: f32,
    /// Health as the bar shows it: follows `health` smoothly.
    shown_health: f32,
    /// Whether the current attack has hit.
    struck: bool,
    /// Strength of the red flash after a hit, fading to 0.
    flash: f32,
}

impl Fighter {
    fn new(
        name: &'static str,
        home: Vec3,
        facing: f32,
        plan: &Arc<MachinePlan>,
        actor: &scene::actors::Actor,
    ) -> Result<Self> {
        let animator = Animator::new(actor.character.clone(), plan.clone())?;
        Ok(Self { name, home, facing, animator, health: 1.0, shown_health: 1.0, struck: false, flash: 0.0 })
    }

    /// The attack that plays.
    fn attack(&self) -> Option<&'static Move> {
        [&BITE, &CLAW, &FIRE].into_iter().find(|attack| attack.state == self.animator.state(0))
    }

    /// Takes damage, and reacts.
    fn suffer(&mut self, damage: f32) -> Result {
        if self.health == 0.0 {
            return Ok(());
        }
        self.health = (self.health - damage).max(0.0);
        self.flash = 1.0;
        Ok(self.animator.fire(if self.health > 0.0 { "hit" } else { "faint" })?)
    }

    /// Advances. Returns the attack that hits in this step.
    fn update(&mut self, seconds: f64) -> Result<Option<&'static Move>> {
        let entered = self.animator.run().entered(0);
        self.animator.update(seconds)?;
        self.struck &= entered == self.animator.run().entered(0);
        self.flash = (self.flash - seconds as f32 * 2.5).max(0.0);
        self.shown_health += (self.health - self.shown_health) * (seconds as f32 * 5.0).min(1.0);
        let attack = self.attack().filter(|attack| !self.struck && self.progress() >= attack.blow);
        self.struck |= attack.is_some();
        Ok(attack)
    }

    /// Progress of the clip, from 0 to 1.
    fn progress(&self) -> f64 {
        self.animator.voice(0).map_or(0.0, |voice| voice.playback().turns().min(1.0))
    }

    fn forward(&self) -> Vec3 {
        Quat::from_rotation_y(self.facing) * Vec3::Z
    }

    /// Its position: at home, or on the leap to the other and back.
    fn place(&self) -> Vec3 {
        let Some(attack) = self.attack() else { return self.home };
        let t = self.progress() as f32;
        let blow = attack.blow as f32;
        let part = if t < blow { (t / blow).powi(2) } else { 1.0 - ((t - blow) / (1.0 - blow)).min(1.0) };
        let part = part * part * (3.0 - 2.0 * part);
        self.home + self.forward() * attack.leap * part + Vec3::Y * attack.leap * 0.9 * part * (1.0 - part)
    }

    fn matrix(&self) -> Affine3 {
        Affine3::from_rotation_translation(Quat::from_rotation_y(self.facing), self.place())
    }

    fn joint(&self, name: &str) -> Vec3 {
        let instance = self.animator.instance();
        let joint = instance.character().skeleton().find(name).unwrap_or(0);
        let at = instance.model_matrices()[usize::from(joint)].translation();
        self.matrix().transform_point3(at)
    }
}

struct Battle {
    fighters: [Fighter; 2],
    creatures: Batch,
    scenery: Batch,
    overlay: Overlay,
    time: f64,
}

impl Game for Battle {
    const TITLE: &'static str = "battle: 1 bite, 2 claw, 3 fire, 4 the other bites, R anew";
    const SCRIPT: &'static [(Key, f64, f64)] = &[
        (Key::Char('1'), 0.8, 0.9),
        (Key::Char('4'), 3.2, 3.3),
        (Key::Char('3'), 5.4, 5.5),
        (Key::Char('2'), 8.6, 8.7),
        (Key::Char('r'), 12.8, 12.9),
    ];
    const SCRIPT_LENGTH: f64 = 13.0;

    fn new(renderer: &mut Renderer) -> Result<Self> {
        let actor = scene::actors::creature(renderer)?;
        let machine = Machine::from_toml(include_str!("scene/battle.machine.toml"))?;
        let plan = Arc::new(MachinePlan::new(Arc::new(machine), &actor.character)?);
        // They stand on a line through the origin and face each other along it.
        let (near, far) = (Vec3::new(-0.74, 0.0, 0.52), Vec3::new(0.84, 0.0, -0.78));
        let way = far - near;
        let facing = way.x.atan2(way.z);
        let fighters = [
            Fighter::new("Ember", near, facing, &plan, &actor)?,
            Fighter::new("Frost", far, facing + std::f32::consts::PI, &plan, &actor)?,
        ];
        let creatures = renderer.batch(&actor.model, 2, Skinning::Auto)?;
        let mut battle = Self {
            scenery: scenery(near, far).build(renderer)?,
            fighters,
            creatures,
            overlay: Overlay::new(),
            time: 0.0,
        };
        // Out of phase, so that they do not look like mirror images.
        battle.fighters[1].animator.update(0.7)?;
        Ok(battle)
    }

    fn update(&mut self, keys: &Keys, seconds: f64) -> Result {
        self.time += seconds;
        for (key, who, attack) in [('1', 0, &BITE), ('2', 0, &CLAW), ('3', 0, &FIRE), ('4', 1, &BITE)] {
            if keys.pressed(Key::Char(key)) {
                self.fighters[who].animator.fire(attack.trigger)?;
            }
        }
        if keys.pressed(Key::Char('r')) {
            for fighter in &mut self.fighters {
                fighter.health = 1.0;
                fighter.animator.fire("anew")?;
            }
        }
        for attacker in 0..2 {
            if let Some(attack) = self.fighters[attacker].update(seconds)? {
                self.fighters[1 - attacker].suffer(attack.damage)?;
            }
        }
        Ok(())
    }

    fn draw(&mut self, _: f32, present: Present<'_>) -> Result {
        let camera =
            Camera::look_at(Vec3::new(-0.75, 0.98, 3.6), Vec3::new(0.06, 0.45, -0.1), 28f32.to_radians());
        for (index, fighter) in self.fighters.iter().enumerate() {
            self.creatures.set(index, fighter.animator.instance())?;
            self.creatures.place(index, fighter.matrix())?;
            self.creatures.tint(index, tint(index, fighter.flash))?;
        }
        self.overlay.clear();
        for fighter in &self.fighters {
            draw_health(&mut self.overlay, &camera, fighter);
        }
        if self.fighters[0].animator.state(0) == FIRE.state {
            draw_fire(&mut self.overlay, &self.fighters[0], &self.fighters[1], self.time);
        }
        let mut look = Look::default().with_ground(0.0, Vec3::ZERO, 3.0);
        (look.light, look.shadow) = (Vec3::new(-0.5, 0.9, 0.45), 0.5);
        // Shadows, but no grid.
        look.ground.iter_mut().for_each(|ground| ground.line = Color::TRANSPARENT);
        let mut batches = [&mut self.scenery, &mut self.creatures];
        present(&mut Scene::new(&camera, &look, &mut batches).with_overlay(&mut self.overlay))
    }
}

/// The second is blue; after a hit both flash red.
fn tint(index: usize, flash: f32) -> Color {
    let own = if index == 0 { [255.0, 255.0, 255.0] } else { [150.0, 205.0, 255.0] };
    let red = [255.0, 90.0, 80.0];
    let mixed = [0, 1, 2].map(|c| (own[c] + (red[c] - own[c]) * flash * 0.8) as u8);
    Color([mixed[0], mixed[1], mixed[2], 255])
}

fn scenery(near: Vec3, far: Vec3) -> Props {
    let mut props = Props::default();
    props.sky(rgb(0x5fa8e8), rgb(0xf3e7cf), rgb(0x9bbf7a));
    props.hills(150.0, 22.0, rgb(0x9db8c9), 5);
    props.hills(100.0, 10.0, rgb(0x7fa58f), 2);
    props.ground(90.0, rgb(0x86b55e), rgb(0xa9c48c), 0.16);
    for (center, color) in [(near, rgb(0xd9b98a)), (far, rgb(0xc9b79a))] {
        props.platform(center, 0.62, 0.05, color, rgb(0x8c7350));
    }
    for i in 0..26u32 {
        let (turn, far) = (0.36 + 0.42 * chance(i), 6.0 + 22.0 * chance(i + 100));
        let at = scene::props::around(turn, far);
        props.tree(at, 2.0 + 1.6 * chance(i + 200), rgb(0x4f8f4a), i);
    }
    for i in 0..14u32 {
        let at = scene::props::around(0.3 + 0.55 * chance(i + 50), 2.2 + 4.0 * chance(i + 60));
        props.stone(at, 0.08 + 0.16 * chance(i + 70), rgb(0x9a978f), i);
    }
    props
}

/// Health bar and name above its head.
fn draw_health(overlay: &mut Overlay, camera: &Camera, fighter: &Fighter) {
    let middle = fighter.home + Vec3::Y * 1.06;
    let half = camera.right() * 0.3;
    let (left, right) = (middle - half, middle + half);
    let full = left.lerp(right, fighter.shown_health);
    overlay.line(left, right, (6.0, 6.0), Color([32, 36, 44, 235]), Depth::OnTop);
    if fighter.shown_health > 0.01 {
        let color =
            if fighter.shown_health > 0.4 { Color([96, 206, 92, 255]) } else { Color([236, 108, 66, 255]) };
        overlay.line(left, full, (4.0, 4.0), color, Depth::OnTop);
    }
    overlay.label(
        left + camera.up() * 0.075 - camera.right() * 0.03,
        fighter.name,
        2,
        Color([255, 255, 255, 255]),
    );
}

/// Breath of fire: sparks that fly from the mouth to the other.
fn draw_fire(overlay: &mut Overlay, from: &Fighter, to: &Fighter, time: f64) {
    let blows = (from.progress() - 0.36) / 0.3;
    if !(0.0..1.0).contains(&blows) {
        return;
    }
    let (mouth, target) = (from.joint("Jaw"), to.home + Vec3::Y * 0.4);
    for i in 0..90u32 {
        let age = (time as f32 * 2.2 + chance(i)).fract();
        let wild = Vec3::new(chance(i + 7) - 0.5, chance(i + 19) - 0.5, chance(i + 31) - 0.5);
        let at =
            mouth.lerp(target, age) + wild * (0.04 + 0.5 * age * age) + Vec3::Y * 0.1 * age * (1.0 - age);
        let color = Color([
            255,
            (225.0 - 170.0 * age) as u8,
            (120.0 - 100.0 * age) as u8,
            (235.0 * (1.0 - age)) as u8,
        ]);
        let size = 3.0 + 11.0 * age * chance(i + 3);
        overlay.dot(at, size, color, Depth::Hidden);
    }
}
