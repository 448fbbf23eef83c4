//! Parts and their materials.

use super::{MeshOnGpu, PartOnGpu};
use crate::layers::{self, LIFT, Patch};
use crate::pipelines::{Alpha, Features, Layouts};
use crate::texture::TextureCache;
use crate::{Gpu, RenderError};
use sinew::glam::{Vec3, Vec4};
use sinew::skinning::SkinnedVertices;
use sinew::{AlphaMode, Character, Finding, Material, Mesh, Part, Sampler, TextureRef, UvTransform};
use sinew_findings::catalogue::render::TEXTURE_NOT_SHOWN;
use sinew_image::ColorSpace;
use std::collections::HashMap;
use std::sync::Arc;

/// Laid out as `Material` in `mesh.wgsl`.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct MaterialUniform {
    color: [f32; 4],
    emitted: [f32; 4],
    factors: [f32; 4],
    unlit: u32,
    two_sided: u32,
    lift: f32,
    transmission: f32,
    addresses: [Address; 5],
}

/// Laid out as `Address` in `mesh.wgsl`.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Address {
    rows: [f32; 4],
    offset: [f32; 2],
    set: u32,
    pad: u32,
}

impl Address {
    fn new(texture: Option<&TextureRef>) -> Self {
        let transform = texture.map_or(UvTransform::IDENTITY, |texture| texture.transform);
        let (sin, cos) = transform.rotation.sin_cos();
        let scale = transform.scale;
        Self {
            rows: [cos * scale.x, sin * scale.y, -sin * scale.x, cos * scale.y],
            offset: transform.offset.to_array(),
            set: texture.is_some_and(|texture| texture.uv_set != 0).into(),
            pad: 0,
        }
    }
}

/// Creates the parts and their materials.
pub(super) struct Surfaces<'a> {
    pub(super) gpu: &'a Gpu,
    pub(super) layouts: &'a Layouts,
    pub(super) textures: &'a mut TextureCache,
    pub(super) character: &'a Character,
    pub(super) findings: Vec<Finding>,
    pub(super) made: HashMap<(Option<usize>, u32), (wgpu::BindGroup, Features)>,
    pub(super) used: Vec<Arc<wgpu::TextureView>>,
}

