//! Pixels to PNG.

use crate::Picture;
use png::{BitDepth, ColorType, Compression, Encoder};

/// Why a picture could not be encoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the picture cannot be encoded as PNG: {details}")]
#[non_exhaustive]
pub struct EncodeError {
    /// Message of the encoder.
    pub details: String,
}

/// The bytes of a PNG file. Fails for a picture without pixels.
pub fn encode_png(picture: &Picture) -> Result<Vec<u8>, EncodeError> {
    let mut bytes = Vec::new();
    let encoder = png_encoder(&mut bytes, picture.size());
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(picture.pixels())?;
        writer.finish()
    });
    written.map_err(|error| EncodeError { details: error.to_string() })?;
    Ok(bytes)
}

/// An encoder for pictures of a size, with the settings of [`encode_png`]: 8-bit sRGB with alpha.
pub fn png_encoder<W: std::io::Write>(out: W, (width, height): (u32, u32)) -> Encoder<'static, W> {
    let mut encoder = Encoder::new(out, width, height);
    encoder.set_color(ColorType::Rgba);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Balanced);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    encoder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_png_comes_back_as_it_was() {
        let mut picture = Picture::new(5, 3, [1, 2, 3, 255]);
        picture.fill_rect(1, 1, 2, 1, [200, 100, 50, 255]);
        let bytes = encode_png(&picture).unwrap();
        assert_eq!(crate::size(&bytes), Some([5, 3]));
        let texture = sinew::Texture { image: sinew::Image::Embedded(bytes.into()), ..Default::default() };
        assert_eq!(crate::decode(&texture), Ok(picture));
    }

    #[test]
    fn a_picture_without_pixels_is_an_error() {
        assert!(encode_png(&Picture::new(0, 4, [0; 4])).is_err());
    }
}
