//! Where the feet of the target are without a lock, sample by sample, and where they shall be.

use super::Wanted;
use super::line::Line;
use super::smooth::Wishes;
use super::stay::{self, Joint};
use sinew::glam::{DVec3, Vec3};
use sinew::{Clip, JobError, Mat3x4, Sampling, job};
use sinew_contacts::Stand;
use sinew_retarget::{LiveRetarget, Part, Role, Side};

/// How far a standing joint may stay from its height at rest, relative to the length of a leg.
const LEVEL: f32 = 0.01;
/// Samples over which the weight goes from one standing joint of a foot to the other.
const ROLL: f32 = 4.0;
/// What counts for the height of a foot, against one for being smooth: the height at which it stands; between stands that of the transfer, and not to change fast, so that a foot
/// that was held down until it left does not dive.
const NEEDED: f64 = 30.0;
const FREE: f64 = 2.5e-5;
const CALM: f64 = 0.03;

/// A joint of a foot.
struct Point {
    joint: u16,
    /// Height at rest, over the ground.
    rest: f32,
    places: Vec<Vec3>,
    /// How much it stands: zero where it does not.
    stands: Vec<f32>,
    /// First and last samples of the times that it does; beyond the last of all where a loop begins anew.
    runs: Vec<[usize; 2]>,
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
            runs: Vec::new(),
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
        point.runs.push([from, to]);
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
        let steps = points.first().map_or(0, |point| point.places.len() - 1);
        let line = Line::new(steps, looping);
        let joints: Vec<Joint> = points.iter().map(|point| self.joint(point, line, ground)).collect();
        let level = stay::shifts(&joints, f64::from(self.step));
        let raised = self.raised(points, floor, line);
        let leg = f64::from(self.leg());
        let values: Vec<Vec3> = level.iter().zip(raised).map(|(a, b)| (*a * leg + b).as_vec3()).collect();
        line.own(&values)
    }

    /// A joint of a foot as it moves over the ground, in lengths of a leg.
    fn joint(&self, point: &Point, line: Line, ground: Vec3) -> Joint {
        let last = point.places.len() - 1;
        let over = |places: &[Vec3], at: usize| {
            let (sample, round) = line.sample(at);
            let gone = places[last] - places[0] - ground * last as f32;
            let place = places[sample] + gone * round - ground * sample as f32;
            (self.level(place) * (1.0 / self.leg())).as_dvec3()
        };
        let heights: Vec<f32> = point.sources.iter().map(|place| place.dot(self.up)).collect();
        let lowest = heights.iter().copied().fold(f32::INFINITY, f32::min);
        let own = |at: usize| line.sample(at).0;
        let row = 0..line.len();
        Joint {
            path: row.clone().map(|at| over(&point.places, at)).collect(),
            source: row.clone().map(|at| over(&point.sources, at)).collect(),
            height: row.clone().map(|at| f64::from((heights[own(at)] - lowest) / self.leg())).collect(),
            stands: row.map(|at| f64::from(point.stands[own(at)])).collect(),
            runs: point.runs.iter().flat_map(|run| line.rounds(*run)).collect(),
        }
    }

    /// What a foot is raised by: what it needs while it stands, and smooth between.
    fn raised(&self, points: &[Point], floor: f32, line: Line) -> Vec<DVec3> {
        let mut wishes = Wishes::new(line.len(), 1.0);
        for at in 0..line.len() {
            let (sample, _) = line.sample(at);
            if points.iter().any(|point| point.stands[sample] > 0.0) {
                let raise = self.raise(points, sample, floor);
                wishes.place(at, (self.up * raise).as_dvec3(), NEEDED);
            } else {
                wishes.place(at, (self.up * floor).as_dvec3(), FREE);
                wishes.step(at, DVec3::ZERO, CALM);
            }
        }
        wishes.path()
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
