//! glTF as others write it.

use super::*;
use serde_json::json as object;

/// A file with these numbers in its buffer, a triangle of the first nine, and more of a document.
fn document(folder: &Path, numbers: &[f32], more: &Value) {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let mut value = object!({
        "asset": { "version": "2.0" },
        "buffers": [{ "uri": "model.bin", "byteLength": bytes.len() }],
        "bufferViews": [{ "buffer": 0, "byteLength": bytes.len() }],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "nodes": [{ "mesh": 0, "name": "part" }], "scenes": [{ "nodes": [0] }], "scene": 0
    });
    let (Value::Object(value), Value::Object(more)) = (&mut value, more.clone()) else { return };
    value.extend(more);
    write(folder, "model.gltf", serde_json::to_string(value).unwrap());
    write(folder, "model.bin", bytes);
}

fn ids(folder: &Path) -> Vec<String> {
    let report = json(&sinew(folder, &["doctor", "model.gltf", "--json"]));
    let findings = report["findings"].as_array().unwrap_or_else(|| panic!("{report:#}"));
    findings.iter().map(|finding| finding["id"].as_str().unwrap().to_owned()).collect()
}

const TRIANGLE: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];

/// A part that only grows and shrinks moves.
#[test]
fn a_clip_that_only_scales_is_not_still() {
    let folder = folder();
    for (scale, still) in [(2.0, false), (1.0, true)] {
        let keys = [0.0, 1.0, 1.0, 1.0, 1.0, scale, scale, scale];
        let more = object!({
            "accessors": [
                { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" },
                { "bufferView": 0, "byteOffset": 36, "componentType": 5126, "count": 2, "type": "SCALAR" },
                { "bufferView": 0, "byteOffset": 44, "componentType": 5126, "count": 2, "type": "VEC3" }
            ],
            "animations": [{
                "name": "grow", "samplers": [{ "input": 1, "output": 2 }],
                "channels": [{ "sampler": 0, "target": { "node": 0, "path": "scale" } }]
            }]
        });
        document(folder.path(), &[&TRIANGLE[..], &keys].concat(), &more);
        assert_eq!(
            ids(folder.path()).iter().any(|id| id == "clip.moves-nothing"),
            still,
            "scaled to {scale}"
        );
    }
}

/// A node that mirrors turns its triangles round, and renderers turn them back: nothing points inwards.
#[test]
fn a_mirrored_part_is_not_inside_out() {
    let folder = folder();
    let normals = |z: f32| [0.0, 0.0, z, 0.0, 0.0, z, 0.0, 0.0, z];
    for (scale, z, inwards) in [(1.0, 1.0, false), (-1.0, 1.0, false), (1.0, -1.0, true), (-1.0, -1.0, true)]
    {
        let more = object!({
            "accessors": [
                { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" },
                { "bufferView": 0, "byteOffset": 36, "componentType": 5126, "count": 3, "type": "VEC3" }
            ],
            "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0, "NORMAL": 1 } }] }],
            "nodes": [{ "mesh": 0, "name": "part", "scale": [scale, scale, scale] }]
        });
        document(folder.path(), &[&TRIANGLE[..], &normals(z)].concat(), &more);
        let found = ids(folder.path());
        let is_inwards = found.iter().any(|id| id == "mesh.normals-inwards");
        assert_eq!(is_inwards, inwards, "scaled by {scale}, normals along {z}: {found:?}");
    }
}

/// A bowl is open, so neither of its sides is the inside: it is judged by its normals alone, and without normals not at all.
#[test]
fn an_open_surface_is_judged_by_its_normals() {
    const AROUND: usize = 12;
    let folder = folder();
    // The lower half of a ball, as rings of corners.
    let point = |ring: usize, column: usize| {
        let (down, round) = (ring as f32 / 6.0 * 1.5, column as f32 / AROUND as f32 * std::f32::consts::TAU);
        [down.sin() * round.cos(), -down.cos(), down.sin() * round.sin()]
    };
    let mut corners = Vec::new();
    for (ring, column) in (0..6).flat_map(|ring| (0..AROUND).map(move |column| (ring, column))) {
        let [a, b, c, d] = [(ring, column), (ring, column + 1), (ring + 1, column + 1), (ring + 1, column)]
            .map(|(ring, column)| point(ring, column));
        corners.extend([a, c, b, a, d, c]);
    }
    for (turned, normals, inwards) in [
        (false, None, false),
        (true, None, false),
        (false, Some(1.0), false),
        (true, Some(-1.0), false),
        (false, Some(-1.0), true),
        (true, Some(1.0), true),
    ] {
        let mut corners = corners.clone();
        if turned {
            corners.as_chunks_mut::<3>().0.iter_mut().for_each(|face| face.swap(1, 2));
        }
        let directions = corners.iter().flatten().map(|number| number * normals.unwrap_or(0.0));
        let numbers: Vec<f32> = corners.iter().flatten().copied().chain(directions).collect();
        let accessor = |offset: usize| object!({ "bufferView": 0, "byteOffset": offset, "componentType": 5126, "count": corners.len(), "type": "VEC3" });
        let attributes = match normals {
            Some(_) => object!({ "POSITION": 0, "NORMAL": 1 }),
            None => object!({ "POSITION": 0 }),
        };
        let more = object!({
            "accessors": [accessor(0), accessor(corners.len() * 12)],
            "meshes": [{ "primitives": [{ "attributes": attributes }] }],
        });
        document(folder.path(), &numbers, &more);
        let found = ids(folder.path());
        let told = found.iter().any(|id| id == "mesh.normals-inwards");
        assert_eq!(told, inwards, "turned {turned}, normals {normals:?}: {found:?}");
    }
}

/// Scans are points by the ten thousand.
#[test]
fn a_cloud_of_points_is_read() {
    const COUNT: usize = 600_000;
    let folder = folder();
    let points: Vec<f32> = (0..COUNT * 3).map(|i| ((i * 7919) % 1000) as f32 / 1000.0).collect();
    let more = object!({
        "accessors": [{ "bufferView": 0, "componentType": 5126, "count": COUNT, "type": "VEC3" }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "mode": 0 }] }]
    });
    document(folder.path(), &points, &more);
    let shown = json(&sinew(folder.path(), &["inspect", "model.gltf", "--json"]));
    assert_eq!(shown["files"].as_array().unwrap().len(), 1, "{shown:#}");
}

