//! How XNB files are written.

use serde::{Deserialize, Serialize};

/// `[monogame]`
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct MonoGameOptions {
    /// The type of the game that reads skinning data, as `Namespace.Type, Assembly`.
    pub reader: String,
    /// Layout of the skinning data.
    pub version: SkinningVersion,
    /// What the files are made for.
    pub platform: PlatformSetting,
    /// The hardware that they ask for.
    pub profile: ProfileSetting,
    /// How dense keys are.
    pub rate: Rate,
    /// Where clips are written to.
    pub clips: ClipFiles,
    /// What becomes of a skeleton with more bones than `SkinnedEffect` takes.
    #[serde(rename = "over-72")]
    pub over_72: Over72,
}

impl Default for MonoGameOptions {
    fn default() -> Self {
        Self {
            reader: "Sinew.SkinningDataReader, Sinew.MonoGame".to_owned(),
            version: SkinningVersion::default(),
            platform: PlatformSetting::default(),
            profile: ProfileSetting::default(),
            rate: Rate::default(),
            clips: ClipFiles::default(),
            over_72: Over72::default(),
        }
    }
}

impl MonoGameOptions {
    /// The same with something changed.
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}

/// Layout of the skinning data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SkinningVersion {
    /// Matrices and a flat list of keys, for readers that a game has already.
    V1,
    /// Names, tracks and what a player needs, for the reader in `contrib/monogame`.
    #[default]
    V2,
}

/// What files are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PlatformSetting {
    /// MonoGame with OpenGL, and FNA.
    #[default]
    Desktopgl,
    /// MonoGame with DirectX, and XNA.
    Windows,
}

/// The hardware that files ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ProfileSetting {
    /// Reach if the character fits, else HiDef.
    #[default]
    Auto,
    /// Old and small hardware.
    Reach,
    /// All else.
    Hidef,
}

/// How dense keys are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(try_from = "RateValue", into = "RateValue")]
#[non_exhaustive]
pub enum Rate {
    /// As in the source.
    #[default]
    Source,
    /// So many a second: 30 or 60.
    PerSecond(u8),
}

/// A rate as TOML has it: a word or a number.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(untagged)]
enum RateValue {
    Number(u8),
    Word(String),
}

impl TryFrom<RateValue> for Rate {
    type Error = String;

    fn try_from(value: RateValue) -> Result<Self, String> {
        match value {
            RateValue::Number(number @ (30 | 60)) => Ok(Self::PerSecond(number)),
            RateValue::Word(word) if word == "source" => Ok(Self::Source),
            RateValue::Number(number) => Err(format!("a rate is \"source\", 30 or 60, not {number}")),
            RateValue::Word(word) => Err(format!("a rate is \"source\", 30 or 60, not \"{word}\"")),
        }
    }
}

impl From<Rate> for RateValue {
    fn from(rate: Rate) -> Self {
        match rate {
            Rate::Source => Self::Word("source".to_owned()),
            Rate::PerSecond(number) => Self::Number(number),
        }
    }
}

/// Where clips are written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ClipFiles {
    /// Into the model's tag.
    #[default]
    Model,
    /// Each into a file of its own.
    Files,
}

/// What becomes of a skeleton with more bones than `SkinnedEffect` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Over72 {
    /// Meshes are split into parts with bones of their own.
    #[default]
    Split,
    /// Joints without children that move least are left out, and their weights go to their parents.
    Prune,
    /// It is an error.
    Refuse,
}
