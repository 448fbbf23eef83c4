//! Why a file could not be read.

use sinew::CharacterError;
use sinew::SkeletonError;
use sinew::{ClipDataError, TrackError};
use sinew_files::ReadError;
use std::path::{Path, PathBuf};

/// Which file, what is wrong, and what to do.
#[derive(Debug, thiserror::Error)]
#[error("{}: {cause}{}", .file.display(), Hint(.cause.hint()))]
pub struct ImportError {
    /// The file.
    pub file: PathBuf,
    /// What is wrong with it.
    #[source]
    pub cause: Cause,
}

impl ImportError {
    /// An error of one file.
    pub fn new(file: &Path, cause: Cause) -> Self {
        Self { file: file.to_owned(), cause }
    }

    /// A stable id of what went wrong, for programs.
    pub fn code(&self) -> &'static str {
        self.cause.code()
    }
}

struct Hint(Option<&'static str>);

impl std::fmt::Display for Hint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.map_or(Ok(()), |hint| write!(f, "; {hint}"))
    }
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Cause {
    /// The file cannot be opened or read.
    #[error("cannot be read: {0}")]
    Read(#[from] std::io::Error),
    /// The file cannot be written.
    #[error("cannot be written: {0}")]
    Write(#[source] std::io::Error),
    /// Neither content nor extension identify a format.
    #[error("is of an unknown format")]
    UnknownFormat,
    /// There is nothing in the file.
    #[error("is empty")]
    Empty,
    /// A folder without a model.
    #[error("holds no COLLADA file with a mesh, also not in the folders in it")]
    NoModel,
    /// A manifest whose model is not there.
    #[error("lists the model `{model}`, {}", if *.outside { "which leads out of the manifest's folder, so it is not read" } else { "and there is no such file in the manifest's folder" })]
    ModelMissing {
        /// As the manifest refers to it.
        model: String,
        /// Whether the reference leads out of the folder.
        outside: bool,
    },
    /// A folder in which, and below which, there is nothing that can be read.
    #[error("{}", if *.empty { "is an empty folder" } else { "holds nothing that can be read, also not in the folders below it" })]
    NothingToRead {
        /// Whether there is nothing at all in it.
        empty: bool,
    },
    /// A folder without a manifest, or with several of which none is `manifest.json`.
    #[error("{}", if *.found == 0 { "holds no manifest".to_owned() } else { format!("holds {found} manifests") })]
    NoManifest {
        /// How many there are.
        found: usize,
    },
    /// There are clips, but no scene to play them in.
    #[error("holds clips but no scene")]
    ClipsOnly,
    /// The content breaks the rules of its format.
    #[error("is damaged or not what its format allows: {what}{}", At(.place))]
    Malformed {
        /// What is wrong.
        what: String,
        /// Where: element, line or offset; may be empty.
        place: String,
    },
    /// A file that belongs to it cannot be opened or read.
    #[error("needs the file {}, which cannot be read: {error}", .file.display())]
    Beside {
        /// The other file.
        file: PathBuf,
        /// What went wrong.
        error: std::io::Error,
    },
    /// A file that belongs to it is not in its folder.
    #[error("refers to `{reference}`, which leads out of the folder of the file, and is not read{}", At(.place))]
    Outside {
        /// As the file has it.
        reference: String,
        /// What refers to it.
        place: String,
    },
    /// It is something else, whatever its name says.
    #[error("is {what}")]
    OtherKind {
        /// What it is.
        what: &'static str,
        /// What to do about it.
        remedy: &'static str,
    },
    /// A required glTF extension that is not supported.
    #[error("requires the extension `{name}`, which is not read")]
    Extension {
        /// The extension.
        name: String,
    },
    /// One of the [`crate::Limits`] is exceeded.
    #[error("exceeds the limit `{name}`: {} where {limit} are allowed", Count(.found))]
    Limit {
        /// Field of [`crate::Limits`].
        name: &'static str,
        /// How many there are, if they could be counted.
        found: Option<u64>,
        /// How many are allowed.
        limit: u64,
    },
    /// The joints do not form a valid skeleton.
    #[error("has a skeleton that cannot be used: {0}")]
    Skeleton(#[from] SkeletonError),
    /// The keys do not form a valid track.
    #[error("has keys that cannot be used: {error}{}", At(.place))]
    Track {
        /// What is wrong with them.
        error: TrackError,
        /// Clip and joint.
        place: String,
    },
    /// The tracks do not form a valid clip.
    #[error("has a clip that cannot be used: {0}")]
    Clip(#[from] ClipDataError),
    /// A compiled character is damaged, or of another version.
    #[error("is not a usable bundle: {0}")]
    Bundle(#[from] sinew::BundleError),
    /// Compiled content of MonoGame or XNA is damaged, or holds what is not read.
    #[error("{0}")]
    Xnb(#[from] sinew_xnb::XnbError),
    /// The parts do not form a valid character.
    #[error("is not a usable character: {0}")]
    Character(#[from] CharacterError),
    /// It is not a bone map.
    #[error("is not a bone map: {0}")]
    BoneMap(String),
    /// Its clips cannot be carried over to another skeleton.
    #[error("cannot be retargeted: {0}")]
    Retarget(#[from] sinew_retarget::RetargetError),
}

impl From<ReadError> for Cause {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Io(error) => Self::Read(error),
            ReadError::TooLarge { found, limit } => Self::Limit { name: "bytes", found, limit },
            other => Self::Read(std::io::Error::other(other)),
        }
    }
}

impl Cause {
    /// A file that belongs to another was not read.
    pub(crate) fn beside(file: &Path, error: ReadError) -> Self {
        match Self::from(error) {
            Self::Read(error) => Self::Beside { file: file.to_owned(), error },
            other => other,
        }
    }

    /// Damaged content at a place, which may be empty.
    pub fn malformed(what: impl Into<String>, place: impl Into<String>) -> Self {
        Self::Malformed { what: what.into(), place: place.into() }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Read(_) | Self::Write(_) => Some("check the path and the permissions"),
            Self::Beside { .. } => Some("put it where the file says, as it was exported"),
            Self::Outside { .. } => Some("put it beside the file, or pack both into a .glb"),
            Self::OtherKind { remedy, .. } => Some(remedy),
            Self::Extension { .. } => Some("export or convert the file without it"),
            Self::UnknownFormat => Some(
                "what is read is FBX (.fbx), glTF (.gltf, .glb), VRM (.vrm, .vrma), COLLADA (.dae, .zae), BVH (.bvh), bundles (.sinew) and XNB (.xnb)",
            ),
            Self::Empty => Some("download or export the file again"),
            Self::NoModel => Some(
                "put the .dae or .zae file of the model into the folder; for files of other formats, `sinew init` makes a project",
            ),
            Self::ModelMissing { .. } => Some(
                "put the model's file into that folder; if it is there under another name, `sinew manifest` writes that name into the manifest",
            ),
            Self::NothingToRead { .. } => Some(
                "what is read is a folder with a manifest, or a file: .fbx, .gltf, .glb, .vrm, .vrma, .dae, .zae, .bvh, .sinew or .xnb",
            ),
            Self::NoManifest { found: 0 } => Some(
                "name a file in it; if its COLLADA files are one character, `sinew manifest` writes a manifest of them",
            ),
            Self::NoManifest { .. } => Some("name the one that is meant"),
            Self::ClipsOnly => Some(
                "name the character before it, as in `sinew convert CHARACTER clip.dae -o hero.glb`, or list it in a manifest with `sinew manifest`",
            ),
            Self::BoneMap(_) => Some("`sinew map CHARACTER -o FILE` writes one"),
            Self::Retarget(_) => {
                Some("`sinew map` shows the roles that were found; list the others in a bone map")
            }
            Self::Malformed { .. } => Some("export the file again"),
            Self::Bundle(_) | Self::Xnb(_) => Some("build it anew from its sources"),
            Self::Limit { .. } => Some("raise the limit if the file is to be trusted"),
            Self::Skeleton(_) | Self::Track { .. } | Self::Clip(_) | Self::Character(_) => {
                Some("the file is valid but holds values that cannot be played: export it again")
            }
        }
    }
}

sinew_findings::error_codes! { Cause {
    Self::Read(_) => "import.unreadable", "The file cannot be opened or read";
    Self::Write(_) => "import.unwritable", "The file cannot be written";
    Self::UnknownFormat => "import.unknown-format", "Neither content nor extension tell a format";
    Self::Empty => "import.empty", "There is nothing in the file";
    Self::NoModel => "import.no-model", "The folder holds no COLLADA file with a mesh";
    Self::ModelMissing { .. } => "import.model-missing", "The manifest lists a model that is not there";
    Self::NothingToRead { .. } => "import.nothing-to-read", "There is nothing in the folder, or below it, that can be read";
    Self::NoManifest { .. } => "import.no-manifest", "The folder holds no manifest, or several";
    Self::ClipsOnly => "import.clips-only", "There are clips, but no scene to play them in";
    Self::Malformed { .. } => "import.malformed", "The content breaks the rules of its format";
    Self::Beside { .. } => "import.missing-file", "A file that belongs to it cannot be read";
    Self::Outside { .. } => "import.outside", "A file that belongs to it is not in its folder";
    Self::OtherKind { .. } => "import.other-kind", "The file is something else than its name says";
    Self::Extension { .. } => "import.extension", "A glTF extension is required that is not read";
    Self::Limit { .. } => "import.limit", "The file asks for more than a limit allows";
    Self::Skeleton(_) => "import.skeleton", "The joints do not form a skeleton";
    Self::Track { .. } => "import.track", "The keys make no track";
    Self::Clip(_) => "import.clip", "The tracks make no clip";
    Self::Character(_) => "import.character", "The parts make no character";
    Self::BoneMap(_) => "import.bone-map", "The file is not a bone map";
} passes on {
    Self::Bundle(error) => error;
    Self::Xnb(error) => error;
    Self::Retarget(error) => error;
} }

struct At<'a>(&'a str);

impl std::fmt::Display for At<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, " (at {})", self.0) }
    }
}

struct Count<'a>(&'a Option<u64>);

impl std::fmt::Display for Count<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(count) => write!(f, "{count}"),
            None => write!(f, "more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_file_cause_and_remedy() {
        let cause = Cause::Limit { name: "joints", found: Some(9), limit: 8 };
        let error = ImportError::new(Path::new("a/hero.fbx"), cause);
        assert_eq!(error.code(), "import.limit");
        assert_eq!(
            error.to_string(),
            "a/hero.fbx: exceeds the limit `joints`: 9 where 8 are allowed; raise the limit if the file is to be trusted"
        );
        let text = ImportError::new(Path::new("x"), Cause::malformed("odd", "line 3")).to_string();
        assert!(text.contains("odd (at line 3); export"), "{text}");
    }
}
