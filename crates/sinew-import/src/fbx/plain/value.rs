//! Curves of a property, made ready to be evaluated often.
//!
//! Between two keys a curve is a polynomial of third degree of a parameter, which the handles of the keys relate to time. The curves of a property mostly have
//! the same keys and handles: key and parameter are then found once for all three.

#![allow(
    clippy::indexing_slicing,
    reason = "a track has a time at each end of each of its pieces, and one piece at the least"
)]

use super::super::convert;
use super::super::curve::changes;
use glam::DVec3;
use ufbx::{AnimCurve, AnimValue, ExtrapolationMode, Interpolation, Keyframe};

/// Three curves, or what stands in for those that are missing.
#[derive(Debug)]
pub(super) struct Value {
    still: DVec3,
    tracks: Vec<Track>,
}

impl Value {
    /// The curves of a value; none if one of them is of a kind that is left to ufbx.
    pub(super) fn new(value: &AnimValue) -> Option<Self> {
        let mut still = convert::vec3(value.default_value);
        let mut moving: Vec<Vec<(DVec3, &AnimCurve)>> = Vec::new();
        for (axis, curve) in value.curves.iter().enumerate() {
            let Some(curve) = curve.as_deref().filter(|curve| !curve.keyframes.is_empty()) else { continue };
            if let Some(value) = flat(curve) {
                still[axis] = value;
                continue;
            }
            still[axis] = 0.0;
            let lane = (DVec3::AXES[axis], curve);
            match moving.iter_mut().find(|track| track.iter().all(|(_, other)| are_alike(curve, other))) {
                Some(track) => track.push(lane),
                None => moving.push(vec![lane]),
            }
        }
        let tracks = moving.iter().map(|lanes| Track::new(lanes)).collect::<Option<_>>()?;
        Some(Self { still, tracks })
    }

    /// The value, if no curve moves it.
    pub(super) fn still(&self) -> Option<DVec3> {
        self.tracks.is_empty().then_some(self.still)
    }

    /// Bytes that the curves of a value take.
    pub(super) fn bytes(value: &AnimValue) -> u64 {
        let keys: usize = value.curves.iter().flatten().map(|curve| curve.keyframes.len()).sum();
        (keys as u64).saturating_mul((size_of::<f64>() + size_of::<Piece>() + size_of::<u32>()) as u64)
    }

    /// Inlined, as the vectors below: a vector that is returned through memory is read in other pieces than it was written in, which takes longer than its evaluation.
    #[inline(always)]
    pub(super) fn at(&self, time: f64) -> DVec3 {
        let mut sum = self.still;
        for track in &self.tracks {
            sum += track.at(time);
        }
        sum
    }
}

/// The value that a curve never leaves. Many curves are such: a tool that bakes a motion gives keys to what does not move, too.
fn flat(curve: &AnimCurve) -> Option<f64> {
    let (first, others) = curve.keyframes.split_first()?;
    let is_flat = others.is_empty() || (first.value.is_finite() && holds(curve) && !changes(curve));
    is_flat.then_some(first.value)
}

/// Whether a curve keeps the values of its first and its last key before and behind them.
fn holds(curve: &AnimCurve) -> bool {
    [&curve.pre_extrapolation, &curve.post_extrapolation]
        .iter()
        .all(|extrapolation| extrapolation.mode == ExtrapolationMode::Constant)
}

/// Whether curves have keys at the same times and are related to time by the same handles.
fn are_alike(a: &AnimCurve, b: &AnimCurve) -> bool {
    let shape = |key: &Keyframe| (key.time, key.interpolation, key.left.dx, key.right.dx);
    let (a, b) = (&a.keyframes, &b.keyframes);
    a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| shape(a) == shape(b))
}

/// Curves that are alike, along one axis each.
#[derive(Debug)]
struct Track {
    times: Vec<f64>,
    pieces: Vec<Piece>,
    last: DVec3,
    /// Pieces in a second, on average.
    rate: f64,
    /// The piece at the start of each of as many even stretches of time as there are pieces.
    starts: Vec<u32>,
}

impl Track {
    fn new(lanes: &[(DVec3, &AnimCurve)]) -> Option<Self> {
        let (_, first) = lanes.first().filter(|_| lanes.iter().all(|(_, curve)| holds(curve)))?;
        let times: Vec<f64> = first.keyframes.iter().map(|key| key.time).collect();
        let mut pieces = Vec::with_capacity(times.len() - 1);
        for (index, pair) in first.keyframes.windows(2).enumerate() {
            let mut piece = Piece::new(&pair[0], &pair[1])?;
            for (axis, curve) in lanes {
                piece.add(*axis, &curve.keyframes[index], &curve.keyframes[index + 1])?;
            }
            pieces.push(piece);
        }
        let last = lanes.iter().map(|(axis, curve)| *axis * curve.keyframes[times.len() - 1].value).sum();
        let rate = pieces.len() as f64 / (times[pieces.len()] - times[0]);
        let start = |stretch: usize| times[0] + stretch as f64 / rate;
        let piece = |stretch: usize| times.partition_point(|&key| key <= start(stretch)).saturating_sub(1);
        let starts = (0..pieces.len()).map(|stretch| piece(stretch) as u32).collect();
        Some(Self { times, pieces, last, rate, starts })
    }

