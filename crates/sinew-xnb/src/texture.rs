//! Two-dimensional textures.

use crate::cursor::{Cursor, Item};
use crate::error::XnbError;
use crate::output::Output;

/// How texels are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SurfaceFormat {
    /// Red, green, blue and alpha, a byte each; colours are multiplied by alpha.
    Color,
    /// Compressed, as in DDS: `DXT1`.
    Dxt1,
    /// Compressed, as in DDS: `DXT3`.
    Dxt3,
    /// Compressed, as in DDS: `DXT5`.
    Dxt5,
    /// Another one, by its number.
    Other(i32),
}

impl SurfaceFormat {
    fn of(number: i32, version: u8) -> Self {
        match (version, number) {
            // XNA 3 numbered as Direct3D did.
            (4, 1) => Self::Color,
            (4, 28) => Self::Dxt1,
            (4, 30) => Self::Dxt3,
            (4, 32) => Self::Dxt5,
            (5, 0) => Self::Color,
            (5, 4) => Self::Dxt1,
            (5, 5) => Self::Dxt3,
            (5, 6) => Self::Dxt5,
            _ => Self::Other(number),
        }
    }

    fn number(self) -> i32 {
        match self {
            Self::Color => 0,
            Self::Dxt1 => 4,
            Self::Dxt3 => 5,
            Self::Dxt5 => 6,
            Self::Other(number) => number,
        }
    }
}

/// A texture with its mip maps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texture2d {
    /// How its texels are stored.
    pub format: SurfaceFormat,
    /// Width of the largest level.
    pub width: u32,
    /// Height of the largest level.
    pub height: u32,
    /// The levels, the largest first.
    pub levels: Vec<Vec<u8>>,
}

impl Texture2d {
    pub(crate) fn read(cursor: &mut Cursor<'_>, version: u8) -> Result<Self, XnbError> {
        let format = SurfaceFormat::of(cursor.i32("the format of a texture")?, version);
        let width = cursor.u32("the width of a texture")?;
        let height = cursor.u32("the height of a texture")?;
        let count = cursor.u32("the number of levels of a texture")? as usize;
        let levels = cursor.items(count, &Item { what: "levels of a texture", least: 4 }, |cursor| {
            let size = cursor.u32("the size of a level")? as usize;
            cursor.bytes("a level", size)
        })?;
        Ok(Self { format, width, height, levels })
    }

    pub(crate) fn write(&self, output: &mut Output) -> Result<(), XnbError> {
        output.i32(self.format.number());
        output.u32(self.width);
        output.u32(self.height);
        output.count("levels of a texture", self.levels.len())?;
        for level in &self.levels {
            output.count("bytes of a level", level.len())?;
            output.bytes(level);
        }
        Ok(())
    }
}
