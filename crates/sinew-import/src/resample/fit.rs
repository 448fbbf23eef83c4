//! One joint: placing its keys.

#![allow(clippy::indexing_slicing, reason = "indices run over arrays made here, of lengths known here")]

use super::interval::{Interval, Polynomial};
use super::sampled::Sampled;
use super::value::{Value, distance, value};
use super::{Evaluate, Side, track_error};
use crate::{Budget, Cause};
use glam::{DVec4, Quat, Vec3, Vec4};
use sinew::{Interpolation, JointTracks, Track};

/// How far points in model space move when a part is off by one (unit, radian, factor).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Gains(pub(super) [f64; 3]);

impl Gains {
    /// How far a part may be off for points in model space to be off by so much.
    fn allowance(&self, part: usize, share: f64) -> f64 {
        share / self.0[part].max(f64::MIN_POSITIVE)
    }
}

/// Divisions in four of one source interval at the most.
const DEPTH: usize = 6;
/// Keys that are counted together: all threads share the count, and wait for each other where they change it often.
const TOGETHER: usize = 1024;
/// Difference of linear values that may come from rounding and from the step behind a jump.
const NO_JUMP: f64 = 1e-8;

/// Keys of one part.
struct Keys {
    part: usize,
    times: Vec<f32>,
    values: Vec<Vec4>,
    first: Option<Value>,
    last: (f32, Value),
    still: f64,
    /// Whether any value differs from the first, and whether any two at different times do that follow one another.
    moves: bool,
    bends: bool,
}

impl Keys {
    fn new(part: usize, still: f64) -> Self {
        Self {
            part,
            times: Vec::new(),
            values: Vec::new(),
            first: None,
            last: (0.0, DVec4::ZERO),
            still,
            moves: false,
            bends: false,
        }
    }

    fn push(&mut self, time: f32, value: Value) {
        let first = *self.first.get_or_insert(value);
        // Both are known: stop.
        let known = self.moves && self.bends;
        if !known && !self.times.is_empty() {
            self.moves |= distance(self.part, first, value) > self.still;
            let flat = time == self.last.0 || distance(self.part, self.last.1, value) <= self.still;
            self.bends |= !flat;
        }
        self.last = (time, value);
        self.times.push(time);
        self.values.push(value.as_vec4());
    }

    /// The track: one key where nothing moves, one key per value where it only jumps.
    fn track<T: sinew::Key>(mut self, joint: u16, convert: impl Fn(Vec4) -> T) -> Result<Track<T>, Cause> {
        let mut mode = Interpolation::Linear;
        if !self.moves {
            self.times.truncate(1);
            self.values.truncate(1);
        } else if !self.bends {
            mode = Interpolation::Step;
            self.keep_steps();
        }
        let values = self.values.into_iter().map(convert).collect();
        Track::new(self.times, values, mode).map_err(track_error(joint))
    }

    /// Of the keys at one time the last is kept, and of keys with one value the first.
    fn keep_steps(&mut self) {
        let (mut times, mut values): (Vec<f32>, Vec<Vec4>) = (Vec::new(), Vec::new());
        for (&time, &value) in self.times.iter().zip(&self.values) {
            match (times.last(), values.last_mut()) {
                (Some(last), Some(kept)) if *last == time => *kept = value,
                (_, Some(kept)) if *kept == value => {}
                _ => {
                    times.push(time);
                    values.push(value);
                }
            }
        }
        (self.times, self.values) = (times, values);
    }
}

/// Places the keys of a joint. `shares` gives how far each part may be off between two times, `still` what counts as no
/// movement, both as points in model space move.
pub(super) fn fit(
    sampled: &Sampled,
    gains: &Gains,
    shares: &impl Fn(f64, f64) -> [f64; 3],
    still: f64,
    evaluate: &impl Evaluate,
    budget: &Budget<'_>,
) -> Result<JointTracks, Cause> {
    let keys = [0, 1, 2].map(|part| Keys::new(part, gains.allowance(part, still)));
    let mut fitter = Fitter { joint: usize::from(sampled.joint), gains, evaluate, keys, budget, counted: 0 };
    for (index, stop) in sampled.stops.iter().enumerate() {
        for (part, keys) in fitter.keys.iter_mut().enumerate().filter(|(part, _)| sampled.curved[*part]) {
            // A difference below `still` is not a jump.
            let still = keys.still;
            stop.keys(part, still, &mut |time, value| keys.push(time, value));
        }
        if let Some(interval) = sampled.intervals.get(index).filter(|i| i.divisible) {
            let shares = shares(interval.times[0], interval.times[4]);
            fitter.refine(interval, &shares, sampled.curved, DEPTH)?;
        }
    }
    for (part, keys) in fitter.keys.iter_mut().enumerate() {
        for stop in sampled.linear[part].iter().flatten() {
            stop.keys(part, NO_JUMP, &mut |time, value| keys.push(time, value));
        }
    }
    fitter.count(1)?;
    let counted = fitter.counted as u64;
    let tracks = tracks(sampled.joint, fitter.keys)?;
    // Keys that nothing moves are left out of the tracks.
    budget.drop_keys(counted.saturating_sub(super::key_count(&tracks)));
    Ok(tracks)
}

