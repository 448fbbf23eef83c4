//! The node tree: joint i is node i; the joints are followed by sockets and by further nodes that glTF requires.

use super::buffer::{named, object};
use crate::mesh::has_still_vertices;
use glam::{Affine3, Quat, Vec3};
use serde_json::{Value, json};
use sinew::{Character, Mesh, NO_JOINT, Skeleton, Transform};
use std::collections::HashMap;

/// A node that is being written.
struct Node {
    name: String,
    local: Transform,
    children: Vec<usize>,
    mesh: Option<usize>,
    skin: Option<usize>,
    /// The joint that it stands for, or none, if it is only here because the format asks for it. The importer leaves such nodes out.
    stands_for: Option<Option<u16>>,
    /// Whether it is a socket: other programs see a node, the importer a socket.
    is_socket: bool,
}

pub(super) struct Nodes {
    nodes: Vec<Node>,
    roots: Vec<usize>,
    /// Parent of everything but skinned meshes: added to convert axes and unit, or if the joints of a skin have no common root.
    wrapper: Option<usize>,
    /// The joint of vertices without weights.
    still: Option<usize>,
    /// Second and further binds of a joint.
    binds: HashMap<(u16, [u32; 12]), usize>,
}

impl Nodes {
    pub(super) fn new(character: &Character) -> Self {
        let skeleton = character.skeleton();
        let nodes = skeleton.joints().map(|joint| Node::new(joint.name, joint.rest)).collect();
        let mut this = Self { nodes, roots: vec![], wrapper: None, still: None, binds: HashMap::new() };
        let change = space_change(character);
        let lacks_root = |mesh: &Mesh| mesh.skin.is_some() && !has_one_root(mesh, skeleton);
        if change != Transform::IDENTITY || character.meshes().iter().any(lacks_root) {
            let wrapper = this.add("space", change, None);
            this.wrapper = Some(wrapper);
            this.mark(wrapper, None);
        }
        for (joint, &parent) in skeleton.parents().iter().enumerate() {
            if parent == NO_JOINT {
                this.attach(joint, None)
            } else {
                this.attach(joint, Some(usize::from(parent)))
            }
        }
        for socket in character.sockets() {
            let node = this.add(&socket.name, socket.offset, Some(usize::from(socket.joint)));
            this.nodes[node].is_socket = true;
        }
        this
    }

    /// A new node under another, or under the wrapper.
    fn add(&mut self, name: impl Into<String>, local: Transform, parent: Option<usize>) -> usize {
        self.nodes.push(Node::new(name.into(), local));
        let node = self.nodes.len() - 1;
        self.attach(node, parent);
        node
    }

    /// Marks a node that stands for a joint, or for none. Without a joint a change of space still applies to it.
    fn mark(&mut self, node: usize, joint: Option<u16>) {
        let changed = self.wrapper.is_some_and(|wrapper| self.nodes[wrapper].local != Transform::IDENTITY);
        if joint.is_some() || !changed {
            self.nodes[node].stands_for = Some(joint);
        }
    }

    fn attach(&mut self, node: usize, parent: Option<usize>) {
        match parent.or(self.wrapper) {
            Some(parent) => self.nodes[parent].children.push(node),
            None => self.roots.push(node),
        }
    }

    /// A node for a rigid mesh: the joint's own, or a child of it if that has a mesh already.
    pub(super) fn rigid(&mut self, mesh: usize, name: &str, joint: u16) -> usize {
        let joint = Some(joint).filter(|&joint| joint != NO_JOINT);
        let node = match joint.map(usize::from) {
            Some(node) if self.nodes[node].mesh.is_none() => node,
            parent => {
                let node = self.add(name, Transform::IDENTITY, parent);
                self.mark(node, joint);
                node
            }
        };
        self.nodes[node].mesh = Some(mesh);
        node
    }

