//! Encoded pictures to pixels.

use crate::{Picture, dds, ktx2};
use image::{ImageFormat, ImageReader, Limits};
use sinew::{Image, Texture};
use sinew_files::{Disk, Files};
use std::io::Cursor;

/// Why the picture of a texture cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextureError {
    /// It was not found where the source file says, or must not be read there.
    #[error("`{reference}` was not found, or lies outside the model's folder: put it beside the model")]
    Missing {
        /// As the source file wrote it.
        reference: String,
    },
    /// The source file names no picture for it, or in a way that is not read.
    #[error("the model holds no picture that is read for `{texture}`: export it with PNG or JPEG pictures")]
    None {
        /// Name of the texture.
        texture: String,
    },
    /// Its bytes could not be read or decoded.
    #[error(
        "`{reference}` cannot be read ({reason}): PNG, JPEG, WebP, TGA, BMP, DDS and KTX2 up to {LONGEST} x {LONGEST} pixels can"
    )]
    Unreadable {
        /// As the source file wrote it.
        reference: String,
        /// What is wrong.
        reason: String,
    },
}

/// Longest side of a decoded picture, in pixels.
const LONGEST: u32 = 16_384;
/// Largest file that is read, in bytes.
const FILE_BYTES: u64 = 512 << 20;
/// Memory that decoding may take, in bytes.
const DECODED_BYTES: u64 = 1 << 30;

/// The pixels of a texture: a PNG, JPEG, WebP, TGA, BMP, DDS or KTX2 picture.
pub fn decode(texture: &Texture) -> Result<Picture, TextureError> {
    let reference = || match &texture.image {
        _ if !texture.reference.is_empty() => texture.reference.clone(),
        Image::File(path) => path.display().to_string(),
        _ => texture.name.clone(),
    };
    let unreadable = |reason: String| TextureError::Unreadable { reference: reference(), reason };
    match &texture.image {
        Image::Missing if texture.reference.is_empty() => {
            Err(TextureError::None { texture: texture.name.clone() })
        }
        Image::Missing => Err(TextureError::Missing { reference: texture.reference.clone() }),
        Image::Embedded(bytes) => pixels_of(bytes, &texture.reference).map_err(unreadable),
        Image::File(path) => {
            let bytes = Disk.read(path, FILE_BYTES).map_err(|error| unreadable(error.to_string()))?;
            pixels_of(&bytes, &path.to_string_lossy()).map_err(unreadable)
        }
    }
}

/// The same for bytes of a picture; its name counts only where the bytes do not tell the format, and in errors.
pub fn decode_bytes(bytes: &[u8], name: &str) -> Result<Picture, TextureError> {
    pixels_of(bytes, name).map_err(|reason| TextureError::Unreadable { reference: name.to_owned(), reason })
}

/// Why a picture of a texture cannot be decoded although it is whole, as far as [`crate::check`] can tell. `None` also if it is missing, or `check` finds fault with
/// it.
pub fn hidden_fault(texture: &Texture) -> Option<String> {
    let content;
    let bytes: &[u8] = match &texture.image {
        Image::Missing => return None,
        Image::Embedded(bytes) => bytes,
        Image::File(path) => {
            content = Disk.read(path, FILE_BYTES).ok()?;
            &content
        }
    };
    crate::check(bytes).ok()?;
    pixels_of(bytes, &texture.reference).err()
}

/// Detects the format from the bytes, since file names may be wrong. TGA has no signature and is tried last.
fn pixels_of(bytes: &[u8], name: &str) -> Result<Picture, String> {
    if bytes.starts_with(dds::MAGIC) {
        return dds::decode(bytes);
    }
    if bytes.starts_with(ktx2::MAGIC) {
        return ktx2::decode(bytes);
    }
    let by_name = ImageFormat::from_path(name).ok();
    let format = image::guess_format(bytes).ok().or(by_name).unwrap_or(ImageFormat::Tga);
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_image_width = Some(LONGEST);
    limits.max_image_height = Some(LONGEST);
    limits.max_alloc = Some(DECODED_BYTES);
    reader.limits(limits);
    let decoded = reader.decode().map_err(|error| error.to_string())?.into_rgba8();
    let (width, height) = decoded.dimensions();
    check_size(width, height)?;
    Picture::from_pixels(width, height, decoded.into_raw()).ok_or_else(|| "it is truncated".into())
}

