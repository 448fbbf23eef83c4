//! Wings, the fin at the tail's end and the tuft on the head: the mesh `Wing`, of two materials.

use super::skeleton::Skeleton;
use crate::humanoid::Side;
use crate::math::{TURN, frame, sin, smoothstep};
use crate::scene::Mesh;
use crate::shape::{Ring, Surface, Weights, tidy};
use glam::{DQuat, DVec2, DVec3};

/// Indices of materials.
const MEMBRANE: usize = 0;
const FIN: usize = 1;

/// The left wing's leading edge from shoulder to tip.
const LEADING: [DVec3; 4] = [
    DVec3::new(4.5, 36.5, -7.0),
    DVec3::new(14.0, 45.5, -13.0),
    DVec3::new(25.0, 50.5, -16.0),
    DVec3::new(33.5, 42.0, -18.5),
];

/// Its trailing edge: from the back to where the ribs end, and the tip.
const TRAILING: [DVec3; 4] = [
    DVec3::new(4.0, 28.5, -9.0),
    DVec3::new(13.5, 29.0, -14.5),
    DVec3::new(24.5, 32.5, -17.5),
    DVec3::new(33.5, 42.0, -18.5),
];

pub(super) fn make(skeleton: &Skeleton) -> Mesh {
    let mut surface = Surface::default();
    for side in Side::BOTH {
        membrane(&mut surface, skeleton, side);
        arm(&mut surface, skeleton, side);
    }
    tail_fin(&mut surface, skeleton);
    tuft(&mut surface, skeleton);
    surface.into_mesh("Wing", vec![0, 1])
}

/// A point of a line through four, straight from each to the next.
fn along(line: &[DVec3; 4], s: f64) -> DVec3 {
    let piece = ((s * 3.0).floor() as usize).min(2);
    line[piece].lerp(line[piece + 1], s * 3.0 - piece as f64)
}

/// The left membrane: `s` from shoulder to tip, `t` from the leading to the trailing edge.
fn membrane_place(s: f64, t: f64) -> DVec3 {
    let (from, to) = (along(&LEADING, s), along(&TRAILING, s));
    // Between two ribs the edge is drawn in, and the skin bellies back.
    let rib = sin((s * 3.0).fract() * TURN / 2.0);
    let to = to.lerp(from, 0.2 * rib);
    let belly = sin(t * TURN / 2.0) * rib * 1.1;
    from.lerp(to, t) - DVec3::new(-0.25, 0.1, 1.0) * belly
}

fn membrane(surface: &mut Surface, skeleton: &Skeleton, side: Side) {
    const ALONG: usize = 18;
    const DOWN: usize = 6;
    // Two layers, back to back, because back faces are not drawn.
    for (layer, front) in [(0.12, true), (-0.12, false)] {
        let base = surface.vertices.len() as u32;
        for i in 0..=ALONG {
            for j in 0..=DOWN {
                let (s, t) = (i as f64 / ALONG as f64, j as f64 / DOWN as f64);
                let place = side.mirror(membrane_place(s, t) + DVec3::Z * layer);
                // The left wing lies in the picture, the right one in its mirror image beyond 1.
                let u = match side {
                    Side::Left => 1.0 - s,
                    Side::Right => 1.0 + s,
                };
                surface.vertex(place, DVec2::new(u, 1.0 - t), weights(skeleton, side, s, t));
            }
        }
        let row = DOWN as u32 + 1;
        for i in 0..ALONG as u32 {
            for j in 0..DOWN as u32 {
                let a = base + i * row + j;
                let mut corners = [a, a + 1, a + row + 1, a + row];
                if (side == Side::Left) != front {
                    corners.reverse();
                }
                surface.face(&corners, MEMBRANE);
            }
        }
    }
}

