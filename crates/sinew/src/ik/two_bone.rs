//! An arm or a leg that reaches a point.

use super::posed::{Posed, finite, share};
use super::rotation::{about, arc, conjugate, inverse, multiply, perpendicular, rotate};
use crate::JobError;
use crate::math::normalize_or;
use glam::{Mat3, Quat, Vec3};
use std::f32::consts::PI;

/// Two segments that bend at the joint between them, so that the end is at a target.
///
/// A target within reach is met exactly; towards one that is not, the chain is straight. Joints may lie between the three: they stay as
/// they are. Where the upper joint itself is scaled differently along its axes, segments change their length as they bend; the target is met where a bend in the
/// plane of the limb reaches it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoBone {
    /// Shoulder or hip: turns.
    pub upper: u16,
    /// Elbow or knee, below it: bends.
    pub lower: u16,
    /// Hand or foot, below that: keeps its local transform.
    pub end: u16,
    /// Where the end shall be, in model space.
    pub target: Vec3,
    /// The direction, in model space, into which the lower joint shall be off the line from the upper joint to the target. Without one the chain
    /// bends as it does in the pose.
    pub pole: Option<Vec3>,
    /// The axis about which the lower joint bends, in the space of its parent: the less it is bent in the pose, the more this counts. Without one, a chain that is nearly
    /// straight bends on about whatever axis it is bent by then.
    pub hinge: Option<Vec3>,
    /// Over which last part of its length the chain gets straight: 0.1 lets it slow down from nine tenths on and never quite
    /// be straight, so that it does not snap. Targets beyond that are no longer met exactly. 0 for none.
    pub soft: f32,
    /// 0 leaves the pose as it is, 1 goes all the way.
    pub weight: f32,
}

impl TwoBone {
    /// All the way, as far as the chain reaches.
    pub fn new(upper: u16, lower: u16, end: u16, target: Vec3) -> Self {
        Self { upper, lower, end, target, pole: None, hinge: None, soft: 0.0, weight: 1.0 }
    }

    /// Changes the rotations of the upper and the lower joint.
    ///
    /// Fails if a joint is not there or not below the one before, or a number is not finite.
    pub fn solve(&self, posed: &mut Posed<'_>) -> Result<(), JobError> {
        posed.has("upper", self.upper)?;
        posed.hangs("lower", self.lower, self.upper)?;
        posed.hangs("end", self.end, self.lower)?;
        finite("target", self.target.is_finite())?;
        finite("pole", self.pole.is_none_or(Vec3::is_finite))?;
        finite("hinge", self.hinge.is_none_or(Vec3::is_finite))?;
        let (soft, weight) = (share("soft", self.soft)?, share("weight", self.weight)?);
        if weight == 0.0 {
            return Ok(());
        }
        let into_parent = posed.to_parent(self.upper)?;
        let upper = posed.pose().get(self.upper.into());
        let target = into_parent.transform_point3(self.target) - upper.translation;
        let pole = self.pole.map(|pole| into_parent.transform_vector3(pole));

        let Some(limb) = Limb::of(self, posed, pole) else { return Ok(()) };
        let reach = eased(target.length(), limb.length(limb.farthest()), soft);
        let bent = limb.at(limb.angle_for(reach));
        let lower = posed.pose().get(self.lower.into()).rotation;
        let bend = multiply(arc(limb.second, bent, limb.axis), lower);

        let end = rotate(upper.rotation, limb.inner * (limb.first + bent));
        let turn = limb.turn(upper.rotation, end, target, pole);
        posed.set_rotation(self.lower, bend, weight);
        posed.set_rotation(self.upper, multiply(turn, upper.rotation), weight);
        posed.follow(self.upper)
    }

    /// The same, and the end is turned in model space as the pose has it: a foot that stands flat goes on standing flat.
    pub fn solve_keeping_turn(&self, posed: &mut Posed<'_>) -> Result<(), JobError> {
        posed.has("end", self.end)?;
        let axes = posed.model()[usize::from(self.end)].matrix3();
        self.solve(posed)?;
        posed.turn_to(self.end, axes, Quat::IDENTITY)
    }
}

/// The distance to go to, where the last part of the length is approached ever more slowly.
fn eased(distance: f32, length: f32, soft: f32) -> f32 {
    let (from, part) = (length * (1.0 - soft), length * soft);
    if distance <= from || part <= 0.0 {
        return distance.min(length);
    }
    from + part * (1.0 - libm::expf((from - distance) / part))
}

/// The bend, as the sine of its angle, up to which the hinge counts more than the pose.
const HINGE: f32 = 0.3;

/// Angles that are looked at where there is no formula.
const STEPS: usize = 32;

fn step(index: usize) -> f32 {
    index as f32 * (PI / STEPS as f32)
}

/// The two segments in the space of the lower joint's parent, where the bend takes place.
struct Limb {
    /// Upper to lower joint.
    first: Vec3,
    /// Lower joint to end, as posed.
    second: Vec3,
    /// The bend: from `first` about this axis, at right angles to it.
    axis: Vec3,
    /// From here into the upper joint's space, scaled but not yet turned.
    inner: Mat3,
}

