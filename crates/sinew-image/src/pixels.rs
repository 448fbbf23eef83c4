//! Stored pixels, compressed in blocks or not, to RGBA: what DDS and KTX2 have in common.

use crate::Picture;

/// How pixels are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Blocks of 4 x 4 pixels.
    Blocks(Block),
    /// Whole pixels of 1 to 4 bytes, rows without padding.
    Masks(Masks),
}

/// A block format of Direct3D.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Block {
    /// Colour, with transparent pixels unless `opaque`.
    Bc1 { opaque: bool },
    /// Colour, alpha of 4 bits.
    Bc2,
    /// Colour, interpolated alpha.
    Bc3,
    /// One channel, shown as grey.
    Bc4 { signed: bool },
    /// Two channels: x and y of a normal.
    Bc5 { signed: bool },
    /// Colour and alpha.
    Bc7,
}

/// Whole pixels: the bits of red, green, blue and alpha in a little-endian number. No bits of alpha mean that it is opaque.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Masks {
    /// Bytes of a pixel, 1 to 4.
    pub(crate) bytes: usize,
    /// Bits of red, green, blue and alpha.
    pub(crate) bits: [u32; 4],
}

impl Masks {
    pub(crate) const RGBA: Self = Self { bytes: 4, bits: [0xff, 0xff00, 0xff_0000, 0xff00_0000] };
    pub(crate) const BGRA: Self = Self { bytes: 4, bits: [0xff_0000, 0xff00, 0xff, 0xff00_0000] };
    pub(crate) const BGRX: Self = Self { bytes: 4, bits: [0xff_0000, 0xff00, 0xff, 0] };
    pub(crate) const RGB: Self = Self { bytes: 3, bits: [0xff, 0xff00, 0xff_0000, 0] };
    pub(crate) const BGR: Self = Self { bytes: 3, bits: [0xff_0000, 0xff00, 0xff, 0] };
    pub(crate) const RG: Self = Self { bytes: 2, bits: [0xff, 0xff00, 0, 0] };
    pub(crate) const GREY: Self = Self { bytes: 1, bits: [0xff, 0xff, 0xff, 0] };

    fn pixel(self, bytes: &[u8]) -> [u8; 4] {
        let value = bytes.iter().rev().fold(0u32, |value, byte| (value << 8) | u32::from(*byte));
        let [red, green, blue, alpha] = self.bits.map(|bits| channel(value, bits));
        [red.unwrap_or(0), green.unwrap_or(0), blue.unwrap_or(0), alpha.unwrap_or(255)]
    }
}

/// The value of a channel in 0 to 255; `None` if it has no bits.
fn channel(value: u32, bits: u32) -> Option<u8> {
    let shift = bits.trailing_zeros();
    let largest = u64::from(bits.checked_shr(shift)?);
    let value = u64::from((value & bits) >> shift);
    Some(((value * 255 + largest / 2) / largest) as u8)
}

impl Layout {
    /// Bytes of a picture that has at most 2^32 pixels.
    pub(crate) fn bytes(self, width: u32, height: u32) -> u64 {
        match self {
            Self::Blocks(block) => {
                u64::from(width.div_ceil(4)) * u64::from(height.div_ceil(4)) * block.bytes() as u64
            }
            Self::Masks(masks) => u64::from(width) * u64::from(height) * masks.bytes as u64,
        }
    }

    /// Decodes a picture; what follows it in `data` is ignored.
    pub(crate) fn decode(self, width: u32, height: u32, data: &[u8]) -> Result<Picture, String> {
        let truncated = || "it is truncated".to_owned();
        let length = usize::try_from(self.bytes(width, height)).map_err(|_| truncated())?;
        let data = data.get(..length).ok_or_else(truncated)?;
        match self {
            Self::Blocks(block) => Ok(block.decode(width, height, data)),
            Self::Masks(masks) => {
                let pixels = data.chunks_exact(masks.bytes).flat_map(|bytes| masks.pixel(bytes)).collect();
                Picture::from_pixels(width, height, pixels).ok_or_else(truncated)
            }
        }
    }
}

impl Block {
    fn bytes(self) -> usize {
        match self {
            Self::Bc1 { .. } | Self::Bc4 { .. } => 8,
            _ => 16,
        }
    }

    fn decode(self, width: u32, height: u32, data: &[u8]) -> Picture {
        let mut picture = Picture::new(width, height, [0; 4]);
        let columns = width.div_ceil(4);
        for (index, block) in (0u32..).zip(data.chunks_exact(self.bytes())) {
            picture.put_block(index % columns * 4, index / columns * 4, &self.pixels(block));
        }
        picture
    }

    /// The 16 pixels of a block, row by row.
    fn pixels(self, block: &[u8]) -> [[u8; 4]; 16] {
        let mut out = [0u8; 64];
        match self {
            Self::Bc1 { .. } => bcdec_rs::bc1(block, &mut out, 16),
            Self::Bc2 => bcdec_rs::bc2(block, &mut out, 16),
            Self::Bc3 => bcdec_rs::bc3(block, &mut out, 16),
            Self::Bc7 => bcdec_rs::bc7(block, &mut out, 16),
            Self::Bc4 { signed } => {
                bcdec_rs::bc4(block, &mut out, 4, signed);
                return std::array::from_fn(|i| grey(unsigned(out[i], signed)));
            }
            Self::Bc5 { signed } => {
                bcdec_rs::bc5(block, &mut out, 8, signed);
                return std::array::from_fn(|i| normal([out[2 * i], out[2 * i + 1]], signed));
            }
        }
        let opaque = matches!(self, Self::Bc1 { opaque: true });
        std::array::from_fn(|i| {
            let alpha = if opaque { 255 } else { out[4 * i + 3] };
            [out[4 * i], out[4 * i + 1], out[4 * i + 2], alpha]
        })
    }
}

fn grey(value: u8) -> [u8; 4] {
    [value, value, value, 255]
}

/// A value of -127 to 127 as one of 0 to 255; unsigned values as they are.
fn unsigned(value: u8, signed: bool) -> u8 {
    if !signed {
        return value;
    }
    let value = i32::from(value as i8).max(-127) + 127;
    ((value * 255 + 127) / 254) as u8
}

/// Two channels hold x and y of a normal; readers of normal maps expect its z in blue.
fn normal(channels: [u8; 2], signed: bool) -> [u8; 4] {
    let [red, green] = channels.map(|value| unsigned(value, signed));
    let [x, y] = [red, green].map(|value| f32::from(value) / 127.5 - 1.0);
    let z = (1.0 - x * x - y * y).max(0.0).sqrt();
    [red, green, ((z + 1.0) * 127.5).round() as u8, 255]
}
