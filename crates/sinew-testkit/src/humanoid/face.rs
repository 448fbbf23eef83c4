//! Head, hair and eyes.

use super::body::{front_uv, skin};
use super::weights::Weigher;
use crate::math::euler_xyz;
use crate::shape::Surface;
use crate::shape::field::{Grid, Paint, ball, carve, cone, join, polygonise};
use glam::{DQuat, DVec3};

pub(super) fn add(surface: &mut Surface, weigher: &Weigher) {
    let paint = |p: DVec3| Paint { weights: weigher.head(p), uv: front_uv(p) };
    let whole = Grid { from: DVec3::new(-13.3, 143.2, -15.2), to: DVec3::new(13.3, 184.0, 15.2), cell: 1.9 };
    polygonise(surface, &head, whole, paint, |_| Some(skin::SKIN));
    let scalp = |p: DVec3| hair(small(p)) * SIZE;
    polygonise(surface, &scalp, whole, paint, |_| Some(skin::HAIR));
    for side in [1.0, -1.0] {
        eye(surface, weigher, side);
    }
    let mouth = DVec3::new(0.0, 161.2, 8.75);
    blob(surface, weigher, mouth, DVec3::new(2.3, 0.55, 0.75), DQuat::IDENTITY, skin::LIPS);
}

/// The head is drawn at life size and then made larger by this much, as suits a figure seen from afar.
const SIZE: f64 = 1.1;

/// What stays in place, before and after.
const PIVOT: (DVec3, DVec3) = (DVec3::new(0.0, 158.0, -1.0), DVec3::new(0.0, 156.3, -1.0));

/// From the character to the head at life size.
fn small(p: DVec3) -> DVec3 {
    (p - PIVOT.1) / SIZE + PIVOT.0
}

/// From the head at life size to the character.
fn large(p: DVec3) -> DVec3 {
    (p - PIVOT.0) * SIZE + PIVOT.1
}

fn left(p: DVec3) -> DVec3 {
    DVec3::new(p.x.abs(), p.y, p.z)
}

fn head(p: DVec3) -> f64 {
    let neck = cone(p, [0.0, 145.0, -2.2], 5.6, [0.0, 158.0, -1.4], 5.3);
    join(skull(small(p)) * SIZE, neck, 3.0).max(145.5 - p.y)
}

fn skull(p: DVec3) -> f64 {
    let p = left(p);
    let cranium = ball(p, [0.0, 169.6, -0.6], [7.7, 9.4, 9.3]);
    let face = ball(p, [0.0, 164.0, 2.4], [6.5, 8.4, 7.0]);
    let chin = ball(p, [0.0, 157.6, 6.0], [3.2, 2.5, 2.6]);
    let mut d = join(join(cranium, face, 4.0), chin, 3.5);
    d = carve(d, ball(p, [3.3, 167.4, 10.2], [2.7, 1.9, 2.5]), 1.6);
    d = join(d, cone(p, [1.6, 170.3, 8.3], 0.8, [5.2, 170.2, 6.2], 0.7), 1.6);
    d = join(d, cone(p, [0.0, 168.4, 8.9], 0.8, [0.0, 164.6, 10.2], 1.25), 1.3);
    d = join(d, ball(p, [0.9, 164.3, 9.3], [0.9, 0.8, 0.9]), 0.8);
    d = join(d, ball(p, [7.9, 166.2, -0.6], [1.2, 3.1, 2.3]), 0.6);
    d
}

/// A short cut: a cap over the skull, cut back from the face and free of the ears.
fn hair(p: DVec3) -> f64 {
    let q = left(p);
    let cap = ball(q, [0.0, 170.4, -1.2], [8.6, 10.3, 10.3]);
    let quiff = ball(q, [0.0, 177.0, 5.2], [5.4, 3.0, 4.2]);
    let d = join(cap, quiff, 3.0);
    // In front of a plane that leans back there is the face.
    let face = (q.z - 4.2) * 0.8 - (q.y - 172.0) * 0.6;
    let ear = ball(q, [8.8, 165.4, 0.8], [3.6, 4.9, 4.1]);
    let d = carve(d.max(face), ear, 1.0);
    d.max(161.0 - q.y + 0.25 * (q.z + 8.0).max(0.0))
}

fn eye(surface: &mut Surface, weigher: &Weigher, side: f64) {
    let at = |x: f64, y: f64, z: f64| DVec3::new(x * side, y, z);
    let centre = at(3.3, 167.4, 6.75);
    for (offset, radius, slot) in [
        (DVec3::ZERO, DVec3::new(2.2, 1.9, 1.8), skin::EYE),
        (DVec3::new(0.0, 0.0, 1.5), DVec3::new(1.15, 1.15, 0.4), skin::IRIS),
        (DVec3::new(0.0, 0.0, 1.72), DVec3::new(0.6, 0.6, 0.24), skin::PUPIL),
    ] {
        blob(surface, weigher, centre + offset, radius, DQuat::IDENTITY, slot);
    }
    let brow = euler_xyz(DVec3::new(0.0, 24.0 * side, -5.0 * side));
    blob(surface, weigher, at(3.5, 171.2, 8.25), DVec3::new(2.4, 0.42, 0.55), brow, skin::HAIR);
}

/// A small ellipsoid that follows the head.
fn blob(
    surface: &mut Surface,
    weigher: &Weigher,
    centre: DVec3,
    radius: DVec3,
    rotation: DQuat,
    slot: usize,
) {
    let weights = weigher.head(DVec3::new(0.0, 175.0, 0.0));
    surface.ellipsoid(large(centre), rotation, radius * SIZE, &weights, (10, 6), slot);
}
