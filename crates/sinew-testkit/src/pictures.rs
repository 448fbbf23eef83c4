//! DDS and KTX2 files, built from the definition of their formats.

/// Pixel formats of a DDS file.
#[derive(Clone, Copy, Debug)]
pub enum Dds {
    /// A code of four letters, such as `DXT1`.
    FourCc([u8; 4]),
    /// A number of DXGI, in the second header.
    Dxgi(u32),
    /// Uncompressed pixels: flags, bits of a pixel, bits of red, green, blue and alpha.
    Masks(u32, u32, [u32; 4]),
}

/// A DDS file.
pub fn dds(width: u32, height: u32, format: Dds, pixels: &[u8]) -> Vec<u8> {
    let mut fields = [0u32; 31];
    (fields[0], fields[1], fields[2], fields[3]) = (124, 0x1007, height, width);
    fields[18] = 32;
    match format {
        Dds::FourCc(code) => (fields[19], fields[20]) = (4, u32::from_le_bytes(code)),
        Dds::Dxgi(_) => (fields[19], fields[20]) = (4, u32::from_le_bytes(*b"DX10")),
        Dds::Masks(flags, bits, masks) => {
            (fields[19], fields[21]) = (flags, bits);
            fields[22..26].copy_from_slice(&masks);
        }
    }
    fields[26] = 0x1000;
    let mut file = b"DDS ".to_vec();
    file.extend(fields.iter().flat_map(|field| field.to_le_bytes()));
    if let Dds::Dxgi(format) = format {
        file.extend([format, 3, 0, 1, 0].iter().flat_map(|field| field.to_le_bytes()));
    }
    file.extend(pixels);
    file
}

/// What a KTX2 file holds beside its level.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ktx2<'a> {
    /// A number of `VkFormat`.
    pub format: u32,
    /// Compression scheme: 0 none, 1 BasisLZ, 2 Zstandard, 3 zlib.
    pub scheme: u32,
    /// Colour model of the data format descriptor.
    pub model: u8,
    /// Channel of its sample.
    pub channel: u8,
    /// Length of the level when decompressed.
    pub uncompressed: u64,
    /// Global data of the compression scheme.
    pub global: &'a [u8],
}

/// A KTX2 file with one level.
pub fn ktx2(width: u32, height: u32, about: Ktx2<'_>, level: &[u8]) -> Vec<u8> {
    let mut file = b"\xabKTX 20\xbb\r\n\x1a\n".to_vec();
    let (descriptor, global) = (104u32, 148u64);
    let level_at = global + about.global.len() as u64;
    for field in [about.format, 1, width, height, 0, 0, 1, 1, about.scheme, descriptor, 44, 0, 0] {
        file.extend(field.to_le_bytes());
    }
    let global_at = if about.global.is_empty() { 0 } else { global };
    for field in [global_at, about.global.len() as u64, level_at, level.len() as u64, about.uncompressed] {
        file.extend(field.to_le_bytes());
    }
    let model = u32::from(about.model) | 1 << 8 | 2 << 16;
    let sample = u32::from(about.channel) << 24 | 127 << 16;
    for field in [44, 0, 2 | 40 << 16, model, 3 | 3 << 8, 16, 0, sample, 0, 0, u32::MAX] {
        file.extend(field.to_le_bytes());
    }
    file.extend(about.global);
    file.extend(level);
    file
}

/// A KTX2 file of UASTC blocks.
pub fn ktx2_uastc(width: u32, height: u32, blocks: &[[u8; 16]]) -> Vec<u8> {
    let about = Ktx2 { model: 166, channel: 3, uncompressed: blocks.len() as u64 * 16, ..Ktx2::default() };
    ktx2(width, height, about, blocks.as_flattened())
}

/// The same, compressed by Zstandard.
pub fn ktx2_uastc_zstd(width: u32, height: u32, blocks: &[[u8; 16]]) -> Vec<u8> {
    let uncompressed = blocks.len() as u64 * 16;
    let about = Ktx2 { model: 166, channel: 3, scheme: 2, uncompressed, ..Ktx2::default() };
    ktx2(width, height, about, &zstd(blocks.as_flattened()))
}

