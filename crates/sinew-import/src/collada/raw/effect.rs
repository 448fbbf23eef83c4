//! Images, materials and effects.

use super::source::floats;
use crate::collada::xml::{Element, local_id};
use crate::textures::BumpKind;
use std::collections::HashMap;

/// An `<image>`.
#[derive(Debug)]
pub struct Image<'d> {
    /// Unique in the document.
    pub id: Option<&'d str>,
    /// Display name.
    pub name: Option<&'d str>,
    /// Where its bytes are.
    pub data: ImageData<'d>,
}

/// Where the bytes of an image are.
#[derive(Debug)]
pub enum ImageData<'d> {
    /// In a file.
    File(&'d str),
    /// In the document, as hexadecimal digits.
    Hex(&'d str),
    /// The document does not say.
    None,
}

/// A `<material>`.
#[derive(Debug)]
pub struct Material<'d> {
    /// Unique in the document.
    pub id: Option<&'d str>,
    /// Display name.
    pub name: Option<&'d str>,
    /// Id of its effect.
    pub effect: &'d str,
}

/// A colour or a texture.
#[derive(Clone, Debug, PartialEq)]
pub enum Colour<'d> {
    /// RGBA.
    Value([f32; 4]),
    /// The name of a sampler (or image), and of the texture coordinates it takes.
    Texture(&'d str, Option<&'d str>),
}

/// Lighting model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shading {
    /// Unlit.
    Constant,
    /// Lambert, Phong or Blinn.
    Lit,
}

/// What `<transparent>` means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opaque {
    /// Alpha of one is opaque.
    AlphaOne,
    /// Alpha of zero is opaque.
    AlphaZero,
    /// White is opaque.
    RgbOne,
    /// Black is opaque.
    RgbZero,
}

/// How a texture is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sampler2d<'d> {
    /// Id of the image.
    pub image: Option<&'d str>,
    /// Name of the surface that has the image.
    pub surface: Option<&'d str>,
    /// Wrapping along U.
    pub wrap_s: Option<&'d str>,
    /// Wrapping along V.
    pub wrap_t: Option<&'d str>,
    /// Smoothing when magnified.
    pub magnify: Option<&'d str>,
}

/// A bump map.
#[derive(Debug)]
pub struct Bump<'d> {
    /// The name of a sampler (or image).
    pub texture: &'d str,
    /// Whether it holds heights or normals.
    pub kind: BumpKind,
}

/// An `<effect>`, of which the common profile is read.
#[derive(Debug, Default)]
pub struct Effect<'d> {
    /// Its lighting model; `None` if the profile has none.
    pub shading: Option<Shading>,
    /// Emission.
    pub emission: Option<Colour<'d>>,
    /// Its colour.
    pub diffuse: Option<Colour<'d>>,
    /// `transparent`, and what its alpha means.
    pub transparent: Option<(Colour<'d>, Opaque)>,
    /// Factor of `transparent`.
    pub transparency: Option<f32>,
    /// Colour of its highlights.
    pub specular: Option<Colour<'d>>,
    /// Exponent of its highlights; the larger, the smaller they are.
    pub shininess: Option<f32>,
    /// Bump map, of exporters that have their own place for it.
    pub bump: Option<Bump<'d>>,
    /// Whether backs are drawn.
    pub double_sided: bool,
    /// By name; of two with one name the first.
    samplers: HashMap<&'d str, Sampler2d<'d>>,
    surfaces: HashMap<&'d str, &'d str>,
}

impl<'d> Image<'d> {
    pub(super) fn read(element: Element<'d>) -> Self {
        let from = element.child("init_from");
        let hex = from.and_then(|f| f.child("hex")).or(element.child("data"));
        let file = from.map(|f| f.child("ref").unwrap_or(f).text().trim()).filter(|f| !f.is_empty());
        let data = match (hex, file) {
            (Some(hex), _) => ImageData::Hex(hex.text()),
            (None, Some(file)) => ImageData::File(file),
            (None, None) => ImageData::None,
        };
        Self { id: element.attribute("id"), name: element.attribute("name"), data }
    }
}

impl<'d> Material<'d> {
    pub(super) fn read(element: Element<'d>) -> Self {
        let effect = element.child("instance_effect").and_then(|e| e.reference("url"));
        Self {
            id: element.attribute("id"),
            name: element.attribute("name"),
            effect: effect.unwrap_or_default(),
        }
    }
}

