//! `KHR_materials_pbrSpecularGlossiness` as metal and roughness, pixel by pixel where it has textures.

use super::json;
use crate::shading::{MetalSurface, SpecularSurface};
use crate::textures::{Lookup, embedded};
use crate::{Budget, Cause, findings};
use glam::{Vec3, Vec4};
use sinew::{Finding, Material, Texture, TextureRef};
use sinew_image::{Picture, to_linear, to_srgb};
use std::collections::HashMap;

/// Steps of converting one pixel, encoding it included.
const PIXEL_STEPS: u64 = 25;

/// Converts materials, and adds the pictures that this makes.
pub(super) struct Converter<'a> {
    lookup: &'a Lookup<'a>,
    budget: &'a Budget<'a>,
    textures: &'a mut Vec<Texture>,
    /// What pairs of textures have become with given factors.
    done: HashMap<Key, [usize; 2]>,
    /// The pair that was decoded last: materials often differ in factors alone.
    decoded: Option<Decoded<'a>>,
}

/// Textures of diffuse colour and of specular and glossiness, decoded.
struct Decoded<'a> {
    sources: [Option<usize>; 2],
    pictures: [Option<Picture>; 2],
    /// Counts their memory for as long as they are held.
    _memory: Budget<'a>,
}

/// Textures of diffuse colour and of specular and glossiness, and the bits of the factors.
type Key = ([Option<usize>; 2], [u32; 8]);

impl<'a> Converter<'a> {
    pub(super) fn new(
        lookup: &'a Lookup<'a>,
        budget: &'a Budget<'a>,
        textures: &'a mut Vec<Texture>,
    ) -> Self {
        Self { lookup, budget, textures, done: HashMap::new(), decoded: None }
    }

    /// Converts a material that shows the textures of the extension in place of base colour and of metal and roughness.
    pub(super) fn convert(
        &mut self,
        specular: &json::SpecularGlossiness,
        material: &mut Material,
        place: String,
        findings: &mut Vec<Finding>,
    ) {
        let factors = factors(specular);
        let (diffuse, gloss) = (material.base_color_texture, material.metallic_roughness_texture.take());
        let metal = factors.to_metal();
        material.base_color = metal.base_color;
        material.metallic = metal.metallic;
        material.roughness = metal.roughness;
        if let Some(shown) = diffuse.or(gloss) {
            match self.paint(diffuse, gloss, &factors) {
                Ok([color, metal]) => {
                    material.base_color_texture = Some(TextureRef { texture: color, ..shown });
                    material.metallic_roughness_texture = Some(TextureRef { texture: metal, ..shown });
                    (material.base_color, material.metallic, material.roughness) = (Vec4::ONE, 1.0, 1.0);
                }
                Err(why) => {
                    let message =
                        format!("its textures of specular and glossiness were not converted: {why}");
                    findings.push(Finding::new(&findings::TEXTURE_NOT_CONVERTED, place.as_str(), message));
                }
            }
        }
        let message = "specular and glossiness were converted to metal and roughness";
        findings.push(Finding::new(&findings::MATERIAL_CONVERTED, place, message));
    }

    /// The textures of base colour and of metal and roughness, or why they cannot be made.
    fn paint(
        &mut self,
        diffuse: Option<TextureRef>,
        gloss: Option<TextureRef>,
        factors: &SpecularSurface,
    ) -> Result<[usize; 2], String> {
        if let (Some(a), Some(b)) = (diffuse, gloss)
            && (a.uv_set != b.uv_set || a.transform != b.transform)
        {
            return Err("they have different texture coordinates".into());
        }
        let sources = [diffuse, gloss].map(|texture| texture.map(|texture| texture.texture));
        let SpecularSurface { diffuse, specular, glossiness } = factors;
        let [x, y, z, w] = diffuse.to_array();
        let [r, g, b] = specular.to_array();
        let key = (sources, [x, y, z, w, r, g, b, *glossiness].map(f32::to_bits));
        if let Some(&done) = self.done.get(&key) {
            return Ok(done);
        }
        // A limit that is met here costs the textures, not the file.
        let made = self.pictures(sources, factors).map_err(|cause| cause.to_string())??;
        let first = self.textures.len();
        self.textures.extend(made);
        let made = [first, first + 1];
        self.done.insert(key, made);
        Ok(made)
    }

