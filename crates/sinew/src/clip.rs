//! What a game plays.

use crate::frames::{Frames, Moved, Parts};
use crate::keys::{Keys, TrackOrderError};
use crate::moment::{Event, Marker};
use crate::pose::{LANES, Lanes};
use crate::root_motion::Travel;
use crate::{JobError, JointTracks, Pose, Sampling, ScalarTrack, Skeleton, Text, Transform};
use glam::Vec3;
use std::borrow::Cow;
use std::sync::OnceLock;

/// Why a clip was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ClipDataError {
    /// The duration is negative or not finite.
    #[error("the duration {duration} is negative or not a number")]
    Duration {
        /// As given.
        duration: f32,
    },
    /// Tracks are not in order.
    #[error(transparent)]
    TrackOrder(#[from] TrackOrderError),
    /// An event outside the clip.
    #[error("event `{name}` at {time} s lies outside the clip")]
    EventTime {
        /// Its name.
        name: String,
        /// Its time.
        time: f32,
    },
    /// A marker outside the clip.
    #[error("marker `{name}` at {time} s lies outside the clip")]
    MarkerTime {
        /// Its name.
        name: String,
        /// Its time.
        time: f32,
    },
    /// A velocity over the ground that is not finite.
    #[error("the velocity over the ground {velocity} is not a number")]
    GroundVelocity {
        /// As given.
        velocity: Vec3,
    },
}

/// When the keys of one joint's rotation go over to the other of the two quaternions that mean the same.
///
/// Between two keys it makes no difference, but a mix of several clips needs numbers that do not jump.
#[derive(Clone, Debug, PartialEq)]
struct Overturns {
    joint: u16,
    times: Box<[f32]>,
}

/// What a mixer needs to know of a clip. It is found when a mixer is made for the clip's character, so that loading need not, and follows from the motion, so that it does
/// not count when clips are compared.
#[derive(Clone, Debug, Default)]
struct Prepared(OnceLock<ForMixing>);

#[derive(Clone, Debug)]
struct ForMixing {
    /// 1 for each joint that the clip moves.
    coverage: Box<[Lanes]>,
    overturns: Box<[Overturns]>,
}

impl PartialEq for Prepared {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Overturns {
    fn of(keys: &Keys) -> Box<[Self]> {
        let tracks =
            keys.joints().iter().filter_map(|tracks| Some((tracks.joint, tracks.rotation.as_ref()?)));
        let found = tracks.map(|(joint, track)| {
            let pairs = track.values().windows(2).zip(&track.times()[1..]);
            let times = pairs.filter(|(pair, _)| pair[0].dot(pair[1]) < 0.0).map(|(_, time)| *time).collect();
            Self { joint, times }
        });
        found.filter(|own| !own.times.is_empty()).collect()
    }

    /// Turns the rotation of the joint over, where its keys were turned over an odd number of times before.
    fn mend(&self, time: f64, pose: &mut Pose) {
        let before = self.times.partition_point(|&at| f64::from(at) <= time);
        if before % 2 == 1 {
            let (block, lane) = (usize::from(self.joint) / LANES, usize::from(self.joint) % LANES);
            for lanes in &mut pose.blocks_mut()[block].rotation {
                lanes.0[lane] = -lanes.0[lane];
            }
        }
    }
}

/// How a clip's motion is stored.
#[derive(Clone, Debug, PartialEq)]
#[allow(
    clippy::large_enum_variant,
    reason = "a game shares clips and does not move them; a box would be one more thing to load"
)]
enum Encoding {
    Keys { keys: Keys, moved: Moved },
    Frames(Frames),
}

/// The motion of the joints and scalars of one skeleton, over `0 ..= duration` seconds. Immutable and shared.
///
/// How it is stored is its own affair: as the [`Keys`] that an importer made, or compiled to [`Frames`]. Both are played alike.
///
/// ```
/// use sinew::{Clip, Event};
///
/// let step = Event::new(0.4, "step");
/// let walk = Clip::new("walk", 1.0, vec![], vec![])?.with_events(vec![step])?;
/// assert_eq!(walk.events()[0].name, "step");
/// # Ok::<(), sinew::ClipDataError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    name: Text,
    duration: f32,
    events: Vec<Event>,
    markers: Vec<Marker>,
    ground_velocity: Vec3,
    encoding: Encoding,
    prepared: Prepared,
}

