//! Gives imported clips their tags (`Walk`), by which a game asks for them ([`sinew::TaggedClips`]).
//!
//! A tag is found in three steps: given explicitly, else by a pattern in the clip's source name, else by its slot, the clip's number in its source.
//! Patterns and tags of slots are data, a [`TagTable`], and each character may have its own ([`crate::Options::tags`]). Importers write the outcome into
//! [`ClipInfo::tag`].

use crate::SourceClip;
use serde::{Deserialize, Serialize};
use sinew::{Clip, ClipInfo, ClipLibrary};
use sinew_files::FileRecord;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Names that mean one tag.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TagPattern {
    /// A source name that contains one of these anywhere, in upper or lower case, …
    #[serde(default)]
    pub any: Vec<String>,
    /// … or one of these as whole words (`roll` is in `Roll_Forward` and `DodgeRoll2`, not in `Troll`) …
    #[serde(default)]
    pub words: Vec<String>,
    /// … has this tag.
    pub tag: String,
}

impl TagPattern {
    /// A pattern from parts of names to a tag.
    pub fn new<'a>(any: impl IntoIterator<Item = &'a str>, tag: impl Into<String>) -> Self {
        Self { any: any.into_iter().map(str::to_owned).collect(), words: Vec::new(), tag: tag.into() }
    }

    fn matches(&self, name: &Name<'_>) -> bool {
        self.any.iter().any(|piece| name.has(piece)) || self.words.iter().any(|words| name.has_words(words))
    }
}

/// A source name in the two forms that patterns are compared with.
struct Name<'a> {
    whole: &'a str,
    /// Its words in lower case, with a space before and after each.
    spaced: String,
}

impl<'a> Name<'a> {
    fn new(name: &'a str) -> Self {
        Self { whole: name, spaced: spaced(name) }
    }

    /// Whether a piece is anywhere in it.
    fn has(&self, piece: &str) -> bool {
        let mut places = self.whole.as_bytes().windows(piece.len().max(1));
        !piece.is_empty() && places.any(|place| place.eq_ignore_ascii_case(piece.as_bytes()))
    }

    /// Whether some words are in it one after the other.
    fn has_words(&self, words: &str) -> bool {
        // Nearly always it is one, written as its form is.
        if !words.is_empty() && words.bytes().all(|letter| letter.is_ascii_lowercase()) {
            return self.spaced.split(' ').any(|word| word == words);
        }
        words.contains(char::is_alphabetic) && self.spaced.contains(&spaced(words))
    }
}

/// The words of a name in lower case, with a space before and after each. A word ends at anything but a letter, and before a
/// capital that follows a small letter.
fn spaced(name: &str) -> String {
    let mut words = " ".to_owned();
    let mut after_small = false;
    for c in name.chars() {
        let word_ends = !c.is_alphabetic() || (after_small && c.is_uppercase());
        if word_ends && !words.ends_with(' ') {
            words.push(' ');
        }
        if c.is_alphabetic() {
            words.extend(c.to_lowercase());
        }
        after_small = c.is_lowercase();
    }
    if !words.ends_with(' ') || words.len() == 1 {
        words.push(' ');
    }
    words
}

/// Which of the three steps gave a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TagSource {
    /// It was given explicitly.
    Explicit,
    /// A pattern in the source name.
    SourceName,
    /// The slot: the number of the clip in its source.
    SlotMap,
}

/// How clips get their tags.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(from = "Table")]
pub struct TagTable {
    /// The first pattern that matches counts, so the most specific come first.
    pub patterns: Cow<'static, [TagPattern]>,
    /// Tags by slot, the number of a clip in its source; an empty string is no tag.
    pub slots: Cow<'static, [String]>,
    /// The file that it was read from, if any. It is on the record of every import that uses the table.
    #[serde(skip)]
    pub file: Option<FileRecord>,
}

impl TagTable {
    /// For characters that walk about: the built-in patterns, and slots from Idle, Walk and Run to Action9.
    pub fn overworld() -> Self {
        static TABLE: LazyLock<TagTable> =
            LazyLock::new(|| built_in(include_str!("../data/tags/overworld.toml")));
        TABLE.borrowed()
    }

    /// For creatures that fight: the built-in patterns, and slots from Idle and Attack1 to Action10.
    pub fn creature() -> Self {
        static TABLE: LazyLock<TagTable> =
            LazyLock::new(|| built_in(include_str!("../data/tags/creature.toml")));
        TABLE.borrowed()
    }

    /// The same, without a copy of its entries.
    fn borrowed(&'static self) -> Self {
        let (patterns, slots) = (Cow::Borrowed(&*self.patterns), Cow::Borrowed(&*self.slots));
        Self { patterns, slots, file: self.file.clone() }
    }

