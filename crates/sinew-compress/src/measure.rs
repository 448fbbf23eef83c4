//! How far a compiled clip is from the motion that it stands for.

use crate::figure::{Figure, Model, models};
use crate::grid::Sampled;
use crate::motion::{Local, Motion, read_pose};
use sinew::{Clip, Keys, Sampling, Skeleton, job};

/// Measurements a second: several between two frames.
const RATE: f64 = 240.0;

/// Between two measurements an error can be a little larger.
const BETWEEN: f64 = 1.03;

/// Most times at which a clip is measured: more would take long and say no more.
const MOST: usize = 20_000;

/// Errors of joints over a clip, in the figure's unit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measure {
    /// The largest.
    pub max: f64,
    /// What 99 % of them do not exceed.
    pub p99: f64,
    /// The joint with the largest.
    pub joint: u16,
    /// When it has it.
    pub time: f64,
}

impl Measure {
    /// How many times the limits are kept: below one, they are not.
    pub(crate) fn room(&self, limits: [f64; 2]) -> f64 {
        let ratio = |limit: f64, error: f64| if error > 0.0 { limit / error } else { f64::INFINITY };
        ratio(limits[0], self.p99).min(ratio(limits[1], self.max * BETWEEN))
    }
}

/// The true model matrices of a clip at many times.
pub(crate) struct Truth<'a> {
    skeleton: &'a Skeleton,
    shells: &'a [f64],
    times: Vec<f64>,
    /// Of all joints at each time; nothing where they would take too much memory, and are found anew each time.
    models: Vec<Model>,
}

impl<'a> Truth<'a> {
    pub(crate) fn new(
        skeleton: &'a Skeleton,
        figure: &'a Figure,
        duration: f64,
        kept: &Keys,
        motion: &mut dyn Motion,
        stored: bool,
    ) -> Self {
        let mut truth =
            Self { skeleton, shells: &figure.shells, times: times(duration, kept), models: Vec::new() };
        if stored {
            let joints = skeleton.len();
            let mut all = vec![Model::IDENTITY; joints * truth.times.len()];
            let mut space = Space::new(skeleton);
            for (time, out) in truth.times.iter().zip(all.chunks_mut(joints.max(1))) {
                space.sample(skeleton, *time, motion, out);
            }
            truth.models = all;
        }
        truth
    }

    /// Decodes a clip at every `step`-th time and compares.
    pub(crate) fn measure(&self, clip: &Clip, step: usize, motion: &mut dyn Motion) -> Measure {
        let mut pose = self.skeleton.rest().clone();
        let mut scalars = vec![0.0; pose.scalars().len()];
        self.compare(step, motion, |time, locals, _| {
            job::sample(self.skeleton, clip, time, Sampling::Interpolate, &mut pose).ok()?;
            read_pose(&pose, locals, &mut scalars);
            Some(())
        })
    }

    /// Compares frames that are not rounded at every `step`-th time; `kept` are the tracks that are no part of them.
    pub(crate) fn measure_frames(
        &self,
        frames: &Sampled,
        kept: &Keys,
        step: usize,
        motion: &mut dyn Motion,
    ) -> Measure {
        let mut exact = Space::new(self.skeleton);
        self.compare(step, motion, |time, locals, motion| {
            frames.at(time, locals);
            if !kept.joints().is_empty() {
                motion.sample(time, &mut exact.0, &mut exact.1);
            }
            for tracks in kept.joints() {
                let joint = usize::from(tracks.joint);
                locals[joint].replace(tracks.parts(), &exact.0[joint]);
            }
            Some(())
        })
    }