impl Clip {
    /// Checks tracks and makes a clip of them: sorted by joint and by scalar, each at most once.
    pub fn new(
        name: impl Into<Text>,
        duration: f32,
        joints: Vec<JointTracks>,
        scalars: Vec<ScalarTrack>,
    ) -> Result<Self, ClipDataError> {
        Self::from_keys(name, duration, Keys::new(joints, scalars)?)
    }

    /// A clip of keys.
    pub fn from_keys(name: impl Into<Text>, duration: f32, keys: Keys) -> Result<Self, ClipDataError> {
        let moved = keys.moved();
        Self::with_encoding(name.into(), duration, Encoding::Keys { keys, moved })
    }

    /// A compiled clip.
    pub(crate) fn from_frames(name: Text, duration: f32, frames: Frames) -> Result<Self, ClipDataError> {
        Self::with_encoding(name, duration, Encoding::Frames(frames))
    }

    fn with_encoding(name: Text, duration: f32, encoding: Encoding) -> Result<Self, ClipDataError> {
        if !(duration.is_finite() && duration >= 0.0) {
            return Err(ClipDataError::Duration { duration });
        }
        Ok(Self {
            name,
            duration,
            events: Vec::new(),
            markers: Vec::new(),
            ground_velocity: Vec3::ZERO,
            encoding,
            prepared: Prepared::default(),
        })
    }

    /// The same clip under another name.
    pub fn with_name(mut self, name: impl Into<Text>) -> Self {
        self.name = name.into();
        self
    }

    /// The same clip with events, which are sorted by time.
    pub fn with_events(mut self, mut events: Vec<Event>) -> Result<Self, ClipDataError> {
        if let Some(e) = events.iter().find(|e| !(0.0..=self.duration).contains(&e.time)) {
            return Err(ClipDataError::EventTime { name: e.name.clone(), time: e.time });
        }
        events.sort_by(|a, b| a.time.total_cmp(&b.time));
        self.events = events;
        Ok(self)
    }

    /// The same clip with markers, which are sorted by time.
    pub fn with_markers(mut self, mut markers: Vec<Marker>) -> Result<Self, ClipDataError> {
        if let Some(m) = markers.iter().find(|m| !(0.0..=self.duration).contains(&m.time)) {
            return Err(ClipDataError::MarkerTime { name: m.name.clone(), time: m.time });
        }
        markers.sort_by(|a, b| a.time.total_cmp(&b.time));
        self.markers = markers;
        Ok(self)
    }

    /// The same clip, made in place, with how its figure moves over the ground: see [`Clip::ground_velocity`].
    pub fn with_ground_velocity(mut self, velocity: Vec3) -> Result<Self, ClipDataError> {
        if !velocity.is_finite() {
            return Err(ClipDataError::GroundVelocity { velocity });
        }
        self.ground_velocity = velocity;
        Ok(self)
    }

    /// The same motion with the events, the markers and the velocity over the ground of another clip of its length.
    pub fn with_moments_of(self, other: &Self) -> Result<Self, ClipDataError> {
        let timed = self.with_events(other.events.clone())?.with_markers(other.markers.clone())?;
        timed.with_ground_velocity(other.ground_velocity)
    }

    /// Name, as a game asks for it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its name, which may lie in a bundle.
    pub(crate) fn text(&self) -> &Text {
        &self.name
    }

    /// Seconds.
    pub fn duration(&self) -> f32 {
        self.duration
    }

    /// Events in order of time.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Markers in order of time.
    pub fn markers(&self) -> &[Marker] {
        &self.markers
    }

    /// How fast the figure of a clip made in place would move over the ground, in model space and units a second, so that its standing feet do not slide.
    /// Zero where it stays, where its root travels instead ([`Clip::travel`]), and where nobody said.
    pub fn ground_velocity(&self) -> Vec3 {
        self.ground_velocity
    }

    /// Its keys, unless it is compiled.
    pub fn keys(&self) -> Option<&Keys> {
        match &self.encoding {
            Encoding::Keys { keys, .. } => Some(keys),
            Encoding::Frames(_) => None,
        }
    }

    /// Its frames, if it is compiled.
    pub fn frames(&self) -> Option<&Frames> {
        match &self.encoding {
            Encoding::Keys { .. } => None,
            Encoding::Frames(frames) => Some(frames),
        }
    }

