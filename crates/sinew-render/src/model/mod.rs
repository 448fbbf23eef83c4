//! A character on the device: what its instances share.

mod upload;

use crate::layers::{self, LIFT, Patch};
use crate::pipelines::{Alpha, Deform, Layouts};
use crate::texture::TextureCache;
use crate::{Gpu, RenderError};
use sinew::bounds::JointBounds;
use sinew::glam::{Affine3, Quat, Vec3, Vec4};
use sinew::skinning::SkinnedVertices;
use sinew::{Aabb, AlphaMode, Character, Finding, Instance, Material, Mesh, Sampler};
use sinew_findings::catalogue::render::TEXTURE_NOT_SHOWN;
use std::collections::HashMap;
use std::sync::Arc;
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
    pub(crate) two_sided: bool,
    pub(crate) material: wgpu::BindGroup,
    layer: u32,
}

/// Laid out as `Material` in `mesh.wgsl`.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct MaterialUniform {
    color: [f32; 4],
    cutoff: f32,
    unlit: u32,
    two_sided: u32,
    lift: f32,
}

impl Model {
    pub(crate) fn new(
        gpu: &Gpu,
        layouts: &Layouts,
        textures: &mut TextureCache,
        character: &Character,
    ) -> Result<Self, RenderError> {
        let character = &Arc::new(character.clone());
        let meshes = character.meshes().iter().map(|mesh| MeshOnGpu::new(gpu, mesh));
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
        let parts = surfaces.parts(&rest, bounds.diagonal())?;
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

    /// A mesh as it is drawn: with normals, even if the source has none.
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
        let mut shape = SkinnedVertices { positions: mesh.positions.clone(), ..SkinnedVertices::default() };
        shape.skin(mesh, rest.skin_matrices(number), rest.pose().scalars()).map(|()| shape)
    };
    Ok(character.meshes().iter().enumerate().map(shape).collect::<Result<_, _>>()?)
}

/// Range of each scalar: 0 to 1 for morph weights, extended by the rest value and by the values in loaded clips.
fn scalar_ranges(character: &Character) -> Vec<(f32, f32)> {
    let rest = character.skeleton().rest().scalars();
    let mut ranges: Vec<_> = rest.iter().map(|&rest| (rest.min(0.0), rest.max(1.0))).collect();
    for clip in character.clips().ready() {
        for scalar in clip.scalars() {
            if let Some(range) = ranges.get_mut(usize::from(scalar.scalar)) {
                for &value in scalar.track.values() {
                    *range = (range.0.min(value), range.1.max(value));
                }
            }
        }
    }
    ranges
}

/// Creates the parts and their materials.
struct Surfaces<'a> {
    gpu: &'a Gpu,
    layouts: &'a Layouts,
    textures: &'a mut TextureCache,
    character: &'a Character,
    findings: Vec<Finding>,
    made: HashMap<(Option<usize>, u32), wgpu::BindGroup>,
    used: Vec<Arc<wgpu::TextureView>>,
}

impl Surfaces<'_> {
    fn parts(&mut self, rest: &[SkinnedVertices], diagonal: f32) -> Result<Vec<PartOnGpu>, RenderError> {
        let mut found = Vec::new();
        for (number, mesh) in self.character.meshes().iter().enumerate() {
            let whole = [sinew::Part { material: None, first: 0, count: mesh.indices.len() as u32 }];
            let parts = if mesh.parts.is_empty() { &whole[..] } else { &mesh.parts[..] };
            let some = parts.iter().filter(|part| part.count > 0);
            found.extend(some.map(|part| (number, part.clone())));
        }
        let patches: Vec<_> =
            found.iter().map(|(mesh, part)| self.patch(*mesh, part, &rest[*mesh])).collect();
        let layers = layers::layers(&patches);
        let mut parts = Vec::with_capacity(found.len());
        for ((mesh, part), layer) in found.into_iter().zip(layers) {
            let source = self.material(part.material);
            let alpha = match source.alpha {
                AlphaMode::Opaque => Alpha::Opaque,
                AlphaMode::Mask(_) => Alpha::Mask,
                AlphaMode::Blend => Alpha::Blend,
            };
            let material = self.bind(part.material, layer, diagonal)?;
            let indices = part.first..part.first + part.count;
            parts.push(PartOnGpu { mesh, indices, alpha, two_sided: source.two_sided, material, layer });
        }
        parts.sort_by_key(PartOnGpu::rank);
        Ok(parts)
    }

    fn material(&self, index: Option<usize>) -> Material {
        // Without a material, a neutral clay.
        let clay = Material { base_color: Vec4::new(0.52, 0.51, 0.49, 1.0), ..Material::default() };
        index.and_then(|index| self.character.materials().get(index)).cloned().unwrap_or(clay)
    }

    fn patch(&self, mesh: usize, part: &sinew::Part, rest: &SkinnedVertices) -> Patch {
        let mesh = &self.character.meshes()[mesh];
        let range = part.first as usize..(part.first + part.count) as usize;
        let corner = |index: u32| rest.positions[index as usize];
        let triangles =
            mesh.indices[range].chunks_exact(3).map(|t| [corner(t[0]), corner(t[1]), corner(t[2])]);
        let cut_out = self.material(part.material).alpha != AlphaMode::Opaque;
        Patch { triangles: triangles.collect(), cut_out }
    }

    /// Colour, picture and sampler, for a layer.
    fn bind(
        &mut self,
        index: Option<usize>,
        layer: u32,
        diagonal: f32,
    ) -> Result<wgpu::BindGroup, RenderError> {
        if let Some(made) = self.made.get(&(index, layer)) {
            return Ok(made.clone());
        }
        let material = self.material(index);
        let texture = material.base_color_texture;
        let sampler = texture.map_or(Sampler::default(), |texture| texture.sampler);
        let texture = texture.and_then(|texture| self.character.textures().get(texture.texture));
        let view = match texture.map(|texture| self.textures.texture(self.gpu, texture)) {
            Some(Ok(view)) => view,
            Some(Err(error)) => {
                let place = format!("{}, material {}", self.character.name(), material.name);
                let finding = Finding::new(&TEXTURE_NOT_SHOWN, place, error.to_string());
                if !self.findings.contains(&finding) {
                    self.findings.push(finding);
                }
                self.textures.white(self.gpu)
            }
            None => self.textures.white(self.gpu),
        };
        let uniform = MaterialUniform {
            color: material.base_color.to_array(),
            // Blended materials need a cutoff only for their shadow, which is not blended.
            cutoff: match material.alpha {
                AlphaMode::Opaque => 0.0,
                AlphaMode::Mask(cutoff) => cutoff,
                AlphaMode::Blend => 0.5,
            },
            unlit: material.unlit.into(),
            two_sided: material.two_sided.into(),
            lift: layer as f32 * LIFT * diagonal,
        };
        let buffer = self.gpu.buffer_of("material", &[uniform], wgpu::BufferUsages::UNIFORM)?;
        let sampler = self.textures.sampler(self.gpu, sampler);
        let resources = [
            buffer.as_entire_binding(),
            wgpu::BindingResource::TextureView(&view),
            wgpu::BindingResource::Sampler(&sampler),
        ];
        let made = self.gpu.bind_group("material", &self.layouts.material, &resources);
        self.made.insert((index, layer), made.clone());
        self.used.push(view);
        Ok(made)
    }
}

impl MeshOnGpu {
    /// The shader variant of GPU skinning.
    pub(crate) fn deform(&self) -> Deform {
        if self.influences_per_vertex == 8 { Deform::Eight } else { Deform::Four }
    }
}
