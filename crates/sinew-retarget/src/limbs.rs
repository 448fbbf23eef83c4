//! Arms and legs of the target that reach where the transfer alone does not put them.

use crate::body::Body;
use crate::fit::Figure;
use crate::role::{Part, Role, Side};
use glam::Vec3;
use sinew::JobError;
use sinew::ik::{Posed, TwoBone, axis_at_rest};
use sinew::math::normalize_or;

/// How far the target is moved from where the transfer puts it, in its model space: feet to where they stand, the hips so that the legs reach, hands to where
/// the source's are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shift {
    /// What the hips are moved by.
    pub hips: Vec3,
    /// What each ankle is moved by, the left one first, counted from where it is without the shift of the hips; none leaves the leg as it is.
    pub feet: [Option<Vec3>; 2],
    /// Hands go where the source's wrists are, relative to where it stands and times the ratio of the lengths of the legs, moved by this; none leaves the arms as they are.
    pub hands: Option<Vec3>,
    /// The axis about which each knee bends, in the space of its parent, where more is known of it than that knees point forward at rest: the less a leg is bent, the more it counts.
    pub knees: [Option<Vec3>; 2],
    /// The same of elbows.
    pub elbows: [Option<Vec3>; 2],
}

/// Over which last part of its length an arm that the transfer does not hold so straight gets straight, ever more slowly: of one that is nearly straight, a little way of the hand turns the elbow far.
const SOFT: f32 = 0.1;

/// A limb gets no straighter than this: of one that is quite straight, the last bit of the distance turns the joint by a visible angle.
const REACH: f32 = 0.998;

/// An arm or a leg: two segments that bend between them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limb {
    upper: u16,
    lower: u16,
    end: u16,
    /// The axis that it bends about, in the space of the lower joint's parent.
    hinge: Vec3,
}

/// What is known of the limbs of a target, the left ones first.
#[derive(Clone, Debug)]
pub(crate) struct Limbs {
    pub legs: [Option<Limb>; 2],
    pub arms: [Option<Limb>; 2],
    /// From the root of the source down to each of its wrists.
    pub wrists: [Vec<u16>; 2],
}

impl Limbs {
    pub(crate) fn new(source: Figure<'_>, target: Figure<'_>) -> Option<Self> {
        let axes = Body::of(target.tree, target.roles)?.axes()?;
        let front = (axes * glam::DVec3::Z).as_vec3();
        let limb = |side: Side, parts: [Part; 3], pole: Vec3| {
            let joint = |part: Part| target.roles.joint(Role::new(side, part));
            let [upper, lower, end] = [joint(parts[0])?, joint(parts[1])?, joint(parts[2])?];
            let hangs = target.tree.hangs_on(lower, upper) && target.tree.hangs_on(end, lower);
            // The second segment goes away from where the middle points.
            let down = target.tree.place(lower) - target.tree.place(upper);
            let above = target.tree.skeleton.parent(lower).unwrap_or(upper);
            let hinge = axis_at_rest(target.tree.skeleton, above, pole.cross(down));
            hangs.then_some(Limb { upper, lower, end, hinge })
        };
        let legs = Side::BOTH.map(|side| limb(side, [Part::UpperLeg, Part::LowerLeg, Part::Foot], front));
        let arms = Side::BOTH.map(|side| limb(side, [Part::UpperArm, Part::LowerArm, Part::Hand], -front));
        let wrists = Side::BOTH.map(|side| {
            let wrist = source.roles.joint(Role::new(side, Part::Hand));
            wrist.map(|wrist| source.tree.line(wrist)).unwrap_or_default()
        });
        Some(Self { legs, arms, wrists })
    }
}

impl Limb {
    /// Moves the end to a place, as far as the limb reaches. The end is turned as it was.
    fn reach(
        &self,
        place: Vec3,
        hinge: Option<Vec3>,
        soft: f32,
        posed: &mut Posed<'_>,
    ) -> Result<(), JobError> {
        let at = |posed: &Posed<'_>, joint: u16| posed.model()[usize::from(joint)].translation();
        let [upper, lower, end] = [self.upper, self.lower, self.end].map(|joint| at(posed, joint));
        let length = upper.distance(lower) + lower.distance(end);
        let way = place - upper;
        let longest = REACH * length;
        // As far as the pose goes by itself, it goes on exactly.
        let exact = ((1.0 - soft) * length).max(upper.distance(end)).min(longest);
        let far = way.length();
        let target = if far > exact {
            let room = (longest - exact).max(f32::MIN_POSITIVE);
            let gone = room * (1.0 - libm::expf((exact - far) / room));
            upper + normalize_or(way, Vec3::ZERO) * (exact + gone)
        } else {
            place
        };
        let hinge = Some(hinge.unwrap_or(self.hinge));
        TwoBone { hinge, ..TwoBone::new(self.upper, self.lower, self.end, target) }.solve_keeping_turn(posed)
    }
}

impl Limbs {
    /// Moves feet and hands. The hips, and all below them, have been moved by what the shift says; `wrists` are where the hands shall be.
    pub(crate) fn reach(
        &self,
        shift: &Shift,
        wrists: [Option<Vec3>; 2],
        posed: &mut Posed<'_>,
    ) -> Result<(), JobError> {
        for ((leg, by), hinge) in self.legs.iter().zip(shift.feet).zip(shift.knees) {
            if let (Some(leg), Some(by)) = (leg, by) {
                let place = posed.model()[usize::from(leg.end)].translation() - shift.hips;
                leg.reach(place + by, hinge, 0.0, posed)?;
            }
        }
        for ((arm, wrist), hinge) in self.arms.iter().zip(wrists).zip(shift.elbows) {
            if let (Some(arm), Some(wrist)) = (arm, wrist) {
                arm.reach(wrist, hinge, SOFT, posed)?;
            }
        }
        Ok(())
    }
}
