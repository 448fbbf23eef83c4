//! Geometry, skins, blend shapes, materials and textures.

use super::Writer;
use super::text::{Text, base64, escape};
use crate::scene::{Cluster, Material, Mesh, NodeKind, Shape, Skin, Texture};
use glam::{DMat4, DVec3};

impl Writer<'_> {
    pub(super) fn meshes(&mut self) {
        let scene = self.scene;
        for (index, mesh) in scene.meshes.iter().enumerate() {
            let id = self.mesh_ids[index];
            self.object("Geometry", id, ("Geometry", &mesh.name), "Mesh", |t| {
                geometry(t, mesh);
            });
            for skin in mesh.skins() {
                self.skin(skin, id);
            }
            self.shapes(mesh, id);
        }
    }

    fn skin(&mut self, skin: &Skin, geometry: u64) {
        let id = self.id();
        self.object("Deformer", id, ("Deformer", ""), "Skin", |t| {
            t.line("Version: 101");
            t.line("Link_DeformAcuracy: 50");
            t.line("SkinningType: \"Linear\"");
        });
        self.connect(id, geometry);
        for cluster in &skin.clusters {
            let cluster_id = self.id();
            let name = ("SubDeformer", self.scene.nodes[cluster.joint].name.as_str());
            self.object("Deformer", cluster_id, name, "Cluster", |t| {
                cluster_body(t, cluster);
            });
            self.connect(cluster_id, id);
            self.connect(self.node_ids[cluster.joint], cluster_id);
        }
    }

    fn shapes(&mut self, mesh: &Mesh, geometry: u64) {
        let mut channels = Vec::new();
        if !mesh.shapes.is_empty() {
            let blend = self.id();
            self.object("Deformer", blend, ("Deformer", ""), "BlendShape", |t| {
                t.line("Version: 100");
            });
            self.connect(blend, geometry);
            for shape in &mesh.shapes {
                channels.push(self.shape(shape, blend));
            }
        }
        self.channel_ids.push(channels);
    }

    fn shape(&mut self, shape: &Shape, blend: u64) -> u64 {
        let channel = self.id();
        let name = ("SubDeformer", shape.name.as_str());
        self.object("Deformer", channel, name, "BlendShapeChannel", |t| {
            t.line("Version: 100");
            t.properties(|t| t.property("DeformPercent", "Number", "", &percent(shape.percent)));
            t.numbers("FullWeights", &[100.0]);
        });
        self.connect(channel, blend);
        let id = self.id();
        let name = ("Geometry", shape.name.as_str());
        self.object("Geometry", id, name, "Shape", |t| {
            t.line("Version: 100");
            t.array("Indexes", shape.offsets.iter(), |o, out| {
                out.push_str(&o.0.to_string());
            });
            let offsets: Vec<DVec3> = shape.offsets.iter().map(|o| o.1).collect();
            t.numbers("Vertices", &flat(&offsets));
        });
        self.connect(id, channel);
        channel
    }

    /// One pose for the whole file, as exporters write it; where two meshes bind a joint differently, the first wins.
    pub(super) fn bind_pose(&mut self) {
        let scene = self.scene;
        let mut matrices: Vec<Option<DMat4>> = vec![None; scene.nodes.len()];
        for (index, node) in scene.nodes.iter().enumerate() {
            let NodeKind::Mesh(mesh) = node.kind else {
                continue;
            };
            for cluster in scene.meshes[mesh].skins().flat_map(|s| &s.clusters) {
                matrices[index].get_or_insert(cluster.mesh_bind);
                matrices[cluster.joint].get_or_insert(cluster.bind);
            }
        }
        let bound: Vec<(u64, DMat4)> =
            matrices.iter().zip(&self.node_ids).filter_map(|(matrix, &id)| matrix.map(|m| (id, m))).collect();
        if bound.is_empty() {
            return;
        }
        let id = self.id();
        self.object("Pose", id, ("Pose", "BindPose"), "BindPose", |t| {
            t.line("Type: \"BindPose\"");
            t.line("Version: 100");
            t.line(&format!("NbPoseNodes: {}", bound.len()));
            for (node, matrix) in &bound {
                t.block("PoseNode: ", |t| {
                    t.line(&format!("Node: {node}"));
                    t.matrix("Matrix", *matrix);
                });
            }
        });
    }

    pub(super) fn materials(&mut self) {
        let scene = self.scene;
        let ids: Vec<u64> = scene.materials.iter().map(|m| self.material(m)).collect();
        for (index, node) in scene.nodes.iter().enumerate() {
            if let NodeKind::Mesh(mesh) = node.kind {
                for &material in &scene.meshes[mesh].materials {
                    self.connect(ids[material], self.node_ids[index]);
                }
            }
        }
    }

    fn material(&mut self, material: &Material) -> u64 {
        let id = self.id();
        let name = ("Material", material.name.as_str());
        self.object("Material", id, name, "", |t| {
            t.line("Version: 102");
            t.line("ShadingModel: \"phong\"");
            t.line("MultiLayer: 0");
            t.properties(|t| {
                colour(t, "DiffuseColor", material.diffuse);
                t.double("DiffuseFactor", 1.0);
                colour(t, "SpecularColor", material.specular);
                t.double("SpecularFactor", 1.0);
                t.double("ShininessExponent", material.shininess);
            });
        });
        if let Some(texture) = &material.texture {
            let texture = self.texture(texture);
            self.connect_property(texture, id, "DiffuseColor");
        }
        id
    }

    fn texture(&mut self, texture: &Texture) -> u64 {
        let file = escape(&texture.file);
        let video = self.id();
        self.object("Video", video, ("Video", &texture.name), "Clip", |t| {
            t.line("Type: \"Clip\"");
            t.line(&format!("Filename: \"{file}\""));
            t.line(&format!("RelativeFilename: \"{file}\""));
            if let Some(content) = &texture.content {
                t.line(&format!("Content: , \"{}\"", base64(content)));
            }
        });
        let id = self.id();
        self.object("Texture", id, ("Texture", &texture.name), "", |t| {
            t.line("Type: \"TextureVideoClip\"");
            t.line("Version: 202");
            t.line(&format!("FileName: \"{file}\""));
            t.line(&format!("RelativeFilename: \"{file}\""));
        });
        self.connect(video, id);
        id
    }
}