    /// Compares at every `step`-th time what `play` makes of it; nothing stands for what cannot be played.
    fn compare(
        &self,
        step: usize,
        motion: &mut dyn Motion,
        mut play: impl FnMut(f64, &mut [Local], &mut dyn Motion) -> Option<()>,
    ) -> Measure {
        let joints = self.skeleton.len();
        let mut errors = Vec::with_capacity(joints * self.times.len() / step + joints);
        let (mut locals, mut ours) = (vec![Local::IDENTITY; joints], vec![Model::IDENTITY; joints]);
        let (mut space, mut found) = (Space::new(self.skeleton), vec![Model::IDENTITY; joints]);
        let mut worst = Measure::default();
        for (at, &time) in self.times.iter().enumerate().step_by(step) {
            let truth = if self.models.is_empty() {
                space.sample(self.skeleton, time, motion, &mut found);
                &found[..]
            } else {
                &self.models[at * joints..(at + 1) * joints]
            };
            if play(time, &mut locals, motion).is_none() {
                return Measure { max: f64::INFINITY, p99: f64::INFINITY, ..worst };
            }
            models(self.skeleton.parents(), &locals, &mut ours);
            for (joint, ((a, b), shell)) in (0u16..).zip(truth.iter().zip(&ours).zip(self.shells)) {
                let error = shell_error(a, b, *shell);
                if error > worst.max {
                    worst = Measure { max: error, joint, time, ..worst };
                }
                errors.push(error as f32);
            }
        }
        if !errors.is_empty() {
            let place = (errors.len() * 99 / 100).min(errors.len() - 1);
            let (_, p99, _) = errors.select_nth_unstable_by(place, f32::total_cmp);
            worst.p99 = f64::from(*p99);
        }
        worst
    }
}

/// Where the locals of one time go.
struct Space(Vec<Local>, Vec<f64>);

impl Space {
    fn new(skeleton: &Skeleton) -> Self {
        Self(vec![Local::IDENTITY; skeleton.len()], vec![0.0; skeleton.scalar_names().len()])
    }

    fn sample(&mut self, skeleton: &Skeleton, time: f64, motion: &mut dyn Motion, out: &mut [Model]) {
        motion.sample(time, &mut self.0, &mut self.1);
        models(skeleton.parents(), &self.0, out);
    }
}

/// Most times at which a clip of a duration is measured.
pub(crate) fn count(duration: f64) -> usize {
    ((duration * RATE).ceil() as usize).clamp(1, MOST) + 1
}

/// Times over a duration: every second one at even steps, where frames of usual rates are, the others spread between them, where no rate has all its frames. None is where
/// kept keys jump: on which side of a jump a time lies is a matter of rounding.
fn times(duration: f64, kept: &Keys) -> Vec<f64> {
    let steps = count(duration) - 1;
    let step = duration / steps as f64;
    let of_scalars = kept.scalars().iter().flat_map(|scalar| scalar.track.times().iter().copied());
    let mut jumps: Vec<f64> = kept.times().chain(of_scalars).map(f64::from).collect();
    jumps.sort_by(f64::total_cmp);
    let off_jumps = |time: f64| {
        let next = jumps.partition_point(|&jump| jump < time - 1e-5);
        let is_jump = jumps.get(next).is_some_and(|&jump| jump < time + 1e-5);
        if is_jump { (time + step / 5.0).min(duration) } else { time }
    };
    // The fractional parts of multiples of the golden ratio are evenly distributed.
    let place = |i: usize| (i as f64 * 0.618_033_988_749_894_9).fract() - 0.5;
    let spread = |i: usize| i as f64 + if i % 2 == 1 && i < steps { place(i) * 1.9 } else { 0.0 };
    (0..=steps).map(|i| off_jumps(step * spread(i))).collect()
}

/// The largest distance of the origin and of three points on the shell.
fn shell_error(a: &Model, b: &Model, shell: f64) -> f64 {
    let place = a.place - b.place;
    let mut worst = place.length_squared();
    for (x, y) in
        [(a.axes.x_axis, b.axes.x_axis), (a.axes.y_axis, b.axes.y_axis), (a.axes.z_axis, b.axes.z_axis)]
    {
        let length = x.length();
        let factor = if length > 0.0 { shell / length } else { 0.0 };
        worst = worst.max((place + (x - y) * factor).length_squared());
    }
    worst.sqrt()
}
