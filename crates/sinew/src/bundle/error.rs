//! Why a bundle was refused.

use super::layout;
use crate::character::CharacterError;
use crate::clip::ClipDataError;
use crate::keys::TrackError;
use crate::skeleton::SkeletonError;
use std::fmt;

/// Which section of a bundle is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// What is in it.
    pub id: layout::SectionId,
    /// Its index.
    pub index: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "section {} {}", self.id.escape_ascii(), self.index)
    }
}

/// Why a bundle was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BundleError {
    /// The first bytes are those of something else.
    #[error("is not a .sinew bundle: it does not begin with the bytes that every bundle begins with")]
    NotABundle,
    /// Written by a program that is newer than this library, or of an older version that is no longer read.
    #[error(
        "is a bundle of version {major}.{minor}, and this library reads version {}.{}: {}",
        layout::MAJOR,
        layout::MINOR,
        if (*.major, *.minor) > (layout::MAJOR, layout::MINOR) { "update the library, or build the bundle with the tool that belongs to it" }
        else { "build it again from its sources" }
    )]
    Version {
        /// Its major version.
        major: u16,
        /// Its minor version.
        minor: u16,
    },
    /// Shorter or longer than its header says.
    #[error(
        "has {found} bytes where its header says {expected}: the file was cut off or added to; copy or build it again"
    )]
    Length {
        /// As the header says; for a file that ends within its header, the length of the header.
        expected: u64,
        /// As it is.
        found: u64,
    },
    /// Bytes that changed since they were written.
    #[error("is damaged: {what} does not match its checksum; copy or build it again")]
    Checksum {
        /// What does not match.
        what: String,
    },
    /// Bytes that should be zero and are not.
    #[error("is damaged: bytes at {offset} that must be zero are not; copy or build it again")]
    Padding {
        /// Where they begin.
        offset: u64,
    },
    /// The section table contradicts itself or the file.
    #[error("has an invalid section table at entry {entry}: {what}")]
    Table {
        /// Number of the entry.
        entry: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// A section is missing, or there are too many.
    #[error("has {found} sections of kind {} where {expected} are meant", .id.escape_ascii())]
    Sections {
        /// Which.
        id: layout::SectionId,
        /// How many there must be.
        expected: u32,
        /// How many there are.
        found: usize,
    },
    /// The content of a section breaks the rules of the format.
    #[error("{place}: {what}")]
    Content {
        /// Which section.
        place: Place,
        /// What is wrong.
        what: String,
    },
    /// A clip in an encoding that this library does not know.
    #[error(
        "{place}: the clip is stored in encoding {encoding}, which this library does not know: update it"
    )]
    Encoding {
        /// Which section.
        place: Place,
        /// The encoding.
        encoding: u32,
    },
    /// The joints do not form a skeleton.
    #[error("the skeleton cannot be used: {0}")]
    Skeleton(#[from] SkeletonError),
    /// The keys make no track.
    #[error("{place}: {error}")]
    Track {
        /// Which section.
        place: Place,
        /// What is wrong.
        error: TrackError,
    },
    /// The tracks make no clip.
    #[error("{place}: {error}")]
    Clip {
        /// Which section.
        place: Place,
        /// What is wrong.
        error: ClipDataError,
    },
    /// The parts make no character.
    #[error("the character cannot be used: {0}")]
    Character(#[from] CharacterError),
    /// The format is little-endian, and its arrays are copied as they are.
    #[error("cannot be read on a big-endian machine")]
    BigEndian,
}

sinew_findings::error_codes! { BundleError {
    Self::NotABundle => "bundle.not-a-bundle", "The first bytes are those of something else";
    Self::Version { .. } => "bundle.version", "It is of a version that this library does not read";
    Self::Length { .. } => "bundle.length", "It is shorter or longer than its header says";
    Self::Checksum { .. } => "bundle.checksum", "Bytes changed since they were written";
    Self::Padding { .. } => "bundle.padding", "Bytes that must be zero are not";
    Self::Table { .. } => "bundle.table", "The section table contradicts itself or the file";
    Self::Sections { .. } => "bundle.sections", "A section is missing, or there are too many of a kind";
    Self::Content { .. } => "bundle.content", "The content of a section breaks the rules of the format";
    Self::Encoding { .. } => "bundle.encoding", "A clip is stored in an unknown encoding";
    Self::Skeleton(_) => "bundle.skeleton", "The joints do not form a skeleton";
    Self::Track { .. } => "bundle.track", "The keys make no track";
    Self::Clip { .. } => "bundle.clip", "The tracks make no clip";
    Self::Character(_) => "bundle.character", "The parts make no character";
    Self::BigEndian => "bundle.big-endian", "The machine is big-endian";
} }
