//! Writing `.sinew` bundles, which `sinew::Bundle` and, for tools, `sinew_import::bundle` read: the same character gives the same bytes, on every machine.

mod certify;
mod moments;
mod parts;
mod section;
mod sorted;
mod vrm;

pub use certify::{CertifyError, Evidence, Verified, VerifyError, certify, origin, verify};
pub(crate) use certify::{SourceClip, Truth};

use crate::monogame::MonoGameError;
use crate::textures::{TextureWriteError, Textures};
use sinew::{Character, ClipError};
use sinew_files::{Disk, Files};
use sinew_import::SourceInfo;
use sinew_import::bundle::{BundleFile, Certificate};

/// How a bundle is written.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct BundleOptions {
    /// How textures are written.
    pub textures: Textures,
}

impl From<Textures> for BundleOptions {
    fn from(textures: Textures) -> Self {
        Self { textures }
    }
}

/// Why a character could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// A clip cannot be loaded.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// A texture cannot be written.
    #[error(transparent)]
    Texture(#[from] TextureWriteError),
    /// A count is too large for the format.
    #[error("{count} {what} are more than the format can hold")]
    TooMany {
        /// What is counted.
        what: &'static str,
        /// How many.
        count: usize,
    },
    /// The certificate belongs to another character.
    #[error("the certificate measures {certified} clips, and the character has {clips}: certify it again")]
    Certificate {
        /// Clips that the certificate measures.
        certified: usize,
        /// Clips of the character.
        clips: usize,
    },
    /// The parts make no character.
    #[error(transparent)]
    Character(#[from] sinew::CharacterError),
    /// What is to be written makes no character.
    #[error("{0}")]
    Parts(String),
    /// A clip or skeleton does not fit.
    #[error(transparent)]
    Job(#[from] sinew::JobError),
    /// The written bundle cannot be read back: the character holds values that a bundle may not hold, such as NaN.
    #[error("the character cannot be written: {0}")]
    Invalid(#[from] sinew::BundleError),
    /// It has no roles, and the format is for humanoids.
    #[error("it is not a humanoid: {0}")]
    Humanoid(#[from] sinew_retarget::NotHumanoid),
    /// It cannot be written as XNB.
    #[error(transparent)]
    MonoGame(#[from] MonoGameError),
}

sinew_findings::error_codes! { WriteError {
    Self::TooMany { .. } => "write.too-many", "A count is too large for the format";
    Self::Certificate { .. } => "write.certificate", "The certificate belongs to another character";
    Self::Character(_) => "write.character", "The parts make no character";
    Self::Job(_) => "write.pose", "A clip or skeleton does not fit";
    Self::Humanoid(_) => "write.not-humanoid", "The format is for humanoids, and the character is not one";
    Self::Parts(_) => "write.parts", "What is to be written makes no character";
} passes on {
    Self::Clip(error) => error;
    Self::Texture(error) => error;
    Self::Invalid(error) => error;
    Self::MonoGame(error) => error;
} }

/// The bytes of a bundle. Clips that are not loaded yet are loaded; influences of a mesh without a skin are left out. If `source` is empty, the
/// bundle has no source section. The vertices of skinned meshes are put in the order that suits the CPU; their order before is kept for tools.
pub fn write_bundle(
    character: &Character,
    source: &SourceInfo,
    options: &BundleOptions,
    certificate: Option<&Certificate>,
) -> Result<Vec<u8>, WriteError> {
    write_bundle_from(&Disk, character, source, options, certificate)
}

/// Like [`write_bundle`], with textures read through `files`.
pub fn write_bundle_from(
    files: &dyn Files,
    character: &Character,
    source: &SourceInfo,
    options: &BundleOptions,
    certificate: Option<&Certificate>,
) -> Result<Vec<u8>, WriteError> {
    let (character, source) = &sorted::sorted(character, source)?;
    let mut sections = vec![parts::info(character)?, parts::skeleton(character.skeleton())?];
    let meshes = || character.meshes().iter().enumerate();
    for (index, mesh) in meshes() {
        sections.push(parts::mesh(index, mesh)?);
    }
    for (index, mesh) in meshes() {
        if let Some(skin) = &mesh.skin {
            sections.push(parts::skin(index, mesh, skin)?);
        }
    }
    for (index, mesh) in meshes().filter(|(_, mesh)| !mesh.morphs.is_empty()) {
        sections.push(parts::morphs(index, mesh)?);
    }
    sections.push(parts::materials(character.materials())?);
    for (index, texture) in character.textures().iter().enumerate() {
        sections.push(parts::texture(index, texture, &options.textures.image(texture, files)?)?);
    }
    let clips = (0..character.clips().len()).map(|index| character.clips().get(index));
    let clips = clips.collect::<Result<Vec<_>, _>>()?;
    for (index, (clip, name)) in clips.iter().zip(character.clips().names()).enumerate() {
        sections.push(parts::clip(index, name, clip, character.skeleton())?);
    }
    for (index, clip) in clips.iter().enumerate().filter(|(_, clip)| !clip.events().is_empty()) {
        sections.push(moments::events(index, clip)?);
    }
    for (index, clip) in clips.iter().enumerate().filter(|(_, clip)| !clip.markers().is_empty()) {
        sections.push(moments::markers(index, clip)?);
    }
    sections.extend(moments::travels(character, &clips)?);
    sections.extend(parts::tags(character.clips())?);
    if !character.sockets().is_empty() {
        sections.push(moments::sockets(character.sockets())?);
    }
    if !source.is_unknown() {
        sections.push(parts::source(source)?);
    }
    for (index, order) in source.vertex_order.iter().enumerate().filter(|(_, order)| !order.is_empty()) {
        sections.push(parts::vertex_order(index, order)?);
    }
    if let Some(vrm) = &source.vrm {
        sections.push(vrm::section(vrm)?);
    }
    if let Some(certificate) = certificate {
        if certificate.clips.len() != clips.len() || certificate.origins.len() != clips.len() {
            return Err(WriteError::Certificate { certified: certificate.clips.len(), clips: clips.len() });
        }
        sections.push(parts::certificate(certificate)?);
    }
    let bytes = section::assemble(&sections)?;
    // A clip that was just loaded may not fit the skeleton, a material may hold NaN: the reader checks everything.
    BundleFile::read(bytes.as_slice())?;
    Ok(bytes)
}
