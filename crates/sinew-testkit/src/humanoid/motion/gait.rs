//! Walking and running: feet that stay where they are put, hips that move on at constant speed.
//!
//! A foot's cycle starts with its heel on the ground. It rolls over the heel until it is flat, stays flat, rolls over
//! the ball with the toes flat, and swings to its next place. Everything else follows from that by solving the legs.

use super::pose::{Arm, Body, Foot};
use crate::humanoid::skeleton::{Side, Skeleton};
use crate::math::{TURN, cos, euler_xyz, sin, smoothstep};
use crate::spline::Spline;
use glam::DVec3;

/// Numbers of a gait. Phases are parts of the cycle, lengths centimetres, angles degrees.
pub(super) struct Gait {
    /// Frames of a cycle of two steps, even.
    pub(super) frames: usize,
    /// Way of a cycle.
    pub(super) travel: f64,
    /// When the foot is flat, when the heel rises, when the toes leave.
    pub(super) flat: f64,
    pub(super) rise: f64,
    pub(super) leave: f64,
    /// How far the flat foot lands in front of the hips at phase 0.
    pub(super) lead: f64,
    /// Pitch when the heel lands and when the toes leave.
    pub(super) land_pitch: f64,
    pub(super) leave_pitch: f64,
    /// Where the ankle passes while it swings: phase, forward of the hips, height, pitch.
    pub(super) swing: &'static [(f64, f64, f64, f64)],
    /// Sideways distance of the ankles from the middle.
    pub(super) width: f64,
    /// Height of the hips below the T-pose's, how much they bob, and at which phase they are highest.
    pub(super) crouch: f64,
    pub(super) bob: f64,
    pub(super) high: f64,
    /// How much the hips sway, turn, drop.
    pub(super) sway: f64,
    pub(super) turn: f64,
    pub(super) drop: f64,
    /// Forward lean of the trunk.
    pub(super) lean: f64,
    /// Arms: swing, elbow when back and when in front, how far from the body.
    pub(super) arm_swing: f64,
    pub(super) elbow: (f64, f64),
    pub(super) arm_down: f64,
    pub(super) curl: f64,
}

/// A walk of 1.4 m per cycle.
pub(super) const WALK: Gait = Gait {
    frames: 32,
    travel: 140.0,
    flat: 0.09,
    rise: 0.38,
    leave: 0.60,
    lead: 30.0,
    land_pitch: -20.0,
    leave_pitch: 56.0,
    swing: &[(0.72, -27.0, 21.0, 50.0), (0.87, 15.0, 12.5, -6.0)],
    width: 7.4,
    crouch: 4.0,
    bob: 1.6,
    high: 0.25,
    sway: 2.0,
    turn: 6.0,
    drop: 3.0,
    lean: 2.5,
    arm_swing: 24.0,
    elbow: (12.0, 34.0),
    arm_down: 67.0,
    curl: 18.0,
};

/// A run of 2.6 m per cycle, with both feet in the air twice.
pub(super) const RUN: Gait = Gait {
    frames: 22,
    travel: 260.0,
    flat: 0.05,
    rise: 0.15,
    leave: 0.3,
    lead: 24.0,
    land_pitch: -12.0,
    leave_pitch: 58.0,
    swing: &[(0.42, -47.0, 33.0, 78.0), (0.58, -28.0, 53.0, 76.0), (0.82, 27.0, 33.0, 4.0)],
    width: 5.6,
    crouch: 8.0,
    bob: 3.4,
    high: 0.42,
    sway: 1.2,
    turn: 9.0,
    drop: 3.0,
    lean: 11.0,
    arm_swing: 46.0,
    elbow: (72.0, 104.0),
    arm_down: 61.0,
    curl: 42.0,
};

/// When a joint of a foot stands on the ground, in seconds.
#[derive(Clone, Debug)]
pub struct Contact {
    /// Joint, without prefix.
    pub joint: String,
    /// First and last moment; the last may lie after the clip's end, in its next round.
    pub span: (f64, f64),
}

impl Gait {
    pub(super) fn duration(&self) -> f64 {
        self.frames as f64 / super::RATE
    }

    /// The body at a phase; phases beyond one go on walking.
    pub(super) fn body(&self, skeleton: &Skeleton, phase: f64) -> Body {
        let mut body = Body::standing(skeleton);
        let turn = phase * TURN;
        // At phase 0 the left foot lands in front: left hip forward is a turn to the right.
        body.hips = DVec3::new(
            self.sway * sin(turn - 0.1 * TURN),
            skeleton.place("Hips").y - self.crouch + self.bob * cos(2.0 * (turn - self.high * TURN)),
            self.travel * phase,
        );
        body.pelvis =
            DVec3::new(self.lean * 0.35, -self.turn * cos(turn), -self.drop * sin(turn - 0.05 * TURN));
        body.spine = DVec3::new(
            self.lean * 0.65 + 0.8 * cos(2.0 * turn),
            self.turn * 1.9 * cos(turn),
            self.drop * 1.2 * sin(turn - 0.05 * TURN),
        );
        body.head = DVec3::new(-self.lean * 0.8, -self.turn * 0.9 * cos(turn), 0.0);
        for side in Side::BOTH {
            let own = if side == Side::Left { phase } else { phase + 0.5 };
            body.arms[side as usize] = self.arm(own);
            let steps = if side == Side::Left { 0.0 } else { 0.5 };
            body.feet[side as usize] = self.foot(skeleton, side, own, steps);
        }
        body
    }

