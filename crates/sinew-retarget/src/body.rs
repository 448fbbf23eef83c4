//! How a humanoid stands at rest.

use crate::humanoid::Humanoid;
use crate::role::{Part, Role, Side};
use crate::tree::Tree;
use glam::{DMat3, DQuat, DVec3, Vec3};
use sinew::math::normalize_or;

/// A trunk within this of the up axis of its space leans, in degrees. Rests are turned by right angles, if at all, and hip joints may lie some way before or behind the shoulders.
const LEANING: f64 = 65.0;

/// The axes of a space, both ways.
pub(crate) const AXES: [DVec3; 6] = [DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Y, DVec3::NEG_Z];

/// Directions of a body at rest, of length one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    /// From the hip joints to the shoulder joints.
    pub trunk: Vec3,
    /// From the knees to the hip joints.
    pub legs: Vec3,
    /// From the right to the left hip joint.
    pub legs_left: Vec3,
    /// From the right to the left shoulder joint.
    pub arms_left: Vec3,
    /// Where the toes point, without what is along the trunk.
    pub forward: Option<Vec3>,
}

impl Body {
    pub(crate) fn of(tree: &Tree<'_>, found: &Humanoid) -> Option<Self> {
        let place =
            |side: Side, part: Part| found.joint(Role::new(side, part)).map(|joint| tree.place(joint));
        let pair = |part: Part| Some([place(Side::Left, part)?, place(Side::Right, part)?]);
        let middle = |part: Part| pair(part).map(|[left, right]| (left + right) * 0.5);
        let across = |part: Part| pair(part).map(|[left, right]| normalize_or(left - right, Vec3::ZERO));
        let toward = |from: Vec3, to: Vec3| normalize_or(to - from, Vec3::ZERO);
        let trunk = toward(middle(Part::UpperLeg)?, middle(Part::UpperArm)?);
        let forward = middle(Part::Foot).zip(middle(Part::Toes)).and_then(|(foot, toes)| {
            let way = toes - foot;
            let level = way - trunk * way.dot(trunk);
            // Feet that hang down say nothing about where the front is.
            (level.length_squared() > 0.25 * way.length_squared()).then_some(level)
        });
        let legs = toward(middle(Part::LowerLeg)?, middle(Part::UpperLeg)?);
        let (legs_left, arms_left) = (across(Part::UpperLeg)?, across(Part::UpperArm)?);
        Some(Self { trunk, legs, legs_left, arms_left, forward })
    }

    /// The axes of the figure as it stands in its space: y up, x to its left as far as that is level; and by how many degrees its trunk leans from there.
    ///
    /// A rest may be a frame of a run, or a crouch: its trunk leans, but up is where its space says. Only a trunk that lies, or stands on its head, says that the whole rest is turned; then up is the axis
    /// nearest to it.
    pub(crate) fn upright(&self, up: DVec3) -> Option<(DQuat, f64)> {
        let trunk = self.trunk.as_dvec3();
        let lean = |axis: DVec3| libm::acos(trunk.dot(axis).clamp(-1.0, 1.0)).to_degrees();
        let nearest = || AXES.into_iter().min_by(|a, b| lean(*a).total_cmp(&lean(*b)));
        let y = if lean(up) <= LEANING { up } else { nearest()? };
        let left = (self.legs_left + self.arms_left).as_dvec3();
        let x = (left - y * left.dot(y)).try_normalize()?;
        Some((DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize(), lean(y)))
    }

    /// The axes of the body: x to its left, y up its trunk.
    pub(crate) fn axes(&self) -> Option<DQuat> {
        let left = (self.legs_left + self.arms_left).as_dvec3();
        let trunk = self.trunk.as_dvec3();
        let x = left.try_normalize()?;
        let y = (trunk - x * trunk.dot(x)).try_normalize()?;
        Some(DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize())
    }
}
