//! Where the joints of the feet are, in even steps of time.

use crate::Foot;
use sinew::glam::Vec3;
use sinew::{Aabb, Character, Clip, JobError, Mat3x4, Sampling, Travel, job};

/// No more samples than this are taken of a clip: two minutes.
const MOST: f64 = 7200.0;

/// Places of one joint, sample by sample.
pub(crate) struct Point {
    /// Which foot it is of.
    pub(crate) foot: usize,
    /// Height at rest.
    pub(crate) rest: f32,
    pub(crate) places: Vec<Vec3>,
}

/// A clip on a character: what its feet do.
pub(crate) struct Samples {
    pub(crate) points: Vec<Point>,
    pub(crate) up: Vec3,
    /// Height of the figure.
    pub(crate) height: f32,
    /// Seconds from one sample to the next. Samples lie in the middle of their steps.
    pub(crate) step: f32,
    pub(crate) count: usize,
    /// How the root travels in one round.
    pub(crate) travel: Vec3,
    /// Whether it ends as it begins, but for the travel.
    pub(crate) looping: bool,
}

impl Samples {
    pub(crate) fn of(
        character: &Character,
        clip: &Clip,
        feet: &[Foot],
        rate: f32,
        closed: f32,
    ) -> Result<Self, JobError> {
        let skeleton = character.skeleton();
        let up = Vec3::from(character.space().up);
        let joints: Vec<(usize, u16)> = feet
            .iter()
            .enumerate()
            .flat_map(|(index, foot)| foot.joints().map(move |joint| (index, joint)))
            .collect();
        if let Some(&(_, joint)) = joints.iter().find(|(_, joint)| usize::from(*joint) >= skeleton.len()) {
            return Err(JobError::NoJoint { field: "feet", joint, joints: skeleton.len() });
        }
        let duration = f64::from(clip.duration());
        let count = (duration * f64::from(rate)).ceil().clamp(2.0, MOST) as usize;
        let step = duration / count as f64;
        let mut pose = skeleton.rest().clone();
        let mut models = vec![Mat3x4::IDENTITY; skeleton.len()];
        let mut at = |time: f64| -> Result<Vec<Vec3>, JobError> {
            job::sample(skeleton, clip, time, Sampling::Interpolate, &mut pose)?;
            job::local_to_model(skeleton.hierarchy(), pose.blocks(), &Mat3x4::IDENTITY, &mut models)?;
            Ok(joints.iter().map(|&(_, joint)| models[usize::from(joint)].translation()).collect())
        };
        let (first, last) = (at(0.0)?, at(duration)?);
        let rest = |joint: u16| skeleton.rest_model()[usize::from(joint)].translation().dot(up);
        let mut points: Vec<Point> = joints
            .iter()
            .map(|&(foot, joint)| Point { foot, rest: rest(joint), places: Vec::with_capacity(count) })
            .collect();
        for sample in 0..count {
            let places = at((sample as f64 + 0.5) * step)?;
            points.iter_mut().zip(places).for_each(|(point, place)| point.places.push(place));
        }
        let height = height(character, up, feet);
        let travel = Travel::of(clip, skeleton, None, up).whole();
        let ends = first.iter().zip(&last);
        let looping =
            duration > 0.0 && ends.clone().all(|(a, b)| (*b - *a - travel).length() < closed * height);
        Ok(Self { points, up, height, step: step as f32, count, travel, looping })
    }

    /// How far the ankle of a foot, its first point, goes up and down.
    pub(crate) fn lift(&self, foot: usize) -> f32 {
        let Some(ankle) = self.points.iter().find(|point| point.foot == foot) else { return 0.0 };
        let heights = ankle.places.iter().map(|place| place.dot(self.up));
        let start = (f32::INFINITY, f32::NEG_INFINITY);
        let (low, high) = heights.fold(start, |(low, high), height| (low.min(height), high.max(height)));
        (high - low).max(0.0)
    }

    /// Velocity of a point over the ground plane, around a sample.
    pub(crate) fn velocity(&self, point: &Point, sample: usize) -> Vec3 {
        let (before, after) = if self.looping {
            (self.round(point, sample as isize - 1), self.round(point, sample as isize + 1))
        } else {
            (point.places[sample.saturating_sub(1)], point.places[(sample + 1).min(self.count - 1)])
        };
        let steps = if self.looping || (sample > 0 && sample + 1 < self.count) { 2.0 } else { 1.0 };
        self.level((after - before) * (1.0 / (steps * self.step)))
    }

    /// A place in this round, the one before or the next.
    fn round(&self, point: &Point, sample: isize) -> Vec3 {
        let count = self.count as isize;
        point.places[sample.rem_euclid(count) as usize] + self.travel * sample.div_euclid(count) as f32
    }

    /// Where a point of a span is, which may go on in the next round.
    pub(crate) fn place(&self, point: &Point, sample: usize) -> Vec3 {
        self.round(point, sample as isize)
    }

    /// A vector without its part along up.
    pub(crate) fn level(&self, v: Vec3) -> Vec3 {
        v - self.up * self.up.dot(v)
    }
}

/// Height of the figure at rest. A file without meshes may hold cameras and lights far away: there, what hangs below the joint that all feet hang
/// below is the figure.
fn height(character: &Character, up: Vec3, feet: &[Foot]) -> f32 {
    let skeleton = character.skeleton();
    let drawn = character.meshes().iter().any(|mesh| !mesh.positions.is_empty());
    let above = |joint: u16| std::iter::successors(Some(joint), |&j| skeleton.parent(j));
    let hips = feet.first().and_then(|first| {
        let shared = |joint: &u16| {
            feet.iter().all(|foot| foot.ankle != *joint && above(foot.ankle).any(|j| j == *joint))
        };
        above(first.ankle).find(shared)
    });
    let bounds = match hips {
        Some(hips) if !drawn => {
            let own =
                (0u16..).zip(skeleton.rest_model()).filter(|(joint, _)| above(*joint).any(|j| j == hips));
            own.fold(Aabb::EMPTY, |all, (_, model)| all.with(model.translation()))
        }
        _ => character.rest_bounds(),
    };
    let size = bounds.max - bounds.min;
    let height = if bounds.is_empty() { 0.0 } else { size.dot(up.abs()).max(0.0) };
    if height > 0.0 && height.is_finite() {
        height
    } else {
        1.0 / character.space().unit_meters.max(f32::MIN_POSITIVE)
    }
}
