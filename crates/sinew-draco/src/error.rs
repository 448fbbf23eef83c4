//! Why a stream was refused.

use draco_core::{DracoError, ErrorKind};

/// Why a stream was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// A count or size is above one of the [`Limits`](crate::Limits).
    #[error("the Draco mesh has more {what} than the {most} that are allowed")]
    Limit {
        /// Name of the limit.
        what: &'static str,
        /// Its value.
        most: u64,
    },
    /// The stream is damaged, or is not a Draco mesh.
    #[error("the Draco mesh is damaged: {0}")]
    Malformed(String),
    /// The stream is of a version, or has a part, that is not decoded.
    #[error("the Draco mesh cannot be decoded: {0}")]
    Unsupported(String),
    /// The decoder panicked, which is a defect of the decoder.
    #[error("the Draco mesh is damaged in a way that the decoder does not handle")]
    Panicked,
}

impl DecodeError {
    pub(crate) fn malformed(what: &str) -> Self {
        Self::Malformed(what.to_owned())
    }

    /// An error of the decoder, which was given these limits.
    pub(crate) fn from_core(error: &DracoError, limits: &crate::Limits) -> Self {
        let text = error.message().to_owned();
        match error.kind() {
            // Its limits are ours, and their names are words of its message.
            ErrorKind::LimitExceeded if text.contains("bytes") => {
                Self::Limit { what: "bytes", most: limits.bytes }
            }
            ErrorKind::LimitExceeded => Self::Limit { what: "faces", most: limits.faces },
            ErrorKind::UnsupportedVersion
            | ErrorKind::UnknownVersion
            | ErrorKind::UnsupportedFeature
            | ErrorKind::BitstreamVersionUnsupported => Self::Unsupported(text),
            _ => Self::Malformed(text),
        }
    }
}
