//! Pictures of textures: damaged ones are named, and what GLB cannot hold is converted.

use super::*;
use image::{ImageFormat, RgbImage};
use std::io::Cursor;

fn color(x: u32, y: u32) -> [u8; 3] {
    [x as u8 * 60, y as u8 * 50, 128]
}

fn encoded(format: ImageFormat) -> Vec<u8> {
    let picture = RgbImage::from_fn(4, 4, |x, y| image::Rgb(color(x, y)));
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// The character with a texture in a file.
fn textured(file: &str) -> String {
    let mut pair = Pair::default();
    pair.character.materials[0].texture =
        Some(Texture { name: "Cloth".into(), file: file.into(), ..Texture::default() });
    fbx::write(&pair.character)
}

/// A triangle in glTF with a texture, whose picture is in a file, or in the document itself.
fn triangle(uri: Option<&str>, picture: &[u8]) -> (String, Vec<u8>) {
    let mut bytes: Vec<u8> =
        [0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0].iter().flat_map(|n| n.to_le_bytes()).collect();
    bytes.extend(picture);
    let image = match uri {
        Some(uri) => serde_json::json!({ "uri": uri }),
        None => serde_json::json!({ "bufferView": 1, "mimeType": "image/png", "name": "Cloth" }),
    };
    let document = serde_json::json!({
        "asset": { "version": "2.0" },
        "buffers": [{ "uri": "triangle.bin", "byteLength": bytes.len() }],
        "bufferViews": [{ "buffer": 0, "byteLength": 36 }, { "buffer": 0, "byteOffset": 36, "byteLength": picture.len() }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" }],
        "images": [image], "textures": [{ "source": 0 }],
        "materials": [{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "material": 0 }] }],
        "nodes": [{ "mesh": 0 }], "scenes": [{ "nodes": [0] }], "scene": 0
    });
    (document.to_string(), bytes)
}

/// How often a report names a damaged picture, and whether each time with its file.
fn damaged(report: &Value, file: &str) -> usize {
    let findings = report["findings"].as_array().unwrap_or_else(|| panic!("{report:#}"));
    let damaged: Vec<_> = findings.iter().filter(|finding| finding["id"] == "texture.damaged").collect();
    for finding in &damaged {
        assert_eq!(finding["severity"], "warning", "{finding}");
        let told = format!("{} {}", finding["place"], finding["message"]);
        assert!(told.contains(file) && told.contains("cannot be decoded"), "{told}");
    }
    damaged.len()
}

#[test]
fn a_picture_that_is_cut_off_is_named() {
    let folder = folder();
    let root = folder.path();
    let whole = encoded(ImageFormat::Png);
    write(root, "hero.fbx", textured("cloth.png"));
    let (document, buffer) = triangle(Some("cloth.png"), &[]);
    write(root, "outside.gltf", document);
    write(root, "triangle.bin", buffer);
    write(root, "sinew.toml", "[characters.hero]\nfile = 'hero.fbx'\n");
    tree::write_tree(&root.join("rips"), 1, None).unwrap();
    let rip = root.join("rips").join(tree::folder_name(0));
    let collada = fs::read_to_string(rip.join("model.dae")).unwrap();
    let image =
        collada.split("<init_from>").nth(1).and_then(|rest| rest.split('<').next()).map(str::to_owned);
    for (length, wrong) in [(whole.len(), 0), (whole.len() / 2, 1), (whole.len() - 4, 1)] {
        write(root, "cloth.png", &whole[..length]);
        for file in ["hero.fbx", "outside.gltf"] {
            let report = json(&sinew(root, &["doctor", file, "--json"]));
            assert_eq!(damaged(&report, "cloth.png"), wrong, "{file} of {length} bytes: {report:#}");
        }
        let report = json(&sinew(root, &["convert", "hero.fbx", "-o", "hero.glb", "--json"]));
        assert_eq!(damaged(&report, "cloth.png"), wrong, "{report:#}");
        let report = json(&sinew(root, &["build", "--json"]));
        assert_eq!(damaged(&report["characters"][0], "cloth.png"), wrong, "{report:#}");
        // What was written is told of again, whatever wrote it.
        for file in ["hero.glb", "build/hero.sinew"] {
            let report = json(&sinew(root, &["doctor", file, "--json"]));
            assert_eq!(damaged(&report, file), wrong, "{file}: {report:#}");
        }
        let (document, buffer) = triangle(None, &whole[..length]);
        write(root, "inside/inside.gltf", document);
        write(root, "inside/triangle.bin", buffer);
        let report = json(&sinew(root, &["doctor", "inside/inside.gltf", "--json"]));
        assert_eq!(damaged(&report, "inside.gltf"), wrong, "{report:#}");
        if let Some(image) = &image {
            write(&rip, image, &whole[..length]);
            let report = json(&sinew(&rip, &["doctor", "model.dae", "--json"]));
            assert_eq!(damaged(&report, "").min(1), wrong, "{image}: {report:#}");
        }
    }
    assert!(image.is_some(), "the model has a picture");
    // With `--strict` a build with such a picture fails.
    assert_eq!(sinew(root, &["build", "--strict"]).status.code(), Some(1));
}

