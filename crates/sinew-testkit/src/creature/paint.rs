//! Colours, as functions of where a point is; every picture comes from here.

use super::parts::{self, Region};
use super::skeleton::EYE;
use super::{body, face};
use crate::math::{TURN, atan2, cos, smoothstep};
use crate::png;
use crate::scene::Wrap;
use glam::{DVec2, DVec3};

const TEAL: DVec3 = DVec3::new(86.0, 196.0, 184.0);
const DEEP: DVec3 = DVec3::new(44.0, 138.0, 150.0);
const MINT: DVec3 = DVec3::new(158.0, 228.0, 204.0);
const CREAM: DVec3 = DVec3::new(255.0, 241.0, 212.0);
const CORAL: DVec3 = DVec3::new(255.0, 132.0, 112.0);
const SUN: DVec3 = DVec3::new(255.0, 205.0, 120.0);
const WINE: DVec3 = DVec3::new(142.0, 40.0, 66.0);
const INK: DVec3 = DVec3::new(36.0, 44.0, 66.0);

fn bytes(colour: DVec3) -> [u8; 3] {
    colour.to_array().map(|c| c.clamp(0.0, 255.0).round() as u8)
}

/// A point of the skin on the left half.
pub(super) fn skin(region: Region, p: DVec3) -> [u8; 3] {
    let colour = match region {
        Region::Torso => torso(p),
        Region::Head => head(p),
        Region::Jaw => jaw(p),
        Region::Ear => ear(p),
        Region::Arm | Region::Hand => TEAL.lerp(DEEP, smoothstep(16.4, 18.6, p.x)),
        Region::Leg | Region::Foot => leg(p),
        Region::Tail => tail(p),
    };
    bytes(colour)
}

/// The back is darker than the flanks.
fn coat(p: DVec3) -> DVec3 {
    let back = smoothstep(1.0, -9.0, p.z);
    TEAL.lerp(DEEP, 0.55 * back)
}

/// 1 inside a round spot, 0 outside.
fn spot(p: DVec3, centre: DVec3, radius: f64) -> f64 {
    1.0 - smoothstep(radius - 0.25, radius + 0.25, p.distance(centre))
}

/// Light spots on shoulders, flanks and thighs.
const SPOTS: [(DVec3, f64); 9] = [
    (DVec3::new(8.6, 31.5, -3.6), 1.5),
    (DVec3::new(9.9, 27.6, -4.6), 1.1),
    (DVec3::new(7.3, 34.6, -5.2), 0.9),
    (DVec3::new(9.6, 23.4, -5.8), 1.4),
    (DVec3::new(12.9, 14.6, 1.6), 1.4),
    (DVec3::new(12.4, 17.8, -1.4), 1.0),
    (DVec3::new(12.9, 11.3, 3.6), 0.8),
    (DVec3::new(12.2, 63.5, -3.6), 1.3),
    (DVec3::new(13.6, 60.2, -4.4), 0.9),
];

fn spotted(colour: DVec3, p: DVec3) -> DVec3 {
    let all = SPOTS.iter().map(|s| spot(p, s.0, s.1));
    colour.lerp(MINT, all.fold(0.0, f64::max))
}

fn torso(p: DVec3) -> DVec3 {
    // An oval in front, narrowing to the throat, with the creases of a chick's belly.
    let rise = (p.y - 24.0) / if p.y < 24.0 { 9.4 } else { 20.0 };
    let width = 8.0 * (1.0 - rise * rise).max(0.0).sqrt() - 0.3;
    let least = if p.y < 24.0 { -1.0 } else { 4.2 };
    let inside = smoothstep(0.35, -0.35, p.x - width.max(least)) * smoothstep(1.2, 2.4, p.z);
    let crease = cos((p.y + 0.045 * p.x * p.x) / 4.2 * TURN);
    let cream = CREAM * (1.0 - 0.07 * smoothstep(0.86, 0.97, crease));
    spotted(coat(p), p).lerp(cream, inside)
}