    #[inline(always)]
    fn at(&self, time: f64) -> DVec3 {
        if time >= self.times[self.pieces.len()] {
            return self.last;
        }
        let index = self.piece(time);
        // Before the first key its value holds.
        self.pieces[index].at((time - self.times[index]).max(0.0))
    }

    /// The piece that a time before the last key lies in, or the first for a time before it.
    #[inline]
    fn piece(&self, time: f64) -> usize {
        let last = self.pieces.len() - 1;
        // A time before the first key saturates.
        let stretch = (((time - self.times[0]) * self.rate) as usize).min(last);
        // Keys mostly stand evenly.
        if self.times[stretch] <= time && time < self.times[stretch + 1] {
            return stretch;
        }
        let from = self.starts[stretch] as usize;
        let to = self.starts.get(stretch + 1).map_or(last, |&to| to as usize);
        let is_within = self.times[from] <= time && time < self.times[to + 1];
        // By rounding a time may belong to the stretch before.
        let (from, to) = if is_within { (from, to) } else { (0, last) };
        from + self.times[from + 1..=to].partition_point(|&key| key <= time)
    }
}

/// What lies between two keys.
#[derive(Debug)]
struct Piece {
    /// One over its length in seconds.
    rate: f64,
    /// Factors of the third, second and first power of the parameter, whose sum is the share of the time.
    share: [f64; 3],
    /// How fast that changes its slope at the most.
    bend: f64,
    /// Factors of the powers of the parameter, whose sum is the value.
    terms: [DVec3; 4],
}

/// Least distance between handles and ends, relative to the length: below that ufbx has its own way.
const LEAST_HANDLE: f64 = 1.0 / 6.0;
/// Steps to the parameter at the most. Each doubles the number of right digits.
const STEPS: usize = 8;
/// How wrong a parameter may be.
const ENOUGH: f64 = 1e-17;

impl Piece {
    /// The time between two keys. None if it has no length, or if the parameter is not well determined by it.
    fn new(from: &Keyframe, to: &Keyframe) -> Option<Self> {
        let length = to.time - from.time;
        let rate = 1.0 / length;
        let (mut first, mut last) = (1.0 / 3.0, 1.0 / 3.0);
        let mut share = [0.0, 0.0, 1.0];
        if from.interpolation == Interpolation::Cubic {
            (first, last) = (f64::from(from.right.dx) * rate, f64::from(to.left.dx) * rate);
            let middle = 1.0 - first - last;
            share = [1.0 - 3.0 * middle, 3.0 * (middle - first), 3.0 * first];
        }
        let distances = [first, 1.0 - first - last, last];
        let sound = length > 0.0 && rate.is_finite() && distances.iter().all(|&d| d >= LEAST_HANDLE);
        let bend = 3.0 * share[0].abs() + share[1].abs();
        sound.then_some(Self { rate, share, bend, terms: [DVec3::ZERO; 4] })
    }

    /// Adds a curve along an axis. None if it is not finite, since infinity along one axis would be no number along the others.
    fn add(&mut self, axis: DVec3, from: &Keyframe, to: &Keyframe) -> Option<()> {
        let gap = to.value - from.value;
        let terms = match from.interpolation {
            Interpolation::ConstantPrev => [from.value, 0.0, 0.0, 0.0],
            // At the key itself it has that key's value, and the next one's behind it.
            Interpolation::ConstantNext => return None,
            Interpolation::Linear => [from.value, gap, 0.0, 0.0],
            Interpolation::Cubic => {
                let (first, last) = (f64::from(from.right.dy), f64::from(to.left.dy));
                let rise = 3.0 * first;
                [from.value, rise, 3.0 * (gap - last) - 2.0 * rise, rise + 3.0 * last - 2.0 * gap]
            }
        };
        for (sum, term) in self.terms.iter_mut().zip(terms) {
            *sum += axis * term;
        }
        (to.value.is_finite() && terms.iter().all(|term| term.is_finite())).then_some(())
    }

    /// The value some seconds behind the first key.
    #[inline(always)]
    fn at(&self, seconds: f64) -> DVec3 {
        let t = self.parameter(seconds * self.rate);
        let [zeroth, first, second, third] = self.terms;
        ((third * t + second) * t + first) * t + zeroth
    }

    /// The parameter at a share of the time, by Newton's method. Handles at thirds, which nearly all are but for rounding, take one step.
    #[inline]
    fn parameter(&self, share: f64) -> f64 {
        let [third, second, first] = self.share;
        let mut t = share;
        for _ in 0..STEPS {
            let off = ((third * t + second) * t + first) * t - share;
            let step = off / ((3.0 * third * t + 2.0 * second) * t + first);
            t -= step;
            if step * step * self.bend <= ENOUGH {
                break;
            }
        }
        t
    }
}
