//! The creature's body as balls and limbs, each of which belongs to a joint: shape and weights in one list.

use super::skeleton::Skeleton;
use crate::humanoid::Side;
use crate::shape::field::{ball, cone, join};
use crate::shape::{Weights, tidy};
use glam::DVec3;

/// A region of the body, as far as its skin is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Region {
    Torso,
    Head,
    Ear,
    Arm,
    Hand,
    Leg,
    Foot,
    Tail,
    Jaw,
}

impl Region {
    /// Regions by their number.
    pub(super) const ALL: [Region; 9] = [Torso, Head, Ear, Arm, Hand, Leg, Foot, Tail, Jaw];
}

enum Shape {
    /// Middle and radii.
    Ball([f64; 3], [f64; 3]),
    /// Two ends and a radius at each.
    Limb([f64; 3], f64, [f64; 3], f64),
}

/// A ball or limb of the body. Those off the middle line exist on both sides.
struct Part {
    region: Region,
    /// Joint without the side's letter.
    joint: &'static str,
    shape: Shape,
    /// Width of the seam to what comes before it in the list.
    seam: f64,
}

const fn part(region: Region, joint: &'static str, shape: Shape, seam: f64) -> Part {
    Part { region, joint, shape, seam }
}

use Region::{Arm, Ear, Foot, Hand, Head, Jaw, Leg, Tail, Torso};
use Shape::{Ball, Limb};

const PARTS: &[Part] = &[
    part(Torso, "Hips", Ball([0.0, 19.5, -1.5], [10.2, 8.0, 9.0]), 1.0),
    part(Torso, "Waist", Ball([0.0, 24.5, -0.5], [10.8, 9.0, 9.2]), 4.0),
    part(Torso, "Belly", Ball([0.0, 24.0, 3.6], [8.8, 9.4, 7.6]), 4.0),
    part(Torso, "Spine", Ball([0.0, 30.5, -0.5], [9.6, 7.0, 8.0]), 4.0),
    part(Torso, "Chest", Ball([0.0, 36.5, -0.6], [8.2, 5.6, 6.8]), 4.0),
    part(Torso, "Neck", Limb([0.0, 40.0, -0.4], 5.8, [0.0, 45.0, 0.6], 5.6), 4.0),
    part(Head, "Head", Ball([0.0, 57.5, 0.6], [14.6, 12.2, 12.8]), 3.0),
    part(Head, "Head", Ball([9.0, 51.5, 4.6], [6.2, 5.4, 6.6]), 5.0),
    part(Head, "Head", Ball([0.0, 52.2, 11.2], [8.0, 4.9, 7.0]), 3.5),
    part(Head, "Head", Ball([2.6, 54.4, 15.4], [2.0, 1.7, 2.4]), 2.2),
    part(Head, "Head", Ball([0.0, 49.9, 15.4], [3.4, 2.0, 2.6]), 2.0),
    part(Ear, "Ear1", Limb([10.0, 63.5, -2.0], 4.6, [14.8, 71.0, -4.4], 3.6), 3.0),
    part(Ear, "Ear2", Limb([14.8, 71.0, -4.4], 3.6, [20.2, 79.0, -8.0], 0.9), 2.0),
    part(Arm, "Arm", Limb([7.4, 37.0, 0.4], 4.0, [13.8, 32.7, 2.6], 2.9), 2.5),
    part(Arm, "ForeArm", Limb([13.8, 32.7, 2.6], 2.9, [18.4, 30.1, 6.6], 2.6), 1.5),
    part(Hand, "Hand", Ball([19.6, 29.5, 7.8], [3.1, 2.7, 3.1]), 1.2),
    part(Hand, "Hand", Limb([20.4, 29.2, 8.6], 1.7, [22.6, 28.4, 10.0], 1.3), 0.8),
    part(Hand, "Hand", Limb([19.6, 29.0, 9.4], 1.7, [20.4, 28.0, 12.0], 1.3), 0.8),
    part(Hand, "Hand", Limb([18.2, 29.8, 9.0], 1.6, [17.4, 30.6, 11.2], 1.2), 0.8),
    part(Leg, "Thigh", Limb([6.6, 18.0, -0.4], 6.4, [8.0, 11.6, 3.6], 5.0), 3.0),
    part(Leg, "Leg", Limb([8.0, 11.4, 3.6], 4.9, [8.2, 5.0, 0.4], 3.6), 2.0),
    part(Foot, "Foot", Ball([8.3, 3.0, 1.6], [4.0, 3.0, 5.0]), 1.5),
    part(Foot, "Toe", Ball([8.4, 2.6, 5.6], [4.4, 2.6, 3.6]), 1.5),
    part(Foot, "Toe", Ball([5.7, 1.8, 8.2], [1.8, 1.8, 2.3]), 0.9),
    part(Foot, "Toe", Ball([8.6, 1.8, 9.2], [1.8, 1.8, 2.3]), 0.9),
    part(Foot, "Toe", Ball([11.4, 1.8, 7.9], [1.8, 1.8, 2.2]), 0.9),
    part(Tail, "Hips", Limb([0.0, 18.6, -3.0], 8.0, [0.0, 17.2, -8.6], 7.0), 4.0),
    part(Tail, "Tail1", Limb([0.0, 17.2, -8.6], 7.0, [0.0, 14.0, -16.5], 5.6), 2.0),
    part(Tail, "Tail2", Limb([0.0, 14.0, -16.5], 5.6, [0.0, 11.5, -24.5], 4.4), 1.0),
    part(Tail, "Tail3", Limb([0.0, 11.5, -24.5], 4.4, [0.0, 12.0, -32.0], 3.4), 1.0),
    part(Tail, "Tail4", Limb([0.0, 12.0, -32.0], 3.4, [0.0, 16.0, -38.0], 2.5), 1.0),
    part(Tail, "Tail5", Limb([0.0, 16.0, -38.0], 2.5, [0.0, 22.5, -41.0], 1.6), 1.0),
    part(Jaw, "Jaw", Ball([0.0, 48.3, 9.6], [7.4, 3.6, 7.6]), 1.0),
    part(Jaw, "Jaw", Ball([0.0, 49.0, 5.0], [8.2, 3.8, 5.0]), 2.5),
    part(Jaw, "Jaw", Ball([6.5, 50.7, 9.6], [2.3, 2.6, 4.2]), 2.0),
];

