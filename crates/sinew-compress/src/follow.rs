//! Rounding in a closed loop: each joint is turned so that it makes up for what rounding did to the joints above it.
//!
//! Were joints rounded one by one, an error at the hips would grow with the distance to the fingers, and hips would need many bits. Here the decoded places of the
//! joints above are known when a joint is rounded, and it is turned towards where its children should be. What is left of an error is what it does to the next joints.

use crate::encode::{Prepared, Turn};
use crate::figure::{Model, models};
use crate::plan::Plan;
use sinew::NO_JOINT;
use sinew::glam::{DMat3, DQuat, DVec3};

/// How much the points on a joint's own shell weigh against the places of its children.
const SHELL_WEIGHT: f64 = 1.0;

/// How a number comes back from the file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    /// It is kept as it is.
    Exact,
    /// It has one value throughout.
    Fixed(f64),
    /// It is rounded.
    Rounded(Rounding),
}

/// Even steps from a lowest value.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rounding {
    low: f64,
    step: f64,
    /// One over the step; zero where there is none.
    rate: f64,
    highest: f64,
}

impl Rounding {
    pub(crate) fn new(low: f64, step: f64, highest: f64) -> Self {
        Self { low, step, rate: if step > 0.0 { 1.0 / step } else { 0.0 }, highest }
    }

    /// The number that comes nearest to a value.
    #[inline]
    pub(crate) fn number(&self, value: f64) -> u32 {
        // As `round` does, which is a call on most machines.
        (((value - self.low) * self.rate).clamp(0.0, self.highest) + 0.5) as u32
    }

    /// The value of a number.
    #[inline]
    pub(crate) fn value(&self, number: u32) -> f64 {
        self.low + self.step * f64::from(number)
    }
}

impl Number {
    #[inline]
    pub(crate) fn decoded(&self, value: f64) -> f64 {
        match *self {
            Self::Exact => value,
            Self::Fixed(value) => value,
            Self::Rounded(rounding) => rounding.value(rounding.number(value)),
        }
    }
}

/// What becomes of a joint in one frame, beside where it truly is.
#[derive(Clone, Copy)]
struct Followed {
    /// True rotation in model space.
    turn: DQuat,
    /// The decoded one.
    decoded: DQuat,
    /// From the true rotation to the decoded one.
    off: DQuat,
    place: DVec3,
}

/// Goes through the frames and hands out, for each, what the octets store: by octet, component and lane.
pub(crate) struct Follower<'a> {
    prepared: &'a Prepared<'a>,
    plan: &'a Plan<'a>,
    children: Vec<Vec<u16>>,
    /// Of one frame, parents first.
    truth: Vec<Model>,
    joints: Vec<Followed>,
}

impl<'a> Follower<'a> {
    pub(crate) fn new(prepared: &'a Prepared<'a>, plan: &'a Plan<'a>) -> Self {
        let count = prepared.parents.len();
        let mut children = vec![Vec::new(); count];
        for (joint, &parent) in (0u16..).zip(prepared.parents) {
            if parent != NO_JOINT {
                children[usize::from(parent)].push(joint);
            }
        }
        let turn = DQuat::IDENTITY;
        let rest = Followed { turn, decoded: turn, off: turn, place: DVec3::ZERO };
        Self { prepared, plan, children, truth: vec![Model::IDENTITY; count], joints: vec![rest; count] }
    }

    /// `store` gets a joint, what it should turn by as x, y, z, and returns what comes back.
    pub(crate) fn frame(&mut self, frame: usize, mut store: impl FnMut(usize, DVec3) -> DVec3) {
        let prepared = self.prepared;
        let locals = &prepared.sampled.joints[frame];
        models(prepared.parents, locals, &mut self.truth);
        for (joint, (local, &parent)) in locals.iter().zip(prepared.parents).enumerate() {
            let [x, y, z] = &self.plan.translations[joint];
            let from = local.translation;
            let translation = DVec3::new(x.decoded(from.x), y.decoded(from.y), z.decoded(from.z));
            let (place, turn, decoded_above) = match parent {
                NO_JOINT => (translation, local.rotation, DQuat::IDENTITY),
                parent => {
                    let (above, truth) =
                        (&self.joints[usize::from(parent)], &self.truth[usize::from(parent)]);
                    let place = above.place + above.off * (truth.axes * translation);
                    (place, above.turn * local.rotation, above.decoded)
                }
            };
            let decoded = match &self.plan.rotations[joint] {
                Rotation::Exact => decoded_above * local.rotation,
                Rotation::Fixed(rotation) => decoded_above * *rotation,
                Rotation::Stored(of) => {
                    let wanted = self.correction(joint, place).map_or(turn, |by| by * turn);
                    of.decoded(decoded_above, wanted, |value| store(joint, value))
                }
            };
            self.joints[joint] = Followed { turn, decoded, off: decoded * turn.conjugate(), place };
        }
    }

    /// The small turn that brings the children of a joint, seen from where it is, nearest to where they should be; points on its shell weigh against it. None where there
    /// are no children, or where it would not be small.
    fn correction(&self, joint: usize, place: DVec3) -> Option<DQuat> {
        let children = self.children[joint].as_slice();
        if children.is_empty() {
            return None;
        }
        let own = self.truth[joint].place;
        let error = place - own;
        let shell = self.prepared.shells[joint];
        let mut squares = DMat3::from_diagonal(DVec3::splat(SHELL_WEIGHT * shell * shell));
        let mut moment = DVec3::ZERO;
        for &child in children {
            let to = self.truth[usize::from(child)].place - own;
            let outer = DMat3::from_cols(to * to.x, to * to.y, to * to.z);
            squares += DMat3::from_diagonal(DVec3::splat(to.length_squared())) - outer;
            moment += error.cross(to);
        }
        let half = squares.inverse() * moment * 0.5;
        // No number is not small either.
        let is_small = half.length_squared() <= 0.01;
        is_small.then(|| DQuat::from_xyzw(half.x, half.y, half.z, (1.0 - half.length_squared()).sqrt()))
    }
}

/// How a rotation comes back from the file.
pub(crate) enum Rotation<'a> {
    /// It is kept as it is.
    Exact,
    /// It has one value throughout.
    Fixed(DQuat),
    /// It is in an octet.
    Stored(&'a Turn),
}