/// What moves a point of the wing; at the root the back does.
fn weights(skeleton: &Skeleton, side: Side, s: f64, t: f64) -> Weights {
    let second = smoothstep(0.25, 0.42, s);
    let third = smoothstep(0.58, 0.76, s);
    let root = (1.0 - smoothstep(0.0, 0.22, s)) * smoothstep(0.0, 0.6, t);
    tidy(vec![
        (skeleton.index("Chest"), root),
        (skeleton.sided(side, "Wing1"), (1.0 - root) * (1.0 - second)),
        (skeleton.sided(side, "Wing2"), (1.0 - root) * second * (1.0 - third)),
        (skeleton.sided(side, "Wing3"), (1.0 - root) * second * third),
    ])
}

/// The bones of a wing.
fn arm(surface: &mut Surface, skeleton: &Skeleton, side: Side) {
    const RINGS: usize = 18;
    let ring = |i: usize| {
        let s = i as f64 / RINGS as f64;
        let ahead = along(&LEADING, (s + 0.06).min(1.0)) - along(&LEADING, (s - 0.06).max(0.0));
        let width = if i == RINGS { 0.0 } else { 1.5 - 0.95 * s };
        Ring {
            centre: side.mirror(along(&LEADING, s)),
            rotation: frame(side.mirror(ahead), DVec3::Z),
            radius: DVec2::splat(width),
            weights: weights(skeleton, side, s, 0.0),
        }
    };
    let rings: Vec<Ring> = (0..=RINGS).map(ring).collect();
    surface.tube(&rings, 8, FIN);
}

/// A leaf that stands on the tail's end: height, half width and half thickness.
const LEAF: [(f64, f64, f64); 9] = [
    (-1.0, 1.2, 1.2),
    (1.0, 2.4, 1.5),
    (3.2, 4.3, 1.7),
    (5.6, 5.2, 1.7),
    (8.0, 4.9, 1.5),
    (10.4, 3.8, 1.2),
    (12.6, 2.3, 0.9),
    (14.6, 0.9, 0.5),
    (15.8, 0.0, 0.0),
];

fn tail_fin(surface: &mut Surface, skeleton: &Skeleton) {
    let root = skeleton.place("TailFin");
    let (tail, fin) = (skeleton.index("Tail5"), skeleton.index("TailFin"));
    let rings: Vec<Ring> = LEAF
        .iter()
        .map(|&(height, wide, thick)| Ring {
            centre: root + DVec3::new(0.0, height, -0.02 * height * height),
            rotation: DQuat::IDENTITY,
            radius: DVec2::new(wide, thick),
            weights: crate::shape::blend(tail, fin, -1.0, 2.0, height),
        })
        .collect();
    surface.tube(&rings, 14, FIN);
}

/// Three locks that curl back from the forehead.
fn tuft(surface: &mut Surface, skeleton: &Skeleton) {
    let (head, crest) = (skeleton.index("Head"), skeleton.index("Crest"));
    for (x, size) in [(0.0, 1.25), (2.3, 0.88), (-2.3, 0.88)] {
        let ring = |i: usize| {
            let s = i as f64 / 7.0;
            let bow = sin(s * TURN * 0.32);
            let place = DVec3::new(x * (1.0 + 0.5 * s), 67.2 + 8.0 * size * bow, 7.4);
            let place = place - DVec3::Z * (11.0 * size * s * s + 1.5 * x.abs() / 2.3);
            let width = [1.6, 2.2, 2.2, 1.9, 1.5, 1.0, 0.5, 0.0][i] * size;
            (place, width, s)
        };
        let rings: Vec<Ring> = (0..8)
            .map(|i| {
                let (place, width, s) = ring(i);
                let ahead = ring((i + 1).min(7)).0 - ring(i.saturating_sub(1)).0;
                Ring {
                    centre: place,
                    rotation: frame(ahead, DVec3::X),
                    radius: DVec2::new(width * 0.85, width),
                    weights: crate::shape::blend(head, crest, 0.0, 0.4, s),
                }
            })
            .collect();
        surface.tube(&rings, 9, FIN);
    }
}
