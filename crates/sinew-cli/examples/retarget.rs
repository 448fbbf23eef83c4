//! Two figures follow a hero, who walks, runs and waves.
//!
//! What it shows: retargeting. The figures have other proportions, other names of joints and other rests: one has short legs and its arms lowered, the other long ones and arms held level. Their
//! clips are the hero's, with feet locked to the ground.

#[path = "scene/mod.rs"]
mod scene;

use scene::props::{Props, rgb};
use scene::{Game, Key, Keys, Present, Result};
use sinew::glam::{Affine3, Quat, Vec3};
use sinew::{
    BoneMap, Character, CharacterData, ClipLibrary, Joint, Material, Mesh, Part, PlayOptions, Player,
    RootMotion, Skeleton, Space, Transform,
};
use sinew_import::{Locks, Options, Retargeting};
use sinew_render::{Batch, Camera, Color, Look, Renderer, Scene, Skinning};
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    scene::run::<Followers>()
}

/// What is played, one after the other: name of the clip, and for how many seconds.
const ACTS: [(&str, f64); 3] = [("walk", 16.0 / 15.0), ("run", 11.0 / 15.0), ("wave", 37.0 / 15.0)];

struct Followers {
    /// The hero and those who follow.
    figures: Vec<(Batch, Player)>,
    scenery: Batch,
    time: f64,
    act: Option<usize>,
}

impl Game for Followers {
    const TITLE: &'static str = "retargeting: two figures follow a hero";
    const SCRIPT: &'static [(Key, f64, f64)] = &[];
    const SCRIPT_LENGTH: f64 = 1.0;

    fn new(renderer: &mut Renderer) -> Result<Self> {
        let actor = scene::actors::hero(renderer)?;
        let hero = actor.character;
        let mut figures = vec![(renderer.batch(&actor.model, 1, Skinning::Auto)?, Player::new(hero.clone()))];
        for build in [&SMALL, &TALL] {
            let character = Arc::new(follow(&hero, build.character()?)?);
            let model = renderer.load(&character)?;
            figures.push((renderer.batch(&model, 1, Skinning::Auto)?, Player::new(character)));
        }
        let mut props = Props::default();
        props.sky(rgb(0x5b8fc7), rgb(0xdfe8ee), rgb(0xb9c7cf));
        props.ground(60.0, rgb(0xb9c4c9), rgb(0xdfe8ee), 0.0);
        Ok(Self { figures, scenery: props.build(renderer)?, time: 0.0, act: None })
    }

    fn update(&mut self, _: &Keys, seconds: f64) -> Result {
        let (act, within) = act(self.time);
        self.time += seconds;
        for (_, player) in &mut self.figures {
            if self.act != Some(act) {
                let in_place =
                    PlayOptions { root_motion: Some(RootMotion::InPlace), ..PlayOptions::default() };
                player.play_with(ACTS[act].0, in_place)?;
            }
            player.seek(within);
            player.update(0.0);
        }
        self.act = Some(act);
        Ok(())
    }

    fn draw(&mut self, _: f32, present: Present<'_>) -> Result {
        for ((batch, player), x) in self.figures.iter_mut().zip([0.0, -1.25, 1.3]) {
            batch.set(0, player.instance())?;
            batch.place(0, Affine3::from_translation(Vec3::X * x))?;
        }
        let camera = Camera::look_at(Vec3::new(2.2, 1.6, 6.4), Vec3::new(0.05, 1.0, 0.0), 28f32.to_radians());
        let mut look = Look::default().with_ground(0.0, Vec3::ZERO, 6.0);
        (look.light, look.shadow) = (Vec3::new(0.5, 0.85, 0.4), 0.5);
        look.ground.iter_mut().for_each(|ground| ground.line = Color::TRANSPARENT);
        let mut batches: Vec<&mut Batch> = vec![&mut self.scenery];
        batches.extend(self.figures.iter_mut().map(|(batch, _)| batch));
        present(&mut Scene::new(&camera, &look, &mut batches))
    }
}

