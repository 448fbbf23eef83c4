//! Effects as materials, with the textures that lie in files beside the model.

use super::picture::encoded;
use crate::textures::Lookup;
use crate::{Cause, findings};
use glam::Vec3;
use sinew::{AlphaMode, Finding, Image, Material, Texture, TextureRef};
use sinew_xnb::{Asset, Effect, MEMORY_FACTOR, Model, Shared, Texture2d};
use std::collections::HashMap;

/// Materials and textures of a model.
#[derive(Default)]
pub(super) struct Surfaces {
    pub materials: Vec<Material>,
    pub textures: Vec<Texture>,
    /// The material of each shared resource that is an effect.
    effects: HashMap<usize, usize>,
}

impl Surfaces {
    /// The material of a shared resource.
    pub fn of_effect(&self, effect: usize) -> Option<usize> {
        self.effects.get(&effect).copied()
    }
}

/// A material that shows one texture.
pub(super) fn of_texture(texture: &Texture2d) -> Result<Surfaces, Cause> {
    let (bytes, transparent) = encoded(texture)?;
    let texture =
        Texture { image: Image::Embedded(bytes.into()), name: "texture".to_owned(), ..Texture::default() };
    let alpha = if transparent { AlphaMode::Blend } else { AlphaMode::Opaque };
    let color = Some(TextureRef::new(0));
    let material =
        Material { base_color_texture: color, alpha, unlit: true, two_sided: true, ..Material::default() };
    Ok(Surfaces { materials: vec![material], textures: vec![texture], effects: HashMap::new() })
}

pub(super) fn surfaces(
    model: &Model,
    lookup: &Lookup<'_>,
    findings: &mut Vec<Finding>,
) -> Result<Surfaces, Cause> {
    let mut out = Surfaces::default();
    // By the path in the file.
    let mut known: HashMap<&str, Option<(usize, bool)>> = HashMap::new();
    for (index, shared) in model.shared.iter().enumerate() {
        let Shared::Effect(effect) = shared else { continue };
        let name = format!("material {}", out.materials.len());
        let path = effect.texture();
        let texture = match known.get(path) {
            Some(&texture) => texture,
            None if path.is_empty() => None,
            None => {
                let read = texture(path, &name, lookup, findings)?;
                let texture = read.map(|(texture, transparent)| {
                    out.textures.push(texture);
                    (out.textures.len() - 1, transparent)
                });
                known.insert(path, texture);
                texture
            }
        };
        if let Effect::Other { reader, .. } = effect {
            findings.push(Finding::new(
                &findings::XNB_EFFECT,
                name.as_str(),
                format!("it is read by `{reader}`"),
            ));
        }
        out.effects.insert(index, out.materials.len());
        out.materials.push(material(name, effect, texture));
    }
    Ok(out)
}

fn material(name: String, effect: &Effect, texture: Option<(usize, bool)>) -> Material {
    let (diffuse, emissive, shine, alpha) = match effect {
        Effect::Skinned(e) => (e.diffuse, e.emissive, Some((e.specular, e.specular_power)), e.alpha),
        Effect::Basic(e) => (e.diffuse, e.emissive, Some((e.specular, e.specular_power)), e.alpha),
        Effect::Other { diffuse, alpha, .. } => (*diffuse, [0.0; 3], None, *alpha),
        _ => ([1.0; 3], [0.0; 3], None, 1.0),
    };
    let transparent = alpha < 1.0 || texture.is_some_and(|(_, transparent)| transparent);
    let [diffuse, emissive] = [diffuse, emissive].map(linear);
    let roughness = match shine {
        // The exponent of a highlight as roughness: 2 / r⁴ − 2.
        Some((specular, power)) if specular != [0.0; 3] && power > 0.0 => {
            libm::powf(2.0 / (power + 2.0), 0.25).clamp(0.0, 1.0)
        }
        _ => 1.0,
    };
    Material {
        name: name.into(),
        base_color: diffuse.extend(alpha.clamp(0.0, 1.0)),
        base_color_texture: texture.map(|(index, _)| TextureRef::new(index)),
        emissive,
        roughness,
        alpha: if transparent { AlphaMode::Blend } else { AlphaMode::Opaque },
        ..Material::default()
    }
}

/// Effects have colours as they are seen; numbers that are none count as black.
fn linear(color: [f32; 3]) -> Vec3 {
    let finite = |c: f32| if c.is_finite() { c.clamp(0.0, 1.0) } else { 0.0 };
    Vec3::from_array(color.map(|c| sinew_image::decode_srgb(finite(c))))
}

/// A texture beside the model, as an encoded picture, and whether parts of it are transparent.
fn texture(
    path: &str,
    place: &str,
    lookup: &Lookup<'_>,
    findings: &mut Vec<Finding>,
) -> Result<Option<(Texture, bool)>, Cause> {
    let reference = format!("{path}.xnb");
    let Image::File(file) = lookup.locate(&[&reference], place, findings)? else { return Ok(None) };
    let bytes = lookup.read(&file)?;
    // Four bytes a pixel, and as much again for smaller levels.
    let limit = lookup.texture_pixels().saturating_mul(MEMORY_FACTOR);
    let read = sinew_xnb::read(&bytes, limit).map_err(Cause::from).and_then(|xnb| match xnb.asset {
        Asset::Texture(texture) => encoded(&texture),
        _ => Err(Cause::malformed("it holds no texture", "")),
    });
    match read {
        Ok((bytes, transparent)) => {
            let name = path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
            let image = lookup.embedded(&bytes, place, findings)?;
            Ok(Some((Texture { name, reference, image }, transparent)))
        }
        Err(error) => {
            let message = format!("`{}`: {error}", file.display());
            findings.push(Finding::new(&findings::XNB_TEXTURE, place, message));
            Ok(None)
        }
    }
}
