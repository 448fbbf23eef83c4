//! A motion at even steps of time.

use crate::motion::{Arc, Local, Motion};
use sinew::glam::{DQuat, DVec3};

/// When frames are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grid {
    /// Steps from the first frame within the clip to the last.
    steps: usize,
    pub(crate) rate: f64,
    /// Whether there is a frame before the start and one behind the end, for cubics.
    cubic: bool,
    /// When the last frame within the clip is, if that is at its end: a quotient may be a little less, and lie before a jump there.
    end: Option<f64>,
}

impl Grid {
    /// Frames over a duration. Where the duration is a whole number of steps but for rounding, the last frame is at its end; else it is the first one behind it,
    /// or, with cubics, steps are a little shorter.
    pub(crate) fn new(duration: f64, rate: f64, cubic: bool) -> Self {
        if duration <= 0.0 {
            return Self { steps: usize::from(cubic), rate: 0.0, cubic, end: None };
        }
        let steps = duration * rate;
        let whole = steps.round().max(1.0);
        if (steps - whole).abs() < 0.02 {
            return Self { steps: whole as usize, rate: whole / duration, cubic, end: Some(duration) };
        }
        let whole = steps.ceil();
        let rate = if cubic { whole / duration } else { rate };
        Self { steps: whole as usize, rate, cubic, end: cubic.then_some(duration) }
    }

    /// Number of frames.
    pub(crate) fn count(&self) -> usize {
        self.steps.saturating_add(if self.cubic { 3 } else { 1 })
    }

    /// When a frame within the clip is.
    fn time(&self, frame: usize) -> f64 {
        match self.end {
            Some(end) if frame == self.steps => end,
            _ if self.rate > 0.0 => frame as f64 / self.rate,
            _ => 0.0,
        }
    }

    /// The step that a time is at but for rounding, and when that is exactly.
    pub(crate) fn step_at(&self, time: f64) -> Option<(usize, f64)> {
        let step = (time * self.rate + 0.5) as usize;
        let exact = self.time(step);
        (step <= self.steps && (time - exact).abs() < 1e-9).then_some((step, exact))
    }
}

/// Places within the first and the last step at which the frames outside of the clip are fitted.
const PLACES: [f64; 3] = [0.25, 0.5, 0.75];

/// All joints, and all scalars, at one time.
type Whole = (Vec<Local>, Vec<f64>);

/// Poses of all frames.
pub(crate) struct Sampled {
    pub(crate) grid: Grid,
    pub(crate) joints: Vec<Vec<Local>>,
    pub(crate) scalars: Vec<Vec<f64>>,
}

impl Sampled {
    pub(crate) fn new(motion: &mut dyn Motion, shape: (usize, usize), duration: f64, grid: Grid) -> Self {
        Sparse::new(shape, duration, grid).all(motion)
    }
}

/// Poses of those frames that were asked for: most layouts are given up after few of them.
pub(crate) struct Sparse {
    grid: Grid,
    shape: (usize, usize),
    duration: f64,
    frames: Vec<Whole>,
    /// Which of them were sampled.
    known: Vec<bool>,
    /// The step that was looked at last, and how each joint turns in it.
    arcs: Option<(usize, Vec<Arc>)>,
}

impl Sparse {
    /// For a number of joints and scalars.
    pub(crate) fn new(shape: (usize, usize), duration: f64, grid: Grid) -> Self {
        let (frames, known) = (vec![Whole::default(); grid.count()], vec![false; grid.count()]);
        Self { grid, shape, duration, frames, known, arcs: None }
    }

    /// All frames.
    pub(crate) fn all(mut self, motion: &mut dyn Motion) -> Sampled {
        (0..self.frames.len()).for_each(|frame| self.sample(frame, motion));
        let (joints, scalars) = self.frames.into_iter().unzip();
        Sampled { grid: self.grid, joints, scalars }
    }

    /// Joints and scalars at a time.
    fn whole(&self, time: f64, motion: &mut dyn Motion) -> Whole {
        let (mut joints, mut scalars) = (vec![Local::IDENTITY; self.shape.0], vec![0.0; self.shape.1]);
        motion.sample(time.min(self.duration), &mut joints, &mut scalars);
        (joints, scalars)
    }