    /// Its keys; those of a compiled clip are made from its frames. For tools: a game samples clips.
    pub fn to_keys(&self, skeleton: &Skeleton) -> Cow<'_, Keys> {
        match &self.encoding {
            Encoding::Keys { keys, .. } => Cow::Borrowed(keys),
            Encoding::Frames(frames) => Cow::Owned(frames.to_keys(skeleton, self.duration)),
        }
    }

    /// Bytes that the motion takes.
    pub fn bytes(&self) -> usize {
        match &self.encoding {
            Encoding::Keys { keys, .. } => keys.bytes(),
            Encoding::Frames(frames) => frames.bytes(),
        }
    }

    fn moves(&self) -> &Moved {
        match &self.encoding {
            Encoding::Keys { moved, .. } => moved,
            Encoding::Frames(frames) => frames.moved(),
        }
    }

    /// Which parts of a joint it moves; all else stays at the rest of the skeleton that it plays on.
    pub fn moved(&self, joint: u16) -> Parts {
        self.moves().joint(joint)
    }

    /// Whether it moves a scalar.
    pub fn moves_scalar(&self, scalar: u16) -> bool {
        self.moves().scalar(scalar)
    }

    /// Joints of which it moves a part, in rising order.
    pub fn moved_joints(&self) -> impl Iterator<Item = u16> + '_ {
        self.moves().joints()
    }

    /// Scalars that it moves, in rising order.
    pub fn moved_scalars(&self) -> impl Iterator<Item = u16> + '_ {
        self.moves().scalars()
    }

    /// 1 for each joint of which it moves a part, else 0; blocks behind the last one are left out.
    pub(crate) fn coverage(&self) -> &[Lanes] {
        &self.prepared().coverage
    }

    /// Whether every joint and scalar it moves exists in a skeleton with so many; a compiled clip fits the skeleton that it was made for.
    pub fn fits(&self, joints: usize, scalars: usize) -> Result<(), JobError> {
        match &self.encoding {
            Encoding::Keys { keys, .. } => keys.fits(joints, scalars),
            Encoding::Frames(frames) => frames.fits(joints, scalars),
        }
    }

    /// The local pose at a time; what it does not move is at rest. The caller has checked that it fits.
    pub(crate) fn sample(&self, skeleton: &Skeleton, time: f64, sampling: Sampling, out: &mut Pose) {
        match &self.encoding {
            Encoding::Keys { keys, .. } => {
                out.copy_from(skeleton.rest());
                keys.apply(time, sampling, out);
            }
            Encoding::Frames(frames) => frames.sample(skeleton, time, sampling, out),
        }
    }

    /// Brings rotations sampled at a time onto one side of the sphere, so that their numbers do not jump where keys turn over. Frames never do.
    pub(crate) fn mend(&self, time: f64, pose: &mut Pose) {
        self.prepared().overturns.iter().for_each(|own| own.mend(time, pose));
    }

    /// Finds what a mixer needs to know, before the first frame that needs it.
    pub(crate) fn prepare(&self) {
        self.prepared();
    }

    fn prepared(&self) -> &ForMixing {
        self.prepared.0.get_or_init(|| {
            let overturns = self.keys().map(Overturns::of).unwrap_or_default();
            ForMixing { coverage: coverage(self.moves()), overturns }
        })
    }

    /// The local transform of one joint at a time, without sampling the others.
    ///
    /// Fails if the clip or the joint does not fit the skeleton.
    pub fn sample_joint(&self, skeleton: &Skeleton, joint: u16, time: f64) -> Result<Transform, JobError> {
        self.fits(skeleton.len(), skeleton.scalar_names().len())?;
        crate::job::at_least("skeleton", usize::from(joint) + 1, skeleton.len())?;
        Ok(match &self.encoding {
            Encoding::Keys { keys, .. } => {
                let rest = skeleton.rest().get(joint.into());
                keys.joint(joint).map_or(rest, |tracks| tracks.over(rest, time, Sampling::Interpolate))
            }
            Encoding::Frames(frames) => frames.sample_joint(skeleton, joint, time),
        })
    }

    /// Times at which it has something to say, in no order: of its keys, or of its frames and the keys beside them.
    pub fn times(&self) -> Box<dyn Iterator<Item = f64> + '_> {
        match &self.encoding {
            Encoding::Keys { keys, .. } => Box::new(keys.times().map(f64::from)),
            Encoding::Frames(frames) => Box::new(frames.times()),
        }
    }

    /// Lowest and highest value that it gives a scalar, if it moves it.
    pub fn scalar_range(&self, scalar: u16) -> Option<(f32, f32)> {
        let kept = self.keys().or_else(|| self.frames().map(Frames::kept))?;
        let place = kept.scalars().binary_search_by_key(&scalar, |s| s.scalar);
        match place {
            Ok(index) => {
                let values = kept.scalars()[index].track.values().iter().copied();
                let start = (f32::INFINITY, f32::NEG_INFINITY);
                Some(values.fold(start, |(low, high), value| (low.min(value), high.max(value))))
            }
            Err(_) => self.frames()?.scalar_range(scalar),
        }
    }

    /// The joint whose travel counts unless another is chosen, and when its translation begins and ends: of those whose translation changes, the
    /// highest; of several equally high, the first.
    pub fn traveller(&self, skeleton: &Skeleton) -> Option<(u16, [f32; 2])> {
        let keys = match &self.encoding {
            Encoding::Frames(frames) => return frames.travel(),
            Encoding::Keys { keys, .. } => keys,
        };
        let depth = |joint: u16| std::iter::successors(Some(joint), |&j| skeleton.parent(j)).count();
        let moving =
            keys.joints().iter().filter_map(|tracks| Some((tracks.joint, tracks.translation.as_ref()?)));
        let moving = moving.filter(|(_, track)| track.times().len() > 1);
        let (joint, _) = moving.min_by_key(|&(joint, _)| depth(joint))?;
        Some((joint, self.travel_times(joint)?))
    }

    /// When the translation of a joint begins and ends.
    pub fn travel_times(&self, joint: u16) -> Option<[f32; 2]> {
        match &self.encoding {
            Encoding::Keys { keys, .. } => {
                let times = keys.joint(joint)?.translation.as_ref()?.times();
                Some([*times.first()?, *times.last()?])
            }
            Encoding::Frames(frames) => {
                let own = frames.travel().filter(|(own, _)| *own == joint).map(|(_, times)| times);
                own.or_else(|| frames.moved().joint(joint).translation.then_some([0.0, self.duration]))
            }
        }
    }

    /// How the root travels from the first to the last key, and the figure over the ground; see [`Travel::of`].
    pub fn travel(&self, character: &crate::Character, root: Option<u16>) -> Travel {
        Travel::of(self, character.skeleton(), root, character.space().up.into())
    }
}

