//! How a voice is played, and where in the mix it counts.

use crate::{Mask, Mirror, PlayOptions, Pose, SyncMode};
use std::sync::Arc;

/// What a voice does with what lies below it.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Layering {
    /// It takes its place, by weight.
    #[default]
    Override,
    /// Its difference from a reference is added: a breath, a recoil. The reference is a pose such as the rest, or that of a clip at a time
    /// ([`Pose::of_clip`]).
    Additive(Arc<Pose>),
}

/// Voices of one group are kept in step, on whichever layers they play: the one that counts most leads, and one that starts takes over where the
/// leader is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SyncGroup {
    /// Number of the group.
    pub group: u8,
    /// How they are kept in step. Where markers do not match, by phase.
    pub by: SyncMode,
}

impl SyncGroup {
    /// A group in which feet touch the ground together.
    pub fn by_markers(group: u8) -> Self {
        Self { group, by: SyncMode::Markers }
    }

    /// A group in which all are equally far through their clips.
    pub fn by_phase(group: u8) -> Self {
        Self { group, by: SyncMode::Phase }
    }
}

/// How a voice is played, and where in the mix it counts.
///
/// ```
/// # fn demo(skeleton: &sinew::Skeleton) -> Result<(), sinew::names::UnknownName> {
/// use sinew::{Mask, PlayOptions, VoiceOptions};
/// use std::sync::Arc;
///
/// let arms = Arc::new(Mask::below(skeleton, "Spine")?);
/// let wave = VoiceOptions::from(PlayOptions::once(0.2)).on_layer(1).masked(arms);
/// # let _ = wave;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct VoiceOptions {
    /// Clock, travel, and the fade with which it begins.
    pub play: PlayOptions,
    /// Voices of one layer are mixed by weight; layers lie over each other in rising order.
    pub layer: u8,
    /// From 0 to 1.
    pub weight: f32,
    /// Where it counts; everywhere by default. What its clip does not move it leaves alone in any case.
    pub mask: Option<Arc<Mask>>,
    /// Whether it takes the place of what lies below.
    pub layering: Layering,
    /// Left and right changed over.
    pub mirror: Option<Arc<Mirror>>,
    /// With what it is kept in step.
    pub sync: Option<SyncGroup>,
}

impl Default for VoiceOptions {
    fn default() -> Self {
        Self {
            play: PlayOptions::default(),
            layer: 0,
            weight: 1.0,
            mask: None,
            layering: Layering::Override,
            mirror: None,
            sync: None,
        }
    }
}

impl From<PlayOptions> for VoiceOptions {
    fn from(play: PlayOptions) -> Self {
        Self { play, ..Self::default() }
    }
}

impl VoiceOptions {
    /// The same on another layer.
    pub fn on_layer(self, layer: u8) -> Self {
        Self { layer, ..self }
    }

    /// The same with another weight.
    pub fn weighted(self, weight: f32) -> Self {
        Self { weight, ..self }
    }

    /// The same, counting only where a mask says.
    pub fn masked(self, mask: Arc<Mask>) -> Self {
        Self { mask: Some(mask), ..self }
    }

    /// The same, added to what lies below as a difference from a reference.
    pub fn additive(self, reference: Arc<Pose>) -> Self {
        Self { layering: Layering::Additive(reference), ..self }
    }

    /// The same with left and right changed over.
    pub fn mirrored(self, mirror: Arc<Mirror>) -> Self {
        Self { mirror: Some(mirror), ..self }
    }

    /// The same, kept in step with others.
    pub fn synced(self, group: SyncGroup) -> Self {
        Self { sync: Some(group), ..self }
    }
}
