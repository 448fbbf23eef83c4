//! Bombs of FBX, in its text form.

use super::{Bomb, Limit, Read, Refused};

pub(super) const BOMBS: &[Bomb] = &[
    Bomb { name: "fbx empty stacks", file: "a.fbx", make: empty_stacks, full: 12, expected: Read },
    Bomb { name: "fbx stacks on one layer", file: "a.fbx", make: stacks, full: 12, expected: Read },
    Bomb {
        name: "fbx stacks times keys",
        file: "a.fbx",
        make: stacks_with_keys,
        full: 4,
        expected: Limit("keys"),
    },
    Bomb {
        name: "fbx stacks times joints",
        file: "a.fbx",
        make: stacks_with_joints,
        full: 4,
        expected: Limit("steps"),
    },
    Bomb { name: "fbx layers of one stack", file: "a.fbx", make: layers, full: 4, expected: Read },
    Bomb {
        name: "fbx curve of many nodes",
        file: "a.fbx",
        make: shared_curve,
        full: 8,
        expected: Limit("memory"),
    },
    Bomb { name: "fbx nodes", file: "a.fbx", make: nodes, full: 2, expected: Limit("nodes") },
    Bomb { name: "fbx deep nodes", file: "a.fbx", make: deep_nodes, full: 10, expected: Limit("depth") },
    Bomb { name: "fbx nested blocks", file: "a.fbx", make: nested, full: 10, expected: Refused },
    Bomb { name: "fbx arrays of billions", file: "a.fbx", make: billions, full: 1, expected: Refused },
    Bomb { name: "fbx mesh on many nodes", file: "a.fbx", make: shown, full: 1, expected: Limit("vertices") },
    Bomb {
        name: "fbx small mesh on many nodes",
        file: "a.fbx",
        make: small_shown,
        full: 1,
        expected: Limit("memory"),
    },
    Bomb { name: "fbx unused meshes", file: "a.fbx", make: unused, full: 5, expected: Read },
    Bomb { name: "fbx corners of one point", file: "a.fbx", make: corners, full: 8, expected: Read },
    Bomb { name: "fbx shapes of one point", file: "a.fbx", make: shapes, full: 1, expected: Limit("memory") },
    Bomb {
        name: "fbx picture of many textures",
        file: "a.fbx",
        make: pictures,
        full: 1,
        expected: Limit("memory"),
    },
];

fn list(count: usize, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect()
}

fn document(objects: &str, connections: &str) -> Vec<u8> {
    format!(
        "; FBX 7.4.0 project file\nFBXHeaderExtension: {{\n FBXHeaderVersion: 1003\n FBXVersion: 7400\n}}\nObjects: {{\n{objects}}}\nConnections: {{\n{connections}}}\n"
    )
    .into_bytes()
}

fn array<T: ToString>(name: &str, values: impl Iterator<Item = T>) -> String {
    let values: Vec<String> = values.map(|value| value.to_string()).collect();
    format!("{name}: *{} {{ a: {} }}\n", values.len(), values.join(","))
}

fn stack(id: usize) -> String {
    format!("AnimationStack: {id}, \"AnimStack::s\", \"\" {{ }}\n")
}

const MODEL: usize = 1;
const LAYER: usize = 2;
const FIRST: usize = 100;

fn model(id: usize) -> String {
    format!("Model: {id}, \"Model::m{id}\", \"LimbNode\" {{ }}\n")
}

fn link(child: usize, parent: usize) -> String {
    format!("C: \"OO\",{child},{parent}\n")
}

fn property(child: usize, parent: usize, name: &str) -> String {
    format!("C: \"OP\",{child},{parent},\"{name}\"\n")
}

/// A layer with one curve that moves the model, and what connects it.
fn layer(keys: usize) -> (String, String) {
    let times = array("KeyTime", (0..keys).map(|i| i * 1_000_000));
    let values = array("KeyValueFloat", (0..keys).map(|i| i % 7));
    let objects = format!(
        "{}AnimationLayer: {LAYER}, \"AnimLayer::l\", \"\" {{ }}\nAnimationCurveNode: 3, \"AnimCurveNode::T\", \"\" {{ }}\nAnimationCurve: 4, \"AnimCurve::\", \"\" {{ {times}{values}KeyAttrFlags: *1 {{ a: 4 }}\nKeyAttrDataFloat: *4 {{ a: 0,0,0,0 }}\nKeyAttrRefCount: *1 {{ a: {keys} }}\n}}\n",
        model(MODEL)
    );
    let connections =
        link(MODEL, 0) + &link(3, LAYER) + &property(3, MODEL, "Lcl Translation") + &property(4, 3, "d|X");
    (objects, connections)
}

