//! Curves over time, as samplers describe them.

#![allow(clippy::indexing_slicing, reason = "the index was found in the same array, before its last key")]

use crate::resample::Side;

/// What happens between a key and the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Segment {
    /// The value holds until the next key.
    Step,
    /// A straight line.
    Linear,
    /// A cubic, whose control points are in [`Curve::controls`].
    Cubic,
}

/// Inner control points of a cubic: two pairs of time and value.
pub(crate) type Controls = [[f64; 2]; 2];

/// Keys of one or more numbers, and what lies between them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Curve {
    times: Vec<f64>,
    values: Vec<f64>,
    width: usize,
    segments: Vec<Segment>,
    /// For each segment and number, if any segment is cubic.
    controls: Vec<Controls>,
}

/// What a curve is made of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keys {
    /// Rising times.
    pub(crate) times: Vec<f64>,
    /// `width` numbers for each time.
    pub(crate) values: Vec<f64>,
    /// Numbers per key.
    pub(crate) width: usize,
    /// One for each key.
    pub(crate) segments: Vec<Interpolation>,
    /// Tangents of each key and number, as points or slopes.
    pub(crate) tangents: Option<Tangents>,
}

/// Tangents of all keys, `width` pairs of time and value each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tangents {
    /// On the side of the key before.
    pub(crate) into: Vec<[f64; 2]>,
    /// On the side of the key after.
    pub(crate) out_of: Vec<[f64; 2]>,
}

/// The document's names for what happens between keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the format's")]
pub(crate) enum Interpolation {
    Step,
    Linear,
    Bezier,
    Hermite,
    Cardinal,
    Bspline,
}

impl Interpolation {
    /// By its name in a document.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "STEP" => Self::Step,
            "LINEAR" => Self::Linear,
            "BEZIER" => Self::Bezier,
            "HERMITE" => Self::Hermite,
            "CARDINAL" => Self::Cardinal,
            "BSPLINE" => Self::Bspline,
            _ => return None,
        })
    }

    /// Whether it is neither a step nor a line.
    pub(crate) fn is_cubic(self) -> bool {
        !matches!(self, Self::Step | Self::Linear)
    }

    /// Whether it needs tangents.
    pub(crate) fn needs_tangents(self) -> bool {
        matches!(self, Self::Bezier | Self::Hermite)
    }
}

impl Curve {
    /// Makes a curve of keys: as many values and segments as times, all finite, times in order. Cubics without tangents become
    /// lines. Invalid keys are handed back.
    pub(crate) fn new(keys: Keys) -> Result<Self, Box<Keys>> {
        let count = keys.times.len();
        let complete = count > 0
            && keys.width > 0
            && keys.values.len() == count * keys.width
            && keys.segments.len() == count
            && keys.times.is_sorted()
            && keys.times.iter().chain(&keys.values).all(|v| v.is_finite());
        if complete { Ok(Builder { keys }.build()) } else { Err(Box::new(keys)) }
    }

    /// Times of the keys.
    pub(crate) fn times(&self) -> &[f64] {
        &self.times
    }

    /// Numbers per key.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// The same without its values, where they are stored elsewhere.
    pub(crate) fn without_values(mut self) -> Self {
        self.values = Vec::new();
        self.controls = Vec::new();
        self
    }

    /// All values.
    pub(crate) fn values(&self) -> &[f64] {
        &self.values
    }

    /// What follows each key.
    pub(crate) fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Whether it is made of straight lines and jumps.
    pub(crate) fn is_linear(&self) -> bool {
        self.controls.is_empty()
    }

    /// Keys at which the value may jump.
    pub(crate) fn jumps(&self) -> impl Iterator<Item = bool> + '_ {
        (0..self.times.len()).map(|i| {
            let Some(before) = i.checked_sub(1) else { return false };
            self.segments.get(before) == Some(&Segment::Step) || self.times.get(before) == self.times.get(i)
        })
    }

    /// Where a time lies: the key before it (on that side), and how far it is from there to the next, if not at a key or beyond.
    pub(crate) fn locate(&self, time: f64, side: Side) -> (usize, Option<f64>) {
        let after = match side {
            Side::After => self.times.partition_point(|&key| key <= time),
            Side::Before => self.times.partition_point(|&key| key < time),
        };
        let Some(index) = after.checked_sub(1) else { return (0, None) };
        match (self.times.get(index), self.times.get(after)) {
            (Some(&from), Some(&to)) if to > from => (index, Some((time - from) / (to - from))),
            _ => (index, None),
        }
    }

    /// One of the numbers at a time; before the first key and behind the last the nearest holds.
    pub(crate) fn sample(&self, number: usize, time: f64, side: Side) -> f64 {
        let (index, part) = self.locate(time, side);
        let at = |key: usize| self.values.get(key * self.width + number).copied().unwrap_or(0.0);
        let Some(part) = part else { return at(index) };
        match self.segments.get(index) {
            Some(Segment::Linear) => at(index) + (at(index + 1) - at(index)) * part,
            Some(Segment::Cubic) => {
                let controls = self.controls.get(index * self.width + number);
                let ends = [[self.times[index], at(index)], [self.times[index + 1], at(index + 1)]];
                controls.map_or(at(index), |controls| cubic(ends, controls, time))
            }
            _ => at(index),
        }
    }
}