    /// Decodes a pair of textures, unless it is the one that was decoded last.
    fn decode(
        &mut self,
        sources: [Option<usize>; 2],
    ) -> Result<Result<&[Option<Picture>; 2], String>, Cause> {
        if self.decoded.as_ref().is_none_or(|decoded| decoded.sources != sources) {
            self.decoded = None;
            let memory = self.budget.scratch();
            let mut pictures = [None, None];
            for (picture, source) in pictures.iter_mut().zip(sources) {
                let Some(texture) = source.and_then(|source| self.textures.get(source)) else { continue };
                match self.lookup.pixels(texture, &memory)? {
                    Ok(pixels) => *picture = Some(pixels),
                    Err(why) => return Ok(Err(why)),
                }
            }
            self.decoded = Some(Decoded { sources, pictures, _memory: memory });
        }
        const NONE: &[Option<Picture>; 2] = &[None, None];
        Ok(Ok(self.decoded.as_ref().map_or(NONE, |decoded| &decoded.pictures)))
    }

    fn pictures(
        &mut self,
        sources: [Option<usize>; 2],
        factors: &SpecularSurface,
    ) -> Result<Result<[Texture; 2], String>, Cause> {
        let budget = self.budget;
        let pictures = match self.decode(sources)? {
            Ok(pictures) => pictures,
            Err(why) => return Ok(Err(why)),
        };
        let size = pictures.iter().flatten().map(Picture::size);
        let (width, height) = size.reduce(|a, b| (a.0.max(b.0), a.1.max(b.1))).unwrap_or((1, 1));
        let pixels = u64::from(width) * u64::from(height);
        budget.steps(pixels.saturating_mul(PIXEL_STEPS))?;
        let scratch = budget.scratch();
        scratch.memory(pixels.saturating_mul(4 * pictures.len() as u64))?;
        let [mut color, mut metal] = pictures.each_ref().map(|picture| match picture {
            Some(picture) => picture.resized(width, height),
            None => Picture::new(width, height, [255; 4]),
        });
        let pairs = color.pixels_mut().chunks_exact_mut(4).zip(metal.pixels_mut().chunks_exact_mut(4));
        for (color, metal) in pairs {
            Self::pixel(color, metal, factors);
        }
        let name = |what: &str| {
            let names = sources.iter().flatten().filter_map(|&source| self.textures.get(source));
            format!("{} ({what})", names.map(|texture| texture.name.as_str()).next().unwrap_or_default())
        };
        let color = embedded(name("base colour"), &color, self.budget)?;
        Ok(Ok([color, embedded(name("metal and roughness"), &metal, self.budget)?]))
    }

    /// Turns a pixel of diffuse colour and one of specular and glossiness into base colour and into metal and roughness.
    fn pixel(color: &mut [u8], metal: &mut [u8], factors: &SpecularSurface) {
        let (&mut [r, g, b, a], &mut [sr, sg, sb, gloss]) = (&mut *color, &mut *metal) else { return };
        let linear = |r, g, b| Vec3::from_array([r, g, b].map(to_linear));
        let surface = SpecularSurface {
            diffuse: linear(r, g, b).extend(f32::from(a) / 255.0) * factors.diffuse,
            specular: linear(sr, sg, sb) * factors.specular,
            glossiness: f32::from(gloss) / 255.0 * factors.glossiness,
        };
        let MetalSurface { base_color, metallic, roughness } = surface.to_metal();
        let [r, g, b] = base_color.truncate().to_array().map(to_srgb);
        color.copy_from_slice(&[r, g, b, byte(base_color.w)]);
        metal.copy_from_slice(&[255, byte(roughness), byte(metallic), 255]);
    }
}

fn byte(value: f32) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0).round() as u8
}

fn factors(specular: &json::SpecularGlossiness) -> SpecularSurface {
    let color = specular.specular_factor.map(Vec3::from_array);
    SpecularSurface {
        diffuse: super::material::vector(specular.diffuse_factor, Vec4::ONE),
        specular: color.filter(|color| color.is_finite()).unwrap_or(Vec3::ONE),
        glossiness: super::material::finite(specular.glossiness_factor, 1.0),
    }
}
