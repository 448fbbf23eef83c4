//! Characters of any size, the same in every run.

use libm::{cosf, sinf};
use sinew::glam::{Quat, Vec3};
use sinew::skinning::sort_vertices;
use sinew::{
    Character, CharacterData, Clip, ClipLibrary, Influences, Interpolation, Joint, JointTracks, Mat3x4, Mesh,
    MorphDelta, MorphTarget, Scalar, Skeleton, Skin, Space, Track, Transform,
};
use sinew_compress::{
    Figure, KeyMotion, MOST_MEMORY, Profile, Tried, compile, joint_bits, joint_order, reordered,
};

/// Whole numbers that look random.
#[derive(Clone, Debug)]
pub struct Dice(pub u64);

impl Dice {
    /// From 0 to `sides - 1`.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides.max(1)
    }

    /// From −1 to 1.
    pub fn number(&mut self) -> f32 {
        self.roll(1 << 20) as f32 / (1 << 19) as f32 - 1.0
    }

    /// Three numbers.
    pub fn vector(&mut self) -> Vec3 {
        Vec3::new(self.number(), self.number(), self.number())
    }

    fn unit(&mut self) -> Vec3 {
        (self.vector() + Vec3::splat(1e-3)).normalize()
    }
}

/// A tree like a figure's: a spine, limbs at it, fingers at their ends.
pub fn skeleton(joints: usize) -> Skeleton {
    let spine = (joints / 10).max(1);
    let joint = |i: usize| {
        let parent = match i {
            0 => None,
            _ if i < spine => Some(i - 1),
            // Chains of five, each at a joint of the spine.
            _ if (i - spine).is_multiple_of(5) => Some((i - spine) / 5 % spine),
            _ => Some(i - 1),
        };
        let rest = Transform::from_translation(Vec3::new(0.02 * (i % 3) as f32, 0.12, 0.01));
        Joint::new(format!("joint {i}"), parent.map(|p| p as u16), rest)
    };
    let scalars = (0..3).map(|i| Scalar { name: format!("scalar {i}"), rest: 0.0 }).collect();
    Skeleton::new((0..joints).map(joint).collect(), scalars).unwrap_or_else(|error| unreachable!("{error}"))
}

/// Keys on every joint, `rate` a second: each swings about an axis of its own; the first travels too.
pub fn clip(skeleton: &Skeleton, seconds: f32, rate: f32) -> Clip {
    let count = (seconds * rate) as usize + 1;
    let times: Vec<f32> = (0..count).map(|i| i as f32 / rate).collect();
    let mut dice = Dice(3);
    let tracks = (0..skeleton.len() as u16).map(|joint| {
        let (axis, wide) = (dice.unit(), 0.2 + 0.3 * dice.number().abs());
        let (speed, phase) = (30.0 / rate, 6.0 * dice.number());
        let angle = |t: f32| wide * sinf(4.0 * t / speed + phase) + 0.2 * wide * cosf(11.0 * t / speed);
        let turns = times.iter().map(|&t| Quat::from_axis_angle(axis, angle(t))).collect();
        let places = times.iter().map(|&t| Vec3::new(0.05 * sinf(4.0 * t), 1.0 + 0.02 * sinf(8.0 * t), 0.0));
        JointTracks {
            rotation: Track::new(times.clone(), turns, Interpolation::Linear).ok(),
            translation: (joint == 0)
                .then(|| Track::new(times.clone(), places.collect(), Interpolation::Linear).ok())
                .flatten(),
            ..JointTracks::new(joint)
        }
    });
    let duration = (count - 1) as f32 / rate;
    Clip::new("swing", duration, tracks.collect(), vec![]).unwrap_or_else(|error| unreachable!("{error}"))
}

/// Bytes and error of a compiled clip.
#[derive(Clone, Debug)]
pub struct Size {
    /// Of its keys.
    pub keys: usize,
    /// What was chosen; lengths are for a figure of 1.8 m.
    pub tried: Tried,
}

