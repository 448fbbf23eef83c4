//! Surfaces of COLLADA: highlights as roughness, bump maps as normal maps.

mod common;

use common::doc::ids;
use sinew_image::{Picture, decode, encode_png};
use sinew_import::{Imported, Options, import_bytes};
use std::path::Path;

fn hex(picture: &Picture) -> String {
    sinew_files::hex(&encode_png(picture).unwrap())
}

/// A triangle whose effect has this shader and, behind it, this in its technique.
fn import(shader: &str, behind: &str, picture: &Picture) -> Imported {
    let text = format!(
        r##"<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<library_images><image id="bumps"><init_from><hex format="png">{}</hex></init_from></image></library_images>
<library_effects><effect id="e"><profile_COMMON>
 <newparam sid="s"><surface type="2D"><init_from>bumps</init_from></surface></newparam>
 <newparam sid="t"><sampler2D><source>s</source><wrap_s>CLAMP</wrap_s></sampler2D></newparam>
 <technique sid="common">{shader}{behind}</technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m" name="M"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="pa" count="9">0 0 0 1 0 0 0 1 0</float_array>
 <technique_common><accessor source="#pa" count="3" stride="3"/></technique_common></source>
 <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
 <triangles count="1" material="m"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="vs"><node id="n"><instance_geometry url="#g"><bind_material><technique_common>
 <instance_material symbol="m" target="#m"/></technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#vs"/></scene></COLLADA>"##,
        hex(picture)
    );
    import_bytes(text.as_bytes(), Path::new("surface.dae"), &Options::default()).unwrap()
}

fn roughness(shader: &str) -> f32 {
    import(shader, "", &Picture::new(1, 1, [0; 4])).character.materials()[0].roughness
}

#[test]
fn the_exponent_of_highlights_is_roughness() {
    let shader = |model: &str, specular: &str, shininess: f32| {
        format!(
            "<{model}><specular><color>{specular} 1</color></specular><shininess><float>{shininess}</float></shininess></{model}>"
        )
    };
    for model in ["phong", "blinn"] {
        // A distribution of width `roughness²` fits the exponent `2 / roughness⁴ - 2`.
        for exponent in [2.0f32, 20.0, 300.0] {
            let roughness = roughness(&shader(model, "0.5 0.5 0.5", exponent));
            assert!(
                (2.0 / roughness.powi(4) - 2.0 - exponent).abs() < exponent * 1e-4,
                "{exponent}: {roughness}"
            );
        }
        assert_eq!(roughness(&shader(model, "0 0 0", 300.0)), 1.0, "without highlights it is matt");
    }
    assert_eq!(roughness("<lambert/>"), 1.0);
}

#[test]
fn a_conversion_is_noted_once_for_the_file() {
    let none = Picture::new(1, 1, [0; 4]);
    let imported = import("<lambert/>", "", &none);
    assert_eq!(ids(&imported), ["material.converted"]);
    assert!(ids(&import("<constant/>", "", &none)).is_empty());
}

const TECHNIQUES: [(&str, &str); 4] = [
    (r#"<extra><technique profile="FCOLLADA"><bump>"#, "</bump></technique></extra>"),
    (
        r#"<extra><technique profile="OpenCOLLADA3dsMax"><bump bumptype="HEIGHTFIELD">"#,
        "</bump></technique></extra>",
    ),
    (r#"<extra><technique profile="OpenCOLLADA"><bumpmap>"#, "</bumpmap></technique></extra>"),
    (r#"<extra><technique profile="FCOLLADA"><bump bumptype="NORMALMAP">"#, "</bump></technique></extra>"),
];

#[test]
fn normal_maps_that_are_called_bump_maps_are_kept_as_they_are() {
    let blue = Picture::new(4, 4, [128, 128, 255, 255]);
    for (index, (open, close)) in TECHNIQUES.iter().enumerate().filter(|(index, _)| *index != 1) {
        let imported = import("<lambert/>", &format!(r#"{open}<texture texture="t"/>{close}"#), &blue);
        let normal = imported.character.materials()[0].normal_texture.unwrap();
        assert_eq!(normal.sampler.wrap, [sinew::Wrap::Clamp, sinew::Wrap::Repeat]);
        assert_eq!(decode(&imported.character.textures()[normal.texture]), Ok(blue.clone()), "{index}");
        assert_eq!(ids(&imported), ["material.converted"], "{index}");
    }
}

#[test]
fn heights_become_normals() {
    // A ridge down the middle.
    let row = [0u8, 60, 120, 180, 180, 120, 60, 0].map(|height| [height, height, height, 255]);
    let ridge = Picture::from_pixels(8, 2, [row.concat(), row.concat()].concat()).unwrap();
    for (index, (open, close)) in TECHNIQUES.iter().enumerate().filter(|(index, _)| *index != 3) {
        let imported = import("<lambert/>", &format!(r#"{open}<texture texture="t"/>{close}"#), &ridge);
        assert_eq!(ids(&imported), ["material.bump-converted", "material.converted"], "{index}");
        assert_eq!(imported.character.textures().len(), 1, "the heights are not kept");
        let normal = imported.character.materials()[0].normal_texture.unwrap();
        let normals = decode(&imported.character.textures()[normal.texture]).unwrap();
        let red = |x: u32| normals.pixel(x, 0)[0];
        assert!(red(2) < 110 && red(5) > 146, "slopes lean outwards: {} {}", red(2), red(5));
        assert!(normals.pixel(2, 0)[1] == 128 && normals.pixel(2, 0)[2] > 200);
    }
}

#[test]
fn a_bump_map_that_cannot_be_decoded_is_said() {
    let (open, close) = TECHNIQUES[0];
    let missing = import(
        "<lambert/>",
        &format!(r#"{open}<texture texture="gone"/>{close}"#),
        &Picture::new(1, 1, [0; 4]),
    );
    assert_eq!(ids(&missing), ["texture.missing", "material.converted"]);
    assert!(missing.character.materials()[0].normal_texture.is_some(), "shown as missing");
}