fn empty_stacks(scale: usize) -> Vec<u8> {
    document(&(model(MODEL) + &list(5_000 * scale, |i| stack(FIRST + i))), &link(MODEL, 0))
}

fn stacks_of(count: usize, keys: usize, models: usize) -> Vec<u8> {
    let (objects, connections) = layer(keys);
    let bone = "NodeAttribute: 9, \"NodeAttribute::\", \"LimbNode\" { TypeFlags: \"Skeleton\" }\n";
    let more = bone.to_owned() + &list(models, |i| model(50_000_000 + i));
    let under = list(models, |i| link(50_000_000 + i, 0) + &link(9, 50_000_000 + i));
    document(
        &(objects + &more + &list(count, |i| stack(FIRST + i))),
        &(connections + &under + &list(count, |i| link(LAYER, FIRST + i))),
    )
}

fn stacks(scale: usize) -> Vec<u8> {
    stacks_of(5_000 * scale, 2, 0)
}

fn stacks_with_keys(scale: usize) -> Vec<u8> {
    stacks_of(1_000 * scale, 20_000, 0)
}

fn stacks_with_joints(scale: usize) -> Vec<u8> {
    stacks_of(5_000 * scale, 2, 10_000)
}

/// One curve moves thousands of nodes: each has its own copy of what is made ready of it, as long as there is room.
pub(super) fn shared_curve(scale: usize) -> Vec<u8> {
    let (objects, connections) = layer(400);
    let nodes = 2_000 * scale;
    let node = |i: usize| link(FIRST + 1 + i, 0) + &property(3, FIRST + 1 + i, "Lcl Translation");
    document(
        &(objects + &stack(FIRST) + &list(nodes, |i| model(FIRST + 1 + i))),
        &(connections + &link(LAYER, FIRST) + &list(nodes, node)),
    )
}

/// Each layer moves the model, so that evaluating it looks at all of them.
fn layers(scale: usize) -> Vec<u8> {
    let (objects, connections) = layer(20);
    let count = 500 * scale;
    let more = list(count, |i| {
        let (layer, node) = (FIRST + 10 + 2 * i, FIRST + 11 + 2 * i);
        format!(
            "AnimationLayer: {layer}, \"AnimLayer::l\", \"\" {{ }}\nAnimationCurveNode: {node}, \"AnimCurveNode::T\", \"\" {{ }}\n"
        )
    });
    let under = list(count, |i| {
        let (layer, node) = (FIRST + 10 + 2 * i, FIRST + 11 + 2 * i);
        link(layer, FIRST)
            + &link(node, layer)
            + &property(node, MODEL, "Lcl Translation")
            + &property(4, node, "d|X")
    });
    document(&(objects + &stack(FIRST) + &more), &(connections + &link(LAYER, FIRST) + &under))
}

fn nodes(scale: usize) -> Vec<u8> {
    let count = 101_000 * scale;
    document(&list(count, |i| model(FIRST + i)), &list(count, |i| link(FIRST + i, 0)))
}

fn deep_nodes(scale: usize) -> Vec<u8> {
    let count = 3_000 * scale;
    document(
        &list(count, |i| model(FIRST + i)),
        &list(count, |i| link(FIRST + i, if i == 0 { 0 } else { FIRST + i - 1 })),
    )
}

fn nested(scale: usize) -> Vec<u8> {
    document(&format!("{}{}", "A: {\n".repeat(10_000 * scale), "}\n".repeat(10_000 * scale)), "")
}

fn billions(_: usize) -> Vec<u8> {
    document(
        "Geometry: 5, \"Geometry::g\", \"Mesh\" { Vertices: *4000000000 { a: 0,0,0 }\nPolygonVertexIndex: *4000000000 { a: 0,1,-3 }\n}\n",
        "",
    )
}

fn geometry(id: usize, points: usize, corners: &[i64], rest: &str) -> String {
    let vertices = array("Vertices", (0..3 * points).map(|i| i % 5));
    let corners = array("PolygonVertexIndex", corners.iter());
    format!("Geometry: {id}, \"Geometry::g\", \"Mesh\" {{ {vertices}{corners}{rest}}}\n")
}

