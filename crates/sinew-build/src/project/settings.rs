//! The content of a `sinew.toml`, and all its keys.

use crate::contacts::EventEntry;
use crate::monogame::MonoGameOptions;
use glam::Quat;
use serde::{Deserialize, Serialize};
use sinew::{LoopMode, RootMotion, Transform};
use sinew_compress::Profile;
use sinew_files::slashes;
use sinew_import::Options;
use std::collections::BTreeMap;
use std::path::Path;

/// A whole `sinew.toml`. Missing keys have their defaults.
#[derive(Clone, Debug, PartialEq, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Settings {
    /// What is built, and where.
    pub build: BuildSettings,
    /// How source files are read.
    pub import: Options,
    /// How files for MonoGame are written.
    pub monogame: MonoGameOptions,
    /// Characters by name.
    pub characters: BTreeMap<String, CharacterSettings>,
}

impl Settings {
    /// Paths may be written with backslashes, as in manifests.
    pub(super) fn use_slashes(&mut self) {
        let characters = self.characters.values_mut();
        let files = characters.flat_map(|character| {
            let clips = character.clips.iter_mut().flat_map(|clip| [&mut clip.file, &mut clip.retarget]);
            [&mut character.file, &mut character.contacts].into_iter().chain(clips)
        });
        files.chain([&mut self.build.out]).for_each(|path| *path = slashes(path));
        self.import.textures.iter_mut().for_each(|path| *path = slashes(&path.to_string_lossy()).into());
    }
}

/// `[build]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct BuildSettings {
    /// Folder of the compiled files.
    pub out: String,
    /// What each character is compiled to.
    pub targets: Vec<Target>,
    /// How textures are written.
    pub textures: TextureSetting,
    /// How exactly the clips of bundles are compiled.
    pub compress: CompressSetting,
    /// Radii of the shells on which errors of joints are measured, by patterns of their names.
    pub shells: BTreeMap<String, f64>,
}

impl Default for BuildSettings {
    fn default() -> Self {
        Self {
            out: "build".to_owned(),
            targets: vec![Target::Sinew],
            textures: TextureSetting::default(),
            compress: CompressSetting::default(),
            shells: BTreeMap::new(),
        }
    }
}

/// What a character can be compiled to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Target {
    /// A `.sinew` bundle, with a certificate of its accuracy.
    Sinew,
    /// Binary glTF, for other programs.
    Glb,
    /// BVH, for tools of motion capture: joints and clips alone.
    Bvh,
    /// VRM Animation, for any VRM: the joints of humanoids and expressions.
    Vrma,
    /// XNB files for MonoGame, FNA and XNA.
    #[serde(rename = "monogame")]
    MonoGame,
}

impl Target {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Sinew, Self::Glb, Self::Bvh, Self::Vrma, Self::MonoGame];

    /// As the project spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::MonoGame => "monogame",
            other => other.extension(),
        }
    }

    /// The extension of its files.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Sinew => "sinew",
            Self::Glb => "glb",
            Self::Bvh => "bvh",
            Self::Vrma => "vrma",
            Self::MonoGame => "xnb",
        }
    }

    /// The target that a path asks for by its extension.
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?;
        Self::ALL.into_iter().find(|target| target.extension().eq_ignore_ascii_case(extension))
    }
}

/// How textures are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum TextureSetting {
    /// Embedded in the compiled file.
    #[default]
    Embed,
    /// Referenced by path.
    Reference,
    /// Left out.
    Omit,
}

/// How exactly the clips of bundles are compiled: see [`sinew_compress::Profile`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CompressSetting {
    /// Not at all: keys as they were imported.
    Off,
    /// At most 0.1 mm off anywhere, for a figure of 1.8 m.
    Strict,
    /// 99 % within 0.1 mm, all within 0.4 mm.
    #[default]
    Balanced,
    /// 99 % within 0.3 mm, all within 1.5 mm.
    Small,
}

impl CompressSetting {
    /// The profile that it stands for.
    pub fn profile(self) -> Option<Profile> {
        match self {
            Self::Off => None,
            Self::Strict => Some(Profile::Strict),
            Self::Balanced => Some(Profile::Balanced),
            Self::Small => Some(Profile::Small),
        }
    }
}

/// `[characters.NAME]`
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct CharacterSettings {
    /// The file with skeleton and meshes.
    pub file: String,
    /// The clips; without any, all clips of that file.
    #[serde(default)]
    pub clips: Vec<ClipSettings>,
    /// The file with its foot contacts; empty: see [`crate::contacts::file_beside`].
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub contacts: String,
    /// Places where things are attached, besides those in the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sockets: Vec<SocketSettings>,
}

/// `[[characters.NAME.clips]]`
#[derive(Clone, Debug, PartialEq, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct ClipSettings {
    /// The file that it is in; empty for the character's own.
    pub file: String,
    /// Which clip of the file; empty for its only one.
    pub take: String,
    /// Name that a game asks for; empty for the name in the file.
    pub name: String,
    /// What it is for; empty: inferred from its name, by the tag table.
    pub tag: String,
    /// Loop mode.
    #[serde(rename = "loop")]
    pub mode: LoopSetting,
    /// Root motion.
    pub root_motion: RootMotionSetting,
    /// Whether its file was made for another skeleton: empty for no, `auto`, or a bone map.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub retarget: String,
    /// Whether feet of a retargeted file stand, without sliding, while those of the source do.
    #[serde(skip_serializing_if = "is_off")]
    pub lock_feet: bool,
    /// Whether hands of a retargeted file are kept where those of the source are.
    #[serde(skip_serializing_if = "is_off")]
    pub keep_hands: bool,
    /// Events, besides those in the file.
    pub events: Vec<EventEntry>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_off(value: &bool) -> bool {
    !value
}

