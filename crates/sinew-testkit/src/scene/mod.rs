//! What a character file says, before any format: nodes, meshes, materials and takes.
//!
//! A [`Scene`] is a description and nothing more. The writers ([`crate::fbx`]) turn it into the text of a format, and
//! [`Scene::models`] works out with its own mathematics where the joints are, so that a file and the truth about it
//! come from one description by two separate paths.

mod evaluate;
mod mesh;
mod take;
mod transform;

pub use mesh::{Cluster, Material, Mesh, Shape, Skin, Texture, Wrap};
pub use take::{Curve, Interpolation, Key, Property, ShapeTrack, Take, Track};
pub use transform::{Inherit, RotationOrder, Transform};

use glam::{DMat4, DVec3};

/// Which axis points up in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Up {
    /// +Y up, +Z towards the viewer.
    #[default]
    Y,
    /// +Z up, −Y towards the viewer.
    Z,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A joint.
    Limb,
    /// A plain transform without anything to show.
    Null,
    /// Carries the mesh with this index in [`Scene::meshes`].
    Mesh(usize),
}

/// One node of the tree.
#[derive(Clone, Debug)]
pub struct Node {
    /// Name as it stands in the file, prefix included.
    pub name: String,
    /// Index of the parent in [`Scene::nodes`]; it may stand before or after the child.
    pub parent: Option<usize>,
    /// What the node is.
    pub kind: NodeKind,
    /// Rest transform.
    pub transform: Transform,
}

impl Node {
    /// A joint.
    pub fn limb(name: impl Into<String>, parent: Option<usize>, transform: Transform) -> Self {
        Self { name: name.into(), parent, kind: NodeKind::Limb, transform }
    }

    /// A node that carries a mesh.
    pub fn mesh(name: impl Into<String>, parent: Option<usize>, mesh: usize) -> Self {
        Self { name: name.into(), parent, kind: NodeKind::Mesh(mesh), transform: Transform::default() }
    }
}

/// Everything one file holds.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Centimetres per unit: 1 for a file in centimetres, 100 for one in metres.
    pub unit_scale_factor: f64,
    /// Which axis points up.
    pub up: Up,
    /// Nodes, in the order in which they are written.
    pub nodes: Vec<Node>,
    /// Meshes that nodes refer to.
    pub meshes: Vec<Mesh>,
    /// Materials that meshes refer to.
    pub materials: Vec<Material>,
    /// Animations, in the order in which they are written.
    pub takes: Vec<Take>,
}

impl Default for Scene {
    /// An empty scene in centimetres, Y up.
    fn default() -> Self {
        Self {
            unit_scale_factor: 1.0,
            up: Up::Y,
            nodes: Vec::new(),
            meshes: Vec::new(),
            materials: Vec::new(),
            takes: Vec::new(),
        }
    }
}

