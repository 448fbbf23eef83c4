//! Keys over time, as sources have them and tools edit them.

use crate::frames::{Moved, Parts};
use crate::math::slerp;
use crate::pose::LANES;
use crate::{Buffer, JobError, Pose, Transform};
use bytemuck::Pod;
use glam::{Quat, Vec3};

/// What happens between two keys of a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Interpolation {
    /// The value of the key before holds until the next key.
    Step,
    /// Translation, scale and scalars move on a line, rotations on the shortest arc.
    #[default]
    Linear,
}

/// How a clip is read between its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Sampling {
    /// Between keys, as the tracks say.
    #[default]
    Interpolate,
    /// At the key before, as XNA played clips.
    Step,
}

/// A value that a track can hold.
pub trait Key: Pod + PartialEq + std::fmt::Debug + Send + Sync {
    /// From `self` (t = 0) to `other` (t = 1).
    fn interpolate(self, other: Self, t: f32) -> Self;
    /// Whether it is finite and, for a rotation, of unit length.
    fn is_valid(&self) -> bool;
}

impl Key for f32 {
    fn interpolate(self, other: Self, t: f32) -> Self {
        self + (other - self) * t
    }
    fn is_valid(&self) -> bool {
        self.is_finite()
    }
}

impl Key for Vec3 {
    fn interpolate(self, other: Self, t: f32) -> Self {
        self + (other - self) * t
    }
    fn is_valid(&self) -> bool {
        self.is_finite()
    }
}

impl Key for Quat {
    fn interpolate(self, other: Self, t: f32) -> Self {
        slerp(self, other, t)
    }
    fn is_valid(&self) -> bool {
        (self.length_squared() - 1.0).abs() < 1e-3
    }
}

/// Why keys were refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TrackError {
    /// No keys: leave the track out instead.
    #[error("a track has no keys: leave it out instead")]
    Empty,
    /// The numbers of times and values differ.
    #[error("a track has {times} times and {values} values")]
    Lengths {
        /// Number of times.
        times: usize,
        /// Number of values.
        values: usize,
    },
    /// Times must rise; two keys at one time are a jump, three are not.
    #[error(
        "key {key} at {time} s is not in order: times rise, and two keys at one time (a jump) are the most"
    )]
    Order {
        /// Index of the key.
        key: usize,
        /// Its time.
        time: f32,
    },
    /// A value that is not finite, or a rotation that is not a unit quaternion.
    #[error("key {key} is not a finite value or not a unit quaternion")]
    Value {
        /// Index of the key.
        key: usize,
    },
}

/// Keys of one property. A jump is two keys at one time: the first ends what came before, the second begins what follows.
#[derive(Clone, Debug, PartialEq)]
pub struct Track<T: Key> {
    times: Buffer<f32>,
    values: Buffer<T>,
    interpolation: Interpolation,
}

impl<T: Key> Track<T> {
    /// Checks keys and makes a track of them.
    pub fn new(times: Vec<f32>, values: Vec<T>, interpolation: Interpolation) -> Result<Self, TrackError> {
        Self::from_buffers(times.into(), values.into(), interpolation)
    }

    /// The same for keys that may lie in a bundle.
    pub(crate) fn from_buffers(
        times: Buffer<f32>,
        values: Buffer<T>,
        interpolation: Interpolation,
    ) -> Result<Self, TrackError> {
        if times.is_empty() {
            return Err(TrackError::Empty);
        }
        if times.len() != values.len() {
            return Err(TrackError::Lengths { times: times.len(), values: values.len() });
        }
        if let Some(key) = first_out_of_order(&times) {
            return Err(TrackError::Order { key, time: times[key] });
        }
        match values.iter().position(|v| !v.is_valid()) {
            Some(key) => Err(TrackError::Value { key }),
            None => Ok(Self { times, values, interpolation }),
        }
    }

    /// A track that always has one value.
    pub fn constant(value: T) -> Result<Self, TrackError> {
        Self::new(vec![0.0], vec![value], Interpolation::Linear)
    }

    /// Times of the keys in seconds, rising.
    pub fn times(&self) -> &[f32] {
        &self.times
    }

    /// Values of the keys.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// What happens between keys.
    pub fn interpolation(&self) -> Interpolation {
        self.interpolation
    }

    /// The value at a time; before the first key and behind the last the nearest key holds.
    #[inline]
    pub fn sample(&self, time: f64, sampling: Sampling) -> T {
        // Of two keys at one time the second counts, hence `<=` and not `<`.
        let (times, values): (&[f32], &[T]) = (&self.times, &self.values);
        let next = times.partition_point(|&key| f64::from(key) <= time);
        let Some(last) = next.checked_sub(1) else { return values[0] };
        let from = values[last];
        if next == times.len() || sampling == Sampling::Step || self.interpolation == Interpolation::Step {
            return from;
        }
        let (t0, t1) = (f64::from(times[last]), f64::from(times[next]));
        from.interpolate(values[next], ((time - t0) / (t1 - t0)) as f32)
    }

