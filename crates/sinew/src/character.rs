//! A rigged character: everything that all its instances share.

use crate::mesh::MeshError;
use crate::palette::PaletteLayout;
use crate::{Aabb, Clip, ClipLibrary, ClipLookupError, Material, Mesh, Skeleton, Socket, Texture, bounds};
use glam::Vec3;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// One of the six directions along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Axis {
    PlusX,
    MinusX,
    #[default]
    PlusY,
    MinusY,
    PlusZ,
    MinusZ,
}

impl Axis {
    /// As text: `+Y`.
    pub fn name(self) -> &'static str {
        match self {
            Self::PlusX => "+X",
            Self::MinusX => "-X",
            Self::PlusY => "+Y",
            Self::MinusY => "-Y",
            Self::PlusZ => "+Z",
            Self::MinusZ => "-Z",
        }
    }
}

impl From<Axis> for Vec3 {
    fn from(axis: Axis) -> Self {
        match axis {
            Axis::PlusX => Self::X,
            Axis::MinusX => Self::NEG_X,
            Axis::PlusY => Self::Y,
            Axis::MinusY => Self::NEG_Y,
            Axis::PlusZ => Self::Z,
            Axis::MinusZ => Self::NEG_Z,
        }
    }
}

/// The space that a character's data is in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Space {
    /// Whether it was converted: right-handed, +Y up, metres. Else it is as in the source.
    pub canonical: bool,
    /// Which way is up.
    pub up: Axis,
    /// Length of one unit in metres.
    pub unit_meters: f32,
}

impl Space {
    /// Right-handed, +Y up, metres.
    pub const CANONICAL: Self = Self { canonical: true, up: Axis::PlusY, unit_meters: 1.0 };
}

/// What a character is made of, before it is checked.
#[derive(Clone, Debug)]
pub struct CharacterData {
    /// Name, usually the source file's.
    pub name: String,
    /// Joints and scalars.
    pub skeleton: Skeleton,
    /// What is drawn.
    pub meshes: Vec<Mesh>,
    /// Surfaces that meshes refer to.
    pub materials: Vec<Material>,
    /// Pictures that materials refer to.
    pub textures: Vec<Texture>,
    /// Clips.
    pub clips: ClipLibrary,
    /// Space of all of it.
    pub space: Space,
}

/// Why a character was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CharacterError {
    /// A mesh is wrong.
    #[error("mesh {index} `{name}`: {error}")]
    Mesh {
        /// Index of the mesh.
        index: usize,
        /// Its name.
        name: String,
        /// What is wrong.
        error: MeshError,
    },
    /// A material refers to a texture index out of range.
    #[error("material `{material}` refers to texture {texture}, but there are only {count}")]
    Texture {
        /// Name of the material.
        material: String,
        /// Index that it refers to.
        texture: usize,
        /// How many there are.
        count: usize,
    },
    /// A clip moves joints or scalars that the skeleton does not have.
    #[error("clip `{clip}` does not fit the skeleton: {error}")]
    Clip {
        /// Name of the clip.
        clip: String,
        /// What does not fit.
        error: crate::JobError,
    },
    /// A socket lies on a joint that the skeleton does not have, or has a name that another has too.
    #[error("socket `{socket}`: {what}")]
    Socket {
        /// Name of the socket.
        socket: String,
        /// What is wrong.
        what: &'static str,
    },
}

/// Skeleton, meshes, materials and clips, checked and never written again: share it as `Arc<Character>`.
///
/// Adding clips makes a new `Character` that shares everything else with the old one.
///
/// ```
/// # fn demo(character: std::sync::Arc<sinew::Character>) -> Result<(), Box<dyn std::error::Error>> {
/// println!("{}: {} joints, {} clips", character.name(), character.skeleton().len(), character.clips().len());
/// let walk = character.find_clip("Walk")?;    // by name, tag or number
/// # let _ = walk;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Character {
    name: String,
    skeleton: Arc<Skeleton>,
    meshes: Arc<[Mesh]>,
    palette: Arc<PaletteLayout>,
    materials: Arc<[Material]>,
    textures: Arc<[Texture]>,
    clips: ClipLibrary,
    sockets: Arc<[Socket]>,
    space: Space,
    /// Found when it is first asked for: that skins every vertex.
    rest_bounds: OnceLock<Aabb>,
}

