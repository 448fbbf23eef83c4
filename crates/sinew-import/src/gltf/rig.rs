//! Nodes as joints, parents first, and morph weights as scalars.

#![allow(clippy::indexing_slicing, reason = "indices run over the rig's own joints")]

use super::container::File;
use super::json::{Document, Mesh, Node};
use super::stand_in::{sockets, stand_ins};
use super::vrm::expression_nodes;
use crate::decompose::{Trs, decompose};
use crate::{Budget, Cause, SourceJoint, findings, limits};
use glam::{DAffine3, DMat4, DQuat, DVec3};
use sinew::{Finding, Joint, NO_JOINT, Scalar, Skeleton, Socket};
use sinew_findings::plural;

/// The joints, and which node each is.
pub(super) struct Rig {
    /// Joint that each node is or stands for, [`NO_JOINT`] for one that is in no scene or stands for nothing.
    pub(super) joint_of: Vec<u16>,
    /// All nodes of the scene, parents first.
    pub(super) scene: Vec<usize>,
    /// Which nodes are left out as joints, and what they stand for.
    stand_ins: Vec<Option<Option<usize>>>,
    /// Node of each joint.
    pub(super) nodes: Vec<usize>,
    pub(super) parents: Vec<u16>,
    pub(super) rest: Vec<Trs>,
    names: Vec<String>,
    pub(super) scalars: Vec<Scalar>,
    /// First scalar of each node with morph targets.
    pub(super) first_scalar: Vec<Option<u16>>,
    /// Morph targets of each node.
    pub(super) morph_counts: Vec<usize>,
    /// Nodes of VRMA whose translation along x is the weight of an expression, and the scalar of that.
    pub(super) expressions: Vec<(usize, u16)>,
    /// Nodes that are sockets.
    sockets: Vec<usize>,
}

impl Rig {
    pub(super) fn new(file: &File<'_>, findings: &mut Vec<Finding>) -> Result<Self, Cause> {
        let (nodes, limits) = (&file.document.nodes, file.budget.limits());
        limits::check("nodes", nodes.len() as u64, limits.nodes)?;
        let parents = parents(nodes)?;
        let scene = order(file, &parents, findings)?;
        let mut stand_ins = stand_ins(&file.document, &parents);
        for (_, node) in expression_nodes(&file.document) {
            let lone = nodes.get(node).is_some_and(|node| node.children.is_empty() && node.mesh.is_none());
            if let Some(stand_in) = stand_ins.get_mut(node).filter(|_| lone) {
                *stand_in = Some(None);
            }
        }
        let parent = |node: usize| parents.get(node).copied().flatten();
        let mut sockets = sockets(&file.document);
        sockets.retain(|&node| parent(node).is_some_and(|parent| stand_ins.get(parent) == Some(&None)));
        sockets.iter().for_each(|&node| stand_ins[node] = Some(parent(node)));
        let is_joint = |node: &usize| stand_ins.get(*node) == Some(&None);
        let order: Vec<usize> = scene.iter().copied().filter(is_joint).collect();
        limits::check("joints", order.len() as u64, limits.joints.min(u64::from(NO_JOINT) - 1))?;
        let mut joint_of = vec![NO_JOINT; nodes.len()];
        for (joint, &node) in (0u16..).zip(&order) {
            if let Some(slot) = joint_of.get_mut(node) {
                *slot = joint;
            }
        }
        for (node, stand_in) in stand_ins.iter().enumerate() {
            if let Some(Some(joint)) = *stand_in {
                joint_of[node] = joint_of.get(joint).copied().unwrap_or(NO_JOINT);
            }
        }
        let mut rig = Self {
            parents: Vec::with_capacity(order.len()),
            rest: Vec::with_capacity(order.len()),
            names: Vec::with_capacity(order.len()),
            scalars: vec![],
            first_scalar: vec![None; nodes.len()],
            morph_counts: vec![0; nodes.len()],
            expressions: vec![],
            sockets,
            joint_of,
            nodes: order,
            scene,
            stand_ins,
        };
        let most = |mesh: &Mesh| mesh.primitives.iter().map(|p| p.targets.len()).max().unwrap_or(0);
        let targets: Vec<usize> = file.document.meshes.iter().map(most).collect();
        let mut unnamed = 0;
        for index in rig.scene.clone() {
            let Some(node) = nodes.get(index) else { continue };
            rig.add_scalars(file, index, node, &targets)?;
            if rig.is_stand_in(index) {
                continue;
            }
            let parent = parents.get(index).copied().flatten();
            rig.parents.push(parent.map_or(NO_JOINT, |parent| rig.joint(parent)));
            rig.rest.push(rest(index, node, findings));
            unnamed += usize::from(node.name.is_empty());
            rig.names.push(if node.name.is_empty() { format!("node_{index}") } else { node.name.clone() });
        }
        if unnamed > 0 {
            let message = format!(
                "{} number",
                plural(
                    unnamed,
                    "node has no name and is called after its",
                    "nodes have no name and are called after their"
                )
            );
            findings.push(Finding::new(&findings::NODE_UNNAMED, "the file", message).count(unnamed));
        }
        Ok(rig)
    }

