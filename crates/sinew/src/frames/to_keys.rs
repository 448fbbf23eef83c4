//! Frames as keys again, for tools.

use super::Frames;
use crate::{Interpolation, JobError, JointTracks, Keys, Sampling, ScalarTrack, Skeleton, Track};

/// Keys between two frames that follow a cubic.
const PER_CUBIC: usize = 4;

impl Frames {
    /// Whether it was made for a skeleton with so many joints and scalars.
    pub(crate) fn fits(&self, joints: usize, scalars: usize) -> Result<(), JobError> {
        crate::job::exactly("pose.joints", self.shape.0, joints)?;
        crate::job::exactly("pose.scalars", self.shape.1, scalars)
    }

    /// Times of the frames, then those of the keys beside them.
    pub(crate) fn times(&self) -> impl Iterator<Item = f64> + '_ {
        let frames =
            (0..=self.steps()).map(|frame| if self.rate > 0.0 { frame as f64 / self.rate } else { 0.0 });
        frames.chain(self.kept.times().map(f64::from))
    }

    /// Keys that say the same: one for each frame, more where a cubic lies between.
    pub(crate) fn to_keys(&self, skeleton: &Skeleton, duration: f32) -> Keys {
        let per_frame = if self.cubic { PER_CUBIC } else { 1 };
        let last = if self.rate > 0.0 { self.steps() * per_frame } else { 0 };
        let time = |key: usize| (key as f64 / per_frame as f64 / self.rate.max(f64::MIN_POSITIVE)) as f32;
        let mut times: Vec<f32> = (0..=last).map(time).map(|time| time.min(duration)).collect();
        times.dedup();
        let mut pose = skeleton.rest().clone();
        let mut poses = Vec::with_capacity(times.len());
        for &time in &times {
            self.sample(skeleton, time.into(), Sampling::Interpolate, &mut pose);
            poses.push(pose.clone());
        }
        let joints = self.moved.joints().filter(|&joint| usize::from(joint) < skeleton.len()).map(|joint| {
            let parts = self.moved.joint(joint);
            let kept = self.kept.joint(joint).cloned().unwrap_or_else(|| JointTracks::new(joint));
            let at = |index: usize| poses[index].get(joint.into());
            JointTracks {
                joint,
                translation: kept
                    .translation
                    .or_else(|| track(parts.translation, &times, |i| at(i).translation)),
                rotation: kept.rotation.or_else(|| track(parts.rotation, &times, |i| at(i).rotation)),
                scale: kept.scale.or_else(|| track(parts.scale, &times, |i| at(i).scale)),
            }
        });
        let scalars = self.moved.scalars().filter_map(|scalar| {
            let kept = self.kept.scalars().iter().find(|s| s.scalar == scalar).map(|s| s.track.clone());
            let value = |i: usize| poses[i].scalars().get(usize::from(scalar)).copied().unwrap_or(0.0);
            Some(ScalarTrack { scalar, track: kept.or_else(|| track(true, &times, value))? })
        });
        Keys::new(joints.collect(), scalars.collect()).unwrap_or_default()
    }
}

/// A track of values at times; one key where all are equal.
fn track<T: crate::Key + PartialEq>(
    wanted: bool,
    times: &[f32],
    value: impl Fn(usize) -> T,
) -> Option<Track<T>> {
    if !wanted {
        return None;
    }
    let values: Vec<T> = (0..times.len()).map(value).collect();
    let all_equal = values.windows(2).all(|pair| pair[0] == pair[1]);
    let count = if all_equal { 1 } else { values.len() };
    Track::new(times[..count].to_vec(), values[..count].to_vec(), Interpolation::Linear).ok()
}
