//! The clips, in the order of a creature's slots.

mod battle;
mod daily;
mod ease;

use super::pose::{Pose, frame_at};
use super::skeleton::Skeleton;
use crate::math;
use crate::scene::{Curve, Property, Take, Track};
use glam::{DQuat, DVec3};

/// Frames a second.
pub const RATE: f64 = 60.0;

/// What the creature can do; the number is its slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Motion {
    Idle,
    Bite,
    Claw,
    TailWhip,
    Faint,
    Hit,
    Breath,
    Gust,
    Sleep,
    Jump,
    LookAround,
    Spin,
    Eat,
    Roar,
    Wave,
    Dance,
    Walk,
    Happy,
}

/// What is known of a motion: source name, tag, frames, whether it loops.
type About = (&'static str, &'static str, usize, bool);

impl Motion {
    /// All of them, by slot.
    pub const ALL: [Motion; 18] = [
        Motion::Idle,
        Motion::Bite,
        Motion::Claw,
        Motion::TailWhip,
        Motion::Faint,
        Motion::Hit,
        Motion::Breath,
        Motion::Gust,
        Motion::Sleep,
        Motion::Jump,
        Motion::LookAround,
        Motion::Spin,
        Motion::Eat,
        Motion::Roar,
        Motion::Wave,
        Motion::Dance,
        Motion::Walk,
        Motion::Happy,
    ];

    fn about(self) -> About {
        match self {
            Motion::Idle => ("battlewait01_loop", "Idle", 120, true),
            Motion::Bite => ("attack01", "Attack1", 72, false),
            Motion::Claw => ("attack02", "Attack2", 80, false),
            Motion::TailWhip => ("attack03", "Attack3", 88, false),
            Motion::Faint => ("down01", "Faint", 120, false),
            Motion::Hit => ("damage01", "HitReact", 56, false),
            Motion::Breath => ("rangeattack01", "Special1", 132, false),
            Motion::Gust => ("rangeattack02", "Special2", 128, false),
            Motion::Sleep => ("sleep01_loop", "Action3", 192, true),
            Motion::Jump => ("jump01", "Action4", 96, false),
            Motion::LookAround => ("lookaround01", "Action5", 200, false),
            Motion::Spin => ("spin01", "Action6", 96, false),
            Motion::Eat => ("eat01", "Action7", 180, false),
            Motion::Roar => ("roar01", "Action8", 132, false),
            Motion::Wave => ("byebye01", "Action9", 156, false),
            Motion::Dance => ("dance01_loop", "Action10", 128, true),
            Motion::Walk => ("walk01_loop", "Walk", 56, true),
            Motion::Happy => ("happy01", "Happy", 120, false),
        }
    }

