//! PNG and animated PNG.

use super::{Frames, changed, checked, cut, is_of_size, write_whole};
use crate::{Picture, RenderError};
use png::{BlendOp, DisposeOp, EncodingError, Writer};
use sinew_image::{encode_png, png_encoder};
use std::borrow::Cow;
use std::io::Write;
use std::path::Path;

const LARGEST: u32 = 1 << 20;

/// Writes a PNG file.
pub fn write_png(path: &Path, picture: &Picture) -> Result<(), RenderError> {
    checked(std::slice::from_ref(picture), LARGEST)?;
    write_whole(path, &encode_png(picture)?)
}

/// Encodes frames one at a time.
pub(super) fn encode<W: Write>(
    out: W,
    (count, fps): (usize, f64),
    sample: &[Picture],
    frames: Frames<'_, '_>,
) -> Result<(), RenderError> {
    let size = checked(sample, LARGEST)?;
    let mut writer = begin(out, size, count, delay(fps)).map_err(refused)?;
    let mut before: Option<Cow<'_, Picture>> = None;
    for number in 0..count {
        let frame = frames(number)?;
        is_of_size(&frame, number, size)?;
        write_frame(&mut writer, before.as_deref(), &frame).map_err(refused)?;
        before = Some(frame);
    }
    writer.finish().map_err(refused)
}

fn begin<W: Write>(
    out: W,
    size: (u32, u32),
    count: usize,
    (numerator, denominator): (u16, u16),
) -> Result<Writer<W>, EncodingError> {
    let mut encoder = png_encoder(out, size);
    encoder.set_animated(count as u32, 0)?;
    encoder.set_frame_delay(numerator, denominator)?;
    encoder.set_blend_op(BlendOp::Source)?;
    encoder.set_dispose_op(DisposeOp::None)?;
    encoder.write_header()
}

/// After the first frame only the changed rectangle is written.
fn write_frame<W: Write>(
    writer: &mut Writer<W>,
    before: Option<&Picture>,
    now: &Picture,
) -> Result<(), EncodingError> {
    let Some(before) = before else { return writer.write_image_data(now.pixels()) };
    let (old, new) = (before.pixels().as_chunks::<4>().0, now.pixels().as_chunks::<4>().0);
    let rect = changed(old, new, now.width() as usize);
    // Reset the position before the size: the encoder checks each time that the frame lies inside the picture.
    writer.reset_frame_position()?;
    writer.set_frame_dimension(rect.2 as u32, rect.3 as u32)?;
    writer.set_frame_position(rect.0 as u32, rect.1 as u32)?;
    writer.write_image_data(cut(new, now.width() as usize, rect).as_flattened())
}

/// Delay of a frame in seconds, as a fraction.
fn delay(fps: f64) -> (u16, u16) {
    let fps = if fps.is_finite() { fps.clamp(0.01, 1000.0) } else { 25.0 };
    match fps {
        fps if fps.fract() == 0.0 => (1, fps as u16),
        fps if fps < 1.0 => ((100.0 / fps).round() as u16, 100),
        fps => ((10_000.0 / fps).round() as u16, 10_000),
    }
}

fn refused(error: EncodingError) -> RenderError {
    RenderError::Encode { format: "PNG", details: error.to_string() }
}
