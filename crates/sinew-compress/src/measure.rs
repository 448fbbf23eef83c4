//! How far a compiled clip is from the motion that it stands for.

use crate::figure::{Figure, Model, models};
use crate::grid::{Grid, Sparse};
use crate::motion::{Local, Motion, read_pose};
use sinew::glam::DVec3;
use sinew::{Clip, Keys, Sampling, Skeleton, job};

/// Measurements a second: several between two frames.
const RATE: f64 = 240.0;

/// Between two measurements an error can be a little larger.
const BETWEEN: f64 = 1.03;

/// Most times at which a clip is measured: more would take long and say no more.
const MOST: usize = 20_000;

/// Of so many times one is measured where that is enough. It shares no factor with the times between two frames, so that all parts of a step are seen.
pub(crate) const FEW: usize = 5;

/// Of so many times one is measured of frames that are not rounded, one after the other: most layouts are far off, which few times show.
pub(crate) const STAGES: [usize; 3] = [FEW * FEW, FEW, 1];

/// Those of them that leave out most times.
pub(crate) const FEW_STAGES: &[usize] = &[FEW * FEW, FEW];

/// What keeps the limits less often than this at few times is not measured at more.
pub(crate) const FAR: f64 = 0.5;

/// What must be left of the limits for rounding, where frames are not rounded.
pub(crate) const ROOM: f64 = 1.2;

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
        ratio(limits[0], self.p99).min(ratio(limits[1], self.max * BETWEEN))
    }
}

/// How many times an error keeps a limit.
fn ratio(limit: f64, error: f64) -> f64 {
    if error > 0.0 { limit / error } else { f64::INFINITY }
}

/// The true model matrices of a clip at many times.
pub(crate) struct Truth<'a> {
    skeleton: &'a Skeleton,
    shells: &'a [f64],
    times: Vec<f64>,
    /// Of all joints at each time; nothing where they would take too much memory, and are found anew each time.
    joints: Vec<TrueJoint>,
}

/// Where a joint and its shell truly are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TrueJoint {
    model: Model,
    /// By axis, the factor from its length to the shell.
    shell: DVec3,
}

impl TrueJoint {
    fn new(model: &Model, shell: f64) -> Self {
        let factor = |axis: DVec3| match axis.length_squared() {
            // Nearly all have no scale: no root and no division for them.
            one if (one - 1.0).abs() < 1e-9 => shell,
            square if square > 0.0 => shell / square.sqrt(),
            _ => 0.0,
        };
        let axes = &model.axes;
        Self {
            model: *model,
            shell: DVec3::new(factor(axes.x_axis), factor(axes.y_axis), factor(axes.z_axis)),
        }
    }

