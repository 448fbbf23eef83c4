//! Why a character cannot be written as XNB.

use super::options::SkinningVersion;
use sinew_xnb::XnbError;
use sinew_xnb::skinning::MOST_BONES;

/// Why a character cannot be written as XNB.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MonoGameError {
    /// More bones than `SkinnedEffect` takes.
    #[error("has {count} bones, and SkinnedEffect takes {MOST_BONES}; {}", remedy(*.version, .could_go))]
    TooManyBones {
        /// How many there are.
        count: usize,
        /// Joints that could be left out.
        could_go: Vec<String>,
        /// The layout that was asked for.
        version: SkinningVersion,
    },
    /// The profile Reach was asked for, and the character does not fit.
    #[error("does not fit the profile Reach: {what}; use `profile = \"hidef\"` or `\"auto\"`")]
    Reach {
        /// What does not fit.
        what: String,
    },
    /// A name of a reader that no game can have.
    #[error("`{reader}` is no reader: write it as `Namespace.Type, Assembly`")]
    Reader {
        /// The name.
        reader: String,
    },
    /// A file cannot hold it.
    #[error("cannot be written as XNB: {0}")]
    Xnb(#[from] XnbError),
}

fn remedy(version: SkinningVersion, could_go: &[String]) -> String {
    let v2 = match version {
        SkinningVersion::V1 => "`version = \"v2\"` splits meshes",
        SkinningVersion::V2 => "`over-72 = \"split\"` splits meshes",
    };
    if could_go.is_empty() {
        return v2.to_owned();
    }
    format!("{v2}, `over-72 = \"prune\"` leaves out {}: {}", could_go.len(), super::bones::list(could_go))
}

sinew_findings::error_codes! { MonoGameError {
    Self::TooManyBones { .. } => "monogame.too-many-bones", "There are more bones than SkinnedEffect takes";
    Self::Reach { .. } => "monogame.reach", "The character does not fit the profile Reach";
    Self::Reader { .. } => "monogame.reader", "The reader in the project is no name of a type";
} passes on {
    Self::Xnb(error) => error;
} }
