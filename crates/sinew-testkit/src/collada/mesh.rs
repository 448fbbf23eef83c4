//! Geometries and skins.

use super::text::{self, Xml};
use crate::scene::{Mesh, Scene, Skin};
use glam::DMat4;

pub(super) fn geometry_id(mesh: &Mesh) -> String {
    format!("{}_geom_id", mesh.name)
}

pub(super) fn controller_id(mesh: &Mesh) -> String {
    format!("{}_ctrl_id", mesh.name)
}

pub(super) fn geometries(xml: &mut Xml, scene: &Scene) {
    if scene.meshes.is_empty() {
        return;
    }
    xml.element("library_geometries", |xml| {
        for mesh in &scene.meshes {
            assert!(mesh.shapes.is_empty(), "this dialect has no blend shapes");
            let (id, name) = (geometry_id(mesh), &mesh.name);
            xml.element(&format!(r#"geometry id="{id}" name="{name}""#), |xml| {
                xml.element("mesh", |xml| geometry(xml, scene, mesh, &id));
            });
        }
    });
}

fn geometry(xml: &mut Xml, scene: &Scene, mesh: &Mesh, id: &str) {
    let flat = |all: &[glam::DVec3]| -> Vec<f64> { all.iter().flat_map(|v| v.to_array()).collect() };
    let positions = flat(&mesh.vertices);
    xml.floats(&format!("{id}_position"), &["X", "Y", "Z"], &positions);
    xml.floats(&format!("{id}_normal"), &["X", "Y", "Z"], &flat(&mesh.normals));
    let uvs: Vec<f64> = mesh.uvs.iter().flat_map(|v| v.to_array()).collect();
    xml.floats(&format!("{id}_uv"), &["S", "T"], &uvs);
    // Everything is per vertex, as in the console's own buffers, so that one index serves all.
    xml.element(&format!(r#"vertices id="{id}_vertices""#), |xml| {
        xml.empty(&format!(r##"input semantic="POSITION" source="#{id}_position""##));
        xml.empty(&format!(r##"input semantic="NORMAL" source="#{id}_normal""##));
    });
    for (slot, &material) in mesh.materials.iter().enumerate() {
        let own = |index: &usize| mesh.face_materials.get(*index).copied().unwrap_or(0) == slot;
        let faces = (0..mesh.faces.len()).filter(own);
        let corners: Vec<u32> = faces.flat_map(|f| triangles(mesh, f)).flatten().collect();
        let symbol = &scene.materials[material].name;
        let count = corners.len() / 3;
        xml.element(&format!(r#"triangles material="{symbol}_mat" count="{count}""#), |xml| {
            xml.empty(&format!(r##"input semantic="VERTEX" source="#{id}_vertices" offset="0""##));
            xml.empty(&format!(r##"input semantic="TEXCOORD" source="#{id}_uv" offset="0" set="0""##));
            xml.leaf("p", &text::integers(corners));
        });
    }
}

/// A quad is cut along its shorter diagonal, any other polygon from its first corner.
fn triangles(mesh: &Mesh, face: usize) -> Vec<[u32; 3]> {
    let face = &mesh.faces[face];
    let place = |corner: usize| mesh.vertices[face[corner] as usize];
    if face.len() == 4 && place(1).distance(place(3)) < place(0).distance(place(2)) {
        return vec![[face[1], face[2], face[3]], [face[1], face[3], face[0]]];
    }
    let fan = 1..face.len().saturating_sub(1);
    fan.map(|i| [face[0], face[i], face[i + 1]]).collect()
}

pub(super) fn controllers(xml: &mut Xml, scene: &Scene) {
    if scene.meshes.iter().all(|m| m.skin.is_none()) {
        return;
    }
    xml.element("library_controllers", |xml| {
        for mesh in &scene.meshes {
            let Some(skin) = &mesh.skin else {
                continue;
            };
            let id = controller_id(mesh);
            xml.element(&format!(r#"controller id="{id}""#), |xml| {
                let geometry = geometry_id(mesh);
                xml.element(&format!(r##"skin source="#{geometry}""##), |xml| {
                    self::skin(xml, scene, mesh, skin, &id);
                });
            });
        }
    });
}

fn skin(xml: &mut Xml, scene: &Scene, mesh: &Mesh, skin: &Skin, id: &str) {
    let shape = skin.clusters.first().map_or(DMat4::IDENTITY, |c| c.mesh_bind);
    let one_shape = skin.clusters.iter().all(|c| c.mesh_bind == shape);
    assert!(one_shape, "`{}` has one bind shape for all joints", mesh.name);
    xml.leaf("bind_shape_matrix", &text::numbers(&text::rows(&shape)));
    let joints: Vec<&str> = skin.clusters.iter().map(|c| scene.nodes[c.joint].name.as_str()).collect();
    xml.words(&format!("{id}_joints"), "JOINT", &joints);
    let binds: Vec<DMat4> = skin.clusters.iter().map(|c| c.bind.inverse()).collect();
    xml.matrices(&format!("{id}_binds"), &binds);
    let by_vertex = skin.by_vertex(mesh.vertices.len());
    let (weights, pairs) = share(&by_vertex);
    xml.floats(&format!("{id}_weights"), &["WEIGHT"], &weights);
    xml.element("joints", |xml| {
        xml.empty(&format!(r##"input semantic="JOINT" source="#{id}_joints""##));
        xml.empty(&format!(r##"input semantic="INV_BIND_MATRIX" source="#{id}_binds""##));
    });
    let count = by_vertex.len();
    xml.element(&format!(r#"vertex_weights count="{count}""#), |xml| {
        xml.empty(&format!(r##"input semantic="JOINT" source="#{id}_joints" offset="0""##));
        xml.empty(&format!(r##"input semantic="WEIGHT" source="#{id}_weights" offset="1""##));
        xml.leaf("vcount", &text::integers(by_vertex.iter().map(|w| w.len() as u32)));
        xml.leaf("v", &text::integers(pairs));
    });
}

/// Every weight once, and for each influence its joint and its weight's place among them.
fn share(by_vertex: &[Vec<(usize, f64)>]) -> (Vec<f64>, Vec<u32>) {
    let mut weights: Vec<f64> = by_vertex.iter().flatten().map(|w| w.1).collect();
    weights.sort_by(f64::total_cmp);
    weights.dedup();
    let place = |weight: f64| weights.partition_point(|w| *w < weight) as u32;
    let pairs = by_vertex.iter().flatten();
    let pairs = pairs.flat_map(|&(slot, weight)| [slot as u32, place(weight)]).collect();
    (weights, pairs)
}
