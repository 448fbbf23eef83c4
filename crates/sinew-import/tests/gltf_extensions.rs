//! Extensions of glTF: what is read, what is named, what is refused.

mod common;

use common::doc::{Doc, TRIANGLE};
use sinew::glam::{Quat, Vec3};
use sinew_import::{ImportError, Imported, Options};
use sinew_testkit::draco::quad;

fn messages(imported: &Imported, id: &str) -> Vec<String> {
    imported.findings.iter().filter(|f| f.id() == id).map(|f| f.message.clone()).collect()
}

#[test]
fn what_only_changes_looks_never_refuses_a_file() {
    let doc = Doc::default();
    let imported = doc
        .import(
            r#""extensionsUsed":["KHR_materials_sheen","KHR_lights_punctual","KHR_xmp_json_ld","EXT_of_tomorrow","KHR_texture_basisu"],
               "extensionsRequired":["KHR_materials_sheen","KHR_materials_iridescence","KHR_lights_punctual","KHR_materials_variants",
               "KHR_xmp_json_ld","KHR_texture_basisu","EXT_texture_webp","MSFT_texture_dds","KHR_texture_transform","KHR_mesh_quantization"],
               "cameras":[{},{}],"extensions":{"KHR_lights_punctual":{"lights":[{},{},{}]}},
               "nodes":[{"name":"a"}],"materials":[{"extensions":{"KHR_materials_sheen":{}}},{"extensions":{"KHR_materials_sheen":{}}}]"#,
        )
        .unwrap();
    let named = messages(&imported, "gltf.extension");
    let expected = [
        "EXT_of_tomorrow",
        "KHR_lights_punctual",
        "KHR_materials_iridescence",
        "KHR_materials_variants",
        "KHR_xmp_json_ld",
    ];
    assert_eq!(named.len(), expected.len(), "{named:?}");
    assert!(named.iter().zip(expected).all(|(m, name)| m.contains(&format!("`{name}`"))), "{named:?}");
    assert_eq!(messages(&imported, "material.extension").len(), 1, "once for both materials");
    let counts: Vec<usize> =
        imported.findings.iter().filter(|f| f.id() == "gltf.cameras-lights").map(|f| f.count).collect();
    assert_eq!(counts, [2, 3]);
}

#[test]
fn glass_is_kept_without_its_texture() {
    let imported = Doc::default()
        .import(
            r#""nodes":[{"name":"a"}],"materials":[{"extensions":{"KHR_materials_transmission":{"transmissionFactor":0.75}}},
               {"extensions":{"KHR_materials_transmission":{"transmissionFactor":9,"transmissionTexture":{"index":0}}}},{}]"#,
        )
        .unwrap();
    let kept: Vec<f32> = imported.character.materials().iter().map(|m| m.transmission).collect();
    assert_eq!(kept, [0.75, 1.0, 0.0]);
    let named = messages(&imported, "material.extension");
    assert!(named.len() == 1 && named[0].contains("texture of transmission"), "{named:?}");
}

/// A mesh whose positions and triangles are in Draco data.
fn draco(data: &[u8], attribute: u32, options: &Options) -> Result<Imported, ImportError> {
    let mut doc = Doc::default();
    let view = doc.view(data);
    let position = doc.accessor(r#""componentType":5126,"type":"VEC3","count":4"#);
    doc.import_with(
        &format!(
            r#""extensionsRequired":["KHR_draco_mesh_compression"],"nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[
               {{"attributes":{{"POSITION":{position}}},"extensions":{{"KHR_draco_mesh_compression":
               {{"bufferView":{view},"attributes":{{"POSITION":{attribute}}}}}}}}}]}}]"#
        ),
        options,
    )
}

#[test]
fn draco_data_takes_the_place_of_accessors() {
    let data = quad().write();
    let imported = draco(&data, 0, &Options::default()).unwrap();
    let mesh = &imported.character.meshes()[0];
    assert_eq!(mesh.indices, [0, 1, 2, 0, 2, 3]);
    let corners = [[-1.0, 0.0, 2.0], [9.0, 0.0, 2.0], [9.0, 10.0, 2.0], [-1.0, 10.0, 4.0]].map(Vec3::from);
    assert!(mesh.positions.iter().zip(corners).all(|(a, b)| a.abs_diff_eq(b, 1e-4)), "{:?}", mesh.positions);
}