impl<'d> Effect<'d> {
    pub(super) fn read(element: Element<'d>) -> Self {
        let mut effect = Self::default();
        effect.read_parameters(element);
        let double = element.descendants().find(|e| e.name() == "double_sided");
        effect.double_sided = double.is_some_and(|e| matches!(e.text().trim(), "1" | "true"));
        effect.bump = element.descendants().filter(|e| e.name() == "extra").find_map(Bump::read);
        if let Some(profile) = element.child("profile_COMMON") {
            effect.read_parameters(profile);
            if let Some(technique) = profile.child("technique") {
                effect.read_parameters(technique);
                effect.read_technique(technique);
            }
        }
        effect
    }

    fn read_parameters(&mut self, scope: Element<'d>) {
        for parameter in scope.all("newparam") {
            let Some(sid) = parameter.attribute("sid") else { continue };
            if let Some(sampler) = parameter.child("sampler2D") {
                self.samplers.entry(sid).or_insert_with(|| Sampler2d::read(sampler));
            }
            let image = parameter.child("surface").and_then(|s| s.child("init_from"));
            if let Some(from) = image {
                self.surfaces.entry(sid).or_insert(local_id(from.text()));
            }
        }
    }

    fn read_technique(&mut self, technique: Element<'d>) {
        for shader in technique.children() {
            self.shading = match shader.name() {
                "constant" => Some(Shading::Constant),
                "lambert" | "phong" | "blinn" => Some(Shading::Lit),
                _ => continue,
            };
            self.emission = shader.child("emission").and_then(Colour::read);
            self.diffuse = shader.child("diffuse").and_then(Colour::read);
            self.transparent =
                shader.child("transparent").and_then(|t| Some((Colour::read(t)?, Opaque::read(t))));
            let number = |name: &str| shader.child(name)?.child("float")?.text().trim().parse().ok();
            self.transparency = number("transparency");
            self.specular = shader.child("specular").and_then(Colour::read);
            self.shininess = number("shininess");
            return;
        }
    }

    /// A sampler by name, with the image that its surface has.
    pub fn sampler(&self, name: &str) -> Option<Sampler2d<'d>> {
        let mut sampler = *self.samplers.get(name)?;
        sampler.image = sampler.image.or_else(|| self.surface(sampler.surface?));
        Some(sampler)
    }

    /// Image of a surface.
    pub fn surface(&self, name: &str) -> Option<&'d str> {
        self.surfaces.get(name).copied()
    }
}

impl<'d> Sampler2d<'d> {
    fn read(element: Element<'d>) -> Self {
        let text = |name: &str| element.child(name).map(|e| e.text().trim());
        Self {
            image: element.child("instance_image").and_then(|i| i.reference("url")),
            surface: text("source"),
            wrap_s: text("wrap_s"),
            wrap_t: text("wrap_t"),
            magnify: text("magfilter"),
        }
    }
}

impl<'d> Bump<'d> {
    /// A bump map in an `<extra>`: `<bump>` of FCOLLADA, OpenCOLLADA and Blender, `<bumpmap>` and `<normalmap>` of others.
    fn read(extra: Element<'d>) -> Option<Self> {
        extra.descendants().find_map(|element| {
            let kind = match (element.name(), element.attribute("bumptype")) {
                ("bump" | "bumpmap", Some("HEIGHTFIELD")) => BumpKind::Heights,
                ("bump" | "bumpmap", Some("NORMALMAP")) | ("normalmap", _) => BumpKind::Normals,
                ("bump" | "bumpmap", _) => BumpKind::Unknown,
                _ => return None,
            };
            Some(Self { texture: element.child("texture")?.attribute("texture")?, kind })
        })
    }
}

impl<'d> Colour<'d> {
    fn read(element: Element<'d>) -> Option<Self> {
        if let Some(texture) = element.child("texture") {
            return Some(Self::Texture(texture.attribute("texture")?, texture.attribute("texcoord")));
        }
        let numbers = floats(element.child("color")?).ok()?;
        let part = |i: usize, missing: f32| {
            let value = numbers.get(i).map_or(missing, |&v| v as f32);
            if value.is_finite() { value.max(0.0) } else { missing }
        };
        Some(Self::Value([part(0, 0.0), part(1, 0.0), part(2, 0.0), part(3, 1.0)]))
    }
}

impl Opaque {
    fn read(element: Element<'_>) -> Self {
        match element.attribute("opaque") {
            Some("A_ZERO") => Self::AlphaZero,
            Some("RGB_ONE") => Self::RgbOne,
            Some("RGB_ZERO") => Self::RgbZero,
            _ => Self::AlphaOne,
        }
    }
}
