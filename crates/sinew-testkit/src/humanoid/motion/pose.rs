//! A pose in the character's own terms, and how it becomes joint rotations.

use crate::humanoid::skeleton::{Side, Skeleton};
use crate::math::{euler_xyz, frame};
use glam::{DQuat, DVec3};

/// One arm. Zero everywhere is the T-pose; angles in degrees.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arm {
    /// Shrug.
    pub(super) shrug: f64,
    /// How far the arm hangs below the horizontal; negative is raised.
    pub(super) down: f64,
    /// Forward, of a hanging arm.
    pub(super) swing: f64,
    /// Towards the front, of a raised arm.
    pub(super) across: f64,
    /// About the arm's own axis; −90 turns the palm forward and lets the elbow bend upwards.
    pub(super) twist: f64,
    /// Bend of the elbow.
    pub(super) elbow: f64,
    /// Bend of the wrist towards the palm.
    pub(super) wrist: f64,
    /// Bend of each finger joint.
    pub(super) curl: f64,
}

impl Arm {
    /// An arm that hangs at ease.
    pub(super) fn hanging() -> Self {
        Self { shrug: -10.0, down: 67.0, swing: 3.0, elbow: 14.0, wrist: 4.0, curl: 16.0, ..Self::default() }
    }
}

/// One foot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Foot {
    /// Place of the ankle.
    pub(super) ankle: DVec3,
    /// Toe down is positive, degrees.
    pub(super) pitch: f64,
    /// Toe to the left is positive, degrees.
    pub(super) yaw: f64,
    /// How far the toes bend up against the foot, degrees.
    pub(super) toes: f64,
}

/// The whole body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Body {
    /// Place of the hips.
    pub(super) hips: DVec3,
    /// Turn of the hips: lean forward (x), to the left (y), to the right side (z), in degrees.
    pub(super) pelvis: DVec3,
    /// Turn of the chest against the hips, shared by the three joints of the spine.
    pub(super) spine: DVec3,
    /// Turn of the head against the chest, shared by neck and head.
    pub(super) head: DVec3,
    /// Left and right arm.
    pub(super) arms: [Arm; 2],
    /// Left and right foot.
    pub(super) feet: [Foot; 2],
}

/// What one frame holds: the place of the hips, and each joint's turn in the character's axes against its parent's.
pub(super) struct Frame {
    pub(super) hips: DVec3,
    pub(super) turns: Vec<DQuat>,
}

impl Body {
    /// Standing at ease with the feet side by side.
    pub(super) fn standing(skeleton: &Skeleton) -> Self {
        let foot = |side: Side| Foot {
            ankle: side.mirror(skeleton.place("LeftFoot")) + DVec3::X * 1.0 * side.sign(),
            pitch: 0.0,
            yaw: 7.0 * side.sign(),
            toes: 0.0,
        };
        Self {
            hips: skeleton.place("Hips") - DVec3::Y * 0.45,
            pelvis: DVec3::ZERO,
            spine: DVec3::ZERO,
            head: DVec3::ZERO,
            arms: [Arm::hanging(); 2],
            feet: Side::BOTH.map(foot),
        }
    }

    /// The joints' turns; the legs are solved so that the feet are where they are asked to be.
    pub(super) fn frame(&self, skeleton: &Skeleton) -> Frame {
        let mut turns = vec![DQuat::IDENTITY; skeleton.joints.len()];
        turns[skeleton.index("Hips")] = euler_xyz(self.pelvis);
        for (name, share) in [("Spine", 0.3), ("Spine1", 0.35), ("Spine2", 0.35)] {
            turns[skeleton.index(name)] = euler_xyz(self.spine * share);
        }
        for (name, share) in [("Neck", 0.4), ("Head", 0.6)] {
            turns[skeleton.index(name)] = euler_xyz(self.head * share);
        }
        for (side, arm) in Side::BOTH.into_iter().zip(&self.arms) {
            arm_turns(skeleton, side, arm, &mut turns);
        }
        for (side, foot) in Side::BOTH.into_iter().zip(&self.feet) {
            self.leg_turns(skeleton, side, foot, &mut turns);
        }
        Frame { hips: self.hips, turns }
    }

