//! Feet that stand on uneven ground.

use super::posed::{Posed, finite, share};
use super::rotation::{arc, at_most, perpendicular, rotate};
use super::two_bone::TwoBone;
use crate::math::{normalize_or, slerp};
use crate::{JobError, job};
use glam::{Quat, Vec3};

/// The joints of a leg.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leg {
    /// Turns at the hips.
    pub upper: u16,
    /// Knee.
    pub lower: u16,
    /// Ankle.
    pub foot: u16,
    /// Where the knee points, in model space; none bends it as the pose does.
    pub pole: Option<Vec3>,
}

/// What the game knows about the ground under one foot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// Height, in model space, over the level ground that the clip was made on. For a foot that swings, that of the step it is about to pass lets it clear its
    /// edge.
    pub height: f32,
    /// Which way the ground faces, in model space.
    pub normal: Vec3,
    /// Whether the foot stands on it, as the clip's contacts say.
    pub contact: bool,
}

/// How one foot stands, from frame to frame. Begins with its default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Footing {
    /// How much it is on the ground: rises to 1 after a contact begins and sinks to 0 after it ends.
    weight: f32,
    /// Height of the ground that it stands or stood on, and of the ground that it passes over.
    planted: f32,
    passing: f32,
    tilt: Quat,
    known: bool,
}

/// Puts feet on the ground below them and lowers the hips so far that the legs reach.
///
/// A clip is made on level ground, at height zero of the model. Each foot is raised or lowered by how much the real ground differs from it:
/// exactly while it stands, smoothly while it swings, and turned along the slope. The game asks its physics for the ground under each
/// foot first.
///
/// ```
/// # fn demo(instance: &mut sinew::Instance, hips: u16, legs: &[sinew::ik::Leg; 2], footing: &mut [sinew::ik::Footing; 2], seconds: f32,
/// #     height: impl Fn(sinew::glam::Vec3) -> f32) -> Result<(), sinew::JobError> {
/// use sinew::{glam::Vec3, ik::{Ground, PlantFeet}};
///
/// let plant = PlantFeet::new(hips, legs);
/// let mut posed = instance.posed()?;
/// let ground = [0, 1].map(|foot| {
///     let place = posed.model()[usize::from(legs[foot].foot)].translation();
///     Ground { height: height(place), normal: Vec3::Y, contact: place.y < 0.1 }
/// });
/// plant.solve(&ground, footing, seconds, &mut posed)?;
/// instance.finish()?;
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlantFeet<'a> {
    /// The joint that is lowered; legs hang below it.
    pub hips: u16,
    /// The legs.
    pub legs: &'a [Leg],
    /// Up, in model space.
    pub up: Vec3,
    /// Seconds over which a foot comes to stand on its ground, and leaves it.
    pub blend: f32,
    /// How much of its length a leg may use to reach the ground before the hips are lowered.
    pub reach: f32,
    /// How far a foot may be turned along a slope, in radians.
    pub tilt: f32,
}

impl<'a> PlantFeet<'a> {
    /// Y is up; a tenth of a second, 99 % of a leg, 40°.
    pub fn new(hips: u16, legs: &'a [Leg]) -> Self {
        Self { hips, legs, up: Vec3::Y, blend: 0.1, reach: 0.99, tilt: 0.7 }
    }

    /// Changes the place of the hips and the rotations of the legs; `seconds` have passed since the last time.
    ///
    /// Fails if a joint is not there or not below the one before, `ground` or `footing` are not as many as `legs`, or a number is not finite.
    pub fn solve(
        &self,
        ground: &[Ground],
        footing: &mut [Footing],
        seconds: f32,
        posed: &mut Posed<'_>,
    ) -> Result<(), JobError> {
        self.check(ground, footing, seconds, posed)?;
        let up = normalize_or(self.up, Vec3::Y);
        for (ground, foot) in ground.iter().zip(footing.iter_mut()) {
            foot.advance(ground, up, self, seconds.max(0.0));
        }
        let lowest = footing.iter().map(Footing::height).fold(f32::INFINITY, f32::min);
        let legs = self.legs.iter().zip(&*footing);
        let missing = legs.clone().map(|(leg, foot)| self.missing(leg, foot, up, lowest, posed));
        let lowered = up * (lowest - missing.fold(0.0, f32::max));
        if self.legs.is_empty() {
            return Ok(());
        }
        posed.shift(self.hips, lowered)?;
        for (leg, foot) in legs {
            self.place(leg, foot, up, lowered, posed)?;
        }
        Ok(())
    }