    /// Joint of a node; `None` if the index is out of range or the node is not a joint.
    pub(super) fn joint(&self, node: usize) -> u16 {
        self.joint_of.get(node).copied().unwrap_or(NO_JOINT)
    }

    /// Whether a node stands for a joint or for nothing, and is not a joint itself.
    pub(super) fn is_stand_in(&self, node: usize) -> bool {
        self.stand_ins.get(node).is_some_and(Option::is_some)
    }

    /// Whether a node stands for nothing: what it carries stays where it is.
    pub(super) fn is_still(&self, node: usize) -> bool {
        self.stand_ins.get(node) == Some(&Some(None))
    }

    /// Scalar of the expression that a node stands for.
    pub(super) fn expression(&self, node: usize) -> Option<u16> {
        self.expressions.iter().find(|(own, _)| *own == node).map(|(_, scalar)| *scalar)
    }

    /// Name of the joint that a node is.
    pub(super) fn name(&self, node: usize) -> &str {
        self.names.get(usize::from(self.joint(node))).map_or("", String::as_str)
    }

    pub(super) fn skeleton(&self) -> Result<Skeleton, Cause> {
        let joints = (0..self.nodes.len()).map(|i| Joint {
            name: self.names[i].clone(),
            parent: Some(self.parents[i]).filter(|&p| p != NO_JOINT),
            rest: self.rest[i].to_transform(),
        });
        Ok(Skeleton::new(joints.collect(), self.scalars.clone())?)
    }

    /// Places where things are attached.
    pub(super) fn sockets(&self, document: &Document) -> Vec<Socket> {
        let socket = |&node: &usize| {
            let offset = rest(node, document.nodes.get(node)?, &mut vec![]).to_transform();
            let joint = Some(self.joint(node)).filter(|&joint| joint != NO_JOINT)?;
            Some(Socket { name: document.nodes.get(node)?.name.clone(), joint, offset })
        };
        self.sockets.iter().filter_map(socket).collect()
    }

    /// Where the joints come from.
    pub(super) fn sources(&self) -> Vec<SourceJoint> {
        let node = |&node: &usize| u32::try_from(node).unwrap_or(u32::MAX);
        self.nodes.iter().map(|n| SourceJoint { node: node(n), helper: false }).collect()
    }

    /// Where joints stand at rest, in model space.
    pub(super) fn model(&self) -> Vec<DAffine3> {
        let mut model: Vec<DAffine3> = Vec::with_capacity(self.rest.len());
        for (rest, &parent) in self.rest.iter().zip(&self.parents) {
            let above = model.get(usize::from(parent)).copied().unwrap_or(DAffine3::IDENTITY);
            model.push(above * rest.to_affine());
        }
        model
    }

