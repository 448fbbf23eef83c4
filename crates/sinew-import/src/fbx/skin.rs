//! Skins, and the size of the character at rest.

use super::convert::{affine, vec3};
use super::rig::Rig;
use crate::weights::Weights;
use crate::{Budget, Cause, findings, limits};
use glam::{DAffine3, DVec3};
use sinew::{Finding, Skin};
use ufbx::{Mesh, Node, SkinDeformer, SkinVertex};

/// The skin of a mesh, and the joints of its control points.
pub(super) struct Binding<'a> {
    pub(super) skin: Skin,
    deformer: &'a SkinDeformer,
    /// Index in the skin of each cluster that has a joint.
    slots: Vec<Option<u16>>,
    /// Index in the skin for control points without weights, where the mesh's own node moves.
    loose: Option<u16>,
}

/// Bytes that a cluster takes: joint, inverse bind and index, in lists that grow by doubling.
const CLUSTER_BYTES: u64 = 120;

/// The skin of a mesh on a node, whose vertices are put where `bind` puts them.
pub(super) fn binding<'a>(
    rig: &Rig,
    mesh: &'a Mesh,
    node: &Node,
    bind: &DAffine3,
    budget: &Budget<'_>,
    findings: &mut Vec<Finding>,
) -> Result<Option<Binding<'a>>, Cause> {
    let Some(deformer) = deformer(mesh) else { return Ok(None) };
    limits::check(
        "joints",
        deformer.clusters.len() as u64,
        budget.limits().joints.min(u64::from(u16::MAX) - 1),
    )?;
    budget.memory((deformer.clusters.len() as u64).saturating_mul(CLUSTER_BYTES))?;
    let place = format!("mesh `{}`", node.element.name);
    report(mesh, &place, findings);
    let unbind = bind.inverse();
    let mut skin = Skin::default();
    let mut slots = Vec::with_capacity(deformer.clusters.len());
    let mut unusable = 0;
    for cluster in &deformer.clusters {
        let joint = cluster.bone_node.as_ref().and_then(|bone| rig.matrix_joint(bone));
        let inverse_bind = rig.conversion.inverse_bind(&(affine(&cluster.geometry_to_bone) * unbind));
        match joint.filter(|_| inverse_bind.is_finite()) {
            Some(joint) => {
                slots.push(Some(skin.joints.len() as u16));
                skin.joints.push(joint);
                skin.inverse_binds.push(inverse_bind.as_affine3());
            }
            None => {
                unusable += 1;
                slots.push(None);
            }
        }
    }
    if unusable > 0 {
        let message = format!("{unusable} of {} clusters have no joint or no bind", deformer.clusters.len());
        findings.push(Finding::new(&findings::SKIN_SLOTS, place, message).count(unusable));
    }
    let mut binding = Binding { skin, deformer, slots, loose: None };
    if let Some(joint) = rig.matrix_joint(node).filter(|_| moves(rig, node)) {
        binding.add_loose(rig, joint, &(affine(&node.geometry_to_node) * unbind));
    }
    Ok((!binding.skin.joints.is_empty()).then_some(binding))
}

/// The skin deformer that is used: the first.
fn deformer(mesh: &Mesh) -> Option<&SkinDeformer> {
    mesh.skin_deformers.first().map(|d| &**d).filter(|d| !d.clusters.is_empty())
}

fn report(mesh: &Mesh, place: &str, findings: &mut Vec<Finding>) {
    if mesh.skin_deformers.len() > 1 {
        let message = format!("it has {} skins, of which the first was taken", mesh.skin_deformers.len());
        findings.push(Finding::new(&findings::SKIN_SEVERAL, place, message).count(mesh.skin_deformers.len()));
    }
}

/// How much of a control point is blended by dual quaternions.
fn share(vertex: &SkinVertex) -> f32 {
    let share = vertex.dq_weight as f32;
    if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
}

/// Whether a node or one of its ancestors moves in any take.
fn moves(rig: &Rig, node: &Node) -> bool {
    let mut at = rig.matrix_joint(node);
    while let Some(joint) = at.and_then(|j| rig.joints.get(usize::from(j))) {
        if rig.moved.get(joint.node) == Some(&true) {
            return true;
        }
        at = joint.parent;
    }
    false
}

