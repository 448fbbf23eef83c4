//! Writing any character as XNB files for MonoGame, FNA and XNA: a model, its textures, and clips in its tag or in files of their own.
//!
//! Where a model requires another structure, the result looks the same: several roots get one, a joint with two different inverse binds gets a
//! bone for the second, missing normals and texture coordinates are made, front faces become clockwise, colours are multiplied by alpha, and meshes
//! with more bones than `SkinnedEffect` takes are split. Whatever a model cannot hold is reported as a finding.

mod bones;
mod clips;
mod error;
mod geometry;
mod keys;
mod options;
mod surfaces;

pub use error::MonoGameError;
pub use options::{
    ClipFiles, MonoGameOptions, Over72, PlatformSetting, ProfileSetting, Rate, SkinningVersion,
};

use crate::bundle::WriteError;
use crate::project::OutputFile;
use crate::textures::Textures;
use crate::vrm;
use bones::{Bones, matrix};
use sinew::{Character, Finding};
use sinew_files::{Disk, Files};
use sinew_findings::catalogue::build::MONOGAME_VRM_LEFT_OUT;
use sinew_import::SourceInfo;
use sinew_xnb::{Asset, Bone, IndexBuffer, Model, Platform, Profile, Shared, Tag, WriteOptions};
use surfaces::Surfaces;

/// A character as XNB files.
#[derive(Clone, Debug)]
pub struct MonoGame {
    /// Textures and clips, then the model, which refers to them.
    pub files: Vec<OutputFile>,
    /// Reports what XNB cannot hold.
    pub findings: Vec<Finding>,
}

/// The XNB files of a character, of which the model is called `name`, as in `hero.xnb`: the same for the same character. Clips that are not loaded
/// yet are loaded. Unless textures are omitted, they are written beside the model.
pub fn write_monogame(
    name: &str,
    character: &Character,
    source: &SourceInfo,
    textures: &Textures,
    options: &MonoGameOptions,
) -> Result<MonoGame, WriteError> {
    write_monogame_from(&Disk, name, character, source, textures, options)
}

/// Like [`write_monogame`], with pictures read through `files`.
pub fn write_monogame_from(
    files: &dyn Files,
    name: &str,
    character: &Character,
    source: &SourceInfo,
    textures: &Textures,
    options: &MonoGameOptions,
) -> Result<MonoGame, WriteError> {
    check_reader(&options.reader)?;
    let folder = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let mut findings: Vec<Finding> = vrm::left_out(&MONOGAME_VRM_LEFT_OUT, source).into_iter().collect();
    for clip in 0..character.clips().len() {
        character.clips().get(clip)?;
    }
    let mut bones = Bones::new(character);
    bones.reduce(options.version, options.over_72, &mut findings)?;
    let mut geometry = geometry::write(character, &bones, &mut findings);
    let mut surfaces = Surfaces::new(character, textures, files, folder);
    surfaces.apply(&mut geometry, &mut findings);
    let tables = std::mem::take(&mut geometry.tables);
    let clips = clips::write(character, &bones, tables, folder, options, &mut findings)?;
    let profile = profile(options.profile, &geometry, &surfaces)?;
    let platform = match options.platform {
        PlatformSetting::Desktopgl => Platform::DESKTOP_GL,
        PlatformSetting::Windows => Platform::WINDOWS,
    };
    let how = WriteOptions { platform, profile, skinning_reader: &options.reader };
    let file = |asset: &str, content: &Asset| -> Result<OutputFile, WriteError> {
        let bytes = sinew_xnb::write(content, &how).map_err(MonoGameError::from)?;
        Ok(OutputFile { name: format!("{asset}.xnb"), bytes })
    };
    let mut out = Vec::new();
    for texture in &surfaces.written {
        let content = texture.texture(profile == Profile::Reach, &mut findings);
        out.push(file(&texture.asset, &Asset::Texture(content))?);
    }
    for (asset, clip) in clips.files {
        out.push(file(&asset, &Asset::Skinning(clip))?);
    }
    let moves = character.meshes().iter().any(|mesh| mesh.skin.is_some()) || !character.clips().is_empty();
    let tag = if moves { Tag::Skinning(clips.tag) } else { Tag::None };
    let model =
        Model { bones: model_bones(&bones), meshes: geometry.meshes, root: 0, tag, shared: geometry.shared };
    out.push(OutputFile { name: name.to_owned(), ..file(folder, &Asset::Model(model))? });
    Ok(MonoGame { files: out, findings })
}

/// Bones of the model: the same as those of the skinning data, in the same order.
fn model_bones(bones: &Bones) -> Vec<Bone> {
    let list = bones.bones.iter();
    let mut out: Vec<Bone> = list
        .map(|bone| Bone {
            name: bone.name.clone(),
            transform: matrix(&bone.rest.to_affine()),
            parent: bone.parent,
            children: vec![],
        })
        .collect();
    for (index, bone) in bones.bones.iter().enumerate() {
        if let Some(parent) = bone.parent {
            out[parent].children.push(index as u32);
        }
    }
    out
}

/// A type and its assembly, neither empty.
fn check_reader(reader: &str) -> Result<(), MonoGameError> {
    match reader.split_once(',') {
        Some((name, assembly)) if !name.trim().is_empty() && !assembly.trim().is_empty() => Ok(()),
        _ => Err(MonoGameError::Reader { reader: reader.to_owned() }),
    }
}

/// Reach if it was asked for or everything fits.
fn profile(
    setting: ProfileSetting,
    geometry: &geometry::Written,
    surfaces: &Surfaces<'_>,
) -> Result<Profile, MonoGameError> {
    let is_long = |shared: &Shared| matches!(shared, Shared::Indices(IndexBuffer { short: false, .. }));
    let long = geometry.shared.iter().any(is_long);
    match setting {
        ProfileSetting::Hidef => Ok(Profile::HiDef),
        ProfileSetting::Reach if long => {
            let what = format!("a part has more than {} vertices", geometry::SHORT);
            Err(MonoGameError::Reach { what })
        }
        ProfileSetting::Reach => Ok(Profile::Reach),
        ProfileSetting::Auto if long || !surfaces.written.iter().all(|t| t.fits_reach()) => {
            Ok(Profile::HiDef)
        }
        ProfileSetting::Auto => Ok(Profile::Reach),
    }
}