    /// Where the hip joint of one side is.
    fn hip_joint(&self, skeleton: &Skeleton, side: Side) -> DVec3 {
        let offset = skeleton.joints[skeleton.sided(side, "UpLeg")].place - skeleton.place("Hips");
        self.hips + euler_xyz(self.pelvis) * offset
    }

    /// How far the ankle is from the hip joint, relative to the outstretched leg.
    #[cfg(test)]
    pub(super) fn reach(&self, skeleton: &Skeleton, side: Side) -> f64 {
        let [hip, knee, ankle] = leg_places(skeleton, side);
        let ankle_now = self.feet[side as usize].ankle;
        let length = hip.distance(knee) + knee.distance(ankle);
        ankle_now.distance(self.hip_joint(skeleton, side)) / length
    }

    fn leg_turns(&self, skeleton: &Skeleton, side: Side, foot: &Foot, turns: &mut [DQuat]) {
        let [hip, knee, ankle] = leg_places(skeleton, side);
        let (thigh, shin) = (hip.distance(knee), knee.distance(ankle));
        let from = self.hip_joint(skeleton, side);
        let reach = (foot.ankle - from).length().min((thigh + shin) * 0.9999);
        let down = (foot.ankle - from).normalize();
        // The knee points where the foot does, half way towards where the hips do.
        let yaw = DQuat::from_rotation_y(((foot.yaw + self.pelvis.y) / 2.0).to_radians());
        let hinge = (yaw * DVec3::Z).cross(down).normalize();
        let along = (thigh * thigh - shin * shin + reach * reach) / (2.0 * reach);
        let out = (thigh * thigh - along * along).max(0.0).sqrt();
        let bent = from + down * along + down.cross(hinge) * out;
        // Model turns of thigh, shin, foot and toes, each against the T-pose.
        let aim = |now: DVec3, then: DVec3| frame(now, hinge) * frame(then, DVec3::X).inverse();
        let chain = [
            ("UpLeg", aim(bent - from, knee - hip)),
            ("Leg", aim(from + down * reach - bent, ankle - knee)),
            ("Foot", euler_xyz(DVec3::new(foot.pitch, foot.yaw, 0.0))),
            ("ToeBase", euler_xyz(DVec3::new(foot.pitch - foot.toes, foot.yaw, 0.0))),
        ];
        let mut above = turns[skeleton.index("Hips")];
        for (name, model) in chain {
            turns[skeleton.sided(side, name)] = above.inverse() * model;
            above = model;
        }
    }
}

/// Hip, knee and ankle in the T-pose.
fn leg_places(skeleton: &Skeleton, side: Side) -> [DVec3; 3] {
    ["UpLeg", "Leg", "Foot"].map(|n| skeleton.joints[skeleton.sided(side, n)].place)
}

fn arm_turns(skeleton: &Skeleton, side: Side, arm: &Arm, turns: &mut [DQuat]) {
    let s = side.sign();
    let x = |degrees: f64| DQuat::from_rotation_x(degrees.to_radians());
    let y = |degrees: f64| DQuat::from_rotation_y(degrees.to_radians() * s);
    let z = |degrees: f64| DQuat::from_rotation_z(degrees.to_radians() * s);
    turns[skeleton.sided(side, "Shoulder")] = z(arm.shrug);
    turns[skeleton.sided(side, "Arm")] = y(-arm.across) * x(-arm.swing) * z(-arm.down) * x(arm.twist);
    turns[skeleton.sided(side, "ForeArm")] = y(-arm.elbow);
    turns[skeleton.sided(side, "Hand")] = z(-arm.wrist);
    for finger in ["Index", "Middle", "Ring", "Pinky"] {
        for link in 1..=3 {
            let joint = skeleton.sided(side, &format!("Hand{finger}{link}"));
            turns[joint] = z(-arm.curl);
        }
    }
    for link in 1..=3 {
        let joint = skeleton.sided(side, &format!("HandThumb{link}"));
        turns[joint] = y(arm.curl * 0.35) * z(-arm.curl * 0.3);
    }
}