    /// The arm swings against the leg of its side.
    fn arm(&self, phase: f64) -> Arm {
        let forward = -cos(phase * TURN - 0.04 * TURN);
        let (back, front) = self.elbow;
        Arm {
            shrug: -10.0,
            down: self.arm_down,
            swing: self.arm_swing * forward,
            elbow: back + (front - back) * (0.5 + 0.5 * forward),
            curl: self.curl,
            wrist: 4.0,
            ..Arm::default()
        }
    }

    /// The foot at its own phase; `ahead` is how much earlier it is in its cycle than the body.
    fn foot(&self, skeleton: &Skeleton, side: Side, phase: f64, ahead: f64) -> Foot {
        let round = phase.floor();
        let p = phase - round;
        let ground = self.travel * (round - ahead);
        let v = if p < self.leave { self.stance(skeleton, p) } else { self.swing(skeleton).at(p) };
        let toes = smoothstep(0.0, 1.0, self.toe_bend(p)) * v.z.max(0.0);
        Foot { ankle: DVec3::new(self.width * side.sign(), v.y, v.x + ground), pitch: v.z, yaw: 0.0, toes }
    }

    /// How much of the pitch the toes undo: all of it while they stand, none a little after they left.
    fn toe_bend(&self, p: f64) -> f64 {
        if p < self.leave { 1.0 } else { 1.0 - ((p - self.leave) / 0.14).min(1.0) }
    }

    /// Ankle (forward, height) and pitch of a foot on the ground, relative to the hips' place at phase 0.
    fn stance(&self, skeleton: &Skeleton, p: f64) -> DVec3 {
        let flat_ankle = skeleton.place("LeftFoot");
        let ankle = DVec3::new(0.0, flat_ankle.y, self.lead);
        let ball = ankle + (skeleton.place("LeftToeBase") - flat_ankle) * DVec3::new(0.0, 1.0, 1.0);
        let heel = DVec3::new(0.0, 0.0, self.lead - 5.0);
        let (pivot, pitch) = if p < self.flat {
            (heel, self.land_pitch * (1.0 - smoothstep(-0.6, 1.0, p / self.flat)) / LANDED)
        } else if p < self.rise {
            (ball, 0.0)
        } else {
            let u = (p - self.rise) / (self.leave - self.rise);
            // Slow at first: weight leaves the heel before it rises.
            (ball, self.leave_pitch * u * u * (1.6 - 0.6 * u))
        };
        let turned = pivot + euler_xyz(DVec3::X * pitch) * (ankle - pivot);
        DVec3::new(turned.z, turned.y, pitch)
    }

    /// The way through the air, with the speed that the foot has on the ground at either end.
    fn swing(&self, skeleton: &Skeleton) -> Spline {
        let step = 1e-4;
        let on = |v: DVec3| v + DVec3::X * self.travel;
        let leaving = self.stance(skeleton, self.leave);
        let landing = self.stance(skeleton, 0.0);
        let mut points = vec![(self.leave, leaving)];
        for &(phase, forward, height, pitch) in self.swing {
            let place = DVec3::new(forward + self.travel * phase, height, pitch);
            points.push((phase, place));
        }
        points.push((1.0, on(landing)));
        Spline {
            points,
            slopes: (
                (leaving - self.stance(skeleton, self.leave - step)) / step,
                (self.stance(skeleton, step) - landing) / step,
            ),
        }
    }

    /// When feet and toes stand.
    pub(super) fn contacts(&self) -> Vec<Contact> {
        let mut contacts = Vec::new();
        for side in Side::BOTH {
            let start = if side == Side::Left { 0.0 } else { 0.5 };
            for (joint, until) in [("Foot", self.rise), ("ToeBase", self.leave)] {
                let span = (start + self.flat, start + until);
                contacts.push(Contact {
                    joint: format!("{}{joint}", side.word()),
                    span: (span.0 * self.duration(), span.1 * self.duration()),
                });
            }
        }
        contacts
    }
}

/// What the easing of the landing leaves at its beginning, to be divided out.
const LANDED: f64 = 1.0 - 0.375 * 0.375 * (3.0 - 2.0 * 0.375);