impl Character {
    /// Checks that every index is in range and every number is finite.
    pub fn new(data: CharacterData) -> Result<Self, CharacterError> {
        check_meshes(&data.meshes, &data.skeleton, data.materials.len())?;
        check_textures(&data.materials, data.textures.len())?;
        check_clips(&data.clips, data.skeleton.len(), data.skeleton.scalar_names().len())?;
        Ok(Self {
            name: data.name,
            skeleton: Arc::new(data.skeleton),
            palette: Arc::new(PaletteLayout::new(&data.meshes)),
            meshes: data.meshes.into(),
            materials: data.materials.into(),
            // No textures are no allocation.
            textures: if data.textures.is_empty() { Arc::default() } else { data.textures.into() },
            clips: data.clips,
            sockets: Arc::default(),
            space: data.space,
            rest_bounds: OnceLock::new(),
        })
    }

    /// The same character with another set of clips; everything else is shared.
    pub fn with_clips(&self, clips: ClipLibrary) -> Result<Self, CharacterError> {
        check_clips(&clips, self.skeleton.len(), self.skeleton.scalar_names().len())?;
        Ok(Self { clips, ..self.clone() })
    }

    /// The same character with other meshes; everything else is shared.
    pub fn with_meshes(&self, meshes: Vec<Mesh>) -> Result<Self, CharacterError> {
        check_meshes(&meshes, &self.skeleton, self.materials.len())?;
        let palette = Arc::new(PaletteLayout::new(&meshes));
        Ok(Self { palette, meshes: meshes.into(), rest_bounds: OnceLock::new(), ..self.clone() })
    }

    /// The same character with other textures; everything else is shared.
    pub fn with_textures(&self, textures: Vec<Texture>) -> Result<Self, CharacterError> {
        check_textures(&self.materials, textures.len())?;
        Ok(Self { textures: textures.into(), ..self.clone() })
    }

    /// The same character with other sockets; everything else is shared.
    pub fn with_sockets(&self, sockets: Vec<Socket>) -> Result<Self, CharacterError> {
        let mut names = HashSet::with_capacity(sockets.len());
        for socket in &sockets {
            let wrong = |what| Err(CharacterError::Socket { socket: socket.name.clone(), what });
            if usize::from(socket.joint) >= self.skeleton.len() {
                return wrong("there is no such joint");
            }
            let turn = socket.offset.rotation.length_squared();
            if !socket.offset.is_finite() || (turn - 1.0).abs() > 1e-3 {
                return wrong("its offset is not finite, or its rotation is not a unit quaternion");
            }
            if !names.insert(socket.name.as_str()) {
                return wrong("another socket has that name");
            }
        }
        Ok(Self { sockets: sockets.into(), ..self.clone() })
    }

