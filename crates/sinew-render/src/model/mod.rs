//! A character on the device: what its instances share.

mod surfaces;
mod upload;

use crate::pipelines::{Alpha, Deform, Features, Layouts};
use crate::texture::TextureCache;
use crate::{Gpu, RenderError};
use sinew::bounds::JointBounds;
use sinew::glam::{Affine3, Quat, Vec3};
use sinew::skinning::SkinnedVertices;
use sinew::{Aabb, Character, Finding, Instance, Mesh};
use std::collections::HashMap;
use std::sync::Arc;
use surfaces::{Surfaces, normal_map_set};
pub(crate) use upload::MeshOnGpu;

/// A character on the device. Cheap to clone; clones share it.
#[derive(Clone, Debug)]
pub struct Model(pub(crate) Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) character: Arc<Character>,
    pub(crate) meshes: Vec<MeshOnGpu>,
    /// In drawing order.
    pub(crate) parts: Vec<PartOnGpu>,
    /// Zeros, as many as the largest mesh has vertices.
    pub(crate) no_paint: wgpu::Buffer,
    pub(crate) bounds: Vec<JointBounds>,
    /// Range of each scalar that the bounds cover.
    pub(crate) ranges: Vec<(f32, f32)>,
    /// From the character's space to picture space, in which +Y is up.
    pub(crate) upright: Affine3,
    rest: Aabb,
    findings: Vec<Finding>,
    /// Keeps the textures in the cache, which holds weak references.
    #[expect(dead_code, reason = "held, not read")]
    textures: Vec<Arc<wgpu::TextureView>>,
}

/// Triangles of one material.
#[derive(Debug)]
pub(crate) struct PartOnGpu {
    pub(crate) mesh: usize,
    pub(crate) indices: std::ops::Range<u32>,
    pub(crate) alpha: Alpha,
    pub(crate) features: Features,
    pub(crate) two_sided: bool,
    pub(crate) material: wgpu::BindGroup,
    layer: u32,
}

impl Model {
    pub(crate) fn new(
        gpu: &Gpu,
        layouts: &Layouts,
        textures: &mut TextureCache,
        character: &Character,
    ) -> Result<Self, RenderError> {
        let character = &Arc::new(character.clone());
        let upload = |mesh| MeshOnGpu::new(gpu, mesh, normal_map_set(character, mesh));
        let meshes = character.meshes().iter().map(upload);
        let meshes = meshes.collect::<Result<Vec<_>, _>>()?;
        let upright = upright(character.space().up.into());
        let rest = rest_shape(character, &upright)?;
        let bounds = rest.iter().map(SkinnedVertices::bounds).fold(Aabb::EMPTY, Aabb::union);
        let mut surfaces = Surfaces {
            gpu,
            layouts,
            textures,
            character,
            findings: Vec::new(),
            made: HashMap::new(),
            used: Vec::new(),
        };
        let parts = surfaces.parts(&meshes, &rest, bounds.diagonal())?;
        let (findings, textures) = (surfaces.findings, surfaces.used);
        let longest = meshes.iter().map(|mesh| mesh.vertices as usize).max().unwrap_or(0);
        let ranges = scalar_ranges(character);
        Ok(Self(Arc::new(Inner {
            no_paint: gpu.buffer_of("no paint", &vec![0f32; longest], wgpu::BufferUsages::VERTEX)?,
            bounds: character.meshes().iter().map(|mesh| JointBounds::of(mesh, &ranges)).collect(),
            character: Arc::clone(character),
            meshes,
            parts,
            ranges,
            upright,
            rest: bounds,
            findings,
            textures,
        })))
    }

    /// The character.
    pub fn character(&self) -> &Arc<Character> {
        &self.0.character
    }

    /// From the character's space to picture space, in which +Y is up; identity for most characters.
    pub fn upright(&self) -> Affine3 {
        self.0.upright
    }

    /// Bounding box of the rest pose, in picture space.
    pub fn rest_bounds(&self) -> Aabb {
        self.0.rest
    }

    /// Textures that could not be loaded.
    pub fn findings(&self) -> &[Finding] {
        &self.0.findings
    }

    /// Number of triangles.
    pub fn triangle_count(&self) -> usize {
        self.0.parts.iter().map(|part| part.indices.len() / 3).sum()
    }

    /// A mesh as it is drawn: with normals, and where a normal map needs them with tangents, even if the source has none. It may have more
    /// vertices than the source.
    ///
    /// # Panics
    ///
    /// If the character has no such mesh.
    pub fn mesh(&self, index: usize) -> &Mesh {
        self.0.meshes[index].completed.as_ref().unwrap_or(&self.0.character.meshes()[index])
    }
}

impl PartOnGpu {
    /// Opaque, then alpha-tested, then blended parts; each by layer.
    fn rank(&self) -> (u8, u32) {
        (self.alpha as u8, self.layer)
    }
}

/// The rotation from an up axis to +Y. [`Model::upright`] is that of the character's up axis.
pub fn upright(up: Vec3) -> Affine3 {
    // In files with Z up the figure faces -Y; this rotation makes it face +Z.
    let turn = if up == Vec3::Z {
        Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2)
    } else {
        Quat::from_rotation_arc(up, Vec3::Y)
    };
    Affine3::from_quat(turn)
}

/// All meshes in the rest pose, in picture space.
fn rest_shape(character: &Arc<Character>, upright: &Affine3) -> Result<Vec<SkinnedVertices>, RenderError> {
    let mut rest = Instance::new(Arc::clone(character));
    rest.set_root(*upright);
    rest.finish()?;
    let shape = |(number, mesh): (usize, &Mesh)| {
        let mut shape = SkinnedVertices { positions: mesh.positions.to_vec(), ..SkinnedVertices::default() };
        shape.skin(mesh, rest.skin_matrices(number), rest.pose().scalars()).map(|()| shape)
    };
    Ok(character.meshes().iter().enumerate().map(shape).collect::<Result<_, _>>()?)
}

/// Range of each scalar: 0 to 1 for morph weights, extended by the rest value and by the values in loaded clips.
fn scalar_ranges(character: &Character) -> Vec<(f32, f32)> {
    let rest = character.skeleton().rest().scalars();
    let mut ranges: Vec<_> = rest.iter().map(|&rest| (rest.min(0.0), rest.max(1.0))).collect();
    for clip in character.clips().ready() {
        for (scalar, range) in (0u16..).zip(&mut ranges) {
            if let Some((low, high)) = clip.scalar_range(scalar) {
                *range = (range.0.min(low), range.1.max(high));
            }
        }
    }
    ranges
}

impl MeshOnGpu {
    /// The shader variant of GPU skinning.
    pub(crate) fn deform(&self) -> Deform {
        if self.influences_per_vertex == 8 { Deform::Eight } else { Deform::Four }
    }
}