/// Checks a size from a header before anything is allocated.
pub(crate) fn check_size(width: u32, height: u32) -> Result<(), String> {
    if width == 0 || height == 0 {
        return Err("it has no pixels".into());
    }
    if width > LONGEST || height > LONGEST {
        return Err(format!("it has {width} x {height} pixels"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn embedded(bytes: Vec<u8>) -> Texture {
        Texture { name: "t".into(), reference: "t.dat".into(), image: Image::Embedded(bytes.into()) }
    }

    fn encoded(format: ImageFormat) -> Vec<u8> {
        let picture = image::RgbImage::from_fn(3, 2, |x, y| image::Rgb([x as u8 * 80, y as u8 * 200, 9]));
        let mut bytes = Cursor::new(Vec::new());
        picture.write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    #[test]
    fn pictures_are_known_by_their_bytes() {
        for format in [ImageFormat::Png, ImageFormat::Bmp, ImageFormat::Tga] {
            let picture = decode(&embedded(encoded(format))).unwrap();
            assert_eq!(picture.size(), (3, 2), "{format:?}");
            assert_eq!(picture.pixel(2, 1), [160, 200, 9, 255], "{format:?}");
        }
        let jpeg = decode(&embedded(encoded(ImageFormat::Jpeg))).unwrap();
        assert_eq!(jpeg.size(), (3, 2));
    }

    /// Every format, whole and cut off anywhere behind its header.
    #[test]
    fn a_picture_that_is_cut_off_is_known_without_decoding() {
        let formats =
            [ImageFormat::Png, ImageFormat::Bmp, ImageFormat::Tga, ImageFormat::Jpeg, ImageFormat::WebP];
        for format in formats {
            let whole = encoded(format);
            assert_eq!(crate::check(&whole), Ok(()), "{format:?}");
            let before_end = match format {
                // Runs of equal pixels: how many there are is known when they are decoded.
                ImageFormat::Tga => 18..18 + 3,
                // What fills the last row up to four bytes may be missing.
                ImageFormat::Bmp => 1..whole.len() - 3,
                _ => 1..whole.len(),
            };
            for length in before_end {
                assert!(crate::check(&whole[..length]).is_err(), "{format:?} of {length} bytes");
            }
            // As downloads sometimes are.
            assert_eq!(crate::check(&[&whole[..], &[0; 9]].concat()), Ok(()), "{format:?}");
        }
        for other in [&b""[..], b"GIF89a\x05\0\x06\0", b"8BPS", b"<html>not found</html>"] {
            assert!(crate::check(other).is_err());
        }
    }

    #[test]
    fn damage_within_the_pixels_is_found_by_decoding() {
        let mut bytes = encoded(ImageFormat::Png);
        assert_eq!(hidden_fault(&embedded(bytes.clone())), None);
        let pixels = bytes.windows(4).position(|name| name == b"IDAT").unwrap() + 8;
        bytes[pixels] ^= 0xff;
        assert_eq!(crate::check(&bytes), Ok(()));
        assert!(hidden_fault(&embedded(bytes)).is_some());
    }

    #[test]
    fn bad_pictures_are_errors_with_a_remedy() {
        let missing = Texture { reference: "c:/skin.png".into(), ..Texture::default() };
        assert_eq!(
            decode(&missing).unwrap_err().to_string(),
            "`c:/skin.png` was not found, or lies outside the model's folder: put it beside the model"
        );
        let none = Texture { name: "textures[3]".into(), ..Texture::default() };
        let error = decode(&none).unwrap_err().to_string();
        assert!(error.contains("no picture that is read for `textures[3]`"), "{error}");
        let whole = encoded(ImageFormat::Png);
        for bytes in [vec![], b"not a picture".to_vec(), whole[..whole.len() / 2].to_vec()] {
            let error = decode(&embedded(bytes)).unwrap_err().to_string();
            assert!(error.starts_with("`t.dat` cannot be read") && error.contains("TGA"), "{error}");
        }
        let gone = Texture { image: Image::File("no/such/file.png".into()), ..Texture::default() };
        assert!(decode(&gone).unwrap_err().to_string().contains("file.png"));
    }

    #[test]
    fn a_picture_that_claims_to_be_huge_is_refused() {
        let mut tga = vec![0u8; 18];
        (tga[2], tga[16]) = (2, 24);
        tga[12..16].copy_from_slice(&[0xff, 0xff, 0xff, 0xff]);
        assert!(decode(&embedded(tga)).is_err());
    }
}
