//! Forward kinematics of a scene, by the definition of FBX and nothing else.

use super::{Inherit, Mesh, NodeKind, Property, Scene, Take, Transform};
use glam::{DMat4, DVec3};

/// A node's matrices that its children need.
#[derive(Clone, Copy)]
struct Placed {
    model: DMat4,
    /// The model matrix without the node's own scale.
    unscaled: DMat4,
    /// The node's own scale times what it inherited apart from the matrices.
    scale: DVec3,
    /// What it inherited apart from the matrices.
    inherited: DVec3,
}

impl Scene {
    /// A node's transform in a take at a time; without a take, at rest.
    pub fn transform_at(&self, node: usize, take: Option<&Take>, time: f64) -> Transform {
        let mut transform = self.nodes[node].transform;
        let tracks = take.map_or(&[][..], |t| &t.tracks);
        for track in tracks.iter().filter(|t| t.node == node) {
            let target = match track.property {
                Property::Translation => &mut transform.translation,
                Property::Rotation => &mut transform.rotation,
                Property::Scaling => &mut transform.scaling,
            };
            for (axis, curve) in track.curves.iter().enumerate() {
                if let Some(value) = curve.as_ref().and_then(|c| c.value(time)) {
                    target[axis] = value;
                }
            }
        }
        transform
    }

    /// Model matrices of all nodes in a take at a time; without a take, at rest. In the file's own units and axes.
    pub fn models(&self, take: Option<&Take>, time: f64) -> Vec<DMat4> {
        let mut placed: Vec<Option<Placed>> = vec![None; self.nodes.len()];
        for node in 0..self.nodes.len() {
            self.place(node, take, time, &mut placed);
        }
        placed.into_iter().flatten().map(|p| p.model).collect()
    }

    /// Vertices of every mesh node in a take at a time, in model space: blend shapes first, then the skin; a mesh
    /// without one follows its node. In the order of the nodes, in the file's own units and axes.
    pub fn deformed(&self, take: Option<&Take>, time: f64) -> Vec<(String, Vec<DVec3>)> {
        let models = self.models(take, time);
        let mut all = Vec::new();
        for (node, model) in self.nodes.iter().zip(&models) {
            let NodeKind::Mesh(index) = node.kind else {
                continue;
            };
            let mesh = &self.meshes[index];
            let geometric = node.transform.geometric();
            let vertices = self.shaped(index, take, time);
            let vertices = vertices.into_iter().map(|v| geometric.transform_point3(v)).collect();
            all.push((node.name.clone(), skinned(mesh, vertices, *model, &models)));
        }
        all
    }

    /// Vertices of a mesh with its blend shapes.
    fn shaped(&self, mesh: usize, take: Option<&Take>, time: f64) -> Vec<DVec3> {
        let tracks = take.map_or(&[][..], |t| &t.shape_tracks);
        let mut vertices = self.meshes[mesh].vertices.clone();
        for (index, shape) in self.meshes[mesh].shapes.iter().enumerate() {
            let track = tracks.iter().find(|t| t.mesh == mesh && t.shape == index);
            let percent = track.and_then(|t| t.curve.value(time));
            let weight = percent.unwrap_or(shape.percent) / 100.0;
            for &(vertex, offset) in &shape.offsets {
                vertices[vertex as usize] += offset * weight;
            }
        }
        vertices
    }

    fn place(&self, node: usize, take: Option<&Take>, time: f64, placed: &mut [Option<Placed>]) -> Placed {
        if let Some(done) = placed[node] {
            return done;
        }
        let transform = self.transform_at(node, take, time);
        let result = match self.nodes[node].parent {
            None => full(DMat4::IDENTITY, &transform),
            Some(parent) => {
                let parent = self.place(parent, take, time, placed);
                match transform.inherit {
                    Inherit::Full => full(parent.model, &transform),
                    Inherit::Componentwise => apart(parent, &transform, parent.scale),
                    Inherit::IgnoreParentScale => apart(parent, &transform, parent.inherited),
                }
            }
        };
        placed[node] = Some(result);
        result
    }
}

/// All influences of all skins count; a vertex without any follows the node.
fn skinned(mesh: &Mesh, vertices: Vec<DVec3>, node: DMat4, models: &[DMat4]) -> Vec<DVec3> {
    // Sum of the weighted places of each vertex, and the number of skins that move it.
    let mut moved = vec![(DVec3::ZERO, 0u32); vertices.len()];
    for skin in mesh.skins() {
        let matrices: Vec<DMat4> = skin.clusters.iter().map(|c| models[c.joint] * c.inverse_bind()).collect();
        let weights = skin.by_vertex(vertices.len());
        for ((v, weights), (sum, skins)) in vertices.iter().zip(&weights).zip(&mut moved) {
            let part = |&(slot, w): &(usize, f64)| matrices[slot].transform_point3(*v) * w;
            *sum += weights.iter().map(part).sum::<DVec3>();
            *skins += u32::from(!weights.is_empty());
        }
    }
    let place = |(v, (sum, skins)): (&DVec3, (DVec3, u32))| match skins {
        0 => node.transform_point3(*v),
        skins => sum / f64::from(skins),
    };
    vertices.iter().zip(moved).map(place).collect()
}

fn full(parent: DMat4, transform: &Transform) -> Placed {
    let local = transform.local();
    Placed {
        model: parent * local,
        unscaled: parent * without_scale(transform, local),
        scale: transform.scaling,
        inherited: DVec3::ONE,
    }
}

/// The parent's scale moves the node, and the node is scaled by its own scale and `inherited` only.
fn apart(parent: Placed, transform: &Transform, inherited: DVec3) -> Placed {
    let local = transform.local();
    let mut unscaled = without_scale(transform, local);
    unscaled.w_axis = (unscaled.w_axis.truncate() * parent.scale).extend(1.0);
    let scale = transform.scaling * inherited;
    let unscaled = parent.unscaled * unscaled;
    Placed { model: unscaled * DMat4::from_scale(scale), unscaled, scale, inherited }
}

/// Rotation and place of a local matrix.
fn without_scale(transform: &Transform, local: DMat4) -> DMat4 {
    DMat4::from_rotation_translation(transform.local_rotation(), local.w_axis.truncate())
}