/// A cubic through its ends at a time. Control points that lie outside of the segment's time are moved to its edge, so that
/// there is one value for each time.
fn cubic([from, to]: [[f64; 2]; 2], [first, second]: &Controls, time: f64) -> f64 {
    let [x0, x3] = [from[0], to[0]];
    let [x1, x2] = [first[0].clamp(x0, x3), second[0].clamp(x0, x3)];
    let s = solve([x0, x1, x2, x3], time);
    bernstein([from[1], first[1], second[1], to[1]], s)
}

fn bernstein(p: [f64; 4], s: f64) -> f64 {
    let r = 1.0 - s;
    p[0] * r * r * r + 3.0 * p[1] * r * r * s + 3.0 * p[2] * r * s * s + p[3] * s * s * s
}

/// The parameter at which a rising cubic has a value: Newton's steps, kept inside of a bracket that bisection narrows.
fn solve(x: [f64; 4], wanted: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    let mut s = ((wanted - x[0]) / (x[3] - x[0])).clamp(0.0, 1.0);
    let close = (x[3] - x[0]).abs() * 1e-14;
    for _ in 0..64 {
        let error = bernstein(x, s) - wanted;
        if error.abs() <= close {
            break;
        }
        if error > 0.0 {
            high = s
        } else {
            low = s
        }
        let r = 1.0 - s;
        let slope = 3.0 * (r * r * (x[1] - x[0]) + 2.0 * r * s * (x[2] - x[1]) + s * s * (x[3] - x[2]));
        let newton = s - error / slope;
        s = if newton > low && newton < high { newton } else { (low + high) / 2.0 };
    }
    s
}

/// Turns the format's kinds of curves into cubics.
struct Builder {
    keys: Keys,
}

impl Builder {
    fn build(mut self) -> Curve {
        let mut segments = Vec::with_capacity(self.keys.segments.len());
        let mut controls = Vec::new();
        for index in 0..self.keys.times.len() {
            segments.push(self.segment(index));
        }
        if segments.contains(&Segment::Cubic) {
            controls.reserve(segments.len() * self.keys.width);
            for index in 0..segments.len() {
                for number in 0..self.keys.width {
                    controls.push(self.controls(index, number).unwrap_or_default());
                }
            }
            self.move_bspline_keys();
        }
        let Keys { times, values, width, .. } = self.keys;
        Curve { times, values, width, segments, controls }
    }

    fn segment(&self, index: usize) -> Segment {
        let last = index + 1 == self.keys.times.len();
        match self.keys.segments.get(index) {
            Some(Interpolation::Step) => Segment::Step,
            Some(Interpolation::Linear) | None => Segment::Linear,
            _ if last => Segment::Linear,
            Some(kind) if kind.needs_tangents() && self.keys.tangents.is_none() => Segment::Linear,
            _ => Segment::Cubic,
        }
    }

    fn controls(&self, index: usize, number: usize) -> Option<Controls> {
        let kind = *self.keys.segments.get(index)?;
        let (from, to) = (self.point(index, number)?, self.point(index + 1, number)?);
        let tangents = |key: usize| Some((self.keys.tangents.as_ref()?, key * self.keys.width + number));
        let mix = |a: [f64; 2], wa: f64, b: [f64; 2], wb: f64| [a[0] * wa + b[0] * wb, a[1] * wa + b[1] * wb];
        match kind {
            Interpolation::Step | Interpolation::Linear => None,
            Interpolation::Bezier => {
                let (t, out) = tangents(index)?;
                let (_, into) = tangents(index + 1)?;
                Some([*t.out_of.get(out)?, *t.into.get(into)?])
            }
            Interpolation::Hermite => {
                let (t, out) = tangents(index)?;
                let (_, into) = tangents(index + 1)?;
                let (out, into) = (*t.out_of.get(out)?, *t.into.get(into)?);
                Some([mix(from, 1.0, out, 1.0 / 3.0), mix(to, 1.0, into, -1.0 / 3.0)])
            }
            Interpolation::Cardinal => {
                let (before, after) =
                    (self.neighbour(index, -1, number)?, self.neighbour(index + 1, 1, number)?);
                let out = mix(to, 0.5, before, -0.5);
                let into = mix(after, 0.5, from, -0.5);
                Some([mix(from, 1.0, out, 1.0 / 3.0), mix(to, 1.0, into, -1.0 / 3.0)])
            }
            Interpolation::Bspline => {
                Some([mix(from, 2.0 / 3.0, to, 1.0 / 3.0), mix(from, 1.0 / 3.0, to, 2.0 / 3.0)])
            }
        }
    }

