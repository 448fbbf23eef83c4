//! What a limb of the target must be turned by so that it points at rest as the source's does.
//!
//! Trunk, neck, head and shoulders are not corrected: where rigs put those joints differs more than how the bodies stand. Feet stand flat on the
//! ground at rest whatever the height of their ankles, so they are turned about the vertical only. Arms, legs, hands and fingers are
//! turned onto the direction of the source's; about that direction they are turned as far as the joints below agree on.

use crate::fit::{Figure, Fit, degrees};
use crate::role::{Part, Role, Side};
use glam::{DQuat, DVec3};
use std::collections::BTreeMap;

/// Feet that differ by more than this do not both stand flat, in degrees.
const FLAT: f64 = 35.0;
/// How much the joints below must agree for a limb to be turned about its direction: the weight of their disagreement.
const DOUBT: f64 = 4.0;

/// The turn of each role of the target, in its model space.
pub(crate) struct Correction {
    turns: BTreeMap<Role, DQuat>,
}

impl Correction {
    pub(crate) fn new(source: Figure<'_>, target: Figure<'_>, fit: &Fit, up: DVec3) -> Self {
        let mut limbs = Limbs { source, target, turn: fit.turn, up, turns: BTreeMap::new() };
        for side in Side::BOTH {
            limbs.line(side, &[Part::UpperLeg, Part::LowerLeg, Part::Foot]);
            limbs.foot(side);
            limbs.line(side, &[Part::UpperArm, Part::LowerArm, Part::Hand]);
            limbs.hand(side);
        }
        Self { turns: limbs.turns }
    }

    /// The turn of a role: of one that is not corrected, none.
    pub(crate) fn of(&self, role: Role) -> DQuat {
        self.turns.get(&role).copied().unwrap_or(DQuat::IDENTITY)
    }
}

struct Limbs<'a> {
    source: Figure<'a>,
    target: Figure<'a>,
    turn: DQuat,
    up: DVec3,
    turns: BTreeMap<Role, DQuat>,
}

/// A direction of the source, turned as the fit says, and the same of the target.
#[derive(Clone, Copy)]
struct Directions {
    source: DVec3,
    target: DVec3,
}

impl Limbs<'_> {
    /// From one role to another, where both characters have both.
    fn directions(&self, from: Role, to: Role) -> Option<Directions> {
        let source = self.source.place(to)? - self.source.place(from)?;
        let target = self.target.place(to)? - self.target.place(from)?;
        Some(Directions { source: (self.turn * source).try_normalize()?, target: target.try_normalize()? })
    }

    /// Arm or leg: each segment onto its direction, beginning with the turn of the one above.
    fn line(&mut self, side: Side, parts: &[Part; 3]) {
        let [upper, lower, end] = parts.map(|part| Role::new(side, part));
        let below: Vec<Directions> = self.directions(lower, end).into_iter().collect();
        let first =
            self.directions(upper, lower).map_or(DQuat::IDENTITY, |d| aim(DQuat::IDENTITY, d, &below));
        self.turns.insert(upper, first);
        let second = self.directions(lower, end).map_or(first, |d| aim(first, d, &[]));
        self.turns.insert(lower, second);
    }

    fn foot(&mut self, side: Side) {
        let [foot, toes] = [Part::Foot, Part::Toes].map(|part| Role::new(side, part));
        let mut turn = DQuat::IDENTITY;
        if let Some(d) = self.directions(foot, toes) {
            let level = |v: DVec3| (v - self.up * v.dot(self.up)).try_normalize();
            if let (Some(source), Some(target)) = (level(d.source), level(d.target)) {
                turn = aim(turn, Directions { source, target }, &[]);
            }
            let full = aim(turn, d, &[]);
            if degrees(full * turn.inverse()) > FLAT {
                turn = full;
            }
        }
        self.turns.insert(foot, turn);
        self.turns.insert(toes, turn);
    }

    fn hand(&mut self, side: Side) {
        let role = |part: Part| Role::new(side, part);
        let hand = role(Part::Hand);
        let above = self.turns.get(&role(Part::LowerArm)).copied().unwrap_or(DQuat::IDENTITY);
        let starts = Part::FINGERS.map(|finger| self.directions(hand, role(finger[0])));
        let [_, index, middle, ring, little] = starts;
        let along = middle.or(ring).or(index).or(little);
        let all: Vec<Directions> = starts.into_iter().flatten().collect();
        let turn = along.map_or(above, |along| aim(above, along, &all));
        self.turns.insert(hand, turn);
        for finger in Part::FINGERS {
            let mut above = turn;
            for (at, &part) in finger.iter().enumerate() {
                let next = finger.get(at + 1).and_then(|&next| self.directions(role(part), role(next)));
                above = next.map_or(above, |next| aim(above, next, &[]));
                self.turns.insert(role(part), above);
            }
        }
    }
}