fn coverage(moved: &Moved) -> Box<[Lanes]> {
    let mut lanes = Vec::new();
    for joint in moved.joints().map(usize::from) {
        lanes.resize(joint / LANES + 1, Lanes::splat(0.0));
        lanes[joint / LANES].0[joint % LANES] = 1.0;
    }
    lanes.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_clips_are_refused() {
        let tracks = |joint| JointTracks::new(joint);
        assert!(Clip::new("a", -1.0, vec![], vec![]).is_err());
        assert!(Clip::new("a", f32::NAN, vec![], vec![]).is_err());
        assert!(Clip::new("a", 1.0, vec![tracks(1), tracks(1)], vec![]).is_err());
        assert!(Clip::new("a", 1.0, vec![tracks(1), tracks(2)], vec![]).is_ok());
        let clip = || Clip::new("a", 1.0, vec![], vec![]).unwrap();
        assert!(clip().with_events(vec![Event::new(2.0, "late")]).is_err());
        assert!(clip().with_markers(vec![Marker::new(f32::NAN, "never")]).is_err());
        let sorted = clip().with_markers(vec![Marker::new(0.5, "right"), Marker::new(0.0, "left")]).unwrap();
        assert_eq!(sorted.markers()[0].name, "left");
        let error = clip().with_ground_velocity(Vec3::new(0.0, f32::NAN, 0.0)).unwrap_err();
        assert!(error.to_string().contains("over the ground"), "{error}");
    }

    #[test]
    fn rotations_do_not_turn_over() {
        let turn =
            |i: u8| glam::Quat::from_rotation_z(f32::from(i) * 0.4) * if i % 3 == 1 { -1.0 } else { 1.0 };
        let times = (0..=9u8).map(f32::from).collect();
        let track =
            crate::Track::new(times, (0..=9).map(turn).collect(), crate::Interpolation::Linear).unwrap();
        let tracks = JointTracks { rotation: Some(track), ..JointTracks::new(0) };
        let clip = Clip::new("a", 9.0, vec![tracks], vec![]).unwrap();
        let skeleton =
            Skeleton::new(vec![crate::Joint::new("a", None, Transform::IDENTITY)], vec![]).unwrap();
        let at = |time: f64| {
            let mut pose = Pose::of_clip(&skeleton, &clip, time).unwrap();
            clip.mend(time, &mut pose);
            pose.get(0).rotation
        };
        let mut last = at(0.0);
        for i in 1..=900u16 {
            let now = at(f64::from(i) / 100.0);
            assert!(now.dot(last) > 0.99, "at {i}");
            last = now;
        }
    }
}