/// Corners of triangles may be given by a list with exceptions, as any other numbers.
#[test]
fn indices_may_be_sparse() {
    let folder = folder();
    // Four corners; indices 0 0 0 as 16-bit numbers, of which the second and third are replaced by 1 and 3.
    let words = |words: [u16; 2]| f32::from_bits(u32::from(words[0]) | u32::from(words[1]) << 16);
    let more = |base: bool| {
        let mut indices = object!({
            "componentType": 5123, "count": 3, "type": "SCALAR",
            "sparse": {
                "count": 2,
                "indices": { "bufferView": 0, "byteOffset": 56, "componentType": 5123 },
                "values": { "bufferView": 0, "byteOffset": 60 }
            }
        });
        if base {
            indices["bufferView"] = 0.into();
            indices["byteOffset"] = 48.into();
        }
        object!({
            "accessors": [
                { "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3" }, indices
            ],
            "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1 }] }]
        })
    };
    let corners = [&TRIANGLE[..], &[0.0, 0.0, 1.0]].concat();
    let numbers = [words([0, 0]), words([0, 0]), words([1, 2]), words([1, 3])];
    for base in [true, false] {
        document(folder.path(), &[&corners[..], &numbers].concat(), &more(base));
        let read = sinew_import::import(&folder.path().join("model.gltf"), &Default::default()).unwrap();
        assert_eq!(&read.character.meshes()[0].indices[..], [0, 1, 3]);
        assert!(sinew(folder.path(), &["inspect", "model.gltf"]).status.success());
    }
}

