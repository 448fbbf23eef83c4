//! A stretch in which curves are smooth: five samples, and the polynomial through them.
//!
//! Evaluating a source is expensive. Between two keys its curves are so smooth that the polynomial through a few samples gives all other
//! values; where it does not, which its own last term shows, each division is sampled in turn.

#![allow(clippy::indexing_slicing, reason = "indices run over arrays made here, of lengths known here")]

use super::value::{ROTATION, Value, align, deviation, distance, value};
use crate::decompose::Trs;

/// Fraction of the tolerance that the polynomial may be wrong by.
const TRUST: f64 = 0.15;
/// How wrong a polynomial of fourth degree can be at the most, and is in general, relative to its last term.
const LAST_TERM: [f64; 2] = [0.025, 0.0025];
/// Where it is most wrong.
const CHECK: f64 = 0.88;
/// Where an interval is sampled between its ends. Not evenly: the last term of the polynomial through evenly spaced samples of a
/// curve that is symmetric about its middle, as one that eases in and out is, would be zero however large the error.
const NODES: [f64; 3] = [0.2, 0.4, 0.7];

/// Values at the ends of a stretch of time and at three places between.
#[derive(Clone, Debug)]
pub(super) struct Interval {
    pub(super) times: [f64; 5],
    pub(super) samples: [Trs; 5],
    /// Largest deviation of each part if no key stood between the ends.
    pub(super) deviations: [f64; 3],
    /// Whether the interval is long enough to be divided in single precision.
    pub(super) divisible: bool,
}

impl Interval {
    /// Samples an interval between two keys for the parts that are wanted.
    pub(super) fn new(
        [start, end]: [f32; 2],
        [first, last]: [Trs; 2],
        parts: [bool; 3],
        evaluate: impl Fn(f64) -> Trs,
    ) -> Self {
        let (a, b) = (f64::from(start), f64::from(end));
        // Keys are evaluated at the time that they will have, not at the one that was meant.
        let [x, y, z] = NODES.map(|share| f64::from((a + (b - a) * share) as f32));
        let times = [a, x, y, z, b];
        let mut samples = [first, first, first, last, last];
        let divisible = times.windows(2).all(|pair| pair[0] < pair[1]);
        if divisible {
            for index in 1..4 {
                samples[index] = align(evaluate(times[index]), &samples[index - 1]);
            }
            samples[4] = align(last, &samples[3]);
        }
        let mut out = Self { times, samples, deviations: [0.0; 3], divisible };
        if divisible {
            out.deviations = [0, 1, 2].map(|part| if parts[part] { out.deviation(part) } else { 0.0 });
        }
        out
    }

    /// An interval that is not sampled between its ends.
    pub(super) fn bare([start, end]: [f32; 2], [first, last]: [Trs; 2]) -> Self {
        let (a, b) = (f64::from(start), f64::from(end));
        let (times, samples) = ([a, a, a, b, b], [first, first, first, last, last]);
        Self { times, samples, deviations: [0.0; 3], divisible: false }
    }

    fn deviation(&self, part: usize) -> f64 {
        let [a, b] = [0, 4].map(|index| value(&self.samples[index], part));
        let share = |at: usize| (self.times[at] - self.times[0]) / (self.times[4] - self.times[0]);
        (1..4).map(|at| deviation(part, a, b, share(at), value(&self.samples[at], part))).fold(0.0, f64::max)
    }

    pub(super) fn polynomial(&self, part: usize) -> Polynomial {
        Polynomial::new(&self.times, self.samples.each_ref().map(|sample| value(sample, part)), part)
    }
}

/// Newton's polynomial through five values, over the unit interval.
pub(super) struct Polynomial {
    part: usize,
    start: f64,
    length: f64,
    nodes: [f64; 5],
    terms: [Value; 5],
}

impl Polynomial {
    fn new(times: &[f64; 5], values: [Value; 5], part: usize) -> Self {
        let (start, length) = (times[0], times[4] - times[0]);
        let nodes = times.map(|time| (time - start) / length);
        let mut terms = values;
        for level in 1..5 {
            for index in (level..5).rev() {
                terms[index] = (terms[index] - terms[index - 1]) / (nodes[index] - nodes[index - level]);
            }
        }
        Self { part, start, length, nodes, terms }
    }

    /// Whether the polynomial is close enough to the curve for a tolerance: by its last term, or where that is not sure by one more
    /// value of the curve, which `evaluate` gives.
    pub(super) fn is_trusted(&self, tolerance: f64, evaluate: &mut impl FnMut(f64) -> Value) -> bool {
        let scale = if self.part == ROTATION { 2.0 } else { 1.0 };
        let [most, usual] = LAST_TERM.map(|share| self.terms[4].length() * scale * share);
        if most <= tolerance * TRUST {
            return true;
        }
        let time = self.start + self.length * CHECK;
        usual <= tolerance * TRUST && distance(self.part, self.at(time), evaluate(time)) <= tolerance * TRUST
    }

