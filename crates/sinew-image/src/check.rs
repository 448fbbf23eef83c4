//! Whether a picture is whole, from its structure alone; nothing is decoded, so that every picture of a file can be looked at.

use crate::header::{be32, le16, le32, tga};
use crate::{dds, ktx2};

/// Why a picture cannot be decoded as a whole, as far as its structure tells: it is cut off, of a format that is not read, or no picture at all.
///
/// This costs next to nothing and does not see everything: damage within the pixels is found by decoding them.
pub fn check(bytes: &[u8]) -> Result<(), String> {
    match bytes {
        [] => Err("it is empty".to_owned()),
        _ if bytes.starts_with(b"\x89PNG\r\n\x1a\n") => whole(png(bytes)),
        _ if bytes.starts_with(b"\xff\xd8") => whole(jpeg(bytes)),
        _ if bytes.starts_with(dds::MAGIC) => dds::check(bytes),
        _ if bytes.starts_with(ktx2::MAGIC) => ktx2::check(bytes),
        _ if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") => whole(riff(bytes)),
        _ if bytes.starts_with(b"BM") => whole(bmp(bytes)),
        _ if bytes.starts_with(b"GIF8") => Err("it is a GIF, which is not read".to_owned()),
        _ if bytes.starts_with(b"8BPS") => Err("it is a Photoshop document, which is not read".to_owned()),
        _ if tga(bytes).is_some() => whole(targa(bytes)),
        _ => Err("it is no picture of a known format".to_owned()),
    }
}

/// Turns the end of the picture's data, which is `None` if it lies beyond the end of the file, into an answer.
fn whole(end: Option<()>) -> Result<(), String> {
    end.ok_or_else(|| "it is cut off: its end is missing".to_owned())
}

/// A PNG is a sequence of chunks, the last of which is called `IEND`.
fn png(bytes: &[u8]) -> Option<()> {
    let mut at = 8usize;
    loop {
        let length = be32(bytes, at)? as usize;
        let name = bytes.get(at.checked_add(4)?..at.checked_add(8)?)?;
        // Length, name and checksum are not counted in the length.
        at = at.checked_add(length)?.checked_add(12)?;
        bytes.get(at..)?;
        if name == b"IEND" {
            return Some(());
        }
    }
}

/// A JPEG is a sequence of segments, with pixels behind those called SOS, and ends with EOI. Within pixels the marker of EOI does not occur.
fn jpeg(bytes: &[u8]) -> Option<()> {
    let mut at = 2usize;
    loop {
        if *bytes.get(at)? != 0xff {
            // No marker where one must be: for the decoder to tell.
            return Some(());
        }
        match *bytes.get(at.checked_add(1)?)? {
            0xff => at = at.checked_add(1)?,
            0x01 | 0xd0..=0xd8 => at = at.checked_add(2)?,
            0xda => break,
            _ => {
                let length = [*bytes.get(at.checked_add(2)?)?, *bytes.get(at.checked_add(3)?)?];
                at = at.checked_add(2)?.checked_add(usize::from(u16::from_be_bytes(length)))?;
            }
        }
    }
    // From the back, where it is in a whole picture.
    bytes.get(at..)?.windows(2).rev().any(|pair| pair == [0xff, 0xd9]).then_some(())
}

/// WebP: the length behind the first word does not count the first eight bytes.
fn riff(bytes: &[u8]) -> Option<()> {
    bytes.get(..(le32(bytes, 4)? as usize).checked_add(8)?).map(|_| ())
}

fn bmp(bytes: &[u8]) -> Option<()> {
    let start = le32(bytes, 10)?;
    let [width, height] = crate::size(bytes)?;
    let old = le32(bytes, 14)? == 12;
    let bits = le16(bytes, if old { 24 } else { 28 })?;
    let compression = if old { 0 } else { le32(bytes, 30)? };
    // Pixels that are compressed by run length end where they end.
    let rows = if matches!(compression, 0 | 3 | 6) { u64::from(height) } else { 0 };
    let row = (u64::from(width) * u64::from(bits)).div_ceil(8);
    // The padding of the last row may be missing.
    let pixels =
        row.next_multiple_of(4).checked_mul(rows.saturating_sub(1))?.checked_add(row.min(rows * row))?;
    has(bytes, u64::from(start).checked_add(pixels)?)
}

fn targa(bytes: &[u8]) -> Option<()> {
    let [width, height] = tga(bytes)?;
    let entry = u64::from(*bytes.get(7)?).div_ceil(8);
    let palette = u64::from(le16(bytes, 5)?) * entry * u64::from(*bytes.get(1)?);
    let pixels = u64::from(width) * u64::from(height);
    // From 9 on, pixels are compressed by run length, 128 to a pixel at best.
    let pixels = if *bytes.get(2)? < 9 { pixels } else { pixels.div_ceil(128) };
    let start = 18 + u64::from(*bytes.first()?) + palette;
    has(bytes, start.checked_add(pixels.checked_mul(u64::from(*bytes.get(16)?).div_ceil(8))?)?)
}

/// Whether there are so many bytes.
pub(crate) fn has(bytes: &[u8], length: u64) -> Option<()> {
    (bytes.len() as u64 >= length).then_some(())
}
