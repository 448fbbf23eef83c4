//! Memory, counted before it is taken.

use crate::course::OnCourse;
use crate::measure::{FEW, TrueJoint};
use crate::motion::Local;
use sinew::{Keys, Skeleton};

/// Bytes that compiling may hold at a time beside the character, unless it is told otherwise.
pub const MOST_MEMORY: u64 = 256 << 20;

/// What a frame takes beside its joints and scalars: two lists, twice while they are put together, and the rotations of one joint while it is prepared.
const FRAME: usize = 384;

/// What a joint takes whatever the number of frames is, in all that is prepared and planned.
const JOINT: usize = 3584;

/// How often a section is held: what is best so far, what is best of a layout and what is written now, each with what is read back, and its frames while they are written.
const COPIES: usize = 7;

/// What may still be held.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room(u64);

impl Room {
    pub(crate) fn new(bytes: u64) -> Self {
        Self(bytes)
    }

    /// What is left when `count` things of a size are held too; `None` if they are too many.
    pub(crate) fn without(self, count: usize, size: usize) -> Option<Self> {
        let bytes = (count as u64).checked_mul(size as u64)?;
        self.0.checked_sub(bytes).map(Self)
    }

    /// Without what each joint takes, keys that are taken apart, and the times of those that are kept.
    pub(crate) fn without_keys(self, skeleton: &Skeleton, keys: &Keys) -> Option<Self> {
        self.without(skeleton.len(), JOINT)?.without(keys.bytes(), 1)?.without(keys.bytes() / 2, 1)
    }

    /// Without a number of samples, and whether they have a place.
    pub(crate) fn without_samples(self, skeleton: &Skeleton, count: usize) -> (Self, bool) {
        self.if_little(self.without_frames(skeleton, count))
    }

    /// Without where a number of joints truly are, and whether that has a place. What is left then holds any section of frames for them, unless they have tens of scalars each.
    pub(crate) fn without_course(self, joints: usize) -> (Self, bool) {
        self.if_little(self.without(joints, size_of::<OnCourse>()))
    }

    /// What is left beside something that only saves time, which has a place in an eighth of what there is.
    fn if_little(self, left: Option<Self>) -> (Self, bool) {
        match left.filter(|left| left.0 >= self.0 / 8 * 7) {
            Some(left) => (left, true),
            None => (self, false),
        }
    }

    /// Without the errors at a number of times, and whether the true poses at these times have a place, too: in half of what there is, since the rest is for frames.
    pub(crate) fn without_truth(self, skeleton: &Skeleton, times: usize) -> Option<(Self, bool)> {
        let joints = skeleton.len();
        // Those at few times are held beside all while these take their place.
        let left = self.without(times + times.div_ceil(FEW), joints * size_of::<f32>())?;
        let models = left.without(times, joints * size_of::<TrueJoint>());
        Some(match models.filter(|models| models.0 >= left.0 / 2) {
            Some(models) => (models, true),
            None => (left, false),
        })
    }

    /// Without the poses of a number of frames.
    pub(crate) fn without_frames(self, skeleton: &Skeleton, count: usize) -> Option<Self> {
        let scalars = skeleton.scalar_names().len() * size_of::<f64>();
        self.without(count, skeleton.len() * size_of::<Local>() + scalars + FRAME)
    }

    /// Whether a section of frames has a place.
    pub(crate) fn has_section(self, frames: usize, stride: usize) -> bool {
        frames.checked_mul(stride).is_some_and(|bytes| self.without(bytes, COPIES).is_some())
    }
}