    /// Samples a frame, unless that was done.
    fn sample(&mut self, frame: usize, motion: &mut dyn Motion) {
        if self.known[frame] {
            return;
        }
        let (steps, last) = (self.grid.steps, self.frames.len() - 1);
        self.frames[frame] = match (self.grid.cubic, frame) {
            (true, 0) => self.outside([1, 2, 3.min(steps + 1)], 0.0, PLACES, motion),
            (true, frame) if frame == last => {
                let end = steps.saturating_sub(1);
                let places = PLACES.map(|place| 1.0 - place);
                self.outside([steps + 1, steps, end.max(1)], end as f64, places, motion)
            }
            (true, frame) => self.whole(self.grid.time(frame - 1), motion),
            (false, frame) if frame == steps && steps > 0 => {
                self.sample(frame - 1, motion);
                let mut end = self.whole(self.grid.time(frame), motion);
                end_on_the_line(&self.frames[frame - 1], &mut end, &self.grid, self.duration);
                end
            }
            (false, frame) => self.whole(self.grid.time(frame), motion),
        };
        self.known[frame] = true;
    }

    /// The frame before the start, or behind the end, from those next to it and from places within the step between the first two of them.
    fn outside(&mut self, next: [usize; 3], step: f64, places: [f64; 3], motion: &mut dyn Motion) -> Whole {
        next.iter().for_each(|&frame| self.sample(frame, motion));
        let within = places.map(|place| self.whole(self.grid.time(1) * (step + place), motion));
        outside(next.map(|frame| &self.frames[frame]), &within)
    }

    /// All joints at a time, between frames as the run time has them.
    pub(crate) fn at(&mut self, time: f64, motion: &mut dyn Motion, out: &mut [Local]) {
        let steps = time * self.grid.rate;
        let step = (steps.max(0.0) as usize).min(self.grid.steps.saturating_sub(1));
        let part = (steps - step as f64).clamp(0.0, 1.0);
        let last = self.frames.len() - 1;
        let frames = [0, 1, 2, 3].map(|at| (step + at).min(last));
        let count = if self.grid.cubic { 4 } else { 2 };
        frames[..count].iter().for_each(|&frame| self.sample(frame, motion));
        let frames = frames.map(|frame| &self.frames[frame].0);
        if self.grid.cubic {
            let weights = cubic_weights(part);
            out.iter_mut()
                .enumerate()
                .for_each(|(joint, out)| *out = cubic(frames.map(|f| &f[joint]), weights));
            return;
        }
        let ends = || frames[0].iter().zip(frames[1]);
        if self.arcs.as_ref().is_none_or(|(known, _)| *known != step) {
            let arcs = ends().map(|(from, to)| Arc::between(from.rotation, to.rotation)).collect();
            self.arcs = Some((step, arcs));
        }
        let arcs = self.arcs.iter().flat_map(|(_, arcs)| arcs);
        for ((out, (from, to)), arc) in out.iter_mut().zip(ends()).zip(arcs) {
            *out = Local::along(from, to, arc, part);
        }
    }
}

/// A weighted sum of four frames, the signs of rotations as that of the second.
fn cubic(frames: [&Local; 4], weights: [f64; 4]) -> Local {
    let near = frames[1].rotation;
    let zero = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    let mut sum = Local { translation: DVec3::ZERO, rotation: zero, scale: DVec3::ZERO };
    for (frame, weight) in frames.into_iter().zip(weights) {
        let sign = if frame.rotation.dot(near) < 0.0 { -weight } else { weight };
        sum.translation += frame.translation * weight;
        sum.rotation += frame.rotation * sign;
        sum.scale += frame.scale * weight;
    }
    Local { rotation: sum.rotation.normalize(), ..sum }
}

