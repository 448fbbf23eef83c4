//! Writes pictures and animations to files, atomically.

mod gif;
mod png;

pub use self::png::write_png;

use crate::error::check_size;
use crate::{Picture, RenderError};
use sinew_files::NewFile;
use std::borrow::Cow;
use std::io::{BufWriter, Write};
use std::path::Path;

/// File format of an animation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnimationFormat {
    /// GIF: 255 colours, supported everywhere.
    Gif,
    /// Animated PNG: full colour.
    Apng,
}

/// Returns a frame of an animation by its index.
pub(crate) type Frames<'f, 'p> = &'f mut dyn FnMut(usize) -> Result<Cow<'p, Picture>, RenderError>;

/// Writes an animation whose frames are requested one at a time, so that a long one need not fit into memory. The palette of a GIF is computed
/// from `sample`, at least one frame.
pub(crate) fn write_animation(
    path: &Path,
    format: AnimationFormat,
    (count, fps): (usize, f64),
    sample: &[Picture],
    frames: Frames<'_, '_>,
) -> Result<(), RenderError> {
    write_with(path, |file| encode(format, file, (count, fps), sample, frames))
}

/// Writes an animation that loops forever.
pub fn write_frames(
    path: &Path,
    format: AnimationFormat,
    frames: &[Picture],
    fps: f64,
) -> Result<(), RenderError> {
    write_animation(path, format, (frames.len(), fps), frames, &mut each(frames))
}

/// The bytes of an animation that loops forever. In a GIF, pixels with alpha below 128 become transparent.
pub fn encode_frames(format: AnimationFormat, frames: &[Picture], fps: f64) -> Result<Vec<u8>, RenderError> {
    let mut bytes = Vec::new();
    encode(format, &mut bytes, (frames.len(), fps), frames, &mut each(frames))?;
    Ok(bytes)
}

fn encode(
    format: AnimationFormat,
    out: impl Write,
    timing: (usize, f64),
    sample: &[Picture],
    frames: Frames<'_, '_>,
) -> Result<(), RenderError> {
    match format {
        AnimationFormat::Gif => gif::encode(out, timing, sample, frames),
        AnimationFormat::Apng => png::encode(out, timing, sample, frames),
    }
}

/// The frames of a slice.
pub(crate) fn each<'p>(frames: &'p [Picture]) -> impl FnMut(usize) -> Result<Cow<'p, Picture>, RenderError> {
    move |number| Ok(Cow::Borrowed(&frames[number]))
}

fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), RenderError> {
    let failed = |error: std::io::Error| failed_to_write(path, &error);
    write_with(path, |file| file.write_all(bytes).map_err(failed))
}

fn failed_to_write(path: &Path, error: &std::io::Error) -> RenderError {
    RenderError::Write { path: path.to_owned(), reason: error.to_string() }
}

/// Writes a file whole or not at all.
fn write_with(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<NewFile>) -> Result<(), RenderError>,
) -> Result<(), RenderError> {
    let failed = |error: std::io::Error| failed_to_write(path, &error);
    let mut file = BufWriter::new(NewFile::create(path).map_err(failed)?);
    write(&mut file)?;
    let file = file.into_inner().map_err(|error| failed(error.into_error()))?;
    file.commit().map_err(failed)
}

/// Checks that there are frames, all of one size that the file format can hold. Returns the size.
fn checked(frames: &[Picture], largest: u32) -> Result<(u32, u32), RenderError> {
    let empty = RenderError::Empty { what: "the animation", hint: "give it at least one frame" };
    let size = frames.first().ok_or(empty)?.size();
    check_size(size, largest)?;
    frames.iter().enumerate().try_for_each(|(number, frame)| is_of_size(frame, number, size))?;
    Ok(size)
}

fn is_of_size(frame: &Picture, index: usize, expected: (u32, u32)) -> Result<(), RenderError> {
    let got = frame.size();
    if got == expected { Ok(()) } else { Err(RenderError::Size { index, got, expected }) }
}

/// The smallest rectangle (x, y, width, height) that contains all differences of two frames. A single pixel if they are equal, since a frame
/// cannot be empty.
fn changed<T: PartialEq>(before: &[T], now: &[T], width: usize) -> (usize, usize, usize, usize) {
    let (mut left, mut right, mut top, mut bottom) = (usize::MAX, 0, usize::MAX, 0);
    for (i, _) in before.iter().zip(now).enumerate().filter(|(_, (a, b))| a != b) {
        let (x, y) = (i % width, i / width);
        (left, right, top, bottom) = (left.min(x), right.max(x), top.min(y), bottom.max(y));
    }
    if left == usize::MAX { (0, 0, 1, 1) } else { (left, top, right - left + 1, bottom - top + 1) }
}

/// The rectangle's elements, row by row.
fn cut<T: Copy>(frame: &[T], width: usize, (x, y, w, h): (usize, usize, usize, usize)) -> Vec<T> {
    frame.chunks_exact(width).skip(y).take(h).flat_map(|row| &row[x..x + w]).copied().collect()
}

#[cfg(test)]
mod tests;
