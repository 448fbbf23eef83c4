//! A character on the device: everything that its instances share.

mod upload;

use crate::layers::{self, LIFT, Patch};
use crate::pipelines::{Alpha, Deform, Layouts};
use crate::texture::TextureCache;
use crate::{Gpu, RenderError};
use sinew::bounds::JointBounds;
use sinew::glam::{Affine3, Quat, Vec3, Vec4};
use sinew::skinning::SkinnedVertices;
use sinew::{Aabb, AlphaMode, Character, Finding, Material, Mesh, job};
use sinew_findings::catalogue::render::TEXTURE_NOT_SHOWN;
use std::collections::HashMap;
use std::sync::Arc;
pub(crate) use upload::MeshOnGpu;

/// A character on the device. Cheap to clone; clones are the same.
#[derive(Clone, Debug)]
pub struct Model(pub(crate) Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) character: Character,
    pub(crate) meshes: Vec<MeshOnGpu>,
    /// In the order in which they are drawn.
    pub(crate) parts: Vec<PartOnGpu>,
    /// Zeros, as many as the largest mesh has vertices.
    pub(crate) no_paint: wgpu::Buffer,
    pub(crate) bounds: Vec<JointBounds>,
    /// Lowest and highest value of each scalar that the bounds allow for.
    pub(crate) ranges: Vec<(f32, f32)>,
    /// Matrices of an instance.
    pub(crate) slots: usize,
    /// From the character's space to that of pictures, in which +Y is up.
    pub(crate) upright: Affine3,
    rest: Aabb,
    findings: Vec<Finding>,
    /// Kept for the cache, which forgets what no model holds.
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
        let mut first_slots = FirstSlots::default();
        let meshes = character
            .meshes()
            .iter()
            .map(|mesh| MeshOnGpu::new(gpu, mesh, first_slots.of(mesh)))
            .collect::<Result<Vec<_>, _>>()?;
        let upright = upright(character.space().up.into());
        let rest = rest_shape(character, &meshes, &upright)?;
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
            character: character.clone(),
            meshes,
            parts,
            ranges,
            slots: first_slots.total,
            upright,
            rest: bounds,
            findings,
            textures,
        })))
    }

    /// The character.
    pub fn character(&self) -> &Character {
        &self.0.character
    }

    /// From the character's space to that of pictures, in which +Y is up; identity for most.
    pub fn upright(&self) -> Affine3 {
        self.0.upright
    }

    /// The box around the rest pose, in the space of pictures.
    pub fn rest_bounds(&self) -> Aabb {
        self.0.rest
    }

    /// What could not be shown as the character asks.
    pub fn findings(&self) -> &[Finding] {
        &self.0.findings
    }

    /// Number of triangles.
    pub fn triangle_count(&self) -> usize {
        self.0.parts.iter().map(|part| part.indices.len() / 3).sum()
    }

    /// A mesh as it is drawn: with normals in any case.
    ///
    /// # Panics
    ///
    /// If the character has no such mesh.
    pub fn mesh(&self, index: usize) -> &Mesh {
        self.0.meshes[index].completed.as_ref().unwrap_or(&self.0.character.meshes()[index])
    }
}

impl PartOnGpu {
    /// Opaque ones first, then cut-out ones, then the blended; of each, what lies on others later.
    fn rank(&self) -> (u8, u32) {
        (self.alpha as u8, self.layer)
    }
}

/// The turn that brings a direction up: that of [`Model::upright`] for the character's.
pub fn upright(up: Vec3) -> Affine3 {
    // Of files in which Z is up, the figure faces -Y: this turn lets it face +Z.
    let turn = if up == Vec3::Z {
        Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2)
    } else {
        Quat::from_rotation_arc(up, Vec3::Y)
    };
    Affine3::from_quat(turn)
}

/// Where each mesh's matrices begin within those of an instance. Meshes with one skin, or on one joint, share them.
#[derive(Default)]
struct FirstSlots<'a> {
    known: Vec<(&'a Mesh, usize)>,
    total: usize,
}

impl<'a> FirstSlots<'a> {
    /// The first slot, and whether the mesh is the first with it.
    fn of(&mut self, mesh: &'a Mesh) -> (u32, bool) {
        let same = |other: &Mesh| match (&mesh.skin, &other.skin) {
            (Some(a), Some(b)) => a == b,
            (None, None) => mesh.joint == other.joint,
            _ => false,
        };
        let known = self.known.iter().find(|(other, _)| same(other)).map(|&(_, first)| first);
        if let Some(first) = known {
            return (first as u32, false);
        }
        let first = self.total;
        self.known.push((mesh, first));
        self.total += mesh.slot_count();
        (first as u32, true)
    }
}

/// All meshes in the rest pose, in the space of pictures.
fn rest_shape(
    character: &Character,
    meshes: &[MeshOnGpu],
    upright: &Affine3,
) -> Result<Vec<SkinnedVertices>, RenderError> {
    let skeleton = character.skeleton();
    let model: Vec<_> = skeleton.rest_model().iter().map(|joint| job::multiply(upright, joint)).collect();
    let mut shapes = Vec::with_capacity(meshes.len());
    for mesh in character.meshes() {
        let mut matrices = vec![Affine3::IDENTITY; mesh.slot_count()];
        mesh.skin_matrices(&model, &mut matrices)?;
        let mut shape = SkinnedVertices { positions: mesh.positions.clone(), ..SkinnedVertices::default() };
        shape.skin(mesh, &matrices, skeleton.rest().scalars())?;
        shapes.push(shape);
    }
    Ok(shapes)
}

/// What each scalar may be: a weight of a morph target, or what a clip that is there says.
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

/// Makes the parts and what they are drawn with.
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
            let look = self.material(part.material);
            let alpha = match look.alpha {
                AlphaMode::Opaque => Alpha::Opaque,
                AlphaMode::Mask(_) => Alpha::Mask,
                AlphaMode::Blend => Alpha::Blend,
            };
            let material = self.bind(part.material, layer, diagonal)?;
            let indices = part.first..part.first + part.count;
            parts.push(PartOnGpu { mesh, indices, alpha, two_sided: look.two_sided, material, layer });
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
        let texture = material.texture.and_then(|texture| self.character.textures().get(texture));
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
            // What is blended has none but for its shadow, which is all or nothing.
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
        let sampler = self.textures.sampler(self.gpu, &material);
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
    /// How the device would deform it.
    pub(crate) fn deform(&self) -> Deform {
        if self.influences_per_vertex == 8 { Deform::Eight } else { Deform::Four }
    }
}
