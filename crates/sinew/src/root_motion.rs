//! Travel of the root: a walk that leaves the spot, a turn, and what to do with it.

use crate::math::{normalize, product, rotate};
use crate::{Clip, NO_JOINT, Pose, Skeleton, Transform};
use glam::{DQuat, DVec3, Quat, Vec3};

/// What becomes of a clip's travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "toml", derive(serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum RootMotion {
    /// The pose travels, as the clip was made; a loop snaps back.
    #[default]
    Keep,
    /// The pose stays on the spot and keeps its heading: travel is taken out, sway remains.
    InPlace,
    /// As in place, and each update tells how far the character went, for the game to move it by. A clip made in place goes by its
    /// [velocity over the ground](Clip::ground_velocity).
    Extract,
}

/// A turn of less than this over a whole clip, in radians, is rounding of its keys.
const LEAST_TURN: f64 = 1e-5;
/// Stretches of a clip within each of which the root turns by less than half a circle.
const STRETCHES: u32 = 8;

/// How far something went and turned about an axis: first the turn, then the way.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub(crate) struct Motion {
    pub(crate) way: DVec3,
    /// Radians.
    pub(crate) turn: f64,
}

impl Motion {
    /// First `next`, then this.
    fn then(self, next: Self, up: DVec3) -> Self {
        Self { way: self.way + turned(next.way, up, self.turn), turn: self.turn + next.turn }
    }

    fn back(self, up: DVec3) -> Self {
        Self { way: turned(-self.way, up, -self.turn), turn: -self.turn }
    }

    /// So many times; backward if below zero.
    fn times(self, count: i64, up: DVec3) -> Self {
        let mut left = count.unsigned_abs();
        let (mut power, mut sum) = (if count < 0 { self.back(up) } else { self }, Self::default());
        while left > 0 {
            if left & 1 == 1 {
                sum = sum.then(power, up);
            }
            power = power.then(power, up);
            left >>= 1;
        }
        sum
    }
}

/// A vector turned about an axis of unit length.
fn turned(v: DVec3, up: DVec3, angle: f64) -> DVec3 {
    if angle == 0.0 {
        return v;
    }
    let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
    v * cosine + up.cross(v) * sine + up * (up.dot(v) * (1.0 - cosine))
}

/// A rotation about an axis of unit length.
pub(crate) fn about(up: Vec3, angle: f64) -> Quat {
    let (sine, cosine) = (libm::sin(angle * 0.5) as f32, libm::cos(angle * 0.5) as f32);
    Quat::from_xyzw(up.x * sine, up.y * sine, up.z * sine, cosine)
}

/// The straight path of the root from its first to its last key, in model space, and the turn of its heading.
///
/// It is linear in time and not the root's curve: the rest of the root's motion is sway and stays in the pose. A clip made in place does not travel; where it has a
/// [velocity over the ground](Clip::ground_velocity), extracted root motion goes by that.
///
/// ```
/// # fn demo(character: std::sync::Arc<sinew::Character>) -> Result<(), Box<dyn std::error::Error>> {
/// let walk = character.clips().by_name("walk")?;
/// let travel = walk.travel(&character, None);
/// println!("one cycle goes {} m and turns by {} degrees", travel.whole().length(), travel.turn().to_degrees());
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Travel {
    joint: Option<u16>,
    first: f64,
    last: f64,
    whole: Vec3,
    turn: f32,
    /// Where the root stands at first: it turns about itself.
    pivot: Vec3,
    up: Vec3,
    /// Velocity over the ground that is not in the pose, and seconds of one pass.
    ground: Vec3,
    duration: f64,
}

/// What a file says of a [`Travel`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stated {
    pub(crate) joint: u16,
    pub(crate) times: [f32; 2],
    pub(crate) whole: Vec3,
    pub(crate) turn: f32,
}

impl Travel {
    /// Measures a clip. The root is the joint given, else the highest one that moves by translation keys, else a root joint that turns. Travel along `up`
    /// is left to the pose; pass zero to count all three directions, and no turn.
    pub fn of(clip: &Clip, skeleton: &Skeleton, root: Option<u16>, up: Vec3) -> Self {
        let (ground, duration) = (clip.ground_velocity(), f64::from(clip.duration()));
        Self { ground, duration, ..Self::of_pose(clip, skeleton, root, up) }
    }

