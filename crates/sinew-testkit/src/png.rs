//! The smallest PNG writer there is: RGB or RGBA, eight bits, not compressed.

/// A PNG of `width` × `height` pixels, whose colours `pixel(x, y)` gives, y down.
pub fn encode(width: u32, height: u32, pixel: impl Fn(u32, u32) -> [u8; 3]) -> Vec<u8> {
    encode_as(2, width, height, pixel)
}

/// As [`encode`], with alpha, which is not multiplied into the colours.
pub fn encode_rgba(width: u32, height: u32, pixel: impl Fn(u32, u32) -> [u8; 4]) -> Vec<u8> {
    encode_as(6, width, height, pixel)
}

fn encode_as<const N: usize>(
    colour_type: u8,
    width: u32,
    height: u32,
    pixel: impl Fn(u32, u32) -> [u8; N],
) -> Vec<u8> {
    let mut rows = Vec::new();
    for y in 0..height {
        // Filter type 0: the row stands as it is.
        rows.push(0);
        for x in 0..width {
            rows.extend(pixel(x, y));
        }
    }
    let mut header = Vec::new();
    header.extend(width.to_be_bytes());
    header.extend(height.to_be_bytes());
    // Eight bits, deflate, adaptive filters, not interlaced.
    header.extend([8, colour_type, 0, 0, 0]);
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut out, b"IHDR", &header);
    chunk(&mut out, b"IDAT", &zlib_stored(&rows));
    chunk(&mut out, b"IEND", &[]);
    out
}

fn chunk(out: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    out.extend((data.len() as u32).to_be_bytes());
    let start = out.len();
    out.extend(kind);
    out.extend(data);
    let crc = crc32(&out[start..]);
    out.extend(crc.to_be_bytes());
}

/// A zlib stream of stored blocks.
fn zlib_stored(data: &[u8]) -> Vec<u8> {
    const LARGEST: usize = 0xffff;
    let mut out = vec![0x78, 0x01];
    let blocks = data.len().div_ceil(LARGEST).max(1);
    for index in 0..blocks {
        let block = &data[index * LARGEST..data.len().min((index + 1) * LARGEST)];
        let length = block.len() as u16;
        out.push(u8::from(index + 1 == blocks));
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend(block);
    }
    out.extend(adler32(data).to_be_bytes());
    out
}

fn adler32(data: &[u8]) -> u32 {
    let (mut a, mut b) = (1u32, 0u32);
    for &byte in data {
        a = (a + u32::from(byte)) % 65521;
        b = (b + a) % 65521;
    }
    b << 16 | a
}

fn crc32(data: &[u8]) -> u32 {
    let mut crc = !0u32;
    for &byte in data {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            let low = crc & 1;
            crc = (crc >> 1) ^ (0xedb8_8320 * low);
        }
    }
    !crc
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_match_their_published_check_values() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(adler32(b"Wikipedia"), 0x11e6_0398);
    }

    #[test]
    fn long_pictures_need_several_blocks() {
        let data = vec![7u8; 0x1_0000];
        let stream = zlib_stored(&data);
        assert_eq!(stream.len(), 2 + 5 + 0xffff + 5 + 1 + 4);
        assert_eq!(stream[2], 0, "the first block is not the last");
        assert_eq!(stream[2 + 5 + 0xffff], 1);
    }
}