impl Limb {
    /// None if a segment has no length.
    fn of(job: &TwoBone, posed: &Posed<'_>, pole: Option<Vec3>) -> Option<Self> {
        let (upper, lower) = (posed.pose().get(job.upper.into()), posed.pose().get(job.lower.into()));
        let between = posed.between(job.upper, posed.parent(job.lower));
        let first = lower.translation - inverse(between)?.translation;
        let second = rotate(lower.rotation, posed.between(job.lower, job.end).translation * lower.scale);
        let inner = Mat3::from_diagonal(upper.scale) * between.matrix3;
        let sizes = first.length() * second.length();
        if !(sizes > f32::MIN_POSITIVE && sizes.is_finite()) {
            return None;
        }
        let along = normalize_or(first, Vec3::X);
        let hinge =
            job.hinge.map_or(Vec3::ZERO, |hinge| normalize_or(hinge - along * along.dot(hinge), Vec3::ZERO));
        let across = first.cross(second) + hinge * (HINGE * sizes);
        // Of a straight limb nothing tells the plane it bends in but the pole.
        let axis = if across.length() > 1e-3 * sizes {
            across
        } else {
            let away = pole.map(|pole| inner.inverse() * rotate(conjugate(upper.rotation), -pole));
            away.map_or(Vec3::ZERO, |away| first.cross(away))
        };
        let axis = normalize_or(axis, perpendicular(along));
        Some(Self { first, second, axis, inner })
    }

    /// The second segment at an angle from the first.
    fn at(&self, angle: f32) -> Vec3 {
        let along = normalize_or(self.first, Vec3::X);
        let (sine, cosine) = libm::sincosf(angle);
        (along * cosine + self.axis.cross(along) * sine) * self.second.length()
    }

    /// How far the end is from the upper joint.
    fn length(&self, angle: f32) -> f32 {
        (self.inner * (self.first + self.at(angle))).length()
    }

    /// Whether it is scaled alike whichever way it bends: the plane of the bend is turned and scaled, but not distorted.
    fn is_even(&self) -> bool {
        let along = normalize_or(self.first, Vec3::X);
        let [u, v] = [along, self.axis.cross(along)].map(|v| self.inner * v);
        let size = u.length_squared().max(v.length_squared());
        (u.length_squared() - v.length_squared()).abs() <= 1e-5 * size && u.dot(v).abs() <= 1e-5 * size
    }

    /// The angle at which it reaches farthest: straight, unless it is scaled more where it bends to.
    fn farthest(&self) -> f32 {
        if self.is_even() { 0.0 } else { self.highest(|angle| self.length(angle)) }
    }

    /// The angle at which something is highest.
    fn highest(&self, of: impl Fn(f32) -> f32) -> f32 {
        let best = (0..=STEPS).max_by(|&i, &j| of(step(i)).total_cmp(&of(step(j)))).unwrap_or(0);
        let (mut low, mut high) = (step(best.saturating_sub(1)), step((best + 1).min(STEPS)));
        for _ in 0..24 {
            let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if of(a) < of(b) {
                low = a;
            } else {
                high = b;
            }
        }
        0.5 * (low + high)
    }

    fn angle_for(&self, reach: f32) -> f32 {
        let (a, b) = (self.first.length(), self.second.length());
        if self.is_even() {
            let wanted = reach * (a + b) / self.length(0.0);
            let cosine = (wanted * wanted - a * a - b * b) / (2.0 * a * b);
            return libm::acosf(cosine.clamp(-1.0, 1.0));
        }
        // Scale that differs from axis to axis within the limb: no formula, but away from the angle at which it reaches farthest it gets shorter.
        let mut low = self.farthest();
        let short = |angle: &f32| self.length(*angle) <= reach;
        let more = (0..=STEPS).map(step).filter(|&angle| angle > low).find(short);
        let less = || (0..=STEPS).rev().map(step).filter(|&angle| angle < low).find(short);
        // Between two angles it may still be short enough at one.
        let least = || self.highest(|angle| -self.length(angle));
        let mut high = more.or_else(less).unwrap_or_else(least);
        for _ in 0..24 {
            let middle = 0.5 * (low + high);
            if self.length(middle) > reach {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }

    /// How the upper joint turns so that the end, which is at `end`, lies towards the target and the bend towards the pole.
    fn turn(&self, upper: Quat, end: Vec3, target: Vec3, pole: Option<Vec3>) -> Quat {
        let along = normalize_or(self.first, Vec3::X);
        let [first, inward] = [along, self.axis.cross(along)].map(|v| rotate(upper, self.inner * v));
        let axis = normalize_or(first.cross(inward), perpendicular(first));
        let line = normalize_or(target, normalize_or(end, first));
        let swing = arc(end, line, axis);
        let Some(pole) = pole else { return swing };
        let to = pole - line * line.dot(pole);
        if to.length_squared() <= 1e-8 * pole.length_squared() {
            return swing;
        }
        let from = rotate(swing, normalize_or(end, first).cross(axis));
        let twist = libm::atan2f(line.dot(from.cross(to)), from.dot(to));
        multiply(about(line, twist), swing)
    }
}
