//! One joint: sampling its curves and placing its keys.

use super::knots::{self, Stop};
use super::{Counter, Curve, Evaluate, JointCurves, Side, track_error};
use crate::Cause;
use crate::decompose::Trs;
use glam::{DQuat, DVec3};
use sinew::{Interpolation, JointTracks, Track};

/// How far points in model space move when a part is off by one (unit, radian, factor).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Gains(pub(super) [f64; 3]);

/// Quarterings of one source interval at the most: 4^6 keys between two keys of the source.
const DEPTH: usize = 6;
/// Share of the budget that a predicted, not measured, deviation may take.
const PREDICTED: f64 = 0.8;

/// Values at the ends and the quarters of an interval in which the curves are smooth.
#[derive(Clone, Debug)]
pub(super) struct Interval {
    pub(super) times: [f64; 5],
    pub(super) samples: [Trs; 5],
    /// Whether the interval is long enough to have quarters in single precision.
    divisible: bool,
}

impl Interval {
    fn new(start: f32, end: f32, first: Trs, last: Trs, evaluate: impl Fn(f64) -> Trs) -> Self {
        let (a, b) = (f64::from(start), f64::from(end));
        let mut times = [a, a, a, b, b];
        let mut samples = [first, first, first, last, last];
        for quarter in 1..4 {
            // Keys are evaluated at the time that they will have, not at the one that was meant.
            times[quarter] = f64::from((a + (b - a) * quarter as f64 / 4.0) as f32);
        }
        let divisible = times.windows(2).all(|pair| pair[0] < pair[1]);
        if divisible {
            for quarter in 1..4 {
                samples[quarter] = align(evaluate(times[quarter]), &samples[quarter - 1]);
            }
            samples[4] = align(last, &samples[3]);
        }
        Self { times, samples, divisible }
    }

    /// An interval between two keys that nothing is asked about in between.
    fn bare(start: f32, end: f32, first: Trs, last: Trs) -> Self {
        let (a, b) = (f64::from(start), f64::from(end));
        Self { times: [a, a, a, b, b], samples: [first, first, first, last, last], divisible: false }
    }

    /// How far the middle `at` is off from what lies between `from` and `to`.
    fn deviation(&self, part: usize, from: usize, to: usize, at: usize) -> f64 {
        let u = (self.times[at] - self.times[from]) / (self.times[to] - self.times[from]);
        deviation(part, &self.samples[from], &self.samples[to], u, &self.samples[at])
    }

    /// Largest deviation of a part if no key stood between the ends.
    pub(super) fn whole(&self, part: usize) -> f64 {
        if !self.divisible {
            return 0.0;
        }
        (1..4).map(|at| self.deviation(part, 0, 4, at)).fold(0.0, f64::max)
    }

    fn halves(&self, part: usize) -> f64 {
        self.deviation(part, 0, 2, 1).max(self.deviation(part, 2, 4, 3))
    }

    /// Deviation in the middle of each quarter, predicted by the polynomial through the five samples.
    fn quarters(&self, part: usize) -> [f64; 4] {
        [0, 1, 2, 3].map(|quarter| {
            let middle = 0.5 * (self.times[quarter] + self.times[quarter + 1]);
            let predicted = interpolate(&self.samples, &weights(&self.times, middle));
            deviation(part, &self.samples[quarter], &self.samples[quarter + 1], 0.5, &predicted)
        })
    }
}

/// Lagrange's weights of five values at a time.
fn weights(times: &[f64; 5], at: f64) -> [f64; 5] {
    let mut out = [1.0; 5];
    for (i, weight) in out.iter_mut().enumerate() {
        for j in 0..5 {
            if j != i {
                *weight *= (at - times[j]) / (times[i] - times[j]);
            }
        }
    }
    out
}

