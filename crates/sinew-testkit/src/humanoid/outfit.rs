//! Jacket, trousers and boots, each a smooth field of its own; each reaches under the next, so that no seam gapes.

use super::body::{cloth, front_uv};
use super::weights::Weigher;
use crate::math::{euler_xyz, smoothstep};
use crate::shape::field::{Field, Grid, Paint, ball, cone, join, polygonise};
use crate::shape::{Ring, Surface, Weights};
use glam::{DQuat, DVec2, DVec3};

pub(super) fn add(surface: &mut Surface, weigher: &Weigher) {
    let paint = |p: DVec3| Paint { weights: weigher.body(p), uv: front_uv(p) };
    let mut piece = |field: &Field, grid: Grid, slot: fn(DVec3) -> usize| {
        polygonise(surface, field, grid, paint, |p| Some(slot(p)));
    };
    let sleeves = grid([-74.25, 90.0, -16.5], [74.25, 160.0, 16.5], 2.75);
    piece(&jacket, sleeves, jacket_slot);
    let legs = grid([-24.75, 10.0, -16.5], [24.75, 106.0, 16.5], 2.75);
    piece(&trousers, legs, |_| cloth::TROUSERS);
    let feet = grid([-20.0, -3.0, -12.0], [20.0, 27.0, 24.0], 2.0);
    piece(&boots, feet, boot_slot);
    ribbons(surface, weigher);
}

/// Collar, hem, boot rims, and a band on the left arm by which left and right can be told apart.
fn ribbons(surface: &mut Surface, weigher: &Weigher) {
    let tilt = |x: f64, z: f64| euler_xyz(DVec3::new(x, 0.0, z));
    let collar = DVec3::new(0.0, 147.4, -1.8);
    ribbon(surface, weigher, &COLLAR, collar, tilt(14.0, 0.0));
    let hem = DVec3::new(0.0, 96.0, -0.6);
    ribbon(surface, weigher, &HEM, hem, tilt(0.0, 0.0));
    let band = DVec3::new(32.0, 143.3, -2.3);
    ribbon(surface, weigher, &BAND, band, tilt(0.0, -90.0));
    for side in [1.0, -1.0] {
        let rim = DVec3::new(9.5 * side, 23.0, -1.4);
        ribbon(surface, weigher, &RIM, rim, tilt(0.0, 0.0));
    }
}

/// Height, radius to the side and to the front.
type Profile = (f64, f64, f64);

/// A standing collar with a rounded lip.
const COLLAR: [Profile; 7] = [
    (-4.0, 9.2, 8.2),
    (-1.6, 7.9, 7.4),
    (1.0, 7.2, 7.0),
    (3.4, 7.0, 6.9),
    (4.0, 6.7, 6.6),
    (3.6, 6.3, 6.2),
    (0.0, 5.8, 5.7),
];

/// The jacket's knitted hem.
const HEM: [Profile; 6] = [
    (-2.0, 15.4, 10.8),
    (-2.4, 17.0, 12.4),
    (-1.6, 17.6, 13.0),
    (1.6, 17.6, 13.0),
    (2.6, 17.2, 12.6),
    (2.9, 15.4, 10.8),
];

/// The rim of a boot.
const RIM: [Profile; 6] =
    [(-1.7, 5.8, 5.8), (-1.5, 7.3, 7.3), (-0.6, 7.7, 7.7), (1.2, 7.7, 7.7), (2.0, 7.2, 7.2), (1.4, 5.8, 5.8)];

/// The band on the left arm.
const BAND: [Profile; 6] = [
    (-3.6, 4.6, 4.6),
    (-3.4, 6.1, 6.1),
    (-2.6, 6.35, 6.35),
    (2.6, 6.0, 6.0),
    (3.4, 5.7, 5.7),
    (3.6, 4.4, 4.4),
];

/// A band around a limb, along which its Y axis runs.
fn ribbon(surface: &mut Surface, weigher: &Weigher, profile: &[Profile], centre: DVec3, rotation: DQuat) {
    let ring = |&(height, side, front): &Profile| Ring {
        centre: centre + rotation * DVec3::Y * height,
        rotation,
        radius: DVec2::new(side, front),
        weights: Weights::new(),
    };
    let rings: Vec<Ring> = profile.iter().map(ring).collect();
    let first = surface.vertices.len();
    surface.tube(&rings, 16, cloth::TRIM);
    for vertex in first..surface.vertices.len() {
        surface.weights[vertex] = weigher.body(surface.vertices[vertex]);
    }
}

