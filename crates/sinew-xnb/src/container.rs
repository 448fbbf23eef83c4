//! The container: a header, and content that may be compressed.

use crate::error::{Cause, XnbError, invalid};
use std::borrow::Cow;

const MAGIC: &[u8] = b"XNB";
const HIDEF: u8 = 0x01;
const LZ4: u8 = 0x40;
const LZX: u8 = 0x80;
/// Bytes before the content; four more where it is compressed.
const HEADER: usize = 10;
/// What one frame of LZX decompresses to, if it does not say otherwise.
const LZX_FRAME: usize = 0x8000;
/// The most that a byte of LZ4 can stand for.
const LZ4_RATIO: u64 = 255;

/// The platform that a file was made for, as its letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Platform(pub u8);

impl Platform {
    /// Windows: XNA, and MonoGame with DirectX.
    pub const WINDOWS: Self = Self(b'w');
    /// MonoGame with OpenGL, on any desktop.
    pub const DESKTOP_GL: Self = Self(b'd');

    /// What it is called.
    pub fn name(self) -> String {
        match self.0 {
            b'w' => "Windows".to_owned(),
            b'd' => "DesktopGL".to_owned(),
            b'x' => "Xbox 360".to_owned(),
            b'm' => "Windows Phone 7".to_owned(),
            b'i' => "iOS".to_owned(),
            b'a' => "Android".to_owned(),
            b'X' => "macOS".to_owned(),
            other => format!("`{}`", char::from(other).escape_default()),
        }
    }
}

/// What graphics hardware a file asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Profile {
    /// Old and small hardware: 16-bit indices, textures of at most 2,048 texels.
    Reach,
    /// All else.
    HiDef,
}

/// How the content of a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// As XNA does.
    Lzx,
    /// As MonoGame does.
    Lz4,
}

/// A container that was opened.
#[derive(Debug)]
pub(crate) struct Container<'a> {
    pub platform: Platform,
    pub version: u8,
    pub profile: Profile,
    pub compression: Compression,
    pub content: Cow<'a, [u8]>,
}

impl<'a> Container<'a> {
    /// Opens a file. Its content has at most `limit` bytes.
    pub fn open(bytes: &'a [u8], limit: u64) -> Result<Self, XnbError> {
        let (Some(rest), Some(&[platform, version, flags])) =
            (bytes.strip_prefix(MAGIC), bytes.get(3..6).and_then(|b| b.first_chunk::<3>()))
        else {
            return Err(if bytes.starts_with(MAGIC) { truncated(bytes.len()) } else { Cause::NotXnb.into() });
        };
        if !matches!(version, 4 | 5) {
            return Err(Cause::Version(version).into());
        }
        let size = rest.get(3..7).and_then(|b| b.first_chunk()).map(|size| u32::from_le_bytes(*size));
        let size = size.ok_or_else(|| truncated(bytes.len()))? as usize;
        let Some(packed) = bytes.get(HEADER..size) else {
            let (needed, left) = (size as u64, bytes.len() as u64);
            return Err(Cause::Truncated { what: "the file", needed, left }.into());
        };
        let compression = match flags & (LZX | LZ4) {
            0 => Compression::None,
            LZX => Compression::Lzx,
            LZ4 => Compression::Lz4,
            _ => return Err(invalid("is compressed in two ways at once")),
        };
        let content = match compression {
            Compression::None => checked(packed.len() as u64, limit).map(|()| Cow::Borrowed(packed)),
            Compression::Lzx => unpack(packed, limit, lzx).map(Cow::Owned),
            Compression::Lz4 => unpack(packed, limit, lz4).map(Cow::Owned),
        }?;
        let profile = if flags & HIDEF == 0 { Profile::Reach } else { Profile::HiDef };
        Ok(Self { platform: Platform(platform), version, profile, compression, content })
    }
}

/// An uncompressed file with that content.
pub(crate) fn close(platform: Platform, profile: Profile, content: &[u8]) -> Result<Vec<u8>, XnbError> {
    let size = crate::output::number("bytes of a file", HEADER + content.len())?;
    let mut file = Vec::with_capacity(HEADER + content.len());
    file.extend(MAGIC);
    file.extend([platform.0, 5, if profile == Profile::HiDef { HIDEF } else { 0 }]);
    file.extend(size.to_le_bytes());
    file.extend(content);
    Ok(file)
}

fn truncated(left: usize) -> XnbError {
    Cause::Truncated { what: "the header", needed: HEADER as u64, left: left as u64 }.into()
}

fn checked(found: u64, limit: u64) -> Result<(), XnbError> {
    if found > limit { Err(Cause::TooLarge { found, limit }.into()) } else { Ok(()) }
}

/// Compressed content begins with the size of what it decompresses to.
fn unpack(
    packed: &[u8],
    limit: u64,
    decompress: fn(&[u8], usize) -> Result<Vec<u8>, XnbError>,
) -> Result<Vec<u8>, XnbError> {
    let Some((size, packed)) = packed.split_first_chunk() else {
        return Err(truncated(HEADER + packed.len()));
    };
    let size = u32::from_le_bytes(*size);
    checked(size.into(), limit)?;
    decompress(packed, size as usize)
}

