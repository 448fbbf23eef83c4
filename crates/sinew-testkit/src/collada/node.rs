//! The node tree.

use super::text::{self, Xml};
use super::{Options, material, mesh};
use crate::scene::{NodeKind, Scene};

pub(super) fn write(xml: &mut Xml, scene: &Scene, options: &Options) {
    xml.element("library_visual_scenes", |xml| {
        xml.element(r#"visual_scene id="scene_id" name="scene""#, |xml| {
            for (index, node) in scene.nodes.iter().enumerate() {
                if node.parent.is_none() {
                    self::node(xml, scene, options, index);
                }
            }
        });
    });
    xml.element("scene", |xml| {
        xml.empty(r##"instance_visual_scene url="#scene_id""##);
    });
}

fn node(xml: &mut Xml, scene: &Scene, options: &Options, index: usize) {
    let node = &scene.nodes[index];
    let name = &node.name;
    let open = match node.kind {
        NodeKind::Limb => {
            let id = options.ids.of(name);
            format!(r#"node id="{id}" name="{name}" sid="{name}" type="JOINT""#)
        }
        NodeKind::Null => {
            let id = options.ids.of(name);
            format!(r#"node id="{id}" name="{name}" sid="{name}" type="NODE""#)
        }
        NodeKind::Mesh(_) => {
            format!(r#"node id="{name}_node_id" name="{name}" type="NODE""#)
        }
    };
    xml.element(&open, |xml| {
        let matrix = text::rows(&node.transform.local());
        xml.leaf(r#"matrix sid="transform""#, &text::numbers(&matrix));
        if let NodeKind::Mesh(mesh) = node.kind {
            instance(xml, scene, options, mesh);
        }
        for (child, node) in scene.nodes.iter().enumerate() {
            if node.parent == Some(index) {
                self::node(xml, scene, options, child);
            }
        }
    });
}

fn instance(xml: &mut Xml, scene: &Scene, options: &Options, mesh: usize) {
    let mesh = &scene.meshes[mesh];
    let materials = |xml: &mut Xml| {
        xml.element("bind_material", |xml| {
            xml.element("technique_common", |xml| {
                for &slot in &mesh.materials {
                    material::instance(xml, &scene.materials[slot].name);
                }
            });
        });
    };
    let Some(skin) = &mesh.skin else {
        let url = mesh::geometry_id(mesh);
        return xml.element(&format!(r##"instance_geometry url="#{url}""##), materials);
    };
    let url = mesh::controller_id(mesh);
    xml.element(&format!(r##"instance_controller url="#{url}""##), |xml| {
        if let Some(cluster) = skin.clusters.first() {
            let root = root_of(scene, cluster.joint);
            let root = options.ids.of(&scene.nodes[root].name);
            xml.leaf("skeleton", &format!("#{root}"));
        }
        materials(xml);
    });
}

fn root_of(scene: &Scene, mut node: usize) -> usize {
    while let Some(parent) = scene.nodes[node].parent {
        node = parent;
    }
    node
}
