//! Pictures that mean something else than a material's textures do are decoded, changed and kept as PNG.

use super::Lookup;
use crate::{Budget, Cause};
use sinew::{Image, Material, Texture};
use sinew_image::{Picture, decode_bytes, encode_png};

/// Bytes for each pixel while a picture is decoded: 16 bits for each channel, and RGBA behind it.
const DECODING: u64 = 12;

impl Lookup<'_> {
    /// The pixels of a texture, which are counted in `scratch`. Else why it cannot be decoded.
    pub(crate) fn pixels(
        &self,
        texture: &Texture,
        scratch: &Budget<'_>,
    ) -> Result<Result<Picture, String>, Cause> {
        let content;
        let bytes: &[u8] = match &texture.image {
            Image::Missing => return Ok(Err("it is missing".into())),
            Image::Embedded(bytes) => bytes,
            Image::File(path) => {
                content = self.read(path)?;
                scratch.memory(content.len() as u64)?;
                &content
            }
        };
        let Some([width, height]) = sinew_image::size(bytes) else {
            return Ok(Err("its format is unknown".into()));
        };
        let needed = u64::from(width).saturating_mul(u64::from(height)).saturating_mul(DECODING);
        // Whatever else is in the file, so that the answer does not depend on the order of threads.
        if needed > self.limits.memory / 4 * 3 {
            return Ok(Err(format!("its {width} x {height} pixels do not fit into the limit `memory`")));
        }
        let decoding = scratch.scratch();
        decoding.memory(needed)?;
        let name = if texture.reference.is_empty() { &texture.name } else { &texture.reference };
        let picture = decode_bytes(bytes, name);
        drop(decoding);
        scratch.memory(picture.as_ref().map_or(0, |picture| picture.pixels().len()) as u64)?;
        Ok(picture.map_err(|error| error.to_string()))
    }
}

/// A texture of pixels that were computed.
pub(crate) fn embedded(name: String, picture: &Picture, budget: &Budget<'_>) -> Result<Texture, Cause> {
    let scratch = budget.scratch();
    // A PNG is hardly ever larger than its pixels; it is counted as it is below.
    scratch.memory(picture.pixels().len() as u64)?;
    let bytes = encode_png(picture).unwrap_or_default();
    drop(scratch);
    budget.memory(bytes.len() as u64)?;
    Ok(Texture { name, reference: String::new(), image: Image::Embedded(bytes.into()) })
}

/// Leaves out textures that no material shows any more, since others were made of them.
pub(crate) fn drop_unused(materials: &mut [Material], textures: &mut Vec<Texture>) {
    let mut used = vec![false; textures.len()];
    for texture in materials.iter().flat_map(|material| material.textures()).flatten() {
        if let Some(used) = used.get_mut(texture.texture) {
            *used = true;
        }
    }
    let mut next = 0;
    let numbers: Vec<usize> = used
        .iter()
        .map(|&used| {
            let number = next;
            next += usize::from(used);
            number
        })
        .collect();
    let mut used = used.into_iter();
    textures.retain(|_| used.next() == Some(true));
    for texture in materials.iter_mut().flat_map(Material::textures_mut).flatten() {
        texture.texture = numbers.get(texture.texture).copied().unwrap_or_default();
    }
}
