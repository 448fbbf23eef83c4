//! Materials and pictures.

use super::container::{File, data_uri};
use super::json;
use super::specular::Converter;
use crate::textures::{Lookup, drop_unused};
use crate::{Cause, findings};
use glam::{Vec2, Vec3, Vec4};
use sinew::{
    AlphaMode, Finding, Image, MagFilter, Material, MinFilter, Sampler, Texture, TextureRef, UvTransform,
    Wrap,
};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Materials, and the pictures that they show: an image that no material shows is left out.
pub(super) fn materials(
    file: &File<'_>,
    lookup: &Lookup<'_>,
    findings: &mut Vec<Finding>,
) -> Result<(Vec<Material>, Vec<Texture>), Cause> {
    let document = &file.document;
    let mut used = vec![None; document.images.len()];
    for (index, source) in document.materials.iter().enumerate() {
        for info in infos(source).into_iter().flatten() {
            let malformed = |what: &str| Cause::malformed(what, format!("materials[{index}]"));
            let texture = document.textures.get(info.index);
            let texture = texture.ok_or_else(|| malformed("its texture does not exist"))?;
            if let Some(image) = texture.image() {
                *used.get_mut(image).ok_or_else(|| malformed("its picture does not exist"))? = Some(0);
            }
        }
    }
    let mut textures = Vec::new();
    for ((index, image), number) in document.images.iter().enumerate().zip(&mut used) {
        if number.is_some() {
            *number = Some(textures.len());
            textures.push(texture(file, index, image, lookup, findings)?);
        }
    }
    let missing = stand_ins(document, &mut textures);
    let mut materials = Vec::with_capacity(document.materials.len());
    let mut converter = Converter::new(lookup, file.budget, &mut textures);
    let mut converted = false;
    for (index, source) in document.materials.iter().enumerate() {
        let builder = Builder { file, index, source, images: &used, missing: &missing };
        let mut material = builder.build(findings)?;
        if let Some(specular) = &source.extensions.specular_glossiness {
            converter.convert(specular, &mut material, builder.place(), findings);
            converted = true;
        }
        materials.push(material);
    }
    drop(converter);
    if converted {
        drop_unused(&mut materials, &mut textures);
    }
    report_extensions(&document.materials, findings);
    Ok((materials, textures))
}

/// A texture without a picture for each texture of the document that materials show and that has none, by its number there.
fn stand_ins(document: &json::Document, textures: &mut Vec<Texture>) -> BTreeMap<usize, usize> {
    let mut out = BTreeMap::new();
    for info in document.materials.iter().flat_map(infos).flatten() {
        let Some(texture) = document.textures.get(info.index).filter(|t| t.image().is_none()) else {
            continue;
        };
        out.entry(info.index).or_insert_with(|| {
            let extension = texture.extensions.other.keys().next();
            let extension = extension.map_or(String::new(), |name| format!(" with the extension {name}"));
            let name = format!("textures[{}]{extension}", info.index);
            textures.push(Texture { name, ..Texture::default() });
            textures.len() - 1
        });
    }
    out
}

/// Names the extensions of materials that are left out, each once, at the first material that has it.
fn report_extensions(materials: &[json::Material], findings: &mut Vec<Finding>) {
    let mut left_out: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (index, material) in materials.iter().enumerate() {
        for name in material.extensions.other.keys() {
            left_out.entry(name).or_insert((index, 0)).1 += 1;
        }
    }
    for (name, (first, count)) in left_out {
        let message = format!("its extension `{name}` was left out");
        let place = materials.get(first).map_or("", |material| &material.name);
        let finding =
            Finding::new(&findings::MATERIAL_EXTENSION, format!("materials[{first}] `{place}`"), message);
        findings.push(finding.count(count));
    }
}

/// The textures of a material: base colour, metal and roughness, normal, occlusion, emission. A material of specular and glossiness has its
/// own two first.
fn infos(source: &json::Material) -> [Option<&json::TextureInfo>; 5] {
    let pbr = &source.pbr_metallic_roughness;
    let (base, metal) = match &source.extensions.specular_glossiness {
        Some(specular) => (specular.diffuse_texture.as_ref(), specular.specular_glossiness_texture.as_ref()),
        None => (pbr.base_color_texture.as_ref(), pbr.metallic_roughness_texture.as_ref()),
    };
    let [normal, occlusion, emissive] = slots(source).map(|slot| slot.as_ref()?.info());
    [base, metal, normal, occlusion, emissive]
}

