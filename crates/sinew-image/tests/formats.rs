//! DDS, KTX2 and WebP against colours worked out from the definition of each format, and hostile versions of them.

use sinew::{Image, Texture};
use sinew_image::{Picture, TextureError, decode, size};
use sinew_testkit::pictures::{
    Dds, ETC1S_COLORS, Ktx2, dds, ktx2, ktx2_etc1s, ktx2_uastc, ktx2_uastc_zstd, uastc, zstd,
};

fn decoded(bytes: &[u8]) -> Result<Picture, TextureError> {
    decode(&Texture {
        name: "t".into(),
        reference: "t.dat".into(),
        image: Image::Embedded(bytes.to_vec().into()),
    })
}

fn row(picture: &Picture, y: u32) -> Vec<[u8; 4]> {
    (0..picture.width()).map(|x| picture.pixel(x, y)).collect()
}

/// Red and blue with the two colours between them, in each row.
const BC1: [u8; 8] = [0x00, 0xf8, 0x1f, 0x00, 0xe4, 0xe4, 0xe4, 0xe4];
const BC1_ROW: [[u8; 4]; 4] = [[255, 0, 0, 255], [0, 0, 255, 255], [170, 0, 85, 255], [85, 0, 170, 255]];

/// 255 and 0 with six values between them: 255 everywhere but in the last pixel, whose index is 2, which is 6/7 of 255: 218.6.
/// Decoders may round it either way.
const BC4: [u8; 8] = [255, 0, 0, 0, 0, 0, 0, 0x40];

/// Mode 6, both endpoints 2 * (10, 20, 30, 127) + 1.
fn bc7() -> [u8; 16] {
    let mut bits = 1u128 << 6;
    for (channel, value) in [10u128, 20, 30, 127].into_iter().enumerate() {
        bits |= (value | value << 7) << (7 + 14 * channel);
    }
    (bits | 0b11 << 63).to_le_bytes()
}

#[test]
fn blocks_of_direct3d_have_the_colours_of_their_definition() {
    let bc1 = decoded(&dds(4, 4, Dds::FourCc(*b"DXT1"), &BC1)).unwrap();
    assert_eq!(row(&bc1, 3), BC1_ROW);
    // With the smaller colour first, the third is halfway and the fourth transparent.
    let swapped = [0x1f, 0x00, 0x00, 0xf8, 0xe4, 0xe4, 0xe4, 0xe4];
    let bc1 = decoded(&dds(4, 4, Dds::Dxgi(71), &swapped)).unwrap();
    assert_eq!(row(&bc1, 0)[3], [0; 4]);
    let opaque = decoded(&ktx2(4, 4, Ktx2 { format: 131, ..Ktx2::default() }, &swapped)).unwrap();
    assert_eq!(row(&opaque, 0)[3], [0, 0, 0, 255]);

    let bc2 = [[0x70; 8], BC1].concat();
    let bc2 = decoded(&dds(4, 4, Dds::FourCc(*b"DXT3"), &bc2)).unwrap();
    assert_eq!(row(&bc2, 0)[..2], [[255, 0, 0, 0], [0, 0, 255, 0x77]]);

    let bc3 = [BC4, BC1].concat();
    for format in [Dds::FourCc(*b"DXT5"), Dds::Dxgi(77)] {
        let bc3 = decoded(&dds(4, 4, format, &bc3)).unwrap();
        assert_eq!((row(&bc3, 0), bc3.pixel(3, 3)), (BC1_ROW.to_vec(), [85, 0, 170, 218]));
    }

    let bc4 = decoded(&dds(4, 4, Dds::FourCc(*b"ATI1"), &BC4)).unwrap();
    assert_eq!([bc4.pixel(0, 0), bc4.pixel(3, 3)], [[255; 4], [219, 219, 219, 255]]);
    // Signed: 127 everywhere, which is white, and then -127, which is black.
    let signed = [127, 0x81, 0, 0, 0, 0, 0, 0x20];
    let bc4 = decoded(&dds(4, 4, Dds::Dxgi(81), &signed)).unwrap();
    assert_eq!([bc4.pixel(0, 0), bc4.pixel(3, 3)], [[255; 4], [0, 0, 0, 255]]);

    // x = 0, y = 0: the normal points along z.
    let flat = [128, 128, 0, 0, 0, 0, 0, 0];
    let bc5 = decoded(&dds(4, 4, Dds::FourCc(*b"ATI2"), &[flat, flat].concat())).unwrap();
    assert_eq!(bc5.pixel(2, 2), [128, 128, 255, 255]);
    let bc5 = decoded(&dds(4, 4, Dds::Dxgi(83), &[BC4, flat].concat())).unwrap();
    assert_eq!(bc5.pixel(0, 0), [255, 128, 128, 255], "along x");

    for file in
        [dds(4, 4, Dds::Dxgi(98), &bc7()), ktx2(4, 4, Ktx2 { format: 146, ..Ktx2::default() }, &bc7())]
    {
        assert!((0..4).all(|y| row(&decoded(&file).unwrap(), y) == [[21, 41, 61, 255]; 4]));
    }
}

