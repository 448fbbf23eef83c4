//! Reading `.sinew` bundles: one file with a whole character, loaded from a byte slice in about the time that copying it takes.
//!
//! Every byte of a bundle is covered by a checksum or must be zero, and everything that it holds is validated before use: a
//! damaged or hostile file gives an error, never a panic and never a wrong pose. `sinew-build` writes bundles;
//! `docs/format.md` describes them byte by byte.

mod certificate;
mod checksum;
mod clip;
mod container;
mod cursor;
mod error;
pub mod layout;
mod material;
mod mesh;
mod skeleton;

pub use certificate::{Certificate, Input, Measure, Origin};
pub use checksum::checksum;
pub use clip::ROOT_MOTIONS;
pub use container::{Section, sections};
pub use error::{BundleError, Place};
pub use material::WRAPS;
pub use skeleton::AXES;

use crate::character::CharacterData;
use crate::{Character, ClipInfo, ClipLibrary, Mesh};
use layout::Kind;

/// What a `.sinew` file holds.
#[derive(Clone, Debug)]
pub struct Bundle {
    /// The character, with all its clips loaded.
    pub character: Character,
    /// How far it is from its sources, if that was measured.
    pub certificate: Option<Certificate>,
}

impl Bundle {
    /// Reads a bundle, or says why it cannot be used. Sections of unknown kinds are verified and skipped.
    pub fn read(bytes: &[u8]) -> Result<Self, BundleError> {
        let sections = Sections(container::sections(bytes)?);
        let info = skeleton::info(sections.one(layout::INFO)?)?;
        let counts = info.counts;
        let data = CharacterData {
            name: info.name,
            skeleton: skeleton::skeleton(sections.one(layout::SKEL)?)?,
            meshes: sections.meshes(counts.meshes)?,
            materials: material::materials(sections.one(layout::MATS)?)?,
            textures: sections
                .numbered(layout::TXTR, counts.textures)?
                .map(material::texture)
                .collect::<Result<_, _>>()?,
            clips: sections.clips(counts.clips)?,
            space: info.space,
        };
        if data.materials.len() != counts.materials as usize {
            let place = Place { kind: layout::MATS, index: 0 };
            let what = format!("it has {} materials, not {}", data.materials.len(), counts.materials);
            return Err(BundleError::Content { place, what });
        }
        let certificate = sections.optional(layout::CERT)?.map(certificate::certificate).transpose()?;
        if certificate.as_ref().is_some_and(|c| c.clips.len() != data.clips.len()) {
            let place = Place { kind: layout::CERT, index: 0 };
            let what = "it does not measure as many clips as there are".to_owned();
            return Err(BundleError::Content { place, what });
        }
        Ok(Self { character: Character::new(data)?, certificate })
    }
}

struct Sections<'a>(Vec<Section<'a>>);

impl<'a> Sections<'a> {
    fn of(&self, kind: Kind) -> impl Iterator<Item = Section<'a>> + Clone {
        self.0.iter().copied().filter(move |s| s.kind == kind)
    }

    /// The only section of a kind, if there is one.
    fn optional(&self, kind: Kind) -> Result<Option<Section<'a>>, BundleError> {
        let found = self.of(kind).count();
        match self.of(kind).next() {
            Some(section) if found == 1 && section.index == 0 => Ok(Some(section)),
            None => Ok(None),
            Some(_) => Err(BundleError::Sections { kind, expected: 1, found }),
        }
    }

    fn one(&self, kind: Kind) -> Result<Section<'a>, BundleError> {
        self.optional(kind)?.ok_or(BundleError::Sections { kind, expected: 1, found: 0 })
    }

    /// Sections numbered from zero, as many as there must be.
    fn numbered(&self, kind: Kind, count: u32) -> Result<impl Iterator<Item = Section<'a>>, BundleError> {
        let all = self.of(kind);
        if !all.clone().map(|s| s.index).eq(0..count) {
            return Err(BundleError::Sections { kind, expected: count, found: all.count() });
        }
        Ok(all)
    }

    /// Sections that belong to some of those numbered up to `count`.
    fn belonging(&self, kind: Kind, count: usize) -> Result<impl Iterator<Item = Section<'a>>, BundleError> {
        let all = self.of(kind);
        let indices = all.clone().map(|s| s.index);
        if !indices.clone().is_sorted_by(|a, b| a < b) || indices.last().is_some_and(|i| i as usize >= count)
        {
            let what = "there is nothing of its index that it could belong to, or it occurs twice".to_owned();
            let index = all.last().map_or(0, |s| s.index);
            return Err(BundleError::Content { place: Place { kind, index }, what });
        }
        Ok(all)
    }

    fn meshes(&self, count: u32) -> Result<Vec<Mesh>, BundleError> {
        let meshes = self.numbered(layout::MESH, count)?.map(mesh::mesh);
        let mut meshes = meshes.collect::<Result<Vec<_>, _>>()?;
        for section in self.belonging(layout::SKIN, meshes.len())? {
            if let Some(mesh) = meshes.get_mut(section.index as usize) {
                let (skin, influences) = mesh::skin(section, mesh.vertex_count())?;
                mesh.skin = Some(skin);
                mesh.influences = influences;
            }
        }
        for section in self.belonging(layout::MRPH, meshes.len())? {
            if let Some(mesh) = meshes.get_mut(section.index as usize) {
                mesh.morphs = mesh::morphs(section)?;
            }
        }
        Ok(meshes)
    }

    fn clips(&self, count: u32) -> Result<ClipLibrary, BundleError> {
        let mut events = self.belonging(layout::EVTS, count as usize)?.peekable();
        let tags = self.optional(layout::TAGS)?.map(clip::tags).transpose()?;
        if tags.as_ref().is_some_and(|tags| tags.len() != count as usize) {
            let place = Place { kind: layout::TAGS, index: 0 };
            let what = "it does not know as many clips as there are".to_owned();
            return Err(BundleError::Content { place, what });
        }
        let mut tags = tags.into_iter().flatten();
        let mut library = ClipLibrary::default();
        for section in self.numbered(layout::CLIP, count)? {
            let mut clip = clip::clip(section)?;
            if let Some(section) = events.next_if(|e| e.index == section.index) {
                clip = clip::events(section, clip)?;
            }
            let info = ClipInfo { name: clip.name().to_owned(), ..tags.next().unwrap_or_default() };
            library.add_with(info, clip);
        }
        Ok(library)
    }
}
