//! Eyes, mouth and cheeks: meshes of their own, layered over the skin.

use super::parts;
use super::skeleton::{EYE, Skeleton};
use crate::humanoid::Side;
use crate::math::{TURN, cos, frame, sin};
use crate::scene::Mesh;
use crate::shape::field::gradient;
use crate::shape::{Ring, Surface, Weights};
use glam::{DQuat, DVec2, DVec3};

/// Radius of the eyeballs.
pub(super) const EYEBALL: f64 = 5.3;

/// How far the iris lies in front of the eyeball.
const IRIS_LIFT: f64 = 0.08;

/// Which way an eye looks at rest: forward and a little outwards.
pub(super) fn gaze(side: Side) -> DQuat {
    DQuat::from_rotation_y((17.0 * side.sign()).to_radians()) * DQuat::from_rotation_x(-2f64.to_radians())
}

/// A piece of a ball around its pole; `uv` takes the way around and the way down from the pole, each 0…1.
#[allow(clippy::too_many_arguments)]
pub(super) fn cap(
    surface: &mut Surface,
    centre: DVec3,
    radius: f64,
    pole: DVec3,
    degrees: f64,
    (sides, levels): (usize, usize),
    weights: &Weights,
    uv: impl Fn(f64, f64) -> DVec2,
) {
    let axes = frame(pole, DVec3::X);
    let base = surface.vertices.len() as u32;
    for level in 0..=levels {
        let down = level as f64 / levels as f64;
        let angle = (down * degrees).to_radians();
        for side in 0..=sides {
            let turn = (side % sides) as f64 / sides as f64 * TURN;
            let out = DVec3::new(sin(turn), 0.0, cos(turn)) * sin(angle);
            let place = centre + axes * (out + DVec3::Y * cos(angle)) * radius;
            let uv = uv(side as f64 / sides as f64, down);
            surface.vertex(place, uv, weights.clone());
        }
    }
    let row = sides as u32 + 1;
    for level in 0..levels as u32 {
        for side in 0..sides as u32 {
            let a = base + level * row + side;
            surface.face(&[a, a + row, a + row + 1, a + 1], 0);
        }
    }
}

/// From a cap's way around and way down to a square picture, as seen from in front, reaching out to `radius` in it.
/// The cap's way around begins at its lower end and runs to the viewer's right.
fn disc(turn: f64, down: f64, radius: f64) -> DVec2 {
    let angle = turn * TURN;
    DVec2::new(sin(angle), -cos(angle)) * down * radius
}

/// The mesh `Eye`. One half of the picture serves both eyes: the right one has its coordinates beyond 1, where the
/// picture is mirrored. V lies two pictures up, as it does in files whose eyes are animated by shifting them.
pub(super) fn eyes(skeleton: &Skeleton) -> Mesh {
    let mut surface = Surface::default();
    for side in Side::BOTH {
        let weights = vec![(skeleton.index("Head"), 1.0)];
        let uv = |turn: f64, down: f64| {
            let place = disc(turn, down, 0.47);
            match side {
                Side::Left => DVec2::new(0.5 + place.x, 2.5 + place.y),
                Side::Right => DVec2::new(1.5 + place.x, 2.5 + place.y),
            }
        };
        let pole = gaze(side) * DVec3::Z;
        cap(&mut surface, side.mirror(EYE), EYEBALL, pole, 96.0, (28, 10), &weights, uv);
    }
    surface.into_mesh("Eye", vec![0])
}

/// The mesh `Iris`: it turns in front of the eyeball.
pub(super) fn irises(skeleton: &Skeleton) -> Mesh {
    let mut surface = Surface::default();
    for side in Side::BOTH {
        let weights = vec![(skeleton.sided(side, "Eye"), 1.0)];
        let uv = |turn: f64, down: f64| disc(turn, down, 0.49) + 0.5;
        // Eyes that look a little inwards see what is before them.
        let inwards = DQuat::from_rotation_y((-7.0 * side.sign()).to_radians());
        let pole = inwards * gaze(side) * DVec3::Z;
        let radius = EYEBALL + IRIS_LIFT;
        cap(&mut surface, side.mirror(EYE), radius, pole, 38.0, (28, 5), &weights, uv);
    }
    surface.into_mesh("Iris", vec![0])
}

