//! Tag tables as files.

use super::{TagPattern, TagTable};
use serde::Deserialize;

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

impl TagTable {
    /// Reads a table. What it does not mention is as in [`TagTable::default`]; `slots` may name a built-in map.
    ///
    /// ```
    /// let table = sinew::TagTable::from_toml(
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
        let file: File = toml::from_str(text)?;
        let default = Self::default();
        Ok(Self {
            patterns: file.patterns.unwrap_or(default.patterns),
            slots: match file.slots {
                Some(Slots::List(slots)) => slots,
                Some(Slots::BuiltIn(BuiltIn::Creature)) => Self::creature().slots,
                Some(Slots::BuiltIn(BuiltIn::Overworld)) => Self::overworld().slots,
                None => default.slots,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_built_in() {
        assert_eq!(TagTable::from_toml("").unwrap(), TagTable::overworld());
        assert_eq!(TagTable::from_toml("slots = 'creature'").unwrap(), TagTable::creature());
        let table = TagTable::from_toml("patterns = []\nslots = ['Idle', '', 'Sleep']").unwrap();
        assert_eq!((table.by_name("walk"), table.by_slot(1), table.by_slot(2)), (None, None, Some("Sleep")));
    }

    #[test]
    fn mistakes_are_named() {
        for (text, word) in
            [("slot = []", "slot"), ("slots = 'sea'", "overworld"), ("[[patterns]]\nany = []", "tag")]
        {
            let error = TagTable::from_toml(text).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }
}
