//! Fifty little dragons against one hero: they idle, chase, bite and die, and respawn at the rim.
//!
//! What it shows: all fifty share one [`sinew::Character`] and one state machine (`scene/arena.machine.toml`), and are drawn together (on a graphics
//! card with one instanced draw for each material); each has its own run of the machine. The enemies are a pool: nothing is allocated while it runs.
//!
//! `--crowd 1000` fills stands around it with spectators: see `scene/stands.rs`.
//!
//! Keys: A and D turn the hero, Space strikes, Escape quits. If no key is held, the hero turns to the nearest enemy.

#[path = "scene/mod.rs"]
mod scene;

use scene::props::{Props, around, chance, rgb};
use scene::stands::Stands;
use scene::{Game, Key, Keys, Present, Result};
use sinew::glam::{Affine3, Quat, Vec3};
use sinew::machine::{Animator, Machine, MachinePlan};
use sinew::{Controller, PlayOptions};
use sinew_render::{Batch, Camera, Color, Look, Renderer, Scene, Skinning};
use std::f32::consts::{PI, TAU};
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    scene::run::<Arena>()
}

const ENEMIES: usize = 50;
/// From the middle to the rim, in metres.
const RADIUS: f32 = 6.4;
/// How near an enemy must be to bite, and how far the hero's fist reaches.
const BITE: f32 = 0.95;
const REACH: f32 = 1.5;
/// Collision radius of an enemy of size 1.
const BODY: f32 = 0.3;

struct Enemy {
    animator: Animator,
    /// Seconds that it still idles.
    waits: f64,
    place: Vec3,
    facing: f32,
    /// Scale, and speed in metres per second.
    size: f32,
    haste: f32,
    /// Seconds since it fell.
    fallen: f64,
    lives: u32,
}

impl Enemy {
    /// Spawns at the rim, or up to the given part of the radius farther in, and idles for a while, at a random phase of the clip.
    fn spawn(&mut self, index: usize, inwards: f32) -> Result {
        let seed = index as u32 * 17 + self.lives * 101;
        self.lives += 1;
        self.place = around(chance(seed), RADIUS * (1.0 - inwards * chance(seed + 1)));
        self.facing = (-self.place.x).atan2(-self.place.z) + (chance(seed + 2) - 0.5) * 1.5;
        self.fallen = 0.0;
        self.waits = 0.2 + 4.5 * f64::from(chance(seed + 3));
        self.animator.restart()?;
        self.animator.set_number("pace", self.haste / WALK)?;
        Ok(self.animator.update(2.0 * f64::from(chance(seed + 4)))?)
    }

    /// The game says what is so; the machine decides what to do.
    fn update(&mut self, seconds: f64) -> Result {
        let way = -self.place;
        self.waits -= seconds;
        self.animator.set_bool("ready", self.waits <= 0.0)?;
        self.animator.set_bool("near", way.length() < BITE * (0.8 + 0.4 * self.size))?;
        self.animator.update(seconds)?;
        match self.animator.state(0) {
            "Chase" => {
                let turn = (way.x.atan2(way.z) - self.facing + PI).rem_euclid(TAU) - PI;
                self.facing += turn * (4.0 * seconds as f32).min(1.0);
                self.place +=
                    Quat::from_rotation_y(self.facing) * Vec3::Z * self.haste * self.size * seconds as f32;
            }
            // After a bite it waits.
            "Attack" => self.waits = 0.5,
            "Fall" => self.fallen += seconds,
            _ => {}
        }
        Ok(())
    }

    fn is_falling(&self) -> bool {
        self.animator.state(0) == "Fall"
    }

    fn is_gone(&self) -> bool {
        self.fallen > 3.2
    }

    fn matrix(&self) -> Affine3 {
        let sink = ((self.fallen as f32 - 2.6) * 0.8).max(0.0);
        Affine3::from_scale_rotation_translation(
            Vec3::splat(self.size),
            Quat::from_rotation_y(self.facing),
            self.place - Vec3::Y * sink,
        )
    }
}

/// Metres per second at which the creature's walk does not slide.
const WALK: f32 = 0.15;

struct Arena {
    enemies: Vec<Enemy>,
    crowd: Batch,
    hero: Batch,
    scenery: Batch,
    stands: Option<Stands>,
    fighter: Controller,
    facing: f32,
    /// Whether the current strike has hit.
    struck: bool,
    time: f64,
}

