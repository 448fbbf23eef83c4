//! Textures of specular and glossiness as metal and roughness, by what both models reflect.

mod common;

use common::doc::{Doc, base64, ids};
use sinew::glam::Vec3;
use sinew_image::{Picture, decode};
use sinew_import::{Imported, Options};

fn picture(width: u32, colors: &[[u8; 4]]) -> Picture {
    Picture::from_pixels(width, colors.len() as u32 / width, colors.concat()).unwrap()
}

fn uri(picture: &Picture) -> String {
    let png = sinew_image::encode_png(picture).unwrap();
    format!(r#"{{"uri":"data:image/png;base64,{}"}}"#, base64(&png))
}

/// A document with two pictures and materials that have these fields in the extension.
fn document(pictures: &[String], materials: &[&str]) -> String {
    let materials: Vec<String> = materials
        .iter()
        .map(|fields| format!(r#"{{"extensions":{{"KHR_materials_pbrSpecularGlossiness":{{{fields}}}}}}}"#))
        .collect();
    format!(
        r#""extensionsRequired":["KHR_materials_pbrSpecularGlossiness"],"nodes":[{{}}],"materials":[{}],
           "textures":[{{"source":0,"sampler":0}},{{"source":1}}],"samplers":[{{"wrapS":33071}}],"images":[{}]"#,
        materials.join(","),
        pictures.join(",")
    )
}

fn shown(imported: &Imported, material: usize) -> [Picture; 2] {
    let material = &imported.character.materials()[material];
    [&material.base_color_texture, &material.metallic_roughness_texture]
        .map(|shown| decode(&imported.character.textures()[shown.as_ref().unwrap().texture]).unwrap())
}

/// A channel of sRGB as light.
fn linear(byte: u8) -> f32 {
    let value = f32::from(byte) / 255.0;
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

fn color(pixel: [u8; 4]) -> Vec3 {
    Vec3::new(linear(pixel[0]), linear(pixel[1]), linear(pixel[2]))
}

/// What a pixel of metal and roughness reflects diffusely and straight on, by the core of glTF.
fn reflected(base: [u8; 4], metal: [u8; 4]) -> (Vec3, Vec3) {
    let metallic = f32::from(metal[2]) / 255.0;
    (color(base) * 0.96 * (1.0 - metallic), Vec3::splat(0.04).lerp(color(base), metallic))
}

const DIFFUSE: &str = r#""diffuseTexture":{"index":0}"#;
const GLOSS: &str = r#""specularGlossinessTexture":{"index":1}"#;

#[test]
fn each_pixel_reflects_as_before() {
    // Plastic, half-transparent plastic, gold, black rubber with no reflection to speak of.
    let diffuse = picture(2, &[[200, 30, 30, 255], [30, 200, 60, 128], [0, 0, 0, 255], [40, 40, 40, 255]]);
    let gloss = picture(2, &[[56, 56, 56, 200], [56, 56, 56, 255], [255, 220, 120, 100], [0, 0, 0, 0]]);
    let imported = Doc::default()
        .import(&document(&[uri(&diffuse), uri(&gloss)], &[&format!("{DIFFUSE},{GLOSS}")]))
        .unwrap();
    assert_eq!(ids(&imported), ["node.unnamed", "material.converted"]);
    assert_eq!(imported.character.textures().len(), 2, "those of the extension are not kept");
    let material = &imported.character.materials()[0];
    assert_eq!((material.metallic, material.roughness, material.base_color.to_array()), (1.0, 1.0, [1.0; 4]));
    let sampler = material.metallic_roughness_texture.unwrap().sampler;
    assert_eq!(sampler, material.base_color_texture.unwrap().sampler);
    let [base, metal] = shown(&imported, 0);
    for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        let (d, s) = (diffuse.pixel(x, y), gloss.pixel(x, y));
        let (scattered, straight) = reflected(base.pixel(x, y), metal.pixel(x, y));
        let expected = color(d) * (1.0 - color(s).max_element());
        assert!(scattered.abs_diff_eq(expected, 0.01), "{x} {y}: {scattered} for {expected}");
        // Nothing reflects less than a dielectric in the other model.
        let expected = color(s).max(Vec3::splat(0.04));
        assert!(straight.abs_diff_eq(expected, 0.02), "{x} {y}: {straight} for {expected}");
        assert_eq!(metal.pixel(x, y)[1], 255 - s[3], "roughness");
        assert_eq!(base.pixel(x, y)[3], d[3], "alpha");
    }
}

#[test]
fn factors_count_and_equal_materials_share_their_pictures() {
    let diffuse = picture(1, &[[255, 255, 255, 255]]);
    let gloss = picture(1, &[[56, 56, 56, 255]]);
    let tinted = r#""diffuseFactor":[0.5,1,1,0.5],"glossinessFactor":0.25,"#;
    let materials = [
        format!("{tinted}{DIFFUSE},{GLOSS}"),
        format!("{tinted}{DIFFUSE},{GLOSS}"),
        format!("{DIFFUSE},{GLOSS}"),
    ];
    let materials: Vec<&str> = materials.iter().map(String::as_str).collect();
    let imported = Doc::default().import(&document(&[uri(&diffuse), uri(&gloss)], &materials)).unwrap();
    assert_eq!(imported.character.textures().len(), 4);
    let [base, metal] = shown(&imported, 1);
    let expected = 0.5 * (1.0 - linear(56)) / 0.96;
    assert!((linear(base.pixel(0, 0)[0]) - expected).abs() < 0.005);
    assert_eq!((base.pixel(0, 0)[3], metal.pixel(0, 0)[1]), (128, 191));
    // Without a factor, diffuse light is white and the surface a mirror.
    assert_eq!(shown(&imported, 2)[1].pixel(0, 0)[1], 0);
}

#[test]
fn pictures_of_different_sizes_fit_together() {
    let diffuse = picture(1, &[[90, 90, 90, 255]]);
    let gloss = picture(2, &[[56, 56, 56, 0], [56, 56, 56, 100], [56, 56, 56, 200], [56, 56, 56, 255]]);
    let imported = Doc::default()
        .import(&document(&[uri(&diffuse), uri(&gloss)], &[&format!("{DIFFUSE},{GLOSS}"), GLOSS]))
        .unwrap();
    for material in 0..2 {
        let [base, metal] = shown(&imported, material);
        assert_eq!((base.size(), metal.size()), ((2, 2), (2, 2)));
        assert_eq!(metal.pixel(1, 1)[1], 0);
        assert_eq!(base.pixel(0, 0)[..3], base.pixel(1, 1)[..3]);
    }
}

#[test]
fn what_cannot_be_converted_is_said() {
    let plain = picture(1, &[[90, 90, 90, 255]]);
    let turned = r#""specularGlossinessTexture":{"index":1,"texCoord":1}"#;
    let broken = r#"{"uri":"data:image/png;base64,iVBORw0KGgo="}"#.to_owned();
    let missing = r#"{"uri":"nowhere.png"}"#.to_owned();
    for (second, gloss, why) in [
        (uri(&plain), turned, "different texture coordinates"),
        (broken, GLOSS, "format is unknown"),
        (missing, GLOSS, "it is missing"),
    ] {
        let imported = Doc::default()
            .import(&document(&[uri(&plain), second], &[&format!("{DIFFUSE},{gloss}")]))
            .unwrap();
        let finding = imported.findings.iter().find(|f| f.id() == "material.texture-not-converted").unwrap();
        assert!(finding.message.contains(why), "{}", finding.message);
        let material = &imported.character.materials()[0];
        assert!(material.base_color_texture.is_some() && material.metallic_roughness_texture.is_none());
        assert_eq!(imported.character.textures().len(), 1, "the other is not kept");
    }
}

#[test]
fn limits_hold_for_what_is_decoded() {
    let large = uri(&Picture::new(512, 512, [90, 90, 90, 255]));
    let text = document(&[large.clone(), large], &[&format!("{DIFFUSE},{GLOSS}")]);
    let import = |name: &str, limit: u64| {
        let options = Options::default().with(|options| options.limits.set(name, limit).unwrap());
        Doc::default().import_with(&text, &options)
    };
    let error = import("texture_pixels", 512 * 512 - 1).unwrap_err().to_string();
    assert!(error.contains("`texture_pixels`"), "{error}");
    // Looks never refuse a file: the material stays without the texture, and the finding names the limit.
    for (name, limit) in [("memory", 3 << 20), ("memory", 4 << 20), ("steps", 1_000_000)] {
        let imported = import(name, limit).unwrap();
        let finding = imported.findings.iter().find(|f| f.id() == "material.texture-not-converted").unwrap();
        assert!(finding.message.contains(&format!("`{name}`")), "{}", finding.message);
    }
    assert!(!ids(&import("memory", 12 << 20).unwrap()).contains(&"material.texture-not-converted"));
}