/// Damage within the pixels shows only when they are decoded, which `doctor` does.
#[test]
fn doctor_decodes_every_picture() {
    let folder = folder();
    let root = folder.path();
    write(root, "hero.fbx", textured("cloth.png"));
    let mut bytes = encoded(ImageFormat::Png);
    let pixels = bytes.windows(4).position(|name| name == b"IDAT").unwrap() + 8;
    bytes[pixels] ^= 0xff;
    write(root, "cloth.png", bytes);
    let report = json(&sinew(root, &["doctor", "hero.fbx", "--json"]));
    assert_eq!(damaged(&report, "Cloth"), 1, "{report:#}");
    write(root, "cloth.png", "<html>404</html>");
    let report = json(&sinew(root, &["doctor", "hero.fbx", "--json"]));
    assert_eq!(damaged(&report, "cloth.png"), 1, "{report:#}");
}

#[test]
fn what_glb_cannot_hold_becomes_png() {
    let folder = folder();
    let root = folder.path();
    for (format, file) in
        [(ImageFormat::Tga, "cloth.tga"), (ImageFormat::Bmp, "cloth.bmp"), (ImageFormat::WebP, "cloth.webp")]
    {
        write(root, "hero.fbx", textured(file));
        write(root, file, encoded(format));
        let report = json(&sinew(root, &["convert", "hero.fbx", "-o", "hero.glb", "--json"]));
        let findings = report["findings"].as_array().unwrap();
        assert!(findings.iter().any(|f| f["id"] == "glb.texture-converted"), "{file}: {report:#}");
        let glb = fs::read(root.join("hero.glb")).unwrap();
        let (document, binary) = chunks(&glb);
        assert_eq!(document["images"].as_array().map(Vec::len), Some(1), "{file}: {document:#}");
        assert_eq!(document["images"][0]["mimeType"], "image/png", "{file}");
        let picture = picture_of(&document, binary, 0);
        assert_eq!(image::guess_format(picture).unwrap(), ImageFormat::Png, "{file}");
        let picture = image::load_from_memory(picture).unwrap().into_rgb8();
        let all = (0..4).flat_map(|y| (0..4).map(move |x| (x, y)));
        assert!(all.into_iter().all(|(x, y)| picture.get_pixel(x, y).0 == color(x, y)), "{file}");
    }
}

/// A JPEG for print of one colour, 8 by 8 pixels: four inks, written as Adobe does, 255 for none.
fn print_jpeg(inks: [u8; 4]) -> Vec<u8> {
    let mut bytes = vec![0xFF, 0xD8];
    let mut segment = |marker: u8, body: &[u8]| {
        bytes.extend([0xFF, marker]);
        bytes.extend(u16::try_from(body.len() + 2).unwrap().to_be_bytes());
        bytes.extend(body);
    };
    segment(0xEE, b"Adobe\0\x64\0\0\0\0\0");
    segment(0xDB, &[&[0][..], &[1; 64]].concat());
    let components: Vec<u8> = (1..=4).flat_map(|id| [id, 0x11, 0]).collect();
    segment(0xC0, &[&[8, 0, 8, 0, 8, 4][..], &components].concat());
    // Twelve codes of four bits for lengths of a number; one of one bit for the end of a block.
    segment(
        0xC4,
        &[
            &[0x00, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0][..],
            &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
        ]
        .concat(),
    );
    segment(0xC4, &[0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let components: Vec<u8> = (1..=4).flat_map(|id| [id, 0]).collect();
    segment(0xDA, &[&[4][..], &components, &[0, 63, 0]].concat());
    let mut bits = String::new();
    for ink in inks {
        // Eight times the mean of the block, of which a negative one is written as its complement.
        let mean = (i32::from(ink) - 128) * 8;
        let length = (32 - mean.unsigned_abs().leading_zeros()) as usize;
        let number = if mean < 0 { mean + (1 << length) - 1 } else { mean };
        bits += &format!("{length:04b}");
        bits += &if length > 0 { format!("{number:0length$b}") } else { String::new() };
        bits += "0";
    }
    while !bits.len().is_multiple_of(8) {
        bits.push('1');
    }
    for byte in bits.as_bytes().chunks(8) {
        let byte = u8::from_str_radix(std::str::from_utf8(byte).unwrap(), 2).unwrap();
        bytes.push(byte);
        if byte == 0xFF {
            bytes.push(0);
        }
    }
    bytes.extend([0xFF, 0xD9]);
    bytes
}

/// glTF knows JPEG with three colours alone.
#[test]
fn a_jpeg_for_print_becomes_png_in_glb() {
    let folder = folder();
    let root = folder.path();
    write(root, "hero.fbx", textured("cloth.jpg"));
    write(root, "cloth.jpg", print_jpeg([200, 100, 50, 255]));
    let report = json(&sinew(root, &["convert", "hero.fbx", "-o", "hero.glb", "--json"]));
    let findings = report["findings"].as_array().unwrap();
    assert!(findings.iter().any(|f| f["id"] == "glb.texture-converted"), "{report:#}");
    assert!(findings.iter().all(|f| f["id"] != "texture.damaged"), "{report:#}");
    let glb = fs::read(root.join("hero.glb")).unwrap();
    let (document, binary) = chunks(&glb);
    assert_eq!(document["images"][0]["mimeType"], "image/png");
    let picture = image::load_from_memory(picture_of(&document, binary, 0)).unwrap().into_rgb8();
    assert_eq!(picture.dimensions(), (8, 8));
    for pixel in picture.pixels() {
        let near = |(got, wanted): (u8, u8)| got.abs_diff(wanted) <= 3;
        assert!(pixel.0.into_iter().zip([200, 100, 50]).all(near), "{pixel:?}");
    }
    // One with three colours is kept as it is.
    let plain = encoded(ImageFormat::Jpeg);
    write(root, "cloth.jpg", &plain);
    assert!(sinew(root, &["convert", "hero.fbx", "-o", "hero.glb"]).status.success());
    let glb = fs::read(root.join("hero.glb")).unwrap();
    let (document, binary) = chunks(&glb);
    assert_eq!(
        (&document["images"][0]["mimeType"], picture_of(&document, binary, 0)),
        (&"image/jpeg".into(), &plain[..])
    );
}

/// The JSON of a binary file, and its binary chunk.
fn chunks(glb: &[u8]) -> (Value, &[u8]) {
    let length = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().unwrap()) as usize;
    let end = 20 + length(12);
    (serde_json::from_slice(&glb[20..end]).unwrap(), &glb[end + 8..])
}

/// The picture of an image of a document.
fn picture_of<'b>(document: &Value, binary: &'b [u8], image: usize) -> &'b [u8] {
    let view = document["images"][image]["bufferView"].as_u64().unwrap() as usize;
    let view = &document["bufferViews"][view];
    let number = |key: &str| view[key].as_u64().unwrap_or(0) as usize;
    &binary[number("byteOffset")..number("byteOffset") + number("byteLength")]
}