    /// The square of the largest distance of the origin and of three points on the shell.
    fn error(&self, of: &Model) -> f64 {
        let (own, place) = (&self.model.axes, self.model.place - of.place);
        let mut worst = place.length_squared();
        for (own, other, factor) in [
            (own.x_axis, of.axes.x_axis, self.shell.x),
            (own.y_axis, of.axes.y_axis, self.shell.y),
            (own.z_axis, of.axes.z_axis, self.shell.z),
        ] {
            worst = worst.max((place + (own - other) * factor).length_squared());
        }
        worst
    }
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
            Self { skeleton, shells: &figure.shells, times: times(duration, kept), joints: Vec::new() };
        if stored {
            let mut all = Vec::with_capacity(skeleton.len() * truth.times.len());
            let mut space = Space::new(skeleton);
            truth.times.iter().for_each(|&time| all.extend(space.sample(&truth, time, motion)));
            truth.joints = all;
        }
        truth
    }

    /// Decodes a clip at few times and compares.
    pub(crate) fn measure_few(&self, clip: &Clip, motion: &mut dyn Motion) -> Errors {
        let mut errors = Errors::default();
        self.compare(&mut errors, |at| at.is_multiple_of(FEW), motion, self.decoded(clip));
        errors
    }

    /// The same at all other times, beside those at few.
    pub(crate) fn measure_others(&self, clip: &Clip, few: Errors, motion: &mut dyn Motion) -> Measure {
        let mut errors = few;
        self.compare(&mut errors, |at| !at.is_multiple_of(FEW), motion, self.decoded(clip));
        errors.measure()
    }

    /// Plays a clip.
    fn decoded<'c>(&self, clip: &'c Clip) -> impl Play + use<'c, 'a> {
        let skeleton = self.skeleton;
        let mut pose = skeleton.rest().clone();
        let mut scalars = vec![0.0; pose.scalars().len()];
        move |time: f64, locals: &mut [Local], _: &mut dyn Motion| {
            job::sample(skeleton, clip, time, Sampling::Interpolate, &mut pose).ok()?;
            read_pose(&pose, locals, &mut scalars);
            Some(())
        }
    }

    /// Compares frames that are not rounded at every `step`-th time; `kept` are the tracks that are no part of them.
    pub(crate) fn measure_frames(
        &self,
        frames: &mut Sparse,
        kept: &Keys,
        step: usize,
        motion: &mut dyn Motion,
    ) -> Measure {
        let mut errors = Errors::default();
        self.compare(&mut errors, |at| at.is_multiple_of(step), motion, self.unrounded(frames, kept));
        errors.measure()
    }

    /// Plays frames that are not rounded.
    fn unrounded<'f>(&self, frames: &'f mut Sparse, kept: &'f Keys) -> impl Play + use<'f> {
        let mut exact = Space::new(self.skeleton);
        move |time: f64, locals: &mut [Local], motion: &mut dyn Motion| {
            frames.at(time, motion, locals);
            if !kept.joints().is_empty() {
                motion.sample(time, &mut exact.locals, &mut exact.scalars);
            }
            for tracks in kept.joints() {
                let joint = usize::from(tracks.joint);
                locals[joint].replace(tracks.parts(), &exact.locals[joint]);
            }
            Some(())
        }
    }

    /// Whether frames that are not rounded keep the limits `ROOM` times: what [`Truth::measure_frames`] says at the times of the last of some stages, and at those of the
    /// others of layouts that are far off. The answer is given as soon as it is certain.
    pub(crate) fn allows(
        &self,
        limits: [f64; 2],
        stages: &[usize],
        (frames, kept): (&mut Sparse, &Keys),
        motion: &mut dyn Motion,
    ) -> bool {
        let mut play = self.unrounded(frames, kept);
        let mut posed = Posed::new(self.skeleton);
        let mut tally = Tally::new(limits);
        let count = |step: usize| beyond(self.times.len().div_ceil(step) * self.skeleton.len());
        let most_short = count(stages.last().copied().unwrap_or(1));
        let mut before = None;
        for &step in stages {
            let most_far = count(step);
            let is_new = |at: &usize| before.is_none_or(|before| !at.is_multiple_of(before));
            for at in (0..self.times.len()).step_by(step).filter(is_new) {
                posed.errors(self, at, motion, &mut play, |_, square| tally.add(square));
                if tally.is_beyond || tally.far >= most_far || tally.short >= most_short {
                    return false;
                }
            }
            before = Some(step);
        }
        true
    }

    /// Compares at some of the times what `play` makes of them; nothing stands for what cannot be played.
    fn compare(
        &self,
        errors: &mut Errors,
        is_one: impl Fn(usize) -> bool,
        motion: &mut dyn Motion,
        mut play: impl Play,
    ) {
        let mut posed = Posed::new(self.skeleton);
        let times = (0..self.times.len()).filter(|&at| is_one(at));
        errors.all.reserve_exact(times.clone().count() * self.skeleton.len());
        for at in times {
            let add = |joint: u16, square: f64| errors.add(square.sqrt(), joint, self.times[at]);
            if posed.errors(self, at, motion, &mut play, add).is_none() {
                errors.worst.max = f64::INFINITY;
                return;
            }
        }
    }
}

/// Errors of all joints at some times.
#[derive(Clone, Debug, Default)]
pub(crate) struct Errors {
    all: Vec<f32>,
    worst: Measure,
}

impl Errors {
    fn add(&mut self, error: f64, joint: u16, time: f64) {
        let is_worse = error > self.worst.max || (error == self.worst.max && time < self.worst.time);
        if is_worse {
            self.worst = Measure { max: error, joint, time, ..self.worst };
        }
        self.all.push(error as f32);
    }

