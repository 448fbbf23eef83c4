//! How a surface looks. Pictures are carried as they are in the source; the run time decodes nothing.

use glam::Vec4;

/// What happens to texture coordinates outside 0…1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Wrap {
    /// The picture repeats.
    #[default]
    Repeat,
    /// The picture repeats, every other time mirrored.
    Mirror,
    /// The picture's edge goes on.
    Clamp,
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

/// A surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Name in the source file.
    pub name: String,
    /// Colour, linear RGBA; multiplies the texture.
    pub base_color: Vec4,
    /// Index of the texture, if any.
    pub texture: Option<usize>,
    /// Wrapping along U and V.
    pub wrap: [Wrap; 2],
    /// Whether texels are shown without smoothing.
    pub nearest: bool,
    /// What alpha means.
    pub alpha: AlphaMode,
    /// Whether the back of a triangle is drawn too.
    pub two_sided: bool,
    /// Whether light has no effect on it.
    pub unlit: bool,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            name: String::new(),
            base_color: Vec4::ONE,
            texture: None,
            wrap: [Wrap::Repeat; 2],
            nearest: false,
            alpha: AlphaMode::Opaque,
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
    Embedded(Vec<u8>),
}