/// Pictures that are the same are written once, whatever they are called, and each texture keeps its own sampler.
#[test]
fn the_same_picture_is_written_once() {
    let folder = folder();
    let root = folder.path();
    let (document, bytes) = triangle(Some("cloth.png"), &[]);
    let mut document: Value = serde_json::from_str(&document).unwrap();
    document["images"] =
        serde_json::json!([{ "uri": "cloth.png" }, { "uri": "copy.png" }, { "uri": "other.png" }]);
    document["samplers"] = serde_json::json!([{ "wrapS": 33071 }]);
    document["textures"] =
        serde_json::json!([{ "source": 0 }, { "source": 1, "sampler": 0 }, { "source": 2 }]);
    document["materials"][0]["emissiveTexture"] = serde_json::json!({ "index": 1 });
    document["materials"][0]["occlusionTexture"] = serde_json::json!({ "index": 2 });
    write(root, "triangle.gltf", document.to_string());
    write(root, "triangle.bin", bytes);
    write(root, "cloth.png", encoded(ImageFormat::Png));
    write(root, "copy.png", encoded(ImageFormat::Png));
    write(root, "other.png", png::encode(2, 2, |_, _| [1, 2, 3]));
    assert!(sinew(root, &["convert", "triangle.gltf", "-o", "out.glb"]).status.success());
    let glb = fs::read(root.join("out.glb")).unwrap();
    let (written, binary) = chunks(&glb);
    assert_eq!(written["images"].as_array().map(Vec::len), Some(2), "{written:#}");
    assert_eq!(picture_of(&written, binary, 0), encoded(ImageFormat::Png));
    let material = &written["materials"][0];
    let texture = |info: &Value| &written["textures"][info["index"].as_u64().unwrap() as usize];
    let [color, emitted, occlusion] = [
        &material["pbrMetallicRoughness"]["baseColorTexture"],
        &material["emissiveTexture"],
        &material["occlusionTexture"],
    ]
    .map(texture);
    assert_eq!([&color["source"], &emitted["source"], &occlusion["source"]], [0, 0, 1]);
    assert!(color["sampler"].is_null() && !emitted["sampler"].is_null(), "{written:#}");
}

/// Its size is where garbage is, and is no reason to refuse the model.
#[test]
fn a_picture_that_is_garbage_behind_its_signature_is_damaged() {
    let folder = folder();
    let (document, bytes) = triangle(Some("cloth.png"), &[]);
    write(folder.path(), "triangle.gltf", document);
    write(folder.path(), "triangle.bin", bytes);
    write(folder.path(), "cloth.png", [&b"\x89PNG\r\n\x1a\n"[..], &[0xAB; 64]].concat());
    let report = json(&sinew(folder.path(), &["doctor", "triangle.gltf", "--json"]));
    assert_eq!(damaged(&report, "cloth.png"), 1, "{report:#}");
}
