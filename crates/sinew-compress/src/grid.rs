//! A motion at even steps of time.

use crate::motion::{Local, Motion};
use sinew::glam::{DQuat, DVec3};

/// When frames are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grid {
    /// Steps from the first frame within the clip to the last.
    steps: usize,
    pub(crate) rate: f64,
    /// Whether there is a frame before the start and one behind the end, for cubics.
    cubic: bool,
}

impl Grid {
    /// Frames over a duration. Where the duration is a whole number of steps but for rounding, the last frame is at its end; else it is the first one behind it,
    /// or, with cubics, steps are a little shorter.
    pub(crate) fn new(duration: f64, rate: f64, cubic: bool) -> Self {
        if duration <= 0.0 {
            return Self { steps: usize::from(cubic), rate: 0.0, cubic };
        }
        let steps = duration * rate;
        let whole = steps.round().max(1.0);
        if (steps - whole).abs() < 0.02 {
            return Self { steps: whole as usize, rate: whole / duration, cubic };
        }
        let whole = steps.ceil();
        Self { steps: whole as usize, rate: if cubic { whole / duration } else { rate }, cubic }
    }

    /// Number of frames.
    pub(crate) fn count(&self) -> usize {
        self.steps + if self.cubic { 3 } else { 1 }
    }

    /// When a frame within the clip is.
    fn time(&self, frame: usize) -> f64 {
        if self.rate > 0.0 { frame as f64 / self.rate } else { 0.0 }
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
        let mut at = |time: f64| -> Whole {
            let (mut joints, mut scalars) = (vec![Local::IDENTITY; shape.0], vec![0.0; shape.1]);
            motion.sample(time.min(duration), &mut joints, &mut scalars);
            (joints, scalars)
        };
        let mut frames: Vec<Whole> = (0..=grid.steps).map(|frame| at(grid.time(frame))).collect();
        if grid.cubic {
            let step = |from: f64, places: [f64; 3], at: &mut dyn FnMut(f64) -> Whole| {
                places.map(|place| at(grid.time(1) * (from + place)))
            };
            let end = grid.steps.saturating_sub(1) as f64;
            let first = step(0.0, PLACES, &mut at);
            let last = step(end, PLACES.map(|place| 1.0 - place), &mut at);
            let [before, behind] = [outside(frames.iter(), &first), outside(frames.iter().rev(), &last)];
            frames.insert(0, before);
            frames.push(behind);
        } else if grid.steps > 0 {
            end_on_the_line(&mut frames, &grid, duration);
        }
        let (joints, scalars) = frames.into_iter().unzip();
        Self { grid, joints, scalars }
    }

    /// All joints at a time, between frames as the run time has them.
    pub(crate) fn at(&self, time: f64, out: &mut [Local]) {
        let steps = time * self.grid.rate;
        let step = (steps.max(0.0) as usize).min(self.grid.steps.saturating_sub(1));
        let part = (steps - step as f64).clamp(0.0, 1.0);
        let frame = |at: usize| &self.joints[(step + at).min(self.joints.len() - 1)];
        if self.grid.cubic {
            let frames = [0, 1, 2, 3].map(frame);
            let weights = cubic_weights(part);
            out.iter_mut()
                .enumerate()
                .for_each(|(joint, out)| *out = cubic(frames.map(|f| &f[joint]), weights));
        } else {
            let ends = frame(0).iter().zip(frame(1));
            out.iter_mut().zip(ends).for_each(|(out, (from, to))| *out = Local::beyond(from, to, part));
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
fn end_on_the_line(frames: &mut [Whole], grid: &Grid, duration: f64) {
    let (from, to) = (grid.time(grid.steps - 1), grid.time(grid.steps));
    let [.., before, last] = frames else { return };
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
fn outside<'a>(mut frames: impl Iterator<Item = &'a Whole>, within: &[Whole; 3]) -> Whole {
    let (Some(first), Some(second)) = (frames.next(), frames.next()) else { return within[0].clone() };
    let third = frames.next().unwrap_or(second);
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
