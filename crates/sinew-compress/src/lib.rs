//! Compiling clips: keys become frames of few bits, within an error that is measured and not assumed.
//!
//! [`compile`] tries several rates and ways between frames, gives each joint the bits that its reach demands, decodes what it wrote and measures it against the
//! motion that it was given. The smallest result within the limits of the [`Profile`] is kept.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod axes;
mod course;
mod encode;
mod figure;
mod follow;
mod grid;
mod measure;
mod motion;
mod order;
mod plan;
mod remember;
mod room;
mod search;
mod write;

pub use figure::Figure;
pub use measure::Measure;
pub use motion::{KeyMotion, Local, Motion};
pub use order::{ReorderError, joint_order, reordered};
pub use room::MOST_MEMORY;
pub use search::{Attempt, Compiled, Layout, Tried, compile, compile_with, compile_within, joint_bits};
pub use write::keys_body;

/// How much a compiled clip may differ from its source: lengths for a figure of 1.8 m, on a shell around each joint, in model space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Profile {
    /// At most 0.1 mm anywhere.
    Strict,
    /// 99 % of all measurements within 0.1 mm, none above 0.4 mm.
    #[default]
    Balanced,
    /// 99 % of all measurements within 0.3 mm, none above 1.5 mm.
    Small,
}

impl Profile {
    /// All of them, the most exact first.
    pub const ALL: [Self; 3] = [Self::Strict, Self::Balanced, Self::Small];

    /// As settings and reports call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Balanced => "balanced",
            Self::Small => "small",
        }
    }

    /// As certificates number it, from 1.
    pub fn number(self) -> u32 {
        match self {
            Self::Strict => 1,
            Self::Balanced => 2,
            Self::Small => 3,
        }
    }

    /// The profile of a number.
    pub fn numbered(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.number() == number)
    }

    /// What 99 % of all measurements, and what all of them, do not exceed, in metres.
    pub fn limits(self) -> [f64; 2] {
        match self {
            Self::Strict => [1e-4, 1e-4],
            Self::Balanced => [1e-4, 4e-4],
            Self::Small => [3e-4, 1.5e-3],
        }
    }
}