    fn point(&self, index: usize, number: usize) -> Option<[f64; 2]> {
        let value = self.keys.values.get(index * self.keys.width + number)?;
        Some([*self.keys.times.get(index)?, *value])
    }

    /// The key beside another; beyond the first and last, and beyond a run of one kind, the neighbour on the other side is mirrored.
    fn neighbour(&self, index: usize, step: isize, number: usize) -> Option<[f64; 2]> {
        let here = self.point(index, number)?;
        let inside = index.checked_add_signed(step);
        let segment = if step < 0 { index.checked_sub(1) } else { Some(index) };
        let kind = |segment: Option<usize>| segment.and_then(|s| self.keys.segments.get(s));
        let opposite_segment = if step < 0 { Some(index) } else { index.checked_sub(1) };
        if kind(segment) == kind(opposite_segment)
            && let Some(point) = inside.and_then(|i| self.point(i, number))
        {
            return Some(point);
        }
        let other = self.point(index.checked_add_signed(-step)?, number)?;
        Some([2.0 * here[0] - other[0], 2.0 * here[1] - other[1]])
    }

    /// A B-spline does not pass through its keys: inside of a run they become the points that it does pass through.
    fn move_bspline_keys(&mut self) {
        let is = |i: usize| self.keys.segments.get(i) == Some(&Interpolation::Bspline);
        let count = self.keys.times.len();
        let inner: Vec<usize> = (1..count.saturating_sub(1)).filter(|&i| is(i - 1) && is(i)).collect();
        let width = self.keys.width;
        let passed = |list: &[f64], width: usize, i: usize, n: usize| {
            let at = |k: usize| list.get(k * width + n).copied().unwrap_or(0.0);
            (at(i - 1) + 4.0 * at(i) + at(i + 1)) / 6.0
        };
        let times: Vec<f64> = inner.iter().map(|&i| passed(&self.keys.times, 1, i, 0)).collect();
        let values: Vec<f64> = inner
            .iter()
            .flat_map(|&i| (0..width).map(move |n| (i, n)))
            .map(|(i, n)| passed(&self.keys.values, width, i, n))
            .collect();
        for ((&i, time), values) in inner.iter().zip(times).zip(values.chunks(width)) {
            if let Some(slot) = self.keys.times.get_mut(i) {
                *slot = time;
            }
            if let Some(slots) = self.keys.values.get_mut(i * width..(i + 1) * width) {
                slots.copy_from_slice(values);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(kind: Interpolation, keys: &[[f64; 2]], tangents: Option<Tangents>) -> Curve {
        let times = keys.iter().map(|k| k[0]).collect();
        let values = keys.iter().map(|k| k[1]).collect();
        let segments = vec![kind; keys.len()];
        Curve::new(Keys { times, values, width: 1, segments, tangents }).unwrap()
    }

    fn at(curve: &Curve, time: f64) -> f64 {
        curve.sample(0, time, Side::After)
    }

    #[test]
    fn steps_and_lines() {
        let step = curve(Interpolation::Step, &[[0.0, 1.0], [1.0, 5.0]], None);
        assert_eq!((at(&step, -1.0), at(&step, 0.9), at(&step, 1.0)), (1.0, 1.0, 5.0));
        assert_eq!(step.sample(0, 1.0, Side::Before), 1.0);
        assert_eq!(step.jumps().collect::<Vec<_>>(), [false, true]);
        let line = curve(Interpolation::Linear, &[[0.0, 1.0], [2.0, 5.0]], None);
        assert_eq!((at(&line, 1.0), at(&line, 3.0)), (3.0, 5.0));
        assert_eq!(line.sample(0, 2.0, Side::Before), 5.0);
        let jump = curve(Interpolation::Linear, &[[0.0, 0.0], [1.0, 1.0], [1.0, 7.0], [2.0, 8.0]], None);
        assert_eq!((jump.sample(0, 1.0, Side::Before), at(&jump, 1.0)), (1.0, 7.0));
    }

    #[test]
    fn bezier_with_even_handles_is_a_line() {
        let tangents = Tangents { into: vec![[0.0, 0.0], [2.0, 2.0]], out_of: vec![[1.0, 1.0], [0.0, 0.0]] };
        let c = curve(Interpolation::Bezier, &[[0.0, 0.0], [3.0, 3.0]], Some(tangents));
        for i in 0..=30 {
            let t = f64::from(i) / 10.0;
            assert!((at(&c, t) - t).abs() < 1e-12);
        }
    }

    #[test]
    fn bezier_follows_time_and_not_its_parameter() {
        let controls = [[0.9, 0.0], [1.0, 0.1]];
        let tangents = Tangents { into: vec![[0.0; 2], controls[1]], out_of: vec![controls[0], [0.0; 2]] };
        let c = curve(Interpolation::Bezier, &[[0.0, 0.0], [1.0, 1.0]], Some(tangents));
        for i in 0..=100 {
            let s = f64::from(i) / 100.0;
            let time = bernstein([0.0, 0.9, 1.0, 1.0], s);
            let value = bernstein([0.0, 0.0, 0.1, 1.0], s);
            assert!((at(&c, time) - value).abs() < 1e-6, "{s}");
        }
    }

    #[test]
    fn hermite_has_the_slopes_it_was_given() {
        // Tangents as vectors: one second long, so that slopes are values.
        let tangents = Tangents { into: vec![[0.0; 2], [1.0, -1.0]], out_of: vec![[1.0, 2.0], [0.0; 2]] };
        let c = curve(Interpolation::Hermite, &[[0.0, 0.0], [1.0, 1.0]], Some(tangents));
        let slope = |t: f64| (at(&c, t + 1e-6) - at(&c, t - 1e-6)) / 2e-6;
        assert!((slope(1e-5) - 2.0).abs() < 1e-3);
        assert!((slope(1.0 - 1e-5) + 1.0).abs() < 1e-3);
        // The textbook polynomial.
        let h = |s: f64| {
            2.0 * (s * s * s - 2.0 * s * s + s) + (3.0 * s * s - 2.0 * s * s * s) - (s * s * s - s * s)
        };
        assert!((at(&c, 0.3) - h(0.3)).abs() < 1e-12);
    }

    #[test]
    fn hermite_without_tangents_is_a_line() {
        let c = curve(Interpolation::Hermite, &[[0.0, 0.0], [1.0, 1.0]], None);
        assert_eq!(at(&c, 0.25), 0.25);
        assert!(c.is_linear());
    }

    #[test]
    fn cardinal_passes_through_keys_and_bspline_near_them() {
        let keys = [[0.0, 0.0], [1.0, 3.0], [2.0, -1.0], [3.0, 2.0]];
        let cardinal = curve(Interpolation::Cardinal, &keys, None);
        for [t, v] in keys {
            assert!((at(&cardinal, t) - v).abs() < 1e-12);
        }
        let slope = (at(&cardinal, 1.0 + 1e-6) - at(&cardinal, 1.0 - 1e-6)) / 2e-6;
        assert!((slope + 0.5).abs() < 1e-4, "half the difference of the neighbours: {slope}");
        let bspline = curve(Interpolation::Bspline, &keys, None);
        assert!((at(&bspline, 0.0) - 0.0).abs() < 1e-12 && (at(&bspline, 3.0) - 2.0).abs() < 1e-12);
        assert!((at(&bspline, 1.0) - (0.0 + 12.0 - 1.0) / 6.0).abs() < 1e-12);
        // A B-spline is smooth where its pieces meet.
        for t in [1.0, 2.0] {
            let (before, after) =
                (at(&bspline, t) - at(&bspline, t - 1e-5), at(&bspline, t + 1e-5) - at(&bspline, t));
            assert!((before - after).abs() < 1e-8);
        }
    }

    #[test]
    fn unusable_keys_make_no_curve() {
        let keys = |times: &[f64], values: &[f64]| Keys {
            times: times.to_vec(),
            values: values.to_vec(),
            width: 1,
            segments: vec![Interpolation::Linear; times.len()],
            tangents: None,
        };
        assert!(Curve::new(keys(&[], &[])).is_err());
        assert!(Curve::new(keys(&[1.0, 0.0], &[0.0, 0.0])).is_err());
        assert!(Curve::new(keys(&[0.0], &[f64::NAN])).is_err());
        assert!(Curve::new(keys(&[0.0, 1.0], &[0.0])).is_err());
    }
}