fn grid(from: [f64; 3], to: [f64; 3], cell: f64) -> Grid {
    Grid { from: from.into(), to: to.into(), cell }
}

/// A point on the left side: the figure is symmetric.
fn left(p: DVec3) -> DVec3 {
    DVec3::new(p.x.abs(), p.y, p.z)
}

/// One where `x` is within a band, falling to zero over `edge` beside it.
fn band(x: f64, from: f64, to: f64, edge: f64) -> f64 {
    smoothstep(from - edge, from, x) * (1.0 - smoothstep(to, to + edge, x))
}

fn jacket(p: DVec3) -> f64 {
    let p = left(p);
    let waist = ball(p, [0.0, 104.0, 0.0], [14.2, 17.0, 10.4]);
    let chest = ball(p, [0.0, 129.0, -0.5], [17.4, 17.5, 11.6]);
    let shoulders = cone(p, [0.0, 140.5, -2.0], 8.8, [15.0, 141.0, -2.0], 6.2);
    let pectoral = ball(p, [7.5, 133.5, 4.0], [8.5, 6.5, 6.5]);
    let hips = ball(p, [0.0, 95.0, -0.6], [16.3, 12.0, 11.6]);
    let mut d = join(join(waist, hips, 5.0), chest, 9.0);
    d = join(d, shoulders, 8.0);
    d = join(d, pectoral, 4.0);
    let deltoid = ball(p, [18.4, 142.0, -2.0], [7.2, 6.7, 6.8]);
    let upper = cone(p, [19.0, 143.0, -2.0], 5.9, [44.0, 143.5, -2.5], 4.9);
    let fore = cone(p, [44.0, 143.5, -2.5], 5.0, [69.0, 143.5, -2.0], 3.7);
    let muscle = ball(p, [51.5, 143.4, -2.4], [8.5, 5.1, 5.3]);
    let arm = join(join(upper, fore, 3.0), muscle, 3.0);
    d = join(d, join(arm, deltoid, 5.0), 5.0);
    // Cuffs are a little thicker than what they hold.
    d -= 0.55 * band(p.x, 64.0, 72.0, 1.0);
    d.max(95.2 - p.y).max(p.x - 70.5)
}

fn jacket_slot(p: DVec3) -> usize {
    if p.x.abs() > 63.0 { cloth::TRIM } else { cloth::JACKET }
}

fn trousers(p: DVec3) -> f64 {
    let p = left(p);
    let pelvis = ball(p, [0.0, 95.0, -0.4], [14.8, 11.5, 10.4]);
    let seat = ball(p, [6.0, 90.0, -4.0], [8.0, 8.0, 7.0]);
    let thigh = cone(p, [8.8, 88.0, 0.0], 8.9, [9.4, 52.0, 0.8], 6.6);
    let knee = cone(p, [9.4, 53.0, 0.8], 6.5, [9.4, 46.0, 0.4], 6.3);
    let calf = ball(p, [9.5, 36.0, -1.8], [6.0, 13.0, 6.2]);
    let shin = cone(p, [9.4, 48.0, 0.6], 6.1, [9.6, 12.0, -1.8], 4.7);
    let mut d = join(join(pelvis, seat, 4.0), thigh, 5.0);
    d = join(d, knee, 3.0);
    d = join(d, join(shin, calf, 4.0), 3.0);
    d.max(p.y - 103.0).max(14.0 - p.y)
}

fn boots(p: DVec3) -> f64 {
    let p = left(p);
    let shaft = cone(p, [9.5, 26.0, -1.4], 6.9, [9.6, 9.0, -2.0], 5.5);
    let heel = cone(p, [9.6, 5.6, -3.6], 5.0, [9.8, 4.6, 4.0], 4.7);
    let instep = cone(p, [9.6, 8.5, -0.5], 5.0, [10.0, 4.0, 11.0], 4.3);
    let toe = ball(p, [10.1, 3.2, 13.2], [5.3, 4.6, 7.0]);
    let mut d = join(shaft, heel, 4.0);
    d = join(join(d, instep, 4.0), toe, 3.5);
    // The sole stands out all around.
    d -= 0.5 * (1.0 - smoothstep(1.6, 2.6, p.y));
    d.max(-p.y).max(p.y - 24.5)
}

fn boot_slot(p: DVec3) -> usize {
    if p.y < 2.2 { cloth::SOLES } else { cloth::BOOTS }
}