impl Game for Arena {
    const TITLE: &'static str = "arena: A and D turn, Space strikes";
    const SCRIPT: &'static [(Key, f64, f64)] = &[(Key::Space, 1.2, 600.0)];
    const SCRIPT_LENGTH: f64 = 600.0;

    fn new(renderer: &mut Renderer) -> Result<Self> {
        let hero = scene::actors::hero(renderer)?;
        let dragon = scene::actors::creature(renderer)?;
        let machine = Machine::from_toml(include_str!("scene/arena.machine.toml"))?;
        let plan = Arc::new(MachinePlan::new(Arc::new(machine), &dragon.character)?);
        let mut fighter = Controller::new(hero.character.clone());
        fighter.play("Idle")?;
        let enemy = |index: usize| -> Result<Enemy> {
            let seed = index as u32;
            let mut enemy = Enemy {
                animator: Animator::new(dragon.character.clone(), plan.clone())?,
                waits: 0.0,
                place: Vec3::ZERO,
                facing: 0.0,
                size: 0.85 + 0.45 * chance(seed + 500),
                haste: 0.45 + 0.3 * chance(seed + 600),
                fallen: 0.0,
                lives: 0,
            };
            enemy.spawn(index, 0.62)?;
            Ok(enemy)
        };
        let mut crowd = renderer.batch(&dragon.model, ENEMIES, Skinning::Auto)?;
        for index in 0..ENEMIES {
            crowd.tint(index, COLORS[index % COLORS.len()])?;
        }
        Ok(Self {
            enemies: (0..ENEMIES).map(enemy).collect::<Result<_>>()?,
            crowd,
            hero: renderer.batch(&hero.model, 1, Skinning::Auto)?,
            scenery: scenery().build(renderer)?,
            stands: None,
            fighter,
            facing: 0.6,
            struck: true,
            time: 0.0,
        })
    }

    fn add_crowd(&mut self, renderer: &mut Renderer, count: usize) -> Result {
        let dragon = scene::actors::creature(renderer)?;
        self.stands = Some(Stands::new(renderer, &dragon, count, RADIUS + 3.4)?);
        Ok(())
    }

    fn update(&mut self, keys: &Keys, seconds: f64) -> Result {
        self.time += seconds;
        for (index, enemy) in self.enemies.iter_mut().enumerate() {
            enemy.update(seconds)?;
            if enemy.is_gone() {
                enemy.spawn(index, 0.0)?;
            }
        }
        self.spread_out();
        self.turn(keys, seconds as f32);
        let strikes = keys.held(Key::Space) && self.nearest().is_some_and(|d| d.length() < REACH);
        if strikes && self.fighter.is_active("Idle") {
            self.fighter.play_with("Strike", PlayOptions::once(0.1).reset())?;
            self.struck = false;
        }
        self.fighter.update(seconds);
        if self.fighter.has_ended() {
            self.fighter.play_with("Idle", PlayOptions::looping(0.2))?;
        }
        if !self.struck && self.fighter.playback().time() > 0.5 {
            self.struck = true;
            let hits = self.strike()?;
            if let Some(stands) = self.stands.as_mut().filter(|_| hits > 0) {
                stands.cheer()?;
            }
        }
        self.stands.as_mut().map_or(Ok(()), |stands| stands.update(seconds))
    }

    fn draw(&mut self, aspect: f32, present: Present<'_>) -> Result {
        for (index, enemy) in self.enemies.iter().enumerate() {
            self.crowd.set(index, enemy.animator.instance())?;
            self.crowd.place(index, enemy.matrix())?;
        }
        self.hero.set(0, self.fighter.instance())?;
        self.hero.place(0, Affine3::from_rotation_y(self.facing))?;
        let turn = 0.08 + 0.006 * self.time as f32;
        let eye = around(turn, 8.2) + Vec3::Y * 2.9;
        let camera = Camera::look_at(eye, Vec3::new(0.0, 0.8, 0.0), 34f32.to_radians());
        let mut look = Look::default().with_ground(0.0, Vec3::ZERO, 8.0);
        look.light = Vec3::new(-0.6, 0.8, 0.35);
        look.brightness = 0.95;
        look.sky = Vec3::new(0.42, 0.40, 0.50);
        look.soil = Vec3::new(0.24, 0.18, 0.15);
        look.shadow = 0.6;
        look.ground.iter_mut().for_each(|ground| ground.line = Color::TRANSPARENT);
        let Self { scenery, crowd, hero, stands, .. } = self;
        match stands {
            None => present(&mut Scene::new(&camera, &look, &mut [scenery, crowd, hero])),
            Some(stands) => {
                let [steps, spectators] = stands.draw(&camera, aspect)?;
                let batches = &mut [scenery, steps, crowd, hero, spectators];
                present(&mut Scene::new(&camera, &look, batches))
            }
        }
    }
}

