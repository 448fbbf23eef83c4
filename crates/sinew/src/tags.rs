//! What clips are for, so that a game can ask for `Walk` without knowing which of forty files that is.
//!
//! A tag is found in three steps: what somebody said ([`ClipInfo::semantic`]), else a pattern in the clip's source name, else the
//! number of its slot. Patterns and slots are data, a [`TagTable`], and each character may have its own. The first clip of a tag
//! has it; a second is reported. Tags compare without regard to case.

mod clips;
#[cfg(feature = "toml")]
mod file;

pub use clips::TaggedClips;

use crate::ClipInfo;

/// The tag that falls back to the first clip.
pub const IDLE: &str = "Idle";

/// Names that mean one tag.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "toml", derive(serde::Deserialize), serde(deny_unknown_fields))]
pub struct TagPattern {
    /// A source name that contains one of these, in upper or lower case, …
    pub any: Vec<String>,
    /// … has this tag.
    pub tag: String,
}

impl TagPattern {
    /// From the pieces of a name to a tag.
    pub fn new<'a>(any: impl IntoIterator<Item = &'a str>, tag: impl Into<String>) -> Self {
        Self { any: any.into_iter().map(str::to_owned).collect(), tag: tag.into() }
    }

    fn matches(&self, lower_name: &str) -> bool {
        self.any.iter().any(|piece| !piece.is_empty() && lower_name.contains(&piece.to_ascii_lowercase()))
    }
}

/// Which of the three steps gave a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TagSource {
    /// Somebody said so.
    Semantic,
    /// A pattern in the source name.
    SourceName,
    /// The number of the slot.
    SlotMap,
}

/// How clips get their tags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagTable {
    /// The first pattern that matches counts, so the most specific come first.
    pub patterns: Vec<TagPattern>,
    /// Tags by slot; an empty one is none.
    pub slots: Vec<String>,
}

const PATTERNS: [(&[&str], &str); 17] = [
    (&["chairwait"], "Sit"),
    (&["byebye"], "Wave"),
    (&["turn_r"], "TurnRight"),
    (&["turn_l"], "TurnLeft"),
    (&["battle_wait", "battle_idle"], "BattleIdle"),
    (&["battle_attack", "attack01"], "BattleAttack"),
    (&["battle_damage", "damage01", "hit01"], "BattleHit"),
    (&["battle_down", "down01", "faint"], "BattleFaint"),
    (&["jump", "leap"], "Jump"),
    (&["land"], "Land"),
    (&["run", "dash"], "Run"),
    (&["walk"], "Walk"),
    (&["wait", "idle", "stand"], IDLE),
    (&["speak", "talk"], "Speak"),
    (&["turn"], "Turn"),
    (&["greet", "hello"], "Greet"),
    (&["ballthrow"], "BallThrow"),
];

const OVERWORLD: [&str; 8] = [IDLE, "Walk", "Run", "FastRun", "Jump", "Land", "ShortAction1", "LookAround"];
const CREATURE: [&str; 8] =
    [IDLE, "Attack1", "Attack2", "Attack3", "Faint", "HitReact", "Special1", "Special2"];

/// The named slots, then actions up to slot 15, counted from `first_action`.
fn slots(named: [&str; 8], first_action: usize) -> Vec<String> {
    let actions = (first_action..first_action + 8).map(|n| format!("Action{n}"));
    named.into_iter().map(str::to_owned).chain(actions).collect()
}

impl TagTable {
    /// For characters that walk about: the built-in patterns, and slots from Idle, Walk and Run to Action9.
    pub fn overworld() -> Self {
        Self { patterns: Self::built_in_patterns(), slots: slots(OVERWORLD, 2) }
    }

    /// For creatures that fight: the built-in patterns, and slots from Idle and Attack1 to Action10.
    pub fn creature() -> Self {
        Self { patterns: Self::built_in_patterns(), slots: slots(CREATURE, 3) }
    }

    /// The built-in patterns, most specific first.
    pub fn built_in_patterns() -> Vec<TagPattern> {
        PATTERNS.iter().map(|(any, tag)| TagPattern::new(any.iter().copied(), *tag)).collect()
    }

    /// The tag of one clip and where it came from. A clip without a source name is judged by its name.
    pub fn resolve<'a>(&'a self, info: &'a ClipInfo) -> Option<(&'a str, TagSource)> {
        let said = info.semantic.as_deref().map(str::trim).filter(|tag| !tag.is_empty());
        said.map(|tag| (tag, TagSource::Semantic))
            .or_else(|| {
                Some((self.by_name(info.source_name.as_ref().unwrap_or(&info.name))?, TagSource::SourceName))
            })
            .or_else(|| Some((self.by_slot(info.slot?)?, TagSource::SlotMap)))
    }

    /// The tag that a source name stands for.
    pub fn by_name(&self, source_name: &str) -> Option<&str> {
        let lower = source_name.to_ascii_lowercase();
        self.patterns.iter().find(|pattern| pattern.matches(&lower)).map(|pattern| pattern.tag.as_str())
    }

    /// The tag of a slot.
    pub fn by_slot(&self, slot: u32) -> Option<&str> {
        self.slots.get(usize::try_from(slot).ok()?).map(String::as_str).filter(|tag| !tag.is_empty())
    }
}

/// [`TagTable::overworld`].
impl Default for TagTable {
    fn default() -> Self {
        Self::overworld()
    }
}

#[cfg(test)]
mod tests;
