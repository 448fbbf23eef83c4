//! Which gold node is which joint: by path, because names need not be unique and may be empty.

use super::gold::Gold;
use sinew::Skeleton;
use sinew_import::{Imported, SourceInfo};

/// The joint of each gold node that has one.
///
/// Helpers are skipped in paths. Where a joint's source number is the gold node's number under the same parent, with the same
/// name, they are a pair; what is left pairs up by name, in order, among the children of one parent.
pub fn match_nodes(gold: &Gold, imported: &Imported) -> Vec<Option<u16>> {
    let (skeleton, source) = (imported.character.skeleton(), &imported.source);
    let mut matching = Matching { gold, skeleton, source, joint_of: vec![None; gold.nodes.len()] };
    let roots = gold_roots(gold);
    matching.level(&roots, joint_children(skeleton, source, None));
    matching.joint_of
}

/// The joint whose model matrix is the node's: the joint itself, or the helper that holds its scale.
pub fn matrix_joint(imported: &Imported, joint: u16) -> u16 {
    let skeleton = imported.character.skeleton();
    let scale = format!("{}$scale", skeleton.name(joint));
    let is_helper = |&child: &u16| {
        imported.source.joint(child).helper
            && skeleton.parent(child) == Some(joint)
            && skeleton.name(child) == scale
    };
    (0..skeleton.len() as u16).find(is_helper).unwrap_or(joint)
}

/// Roots of the file. Node 0 of FBX and glTF gold is the scene, which is no joint: its children are the roots.
fn gold_roots(gold: &Gold) -> Vec<usize> {
    if gold.is_scene(0) { gold_children(gold, 0) } else { gold_children(gold, -1) }
}

/// Children of a gold node; those of a duplicate stand for the duplicate.
fn gold_children(gold: &Gold, parent: i64) -> Vec<usize> {
    let mut children = Vec::new();
    for (node, data) in gold.nodes.iter().enumerate().filter(|(_, n)| n.parent == parent) {
        if data.dup_of_parent {
            children.extend(gold_children(gold, node as i64));
        } else {
            children.push(node);
        }
    }
    children
}

/// Children of a joint in order; those of a helper stand for the helper.
fn joint_children(skeleton: &Skeleton, source: &SourceInfo, parent: Option<u16>) -> Vec<u16> {
    let mut children = Vec::new();
    for joint in (0..skeleton.len() as u16).filter(|&j| skeleton.parent(j) == parent) {
        if source.joint(joint).helper {
            children.extend(joint_children(skeleton, source, Some(joint)));
        } else {
            children.push(joint);
        }
    }
    children
}

struct Matching<'a> {
    gold: &'a Gold,
    skeleton: &'a Skeleton,
    source: &'a SourceInfo,
    joint_of: Vec<Option<u16>>,
}

impl Matching<'_> {
    fn level(&mut self, nodes: &[usize], joints: Vec<u16>) {
        let mut left = Vec::new();
        for joint in joints {
            match nodes.iter().find(|&&n| self.is_source(n, joint)) {
                Some(&node) => self.joint_of[node] = Some(joint),
                None => left.push(joint),
            }
        }
        for joint in left {
            let free = |n: &&usize| self.joint_of[**n].is_none() && self.same_name(**n, joint);
            if let Some(&node) = nodes.iter().find(free) {
                self.joint_of[node] = Some(joint);
            }
        }
        for &node in nodes {
            if let Some(joint) = self.joint_of[node] {
                let children = gold_children(self.gold, node as i64);
                self.level(&children, joint_children(self.skeleton, self.source, Some(joint)));
            }
        }
    }

    /// glTF gold knows the number of each node in the file; three.js' names for unnamed ones are its own.
    fn is_source(&self, node: usize, joint: u16) -> bool {
        let source = self.source.joint(joint).node;
        match self.gold.nodes[node].gltf_node {
            Some(number) => source == number,
            None => source == node as u32 && self.same_name(node, joint),
        }
    }

    fn same_name(&self, node: usize, joint: u16) -> bool {
        let (gold, ours) = (self.gold.nodes[node].name(), self.skeleton.name(joint));
        gold == ours || (gold.is_empty() && ours.starts_with("node_"))
    }
}
