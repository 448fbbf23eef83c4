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
    /// It is rounded to a step.
    Rounded { low: f64, step: f64, highest: f64 },
}

impl Number {
    pub(crate) fn decoded(&self, value: f64) -> f64 {
        match *self {
            Self::Exact => value,
            Self::Fixed(value) => value,
            Self::Rounded { low, step, highest } => low + step * place(value, low, step, highest),
        }
    }
}

/// The stored number that comes nearest to a value.
pub(crate) fn place(value: f64, low: f64, step: f64, highest: f64) -> f64 {
    // As `round` does, which is a call on most machines.
    if step > 0.0 { f64::from((((value - low) / step).clamp(0.0, highest) + 0.5) as u32) } else { 0.0 }
}

/// What becomes of the joints in one frame, parents first.
struct State {
    truth: Vec<Model>,
    /// True rotations in model space.
    turns: Vec<DQuat>,
    /// Decoded ones.
    decoded: Vec<DQuat>,
    /// From the true rotation to the decoded one.
    off: Vec<DQuat>,
    places: Vec<DVec3>,
}

/// Goes through the frames and hands out, for each, what the octets store: by octet, component and lane.
pub(crate) struct Follower<'a> {
    prepared: &'a Prepared<'a>,
    plan: &'a Plan<'a>,
    children: Vec<Vec<u16>>,
    state: State,
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
        let state = State {
            truth: vec![Model::IDENTITY; count],
            turns: vec![DQuat::IDENTITY; count],
            decoded: vec![DQuat::IDENTITY; count],
            off: vec![DQuat::IDENTITY; count],
            places: vec![DVec3::ZERO; count],
        };
        Self { prepared, plan, children, state }
    }

    /// `store` gets a joint, what it should turn by as x, y, z, and returns what comes back.
    pub(crate) fn frame(&mut self, frame: usize, mut store: impl FnMut(usize, DVec3) -> DVec3) {
        let prepared = self.prepared;
        let locals = &prepared.sampled.joints[frame];
        models(prepared.parents, locals, &mut self.state.truth);
        for (joint, local) in locals.iter().enumerate() {
            let parent = prepared.parents[joint];
            let numbers = &self.plan.translations[joint];
            let translation = DVec3::from_array([0, 1, 2].map(|c| numbers[c].decoded(local.translation[c])));
            let (place, true_turn, decoded_above) = match parent {
                NO_JOINT => (translation, local.rotation, DQuat::IDENTITY),
                parent => {
                    let at = usize::from(parent);
                    let State { truth, turns, decoded, off, places } = &self.state;
                    let place = places[at] + off[at] * (truth[at].axes * translation);
                    (place, turns[at] * local.rotation, decoded[at])
                }
            };
            let decoded = match &self.plan.rotations[joint] {
                Rotation::Exact => local.rotation,
                Rotation::Fixed(rotation) => *rotation,
                Rotation::Stored(of) => {
                    let wanted = self.correction(joint, place) * true_turn;
                    let local = decoded_above.conjugate() * wanted;
                    let stored = store(joint, of.stored(local));
                    of.decoded(stored)
                }
            };
            let decoded = decoded_above * decoded;
            self.state.turns[joint] = true_turn;
            self.state.decoded[joint] = decoded;
            self.state.off[joint] = decoded * true_turn.conjugate();
            self.state.places[joint] = place;
        }
    }

    /// The small turn that brings the children of a joint, seen from where it is, nearest to where they should be; points on its shell weigh against it.
    fn correction(&self, joint: usize, place: DVec3) -> DQuat {
        let truth = &self.state.truth;
        let error = place - truth[joint].place;
        let shell = self.prepared.shells[joint];
        let mut squares = DMat3::from_diagonal(DVec3::splat(SHELL_WEIGHT * shell * shell));
        let mut moment = DVec3::ZERO;
        for &child in &self.children[joint] {
            let to = truth[usize::from(child)].place - truth[joint].place;
            let outer = DMat3::from_cols(to * to.x, to * to.y, to * to.z);
            squares += DMat3::from_diagonal(DVec3::splat(to.length_squared())) - outer;
            moment += error.cross(to);
        }
        let half = squares.inverse() * moment * 0.5;
        if !half.is_finite() || half.length_squared() > 0.01 {
            return DQuat::IDENTITY;
        }
        DQuat::from_xyzw(half.x, half.y, half.z, (1.0 - half.length_squared()).sqrt())
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
