//! A figure of tubes: as many joints as wanted, smooth weights, a walk and a nod.

use sinew::CharacterData;
use sinew::glam::{Quat, Vec2, Vec3, Vec4};
use sinew::{
    Character, Clip, ClipLibrary, Influences, Interpolation, Joint, JointTracks, Material, Mesh, MorphDelta,
    MorphTarget, Part, Scalar, ScalarTrack, Skeleton, Skin, Space, Track, Transform,
};
use std::f32::consts::{PI, TAU};

/// A limb: name, parent, start in model space, radius at the start and at the end, material.
struct Limb {
    name: &'static str,
    parent: Option<&'static str>,
    at: [f32; 3],
    radius: f32,
    material: usize,
}

const fn limb(
    name: &'static str,
    parent: Option<&'static str>,
    at: [f32; 3],
    radius: f32,
    material: usize,
) -> Limb {
    Limb { name, parent, at, radius, material }
}

const LIMBS: &[Limb] = &[
    limb("hips", None, [0.0, 0.95, 0.0], 0.15, 1),
    limb("spine", Some("hips"), [0.0, 1.12, 0.0], 0.145, 0),
    limb("chest", Some("spine"), [0.0, 1.32, 0.01], 0.17, 0),
    limb("neck", Some("chest"), [0.0, 1.5, 0.0], 0.06, 2),
    limb("head", Some("neck"), [0.0, 1.6, 0.01], 0.105, 2),
    limb("head_end", Some("head"), [0.0, 1.72, 0.02], 0.1, 2),
    limb("shoulder.L", Some("chest"), [0.16, 1.42, 0.0], 0.075, 0),
    limb("arm.L", Some("shoulder.L"), [0.22, 1.38, 0.0], 0.065, 0),
    limb("forearm.L", Some("arm.L"), [0.32, 1.14, -0.01], 0.05, 2),
    limb("hand.L", Some("forearm.L"), [0.4, 0.92, 0.03], 0.04, 2),
    limb("fingers.L", Some("hand.L"), [0.43, 0.8, 0.06], 0.03, 2),
    limb("shoulder.R", Some("chest"), [-0.16, 1.42, 0.0], 0.075, 0),
    limb("arm.R", Some("shoulder.R"), [-0.22, 1.38, 0.0], 0.065, 0),
    limb("forearm.R", Some("arm.R"), [-0.32, 1.14, -0.01], 0.05, 2),
    limb("hand.R", Some("forearm.R"), [-0.4, 0.92, 0.03], 0.04, 2),
    limb("fingers.R", Some("hand.R"), [-0.43, 0.8, 0.06], 0.03, 2),
    limb("thigh.L", Some("hips"), [0.1, 0.9, 0.0], 0.095, 1),
    limb("shin.L", Some("thigh.L"), [0.11, 0.5, 0.02], 0.065, 1),
    limb("foot.L", Some("shin.L"), [0.12, 0.09, -0.02], 0.05, 1),
    limb("toes.L", Some("foot.L"), [0.13, 0.045, 0.16], 0.04, 3),
    limb("thigh.R", Some("hips"), [-0.1, 0.9, 0.0], 0.095, 1),
    limb("shin.R", Some("thigh.R"), [-0.11, 0.5, 0.02], 0.065, 1),
    limb("foot.R", Some("shin.R"), [-0.12, 0.09, -0.02], 0.05, 1),
    limb("toes.R", Some("foot.R"), [-0.13, 0.045, 0.16], 0.04, 3),
];

/// Colours of shirt, trousers, skin and shoes.
fn materials() -> Vec<Material> {
    let flat = |name: &str, r: f32, g: f32, b: f32| Material {
        name: name.into(),
        base_color: Vec4::new(r, g, b, 1.0),
        ..Material::default()
    };
    vec![
        flat("shirt", 0.09, 0.30, 0.42),
        flat("trousers", 0.07, 0.08, 0.12),
        flat("skin", 0.62, 0.36, 0.23),
        flat("shoes", 0.45, 0.10, 0.06),
    ]
}

/// A figure of 1.85 m with at least the given number of joints (additional ones form chains at the hands) and 4 or 8 influences per vertex.
pub(crate) fn figure(joints: usize, per_vertex: usize) -> Character {
    Builder { per_vertex, around: 14, along: 8, ..Builder::default() }.build(joints)
}

/// For crowds: fewer triangles, one material, no morphs, so that it is a single draw call.
#[allow(dead_code, reason = "for the crowd")]
pub(crate) fn extra(joints: usize) -> Character {
    Builder { per_vertex: 4, around: 5, along: 1, is_extra: true, ..Builder::default() }.build(joints)
}

#[derive(Default)]
struct Builder {
    joints: Vec<Joint>,
    at: Vec<Vec3>,
    radii: Vec<f32>,
    materials: Vec<usize>,
    mesh: Option<Mesh>,
    per_vertex: usize,
    /// Sides of a limb, and segments along it.
    around: usize,
    along: usize,
    is_extra: bool,
}