/// How much farther than the nearest part another may be and still move a point.
const SHARED: f64 = 3.2;

impl Part {
    /// Distance of a point on the left half.
    fn distance(&self, p: DVec3) -> f64 {
        match self.shape {
            Ball(centre, radius) => ball(p, centre, radius),
            Limb(from, r0, to, r1) => cone(p, from, r0, to, r1),
        }
    }

    fn is_sided(&self) -> bool {
        match self.shape {
            Ball(centre, _) | Limb(centre, ..) => centre[0] != 0.0,
        }
    }
}

fn left(p: DVec3) -> DVec3 {
    DVec3::new(p.x.abs(), p.y, p.z)
}

fn joined(p: DVec3, parts: impl Iterator<Item = &'static Part>) -> f64 {
    let p = left(p);
    let mut all = f64::INFINITY;
    for part in parts {
        let d = part.distance(p);
        all = if all.is_finite() { join(all, d, part.seam) } else { d };
    }
    all
}

/// Everything but the jaw.
pub(super) fn body(p: DVec3) -> f64 {
    joined(p, PARTS.iter().filter(|p| p.region != Jaw))
}

/// The lower jaw alone.
pub(super) fn jaw(p: DVec3) -> f64 {
    joined(p, PARTS.iter().filter(|p| p.region == Jaw))
}

/// Which region of the body, jaw aside, a point of its surface belongs to.
pub(super) fn region_at(p: DVec3) -> Region {
    let p = left(p);
    let others = PARTS.iter().filter(|p| p.region != Jaw);
    let nearest = others.min_by(|a, b| a.distance(p).total_cmp(&b.distance(p)));
    nearest.map_or(Torso, |n| n.region)
}

/// Weights of a point of the surface: of the nearest parts, the nearer the more.
pub(super) fn weights(skeleton: &Skeleton, p: DVec3, jaw: bool) -> Weights {
    let own = |part: &&Part| (part.region == Jaw) == jaw;
    let mut near: Vec<(usize, f64)> = Vec::new();
    for part in PARTS.iter().filter(own) {
        if !part.is_sided() {
            near.push((skeleton.index(part.joint), part.distance(left(p))));
            continue;
        }
        for side in Side::BOTH {
            let joint = match skeleton.joints.iter().position(|j| j.name == part.joint) {
                Some(middle) => middle,
                None => skeleton.sided(side, part.joint),
            };
            near.push((joint, part.distance(side.mirror(p))));
        }
    }
    let least = near.iter().map(|n| n.1).fold(f64::INFINITY, f64::min);
    let mut weights: Weights = Vec::new();
    for (joint, distance) in near {
        let share = (1.0 - (distance - least) / SHARED).max(0.0);
        let share = share * share;
        match weights.iter_mut().find(|w| w.0 == joint) {
            // Two parts of one joint count once.
            Some(weight) => weight.1 = weight.1.max(share),
            None => weights.push((joint, share)),
        }
    }
    tidy(weights)
}
