//! Rounding in a closed loop: each joint is turned so that it makes up for what rounding did to the joints above it.
//!
//! Were joints rounded one by one, an error at the hips would grow with the distance to the fingers, and hips would need many bits. Here the decoded places of the
//! joints above are known when a joint is rounded, and it is turned towards where its children should be. What is left of an error is what it does to the next joints.

use crate::course::{Course, Found};
use crate::encode::Turn;
use crate::plan::Plan;
use sinew::NO_JOINT;
use sinew::glam::{DQuat, DVec3};

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

/// What becomes of a joint in one frame.
#[derive(Clone, Copy)]
struct Followed {
    /// Its decoded rotation in model space.
    decoded: DQuat,
    /// From the true rotation to the decoded one.
    off: DQuat,
    place: DVec3,
}

/// Goes through the frames and hands out, for each, what the octets store: by octet, component and lane.
pub(crate) struct Follower<'a> {
    plan: &'a Plan<'a>,
    course: &'a Course<'a>,
    /// Room for where joints truly are in one frame.
    found: Found,
    /// Of one frame, parents first.
    joints: Vec<Followed>,
}

impl<'a> Follower<'a> {
    pub(crate) fn new(course: &'a Course<'a>, plan: &'a Plan<'a>) -> Self {
        let turn = DQuat::IDENTITY;
        let rest = Followed { decoded: turn, off: turn, place: DVec3::ZERO };
        Self { plan, course, found: Found::default(), joints: vec![rest; course.parents.len()] }
    }

    /// `store` gets a joint, what it should turn by as x, y, z, and returns what comes back.
    pub(crate) fn frame(&mut self, frame: usize, mut store: impl FnMut(usize, DVec3) -> DVec3) {
        let locals = &self.course.sampled.joints[frame];
        let truth = self.course.frame(frame, &mut self.found);
        for (joint, (local, &parent)) in locals.iter().zip(self.course.parents).enumerate() {
            let [x, y, z] = &self.plan.translations[joint];
            let from = local.translation;
            let translation = DVec3::new(x.decoded(from.x), y.decoded(from.y), z.decoded(from.z));
            let (place, decoded_above) = match parent {
                NO_JOINT => (translation, DQuat::IDENTITY),
                parent => {
                    let (above, truth) = (&self.joints[usize::from(parent)], &truth[usize::from(parent)]);
                    (above.place + above.off * (truth.model.axes * translation), above.decoded)
                }
            };
            let decoded = match &self.plan.rotations[joint] {
                Rotation::Exact => decoded_above * local.rotation,
                Rotation::Fixed(rotation) => decoded_above * *rotation,
                Rotation::Stored(of) => {
                    let wanted = truth[joint].wanted(place);
                    of.decoded(decoded_above, wanted, |value| store(joint, value))
                }
            };
            self.joints[joint] = Followed { decoded, off: decoded * truth[joint].turn.conjugate(), place };
        }
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
