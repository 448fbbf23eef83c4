//! How the channels of a file were matched.

use sinew::names::{Match, match_names};
use sinew::{Clip, Skeleton};

/// What a channel moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelKind {
    /// A joint.
    Joint,
    /// A scalar of the pose: a morph weight or a named curve.
    Scalar,
}

/// One channel of an animation file and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchRow {
    /// Name in the animation file.
    pub channel: String,
    /// What it moves.
    pub kind: ChannelKind,
    /// How it was matched.
    pub how: Match,
    /// Names in the character: of the one that was matched, or of all that could be meant.
    pub targets: Vec<String>,
}

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

    /// Channels that have a target, exactly or without prefix.
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

/// Targets of the animation's joints and scalars, by their index in the animation; `None` also for those that nothing moves.
pub(super) struct Targets {
    pub(super) joints: Vec<Option<u16>>,
    pub(super) scalars: Vec<Option<u16>>,
}

/// Matches what the clips move. What they do not move is left out, so that it cannot make anything ambiguous.
pub(super) fn match_channels(
    base: &Skeleton,
    animation: &Skeleton,
    clips: &[impl AsRef<Clip>],
    file: &str,
) -> (MatchTable, Targets) {
    let clips = || clips.iter().map(AsRef::as_ref);
    let joints = clips().flat_map(|c| c.joints()).filter(|t| !t.is_empty()).map(|t| t.joint);
    let scalars = clips().flat_map(|c| c.scalars()).map(|t| t.scalar);
    let mut rows = Vec::new();
    let mut pick = |kind, moved: Vec<u16>, names: &[String], targets: &[String]| {
        let mut found = vec![None; names.len()];
        let name = |&index: &u16| names.get(usize::from(index)).map_or("", String::as_str);
        for (index, how) in moved.iter().zip(match_names(moved.iter().map(name), targets)) {
            if let Some(slot) = found.get_mut(usize::from(*index)) {
                *slot = how.joint();
            }
            let channel = name(index).to_owned();
            rows.push(MatchRow { channel, kind, targets: target_names(&how, targets), how });
        }
        found
    };
    let joints = pick(ChannelKind::Joint, sorted(joints), animation.names(), base.names());
    let scalars = pick(ChannelKind::Scalar, sorted(scalars), animation.scalar_names(), base.scalar_names());
    (MatchTable { file: file.to_owned(), rows }, Targets { joints, scalars })
}

fn sorted(indices: impl Iterator<Item = u16>) -> Vec<u16> {
    let mut indices: Vec<u16> = indices.collect();
    indices.sort_unstable();
    indices.dedup();
    indices
}

fn target_names(how: &Match, targets: &[String]) -> Vec<String> {
    let name = |index: &u16| targets.get(usize::from(*index)).cloned();
    match how {
        Match::Exact(one) | Match::Prefix(one) => name(one).into_iter().collect(),
        Match::Ambiguous(many) => many.iter().filter_map(name).collect(),
        Match::None => Vec::new(),
    }
}