    /// Adds a scalar for each morph target of a node's mesh; `targets` says how many the meshes have.
    fn add_scalars(
        &mut self,
        file: &File<'_>,
        index: usize,
        node: &Node,
        targets: &[usize],
    ) -> Result<(), Cause> {
        let Some(mesh) = node.mesh else { return Ok(()) };
        let targets = targets.get(mesh).copied().unwrap_or(0);
        let missing = || Cause::malformed("its mesh does not exist", format!("nodes[{index}]"));
        let mesh = file.document.meshes.get(mesh).ok_or_else(missing)?;
        if targets == 0 {
            return Ok(());
        }
        file.budget.memory((targets as u64).saturating_mul(SCALAR_BYTES))?;
        let first = u16::try_from(self.scalars.len()).ok();
        if let Some(slot) = self.first_scalar.get_mut(index) {
            *slot = first;
        }
        if let Some(count) = self.morph_counts.get_mut(index) {
            *count = targets;
        }
        let weights = if node.weights.is_empty() { &mesh.weights } else { &node.weights };
        for target in 0..targets {
            let name = mesh.extras.get("targetNames").and_then(|names| names.get(target)?.as_str());
            file.budget.memory(name.map_or(0, str::len) as u64)?;
            let name = name.map_or_else(|| format!("morph_{target}"), str::to_owned);
            let rest = weights.get(target).copied().filter(|w| w.is_finite()).unwrap_or(0.0) as f32;
            self.scalars.push(Scalar { name, rest });
        }
        Ok(())
    }
}

/// Bytes that a scalar takes in rig, skeleton and pose, its name apart.
pub(super) const SCALAR_BYTES: u64 = 256;

/// Parents of all nodes; a node with two is an error.
fn parents(nodes: &[Node]) -> Result<Vec<Option<usize>>, Cause> {
    let mut parents = vec![None; nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        for &child in &node.children {
            let place = format!("nodes[{index}]");
            match parents.get_mut(child) {
                Some(parent @ None) => *parent = Some(index),
                Some(Some(_)) => {
                    return Err(Cause::malformed(format!("node {child} has two parents"), place));
                }
                None => return Err(Cause::malformed(format!("its child {child} does not exist"), place)),
            }
        }
    }
    Ok(parents)
}

/// Nodes of the scene, parents first. Roots above a skin's joints are included, listed or not.
fn order(
    file: &File<'_>,
    parents: &[Option<usize>],
    findings: &mut Vec<Finding>,
) -> Result<Vec<usize>, Cause> {
    let document = &file.document;
    let mut roots = match document.scenes.get(document.scene.unwrap_or(0)) {
        Some(scene) => scene.nodes.clone(),
        None if !document.scenes.is_empty() => {
            return Err(Cause::malformed("its scene does not exist", "scene"));
        }
        None => (0..parents.len()).filter(|&node| parents.get(node) == Some(&None)).collect(),
    };
    if document.scenes.len() > 1 {
        let message = format!("it has {} scenes, of which one was read", document.scenes.len());
        findings.push(Finding::new(&findings::SCENES_LEFT_OUT, "the file", message));
    }
    let tops = tops(parents);
    let mut listed = vec![false; parents.len()];
    for &root in &roots {
        if let Some(listed) = listed.get_mut(root) {
            *listed = true;
        }
    }
    for &joint in document.skins.iter().flat_map(|skin| &skin.joints) {
        let top = top(joint, &tops)?;
        if let Some(listed @ false) = listed.get_mut(top) {
            *listed = true;
            roots.push(top);
        }
    }
    let order = descend(document, roots, file.budget)?;
    report_cycles(&tops, &order, findings);
    Ok(order)
}

/// Some nodes with all that is below them, parents first.
fn descend(document: &Document, roots: Vec<usize>, budget: &Budget<'_>) -> Result<Vec<usize>, Cause> {
    let mut order = Vec::new();
    let mut seen = vec![false; document.nodes.len()];
    let mut stack: Vec<(usize, u64)> = roots.into_iter().rev().map(|root| (root, 1)).collect();
    while let Some((node, depth)) = stack.pop() {
        limits::check("depth", depth, budget.limits().depth)?;
        let place = || format!("nodes[{node}]");
        match seen.get_mut(node) {
            Some(seen @ false) => *seen = true,
            Some(true) => return Err(Cause::malformed("it is met twice", place())),
            None => return Err(Cause::malformed("a scene lists it, but it does not exist", place())),
        }
        order.push(node);
        let children = document.nodes.get(node).map(|n| n.children.as_slice()).unwrap_or_default();
        stack.extend(children.iter().rev().map(|&child| (child, depth + 1)));
    }
    Ok(order)
}