fn interpolate(samples: &[Trs; 5], weights: &[f64; 5]) -> Trs {
    let mut out = Trs { translation: DVec3::ZERO, rotation: DQuat::from_array([0.0; 4]), scale: DVec3::ZERO };
    for (sample, &weight) in samples.iter().zip(weights) {
        out.translation += sample.translation * weight;
        out.rotation = out.rotation + sample.rotation * weight;
        out.scale += sample.scale * weight;
    }
    out.rotation = out.rotation.normalize();
    out
}

/// The same rotation on the side of `before`, so that samples can be compared and interpolated.
fn align(mut trs: Trs, before: &Trs) -> Trs {
    if trs.rotation.dot(before.rotation) < 0.0 {
        trs.rotation = -trs.rotation;
    }
    trs
}

/// How far a part of `at` is from what lies between `a` and `b`.
fn deviation(part: usize, a: &Trs, b: &Trs, u: f64, at: &Trs) -> f64 {
    match part {
        0 => (a.translation.lerp(b.translation, u) - at.translation).length(),
        1 => angle(slerp(a.rotation, b.rotation, u), at.rotation),
        _ => (a.scale.lerp(b.scale, u) - at.scale).abs().max_element(),
    }
}

/// How far two values of a part are from one another.
fn distance(part: usize, a: &Trs, b: &Trs) -> f64 {
    deviation(part, a, a, 0.0, b)
}

/// Angle between two rotations that are near one another.
fn angle(a: DQuat, b: DQuat) -> f64 {
    2.0 * (a - b).length().min((a + b).length())
}

/// The shortest arc. Between near rotations, which is nearly always, the sines are series.
fn slerp(a: DQuat, b: DQuat, u: f64) -> DQuat {
    let dot = a.dot(b);
    let (b, dot) = if dot < 0.0 { (-b, -dot) } else { (b, dot) };
    let gap = 1.0 - dot;
    if u == 0.5 {
        return (a + b).normalize();
    }
    if gap > 0.005 {
        return a.slerp(b, u);
    }
    let square = 2.0 * gap * (1.0 + gap / 6.0);
    let share = |u: f64| {
        let uu = u * u;
        u * (1.0 + square * (1.0 - uu) / 6.0 + square * square * (7.0 - 10.0 * uu + 3.0 * uu * uu) / 360.0)
    };
    a * share(1.0 - u) + b * share(u)
}

/// The curves of one joint at the source's keys and the quarters between them.
pub(super) struct Sampled {
    pub(super) joint: u16,
    curved: [bool; 3],
    linear: [Vec<(f32, Trs)>; 3],
    stops: Vec<Stop>,
    /// Values at each stop, from before and from after.
    values: Vec<[Trs; 2]>,
    pub(super) intervals: Vec<Interval>,
}

impl Sampled {
    pub(super) fn new(
        curves: &JointCurves,
        duration: f32,
        refine: bool,
        evaluate: &impl Evaluate,
        counter: &Counter,
    ) -> Result<Self, Cause> {
        let joint = usize::from(curves.joint);
        let curved = [0, 1, 2].map(|part| matches!(curves.parts[part], Curve::Curved(_)));
        let knots = curves.parts.iter().filter(|c| matches!(c, Curve::Curved(_))).flat_map(|c| c.knots());
        let stops = if curved.contains(&true) { knots::stops(knots.copied(), duration) } else { Vec::new() };
        counter.add(stops.len() * curved.iter().filter(|&&c| c).count())?;
        let values = values(&stops, joint, evaluate);
        let ends = stops.windows(2).zip(values.windows(2));
        let intervals = ends
            .map(|(stop, value)| {
                let (start, end, first, last) = (stop[0].time, stop[1].time, value[0][1], value[1][0]);
                if refine {
                    Interval::new(start, end, first, last, |time| evaluate(joint, time, Side::After))
                } else {
                    Interval::bare(start, end, first, last)
                }
            })
            .collect();
        let mut linear = [Vec::new(), Vec::new(), Vec::new()];
        for (keys, curve) in linear.iter_mut().zip(&curves.parts) {
            if let Curve::Linear(knots) = curve {
                *keys = linear_keys(knots, duration, joint, evaluate);
                counter.add(keys.len())?;
            }
        }
        Ok(Self { joint: curves.joint, curved, linear, stops, values, intervals })
    }

