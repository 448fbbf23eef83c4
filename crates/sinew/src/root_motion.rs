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
    /// As in place, and each update tells how far the character went, for the game to move it by.
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
/// It is linear in time and not the root's curve: the rest of the root's motion is sway and stays in the pose.
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
}

impl Travel {
    /// Measures a clip. The root is the joint given, else the highest one that moves by translation keys, else a root joint that turns. Travel along `up`
    /// is left to the pose; pass zero to count all three directions, and no turn.
    pub fn of(clip: &Clip, skeleton: &Skeleton, root: Option<u16>, up: Vec3) -> Self {
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
        Self { joint: Some(joint), first, last, whole, turn, pivot, up }
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
        Self { joint: Some(joint), first: 0.0, last, whole: Vec3::ZERO, turn, pivot, up }
    }

    /// The same without its turn, which then stays in the pose.
    pub fn without_turn(self) -> Self {
        Self { turn: 0.0, ..self }
    }

    /// The same as in a mirror that swaps left and right: x changes its sign.
    pub(crate) fn mirrored(self) -> Self {
        let flip = |v: Vec3| Vec3::new(-v.x, v.y, v.z);
        // An axis of turning goes the other way round in a mirror.
        Self { whole: flip(self.whole), turn: -self.turn, pivot: flip(self.pivot), ..self }
    }

    /// The joint that was measured, if the clip has a root.
    pub fn joint(&self) -> Option<u16> {
        self.joint
    }

    /// The displacement of one pass.
    pub fn whole(&self) -> Vec3 {
        self.whole
    }

    /// The turn about the up axis of one pass, in radians.
    pub fn turn(&self) -> f32 {
        self.turn
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
        let motion = self.motion_at(time);
        Transform {
            translation: motion.way.as_vec3(),
            rotation: about(self.up, motion.turn),
            ..Transform::IDENTITY
        }
    }

    fn motion_at(&self, time: f64) -> Motion {
        let way = self.at(time).as_dvec3();
        if self.turn == 0.0 {
            return Motion { way, turn: 0.0 };
        }
        let turn = f64::from(self.turn) * self.part(time);
        let pivot = self.pivot.as_dvec3();
        Motion { way: pivot + way - turned(pivot, self.up.as_dvec3(), turn), turn }
    }