/// What a material has for normal, occlusion and emission.
fn slots(source: &json::Material) -> [&Option<json::TextureSlot>; 3] {
    [&source.normal_texture, &source.occlusion_texture, &source.emissive_texture]
}

/// The sets of texture coordinates that a mesh keeps for a material: the first two of the file unless the material uses others.
pub(super) fn uv_sets(source: &json::Material) -> [usize; 2] {
    let mut sets: Vec<usize> = Vec::new();
    for set in infos(source).into_iter().flatten().map(json::TextureInfo::set) {
        if !sets.contains(&set) {
            sets.push(set);
        }
    }
    match sets[..] {
        [first, second, ..] if first > 1 || second > 1 => [first, second],
        [only] if only > 1 => [only, 0],
        _ => [0, 1],
    }
}

fn texture(
    file: &File<'_>,
    index: usize,
    image: &json::Image,
    lookup: &Lookup<'_>,
    findings: &mut Vec<Finding>,
) -> Result<Texture, Cause> {
    let place = format!("images[{index}]");
    let scratch = file.budget.scratch();
    scratch.memory(image.uri.as_ref().map_or(0, String::len) as u64)?;
    let embedded = match (&image.uri, image.buffer_view) {
        (Some(uri), _) => match data_uri(uri) {
            Some(Some(bytes)) => Some(Cow::Owned(bytes)),
            Some(None) => return Err(Cause::malformed("its data URI is not base64", place)),
            None => None,
        },
        (None, Some(view)) => Some(Cow::Borrowed(file.view(view)?.1)),
        (None, None) => None,
    };
    file.budget.memory(embedded.as_ref().map_or(0, |bytes| bytes.len()) as u64)?;
    let reference = image.uri.clone().filter(|_| embedded.is_none()).unwrap_or_default();
    let found = match embedded {
        Some(bytes) => lookup.embedded(&bytes, &place, findings)?,
        None if reference.is_empty() => {
            let message = "a material shows it, and it has no picture: neither `uri` nor `bufferView`";
            findings.push(Finding::new(&findings::MATERIAL_TEXTURE_INVALID, &place, message));
            Image::Missing
        }
        None => lookup.find(&[&reference], &place, findings)?,
    };
    let name = if image.name.is_empty() { place } else { image.name.clone() };
    Ok(Texture { name, reference, image: found })
}

/// A material of the file, on the way to ours.
struct Builder<'a> {
    file: &'a File<'a>,
    index: usize,
    source: &'a json::Material,
    /// The texture that each image has become.
    images: &'a [Option<usize>],
    /// What stands for textures without a picture.
    missing: &'a BTreeMap<usize, usize>,
}

