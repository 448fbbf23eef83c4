//! Bounds on what a stream may ask for.

use crate::DecodeError;

/// Upper bounds of one decoded mesh. They are absolute: a constant attribute takes a few bytes for any number of points, so the size of the
/// stream says nothing about what is plausible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Points, each with one value of every attribute.
    pub points: u64,
    /// Triangles.
    pub faces: u64,
    /// Bytes of the decoded mesh: its indices and the values of all attributes.
    pub bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { points: 20_000_000, faces: 20_000_000, bytes: 400 << 20 }
    }
}

impl Limits {
    pub(crate) fn check_points(&self, points: usize) -> Result<(), DecodeError> {
        check("points", points as u64, self.points)
    }

    pub(crate) fn check_faces(&self, faces: usize) -> Result<(), DecodeError> {
        check("faces", faces as u64, self.faces)
    }

    pub(crate) fn check_bytes(&self, bytes: u64) -> Result<(), DecodeError> {
        check("bytes", bytes, self.bytes)
    }
}

fn check(what: &'static str, count: u64, most: u64) -> Result<(), DecodeError> {
    if count > most { Err(DecodeError::Limit { what, most }) } else { Ok(()) }
}
