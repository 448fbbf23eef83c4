//! What glTF allows and exporters seldom write, in documents of a few lines.

mod common;

use common::doc::{Doc, TRIANGLE, ids};
use sinew::glam::{Quat, Vec2, Vec3};
use sinew::{Interpolation, MagFilter, Sampling, Wrap};
use sinew_import::{InfluenceLimit, Options, Resample, import_bytes};
use std::path::Path;

#[test]
fn sparse_accessors_replace_and_stand_alone() {
    let mut doc = Doc::default();
    let base = doc.floats("VEC3", 3, &TRIANGLE);
    let indices = doc.view(&[2, 0, 0, 0]);
    let values: Vec<u8> = [5.0f32, 6.0, 7.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    let values = doc.view(&values);
    let sparse = format!(
        r#""componentType":5126,"type":"VEC3","count":3,"sparse":{{"count":1,
           "indices":{{"bufferView":{indices},"componentType":5121}},"values":{{"bufferView":{values}}}}}"#
    );
    let over = doc.accessor(&format!(r#""bufferView":0,{sparse}"#));
    let alone = doc.accessor(&sparse);
    let imported = doc
        .import(&format!(
            r#""nodes":[{{"mesh":0}}],"meshes":[{{"weights":[0.25],"primitives":[
               {{"attributes":{{"POSITION":{over}}},"targets":[{{"POSITION":{alone}}}]}}]}}]"#
        ))
        .unwrap();
    assert_eq!(base, 0);
    let mesh = &imported.character.meshes()[0];
    assert_eq!(mesh.positions, [Vec3::ZERO, Vec3::X, Vec3::new(5.0, 6.0, 7.0)]);
    assert_eq!(mesh.morphs[0].deltas.len(), 1);
    assert_eq!((mesh.morphs[0].deltas[0].vertex, mesh.morphs[0].deltas[0].position.z), (2, 7.0));
    assert_eq!(imported.character.skeleton().rest().scalars(), [0.25]);
    assert!(ids(&imported).contains(&"node.unnamed"));
}

