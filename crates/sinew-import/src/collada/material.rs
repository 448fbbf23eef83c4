//! From a primitive's material symbol along the chain of references to a surface and its picture.

use super::archive::Opened;
use super::merge;
use super::raw::{Colour, Document, Effect, ImageData, Instance, MaterialBinding, Opaque, Shading};
use crate::shading::{report_converted, roughness_of_exponent};
use crate::textures::{Lookup, NormalMaps, drop_unused};
use crate::{Budget, Cause, findings};
use glam::{Vec3, Vec4};
use sinew::{AlphaMode, Finding, Image, Material, Sampler, Texture, TextureRef, Wrap};
use std::collections::HashMap;

/// The materials and textures that instances have asked for so far.
pub(crate) struct Materials<'m, 'd> {
    document: &'m Document<'d>,
    archive: &'m Opened<'m>,
    lookup: Lookup<'m>,
    budget: &'m Budget<'m>,
    /// The surfaces.
    pub(crate) materials: Vec<Material>,
    /// Their pictures.
    pub(crate) textures: Vec<Texture>,
    by_id: HashMap<&'d str, Option<usize>>,
    by_image: HashMap<String, usize>,
    normal_maps: NormalMaps,
    /// How many were of an older model of light.
    converted: usize,
}

/// Steps of looking at one binding of a material.
const BINDING_STEPS: u64 = 20;

/// What an instance's symbols stand for.
#[derive(Debug, Default)]
pub(crate) struct Bindings<'d> {
    materials: HashMap<&'d str, (usize, Option<usize>)>,
}

impl Bindings<'_> {
    /// Index of a material by its symbol.
    pub(crate) fn material(&self, symbol: &str) -> Option<usize> {
        self.materials.get(symbol).map(|(material, _)| *material)
    }

    /// Set of texture coordinates that the material's picture takes.
    pub(crate) fn uv_set(&self, symbol: Option<&str>) -> Option<usize> {
        self.materials.get(symbol?).and_then(|(_, set)| *set)
    }
}

impl<'m, 'd> Materials<'m, 'd> {
    /// No materials yet.
    pub(crate) fn new(
        document: &'m Document<'d>,
        archive: &'m Opened<'m>,
        lookup: Lookup<'m>,
        budget: &'m Budget<'m>,
    ) -> Self {
        Self {
            document,
            archive,
            lookup,
            budget,
            materials: Vec::new(),
            textures: Vec::new(),
            by_id: HashMap::new(),
            by_image: HashMap::new(),
            normal_maps: NormalMaps::default(),
            converted: 0,
        }
    }

    /// Notes once what all materials have in common, when none follows.
    pub(crate) fn finish(&mut self, findings: &mut Vec<Finding>) {
        report_converted(self.converted, findings);
        drop_unused(&mut self.materials, &mut self.textures);
    }