    /// The same track with every value changed, as a change of space does.
    pub fn map(&self, change: impl FnMut(T) -> T) -> Result<Self, TrackError> {
        Self::new(self.times.to_vec(), self.values.iter().copied().map(change).collect(), self.interpolation)
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.times) + size_of_val(&*self.values)
    }
}

/// The first key whose time is not finite, before the one before it, or the third at one time.
fn first_out_of_order(times: &[f32]) -> Option<usize> {
    times.iter().enumerate().position(|(key, &time)| {
        let after_last = key == 0 || times[key - 1] <= time;
        let after_jump = key < 2 || times[key - 2] < time;
        !(time.is_finite() && after_last && after_jump)
    })
}

/// What moves one joint. A part without a track stays at the rest of the skeleton that the clip plays on.
#[derive(Clone, Debug, PartialEq)]
pub struct JointTracks {
    /// Index of the joint.
    pub joint: u16,
    /// Keys of the translation.
    pub translation: Option<Track<Vec3>>,
    /// Keys of the rotation.
    pub rotation: Option<Track<Quat>>,
    /// Keys of the scale.
    pub scale: Option<Track<Vec3>>,
}

impl JointTracks {
    /// A joint that nothing moves yet.
    pub fn new(joint: u16) -> Self {
        Self { joint, translation: None, rotation: None, scale: None }
    }

    /// Whether no part has keys.
    pub fn is_empty(&self) -> bool {
        self.translation.is_none() && self.rotation.is_none() && self.scale.is_none()
    }

    /// Times of all keys of the three parts, part after part.
    pub fn times(&self) -> impl Iterator<Item = f32> + '_ {
        let translation = self.translation.iter().flat_map(|t| t.times());
        let rotation = self.rotation.iter().flat_map(|t| t.times());
        let scale = self.scale.iter().flat_map(|t| t.times());
        translation.chain(rotation).chain(scale).copied()
    }

    fn key_count(&self) -> usize {
        self.times().count()
    }

    /// The transform at a time; parts without a track are those given.
    pub fn over(&self, base: Transform, time: f64, sampling: Sampling) -> Transform {
        Transform {
            translation: self.translation.as_ref().map_or(base.translation, |t| t.sample(time, sampling)),
            rotation: self.rotation.as_ref().map_or(base.rotation, |t| t.sample(time, sampling)),
            scale: self.scale.as_ref().map_or(base.scale, |t| t.sample(time, sampling)),
        }
    }

    /// Which parts have tracks.
    pub fn parts(&self) -> Parts {
        Parts {
            translation: self.translation.is_some(),
            rotation: self.rotation.is_some(),
            scale: self.scale.is_some(),
        }
    }

    fn bytes(&self) -> usize {
        self.translation.as_ref().map_or(0, Track::bytes)
            + self.rotation.as_ref().map_or(0, Track::bytes)
            + self.scale.as_ref().map_or(0, Track::bytes)
    }
}

/// What moves one scalar of the pose.
#[derive(Clone, Debug, PartialEq)]
pub struct ScalarTrack {
    /// Index into the pose's scalar block.
    pub scalar: u16,
    /// Its keys.
    pub track: Track<f32>,
}

/// Tracks are not sorted by joint (or scalar), or one occurs twice.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("tracks are not in rising order of {what} at index {index}")]
pub struct TrackOrderError {
    /// `joint` or `scalar`.
    pub what: &'static str,
    /// The joint or scalar that is out of order.
    pub index: u16,
}

/// Tracks for the joints and scalars of one skeleton: what importers make and tools edit. A game plays a [`crate::Clip`].
///
/// Keys are evaluated exactly: translations, scales and scalars on a line, rotations on the shortest arc.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Keys {
    joints: Vec<JointTracks>,
    scalars: Vec<ScalarTrack>,
}

impl Keys {
    /// Checks that tracks are sorted by joint and by scalar, each at most once.
    pub fn new(joints: Vec<JointTracks>, scalars: Vec<ScalarTrack>) -> Result<Self, TrackOrderError> {
        if let Some(pair) = joints.windows(2).find(|w| w[0].joint >= w[1].joint) {
            return Err(TrackOrderError { what: "joint", index: pair[1].joint });
        }
        if let Some(pair) = scalars.windows(2).find(|w| w[0].scalar >= w[1].scalar) {
            return Err(TrackOrderError { what: "scalar", index: pair[1].scalar });
        }
        Ok(Self { joints, scalars })
    }

    /// Tracks in rising order of joints.
    pub fn joints(&self) -> &[JointTracks] {
        &self.joints
    }

    /// Tracks in rising order of scalars.
    pub fn scalars(&self) -> &[ScalarTrack] {
        &self.scalars
    }

    /// Tracks of one joint.
    pub fn joint(&self, joint: u16) -> Option<&JointTracks> {
        self.joints.binary_search_by_key(&joint, |t| t.joint).ok().map(|i| &self.joints[i])
    }

