//! Materials as effects, and their pictures as textures.

use super::geometry::{Surface, Written};
use crate::names::Names;
use crate::textures::Textures;
use glam::Vec3;
use sinew::{AlphaMode, Character, Finding, Image, Material, Sampler, Texture, TextureRef, Wrap};
use sinew_files::Files;
use sinew_findings::catalogue::build as findings;
use sinew_image::{ColorSpace, Picture, encode_srgb, halved};
use sinew_xnb::{BasicEffect, Effect, Shared, SkinnedEffect, SurfaceFormat, Texture2d};
use std::collections::HashMap;

/// Longest side of a texture in the profile Reach, and in HiDef.
pub(super) const REACH_SIDE: u32 = 2048;
const HIDEF_SIDE: u32 = 4096;

/// A texture that is written beside the model.
pub(super) struct TextureFile {
    /// Its path, relative to the model's folder, without extension.
    pub asset: String,
    pub picture: Picture,
    /// Whether it is repeated.
    pub wraps: bool,
    /// Where it is used, for findings.
    place: String,
}

/// Effects and textures.
pub(super) struct Surfaces<'a> {
    character: &'a Character,
    textures: &'a Textures,
    files: &'a dyn Files,
    names: Names,
    /// By the texture's index, and whether its alpha counts; none if it cannot be read.
    known: HashMap<(usize, bool), Option<usize>>,
    white: Option<usize>,
    pub written: Vec<TextureFile>,
}

impl<'a> Surfaces<'a> {
    /// Textures go into a folder.
    pub fn new(character: &'a Character, textures: &'a Textures, files: &'a dyn Files, folder: &str) -> Self {
        let (names, known) = (Names::new(&format!("{folder}/textures")), HashMap::new());
        Self { character, textures, files, names, known, white: None, written: Vec::new() }
    }

    /// Gives every part its effect. Parts with equal needs share one.
    pub fn apply(&mut self, geometry: &mut Written, findings: &mut Vec<Finding>) {
        let mut effects: HashMap<Surface, usize> = HashMap::new();
        let parts = geometry.meshes.iter_mut().flat_map(|mesh| &mut mesh.parts);
        for (part, &surface) in parts.zip(&geometry.surfaces) {
            let effect = *effects.entry(surface).or_insert_with(|| {
                geometry.shared.push(Shared::Effect(self.effect(surface, findings)));
                geometry.shared.len() - 1
            });
            part.effect = Some(effect);
        }
        for material in self.character.materials() {
            report(material, geometry, self.character, findings);
        }
    }

    fn effect(&mut self, surface: Surface, findings: &mut Vec<Finding>) -> Effect {
        let plain = Material::default();
        let material =
            surface.material.and_then(|index| self.character.materials().get(index)).unwrap_or(&plain);
        let texture = match self.texture(material, findings) {
            Some(texture) => Some(texture),
            // SkinnedEffect always samples.
            None if surface.skinned => Some(self.white()),
            None => None,
        };
        let texture = texture.map_or(String::new(), |index| self.written[index].asset.clone());
        let Colors { diffuse, emissive, specular, specular_power } = Colors::of(material);
        let alpha = match material.alpha {
            AlphaMode::Opaque => 1.0,
            _ => material.base_color.w.clamp(0.0, 1.0),
        };
        if surface.skinned {
            let weights_per_vertex = 4;
            Effect::Skinned(SkinnedEffect {
                texture,
                weights_per_vertex,
                diffuse,
                emissive,
                specular,
                specular_power,
                alpha,
            })
        } else {
            let vertex_color = surface.colors;
            Effect::Basic(BasicEffect {
                texture,
                diffuse,
                emissive,
                specular,
                specular_power,
                alpha,
                vertex_color,
            })
        }
    }

