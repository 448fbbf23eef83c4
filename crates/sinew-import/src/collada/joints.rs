//! Nodes as joints.

use super::mesh::Shown;
use super::scene::{Marks, Scene, SceneNode};
use super::stack::rows;
use crate::decompose::{Trs, split};
use crate::findings;
use glam::{DAffine3, DQuat};
use sinew::Finding;
use sinew_findings::plural;

/// The joints of a scene, in the document's axes.
#[derive(Default)]
pub(crate) struct Joints {
    /// Their names and parents.
    pub(crate) data: Vec<JointData>,
    /// Rest of each joint.
    pub(crate) locals: Vec<Trs>,
    /// What became of each node.
    pub(crate) of_node: Vec<Option<Slot>>,
    /// Rest of each node in model space.
    pub(crate) world: Vec<DAffine3>,
}

pub(crate) struct JointData {
    pub(crate) name: String,
    pub(crate) parent: Option<u16>,
    pub(crate) node: usize,
    pub(crate) helper: bool,
}

/// What a node became.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    pub(crate) joint: u16,
    /// Parent of children, skins and meshes: the joint, or the helper below it.
    pub(crate) leaf: u16,
    /// What the helper holds.
    pub(crate) inner: Option<DQuat>,
}

impl Joints {
    /// Makes joints of all nodes that move or carry something, and of what is above them. `moving` are the nodes that channels move
    /// or skins use.
    pub(crate) fn new(
        scene: &Scene<'_, '_>,
        shown: &[Shown<'_, '_>],
        animated: &[usize],
        bare: &[usize],
        findings: &mut Vec<Finding>,
    ) -> Self {
        let marks = mark(scene, shown, animated, bare);
        let mut joints = Self::default();
        let mut is_still = vec![true; scene.nodes.len()];
        for &node in animated {
            if let Some(still) = is_still.get_mut(node) {
                *still = false;
            }
        }
        let mut unnamed = 0;
        for (index, node) in scene.nodes.iter().enumerate() {
            let matrix = node.stack.matrix();
            let slot = marks.has(index).then(|| {
                unnamed += usize::from(node.raw.name.or(node.raw.sid).or(node.raw.id).is_none());
                let still = is_still.get(index) != Some(&false);
                joints.add(node, index, &matrix, still, findings)
            });
            joints.of_node.push(slot);
            let above = node.parent.and_then(|p| joints.world.get(p).copied()).unwrap_or_default();
            joints.world.push(above * matrix);
        }
        if unnamed > 0 {
            let message = format!("{} neither name nor id", plural(unnamed, "node has", "nodes have"));
            findings.push(Finding::new(&findings::NODE_UNNAMED, "scene", message).count(unnamed));
        }
        joints
    }

    fn add(
        &mut self,
        node: &SceneNode<'_, '_>,
        index: usize,
        matrix: &DAffine3,
        is_still: bool,
        findings: &mut Vec<Finding>,
    ) -> Slot {
        let parent = node.parent.and_then(|p| self.of_node.get(p).copied().flatten()).map(|s| s.leaf);
        let nearest = node.stack.trs().trs;
        let off = farthest(&nearest.to_affine(), matrix);
        let size = farthest(matrix, &DAffine3::from_translation(matrix.translation)).max(1.0);
        let is_sheared = findings::NODE_SHEAR.threshold.is_some_and(|t| off > t * size);
        if !is_sheared || !is_still {
            if is_sheared {
                let message = "the node moves and shears; the nearest transform without shear was taken";
                findings.push(Finding::new(&findings::NODE_SHEAR, &*node.name, message).measured(off / size));
            }
            let joint = self.push(node.name.clone(), parent, index, false, nearest);
            return Slot { joint, leaf: joint, inner: None };
        }
        let parts = split(matrix);
        let joint = self.push(node.name.clone(), parent, index, false, parts.outer);
        let inner = Trs { rotation: parts.inner, ..Trs::IDENTITY };
        let leaf = self.push(format!("{}$scale", node.name), Some(joint), index, true, inner);
        let message = "the node shears; a helper joint below it holds what one transform cannot";
        findings.push(Finding::new(&findings::NODE_SHEAR_SPLIT, &*node.name, message).measured(off / size));
        Slot { joint, leaf, inner: Some(parts.inner) }
    }

    fn push(&mut self, name: String, parent: Option<u16>, node: usize, helper: bool, local: Trs) -> u16 {
        // Too many are refused before any number is used.
        let joint = u16::try_from(self.data.len()).unwrap_or(u16::MAX);
        self.data.push(JointData { name, parent, node, helper });
        self.locals.push(local);
        joint
    }
}

fn mark(scene: &Scene<'_, '_>, shown: &[Shown<'_, '_>], animated: &[usize], bare: &[usize]) -> Marks {
    let typed = scene.nodes.iter().enumerate().filter(|(_, n)| n.raw.is_joint).map(|(index, _)| index);
    let of_skins = shown.iter().flat_map(|s| s.skin.iter().flat_map(|skin| &skin.nodes));
    let mut moving: Vec<usize> = typed.chain(of_skins.chain(animated).chain(bare).copied()).collect();
    moving.sort_unstable();
    let mut marks = Marks::new(scene);
    let mut marked_to = 0;
    for node in moving {
        // Descendants of a marked subtree are marked already.
        if node >= marked_to {
            marks.mark_with_descendants(scene, node);
            marked_to = scene.nodes.get(node).map_or(marked_to, |n| n.end);
        }
    }
    shown.iter().for_each(|s| marks.mark(s.node));
    marks.mark_ancestors(scene);
    marks
}

/// Largest difference between cells of two matrices.
fn farthest(a: &DAffine3, b: &DAffine3) -> f64 {
    rows(a).iter().zip(rows(b)).fold(0.0, |most, (x, y)| f64::max(most, (x - y).abs()))
}