/// Goes on from a turn to one that takes the target's direction to the source's. About that direction it is turned by what brings `others`
/// nearest to theirs; the less they agree with one another, the less. Exchanging source and target gives the inverse.
fn aim(begin: DQuat, along: Directions, others: &[Directions]) -> DQuat {
    let turned = begin * along.target;
    let turn = (DQuat::from_rotation_arc(turned, along.source) * begin).normalize();
    let axis = along.source;
    let (mut across, mut with) = (0.0, 0.0);
    for other in others {
        let (from, to) = (turn * other.target, other.source);
        let flat = |v: DVec3| v - axis * v.dot(axis);
        across += flat(from).cross(flat(to)).dot(axis);
        with += flat(from).dot(flat(to));
    }
    let twist = |angle: f64| DQuat::from_axis_angle(axis, angle) * turn;
    let free = twist(libm::atan2(across, with));
    let doubt: f64 = others.iter().map(|other| (free * other.target).distance_squared(other.source)).sum();
    let angle = libm::atan2(across, with + DOUBT * doubt);
    if across == 0.0 || !angle.is_finite() { turn } else { twist(angle).normalize() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directions(turn: DQuat, target: DVec3) -> Directions {
        let target = target.normalize();
        Directions { source: turn * target, target }
    }

    /// What was turned as a whole is turned back exactly, about its direction too.
    #[test]
    fn a_limb_turned_as_a_whole_is_found() {
        let turn = DQuat::from_euler(glam::EulerRot::XYZ, 0.3, -0.8, 0.5);
        let along = directions(turn, DVec3::new(1.0, 0.02, 0.0));
        let below = directions(turn, DVec3::new(1.0, -0.02, 0.01));
        let got = aim(DQuat::IDENTITY, along, &[below]);
        assert!(degrees(got * turn.inverse()) < 1e-5);
    }

    #[test]
    fn there_and_back_is_nothing() {
        let turn = DQuat::from_rotation_y(0.4);
        let along = directions(turn, DVec3::X);
        let other = Directions {
            source: DVec3::new(0.9, 0.3, 0.1).normalize(),
            target: DVec3::new(0.7, 0.0, 0.5).normalize(),
        };
        let swap = |d: Directions| Directions { source: d.target, target: d.source };
        let begin = DQuat::from_rotation_z(0.2);
        let there = aim(begin, along, &[other]);
        let back = aim(begin.inverse(), swap(along), &[swap(other)]);
        assert!(degrees(there * back) < 1e-6, "{}", degrees(there * back));
    }

    /// A pole that is hardly there says nothing.
    #[test]
    fn a_straight_limb_is_not_twisted() {
        let along = Directions { source: DVec3::X, target: DVec3::X };
        let other = Directions {
            source: DVec3::new(1.0, 0.01, 0.0).normalize(),
            target: DVec3::new(1.0, 0.0, 0.06).normalize(),
        };
        assert!(degrees(aim(DQuat::IDENTITY, along, &[other])) < 10.0);
    }
}