    /// The largest, and what 99 % do not exceed.
    pub(crate) fn measure(&mut self) -> Measure {
        if self.worst.max == f64::INFINITY {
            return Measure { p99: f64::INFINITY, ..self.worst };
        }
        if !self.all.is_empty() {
            let place = self.all.len() - beyond(self.all.len());
            let (_, p99, _) = self.all.select_nth_unstable_by(place, f32::total_cmp);
            self.worst.p99 = f64::from(*p99);
        }
        self.worst
    }
}

/// Of so many errors, how many are as large as the one that 99 % do not exceed, or larger; at least one.
fn beyond(count: usize) -> usize {
    (count - count * 99 / 100).max(1)
}

/// Sets the local transforms of all joints at a time, if they can be played.
trait Play: FnMut(f64, &mut [Local], &mut dyn Motion) -> Option<()> {}

impl<T: FnMut(f64, &mut [Local], &mut dyn Motion) -> Option<()>> Play for T {}

/// Errors that say that a layout cannot keep its limits. All of them, and what they are compared with, are squares.
struct Tally {
    /// Twice as large as 99 % may be.
    far_above: f64,
    /// Leaves 99 % too little room.
    short_from: f64,
    /// Leaves all too little room.
    beyond_from: f64,
    far: usize,
    short: usize,
    is_beyond: bool,
}

impl Tally {
    fn new([most, all]: [f64; 2]) -> Self {
        let square = |x: f64| x * x;
        Self {
            far_above: square(most / FAR),
            short_from: square(most / ROOM),
            beyond_from: square(all / (ROOM * BETWEEN)),
            far: 0,
            short: 0,
            is_beyond: false,
        }
    }

    fn add(&mut self, square: f64) {
        self.far += usize::from(square > self.far_above);
        self.short += usize::from(square >= self.short_from);
        self.is_beyond |= square >= self.beyond_from;
    }
}

/// What comparing poses takes.
struct Posed {
    locals: Vec<Local>,
    ours: Vec<Model>,
    space: Space,
    found: Vec<TrueJoint>,
}

impl Posed {
    fn new(skeleton: &Skeleton) -> Self {
        let joints = skeleton.len();
        Self {
            locals: vec![Local::IDENTITY; joints],
            ours: vec![Model::IDENTITY; joints],
            space: Space::new(skeleton),
            found: Vec::with_capacity(joints),
        }
    }

    /// Hands out the square of the error of each joint at one of the times.
    fn errors(
        &mut self,
        truth: &Truth<'_>,
        at: usize,
        motion: &mut dyn Motion,
        play: &mut impl Play,
        mut each: impl FnMut(u16, f64),
    ) -> Option<()> {
        let (skeleton, joints, time) = (truth.skeleton, truth.skeleton.len(), truth.times[at]);
        let true_joints = if truth.joints.is_empty() {
            self.found.clear();
            self.found.extend(self.space.sample(truth, time, motion));
            &self.found[..]
        } else {
            &truth.joints[at * joints..(at + 1) * joints]
        };
        play(time, &mut self.locals, motion)?;
        models(skeleton.parents(), &self.locals, &mut self.ours);
        for (joint, (theirs, ours)) in (0u16..).zip(true_joints.iter().zip(&self.ours)) {
            each(joint, theirs.error(ours));
        }
        Some(())
    }
}

/// Where the pose of one time goes.
struct Space {
    locals: Vec<Local>,
    scalars: Vec<f64>,
    models: Vec<Model>,
}

impl Space {
    fn new(skeleton: &Skeleton) -> Self {
        Self {
            locals: vec![Local::IDENTITY; skeleton.len()],
            scalars: vec![0.0; skeleton.scalar_names().len()],
            models: vec![Model::IDENTITY; skeleton.len()],
        }
    }

    fn sample(
        &mut self,
        truth: &Truth<'_>,
        time: f64,
        motion: &mut dyn Motion,
    ) -> impl Iterator<Item = TrueJoint> {
        motion.sample(time, &mut self.locals, &mut self.scalars);
        models(truth.skeleton.parents(), &self.locals, &mut self.models);
        self.models.iter().zip(truth.shells).map(|(model, shell)| TrueJoint::new(model, *shell))
    }
}

/// Most times at which a clip of a duration is measured.
pub(crate) fn count(duration: f64) -> usize {
    Grid::new(duration, RATE, false).count().clamp(2, MOST + 1)
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