impl Arena {
    /// Position of the nearest living enemy, as seen from the hero.
    fn nearest(&self) -> Option<Vec3> {
        let standing = self.enemies.iter().filter(|enemy| !enemy.is_falling());
        standing.map(|enemy| enemy.place).min_by(|a, b| a.length().total_cmp(&b.length()))
    }

    /// Resolves overlaps: two enemies move apart by half of the overlap each, and out of the hero.
    fn spread_out(&mut self) {
        let room = |enemy: &Enemy| BODY * enemy.size;
        for i in 1..ENEMIES {
            let (before, rest) = self.enemies.split_at_mut(i);
            let one = &mut rest[0];
            for other in before.iter_mut().filter(|other| !other.is_falling()) {
                let (way, wanted) = (one.place - other.place, room(one) + room(other));
                let overlap = wanted - way.length();
                if overlap > 0.0 && !one.is_falling() {
                    let push = way.try_normalize().unwrap_or(Vec3::X) * overlap * 0.5;
                    one.place += push;
                    other.place -= push;
                }
            }
        }
        for enemy in self.enemies.iter_mut().filter(|enemy| !enemy.is_falling()) {
            let least = room(enemy) + BODY;
            if enemy.place.length() < least {
                enemy.place = enemy.place.try_normalize().unwrap_or(Vec3::Z) * least;
            }
        }
    }

    fn turn(&mut self, keys: &Keys, seconds: f32) {
        let by_hand = keys.axis(Key::Char('a'), Key::Char('d'));
        if by_hand != 0.0 {
            self.facing += by_hand * 3.0 * seconds;
        } else if let Some(way) = self.nearest() {
            let turn = (way.x.atan2(way.z) - self.facing + PI).rem_euclid(TAU) - PI;
            self.facing += turn * (4.0 * seconds).min(1.0);
        }
    }

    /// Kills every enemy in reach in front of the hero, and counts them.
    fn strike(&mut self) -> Result<usize> {
        let forward = Quat::from_rotation_y(self.facing) * Vec3::Z;
        let mut hits = 0;
        for enemy in &mut self.enemies {
            let near = enemy.place.length() < REACH;
            if near && enemy.place.normalize_or_zero().dot(forward) > 0.3 {
                enemy.animator.fire("fall")?;
                hits += 1;
            }
        }
        Ok(hits)
    }
}

const COLORS: [Color; 5] = [
    Color([255, 255, 255, 255]),
    Color([150, 200, 255, 255]),
    Color([255, 205, 130, 255]),
    Color([205, 165, 255, 255]),
    Color([165, 235, 160, 255]),
];

fn scenery() -> Props {
    let mut props = Props::default();
    props.sky(rgb(0x35406b), rgb(0xf0b489), rgb(0x8a6a57));
    props.hills(120.0, 16.0, rgb(0x77607a), 8);
    props.hills(80.0, 8.0, rgb(0x5d4a5c), 3);
    props.ground(60.0, rgb(0x9a7d62), rgb(0xb08f74), 0.12);
    props.platform(Vec3::ZERO, RADIUS + 1.3, 0.2, rgb(0xc9ad88), rgb(0x8c7355));
    for i in 0..20u32 {
        let at = around(i as f32 / 20.0, RADIUS + 1.9);
        props.pillar(at, if i % 4 == 2 { 0.7 + 0.5 * chance(i) } else { 2.3 }, rgb(0xbfa98c));
    }
    for i in 0..40u32 {
        let at = around(chance(i + 9), RADIUS + 3.0 + 14.0 * chance(i + 77));
        props.stone(at, 0.2 + 0.5 * chance(i), rgb(0x8f7a68), i);
    }
    props
}
