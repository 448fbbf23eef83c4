//! Messages over the view.

/// How much a message matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    /// Something went well.
    Fine,
    /// Something was not done.
    Problem,
}

/// A message over the view.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// What it says.
    pub text: String,
    /// How much it matters.
    pub mood: Mood,
    /// Seconds that it has been shown. Only what went well goes away by itself.
    pub age: f64,
}

/// Seconds for which good news are shown.
pub(super) const GOOD_NEWS: f64 = 4.0;