/// The act at a time, and the seconds since it began.
fn act(time: f64) -> (usize, f64) {
    let mut within = time % ACTS.iter().map(|(_, seconds)| seconds).sum::<f64>();
    for (number, (_, seconds)) in ACTS.iter().enumerate() {
        if within < seconds - 1e-9 {
            return (number, within.max(0.0));
        }
        within -= seconds;
    }
    (0, 0.0)
}

/// A figure with the hero's clips.
fn follow(hero: &Character, figure: Character) -> Result<Character> {
    let made = Retargeting::new(hero, &figure, &BoneMap::default(), &Options::default())?;
    let retargeting = made.0.locked(Locks { feet: true, hands: false });
    Ok(figure.with_clips(retargeting.library(hero.clips()))?)
}

/// A figure of blocks, in metres.
struct Build {
    /// Height of the hip joints, the knees and the ankles.
    leg: [f32; 3],
    /// Height of the shoulders, and their distance from the middle.
    shoulder: [f32; 2],
    /// Length of the upper arm, and of the lower.
    arm: [f32; 2],
    /// How far the arms are lowered at rest, in radians.
    lowered: f32,
    head: f32,
    colour: u32,
}

const SMALL: Build = Build {
    leg: [0.52, 0.29, 0.07],
    shoulder: [0.94, 0.15],
    arm: [0.24, 0.22],
    lowered: 0.9,
    head: 0.3,
    colour: 0x3b_7a_b8,
};
const TALL: Build = Build {
    leg: [1.12, 0.6, 0.1],
    shoulder: [1.68, 0.21],
    arm: [0.36, 0.33],
    lowered: 0.0,
    head: 0.22,
    colour: 0xc0_6a_3a,
};

impl Build {
    /// Joints with the names of another make: name, parent, place.
    fn joints(&self) -> Vec<(String, Option<usize>, Vec3)> {
        let [hip, knee, ankle] = self.leg;
        let [height, wide] = self.shoulder;
        let trunk = |part: f32| Vec3::Y * (hip + (height - hip) * part);
        let mut joints = vec![
            ("pelvis".to_owned(), None, Vec3::Y * (hip + 0.03)),
            ("spine_01".to_owned(), Some(0), trunk(0.3)),
            ("spine_02".to_owned(), Some(1), trunk(0.65)),
            ("neck_01".to_owned(), Some(2), Vec3::Y * (height + 0.05)),
            ("head".to_owned(), Some(3), Vec3::Y * (height + 0.12)),
        ];
        for (side, sign) in [("l", 1.0), ("r", -1.0)] {
            let mut line = |names: &[&str], on: usize, places: &[Vec3]| {
                let mut parent = on;
                for (name, place) in names.iter().zip(places) {
                    joints.push((format!("{name}_{side}"), Some(parent), *place * Vec3::new(sign, 1.0, 1.0)));
                    parent = joints.len() - 1;
                }
            };
            let out = Quat::from_rotation_z(-self.lowered) * Vec3::X;
            let arm = Vec3::new(wide, height, 0.0);
            let elbow = arm + out * self.arm[0];
            let places = [Vec3::new(0.04, height - 0.03, 0.0), arm, elbow, elbow + out * self.arm[1]];
            line(&["clavicle", "upperarm", "lowerarm", "hand"], 2, &places);
            let x = wide * 0.55;
            let places = [
                Vec3::new(x, hip, 0.0),
                Vec3::new(x, knee, 0.01),
                Vec3::new(x, ankle, -0.02),
                Vec3::new(x, 0.03, 0.12),
            ];
            line(&["thigh", "calf", "foot", "ball"], 0, &places);
        }
        joints
    }

