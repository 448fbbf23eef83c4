//! Writes a [`Scene`] as FBX 7.4 text.
//!
//! The text form is read by the same tools as the binary one, and a test that fails on it can be looked into with a
//! text editor. Same scene, same bytes: ids are counted, nothing is dated.

mod animation;
mod mesh;
mod text;

use crate::scene::{Node, NodeKind, Scene, Transform, Up};
use glam::DVec3;
use text::Text;

/// The text of a file.
pub fn write(scene: &Scene) -> String {
    let mut text = Text::default();
    text.line("; FBX 7.4.0 project file");
    text.line("; ----------------------------------------------------");
    text.block("FBXHeaderExtension: ", |t| {
        t.line("FBXHeaderVersion: 1003");
        t.line("FBXVersion: 7400");
        t.line("Creator: \"sinew-testkit\"");
    });
    global_settings(&mut text, scene);
    text.block("Documents: ", |t| {
        t.line("Count: 1");
        t.block("Document: 1, \"\", \"Scene\"", |t| t.line("RootNode: 0"));
    });
    text.block("References: ", |_| {});
    let mut writer = Writer::new(scene);
    writer.nodes();
    writer.bind_pose();
    writer.meshes();
    writer.materials();
    writer.takes();
    writer.finish(&mut text);
    text.finish()
}

fn global_settings(text: &mut Text, scene: &Scene) {
    let (up, front, front_sign) = match scene.up {
        Up::Y => (1, 2, 1),
        Up::Z => (2, 1, -1),
    };
    text.block("GlobalSettings: ", |t| {
        t.line("Version: 1000");
        t.properties(|t| {
            t.integer("UpAxis", up);
            t.integer("UpAxisSign", 1);
            t.integer("FrontAxis", front);
            t.integer("FrontAxisSign", front_sign);
            t.integer("CoordAxis", 0);
            t.integer("CoordAxisSign", 1);
            t.integer("OriginalUpAxis", up);
            t.integer("OriginalUpAxisSign", 1);
            t.double("UnitScaleFactor", scene.unit_scale_factor);
            t.double("OriginalUnitScaleFactor", scene.unit_scale_factor);
            // Mode 6 is 30 frames a second.
            t.property("TimeMode", "enum", "", "6");
        });
    });
}

/// Objects and connections grow side by side and are written one after the other.
struct Writer<'a> {
    scene: &'a Scene,
    objects: Text,
    connections: Text,
    takes: Text,
    /// How many objects there are of each class, in order of first appearance.
    classes: Vec<(&'static str, usize)>,
    last_id: u64,
    node_ids: Vec<u64>,
    mesh_ids: Vec<u64>,
    /// Ids of the blend channels of each mesh.
    channel_ids: Vec<Vec<u64>>,
}

impl<'a> Writer<'a> {
    fn new(scene: &'a Scene) -> Self {
        let mut writer = Self {
            scene,
            objects: Text::default(),
            connections: Text::default(),
            takes: Text::default(),
            classes: Vec::new(),
            last_id: 1_000_000,
            node_ids: Vec::new(),
            mesh_ids: Vec::new(),
            channel_ids: Vec::new(),
        };
        writer.node_ids = scene.nodes.iter().map(|_| writer.id()).collect();
        writer.mesh_ids = scene.meshes.iter().map(|_| writer.id()).collect();
        writer
    }

    fn id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    fn object(
        &mut self,
        class: &'static str,
        id: u64,
        name: (&str, &str),
        sub_class: &str,
        body: impl FnOnce(&mut Text),
    ) {
        match self.classes.iter_mut().find(|c| c.0 == class) {
            Some(known) => known.1 += 1,
            None => self.classes.push((class, 1)),
        }
        self.objects.object(class, id, name, sub_class, body);
    }

    fn connect(&mut self, child: u64, parent: u64) {
        self.connections.line(&format!("C: \"OO\",{child},{parent}"));
    }

