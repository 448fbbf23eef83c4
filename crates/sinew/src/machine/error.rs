//! What is wrong with a machine, and where.

use super::parameter::Word;
use crate::PlayError;
use crate::names::UnknownName;
use std::fmt;

/// What is wrong with a machine, and where: the line and column of the file, if it came from one, and the layer, state or transition.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MachineError {
    /// Line and column in the file, both from 1.
    pub at: Option<(usize, usize)>,
    /// Layer, state or transition; empty if the file as a whole is meant.
    pub place: String,
    /// What is wrong, and what to do.
    pub message: String,
}

impl MachineError {
    pub(super) fn new(
        at: Option<(usize, usize)>,
        place: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self { at, place: place.into(), message: message.into() }
    }

    /// A name that means nothing.
    pub(super) fn unknown<'a>(
        place: &str,
        what: &str,
        word: &Word,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        Self::new(word.at, place, UnknownName::new(what, word, known).to_string())
    }
}

impl std::error::Error for MachineError {}

impl fmt::Display for MachineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((line, column)) = self.at {
            write!(f, "line {line}, column {column}: ")?;
        }
        if !self.place.is_empty() {
            write!(f, "{}: ", self.place)?;
        }
        f.write_str(&self.message)
    }
}

/// Why a parameter was not set; it stays as it was. Making one allocates nothing.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// The machine has no parameter of that name.
    #[error("there is no parameter `{0}`")]
    Unknown(crate::ShortText),
    /// The parameter holds something else.
    #[error("the parameter is a {is}, not a {given}")]
    Kind {
        /// What it holds.
        is: &'static str,
        /// What was given.
        given: &'static str,
    },
    /// The number is NaN or infinite.
    #[error("{0} is not a finite number")]
    NotFinite(f32),
}

/// Why a machine cannot run on a character.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A clip, joint or blend space of the machine does not go with the character.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// The first pose cannot be played.
    #[error(transparent)]
    Play(#[from] PlayError),
}
