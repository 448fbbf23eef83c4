//! What was odd about a character: data, not log lines. Importers, `doctor`, writers, run time and renderer share the type [`Finding`], and
//! every [`Kind`] of it stands in one [`catalogue`].

pub mod catalogue;
mod codes;
mod plural;

pub use plural::plural;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; nothing is wrong.
    Note,
    /// The character may look different from what was meant.
    Warning,
    /// The character is wrong.
    Error,
}

impl Severity {
    /// `note`, `warning` or `error`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One kind of finding: an entry of the [`catalogue`], which alone can make one. Ids are a public contract and never change their meaning.
#[derive(Debug, PartialEq)]
#[non_exhaustive]
pub struct Kind {
    /// `area.what`, as in `clip.no-matching-joints`.
    pub id: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// A few words: what was found.
    pub title: &'static str,
    /// What it means and why it happens, in a few sentences.
    pub explanation: &'static str,
    /// What to do about it.
    pub hint: &'static str,
    /// From which measured value on it is reported, if it is measured.
    pub threshold: Option<f64>,
    /// Unit of the measured value and the threshold, as in `mm`.
    pub unit: &'static str,
}

/// Something odd, where it was and how large it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What it is.
    pub kind: &'static Kind,
    /// File, clip, mesh or joint.
    pub place: String,
    /// What exactly was found, in a sentence.
    pub message: String,
    /// How often it occurs at that place.
    pub count: usize,
    /// How large it is, in the kind's unit.
    pub measured: Option<f64>,
}

impl Finding {
    /// One occurrence of a kind at a place.
    pub fn new(kind: &'static Kind, place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { kind, place: place.into(), message: message.into(), count: 1, measured: None }
    }

    /// The same with the number of occurrences.
    pub fn count(mut self, count: usize) -> Self {
        self.count = count;
        self
    }

    /// The same with the measured value.
    pub fn measured(mut self, value: f64) -> Self {
        self.measured = Some(value);
        self
    }

    /// Stable id of its kind.
    pub fn id(&self) -> &'static str {
        self.kind.id
    }

    /// How much it matters.
    pub fn severity(&self) -> Severity {
        self.kind.severity
    }
}