impl Builder {
    fn build(mut self, joints: usize) -> Character {
        for limb in LIMBS {
            self.joint(limb);
        }
        while self.joints.len() < joints {
            self.tassel();
        }
        self.tubes();
        self.finish()
    }

    fn joint(&mut self, limb: &Limb) {
        let parent = limb.parent.and_then(|name| self.joints.iter().position(|j| j.name == name));
        let at = Vec3::from_array(limb.at);
        let from = parent.map_or(Vec3::ZERO, |p| self.at[p]);
        let rest = Transform::from_translation(at - from);
        self.joints.push(Joint::new(limb.name, parent.map(|p| p as u16), rest));
        self.at.push(at);
        self.radii.push(limb.radius);
        self.materials.push(limb.material);
    }

    /// Adds a joint to the end of a chain at a hand.
    fn tassel(&mut self) {
        let n = self.joints.len();
        let parent = if n < LIMBS.len() + 2 { [10, 15][n % 2] } else { n - 2 };
        let way = Vec3::new(0.0, -0.004, 0.004);
        self.joints.push(Joint::new(
            format!("tassel{n}"),
            Some(parent as u16),
            Transform::from_translation(way),
        ));
        self.at.push(self.at[parent] + way);
        self.radii.push(0.02);
        self.materials.push(0);
    }

    /// A tube from every joint to its parent, round at the ends.
    fn tubes(&mut self) {
        let (around, along_parts) = (self.around, self.along);
        let mut mesh = Mesh::new("figure");
        let mut by_material: Vec<Vec<u32>> = vec![vec![]; 4];
        for child in 0..self.joints.len() {
            let Some(parent) = self.joints[child].parent.map(usize::from) else { continue };
            let (a, b) = (self.at[parent], self.at[child]);
            let along = (b - a).normalize();
            let side = along.any_orthonormal_vector();
            let up = along.cross(side);
            let (ra, rb) = (self.radii[parent].min(self.radii[child] * 1.25), self.radii[child]);
            let first = mesh.positions.len() as u32;
            let rows = along_parts + 6;
            for row in 0..=rows {
                // A cap, the tube, a cap.
                let (t, angle) = match row {
                    0..=2 => (0.0, -PI / 2.0 + PI / 2.0 * row as f32 / 3.0),
                    r if r <= along_parts + 3 => ((r - 3) as f32 / along_parts as f32, 0.0),
                    r => (1.0, PI / 2.0 * (r - along_parts - 3) as f32 / 3.0),
                };
                let radius = ra + (rb - ra) * t;
                let center = a + (b - a) * t + along * radius * angle.sin();
                for i in 0..=around {
                    let turn = TAU * i as f32 / around as f32;
                    let out = side * turn.cos() + up * turn.sin();
                    mesh.positions.push(center + out * radius * angle.cos());
                    mesh.normals.push((out * angle.cos() + along * angle.sin()).normalize());
                    mesh.uvs.push(Vec2::new(i as f32 / around as f32, t));
                    self.weigh(&mut mesh.influences, parent, child, t);
                }
            }
            let out = &mut by_material[if self.is_extra { 0 } else { self.materials[child] }];
            for row in 0..rows as u32 {
                for i in 0..around as u32 {
                    let at = first + row * (around as u32 + 1) + i;
                    let next = at + around as u32 + 1;
                    out.extend([at, at + 1, next + 1, at, next + 1, next]);
                }
            }
        }
        for (material, indices) in by_material.into_iter().enumerate().filter(|(_, all)| !all.is_empty()) {
            let (first, count) = (mesh.indices.len() as u32, indices.len() as u32);
            mesh.indices.extend(indices);
            mesh.parts.push(Part { material: Some(material), first, count });
        }
        self.mesh = Some(mesh);
    }

    /// Weights: mostly the parent; near the ends shared with the neighbours; with eight influences also with farther ancestors.
    fn weigh(&self, influences: &mut Influences, parent: usize, child: usize, t: f32) {
        let above = |joint: usize| self.joints[joint].parent.map(usize::from).unwrap_or(joint);
        let near_end = ((t - 0.7) / 0.3).clamp(0.0, 1.0) * 0.5;
        let near_start = ((0.3 - t) / 0.3).clamp(0.0, 1.0) * 0.45;
        let mut own =
            vec![(parent, 1.0 - near_end - near_start), (child, near_end), (above(parent), near_start)];
        if self.per_vertex == 8 {
            let mut ancestor = above(parent);
            for _ in 0..5 {
                own[0].1 -= 0.02;
                ancestor = above(ancestor);
                own.push((ancestor, 0.02));
            }
        }
        own.resize(self.per_vertex, (0, 0.0));
        own.sort_by(|a, b| b.1.total_cmp(&a.1));
        influences.skin_joints.extend(own.iter().map(|&(joint, _)| joint as u16));
        influences.weights.extend(own.iter().map(|&(_, weight)| weight));
    }

