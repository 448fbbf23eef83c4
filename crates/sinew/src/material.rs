//! How a surface looks. Pictures are carried as they are in the source; the run time decodes nothing.

use crate::{Buffer, Text};
use glam::{Vec2, Vec3, Vec4};

/// What happens to texture coordinates outside 0…1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Wrap {
    /// The picture repeats.
    #[default]
    Repeat,
    /// The picture repeats, every other time mirrored.
    Mirror,
    /// The picture's edge goes on.
    Clamp,
}

/// How texels are read where a texture is shown larger than it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum MagFilter {
    /// Not said: smooth.
    #[default]
    Auto,
    /// The nearest texel.
    Nearest,
    /// Texels are interpolated.
    Linear,
}

/// How texels are read where a texture is shown smaller than it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum MinFilter {
    /// Not said: smooth, with mip maps.
    #[default]
    Auto,
    /// The nearest texel, without mip maps.
    Nearest,
    /// Texels are interpolated, without mip maps.
    Linear,
    /// The nearest texel of the nearest mip map.
    NearestMipNearest,
    /// Interpolated texels of the nearest mip map.
    LinearMipNearest,
    /// The nearest texels of two mip maps, interpolated.
    NearestMipLinear,
    /// Interpolated texels of two mip maps, interpolated.
    LinearMipLinear,
}

/// How a texture is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Sampler {
    /// Wrapping along U and V.
    pub wrap: [Wrap; 2],
    /// Where it is enlarged.
    pub mag: MagFilter,
    /// Where it is reduced.
    pub min: MinFilter,
}

impl Sampler {
    /// Texels without smoothing.
    pub const NEAREST: Self =
        Self { wrap: [Wrap::Repeat; 2], mag: MagFilter::Nearest, min: MinFilter::Nearest };
}

/// Change of texture coordinates: scaled, then turned, then moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UvTransform {
    /// Added at the end.
    pub offset: Vec2,
    /// Counter-clockwise, in radians, with the origin top-left.
    pub rotation: f32,
    /// Factors.
    pub scale: Vec2,
}

impl UvTransform {
    /// No change.
    pub const IDENTITY: Self = Self { offset: Vec2::ZERO, rotation: 0.0, scale: Vec2::ONE };

    /// Texture coordinates after the change.
    pub fn apply(&self, uv: Vec2) -> Vec2 {
        let (sin, cos) = libm::sincosf(self.rotation);
        let scaled = uv * self.scale;
        Vec2::new(cos * scaled.x + sin * scaled.y, cos * scaled.y - sin * scaled.x) + self.offset
    }

    /// Whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        self.offset.is_finite() && self.rotation.is_finite() && self.scale.is_finite()
    }
}

impl Default for UvTransform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

/// A texture as a material uses it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureRef {
    /// Index of the texture.
    pub texture: usize,
    /// Set of texture coordinates: 0 is [`crate::Mesh::uvs`], 1 is [`crate::Mesh::second_uvs`].
    pub uv_set: u8,
    /// Change of texture coordinates.
    pub transform: UvTransform,
    /// How it is read.
    pub sampler: Sampler,
}

impl TextureRef {
    /// A texture by the first set of texture coordinates, repeated and smooth.
    pub fn new(texture: usize) -> Self {
        Self { texture, uv_set: 0, transform: UvTransform::IDENTITY, sampler: Sampler::default() }
    }
}

/// What a surface's alpha means.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum AlphaMode {
    /// Nothing: the surface is opaque.
    #[default]
    Opaque,
    /// Below the cutoff the surface is fully transparent.
    Mask(f32),
    /// It is blended with what lies behind.
    Blend,
}

/// A surface, as glTF 2.0 describes it: metal and roughness.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Name in the source file.
    pub name: Text,
    /// Colour, linear RGBA; multiplies its texture.
    pub base_color: Vec4,
    /// Colour, sRGB, with alpha.
    pub base_color_texture: Option<TextureRef>,
    /// 0 is a dielectric such as skin or cloth, 1 a metal; multiplies blue of its texture.
    pub metallic: f32,
    /// 0 is a mirror, 1 is matt; multiplies green of its texture.
    pub roughness: f32,
    /// Metal in blue, roughness in green, linear.
    pub metallic_roughness_texture: Option<TextureRef>,
    /// Normals in tangent space, linear, Y up.
    pub normal_texture: Option<TextureRef>,
    /// Multiplies X and Y of the normal texture.
    pub normal_scale: f32,
    /// How much surrounding light reaches the surface, in red, linear.
    pub occlusion_texture: Option<TextureRef>,
    /// How much of the occlusion texture counts, 0…1.
    pub occlusion_strength: f32,
    /// Light that the surface gives off, linear RGB; multiplies its texture.
    pub emissive: Vec3,
    /// Multiplies the emitted light.
    pub emissive_strength: f32,
    /// Emitted light, sRGB.
    pub emissive_texture: Option<TextureRef>,
    /// What alpha means.
    pub alpha: AlphaMode,
    /// How much light passes through the surface instead of being scattered by it, 0…1: glass has 1.
    pub transmission: f32,
    /// Whether the back of a triangle is drawn too.
    pub two_sided: bool,
    /// Whether light has no effect on it.
    pub unlit: bool,
}

impl Material {
    /// Its textures: base colour, metal and roughness, normal, occlusion, emission.
    pub fn textures(&self) -> [Option<&TextureRef>; 5] {
        [
            self.base_color_texture.as_ref(),
            self.metallic_roughness_texture.as_ref(),
            self.normal_texture.as_ref(),
            self.occlusion_texture.as_ref(),
            self.emissive_texture.as_ref(),
        ]
    }

    /// Its textures in the order of [`Material::textures`], to be changed.
    pub fn textures_mut(&mut self) -> [Option<&mut TextureRef>; 5] {
        [
            self.base_color_texture.as_mut(),
            self.metallic_roughness_texture.as_mut(),
            self.normal_texture.as_mut(),
            self.occlusion_texture.as_mut(),
            self.emissive_texture.as_mut(),
        ]
    }
}

/// White, matt, opaque, without textures.
impl Default for Material {
    fn default() -> Self {
        Self {
            name: Text::default(),
            base_color: Vec4::ONE,
            base_color_texture: None,
            metallic: 0.0,
            roughness: 1.0,
            metallic_roughness_texture: None,
            normal_texture: None,
            normal_scale: 1.0,
            occlusion_texture: None,
            occlusion_strength: 1.0,
            emissive: Vec3::ZERO,
            emissive_strength: 1.0,
            emissive_texture: None,
            alpha: AlphaMode::Opaque,
            transmission: 0.0,
            two_sided: false,
            unlit: false,
        }
    }
}

/// A picture that materials refer to.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Texture {
    /// Name in the source file.
    pub name: String,
    /// What the source file wrote as its path.
    pub reference: String,
    /// Where its bytes are.
    pub image: Image,
}

/// Where the bytes of a picture are.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Image {
    /// It was not found.
    #[default]
    Missing,
    /// In a file at this path.
    File(std::path::PathBuf),
    /// Inside the source file: an encoded picture (PNG, JPEG, …).
    Embedded(Buffer<u8>),
}
