//! Textures as pictures.

use crate::Cause;
use sinew_image::Picture;
use sinew_xnb::{SurfaceFormat, Texture2d};

/// A texture as an encoded picture, and whether parts of it are transparent.
pub(super) fn encoded(texture: &Texture2d) -> Result<(Vec<u8>, bool), Cause> {
    let wrong = |what: String| Cause::malformed(what, "texture");
    let level = texture.levels.first().map_or(&[][..], Vec::as_slice);
    let code = match texture.format {
        SurfaceFormat::Color => {
            let pixels = straight(level);
            let transparent = pixels.as_chunks::<4>().0.iter().any(|&[.., a]| a < 255);
            let picture = Picture::from_pixels(texture.width, texture.height, pixels);
            let picture = picture.filter(|picture| picture.width() > 0 && picture.height() > 0);
            let picture = picture.ok_or_else(|| wrong("has another size than its texels".to_owned()))?;
            let png = sinew_image::encode_png(&picture).map_err(|error| wrong(error.to_string()))?;
            return Ok((png, transparent));
        }
        SurfaceFormat::Dxt1 => b"DXT1",
        SurfaceFormat::Dxt3 => b"DXT3",
        SurfaceFormat::Dxt5 => b"DXT5",
        other => return Err(wrong(format!("has the format {other:?}, which is not read"))),
    };
    Ok((dds(texture, code, level), texture.format != SurfaceFormat::Dxt1))
}

/// Colours without the alpha that they were multiplied by.
fn straight(level: &[u8]) -> Vec<u8> {
    let divided = |color: u8, alpha: u8| {
        let alpha = u16::from(alpha.max(1));
        ((u16::from(color) * 255 + alpha / 2) / alpha).min(255) as u8
    };
    level
        .as_chunks::<4>()
        .0
        .iter()
        .flat_map(|&[r, g, b, a]| [divided(r, a), divided(g, a), divided(b, a), a])
        .collect()
}

/// The largest level as a DDS file.
fn dds(texture: &Texture2d, code: &[u8; 4], level: &[u8]) -> Vec<u8> {
    let mut words = [0u32; 31];
    // Size of the header, which fields count, height, width; then the pixel format: its size, that it has a code; that it is a texture.
    for (at, word) in
        [(0, 124), (1, 0x1007), (2, texture.height), (3, texture.width), (18, 32), (19, 4), (26, 0x1000)]
    {
        if let Some(place) = words.get_mut(at) {
            *place = word;
        }
    }
    if let Some(place) = words.get_mut(20) {
        *place = u32::from_le_bytes(*code);
    }
    let mut file = b"DDS ".to_vec();
    file.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    file.extend(level);
    file
}
