//! Nodes that this project's own writer adds: each stands for a joint, or for none, and is not a joint itself.
//!
//! The writer marks them by `extras.sinewJoint`, the index of a node or `null`. A mark counts only where leaving the node out changes nothing.

use super::animation::Moved;
use super::json::{Document, Node};
use serde_json::Value;

/// The node that each node stands for: `None` for an ordinary node, `Some(None)` for one that stands for nothing.
pub(super) fn stand_ins(document: &Document, parents: &[Option<usize>]) -> Vec<Option<Option<usize>>> {
    let nodes = &document.nodes;
    let mut found: Vec<_> = nodes.iter().map(marked).collect();
    let channels = document.animations.iter().flat_map(|animation| &animation.channels);
    for moved in channels.filter_map(|channel| Moved::of(&channel.target)) {
        if let Some(mark) = found.get_mut(moved.node).filter(|_| moved.part().is_some()) {
            *mark = None;
        }
    }
    let marks = found.clone();
    for (index, (mark, node)) in found.iter_mut().zip(nodes).enumerate() {
        let parent = parents.get(index).copied().flatten();
        let skinned = node.mesh.is_some() && node.skin.is_some();
        let holds = match mark {
            None => continue,
            // An ordinary node; what hangs on it directly, or is skinned, stands where it stands.
            Some(Some(joint)) => {
                let ordinary = marks.get(*joint) == Some(&None);
                ordinary && node.children.is_empty() && (skinned || parent == Some(*joint))
            }
            Some(None) if skinned => node.children.is_empty(),
            Some(None) => {
                let root =
                    |node: usize| parents.get(node) == Some(&None) && marks.get(node) == Some(&Some(None));
                (node.mesh.is_none() || node.children.is_empty()) && parent.is_none_or(root)
            }
        };
        if !holds {
            *mark = None;
        }
    }
    found
}

/// What the mark of a node says, if the node has one and no transform.
fn marked(node: &Node) -> Option<Option<usize>> {
    let still = node.matrix.is_none()
        && node.translation.is_none()
        && node.rotation.is_none()
        && node.scale.is_none();
    match node.extras.as_ref().filter(|_| still)?.get("sinewJoint")? {
        Value::Null => Some(None),
        other => Some(Some(usize::try_from(other.as_u64()?).ok()?)),
    }
}
