//! What the game tells a machine, and names as they were written.

use std::fmt;

/// A name or a text as it was written, and where: line and column, if it was read from a file.
#[derive(Clone, Debug)]
pub struct Word {
    pub(super) text: String,
    pub(super) at: Option<(usize, usize)>,
}

impl Word {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Line and column in the file, both from 1.
    pub fn place(&self) -> Option<(usize, usize)> {
        self.at
    }
}

impl From<&str> for Word {
    fn from(text: &str) -> Self {
        Self { text: text.to_owned(), at: None }
    }
}

impl From<String> for Word {
    fn from(text: String) -> Self {
        Self { text, at: None }
    }
}

impl std::ops::Deref for Word {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl PartialEq for Word {
    /// Where it stands does not count.
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A parameter of one machine, found once by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ParameterId(u16);

impl ParameterId {
    pub(super) fn new(index: usize) -> Self {
        // Machines with more are refused.
        Self(index as u16)
    }

    /// Its place among [`Machine::parameters`](super::Machine::parameters).
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// What a parameter holds when a machine starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterKind {
    /// A finite number.
    Number(f32),
    /// True or false.
    Bool(bool),
    /// Set by the game for one update, and unset by the transition that takes it.
    Trigger {
        /// Seconds for which it stays set if no transition takes it; with 0 it ends with the update.
        hold: f32,
    },
}

impl ParameterKind {
    /// `number`, `bool` or `trigger`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Number(_) => "number",
            Self::Bool(_) => "bool",
            Self::Trigger { .. } => "trigger",
        }
    }
}

/// A parameter: its name, and what it holds at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub(super) name: Word,
    pub(super) kind: ParameterKind,
}

impl Parameter {
    /// A number.
    pub fn number(name: impl Into<Word>, start: f32) -> Self {
        Self { name: name.into(), kind: ParameterKind::Number(start) }
    }

    /// True or false.
    pub fn flag(name: impl Into<Word>, start: bool) -> Self {
        Self { name: name.into(), kind: ParameterKind::Bool(start) }
    }

    /// A trigger that stays set for so many seconds if no transition takes it.
    pub fn trigger(name: impl Into<Word>, hold: f32) -> Self {
        Self { name: name.into(), kind: ParameterKind::Trigger { hold } }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it holds at the start.
    pub fn kind(&self) -> ParameterKind {
        self.kind
    }

    pub(super) fn is_number(&self) -> bool {
        matches!(self.kind, ParameterKind::Number(_))
    }
}

/// A number that is given, or that a parameter gives.
#[derive(Clone, Debug, PartialEq)]
pub enum Amount {
    /// Always the same.
    Fixed(f32),
    /// What the parameter of that name holds.
    Parameter(Word),
}

impl From<f32> for Amount {
    fn from(value: f32) -> Self {
        Self::Fixed(value)
    }
}

impl From<&str> for Amount {
    fn from(parameter: &str) -> Self {
        Self::Parameter(parameter.into())
    }
}
