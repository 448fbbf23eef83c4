//! The curves of one joint, evaluated at the source's keys and a few times between.

#![allow(clippy::indexing_slicing, reason = "indices run over arrays made here, of lengths known here")]

use super::interval::Interval;
use super::knots::{self, Stop};
use super::value::{Value, distance, value};
use super::{Curve, Evaluate, JointCurves, Knot, Side};
use crate::decompose::Trs;
use crate::{Budget, Cause};

pub(super) struct Sampled {
    pub(super) joint: u16,
    /// Which parts are to be fitted, and which keep their keys.
    pub(super) curved: [bool; 3],
    pub(super) linear: [Option<Vec<Around>>; 3],
    /// What is around each stop of the curved parts, and between each two.
    pub(super) stops: Vec<Around>,
    pub(super) intervals: Vec<Interval>,
}

impl Sampled {
    pub(super) fn new(
        curves: &JointCurves,
        duration: f32,
        refine: bool,
        evaluate: &impl Evaluate,
        scratch: &Budget<'_>,
    ) -> Result<Self, Cause> {
        let joint = usize::from(curves.joint);
        let all: usize = curves.parts.iter().map(|curve| curve.knots().len()).sum();
        // The list of stops is made of a sorted copy of the knots, and holds the start and end as well.
        scratch.memory((all as u64).saturating_mul(KNOT_BYTES))?;
        let curved = curves.parts.each_ref().map(|part| matches!(part, Curve::Curved(_)));
        let knots = curves.parts.iter().filter(|c| matches!(c, Curve::Curved(_))).flat_map(|c| c.knots());
        let stops = if curved.contains(&true) { knots::stops(knots.copied(), duration) } else { Vec::new() };
        scratch.memory((stops.len() as u64).saturating_mul(STOP_BYTES))?;
        let stops = around(&stops, joint, evaluate);
        let between = |pair: &[Around]| {
            let (times, ends) = ([pair[0].end, pair[1].time], [pair[0].after, pair[1].before]);
            if refine && times[0] < times[1] {
                Interval::new(times, ends, curved, |time| evaluate(joint, time, Side::After))
            } else {
                Interval::bare(times, ends)
            }
        };
        let intervals = stops.windows(2).map(between).collect();
        let mut linear = [None, None, None];
        for (kept, curve) in linear.iter_mut().zip(&curves.parts) {
            if let Curve::Linear(knots) = curve {
                scratch.memory((knots.len() as u64).saturating_mul(size_of::<Around>() as u64))?;
                *kept = Some(linear_stops(knots, duration, joint, evaluate));
            }
        }
        Ok(Self { joint: curves.joint, curved, linear, stops, intervals })
    }

    /// Whether an interval lies in one of the bins.
    pub(super) fn touches(&self, bins: &[usize], shares: &super::tolerance::Shares) -> bool {
        self.intervals
            .iter()
            .any(|i| shares.bins(i.times[0], i.times[4]).any(|bin| bins.binary_search(&bin).is_ok()))
    }
}

fn linear_stops(knots: &[Knot], duration: f32, joint: usize, evaluate: &impl Evaluate) -> Vec<Around> {
    around(&knots::stops(knots.iter().copied(), duration), joint, evaluate)
}

/// What a knot takes until it is a stop, and what a stop takes with the interval behind it.
const KNOT_BYTES: u64 = (2 * size_of::<Knot>() + size_of::<Stop>()) as u64;
const STOP_BYTES: u64 = (size_of::<Around>() + size_of::<Interval>()) as u64;

/// Values around a stop.
#[derive(Clone, Copy)]
pub(super) struct Around {
    pub(super) time: f32,
    pub(super) before: Trs,
    pub(super) at: Trs,
    pub(super) after: Trs,
    /// From when on the value after it holds: the stop's time, or the next one if the exact time still has another value.
    pub(super) end: f32,
}

/// How far behind a jump the value after it is taken, relative to the time.
const BEHIND: f64 = 1e-10;

fn around(stops: &[Stop], joint: usize, evaluate: &impl Evaluate) -> Vec<Around> {
    let mut out = Vec::with_capacity(stops.len());
    for (index, stop) in stops.iter().enumerate() {
        let (time, end) = (stop.time, stop.time);
        let Some([first, last]) = stop.jump else {
            let at = evaluate(joint, f64::from(time), Side::After);
            out.push(Around { time, before: at, at, after: at, end });
            continue;
        };
        let mut around = Around {
            time,
            before: evaluate(joint, first, Side::Before),
            at: evaluate(joint, last, Side::After),
            after: evaluate(joint, last + BEHIND * last.abs().max(1.0), Side::After),
            end,
        };
        let next = time.next_up();
        let room = stops.get(index + 1).is_some_and(|after| next < after.time);
        if room && (0..3).any(|part| around.is_late(part)) {
            around.end = next;
        }
        out.push(around);
    }
    out
}

impl Around {
    /// Whether a part still has another value at the exact time than behind it.
    fn is_late(&self, part: usize) -> bool {
        let [before, at, after] = [&self.before, &self.at, &self.after].map(|trs| value(trs, part));
        let jump = distance(part, before, after).max(distance(part, before, at));
        distance(part, at, after) > 1e-3 * jump
    }

    /// The keys that a part needs at a stop. Differences up to `still` are not a jump.
    pub(super) fn keys(&self, part: usize, still: f64, push: &mut impl FnMut(f32, Value)) {
        let [before, at, after] = [&self.before, &self.at, &self.after].map(|trs| value(trs, part));
        let late = self.end > self.time && self.is_late(part) && distance(part, at, after) > still;
        let here = if late { at } else { after };
        if self.time > 0.0 && distance(part, before, here) > still {
            push(self.time, before);
        }
        push(self.time, here);
        if late {
            push(self.end, at);
            push(self.end, after);
        }
    }
}