/// A frame behind the end continues the line from the one before it, so that the end itself is met.
fn end_on_the_line(before: &Whole, last: &mut Whole, grid: &Grid, duration: f64) {
    let (from, to) = (grid.time(grid.steps - 1), grid.time(grid.steps));
    if to <= duration + 1e-9 || duration <= from {
        return;
    }
    let factor = (to - from) / (duration - from);
    for (joint, before) in last.0.iter_mut().zip(&before.0) {
        *joint = Local::beyond(before, joint, factor);
    }
    for (scalar, before) in last.1.iter_mut().zip(&before.1) {
        *scalar = before + (*scalar - before) * factor;
    }
}

/// The frame before the first with which the cubic of the first step comes nearest to what lies within the step. For the other end, everything in reverse.
fn outside([first, second, third]: [&Whole; 3], within: &[Whole; 3]) -> Whole {
    // Of a sum of products, the weight of the missing frame stands alone: least squares over the places.
    let fit = |of: &dyn Fn(&Whole) -> f64| {
        let (mut sum, mut squares) = (0.0, 0.0);
        for (&t, within) in PLACES.iter().zip(within) {
            let [a, b, c, d] = cubic_weights(t);
            sum += a * (of(within) - b * of(first) - c * of(second) - d * of(third));
            squares += a * a;
        }
        sum / squares
    };
    let joints = (0..first.0.len()).map(|joint| {
        let near = first.0[joint].rotation;
        let turn = |whole: &Whole, c: usize| {
            let rotation = whole.0[joint].rotation;
            rotation.to_array()[c] * if rotation.dot(near) < 0.0 { -1.0 } else { 1.0 }
        };
        let rotation = [0, 1, 2, 3].map(|c| fit(&|whole| turn(whole, c)));
        Local {
            translation: DVec3::from_array([0, 1, 2].map(|c| fit(&|whole| whole.0[joint].translation[c]))),
            rotation: DQuat::from_array(rotation).normalize(),
            scale: DVec3::from_array([0, 1, 2].map(|c| fit(&|whole| whole.0[joint].scale[c]))),
        }
    });
    let joints = joints.collect();
    (joints, (0..first.1.len()).map(|scalar| fit(&|whole| whole.1[scalar])).collect())
}

/// Weights of four frames between the second and the third, as the run time has them.
fn cubic_weights(t: f64) -> [f64; 4] {
    [
        ((2.0 - t) * t - 1.0) * t * 0.5,
        ((3.0 * t - 5.0) * t * t + 2.0) * 0.5,
        ((4.0 - 3.0 * t) * t + 1.0) * t * 0.5,
        (t - 1.0) * t * t * 0.5,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_frame_is_at_the_end_or_behind_it() {
        for (duration, rate, count) in [(1.0, 30.0, 31), (1.01, 30.0, 32), (0.0, 30.0, 1), (0.001, 30.0, 2)] {
            let grid = Grid::new(duration, rate, false);
            assert_eq!(grid.count(), count, "{duration} s");
            assert!(grid.time(grid.steps) >= duration - 1e-9);
            assert_eq!(Grid::new(duration, rate, true).count(), count.max(2) + 2);
        }
    }

    #[test]
    fn a_grid_ends_exactly_where_the_clip_does() {
        for frames in 1..600 {
            let duration = f64::from(frames as f32 / 30.0);
            let grid = Grid::new(duration, 120.0, false);
            assert_eq!(grid.step_at(duration), Some((grid.steps, duration)));
        }
    }

    /// A joint that moves on a parabola, which a cubic follows only with the right frames outside.
    struct Parabola;

    impl Motion for Parabola {
        fn sample(&mut self, time: f64, joints: &mut [Local], _: &mut [f64]) {
            joints[0].translation.x = time * time;
        }
    }

    #[test]
    fn frames_outside_continue_the_curve() {
        let sampled = Sampled::new(&mut Parabola, (1, 0), 1.0, Grid::new(1.0, 10.0, true));
        for (frame, joints) in sampled.joints.iter().enumerate() {
            let time = (frame as f64 - 1.0) / 10.0;
            assert!((joints[0].translation.x - time * time).abs() < 1e-9, "frame {frame}");
        }
    }
}
