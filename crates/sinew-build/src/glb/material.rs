//! Materials, textures, images.

use super::Writer;
use super::buffer::{Use, named, object};
use crate::textures::{TextureWriteError, Textures};
use glam::{Vec2, Vec3, Vec4};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use sinew::{
    AlphaMode, Buffer, Finding, Image, MagFilter, Material, MinFilter, Sampler, Texture, TextureRef,
    UvTransform, Wrap,
};
use sinew_files::Files;
use sinew_findings::catalogue::build as findings;
use std::collections::HashMap;

/// A material as it was written.
pub(super) struct Written {
    pub(super) json: Value,
    /// How many sets of texture coordinates its pictures ask for.
    pub(super) uv_sets: usize,
}

/// The image of each texture, if it can be written. Textures with the same picture share it, under the name of the first.
pub(super) fn images(
    writer: &mut Writer<'_>,
    textures: &Textures,
    files: &dyn Files,
) -> Result<Vec<Option<usize>>, TextureWriteError> {
    let character = writer.character;
    let mut known = HashMap::new();
    let mut written = Vec::with_capacity(character.textures().len());
    for texture in character.textures() {
        let picture = textures.image(texture, files)?;
        let same = known.entry(digest(&picture));
        written.push(*same.or_insert_with(|| image(writer, texture, picture, files)));
    }
    Ok(written)
}

/// The same for pictures that are the same.
fn digest(image: &Image) -> [u8; 32] {
    let (kind, bytes): (u8, &[u8]) = match image {
        Image::Missing => (0, &[]),
        Image::Embedded(bytes) => (1, bytes),
        Image::File(path) => (2, path.as_os_str().as_encoded_bytes()),
    };
    Sha256::new().chain_update([kind]).chain_update(bytes).finalize().into()
}

fn image(writer: &mut Writer<'_>, texture: &Texture, image: Image, files: &dyn Files) -> Option<usize> {
    let json = match image {
        Image::Missing => return None,
        Image::Embedded(bytes) => embedded(writer, texture, bytes)?,
        Image::File(path) => match other_format(texture, files) {
            Some(bytes) => embedded(writer, texture, bytes.into())?,
            None => {
                let uri = percent_encoded(&path.to_string_lossy());
                object(json!({ "name": named(&texture.name), "uri": uri }))
            }
        },
    };
    writer.images.push(json);
    Some(writer.images.len() - 1)
}

/// The bytes of a picture file if it has a format that glTF cannot refer to.
fn other_format(texture: &Texture, files: &dyn Files) -> Option<Vec<u8>> {
    let Image::File(path) = &texture.image else { return None };
    let content = files.read(path, u64::MAX).ok()?;
    mime_type(&content).is_none().then(|| content.to_vec())
}

/// A picture inside the file, as PNG if glTF does not hold its format.
fn embedded(writer: &mut Writer<'_>, texture: &Texture, bytes: Buffer<u8>) -> Option<Value> {
    let (bytes, mime) = match mime_type(&bytes) {
        Some(mime) => (bytes, mime),
        None => (converted(writer, texture, bytes)?.into(), "image/png"),
    };
    let view = writer.buffer.view(&bytes, Use::Data);
    Some(object(json!({ "name": named(&texture.name), "bufferView": view, "mimeType": mime })))
}

/// A picture as PNG; `None` with a finding if it cannot be decoded.
fn converted(writer: &mut Writer<'_>, texture: &Texture, bytes: Buffer<u8>) -> Option<Vec<u8>> {
    let texture = Texture { image: Image::Embedded(bytes), ..texture.clone() };
    let picture = sinew_image::decode(&texture).map_err(|error| error.to_string());
    let encoded = picture.and_then(|picture| {
        let message = format!("{} x {} pixels were written as PNG", picture.width(), picture.height());
        sinew_image::encode_png(&picture).map(|png| (png, message)).map_err(|error| error.to_string())
    });
    let (kind, png, message) = match encoded {
        Ok((png, message)) => (&findings::TEXTURE_CONVERTED, Some(png), message),
        Err(error) => (&findings::TEXTURE_FORMAT, None, format!("it was left out: {error}")),
    };
    writer.findings.push(Finding::new(kind, &texture.name, message));
    png
}