fn lz4(packed: &[u8], size: usize) -> Result<Vec<u8>, XnbError> {
    let wrong = |why: String| Cause::Compression { how: "LZ4", why }.into();
    // Memory is taken for what is claimed, so the claim must be possible.
    if size as u64 > LZ4_RATIO.saturating_mul(packed.len() as u64) {
        return Err(wrong(format!("{} bytes cannot stand for {size}", packed.len())));
    }
    let content = lz4_flex::block::decompress(packed, size).map_err(|error| wrong(error.to_string()))?;
    if content.len() == size {
        Ok(content)
    } else {
        Err(wrong(format!("{} bytes came out, not {size}", content.len())))
    }
}

/// Frames, each with the size of its block before it and, where it is not the usual one, its own.
fn lzx(mut packed: &[u8], size: usize) -> Result<Vec<u8>, XnbError> {
    let wrong = |why: String| XnbError::from(Cause::Compression { how: "LZX", why });
    let cut = || wrong("it ends within a frame".to_owned());
    let mut decoder = lzxd::Lzxd::new(lzxd::WindowSize::KB64);
    let mut content = Vec::new();
    while content.len() < size {
        let mut frame = LZX_FRAME.min(size - content.len());
        if let Some(rest) = packed.strip_prefix(&[0xff]) {
            let (own, rest) = rest.split_first_chunk().ok_or_else(cut)?;
            frame = usize::from(u16::from_be_bytes(*own));
            packed = rest;
        }
        let (block, rest) = packed.split_first_chunk().ok_or_else(cut)?;
        let block = usize::from(u16::from_be_bytes(*block));
        let (block, rest) = rest.split_at_checked(block).ok_or_else(cut)?;
        if block.is_empty() || frame == 0 || frame > size - content.len() {
            return Err(wrong(format!("a frame of {} bytes stands for {frame}", block.len())));
        }
        let decoded = decoder.decompress_next(block, frame).map_err(|error| wrong(error.to_string()))?;
        content.extend_from_slice(decoded);
        packed = rest;
    }
    // What it grew by beyond its size counts as memory too.
    content.shrink_to_fit();
    Ok(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compressed(flags: u8, size: u32, packed: &[u8]) -> Vec<u8> {
        let mut file = b"XNBw\x05".to_vec();
        file.push(flags);
        file.extend((14 + packed.len() as u32).to_le_bytes());
        file.extend(size.to_le_bytes());
        file.extend(packed);
        file
    }

    #[test]
    fn what_is_closed_opens() {
        for profile in [Profile::Reach, Profile::HiDef] {
            let file = close(Platform::DESKTOP_GL, profile, b"content").unwrap();
            let open = Container::open(&file, 7).unwrap();
            assert_eq!(
                (&*open.content, open.profile, open.platform),
                (&b"content"[..], profile, Platform::DESKTOP_GL)
            );
            assert!(matches!(Container::open(&file, 6).unwrap_err().cause, Cause::TooLarge { .. }));
            for end in 0..file.len() {
                assert!(Container::open(&file[..end], 100).is_err(), "{end}");
            }
        }
    }

    #[test]
    fn lz4_is_read_and_bounded() {
        let content: Vec<u8> = (0..9000u32).map(|i| (i / 40) as u8).collect();
        let packed = lz4_flex::block::compress(&content);
        let file = compressed(LZ4, content.len() as u32, &packed);
        assert_eq!(&*Container::open(&file, 9000).unwrap().content, content);
        assert!(Container::open(&file, 8999).is_err());
        let claims = compressed(LZ4, u32::MAX, &packed);
        assert!(Container::open(&claims, u64::MAX).is_err(), "more than LZ4 can stand for");
        let wrong = compressed(LZ4, 8000, &packed);
        assert!(Container::open(&wrong, 9000).is_err());
    }

    /// An LZX stream of one uncompressed block, by hand: no call translation, block type 3, its size, padding, three old offsets, the bytes.
    fn stored(content: &[u8]) -> Vec<u8> {
        let size = content.len() as u32;
        let bits = (0b011u64 << 44) | (u64::from(size) << 20);
        let words = [(bits >> 32) as u16, (bits >> 16) as u16];
        let mut block: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        block.extend([1u32, 1, 1].iter().flat_map(|offset| offset.to_le_bytes()));
        block.extend(content);
        if content.len() % 2 == 1 {
            block.push(0);
        }
        let mut packed = vec![0xff];
        packed.extend((content.len() as u16).to_be_bytes());
        packed.extend((block.len() as u16).to_be_bytes());
        packed.extend(block);
        packed
    }

    #[test]
    fn lzx_is_read_and_bounded() {
        let content: Vec<u8> = (0..500u32).map(|i| (i * 7) as u8).collect();
        let file = compressed(LZX, 500, &stored(&content));
        assert_eq!(&*Container::open(&file, 500).unwrap().content, content);
        assert!(Container::open(&file, 499).is_err());
        let claims = compressed(LZX, u32::MAX, &stored(&content));
        assert!(matches!(Container::open(&claims, u64::MAX).unwrap_err().cause, Cause::Compression { .. }));
    }

    #[test]
    fn others_are_refused() {
        assert_eq!(Container::open(b"PNG", 9).unwrap_err().cause, Cause::NotXnb);
        assert_eq!(Container::open(b"XNBw\x03\0\x0a\0\0\0", 9).unwrap_err().cause, Cause::Version(3));
        assert!(Container::open(b"XNBw\x05\xc0\x0a\0\0\0", 9).is_err());
    }
}