    fn connect_property(&mut self, child: u64, parent: u64, property: &str) {
        self.connections.line(&format!("C: \"OP\",{child},{parent}, \"{property}\""));
    }

    fn nodes(&mut self) {
        let scene = self.scene;
        for (index, node) in scene.nodes.iter().enumerate() {
            let id = self.node_ids[index];
            let class = match node.kind {
                NodeKind::Limb => "LimbNode",
                NodeKind::Null => "Null",
                NodeKind::Mesh(_) => "Mesh",
            };
            self.object("Model", id, ("Model", &node.name), class, |t| {
                t.line("Version: 232");
                t.properties(|t| node_properties(t, node));
                t.line("Shading: T");
                t.line("Culling: \"CullingOff\"");
            });
            let parent = node.parent.map_or(0, |p| self.node_ids[p]);
            self.connect(id, parent);
            self.attribute(node, id);
        }
    }

    /// What hangs on a node: a skeleton attribute, a null, or its geometry and the materials of that.
    fn attribute(&mut self, node: &Node, id: u64) {
        let (class, flags) = match node.kind {
            NodeKind::Mesh(mesh) => {
                self.connect(self.mesh_ids[mesh], id);
                return;
            }
            NodeKind::Limb => ("LimbNode", "Skeleton"),
            NodeKind::Null => ("Null", "Null"),
        };
        let attribute = self.id();
        self.object("NodeAttribute", attribute, ("NodeAttribute", ""), class, |t| {
            t.line(&format!("TypeFlags: \"{flags}\""))
        });
        self.connect(attribute, id);
    }

    fn finish(mut self, text: &mut Text) {
        let classes = std::mem::take(&mut self.classes);
        text.block("Definitions: ", |t| {
            t.line("Version: 100");
            let count: usize = classes.iter().map(|c| c.1).sum();
            t.line(&format!("Count: {}", count + 1));
            t.block("ObjectType: \"GlobalSettings\"", |t| t.line("Count: 1"));
            for (class, count) in &classes {
                t.block(&format!("ObjectType: \"{class}\""), |t| {
                    t.line(&format!("Count: {count}"));
                });
            }
        });
        for (head, body) in
            [("Objects: ", self.objects), ("Connections: ", self.connections), ("Takes: ", self.takes)]
        {
            text.block(head, |t| {
                for line in body.finish().lines() {
                    t.line(line);
                }
            });
        }
    }
}

fn node_properties(t: &mut Text, node: &Node) {
    let x = &node.transform;
    let rest = Transform::default();
    // Without this, readers leave pre- and post-rotation out.
    t.property("RotationActive", "bool", "", "1");
    t.property("InheritType", "enum", "", &(x.inherit as i32).to_string());
    if x.rotation_order != rest.rotation_order {
        t.property("RotationOrder", "enum", "", &(x.rotation_order as i32).to_string());
    }
    for (name, value, default) in [
        ("PreRotation", x.pre_rotation, DVec3::ZERO),
        ("PostRotation", x.post_rotation, DVec3::ZERO),
        ("RotationOffset", x.rotation_offset, DVec3::ZERO),
        ("RotationPivot", x.rotation_pivot, DVec3::ZERO),
        ("ScalingOffset", x.scaling_offset, DVec3::ZERO),
        ("ScalingPivot", x.scaling_pivot, DVec3::ZERO),
        ("GeometricTranslation", x.geometric_translation, DVec3::ZERO),
        ("GeometricRotation", x.geometric_rotation, DVec3::ZERO),
        ("GeometricScaling", x.geometric_scaling, DVec3::ONE),
    ] {
        if value != default {
            t.vector(name, value);
        }
    }
    t.integer("DefaultAttributeIndex", 0);
    t.local("Lcl Translation", x.translation);
    t.local("Lcl Rotation", x.rotation);
    t.local("Lcl Scaling", x.scaling);
}