#[test]
fn draco_data_that_cannot_be_read_is_refused() {
    let data = quad().write();
    let refused = |data: &[u8], attribute, options: &Options, part: &str| {
        let error = draco(data, attribute, options).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    let options = Options::default();
    refused(&data, 5, &options, "no attribute 5");
    for length in 0..data.len() {
        refused(&data[..length], 0, &options, "Draco");
    }
    refused(&data, 0, &options.clone().with(|o| o.limits.vertices = 3), "`vertices`");
}

#[test]
fn instances_stand_where_the_node_and_they_say() {
    let mut doc = Doc::default();
    let positions = doc.floats("VEC3", 3, &TRIANGLE);
    let normals = doc.floats("VEC3", 3, &[0.0, 0.0, 1.0].repeat(3));
    let delta = doc.floats("VEC3", 3, &[0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let translations = doc.floats("VEC3", 3, &[0.0, 0.0, 0.0, 10.0, 0.0, 0.0, 0.0, 0.0, 5.0]);
    // A quarter turn about Y, in shorts.
    let half = (std::f32::consts::FRAC_1_SQRT_2 * 32767.0) as i16;
    let rotations: Vec<u8> = [[0, 0, 0, 32767], [0, half, 0, half], [0, 0, 0, 32767]]
        .iter()
        .flatten()
        .flat_map(|v: &i16| v.to_le_bytes())
        .collect();
    let rotations = doc.view(&rotations);
    let rotations = doc.accessor(&format!(
        r#""bufferView":{rotations},"componentType":5122,"normalized":true,"type":"VEC4","count":3"#
    ));
    let scales = doc.floats("VEC3", 3, &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0, -1.0, 1.0, 1.0]);
    let imported = doc
        .import(&format!(
            r#""extensionsRequired":["EXT_mesh_gpu_instancing"],"nodes":[{{"mesh":0,"translation":[0,1,0],"extensions":{{
               "EXT_mesh_gpu_instancing":{{"attributes":{{"TRANSLATION":{translations},"ROTATION":{rotations},"SCALE":{scales},"_ID":0}}}}}}}}],
               "meshes":[{{"primitives":[{{"attributes":{{"POSITION":{positions},"NORMAL":{normals}}},
               "targets":[{{"POSITION":{delta}}}]}}]}}]"#
        ))
        .unwrap();
    let meshes = imported.character.meshes();
    assert_eq!((meshes.len(), meshes[0].joint, meshes[0].positions.len()), (1, 0, 9));
    let mesh = &meshes[0];
    let near = |a: Vec3, b: Vec3| assert!(a.abs_diff_eq(b, 1e-3), "{a} for {b}");
    near(mesh.positions[1], Vec3::X);
    let turn = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
    near(mesh.positions[4], Vec3::new(10.0, 0.0, 0.0) + turn * Vec3::X * 2.0);
    near(mesh.normals[4], turn * Vec3::Z);
    near(mesh.positions[7], Vec3::new(-1.0, 0.0, 5.0));
    near(mesh.normals[7], Vec3::Z);
    assert_eq!(mesh.indices, [0, 1, 2, 3, 4, 5, 6, 8, 7], "a mirrored instance is turned round");
    assert_eq!(mesh.morphs[0].deltas.iter().map(|d| d.vertex).collect::<Vec<_>>(), [0, 3, 6]);
    near(mesh.morphs[0].deltas[1].position, turn * Vec3::Z * 4.0);
    assert_eq!(imported.character.skeleton().rest_model()[0].translation(), Vec3::Y);
}

