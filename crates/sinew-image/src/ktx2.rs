//! KTX2: Basis Universal (ETC1S and UASTC), BC1 to BC5, BC7, and uncompressed pixels of 8 bits a channel. The largest level of the first
//! image is taken.

use crate::Picture;
use crate::decode::check_size;
use crate::header::{le32, le64};
use crate::pixels::{Block, Layout, Masks};
use basisu::{DecodeFlags, Error, TargetFormat, Transcoder};
use std::borrow::Cow;
use std::io::Read;

pub(crate) const MAGIC: &[u8] = b"\xabKTX 20\xbb\r\n\x1a\n";

/// Bytes of the header with its index.
const HEADER: usize = 80;
/// Bytes of an entry of the level index.
const LEVEL: usize = 24;
/// Bytes of a data format descriptor with one sample.
const DESCRIPTOR: usize = 44;

/// Colour models of the data format descriptor.
const ETC1S: u8 = 163;
const UASTC: u8 = 166;

/// Supercompression schemes.
const BASIS_LZ: u32 = 1;
const ZSTANDARD: u32 = 2;
const ZLIB: u32 = 3;

pub(crate) fn decode(bytes: &[u8]) -> Result<Picture, String> {
    let file = File::read(bytes).ok_or("it is truncated")?;
    check_size(file.width, file.height)?;
    match (file.format, file.descriptor[12]) {
        (0, ETC1S) if file.scheme == BASIS_LZ => file.transcoded(bytes),
        (0, UASTC) => {
            let blocks = file.pixels(Layout::Blocks(Block::Bc7))?;
            file.transcoded(&file.uastc(&blocks))
        }
        (0, model) => Err(format!("its colour model {model} is unknown")),
        (format, _) => {
            let layout = layout(format)?;
            layout.decode(file.width, file.height, &file.pixels(layout)?)
        }
    }
}

/// Whether the largest level is there and of a kind that is decoded, without decoding it.
pub(crate) fn check(bytes: &[u8]) -> Result<(), String> {
    let file = File::read(bytes).ok_or("it is truncated")?;
    check_size(file.width, file.height)?;
    match (file.format, file.descriptor[12]) {
        (0, ETC1S | UASTC) => Ok(()),
        (0, model) => Err(format!("its colour model {model} is unknown")),
        (format, _) => layout(format).map(|_| ()),
    }
}

/// Parts of a file.
struct File<'b> {
    /// A number of `VkFormat`; 0 for Basis Universal.
    format: u32,
    width: u32,
    height: u32,
    scheme: u32,
    descriptor: &'b [u8],
    /// The largest level as it is stored.
    level: &'b [u8],
}

impl<'b> File<'b> {
    /// `None` if the file is truncated.
    fn read(bytes: &'b [u8]) -> Option<Self> {
        let [width, height] = crate::size(bytes)?;
        let part = |at: u64, length: u64| {
            let end = at.checked_add(length)?;
            bytes.get(usize::try_from(at).ok()?..usize::try_from(end).ok()?)
        };
        Some(Self {
            format: le32(bytes, 12)?,
            width,
            height,
            scheme: le32(bytes, 44)?,
            descriptor: part(le32(bytes, 48)?.into(), DESCRIPTOR as u64)?,
            level: part(le64(bytes, HEADER)?, le64(bytes, HEADER + 8)?)?,
        })
    }

    /// The pixels of the first image, decompressed. Never more than that is decompressed, whatever the file says.
    fn pixels(&self, layout: Layout) -> Result<Cow<'b, [u8]>, String> {
        let length = layout.bytes(self.width, self.height);
        let read = |reader: &mut dyn Read| {
            let mut pixels = Vec::new();
            let read = reader.take(length).read_to_end(&mut pixels);
            read.map(|_| pixels).map_err(|error| error.to_string())
        };
        let pixels = match self.scheme {
            0 => Cow::Borrowed(self.level),
            ZSTANDARD => {
                let decoder = ruzstd::decoding::StreamingDecoder::new(self.level);
                Cow::Owned(read(&mut decoder.map_err(|error| error.to_string())?)?)
            }
            ZLIB => Cow::Owned(read(&mut flate2::read::ZlibDecoder::new(self.level))?),
            scheme => return Err(format!("its compression scheme {scheme} is unknown")),
        };
        if (pixels.len() as u64) < length { Err("it is truncated".into()) } else { Ok(pixels) }
    }

    /// A file of these UASTC blocks alone: the transcoder would allocate what a compressed file claims to hold.
    fn uastc(&self, blocks: &[u8]) -> Vec<u8> {
        let mut file = MAGIC.to_vec();
        let start = HEADER + LEVEL;
        let (at, end) = (start as u32, (start + DESCRIPTOR) as u64);
        for field in [0, 1, self.width, self.height, 0, 0, 1, 1, 0, at, DESCRIPTOR as u32, 0, 0, 0, 0, 0, 0] {
            file.extend(field.to_le_bytes());
        }
        for field in [end, blocks.len() as u64, blocks.len() as u64] {
            file.extend(field.to_le_bytes());
        }
        file.extend(self.descriptor);
        file.extend(blocks);
        file
    }

    fn transcoded(&self, bytes: &[u8]) -> Result<Picture, String> {
        let failed = |error| match error {
            Error::Truncated => "it is truncated".to_owned(),
            Error::VideoRequiresState => "it is a video".to_owned(),
            _ => "its Basis Universal data is damaged".to_owned(),
        };
        let file = Transcoder::new(bytes).map_err(failed)?;
        let pixels = file.transcode(0, TargetFormat::Rgba32, DecodeFlags::NONE).map_err(failed)?;
        Picture::from_pixels(self.width, self.height, pixels).ok_or_else(|| "it is truncated".into())
    }
}

/// Formats by their number in Vulkan.
fn layout(format: u32) -> Result<Layout, String> {
    Ok(match format {
        9 | 15 => Layout::Masks(Masks::GREY),
        16 | 22 => Layout::Masks(Masks::RG),
        23 | 29 => Layout::Masks(Masks::RGB),
        30 | 36 => Layout::Masks(Masks::BGR),
        37 | 43 => Layout::Masks(Masks::RGBA),
        44 | 50 => Layout::Masks(Masks::BGRA),
        131 | 132 => Layout::Blocks(Block::Bc1 { opaque: true }),
        133 | 134 => Layout::Blocks(Block::Bc1 { opaque: false }),
        135 | 136 => Layout::Blocks(Block::Bc2),
        137 | 138 => Layout::Blocks(Block::Bc3),
        139 => Layout::Blocks(Block::Bc4 { signed: false }),
        140 => Layout::Blocks(Block::Bc4 { signed: true }),
        141 => Layout::Blocks(Block::Bc5 { signed: false }),
        142 => Layout::Blocks(Block::Bc5 { signed: true }),
        145 | 146 => Layout::Blocks(Block::Bc7),
        _ => return Err(format!("its Vulkan format {format} is unknown")),
    })
}