    /// The value at a time, a rotation at unit length.
    pub(super) fn at(&self, time: f64) -> Value {
        let x = (time - self.start) / self.length;
        let mut value = self.terms[4];
        for index in (0..4).rev() {
            value = value * (x - self.nodes[index]) + self.terms[index];
        }
        if self.part == ROTATION { value.normalize() } else { value }
    }

    /// How many straight pieces of one length the whole needs so that none is off by more than the tolerance, and how many each division.
    pub(super) fn pieces(&self, tolerance: f64) -> (usize, [usize; 4]) {
        let bends = self.nodes.map(|x| self.bend(x));
        let whole = pieces(1.0, bends.into_iter().fold(0.0, f64::max), tolerance);
        let length = |q: usize| self.nodes[q + 1] - self.nodes[q];
        (whole, [0, 1, 2, 3].map(|q| pieces(length(q), bends[q].max(bends[q + 1]), tolerance)))
    }

    /// Size of the second derivative; for rotations, without the part that the arc itself has.
    fn bend(&self, x: f64) -> f64 {
        let (mut value, mut first, mut second) = (self.terms[4], Value::ZERO, Value::ZERO);
        for index in (0..4).rev() {
            let step = x - self.nodes[index];
            second = second * step + first * 2.0;
            first = first * step + value;
            value = value * step + self.terms[index];
        }
        if self.part == ROTATION {
            2.0 * (second - value * second.dot(value)).length()
        } else {
            second.length()
        }
    }
}

/// Pieces at the most.
const MOST_PIECES: usize = 1024;

/// Pieces that a length needs: a chord is off by an eighth of the bend times the square of its length.
fn pieces(length: f64, bend: f64, tolerance: f64) -> usize {
    // Saturates: a tolerance of zero gives the maximum.
    ((length * (bend / (8.0 * tolerance)).sqrt()).ceil() as usize).clamp(1, MOST_PIECES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DQuat, DVec3};

    fn curve(time: f64) -> Trs {
        let rotation = DQuat::from_rotation_z(time.sin()) * DQuat::from_rotation_x(2.0 * time);
        Trs { translation: DVec3::new(time * time, time.cos(), 1.0), rotation, ..Trs::IDENTITY }
    }

    #[test]
    fn the_polynomial_tells_what_lies_between() {
        let interval = Interval::new([1.0, 1.0625], [curve(1.0), curve(1.0625)], [true; 3], curve);
        for part in 0..3 {
            let polynomial = interval.polynomial(part);
            assert!(polynomial.is_trusted(1e-6, &mut |time| value(&curve(time), part)));
            for step in 0..=20 {
                let time = 1.0 + 0.0625 * f64::from(step) / 20.0;
                let gap = distance(part, polynomial.at(time), value(&curve(time), part));
                assert!(gap < 1e-8, "part {part} at {time}: {gap}");
            }
        }
    }

    #[test]
    fn a_kink_is_not_trusted() {
        let kink = |time: f64| Trs { translation: DVec3::X * (time - 1.03).abs(), ..Trs::IDENTITY };
        let interval = Interval::new([1.0, 1.0625], [kink(1.0), kink(1.0625)], [true; 3], kink);
        assert!(!interval.polynomial(0).is_trusted(1e-4, &mut |time| value(&kink(time), 0)));
    }

    #[test]
    fn a_symmetric_curve_is_not_trusted() {
        let ease = |time: f64| Trs { translation: DVec3::X * ((time - 1.0) * 8.0).tanh(), ..Trs::IDENTITY };
        let interval = Interval::new([0.0, 2.0], [ease(0.0), ease(2.0)], [true; 3], ease);
        assert!(!interval.polynomial(0).is_trusted(1e-3, &mut |time| value(&ease(time), 0)));
    }

    #[test]
    fn pieces_are_as_many_as_needed() {
        let interval = Interval::new([1.0, 1.0625], [curve(1.0), curve(1.0625)], [true; 3], curve);
        for part in 0..2 {
            let (polynomial, tolerance) = (interval.polynomial(part), 1e-6);
            for division in 0..4 {
                let pieces = polynomial.pieces(tolerance).1[division];
                let (from, to) = (interval.times[division], interval.times[division + 1]);
                let worst = |pieces: usize| {
                    let at = |k: f64| from + (to - from) * k / pieces as f64;
                    let gap = |k: usize| {
                        let [a, b, middle] = [at(k as f64), at(k as f64 + 1.0), at(k as f64 + 0.5)]
                            .map(|t| value(&curve(t), part));
                        deviation(part, a, b, 0.5, middle)
                    };
                    (0..pieces).map(gap).fold(0.0, f64::max)
                };
                assert!(worst(pieces) <= tolerance * 1.01, "part {part}, division {division}");
                assert!(pieces < 3 || worst(pieces - 2) > tolerance, "part {part}, division {division}");
            }
        }
    }
}
