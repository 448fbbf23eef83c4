//! glTF → GLB → glTF: materials, samplers and pictures of both documents, property by property, with defaults filled in.

mod validator;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use sinew::Material;
use sinew_build::glb::{GlbOptions, write_glb};
use sinew_import::{Imported, Options, import};
use sinew_testkit::{pictures, png};
use std::collections::BTreeSet;
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
        faults.extend(unnamed(&before, &imported).map(|name| format!("{}: {name} is lost", file.display())));
        let images = after.json["images"].as_array().map_or(0, Vec::len);
        let used: BTreeSet<u64> = after.json["textures"]
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

/// Extensions of materials that are neither kept nor converted nor named by a finding.
fn unnamed(before: &Document, imported: &Imported) -> impl Iterator<Item = String> {
    const KEPT: [&str; 4] = [
        "KHR_materials_unlit",
        "KHR_materials_emissive_strength",
        "KHR_materials_pbrSpecularGlossiness",
        "KHR_materials_transmission",
    ];
    let lost = before.material_extensions().into_iter().filter(|name| !KEPT.contains(&name.as_str()));
    let named = |name: &String| {
        let of = imported.findings.iter().filter(|finding| finding.id() == "material.extension");
        of.into_iter().any(|finding| finding.message.contains(&format!("`{name}`")))
    };
    lost.filter(move |name| !named(name))
}

/// Every extension of materials and textures that is read, in one document.
#[test]
fn every_extension_survives_the_way_through_a_glb() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("plain.png", &png::encode(2, 2, |x, y| [x as u8 * 200, y as u8 * 200, 60]));
    write("gloss.png", &png::encode_rgba(2, 2, |x, y| [56, 56 + x as u8 * 90, 56, 40 + y as u8 * 200]));
    write("basis.ktx2", &pictures::ktx2_uastc(4, 4, &[pictures::uastc([10, 200, 30, 255])]));
    write(
        "block.dds",
        &pictures::dds(4, 4, pictures::Dds::FourCc(*b"DXT1"), &[0, 0xf8, 0x1f, 0, 0, 0x55, 0xaa, 0xff]),
    );
    write(
        "document.gltf",
        br#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{}],
        "extensionsUsed":["KHR_texture_transform","KHR_materials_unlit","KHR_materials_emissive_strength","KHR_texture_basisu","MSFT_texture_dds",
            "KHR_materials_pbrSpecularGlossiness","KHR_materials_sheen"],
        "images":[{"uri":"plain.png"},{"uri":"gloss.png"},{"uri":"basis.ktx2"},{"uri":"block.dds"}],
        "samplers":[{"magFilter":9728,"minFilter":9986,"wrapS":33648,"wrapT":33071}],
        "textures":[{"source":0,"sampler":0},{"source":1},{"extensions":{"KHR_texture_basisu":{"source":2}},"sampler":0},
            {"source":0,"extensions":{"MSFT_texture_dds":{"source":3}}}],
        "materials":[
            {"name":"turned","pbrMetallicRoughness":{"baseColorTexture":{"index":2,"texCoord":1,"extensions":{"KHR_texture_transform":
                {"offset":[0.5,0.25],"rotation":0.5,"scale":[2,3]}}},"metallicRoughnessTexture":{"index":3},"metallicFactor":0.25},
                "normalTexture":{"index":0,"scale":0.5},"occlusionTexture":{"index":0,"strength":0.75},"doubleSided":true},
            {"name":"lamp","emissiveFactor":[1,0.5,0.25],"emissiveTexture":{"index":0},"extensions":{"KHR_materials_emissive_strength":
                {"emissiveStrength":4}},"alphaMode":"MASK","alphaCutoff":0.25},
            {"name":"sign","pbrMetallicRoughness":{"baseColorFactor":[0.1,0.2,0.3,0.4]},"extensions":{"KHR_materials_unlit":{}},"alphaMode":"BLEND"},
            {"name":"old","extensions":{"KHR_materials_pbrSpecularGlossiness":{"diffuseTexture":{"index":0,"extensions":{"KHR_texture_transform":
                {"scale":[2,2]}}},"specularGlossinessTexture":{"index":1,"extensions":{"KHR_texture_transform":{"scale":[2,2]}}}}}},
            {"name":"cloth","extensions":{"KHR_materials_sheen":{}}}]}"#,
    );
    let file = folder.path().join("document.gltf");
    let imported = import(&file, &Options::default()).unwrap();
    let glb = write_glb(&imported.character, &imported.source, &GlbOptions::default()).unwrap();
    let before = Document::new(&std::fs::read(&file).unwrap(), &file);
    let after = Document::new(&glb.bytes, &file);
    assert_eq!(differences(&before, &after, 0), [""; 0]);
    assert_eq!(unnamed(&before, &imported).collect::<Vec<_>>(), [""; 0]);
    assert!(imported.findings.iter().any(|f| f.message.contains("`KHR_materials_sheen`")));
    // What was converted on the way in is kept from then on: the same materials, and the same pixels.
    let written = folder.path().join("written.glb");
    std::fs::write(&written, &glb.bytes).unwrap();
    let again = import(&written, &Options::default()).unwrap();
    let pixels = |imported: &Imported| -> Vec<_> {
        let materials =
            imported.character.materials().iter().flat_map(|material| material.textures()).flatten();
        materials.map(|t| sinew_image::decode(&imported.character.textures()[t.texture]).unwrap()).collect()
    };
    assert_eq!(pixels(&imported), pixels(&again));
    let plain = |imported: &Imported| -> Vec<Material> {
        let mut materials = imported.character.materials().to_vec();
        materials
            .iter_mut()
            .flat_map(Material::textures_mut)
            .flatten()
            .for_each(|texture| texture.texture = 0);
        materials
    };
    assert_eq!(plain(&imported), plain(&again));
    assert_eq!(plain(&imported).len(), 5);
    let complaints = validator::complaints("every_extension_survives_the_way_through_a_glb", &[written]);
    assert_eq!(complaints.unwrap_or_default(), [""; 0]);
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

impl Document {
    /// The decoded picture of a texture that was compared.
    fn pixels(&self, texture: &Value) -> sinew_image::Picture {
        let bytes = self.image(texture["image"].as_u64().unwrap() as usize).unwrap();
        sinew_image::decode_bytes(&bytes, "picture").unwrap()
    }

    /// Names of the extensions of all materials.
    fn material_extensions(&self) -> BTreeSet<String> {
        let materials = self.json["materials"].as_array().into_iter().flatten();
        let extensions = materials.filter_map(|material| material["extensions"].as_object());
        extensions.flat_map(|extensions| extensions.keys().cloned()).collect()
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
        "picture": picture.map(|bytes| format!("{:x?}", &Sha256::digest(&bytes)[..])),
        "image": source,
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

/// A value without fields that may differ.
fn without(value: &Value, fields: &[&str]) -> Value {
    let mut value = value.clone();
    if let Some(object) = value.as_object_mut() {
        fields.iter().for_each(|field| drop(object.remove(*field)));
    }
    value
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
                without(&expected, &["picture", "image", "is kept"])
                    == without(found, &["picture", "image", "is kept"])
                    && before.pixels(&expected) == after.pixels(found)
            } else if expected["picture"].is_null() && expected.is_object() {
                // A picture that is missing.
                true
            } else {
                without(&expected, &["image"]) == without(found, &["image"])
            };
            if !(equal || name.contains(' ') && found.is_null()) {
                out.push(format!("materials[{index}].{name}: {expected} became {found}"));
            }
        }
    }
    out
}