impl Surfaces<'_> {
    pub(super) fn parts(
        &mut self,
        meshes: &[MeshOnGpu],
        rest: &[SkinnedVertices],
        diagonal: f32,
    ) -> Result<Vec<PartOnGpu>, RenderError> {
        let mut found = Vec::new();
        for (number, mesh) in self.character.meshes().iter().enumerate() {
            let some = parts(mesh).into_iter().filter(|part| part.count > 0);
            found.extend(some.map(|part| (number, part)));
        }
        let patches: Vec<_> =
            found.iter().map(|(mesh, part)| self.patch(*mesh, part, &rest[*mesh])).collect();
        let layers = layers::layers(&patches);
        let mut parts = Vec::with_capacity(found.len());
        for ((mesh, part), layer) in found.into_iter().zip(layers) {
            let source = self.material(part.material);
            let alpha = match source.alpha {
                _ if source.transmission > 0.0 && !source.unlit => Alpha::Blend,
                AlphaMode::Opaque => Alpha::Opaque,
                AlphaMode::Mask(_) => Alpha::Mask,
                AlphaMode::Blend => Alpha::Blend,
            };
            let (material, mut features) = self.bind(part.material, layer, diagonal)?;
            if meshes[mesh].tangents.is_none() {
                features = features.without(Features::NORMAL_MAP);
            }
            let indices = part.first..part.first + part.count;
            let two_sided = source.two_sided;
            parts.push(PartOnGpu { mesh, indices, alpha, features, two_sided, material, layer });
        }
        parts.sort_by_key(PartOnGpu::rank);
        Ok(parts)
    }

    fn material(&self, index: Option<usize>) -> Material {
        // Without a material, a neutral clay.
        let clay = Material { base_color: Vec4::new(0.52, 0.51, 0.49, 1.0), ..Material::default() };
        index.and_then(|index| self.character.materials().get(index)).cloned().unwrap_or(clay)
    }

    fn patch(&self, mesh: usize, part: &Part, rest: &SkinnedVertices) -> Patch {
        let mesh = &self.character.meshes()[mesh];
        let range = part.first as usize..(part.first + part.count) as usize;
        let corner = |index: u32| rest.positions[index as usize];
        let triangles =
            mesh.indices[range].chunks_exact(3).map(|t| [corner(t[0]), corner(t[1]), corner(t[2])]);
        let cut_out = self.material(part.material).alpha != AlphaMode::Opaque;
        Patch { triangles: triangles.collect(), cut_out }
    }

    /// The bind group of a material for a layer, and what it has beyond colour.
    fn bind(
        &mut self,
        index: Option<usize>,
        layer: u32,
        diagonal: f32,
    ) -> Result<(wgpu::BindGroup, Features), RenderError> {
        if let Some(made) = self.made.get(&(index, layer)) {
            return Ok(made.clone());
        }
        let mut material = self.material(index);
        let views = self.views(&mut material);
        let features = Features::of(&material);
        let uniform = uniform(&material, layer as f32 * LIFT * diagonal);
        let buffer = self.gpu.buffer_of("material", &[uniform], wgpu::BufferUsages::UNIFORM)?;
        let samplers = material.textures().map(|texture| {
            self.textures.sampler(self.gpu, texture.map_or(Sampler::default(), |texture| texture.sampler))
        });
        let mut resources = vec![buffer.as_entire_binding()];
        for (view, sampler) in views.iter().zip(&samplers) {
            resources.push(wgpu::BindingResource::TextureView(view));
            resources.push(wgpu::BindingResource::Sampler(sampler));
        }
        let made = (self.gpu.bind_group("material", &self.layouts.material, &resources), features);
        self.made.insert((index, layer), made.clone());
        self.used.extend(views);
        Ok(made)
    }

    /// The textures of a material on the device, white where it has none. Those that cannot be loaded are findings: in place of the colour a
    /// checkerboard is shown, the others are left out of the material.
    fn views(&mut self, material: &mut Material) -> [Arc<wgpu::TextureView>; 5] {
        let spaces = {
            use ColorSpace::{Linear, Srgb};
            [Srgb, Linear, Linear, Linear, Srgb]
        };
        let wanted = if material.unlit { 1 } else { 5 };
        let mut lost = [false; 5];
        let sources = material.textures().map(|texture| texture.map(|texture| texture.texture));
        let views = std::array::from_fn(|i| {
            let source = sources[i].filter(|_| i < wanted);
            let Some(source) = source.and_then(|source| self.character.textures().get(source)) else {
                return self.textures.white(self.gpu);
            };
            self.textures.texture(self.gpu, source, spaces[i]).unwrap_or_else(|error| {
                let place = format!("{}, material {}", self.character.name(), material.name);
                let finding = Finding::new(&TEXTURE_NOT_SHOWN, place, error.to_string());
                if !self.findings.contains(&finding) {
                    self.findings.push(finding);
                }
                lost[i] = true;
                if i == 0 { self.textures.checker(self.gpu) } else { self.textures.white(self.gpu) }
            })
        });
        if lost[0] {
            material.base_color = Vec3::ONE.extend(material.base_color.w);
        }
        if lost[1] {
            material.metallic_roughness_texture = None;
        }
        if lost[2] {
            material.normal_texture = None;
        }
        if lost[3] {
            material.occlusion_texture = None;
        }
        if lost[4] {
            (material.emissive_texture, material.emissive) = (None, Vec3::ZERO);
        }
        views
    }
}

fn uniform(material: &Material, lift: f32) -> MaterialUniform {
    // Blended materials need a cutoff only for their shadow, which is not blended.
    let cutoff = match material.alpha {
        AlphaMode::Opaque => 0.0,
        AlphaMode::Mask(cutoff) => cutoff,
        AlphaMode::Blend => 0.5,
    };
    let emitted = material.emissive * material.emissive_strength;
    MaterialUniform {
        color: material.base_color.to_array(),
        emitted: emitted.extend(material.normal_scale).to_array(),
        factors: [material.metallic, material.roughness, material.occlusion_strength, cutoff],
        unlit: material.unlit.into(),
        two_sided: material.two_sided.into(),
        lift,
        transmission: material.transmission.clamp(0.0, 1.0),
        addresses: material.textures().map(Address::new),
    }
}

/// The parts of a mesh: one without material if it names none.
fn parts(mesh: &Mesh) -> Vec<Part> {
    if mesh.parts.is_empty() {
        return vec![Part { material: None, first: 0, count: mesh.indices.len() as u32 }];
    }
    mesh.parts.clone()
}

/// The set of texture coordinates that the first normal map of a mesh uses.
pub(super) fn normal_map_set(character: &Character, mesh: &Mesh) -> Option<u8> {
    let materials = mesh.parts.iter().filter_map(|part| character.materials().get(part.material?));
    let mut lit = materials.filter(|material| !material.unlit);
    lit.find_map(|material| material.normal_texture.map(|texture| texture.uv_set))
}
