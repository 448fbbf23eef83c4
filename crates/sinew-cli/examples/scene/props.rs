//! Scenery of coloured triangles: sky, ground, platforms, hills, trees, stones.

use super::Result;
use sinew::CharacterData;
use sinew::glam::{Vec2, Vec3, Vec4};
use sinew::{Character, ClipLibrary, Joint, Material, Mesh, Part, Skeleton, Space, Transform};
use sinew_render::{Batch, Color, Renderer, Skinning};
use std::f32::consts::TAU;

/// Static geometry in one batch.
#[derive(Default)]
pub struct Props {
    lit: Triangles,
    glowing: Triangles,
    /// Colour of the ground.
    soil: Vec3,
}

#[derive(Default)]
struct Triangles {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    colors: Vec<Vec4>,
}

/// A colour from a hexadecimal sRGB value, as in `0x4f8f4a`.
pub fn rgb(hex: u32) -> Vec3 {
    let [_, r, g, b] = hex.to_be_bytes();
    Color([r, g, b, 255]).linear().truncate()
}

/// A pseudo-random number from 0 to 1, the same for the same seed.
pub fn chance(seed: u32) -> f32 {
    let mut x = seed.wrapping_mul(0x9e37_79b9) ^ 0x85eb_ca6b;
    x = (x ^ (x >> 15)).wrapping_mul(0x2c1b_3c6d);
    x = (x ^ (x >> 12)).wrapping_mul(0x297a_2d39);
    (x ^ (x >> 15)) as f32 / u32::MAX as f32
}

/// Smooth value noise over the ground.
fn clouds(at: Vec3) -> f32 {
    let (x, z) = (at.x.floor(), at.z.floor());
    let soft = |t: f32| t * t * (3.0 - 2.0 * t);
    let (u, v) = (soft(at.x - x), soft(at.z - z));
    let corner = |i: f32, k: f32| chance((x + i) as i32 as u32 ^ ((z + k) as i32 as u32).wrapping_mul(7919));
    let row = |k: f32| corner(0.0, k) * (1.0 - u) + corner(1.0, k) * u;
    row(0.0) * (1.0 - v) + row(1.0) * v
}

/// A point on a circle about the up axis.
pub fn around(turn: f32, radius: f32) -> Vec3 {
    let angle = turn * TAU;
    Vec3::new(angle.sin() * radius, 0.0, angle.cos() * radius)
}

impl Triangles {
    fn triangle(&mut self, corners: [Vec3; 3], colors: [Vec3; 3]) {
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
        self.positions.extend(corners);
        self.normals.extend([normal; 3]);
        self.colors.extend(colors.map(|color| color.extend(1.0)));
    }

    fn quad(&mut self, [a, b, c, d]: [Vec3; 4], [ca, cb, cc, cd]: [Vec3; 4]) {
        self.triangle([a, b, c], [ca, cb, cc]);
        self.triangle([a, c, d], [ca, cc, cd]);
    }

    fn mesh(self, name: &str, material: usize) -> Mesh {
        let count = self.positions.len() as u32;
        Mesh {
            positions: self.positions.into(),
            normals: self.normals.into(),
            colors: self.colors.into(),
            indices: (0..count).collect(),
            parts: vec![Part { material: Some(material), first: 0, count }],
            ..Mesh::new(name)
        }
    }
}

impl Props {
    /// A sky dome: colours of zenith, horizon, and below the horizon.
    pub fn sky(&mut self, top: Vec3, horizon: Vec3, below: Vec3) {
        const RINGS: [f32; 7] = [-0.4, -0.02, 0.03, 0.1, 0.22, 0.45, 1.0];
        let color = |height: f32| {
            if height < 0.0 { below } else { horizon.lerp(top, (height * 1.6).clamp(0.0, 1.0).sqrt()) }
        };
        let point = |turn: f32, height: f32| {
            (around(turn, (1.0f32 - height * height).max(0.0).sqrt()) + Vec3::Y * height) * 400.0
        };
        for i in 0..24 {
            let (a, b) = (i as f32 / 24.0, (i + 1) as f32 / 24.0);
            for ring in RINGS.windows(2) {
                let (low, high) = (color(ring[0]), color(ring[1]));
                // Seen from inside.
                self.glowing.quad(
                    [point(b, ring[0]), point(a, ring[0]), point(a, ring[1]), point(b, ring[1])],
                    [low, low, high, high],
                );
            }
        }
    }

