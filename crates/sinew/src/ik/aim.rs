//! A head that looks at a point, with the joints below it.

use super::posed::{Posed, finite, share};
use super::rotation::{arc, at_most, multiply, perpendicular, rotate};
use crate::math::{normalize_or, slerp};
use crate::{JobError, Mat3x4};
use glam::{Quat, Vec3};

/// How often the last joint is turned: what rounding leaves of the first turn is made up for.
const ROUNDS: usize = 2;

/// A joint that takes part in an [`Aim`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AimJoint {
    /// Which.
    pub joint: u16,
    /// The part of the way still to go that it turns; the last joint of a chain goes all of it.
    pub share: f32,
    /// How far it may be turned away from the pose, in radians.
    pub limit: f32,
}

/// Turns a chain of joints so that an axis of the last one points at a target.
///
/// A pose without a limit in its way is met exactly: the ray from the eye goes through the target. Else each joint is turned as far as its limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aim<'a> {
    /// From the highest to the last, such as spine, neck and head.
    pub chain: &'a [AimJoint],
    /// The axis of the last joint that shall point at the target, in its own space. [`axis_at_rest`](super::axis_at_rest) finds it.
    pub forward: Vec3,
    /// Where the ray begins, in the space of the last joint: between the eyes.
    pub eye: Vec3,
    /// What is looked at, in model space.
    pub target: Vec3,
    /// 0 leaves the pose as it is, 1 goes all the way.
    pub weight: f32,
}

/// Where a character looks, from frame to frame: what [`Aim::solve_smooth`] follows a target with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gaze {
    /// Seconds in which half of the way to a new target is gone; 0 goes at once.
    pub half_life: f32,
    direction: Option<Vec3>,
}

impl Gaze {
    /// Follows with a half-life in seconds.
    pub fn new(half_life: f32) -> Self {
        Self { half_life, direction: None }
    }

    /// Where it looks, in model space, once it did.
    pub fn direction(&self) -> Option<Vec3> {
        self.direction
    }

    fn towards(&mut self, wanted: Vec3, start: Vec3, seconds: f32) -> Vec3 {
        let from = self.direction.unwrap_or(start);
        let part = if self.half_life > 0.0 { 1.0 - libm::exp2f(-seconds / self.half_life) } else { 1.0 };
        let turn = slerp(Quat::IDENTITY, arc(from, wanted, perpendicular(from)), part);
        let direction = normalize_or(rotate(turn, from), wanted);
        self.direction = Some(direction);
        direction
    }
}

impl<'a> Aim<'a> {
    /// All the way, from the joint's own place.
    pub fn new(chain: &'a [AimJoint], forward: Vec3, target: Vec3) -> Self {
        Self { chain, forward, eye: Vec3::ZERO, target, weight: 1.0 }
    }

    /// Changes the rotations of the chain.
    ///
    /// Fails if a joint is not there or not below the one before, or a number is not finite. A chain of no joints changes nothing.
    pub fn solve(&self, posed: &mut Posed<'_>) -> Result<(), JobError> {
        self.solve_smooth(&mut Gaze::default(), 0.0, posed)
    }

    /// The same, with a gaze that follows the target smoothly; `seconds` have passed since the last time.
    pub fn solve_smooth(&self, gaze: &mut Gaze, seconds: f32, posed: &mut Posed<'_>) -> Result<(), JobError> {
        let weight = self.check(gaze, seconds, posed)?;
        let Some((last, above)) = self.chain.split_last() else { return Ok(()) };
        let (eye, forward) = self.ray(&posed.model()[usize::from(last.joint)]);
        let distance = self.target.distance(eye);
        let wanted = normalize_or(self.target - eye, forward);
        let wanted = gaze.towards(wanted, forward, seconds.max(0.0));
        if weight == 0.0 {
            return Ok(());
        }
        let wanted =
            rotate(slerp(Quat::IDENTITY, arc(forward, wanted, perpendicular(forward)), weight), forward);
        let target = eye + wanted * distance;
        for turned in above {
            self.turn(turned, last.joint, share("share", turned.share)?, target, posed)?;
        }
        self.turn_last(last, target, posed)
    }

    fn check(&self, gaze: &Gaze, seconds: f32, posed: &Posed<'_>) -> Result<f32, JobError> {
        for (index, turned) in self.chain.iter().enumerate() {
            match index.checked_sub(1) {
                None => posed.has("chain", turned.joint)?,
                Some(above) => posed.hangs("chain", turned.joint, self.chain[above].joint)?,
            }
            finite("chain.share", turned.share.is_finite())?;
            finite("chain.limit", !turned.limit.is_nan())?;
        }
        finite("forward", self.forward.is_finite() && self.forward != Vec3::ZERO)?;
        finite("eye", self.eye.is_finite())?;
        finite("target", self.target.is_finite())?;
        finite("seconds", seconds.is_finite())?;
        finite("gaze.half_life", gaze.half_life.is_finite())?;
        share("weight", self.weight)
    }

    /// Eye and direction, in model space.
    fn ray(&self, last: &Mat3x4) -> (Vec3, Vec3) {
        let forward = normalize_or(last.transform_vector3(self.forward), Vec3::Z);
        (last.transform_point3(self.eye), forward)
    }

    /// Turns one joint by a share of what is missing, within its limit.
    fn turn(
        &self,
        turned: &AimJoint,
        last: u16,
        share: f32,
        target: Vec3,
        posed: &mut Posed<'_>,
    ) -> Result<(), JobError> {
        let back = posed.to_parent(turned.joint)?;
        let start = posed.pose().get(turned.joint.into()).rotation;
        let (eye, forward) = self.ray(&posed.model()[usize::from(last)]);
        // In the space in which the joint turns, so that scale above it does no harm.
        let [from, to] = [forward, target - eye].map(|v| back.transform_vector3(v));
        let step = slerp(Quat::IDENTITY, arc(from, to, perpendicular(from)), share);
        posed.set_rotation(turned.joint, multiply(at_most(step, turned.limit), start), 1.0);
        posed.follow(turned.joint)
    }

    /// Turns the last joint so that its ray meets the target, within its limit. The eye moves as it turns, so it is the point of the ray that is as far from the joint as the
    /// target that goes there. Where the target is nearer than the whole ray, its nearest point does.
    fn turn_last(&self, last: &AimJoint, target: Vec3, posed: &mut Posed<'_>) -> Result<(), JobError> {
        let back = posed.to_parent(last.joint)?;
        let local = posed.pose().get(last.joint.into());
        let way = back.transform_point3(target) - local.translation;
        let [eye, forward] = [self.eye, self.forward].map(|v| v * local.scale);
        let forward = normalize_or(forward, Vec3::Z);
        let along = eye.dot(forward);
        let beyond = along * along - eye.length_squared() + way.length_squared();
        let meeting = eye + forward * (beyond.max(0.0).sqrt() - along).max(0.0);
        let mut total = Quat::IDENTITY;
        for _ in 0..ROUNDS {
            let from = rotate(multiply(total, local.rotation), meeting);
            let step = arc(from, way, perpendicular(from));
            total = at_most(multiply(step, total), last.limit);
        }
        posed.set_rotation(last.joint, multiply(total, local.rotation), 1.0);
        posed.follow(last.joint)
    }
}