    /// The texture of a material's colour.
    fn texture(&mut self, material: &Material, findings: &mut Vec<Finding>) -> Option<usize> {
        let texture = material.base_color_texture?;
        let opaque = material.alpha == AlphaMode::Opaque;
        let place = format!("material `{}`", material.name);
        let known = match self.known.get(&(texture.texture, opaque)) {
            Some(&known) => known,
            None => {
                let written = self.add(&texture, opaque, &place, findings);
                self.known.insert((texture.texture, opaque), written);
                written
            }
        };
        if let Some(index) = known {
            self.written[index].wraps |= texture.sampler.wrap.iter().any(|&wrap| wrap != Wrap::Clamp);
        }
        known
    }

    fn add(
        &mut self,
        used: &TextureRef,
        opaque: bool,
        place: &str,
        findings: &mut Vec<Finding>,
    ) -> Option<usize> {
        let texture = &self.character.textures()[used.texture];
        if *self.textures == Textures::Omit {
            return None;
        }
        let image = match &texture.image {
            Image::File(path) => match self.files.read(path, u64::MAX) {
                Ok(content) => Image::Embedded(content.to_vec().into()),
                Err(_) => Image::File(path.clone()),
            },
            other => other.clone(),
        };
        let read = sinew_image::decode(&Texture { image, ..texture.clone() });
        let picture = match read {
            Ok(picture) => picture,
            Err(error) => {
                let message = format!("{error}; the texture is white");
                findings.push(Finding::new(&findings::MONOGAME_TEXTURE_UNREADABLE, place, message));
                return None;
            }
        };
        let picture = if opaque { with_full_alpha(&picture) } else { picture };
        let asset = self.names.unique(&stem(texture));
        self.written.push(TextureFile { asset, picture, wraps: false, place: place.to_owned() });
        Some(self.written.len() - 1)
    }

    /// The texture of what has none.
    fn white(&mut self) -> usize {
        *self.white.get_or_insert_with(|| {
            let asset = self.names.unique("white");
            let picture = Picture::new(1, 1, [255; 4]);
            self.written.push(TextureFile { asset, picture, wraps: false, place: String::new() });
            self.written.len() - 1
        })
    }
}

impl TextureFile {
    /// Whether the profile Reach can show it: small enough, and repeated only if its sides are powers of two.
    pub fn fits_reach(&self) -> bool {
        self.picture.width().max(self.picture.height()) <= REACH_SIDE
            && (self.has_powers_of_two() || !self.wraps)
    }

    fn has_powers_of_two(&self) -> bool {
        self.picture.width().is_power_of_two() && self.picture.height().is_power_of_two()
    }

    /// The texture with its mip maps, where the profile allows them.
    pub fn texture(&self, reach: bool, findings: &mut Vec<Finding>) -> Texture2d {
        let (width, height) = self.picture.size();
        let longest = if reach { REACH_SIDE } else { HIDEF_SIDE };
        if width.max(height) > longest {
            let message = format!("{width} x {height} texels, where {longest} a side are allowed");
            findings.push(Finding::new(&findings::MONOGAME_TEXTURE_SIZE, &self.place, message));
        }
        let mips = !reach || self.has_powers_of_two();
        if !mips && self.wraps {
            let message = format!("{width} x {height} texels");
            findings.push(Finding::new(&findings::MONOGAME_REACH_WRAP, &self.place, message));
        }
        let mut levels = vec![premultiplied(&self.picture)];
        let mut level = self.picture.clone();
        while mips && level.size() != (1, 1) {
            level = halved(&level, ColorSpace::Srgb);
            levels.push(premultiplied(&level));
        }
        Texture2d { format: SurfaceFormat::Color, width, height, levels }
    }
}

/// Colours times alpha, as they are blended by default.
fn premultiplied(picture: &Picture) -> Vec<u8> {
    let times = |color: u8, alpha: u8| ((u16::from(color) * u16::from(alpha) + 127) / 255) as u8;
    let pixels = picture.pixels().as_chunks::<4>().0.iter();
    pixels.flat_map(|&[r, g, b, a]| [times(r, a), times(g, a), times(b, a), a]).collect()
}

