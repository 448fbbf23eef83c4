//! The nodes of a character that COLLADA clips are bound to.

use super::address::{Address, bare_name};
use super::stack::Stack;
use crate::decompose::Trs;
use crate::space::Conversion;
use std::collections::HashMap;

/// The nodes of a character as its document wrote them, in the document's own axes. Clip files without a scene need them,
/// because their channels replace single components of transforms that only the character has.
#[derive(Clone, Debug)]
pub struct ClipNodes {
    pub(super) nodes: Vec<ClipNode>,
    pub(super) conversion: Conversion,
    /// Parents of the joints.
    pub(super) parents: Vec<u16>,
    /// Rest of the joints, converted.
    pub(super) rest: Vec<Trs>,
    /// Rest of the scalars.
    pub(super) scalars: Vec<f32>,
    /// Length that errors are relative to.
    pub(super) diagonal: f64,
    names: Names,
}

/// A node, and the joint that it became.
#[derive(Clone, Debug)]
pub(super) struct ClipNode {
    pub(super) id: Option<String>,
    pub(super) sid: Option<String>,
    pub(super) name: Option<String>,
    pub(super) parent: Option<usize>,
    pub(super) stack: Stack,
    pub(super) joint: Option<u16>,
    /// What a helper below the joint holds, if the node is sheared.
    pub(super) inner: Option<glam::DQuat>,
}

/// A weight of a morph, and the scalar that it became.
#[derive(Clone, Debug)]
pub(super) struct ClipWeight {
    /// Ids by which channels refer to the array: that of the source, of its array and of the controller.
    pub(super) ids: Vec<String>,
    pub(super) index: usize,
    pub(super) scalar: u16,
}

#[derive(Clone, Debug, Default)]
struct Names {
    ids: HashMap<String, usize>,
    sids: HashMap<String, usize>,
    names: HashMap<String, usize>,
    /// Ids without what exporters add to them.
    bare: HashMap<String, usize>,
    below: HashMap<(usize, String), usize>,
    weights: HashMap<(String, usize), u16>,
}

impl ClipNodes {
    pub(super) fn new(nodes: Vec<ClipNode>, weights: &[ClipWeight], conversion: Conversion) -> Self {
        let mut names = Names::default();
        let mut put =
            |map: fn(&mut Names) -> &mut HashMap<String, usize>, key: &Option<String>, index: usize| {
                if let Some(key) = key {
                    map(&mut names).entry(key.clone()).or_insert(index);
                }
            };
        for (index, node) in nodes.iter().enumerate() {
            put(|n| &mut n.ids, &node.id, index);
            put(|n| &mut n.sids, &node.sid, index);
            put(|n| &mut n.names, &node.name, index);
            let bare = node.id.as_deref().map(|id| bare_name(id).to_owned());
            put(|n| &mut n.bare, &bare, index);
        }
        for (index, node) in nodes.iter().enumerate() {
            if let (Some(parent), Some(sid)) = (node.parent, &node.sid) {
                names.below.entry((parent, sid.clone())).or_insert(index);
            }
        }
        for weight in weights {
            for id in &weight.ids {
                names.weights.entry((id.clone(), weight.index)).or_insert(weight.scalar);
            }
        }
        Self {
            nodes,
            conversion,
            parents: Vec::new(),
            rest: Vec::new(),
            scalars: Vec::new(),
            diagonal: 1.0,
            names,
        }
    }

    /// The node that an address leads to: by id, else by sid, else by name, at last by what is left of an id without an exporter's
    /// additions.
    pub(super) fn find(&self, address: &Address<'_>) -> Option<usize> {
        let mut node = self.find_node(address.id)?;
        for sid in &address.path {
            node = *self.names.below.get(&(node, (*sid).to_owned()))?;
        }
        Some(node)
    }

    /// A node by what a skin or channel calls it.
    pub(super) fn find_node(&self, id: &str) -> Option<usize> {
        let names = &self.names;
        let exact = names.ids.get(id).or(names.sids.get(id)).or(names.names.get(id));
        let bare = bare_name(id);
        let found = exact.or(names.sids.get(bare)).or(names.names.get(bare)).or(names.ids.get(bare));
        found.or(names.bare.get(bare)).copied()
    }

    /// The scalar of a weight in an array.
    pub(super) fn find_weight(&self, id: &str, index: usize) -> Option<u16> {
        self.names.weights.get(&(id.to_owned(), index)).copied()
    }
}
