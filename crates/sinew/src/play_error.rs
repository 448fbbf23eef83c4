//! Why something was not played, without allocating: a game may ask for what is not there in every frame.

use crate::{Clip, ClipError, ClipErrorKind, ClipId, ClipRef, JobError};
use std::fmt;
use std::sync::Arc;

/// Why a clip was not played; everything stays as it was. Making, cloning and dropping one allocates nothing.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// No clip has that name or tag.
    #[error("no clip has the name or tag `{0}`")]
    Unknown(ShortText),
    /// No clip has that number.
    #[error("there is no clip #{}", .0.index())]
    NoSuchClip(ClipId),
    /// The clip could not be loaded.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// The clip was made for another skeleton.
    #[error("clip `{}` does not fit: {error}", clip.name())]
    DoesNotFit {
        /// The clip.
        clip: Arc<Clip>,
        /// What does not fit.
        error: JobError,
    },
    /// All voices that the mixer has are heard.
    #[error("all {voices} voices are in use: reserve more when the mixer is made")]
    NoVoice {
        /// How many there are.
        voices: usize,
    },
}

impl From<ClipRef<'_>> for PlayError {
    /// There is no such clip.
    fn from(wanted: ClipRef<'_>) -> Self {
        match wanted {
            ClipRef::Id(id) => Self::NoSuchClip(id),
            ClipRef::Text(text) => Self::Unknown(ShortText::new(text)),
        }
    }
}

impl From<PlayError> for ClipError {
    /// The same in words; this allocates.
    fn from(error: PlayError) -> Self {
        match error {
            PlayError::Clip(error) => error,
            PlayError::DoesNotFit { clip, error } => {
                Self::new(ClipErrorKind::DoesNotFit, clip.name(), error.to_string())
            }
            PlayError::Unknown(text) => {
                Self::new(ClipErrorKind::NotFound, text.to_string(), "no clip has it as name or tag")
            }
            PlayError::NoSuchClip(id) => {
                Self::new(ClipErrorKind::NotFound, format!("#{}", id.index()), "there are fewer")
            }
            PlayError::NoVoice { .. } => Self::new(ClipErrorKind::Unreadable, "", error.to_string()),
        }
    }
}

/// Bytes of a [`ShortText`].
const LONGEST: usize = 46;

/// The beginning of a text, kept in place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ShortText {
    bytes: [u8; LONGEST],
    len: u8,
    cut: bool,
}

impl ShortText {
    /// As much of a text as there is room for.
    pub fn new(text: &str) -> Self {
        let len = (0..=LONGEST.min(text.len())).rev().find(|&len| text.is_char_boundary(len)).unwrap_or(0);
        let mut bytes = [0; LONGEST];
        bytes[..len].copy_from_slice(&text.as_bytes()[..len]);
        Self { bytes, len: len as u8, cut: len < text.len() }
    }

    /// What was kept.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.len)]).unwrap_or_default()
    }
}

impl fmt::Display for ShortText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.as_str(), if self.cut { "…" } else { "" })
    }
}

impl fmt::Debug for ShortText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_letters() {
        assert_eq!(ShortText::new("Swim").to_string(), "Swim");
        let long = ShortText::new(&"ä".repeat(40));
        assert_eq!(long.to_string(), format!("{}…", "ä".repeat(23)));
        assert_eq!(PlayError::from(ClipRef::Text("Swim")).to_string(), "no clip has the name or tag `Swim`");
    }
}