#[test]
fn instances_are_counted() {
    let mut doc = Doc::default();
    let positions = doc.floats("VEC3", 3, &TRIANGLE);
    let many = doc.accessor(r#""componentType":5126,"type":"VEC3","count":40000000"#);
    let error = doc
        .import(&format!(
            r#""nodes":[{{"mesh":0,"extensions":{{"EXT_mesh_gpu_instancing":{{"attributes":{{"TRANSLATION":{many}}}}}}}}}],
               "meshes":[{{"primitives":[{{"attributes":{{"POSITION":{positions}}}}}]}}]"#
        ))
        .unwrap_err()
        .to_string();
    assert!(error.contains("`vertices`") || error.contains("`memory`"), "{error}");
}

/// A mesh has many more corners than vertices, and most of both are copies.
#[test]
fn vertices_and_triangles_of_instances_are_counted() {
    const INSTANCES: u64 = 100;
    let mut doc = Doc::default();
    let positions = doc.floats("VEC3", 3, &TRIANGLE);
    let indices = doc.view(&[0, 1, 2].repeat(20));
    let indices =
        doc.accessor(&format!(r#""bufferView":{indices},"componentType":5121,"type":"SCALAR","count":60"#));
    let places = doc.floats("VEC3", 3, &[1.0; 3 * INSTANCES as usize]);
    let read = |node: &str, vertices: u64| {
        let document = format!(
            r#"{node},"meshes":[{{"primitives":[{{"attributes":{{"POSITION":{positions}}},"indices":{indices}}}]}}]"#
        );
        doc.import_with(&document, &Options::default().with(|options| options.limits.vertices = vertices))
    };
    let extension = format!(
        r#""nodes":[{{"mesh":0,"extensions":{{"EXT_mesh_gpu_instancing":{{"attributes":{{"TRANSLATION":{places}}}}}}}}}]"#
    );
    let children: Vec<String> = (1..=INSTANCES).map(|child| child.to_string()).collect();
    let plain = format!(
        r#""nodes":[{{"children":[{}]}},{}]"#,
        children.join(","),
        vec![r#"{"mesh":0}"#; INSTANCES as usize].join(",")
    );
    // Three vertices and twenty triangles each, and one primitive.
    for (node, most) in [(extension, 23 * (INSTANCES + 1) + 1), (plain, 24 * INSTANCES)] {
        let imported = read(&node, most).unwrap();
        let corners: usize = imported.character.meshes().iter().map(|mesh| mesh.indices.len()).sum();
        assert_eq!(corners, 60 * INSTANCES as usize);
        let error = read(&node, most - 1).unwrap_err().to_string();
        assert!(error.contains(&format!("`vertices`: {most} where {}", most - 1)), "{error}");
    }
}

#[test]
fn pointers_to_nodes_are_ordinary_channels() {
    let mut doc = Doc::default();
    let positions = doc.floats("VEC3", 3, &TRIANGLE);
    let times = doc.floats("SCALAR", 1, &[0.0, 1.0]);
    let moves = doc.floats("VEC3", 3, &[0.0, 0.0, 0.0, 1.0, 2.0, 3.0]);
    let weights = doc.floats("SCALAR", 1, &[0.0, 1.0]);
    let target = |pointer: &str, sampler: usize| {
        format!(
            r#"{{"sampler":{sampler},"target":{{"path":"pointer","extensions":{{"KHR_animation_pointer":{{"pointer":"{pointer}"}}}}}}}}"#
        )
    };
    let channels = [
        target("/nodes/0/translation", 0),
        target("/nodes/0/weights/1", 1),
        target("/nodes/0/weights/2", 1),
        target("/materials/0/emissiveFactor", 0),
        target("/nodes/zero/translation", 0),
        target("/nodes/0/translation/0", 0),
    ];
    let imported = doc
        .import(&format!(
            r#""extensionsRequired":["KHR_animation_pointer"],"nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{{"attributes":
               {{"POSITION":{positions}}},"targets":[{{"POSITION":{positions}}},{{"POSITION":{positions}}}]}}]}}],
               "animations":[{{"channels":[{}],"samplers":[{{"input":{times},"output":{moves}}},{{"input":{times},"output":{weights}}}]}}]"#,
            channels.join(",")
        ))
        .unwrap();
    let mut locals = [sinew::Transform::IDENTITY];
    imported.evaluator.locals(0, 0.5, &mut locals);
    assert_eq!(locals[0].translation, Vec3::new(0.5, 1.0, 1.5));
    let mut scalars = [0.0; 2];
    imported.evaluator.scalars(0, 0.5, &mut scalars);
    assert_eq!(scalars, [0.0, 0.5]);
    let ignored = imported.findings.iter().find(|f| f.id() == "gltf.channel-ignored").unwrap();
    assert_eq!(ignored.count, 4);
}

