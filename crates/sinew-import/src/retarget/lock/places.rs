//! Where the feet of the target are without a lock, sample by sample, and where they shall be.

use super::Wanted;
use super::path::{Run, fill, runs};
use sinew::glam::Vec3;
use sinew::{Clip, JobError, Mat3x4, Sampling, job};
use sinew_contacts::Stand;
use sinew_retarget::{LiveRetarget, Part, Role, Side};

/// A joint of the source that moves over the ground at this speed stands half as surely as one that is still, in lengths of a leg a second.
const STILL: f32 = 0.06;
/// Speeds are taken over so many samples before and behind.
const AROUND: usize = 3;
/// How far a standing joint may stay from its height at rest, relative to the length of a leg.
const LEVEL: f32 = 0.01;
/// Samples over which the weight goes from one standing joint of a foot to the other.
const ROLL: f32 = 8.0;

/// A joint of a foot.
struct Point {
    joint: u16,
    /// Height at rest, over the ground.
    rest: f32,
    places: Vec<Vec3>,
    /// How much it stands: zero where it does not.
    stands: Vec<f32>,
    /// The joint of the source, and where it is, in the space of the target and as large.
    source: Option<u16>,
    sources: Vec<Vec3>,
}

/// One leg of the target.
pub(super) struct Leg {
    /// Hip joint.
    pub upper: Vec<Vec3>,
    /// From hip joint to ankle along the leg.
    pub length: f32,
    points: Vec<Point>,
}

impl Leg {
    /// Where the ankle is.
    pub(super) fn ankle(&self, sample: usize) -> Vec3 {
        self.points.first().and_then(|ankle| ankle.places.get(sample)).copied().unwrap_or_default()
    }
}

pub(super) struct Places {
    pub legs: [Leg; 2],
    pub up: Vec3,
    step: f32,
}

impl Places {
    /// None for a target without feet.
    pub(super) fn of(
        wanted: &Wanted<'_>,
        clip: &Clip,
        count: usize,
        step: f64,
    ) -> Result<Option<Self>, JobError> {
        let (source, target) = (wanted.retarget.source(), wanted.retarget.target());
        let joint = |side: Side, part: Part| wanted.retarget.target_roles().joint(Role::new(side, part));
        let lines = Side::BOTH
            .map(|side| Some([Part::UpperLeg, Part::LowerLeg, Part::Foot].map(|part| joint(side, part))))
            .map(|line| line.and_then(|[a, b, c]| Some([a?, b?, c?])));
        let [Some(left), Some(right)] = lines else { return Ok(None) };
        let rest = |joint: u16| target.rest_model()[usize::from(joint)].translation();
        let lift = wanted.retarget.lift()[1];
        let roles = [wanted.retarget.source_roles(), wanted.retarget.target_roles()];
        let point = |joint: u16| Point {
            joint,
            rest: (rest(joint) + lift).dot(wanted.up),
            places: Vec::with_capacity(count + 1),
            stands: vec![0.0; count + 1],
            source: roles[1].role(joint).and_then(|role| roles[0].joint(role)),
            sources: Vec::with_capacity(count + 1),
        };
        let mut legs = [(Side::Left, left), (Side::Right, right)].map(|(side, [upper, lower, foot])| Leg {
            upper: Vec::with_capacity(count + 1),
            length: rest(upper).distance(rest(lower)) + rest(lower).distance(rest(foot)),
            points: [Some(foot), joint(side, Part::Toes)].into_iter().flatten().map(point).collect(),
        });
        let mut live = LiveRetarget::new(wanted.retarget.clone());
        let (mut from, mut to) = (source.rest().clone(), target.rest().clone());
        let mut models = vec![Mat3x4::IDENTITY; target.len()];
        let mut source_models = vec![Mat3x4::IDENTITY; source.len()];
        for sample in 0..=count {
            job::sample(source, clip, sample as f64 * step, Sampling::Interpolate, &mut from)?;
            live.apply(&from, &mut to)?;
            job::local_to_model(target.hierarchy(), to.blocks(), &Mat3x4::IDENTITY, &mut models)?;
            job::local_to_model(source.hierarchy(), from.blocks(), &Mat3x4::IDENTITY, &mut source_models)?;
            let place = |joint: u16| models[usize::from(joint)].translation();
            let source_place = |joint: u16| source_models[usize::from(joint)].translation();
            for (leg, [upper, ..]) in legs.iter_mut().zip([left, right]) {
                leg.upper.push(place(upper));
                for point in &mut leg.points {
                    point.places.push(place(point.joint));
                    let from = point.source.map_or(Vec3::ZERO, source_place);
                    point.sources.push(wanted.retarget.way(from));
                }
            }
        }
        Ok(Some(Self { legs, up: wanted.up, step: step as f32 }))
    }

    /// Takes over a time that a joint of a foot stands.
    pub(super) fn stand(&mut self, foot: usize, joint: u16, stand: &Stand, looping: bool) {
        let step = self.step;
        let Some(point) = self.legs[foot].points.iter_mut().find(|point| point.joint == joint) else {
            return;
        };
        let last = point.stands.len() - 1;
        let (from, to) = ((stand.start / step).floor() as usize, (stand.end / step).ceil() as usize);
        for at in from..=to {
            let inside = if looping { at % last } else { at.min(last) };
            let edge = ((at - from).min(to - at) as f32 / ROLL).min(1.0);
            // Never quite zero: a joint that stands alone has all the weight from the first moment on.
            let weight = 1e-3 + edge * edge * (3.0 - 2.0 * edge);
            point.stands[inside] = point.stands[inside].max(weight);
        }
        if looping {
            point.stands[last] = point.stands[0];
        }
    }