/// Names that are there twice do not keep a file from being compared with itself, or with another of the same build.
#[test]
fn joints_of_one_name_are_compared_by_their_places() {
    let folder = folder();
    let nodes = |second: f32| {
        object!({
            "nodes": [{ "mesh": 0, "name": "root", "children": [1, 2] }, { "name": "wing" },
                { "name": "wing", "translation": [second, 0.0, 0.0] }],
        })
    };
    document(folder.path(), &TRIANGLE, &nodes(1.0));
    let copy = |name: &str| fs::copy(folder.path().join("model.gltf"), folder.path().join(name)).unwrap();
    copy("first.gltf");
    let told = sinew(folder.path(), &["diff", "first.gltf", "model.gltf"]);
    assert!(text(&told.stdout).contains("within tolerance"), "{}{}", text(&told.stdout), text(&told.stderr));
    document(folder.path(), &TRIANGLE, &nodes(2.0));
    let told = sinew(folder.path(), &["diff", "first.gltf", "model.gltf"]);
    assert_eq!(told.status.code(), Some(1), "the second wing is elsewhere");
}

#[test]
fn a_picture_in_an_extension_that_is_not_read_is_named() {
    let folder = folder();
    let more = object!({
        "images": [{ "uri": "cloth.avif" }],
        "textures": [{ "extensions": { "EXT_texture_avif": { "source": 0 } } }],
        "materials": [{ "name": "cloth", "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }],
    });
    document(folder.path(), &TRIANGLE, &more);
    let told = text(&sinew(folder.path(), &["doctor", "model.gltf"]).stdout);
    assert!(told.contains("EXT_texture_avif") && told.contains("material.texture-invalid"), "{told}");
    let told = text(&sinew(folder.path(), &["inspect", "model.gltf"]).stdout);
    assert!(
        told.contains("texture `textures[0] with the extension EXT_texture_avif` without a picture"),
        "{told}"
    );
}

/// The renderer says the same as the importer, and not that a file is missing.
#[cfg(feature = "render")]
#[test]
fn a_picture_that_is_not_read_is_not_looked_for() {
    if !common::can_draw("a_picture_that_is_not_read_is_not_looked_for") {
        return;
    }
    let folder = folder();
    for (texture, named) in [
        (object!({ "extensions": { "EXT_texture_avif": { "source": 0 } } }), "EXT_texture_avif"),
        (object!({}), "`textures[0]`"),
    ] {
        let more = object!({
            "images": [{ "uri": "cloth.avif" }], "textures": [texture],
            "materials": [{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }],
            "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "material": 0 }] }],
        });
        document(folder.path(), &TRIANGLE, &more);
        let told = sinew(folder.path(), &["render", "model.gltf", "-o", "out.png", "--size", "64x64"]);
        assert!(told.status.success(), "{}", text(&told.stderr));
        let told = text(&told.stdout) + &text(&told.stderr);
        assert!(told.contains("no picture that is read for") && told.contains(named), "{told}");
        assert!(!told.contains("was not found"), "{told}");
    }
}

/// What a document says in the wrong way is told with its place and what is expected there, in words of JSON and not of the parser.
#[test]
fn a_document_that_is_wrong_is_explained() {
    let folder = folder();
    for (more, words) in [
        (object!({ "nodes": [{ "name": 3 }] }), "expected a text, not 3 (at nodes[0].name,"),
        (object!({ "nodes": { "a": {} } }), "expected a list, not an object (at nodes,"),
        (object!({ "scene": -1 }), "expected a whole number, 0 or more, not -1 (at scene,"),
        (object!({ "scene": "main" }), "expected a whole number, 0 or more, not the text `main` (at scene,"),
        (
            object!({ "nodes": [{ "translation": [0, 1] }] }),
            "expected a list of 3, not one of 2 (at nodes[0].translation,",
        ),
        (
            object!({ "nodes": [{}, { "scale": [1, 1, 1, 1] }] }),
            "more elements than are expected (at nodes[1].scale",
        ),
        (
            object!({ "nodes": [{ "mesh": null, "matrix": 1.5 }] }),
            "expected a list of 16, not 1.5 (at nodes[0].matrix,",
        ),
        (
            object!({ "accessors": [{ "count": 3, "type": "VEC3" }] }),
            "the field `componentType` is missing (at accessors[0],",
        ),
        (
            object!({ "meshes": [{ "primitives": [{ "attributes": { "JOINTS_0": "x" } }] }] }),
            "not the text `x` (at meshes[0].primitives[0].attributes",
        ),
        (
            object!({ "meshes": [{ "primitives": [{ "material": 0 }] }] }),
            "the field `attributes` is missing (at meshes[0].primitives[0],",
        ),
        (
            object!({ "materials": [{ "doubleSided": 1 }] }),
            "expected true or false, not 1 (at materials[0].doubleSided,",
        ),
        (
            object!({ "animations": [{ "channels": [{ "sampler": 0, "target": "x" }], "samplers": [] }] }),
            "expected an object, not the text `x` (at animations[0].channels[0].target,",
        ),
        (object!({ "asset": { "version": 2.0 } }), "expected a text, not 2.0 (at asset.version,"),
    ] {
        document(folder.path(), &TRIANGLE, &more);
        let told = error_of(&sinew(folder.path(), &["inspect", "model.gltf"]));
        assert!(told.contains("model.gltf") && told.contains(words), "{words}: {told}");
        for word in ["invalid", "struct", "usize", "sequence", "map", "f64", "f32"] {
            assert!(!told.contains(word), "{word}: {told}");
        }
    }
    document(folder.path(), &TRIANGLE, &object!({}));
    let whole = fs::read_to_string(folder.path().join("model.gltf")).unwrap();
    write(folder.path(), "model.gltf", &whole[..whole.len() / 2]);
    let told = error_of(&sinew(folder.path(), &["inspect", "model.gltf"]));
    assert!(told.contains("the text ends within") && !told.contains("EOF"), "{told}");
}

/// A vertex that more joints move than two sets hold.
#[test]
fn all_sets_of_influences_count() {
    let folder = folder();
    let numbers: Vec<f32> = (0..3).flat_map(|_| [0.1f32; 4]).collect();
    let joints: Vec<f32> = (0..3).map(|_| f32::from_bits(u32::from_le_bytes([0, 1, 2, 3]))).collect();
    let accessor = |offset: usize, component: u32, kind: &str| object!({ "bufferView": 0, "byteOffset": offset, "componentType": component, "count": 3, "type": kind });
    let other: Vec<f32> = (0..3).map(|_| f32::from_bits(u32::from_le_bytes([4, 5, 6, 7]))).collect();
    let more = object!({
        "accessors": [
            accessor(0, 5126, "VEC3"), accessor(36, 5126, "VEC4"), accessor(84, 5121, "VEC4"), accessor(96, 5121, "VEC4")
        ],
        "nodes": [{ "mesh": 0, "skin": 0, "children": [1, 2, 3, 4, 5, 6, 7] }, {}, {}, {}, {}, {}, {}, {}],
        "skins": [{ "joints": [0, 1, 2, 3, 4, 5, 6, 7] }],
        "meshes": [{ "primitives": [{ "attributes": {
            "POSITION": 0, "JOINTS_0": 2, "WEIGHTS_0": 1, "JOINTS_2": 3, "WEIGHTS_2": 1
        } }] }],
    });
    document(folder.path(), &[&TRIANGLE[..], &numbers, &joints, &other].concat(), &more);
    let shown = text(&sinew(folder.path(), &["inspect", "model.gltf", "--influences", "8"]).stdout);
    assert!(shown.contains("with up to 8 influences"), "{shown}");
    let told = text(&sinew(folder.path(), &["doctor", "-v", "model.gltf"]).stdout);
    assert!(told.contains("up to 8 influences; the strongest 4 were kept"), "{told}");
    assert!(!told.contains("left out"), "{told}");
}

#[test]
fn an_animation_of_other_things_is_named() {
    let folder = folder();
    let pointer = object!({ "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": "/materials/0/alphaCutoff" } } });
    let more = object!({ "animations": [{
        "name": "blink", "samplers": [{ "input": 0, "output": 0 }],
        "channels": [{ "sampler": 0, "target": pointer }]
    }] });
    document(folder.path(), &TRIANGLE, &more);
    assert!(ids(folder.path()).contains(&"gltf.animation-left-out".to_owned()));
    let converted = sinew(folder.path(), &["convert", "model.gltf", "-o", "out.glb"]);
    let converted = text(&converted.stdout) + &text(&converted.stderr);
    assert!(converted.contains("blink"), "{converted}");
}

