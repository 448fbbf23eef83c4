//! Which joints move a point of the body, by where it is in the T-pose.
//!
//! The T-pose has its limbs along the axes, so that one coordinate tells how far along a limb a point is.

use super::skeleton::{Side, Skeleton};
use crate::math::smoothstep;
use crate::shape::{Weights, tidy};
use glam::DVec3;

/// Gives points their weights.
pub(super) struct Weigher<'a> {
    skeleton: &'a Skeleton,
}

impl<'a> Weigher<'a> {
    pub(super) fn new(skeleton: &'a Skeleton) -> Self {
        Self { skeleton }
    }

    /// A point of the clothes or of the body below the head.
    pub(super) fn body(&self, p: DVec3) -> Weights {
        let side = if p.x < 0.0 { Side::Right } else { Side::Left };
        let x = p.x.abs();
        let arm = smoothstep(12.0, 22.5, x) * smoothstep(124.0, 134.0, p.y);
        let leg = 1.0 - smoothstep(83.0, 98.0, p.y);
        // Thighs share the seat; below it the legs have nothing to do with each other.
        let shared = 0.2 + 3.8 * smoothstep(72.0, 86.0, p.y);
        let left = smoothstep(-shared, shared, p.x);
        let mut all = Weights::new();
        scaled(&mut all, self.arm(side, x), arm);
        scaled(&mut all, self.leg(Side::Left, p), leg * left);
        scaled(&mut all, self.leg(Side::Right, p), leg * (1.0 - left));
        scaled(&mut all, self.torso(side, p), 1.0 - arm - leg);
        tidy(all)
    }

    /// A point of head and neck.
    pub(super) fn head(&self, p: DVec3) -> Weights {
        // The jaw hangs in front of the neck and belongs to the head.
        let height = p.y + 0.45 * p.z.max(0.0);
        let steps = [("Spine2", 0.0, 0.0), ("Neck", 146.0, 150.0), ("Head", 153.5, 160.0)];
        tidy(self.chain(steps.map(|(n, a, b)| (self.skeleton.index(n), a, b)), height))
    }

    fn torso(&self, side: Side, p: DVec3) -> Weights {
        let steps = [
            ("Hips", 0.0, 0.0),
            ("Spine", 101.0, 111.0),
            ("Spine1", 112.0, 122.0),
            ("Spine2", 123.0, 134.0),
            ("Neck", 147.0, 153.0),
        ];
        let spine = self.chain(steps.map(|(n, a, b)| (self.skeleton.index(n), a, b)), p.y);
        let collar = 0.75 * smoothstep(4.0, 12.5, p.x.abs()) * smoothstep(131.0, 141.0, p.y);
        let mut all = Weights::new();
        scaled(&mut all, spine, 1.0 - collar);
        all.push((self.skeleton.sided(side, "Shoulder"), collar));
        all
    }

    fn arm(&self, side: Side, x: f64) -> Weights {
        let steps = [("Arm", 0.0, 0.0), ("ForeArm", 41.5, 49.5), ("Hand", 69.0, 73.0)];
        self.chain(steps.map(|(n, a, b)| (self.skeleton.sided(side, n), a, b)), x)
    }

    fn leg(&self, side: Side, p: DVec3) -> Weights {
        let steps = [("UpLeg", 0.0, 0.0), ("Leg", -55.0, -45.0), ("Foot", -13.5, -6.5)];
        let chain = steps.map(|(n, a, b)| (self.skeleton.sided(side, n), a, b));
        // The instep is the foot's, however high it is.
        let down = -p.y + 0.6 * (p.z - 3.0).max(0.0);
        let mut all = Weights::new();
        let toe = smoothstep(8.5, 13.5, p.z) * smoothstep(-14.0, -9.0, -p.y);
        scaled(&mut all, self.chain(chain, down), 1.0 - toe);
        all.push((self.skeleton.sided(side, "ToeBase"), toe));
        all
    }

    /// Passes from joint to joint: each step begins and ends at a value of `x`.
    pub(super) fn chain<const N: usize>(&self, steps: [(usize, f64, f64); N], x: f64) -> Weights {
        let mut weights: Weights = Vec::with_capacity(N);
        for (index, (joint, begin, end)) in steps.into_iter().enumerate() {
            let here = if index == 0 { 1.0 } else { smoothstep(begin, end, x) };
            weights.iter_mut().for_each(|w| w.1 *= 1.0 - here);
            weights.push((joint, here));
        }
        weights
    }
}

fn scaled(all: &mut Weights, weights: Weights, by: f64) {
    all.extend(weights.into_iter().map(|(j, w)| (j, w * by)));
}
