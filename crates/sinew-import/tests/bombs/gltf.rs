//! Bombs of glTF.

use super::{Bomb, Limit, Read, Refused};

pub(super) const BOMBS: &[Bomb] = &[
    Bomb {
        name: "gltf accessors without bytes",
        file: "a.gltf",
        make: accessors,
        full: 1,
        expected: Limit("vertices"),
    },
    Bomb {
        name: "gltf sampler without bytes",
        file: "a.gltf",
        make: samplers,
        full: 1,
        expected: Limit("memory"),
    },
    Bomb {
        name: "gltf counts of billions",
        file: "a.gltf",
        make: billions,
        full: 1,
        expected: Limit("vertices"),
    },
    Bomb {
        name: "gltf sparse counts of billions",
        file: "a.gltf",
        make: sparse,
        full: 1,
        expected: Limit("memory"),
    },
    Bomb {
        name: "gltf buffer of terabytes",
        file: "a.gltf",
        make: buffer,
        full: 1,
        expected: Limit("memory"),
    },
    Bomb { name: "gltf empty nodes", file: "a.gltf", make: nodes, full: 12, expected: Limit("memory") },
    Bomb { name: "gltf nodes in extras", file: "a.gltf", make: extras, full: 1, expected: Limit("memory") },
    Bomb { name: "gltf largest document", file: "a.gltf", make: document, full: 1, expected: Limit("nodes") },
    Bomb { name: "gltf largest extras", file: "a.gltf", make: largest_extras, full: 1, expected: Read },
    Bomb { name: "gltf nested lists", file: "a.gltf", make: nested, full: 10, expected: Refused },
    Bomb { name: "gltf primitives alike", file: "a.gltf", make: primitives_alike, full: 10, expected: Read },
    Bomb { name: "gltf primitives apart", file: "a.gltf", make: primitives_apart, full: 10, expected: Read },
    Bomb {
        name: "gltf morph targets",
        file: "a.gltf",
        make: morphs,
        full: 4,
        expected: Limit("morph_deltas"),
    },
    Bomb {
        name: "gltf morph scalars of nodes",
        file: "a.gltf",
        make: scalars,
        full: 1,
        expected: Limit("memory"),
    },
    Bomb { name: "gltf clips on shared keys", file: "a.gltf", make: clips, full: 1, expected: Limit("keys") },
    Bomb { name: "gltf curved clips", file: "a.gltf", make: curved_clips, full: 4, expected: Limit("steps") },
    Bomb { name: "gltf deep skins", file: "a.gltf", make: deep_skins, full: 8, expected: Read },
    Bomb {
        name: "gltf skin on many meshes",
        file: "a.gltf",
        make: shared_skin,
        full: 1,
        expected: Limit("memory"),
    },
    Bomb {
        name: "gltf sets of influences",
        file: "a.gltf",
        make: influence_sets,
        full: 4,
        expected: Limit("steps"),
    },
    Bomb { name: "gltf unused meshes", file: "a.gltf", make: unused, full: 5, expected: Read },
    Bomb {
        name: "gltf long name on many nodes",
        file: "a.gltf",
        make: long_name,
        full: 1,
        expected: Limit("memory"),
    },
    Bomb {
        name: "gltf pictures of one view",
        file: "a.gltf",
        make: pictures,
        full: 1,
        expected: Limit("memory"),
    },
    Bomb { name: "gltf points", file: "a.gltf", make: points, full: 3, expected: Read },
    Bomb { name: "gltf data URIs", file: "a.gltf", make: data_uris, full: 20, expected: Read },
];

pub(super) fn list(count: usize, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect::<Vec<_>>().join(",")
}

