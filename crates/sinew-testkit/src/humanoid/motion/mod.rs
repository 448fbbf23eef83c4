//! The clips: idle, walk, run, jump, land, bash and wave.

mod gait;
mod pose;
mod stand;

pub use gait::Contact;

use super::skeleton::Skeleton;
use crate::math;
use crate::scene::{Curve, Property, Scene, Take, Track};
use gait::{Gait, RUN, WALK};
use glam::{DQuat, DVec3};
use pose::Body;

/// Keys per second.
pub const RATE: f64 = 30.0;

/// Name of the take in every clip file.
pub const TAKE: &str = "mixamo.com";

/// What the character can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// Stands and breathes.
    Idle,
    /// Walks forward.
    Walk,
    /// Runs forward, both feet in the air twice a cycle.
    Run,
    /// Jumps on the spot.
    Jump,
    /// The end of the jump, from the touch of the ground on.
    Land,
    /// Strikes with the right arm.
    Bash,
    /// Greets with the right hand.
    Wave,
}

impl Motion {
    /// All of them.
    pub const ALL: [Motion; 7] =
        [Motion::Idle, Motion::Walk, Motion::Run, Motion::Jump, Motion::Land, Motion::Bash, Motion::Wave];

    /// Name, as files are called.
    pub fn name(self) -> &'static str {
        match self {
            Motion::Idle => "idle",
            Motion::Walk => "walk",
            Motion::Run => "run",
            Motion::Jump => "jump",
            Motion::Land => "land",
            Motion::Bash => "bash",
            Motion::Wave => "wave",
        }
    }

    /// Whether the last frame is the first one again.
    pub fn looped(self) -> bool {
        self != Motion::Land
    }

    /// Number of frames; the last key is at that frame.
    pub fn frames(self) -> usize {
        let whole = |seconds: f64| (seconds * RATE).round() as usize;
        match self {
            Motion::Idle => 80,
            Motion::Walk => WALK.frames,
            Motion::Run => RUN.frames,
            Motion::Jump => whole(stand::JUMP),
            Motion::Land => whole(stand::JUMP) - stand::LANDED,
            Motion::Bash => whole(stand::BASH),
            Motion::Wave => whole(stand::WAVE),
        }
    }

    /// Length in seconds.
    pub fn duration(self) -> f64 {
        self.frames() as f64 / RATE
    }

    /// How far the hips move forward in one round, in centimetres.
    pub fn travel(self) -> f64 {
        self.gait().map_or(0.0, |g| g.travel)
    }

    /// When feet and toes stand on the ground and do not slide. For motions on the spot the whole clip, but for the
    /// jump's flight.
    pub fn contacts(self) -> Vec<Contact> {
        if let Some(gait) = self.gait() {
            return gait.contacts();
        }
        let all = (0.0, self.duration());
        let spans = match self {
            Motion::Jump => vec![(0.0, 0.4), (stand::LANDING + 1.0 / RATE, all.1)],
            _ => vec![all],
        };
        let feet = ["LeftFoot", "RightFoot", "LeftToeBase", "RightToeBase"];
        let all =
            feet.iter().flat_map(|joint| spans.iter().map(|&span| Contact { joint: (*joint).into(), span }));
        all.collect()
    }

    fn gait(self) -> Option<&'static Gait> {
        match self {
            Motion::Walk => Some(&WALK),
            Motion::Run => Some(&RUN),
            _ => None,
        }
    }

    /// The body at a frame; the last frame of a loop is the first one, further on.
    fn body(self, skeleton: &Skeleton, frame: usize) -> Body {
        let length = if self.looped() { self.frames() } else { self.frames() + 1 };
        let round = (frame / length) as f64;
        let frame = (frame % length) as f64;
        let (phase, time) = (frame / self.frames() as f64, frame / RATE);
        let mut body = match self {
            Motion::Idle => stand::idle(skeleton, phase),
            Motion::Walk => WALK.body(skeleton, phase),
            Motion::Run => RUN.body(skeleton, phase),
            Motion::Jump => stand::jump(skeleton, time),
            Motion::Land => stand::jump(skeleton, stand::LANDED as f64 / RATE + time),
            Motion::Bash => stand::bash(skeleton, time),
            Motion::Wave => stand::wave(skeleton, time),
        };
        body.hips.z += round * self.travel();
        for foot in &mut body.feet {
            foot.ankle.z += round * self.travel();
        }
        body
    }

    /// The take: rotation of every joint but end joints, translation of the hips, linear keys.
    pub fn take(self, skeleton: &Skeleton) -> Take {
        let frames: Vec<_> = (0..=self.frames()).map(|f| self.body(skeleton, f).frame(skeleton)).collect();
        let mut take = Take::new(TAKE, 0.0, self.duration());
        let hips = frames.iter().map(|f| f.hips);
        take.tracks.push(track(0, Property::Translation, hips));
        for (index, joint) in skeleton.joints.iter().enumerate() {
            if joint.is_end() {
                continue;
            }
            // The T-pose is in the pre-rotation: what is left is the turn, seen from the joint's own axes.
            let own = |turn: DQuat| joint.rotation.inverse() * turn * joint.rotation;
            let mut before = DVec3::ZERO;
            let angles = frames.iter().map(|f| {
                before = math::nearest_branch(math::to_euler_xyz(own(f.turns[index])), before);
                before
            });
            take.tracks.push(track(index, Property::Rotation, angles));
        }
        take
    }

    /// The clip file: the limb tree, an empty `Take 001`, and the take [`TAKE`].
    pub fn scene(self, skeleton: &Skeleton) -> Scene {
        let mut scene = skeleton.scene();
        scene.takes.push(self.take(skeleton));
        scene.takes.push(Take::new("Take 001", 0.0, self.duration()));
        scene
    }
}

fn track(node: usize, property: Property, values: impl Iterator<Item = DVec3>) -> Track {
    let values: Vec<DVec3> = values.collect();
    let curve = |axis: usize| {
        let keys = values.iter().enumerate();
        Curve::linear(keys.map(|(f, v)| (f as f64 / RATE, v[axis])))
    };
    Track::xyz(node, property, [curve(0), curve(1), curve(2)])
}

#[cfg(test)]
mod tests;
