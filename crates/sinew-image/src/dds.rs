//! DDS: BC1 to BC5, BC7, and uncompressed pixels of up to 32 bits. The first and largest image of the file is taken.

use crate::Picture;
use crate::check::has;
use crate::decode::check_size;
use crate::header::le32;
use crate::pixels::{Block, Layout, Masks};

pub(crate) const MAGIC: &[u8] = b"DDS ";

/// Bytes before the pixels, or before the second header.
const HEADER: usize = 128;
/// Bytes of the second header, which Direct3D 10 added.
const HEADER_10: usize = 20;

/// Bits of the pixel format's flags.
const ALPHA: u32 = 0x1;
const ALPHA_ONLY: u32 = 0x2;
const FOUR_CC: u32 = 0x4;
const RGB: u32 = 0x40;
const LUMINANCE: u32 = 0x2_0000;

pub(crate) fn decode(bytes: &[u8]) -> Result<Picture, String> {
    let [width, height] = crate::size(bytes).ok_or("it is truncated")?;
    check_size(width, height)?;
    let (layout, start) = layout(bytes)?;
    layout.decode(width, height, bytes.get(start..).unwrap_or_default())
}

/// Whether the pixels are there, without decoding them.
pub(crate) fn check(bytes: &[u8]) -> Result<(), String> {
    let [width, height] = crate::size(bytes).ok_or("it is truncated")?;
    check_size(width, height)?;
    let (layout, start) = layout(bytes)?;
    has(bytes, layout.bytes(width, height).saturating_add(start as u64))
        .ok_or_else(|| "it is truncated".into())
}

/// How the pixels are stored, and where they begin.
fn layout(bytes: &[u8]) -> Result<(Layout, usize), String> {
    let field = |at: usize| le32(bytes, at).ok_or_else(|| "it is truncated".to_owned());
    let flags = field(80)?;
    if flags & FOUR_CC == 0 {
        return Ok((Layout::Masks(masks(flags, field(88)?, [92, 96, 100, 104].map(field))?), HEADER));
    }
    let code = field(84)?.to_le_bytes();
    let block = match &code {
        b"DXT1" => Block::Bc1 { opaque: false },
        b"DXT2" | b"DXT3" => Block::Bc2,
        b"DXT4" | b"DXT5" => Block::Bc3,
        b"ATI1" | b"BC4U" => Block::Bc4 { signed: false },
        b"BC4S" => Block::Bc4 { signed: true },
        b"ATI2" | b"BC5U" => Block::Bc5 { signed: false },
        b"BC5S" => Block::Bc5 { signed: true },
        b"DX10" => return Ok((dxgi(field(HEADER)?)?, HEADER + HEADER_10)),
        _ => return Err(format!("its pixel format `{}` is unknown", code.escape_ascii())),
    };
    Ok((Layout::Blocks(block), HEADER))
}

fn masks(flags: u32, bits: u32, masks: [Result<u32, String>; 4]) -> Result<Masks, String> {
    let [red, green, blue, alpha] = masks;
    let (red, green, blue, alpha) = (red?, green?, blue?, alpha?);
    if !matches!(bits, 8 | 16 | 24 | 32) {
        return Err(format!("its pixels have {bits} bits"));
    }
    let alpha = if flags & (ALPHA | ALPHA_ONLY) != 0 { alpha } else { 0 };
    let color = match flags {
        flags if flags & RGB != 0 => [red, green, blue],
        flags if flags & LUMINANCE != 0 => [red; 3],
        flags if flags & ALPHA_ONLY != 0 => [0; 3],
        _ => return Err("its pixel format is unknown".into()),
    };
    Ok(Masks { bytes: bits as usize / 8, bits: [color[0], color[1], color[2], alpha] })
}

/// The formats of the second header, by their number in DXGI.
fn dxgi(format: u32) -> Result<Layout, String> {
    Ok(match format {
        28 | 29 => Layout::Masks(Masks::RGBA),
        49 => Layout::Masks(Masks::RG),
        61 => Layout::Masks(Masks::GREY),
        71 | 72 => Layout::Blocks(Block::Bc1 { opaque: false }),
        74 | 75 => Layout::Blocks(Block::Bc2),
        77 | 78 => Layout::Blocks(Block::Bc3),
        80 => Layout::Blocks(Block::Bc4 { signed: false }),
        81 => Layout::Blocks(Block::Bc4 { signed: true }),
        83 => Layout::Blocks(Block::Bc5 { signed: false }),
        84 => Layout::Blocks(Block::Bc5 { signed: true }),
        87 | 91 => Layout::Masks(Masks::BGRA),
        88 | 93 => Layout::Masks(Masks::BGRX),
        98 | 99 => Layout::Blocks(Block::Bc7),
        95 | 96 => return Err("BC6H, its format, holds light beyond white".into()),
        _ => return Err(format!("its DXGI format {format} is unknown")),
    })
}