#[test]
fn sizes_that_are_no_multiple_of_a_block_are_cut() {
    let picture = decoded(&dds(5, 3, Dds::FourCc(*b"DXT1"), &[BC1, BC1].concat())).unwrap();
    assert_eq!((picture.size(), row(&picture, 2)[4]), ((5, 3), BC1_ROW[0]));
    let colors = [[1, 2, 3, 4], [5, 6, 7, 255]];
    let picture = decoded(&ktx2_uastc(5, 1, &colors.map(uastc))).unwrap();
    assert_eq!(row(&picture, 0), [colors[0], colors[0], colors[0], colors[0], colors[1]]);
}

#[test]
fn uncompressed_pixels_are_read_by_their_masks() {
    let rgb = [0xff_0000, 0xff00, 0xff];
    let with = |alpha: u32| [rgb[0], rgb[1], rgb[2], alpha];
    let bgra = dds(1, 2, Dds::Masks(0x41, 32, with(0xff00_0000)), &[3, 2, 1, 4, 7, 6, 5, 8]);
    let bgra = decoded(&bgra).unwrap();
    assert_eq!([bgra.pixel(0, 0), bgra.pixel(0, 1)], [[1, 2, 3, 4], [5, 6, 7, 8]]);
    let first = |bytes: Vec<u8>| decoded(&bytes).unwrap().pixel(0, 0);
    assert_eq!(first(dds(1, 1, Dds::Masks(0x40, 24, with(0)), &[3, 2, 1])), [1, 2, 3, 255]);
    assert_eq!(first(dds(1, 1, Dds::Masks(0x40, 32, with(0xff00_0000)), &[3, 2, 1, 0])), [1, 2, 3, 255]);
    let r5g6b5 = Dds::Masks(0x40, 16, [0xf800, 0x7e0, 0x1f, 0]);
    assert_eq!(first(dds(1, 1, r5g6b5, &[0x1f, 0xf8])), [255, 0, 255, 255]);
    assert_eq!(first(dds(1, 1, Dds::Masks(0x2_0000, 8, [0xff, 0, 0, 0]), &[9])), [9, 9, 9, 255]);
    assert_eq!(first(dds(1, 1, Dds::Dxgi(28), &[1, 2, 3, 4])), [1, 2, 3, 4]);
    assert_eq!(first(dds(1, 1, Dds::Dxgi(87), &[3, 2, 1, 4])), [1, 2, 3, 4]);
    let plain = |format: u32, bytes: &[u8]| first(ktx2(1, 1, Ktx2 { format, ..Ktx2::default() }, bytes));
    assert_eq!(plain(43, &[1, 2, 3, 4]), [1, 2, 3, 4]);
    assert_eq!(plain(23, &[1, 2, 3]), [1, 2, 3, 255]);
    assert_eq!(plain(9, &[5]), [5, 5, 5, 255]);
    let packed = Ktx2 { format: 37, scheme: 2, uncompressed: 4, ..Ktx2::default() };
    assert_eq!(first(ktx2(1, 1, packed, &zstd(&[1, 2, 3, 4]))), [1, 2, 3, 4]);
}

#[test]
fn basis_universal_is_decoded() {
    let colors = [[10, 200, 30, 255], [0, 0, 0, 0]];
    for file in [ktx2_uastc(8, 4, &colors.map(uastc)), ktx2_uastc_zstd(8, 4, &colors.map(uastc))] {
        assert_eq!(size(&file), Some([8, 4]));
        let picture = decoded(&file).unwrap();
        assert_eq!((picture.pixel(3, 3), picture.pixel(4, 0)), (colors[0], colors[1]));
    }
    let picture = decoded(&ktx2_etc1s()).unwrap();
    let [left, right @ ..] = ETC1S_COLORS;
    for y in 0..4 {
        assert_eq!(row(&picture, y), [&[left; 4][..], &right].concat(), "row {y}");
    }
}

/// A lossless WebP picture of 4 x 4 pixels of one colour: simple codes of one symbol each, so that pixels take no bits.
fn webp() -> Vec<u8> {
    // Width and height less one, alpha, version; no transform, no cache of colours, one group of codes.
    let mut fields = vec![(3, 14), (3, 14), (1, 1), (0, 3), (0, 1), (0, 1), (0, 1)];
    // Green, red, blue, alpha: a simple code of one symbol with eight bits; distances: one of one bit.
    for symbol in [20, 10, 30, 255] {
        fields.extend([(1, 1), (0, 1), (1, 1), (symbol, 8)]);
    }
    fields.extend([(1, 1), (0, 1), (0, 1), (0, 1)]);
    let (mut bits, mut used) = (0u128, 0usize);
    for (value, count) in fields {
        bits |= value << used;
        used += count;
    }
    let mut data = vec![0x2f];
    data.extend(&bits.to_le_bytes()[..used.div_ceil(8)]);
    data.resize(data.len().next_multiple_of(2), 0);
    let mut file = b"RIFF".to_vec();
    file.extend((data.len() as u32 + 12).to_le_bytes());
    file.extend(b"WEBPVP8L");
    file.extend((data.len() as u32).to_le_bytes());
    file.extend(data);
    file
}