    /// A node for a skinned mesh. It is a root: no transform applies to it.
    pub(super) fn skinned(&mut self, mesh: usize, name: &str, joint: u16, skin: usize) -> usize {
        let node =
            Node { mesh: Some(mesh), skin: Some(skin), ..Node::new(name.to_owned(), Transform::IDENTITY) };
        self.nodes.push(node);
        let node = self.nodes.len() - 1;
        self.roots.push(node);
        self.nodes[node].stands_for = Some(Some(joint).filter(|&joint| joint != NO_JOINT));
        node
    }

    /// The joint of vertices without weights.
    pub(super) fn still(&mut self) -> usize {
        if let Some(node) = self.still {
            return node;
        }
        let node = self.add("still", Transform::IDENTITY, None);
        self.mark(node, None);
        self.still = Some(node);
        node
    }

    /// A child node for a joint that has a second, different inverse bind.
    pub(super) fn bind(&mut self, joint: u16, inverse_bind: &Affine3) -> usize {
        let key = (joint, bits(inverse_bind));
        if let Some(&node) = self.binds.get(&key) {
            return node;
        }
        let name = format!("{}$bind", self.nodes[usize::from(joint)].name);
        let node = self.add(name, Transform::IDENTITY, Some(usize::from(joint)));
        self.mark(node, Some(joint));
        self.binds.insert(key, node);
        node
    }

    /// The nodes and the roots of the scene.
    pub(super) fn finish(self) -> (Vec<Value>, Vec<usize>) {
        (self.nodes.iter().map(Node::json).collect(), self.roots)
    }
}

impl Node {
    fn new(name: String, local: Transform) -> Self {
        Self { name, local, children: vec![], mesh: None, skin: None, stands_for: None, is_socket: false }
    }

    fn json(&self) -> Value {
        let Transform { translation, rotation, scale } = self.local;
        let unless = |is_default: bool, value: Value| if is_default { Value::Null } else { value };
        object(json!({
            "name": named(&self.name),
            "translation": unless(translation == Vec3::ZERO, json!(translation.to_array())),
            "rotation": unless(rotation == Quat::IDENTITY, json!(unit(rotation).to_array())),
            "scale": unless(scale == Vec3::ONE, json!(scale.to_array())),
            "children": unless(self.children.is_empty(), json!(self.children)),
            "mesh": self.mesh,
            "skin": self.skin,
            "extras": self.extras(),
        }))
    }

    /// What the importer is to know of it.
    fn extras(&self) -> Option<Value> {
        let socket = self.is_socket.then(|| json!({ "sinewSocket": true }));
        socket.or_else(|| self.stands_for.map(|joint| json!({ "sinewJoint": joint })))
    }
}

/// Normalized in double precision.
pub(super) fn unit(rotation: Quat) -> Quat {
    rotation.as_dquat().normalize().as_quat()
}

pub(super) fn bits(matrix: &Affine3) -> [u32; 12] {
    matrix.to_cols_array().map(f32::to_bits)
}

/// Rotation and scale from the character's space to that of glTF, which is in metres with +Y up.
pub(super) fn space_change(character: &Character) -> Transform {
    let space = character.space();
    let rotation = match Vec3::from(space.up) {
        up if up == Vec3::Y => Quat::IDENTITY,
        up if up == Vec3::NEG_Y => Quat::from_xyzw(1.0, 0.0, 0.0, 0.0),
        up => Quat::from_rotation_arc(up, Vec3::Y),
    };
    Transform { rotation, scale: Vec3::splat(space.unit_meters), ..Transform::IDENTITY }
}

/// Whether all joints of a mesh's skin are below one root.
fn has_one_root(mesh: &Mesh, skeleton: &Skeleton) -> bool {
    let top = |joint: &u16| std::iter::successors(Some(*joint), |&j| skeleton.parent(j)).last();
    let mut tops = mesh.skin.iter().flat_map(|skin| &skin.joints).map(top);
    let first = tops.next();
    first.is_some() && tops.all(|top| Some(top) == first) && !has_still_vertices(mesh)
}
