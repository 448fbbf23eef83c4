//! Effects: the shaders of the framework with their parameters.

use crate::cursor::Cursor;
use crate::error::XnbError;
use crate::output::Output;
use crate::readers::Kind;

/// What `SkinnedEffect` is given.
#[derive(Clone, Debug, PartialEq)]
pub struct SkinnedEffect {
    /// Path of the texture, relative to the file, without extension; empty for none.
    pub texture: String,
    /// Weights of a vertex that count: 1, 2 or 4.
    pub weights_per_vertex: u32,
    /// Colour.
    pub diffuse: [f32; 3],
    /// Light that it gives off.
    pub emissive: [f32; 3],
    /// Colour of highlights.
    pub specular: [f32; 3],
    /// Sharpness of highlights.
    pub specular_power: f32,
    /// Opacity.
    pub alpha: f32,
}

/// What `BasicEffect` is given.
#[derive(Clone, Debug, PartialEq)]
pub struct BasicEffect {
    /// Path of the texture, relative to the file, without extension; empty for none.
    pub texture: String,
    /// Colour.
    pub diffuse: [f32; 3],
    /// Light that it gives off.
    pub emissive: [f32; 3],
    /// Colour of highlights.
    pub specular: [f32; 3],
    /// Sharpness of highlights.
    pub specular_power: f32,
    /// Opacity.
    pub alpha: f32,
    /// Whether the colours of vertices count.
    pub vertex_color: bool,
}

/// An effect.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Effect {
    /// Draws skinned meshes.
    Skinned(SkinnedEffect),
    /// Draws all others.
    Basic(BasicEffect),
    /// Another effect of the framework, of which what is common to all is kept.
    Other {
        /// Name of its reader.
        reader: String,
        /// Path of its texture; empty for none.
        texture: String,
        /// Colour.
        diffuse: [f32; 3],
        /// Opacity.
        alpha: f32,
    },
}

impl Effect {
    /// Path of its texture, relative to the file, without extension; empty for none.
    pub fn texture(&self) -> &str {
        match self {
            Self::Skinned(effect) => &effect.texture,
            Self::Basic(effect) => &effect.texture,
            Self::Other { texture, .. } => texture,
        }
    }

    pub(crate) fn kind(&self) -> Option<Kind> {
        match self {
            Self::Skinned(_) => Some(Kind::SkinnedEffect),
            Self::Basic(_) => Some(Kind::BasicEffect),
            Self::Other { .. } => None,
        }
    }

    pub(crate) fn skinned(cursor: &mut Cursor<'_>) -> Result<Self, XnbError> {
        Ok(Self::Skinned(SkinnedEffect {
            texture: cursor.string("the texture of an effect")?,
            weights_per_vertex: cursor.u32("weights per vertex")?,
            diffuse: cursor.floats("a colour")?,
            emissive: cursor.floats("a colour")?,
            specular: cursor.floats("a colour")?,
            specular_power: cursor.f32("a specular power")?,
            alpha: cursor.f32("an alpha")?,
        }))
    }

    pub(crate) fn basic(cursor: &mut Cursor<'_>) -> Result<Self, XnbError> {
        Ok(Self::Basic(BasicEffect {
            texture: cursor.string("the texture of an effect")?,
            diffuse: cursor.floats("a colour")?,
            emissive: cursor.floats("a colour")?,
            specular: cursor.floats("a colour")?,
            specular_power: cursor.f32("a specular power")?,
            alpha: cursor.f32("an alpha")?,
            vertex_color: cursor.bool("whether vertices have colours")?,
        }))
    }

    /// An effect of another kind of the framework.
    pub(crate) fn other(cursor: &mut Cursor<'_>, kind: &Kind, reader: &str) -> Result<Self, XnbError> {
        let texture = cursor.string("the texture of an effect")?;
        let (diffuse, alpha);
        match kind {
            Kind::AlphaTestEffect => {
                cursor.take("an alpha test", 8)?;
                diffuse = cursor.floats("a colour")?;
                alpha = cursor.f32("an alpha")?;
                cursor.bool("whether vertices have colours")?;
            }
            Kind::DualTextureEffect => {
                cursor.string("the second texture of an effect")?;
                diffuse = cursor.floats("a colour")?;
                alpha = cursor.f32("an alpha")?;
                cursor.bool("whether vertices have colours")?;
            }
            _ => {
                cursor.string("the environment of an effect")?;
                cursor.take("an environment", 4 + 12 + 4)?;
                diffuse = cursor.floats("a colour")?;
                cursor.floats::<3>("a colour")?;
                alpha = cursor.f32("an alpha")?;
            }
        }
        Ok(Self::Other { reader: reader.to_owned(), texture, diffuse, alpha })
    }

    pub(crate) fn write(&self, output: &mut Output) -> Result<(), XnbError> {
        match self {
            Self::Skinned(effect) => {
                output.string(&effect.texture)?;
                output.u32(effect.weights_per_vertex);
                output.floats(&effect.diffuse);
                output.floats(&effect.emissive);
                output.floats(&effect.specular);
                output.f32(effect.specular_power);
                output.f32(effect.alpha);
            }
            Self::Basic(effect) => {
                output.string(&effect.texture)?;
                output.floats(&effect.diffuse);
                output.floats(&effect.emissive);
                output.floats(&effect.specular);
                output.f32(effect.specular_power);
                output.f32(effect.alpha);
                output.u8(effect.vertex_color.into());
            }
            Self::Other { reader, .. } => {
                return Err(crate::error::invalid(format!("an effect of `{reader}` is not written")));
            }
        }
        Ok(())
    }
}