    fn character(&self) -> Result<Character> {
        let joints = self.joints();
        let place = |joint: Option<usize>| joint.map_or(Vec3::ZERO, |joint| joints[joint].2);
        let skeleton = joints.iter().map(|(name, parent, at)| {
            let parent_index = parent.map(|parent| parent as u16);
            Joint::new(name.as_str(), parent_index, Transform::from_translation(*at - place(*parent)))
        });
        let mut meshes = Vec::new();
        for (joint, (name, _, at)) in joints.iter().enumerate() {
            let children = joints.iter().filter(|(_, parent, _)| *parent == Some(joint));
            // The trunk goes on upward, whatever hangs on it besides: its joints are listed first.
            let next = children.map(|(_, _, place)| *place).next();
            let (along, thick) = match name.as_str() {
                "head" => (Vec3::Y * self.head, 0.62 * self.head),
                "neck_01" => (Vec3::Y * 0.1, 0.07),
                "pelvis" | "spine_01" | "spine_02" => (next.unwrap_or(*at) - *at, 1.5 * self.shoulder[1]),
                name if name.starts_with("hand") => (self.hand(at.x), 0.07),
                name if name.starts_with("ball") => (Vec3::Z * 0.09, 0.08),
                name if name.starts_with("clavicle") => continue,
                _ => (next.unwrap_or(*at) - *at, 0.1),
            };
            meshes.push(block(joint as u16, along, thick));
        }
        let colour = rgb(self.colour).extend(1.0);
        let material = Material { name: "blocks".into(), base_color: colour, ..Material::default() };
        Ok(Character::new(CharacterData {
            name: "figure".into(),
            skeleton: Skeleton::new(skeleton.collect(), vec![])?,
            meshes,
            materials: vec![material],
            textures: vec![],
            clips: ClipLibrary::default(),
            space: Space::CANONICAL,
        })?)
    }

    /// Along the hand of one side.
    fn hand(&self, x: f32) -> Vec3 {
        let out = Quat::from_rotation_z(-self.lowered) * Vec3::X;
        Vec3::new(out.x * x.signum(), out.y, 0.0) * 0.14
    }
}

/// A block from a joint along its segment.
fn block(joint: u16, along: Vec3, thick: f32) -> Mesh {
    let (length, way) = (along.length(), along.normalize_or(Vec3::Y));
    let turn = Quat::from_rotation_arc(Vec3::Y, way);
    let half = thick * 0.5;
    let corner = |x: f32, y: f32, z: f32| turn * Vec3::new(x * half, y * length, z * half * 0.8);
    let (mut positions, mut normals) = (Vec::new(), Vec::new());
    let faces = [
        ([[-1, 0, 1], [1, 0, 1], [1, 1, 1], [-1, 1, 1]], Vec3::Z),
        ([[1, 0, -1], [-1, 0, -1], [-1, 1, -1], [1, 1, -1]], Vec3::NEG_Z),
        ([[1, 0, 1], [1, 0, -1], [1, 1, -1], [1, 1, 1]], Vec3::X),
        ([[-1, 0, -1], [-1, 0, 1], [-1, 1, 1], [-1, 1, -1]], Vec3::NEG_X),
        ([[-1, 1, 1], [1, 1, 1], [1, 1, -1], [-1, 1, -1]], Vec3::Y),
        ([[-1, 0, -1], [1, 0, -1], [1, 0, 1], [-1, 0, 1]], Vec3::NEG_Y),
    ];
    for (corners, normal) in faces {
        let [a, b, c, d] = corners.map(|[x, y, z]| corner(x as f32, y as f32, z as f32));
        positions.extend([a, b, c, a, c, d]);
        normals.extend([turn * normal; 6]);
    }
    let count = positions.len() as u32;
    Mesh {
        joint,
        positions: positions.into(),
        normals: normals.into(),
        indices: (0..count).collect(),
        parts: vec![Part { material: Some(0), first: 0, count }],
        ..Mesh::new("block")
    }
}
