//! How two characters at rest lie over one another: a turn, a scale, and how well they fit.

use crate::body::{AXES, Body};
use crate::humanoid::Humanoid;
use crate::role::{Part, Role, Side};
use crate::tree::Tree;
use glam::{DMat3, DQuat, DVec3};

/// A humanoid with its tree.
#[derive(Clone, Copy)]
pub(crate) struct Figure<'a> {
    pub tree: &'a Tree<'a>,
    pub roles: &'a Humanoid,
}

impl Figure<'_> {
    /// Where the joint of a role is at rest.
    pub(crate) fn place(&self, role: Role) -> Option<DVec3> {
        self.roles.joint(role).map(|joint| self.tree.place(joint).as_dvec3())
    }

    /// From hip joint to ankle along the leg, the mean of both; of what there is of the leg where there are no feet.
    fn leg(&self, feet: bool) -> f64 {
        let parts = [Part::UpperLeg, Part::LowerLeg, Part::Foot];
        let parts = if feet { &parts[..] } else { &parts[..2] };
        let place = |side: Side, part: Part| self.place(Role::new(side, part)).unwrap_or_default();
        let length = |side: Side| -> f64 {
            parts.windows(2).map(|pair| place(side, pair[0]).distance(place(side, pair[1]))).sum()
        };
        (length(Side::Left) + length(Side::Right)) * 0.5
    }

    /// Where the hips would be if the rest stood on the ground, which is at height zero. Rests that hang in the air or have the hips at
    /// the origin, as motion capture has, are moved; a sole below the ankle is not counted as hanging.
    fn standing(&self, up: DVec3, leg: f64) -> (DVec3, bool) {
        let hips = self.place(Role::middle(Part::Hips)).unwrap_or_default();
        let legs = [Part::LowerLeg, Part::Foot, Part::Toes];
        let ends = Side::BOTH.into_iter().flat_map(|side| legs.map(|part| self.place(Role::new(side, part))));
        let lowest = ends.flatten().map(|place| place.dot(up)).fold(f64::INFINITY, f64::min);
        let hangs = lowest.is_finite() && lowest.abs() > HANGING * leg;
        (if hangs { hips - up * lowest } else { hips }, hangs)
    }
}

/// How far from the ground the lowest joint of a standing figure may be, relative to the length of its legs.
const HANGING: f64 = 0.25;
/// Headings up to this from a right angle come from where rigs place their joints, in degrees.
const HEADING: f64 = 2.0;

/// From the source's model space to the target's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fit {
    /// Turns the source's rest onto the target's.
    pub turn: DQuat,
    /// The target's legs relative to the source's.
    pub scale: f64,
    /// Where the hips of both stand.
    pub hips: [DVec3; 2],
    /// Whether the rest of either does not stand on the ground.
    pub hangs: [bool; 2],
    /// By how many degrees the trunk of either leans at rest.
    pub leans: [f64; 2],
    /// How far joints of trunk and legs are from one another, relative to the size of the target's: root of the mean square.
    pub residual: f64,
}

impl Fit {
    /// `ups` are the up axes of the spaces of both.
    pub(crate) fn new(source: Figure<'_>, target: Figure<'_>, ups: [DVec3; 2]) -> Option<Self> {
        let stands = |figure: Figure<'_>, up: DVec3| Body::of(figure.tree, figure.roles)?.upright(up);
        let ((from, from_leans), (to, to_leans)) = (stands(source, ups[0])?, stands(target, ups[1])?);
        let (turn, up) = (settle(to * from.inverse()), ups[1]);
        let both = |role: Role| source.place(role).zip(target.place(role));
        let feet = Side::BOTH.into_iter().all(|side| both(Role::new(side, Part::Foot)).is_some());
        let legs = [source, target].map(|figure| figure.leg(feet));
        let scale = legs[1] / legs[0];
        if !(scale.is_finite() && scale > 0.0) {
            return None;
        }
        let (from, from_hangs) = source.standing(turn.inverse() * up, legs[0]);
        let (to, to_hangs) = target.standing(up, legs[1]);
        let (hangs, leans) = ([from_hangs, to_hangs], [from_leans, to_leans]);
        let mut fit = Self { turn, scale, hips: [from, to], hangs, leans, residual: 0.0 };
        fit.residual = fit.measure(source, target);
        Some(fit)
    }

