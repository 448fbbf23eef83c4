//! Reading `.sinew` bundles: one file with a whole character, loaded from a byte slice in about the time that copying it takes.
//!
//! Every byte of a bundle is covered by a checksum or must be zero, and everything that it holds is validated before use: a
//! damaged or hostile file gives an error, never a panic and never a wrong pose. `sinew-build` writes bundles;
//! `docs/format.md` describes them byte by byte.

// Reading a file must never panic.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::unreachable,
        clippy::indexing_slicing
    )
)]

mod checksum;
pub(crate) mod clip;
mod container;
pub(crate) mod cursor;
mod error;
pub(crate) mod layout;
mod material;
mod mesh;
mod places;
mod skeleton;

pub use error::{BundleError, Place};

/// The file layer: sections and records, for those who write bundles and for tools, which read sections that a game skips. A game needs
/// [`Bundle::read`] alone.
pub mod file {
    pub use super::Sections;
    pub use super::checksum::checksum;
    pub use super::clip::{FIRES, ROOT_MOTIONS};
    pub use super::container::Section;
    pub use super::cursor::Cursor;
    pub use super::layout::*;
    pub use super::material::{MAG_FILTERS, MIN_FILTERS, WRAPS};
    pub use super::skeleton::AXES;
    pub use crate::frames::decode_clip;
}

use crate::character::CharacterData;
use crate::root_motion::Stated;
use crate::{Bytes, Character, ClipInfo, ClipLibrary, Mesh, Skeleton, Travel};
use checksum::checksum;
use container::Section;
use glam::Vec3;
use layout::SectionId;
use std::f32::consts::TAU;

/// What a game takes from a `.sinew` file. What the file says about its sources is for tools: `sinew_import::bundle` reads that.
///
/// ```no_run
/// let bytes = std::fs::read("build/hero.sinew")?;
/// let character = std::sync::Arc::new(sinew::Bundle::read(bytes)?.character);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Bundle {
    /// The character, with all its clips loaded.
    pub character: Character,
}

impl Bundle {
    /// Reads a bundle, or says why it cannot be used. Sections for tools and those with unknown ids are verified and skipped. Compiled clips stay in
    /// the bytes, which live as long as they are used.
    pub fn read(bytes: impl Into<Bytes>) -> Result<Self, BundleError> {
        let bytes = bytes.into();
        Self::from_sections(&Sections::read(&bytes)?, &bytes)
    }

    /// The same for a file whose sections are listed already.
    pub fn from_sections(sections: &Sections<'_>, file: &Bytes) -> Result<Self, BundleError> {
        let info = skeleton::info(sections.one(layout::INFO)?)?;
        let counts = info.counts;
        let skeleton = skeleton::skeleton(sections.one(layout::SKEL)?, file)?;
        let data = CharacterData {
            name: info.name,
            meshes: sections.meshes(counts.meshes, file)?,
            materials: material::materials(sections.one(layout::MATS)?, file)?,
            textures: sections
                .numbered(layout::TXTR, counts.textures)?
                .map(|section| material::texture(section, file))
                .collect::<Result<_, _>>()?,
            clips: sections.clips(counts.clips, &skeleton, info.space.up.into(), file)?,
            skeleton,
            space: info.space,
        };
        if data.materials.len() != counts.materials as usize {
            let place = Place { id: layout::MATS, index: 0 };
            let what = format!("it has {} materials, not {}", data.materials.len(), counts.materials);
            return Err(BundleError::Content { place, what });
        }
        let character = Character::new(data)?;
        let sockets = sections.optional(layout::SOCK)?.map(places::sockets).transpose()?;
        Ok(Self {
            character: match sockets {
                Some(sockets) => character.with_sockets(sockets)?,
                None => character,
            },
        })
    }
}

/// The sections of a bundle, in the order of the file.
#[derive(Clone, Debug)]
pub struct Sections<'a>(Vec<Section<'a>>);

impl<'a> Sections<'a> {
    /// Verifies the outer form of a bundle: magic, version, lengths, every checksum, every padding byte.
    pub fn read(bytes: &'a [u8]) -> Result<Self, BundleError> {
        container::sections(bytes).map(Self)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = Section<'a>> {
        self.0.iter().copied()
    }

