//! What a model's tag holds for a game that plays clips: bones, and keys over time. Files with clips alone hold the same.
//!
//! Two layouts. [`V1`] is the plain one that many games have readers for: matrices, one inverse bind a bone, a flat list of keys. [`V2`] is read by
//! `contrib/monogame` and has names, tracks, loop modes, tags, travel, events, markers and sockets, in chunks of which unknown ones are skipped.

mod moments;
mod v1;
mod v2;
mod v2_clip;

pub use moments::{Event, Fire, Marker};
pub use v1::{ClipV1, KeyV1, TICKS_PER_SECOND, V1};
pub use v2::{BoneTable, BoneV2, LazyClip, Socket, Trs, V2};
pub use v2_clip::{BoneTracks, ClipV2, Keys, KeysV2, LoopMode, RootMotion, Track, Travel};

use crate::cursor::Cursor;
use crate::error::XnbError;
use crate::output::Output;

/// Most bones that `SkinnedEffect` takes in one draw call.
pub const MOST_BONES: usize = 72;

/// Skinning data of either version.
#[derive(Clone, Debug, PartialEq)]
pub enum SkinningData {
    /// Matrices and a flat list of keys.
    V1(V1),
    /// Names, tracks and what a player needs.
    V2(V2),
}

impl SkinningData {
    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Self, XnbError> {
        match cursor.i32("skinning data")? {
            v2::MAGIC => V2::read(cursor).map(Self::V2),
            bones => V1::read(cursor, bones).map(Self::V1),
        }
    }

    pub(crate) fn write(&self, output: &mut Output) -> Result<(), XnbError> {
        match self {
            Self::V1(data) => data.write(output),
            Self::V2(data) => data.write(output),
        }
    }

    /// The bytes as they lie in a file.
    pub fn to_bytes(&self) -> Result<Vec<u8>, XnbError> {
        let mut output = Output::default();
        self.write(&mut output)?;
        Ok(output.0)
    }

    /// Reads what [`Self::to_bytes`] wrote; bytes behind it are an error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, XnbError> {
        let mut cursor = Cursor::new(bytes);
        let data = Self::read(&mut cursor)?;
        if cursor.left() == 0 { Ok(data) } else { Err(cursor.wrong("goes on behind its end")) }
    }

    /// Number of bones.
    pub fn bone_count(&self) -> usize {
        match self {
            Self::V1(data) => data.parents.len(),
            Self::V2(data) => data.bones.len(),
        }
    }
}