    /// Joints of trunk and legs, and where the arms begin: how arms are held at rest is no misfit.
    fn measure(&self, source: Figure<'_>, target: Figure<'_>) -> f64 {
        let hips = Role::middle(Part::Hips);
        let (Some(from), Some(to)) = (source.place(hips), target.place(hips)) else { return 0.0 };
        let (mut squares, mut extent, mut count) = (0.0, 0.0f64, 0.0);
        for role in Role::all().filter(|role| role.part() <= Part::UpperArm && role.part() != Part::Toes) {
            let (Some(a), Some(b)) = (source.place(role), target.place(role)) else { continue };
            squares += ((self.turn * (a - from)) * self.scale).distance_squared(b - to);
            extent = extent.max(b.distance(to));
            count += 1.0;
        }
        if count > 0.0 && extent > 0.0 { (squares / count).sqrt() / extent } else { 0.0 }
    }
}

/// The turn that was meant: a right angle if it is near to one.
fn settle(turn: DQuat) -> DQuat {
    let near = right_angles().max_by(|a, b| a.dot(turn).abs().total_cmp(&b.dot(turn).abs()));
    near.filter(|near| degrees(turn * near.inverse()) <= HEADING).unwrap_or(turn)
}

/// The angle of a turn.
pub(crate) fn degrees(turn: DQuat) -> f64 {
    (2.0 * libm::atan2(turn.xyz().length(), turn.w.abs())).to_degrees()
}

/// The 24 turns that map axes to axes.
fn right_angles() -> impl Iterator<Item = DQuat> {
    let pairs = AXES.into_iter().flat_map(|x| AXES.into_iter().map(move |y| (x, y)));
    pairs
        .filter(|(x, y)| x.dot(*y) == 0.0)
        .map(|(x, y)| DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(turn: DQuat) -> Body {
        let turned = |v: DVec3| (turn * v).as_vec3();
        Body {
            trunk: turned(DVec3::Y),
            legs: turned(DVec3::Y),
            legs_left: turned(DVec3::X),
            arms_left: turned(DVec3::X),
            forward: None,
        }
    }

    #[test]
    fn turns_settle_on_right_angles() {
        assert_eq!(right_angles().count(), 24);
        let quarter = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
        for (off, kept) in [(0.03, 0.0), (0.2, 0.2), (0.7, 0.7)] {
            let heading = DQuat::from_rotation_y(off) * quarter;
            let expected = DQuat::from_rotation_y(kept) * quarter;
            assert!(degrees(settle(heading) * expected.inverse()) < 1e-6, "{off}");
        }
    }

    /// Whichever way it leans, and however far: a rest that is a crouch is no reason to tilt every motion.
    #[test]
    fn a_rest_that_leans_stands_upright() {
        let straight = body(DQuat::IDENTITY).upright(DVec3::Y).unwrap().0;
        for lean in [0.1f64, 0.4, 0.7, 1.0] {
            for axis in [DVec3::X, DVec3::NEG_X, DVec3::Z] {
                let (axes, found) = body(DQuat::from_axis_angle(axis, lean)).upright(DVec3::Y).unwrap();
                assert!(degrees(axes * straight.inverse()) < 1e-4, "{axis} {lean}");
                assert!((found - lean.to_degrees()).abs() < 1e-3);
            }
        }
    }

    /// A rest that was turned as a whole by a right angle is turned back, also where it leans besides.
    #[test]
    fn a_rest_that_is_turned_is_turned_back() {
        let straight = body(DQuat::IDENTITY).upright(DVec3::Y).unwrap().0;
        for turn in right_angles() {
            for lean in [0.0, 0.2] {
                let (axes, _) = body(turn * DQuat::from_rotation_x(lean)).upright(DVec3::Y).unwrap();
                assert!(degrees(axes * (turn * straight).inverse()) < 1e-4, "{turn} {lean}");
            }
        }
    }
}