/// The ancestors of a node.
#[derive(Clone, Copy, PartialEq)]
enum Top {
    Unknown,
    Root(usize),
    /// Nodes that are their own ancestors.
    Cycle,
}

/// The root of each node; each node is visited once.
fn tops(parents: &[Option<usize>]) -> Vec<Top> {
    let mut tops = vec![Top::Unknown; parents.len()];
    let mut path = Vec::new();
    for start in 0..parents.len() {
        let mut at = start;
        let found = loop {
            match (tops[at], parents[at]) {
                // Visited on this walk, or known to lead to a cycle.
                (Top::Cycle, _) => break Top::Cycle,
                (known @ Top::Root(_), _) => break known,
                (Top::Unknown, None) => break Top::Root(at),
                (Top::Unknown, Some(parent)) => {
                    tops[at] = Top::Cycle;
                    path.push(at);
                    at = parent;
                }
            }
        };
        tops[start] = found;
        path.drain(..).for_each(|node| tops[node] = found);
    }
    tops
}

/// The root above a node; an error in a cycle.
fn top(node: usize, tops: &[Top]) -> Result<usize, Cause> {
    match tops.get(node) {
        Some(Top::Root(root)) => Ok(*root),
        Some(_) => Err(Cause::malformed(format!("node {node} is its own ancestor"), "nodes")),
        None => Err(Cause::malformed(format!("joint {node} does not exist"), "skins")),
    }
}

/// Reports nodes that no root leads to, since they are below one another.
fn report_cycles(tops: &[Top], order: &[usize], findings: &mut Vec<Finding>) {
    let mut lost: Vec<bool> = tops.iter().map(|top| *top == Top::Cycle).collect();
    order.iter().for_each(|&node| lost[node] = false);
    let count = lost.iter().filter(|lost| **lost).count();
    if let Some(first) = lost.iter().position(|lost| *lost) {
        let message = format!(
            "{} dropped",
            plural(
                count,
                "node is its own ancestor or below such a node and was",
                "nodes are their own ancestors or below such nodes and were"
            )
        );
        findings.push(Finding::new(&findings::NODE_CYCLE, format!("nodes[{first}]"), message).count(count));
    }
}

fn rest(index: usize, node: &Node, findings: &mut Vec<Finding>) -> Trs {
    let place = || format!("nodes[{index}] `{}`", node.name);
    let trs = match &node.matrix {
        Some(matrix) => {
            let matrix = DMat4::from_cols_array(matrix);
            let found = decompose(&DAffine3::from_mat4(matrix));
            let threshold = findings::NODE_SHEAR.threshold.unwrap_or(0.0);
            if found.residual > threshold {
                let message = "its matrix shears; the nearest transform was taken".to_owned();
                let finding = Finding::new(&findings::NODE_SHEAR, place(), message);
                findings.push(finding.measured(found.residual));
            }
            found.trs
        }
        None => Trs {
            translation: node.translation.map_or(DVec3::ZERO, DVec3::from),
            rotation: node.rotation.map_or(DQuat::IDENTITY, DQuat::from_array),
            scale: node.scale.map_or(DVec3::ONE, DVec3::from),
        },
    };
    let length = trs.rotation.length();
    if !trs.is_finite() || length < 1e-6 {
        let message = "its transform is not finite or its rotation is zero".to_owned();
        findings.push(Finding::new(&findings::NODE_REST_INVALID, place(), message));
        return Trs::IDENTITY;
    }
    if (length - 1.0).abs() > super::UNIT_TOLERANCE {
        let message = format!("its rotation has length {length} and was scaled to one");
        let finding = Finding::new(&findings::ROTATION_NOT_UNIT, place(), message);
        findings.push(finding.measured((length - 1.0).abs()));
    }
    Trs { rotation: trs.rotation.normalize(), ..trs }
}