#[test]
fn eight_influences_and_normalised_weights() {
    let mut doc = Doc::default();
    let positions = doc.floats("VEC3", 3, &TRIANGLE);
    let joints = doc.view(&[0, 1, 0, 0].repeat(3));
    let joints =
        doc.accessor(&format!(r#""bufferView":{joints},"componentType":5121,"type":"VEC4","count":3"#));
    let weights = doc.view(&[51, 102, 0, 0].repeat(3));
    let weights = doc.accessor(&format!(
        r#""bufferView":{weights},"componentType":5121,"normalized":true,"type":"VEC4","count":3"#
    ));
    let more = doc.view(&[2, 0, 0, 0].repeat(3));
    let more = doc.accessor(&format!(r#""bufferView":{more},"componentType":5121,"type":"VEC4","count":3"#));
    let rest = doc.floats("VEC4", 4, &[0.4, 0.0, 0.0, 0.0].repeat(3));
    let imported = doc
        .import(&format!(
            r#""nodes":[{{"children":[1,2,3]}},{{"name":"a"}},{{"name":"b"}},{{"mesh":0,"skin":0}}],
               "skins":[{{"joints":[1,2,0]}}],
               "meshes":[{{"primitives":[{{"attributes":{{"POSITION":{positions},"JOINTS_0":{joints},
               "WEIGHTS_0":{weights},"JOINTS_1":{more},"WEIGHTS_1":{rest}}}}}]}}]"#
        ))
        .unwrap();
    let mesh = &imported.character.meshes()[0];
    let of: Vec<(u16, f32)> = mesh.influences.of(0).filter(|(_, w)| *w > 0.0).collect();
    // Of equal weights the lower joint index comes first.
    assert_eq!(of.iter().map(|(slot, _)| *slot).collect::<Vec<_>>(), [1, 2, 0]);
    assert!((of[0].1 - 0.4).abs() < 1e-6 && (of[2].1 - 0.2).abs() < 1e-6, "{of:?}");
    assert_eq!(mesh.skin.as_ref().unwrap().joints, [1, 2, 0]);
}

/// Joints 0 to 10 move every vertex, in three sets of which the last is the strongest.
#[test]
fn all_sets_of_influences_are_read() {
    let mut doc = Doc::default();
    let positions = doc.floats("VEC3", 3, &TRIANGLE);
    let mut attributes = format!(r#""POSITION":{positions}"#);
    for set in 0..3u8 {
        let joints: Vec<u8> = (0..4).map(|joint| (set * 4 + joint).min(10)).collect();
        let view = doc.view(&joints.repeat(3));
        let joints =
            doc.accessor(&format!(r#""bufferView":{view},"componentType":5121,"type":"VEC4","count":3"#));
        let weights: Vec<f32> = (0..4u8)
            .map(|joint| if set == 2 && joint == 3 { 0.0 } else { f32::from(set * 4 + joint + 1) / 66.0 })
            .collect();
        let weights = doc.floats("VEC4", 4, &weights.repeat(3));
        attributes += &format!(r#","JOINTS_{set}":{joints},"WEIGHTS_{set}":{weights}"#);
    }
    attributes += r#","JOINTS_7":0,"JOINTS_01":0"#;
    let nodes: Vec<String> = (0..11).map(|joint| format!(r#"{{"name":"joint {joint}"}}"#)).collect();
    let document = format!(
        r#""nodes":[{{"children":[1,2,3,4,5,6,7,8,9,10,11,12]}},{},{{"mesh":0,"skin":0}}],
           "skins":[{{"joints":[1,2,3,4,5,6,7,8,9,10,11]}}],"meshes":[{{"primitives":[{{"attributes":{{{attributes}}}}}]}}]"#,
        nodes.join(",")
    );
    for (options, kept) in [
        (Options::default(), 4u16),
        (Options::default().with(|options| options.influences = InfluenceLimit::Eight), 8),
    ] {
        let imported = doc.import_with(&document, &options).unwrap();
        let of: Vec<(u16, f32)> = imported.character.meshes()[0].influences.of(1).collect();
        let joints: Vec<u16> = of.iter().map(|(joint, _)| *joint).collect();
        assert_eq!(joints, (11 - kept..11).rev().collect::<Vec<_>>(), "the strongest");
        let sum: u16 = (12 - kept..12).sum();
        for (joint, weight) in of {
            assert!((weight - f32::from(joint + 1) / f32::from(sum)).abs() < 1e-6, "{joint}: {weight}");
        }
        let lost = imported.findings.iter().find(|f| f.id() == "skin.influences-dropped").unwrap();
        assert!(lost.message.contains("up to 11 influences"), "{}", lost.message);
        let left_out = imported.findings.iter().find(|f| f.id() == "mesh.attributes-left-out").unwrap();
        assert_eq!(left_out.message, "left out: JOINTS_7 without WEIGHTS_7, JOINTS_01");
    }
}

#[test]
fn steps_stay_steps_and_curves_are_followed() {
    let mut doc = Doc::default();
    let times = doc.floats("SCALAR", 1, &[0.0, 1.0]);
    let step = doc.floats("VEC3", 3, &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
    // In-tangent, value, out-tangent of each key.
    let cubic = doc.floats(
        "VEC3",
        3,
        &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    );
    let turn = doc.floats("VEC4", 4, &[0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 1.4, 1.4]);
    let document = format!(
        r#""nodes":[{{"name":"root"}}],"animations":[{{"name":"move","channels":[
           {{"sampler":0,"target":{{"node":0,"path":"scale"}}}},{{"sampler":1,"target":{{"node":0,"path":"translation"}}}},
           {{"sampler":2,"target":{{"node":0,"path":"rotation"}}}},{{"sampler":0,"target":{{"path":"pointer"}}}}],
           "samplers":[{{"input":{times},"output":{step},"interpolation":"STEP"}},
           {{"input":{times},"output":{cubic},"interpolation":"CUBICSPLINE"}},{{"input":{times},"output":{turn}}}]}}]"#
    );
    let imported = doc.import(&document).unwrap();
    assert!(ids(&imported).contains(&"gltf.rotation-not-unit"), "{:?}", ids(&imported));
    assert!(ids(&imported).contains(&"gltf.channel-ignored"));
    let clip = imported.character.clips().get(0).unwrap();
    let tracks = clip.keys().unwrap().joint(0).unwrap();
    let scale = tracks.scale.as_ref().unwrap();
    assert_eq!((scale.interpolation(), scale.values().len()), (Interpolation::Step, 2));
    assert_eq!(clip.duration(), 1.0);
    for i in 0..=50 {
        let t = f64::from(i) / 50.0;
        // Hermite's polynomials, written out for these two keys.
        let (t2, t3) = (t * t, t * t * t);
        let expected = 3.0 * (t3 - 2.0 * t2 + t) + (3.0 * t2 - 2.0 * t3) - (t3 - t2);
        let found = tracks.translation.as_ref().unwrap().sample(t, Sampling::Interpolate);
        assert!((f64::from(found.x) - expected).abs() < 3e-5, "at {t}: {found} for {expected}");
        let mut locals = [sinew::Transform::IDENTITY];
        imported.evaluator.locals(0, t, &mut locals);
        assert!((f64::from(locals[0].translation.x) - expected).abs() < 1e-6, "the evaluator at {t}");
        let angle = std::f32::consts::FRAC_PI_2 * t as f32;
        assert!(locals[0].rotation.angle_between(Quat::from_rotation_z(angle)) < 1e-3);
    }
    let coarse =
        doc.import_with(&document, &Options::default().with(|options| options.resample = Resample::Keys));
    let clip = coarse.unwrap().character.clips().get(0).unwrap();
    assert_eq!(clip.keys().unwrap().joint(0).unwrap().translation.as_ref().unwrap().times(), [0.0, 1.0]);
}

#[test]
fn texture_transforms_move_the_coordinates() {
    let mut doc = Doc::default();
    let positions = doc.floats("VEC3", 3, &TRIANGLE);
    let uvs = doc.floats("VEC2", 2, &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    let imported = doc
        .import(&format!(
            r#""extensionsRequired":["KHR_texture_transform"],"nodes":[{{"mesh":0}}],
               "meshes":[{{"primitives":[{{"material":0,"attributes":{{"POSITION":{positions},"TEXCOORD_1":{uvs}}}}}]}}],
               "materials":[{{"extensions":{{"KHR_materials_unlit":{{}}}},"alphaMode":"MASK","pbrMetallicRoughness":{{"baseColorTexture":{{"index":0,
               "extensions":{{"KHR_texture_transform":{{"offset":[0.5,0.25],"rotation":1.5707963,"scale":[2,1],"texCoord":1}}}}}}}}}}],
               "textures":[{{"source":0,"sampler":0}}],"samplers":[{{"wrapS":33071,"wrapT":33648,"magFilter":9728}}],
               "images":[{{"uri":"no/such.png"}}]"#
        ))
        .unwrap();
    let material = &imported.character.materials()[0];
    let texture = material.base_color_texture.unwrap();
    assert_eq!(texture.uv_set, 1);
    let uvs: Vec<Vec2> =
        imported.character.meshes()[0].second_uvs.iter().map(|&uv| texture.transform.apply(uv)).collect();
    let expected = [Vec2::new(0.5, 0.25), Vec2::new(0.5, -1.75), Vec2::new(1.5, 0.25)];
    assert_eq!(uvs.len(), 3);
    assert!(uvs.iter().zip(expected).all(|(a, b)| a.abs_diff_eq(b, 1e-6)), "{uvs:?}");
    let sampler = texture.sampler;
    assert_eq!((sampler.wrap, sampler.mag), ([Wrap::Clamp, Wrap::Mirror], MagFilter::Nearest));
    assert!(material.unlit && material.alpha == sinew::AlphaMode::Mask(0.5));
    assert!(ids(&imported).contains(&"texture.missing"));
}

#[test]
fn primitives_with_the_same_vertices_are_parts_of_one_mesh() {
    let mut doc = Doc::default();
    let positions = doc.floats("VEC3", 3, &TRIANGLE);
    let primitive = |material: u32, mode: u32| {
        format!(r#"{{"attributes":{{"POSITION":{positions}}},"material":{material},"mode":{mode}}}"#)
    };
    let imported = doc
        .import(&format!(
            r#""nodes":[{{"mesh":0}}],"materials":[{{}},{{}}],"meshes":[{{"primitives":[{},{},{}]}}]"#,
            primitive(0, 4),
            primitive(1, 5),
            primitive(0, 6)
        ))
        .unwrap();
    assert_eq!(imported.character.meshes().len(), 1);
    let parts = &imported.character.meshes()[0].parts;
    assert_eq!(
        parts.iter().map(|p| (p.material, p.first, p.count)).collect::<Vec<_>>(),
        [(Some(0), 0, 3), (Some(1), 3, 3), (Some(0), 6, 3)]
    );
}

#[test]
fn points_and_lines_become_bars() {
    let mut doc = Doc::default();
    let positions = doc.floats("VEC3", 3, &TRIANGLE);
    let moved = doc.floats("VEC3", 3, &[0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0]);
    let primitive = |mode: u32| {
        format!(
            r#"{{"mode":{mode},"attributes":{{"POSITION":{positions}}},"targets":[{{"POSITION":{moved}}}]}}"#
        )
    };
    let document = |modes: &[u32]| {
        let primitives: Vec<String> = modes.iter().map(|&mode| primitive(mode)).collect();
        format!(r#""nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{}]}}]"#, primitives.join(","))
    };
    let imported = doc.import(&document(&[0, 1, 4, 2, 3])).unwrap();
    let mesh = &imported.character.meshes()[0];
    // A triangle; then three points, one whole line, a loop of three and a strip of two.
    let triangles: Vec<u32> = mesh.parts.iter().map(|part| part.count / 3).collect();
    assert_eq!(triangles, [1, 3 * 12, 12, 3 * 12, 2 * 12]);
    assert_eq!(mesh.vertex_count(), 3 + 9 * 8);
    // Corners at the second vertex move with it: of one point, one line, two lines of the loop and two of the strip.
    let deltas = &mesh.morphs[0].deltas;
    assert_eq!(deltas.len(), 1 + 8 + 4 + 8 + 8);
    let near = |vertex: u32| mesh.positions[vertex as usize].distance(Vec3::X) < 0.04;
    assert!(deltas.iter().all(|delta| delta.position.z == 2.0 && near(delta.vertex)));
    let said = imported.findings.iter().find(|finding| finding.id() == "mesh.strokes").unwrap();
    assert_eq!(said.count, 9);
    let few = Options::default().with(|options| options.limits.vertices = 100);
    let error = doc.import_with(&document(&[0]), &few).unwrap_err().to_string();
    assert!(error.contains("`vertices`"), "{error}");
    assert!(ids(&doc.import(&document(&[9])).unwrap()).contains(&"mesh.unsupported-geometry"));
}

#[test]
fn what_cannot_be_read_is_refused_by_name() {
    let doc = Doc::default();
    let refused = |rest: &str, part: &str| {
        let error = doc.import(rest).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    refused(r#""extensionsRequired":["EXT_mesh_of_tomorrow"],"nodes":[{}]"#, "`EXT_mesh_of_tomorrow`");
    refused(r#""nodes":[{"children":[1]},{"children":[0]}]"#, "twice");
    refused(r#""nodes":[{"children":[1,1]},{}]"#, "two parents");
    refused(r#""nodes":[{"children":[7]}]"#, "child 7 does not exist");
    refused(r#""nodes":[{"mesh":3}]"#, "mesh does not exist");
    refused(r#""nodes":[{}],"skins":[{"joints":[5]}]"#, "joint 5 does not exist");
    let old = br#"{"asset":{"version":"1.0"}}"#;
    let error = import_bytes(old, Path::new("old.gltf"), &Options::default()).unwrap_err();
    assert!(error.to_string().contains("`1.0`"), "{error}");
}

#[test]
fn nodes_below_one_another_are_dropped_with_a_finding() {
    let doc = Doc::default();
    let imported =
        doc.import(r#""nodes":[{"name":"a"},{"children":[2]},{"children":[1,3]},{"name":"below"}]"#).unwrap();
    assert_eq!(imported.character.skeleton().names(), ["a"]);
    let finding = imported.findings.iter().find(|f| f.id() == "node.cycle").unwrap();
    assert_eq!((finding.count, finding.place.as_str()), (3, "nodes[1]"));
    let error = doc.import(r#""nodes":[{},{"children":[2]},{"children":[1]}],"skins":[{"joints":[2]}]"#);
    assert!(error.unwrap_err().to_string().contains("its own ancestor"));
}

/// A count that promises more than there is must not make room for it.
#[test]
fn huge_counts_are_refused() {
    let mut doc = Doc::default();
    let huge = doc.accessor(r#""componentType":5126,"type":"VEC3","count":4000000000"#);
    let rest = format!(
        r#""nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{{"attributes":{{"POSITION":{huge}}}}}]}}]"#
    );
    let error = doc.import(&rest).unwrap_err().to_string();
    assert!(error.contains("`vertices`"), "{error}");
}

#[test]
fn buffers_stay_in_the_folder() {
    let read = |uri: &str| {
        let text = format!(r#"{{"asset":{{"version":"2.0"}},"buffers":[{{"byteLength":4,"uri":"{uri}"}}]}}"#);
        import_bytes(text.as_bytes(), Path::new("some/quirk.gltf"), &Options::default())
            .unwrap_err()
            .to_string()
    };
    assert!(read("../secret.bin").contains("leads out"), "{}", read("../secret.bin"));
    assert!(read("/etc/passwd").contains("leads out"));
    assert!(read("https://example.com/a.bin").contains("leads out"));
    assert!(read("no.bin").contains("no.bin"), "{}", read("no.bin"));
}

/// The finding of a kind, as place and message.
fn told(imported: &sinew_import::Imported, id: &str) -> Option<String> {
    let finding = imported.findings.iter().find(|finding| finding.id() == id)?;
    Some(format!("{}: {}", finding.place, finding.message))
}

#[test]
fn a_mesh_without_primitives_is_named() {
    let mut doc = Doc::default();
    let positions = doc.floats("VEC3", 3, &TRIANGLE);
    let whole = format!(r#""primitives":[{{"attributes":{{"POSITION":{positions}}}}}]"#);
    for (content, is_empty) in [(r#""weights":[]"#, true), (r#""primitives":[]"#, true), (&whole, false)] {
        let rest = format!(r#""nodes":[{{"mesh":0}}],"meshes":[{{"name":"cape",{content}}}]"#);
        let told = told(&doc.import(&rest).unwrap(), "mesh.empty");
        assert_eq!(told.as_deref(), is_empty.then_some("meshes[0] `cape`: it has no primitives"));
    }
}

#[test]
fn an_image_without_a_picture_is_named() {
    let doc = Doc::default();
    let import = |image: &str, textures: &str| {
        let rest = format!(
            r#""nodes":[{{}}],"images":[{image}],"textures":[{textures}],
               "materials":[{{"pbrMetallicRoughness":{{"baseColorTexture":{{"index":0}}}}}}]"#
        );
        told(&doc.import(&rest).unwrap(), "material.texture-invalid")
    };
    for image in ["{}", r#"{"uri":""}"#] {
        let told = import(image, r#"{"source":0}"#).unwrap_or_default();
        assert!(told.starts_with("images[0]: ") && told.contains("has no picture"), "{image}: {told}");
    }
    assert_eq!(import(r#"{"uri":"no/such.png"}"#, r#"{"source":0}"#), None, "it is missing instead");
    assert_eq!(import(r#"{},{"uri":"no/such.png"}"#, r#"{"source":1}"#), None, "no material shows it");
}

#[test]
fn an_unknown_alpha_mode_is_named_and_opaque() {
    use sinew::AlphaMode::{Blend, Mask, Opaque};
    let doc = Doc::default();
    for (mode, alpha, is_known) in [
        ("GLASS", Opaque, false),
        ("blend", Opaque, false),
        ("OPAQUE", Opaque, true),
        ("MASK", Mask(0.5), true),
        ("BLEND", Blend, true),
    ] {
        let rest = format!(r#""nodes":[{{}}],"materials":[{{"name":"visor","alphaMode":"{mode}"}}]"#);
        let imported = doc.import(&rest).unwrap();
        assert_eq!(imported.character.materials()[0].alpha, alpha, "{mode}");
        let told = told(&imported, "material.alpha-mode");
        let named = |told: &String| told.contains("`visor`") && told.contains(&format!("`{mode}`"));
        assert_eq!(told.as_ref().map(named), (!is_known).then_some(true), "{told:?}");
    }
    let silent = doc.import(r#""nodes":[{}],"materials":[{}]"#).unwrap();
    assert_eq!(told(&silent, "material.alpha-mode"), None);
}

#[test]
fn an_unknown_path_of_a_channel_is_named() {
    let mut doc = Doc::default();
    let times = doc.floats("SCALAR", 1, &[0.0, 1.0]);
    let moves = doc.floats("VEC3", 3, &[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    let import = |targets: &[&str]| {
        let channels: Vec<String> =
            targets.iter().map(|target| format!(r#"{{"sampler":0,"target":{{{target}}}}}"#)).collect();
        let rest = format!(
            r#""nodes":[{{"name":"root"}}],"animations":[{{"channels":[{}],"samplers":[{{"input":{times},"output":{moves}}}]}}]"#,
            channels.join(",")
        );
        told(&doc.import(&rest).unwrap(), "gltf.channel-ignored")
    };
    let [typo, scale] = [r#""node":0,"path":"rotatoin""#, r#""node":0,"path":"scale""#];
    for targets in [&[typo][..], &[scale, typo, typo], &[r#""path":"rotatoin""#]] {
        let told = import(targets).unwrap_or_default();
        assert!(told.ends_with("; not known as a path: `rotatoin`"), "{targets:?}: {told}");
    }
    let known = import(&[scale, r#""node":0,"path":"weights""#]).unwrap();
    assert!(!known.contains("not known"), "{known}");
    assert_eq!(import(&[scale]), None);
}