fn geometry(t: &mut Text, mesh: &Mesh) {
    t.line("GeometryVersion: 124");
    t.numbers("Vertices", &flat(&mesh.vertices));
    let mut corners = Vec::new();
    for face in &mesh.faces {
        let last = face.len() - 1;
        // The last corner of a polygon is marked by its complement.
        corners.extend(face.iter().enumerate().map(|(i, &v)| {
            let v = i64::from(v);
            if i == last { !v } else { v }
        }));
    }
    t.integers("PolygonVertexIndex", &corners);
    let mut layers = vec!["LayerElementMaterial"];
    if !mesh.normals.is_empty() {
        layers.push("LayerElementNormal");
        layer(t, "LayerElementNormal", "ByVertice", "Direct", |t| {
            t.numbers("Normals", &flat(&mesh.normals));
        });
    }
    if !mesh.uvs.is_empty() {
        layers.push("LayerElementUV");
        layer(t, "LayerElementUV", "ByVertice", "Direct", |t| {
            let uvs: Vec<f64> = mesh.uvs.iter().flat_map(|v| [v.x, v.y]).collect();
            t.numbers("UV", &uvs);
        });
    }
    face_materials(t, mesh);
    t.block("Layer: 0", |t| {
        t.line("Version: 100");
        for kind in layers {
            t.block("LayerElement: ", |t| {
                t.line(&format!("Type: \"{kind}\""));
                t.line("TypedIndex: 0");
            });
        }
    });
}

fn face_materials(t: &mut Text, mesh: &Mesh) {
    let (mapping, slots) = if mesh.face_materials.is_empty() {
        ("AllSame", vec![0])
    } else {
        let slots = mesh.face_materials.iter().map(|&m| m as i64);
        ("ByPolygon", slots.collect())
    };
    layer(t, "LayerElementMaterial", mapping, "IndexToDirect", |t| {
        t.integers("Materials", &slots);
    });
}

fn layer(t: &mut Text, kind: &str, mapping: &str, reference: &str, body: impl FnOnce(&mut Text)) {
    t.block(&format!("{kind}: 0"), |t| {
        t.line("Version: 101");
        t.line("Name: \"\"");
        t.line(&format!("MappingInformationType: \"{mapping}\""));
        t.line(&format!("ReferenceInformationType: \"{reference}\""));
        body(t);
    });
}

fn cluster_body(t: &mut Text, cluster: &Cluster) {
    t.line("Version: 100");
    t.line("UserData: \"\", \"\"");
    t.array("Indexes", cluster.weights.iter(), |w, out| {
        out.push_str(&w.0.to_string());
    });
    let weights: Vec<f64> = cluster.weights.iter().map(|w| w.1).collect();
    t.numbers("Weights", &weights);
    t.matrix("Transform", cluster.inverse_bind());
    t.matrix("TransformLink", cluster.bind);
}

fn colour(t: &mut Text, name: &str, value: DVec3) {
    t.line(&format!(
        "P: \"{name}\", \"Color\", \"\", \"A\",{},{},{}",
        super::text::number(value.x),
        super::text::number(value.y),
        super::text::number(value.z)
    ));
}

fn percent(value: f64) -> String {
    super::text::number(value)
}

fn flat(vectors: &[DVec3]) -> Vec<f64> {
    vectors.iter().flat_map(|v| v.to_array()).collect()
}