    /// Reads a table. What it does not mention is as in [`TagTable::default`]; `slots` may name a built-in map.
    ///
    /// ```
    /// let table = sinew_import::TagTable::from_toml(
    ///     r#"
    ///     slots = "creature"        # or a list: ["Idle", "Walk", "", "Sleep"]
    ///     [[patterns]]
    ///     any = ["flap", "glide"]
    ///     tag = "Fly"
    ///     "#,
    /// )?;
    /// assert_eq!(table.by_name("c0007_Glide01"), Some("Fly"));
    /// assert_eq!(table.by_slot(1), Some("Attack1"));
    /// # Ok::<(), toml::de::Error>(())
    /// ```
    pub fn from_toml(text: &str) -> Result<Self, toml::de::Error> {
        toml::from_str::<File>(text).map(Self::from)
    }

    /// From a flag's value: the name of a built-in table, or a file.
    #[cfg(feature = "clap")]
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        use sinew_files::{Disk, Files, Recorder};
        match text {
            "overworld" => Ok(Self::overworld()),
            "creature" => Ok(Self::creature()),
            path => {
                let wrong = |error: &dyn std::fmt::Display| {
                    format!("a tag table is `overworld`, `creature` or a TOML file; {path}: {error}")
                };
                let files = Recorder::new(std::sync::Arc::new(Disk));
                let bytes = files.read(path.as_ref(), 1 << 20).map_err(|error| wrong(&error))?;
                let text = std::str::from_utf8(&bytes).map_err(|error| wrong(&error))?;
                let table = Self::from_toml(text).map_err(|error| wrong(&error))?;
                Ok(Self { file: files.records().pop(), ..table })
            }
        }
    }

    /// The tag of one clip and where it came from; a tag that it has already counts as explicit.
    pub fn resolve<'a>(&'a self, info: &'a ClipInfo) -> Option<(&'a str, TagSource)> {
        let explicit = info.tag.as_deref().map(str::trim).filter(|tag| !tag.is_empty());
        explicit.map(|tag| (tag, TagSource::Explicit)).or_else(|| self.infer(info))
    }

    /// The tag that follows from a clip's source name, else its name, else its slot, whatever tag it has.
    pub fn infer(&self, info: &ClipInfo) -> Option<(&str, TagSource)> {
        let by_name = info.source_name.as_deref().and_then(|name| self.by_name(name));
        by_name
            .or_else(|| self.by_name(&info.name))
            .map(|tag| (tag, TagSource::SourceName))
            .or_else(|| Some((self.by_slot(info.source_index?)?, TagSource::SlotMap)))
    }

    /// Gives a clip without a tag the one that [`TagTable::infer`] finds. Returns whether it did.
    pub fn complete(&self, info: &mut ClipInfo) -> bool {
        match self.resolve(info) {
            None | Some((_, TagSource::Explicit)) => false,
            Some((tag, _)) => {
                info.tag = Some(tag.into());
                true
            }
        }
    }

    /// A library of clips with their tags, and where each clip comes from. The last of each item is the start in the source.
    pub(crate) fn library(
        &self,
        clips: impl IntoIterator<Item = (ClipInfo, Clip, f64)>,
    ) -> (ClipLibrary, Vec<SourceClip>) {
        let (mut library, mut sources) = (ClipLibrary::default(), Vec::new());
        for (mut info, clip, start) in clips {
            sources.push(SourceClip { start, tag_inferred: self.complete(&mut info) });
            library.add_with(info, clip);
        }
        (library, sources)
    }

    /// The tag of the first pattern that a source name matches.
    pub fn by_name(&self, source_name: &str) -> Option<&str> {
        let name = Name::new(source_name);
        self.patterns.iter().find(|pattern| pattern.matches(&name)).map(|pattern| pattern.tag.as_str())
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

/// Reads a built-in table. A test checks that they can be read.
fn built_in(text: &str) -> TagTable {
    let empty = TagTable { patterns: Cow::default(), slots: Cow::default(), file: None };
    TagTable::from_toml(text).unwrap_or(empty)
}

/// A table in a `sinew.toml`: the name of a built-in one, or its own entries.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a tag table is \"overworld\", \"creature\" or has `patterns` and `slots`")]
enum Table {
    BuiltIn(BuiltIn),
    Own(File),
}

/// A table as it is written in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    patterns: Option<Vec<TagPattern>>,
    slots: Option<Slots>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "`slots` is \"overworld\", \"creature\" or a list of tags")]
enum Slots {
    BuiltIn(BuiltIn),
    List(Vec<String>),
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum BuiltIn {
    Overworld,
    Creature,
}

impl From<Table> for TagTable {
    fn from(table: Table) -> Self {
        match table {
            Table::BuiltIn(BuiltIn::Overworld) => Self::overworld(),
            Table::BuiltIn(BuiltIn::Creature) => Self::creature(),
            Table::Own(file) => file.into(),
        }
    }
}

impl From<File> for TagTable {
    fn from(file: File) -> Self {
        // The default is only used for missing keys, since the default table itself is read this way.
        Self {
            patterns: file.patterns.map_or_else(|| Self::default().patterns, Cow::Owned),
            slots: match file.slots {
                Some(Slots::List(slots)) => slots.into(),
                Some(Slots::BuiltIn(BuiltIn::Creature)) => Self::creature().slots,
                Some(Slots::BuiltIn(BuiltIn::Overworld)) | None => Self::default().slots,
            },
            file: None,
        }
    }
}

#[cfg(test)]
mod tests;