/// A character with one compiled clip, its joints in the order that suits it.
pub fn character(joints: usize, seconds: f32, rate: f32, profile: Profile) -> (Character, Size) {
    let skeleton = skeleton(joints);
    let source = clip(&skeleton, seconds, rate);
    let figure = Figure::new(&skeleton, 1.8, |_| None);
    let motion = &mut KeyMotion::new(&skeleton, &source);
    let bits = joint_bits(&skeleton, &source, &figure, profile, motion, MOST_MEMORY);
    let order = joint_order(skeleton.parents(), &bits.unwrap_or_else(|| vec![0.0; joints]));
    let mut clips = ClipLibrary::default();
    let keys = source.bytes();
    clips.add(source);
    let data = CharacterData {
        name: "figure".into(),
        skeleton,
        meshes: vec![],
        materials: vec![],
        textures: vec![],
        clips,
        space: Space::CANONICAL,
    };
    let character = Character::new(data).unwrap_or_else(|error| unreachable!("{error}"));
    let ordered = reordered(&character, &order).unwrap_or_else(|error| unreachable!("{error}"));
    let source = ordered.clips().get(0).unwrap_or_else(|error| unreachable!("{error}"));
    let skeleton = ordered.skeleton();
    let compiled = compile(skeleton, &source, &figure, profile, &mut KeyMotion::new(skeleton, &source))
        .unwrap_or_else(|_| unreachable!("frames fit a smooth motion"));
    let mut clips = ClipLibrary::default();
    clips.add(compiled.clip);
    let character = ordered.with_clips(clips).unwrap_or_else(|error| unreachable!("{error}"));
    (character, Size { keys, tried: compiled.chosen })
}

/// What a mesh has beside positions and normals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extras {
    /// Tangents.
    pub tangents: bool,
    /// Three morph targets that move every vertex.
    pub morphs: bool,
    /// Sets of joints that few other vertices have.
    pub scattered: bool,
}

/// Skin joints of a mesh.
pub const SKIN_JOINTS: usize = 67;

/// Vertices on four joints each, in as many sets as real meshes have, in their best order.
pub fn mesh(vertices: usize, extras: Extras) -> Mesh {
    let mut dice = Dice(1);
    let sets: Vec<u16> = (0..128).map(|_| dice.roll(SKIN_JOINTS - 4) as u16).collect();
    let (mut skin_joints, mut weights) = (Vec::new(), Vec::new());
    for _ in 0..vertices {
        let first = sets[dice.roll(sets.len())];
        let mut joints = [0, 1, 2, 3].map(|joint| first + joint);
        if extras.scattered {
            joints = [0, 1, 2, 3].map(|quarter| quarter * 16 + dice.roll(16) as u16);
        }
        let raw = [0; 4].map(|_| dice.number().abs() + 0.01);
        skin_joints.extend(joints);
        weights.extend(raw.map(|weight| weight / raw.iter().sum::<f32>()));
    }
    let mut delta = |vertex| MorphDelta {
        vertex,
        position: dice.vector(),
        normal: dice.vector(),
        tangent: dice.vector(),
    };
    let targets = if extras.morphs { 3 } else { 0 };
    let morphs = (0..targets).map(|scalar| MorphTarget {
        name: format!("target {scalar}").into(),
        scalar,
        deltas: (0..vertices as u32).map(&mut delta).collect(),
    });
    let morphs = morphs.collect();
    let tangents = if extras.tangents { vertices } else { 0 };
    let mut mesh = Mesh {
        positions: (0..vertices).map(|_| dice.vector()).collect(),
        normals: (0..vertices).map(|_| dice.unit()).collect(),
        tangents: (0..tangents).map(|_| dice.unit().extend(1.0)).collect(),
        skin: Some(Skin {
            joints: (0..SKIN_JOINTS as u16).collect(),
            inverse_binds: vec![Mat3x4::IDENTITY; SKIN_JOINTS].into(),
        }),
        influences: Influences {
            per_vertex: 4,
            skin_joints: skin_joints.into(),
            weights: weights.into(),
            ..Influences::default()
        },
        morphs,
        ..Mesh::new("mesh")
    };
    sort_vertices(&mut mesh);
    mesh
}

/// Skin matrices that turn and move.
pub fn matrices() -> Vec<Mat3x4> {
    let mut dice = Dice(2);
    let mut one = || {
        let turn = Quat::from_axis_angle(dice.unit(), dice.number());
        sinew::glam::Affine3::from_rotation_translation(turn, dice.vector()).into()
    };
    (0..SKIN_JOINTS).map(|_| one()).collect()
}