    /// From one time of one pass to another of a pass so many later.
    pub(crate) fn between(&self, from: f64, to: f64, passes: f64) -> Motion {
        if self.turn == 0.0 {
            let way = self.whole.as_dvec3() * passes + self.at(to).as_dvec3() - self.at(from).as_dvec3();
            return Motion { way, turn: 0.0 };
        }
        let up = self.up.as_dvec3();
        let whole = self.motion_at(self.last).times(passes as i64, up);
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
        let back = self.motion_at(time).back(self.up.as_dvec3());
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
mod tests {
    use super::*;
    use crate::{Interpolation, Joint, JointTracks, LoopMode, Mat3x4, Playback, Sampling, Track};
    use glam::Affine3;

    /// Hips under a turned armature, walking 1.8 m along model +Z with sway and a bounce.
    fn walk() -> (Skeleton, Clip) {
        let turned = Transform::from_rotation(Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2));
        let skeleton = Skeleton::new(
            vec![
                Joint::new("armature", None, turned),
                Joint::new("hips", Some(0), Transform::IDENTITY),
                Joint::new("leg", Some(1), Transform::from_translation(Vec3::X)),
                Joint::new("prop", None, Transform::from_translation(Vec3::splat(3.0))),
            ],
            vec![],
        )
        .unwrap();
        let keys = [[0.0, 0.0, 1.0], [0.05, -0.9, 1.1], [-0.05, -1.2, 1.0], [0.0, -1.8, 1.02]];
        let track =
            Track::new(vec![0.0, 0.4, 0.7, 1.0], keys.map(Vec3::from_array).to_vec(), Interpolation::Linear);
        let tracks = JointTracks { translation: Some(track.unwrap()), ..JointTracks::new(1) };
        (skeleton, Clip::new("walk", 1.0, vec![tracks], vec![]).unwrap())
    }

    fn model(skeleton: &Skeleton, pose: &Pose) -> Vec<Affine3> {
        let mut out = vec![Mat3x4::IDENTITY; skeleton.len()];
        crate::job::local_to_model(skeleton.hierarchy(), pose.blocks(), &Mat3x4::IDENTITY, &mut out).unwrap();
        out.into_iter().map(Affine3::from).collect()
    }

    #[test]
    fn travel_times_extracted_is_kept() {
        let (skeleton, clip) = walk();
        let travel = Travel::of(&clip, &skeleton, None, Vec3::Y);
        assert_eq!(travel.joint(), Some(1));
        assert!(travel.whole().abs_diff_eq(Vec3::new(0.0, 0.0, 1.8), 1e-5), "{}", travel.whole());
        for i in 0..=20 {
            let time = f64::from(i) / 20.0;
            let mut pose = skeleton.rest().clone();
            crate::job::sample(&skeleton, &clip, time, Sampling::Interpolate, &mut pose).unwrap();
            let kept = model(&skeleton, &pose);
            travel.remove(&skeleton, time, &mut pose);
            for (kept, extracted) in kept.iter().zip(model(&skeleton, &pose)) {
                let back = Affine3::from_translation(travel.at(time)) * extracted;
                assert!(back.abs_diff_eq(*kept, 1e-5));
            }
        }
    }

    #[test]
    fn in_place_ends_where_it_began_but_for_height() {
        let (skeleton, clip) = walk();
        let travel = Travel::of(&clip, &skeleton, None, Vec3::Y);
        let hips = |time| {
            let mut pose = skeleton.rest().clone();
            crate::job::sample(&skeleton, &clip, time, Sampling::Interpolate, &mut pose).unwrap();
            travel.remove(&skeleton, time, &mut pose);
            model(&skeleton, &pose)[1].translation
        };
        assert!((hips(1.0) - hips(0.0)).abs_diff_eq(Vec3::new(0.0, 0.02, 0.0), 1e-5));
        assert!(hips(0.4).x.abs() > 0.04, "the sway stays");
    }

    #[test]
    fn deltas_sum_up_over_loops() {
        let (skeleton, clip) = walk();
        let travel = Travel::of(&clip, &skeleton, None, Vec3::Y);
        for speed in [1.0, -0.5, 3.0] {
            let mut playback = Playback::new(1.0, LoopMode::Loop, speed);
            let mut sum = DVec3::ZERO;
            for step in [0.3, 0.9, 0.0, 2.7, 1.1] {
                playback.advance(step);
                sum += playback.displacement(&travel);
            }
            assert!((sum.z - 5.0 * speed * 1.8).abs() < 1e-5, "{sum}");
        }
        let mut playback = Playback::new(1.0, LoopMode::Times(2), 1.0);
        playback.advance(9.0);
        assert!((playback.displacement(&travel).z - 3.6).abs() < 1e-5);
        let mut playback = Playback::new(1.0, LoopMode::PingPong, 1.0);
        playback.advance(2.0);
        assert!(playback.displacement(&travel).length() < 1e-6, "there and back");
    }

    #[test]
    fn a_clip_without_a_moving_root_does_not_travel() {
        let (skeleton, _) = walk();
        let clip = Clip::new("still", 1.0, vec![], vec![]).unwrap();
        let travel = Travel::of(&clip, &skeleton, None, Vec3::Y);
        assert_eq!((travel.joint(), travel.at(0.5)), (None, Vec3::ZERO));
        assert_eq!(Travel::of(&clip, &skeleton, Some(1), Vec3::Y).whole(), Vec3::ZERO);
    }

    /// A step of 0.5 m forward with a turn of 30°, hips off the origin, swaying; turning clips have rotations of more than half a circle too.
    fn turning(whole: f32) -> (Skeleton, Clip) {
        let skeleton = Skeleton::new(
            vec![
                Joint::new("hips", None, Transform::from_translation(Vec3::new(0.2, 1.0, 0.1))),
                Joint::new("hand", Some(0), Transform::from_translation(Vec3::X)),
            ],
            vec![],
        )
        .unwrap();
        let times: Vec<f32> = (0..=16).map(|i| i as f32 / 16.0).collect();
        let turns =
            times.iter().map(|t| Quat::from_rotation_y(whole * t + 0.1 * (t * std::f32::consts::TAU).sin()));
        let places = times.iter().map(|t| Vec3::new(0.2, 1.0, 0.1 + 0.5 * t));
        let tracks = JointTracks {
            translation: Some(Track::new(times.clone(), places.collect(), Interpolation::Linear).unwrap()),
            rotation: Some(Track::new(times.clone(), turns.collect(), Interpolation::Linear).unwrap()),
            ..JointTracks::new(0)
        };
        (skeleton, Clip::new("turn", 1.0, vec![tracks], vec![]).unwrap())
    }

    #[test]
    fn a_turning_travel_times_extracted_is_kept() {
        for whole in [0.5, -1.5, 5.0, 7.0] {
            let (skeleton, clip) = turning(whole);
            let travel = Travel::of(&clip, &skeleton, None, Vec3::Y);
            assert!((travel.turn() - whole).abs() < 1e-4, "{}", travel.turn());
            let mut ends = Vec::new();
            for i in 0..=20 {
                let time = f64::from(i) / 20.0;
                let mut pose = Pose::of_clip(&skeleton, &clip, time).unwrap();
                let kept = model(&skeleton, &pose);
                travel.remove(&skeleton, time, &mut pose);
                let extracted = model(&skeleton, &pose);
                for (kept, extracted) in kept.iter().zip(&extracted) {
                    let back = travel.transform_at(time).to_affine() * *extracted;
                    assert!(back.abs_diff_eq(*kept, 1e-5), "{whole} at {time}");
                }
                ends.push(extracted);
            }
            for (first, last) in ends[0].iter().zip(&ends[20]) {
                assert!(first.abs_diff_eq(*last, 1e-4), "a loop does not snap: {first} {last}");
            }
        }
    }

    /// Second path: the transforms of single passes multiplied with glam, one after another.
    #[test]
    fn a_hundred_cycles_go_a_hundred_times_as_far() {
        let (skeleton, clip) = turning(0.5);
        let travel = Travel::of(&clip, &skeleton, None, Vec3::Y);
        let mut playback = Playback::new(1.0, LoopMode::Loop, 1.0);
        let (mut place, mut turn) = (glam::DAffine3::IDENTITY, 0.0);
        let step = 100.0 / 7001.0;
        for _ in 0..7001 {
            playback.advance(step);
            let motion = playback.motion(&travel);
            turn += motion.turn;
            place *= glam::DAffine3::from_rotation_translation(
                glam::DQuat::from_rotation_y(motion.turn),
                motion.way,
            );
        }
        let one = travel.transform_at(1.0).to_affine();
        let one = glam::DAffine3::from_mat3_translation(one.matrix3.as_dmat3(), one.translation.as_dvec3());
        let expected = (0..100).fold(glam::DAffine3::IDENTITY, |sum, _| sum * one);
        assert!(place.translation.distance(expected.translation) < 1e-3, "{place} {expected}");
        assert!((turn - 50.0).abs().to_degrees() < 0.1, "{turn}");
        let (straight, walk) = walk();
        let travel = Travel::of(&walk, &straight, None, Vec3::Y);
        let mut playback = Playback::new(1.0, LoopMode::Loop, 1.0);
        let way: f64 = (0..7001)
            .map(|_| {
                playback.advance(step);
                playback.motion(&travel).way.z
            })
            .sum();
        assert!((way - 180.0).abs() < 1e-3, "{way}");
        playback.seek(0.9);
        assert_eq!(playback.motion(&travel), Motion::default(), "a seek moves nothing");
    }
}