fn head(p: DVec3) -> DVec3 {
    let mut colour = spotted(coat(p), p);
    // A dark cap, drawn to a point above the brow.
    let cap = p.y - 63.0 - 0.5 * p.z - 0.32 * p.x;
    colour = colour.lerp(DEEP, 0.7 * smoothstep(-1.2, 1.2, cap));
    // The muzzle is light, up to a line that dips between the eyes.
    let line = 52.4 + 0.5 * (p.z - 12.0).clamp(-8.0, 5.0) - 0.05 * p.x * p.x;
    let muzzle = smoothstep(0.5, -0.5, p.y - line) * smoothstep(3.5, 6.0, p.z);
    colour = colour.lerp(CREAM, muzzle);
    // A shadow around the eyes lets them shine.
    let rim = smoothstep(body::LID + 0.95, body::LID + 0.1, p.distance(EYE));
    colour = colour.lerp(DEEP * 0.8, 0.7 * rim);
    mouth(colour, parts::jaw(p), p.z)
}

/// What lies under the lip is the mouth, and the lip has a dark edge as far back as the corner of the mouth.
fn mouth(colour: DVec3, inner: f64, z: f64) -> DVec3 {
    let edge = smoothstep(0.36, 0.16, inner.abs()) * smoothstep(7.6, 9.0, z);
    let colour = colour.lerp(WINE, smoothstep(0.05, -0.15, inner));
    colour.lerp(INK, 0.8 * edge)
}

fn jaw(p: DVec3) -> DVec3 {
    let outside = CREAM.lerp(CREAM * 0.94, smoothstep(46.5, 45.0, p.y));
    let outside = TEAL.lerp(outside, smoothstep(3.5, 6.0, p.z));
    mouth(outside, parts::body(p), p.z)
}

fn ear(p: DVec3) -> DVec3 {
    let (from, to) = (DVec3::new(10.0, 63.5, -2.0), DVec3::new(20.2, 79.0, -8.0));
    let axis = (to - from).normalize();
    let along = (p - from).dot(axis);
    // Across the ear as seen from in front.
    let across = (p - from).dot(axis.cross(DVec3::Z).normalize());
    let width = (4.0 - 0.2 * along).max(0.0) * smoothstep(2.6, 6.0, along);
    let inner =
        smoothstep(0.4, -0.4, across.abs() - width) * smoothstep(0.2, 1.0, (p - from - axis * along).z);
    let tip = smoothstep(13.5, 15.0, along);
    let outer = coat(p).lerp(TEAL, smoothstep(1.0, 8.0, along)).lerp(DEEP, 0.9 * tip);
    outer.lerp(CORAL.lerp(SUN, 0.25 * smoothstep(4.0, 12.0, along)), inner * (1.0 - tip))
}

fn leg(p: DVec3) -> DVec3 {
    let colour = spotted(coat(p), p);
    let sock = smoothstep(6.9, 6.3, p.y + 0.12 * p.z);
    colour.lerp(DEEP, sock)
}

fn tail(p: DVec3) -> DVec3 {
    let bend = (p.z + 27.0).min(0.0);
    let height = 12.0 + 0.32 * (p.z + 20.0).max(0.0) + 0.03 * bend * bend;
    let below = smoothstep(-0.8, -1.8, p.y - height);
    let band = smoothstep(0.25, 0.5, cos((p.z - 0.2 * p.y) / 6.5 * TURN));
    let above = coat(p).lerp(DEEP * 0.94, band * smoothstep(-13.0, -16.0, p.z));
    above.lerp(CREAM, below * smoothstep(-9.0, -14.0, p.z))
}

/// The eyelids: `height` 0…1 from the rim to the pole.
pub(super) fn lid(height: f64) -> [u8; 3] {
    let lash = smoothstep(0.3, 0.22, height);
    bytes(TEAL.lerp(DEEP, 0.55).lerp(INK, 0.9 * lash))
}

/// A picture of the creature.
pub(super) struct Picture {
    pub(super) name: &'static str,
    pub(super) wrap: [Wrap; 2],
    pub(super) size: (u32, u32),
    pub(super) alpha: bool,
    pub(super) png: Vec<u8>,
}

/// Every picture but the body's.
pub(super) fn pictures() -> Vec<Picture> {
    let plain = |name, wrap, size: (u32, u32), colour: fn(DVec2) -> DVec3| Picture {
        name,
        wrap,
        size,
        alpha: false,
        png: png::encode(size.0, size.1, |x, y| bytes(colour(uv(x, y, size)))),
    };
    let cheek = (32, 32);
    vec![
        plain("horn", [Wrap::Repeat, Wrap::Clamp], (32, 64), horn),
        plain("wing", [Wrap::Mirror, Wrap::Clamp], (128, 128), wing),
        plain("fin", [Wrap::Repeat, Wrap::Clamp], (16, 64), fin),
        plain("eye", [Wrap::Mirror, Wrap::Repeat], (64, 64), eye),
        plain("iris", [Wrap::Clamp, Wrap::Clamp], (128, 128), iris),
        plain("mouth", [Wrap::Repeat, Wrap::Clamp], (32, 64), mouth_parts),
        Picture {
            name: "cheek",
            wrap: [Wrap::Clamp, Wrap::Clamp],
            size: cheek,
            alpha: true,
            png: png::encode_rgba(cheek.0, cheek.1, |x, y| {
                let out = (uv(x, y, cheek) - 0.5).length() * 2.0;
                let alpha = 0.62 * smoothstep(0.96, 0.3, out);
                let [r, g, b] = bytes(CORAL);
                [r, g, b, (alpha * 255.0).round() as u8]
            }),
        },
    ]
}

