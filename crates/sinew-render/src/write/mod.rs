//! Pictures and animations as files, each written whole or not at all.

mod gif;
mod png;

pub use self::gif::{encode_gif, write_gif};
pub use self::png::{encode_apng, encode_png, write_apng, write_png};

use crate::{Picture, RenderError};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes a file under another name first and renames it when all of it is there, so that nobody ever reads half a file.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), RenderError> {
    let failed =
        |error: std::io::Error| RenderError::Write { path: path.to_owned(), reason: error.to_string() };
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.part", std::process::id()));
    let part = Part(path.with_file_name(name));
    let mut file = File::create(&part.0).map_err(failed)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(failed)?;
    drop(file);
    std::fs::rename(&part.0, path).map_err(failed)
}

/// A file under its passing name, taken away again if it was not renamed.
struct Part(PathBuf);

impl Drop for Part {
    fn drop(&mut self) {
        // After the rename there is nothing to take away, and nobody to tell if it fails.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// All frames, checked to be some and of one size that a file can hold.
fn checked(frames: &[Picture], largest: u32) -> Result<(u32, u32), RenderError> {
    let empty = RenderError::Empty { what: "the animation", hint: "give it at least one frame" };
    let size = frames.first().ok_or(empty)?.size();
    if size.0 == 0 || size.1 == 0 {
        return Err(RenderError::Empty {
            what: "the picture",
            hint: "make it at least one pixel wide and high",
        });
    }
    if size.0.max(size.1) > largest {
        return Err(RenderError::TooLarge {
            what: "the picture's longer side (pixels)".into(),
            needed: size.0.max(size.1).into(),
            limit: largest.into(),
            hint: "choose a smaller size",
        });
    }
    match frames.iter().position(|frame| frame.size() != size) {
        Some(index) => Err(RenderError::Size { index, got: frames[index].size(), expected: size }),
        None => Ok(size),
    }
}

/// The smallest rectangle (x, y, width, height) outside which two frames are the same; a single pixel where they are the same
/// everywhere, since a frame cannot be empty.
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