    fn finish(self) -> Character {
        let count = self.joints.len();
        let scalars =
            vec![Scalar { name: "puff".into(), rest: 0.0 }, Scalar { name: "tall".into(), rest: 0.0 }];
        let skeleton = Skeleton::new(self.joints, scalars).unwrap();
        let mut mesh = self.mesh.unwrap();
        mesh.influences.per_vertex = self.per_vertex;
        mesh.skin = Some(Skin {
            joints: (0..count as u16).collect(),
            inverse_binds: skeleton.rest_model().iter().map(|m| m.to_affine().inverse().into()).collect(),
        });
        if !self.is_extra {
            mesh.morphs = morphs(&mesh);
        }
        Character::new(CharacterData {
            name: "figure".into(),
            clips: ClipLibrary::new([walk(&skeleton), nod(&skeleton)]),
            skeleton,
            meshes: vec![mesh],
            materials: materials(),
            textures: vec![],
            space: Space::CANONICAL,
        })
        .unwrap()
    }
}

/// One target inflates the belly, one lifts everything above it.
fn morphs(mesh: &Mesh) -> Vec<MorphTarget> {
    let belly = Vec3::new(0.0, 1.1, 0.0);
    let target = |name: &str, scalar, delta: &dyn Fn(Vec3, Vec3) -> Option<Vec3>| MorphTarget {
        name: name.into(),
        scalar,
        deltas: (0u32..)
            .zip(mesh.positions.iter().zip(&mesh.normals))
            .filter_map(|(vertex, (&p, &n))| {
                delta(p, n).map(|position| MorphDelta {
                    vertex,
                    position,
                    normal: position * 0.5,
                    tangent: Vec3::ZERO,
                })
            })
            .collect(),
    };
    vec![
        target("puff", 0, &|p, n| (p.distance(belly) < 0.3).then(|| n * 0.12)),
        target("tall", 1, &|p, _| (p.y > 1.1).then(|| Vec3::Y * (p.y - 1.1) * 0.3)),
    ]
}

fn swing(skeleton: &Skeleton, name: &str, axis: Vec3, keys: &[f32], seconds: f32) -> JointTracks {
    let joint = skeleton.find(name).unwrap();
    let step = seconds / (keys.len() - 1) as f32;
    let times = (0..keys.len()).map(|i| i as f32 * step).collect();
    let values = keys.iter().map(|&angle| Quat::from_axis_angle(axis, angle)).collect();
    let track = Track::new(times, values, Interpolation::Linear).unwrap();
    JointTracks { rotation: Some(track), ..JointTracks::new(joint) }
}

/// A second of walking, 1.3 m along +Z.
fn walk(skeleton: &Skeleton) -> Clip {
    let turn = |name: &str, keys: &[f32]| swing(skeleton, name, Vec3::X, keys, 1.0);
    let forward = Track::new(
        vec![0.0, 0.25, 0.5, 0.75, 1.0],
        [0.0, 0.02, 0.0, 0.02, 0.0]
            .iter()
            .enumerate()
            .map(|(i, &up)| Vec3::new(0.0, 0.93 + up, 0.325 * i as f32))
            .collect(),
        Interpolation::Linear,
    );
    let mut tracks = vec![
        JointTracks { translation: Some(forward.unwrap()), ..JointTracks::new(0) },
        turn("thigh.L", &[-0.5, 0.0, 0.5, 0.0, -0.5]),
        turn("thigh.R", &[0.5, 0.0, -0.5, 0.0, 0.5]),
        turn("shin.L", &[0.1, 0.1, 0.3, 0.9, 0.1]),
        turn("shin.R", &[0.3, 0.9, 0.1, 0.1, 0.3]),
        turn("arm.L", &[0.5, 0.0, -0.5, 0.0, 0.5]),
        turn("arm.R", &[-0.5, 0.0, 0.5, 0.0, -0.5]),
        turn("forearm.L", &[-0.3, -0.5, -0.7, -0.5, -0.3]),
        turn("forearm.R", &[-0.7, -0.5, -0.3, -0.5, -0.7]),
        swing(skeleton, "chest", Vec3::Y, &[0.15, 0.0, -0.15, 0.0, 0.15], 1.0),
    ];
    tracks.sort_by_key(|t| t.joint);
    Clip::new("walk", 1.0, tracks, vec![]).unwrap()
}

/// Two seconds of nodding and breathing.
fn nod(skeleton: &Skeleton) -> Clip {
    let mut tracks = vec![
        swing(skeleton, "neck", Vec3::X, &[0.0, 0.35, 0.0, 0.35, 0.0], 2.0),
        swing(skeleton, "arm.L", Vec3::Z, &[0.0, 0.8, 1.6, 0.8, 0.0], 2.0),
    ];
    tracks.sort_by_key(|t| t.joint);
    let puff = Track::new(vec![0.0, 1.0, 2.0], vec![0.0, 1.0, 0.0], Interpolation::Linear).unwrap();
    Clip::new("nod", 2.0, tracks, vec![ScalarTrack { scalar: 0, track: puff }]).unwrap()
}