    /// Number of keys in all tracks.
    pub fn count(&self) -> usize {
        self.joints.iter().map(JointTracks::key_count).sum::<usize>()
            + self.scalars.iter().map(|s| s.track.times().len()).sum::<usize>()
    }

    /// Bytes that the keys take.
    pub fn bytes(&self) -> usize {
        self.joints.iter().map(JointTracks::bytes).sum::<usize>()
            + self.scalars.iter().map(|s| s.track.bytes()).sum::<usize>()
    }

    /// Whether there are no tracks.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty() && self.scalars.is_empty()
    }

    /// Times of all keys of joints, track after track.
    pub fn times(&self) -> impl Iterator<Item = f32> + '_ {
        self.joints.iter().flat_map(|tracks| tracks.times())
    }

    /// Whether every joint and scalar that has a track exists in a skeleton with so many.
    pub fn fits(&self, joints: usize, scalars: usize) -> Result<(), JobError> {
        let highest = self.joints.last().map_or(0, |t| usize::from(t.joint) + 1);
        crate::job::at_least("pose.joints", highest, joints)?;
        let highest = self.scalars.last().map_or(0, |t| usize::from(t.scalar) + 1);
        crate::job::at_least("pose.scalars", highest, scalars)
    }

    /// Sets what has tracks to its value at a time, and leaves the rest of the pose alone. The caller has checked [`Keys::fits`].
    pub(crate) fn apply(&self, time: f64, sampling: Sampling, out: &mut Pose) {
        let (blocks, scalars) = out.parts_mut();
        for tracks in &self.joints {
            let joint = usize::from(tracks.joint);
            let (block, lane) = (&mut blocks[joint / LANES], joint % LANES);
            if let Some(track) = &tracks.translation {
                block.set_translation(lane, track.sample(time, sampling));
            }
            if let Some(track) = &tracks.rotation {
                block.set_rotation(lane, track.sample(time, sampling));
            }
            if let Some(track) = &tracks.scale {
                block.set_scale(lane, track.sample(time, sampling));
            }
        }
        for scalar in &self.scalars {
            scalars[usize::from(scalar.scalar)] = scalar.track.sample(time, sampling);
        }
    }

    /// Which joints and scalars have tracks.
    pub fn moved(&self) -> Moved {
        let joints = self.joints.last().map_or(0, |t| usize::from(t.joint) + 1);
        let scalars = self.scalars.last().map_or(0, |t| usize::from(t.scalar) + 1);
        let mut moved = Moved::none(joints, scalars);
        self.joints.iter().for_each(|tracks| moved.add(tracks.joint, tracks.parts()));
        self.scalars.iter().for_each(|track| moved.add_scalar(track.scalar));
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track(times: &[f32], values: &[f32]) -> Track<f32> {
        Track::new(times.to_vec(), values.to_vec(), Interpolation::Linear).unwrap()
    }

    #[test]
    fn between_and_outside_keys() {
        let track = track(&[1.0, 3.0], &[10.0, 20.0]);
        for (time, value) in [(0.0, 10.0), (1.0, 10.0), (2.0, 15.0), (3.0, 20.0), (9.0, 20.0)] {
            assert_eq!(track.sample(time, Sampling::Interpolate), value, "at {time}");
        }
        assert_eq!(track.sample(2.9, Sampling::Step), 10.0);
    }

    #[test]
    fn a_jump_is_two_keys_at_one_time() {
        let track = track(&[0.0, 1.0, 1.0, 2.0], &[0.0, 1.0, 5.0, 6.0]);
        assert!(track.sample(0.999_999, Sampling::Interpolate) < 1.0);
        assert_eq!(track.sample(1.0, Sampling::Interpolate), 5.0);
        assert_eq!(track.sample(1.5, Sampling::Interpolate), 5.5);
    }

    #[test]
    fn a_step_track_holds() {
        let track = Track::new(vec![0.0, 1.0], vec![3.0, 4.0], Interpolation::Step).unwrap();
        assert_eq!(track.sample(0.99, Sampling::Interpolate), 3.0);
        assert_eq!(track.sample(1.0, Sampling::Interpolate), 4.0);
    }

    #[test]
    fn bad_keys_are_refused() {
        let new = |times: &[f32], values: &[f32]| {
            Track::new(times.to_vec(), values.to_vec(), Interpolation::Linear)
        };
        assert_eq!(new(&[], &[]), Err(TrackError::Empty));
        assert!(matches!(new(&[0.0], &[]), Err(TrackError::Lengths { .. })));
        assert!(matches!(new(&[1.0, 0.0], &[0.0, 0.0]), Err(TrackError::Order { key: 1, .. })));
        assert!(matches!(new(&[1.0, 1.0, 1.0], &[0.0; 3]), Err(TrackError::Order { key: 2, .. })));
        assert!(matches!(new(&[f32::NAN], &[0.0]), Err(TrackError::Order { key: 0, .. })));
        assert_eq!(new(&[0.0], &[f32::NAN]), Err(TrackError::Value { key: 0 }));
        assert!(Track::constant(Quat::from_xyzw(0.0, 0.0, 0.0, 2.0)).is_err());
    }
}
