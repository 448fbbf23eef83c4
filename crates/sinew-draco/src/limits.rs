//! Bounds on what a stream may ask for.

use crate::DecodeError;
use crate::outline::Outline;
use draco_core::DecodeLimits;

/// Upper bounds of decoding one mesh. They are absolute: a constant attribute takes a few bytes for any number of points, so the size of the
/// stream does not say what is plausible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Points, each with one value of every attribute.
    pub points: u64,
    /// Triangles.
    pub faces: u64,
    /// Memory in bytes, the decoded mesh included. Decoding takes up to eight times the mesh itself where components have 8 bits, less where they
    /// are wider; the bound goes by the eight.
    pub bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { points: 20_000_000, faces: 20_000_000, bytes: 400 << 20 }
    }
}

/// Most bytes in memory for each byte of values: components of 8 bits are decoded as 32, in lists that grow, and copied.
const PER_VALUE: u64 = 8;

/// Most bytes for a triangle: corners, their opposites, and the state of the traversal.
const PER_FACE: u64 = 128;

/// Most bytes for a triangle and an attribute that has connectivity of its own.
const PER_SEAMED_FACE: u64 = 64;

impl Limits {
    /// What the decoder may do with such a stream.
    pub(crate) fn plan(&self, outline: &Outline<'_>) -> Result<DecodeLimits, DecodeError> {
        check("faces", outline.faces, self.faces)?;
        check("points", outline.points, self.points)?;
        let per_face = PER_FACE + PER_SEAMED_FACE * outline.seamed;
        let connectivity = outline.faces.saturating_mul(per_face);
        check("bytes", connectivity, self.bytes)?;
        Ok(DecodeLimits::default()
            .with_max_points(self.points)
            .with_max_faces(outline.faces)
            .with_max_decoded_bytes((self.bytes - connectivity) / PER_VALUE))
    }

    pub(crate) fn check_points(&self, points: usize) -> Result<(), DecodeError> {
        check("points", points as u64, self.points)
    }

    /// Whether a value of `stride` bytes for each point stays within the share of the values.
    pub(crate) fn check_values(&self, points: usize, stride: u64) -> Result<(), DecodeError> {
        check("bytes", (points as u64).saturating_mul(stride).saturating_mul(PER_VALUE), self.bytes)
    }
}

fn check(what: &'static str, count: u64, most: u64) -> Result<(), DecodeError> {
    if count > most { Err(DecodeError::Limit { what, most }) } else { Ok(()) }
}