    /// A disc of ground with a colour gradient from the middle to the rim, slightly below zero so that shadows are drawn on top.
    pub fn ground(&mut self, radius: f32, middle: Vec3, rim: Vec3, patchy: f32) {
        self.soil = middle;
        const RINGS: u32 = 26;
        const SPOKES: u32 = 72;
        let reach = |ring: u32| radius * (ring as f32 / RINGS as f32).powf(2.2);
        let at = |ring: u32, spoke: u32| around(spoke as f32 / SPOKES as f32, reach(ring)) - Vec3::Y * 0.004;
        let color = |ring: u32, spoke: u32| {
            let part = reach(ring) / radius;
            let patch = (clouds(at(ring, spoke % SPOKES) * 0.8) - 0.5) * patchy * (1.0 - part);
            middle.lerp(rim, part.sqrt()) * (1.0 + patch)
        };
        for ring in 0..RINGS {
            for spoke in 0..SPOKES {
                let corners = [(ring, spoke), (ring + 1, spoke), (ring + 1, spoke + 1), (ring, spoke + 1)];
                self.lit.quad(corners.map(|(r, s)| at(r, s)), corners.map(|(r, s)| color(r, s)));
            }
        }
    }

    /// A flat strip on the ground along a line of points: a path.
    pub fn ribbon(&mut self, points: &[Vec3], width: f32, color: Vec3) {
        // The side vector at a point, from its neighbours, so that adjacent segments share an edge.
        let side = |i: usize| {
            let (before, after) = (points[i.saturating_sub(1)], points[(i + 1).min(points.len() - 1)]);
            (after - before).cross(Vec3::Y).normalize_or_zero() * width * 0.5 * (0.9 + 0.2 * chance(i as u32))
        };
        let tone = |i: usize| color * (0.95 + 0.1 * chance(i as u32));
        for i in 1..points.len() {
            let (from, to) = (points[i - 1] - Vec3::Y * 0.002, points[i] - Vec3::Y * 0.002);
            let corners = [from - side(i - 1), from + side(i - 1), to + side(i), to - side(i)];
            self.lit.quad(corners, [tone(i - 1), tone(i - 1), tone(i), tone(i)]);
        }
    }

    /// A round platform with its top slightly below zero, so that shadows are drawn on top.
    pub fn platform(&mut self, center: Vec3, radius: f32, height: f32, top: Vec3, side: Vec3) {
        const EDGE: f32 = 0.93;
        self.lathe(
            center - Vec3::Y * 0.002,
            &[
                (Vec2::new(0.0, 0.0), top),
                (Vec2::new(radius * 0.72, 0.0), top),
                (Vec2::new(radius * 0.73, 0.0), top * 1.12),
                (Vec2::new(radius * EDGE, 0.0), top * 1.12),
                (Vec2::new(radius, -height * 0.25), side * 1.1),
                (Vec2::new(radius * 0.97, -height), side * 0.7),
            ],
            40,
        );
    }

    /// A block with its edges along the axes: colours of its top and of its sides.
    pub fn block(&mut self, low: Vec3, high: Vec3, top: Vec3, side: Vec3) {
        let corner =
            |x: usize, y: usize, z: usize| Vec3::new([low, high][x].x, [low, high][y].y, [low, high][z].z);
        let faces = [
            ([corner(0, 1, 0), corner(0, 1, 1), corner(1, 1, 1), corner(1, 1, 0)], top),
            ([corner(0, 0, 0), corner(0, 1, 0), corner(1, 1, 0), corner(1, 0, 0)], side),
            ([corner(1, 0, 1), corner(1, 1, 1), corner(0, 1, 1), corner(0, 0, 1)], side),
            ([corner(0, 0, 1), corner(0, 1, 1), corner(0, 1, 0), corner(0, 0, 0)], side * 0.8),
            ([corner(1, 0, 0), corner(1, 1, 0), corner(1, 1, 1), corner(1, 0, 1)], side * 0.8),
        ];
        faces.into_iter().for_each(|(corners, color)| self.lit.quad(corners, [color; 4]));
    }

    /// A surface of revolution of a profile (distance from the axis, height; from the top down) around the up axis.
    pub fn lathe(&mut self, center: Vec3, line: &[(Vec2, Vec3)], sides: u32) {
        let at =
            |side: u32, point: Vec2| center + around(side as f32 / sides as f32, point.x) + Vec3::Y * point.y;
        for side in 0..sides {
            for pair in line.windows(2) {
                let ((high, a), (low, b)) = (pair[0], pair[1]);
                self.lit.quad(
                    [at(side, high), at(side, low), at(side + 1, low), at(side + 1, high)],
                    [a, b, b, a],
                );
            }
        }
    }

    /// A tree of three cones on a trunk.
    pub fn tree(&mut self, at: Vec3, height: f32, leaves: Vec3, seed: u32) {
        let trunk = rgb(0x6b4a33);
        let thick = height * 0.045;
        self.lathe(
            at,
            &[(Vec2::new(thick * 0.7, height * 0.4), trunk), (Vec2::new(thick, 0.0), trunk * 0.7)],
            6,
        );
        for i in 0..3u32 {
            let low = height * (0.2 + 0.22 * i as f32);
            let wide = height * (0.27 - 0.065 * i as f32) * (0.9 + 0.2 * chance(seed + i));
            let tone = leaves * (0.8 + 0.2 * i as f32) * (0.9 + 0.2 * chance(seed * 7 + i));
            let tip = (Vec2::new(0.0, low + height * 0.38), tone * 1.15);
            self.lathe(
                at,
                &[tip, (Vec2::new(wide, low), tone), (Vec2::new(0.0, low + wide * 0.15), tone * 0.5)],
                9,
            );
        }
        self.blot(at, height * 0.3);
    }