    /// Whether an interval lies in one of the bins.
    pub(super) fn touches(&self, bins: &[usize], shares: &super::budget::Shares) -> bool {
        self.intervals.iter().any(|i| shares.bins(i.times[0], i.times[4]).any(|bin| bins.contains(&bin)))
    }

    /// Whether a part has an interval that can be refined.
    pub(super) fn is_curved(&self, part: usize) -> bool {
        self.curved[part]
    }
}

fn values(stops: &[Stop], joint: usize, evaluate: &impl Evaluate) -> Vec<[Trs; 2]> {
    let both = |stop: &Stop| match stop.jump {
        Some([before, after]) => [evaluate(joint, before, Side::Before), evaluate(joint, after, Side::After)],
        None => [evaluate(joint, f64::from(stop.time), Side::After); 2],
    };
    stops.iter().map(both).collect()
}

fn linear_keys(
    knots: &[super::Knot],
    duration: f32,
    joint: usize,
    evaluate: &impl Evaluate,
) -> Vec<(f32, Trs)> {
    let stops = knots::stops(knots.iter().copied(), duration);
    let values = values(&stops, joint, evaluate);
    let mut keys = Vec::with_capacity(stops.len());
    for (stop, [before, after]) in stops.iter().zip(values) {
        if stop.jump.is_some() && stop.time > 0.0 {
            keys.push((stop.time, before));
        }
        keys.push((stop.time, after));
    }
    keys
}

/// Keys of the three parts of one joint.
pub(super) struct Fitted {
    joint: u16,
    animated: [bool; 3],
    keys: [Vec<(f32, Trs)>; 3],
    step: [bool; 3],
}

/// What a part needs inside an interval.
#[derive(Clone, Copy, PartialEq)]
enum Plan {
    Nothing,
    Half,
    /// All quarters, and more inside those that are marked.
    Quarters([bool; 4]),
}

impl Fitted {
    /// Places keys. `budgets` says how far each part may be off, as points in model space move, between two times.
    pub(super) fn new(
        sampled: &Sampled,
        gains: &Gains,
        budgets: &impl Fn(f64, f64) -> [f64; 3],
        refine: bool,
        evaluate: &impl Evaluate,
        counter: &Counter,
    ) -> Result<Self, Cause> {
        let mut fitter =
            Fitter { joint: usize::from(sampled.joint), gains, evaluate, keys: [const { Vec::new() }; 3] };
        for (index, (stop, &[before, after])) in sampled.stops.iter().zip(&sampled.values).enumerate() {
            for part in (0..3).filter(|&p| sampled.curved[p]) {
                if stop.jump.is_some() && stop.time > 0.0 && distance(part, &before, &after) > 0.0 {
                    fitter.keys[part].push((stop.time, before));
                }
                fitter.keys[part].push((stop.time, after));
            }
            if let Some(interval) = sampled.intervals.get(index).filter(|_| refine) {
                let budgets = budgets(interval.times[0], interval.times[4]);
                let before = fitter.key_count();
                fitter.refine(interval, &budgets, sampled.curved, DEPTH);
                counter.add(fitter.key_count() - before)?;
            }
        }
        Ok(Self::of(sampled, fitter.keys))
    }

    fn of(sampled: &Sampled, mut keys: [Vec<(f32, Trs)>; 3]) -> Self {
        let mut animated = sampled.curved;
        for part in 0..3 {
            if !sampled.linear[part].is_empty() {
                keys[part].clone_from(&sampled.linear[part]);
                animated[part] = true;
            }
        }
        Self { joint: sampled.joint, animated, keys, step: [false; 3] }
    }

