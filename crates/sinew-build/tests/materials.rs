//! glTF → GLB → glTF: materials, samplers and pictures of both documents, property by property, with defaults filled in.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use sinew_build::glb::{GlbOptions, write_glb};
use sinew_import::{Options, import};
use std::path::{Path, PathBuf};

fn gltf_files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            gltf_files(&path, out);
        } else if path.extension().is_some_and(|e| e == "glb" || e == "gltf") {
            out.push(path);
        }
    }
}

#[test]
#[allow(clippy::print_stdout, reason = "skip notes are for whoever runs the tests")]
fn materials_survive_the_way_through_a_glb() {
    let Some(corpus) = std::env::var_os("SINEW_CORPUS").filter(|f| !f.is_empty()).map(PathBuf::from) else {
        println!("SINEW-SKIP: materials_survive_the_way_through_a_glb: corpus not set");
        return;
    };
    let mut files = Vec::new();
    gltf_files(&corpus, &mut files);
    files.sort();
    let (mut compared, mut faults) = (0, Vec::new());
    for file in &files {
        // Files that are broken on purpose, and ones whose geometry is not read.
        let Ok(imported) = import(file, &Options::default()) else { continue };
        let glb = write_glb(&imported.character, &imported.source, &GlbOptions::default()).unwrap();
        let bytes = std::fs::read(file).unwrap();
        let before = Document::new(&bytes, file);
        let after = Document::new(&glb.bytes, file);
        let left_out = glb.findings.iter().filter(|f| f.id() == "glb.texture-format").count();
        compared += 1;
        faults.extend(
            differences(&before, &after, left_out).into_iter().map(|f| format!("{}: {f}", file.display())),
        );
        let images = after.json["images"].as_array().map_or(0, Vec::len);
        let used: std::collections::BTreeSet<u64> = after.json["textures"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|t| t["source"].as_u64().unwrap())
            .collect();
        if used.len() != images {
            faults.push(format!("{}: {images} images, {} of them used", file.display(), used.len()));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(compared > 30, "{compared} files");
}

struct Document {
    json: Value,
    binary: Vec<u8>,
    folder: PathBuf,
}

impl Document {
    fn new(bytes: &[u8], path: &Path) -> Self {
        let folder = path.parent().unwrap().to_owned();
        if !bytes.starts_with(b"glTF") {
            return Self { json: serde_json::from_slice(bytes).unwrap(), binary: vec![], folder };
        }
        let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        let json = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
        let binary = bytes.get(28 + length..).unwrap_or_default().to_vec();
        Self { json, binary, folder }
    }

    /// The encoded picture of an image, if it is there.
    fn image(&self, index: usize) -> Option<Vec<u8>> {
        let image = &self.json["images"][index];
        if let Some(uri) = image["uri"].as_str() {
            if let Some((_, data)) = uri.strip_prefix("data:").and_then(|uri| uri.split_once(',')) {
                return Some(base64(data));
            }
            return std::fs::read(self.folder.join(uri.replace("%20", " "))).ok();
        }
        let view = &self.json["bufferViews"][image["bufferView"].as_u64()? as usize];
        let offset = view["byteOffset"].as_u64().unwrap_or(0) as usize;
        let bytes = self.binary.get(offset..offset + view["byteLength"].as_u64()? as usize)?;
        Some(bytes.to_vec())
    }
}

fn base64(text: &str) -> Vec<u8> {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits: Vec<u32> = text.chars().filter_map(|c| DIGITS.find(c)).map(|d| d as u32).collect();
    let bytes = |four: &[u32]| {
        let word = four.iter().fold(0, |word, digit| word << 6 | digit) << (6 * (4 - four.len()));
        word.to_be_bytes()[1..four.len()].to_vec()
    };
    digits.chunks(4).flat_map(bytes).collect()
}

fn or(value: &Value, default: Value) -> Value {
    if value.is_null() { default } else { value.clone() }
}

/// A number or list as single precision, which is what is kept.
fn single(value: &Value) -> Value {
    match value {
        Value::Array(list) => list.iter().map(single).collect(),
        Value::Number(number) => json!(number.as_f64().unwrap() as f32),
        other => other.clone(),
    }
}

/// A material with all defaults, textures as pictures with sampler and transform.
fn material(document: &Document, material: &Value) -> Vec<(&'static str, Value)> {
    let pbr = &material["pbrMetallicRoughness"];
    let extensions = &material["extensions"];
    let alpha = or(&material["alphaMode"], json!("OPAQUE"));
    let cutoff = if alpha == "MASK" { or(&material["alphaCutoff"], json!(0.5)) } else { Value::Null };
    let texture = |info: &Value| texture(document, info);
    let mut list = vec![
        ("name", or(&material["name"], json!(""))),
        ("normalTexture", texture(&material["normalTexture"])),
        ("occlusionTexture", texture(&material["occlusionTexture"])),
        ("emissiveTexture", texture(&material["emissiveTexture"])),
        ("emissiveFactor", single(&or(&material["emissiveFactor"], json!([0.0, 0.0, 0.0])))),
        ("alphaMode", alpha),
        ("alphaCutoff", single(&cutoff)),
        ("doubleSided", or(&material["doubleSided"], json!(false))),
        ("unlit", json!(!extensions["KHR_materials_unlit"].is_null())),
        (
            "emissiveStrength",
            single(&or(&extensions["KHR_materials_emissive_strength"]["emissiveStrength"], json!(1.0))),
        ),
        (
            "transmission",
            single(&or(&extensions["KHR_materials_transmission"]["transmissionFactor"], json!(0.0))),
        ),
    ];
    for (name, key) in [("normal scale", "scale"), ("occlusion strength", "strength")] {
        let info = if key == "scale" { &material["normalTexture"] } else { &material["occlusionTexture"] };
        if !info.is_null() {
            list.push((name, single(&or(&info[key], json!(1.0)))));
        }
    }
    // Converted to metal and roughness.
    if extensions["KHR_materials_pbrSpecularGlossiness"].is_null() {
        list.extend([
            ("baseColorFactor", single(&or(&pbr["baseColorFactor"], json!([1.0, 1.0, 1.0, 1.0])))),
            ("baseColorTexture", texture(&pbr["baseColorTexture"])),
            ("metallicFactor", single(&or(&pbr["metallicFactor"], json!(1.0)))),
            ("roughnessFactor", single(&or(&pbr["roughnessFactor"], json!(1.0)))),
            ("metallicRoughnessTexture", texture(&pbr["metallicRoughnessTexture"])),
        ]);
    }
    list
}

fn texture(document: &Document, info: &Value) -> Value {
    let Some(index) = info["index"].as_u64() else { return Value::Null };
    let texture = &document.json["textures"][index as usize];
    let sources = ["KHR_texture_basisu", "EXT_texture_webp", "MSFT_texture_dds"];
    let extension = sources.iter().find_map(|name| texture["extensions"][name]["source"].as_u64());
    let Some(source) = extension.or(texture["source"].as_u64()) else { return Value::Null };
    let sampler =
        texture["sampler"].as_u64().map_or(Value::Null, |s| document.json["samplers"][s as usize].clone());
    let transform = &info["extensions"]["KHR_texture_transform"];
    let picture = document.image(source as usize);
    let kept = picture.as_ref().is_none_or(|p| p.starts_with(b"\x89PNG") || p.starts_with(b"\xFF\xD8\xFF"));
    json!({
        "picture": picture.filter(|_| kept).map(|bytes| format!("{:x?}", &Sha256::digest(&bytes)[..])),
        "is kept": kept,
        "magFilter": sampler["magFilter"],
        "minFilter": sampler["minFilter"],
        "wrapS": or(&sampler["wrapS"], json!(10497)),
        "wrapT": or(&sampler["wrapT"], json!(10497)),
        "texCoord": or(&transform["texCoord"], or(&info["texCoord"], json!(0))),
        "offset": single(&or(&transform["offset"], json!([0.0, 0.0]))),
        "rotation": single(&or(&transform["rotation"], json!(0.0))),
        "scale": single(&or(&transform["scale"], json!([1.0, 1.0]))),
    })
}

/// What differs. Pictures of formats that the core of glTF has no place for are converted, or left out with a finding.
fn differences(before: &Document, after: &Document, left_out: usize) -> Vec<String> {
    let materials = |document: &Document| document.json["materials"].as_array().cloned().unwrap_or_default();
    let (a, b) = (materials(before), materials(after));
    if a.len() != b.len() {
        return vec![format!("{} materials became {}", a.len(), b.len())];
    }
    let mut out = Vec::new();
    for (index, (a, b)) in a.iter().zip(&b).enumerate() {
        let found = material(after, b);
        for (name, expected) in material(before, a) {
            let found =
                &found.iter().find(|(other, _)| *other == name).map_or(Value::Null, |(_, v)| v.clone());
            let converted = expected["is kept"] == json!(false);
            let equal = if converted && found.is_null() {
                left_out > 0
            } else if converted {
                let plain = |value: &Value| {
                    let mut value = value.clone();
                    value["picture"] = Value::Null;
                    value["is kept"] = Value::Null;
                    value
                };
                plain(&expected) == plain(found)
            } else if expected["picture"].is_null() && expected.is_object() {
                // A picture that is missing.
                true
            } else {
                expected == *found
            };
            if !(equal || name.contains(' ') && found.is_null()) {
                out.push(format!("materials[{index}].{name}: {expected} became {found}"));
            }
        }
    }
    out
}