#[test]
fn webp_is_decoded() {
    let file = webp();
    assert_eq!(size(&file), Some([4, 4]));
    assert_eq!(row(&decoded(&file).unwrap(), 3), [[10, 20, 30, 255]; 4]);
}

/// A small file of each new kind.
fn files() -> Vec<Vec<u8>> {
    vec![
        dds(5, 3, Dds::FourCc(*b"DXT1"), &[BC1, BC1].concat()),
        dds(4, 4, Dds::Dxgi(98), &bc7()),
        dds(2, 1, Dds::Masks(0x41, 32, [0xff_0000, 0xff00, 0xff, 0xff00_0000]), &[1, 2, 3, 4, 5, 6, 7, 8]),
        ktx2(4, 4, Ktx2 { format: 137, ..Ktx2::default() }, &[BC4, BC1].concat()),
        ktx2_uastc(8, 4, &[uastc([1, 2, 3, 4]); 2]),
        ktx2_uastc_zstd(8, 4, &[uastc([1, 2, 3, 4]); 2]),
        ktx2_etc1s(),
    ]
}

#[test]
fn truncated_pictures_are_errors() {
    for file in files() {
        decoded(&file).unwrap();
        for length in 0..file.len() {
            assert!(decoded(&file[..length]).is_err(), "{length} of {} bytes", file.len());
        }
    }
    let file = webp();
    (0..file.len()).for_each(|length| drop(decoded(&file[..length])));
    for file in [bmp(), tga()] {
        assert_eq!(decoded(&file).unwrap().pixel(0, 0), [30, 20, 10, 255]);
        for length in 0..file.len() {
            assert!(decoded(&file[..length]).is_err(), "{length} of {} bytes", file.len());
        }
    }
}

/// Four by two pixels of one colour.
fn bmp() -> Vec<u8> {
    let mut file = b"BM".to_vec();
    file.extend([78u32, 0, 54, 40, 4, 2, 0x18_0001, 0, 24, 0, 0, 0, 0].map(u32::to_le_bytes).as_flattened());
    file.extend([10, 20, 30].repeat(8));
    file
}

/// The same; runs of pixels are written once.
fn tga() -> Vec<u8> {
    let mut file = vec![0; 18];
    (file[2], file[12], file[14], file[16]) = (10, 4, 2, 24);
    file.extend([0x87, 10, 20, 30]);
    file
}

#[test]
fn changed_bytes_never_panic() {
    for file in files().into_iter().chain([webp(), bmp(), tga()]) {
        for at in 0..file.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff, file[at] ^ 1, file[at] ^ 0x10, file[at].wrapping_add(1)] {
                let mut file = file.clone();
                file[at] = value;
                // Larger ones only take long.
                if size(&file).is_none_or(|[width, height]| u64::from(width) * u64::from(height) < 1 << 20) {
                    drop(decoded(&file));
                }
            }
        }
    }
}

#[test]
fn what_claims_to_be_huge_is_refused_by_its_header() {
    let huge = u32::MAX;
    for file in [
        dds(huge, huge, Dds::FourCc(*b"DXT1"), &BC1),
        ktx2_uastc(huge, huge, &[uastc([0; 4])]),
        ktx2_uastc_zstd(20_000, 1, &[uastc([0; 4])]),
    ] {
        assert!(size(&file).is_some());
        let error = decoded(&file).unwrap_err().to_string();
        assert!(error.contains("pixels") && error.contains("16384 x 16384"), "{error}");
    }
    for file in
        [dds(16_384, 16_384, Dds::Dxgi(98), &bc7()), ktx2_uastc_zstd(16_384, 16_384, &[uastc([0; 4])])]
    {
        assert!(decoded(&file).unwrap_err().to_string().contains("truncated"));
    }
    assert!(decoded(&ktx2(0, 4, Ktx2 { format: 37, ..Ktx2::default() }, &[])).is_err());
    // The length that the level claims to have is not believed, and a bomb is not inflated beyond the picture.
    let mut file = ktx2_uastc_zstd(4, 4, &[uastc([1, 2, 3, 4])]);
    file[96..104].copy_from_slice(&u64::MAX.to_le_bytes());
    assert_eq!(decoded(&file).unwrap().pixel(0, 0), [1, 2, 3, 4]);
    let block = [&(1u32 << 1 | 0x1_ffff << 3).to_le_bytes()[..3], &[0]].concat();
    let bomb = [vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0x50], block.repeat(100_000)].concat();
    let about = Ktx2 { format: 37, scheme: 2, uncompressed: 64, ..Ktx2::default() };
    assert_eq!(decoded(&ktx2(4, 4, about, &bomb)).unwrap().pixel(3, 3), [0; 4]);
}