    fn of_pose(clip: &Clip, skeleton: &Skeleton, root: Option<u16>, up: Vec3) -> Self {
        let own = match root {
            None => clip.traveller(skeleton),
            Some(joint) => Some((joint, clip.travel_times(joint).unwrap_or_default())),
        };
        let Some((joint, [first, last])) = own else { return Self::of_turning_root(clip, skeleton, up) };
        let (first, last) = (f64::from(first), f64::from(last));
        let pivot = position(clip, skeleton, joint, first);
        let way = position(clip, skeleton, joint, last) - pivot;
        let whole = way - up * way.dot(up);
        if !(whole.is_finite() && pivot.is_finite()) {
            return Self { joint: Some(joint), ..Self::default() };
        }
        let turn = turn_of(clip, skeleton, joint, [first, last], up);
        Self { joint: Some(joint), first, last, whole, turn, pivot, up, ..Self::default() }
    }

    /// As a file states it: only where the root stands at first is taken from the clip.
    pub(crate) fn stated(clip: &Clip, skeleton: &Skeleton, up: Vec3, stated: Stated) -> Self {
        let [first, last] = stated.times.map(f64::from);
        Self {
            joint: Some(stated.joint),
            first,
            last,
            whole: stated.whole,
            turn: stated.turn,
            pivot: position(clip, skeleton, stated.joint, first),
            up,
            ground: clip.ground_velocity(),
            duration: clip.duration().into(),
        }
    }

    /// A clip that moves no root may still turn one.
    fn of_turning_root(clip: &Clip, skeleton: &Skeleton, up: Vec3) -> Self {
        let last = f64::from(clip.duration());
        let mut roots = skeleton.roots().filter(|&root| clip.moved(root).rotation);
        let Some(joint) = roots.next() else { return Self::default() };
        let turn = turn_of(clip, skeleton, joint, [0.0, last], up);
        let pivot = position(clip, skeleton, joint, 0.0);
        if turn == 0.0 || !pivot.is_finite() {
            return Self::default();
        }
        Self { joint: Some(joint), last, turn, pivot, up, ..Self::default() }
    }

    /// The same without its turn, which then stays in the pose.
    pub fn without_turn(self) -> Self {
        Self { turn: 0.0, ..self }
    }

    /// The same as in a mirror that swaps left and right: x changes its sign.
    pub(crate) fn mirrored(self) -> Self {
        let flip = |v: Vec3| Vec3::new(-v.x, v.y, v.z);
        // An axis of turning goes the other way round in a mirror.
        let [whole, pivot, ground] = [self.whole, self.pivot, self.ground].map(flip);
        Self { whole, pivot, ground, turn: -self.turn, ..self }
    }

    /// The joint that was measured, if the clip has a root.
    pub fn joint(&self) -> Option<u16> {
        self.joint
    }

    /// The displacement of one pass, within the pose.
    pub fn whole(&self) -> Vec3 {
        self.whole
    }

    /// The turn about the up axis of one pass, in radians.
    pub fn turn(&self) -> f32 {
        self.turn
    }

    /// When it begins and ends, in seconds of the clip.
    pub fn times(&self) -> [f64; 2] {
        [self.first, self.last]
    }

    /// How far the figure goes in one pass: with its root, or over the ground below a clip made in place.
    pub fn way(&self) -> Vec3 {
        self.whole + self.ground * self.duration as f32
    }

    /// Whether the figure moves over the ground though its pose does not.
    pub(crate) fn is_over_ground(&self) -> bool {
        self.ground != Vec3::ZERO
    }

    pub(crate) fn up(&self) -> Vec3 {
        self.up
    }

    fn part(&self, time: f64) -> f64 {
        let length = self.last - self.first;
        if length <= 0.0 { 0.0 } else { ((time - self.first) / length).clamp(0.0, 1.0) }
    }

    /// The displacement from the start of the clip to a time.
    pub fn at(&self, time: f64) -> Vec3 {
        self.whole * (self.part(time) as f32)
    }

    /// Displacement and turn from the start of the clip to a time, as a transform of the whole model.
    pub fn transform_at(&self, time: f64) -> Transform {
        let motion = self.in_pose(time);
        Transform {
            translation: motion.way.as_vec3(),
            rotation: about(self.up, motion.turn),
            ..Transform::IDENTITY
        }
    }

    /// From the start of the clip to a time, as the pose has it.
    fn in_pose(&self, time: f64) -> Motion {
        let way = self.at(time).as_dvec3();
        if self.turn == 0.0 {
            return Motion { way, turn: 0.0 };
        }
        let turn = f64::from(self.turn) * self.part(time);
        let pivot = self.pivot.as_dvec3();
        Motion { way: pivot + way - turned(pivot, self.up.as_dvec3(), turn), turn }
    }