    /// The materials of an instance: those that it binds, and by their id those that it does not.
    pub(crate) fn bind(
        &mut self,
        instance: &Instance<'d>,
        symbols: impl Iterator<Item = &'d str>,
        findings: &mut Vec<Finding>,
    ) -> Result<Bindings<'d>, Cause> {
        let mut bindings = Bindings::default();
        let mut bound_to: HashMap<&str, &MaterialBinding<'d>> = HashMap::new();
        for binding in &instance.materials {
            // The same instance may be shown many times.
            self.budget.steps(BINDING_STEPS)?;
            bound_to.entry(binding.symbol).or_insert(binding);
        }
        for symbol in symbols {
            self.budget.steps(BINDING_STEPS)?;
            if bindings.materials.contains_key(symbol) {
                continue;
            }
            let bound = bound_to.get(symbol).copied();
            let id = bound.map_or(symbol, |b| b.target);
            let Some(index) = self.get(id, findings)? else {
                let message = format!("no material is bound to the symbol `{symbol}`");
                merge(findings, Finding::new(&findings::REFERENCE_MISSING, instance.url, message));
                continue;
            };
            let wanted = self.effect(id).and_then(|e| match &e.diffuse {
                Some(Colour::Texture(_, coordinates)) => *coordinates,
                _ => None,
            });
            let set = bound.and_then(|b| {
                let exact = b.inputs.iter().find(|(semantic, _)| Some(*semantic) == wanted);
                exact.or(b.inputs.first()).map(|(_, set)| *set)
            });
            self.budget.list::<(&str, (usize, Option<usize>))>(2)?;
            bindings.materials.insert(symbol, (index, set));
        }
        Ok(bindings)
    }

    fn effect(&self, material: &str) -> Option<&'m Effect<'d>> {
        self.document.effects.get(self.document.materials.get(material)?.effect)
    }

    fn get(&mut self, id: &'d str, findings: &mut Vec<Finding>) -> Result<Option<usize>, Cause> {
        if let Some(&known) = self.by_id.get(id) {
            return Ok(known);
        }
        let index = match self.document.materials.get(id) {
            Some(raw) => {
                let name = raw.name.or(raw.id).unwrap_or(id);
                let material = match self.effect(id) {
                    Some(effect) => self.read(name, effect, findings)?,
                    None => Material { name: name.into(), ..Material::default() },
                };
                self.materials.push(material);
                Some(self.materials.len() - 1)
            }
            None => None,
        };
        self.by_id.insert(id, index);
        Ok(index)
    }

    fn read(
        &mut self,
        name: &str,
        effect: &Effect<'d>,
        findings: &mut Vec<Finding>,
    ) -> Result<Material, Cause> {
        let mut material =
            Material { name: name.into(), two_sided: effect.double_sided, ..Material::default() };
        material.unlit = effect.shading == Some(Shading::Constant);
        let colour = effect.diffuse.as_ref().or(effect.emission.as_ref().filter(|_| material.unlit));
        match colour {
            Some(Colour::Value(value)) => material.base_color = Vec4::from_array(*value),
            Some(Colour::Texture(texture, _)) => {
                material.base_color_texture = Some(self.texture(name, effect, texture, findings)?);
            }
            None => {}
        }
        match effect.emission.as_ref().filter(|_| !material.unlit) {
            Some(Colour::Value([r, g, b, _])) => material.emissive = emitted(Vec3::new(*r, *g, *b)),
            Some(Colour::Texture(texture, _)) => {
                material.emissive = Vec3::ONE;
                material.emissive_texture = Some(self.texture(name, effect, texture, findings)?);
            }
            None => {}
        }
        if let Some(bump) = &effect.bump {
            let texture = self.texture(name, effect, bump.texture, findings)?;
            let sources = (&self.lookup, self.budget);
            material.normal_texture =
                self.normal_maps.get(texture, bump.kind, name, sources, &mut self.textures, findings)?;
        }
        self.converted += usize::from(effect.shading == Some(Shading::Lit));
        material.roughness = roughness(effect);
        let alpha = alpha(effect);
        material.base_color.w = match alpha {
            Alpha::Factor(alpha) => alpha,
            Alpha::Texture => 1.0,
        };
        material.alpha = match alpha {
            Alpha::Factor(alpha) if alpha >= 1.0 => AlphaMode::Opaque,
            // Exporters that take transparency for opacity, or the other way round, write invisible surfaces.
            Alpha::Factor(0.0) => {
                material.base_color.w = 1.0;
                let message = "its transparency makes it invisible; it was taken as opaque";
                findings.push(Finding::new(&findings::MATERIAL_INVISIBLE, name, message));
                AlphaMode::Opaque
            }
            _ => AlphaMode::Blend,
        };
        Ok(material)
    }

    fn texture(
        &mut self,
        material: &str,
        effect: &Effect<'d>,
        name: &str,
        findings: &mut Vec<Finding>,
    ) -> Result<TextureRef, Cause> {
        let sampler = effect.sampler(name);
        let read = sampler.as_ref().map_or(Sampler::default(), |sampler| {
            let filter =
                if sampler.magnify == Some("NEAREST") { Sampler::NEAREST } else { Sampler::default() };
            Sampler { wrap: [wrap(sampler.wrap_s), wrap(sampler.wrap_t)], ..filter }
        });
        // Some exporters leave the sampler out and name the surface or the image itself.
        let image =
            sampler.and_then(|s| s.image.or(s.surface)).or_else(|| effect.surface(name)).unwrap_or(name);
        let texture = self.image(image, material, findings)?;
        Ok(TextureRef { sampler: read, ..TextureRef::new(texture) })
    }

    /// Index of an image as a texture, looked for when it is first asked for.
    fn image(&mut self, id: &str, material: &str, findings: &mut Vec<Finding>) -> Result<usize, Cause> {
        if let Some(&known) = self.by_image.get(id) {
            return Ok(known);
        }
        let bare = id.strip_suffix("_id").unwrap_or(id);
        let raw = self.document.images.get(id).or_else(|| self.document.images.get(bare));
        let name = raw.and_then(|r| r.name.or(r.id)).unwrap_or(id);
        let (reference, image) = match raw.map(|r| &r.data) {
            Some(ImageData::File(file)) => {
                let image = match self.archive.file(file) {
                    Some(bytes) => {
                        self.budget.memory(bytes.len() as u64)?;
                        self.lookup.embedded(bytes, material, findings)?
                    }
                    None => self.lookup.find(&[*file], material, findings)?,
                };
                ((*file).to_owned(), image)
            }
            Some(ImageData::Hex(digits)) => {
                let scratch = self.budget.scratch();
                // The digits without spaces, and the bytes in a list that grows by doubling.
                scratch.memory(2 * digits.len() as u64)?;
                let image = match unhex(digits) {
                    Some(bytes) => {
                        self.budget.memory(bytes.len() as u64)?;
                        self.lookup.embedded(&bytes, material, findings)?
                    }
                    None => {
                        let message = format!("the digits of the image `{id}` are not hexadecimal");
                        findings.push(Finding::new(&findings::TEXTURE_DAMAGED, material, message));
                        Image::Missing
                    }
                };
                (String::new(), image)
            }
            Some(ImageData::None) | None => {
                (id.to_owned(), self.lookup.find(&[id, name], material, findings)?)
            }
        };
        let index = self.textures.len();
        self.textures.push(Texture { name: name.to_owned(), reference, image });
        self.by_image.insert(id.to_owned(), index);
        Ok(index)
    }
}

