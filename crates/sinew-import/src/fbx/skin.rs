//! Skins, and the size of the character at rest.

use super::convert::{affine, vec3};
use super::rig::Rig;
use crate::weights::Weights;
use crate::{Budget, Cause, findings, limits};
use glam::{Affine3, DAffine3, DVec3};
use sinew::{Finding, Skin};
use sinew_findings::plural;
use std::collections::HashMap;
use ufbx::{Mesh, Node, SkinCluster, SkinDeformer, SkinVertex};

/// The skin of a mesh, and the joints of its control points.
pub(super) struct Binding<'a> {
    pub(super) skin: Skin,
    layers: Vec<Layer<'a>>,
    /// Index in the skin for control points without weights, where the mesh's own node moves.
    loose: Option<u16>,
}

/// One of the skin deformers of a mesh.
struct Layer<'a> {
    deformer: &'a SkinDeformer,
    /// Index in the skin of each cluster that has a joint.
    slots: Vec<Option<u16>>,
}

/// Bytes that a cluster takes: joint, inverse bind and indices, in lists that grow by doubling.
const CLUSTER_BYTES: u64 = 120;

/// The skin of a mesh on a node, whose vertices are put where `bind` puts them. Several skin deformers become one skin, whose weights are those of
/// all, as the FBX SDK blends them.
pub(super) fn binding<'a>(
    rig: &Rig,
    mesh: &'a Mesh,
    node: &Node,
    bind: &DAffine3,
    budget: &Budget<'_>,
    findings: &mut Vec<Finding>,
) -> Result<Option<Binding<'a>>, Cause> {
    let clusters = deformers(mesh).map(|deformer| deformer.clusters.len()).sum::<usize>();
    if clusters == 0 {
        return Ok(None);
    }
    limits::check("joints", clusters as u64, budget.limits().joints.min(u64::from(u16::MAX) - 1))?;
    budget.memory((clusters as u64).saturating_mul(CLUSTER_BYTES))?;
    let place = format!("mesh `{}`", node.element.name);
    let unbind = bind.inverse();
    let mut binding = Binding { skin: Skin::default(), layers: Vec::new(), loose: None };
    for deformer in deformers(mesh) {
        binding.add_layer(rig, deformer, &unbind);
    }
    let unusable = binding.layers.iter().flat_map(|layer| &layer.slots).filter(|slot| slot.is_none()).count();
    if unusable > 0 {
        let message =
            format!("{unusable} of {} have no joint or no bind", plural(clusters, "cluster", "clusters"));
        findings.push(Finding::new(&findings::SKIN_SLOTS, place.as_str(), message).count(unusable));
    }
    binding.report_shared(mesh.num_vertices, budget, &place, findings)?;
    if let Some(joint) = rig.matrix_joint(node).filter(|_| moves(rig, node)) {
        binding.add_loose(rig, mesh.num_vertices, joint, &(affine(&node.geometry_to_node) * unbind));
    }
    Ok((!binding.skin.joints.is_empty()).then_some(binding))
}

/// The skin deformers of a mesh that hold anything.
fn deformers(mesh: &Mesh) -> impl Iterator<Item = &SkinDeformer> {
    mesh.skin_deformers.iter().map(|deformer| &**deformer).filter(|deformer| !deformer.clusters.is_empty())
}

/// Where the first joint of a mesh takes it at rest.
pub(super) fn at_rest(mesh: &Mesh) -> Option<DAffine3> {
    let clusters = deformers(mesh).flat_map(|deformer| deformer.clusters.iter());
    let clusters = clusters.filter(|cluster| cluster.bone_node.is_some());
    let mut matrices = clusters.map(|cluster| affine(&cluster.geometry_to_world));
    matrices.find(|matrix| matrix.is_finite() && matrix.matrix3.determinant() != 0.0)
}

/// The weights of a control point in a skin deformer.
fn weights(deformer: &SkinDeformer, point: usize) -> &[ufbx::SkinWeight] {
    let range = deformer.vertices.get(point).map_or(0..0, |vertex| {
        let begin = vertex.weight_begin as usize;
        begin..begin.saturating_add(vertex.num_weights as usize)
    });
    deformer.weights.get(range).unwrap_or_default()
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

impl Layer<'_> {
    /// The influences of a control point that have a joint.
    fn influences(&self, point: usize) -> impl Iterator<Item = (u16, f64)> {
        let slot = |cluster: u32| *self.slots.get(cluster as usize)?;
        let used = weights(self.deformer, point).iter();
        used.filter_map(move |w| Some((slot(w.cluster_index)?, w.weight)))
            .filter(|(_, weight)| *weight != 0.0)
    }

    fn moves(&self, point: usize) -> bool {
        self.influences(point).next().is_some()
    }
}

impl<'a> Binding<'a> {
    fn add_layer(&mut self, rig: &Rig, deformer: &'a SkinDeformer, unbind: &DAffine3) {
        // What an earlier skin has bound in the same way takes no room again.
        let known: HashMap<(u16, [u32; 12]), u16> = (0u16..)
            .zip(&self.skin.joints)
            .zip(&self.skin.inverse_binds)
            .map(|((slot, &joint), bind)| ((joint, bits(&(*bind).into())), slot))
            .collect();
        let slots = deformer.clusters.iter().map(|cluster| {
            let joint = cluster.bone_node.as_ref().and_then(|bone| rig.matrix_joint(bone))?;
            let inverse_bind = rig.conversion.inverse_bind(&(affine(&cluster.geometry_to_bone) * *unbind));
            let inverse_bind = inverse_bind.is_finite().then(|| inverse_bind.as_affine3())?;
            Some(
                known
                    .get(&(joint, bits(&inverse_bind)))
                    .copied()
                    .unwrap_or_else(|| self.add_joint(joint, inverse_bind)),
            )
        });
        let slots = slots.collect();
        self.layers.push(Layer { deformer, slots });
    }

