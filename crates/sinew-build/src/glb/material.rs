//! Materials, textures, images.

use super::Writer;
use super::buffer::{Use, named, object};
use crate::textures::{TextureWriteError, Textures};
use glam::Vec4;
use serde_json::{Value, json};
use sinew::{AlphaMode, Finding, Image, Material, Texture, Wrap};
use sinew_files::Files;
use sinew_findings::catalogue::build as findings;

/// A material as it was written.
pub(super) struct Written {
    pub(super) json: Value,
    /// Whether it has a texture, and so requires texture coordinates.
    pub(super) textured: bool,
}

/// The image of each texture, if it can be written.
pub(super) fn images(
    writer: &mut Writer<'_>,
    textures: &Textures,
    files: &dyn Files,
) -> Result<Vec<Option<usize>>, TextureWriteError> {
    let character = writer.character;
    let mut written = Vec::with_capacity(character.textures().len());
    for texture in character.textures() {
        written.push(image(writer, texture, textures.image(texture, files)?));
    }
    Ok(written)
}

fn image(writer: &mut Writer<'_>, texture: &Texture, image: Image) -> Option<usize> {
    let json = match image {
        Image::Missing => return None,
        Image::File(path) => {
            let path = path.to_string_lossy().into_owned();
            object(json!({ "name": named(&texture.name), "uri": percent_encoded(&path) }))
        }
        Image::Embedded(bytes) => {
            let Some(mime) = mime_type(&bytes) else {
                let message = "it is neither PNG nor JPEG, and so was left out".to_owned();
                writer.findings.push(Finding::new(&findings::TEXTURE_FORMAT, &texture.name, message));
                return None;
            };
            let view = writer.buffer.view(&bytes, Use::Data);
            object(json!({ "name": named(&texture.name), "bufferView": view, "mimeType": mime }))
        }
    };
    writer.images.push(json);
    Some(writer.images.len() - 1)
}

fn mime_type(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some("image/png")
    } else if bytes.starts_with(&[0xFF, 0xD8, 0xFF]) {
        Some("image/jpeg")
    } else {
        None
    }
}

/// A relative path as a URI.
fn percent_encoded(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let encode = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    path.bytes().map(encode).collect()
}

pub(super) fn material(writer: &mut Writer<'_>, material: &Material, images: &[Option<usize>]) -> Written {
    let image = material.texture.and_then(|texture| images.get(texture).copied().flatten());
    let texture = image.map(|image| texture(writer, image, material));
    let color = material.base_color.clamp(Vec4::ZERO, Vec4::ONE);
    let (mode, cutoff) = match material.alpha {
        AlphaMode::Opaque => (Value::Null, Value::Null),
        AlphaMode::Mask(cutoff) => (json!("MASK"), json!(cutoff.max(0.0))),
        AlphaMode::Blend => (json!("BLEND"), Value::Null),
    };
    let unlit = json!({ "KHR_materials_unlit": {} });
    writer.unlit |= material.unlit;
    let json = object(json!({
        "name": named(&material.name),
        "pbrMetallicRoughness": object(json!({
            "baseColorFactor": color.to_array(),
            "baseColorTexture": texture.map(|index| json!({ "index": index })),
            "metallicFactor": 0.0,
        })),
        "alphaMode": mode,
        "alphaCutoff": cutoff,
        "doubleSided": if material.two_sided { json!(true) } else { Value::Null },
        "extensions": if material.unlit { unlit } else { Value::Null },
    }));
    Written { json, textured: texture.is_some() }
}

/// An image with its sampler.
fn texture(writer: &mut Writer<'_>, image: usize, material: &Material) -> usize {
    let wrap = |wrap: Wrap| match wrap {
        Wrap::Repeat => 10497,
        Wrap::Mirror => 33648,
        Wrap::Clamp => 33071,
    };
    let (near, far) = if material.nearest { (9728, 9728) } else { (9729, 9987) };
    let sampler = json!({
        "magFilter": near, "minFilter": far,
        "wrapS": wrap(material.wrap[0]), "wrapT": wrap(material.wrap[1]),
    });
    let sampler = find_or_push(&mut writer.samplers, sampler);
    find_or_push(&mut writer.textures, json!({ "sampler": sampler, "source": image }))
}

fn find_or_push(list: &mut Vec<Value>, value: Value) -> usize {
    list.iter().position(|other| *other == value).unwrap_or_else(|| {
        list.push(value);
        list.len() - 1
    })
}