/// Positions, morph targets and texture coordinates as whole numbers of every kind, plain and normalised.
#[test]
fn quantised_attributes_of_every_kind() {
    for (kind, size, most, signed) in
        [(5120, 1, 127.0, true), (5121, 1, 255.0, false), (5122, 2, 32767.0, true), (5123, 2, 65535.0, false)]
    {
        for normalized in [false, true] {
            let mut doc = Doc::default();
            let low = if signed { -5i32 } else { 5 };
            let numbers = [0, 0, 0, 100, 7, low, 0, 50, 1];
            // Elements are padded to four bytes.
            let stride = (3usize * size).next_multiple_of(4);
            let bytes: Vec<u8> = numbers
                .chunks(3)
                .flat_map(|element| {
                    let mut bytes: Vec<u8> =
                        element.iter().flat_map(|v| v.to_le_bytes()[..size].to_vec()).collect();
                    bytes.resize(stride, 0);
                    bytes
                })
                .collect();
            let view = doc.view(&bytes);
            doc.views[view] = doc.views[view].replace('}', &format!(r#","byteStride":{stride}}}"#));
            let positions = doc.accessor(&format!(
                r#""bufferView":{view},"componentType":{kind},"normalized":{normalized},"type":"VEC3","count":3"#
            ));
            let imported = doc
                .import(&format!(
                    r#""extensionsRequired":["KHR_mesh_quantization"],"nodes":[{{"mesh":0,"scale":[3,3,3]}}],"meshes":[{{"primitives":[
                       {{"attributes":{{"POSITION":{positions}}},"targets":[{{"POSITION":{positions}}}]}}]}}]"#
                ))
                .unwrap();
            let mesh = &imported.character.meshes()[0];
            let scale = if normalized { 1.0 / most } else { 1.0 };
            let expected = Vec3::new(100.0, 7.0, low as f32) * scale;
            assert!(mesh.positions[1].abs_diff_eq(expected, 1e-6), "{kind}: {}", mesh.positions[1]);
            assert_eq!(mesh.morphs[0].deltas[0].position, mesh.positions[1]);
        }
    }
}

#[test]
fn hidden_nodes_show_no_meshes() {
    let mut doc = Doc::default();
    let positions = doc.floats("VEC3", 3, &TRIANGLE);
    let node = |visible: &str, rest: &str| {
        format!(r#"{{"mesh":0,"extensions":{{"KHR_node_visibility":{{{visible}}}}}{rest}}}"#)
    };
    let nodes = [
        node(r#""visible":true"#, r#","children":[1,3]"#),
        node(r#""visible":false"#, r#","children":[2]"#),
        // Below a hidden one.
        node("", ""),
        node("", ""),
    ];
    let imported = doc
        .import(&format!(
            r#""extensionsRequired":["KHR_node_visibility"],"nodes":[{}],
               "meshes":[{{"primitives":[{{"attributes":{{"POSITION":{positions}}}}}]}}]"#,
            nodes.join(",")
        ))
        .unwrap();
    let joints: Vec<u16> = imported.character.meshes().iter().map(|mesh| mesh.joint).collect();
    let names: Vec<&str> = joints.iter().map(|&j| imported.character.skeleton().name(j)).collect();
    assert_eq!(names, ["node_0", "node_3"]);
    assert_eq!(imported.character.skeleton().len(), 4, "hidden nodes are joints all the same");
    assert_eq!(messages(&imported, "gltf.hidden"), ["2 meshes of hidden nodes left out"]);
    assert!(
        messages(&imported, "gltf.extension").is_empty() && messages(&imported, "mesh.unused").is_empty()
    );
}