    /// The same over the ground.
    fn motion_at(&self, time: f64) -> Motion {
        let Motion { way, turn } = self.in_pose(time);
        Motion { way: way + self.ground.as_dvec3() * time.min(self.duration), turn }
    }

    /// From one time of one pass to another of a pass so many later.
    pub(crate) fn between(&self, from: f64, to: f64, passes: f64) -> Motion {
        if self.turn == 0.0 {
            let way = self.whole.as_dvec3() * passes + self.at(to).as_dvec3() - self.at(from).as_dvec3();
            let ground = self.ground.as_dvec3() * (passes * self.duration + to - from);
            return Motion { way: way + ground, turn: 0.0 };
        }
        let up = self.up.as_dvec3();
        let whole = self.motion_at(self.last.max(self.duration)).times(passes as i64, up);
        self.motion_at(from).back(up).then(whole, up).then(self.motion_at(to), up)
    }

    /// Takes the travel out of a pose sampled at `time`. The whole model moves: every root joint is moved and turned back alike, so
    /// `travel(t) · in_place(t)` is the pose as it was.
    pub fn remove(&self, skeleton: &Skeleton, time: f64, pose: &mut Pose) {
        if self.turn == 0.0 {
            let way = self.at(time);
            if way != Vec3::ZERO {
                change_roots(skeleton, pose, |local| local.translation -= way);
            }
            return;
        }
        let back = self.in_pose(time).back(self.up.as_dvec3());
        let (way, turn) = (back.way.as_vec3(), about(self.up, back.turn));
        change_roots(skeleton, pose, |local| {
            local.translation = way + rotate(turn, local.translation);
            local.rotation = normalize(product(turn, local.rotation).to_array());
        });
    }
}

fn change_roots(skeleton: &Skeleton, pose: &mut Pose, change: impl Fn(&mut Transform)) {
    for root in skeleton.roots() {
        let mut local = pose.get(usize::from(root));
        change(&mut local);
        pose.set(usize::from(root), local);
    }
}

/// By how much a joint turns about an axis between two times, over all turns.
fn turn_of(clip: &Clip, skeleton: &Skeleton, joint: u16, [first, last]: [f64; 2], up: Vec3) -> f32 {
    if up == Vec3::ZERO || last <= first {
        return 0.0;
    }
    let tau = std::f64::consts::TAU;
    let angle = |from: DQuat, to: DQuat| {
        let way = to * from.conjugate();
        let angle = 2.0
            * libm::atan2(way.x * f64::from(up.x) + way.y * f64::from(up.y) + way.z * f64::from(up.z), way.w);
        angle - tau * libm::rint(angle / tau)
    };
    let step = (last - first) / f64::from(STRETCHES);
    let start = heading(clip, skeleton, joint, first);
    let (mut sum, mut before) = (0.0, start);
    for i in 1..=STRETCHES {
        let now = heading(clip, skeleton, joint, first + step * f64::from(i));
        sum += angle(before, now);
        before = now;
    }
    // From start to end it is known but for whole turns, which the stretches tell. Their sum alone would depend on how the root leans on the way.
    let net = angle(start, before);
    let turn = net + tau * libm::rint((sum - net) / tau);
    if turn.is_finite() && turn.abs() > LEAST_TURN { turn as f32 } else { 0.0 }
}

/// How a joint is turned in model space.
fn heading(clip: &Clip, skeleton: &Skeleton, joint: u16, time: f64) -> DQuat {
    let chain = std::iter::successors(Some(joint), |&joint| skeleton.parent(joint));
    chain.fold(DQuat::IDENTITY, |below, joint| local(clip, skeleton, joint, time).rotation.as_dquat() * below)
}

fn local(clip: &Clip, skeleton: &Skeleton, joint: u16, time: f64) -> Transform {
    clip.sample_joint(skeleton, joint, time).unwrap_or_else(|_| skeleton.rest().get(usize::from(joint)))
}

/// Where a clip puts a joint in model space, from the few tracks above it.
fn position(clip: &Clip, skeleton: &Skeleton, joint: u16, time: f64) -> Vec3 {
    let mut point = Vec3::ZERO;
    let mut at = joint;
    while at != NO_JOINT {
        point = local(clip, skeleton, at, time).to_affine().transform_point3(point);
        at = skeleton.parent(at).unwrap_or(NO_JOINT);
    }
    point
}

#[cfg(test)]
mod tests;