fn shown_by(nodes: usize, points: usize) -> Vec<u8> {
    let mesh = |id: usize| format!("Model: {id}, \"Model::m\", \"Mesh\" {{ }}\n");
    let objects = geometry(5, points, &[0, 1, -3], "") + &list(nodes, |i| mesh(FIRST + i));
    document(&objects, &list(nodes, |i| link(FIRST + i, 0) + &link(5, FIRST + i)))
}

fn shown(_: usize) -> Vec<u8> {
    shown_by(10_000, 20_000)
}

fn small_shown(_: usize) -> Vec<u8> {
    shown_by(10_000, 1_500)
}

fn unused(scale: usize) -> Vec<u8> {
    let meshes = list(2_000 * scale, |i| geometry(1_000_000 + i, 3, &[0, 1, -3], ""));
    document(&(meshes + &list(10_000, |i| model(FIRST + i))), &list(10_000, |i| link(FIRST + i, 0)))
}

/// All corners are at one point, and each looks different.
fn corners(scale: usize) -> Vec<u8> {
    let count = 30_000 * scale;
    let corners: Vec<i64> = (0..count).map(|i| if i % 3 == 2 { -1 } else { 0 }).collect();
    let uvs = array("UV", (0..2 * count).map(|i| i / 2));
    let uvs = format!(
        "LayerElementUV: 0 {{\n Version: 101\n Name: \"u\"\n MappingInformationType: \"ByPolygonVertex\"\n ReferenceInformationType: \"Direct\"\n {uvs}}}\nLayer: 0 {{\n Version: 100\n LayerElement: {{\n Type: \"LayerElementUV\"\n TypedIndex: 0\n }}\n}}\n"
    );
    let objects = geometry(5, 3, &corners, &uvs) + "Model: 6, \"Model::m\", \"Mesh\" { }\n";
    document(&objects, &(link(6, 0) + &link(5, 6)))
}

/// A point with many vertices, which many shapes move.
fn shapes(_: usize) -> Vec<u8> {
    let (count, channels) = (20_000, 2_000);
    let corners: Vec<i64> = (0..count).map(|i| if i % 3 == 2 { -1 } else { 0 }).collect();
    let uvs = array("UV", (0..2 * count).map(|i| i / 2));
    let uvs = format!(
        "LayerElementUV: 0 {{\n Version: 101\n MappingInformationType: \"ByPolygonVertex\"\n ReferenceInformationType: \"Direct\"\n {uvs}}}\nLayer: 0 {{\n LayerElement: {{\n Type: \"LayerElementUV\"\n TypedIndex: 0\n }}\n}}\n"
    );
    let indexes = array("Indexes", std::iter::repeat_n(0, 100));
    let moves = array("Vertices", std::iter::repeat_n(1, 300));
    let shape = format!("Geometry: 7, \"Geometry::s\", \"Shape\" {{ Version: 100\n{indexes}{moves}}}\n");
    let channel = |id: usize| {
        format!(
            "Deformer: {id}, \"SubDeformer::c\", \"BlendShapeChannel\" {{ DeformPercent: 0\nFullWeights: *1 {{ a: 100 }}\n}}\n"
        )
    };
    let objects = geometry(5, 3, &corners, &uvs)
        + "Model: 6, \"Model::m\", \"Mesh\" { }\n"
        + &shape
        + "Deformer: 8, \"Deformer::b\", \"BlendShape\" { }\n"
        + &list(channels, |i| channel(FIRST + i));
    let connections = link(6, 0)
        + &link(5, 6)
        + &link(8, 5)
        + &list(channels, |i| link(FIRST + i, 8) + &link(7, FIRST + i));
    document(&objects, &connections)
}

fn pictures(_: usize) -> Vec<u8> {
    let count = 1_000;
    let content = format!(
        "Video: 5, \"Video::v\", \"Clip\" {{ Type: \"Clip\"\nFilename: \"a.png\"\nContent: , \"{}\"\n}}\n",
        "AAAA".repeat(400_000)
    );
    let texture = |id: usize| format!("Texture: {id}, \"Texture::t\", \"\" {{ FileName: \"a{id}.png\"\n}}\n");
    let material = |id: usize| format!("Material: {id}, \"Material::m\", \"\" {{ }}\n");
    let objects = content + &list(count, |i| texture(FIRST + i) + &material(FIRST + count + i));
    let connections =
        list(count, |i| link(5, FIRST + i) + &property(FIRST + i, FIRST + count + i, "DiffuseColor"));
    document(&(objects + &model(MODEL)), &(connections + &link(MODEL, 0)))
}
