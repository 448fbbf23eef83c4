//! Why a character cannot move as another does.

use crate::humanoid::NotHumanoid;

/// Which of the two characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The one whose clips are taken.
    Source,
    /// The one that is to play them.
    Target,
}

/// Why clips of one character cannot be retargeted to another.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RetargetError {
    /// One of them is not a humanoid, as far as can be told.
    #[error("`{character}`: {why}")]
    NotHumanoid {
        /// Which of them.
        who: Who,
        /// Its name.
        character: String,
        /// What is missing.
        why: NotHumanoid,
    },
    /// The rests cannot be laid over one another: legs without length.
    #[error(
        "`{source_name}` and `{target_name}` cannot be laid over one another at rest: the legs or the trunk of one have no length"
    )]
    NoFit {
        /// Name of the source.
        source_name: String,
        /// Name of the target.
        target_name: String,
    },
}

sinew_findings::error_codes! { RetargetError {
    Self::NotHumanoid { .. } => "retarget.not-humanoid", "A skeleton is not taken for a humanoid";
    Self::NoFit { .. } => "retarget.no-fit", "Two rests cannot be laid over one another";
} }