fn tracks(joint: u16, keys: [Keys; 3]) -> Result<JointTracks, Cause> {
    let mut tracks = JointTracks::new(joint);
    let [translation, rotation, scale] = keys;
    let vector = |v: Vec4| Vec3::new(v.x, v.y, v.z);
    let turn = |v: Vec4| -> Quat { sinew::math::normalize(v.to_array()) };
    if translation.first.is_some() {
        tracks.translation = Some(translation.track(joint, vector)?);
    }
    if rotation.first.is_some() {
        tracks.rotation = Some(rotation.track(joint, turn)?);
    }
    if scale.first.is_some() {
        tracks.scale = Some(scale.track(joint, vector)?);
    }
    Ok(tracks)
}

struct Fitter<'a, E> {
    joint: usize,
    gains: &'a Gains,
    evaluate: &'a E,
    keys: [Keys; 3],
    budget: &'a Budget<'a>,
    /// Keys that were counted so far.
    counted: usize,
}

impl<E: Evaluate> Fitter<'_, E> {
    /// Counts the keys that were added since, if they are as many as `least`.
    fn count(&mut self, least: usize) -> Result<(), Cause> {
        let keys: usize = self.keys.iter().map(|keys| keys.times.len()).sum();
        let added = keys - self.counted;
        if added < least {
            return Ok(());
        }
        self.counted = keys;
        self.budget.keys(added as u64)
    }

    /// Adds the keys that an interval needs between its ends.
    fn refine(
        &mut self,
        interval: &Interval,
        shares: &[f64; 3],
        parts: [bool; 3],
        depth: usize,
    ) -> Result<(), Cause> {
        let mut deeper = [false; 3];
        let mut checked = None;
        for part in (0..3).filter(|&part| parts[part]) {
            let allowance = self.gains.allowance(part, shares[part]);
            if interval.deviations[part] <= allowance {
                continue;
            }
            let polynomial = interval.polynomial(part);
            let mut check = |time: f64| {
                let sample = checked.get_or_insert_with(|| (self.evaluate)(self.joint, time, Side::After));
                value(sample, part)
            };
            if depth == 0 || polynomial.is_trusted(allowance, &mut check) {
                fill(interval, &polynomial, allowance, &mut self.keys[part]);
            } else {
                deeper[part] = true;
            }
        }
        self.count(TOGETHER)?;
        if deeper.contains(&true) {
            self.divide(interval, shares, deeper, depth - 1)?;
        }
        Ok(())
    }

    /// Adds keys where an interval was sampled, and what is needed between them.
    fn divide(
        &mut self,
        interval: &Interval,
        shares: &[f64; 3],
        parts: [bool; 3],
        depth: usize,
    ) -> Result<(), Cause> {
        for division in 0..4 {
            let (from, to) = (division, division + 1);
            let inner = Interval::new(
                [interval.times[from] as f32, interval.times[to] as f32],
                [interval.samples[from], interval.samples[to]],
                parts,
                |time| (self.evaluate)(self.joint, time, Side::After),
            );
            self.refine(&inner, shares, parts, depth)?;
            for part in (0..3).filter(|&part| parts[part] && to < 4) {
                self.keys[part].push(interval.times[to] as f32, value(&interval.samples[to], part));
            }
        }
        Ok(())
    }
}

/// Adds keys between the ends of an interval by its polynomial.
fn fill(interval: &Interval, polynomial: &Polynomial, allowance: f64, keys: &mut Keys) {
    let (even, divisions) = polynomial.pieces(allowance);
    if even <= divisions.iter().sum() {
        return fill_evenly(polynomial, interval.times[0], interval.times[4], even, keys);
    }
    for (division, pieces) in divisions.into_iter().enumerate() {
        let (from, to) = (interval.times[division], interval.times[division + 1]);
        fill_evenly(polynomial, from, to, pieces, keys);
        if division < 3 {
            keys.push(to as f32, value(&interval.samples[division + 1], keys.part));
        }
    }
}

/// Adds keys that divide a stretch of time into pieces of one length.
fn fill_evenly(polynomial: &Polynomial, from: f64, to: f64, pieces: usize, keys: &mut Keys) {
    for piece in 1..pieces {
        let time = (from + (to - from) * piece as f64 / pieces as f64) as f32;
        if time > keys.last.0 && f64::from(time) < to {
            keys.push(time, polynomial.at(f64::from(time)));
        }
    }
}
