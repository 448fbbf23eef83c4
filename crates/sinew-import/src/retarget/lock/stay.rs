//! Where a foot stays over the ground while it stands.
//!
//! Ankle and ball cannot both stay where a foot rolls or turns. From sample to sample the one that bears the foot in the source, which is low and slow, stays more. That alone
//! lets a foot that turns about the one and then about the other go astray, so each joint is also drawn to one place for each time that it stands, and more so for each time that it hardly
//! moves; of two, the one that gets less far in the source counts more. What moves fast in the source is stopped softly: all of it is smooth.

use super::smooth::Wishes;
use sinew::glam::DVec3;
use std::ops::Range;

/// A joint that moves over the ground at this speed bears a quarter of what one bears that is still, in lengths of a leg a second.
const SLOW: f64 = 0.2;
/// The same of its height over the lowest that it gets, in lengths of a leg.
const LOW: f64 = 0.015;
/// Speeds are taken over so many samples before and behind.
const AROUND: usize = 2;
/// Below this speed it hardly moves, in lengths of a leg a second,
const STILL: f64 = 0.24;
/// for at least so many samples.
const LONG: usize = 6;
/// What counts against a shift that follows a joint that stands, whose weight is one: that it is not smooth; that the foot is not where the transfer has it.
const STIFF: f64 = 0.25;
const FREE: f64 = 2.5e-5;
/// That a joint is not at one place while it stands; while it hardly moves.
const STANDS: f64 = 5e-3;
const RESTS: f64 = 12e-3;
/// Joints that get no farther than this are as good as each other, in lengths of a leg.
const NEAR: f64 = 0.01;
/// The places depend on the shifts, and these on the places: so often each is worked out anew.
const PASSES: usize = 10;

/// A joint of a foot, sample by sample. Lengths are those of a leg.
#[derive(Default)]
pub(super) struct Joint {
    /// Where it is over the ground in the target, without a shift.
    pub path: Vec<DVec3>,
    /// The same in the source, as large, and its height over the lowest that it gets.
    pub source: Vec<DVec3>,
    pub height: Vec<f64>,
    /// How much it stands, from 0 to 1.
    pub stands: Vec<f64>,
    /// First and last samples of the times that it stands.
    pub runs: Vec<[usize; 2]>,
}

impl Joint {
    /// How fast it moves in the source around a sample, within a run, in lengths of a leg a second.
    fn speed(&self, at: usize, [first, last]: [usize; 2], step: f64) -> f64 {
        let (from, to) = (at.saturating_sub(AROUND).max(first), (at + AROUND).min(last));
        self.source[from].distance(self.source[to]) / ((to - from).max(1) as f64 * step)
    }

    /// How much of a foot it bears at a sample, if it stands.
    fn bears(&self, at: usize, step: f64) -> f64 {
        let speed = self.speed(at, [0, self.source.len() - 1], step) / SLOW;
        let height = self.height[at] / LOW;
        let even = 1.0 + speed * speed + height * height;
        self.stands[at] / (even * even)
    }

    /// Runs within a run in which it hardly moves.
    fn rests(&self, run: [usize; 2], step: f64) -> Vec<[usize; 2]> {
        let mut rests: Vec<[usize; 2]> = Vec::new();
        for at in (run[0]..=run[1]).filter(|&at| self.speed(at, run, step) < STILL) {
            match rests.last_mut() {
                Some(rest) if rest[1] + 1 == at => rest[1] = at,
                _ => rests.push([at, at]),
            }
        }
        rests.retain(|rest| rest[1] - rest[0] + 1 >= LONG);
        rests
    }
}

/// A time that a joint is to be at one place.
struct Stay<'a> {
    path: &'a [DVec3],
    run: [usize; 2],
    /// How far the source's joint gets from where it is in the mean, squared.
    far: f64,
}

impl<'a> Stay<'a> {
    fn new(joint: &'a Joint, run: [usize; 2]) -> Self {
        let source = &joint.source[run[0]..=run[1]];
        let middle = mean(source.iter().copied());
        let far = source.iter().map(|place| place.distance_squared(middle)).fold(0.0, f64::max);
        Self { path: &joint.path, run, far: far + NEAR * NEAR }
    }

    fn samples(&self) -> Range<usize> {
        self.run[0]..self.run[1] + 1
    }

    /// Where it is, in the mean.
    fn place(&self, shifts: &[DVec3]) -> DVec3 {
        mean(self.samples().map(|at| self.path[at] + shifts[at]))
    }
}

fn mean(places: impl ExactSizeIterator<Item = DVec3>) -> DVec3 {
    let count = places.len().max(1) as f64;
    places.sum::<DVec3>() * (1.0 / count)
}

/// Shifts over the ground by which what stands of a foot stays, in steps of so many seconds.
pub(super) fn shifts(joints: &[Joint], step: f64) -> Vec<DVec3> {
    let plain = followed(joints, step);
    let runs = |joint: &Joint| joint.runs.clone();
    let rests = |joint: &Joint| joint.runs.iter().flat_map(|run| joint.rests(*run, step)).collect();
    let drawn = [(STANDS, stays(joints, runs)), (RESTS, stays(joints, rests))];
    let mut shifts = plain.clone().path();
    for _ in 0..PASSES {
        let mut wishes = plain.clone();
        for (weight, stays) in &drawn {
            draw(&mut wishes, stays, *weight, &shifts);
        }
        shifts = wishes.path();
    }
    shifts
}

/// What bears the foot does not move from one sample to the next.
fn followed(joints: &[Joint], step: f64) -> Wishes {
    let count = joints.first().map_or(0, |joint| joint.path.len());
    let mut wishes = Wishes::new(count, STIFF);
    for at in 0..count {
        wishes.place(at, DVec3::ZERO, FREE);
        let stands = joints.iter().map(|joint| joint.stands[at]).fold(0.0, f64::max);
        if stands > 0.0 && at + 1 < count {
            let borne: f64 = joints.iter().map(|joint| joint.bears(at, step)).sum();
            let way = |joint: &Joint| (joint.path[at + 1] - joint.path[at]) * joint.bears(at, step);
            let way = joints.iter().map(way).sum::<DVec3>() * (1.0 / borne);
            wishes.step(at, -way, stands);
        }
    }
    wishes
}

fn stays(joints: &[Joint], runs: impl Fn(&Joint) -> Vec<[usize; 2]>) -> Vec<Stay<'_>> {
    joints.iter().flat_map(|joint| runs(joint).into_iter().map(|run| Stay::new(joint, run))).collect()
}

/// Draws joints to the places where they are in the mean with these shifts.
fn draw(wishes: &mut Wishes, stays: &[Stay<'_>], weight: f64, shifts: &[DVec3]) {
    let mut nearest = vec![f64::INFINITY; shifts.len()];
    for stay in stays {
        stay.samples().for_each(|at| nearest[at] = nearest[at].min(stay.far));
    }
    for stay in stays {
        let place = stay.place(shifts);
        for at in stay.samples() {
            let against = nearest[at] / stay.far;
            wishes.place(at, place - stay.path[at], weight * against * against);
        }
    }
}
