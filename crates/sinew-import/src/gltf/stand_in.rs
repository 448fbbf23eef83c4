//! Nodes that this project's own writer adds and that are no joints: each stands for a joint, or for none, or is a socket.
//!
//! The writer marks them by `extras.sinewJoint`, the index of a node or `null`, and by `extras.sinewSocket`. A mark counts only where leaving the node out
//! changes nothing.

use super::animation::Moved;
use super::json::{Document, Node};
use serde_json::Value;
use std::collections::HashSet;

/// The node that each node stands for: `None` for an ordinary node, `Some(None)` for one that stands for nothing.
pub(super) fn stand_ins(document: &Document, parents: &[Option<usize>]) -> Vec<Option<Option<usize>>> {
    let nodes = &document.nodes;
    let mut found: Vec<_> = nodes.iter().map(marked).collect();
    moved(document).for_each(|node| found.get_mut(node).into_iter().for_each(|mark| *mark = None));
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

/// Sockets: leaves that nothing moves and that neither carry nor deform anything. Of two with one name the second is a joint.
pub(super) fn sockets(document: &Document) -> Vec<usize> {
    let marked = |node: &Node| node.extras.as_ref().is_some_and(|extras| extras["sinewSocket"] == true);
    let bare = |node: &Node| node.children.is_empty() && node.mesh.is_none() && node.skin.is_none();
    let mut names = HashSet::new();
    let mut first = |node: &Node| names.insert(node.name.clone());
    let found =
        document.nodes.iter().enumerate().filter(|(_, node)| marked(node) && bare(node) && first(node));
    let found: Vec<usize> = found.map(|(index, _)| index).collect();
    if found.is_empty() {
        return found;
    }
    let deforming = document.skins.iter().flat_map(|skin| skin.joints.iter().copied());
    let used: HashSet<usize> = moved(document).chain(deforming).collect();
    found.into_iter().filter(|node| !used.contains(node)).collect()
}

/// Nodes whose transforms are animated.
fn moved(document: &Document) -> impl Iterator<Item = usize> {
    let channels = document.animations.iter().flat_map(|animation| &animation.channels);
    let moved = channels.filter_map(|channel| Moved::of(&channel.target));
    moved.filter(|moved| moved.part().is_some()).map(|moved| moved.node)
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