    fn add_joint(&mut self, joint: u16, inverse_bind: Affine3) -> u16 {
        self.skin.joints.push(joint);
        self.skin.inverse_binds.push(inverse_bind.into());
        (self.skin.joints.len() - 1) as u16
    }

    fn add_loose(&mut self, rig: &Rig, points: usize, joint: u16, to_joint: &DAffine3) {
        let inverse_bind = rig.conversion.inverse_bind(to_joint);
        let weightless = |point| self.layers.iter().all(|layer| weights(layer.deformer, point).is_empty());
        if inverse_bind.is_finite() && (0..points).any(weightless) {
            self.loose = Some(self.add_joint(joint, inverse_bind.as_affine3()));
        }
    }

    /// Reports control points that several skins move: where skins are meant to deform one after the other, those are elsewhere.
    fn report_shared(
        &self,
        points: usize,
        budget: &Budget<'_>,
        place: &str,
        findings: &mut Vec<Finding>,
    ) -> Result<(), Cause> {
        if self.layers.len() < 2 {
            return Ok(());
        }
        budget.steps((self.layers.len() as u64).saturating_mul(points as u64))?;
        let shared = (0..points).filter(|&point| self.skins_of(point) > 1).count();
        if shared > 0 {
            let message = format!(
                "of its {} skins more than one moves {}; their weights were blended",
                self.layers.len(),
                plural(shared, "vertex", "vertices")
            );
            findings.push(Finding::new(&findings::SKIN_SEVERAL, place, message).count(shared));
        }
        Ok(())
    }

    /// How many skins move a control point.
    fn skins_of(&self, point: usize) -> usize {
        self.layers.iter().filter(|layer| layer.moves(point)).count()
    }

    /// How much of each vertex is blended by dual quaternions, given their control points; empty if all is linear.
    pub(super) fn dual_quaternion(&self, points: &[u32]) -> Vec<f32> {
        let mut vertices = self.layers.iter().flat_map(|layer| layer.deformer.vertices.iter());
        if vertices.all(|vertex| share(vertex) == 0.0) {
            return Vec::new();
        }
        points.iter().map(|&point| self.share(point as usize)).collect()
    }

    /// The share of dual quaternions of a control point: the mean over the skins that move it.
    fn share(&self, point: usize) -> f32 {
        let of = |layer: &Layer<'_>| layer.deformer.vertices.get(point).map_or(0.0, share);
        match &self.layers[..] {
            [only] => of(only),
            layers => {
                let sum: f32 = layers.iter().filter(|layer| layer.moves(point)).map(of).sum();
                sum / self.skins_of(point).max(1) as f32
            }
        }
    }

    /// Adds the influences of a control point to the next vertex.
    pub(super) fn push(&self, point: u32, weights: &mut Weights) {
        let point = point as usize;
        // Weights of each skin sum to one, so that those of all do when they are divided by the number of skins.
        let part = if self.layers.len() > 1 { 1.0 / self.skins_of(point).max(1) as f64 } else { 1.0 };
        let used = self.layers.iter().flat_map(|layer| layer.influences(point));
        let mut used = used.map(|(joint, weight)| (joint, weight * part)).peekable();
        match (used.peek(), self.loose) {
            (None, Some(loose)) => weights.push([(loose, 1.0)]),
            _ => weights.push(used),
        }
    }
}

fn bits(matrix: &Affine3) -> [u32; 12] {
    matrix.to_cols_array().map(f32::to_bits)
}

/// The diagonal of the box around all skinned vertices at rest; without skin, around all bones; without bones, one unit. Rigid
/// meshes do not count: the size of a wall does not matter for the precision of its door.
pub(super) fn diagonal(rig: &Rig) -> f64 {
    let mut bounds = Bounds::default();
    for node in rig.scene.nodes.into_iter().filter(|node| super::mesh::is_shown(node)) {
        if let Some(mesh) = node.mesh.as_ref().filter(|mesh| deformers(mesh).next().is_some()) {
            add_mesh(mesh, node, &mut bounds);
        }
    }
    if bounds.diagonal().is_none() {
        for node in rig.scene.nodes.into_iter().filter(|node| node.bone.is_some()) {
            bounds.add(affine(&node.node_to_world).translation);
        }
    }
    bounds.diagonal().unwrap_or(1.0) * rig.conversion.unit()
}

fn add_mesh(mesh: &Mesh, node: &Node, bounds: &mut Bounds) {
    let fallback = affine(&node.geometry_to_world);
    let layers: Vec<(&SkinDeformer, Vec<Option<DAffine3>>)> = deformers(mesh)
        .map(|deformer| {
            let matrix = |c: &SkinCluster| c.bone_node.is_some().then(|| affine(&c.geometry_to_world));
            (deformer, deformer.clusters.iter().map(|cluster| matrix(cluster)).collect())
        })
        .collect();
    for (index, point) in mesh.vertices.iter().enumerate() {
        let point = vec3(*point);
        let (mut sum, mut total) = (DVec3::ZERO, 0.0);
        for (deformer, matrices) in &layers {
            for weight in weights(deformer, index) {
                if let Some(Some(matrix)) = matrices.get(weight.cluster_index as usize) {
                    sum += matrix.transform_point3(point) * weight.weight;
                    total += weight.weight;
                }
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