impl Builder<'_> {
    fn build(&self, findings: &mut Vec<Finding>) -> Result<Material, Cause> {
        let source = self.source;
        let pbr = &source.pbr_metallic_roughness;
        let [
            base_color_texture,
            metallic_roughness_texture,
            normal_texture,
            occlusion_texture,
            emissive_texture,
        ] = infos(source).map(|info| self.texture(info, findings));
        let [_, _, normal, occlusion, _] = infos(source);
        let emissive_strength = source.extensions.emissive_strength.as_ref();
        let material = Material {
            name: source.name.clone().into(),
            base_color: vector(pbr.base_color_factor, Vec4::ONE),
            base_color_texture: base_color_texture?,
            metallic: finite(pbr.metallic_factor, 1.0),
            roughness: finite(pbr.roughness_factor, 1.0),
            metallic_roughness_texture: metallic_roughness_texture?,
            normal_texture: normal_texture?,
            normal_scale: finite(normal.and_then(|info| info.scale), 1.0),
            occlusion_texture: occlusion_texture?,
            occlusion_strength: finite(occlusion.and_then(|info| info.strength), 1.0),
            emissive: source
                .emissive_factor
                .map(Vec3::from_array)
                .filter(|e| e.is_finite())
                .unwrap_or_default(),
            emissive_strength: finite(emissive_strength.and_then(|e| e.emissive_strength), 1.0),
            emissive_texture: emissive_texture?,
            alpha: self.alpha(findings),
            transmission: self.transmission(findings),
            two_sided: source.double_sided,
            unlit: source.extensions.unlit.is_some(),
        };
        if slots(source).into_iter().flatten().any(|slot| slot.info().is_none()) {
            let message = "a texture of it cannot be read and was left out".to_owned();
            findings.push(Finding::new(&findings::MATERIAL_TEXTURE_INVALID, self.place(), message));
        }
        Ok(material)
    }

    fn alpha(&self, findings: &mut Vec<Finding>) -> AlphaMode {
        match self.source.alpha_mode.as_deref() {
            None | Some("OPAQUE") => AlphaMode::Opaque,
            Some("MASK") => AlphaMode::Mask(finite(self.source.alpha_cutoff, 0.5)),
            Some("BLEND") => AlphaMode::Blend,
            Some(other) => {
                let message = format!("its alphaMode `{other}` is not known; it was taken as OPAQUE");
                findings.push(Finding::new(&findings::MATERIAL_ALPHA_MODE, self.place(), message));
                AlphaMode::Opaque
            }
        }
    }

    fn transmission(&self, findings: &mut Vec<Finding>) -> f32 {
        let Some(transmission) = &self.source.extensions.transmission else { return 0.0 };
        if transmission.transmission_texture.is_some() {
            let message = "its texture of transmission was left out; its factor counts everywhere".to_owned();
            findings.push(Finding::new(&findings::MATERIAL_EXTENSION, self.place(), message));
        }
        finite(transmission.transmission_factor, 0.0).clamp(0.0, 1.0)
    }

    fn pictureless(&self, texture: &json::Texture) -> Finding {
        let message = match texture.extensions.other.keys().next() {
            Some(extension) => {
                format!("the picture of a texture is in the extension `{extension}`, which is not read")
            }
            None => "a texture of it has no picture".to_owned(),
        };
        Finding::new(&findings::MATERIAL_TEXTURE_INVALID, self.place(), message)
    }

    fn place(&self) -> String {
        format!("materials[{}] `{}`", self.index, self.source.name)
    }

    fn texture(
        &self,
        info: Option<&json::TextureInfo>,
        findings: &mut Vec<Finding>,
    ) -> Result<Option<TextureRef>, Cause> {
        let document = &self.file.document;
        let Some(info) = info else { return Ok(None) };
        let Some(texture) = document.textures.get(info.index) else { return Ok(None) };
        let number = match texture.image() {
            Some(image) => self.images.get(image).copied().flatten(),
            None => {
                findings.push(self.pictureless(texture));
                self.missing.get(&info.index).copied()
            }
        };
        let Some(number) = number else { return Ok(None) };
        let Some(uv_set) = uv_sets(self.source).iter().position(|&set| set == info.set()) else {
            let message = format!(
                "it uses more than two sets of texture coordinates; the texture of set {} was left out",
                info.set()
            );
            findings.push(Finding::new(&findings::MATERIAL_UV_SETS, self.place(), message));
            return Ok(None);
        };
        let sampler = match texture.sampler {
            Some(sampler) => document
                .samplers
                .get(sampler)
                .map(read_sampler)
                .ok_or_else(|| Cause::malformed("its sampler does not exist", self.place()))?,
            None => Sampler::default(),
        };
        let transform = info.extensions.transform.map(|transform| UvTransform {
            offset: transform.offset.map_or(Vec2::ZERO, Vec2::from_array),
            rotation: transform.rotation,
            scale: transform.scale.map_or(Vec2::ONE, Vec2::from_array),
        });
        let transform = transform.filter(UvTransform::is_finite).unwrap_or_default();
        Ok(Some(TextureRef { texture: number, uv_set: uv_set as u8, transform, sampler }))
    }
}

pub(super) fn finite(value: Option<f32>, otherwise: f32) -> f32 {
    value.filter(|v| v.is_finite()).unwrap_or(otherwise)
}

pub(super) fn vector(value: Option<[f32; 4]>, otherwise: Vec4) -> Vec4 {
    value.map(Vec4::from_array).filter(|v| v.is_finite()).unwrap_or(otherwise)
}

fn read_sampler(sampler: &json::Sampler) -> Sampler {
    let mag = match sampler.mag_filter {
        Some(9728) => MagFilter::Nearest,
        Some(9729) => MagFilter::Linear,
        _ => MagFilter::Auto,
    };
    let min = match sampler.min_filter {
        Some(9728) => MinFilter::Nearest,
        Some(9729) => MinFilter::Linear,
        Some(9984) => MinFilter::NearestMipNearest,
        Some(9985) => MinFilter::LinearMipNearest,
        Some(9986) => MinFilter::NearestMipLinear,
        Some(9987) => MinFilter::LinearMipLinear,
        _ => MinFilter::Auto,
    };
    Sampler { wrap: [wrap(sampler.wrap_s), wrap(sampler.wrap_t)], mag, min }
}

fn wrap(mode: Option<u32>) -> Wrap {
    match mode {
        Some(33071) => Wrap::Clamp,
        Some(33648) => Wrap::Mirror,
        _ => Wrap::Repeat,
    }
}
