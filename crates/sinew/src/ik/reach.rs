//! A chain of any length that reaches a point: forward and backward reaching (FABRIK).

use super::posed::{Posed, finite, share};
use super::rotation::{about, arc, inverse, multiply, perpendicular, rotate};
use crate::math::normalize_or;
use crate::{JobError, job};
use glam::{Affine3, Vec3, Vec4};

/// Turns a chain of joints so that the last one is at a target: a tail, a tentacle, a rope.
///
/// A target within reach is met; towards one that is not, the chain is straight. Scale within the chain should be the same along all axes:
/// where it is not, segments change their length as they turn, and the target is met only nearly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach<'a> {
    /// From the fixed joint to the one that reaches, each below the one before. Joints may lie between: they stay as they are.
    pub chain: &'a [u16],
    /// Where the last joint shall be, in model space.
    pub target: Vec3,
    /// How often the chain is gone through at most.
    pub rounds: usize,
    /// 0 leaves the pose as it is, 1 goes all the way.
    pub weight: f32,
}

impl<'a> Reach<'a> {
    /// All the way, in 32 rounds at most.
    pub fn new(chain: &'a [u16], target: Vec3) -> Self {
        Self { chain, target, rounds: 32, weight: 1.0 }
    }

    /// Changes the rotations of all joints of the chain but the last. `scratch` needs an element for each of them.
    ///
    /// Fails if a joint is not there or not below the one before, `scratch` is too short, or a number is not finite. A chain of fewer
    /// than two joints changes nothing.
    pub fn solve(&self, scratch: &mut [Vec4], posed: &mut Posed<'_>) -> Result<(), JobError> {
        job::at_least("scratch", self.chain.len(), scratch.len())?;
        for (index, &joint) in self.chain.iter().enumerate() {
            match index.checked_sub(1) {
                None => posed.has("chain", joint)?,
                Some(above) => posed.hangs("chain", joint, self.chain[above])?,
            }
        }
        finite("target", self.target.is_finite())?;
        let weight = share("weight", self.weight)?;
        let &[first, .., _] = self.chain else { return Ok(()) };
        if weight == 0.0 {
            return Ok(());
        }
        let into_parent = posed.to_parent(first)?;
        let links = &mut scratch[..self.chain.len()];
        self.place(posed, links);
        let target = into_parent.transform_point3(self.target);
        Links(links).reach(target, self.rounds);
        self.turn(links, weight, posed);
        posed.follow(first)
    }

    /// Places of the joints in the space of the first one's parent, each with the length of the segment to the next.
    fn place(&self, posed: &Posed<'_>, links: &mut [Vec4]) {
        let mut to = posed.pose().get(self.chain[0].into()).to_affine();
        links[0] = to.translation.extend(0.0);
        for (index, pair) in self.chain.windows(2).enumerate() {
            to *= posed.between(pair[0], pair[1]);
            links[index + 1] = to.translation.extend(0.0);
            links[index].w = (to.translation - links[index].truncate()).length();
        }
    }

    /// Turns each joint so that the next is where it was placed.
    fn turn(&self, links: &[Vec4], weight: f32, posed: &mut Posed<'_>) {
        let mut to = Affine3::IDENTITY;
        for (index, pair) in self.chain.windows(2).enumerate() {
            let mut local = posed.pose().get(pair[0].into());
            let Some(back) = inverse(to) else { return };
            let next = posed.between(pair[0], pair[1]);
            let from = rotate(local.rotation, next.translation * local.scale);
            let wanted = back.transform_point3(links[index + 1].truncate()) - local.translation;
            let rotation = multiply(arc(from, wanted, perpendicular(from)), local.rotation);
            posed.set_rotation(pair[0], rotation, weight);
            local.rotation = rotation;
            to = to * local.to_affine() * posed.between(pair[0], posed.parent(pair[1]));
        }
    }
}

/// Places of the joints, and the length of the segment to the next in `w`.
struct Links<'a>(&'a mut [Vec4]);

