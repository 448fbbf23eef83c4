//! Even steps of time through a clip, for formats that have frames.

use crate::bundle::WriteError;
use sinew::{Clip, Finding, Interpolation, Key, Skeleton, Track};
use sinew_findings::Kind;

/// Even steps of time through a clip.
pub(crate) struct Steps {
    /// Frames.
    pub(crate) count: usize,
    /// Seconds.
    pub(crate) step: f64,
    /// Whether there are keys between frames, or jumps, which frames cannot say.
    uneven: bool,
}

/// Frames a second of clips whose keys lie on no even steps.
const USUAL_RATE: f64 = 60.0;

/// Frames a second at least, for programs that do not interpolate.
const LEAST_RATE: f64 = 24.0;

/// Steps shorter than this are not meant as frames.
const SHORTEST: f64 = 1e-3;

/// Frames of a clip at most: an hour has less than half a million.
const MOST: usize = 5_000_000;

/// How far a key may be from a frame, as a part of the step: key times are in single precision.
const OFF_FRAME: f64 = 0.02;

impl Steps {
    /// A single frame.
    pub(crate) const ONE: Self = Self { count: 1, step: 1.0 / USUAL_RATE, uneven: false };

    /// Steps on which all keys lie, where there are such; else some that end with the clip.
    pub(crate) fn of(clip: &Clip, skeleton: &Skeleton) -> Self {
        let duration = f64::from(clip.duration());
        if duration <= 0.0 {
            return Self::ONE;
        }
        let keys = clip.to_keys(skeleton);
        let jumps = keys
            .joints()
            .iter()
            .any(|tracks| jumps(&tracks.translation) || jumps(&tracks.rotation) || jumps(&tracks.scale));
        let mut times: Vec<f64> = keys.times().map(f64::from).chain([0.0, duration]).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        let gaps = times.windows(2).map(|pair| pair[1] - pair[0]);
        let step = even(duration, gaps.fold(duration, f64::min));
        let on_frame = |time: &f64| (time / step - (time / step).round()).abs() <= OFF_FRAME;
        if step >= SHORTEST && times.iter().all(on_frame) {
            return Self { uneven: jumps, ..Self::with_step(duration, divided(step)) };
        }
        Self { uneven: true, ..Self::with_step(duration, even(duration, 1.0 / USUAL_RATE)) }
    }

    /// Refuses a clip so long that its frames would fill any disk.
    pub(crate) fn check(&self) -> Result<(), WriteError> {
        let (what, count) = ("frames", self.count);
        if count > MOST { Err(WriteError::TooMany { what, count }) } else { Ok(()) }
    }

    /// When a frame is.
    pub(crate) fn time(&self, frame: usize) -> f64 {
        frame as f64 * self.step
    }

    fn with_step(duration: f64, step: f64) -> Self {
        Self { count: (duration / step).round() as usize + 1, step, uneven: false }
    }

    /// A finding of a kind about clips whose keys do not lie on the steps.
    pub(crate) fn finding(&self, kind: &'static Kind, clip: &str) -> Option<Finding> {
        let message = format!("it was written at {:.3} frames a second", 1.0 / self.step);
        let finding = Finding::new(kind, format!("clip `{clip}`"), message);
        self.uneven.then_some(finding)
    }
}

/// The step nearest to one that divides a duration.
fn even(duration: f64, step: f64) -> f64 {
    duration / (duration / step).round().max(1.0)
}

/// A step, or as many parts of it as the least rate asks for.
fn divided(step: f64) -> f64 {
    step / (step * LEAST_RATE).ceil().max(1.0)
}

/// Whether a track has values that hold until the next key, or two at one time.
fn jumps<T: Key>(track: &Option<Track<T>>) -> bool {
    track.as_ref().is_some_and(|track| {
        let twice = track.times().windows(2).any(|pair| pair[0] == pair[1]);
        twice || track.interpolation() == Interpolation::Step && track.times().len() > 1
    })
}
