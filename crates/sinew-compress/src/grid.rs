//! A motion at even steps of time.

use crate::motion::{Local, Motion};

/// When frames are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grid {
    pub(crate) count: usize,
    pub(crate) rate: f64,
}

impl Grid {
    /// Frames over a duration. Where the duration is a whole number of steps but for rounding, the last frame is at its end; else it is the first one behind it.
    pub(crate) fn new(duration: f64, rate: f64) -> Self {
        if duration <= 0.0 {
            return Self { count: 1, rate: 0.0 };
        }
        let steps = duration * rate;
        let whole = steps.round().max(1.0);
        if (steps - whole).abs() < 0.02 {
            return Self { count: whole as usize + 1, rate: whole / duration };
        }
        Self { count: steps.ceil() as usize + 1, rate }
    }

    pub(crate) fn time(&self, frame: usize) -> f64 {
        if self.rate > 0.0 { frame as f64 / self.rate } else { 0.0 }
    }
}

/// Poses of all frames.
pub(crate) struct Sampled {
    pub(crate) grid: Grid,
    pub(crate) joints: Vec<Vec<Local>>,
    pub(crate) scalars: Vec<Vec<f64>>,
}

impl Sampled {
    /// A frame behind the end continues the line from the one before it, so that the end itself is met.
    pub(crate) fn new(motion: &mut dyn Motion, shape: (usize, usize), duration: f64, grid: Grid) -> Self {
        let mut sampled =
            Self { grid, joints: Vec::with_capacity(grid.count), scalars: Vec::with_capacity(grid.count) };
        for frame in 0..grid.count {
            let time = grid.time(frame);
            let (mut joints, mut scalars) = (vec![Local::IDENTITY; shape.0], vec![0.0; shape.1]);
            motion.sample(time.min(duration), &mut joints, &mut scalars);
            if let Some(before) = frame.checked_sub(1).filter(|_| time > duration + 1e-9) {
                let (from, to) = (grid.time(before), time);
                let factor = if duration > from { (to - from) / (duration - from) } else { 1.0 };
                for (joint, before) in joints.iter_mut().zip(&sampled.joints[before]) {
                    *joint = Local::beyond(before, joint, factor);
                }
                for (scalar, before) in scalars.iter_mut().zip(&sampled.scalars[before]) {
                    *scalar = before + (*scalar - before) * factor;
                }
            }
            sampled.joints.push(joints);
            sampled.scalars.push(scalars);
        }
        sampled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_frame_is_at_the_end_or_behind_it() {
        for (duration, rate, count) in [(1.0, 30.0, 31), (1.01, 30.0, 32), (0.0, 30.0, 1), (0.001, 30.0, 2)] {
            let grid = Grid::new(duration, rate);
            assert_eq!(grid.count, count, "{duration} s");
            assert!(grid.time(grid.count - 1) >= duration - 1e-9);
        }
    }
}