/// An opaque surface ignores its texture's alpha.
fn with_full_alpha(picture: &Picture) -> Picture {
    let pixels = picture.pixels().as_chunks::<4>().0.iter().flat_map(|&[r, g, b, _]| [r, g, b, 255]);
    Picture::from_pixels(picture.width(), picture.height(), pixels.collect())
        .unwrap_or_else(|| picture.clone())
}

/// The name of a texture's file: as the source calls the picture, without folders and extension.
fn stem(texture: &Texture) -> String {
    let reference = if texture.reference.is_empty() { &texture.name } else { &texture.reference };
    let name = reference.rsplit(['/', '\\']).next().unwrap_or_default();
    name.split_once('.').map_or(name, |(stem, _)| stem).to_owned()
}

/// Colours of an effect, as they are seen.
struct Colors {
    diffuse: [f32; 3],
    emissive: [f32; 3],
    specular: [f32; 3],
    specular_power: f32,
}

impl Colors {
    fn of(material: &Material) -> Self {
        let base = material.base_color.truncate();
        let light = material.emissive * material.emissive_strength;
        // Without light on it, a surface shows what it gives off.
        let (diffuse, emissive) = if material.unlit { (Vec3::ZERO, base + light) } else { (base, light) };
        // The rougher, the wider and weaker is the highlight; a matt surface has none.
        let smooth = 1.0 - material.roughness.clamp(0.0, 1.0);
        let specular = if material.unlit { 0.0 } else { smooth * smooth };
        let width = (material.roughness * material.roughness).max(0.05);
        let specular_power = (2.0 / (width * width) - 2.0).clamp(1.0, 256.0);
        Self { diffuse: seen(diffuse), emissive: seen(emissive), specular: [specular; 3], specular_power }
    }
}

/// From linear to sRGB: the framework's effects compute with colours as they are seen.
fn seen(color: Vec3) -> [f32; 3] {
    color.to_array().map(encode_srgb)
}

/// What of a material has no place in an effect.
fn report(material: &Material, geometry: &Written, character: &Character, findings: &mut Vec<Finding>) {
    let is_it = |surface: &&Surface| {
        surface
            .material
            .and_then(|index| character.materials().get(index))
            .is_some_and(|m| std::ptr::eq(m, material))
    };
    let Some(surface) = geometry.surfaces.iter().find(is_it) else { return };
    let place = format!("material `{}`", material.name);
    let mut say = |kind, message: String| findings.push(Finding::new(kind, &place, message));
    let kinds = ["colour", "roughness", "normal", "occlusion", "emission"];
    let dropped: Vec<&str> = material
        .textures()
        .iter()
        .zip(kinds)
        .skip(1)
        .filter(|(texture, _)| texture.is_some())
        .map(|(_, kind)| kind)
        .collect();
    if !dropped.is_empty() {
        say(&findings::MONOGAME_TEXTURE_DROPPED, format!("left out: {}", dropped.join(", ")));
    }
    if let AlphaMode::Mask(cutoff) = material.alpha {
        let how = if surface.skinned { "blended by SkinnedEffect" } else { "blended by BasicEffect" };
        say(&findings::MONOGAME_ALPHA_TEST, format!("cut out below an alpha of {cutoff}, {how}"));
    }
    if material.two_sided {
        say(&findings::MONOGAME_TWO_SIDED, "back faces are hidden by default".to_owned());
    }
    let default = Sampler::default().wrap;
    if let Some(texture) = material.base_color_texture.filter(|texture| texture.sampler.wrap != default) {
        let [u, v] = texture.sampler.wrap.map(|wrap| match wrap {
            Wrap::Repeat => "repeat",
            Wrap::Mirror => "mirror",
            Wrap::Clamp => "clamp",
        });
        say(&findings::MONOGAME_SAMPLER, format!("its texture asks for {u} along U and {v} along V"));
    }
}