impl Links<'_> {
    fn at(&self, index: usize) -> Vec3 {
        self.0[index].truncate()
    }

    fn set(&mut self, index: usize, place: Vec3) {
        self.0[index] = place.extend(self.0[index].w);
    }

    fn last(&self) -> usize {
        self.0.len() - 1
    }

    fn reach(&mut self, target: Vec3, rounds: usize) {
        let (base, last) = (self.at(0), self.last());
        let length: f32 = self.0[..last].iter().map(|link| link.w).sum();
        let line = normalize_or(target - base, normalize_or(self.at(last) - base, Vec3::Y));
        if target.distance(base) >= length {
            return self.straighten(base, line);
        }
        self.bow(base, line, length);
        for _ in 0..rounds {
            if self.at(last).distance(target) <= 1e-6 * length {
                return;
            }
            self.pass(base, target);
        }
        self.close(base, target);
    }

    fn straighten(&mut self, base: Vec3, line: Vec3) {
        let mut along = 0.0;
        for index in 0..self.last() {
            along += self.0[index].w;
            self.set(index + 1, base + line * along);
        }
    }

    /// A chain that lies along the line to its target would stay on it: it is bent a little to one side.
    fn bow(&mut self, base: Vec3, line: Vec3, length: f32) {
        let off = |place: Vec3| (place - base - line * line.dot(place - base)).length();
        if (1..self.0.len()).any(|index| off(self.at(index)) > 1e-3 * length) {
            return;
        }
        let aside = perpendicular(line) * (0.05 * length);
        for index in 1..self.last() {
            self.set(index, self.at(index) + aside);
        }
    }

    /// From the target back to the base, and from the base to the end again.
    fn pass(&mut self, base: Vec3, target: Vec3) {
        let last = self.last();
        self.set(last, target);
        for index in (0..last).rev() {
            let (here, next) = (self.at(index), self.at(index + 1));
            self.set(index, next + normalize_or(here - next, Vec3::Y) * self.0[index].w);
        }
        self.set(0, base);
        for index in 0..last {
            let (here, next) = (self.at(index), self.at(index + 1));
            self.set(index + 1, here + normalize_or(next - here, Vec3::Y) * self.0[index].w);
        }
    }

    /// What the rounds leave over: the chain is made straighter, or bent at one joint, as an arm is at its elbow, until its end is as far away as the target,
    /// and turned towards it.
    fn close(&mut self, base: Vec3, target: Vec3) {
        let last = self.last();
        let distance = target.distance(base);
        if self.at(last).distance(base) < distance {
            self.stretch(base, distance);
        } else {
            let slack = |index: usize| {
                let (a, b) = (self.at(index).distance(base), self.at(last).distance(self.at(index)));
                (a + b - distance).min(distance - (a - b).abs())
            };
            // The joint that has the most play; where none has any, the end stays as near as it came.
            let elbow = (1..last).max_by(|&a, &b| slack(a).total_cmp(&slack(b)));
            if let Some(elbow) = elbow.filter(|&elbow| slack(elbow) > 0.0) {
                self.bend(base, elbow, distance);
            }
        }
        let line = normalize_or(target - base, Vec3::Y);
        let swing = arc(self.at(last) - base, line, perpendicular(line));
        for index in 1..=last {
            self.set(index, base + rotate(swing, self.at(index) - base));
        }
    }

    /// Turns every segment towards the line from base to end, all by the same part of their way, until the end is so far from the base.
    fn stretch(&mut self, base: Vec3, distance: f32) {
        let last = self.last();
        let line = normalize_or(self.at(last) - base, Vec3::Y);
        let turned = |from: Vec3, to: Vec3, part: f32| {
            let way = normalize_or(to - from, line);
            normalize_or(way + (line - way) * part, line)
        };
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..24 {
            let middle = 0.5 * (low + high);
            let links = (0..last).map(|i| turned(self.at(i), self.at(i + 1), middle) * self.0[i].w);
            if links.sum::<Vec3>().length() < distance {
                low = middle;
            } else {
                high = middle;
            }
        }
        let (mut before, mut place) = (base, base);
        for index in 0..last {
            let next = self.at(index + 1);
            place += turned(before, next, high) * self.0[index].w;
            self.set(index + 1, place);
            before = next;
        }
    }

    /// Turns what lies beyond a joint about it until the end is so far from the base.
    fn bend(&mut self, base: Vec3, elbow: usize, distance: f32) {
        let (middle, end) = (self.at(elbow), self.at(self.last()));
        let (first, second) = (middle - base, end - middle);
        let (a, b) = (first.length(), second.length());
        let axis = normalize_or(first.cross(second), perpendicular(first));
        let cosine = (distance * distance - a * a - b * b) / (2.0 * a * b);
        let now = libm::atan2f(axis.dot(first.cross(second)), first.dot(second));
        let turn = about(axis, libm::acosf(cosine.clamp(-1.0, 1.0)) - now);
        for index in elbow + 1..=self.last() {
            self.set(index, middle + rotate(turn, self.at(index) - middle));
        }
    }
}
