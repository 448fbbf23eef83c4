//! How the quirks of source files are handled.

use crate::{Limits, TagTable, TextureSearch};

/// Which space the character is handed over in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SpaceMode {
    /// Right-handed, +Y up, metres, so that a clip in centimetres plays on a mesh in metres.
    #[default]
    Canonical,
    /// The source's axes and unit.
    Keep,
}

/// How many influences a vertex keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum InfluenceLimit {
    /// The four strongest.
    #[default]
    Four,
    /// The eight strongest.
    Eight,
}

impl InfluenceLimit {
    /// The number itself.
    pub fn count(self) -> usize {
        match self {
            Self::Four => 4,
            Self::Eight => 8,
        }
    }
}

/// Where curves get their keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Resample {
    /// At the source's keys, and between them until no joint is off by more than this fraction of the rest diagonal at any time.
    Within(f64),
    /// At the source's keys only: small and quick, and off between keys wherever the source's curves are not straight.
    Keys,
}

impl Resample {
    /// The default tolerance.
    pub const TOLERANCE: f64 = 2e-5;
}

impl Default for Resample {
    fn default() -> Self {
        Self::Within(Self::TOLERANCE)
    }
}

/// What the angles of COLLADA's rotation channels are measured in, where a channel does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum EulerUnit {
    /// Decided once per file: degrees if any angle is beyond two turns in radians, else what is nearer to the rest.
    #[default]
    Auto,
    /// Degrees.
    Degrees,
    /// Radians.
    Radians,
}

/// All handling modes, with the defaults that suit a game.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Options {
    /// Space of the result.
    pub space: SpaceMode,
    /// Influences per vertex.
    pub influences: InfluenceLimit,
    /// Keys of curves.
    pub resample: Resample,
    /// Bounds on what a file may ask for.
    pub limits: Limits,
    /// Where pictures are looked for.
    pub textures: TextureSearch,
    /// Unit of angles in COLLADA.
    pub euler_unit: EulerUnit,
    /// How clips get their tags.
    pub tags: TagTable,
}