    fn of(&self, id: SectionId) -> impl Iterator<Item = Section<'a>> + Clone {
        self.0.iter().copied().filter(move |s| s.id == id)
    }

    /// The only section with an id, if there is one.
    pub fn optional(&self, id: SectionId) -> Result<Option<Section<'a>>, BundleError> {
        let found = self.of(id).count();
        match self.of(id).next() {
            Some(section) if found == 1 && section.index == 0 => Ok(Some(section)),
            None => Ok(None),
            Some(_) => Err(BundleError::Sections { id, expected: 1, found }),
        }
    }

    fn one(&self, id: SectionId) -> Result<Section<'a>, BundleError> {
        self.optional(id)?.ok_or(BundleError::Sections { id, expected: 1, found: 0 })
    }

    /// Sections numbered from zero, as many as there must be.
    fn numbered(
        &self,
        id: SectionId,
        count: u32,
    ) -> Result<impl Iterator<Item = Section<'a>> + Clone, BundleError> {
        let all = self.of(id);
        if !all.clone().map(|s| s.index).eq(0..count) {
            return Err(BundleError::Sections { id, expected: count, found: all.count() });
        }
        Ok(all)
    }

    /// Sections that belong to some of those numbered up to `count`.
    pub fn belonging(
        &self,
        id: SectionId,
        count: usize,
    ) -> Result<impl Iterator<Item = Section<'a>>, BundleError> {
        let all = self.of(id);
        let indices = all.clone().map(|s| s.index);
        if !indices.clone().is_sorted_by(|a, b| a < b) || indices.last().is_some_and(|i| i as usize >= count)
        {
            let what = "its index is out of range, or it occurs twice".to_owned();
            let index = all.last().map_or(0, |s| s.index);
            return Err(BundleError::Content { place: Place { id, index }, what });
        }
        Ok(all)
    }

    fn meshes(&self, count: u32, file: &Bytes) -> Result<Vec<Mesh>, BundleError> {
        let meshes = self.numbered(layout::MESH, count)?.map(|section| mesh::mesh(section, file));
        let mut meshes = meshes.collect::<Result<Vec<_>, _>>()?;
        for section in self.belonging(layout::SKIN, meshes.len())? {
            if let Some(mesh) = meshes.get_mut(section.index as usize) {
                let (skin, influences) = mesh::skin(section, file, mesh.vertex_count())?;
                mesh.skin = Some(skin);
                mesh.influences = influences;
            }
        }
        for section in self.belonging(layout::MRPH, meshes.len())? {
            if let Some(mesh) = meshes.get_mut(section.index as usize) {
                mesh.morphs = mesh::morphs(section, file)?;
            }
        }
        Ok(meshes)
    }

    fn clips(
        &self,
        count: u32,
        skeleton: &Skeleton,
        up: Vec3,
        file: &Bytes,
    ) -> Result<ClipLibrary, BundleError> {
        let mut events = self.belonging(layout::EVTS, count as usize)?.peekable();
        let mut markers = self.belonging(layout::MRKS, count as usize)?.peekable();
        let tags =
            self.optional(layout::TAGS)?.map(|section| clip::tags(section, count, file)).transpose()?;
        let travels = self.optional(layout::TRVL)?.map(|s| places::travels(s, count, skeleton.len()));
        let grounds = self.optional(layout::GRND)?.map(|section| places::grounds(section, count));
        let mut tags = tags.into_iter().flatten();
        let mut travels = travels.transpose()?.into_iter().flatten();
        let mut grounds = grounds.transpose()?.into_iter().flatten();
        let sections = self.numbered(layout::CLIP, count)?;
        let mut library = ClipLibrary::with_capacity(sections.clone().count());
        for section in sections {
            let mut clip = clip::clip(section, skeleton, file)?;
            if let Some(section) = events.next_if(|e| e.index == section.index) {
                clip = clip::events(section, clip)?;
            }
            if let Some(section) = markers.next_if(|m| m.index == section.index) {
                clip = clip::markers(section, clip)?;
            }
            let ground = grounds.next().unwrap_or_default();
            let place = section.place();
            clip = clip
                .with_ground_velocity(ground.velocity.into())
                .map_err(|error| BundleError::Clip { place, error })?;
            let travel = travels.next().flatten().map(|stated| {
                let turn = stated.turn + TAU * ground.turns as f32;
                Travel::stated(&clip, skeleton, up, Stated { turn, ..stated })
            });
            let info = ClipInfo { name: clip.text().clone(), ..tags.next().unwrap_or_default() };
            library.add_measured(info, clip, travel);
        }
        Ok(library)
    }
}