/// Middle of a pixel, V up.
fn uv(x: u32, y: u32, (width, height): (u32, u32)) -> DVec2 {
    DVec2::new((f64::from(x) + 0.5) / f64::from(width), 1.0 - (f64::from(y) + 0.5) / f64::from(height))
}

fn horn(uv: DVec2) -> DVec3 {
    let ring = cos(uv.y * 5.0 * TURN);
    let colour = DVec3::new(226.0, 164.0, 84.0).lerp(CREAM, smoothstep(0.05, 0.95, uv.y));
    colour * (1.0 - 0.08 * smoothstep(0.3, 0.9, ring))
}

/// U runs from the tip to the shoulder, V up from the trailing edge.
fn wing(uv: DVec2) -> DVec3 {
    let across = (uv.x * 3.0).fract();
    let rib = across.min(1.0 - across) / 3.0;
    let colour = SUN.lerp(CORAL, smoothstep(-0.1, 0.75, uv.y));
    let colour = colour.lerp(CORAL * 0.78, smoothstep(0.03, 0.014, rib));
    colour * (1.0 - 0.1 * smoothstep(0.86, 1.0, uv.y))
}

fn fin(uv: DVec2) -> DVec3 {
    let base = (CORAL * 0.9).lerp(CORAL, smoothstep(0.0, 0.3, uv.y));
    base.lerp(SUN, smoothstep(0.45, 0.95, uv.y))
}

/// The left eye's white, shaded under the lid.
fn eye(uv: DVec2) -> DVec3 {
    let p = (uv - 0.5) / 0.47;
    let white = DVec3::new(250.0, 252.0, 250.0);
    let shade = smoothstep(0.05, 0.75, p.y) * 0.30 + 0.16 * smoothstep(0.4, 0.85, p.length());
    let colour = white.lerp(DVec3::new(120.0, 150.0, 176.0), shade);
    // The outer corner, right in the picture, is darker.
    colour.lerp(INK, 0.3 * smoothstep(0.45, 0.95, p.x))
}

/// Amber, darker above, with a tall pupil and two lights.
fn iris(uv: DVec2) -> DVec3 {
    let p = (uv - 0.5) / 0.49;
    let out = p.length();
    let amber =
        DVec3::new(255.0, 196.0, 72.0).lerp(DVec3::new(206.0, 84.0, 40.0), smoothstep(-0.7, 0.7, p.y));
    let rays = cos(atan2(p.y, p.x) * 22.0);
    let mut colour = amber * (1.0 + 0.05 * rays * smoothstep(0.4, 0.6, out));
    colour = colour.lerp(DVec3::new(96.0, 36.0, 34.0), smoothstep(0.8, 0.95, out));
    let pupil = DVec2::new(p.x / 0.46, (p.y - 0.02) / 0.62).length();
    colour = colour.lerp(DVec3::new(30.0, 20.0, 38.0), smoothstep(1.04, 0.94, pupil));
    let light = |at: DVec2, radius: f64| smoothstep(radius + 0.04, radius - 0.04, p.distance(at));
    let lights = light(DVec2::new(-0.3, 0.4), 0.27).max(0.85 * light(DVec2::new(0.3, -0.42), 0.13));
    colour.lerp(DVec3::splat(255.0), lights)
}

fn mouth_parts(uv: DVec2) -> DVec3 {
    if uv.y < (face::mouth::TONGUE + face::mouth::TOOTH) / 2.0 {
        DVec3::new(240.0, 122.0, 128.0)
    } else if uv.y < (face::mouth::TOOTH + face::mouth::NOSTRIL) / 2.0 {
        DVec3::new(255.0, 252.0, 240.0)
    } else {
        INK.lerp(DEEP, 0.35)
    }
}
