//! PNG, still and animated.

use super::{changed, checked, cut, write_whole};
use crate::{Picture, RenderError};
use png::{BitDepth, BlendOp, ColorType, Compression, DisposeOp, Encoder, EncodingError};
use std::path::Path;

const LARGEST: u32 = 1 << 20;

/// Writes a PNG file.
pub fn write_png(path: &Path, picture: &Picture) -> Result<(), RenderError> {
    write_whole(path, &encode_png(picture)?)
}

/// Writes an animated PNG file, which plays for ever.
pub fn write_apng(path: &Path, frames: &[Picture], fps: f64) -> Result<(), RenderError> {
    write_whole(path, &encode_apng(frames, fps)?)
}

/// The bytes of a PNG file.
pub fn encode_png(picture: &Picture) -> Result<Vec<u8>, RenderError> {
    let (width, height) = checked(std::slice::from_ref(picture), LARGEST)?;
    let mut bytes = Vec::new();
    let written = encoder(&mut bytes, width, height).write_header().and_then(|mut writer| {
        writer.write_image_data(picture.pixels())?;
        writer.finish()
    });
    written.map_err(refused)?;
    Ok(bytes)
}

/// The bytes of an animated PNG file, which plays for ever.
pub fn encode_apng(frames: &[Picture], fps: f64) -> Result<Vec<u8>, RenderError> {
    let (width, height) = checked(frames, LARGEST)?;
    let mut bytes = Vec::new();
    encode_frames(&mut bytes, frames, (width, height), delay(fps)).map_err(refused)?;
    Ok(bytes)
}

fn encoder(bytes: &mut Vec<u8>, width: u32, height: u32) -> Encoder<'static, &mut Vec<u8>> {
    let mut encoder = Encoder::new(bytes, width, height);
    encoder.set_color(ColorType::Rgba);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Balanced);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    encoder
}

/// After the first frame only what changed is written, in place of what was there.
fn encode_frames(
    bytes: &mut Vec<u8>,
    frames: &[Picture],
    (width, height): (u32, u32),
    (numerator, denominator): (u16, u16),
) -> Result<(), EncodingError> {
    let mut encoder = encoder(bytes, width, height);
    encoder.set_animated(frames.len() as u32, 0)?;
    encoder.set_frame_delay(numerator, denominator)?;
    encoder.set_blend_op(BlendOp::Source)?;
    encoder.set_dispose_op(DisposeOp::None)?;
    let mut writer = encoder.write_header()?;
    let mut before: Option<&Picture> = None;
    for frame in frames {
        let Some(last) = before.replace(frame) else {
            writer.write_image_data(frame.pixels())?;
            continue;
        };
        let pixels = |picture: &Picture| -> Vec<[u8; 4]> { picture.pixels().as_chunks().0.to_vec() };
        let (old, new) = (pixels(last), pixels(frame));
        let rect = changed(&old, &new, width as usize);
        // Position before size: the encoder wants the frame to lie inside the picture at all times.
        writer.reset_frame_position()?;
        writer.set_frame_dimension(rect.2 as u32, rect.3 as u32)?;
        writer.set_frame_position(rect.0 as u32, rect.1 as u32)?;
        writer.write_image_data(cut(&new, width as usize, rect).as_flattened())?;
    }
    writer.finish()
}

/// Seconds between frames as a fraction.
fn delay(fps: f64) -> (u16, u16) {
    let fps = if fps.is_finite() { fps.clamp(0.01, 1000.0) } else { 25.0 };
    if fps.fract() == 0.0 { (1, fps as u16) } else { ((10_000.0 / fps).round().min(65_535.0) as u16, 10_000) }
}

fn refused(error: EncodingError) -> RenderError {
    RenderError::Encode { format: "PNG", details: error.to_string() }
}
