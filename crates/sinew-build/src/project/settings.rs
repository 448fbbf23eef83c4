//! What a `sinew.toml` says, and the keys that it may have.

use serde::{Deserialize, Serialize};
use sinew::{LoopMode, RootMotion};
use sinew_import::{InfluenceLimit, Options, Resample, SpaceMode};
use std::collections::BTreeMap;
use std::path::Path;

/// A whole `sinew.toml`. What it does not mention has its default.
#[derive(Clone, Debug, PartialEq, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// What is built, and where.
    pub build: BuildSettings,
    /// How source files are read.
    pub import: ImportSettings,
    /// Characters by name.
    pub characters: BTreeMap<String, CharacterSettings>,
}

/// `[build]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct BuildSettings {
    /// Folder of the compiled files.
    pub out: String,
    /// What each character is compiled to.
    pub targets: Vec<Target>,
    /// What becomes of pictures.
    pub textures: TextureSetting,
}

impl Default for BuildSettings {
    fn default() -> Self {
        Self { out: "build".to_owned(), targets: vec![Target::Sinew], textures: TextureSetting::default() }
    }
}

/// What a character can be compiled to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// A `.sinew` bundle, with a certificate of its accuracy.
    Sinew,
    /// Binary glTF, for other programs.
    Glb,
}

impl Target {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Sinew, Self::Glb];

    /// The extension of its files, which is also its name.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Sinew => "sinew",
            Self::Glb => "glb",
        }
    }

    /// The target that a path asks for by its extension.
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?;
        Self::ALL.into_iter().find(|target| target.extension().eq_ignore_ascii_case(extension))
    }
}

/// What becomes of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TextureSetting {
    /// They go into the compiled file.
    #[default]
    Embed,
    /// They stay where they are.
    Reference,
    /// They are left out.
    Omit,
}

/// `[import]`
#[derive(Clone, Debug, PartialEq, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct ImportSettings {
    /// Axes and unit.
    pub space: SpaceSetting,
    /// Influences that a vertex keeps.
    pub influences: InfluenceSetting,
    /// Where curves get their keys.
    pub resample: ResampleSetting,
    /// Further folders with textures.
    pub textures: Vec<String>,
    /// Whether texture references may lead out of the folder of their file.
    pub outside_textures: bool,
    /// Bounds on what a file may ask for, by name.
    pub limits: BTreeMap<String, u64>,
}

/// Axes and unit of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SpaceSetting {
    /// Right-handed, +Y up, metres.
    #[default]
    Canonical,
    /// The file's own.
    Keep,
}

/// Influences that a vertex keeps: 4 or 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct InfluenceSetting(pub InfluenceLimit);

impl TryFrom<u8> for InfluenceSetting {
    type Error = String;

    fn try_from(count: u8) -> Result<Self, String> {
        match count {
            4 => Ok(Self(InfluenceLimit::Four)),
            8 => Ok(Self(InfluenceLimit::Eight)),
            other => Err(format!("a vertex keeps 4 or 8 influences, not {other}")),
        }
    }
}

impl From<InfluenceSetting> for u8 {
    fn from(setting: InfluenceSetting) -> Self {
        match setting.0 {
            InfluenceLimit::Four => 4,
            InfluenceLimit::Eight => 8,
        }
    }
}

/// Where curves get their keys: a tolerance, or `"keys"`.
#[derive(Clone, Copy, Debug, PartialEq, Default, Deserialize, Serialize)]
#[serde(try_from = "RawResample", into = "RawResample")]
pub struct ResampleSetting(pub Resample);

#[derive(Deserialize, Serialize)]
#[serde(untagged, expecting = "`resample` is a tolerance such as 2e-5, or \"keys\"")]
enum RawResample {
    Tolerance(f64),
    Word(String),
}

impl TryFrom<RawResample> for ResampleSetting {
    type Error = String;

    fn try_from(raw: RawResample) -> Result<Self, String> {
        match raw {
            RawResample::Tolerance(t) if t > 0.0 && t.is_finite() => Ok(Self(Resample::Within(t))),
            RawResample::Word(word) if word == "keys" => Ok(Self(Resample::Keys)),
            _ => Err("`resample` is a tolerance above zero such as 2e-5, or \"keys\"".to_owned()),
        }
    }
}

impl From<ResampleSetting> for RawResample {
    fn from(setting: ResampleSetting) -> Self {
        match setting.0 {
            Resample::Within(tolerance) => Self::Tolerance(tolerance),
            Resample::Keys => Self::Word("keys".to_owned()),
        }
    }
}

impl ImportSettings {
    /// The same for the importers, with folders seen from the project's. An unknown limit is answered with its name.
    pub(super) fn options(&self, folder: &Path) -> Result<Options, String> {
        let mut options = Options {
            space: match self.space {
                SpaceSetting::Canonical => SpaceMode::Canonical,
                SpaceSetting::Keep => SpaceMode::Keep,
            },
            influences: self.influences.0,
            resample: self.resample.0,
            ..Options::default()
        };
        options.textures.folders.extend(self.textures.iter().map(|texture| folder.join(texture)));
        options.textures.allow_outside = self.outside_textures;
        for (name, &value) in &self.limits {
            options.limits.set(name, value).map_err(|known| {
                format!("`import.limits` knows no `{name}`; there are {}", known.join(", "))
            })?;
        }
        Ok(options)
    }
}