impl Scene {
    /// Adds a node and returns its index.
    pub fn add(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Index of the first node of this name.
    ///
    /// # Panics
    /// Where there is none: the scenes of this crate are written by hand, and a wrong name is a mistake in them.
    pub fn index(&self, name: &str) -> usize {
        match self.nodes.iter().position(|n| n.name == name) {
            Some(index) => index,
            None => panic!("the scene has no node `{name}`"),
        }
    }

    /// The first node of this name, to be changed.
    ///
    /// # Panics
    /// Where there is none, as [`Scene::index`].
    pub fn node_mut(&mut self, name: &str) -> &mut Node {
        let index = self.index(name);
        &mut self.nodes[index]
    }

    /// The scene without meshes and materials: only the limbs and nulls with the takes, as a "without skin" download.
    pub fn without_skin(&self) -> Scene {
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.retain(|&i| !matches!(self.nodes[i].kind, NodeKind::Mesh(_)));
        let mut scene = self.reordered(&order);
        scene.meshes.clear();
        scene.materials.clear();
        scene
    }

    /// The scene without its takes.
    pub fn without_takes(&self) -> Scene {
        Scene { takes: Vec::new(), ..self.clone() }
    }

    /// The same scene with nodes written in another order; nodes that `order` leaves out are dropped.
    ///
    /// # Panics
    /// Where a kept node has a dropped parent, or a kept skin or track refers to a dropped node of the kept tree.
    pub fn reordered(&self, order: &[usize]) -> Scene {
        let place = |old: usize| order.iter().position(|&o| o == old);
        let kept = |old: usize| match place(old) {
            Some(new) => new,
            None => panic!("`{}` is still referred to", self.nodes[old].name),
        };
        let mut scene = self.clone();
        scene.nodes = order.iter().map(|&o| self.nodes[o].clone()).collect();
        for node in &mut scene.nodes {
            node.parent = node.parent.map(kept);
        }
        for mesh in &mut scene.meshes {
            for cluster in mesh.clusters_mut() {
                cluster.joint = kept(cluster.joint);
            }
        }
        for take in &mut scene.takes {
            take.tracks.retain(|t| place(t.node).is_some());
            for track in &mut take.tracks {
                track.node = kept(track.node);
            }
        }
        scene
    }

    /// Renames every node by replacing the prefix `from` with `to`.
    pub fn with_prefix(mut self, from: &str, to: &str) -> Scene {
        for node in &mut self.nodes {
            if let Some(bare) = node.name.strip_prefix(from) {
                node.name = format!("{to}{bare}");
            }
        }
        self
    }

    /// The same scene in another unit: every length is converted, so that it describes the same thing.
    pub fn in_unit(mut self, unit_scale_factor: f64) -> Scene {
        let factor = self.unit_scale_factor / unit_scale_factor;
        self.unit_scale_factor = unit_scale_factor;
        for node in &mut self.nodes {
            node.transform.scale_lengths(factor);
        }
        for mesh in &mut self.meshes {
            mesh.scale_lengths(factor);
        }
        for track in self.takes.iter_mut().flat_map(|t| &mut t.tracks) {
            if track.property == Property::Translation {
                track.map_values(|v| v * factor);
            }
        }
        self
    }

    /// The same scene in a Z-up file: each root is turned by its pre-rotation, its translation and translation keys
    /// are turned as vectors, and every joint below stays as it is. Vertices and binds are turned with them.
    ///
    /// # Panics
    /// Where a mesh has no skin or its node stands anywhere but at the origin: no character here needs that.
    pub fn in_z_up(mut self) -> Scene {
        assert_eq!(self.up, Up::Y, "the scene is Z up already");
        self.up = Up::Z;
        for mesh in &mut self.meshes {
            mesh.turn_to_z_up();
        }
        for (index, node) in self.nodes.iter_mut().enumerate() {
            if let NodeKind::Mesh(_) = node.kind {
                let plain = node.parent.is_none() && node.transform == Transform::default();
                assert!(plain, "`{}` must stand at the origin", node.name);
                continue;
            }
            if node.parent.is_some() {
                continue;
            }
            node.transform.turn_to_z_up();
            for track in self.takes.iter_mut().flat_map(|t| &mut t.tracks) {
                if track.node == index && track.property == Property::Translation {
                    track.turn_to_z_up();
                }
            }
        }
        self
    }

    /// Binds every skin to the rest pose: each cluster takes the model matrices of the static scene.
    pub fn bind_to_rest(&mut self) {
        let models = self.models(None, 0.0);
        for (index, node) in self.nodes.iter().enumerate() {
            let NodeKind::Mesh(mesh) = node.kind else {
                continue;
            };
            for cluster in self.meshes[mesh].clusters_mut() {
                cluster.bind = models[cluster.joint];
                cluster.mesh_bind = models[index];
            }
        }
    }

    /// What turns a model matrix of this file into one in metres with Y up: see [`Scene::to_metres_y_up`].
    fn up_rotation(&self) -> DMat4 {
        match self.up {
            Up::Y => DMat4::IDENTITY,
            Up::Z => DMat4::from_rotation_x(-90f64.to_radians()),
        }
    }

    /// A point of this file in the project's space: metres, Y up.
    pub fn point_to_metres_y_up(&self, point: DVec3) -> DVec3 {
        self.up_rotation().transform_point3(point) * (self.unit_scale_factor / 100.0)
    }

    /// A model matrix of this file in the project's space: metres, Y up. The axis change is multiplied from the left
    /// and the unit goes into the translation, so that no joint is left with a scale.
    pub fn to_metres_y_up(&self, model: DMat4) -> DMat4 {
        crate::math::scale_translation(self.up_rotation() * model, self.unit_scale_factor / 100.0)
    }
}

#[cfg(test)]
mod tests;
