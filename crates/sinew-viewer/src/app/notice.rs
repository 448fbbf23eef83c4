//! Messages over the view.

/// Kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    /// Success.
    Fine,
    /// Something failed.
    Problem,
}

/// A message over the view.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// Its text.
    pub text: String,
    /// Success or problem.
    pub mood: Mood,
    /// Seconds that it has been shown. Only success messages disappear by themselves.
    pub age: f64,
}

/// Seconds for which success messages are shown.
pub(super) const GOOD_NEWS: f64 = 4.0;