    fn points(&self) -> impl Iterator<Item = &Point> {
        self.legs.iter().flat_map(|leg| &leg.points)
    }

    /// Whether any foot stands at all.
    pub(super) fn stands(&self) -> bool {
        self.points().any(|point| point.stands.iter().any(|&stands| stands > 0.0))
    }

    /// Length of a leg, the mean of both.
    pub(super) fn leg(&self) -> f32 {
        self.legs.iter().map(|leg| leg.length).sum::<f32>() * 0.5
    }

    /// What standing joints are to be raised by to be at their height at rest: the median.
    pub(super) fn floor(&self) -> f32 {
        let of = |point: &Point| {
            let stands = point.places.iter().zip(&point.stands).filter(|(_, stands)| **stands > 0.0);
            stands.map(|(place, _)| point.rest - place.dot(self.up)).collect::<Vec<f32>>()
        };
        let mut all: Vec<f32> = self.points().flat_map(of).collect();
        all.sort_by(f32::total_cmp);
        all.get(all.len() / 2).copied().unwrap_or(0.0)
    }

    /// What the ankle of a foot is moved by at each sample. The ground moves by `ground` in a step.
    pub(super) fn shifts(&self, foot: usize, floor: f32, ground: Vec3, looping: bool) -> Vec<Vec3> {
        let points = &self.legs[foot].points;
        let samples = points.first().map_or(0, |point| point.places.len());
        // The last sample of a loop is its first.
        let count = if looping { samples - 1 } else { samples };
        let holds = |at: usize| points.iter().any(|point| point.stands[at] > 0.0);
        let runs = runs(&(0..count).map(holds).collect::<Vec<bool>>(), looping);
        let base = self.up * floor;
        let mut values = vec![base; count];
        for run in &runs {
            let shifts = self.stay(points, *run, samples - 1, ground, looping);
            for (at, level) in (run[0]..=run[1]).zip(shifts) {
                values[at % count] = level + self.up * self.raise(points, at % count, floor);
            }
        }
        fill(&mut values, &runs, base, looping);
        if looping {
            values.extend(values.first().copied());
        }
        values
    }

    /// Level shifts over a run by which what stands stays where it is over the ground. They are nothing in the mean.
    fn stay(&self, points: &[Point], run: Run, intervals: usize, ground: Vec3, looping: bool) -> Vec<Vec3> {
        let mut shifts = vec![Vec3::ZERO];
        for at in run[0]..run[1] {
            let at = at % intervals;
            let stays = |point: &Point| point.stands[at] * self.sure(point, at, ground);
            let sum: f32 = points.iter().map(stays).sum();
            let step = |point: &Point| self.level(point.places[at + 1] - point.places[at] - ground);
            let way: Vec3 = points.iter().map(|point| step(point) * (stays(point) / sum)).sum();
            shifts.push(shifts.last().copied().unwrap_or_default() - way);
        }
        // A foot that stands all through a loop is where it was when the loop begins anew.
        let last = shifts.last().copied().unwrap_or_default();
        if looping && shifts.len() >= intervals {
            let part = 1.0 / shifts.len() as f32;
            shifts.iter_mut().enumerate().for_each(|(at, shift)| *shift -= last * (at as f32 * part));
        }
        let mean = shifts.iter().sum::<Vec3>() * (1.0 / shifts.len() as f32);
        shifts.iter_mut().for_each(|shift| *shift -= mean);
        shifts
    }

    /// How much a joint that stands counts against the other of its foot: the slower the source's moves over the ground, the more. So a foot that turns stands on what it turns about.
    fn sure(&self, point: &Point, at: usize, ground: Vec3) -> f32 {
        let (from, to) = (at.saturating_sub(AROUND), (at + AROUND).min(point.sources.len() - 1));
        let samples = (to - from).max(1) as f32;
        let way = self.level(point.sources[to] - point.sources[from] - ground * samples);
        let speed = way.length() / (samples * self.step * STILL * self.leg());
        let even = 1.0 + speed * speed;
        // Never nothing: where all that stands moves, the slower still counts more.
        1.0 / (even * even) + 1e-6
    }

    /// What a standing foot is raised by: until the lowest joint that stands is at its height at rest, nearly, so that small motions are kept.
    fn raise(&self, points: &[Point], at: usize, floor: f32) -> f32 {
        let level = LEVEL * self.leg();
        let heights = points.iter().map(|point| point.places[at].dot(self.up) + floor - point.rest);
        let heights: Vec<f32> = heights.collect();
        let lowest = heights.iter().copied().fold(f32::INFINITY, f32::min);
        let (mut high, mut sum) = (0.0, 0.0);
        for (point, height) in points.iter().zip(heights) {
            // Softly, so that a foot that rolls from one to the other does not jolt.
            let weight = point.stands[at] * libm::expf((lowest - height) / level);
            (high, sum) = (high + weight * height, sum + weight);
        }
        let high = if sum > 0.0 { high / sum } else { 0.0 };
        // The other joint may be lower still, below a foot that is pitched more than it stands: a part of that, so that neither is far off.
        let sunk = (high - lowest).max(0.0);
        let pitched = 0.4 * sunk * sunk / (sunk + level);
        let pitched = pitched / (1.0 + (pitched / level) * (pitched / level)).sqrt();
        floor + high / (1.0 + (high / level) * (high / level)).sqrt() - high + pitched
    }

    fn level(&self, v: Vec3) -> Vec3 {
        v - self.up * self.up.dot(v)
    }
}