    /// One key where nothing moves, one key per value where it only jumps.
    pub(super) fn simplify(&mut self, gains: &Gains, still: f64) {
        for part in 0..3 {
            let keys = &mut self.keys[part];
            let same =
                |a: &Trs, b: &Trs| distance(part, a, b) * gains.0[part].max(f64::MIN_POSITIVE) <= still;
            let Some(first) = keys.first().map(|(_, value)| *value) else { continue };
            if keys.iter().all(|(_, value)| same(&first, value)) {
                keys.truncate(1);
            } else if keys.windows(2).all(|pair| pair[0].0 == pair[1].0 || same(&pair[0].1, &pair[1].1)) {
                // Flat between any two times: of the two keys at a jump the second tells all.
                self.step[part] = true;
                let mut kept: Vec<(f32, Trs)> = Vec::with_capacity(keys.len());
                for &(time, value) in keys.iter() {
                    match kept.last_mut() {
                        Some(last) if last.0 == time => last.1 = value,
                        Some(last) if last.1 == value => {}
                        _ => kept.push((time, value)),
                    }
                }
                *keys = kept;
            }
        }
    }

    pub(super) fn into_tracks(self) -> Result<JointTracks, Cause> {
        let Self { joint, animated, keys: [translation, rotation, scale], step } = self;
        let mode = |part: usize| if step[part] { Interpolation::Step } else { Interpolation::Linear };
        let mut tracks = JointTracks::new(joint);
        if animated[0] {
            tracks.translation = Some(track(joint, translation, mode(0), |v| v.translation.as_vec3())?);
        }
        if animated[1] {
            tracks.rotation = Some(track(joint, rotation, mode(1), |v| v.to_transform().rotation)?);
        }
        if animated[2] {
            tracks.scale = Some(track(joint, scale, mode(2), |v| v.scale.as_vec3())?);
        }
        Ok(tracks)
    }
}

fn track<T: sinew::clip::Key>(
    joint: u16,
    keys: Vec<(f32, Trs)>,
    mode: Interpolation,
    value: impl Fn(&Trs) -> T,
) -> Result<Track<T>, Cause> {
    let times = keys.iter().map(|(time, _)| *time).collect();
    let values = keys.iter().map(|(_, v)| value(v)).collect();
    Track::new(times, values, mode).map_err(track_error(joint))
}

struct Fitter<'a, E> {
    joint: usize,
    gains: &'a Gains,
    evaluate: &'a E,
    keys: [Vec<(f32, Trs)>; 3],
}

impl<E: Evaluate> Fitter<'_, E> {
    fn key_count(&self) -> usize {
        self.keys.iter().map(Vec::len).sum()
    }

    /// Adds the keys that an interval needs between its ends.
    fn refine(&mut self, interval: &Interval, budgets: &[f64; 3], parts: [bool; 3], depth: usize) {
        if !interval.divisible {
            return;
        }
        let plans = [0, 1, 2]
            .map(|part| if parts[part] { self.plan(interval, part, budgets[part]) } else { Plan::Nothing });
        for quarter in 0..4 {
            let deeper = plans.map(|plan| matches!(plan, Plan::Quarters(more) if more[quarter]));
            if depth > 0 && deeper.contains(&true) {
                let (from, to) = (quarter, quarter + 1);
                let inner = Interval::new(
                    interval.times[from] as f32,
                    interval.times[to] as f32,
                    interval.samples[from],
                    interval.samples[to],
                    |time| (self.evaluate)(self.joint, time, Side::After),
                );
                self.refine(&inner, budgets, deeper, depth - 1);
            }
            for (keys, plan) in self.keys.iter_mut().zip(plans) {
                let wanted = matches!(plan, Plan::Quarters(_)) || (plan == Plan::Half && quarter == 1);
                if wanted && quarter < 3 {
                    keys.push((interval.times[quarter + 1] as f32, interval.samples[quarter + 1]));
                }
            }
        }
    }

    fn plan(&self, interval: &Interval, part: usize, budget: f64) -> Plan {
        let gain = self.gains.0[part];
        if interval.whole(part) * gain <= budget {
            Plan::Nothing
        } else if interval.halves(part) * gain <= budget {
            Plan::Half
        } else {
            Plan::Quarters(interval.quarters(part).map(|d| d * gain > budget * PREDICTED))
        }
    }
}
