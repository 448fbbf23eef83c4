//! Draco files of the corpus have the triangles of their plain siblings.

mod common;

use common::{draco, index, view};
use serde_json::Value;
use sinew_draco::{Limits, Mesh, decode};
use std::path::Path;

/// Numbers of one accessor, point after point.
struct Numbers {
    width: usize,
    values: Vec<f64>,
}

impl Numbers {
    fn at(&self, point: usize) -> &[f64] {
        &self.values[point * self.width..][..self.width]
    }

    /// The distance of neighbouring values after quantisation: the smallest that occurs in any component, rounding apart.
    fn step(&self) -> f64 {
        let steps = (0..self.width).map(|component| {
            let mut sorted: Vec<f64> =
                self.values.iter().skip(component).step_by(self.width).copied().collect();
            sorted.sort_by(f64::total_cmp);
            let range = sorted[sorted.len() - 1] - sorted[0];
            let gaps = sorted.windows(2).map(|pair| pair[1] - pair[0]);
            gaps.filter(|gap| *gap > range * 2e-6).fold(f64::INFINITY, f64::min)
        });
        steps.fold(f64::INFINITY, f64::min)
    }
}

/// The attributes that are compared, and triangles over their points.
struct Skin {
    triangles: Vec<[usize; 3]>,
    /// Positions, joints, weights, normals, and texture coordinates where there are any.
    attributes: Vec<Numbers>,
}

const NAMES: &[&str] = &["POSITION", "JOINTS_0", "WEIGHTS_0", "NORMAL", "TEXCOORD_0"];

fn triangles(indices: impl Iterator<Item = usize>) -> Vec<[usize; 3]> {
    indices.collect::<Vec<_>>().as_chunks().0.to_vec()
}

/// An accessor of a file that is not compressed.
fn accessor(document: &Value, buffer: &[u8], at: usize) -> Numbers {
    let accessor = &document["accessors"][at];
    let width = match accessor["type"].as_str().unwrap() {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        _ => 4,
    };
    let at = index(&accessor["bufferView"]);
    let bytes = &view(document, buffer, at)[accessor["byteOffset"].as_u64().unwrap_or(0) as usize..];
    let (size, read): (usize, fn(&[u8]) -> f64) = match accessor["componentType"].as_u64().unwrap() {
        5121 => (1, |b| b[0].into()),
        5123 => (2, |b| u16::from_le_bytes([b[0], b[1]]).into()),
        5125 => (4, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]).into()),
        _ => (4, |b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]).into()),
    };
    let stride = document["bufferViews"][at]["byteStride"].as_u64().map_or(size * width, |s| s as usize);
    let elements = (0..index(&accessor["count"])).map(|element| &bytes[element * stride..]);
    let values = elements.flat_map(|bytes| bytes[..size * width].chunks(size).map(read)).collect();
    Numbers { width, values }
}

fn plain(path: &Path) -> Skin {
    let file = std::fs::read(path).unwrap();
    let length = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    let document: Value = serde_json::from_slice(&file[20..20 + length]).unwrap();
    let buffer = &file[28 + length..];
    let primitive = &document["meshes"][0]["primitives"][0];
    let indices = accessor(&document, buffer, index(&primitive["indices"]));
    let attributes = NAMES.iter().filter_map(|name| primitive["attributes"].get(*name));
    Skin {
        triangles: triangles(indices.values.iter().map(|&at| at as usize)),
        attributes: attributes.map(|at| accessor(&document, buffer, index(at))).collect(),
    }
}

fn compressed(path: &Path) -> Skin {
    let (document, stream) = draco(path);
    let primitive = &document["meshes"][0]["primitives"][0];
    let extension = &primitive["extensions"]["KHR_draco_mesh_compression"];
    let mesh: Mesh = decode(&stream, &Limits::default()).unwrap();
    let mut attributes = Vec::new();
    for name in NAMES {
        let Some(id) = extension["attributes"].get(*name) else { continue };
        let attribute = mesh.attribute(index(id) as u32).unwrap();
        let declared = &document["accessors"][index(&primitive["attributes"][*name])];
        assert_eq!(declared["componentType"], attribute.component.component_type(), "{name}");
        assert_eq!(declared["count"], mesh.points, "{name}");
        attributes
            .push(Numbers { width: attribute.components.into(), values: attribute.numbers().collect() });
    }
    Skin { triangles: triangles(mesh.indices.iter().map(|&at| at as usize)), attributes }
}

/// Whether the points have the same values but for quantisation.
fn near(a: (&Skin, usize), b: (&Skin, usize), tolerances: &[f64]) -> bool {
    let pairs = a.0.attributes.iter().zip(&b.0.attributes).zip(tolerances);
    pairs.into_iter().all(|((one, other), tolerance)| {
        one.at(a.1).iter().zip(other.at(b.1)).all(|(x, y)| (x - y).abs() <= *tolerance)
    })
}

fn same_triangles(name: &str) {
    let Some(corpus) = common::corpus(name) else { return };
    let folder = corpus.join("khronos").join(name);
    let plain = plain(&folder.join(format!("glTF-Binary/{name}.glb")));
    let draco = compressed(&folder.join(format!("glTF-Draco/{name}.gltf")));
    assert_eq!(draco.triangles.len(), plain.triangles.len());
    assert_eq!(draco.attributes.len(), plain.attributes.len());
    // Half a step, and a little for what `f32` loses. Joints and weights are exact; normals are quantised on an octahedron, in 8 bits.
    let half_step = |at: usize, most: f64| {
        let step = draco.attributes[at].step();
        assert!(step <= most, "{name}: {} has a step of {step}", NAMES[at]);
        0.505 * step
    };
    let mut tolerances = vec![half_step(0, 1e-3), 0.0, 0.0, 0.015];
    if draco.attributes.len() > 4 {
        tolerances.push(half_step(4, 1e-3));
    }
    let mut left = plain.triangles.clone();
    for triangle in &draco.triangles {
        let found = left.iter().position(|candidate| {
            (0..3).any(|turn| {
                (0..3).all(|corner| {
                    near((&draco, triangle[corner]), (&plain, candidate[(corner + turn) % 3]), &tolerances)
                })
            })
        });
        left.swap_remove(
            found.unwrap_or_else(|| panic!("{name}: {triangle:?} is no triangle of the plain file")),
        );
    }
    assert!(left.is_empty());
}

#[test]
fn cesium_man() {
    same_triangles("CesiumMan");
}

#[test]
fn rigged_figure() {
    same_triangles("RiggedFigure");
}
