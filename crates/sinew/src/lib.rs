//! Skeletal animation at run time: what a game links.
//!
//! # Conventions
//!
//! | what | choice |
//! |---|---|
//! | vectors and matrices | glam: column vectors, `M * v`, column-major storage |
//! | local transform | `T * R * S`, relative to the parent |
//! | model transform | `model[j] = model[parent[j]] * local[j]` |
//! | skin matrix | `skin[j] = model[j] * inverse_bind[j]` |
//! | space | right-handed, +Y up, +Z forward, metres, unless an importer was told to keep the source's |
//! | UV | origin top-left, V down |
//! | time | seconds; clocks are `f64`, keys are `f32` |
//! | joints | parents before children, any number of roots, `u16` indices, [`NO_JOINT`] for none |
//! | quaternions | unit; keys are interpolated on the shortest arc, poses are blended by normalised lerp |
//!
//! *Rest*, *bind* and *first frame* are three things. Rest is where the file's nodes stand without animation; bind is what
//! a skin's inverse binds say; the first frame is what a clip says at zero. Before the first update everything
//! here shows the rest.
//!
//! # Three stages
//!
//! Each frame runs three jobs over plain slices ([`job`]): [`job::sample`] turns keys into a local [`Pose`],
//! [`job::local_to_model`] walks down the hierarchy, [`job::skin_matrices`] applies the inverse binds. A [`Player`] runs the
//! three with one call a frame; an [`Instance`] holds the pose and the matrices. None of it allocates after construction.
//!
//! A [`Controller`] plays clips by what they are for (`Idle`, `Walk`: [`TaggedClips`]) and mixes one into the next ([`blend`]);
//! a [`Locomotion`] tells it what to play from how the character moves. A state machine ([`machine`]) decides by parameters that the game sets.
//!
//! A [`Mixer`] plays any number of clips and blend spaces at once, in layers; both are such mixers. A [`Crowd`] holds thousands of instances of
//! one character, each with a mixer, in few bytes.
//!
//! Between mixing and finishing, the jobs of [`ik`] change the pose: hands that reach, heads that look, feet that stand on stairs.
//!
//! The pages [`page_playing`], [`page_motion`] and [`page_crowds`] go through all of it.
//!
//! Results are bit-equal on every machine, whichever instructions it has ([`Kernels`]): no platform maths function, and no fused
//! multiply-add unless [`Kernels::Fast`] is chosen.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod aabb;
pub mod blend;
mod blend_space;
mod bone_map;
pub mod bounds;
mod buffer;
mod bundle;
mod bytes;
mod character;
mod clip;
mod clip_id;
mod controller;
mod crowd;
mod dual_quaternion;
mod frames;
mod hierarchy;
pub mod ik;
mod instance;
pub mod job;
mod job_error;
mod joint_map;
mod kernel;
mod keys;
mod library;
mod locomotion;
pub mod machine;
mod mask;
mod mat3x4;
mod material;
pub mod math;
mod mesh;
mod mirror;
mod mixer;
mod moment;
pub mod names;
mod palette;
mod play_error;
mod play_options;
mod playback;
mod player;
mod pose;
mod root_motion;
mod shown;
mod skeleton;
pub mod skinning;
mod socket;
mod tags;
mod text;
mod transform;

pub use aabb::Aabb;
pub use blend_space::{BlendSpace, BlendSpaceError, Members, SyncMode};
pub use bone_map::{BoneMap, BoneMapError, Mapping, RootTranslation};
pub use buffer::Buffer;
pub use bundle::{Bundle, BundleError, Place, file as bundle_file};
pub use bytes::Bytes;
pub use character::{Axis, Character, CharacterData, CharacterError, Space};
pub use clip::{Clip, ClipDataError};
pub use clip_id::{ClipId, ClipRef};
pub use controller::Controller;
pub use crowd::{Crowd, Member};
pub use frames::{Frames, Moved, Parts};
pub use hierarchy::Hierarchy;
pub use instance::Instance;
pub use job_error::JobError;
pub use joint_map::{AmbiguousNames, ChannelKind, JointMap, JointMapError, MatchRow, PoseMap};
pub use kernel::Kernels;
pub use keys::{
    Interpolation, JointTracks, Key, Keys, Sampling, ScalarTrack, Track, TrackError, TrackOrderError,
};
pub use library::{ClipError, ClipErrorKind, ClipInfo, ClipLibrary, ClipLookupError, ClipSource};
pub use locomotion::{Gait, Locomotion, LocomotionSettings, Threshold};
pub use mask::Mask;
pub use mat3x4::Mat3x4;
pub use material::{
    AlphaMode, Image, MagFilter, Material, MinFilter, Sampler, Texture, TextureRef, UvTransform, Wrap,
};
pub use mesh::{Influences, Mesh, MeshError, MorphDelta, MorphTarget, Part, Skin};
pub use mirror::Mirror;
pub use mixer::{Ease, Fired, Layering, Mixer, Scratch, SyncGroup, Voice, VoiceId, VoiceOptions};
pub use moment::{Event, Fire, Marker};
pub use play_error::{PlayError, ShortText};
pub use play_options::{PlayOptions, Transition};
pub use playback::{LoopMode, Playback};
pub use player::Player;
pub use pose::{JointBlock, LANES, Lanes, Pose};
pub use root_motion::{RootMotion, Travel};
pub use shown::Shown;
pub use sinew_findings::{Finding, Kind, Severity};
pub use skeleton::{Joint, NO_JOINT, Scalar, Skeleton, SkeletonError};
pub use socket::Socket;
pub use tags::{IDLE, TaggedClips};
pub use text::{Text, TextList};
pub use transform::Transform;

pub use glam;

#[cfg(any(doc, doctest))]
#[doc = include_str!("../../../docs/playing.md")]
pub mod page_playing {}

#[cfg(any(doc, doctest))]
#[doc = include_str!("../../../docs/ik.md")]
pub mod page_ik {}

#[cfg(any(doc, doctest))]
#[doc = include_str!("../../../docs/motion.md")]
pub mod page_motion {}

#[cfg(any(doc, doctest))]
#[doc = include_str!("../../../docs/crowds.md")]
pub mod page_crowds {}

#[cfg(all(any(doc, doctest), feature = "toml"))]
#[doc = include_str!("../../../docs/machines.md")]
pub mod page_machines {}

#[cfg(test)]
mod tests;