#[test]
fn vertex_data_that_is_left_out_is_named() {
    let folder = folder();
    let attributes = object!({ "POSITION": 0, "TEXCOORD_2": 0, "_HEAT": 0, "JOINTS_0": 0 });
    document(
        folder.path(),
        &TRIANGLE,
        &object!({ "meshes": [{ "primitives": [{ "attributes": attributes }] }] }),
    );
    let told = text(&sinew(folder.path(), &["doctor", "-v", "model.gltf"]).stdout);
    assert!(told.contains("left out: TEXCOORD_2, JOINTS_0 without a skin, _HEAT"), "{told}");
}

/// A large file has the same to say of many parts.
#[test]
fn findings_that_say_the_same_are_told_together() {
    let folder = folder();
    let report = |parts: usize| {
        let nodes: Vec<Value> =
            (0..parts).map(|part| object!({ "mesh": 0, "name": format!("part {part}") })).collect();
        let more = object!({
            "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0, "_HEAT": 0 } }] }],
            "nodes": nodes, "scenes": [{ "nodes": (0..parts).collect::<Vec<_>>() }],
        });
        document(folder.path(), &TRIANGLE, &more);
        let all = ids(folder.path()).iter().filter(|id| *id == "mesh.attributes-left-out").count();
        assert_eq!(all, parts, "JSON has them all");
        text(&sinew(folder.path(), &["doctor", "-v", "model.gltf"]).stdout)
    };
    let [few, many] = [report(4), report(300)];
    assert!(few.contains("part 3") && !few.contains("more place"), "{few}");
    assert!(many.contains("and 296 more places: left out: _HEAT"), "{many}");
    assert_eq!(few.lines().count(), many.lines().count(), "{many}");
}