/// Loop mode of a clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LoopSetting {
    /// It starts over.
    #[default]
    Loop,
    /// It stops.
    Once,
    /// It reverses at both ends.
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

/// Root motion of a clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RootMotionSetting {
    /// The pose travels.
    #[default]
    Keep,
    /// The pose stays on the spot.
    InPlace,
    /// The pose stays on the spot, and the game gets the travel.
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

/// `[[characters.NAME.sockets]]`: a named place on a joint, where things are attached.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SocketSettings {
    /// What the game asks for.
    pub name: String,
    /// The joint that it moves with.
    pub joint: String,
    /// Where it is, relative to the joint.
    #[serde(default)]
    pub translation: [f32; 3],
    /// Degrees about the joint's x axis, then its y axis, then its z axis.
    #[serde(default)]
    pub rotation: [f32; 3],
}

impl SocketSettings {
    /// Where it is, relative to the joint.
    pub(super) fn offset(&self) -> Transform {
        let [x, y, z] = self.rotation.map(f32::to_radians);
        let rotation = Quat::from_rotation_z(z) * Quat::from_rotation_y(y) * Quat::from_rotation_x(x);
        Transform { translation: self.translation.into(), rotation, ..Transform::IDENTITY }
    }
}

/// A key of `sinew.toml`, for the file itself and for the documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Table that it stands in: `build`, `import`, `monogame`, `character` or `clip`.
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

/// Every key. Those of `[import]` come from [`Options::KEYS`].
pub fn keys() -> impl Iterator<Item = Key> {
    let about = |text: &'static str| text.trim().trim_end_matches('.');
    let import =
        Options::KEYS.iter().map(move |&(name, default, text)| key("import", name, default, about(text)));
    KEYS.iter().copied().chain(import)
}

/// All keys but those of `[import]`.
const KEYS: &[Key] = &[
    key("build", "out", r#""build""#, "Folder for the compiled files, relative to this file"),
    key(
        "build",
        "targets",
        r#"["sinew"]"#,
        r#"What to compile to: "sinew", "glb", "bvh", "vrma", "monogame" or several"#,
    ),
    key(
        "build",
        "compress",
        r#""balanced""#,
        r#"Clips of bundles: "off" (keys as imported), "strict", "balanced" or "small", by how far they may be off"#,
    ),
    key(
        "build",
        "shells",
        "{}",
        r#"How far from joints their errors are measured, if not 3 cm: metres for a figure of 1.8 m, as in { "*Hand" = 0.2 }"#,
    ),
    key("build", "textures", r#""embed""#, r#""embed", "reference" (leave where they are) or "omit""#),
    key(
        "monogame",
        "reader",
        r#""Sinew.SkinningDataReader, Sinew.MonoGame""#,
        "The type of the game that reads skinning data: Namespace.Type, Assembly",
    ),
    key(
        "monogame",
        "version",
        r#""v2""#,
        r#"Layout of the skinning data: "v2", or "v1" for readers of others"#,
    ),
    key("monogame", "platform", r#""desktopgl""#, r#""desktopgl" or "windows""#),
    key("monogame", "profile", r#""auto""#, r#""reach", "hidef" or "auto": Reach if the character fits"#),
    key("monogame", "rate", r#""source""#, r#"Keys: "source" (those of the source), or 30 or 60 a second"#),
    key("monogame", "clips", r#""model""#, r#"Clips: in the "model", or each in "files" of its own"#),
    key(
        "monogame",
        "over-72",
        r#""split""#,
        r#"More than 72 bones: "split" meshes, "prune" joints that move least, or "refuse""#,
    ),
    key("character", "file", "", "Skeleton and meshes"),
    key("character", "clips", "[]", "The clips; without any, all clips of the file"),
    key(
        "character",
        "contacts",
        r#""""#,
        "File of its foot contacts; empty: FILE.contacts.toml beside its file, and what is not there is found",
    ),
    key(
        "character",
        "sockets",
        "[]",
        r#"Places where things are attached, as in [{ name = "sword", joint = "RightHand", translation = [0, 0.1, 0], rotation = [0, 0, 90] }]; degrees about x, then y, then z"#,
    ),
    key("clip", "file", r#""""#, "The file that it is in; empty: the character's own"),
    key(
        "clip",
        "take",
        r#""""#,
        "Which clip of the file, where it holds several: its name, or \"#0\", \"#1\" by number",
    ),
    key("clip", "name", r#""""#, "What a game asks for; empty: as in the file"),
    key(
        "clip",
        "tag",
        r#""""#,
        "What it is for, as in \"Walk\"; empty: inferred from its name, by the tag table",
    ),
    key("clip", "loop", r#""loop""#, r#""loop", "once" or "ping-pong""#),
    key(
        "clip",
        "root_motion",
        r#""keep""#,
        r#"Travel: "keep" in the pose, "in-place" (take it out) or "extract" (hand it to the game)"#,
    ),
    key(
        "clip",
        "retarget",
        r#""""#,
        r#"Of a file that was made for another humanoid: "auto", or a bone map such as "dancer.map.toml""#,
    ),
    key(
        "clip",
        "lock_feet",
        "false",
        "Of a retargeted file: feet stand, without sliding, while the source's do",
    ),
    key(
        "clip",
        "keep_hands",
        "false",
        "Of a retargeted file: hands are where the source's are, at the scale of the legs",
    ),
    key(
        "clip",
        "events",
        "[]",
        r#"As in [{ time = 0.4, name = "step", payload = "gravel", fire = "leader" }]; payload and fire ("always", "leader" or "unless-fading") may be left out"#,
    ),
];