    /// The same character under another name; everything else is shared.
    pub fn with_name(&self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self.clone() }
    }

    /// Name, usually the source file's.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Joints and scalars.
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        &self.skeleton
    }

    /// What is drawn.
    pub fn meshes(&self) -> &[Mesh] {
        &self.meshes
    }

    /// Number of skin matrices of an [`Instance`](crate::Instance). Meshes with equal skins, and rigid meshes on the same joint, share theirs.
    pub fn palette_len(&self) -> usize {
        self.palette.len()
    }

    /// Which skin matrices of an instance's palette a mesh uses. Empty if there is no such mesh.
    pub fn palette_range(&self, mesh: usize) -> Range<usize> {
        self.palette.range(mesh).unwrap_or(0..0)
    }

    pub(crate) fn palette_layout(&self) -> &PaletteLayout {
        &self.palette
    }

    /// Surfaces.
    pub fn materials(&self) -> &[Material] {
        &self.materials
    }

    /// Pictures.
    pub fn textures(&self) -> &[Texture] {
        &self.textures
    }

    /// Clips.
    pub fn clips(&self) -> &ClipLibrary {
        &self.clips
    }

    /// A clip as users write it: by its number (`#0`), its name here or in its source, or its tag (`Idle`). Where there is none, the
    /// error says what there is.
    pub fn find_clip(&self, wanted: &str) -> Result<usize, ClipLookupError> {
        self.clips.lookup(wanted, &self.name)
    }

    /// The box around all vertices at rest; without vertices, around the joints. Skins every vertex when it is first asked for.
    pub fn rest_bounds(&self) -> Aabb {
        *self.rest_bounds.get_or_init(|| bounds::rest_bounds(&self.skeleton, &self.meshes))
    }

    /// Size at rest, the length that errors are relative to: see [`bounds::rest_size`]. Skins every vertex when it is first asked for.
    pub fn size(&self) -> f32 {
        bounds::size_of(&self.rest_bounds())
    }

    /// Places where things are attached.
    pub fn sockets(&self) -> &[Socket] {
        &self.sockets
    }

    /// A socket by name.
    pub fn socket(&self, name: &str) -> Option<&Socket> {
        self.sockets.iter().find(|socket| socket.name == name)
    }

    /// Space that the data is in.
    pub fn space(&self) -> Space {
        self.space
    }
}

fn check_meshes(meshes: &[Mesh], skeleton: &Skeleton, materials: usize) -> Result<(), CharacterError> {
    let (joints, scalars) = (skeleton.len(), skeleton.scalar_names().len());
    meshes.iter().enumerate().try_for_each(|(index, mesh)| {
        let wrong = |error| CharacterError::Mesh { index, name: mesh.name.to_string(), error };
        mesh.validate(joints, scalars, materials).map_err(wrong)
    })
}

fn check_textures(materials: &[Material], count: usize) -> Result<(), CharacterError> {
    materials.iter().try_for_each(|material| {
        let mut indices = material.textures().into_iter().flatten().map(|texture| texture.texture);
        let stray = indices.find(|&texture| texture >= count);
        let wrong = |texture| CharacterError::Texture { material: material.name.to_string(), texture, count };
        stray.map_or(Ok(()), |texture| Err(wrong(texture)))
    })
}

fn check_clips(clips: &ClipLibrary, joints: usize, scalars: usize) -> Result<(), CharacterError> {
    let wrong = |clip: &Arc<Clip>| {
        clip.fits(joints, scalars)
            .map_err(|error| CharacterError::Clip { clip: clip.name().to_owned(), error })
    };
    clips.ready().try_for_each(|clip| wrong(&clip))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_meshes_have_other_bounds() {
        let rigid = |corner: Vec3| Mesh { positions: [Vec3::ZERO, corner].into(), ..Mesh::new("rigid") };
        let character = Character::new(CharacterData {
            name: "box".into(),
            skeleton: Skeleton::new(vec![], vec![]).unwrap(),
            meshes: vec![rigid(Vec3::X)],
            materials: vec![],
            textures: vec![],
            clips: ClipLibrary::default(),
            space: Space::CANONICAL,
        })
        .unwrap();
        assert_eq!((character.rest_bounds().max, character.size()), (Vec3::X, 1.0));
        let other = character.with_meshes(vec![rigid(Vec3::Y * 2.0)]).unwrap();
        assert_eq!((other.rest_bounds().max, other.size()), (Vec3::Y * 2.0, 2.0));
        assert_eq!(other.with_name("same").rest_bounds(), other.rest_bounds());
    }
}
