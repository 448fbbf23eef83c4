//! Where the joints of the feet are, in even steps of time.

use crate::Foot;
use sinew::glam::Vec3;
use sinew::{
    Aabb, Character, Clip, JobError, Joint, JointTracks, Mat3x4, Pose, Sampling, Skeleton, Travel, job,
};
use std::borrow::Cow;

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
        clip.fits(skeleton.len(), skeleton.scalar_names().len())?;
        let duration = f64::from(clip.duration());
        let count = (duration * f64::from(rate)).ceil().clamp(2.0, MOST) as usize;
        let step = duration / count as f64;
        let mut legs = Legs::of(skeleton, clip, joints.iter().map(|&(_, joint)| joint).collect());
        let first: Vec<Vec3> = legs.at(0.0)?.collect();
        let last: Vec<Vec3> = legs.at(duration)?.collect();
        let rest = |joint: u16| skeleton.rest_model()[usize::from(joint)].translation().dot(up);
        let mut points: Vec<Point> = joints
            .iter()
            .map(|&(foot, joint)| Point { foot, rest: rest(joint), places: Vec::with_capacity(count) })
            .collect();
        for sample in 0..count {
            let places = legs.at((sample as f64 + 0.5) * step)?;
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
        // Nearly all are in this round, and to divide takes longer than all else here.
        let (round, at) = match sample {
            _ if (0..count).contains(&sample) => (0, sample),
            _ => (sample.div_euclid(count), sample.rem_euclid(count)),
        };
        point.places[at as usize] + self.travel * round as f32
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

/// Joints of a character on which a clip is sampled.
struct Legs<'a> {
    skeleton: Cow<'a, Skeleton>,
    clip: Cow<'a, Clip>,
    /// Whose places are asked for.
    joints: Vec<u16>,
    pose: Pose,
    models: Vec<Mat3x4>,
}

impl<'a> Legs<'a> {
    /// Of a clip that fits the skeleton.
    fn of(skeleton: &'a Skeleton, clip: &'a Clip, joints: Vec<u16>) -> Self {
        let (skeleton, clip, joints) = match alone(skeleton, clip, &joints) {
            Some((skeleton, clip, joints)) => (Cow::Owned(skeleton), Cow::Owned(clip), joints),
            None => (Cow::Borrowed(skeleton), Cow::Borrowed(clip), joints),
        };
        let (pose, models) = (skeleton.rest().clone(), vec![Mat3x4::IDENTITY; skeleton.len()]);
        Self { skeleton, clip, joints, pose, models }
    }

    /// Where the joints are at a time.
    fn at(&mut self, time: f64) -> Result<impl Iterator<Item = Vec3> + '_, JobError> {
        job::sample(&self.skeleton, &self.clip, time, Sampling::Interpolate, &mut self.pose)?;
        let (hierarchy, locals) = (self.skeleton.hierarchy(), self.pose.blocks());
        job::local_to_model(hierarchy, locals, &Mat3x4::IDENTITY, &mut self.models)?;
        Ok(self.joints.iter().map(|&joint| self.models[usize::from(joint)].translation()))
    }
}

/// Some joints with those above them, without the others, which take most of the time to sample and say nothing about these; and what the joints are
/// called there. None for a compiled clip: its frames hold all joints.
fn alone(skeleton: &Skeleton, clip: &Clip, joints: &[u16]) -> Option<(Skeleton, Clip, Vec<u16>)> {
    let keys = clip.keys()?;
    let mut kept = vec![false; skeleton.len()];
    for &joint in joints {
        let above = std::iter::successors(Some(joint), |&j| skeleton.parent(j));
        above.for_each(|j| kept[usize::from(j)] = true);
    }
    let kept: Vec<u16> = (0u16..).zip(kept).filter_map(|(joint, kept)| kept.then_some(joint)).collect();
    let place = |joint: u16| kept.binary_search(&joint).ok().map(|place| place as u16);
    let joint =
        |&j: &u16| Joint::new("", skeleton.parent(j).and_then(place), skeleton.rest().get(usize::from(j)));
    let tracks = keys.joints().iter();
    let tracks = tracks.filter_map(|own| Some(JointTracks { joint: place(own.joint)?, ..own.clone() }));
    Some((
        Skeleton::new(kept.iter().map(joint).collect(), vec![]).ok()?,
        Clip::new("", clip.duration(), tracks.collect(), vec![]).ok()?,
        joints.iter().filter_map(|&joint| place(joint)).collect(),
    ))
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

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::glam::Quat;
    use sinew::{Interpolation, Track, Transform};

    /// A chain with a side branch at every joint, so that joints that are kept and joints that are not alternate.
    fn branched() -> Skeleton {
        let rest = |i: u16| Transform::from_translation(Vec3::new(0.3, 1.0, f32::from(i) * 0.1));
        let parent = |i: u16| i.checked_sub(if i.is_multiple_of(2) { 2 } else { 1 });
        Skeleton::new((0..12).map(|i| Joint::new(format!("j{i}"), parent(i), rest(i))).collect(), vec![])
            .unwrap()
    }

    fn waving(joints: impl Iterator<Item = u16>) -> Clip {
        let tracks = |joint: u16| {
            let turn = |key: u16| Quat::from_rotation_x(f32::from(key * (joint + 1)) * 0.2);
            let times = (0..5u16).map(f32::from).collect();
            let rotation = Track::new(times, (0..5).map(turn).collect(), Interpolation::Linear).unwrap();
            JointTracks { rotation: Some(rotation), ..JointTracks::new(joint) }
        };
        Clip::new("wave", 4.0, joints.map(tracks).collect(), vec![]).unwrap()
    }

    #[test]
    fn legs_alone_move_as_with_the_whole_character() {
        let (skeleton, feet) = (branched(), vec![10, 7, 2]);
        // Joint 4 stays at rest.
        let clip = waving((0..12).filter(|joint| *joint != 4));
        let (mut pose, mut models) = (skeleton.rest().clone(), vec![Mat3x4::IDENTITY; skeleton.len()]);
        let mut legs = Legs::of(&skeleton, &clip, feet.clone());
        assert_eq!(legs.skeleton.len(), 7, "0, 2, 4, 6, 7, 8 and 10");
        for time in [0.0, 0.3, 1.7, 4.0] {
            job::sample(&skeleton, &clip, time, Sampling::Interpolate, &mut pose).unwrap();
            job::local_to_model(skeleton.hierarchy(), pose.blocks(), &Mat3x4::IDENTITY, &mut models).unwrap();
            let expected: Vec<Vec3> =
                feet.iter().map(|&j: &u16| models[usize::from(j)].translation()).collect();
            assert_eq!(legs.at(time).unwrap().collect::<Vec<_>>(), expected, "at {time}");
        }
    }
}