pub(super) fn document_of(rest: &str) -> Vec<u8> {
    format!(r#"{{"asset":{{"version":"2.0"}},{rest}}}"#).into_bytes()
}

/// Points without bytes, each of which becomes a cube.
fn points(scale: usize) -> Vec<u8> {
    document_of(&format!(
        r#""nodes":[{{"mesh":0}}],"accessors":[{{"componentType":5126,"type":"VEC3","count":{}}}],
           "meshes":[{{"primitives":[{{"mode":0,"attributes":{{"POSITION":0}}}}]}}]"#,
        150_000 * scale
    ))
}

/// One triangle in accessor 0, and what else there is.
fn with_triangle(accessors: &str, rest: &str) -> Vec<u8> {
    let data = "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA";
    document_of(&format!(
        r#""buffers":[{{"byteLength":36,"uri":"data:;base64,{data}"}}],"bufferViews":[{{"buffer":0,"byteLength":36}}],
           "accessors":[{{"bufferView":0,"componentType":5126,"type":"VEC3","count":3}}{accessors}],{rest}"#
    ))
}

fn zeros(kind: &str, count: u64) -> String {
    format!(r#",{{"componentType":5126,"type":"{kind}","count":{count}}}"#)
}

fn accessors(_: usize) -> Vec<u8> {
    let primitives = list(60, |i| format!(r#"{{"attributes":{{"POSITION":1,"TEXCOORD_3":{i}}}}}"#));
    with_triangle(
        &zeros("VEC3", 5_000_000),
        &format!(r#""nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{primitives}]}}]"#),
    )
}

fn samplers(_: usize) -> Vec<u8> {
    let channels = list(60, |i| format!(r#"{{"sampler":0,"target":{{"node":{i},"path":"rotation"}}}}"#));
    let accessors = zeros("SCALAR", 150_000) + &zeros("MAT4", 9_600_000_000 / 16);
    let animation = format!(r#"{{"samplers":[{{"input":1,"output":2}}],"channels":[{channels}]}}"#);
    with_triangle(
        &accessors,
        &format!(r#""nodes":[{}],"animations":[{animation}]"#, list(60, |_| "{}".into())),
    )
}

fn billions(_: usize) -> Vec<u8> {
    with_triangle(
        &zeros("VEC3", u64::MAX / 2),
        r#""nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":1}}]}]"#,
    )
}

fn sparse(_: usize) -> Vec<u8> {
    let accessor = r#",{"componentType":5126,"type":"VEC3","count":3,"sparse":{"count":4000000000000,
        "indices":{"bufferView":0,"componentType":5125},"values":{"bufferView":0}}}"#;
    with_triangle(
        accessor,
        r#""nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":1}}]}]"#,
    )
}

fn buffer(_: usize) -> Vec<u8> {
    document_of(r#""buffers":[{"byteLength":4000000000000,"uri":"data:;base64,AAAA"}]"#)
}

fn nodes(scale: usize) -> Vec<u8> {
    document_of(&format!(r#""nodes":[{}{{}}]"#, "{},".repeat(1_700_000 * scale)))
}

fn extras(_: usize) -> Vec<u8> {
    document_of(&format!(r#""meshes":[{{"primitives":[],"extras":[{}0]}}]"#, "[],".repeat(1_000_000)))
}

/// As many nodes as the estimate of the document lets through.
fn document(_: usize) -> Vec<u8> {
    document_of(&format!(r#""nodes":[{}{{}}]"#, "{},".repeat(465_000)))
}

fn largest_extras(_: usize) -> Vec<u8> {
    let entries = list(800_000, |i| format!(r#""{i}":[]"#));
    document_of(&format!(r#""nodes":[{{}}],"meshes":[{{"primitives":[],"extras":{{{entries}}}}}]"#))
}

fn nested(scale: usize) -> Vec<u8> {
    let depth = 100_000 * scale;
    document_of(&format!(
        r#""animations":[{{"channels":[],"samplers":[],"extras":{}{}}}]"#,
        "[".repeat(depth),
        "]".repeat(depth)
    ))
}

fn primitives_alike(scale: usize) -> Vec<u8> {
    let primitives = list(20_000 * scale, |_| r#"{"attributes":{"POSITION":0}}"#.to_owned());
    with_triangle("", &format!(r#""nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{primitives}]}}]"#))
}

fn primitives_apart(scale: usize) -> Vec<u8> {
    let primitives =
        list(20_000 * scale, |i| format!(r#"{{"attributes":{{"POSITION":0,"TEXCOORD_3":{i}}}}}"#));
    with_triangle("", &format!(r#""nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{primitives}]}}]"#))
}

fn morphs(scale: usize) -> Vec<u8> {
    let targets = list(20_000 * scale, |_| r#"{"POSITION":1}"#.to_owned());
    let mesh = format!(r#"{{"primitives":[{{"attributes":{{"POSITION":1}},"targets":[{targets}]}}]}}"#);
    with_triangle(&zeros("VEC3", 100_000), &format!(r#""nodes":[{{"mesh":0}}],"meshes":[{mesh}]"#))
}

fn scalars(_: usize) -> Vec<u8> {
    let targets = list(10_000, |_| r#"{"POSITION":0}"#.to_owned());
    let mesh = format!(r#"{{"primitives":[{{"attributes":{{"POSITION":0}},"targets":[{targets}]}}]}}"#);
    with_triangle("", &format!(r#""nodes":[{}],"meshes":[{mesh}]"#, list(10_000, |_| r#"{"mesh":0}"#.into())))
}

fn clips(_: usize) -> Vec<u8> {
    let animation = r#"{"samplers":[{"input":1,"output":2}],"channels":[{"sampler":0,"target":{"node":0,"path":"scale"}}]}"#;
    let accessors = zeros("SCALAR", 50_000) + &zeros("VEC3", 50_000);
    with_triangle(
        &accessors,
        &format!(r#""nodes":[{{}}],"animations":[{}]"#, list(3_000, |_| animation.into())),
    )
}

/// Short clips of one joint on a skeleton of many: each measures all joints.
fn curved_clips(scale: usize) -> Vec<u8> {
    let animation = r#"{"samplers":[{"input":1,"output":2,"interpolation":"CUBICSPLINE"}],"channels":[{"sampler":0,"target":{"node":0,"path":"scale"}}]}"#;
    let accessors = zeros("SCALAR", 1) + &zeros("VEC3", 3);
    let nodes =
        list(16_000, |i| if i % 500 == 499 { "{}".into() } else { format!(r#"{{"children":[{}]}}"#, i + 1) });
    with_triangle(
        &accessors,
        &format!(r#""nodes":[{nodes}],"animations":[{}]"#, list(3_000 * scale, |_| animation.into())),
    )
}

fn deep_skins(scale: usize) -> Vec<u8> {
    let nodes = list(500, |i| if i == 499 { "{}".into() } else { format!(r#"{{"children":[{}]}}"#, i + 1) });
    let joints = list(400, |i| (100 + i).to_string());
    let skins = list(500 * scale, |_| format!(r#"{{"joints":[{joints}]}}"#));
    document_of(&format!(r#""nodes":[{nodes}],"skins":[{skins}]"#))
}

fn shared_skin(_: usize) -> Vec<u8> {
    let joints = list(4_000, |i| (i + 8_000).to_string());
    let shown = list(8_000, |_| r#"{"mesh":0,"skin":0}"#.into());
    let bones = list(4_000, |_| "{}".into());
    let weights = zeros("VEC4", 3);
    let mesh = r#"{"primitives":[{"attributes":{"POSITION":0,"JOINTS_0":1,"WEIGHTS_0":1}}]}"#;
    with_triangle(
        &weights,
        &format!(r#""nodes":[{shown},{bones}],"skins":[{{"joints":[{joints}]}}],"meshes":[{mesh}]"#),
    )
}

/// A vertex with very many influences, each of which is looked for among the others.
fn influence_sets(scale: usize) -> Vec<u8> {
    let sets = list(15_000, |set| format!(r#""JOINTS_{set}":1,"WEIGHTS_{set}":1"#));
    let mesh = format!(r#"{{"primitives":[{{"attributes":{{"POSITION":0,{sets}}}}}]}}"#);
    let shown = list(3 * scale, |_| r#"{"mesh":0,"skin":0}"#.into());
    let weights = zeros("VEC4", 3);
    with_triangle(&weights, &format!(r#""nodes":[{shown}],"skins":[{{"joints":[0]}}],"meshes":[{mesh}]"#))
}

fn unused(scale: usize) -> Vec<u8> {
    let meshes = list(40_000 * scale, |_| r#"{"primitives":[]}"#.to_owned());
    document_of(&format!(r#""nodes":[{}],"meshes":[{meshes}]"#, list(16_000, |_| r#"{"mesh":0}"#.into())))
}

fn long_name(_: usize) -> Vec<u8> {
    let mesh =
        format!(r#"{{"name":"{}","primitives":[{{"attributes":{{"POSITION":0}}}}]}}"#, "x".repeat(1 << 20));
    with_triangle("", &format!(r#""nodes":[{}],"meshes":[{mesh}]"#, list(10_000, |_| r#"{"mesh":0}"#.into())))
}

fn pictures(_: usize) -> Vec<u8> {
    let data = "A".repeat(4 << 20);
    let images = list(1_000, |_| r#"{"bufferView":0}"#.into());
    let textures = list(1_000, |i| format!(r#"{{"source":{i}}}"#));
    let materials = list(1_000, |i| format!(r#"{{"emissiveTexture":{{"index":{i}}}}}"#));
    document_of(&format!(
        r#""textures":[{textures}],"materials":[{materials}],"nodes":[{{}}],"buffers":[{{"byteLength":3145728,"uri":"data:;base64,{data}"}}],"bufferViews":[{{"buffer":0,"byteLength":3145728}}],"images":[{images}]"#
    ))
}

fn data_uris(scale: usize) -> Vec<u8> {
    let data = "A".repeat(256 << 10);
    let images = list(8 * scale, |_| format!(r#"{{"uri":"data:image/png;base64,{data}"}}"#));
    let textures = list(8 * scale, |i| format!(r#"{{"source":{i}}}"#));
    let materials = list(8 * scale, |i| format!(r#"{{"emissiveTexture":{{"index":{i}}}}}"#));
    document_of(&format!(
        r#""textures":[{textures}],"materials":[{materials}],"nodes":[{{}}],"images":[{images}]"#
    ))
}
