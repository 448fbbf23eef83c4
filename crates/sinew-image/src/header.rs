//! The size of a picture in pixels, from its header alone; nothing is decoded.

/// Width and height of a PNG, JPEG, GIF, BMP, DDS, KTX2, WebP, PSD or TGA picture; `None` if the header is not recognised or truncated.
pub fn size(bytes: &[u8]) -> Option<[u32; 2]> {
    if bytes.starts_with(PNG) {
        return png(bytes);
    }
    jpeg(bytes)
        .or_else(|| gif(bytes))
        .or_else(|| bmp(bytes))
        .or_else(|| dds(bytes))
        .or_else(|| ktx2(bytes))
        .or_else(|| webp(bytes))
        .or_else(|| psd(bytes))
        .or_else(|| tga(bytes))
}

pub(crate) fn le16(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_le_bytes(bytes.try_into().ok()?).into())
}

fn be16(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_be_bytes(bytes.try_into().ok()?).into())
}

fn le24(bytes: &[u8], at: usize) -> Option<u32> {
    Some(le16(bytes, at)? | u32::from(*bytes.get(at.checked_add(2)?)?) << 16)
}

pub(crate) fn le32(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

pub(crate) fn le64(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(8)?)?;
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}

pub(crate) fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_be_bytes(bytes.try_into().ok()?))
}

/// How a PNG begins.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

fn png(bytes: &[u8]) -> Option<[u32; 2]> {
    // What does not begin with its header is damaged, whatever lies where its size would be.
    (bytes.get(12..16)? == b"IHDR").then_some(())?;
    Some([be32(bytes, 16)?, be32(bytes, 20)?])
}

fn gif(bytes: &[u8]) -> Option<[u32; 2]> {
    bytes.starts_with(b"GIF8").then_some(())?;
    Some([le16(bytes, 6)?, le16(bytes, 8)?])
}

fn bmp(bytes: &[u8]) -> Option<[u32; 2]> {
    bytes.starts_with(b"BM").then_some(())?;
    // The oldest header is 12 bytes long, with a size of two bytes each.
    if le32(bytes, 14)? == 12 {
        return Some([le16(bytes, 18)?, le16(bytes, 20)?]);
    }
    // A negative height means that rows run from top to bottom.
    Some([le32(bytes, 18)?, (le32(bytes, 22)? as i32).unsigned_abs()])
}

fn dds(bytes: &[u8]) -> Option<[u32; 2]> {
    bytes.starts_with(crate::dds::MAGIC).then_some(())?;
    Some([le32(bytes, 16)?, le32(bytes, 12)?])
}

fn ktx2(bytes: &[u8]) -> Option<[u32; 2]> {
    bytes.starts_with(crate::ktx2::MAGIC).then_some(())?;
    // A picture of one dimension has no height.
    Some([le32(bytes, 20)?, le32(bytes, 24)?.max(1)])
}

fn psd(bytes: &[u8]) -> Option<[u32; 2]> {
    bytes.starts_with(b"8BPS").then_some(())?;
    Some([be32(bytes, 18)?, be32(bytes, 14)?])
}

fn webp(bytes: &[u8]) -> Option<[u32; 2]> {
    (bytes.starts_with(b"RIFF") && bytes.get(8..12)? == b"WEBP").then_some(())?;
    match bytes.get(12..16)? {
        b"VP8X" => Some([le24(bytes, 24)? + 1, le24(bytes, 27)? + 1]),
        b"VP8 " => Some([le16(bytes, 26)? & 0x3fff, le16(bytes, 28)? & 0x3fff]),
        b"VP8L" => {
            let bits = le32(bytes, 21)?;
            Some([(bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1])
        }
        _ => None,
    }
}

/// A JPEG is a sequence of segments. Each of the SOF segment types holds the size.
fn jpeg(bytes: &[u8]) -> Option<[u32; 2]> {
    let frame = jpeg_frame(bytes)?;
    Some([be16(frame, 7)?, be16(frame, 5)?])
}

/// How many numbers a pixel of a JPEG picture has: one for grey, three for colours, four for inks.
pub fn jpeg_components(bytes: &[u8]) -> Option<u8> {
    jpeg_frame(bytes)?.get(9).copied()
}

/// A JPEG from the marker of its frame on.
fn jpeg_frame(bytes: &[u8]) -> Option<&[u8]> {
    bytes.starts_with(b"\xff\xd8").then_some(())?;
    let mut at = 2usize;
    loop {
        if *bytes.get(at)? != 0xff {
            return None;
        }
        let marker = *bytes.get(at.checked_add(1)?)?;
        match marker {
            0xff => at = at.checked_add(1)?,
            0x01 | 0xd0..=0xd8 => at = at.checked_add(2)?,
            0xc0..=0xcf if !matches!(marker, 0xc4 | 0xc8 | 0xcc) => {
                return bytes.get(at..);
            }
            _ => at = at.checked_add(2)?.checked_add(be16(bytes, at.checked_add(2)?)? as usize)?,
        }
    }
}

/// TGA has no signature: the header is accepted only if every field is plausible.
pub(crate) fn tga(bytes: &[u8]) -> Option<[u32; 2]> {
    let (map, image_type, depth) = (*bytes.get(1)?, *bytes.get(2)?, *bytes.get(16)?);
    let plausible =
        map <= 1 && matches!(image_type, 1 | 2 | 3 | 9 | 10 | 11) && matches!(depth, 8 | 15 | 16 | 24 | 32);
    plausible.then_some(())?;
    Some([le16(bytes, 12)?, le16(bytes, 14)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        let mut jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x0b\x08".to_vec();
        jpeg.extend([1, 0, 2, 0, 3]);
        assert_eq!(size(&jpeg), Some([512, 256]));
        let mut tga = vec![0u8; 18];
        (tga[2], tga[12], tga[14], tga[16]) = (2, 7, 9, 24);
        assert_eq!(size(&tga), Some([7, 9]));
        let mut bmp = b"BM".to_vec();
        bmp.extend([[0; 12], [12, 0, 0, 0, 5, 0, 6, 0, 1, 0, 24, 0]].concat());
        assert_eq!(size(&bmp), Some([5, 6]));
        let webp = b"RIFF\x1e\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x0a\0\0\x09\0\x01";
        assert_eq!(size(webp), Some([11, 65_546]));
        assert_eq!(size(b"GIF89a\x05\0\x06\0"), Some([5, 6]));
    }

    #[test]
    fn short_and_odd_headers_tell_nothing() {
        for bytes in
            [&b""[..], b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"BM", b"RIFF....WEBPVP8?", b"nonsense"]
        {
            assert_eq!(size(bytes), None);
        }
    }
}