/// Parts of the mouth's picture, from the bottom up.
pub(super) mod mouth {
    pub(crate) const TONGUE: f64 = 0.15;
    pub(crate) const TOOTH: f64 = 0.5;
    pub(crate) const NOSTRIL: f64 = 0.85;
}

/// The mesh `Mouth`: tongue, two fangs and the nostrils.
pub(super) fn mouth(skeleton: &Skeleton) -> Mesh {
    let mut surface = Surface::default();
    let tongue = vec![(skeleton.index("Tongue"), 1.0)];
    let down = DQuat::from_rotation_x(96f64.to_radians());
    let mut part = |at: DVec3, turn: DQuat, radius: DVec3, weights: &Weights, row: f64| {
        let first = surface.vertices.len();
        surface.ellipsoid(at, turn, radius, weights, (12, 8), 0);
        for uv in &mut surface.uvs[first..] {
            uv.y = row + (uv.y - 0.5) * 0.2;
        }
    };
    let tongue_at = DVec3::new(0.0, 49.9, 10.8);
    part(tongue_at, down, DVec3::new(3.4, 5.2, 1.0), &tongue, mouth::TONGUE);
    let head = vec![(skeleton.index("Head"), 1.0)];
    for side in Side::BOTH {
        let nostril = onto(side.mirror(DVec3::new(2.4, 55.4, 17.6)));
        let normal = gradient(&parts::body, nostril);
        let turn = frame(normal, DVec3::X) * DQuat::from_rotation_y(0.5 * side.sign());
        let radius = DVec3::new(0.95, 0.14, 0.55);
        part(nostril + normal * 0.04, turn, radius, &head, mouth::NOSTRIL);
    }
    fangs(&mut surface, &head);
    surface.into_mesh("Mouth", vec![0])
}

/// Two little cones that hang over the lower lip.
fn fangs(surface: &mut Surface, weights: &Weights) {
    for side in Side::BOTH {
        let root = side.mirror(DVec3::new(4.3, 50.9, 15.2));
        let tip = root + side.mirror(DVec3::new(0.25, -2.9, 0.75));
        let ring = |along: f64, radius: f64| Ring {
            centre: root.lerp(tip, along),
            rotation: frame(tip - root, DVec3::X),
            radius: DVec2::splat(radius),
            weights: weights.clone(),
        };
        let rings = [ring(0.0, 0.85), ring(0.4, 0.8), ring(0.75, 0.5), ring(1.0, 0.0)];
        let first = surface.vertices.len();
        surface.tube(&rings, 8, 0);
        for uv in &mut surface.uvs[first..] {
            uv.y = mouth::TOOTH + (uv.y - 0.5) * 0.2;
        }
    }
}

/// The mesh `Cheek`: two patches that hug the skin and let it through.
pub(super) fn cheeks(skeleton: &Skeleton) -> Mesh {
    let mut surface = Surface::default();
    for side in Side::BOTH {
        patch(&mut surface, skeleton, side.mirror(DVec3::new(12.6, 50.8, 10.2)), 3.3);
    }
    surface.into_mesh("Cheek", vec![0])
}

fn patch(surface: &mut Surface, skeleton: &Skeleton, near: DVec3, radius: f64) {
    const SIDES: usize = 20;
    const LEVELS: usize = 4;
    let middle = onto(near);
    let axes = frame(gradient(&parts::body, middle), DVec3::X);
    let base = surface.vertices.len() as u32;
    for level in 0..=LEVELS {
        let out = level as f64 / LEVELS as f64;
        for side in 0..=SIDES {
            let turn = (side % SIDES) as f64 / SIDES as f64;
            let flat = DVec3::new(sin(turn * TURN), 0.0, cos(turn * TURN)) * out;
            let place = onto(middle + axes * flat * radius);
            let lifted = place + gradient(&parts::body, place) * 0.22;
            let weights = parts::weights(skeleton, place, false);
            surface.vertex(lifted, disc(turn, out, 0.5) + 0.5, weights);
        }
    }
    let row = SIDES as u32 + 1;
    for level in 0..LEVELS as u32 {
        for side in 0..SIDES as u32 {
            let a = base + level * row + side;
            surface.face(&[a, a + row, a + row + 1, a + 1], 0);
        }
    }
}

/// The point of the skin nearest to `p`.
pub(super) fn onto(p: DVec3) -> DVec3 {
    (0..12).fold(p, |p, _| p - gradient(&parts::body, p) * parts::body(p) * 0.9)
}