fn wrap(name: Option<&str>) -> Wrap {
    match name {
        Some("MIRROR") => Wrap::Mirror,
        Some("CLAMP" | "BORDER" | "NONE") => Wrap::Clamp,
        _ => Wrap::Repeat,
    }
}

/// Roughness of a Phong or Blinn surface; one without highlights is matt.
fn roughness(effect: &Effect<'_>) -> f32 {
    let shines = match &effect.specular {
        Some(Colour::Value([r, g, b, _])) => r.max(*g).max(*b) > 0.0,
        Some(Colour::Texture(..)) => true,
        None => false,
    };
    effect.shininess.filter(|_| shines).map_or(1.0, roughness_of_exponent)
}

/// Light that can be given off: exporters write colours beyond the range, too.
fn emitted(color: Vec3) -> Vec3 {
    if color.is_finite() { color.clamp(Vec3::ZERO, Vec3::ONE) } else { Vec3::ZERO }
}

enum Alpha {
    Factor(f32),
    Texture,
}

fn alpha(effect: &Effect<'_>) -> Alpha {
    let Some((transparent, opaque)) = &effect.transparent else {
        // A factor alone is an opacity.
        return Alpha::Factor(effect.transparency.filter(|t| t.is_finite()).unwrap_or(1.0).clamp(0.0, 1.0));
    };
    let factor = effect.transparency.filter(|t| t.is_finite()).unwrap_or(1.0);
    let Colour::Value([r, g, b, a]) = transparent else { return Alpha::Texture };
    let luminance = 0.212671 * r + 0.715160 * g + 0.072169 * b;
    let alpha = match opaque {
        Opaque::AlphaOne => a * factor,
        Opaque::AlphaZero => 1.0 - a * factor,
        Opaque::RgbOne => luminance * factor,
        Opaque::RgbZero => 1.0 - luminance * factor,
    };
    // Opaque up to rounding is opaque.
    let alpha = if alpha > 0.999 { 1.0 } else { alpha };
    Alpha::Factor(alpha.clamp(0.0, 1.0))
}

fn unhex(digits: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = digits.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    let value = |digit: u8| char::from(digit).to_digit(16);
    let (pairs, []) = digits.as_chunks::<2>() else { return None };
    pairs.iter().map(|&[high, low]| u8::try_from(value(high)? * 16 + value(low)?).ok()).collect()
}
