//! Transitions that evaluate one clip: the old motion goes on by its own velocity, which dies away, while the new one takes over.

use crate::kernel::dispatch;
use crate::kernel::inertia::{Extrapolate, Velocity};
use crate::kernel::layer::{Over, Share, Sides};
use crate::pose::Lanes;
use crate::{Pose, Skeleton};

/// Seconds between the two poses from which a velocity is taken.
pub(super) const STEP: f64 = 1.0 / 240.0;

/// The old motion of one layer.
#[derive(Clone, Debug)]
pub(super) struct Inertia {
    pub(super) layer: u8,
    pub(super) state: State,
    elapsed: f64,
    length: f64,
    /// The pose at the change, its velocity, and where they count.
    pub(super) pose: Pose,
    pub(super) velocity: Pose,
    pub(super) coverage: Vec<Lanes>,
    sides: Vec<u8>,
    sides_held: bool,
    /// Seconds that the transition before had gone, and its length, if this one interrupts it.
    interrupted: Option<[f64; 2]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Free for the next transition.
    Done,
    /// The old voices wait to be looked at once more.
    Pending,
    Running,
}

impl Inertia {
    pub(super) fn new(skeleton: &Skeleton) -> Self {
        let rest = skeleton.rest();
        let blocks = rest.blocks().len();
        Self {
            layer: 0,
            state: State::Done,
            elapsed: 0.0,
            length: 0.0,
            pose: rest.clone(),
            velocity: rest.clone(),
            coverage: vec![Lanes::splat(0.0); blocks],
            sides: vec![0; blocks],
            sides_held: false,
            interrupted: None,
        }
    }

    /// Begins a transition of so many seconds on a layer.
    pub(super) fn begin(&mut self, layer: u8, length: f64) {
        self.interrupted = (self.state == State::Running).then_some([self.elapsed, self.length]);
        if self.interrupted.is_none() {
            self.coverage.fill(Lanes::splat(0.0));
        }
        (self.layer, self.length) = (layer, length);
        (self.state, self.elapsed) = (State::Pending, 0.0);
    }

    pub(super) fn advance(&mut self, seconds: f64) {
        self.elapsed += seconds;
        if self.state == State::Running && self.elapsed >= self.length {
            self.state = State::Done;
        }
    }

    pub(super) fn end(&mut self) {
        self.state = State::Done;
    }

    /// Lays what is left of the transition that this one interrupts over a pose of the old voices so many seconds ago.
    pub(super) fn lay_interrupted(&mut self, ago: f64, spare: &mut Pose, out: &mut Pose) {
        if let Some([elapsed, length]) = self.interrupted {
            self.lay_at([(elapsed - ago).max(0.0), length], spare, out);
        }
    }

    /// Takes over the old pose, and its velocity from the one a [`STEP`] before.
    pub(super) fn capture(&mut self, before: &Pose, now: &Pose) {
        let rate = (1.0 / STEP) as f32;
        let out = self.velocity.blocks_mut();
        dispatch(Velocity { before: before.blocks(), now: now.blocks(), rate, out });
        let scalars = now.scalars().iter().zip(before.scalars());
        for (out, (now, before)) in self.velocity.scalars_mut().iter_mut().zip(scalars) {
            *out = (now - before) * rate;
        }
        self.pose.copy_from(now);
        (self.interrupted, self.sides_held) = (None, false);
        self.state = if self.elapsed < self.length { State::Running } else { State::Done };
    }

    /// Lays what is left of the old motion over the new one.
    pub(super) fn lay_over(&mut self, spare: &mut Pose, out: &mut Pose) {
        self.lay_at([self.elapsed, self.length], spare, out);
    }

    fn lay_at(&mut self, [elapsed, length]: [f64; 2], spare: &mut Pose, out: &mut Pose) {
        let (seconds, left) = (gone(elapsed, length), left(elapsed / length));
        let (pose, velocity) = (self.pose.blocks(), self.velocity.blocks());
        dispatch(Extrapolate { pose, velocity, seconds, out: spare.blocks_mut() });
        let share = Share { weight: left, coverage: &self.coverage, mask: None };
        let sides = Sides { bits: &mut self.sides, held: self.sides_held };
        dispatch(Over { voice: spare.blocks(), share, sides, out: out.blocks_mut() });
        self.sides_held = true;
        let old = self.pose.scalars().iter().zip(self.velocity.scalars());
        for (out, (value, rate)) in out.scalars_mut().iter_mut().zip(old) {
            *out += (value + rate * seconds - *out) * left;
        }
    }
}

/// How much of the old motion is left at a part of the transition: so flat at both ends that velocities are those of one motion there, even where the other is
/// far away.
fn left(part: f64) -> f32 {
    let x = part.clamp(0.0, 1.0);
    let fifth = x * x * x * x * x;
    (1.0 - fifth * (126.0 + x * (-420.0 + x * (540.0 + x * (-315.0 + x * 70.0))))) as f32
}

/// Seconds of full velocity that the old motion has gone: `∫ e^(−t / 2·length) dt`.
fn gone(elapsed: f64, length: f64) -> f32 {
    let slowness = 2.0 * length;
    (slowness * (1.0 - libm::exp(-elapsed / slowness))) as f32
}