    /// What the source calls it.
    pub fn source_name(self) -> &'static str {
        self.about().0
    }

    /// Its tag; the last two slots are beyond the built-in table.
    pub fn tag(self) -> &'static str {
        self.about().1
    }

    /// Slot.
    pub fn slot(self) -> usize {
        self as usize
    }

    /// Number of frames; the last key is at that frame.
    pub fn frames(self) -> usize {
        self.about().2
    }

    /// Whether the last frame is the first one again.
    pub fn looped(self) -> bool {
        self.about().3
    }

    /// Length in seconds.
    pub fn duration(self) -> f64 {
        self.frames() as f64 / RATE
    }

    /// The pose at a time, before the clip too: a loop comes round, anything else holds.
    pub(super) fn pose(self, time: f64) -> Pose {
        let end = self.duration();
        let time = if self.looped() {
            // The last frame must be the first one to the bit.
            let round = (time / end).floor();
            let time = time - round * end;
            if end - time < 1e-9 { 0.0 } else { time }
        } else {
            time.clamp(0.0, end)
        };
        match self {
            Motion::Idle => battle::idle(time / end),
            Motion::Bite => battle::bite(time),
            Motion::Claw => battle::claw(time),
            Motion::TailWhip => battle::tail_whip(time),
            Motion::Faint => battle::faint(time),
            Motion::Hit => battle::hit(time),
            Motion::Breath => battle::breath(time),
            Motion::Gust => battle::gust(time),
            Motion::Sleep => daily::sleep(time / end),
            Motion::Jump => daily::jump(time),
            Motion::LookAround => daily::look_around(time),
            Motion::Spin => daily::spin(time),
            Motion::Eat => daily::eat(time),
            Motion::Roar => daily::roar(time),
            Motion::Wave => daily::wave(time),
            Motion::Dance => daily::dance(time / end),
            Motion::Walk => daily::walk(time / end),
            Motion::Happy => daily::happy(time),
        }
    }

    /// The take: per-axis curves with as few keys as say the same, each axis its own.
    pub fn take(self, skeleton: &Skeleton) -> Take {
        let times: Vec<f64> = (0..=self.frames()).map(|f| f as f64 / RATE).collect();
        let frames: Vec<_> = times.iter().map(|&t| frame_at(skeleton, |t| self.pose(t), t)).collect();
        let scene = skeleton.scene();
        let mut take = Take::new(self.source_name(), 0.0, self.duration());
        let mut add = |node: usize, property: Property, values: Vec<DVec3>| {
            let rest = &scene.nodes[node].transform;
            let (rest, near) = match property {
                Property::Translation => (rest.translation, 0.003),
                Property::Rotation => (rest.rotation, 0.02),
                Property::Scaling => (rest.scaling, 2e-4),
            };
            let keys = [0, 1, 2].map(|axis| -> Vec<(f64, f64)> {
                times.iter().copied().zip(values.iter().map(|v| v[axis])).collect()
            });
            let mut curves = [0, 1, 2].map(|axis| curve(&keys[axis], rest[axis], near));
            if property == Property::Rotation && is_ambiguous(&curves, rest) {
                for (curve, keys) in curves.iter_mut().zip(&keys) {
                    curve.get_or_insert_with(|| Curve::linear([keys[0]]));
                }
            }
            if curves.iter().any(Option::is_some) {
                take.tracks.push(Track { node, property, curves });
            }
        };
        for (index, joint) in skeleton.joints.iter().enumerate() {
            let above = joint.parent.map_or(DQuat::IDENTITY, |p| skeleton.joints[p].rotation);
            let mut before = scene.nodes[index].transform.rotation;
            let angles = frames.iter().map(|f| {
                let local = above.inverse() * f.turns[index] * joint.rotation;
                before = math::nearest_branch(math::to_euler_xyz(local), before);
                before
            });
            add(index, Property::Rotation, angles.collect());
        }
        let waist = frames.iter().map(|f| f.waist).collect();
        add(skeleton.index("Waist"), Property::Translation, waist);
        let belly = frames.iter().map(|f| f.belly).collect();
        add(skeleton.index("Belly"), Property::Scaling, belly);
        take
    }
}

/// Whether the axes that have curves begin as near to the rest's other set of Euler angles as to the rest's own: whoever
/// reads the file would then fill in the missing axes from the wrong one.
fn is_ambiguous(curves: &[Option<Curve>; 3], rest: DVec3) -> bool {
    let other = DVec3::new(rest.x + 180.0, 180.0 - rest.y, rest.z + 180.0);
    let off = |from: DVec3| -> f64 {
        let starts = curves.iter().enumerate().filter_map(|(axis, c)| Some((axis, c.as_ref()?.value(0.0)?)));
        starts.map(|(axis, v)| (v - math::nearest_turn(from[axis], v)).abs()).sum()
    };
    curves.iter().any(Option::is_some) && off(other) < 1.5 * off(rest)
}

/// The curve through `keys`, less those that a straight line passes within `near` of. One that stays at rest is none
/// at all, one that stays elsewhere has a single key.
fn curve(keys: &[(f64, f64)], rest: f64, near: f64) -> Option<Curve> {
    let within = |value: f64| keys.iter().all(|k| (k.1 - value).abs() <= near * 0.5);
    if within(rest) {
        return None;
    }
    if within(keys[0].1) {
        return Some(Curve::linear([keys[0]]));
    }
    let mut kept = vec![keys[0]];
    thin(keys, near, &mut kept);
    Some(Curve::linear(kept))
}

/// Keeps the key farthest from the line from first to last, and so on to either side of it.
fn thin(keys: &[(f64, f64)], near: f64, kept: &mut Vec<(f64, f64)>) {
    let (first, last) = (keys[0], keys[keys.len() - 1]);
    let line = |t: f64| first.1 + (last.1 - first.1) * (t - first.0) / (last.0 - first.0);
    let off = |k: &(f64, f64)| (k.1 - line(k.0)).abs();
    let inner = 1..keys.len() - 1;
    let worst = inner.max_by(|&a, &b| off(&keys[a]).total_cmp(&off(&keys[b])));
    match worst {
        Some(worst) if off(&keys[worst]) > near => {
            thin(&keys[..=worst], near, kept);
            thin(&keys[worst..], near, kept);
        }
        _ => kept.push(last),
    }
}

#[cfg(test)]
mod tests;