    /// A stone with flat sides.
    pub fn stone(&mut self, at: Vec3, size: f32, color: Vec3, seed: u32) {
        let rough = |i: u32| 0.8 + 0.4 * chance(seed * 31 + i);
        let line = [
            (Vec2::new(0.0, size * 0.72 * rough(1)), color * 1.1),
            (Vec2::new(size * 0.55 * rough(2), size * 0.55), color),
            (Vec2::new(size * 0.8 * rough(3), size * 0.2), color * 0.9),
            (Vec2::new(size * 0.75, -0.02), color * 0.7),
        ];
        self.lathe(at, &line, 5 + seed % 3);
        self.blot(at, size * 1.1);
    }

    /// A flower: four petals on a stalk.
    pub fn flower(&mut self, at: Vec3, height: f32, petals: Vec3) {
        let (stalk, wide) = (rgb(0x5f9a45), height * 0.32);
        self.lathe(at, &[(Vec2::new(0.004, height), stalk), (Vec2::new(0.007, 0.0), stalk * 0.7)], 3);
        let line = [(Vec2::new(0.0, height * 1.02), rgb(0xf3d35b)), (Vec2::new(wide, height * 1.15), petals)];
        self.lathe(at, &line, 4);
        let line =
            [(Vec2::new(wide, height * 1.15), petals * 0.8), (Vec2::new(0.0, height * 0.95), petals * 0.6)];
        self.lathe(at, &line, 4);
    }

    /// A pillar with base and capital.
    pub fn pillar(&mut self, at: Vec3, height: f32, color: Vec3) {
        let line = [
            (Vec2::new(0.0, height), color * 0.95),
            (Vec2::new(0.3, height), color),
            (Vec2::new(0.3, height - 0.14), color * 0.9),
            (Vec2::new(0.2, height - 0.2), color * 0.75),
            (Vec2::new(0.23, 0.22), color * 0.85),
            (Vec2::new(0.34, 0.14), color),
            (Vec2::new(0.36, 0.0), color * 0.7),
        ];
        self.lathe(at, &line, 10);
        self.blot(at, 0.8);
    }

    /// A baked soft shadow under scenery, which casts none.
    fn blot(&mut self, at: Vec3, radius: f32) {
        let line = [
            (Vec2::new(0.0, -0.002), self.soil * 0.45),
            (Vec2::new(radius * 0.6, -0.002), self.soil * 0.6),
            (Vec2::new(radius, -0.002), self.soil),
        ];
        self.lathe(at, &line, 16);
    }

    /// Hills on the horizon, as far away as they are wide.
    pub fn hills(&mut self, distance: f32, height: f32, color: Vec3, seed: u32) {
        const STEPS: u32 = 96;
        let rise = |i: u32| {
            let turn = (i % STEPS) as f32 / STEPS as f32 * TAU;
            let wave = |times: f32, shift: u32| (turn * times + chance(seed + shift) * TAU).sin();
            height * (0.55 + 0.25 * wave(3.0, 1) + 0.15 * wave(7.0, 2) + 0.1 * wave(13.0, 3))
        };
        for i in 0..STEPS {
            let (a, b) = (i as f32 / STEPS as f32, (i + 1) as f32 / STEPS as f32);
            let foot = |turn: f32| around(turn, distance) - Vec3::Y * height * 0.3;
            let top = |i: u32, turn: f32| around(turn, distance) + Vec3::Y * rise(i);
            let (low, high) = (color * 1.15, color);
            self.glowing.quad([foot(b), foot(a), top(i, a), top(i + 1, b)], [low, low, high, high]);
        }
    }

    /// Uploads everything.
    pub fn build(self, renderer: &mut Renderer) -> Result<Batch> {
        let skeleton = Skeleton::new(vec![Joint::new("scenery", None, Transform::IDENTITY)], vec![])?;
        let material = |name: &str, unlit| Material {
            name: name.into(),
            unlit,
            two_sided: unlit,
            ..Material::default()
        };
        let character = Character::new(CharacterData {
            name: "scenery".into(),
            skeleton,
            meshes: vec![self.lit.mesh("lit", 0), self.glowing.mesh("glowing", 1)],
            materials: vec![material("lit", false), material("glowing", true)],
            textures: vec![],
            clips: ClipLibrary::default(),
            space: Space::CANONICAL,
        })?;
        let model = renderer.load(&character)?;
        let mut batch = renderer.batch(&model, 1, Skinning::Auto)?;
        batch.cast_shadow(false);
        Ok(batch)
    }
}