/// `[characters.NAME]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CharacterSettings {
    /// The file with skeleton and meshes.
    pub file: String,
    /// The clips; without any, all clips of that file.
    #[serde(default)]
    pub clips: Vec<ClipSettings>,
}

/// `[[characters.NAME.clips]]`
#[derive(Clone, Debug, PartialEq, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClipSettings {
    /// The file that it is in; empty for the character's own.
    pub file: String,
    /// Which clip of the file; empty for its only one.
    pub take: String,
    /// Name that a game asks for; empty for the name in the file.
    pub name: String,
    /// What it is for; empty to leave that to the patterns of the game.
    pub tag: String,
    /// What happens at the end.
    #[serde(rename = "loop")]
    pub mode: LoopSetting,
    /// What becomes of travel.
    pub root_motion: RootMotionSetting,
    /// Events, beside those in the file.
    pub events: Vec<EventSettings>,
}

/// What happens at the end of a clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LoopSetting {
    /// It starts over.
    #[default]
    Loop,
    /// It stops.
    Once,
    /// It turns round at either end.
    PingPong,
}

impl LoopSetting {
    /// As the file spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Loop => "loop",
            Self::Once => "once",
            Self::PingPong => "ping-pong",
        }
    }
}

impl From<LoopSetting> for LoopMode {
    fn from(setting: LoopSetting) -> Self {
        match setting {
            LoopSetting::Loop => Self::Loop,
            LoopSetting::Once => Self::Once,
            LoopSetting::PingPong => Self::PingPong,
        }
    }
}

/// What becomes of a clip's travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RootMotionSetting {
    /// The pose travels.
    #[default]
    Keep,
    /// The pose stays on the spot.
    InPlace,
    /// The pose stays on the spot, and the game is told how far it went.
    Extract,
}

impl RootMotionSetting {
    /// As the file spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::InPlace => "in-place",
            Self::Extract => "extract",
        }
    }
}

impl From<RootMotionSetting> for RootMotion {
    fn from(setting: RootMotionSetting) -> Self {
        match setting {
            RootMotionSetting::Keep => Self::Keep,
            RootMotionSetting::InPlace => Self::InPlace,
            RootMotionSetting::Extract => Self::Extract,
        }
    }
}

/// An event: `{ time = 0.4, name = "step" }`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EventSettings {
    /// Seconds from the start of the clip.
    pub time: f32,
    /// What a game listens for.
    pub name: String,
}

/// A key of `sinew.toml`, for the file itself and for the documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Table that it stands in: `build`, `import`, `character` or `clip`.
    pub table: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its default, as TOML; empty for a key that must be there.
    pub default: &'static str,
    /// What it means.
    pub about: &'static str,
}

const fn key(table: &'static str, name: &'static str, default: &'static str, about: &'static str) -> Key {
    Key { table, name, default, about }
}

/// Every key.
pub const KEYS: &[Key] = &[
    key("build", "out", r#""build""#, "folder for the compiled files, seen from this file"),
    key("build", "targets", r#"["sinew"]"#, r#"what to compile to: "sinew", "glb" or both"#),
    key("build", "textures", r#""embed""#, r#""embed", "reference" (leave where they are) or "omit""#),
    key("import", "space", r#""canonical""#, r#""canonical" (+Y up, metres) or "keep" (the files' own)"#),
    key("import", "influences", "4", "joints that may move a vertex: 4 or 8"),
    key(
        "import",
        "resample",
        "2e-5",
        r#"keys within this part of the character's size, or "keys" for the source's keys only"#,
    ),
    key("import", "textures", "[]", "further folders to look for textures in"),
    key(
        "import",
        "outside_textures",
        "false",
        "follow texture references that lead out of the file's folder",
    ),
    key("import", "limits", "{}", "bounds on what a file may ask for, as in { joints = 300 }"),
    key("character", "file", "", "skeleton and meshes"),
    key("character", "clips", "[]", "the clips; without any, all clips of the file"),
    key("clip", "file", r#""""#, "the file that it is in; empty: the character's own"),
    key(
        "clip",
        "take",
        r#""""#,
        "which clip of the file, where it holds several: its name, or \"#0\", \"#1\" by number",
    ),
    key("clip", "name", r#""""#, "what a game asks for; empty: as in the file"),
    key("clip", "tag", r#""""#, "what it is for, as in \"Walk\"; empty: the game's patterns decide"),
    key("clip", "loop", r#""loop""#, r#""loop", "once" or "ping-pong""#),
    key(
        "clip",
        "root_motion",
        r#""keep""#,
        r#"travel: "keep" in the pose, "in-place" (take it out) or "extract" (hand it to the game)"#,
    ),
    key("clip", "events", "[]", "as in [{ time = 0.4, name = \"step\" }]"),
];