impl Binding<'_> {
    fn add_loose(&mut self, rig: &Rig, joint: u16, to_joint: &DAffine3) {
        let inverse_bind = rig.conversion.inverse_bind(to_joint);
        let weightless = self.deformer.vertices.iter().any(|vertex| vertex.num_weights == 0);
        if weightless && inverse_bind.is_finite() {
            self.loose = Some(self.skin.joints.len() as u16);
            self.skin.joints.push(joint);
            self.skin.inverse_binds.push(inverse_bind.as_affine3());
        }
    }

    /// How much of each vertex is blended by dual quaternions, given their control points; empty if all is linear.
    pub(super) fn dual_quaternion(&self, points: &[u32]) -> Vec<f32> {
        let vertices = &self.deformer.vertices;
        if vertices.iter().all(|vertex| share(vertex) == 0.0) {
            return Vec::new();
        }
        points.iter().map(|&point| vertices.get(point as usize).map_or(0.0, share)).collect()
    }

    /// Adds the influences of a control point to the next vertex.
    pub(super) fn push(&self, point: u32, weights: &mut Weights) {
        let vertex = self.deformer.vertices.get(point as usize);
        let range = vertex.map_or(0..0, |v| {
            v.weight_begin as usize..(v.weight_begin as usize).saturating_add(v.num_weights as usize)
        });
        let list = self.deformer.weights.get(range).unwrap_or_default();
        let used =
            list.iter().filter_map(|w| Some(((*self.slots.get(w.cluster_index as usize)?)?, w.weight)));
        let mut used = used.filter(|(_, weight)| *weight != 0.0).peekable();
        match (used.peek(), self.loose) {
            (None, Some(loose)) => weights.push([(loose, 1.0)]),
            _ => weights.push(used),
        }
    }
}

/// The diagonal of the box around all skinned vertices at rest; without skin, around all bones; without bones, one unit. Rigid
/// meshes do not count: the size of a wall does not matter for the precision of its door.
pub(super) fn diagonal(rig: &Rig) -> f64 {
    let mut bounds = Bounds::default();
    for node in rig.scene.nodes.into_iter().filter(|node| super::mesh::is_shown(node)) {
        if let Some((mesh, deformer)) = node.mesh.as_ref().and_then(|mesh| Some((mesh, deformer(mesh)?))) {
            add_mesh(mesh, deformer, node, &mut bounds);
        }
    }
    if bounds.diagonal().is_none() {
        for node in rig.scene.nodes.into_iter().filter(|node| node.bone.is_some()) {
            bounds.add(affine(&node.node_to_world).translation);
        }
    }
    bounds.diagonal().unwrap_or(1.0) * rig.conversion.unit()
}

fn add_mesh(mesh: &Mesh, deformer: &SkinDeformer, node: &Node, bounds: &mut Bounds) {
    let fallback = affine(&node.geometry_to_world);
    let matrices: Vec<Option<DAffine3>> = deformer
        .clusters
        .into_iter()
        .map(|c| c.bone_node.is_some().then(|| affine(&c.geometry_to_world)))
        .collect();
    for (point, vertex) in mesh.vertices.iter().zip(deformer.vertices.iter()) {
        let (point, begin) = (vec3(*point), vertex.weight_begin as usize);
        let weights = deformer.weights.get(begin..begin.saturating_add(vertex.num_weights as usize));
        let (mut sum, mut total) = (DVec3::ZERO, 0.0);
        for weight in weights.unwrap_or_default() {
            if let Some(Some(matrix)) = matrices.get(weight.cluster_index as usize) {
                sum += matrix.transform_point3(point) * weight.weight;
                total += weight.weight;
            }
        }
        bounds.add(if total > 0.0 { sum / total } else { fallback.transform_point3(point) });
    }
}

#[derive(Default)]
struct Bounds(Option<[DVec3; 2]>);

impl Bounds {
    fn add(&mut self, point: DVec3) {
        if point.is_finite() {
            let [low, high] = self.0.unwrap_or([point; 2]);
            self.0 = Some([low.min(point), high.max(point)]);
        }
    }

    /// None for a box without extent.
    fn diagonal(&self) -> Option<f64> {
        self.0.map(|[low, high]| low.distance(high)).filter(|d| *d > 0.0 && d.is_finite())
    }
}