/// A UASTC block of one colour.
pub fn uastc(color: [u8; 4]) -> [u8; 16] {
    let mut bits = Bits::default();
    bits.put(0x17, 5);
    color.iter().for_each(|channel| bits.put((*channel).into(), 8));
    let mut block = [0; 16];
    block[..bits.bytes.len()].copy_from_slice(&bits.bytes);
    block
}

/// A frame of Zstandard with one block that is not compressed.
pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    // One segment, with its length in four bytes.
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0xa0];
    frame.extend((bytes.len() as u32).to_le_bytes());
    let block = 1 | (bytes.len() as u32) << 3;
    frame.extend(&block.to_le_bytes()[..3]);
    frame.extend(bytes);
    frame
}

/// The colours of [`ktx2_etc1s`]: the left block, and the columns of the right one.
pub const ETC1S_COLORS: [[u8; 4]; 5] = [
    [200, 134, 134, 255],
    [181, 181, 115, 255],
    [193, 193, 127, 255],
    [203, 203, 137, 255],
    [215, 215, 149, 255],
];

/// A KTX2 file of ETC1S, 8 x 4 pixels, compressed by BasisLZ: its two blocks have the colours of [`ETC1S_COLORS`].
pub fn ktx2_etc1s() -> Vec<u8> {
    let mut endpoints = Bits::default();
    // Deltas of colours below 10, below 22, and above; deltas of intensities.
    endpoints.table(&[0, 1]);
    endpoints.table(&[0, 8]);
    endpoints.table(&[0, 1]);
    endpoints.table(&[0, 1]);
    // Colours, not grey. The first: intensity 0, (16 + 8, 16, 16); the second: intensity 1, (24, 16 + 8, 16).
    [0, 0, 1, 0, 0, 1, 0, 1, 0].iter().for_each(|bit| endpoints.put(*bit, 1));
    let mut selectors = Bits::default();
    // Not compressed: +a everywhere, and -b, -a, +a, +b in each row.
    selectors.put(0b100, 3);
    [0xaa, 0xaa, 0xaa, 0xaa, 0xe4, 0xe4, 0xe4, 0xe4].iter().for_each(|row| selectors.put(*row, 8));
    let mut tables = Bits::default();
    // How endpoints are predicted, their deltas, selectors, runs of selectors, length of the history.
    tables.table(&[0, 255]);
    tables.table(&[0, 1]);
    tables.table(&[0, 1]);
    tables.table(&[0, 1]);
    tables.put(8, 13);
    let mut slice = Bits::default();
    // All endpoints by deltas; delta 0, selector 0; delta 1, selector 1.
    [1, 0, 0, 1, 1].iter().for_each(|bit| slice.put(*bit, 1));
    let [endpoints, selectors, tables, slice] = [endpoints, selectors, tables, slice].map(|bits| bits.bytes);
    let mut global = Vec::new();
    [2u16, 2].iter().for_each(|count| global.extend(count.to_le_bytes()));
    for length in [endpoints.len(), selectors.len(), tables.len(), 0, 0, 0, slice.len(), 0, 0] {
        global.extend((length as u32).to_le_bytes());
    }
    global.extend([endpoints, selectors, tables].concat());
    ktx2(8, 4, Ktx2 { scheme: 1, model: 163, global: &global, ..Ktx2::default() }, &slice)
}

/// Bits from the lowest of each byte on.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    used: u32,
}

impl Bits {
    fn put(&mut self, value: u32, count: u32) {
        for bit in 0..count {
            if self.used.is_multiple_of(8) {
                self.bytes.push(0);
            }
            if let Some(byte) = self.bytes.last_mut() {
                *byte |= ((value >> bit & 1) as u8) << (self.used % 8);
            }
            self.used += 1;
        }
    }

    /// A Huffman table of two symbols, with a code of one bit each.
    fn table(&mut self, symbols: &[u32; 2]) {
        let length = symbols[1] + 1;
        self.put(length, 14);
        // The lengths of codes are 0 and 1; they are written by codes of one bit, too.
        self.put(21, 5);
        for symbol in [17, 18, 19, 20, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15, 16] {
            self.put(u32::from(symbol < 2), 3);
        }
        (0..length).for_each(|symbol| self.put(u32::from(symbols.contains(&symbol)), 1));
    }
}