    fn check(
        &self,
        ground: &[Ground],
        footing: &[Footing],
        seconds: f32,
        posed: &Posed<'_>,
    ) -> Result<(), JobError> {
        job::exactly("ground", self.legs.len(), ground.len())?;
        job::exactly("footing", self.legs.len(), footing.len())?;
        posed.has("hips", self.hips)?;
        for leg in self.legs {
            posed.hangs("legs.upper", leg.upper, self.hips)?;
            posed.hangs("legs.lower", leg.lower, leg.upper)?;
            posed.hangs("legs.foot", leg.foot, leg.lower)?;
            finite("legs.pole", leg.pole.is_none_or(Vec3::is_finite))?;
        }
        finite("ground.height", ground.iter().all(|g| g.height.is_finite()))?;
        finite("ground.normal", ground.iter().all(|g| g.normal.is_finite()))?;
        finite("up", self.up.is_finite())?;
        finite("seconds", seconds.is_finite())?;
        finite("blend", self.blend.is_finite())?;
        finite("tilt", self.tilt.is_finite())?;
        share("reach", self.reach)?;
        Ok(())
    }

    /// Where an ankle shall be that the pose has at `place`.
    fn target(&self, foot: &Footing, up: Vec3, place: Vec3, posed: &Posed<'_>) -> Vec3 {
        // On a slope the ankle is off the ground along the slope's normal.
        let ankle = up.dot(place - posed.ground());
        place + up * foot.height() + (rotate(foot.tilt, up) - up) * ankle
    }

    /// How much lower than `lowest` the hips must be for a leg to reach.
    fn missing(&self, leg: &Leg, foot: &Footing, up: Vec3, lowest: f32, posed: &Posed<'_>) -> f32 {
        let [hip, knee, ankle] = [leg.upper, leg.lower, leg.foot].map(|joint| posed.place(joint));
        let length = hip.distance(knee) + knee.distance(ankle);
        // A leg that the pose has straight may be as straight again.
        let reach = (self.reach * length).max(hip.distance(ankle));
        let way = self.target(foot, up, ankle, posed) - (hip + up * lowest);
        let along = up.dot(way);
        let across = way.length_squared() - along * along;
        let down = (reach * reach - across).max(0.0).sqrt();
        (-along - down).clamp(0.0, 0.5 * length) * foot.weight
    }

    /// Places one foot. The hips, and all below them, have been moved by `moved`.
    fn place(
        &self,
        leg: &Leg,
        foot: &Footing,
        up: Vec3,
        moved: Vec3,
        posed: &mut Posed<'_>,
    ) -> Result<(), JobError> {
        let axes = posed.model()[usize::from(leg.foot)].matrix3();
        let target = self.target(foot, up, posed.place(leg.foot) - moved, posed);
        let reach = TwoBone::new(leg.upper, leg.lower, leg.foot, target);
        TwoBone { pole: leg.pole, ..reach }.solve(posed)?;
        // The foot is turned as the pose has it, whatever the leg above it does now.
        posed.turn_to(leg.foot, axes, foot.tilt)
    }
}

impl Footing {
    fn advance(&mut self, ground: &Ground, up: Vec3, plan: &PlantFeet<'_>, seconds: f32) {
        let slope = at_most(arc(up, ground.normal, perpendicular(up)), plan.tilt.max(0.0));
        let tilt = if ground.contact { slope } else { Quat::IDENTITY };
        if !self.known {
            let weight = if ground.contact { 1.0 } else { 0.0 };
            *self = Self { weight, planted: ground.height, passing: ground.height, tilt, known: true };
            return;
        }
        let step = if plan.blend > 0.0 { seconds / plan.blend } else { 1.0 };
        if ground.contact {
            self.planted = ground.height;
            self.weight = (self.weight + step).min(1.0);
        } else {
            self.weight = (self.weight - step).max(0.0);
        }
        // Three quarters of the way in the time of a blend.
        let part = 1.0 - libm::exp2f(-2.0 * step);
        self.passing += (ground.height - self.passing) * part;
        self.tilt = slerp(self.tilt, tilt, part);
    }

    /// How much higher than on level ground the foot is.
    fn height(&self) -> f32 {
        let weight = self.weight * self.weight * (3.0 - 2.0 * self.weight);
        self.passing + (self.planted - self.passing) * weight
    }

    /// Whether it has come to stand on its ground, and not begun to leave it.
    pub fn is_planted(&self) -> bool {
        self.weight >= 1.0
    }
}
