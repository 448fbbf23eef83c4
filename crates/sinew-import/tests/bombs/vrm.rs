//! Bombs of VRM and VRMA: glTF with lists that refer to all of it.

use super::gltf::{document_of, list};
use super::{Bomb, Limit, Read, Refused};

pub(super) const BOMBS: &[Bomb] = &[
    Bomb {
        name: "vrm 0 binds on many nodes",
        file: "a.vrm",
        make: binds,
        full: 10,
        expected: Limit("memory"),
    },
    Bomb { name: "vrm 0 binds without nodes", file: "a.vrm", make: apart, full: 10, expected: Read },
    Bomb { name: "vrm 1 binds", file: "a.vrm", make: binds_of_one, full: 20, expected: Read },
    Bomb { name: "vrm 1 expressions", file: "a.vrm", make: expressions, full: 20, expected: Refused },
    Bomb { name: "vrma expressions", file: "a.vrma", make: animation, full: 3, expected: Read },
];

/// Nodes that show a mesh of one triangle with one morph target.
fn meshes(nodes: usize, extension: &str) -> Vec<u8> {
    let accessor = r#"{"componentType":5126,"type":"VEC3","count":3}"#;
    let mesh = r#"{"primitives":[{"attributes":{"POSITION":0},"targets":[{"POSITION":0}]}]}"#;
    let nodes = list(nodes, |_| r#"{"mesh":0}"#.to_owned());
    document_of(&format!(
        r#""accessors":[{accessor}],"meshes":[{mesh},{{"primitives":[]}}],"nodes":[{nodes}],"extensions":{{{extension}}}"#
    ))
}

fn groups(binds: usize, bind: &str) -> String {
    let binds = list(binds, |_| bind.to_owned());
    format!(r#""VRM":{{"blendShapeMaster":{{"blendShapeGroups":[{{"name":"a","binds":[{binds}]}}]}}}}"#)
}

fn binds(scale: usize) -> Vec<u8> {
    meshes(8_000, &groups(10_000 * scale, r#"{"mesh":0,"index":0}"#))
}

/// Every bind looks for the nodes of its mesh.
fn apart(scale: usize) -> Vec<u8> {
    let mesh = r#"{"primitives":[{"attributes":{"POSITION":0},"targets":[{"POSITION":0}]}]}"#;
    let accessor = r#"{"componentType":5126,"type":"VEC3","count":3}"#;
    let nodes = list(16_000, |_| "{}".to_owned());
    let groups = groups(10_000 * scale, r#"{"mesh":0,"index":0}"#);
    document_of(&format!(
        r#""accessors":[{accessor}],"meshes":[{mesh}],"nodes":[{nodes}],"extensions":{{{groups}}}"#
    ))
}

fn binds_of_one(scale: usize) -> Vec<u8> {
    let binds = list(10_000 * scale, |_| r#"{"node":0,"index":0,"weight":1}"#.to_owned());
    let expressions = format!(r#"{{"preset":{{"aa":{{"morphTargetBinds":[{binds}]}}}}}}"#);
    meshes(1, &format!(r#""VRMC_vrm":{{"specVersion":"1.0","expressions":{expressions}}}"#))
}

/// More than scalars can be numbered.
fn expressions(scale: usize) -> Vec<u8> {
    let custom = list(70_000 + 10_000 * scale, |i| format!(r#""{i}":{{}}"#));
    meshes(1, &format!(r#""VRMC_vrm":{{"specVersion":"1.0","expressions":{{"custom":{{{custom}}}}}}}"#))
}

fn animation(scale: usize) -> Vec<u8> {
    let count = 17_000 * scale;
    let custom = list(count, |i| format!(r#""{i}":{{"node":{i}}}"#));
    let nodes = list(count, |_| "{}".to_owned());
    document_of(&format!(
        r#""nodes":[{nodes}],"extensions":{{"VRMC_vrm_animation":{{"specVersion":"1.0","expressions":{{"custom":{{{custom}}}}}}}}}"#
    ))
}
