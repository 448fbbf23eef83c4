//! How the channels of a file were matched.

use sinew::names::Match;
use sinew::{ChannelKind, MatchRow};

/// How every channel of an animation file was matched to the character: joints first, then scalars, each in the file's order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchTable {
    /// The animation file.
    pub file: String,
    /// One row per joint or scalar that a clip of the file moves.
    pub rows: Vec<MatchRow>,
}

impl MatchTable {
    /// Number of channels.
    pub fn total(&self) -> usize {
        self.rows.len()
    }

    /// Channels that were matched, exactly or without prefix.
    pub fn matched(&self) -> usize {
        self.count(|how| how.joint().is_some())
    }

    /// Channels whose very name the character has.
    pub fn exact(&self) -> usize {
        self.count(|how| matches!(how, Match::Exact(_)))
    }

    /// Channels whose name the character has with another prefix.
    pub fn prefix(&self) -> usize {
        self.count(|how| matches!(how, Match::Prefix(_)))
    }

    /// Channels that the character does not have.
    pub fn unmatched(&self) -> usize {
        self.count(|how| matches!(how, Match::None))
    }

    /// Channels that could mean several of the character's.
    pub fn ambiguous(&self) -> usize {
        self.count(|how| matches!(how, Match::Ambiguous(_)))
    }

    /// Rows of one kind.
    pub fn rows_of(&self, kind: ChannelKind) -> impl Iterator<Item = &MatchRow> {
        self.rows.iter().filter(move |row| row.kind == kind)
    }

    fn count(&self, is: impl Fn(&Match) -> bool) -> usize {
        self.rows.iter().filter(|row| is(&row.how)).count()
    }
}
