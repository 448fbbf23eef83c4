//! Hands: a palm and five fingers, all tubes.

use super::body::skin;
use super::skeleton::{Side, Skeleton};
use super::weights::Weigher;
use crate::math::{TURN, frame, sin};
use crate::shape::{Ring, Surface, Weights, tidy};
use glam::{DVec2, DVec3};

/// Finger and its radius at the knuckle and at the tip.
const FINGERS: [(&str, f64, f64); 5] = [
    ("Thumb", 1.6, 1.05),
    ("Index", 1.16, 0.9),
    ("Middle", 1.2, 0.92),
    ("Ring", 1.14, 0.88),
    ("Pinky", 1.02, 0.8),
];

/// The palm from the wrist out: x from the hand joint, centre z, half thickness and half width.
const PALM: [(f64, f64, f64, f64); 8] = [
    (-3.0, -0.1, 2.3, 2.7),
    (0.0, -0.1, 2.2, 2.9),
    (2.2, 0.1, 2.1, 3.6),
    (4.6, 0.2, 1.95, 4.3),
    (7.0, 0.2, 1.75, 4.55),
    (9.0, 0.15, 1.5, 4.5),
    (10.2, 0.1, 1.1, 4.1),
    (10.7, 0.1, 0.0, 0.0),
];

pub(super) fn add(surface: &mut Surface, skeleton: &Skeleton, weigher: &Weigher) {
    for side in Side::BOTH {
        palm(surface, skeleton, weigher, side);
        for finger in FINGERS {
            self::finger(surface, skeleton, weigher, side, finger);
        }
    }
}

fn palm(surface: &mut Surface, skeleton: &Skeleton, weigher: &Weigher, side: Side) {
    let hand = skeleton.sided(side, "Hand");
    let wrist = skeleton.place("LeftHand");
    let along = frame(DVec3::X * side.sign(), DVec3::Y);
    let rings: Vec<Ring> = PALM
        .iter()
        .map(|&(x, z, thick, wide)| {
            let centre = side.mirror(wrist + DVec3::new(x, 0.0, z));
            let steps = [(skeleton.sided(side, "ForeArm"), 0.0, 0.0), (hand, -2.0, 2.0)];
            Ring {
                centre,
                rotation: along,
                radius: DVec2::new(thick, wide),
                weights: tidy(weigher.chain(steps, x)),
            }
        })
        .collect();
    surface.tube(&rings, 12, skin::SKIN);
}

/// A tube along the finger's joints with a round tip, bending softly at each.
fn finger(
    surface: &mut Surface,
    skeleton: &Skeleton,
    weigher: &Weigher,
    side: Side,
    (name, thick, thin): (&str, f64, f64),
) {
    let joint = |link: usize| skeleton.sided(side, &format!("Hand{name}{link}"));
    let places: Vec<DVec3> = (1..=4).map(|l| skeleton.joints[joint(l)].place).collect();
    let direction = (places[3] - places[0]).normalize();
    let rotation = frame(direction, DVec3::Y);
    let length = places[0].distance(places[3]);
    let bends = [0.0, places[0].distance(places[1]), places[0].distance(places[2])];
    let hand = skeleton.sided(side, "Hand");
    let weights = |s: f64| -> Weights {
        let steps = [
            (hand, 0.0, 0.0),
            (joint(1), -1.0, 0.8),
            (joint(2), bends[1] - 0.7, bends[1] + 0.7),
            (joint(3), bends[2] - 0.6, bends[2] + 0.6),
        ];
        tidy(weigher.chain(steps, s))
    };
    // Extra rings beside the joints, and a rounded tip.
    let mut stations = vec![(-1.6, 0.92), (0.0, 1.0)];
    for bend in &bends[1..] {
        stations.extend([(bend - 0.7, 0.97), (*bend, 1.02), (bend + 0.7, 0.97)]);
    }
    for angle in [0.0, 0.33, 0.62, 0.85, 1.0] {
        let (s, c) = (sin(angle * TURN / 4.0), sin((1.0 - angle) * TURN / 4.0));
        stations.push((length - thin + s * thin, if angle == 1.0 { 0.0 } else { c }));
    }
    let rings: Vec<Ring> = stations
        .into_iter()
        .map(|(s, width)| {
            let radius = thick + (thin - thick) * (s / length).clamp(0.0, 1.0);
            Ring {
                centre: places[0] + direction * s,
                rotation,
                radius: DVec2::splat(radius * width),
                weights: weights(s),
            }
        })
        .collect();
    surface.tube(&rings, 7, skin::SKIN);
}
