//! How two characters at rest lie over one another: a turn, a scale, and how well they fit.

use crate::body::Body;
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
/// Tilts up to this come from where rigs place their joints, or from a rest that is a frame of a run, and not from which way is up, in degrees.
const TILT: f64 = 35.0;
/// Headings up to this likewise.
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
    /// How far joints of trunk and legs are from one another, relative to the size of the target's: root of the mean square.
    pub residual: f64,
}

impl Fit {
    pub(crate) fn new(source: Figure<'_>, target: Figure<'_>, up: DVec3) -> Option<Self> {
        let [from, to] =
            [source, target].map(|figure| Body::of(figure.tree, figure.roles).and_then(|b| b.axes()));
        let turn = settle(to? * from?.inverse(), up);
        let both = |role: Role| source.place(role).zip(target.place(role));
        let feet = Side::BOTH.into_iter().all(|side| both(Role::new(side, Part::Foot)).is_some());
        let legs = [source, target].map(|figure| figure.leg(feet));
        let scale = legs[1] / legs[0];
        if !(scale.is_finite() && scale > 0.0) {
            return None;
        }
        let (from, from_hangs) = source.standing(turn.inverse() * up, legs[0]);
        let (to, to_hangs) = target.standing(up, legs[1]);
        let mut fit = Self { turn, scale, hips: [from, to], hangs: [from_hangs, to_hangs], residual: 0.0 };
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

/// The turn that was meant: about a right angle if it is near to one, and upright.
///
/// Rigs place the joints of trunk and shoulders differently, by which the axes of two bodies that stand alike differ by some degrees. Such
/// a tilt would make every walk climb.
fn settle(turn: DQuat, up: DVec3) -> DQuat {
    let near = right_angles().max_by(|a, b| a.dot(turn).abs().total_cmp(&b.dot(turn).abs()));
    let Some(near) = near else { return turn };
    let rest = turn * near.inverse();
    if degrees(rest) > TILT {
        return turn;
    }
    let heading = about(rest, up);
    if degrees(heading) > HEADING { (heading * near).normalize() } else { near }
}

/// The angle of a turn.
pub(crate) fn degrees(turn: DQuat) -> f64 {
    (2.0 * libm::atan2(turn.xyz().length(), turn.w.abs())).to_degrees()
}

/// The part of a turn that is about an axis.
fn about(turn: DQuat, axis: DVec3) -> DQuat {
    let along = axis * turn.xyz().dot(axis);
    let twist = glam::DVec4::new(along.x, along.y, along.z, turn.w);
    twist.try_normalize().map_or(DQuat::IDENTITY, DQuat::from_vec4)
}

/// The 24 turns that map axes to axes.
fn right_angles() -> impl Iterator<Item = DQuat> {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z];
    let pairs = axes.into_iter().flat_map(move |x| axes.into_iter().map(move |y| (x, y)));
    pairs
        .filter(|(x, y)| x.dot(*y) == 0.0)
        .map(|(x, y)| DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_settle_on_what_was_meant() {
        assert_eq!(right_angles().count(), 24);
        let quarter = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
        let tilt = DQuat::from_rotation_x(0.2);
        assert!(degrees(settle(tilt, DVec3::Y)) < 1e-9, "a tilt of some degrees is where the joints are");
        assert!(degrees(settle(tilt * quarter, DVec3::Y) * quarter.inverse()) < 1e-9);
        let heading = DQuat::from_rotation_y(0.2);
        assert!(degrees(settle(heading, DVec3::Y) * heading.inverse()) < 1e-9);
        let far = DQuat::from_rotation_x(0.7);
        assert!(degrees(settle(far, DVec3::Y) * far.inverse()) < 1e-9);
    }
}