fn mime_type(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some("image/png")
    } else if bytes.starts_with(&[0xFF, 0xD8, 0xFF]) && sinew_image::jpeg_components(bytes) != Some(4) {
        // glTF has no pictures for print.
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
    let [base, metal, normal, occlusion, emissive] =
        material.textures().map(|texture| texture_info(writer, texture?, images));
    let written = [&base, &metal, &normal, &occlusion, &emissive].into_iter().zip(material.textures());
    let asked = written.filter_map(|(info, texture)| info.as_ref().and(texture));
    let uv_sets = asked.map(|texture| usize::from(texture.uv_set) + 1).max().unwrap_or(0);
    let with = |info: Option<Value>, key: &str, value: f32| {
        info.map(|mut info| {
            if value != 1.0 {
                info[key] = json!(value);
            }
            info
        })
    };
    let or_default = |value: Value, default: Value| if value == default { Value::Null } else { value };
    let (mode, cutoff) = match material.alpha {
        AlphaMode::Opaque => (Value::Null, Value::Null),
        AlphaMode::Mask(cutoff) => (json!("MASK"), or_default(json!(cutoff.max(0.0)), json!(0.5f32))),
        AlphaMode::Blend => (json!("BLEND"), Value::Null),
    };
    let unit = |value: f32| or_default(json!(value.clamp(0.0, 1.0)), json!(1.0f32));
    let color = material.base_color.clamp(Vec4::ZERO, Vec4::ONE).to_array();
    let emitted = material.emissive.clamp(Vec3::ZERO, Vec3::ONE).to_array();
    let json = object(json!({
        "name": named(&material.name),
        "pbrMetallicRoughness": object(json!({
            "baseColorFactor": or_default(json!(color), json!(Vec4::ONE.to_array())),
            "baseColorTexture": base,
            "metallicFactor": unit(material.metallic),
            "roughnessFactor": unit(material.roughness),
            "metallicRoughnessTexture": metal,
        })),
        "normalTexture": with(normal, "scale", material.normal_scale),
        "occlusionTexture": with(occlusion, "strength", material.occlusion_strength.clamp(0.0, 1.0)),
        "emissiveTexture": emissive,
        "emissiveFactor": or_default(json!(emitted), json!(Vec3::ZERO.to_array())),
        "alphaMode": mode,
        "alphaCutoff": cutoff,
        "doubleSided": if material.two_sided { json!(true) } else { Value::Null },
        "extensions": extensions(writer, material),
    }));
    Written { json, uv_sets }
}

fn extensions(writer: &mut Writer<'_>, material: &Material) -> Value {
    let mut extensions = serde_json::Map::new();
    if material.unlit {
        extensions.insert(writer.uses("KHR_materials_unlit"), json!({}));
    }
    // Light has no effect on an unlit surface, nor has its own.
    if material.emissive_strength != 1.0 && !material.unlit {
        let strength = json!({ "emissiveStrength": material.emissive_strength.max(0.0) });
        extensions.insert(writer.uses("KHR_materials_emissive_strength"), strength);
    }
    if material.transmission > 0.0 && !material.unlit {
        let transmission = json!({ "transmissionFactor": material.transmission.min(1.0) });
        extensions.insert(writer.uses("KHR_materials_transmission"), transmission);
    }
    if extensions.is_empty() { Value::Null } else { Value::Object(extensions) }
}

/// A reference to a texture, unless its picture cannot be shown.
fn texture_info(writer: &mut Writer<'_>, texture: &TextureRef, images: &[Option<usize>]) -> Option<Value> {
    let image = images.get(texture.texture).copied().flatten()?;
    let mut info = json!({ "index": written_texture(writer, image, &texture.sampler) });
    if texture.uv_set != 0 {
        info["texCoord"] = json!(texture.uv_set);
    }
    if texture.transform != UvTransform::IDENTITY {
        let UvTransform { offset, rotation, scale } = texture.transform;
        let transform = object(json!({
            "offset": (offset != Vec2::ZERO).then(|| offset.to_array()),
            "rotation": (rotation != 0.0).then_some(rotation),
            "scale": (scale != Vec2::ONE).then(|| scale.to_array()),
        }));
        let name = writer.uses("KHR_texture_transform");
        info["extensions"] = json!({ name: transform });
    }
    Some(info)
}

/// An image with its sampler.
fn written_texture(writer: &mut Writer<'_>, image: usize, sampler: &Sampler) -> usize {
    let mut texture = json!({ "source": image });
    let sampler = sampler_json(sampler);
    if sampler.as_object().is_some_and(|fields| !fields.is_empty()) {
        texture["sampler"] = json!(find_or_push(&mut writer.samplers, sampler));
    }
    find_or_push(&mut writer.textures, texture)
}

fn sampler_json(sampler: &Sampler) -> Value {
    let wrap = |wrap: Wrap| match wrap {
        Wrap::Repeat => None,
        Wrap::Mirror => Some(33648),
        Wrap::Clamp => Some(33071),
    };
    let mag = match sampler.mag {
        MagFilter::Auto => None,
        MagFilter::Nearest => Some(9728),
        MagFilter::Linear => Some(9729),
    };
    let min = match sampler.min {
        MinFilter::Auto => None,
        MinFilter::Nearest => Some(9728),
        MinFilter::Linear => Some(9729),
        MinFilter::NearestMipNearest => Some(9984),
        MinFilter::LinearMipNearest => Some(9985),
        MinFilter::NearestMipLinear => Some(9986),
        MinFilter::LinearMipLinear => Some(9987),
    };
    let [wrap_s, wrap_t] = sampler.wrap.map(wrap);
    object(json!({ "magFilter": mag, "minFilter": min, "wrapS": wrap_s, "wrapT": wrap_t }))
}

fn find_or_push(list: &mut Vec<Value>, value: Value) -> usize {
    list.iter().position(|other| *other == value).unwrap_or_else(|| {
        list.push(value);
        list.len() - 1
    })
}