#[test]
fn a_file_without_anything_in_it_is_said() {
    let folder = folder();
    write(folder.path(), "model.gltf", r#"{ "asset": { "version": "2.0" } }"#);
    assert_eq!(ids(folder.path()), ["character.nothing-in-it"]);
    let drawn = error_of(&sinew(folder.path(), &["render", "model.gltf", "-o", "out.png"]));
    assert!(!drawn.contains("skeleton is drawn") && drawn.contains("neither a mesh nor a joint"), "{drawn}");
    let compared = error_of(&sinew(folder.path(), &["diff", "model.gltf", "model.gltf"]));
    assert!(compared.contains("has no joints to compare"), "{compared}");
}

#[test]
fn buffers_elsewhere_are_not_called_damage() {
    let folder = folder();
    document(
        folder.path(),
        &TRIANGLE,
        &object!({ "buffers": [{ "uri": "../model.bin", "byteLength": 36 }] }),
    );
    let told = error_of(&sinew(folder.path(), &["inspect", "model.gltf"]));
    assert!(told.contains("leads out of the folder") && told.contains("put it beside the file"), "{told}");
    assert!(!told.contains("damaged"), "{told}");
}

#[test]
fn version_1_is_named() {
    let folder = folder();
    write(folder.path(), "old.gltf", r#"{ "asset": { "version": "1.0" }, "nodes": { "a": {} } }"#);
    let told = error_of(&sinew(folder.path(), &["inspect", "old.gltf"]));
    assert!(told.contains("version `1.0` of glTF is not read"), "{told}");
}
