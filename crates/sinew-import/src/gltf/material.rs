//! Materials and pictures.

use super::container::{File, data_uri};
use super::json;
use crate::textures::Lookup;
use crate::{Cause, Options};
use glam::Vec4;
use sinew::{AlphaMode, Finding, Image, Material, Texture, Wrap};
use std::borrow::Cow;
use std::path::Path;

/// Materials, and their pictures: a texture per image of the file.
pub(super) fn materials(
    file: &File<'_>,
    path: &Path,
    options: &Options,
    findings: &mut Vec<Finding>,
) -> Result<(Vec<Material>, Vec<Texture>), Cause> {
    let lookup = Lookup::new(path, &options.textures, &options.limits);
    let images = file.document.images.iter().enumerate();
    let textures = images.map(|(index, image)| texture(file, index, image, &lookup, findings));
    let textures = textures.collect::<Result<Vec<_>, _>>()?;
    let materials = file.document.materials.iter().enumerate();
    let materials = materials.map(|(index, source)| material(file, index, source, textures.len()));
    Ok((materials.collect::<Result<_, _>>()?, textures))
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
        Some(bytes) => lookup.embedded(&bytes)?,
        None if reference.is_empty() => Image::Missing,
        None => lookup.find(&[&reference], &place, findings)?,
    };
    let name = if image.name.is_empty() { place } else { image.name.clone() };
    Ok(Texture { name, reference, image: found })
}

fn material(
    file: &File<'_>,
    index: usize,
    source: &json::Material,
    images: usize,
) -> Result<Material, Cause> {
    let malformed = |what: &str| Cause::malformed(what, format!("materials[{index}]"));
    let mut material = Material { name: source.name.clone(), ..Material::default() };
    if let Some(color) = source.pbr_metallic_roughness.base_color_factor.map(Vec4::from_array) {
        material.base_color = if color.is_finite() { color } else { Vec4::ONE };
    }
    if let Some(info) = &source.pbr_metallic_roughness.base_color_texture {
        let texture = file.document.textures.get(info.index);
        let texture = texture.ok_or_else(|| malformed("its texture does not exist"))?;
        if texture.source.is_some_and(|image| image >= images) {
            return Err(malformed("its picture does not exist"));
        }
        material.texture = texture.source;
        if let Some(sampler) = texture.sampler {
            let sampler = file.document.samplers.get(sampler);
            let sampler = sampler.ok_or_else(|| malformed("its sampler does not exist"))?;
            material.wrap = [wrap(sampler.wrap_s), wrap(sampler.wrap_t)];
            material.nearest = sampler.mag_filter == Some(9728);
        }
    }
    material.alpha = match source.alpha_mode.as_deref() {
        Some("MASK") => AlphaMode::Mask(source.alpha_cutoff.filter(|c| c.is_finite()).unwrap_or(0.5)),
        Some("BLEND") => AlphaMode::Blend,
        _ => AlphaMode::Opaque,
    };
    material.two_sided = source.double_sided;
    material.unlit = source.extensions.unlit.is_some();
    Ok(material)
}

fn wrap(mode: Option<u32>) -> Wrap {
    match mode {
        Some(33071) => Wrap::Clamp,
        Some(33648) => Wrap::Mirror,
        _ => Wrap::Repeat,
    }
}
