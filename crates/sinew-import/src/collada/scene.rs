//! The nodes of the shown scene, and which of them become joints.

use super::raw::{Document, InstanceKind, Node};
use super::stack::{Item, Stack};
use crate::{Budget, Cause, limits};
use std::collections::HashMap;
use std::ops::Range;

/// A node of the scene; nodes that are shown at several places occur several times.
pub(crate) struct SceneNode<'r, 'd> {
    /// As it is written.
    pub(crate) raw: &'r Node<'d>,
    /// The node above it.
    pub(crate) parent: Option<usize>,
    /// Number behind its last descendant.
    pub(crate) end: usize,
    /// Its name, or its index.
    pub(crate) name: String,
    /// Its transforms.
    pub(crate) stack: Stack,
}

/// All nodes of the scene, each before its children.
pub(crate) struct Scene<'r, 'd> {
    /// The nodes.
    pub(crate) nodes: Vec<SceneNode<'r, 'd>>,
    by_sid: HashMap<&'d str, Vec<usize>>,
    by_name: HashMap<&'d str, Vec<usize>>,
    by_id: HashMap<&'d str, Vec<usize>>,
}

impl<'r, 'd> Scene<'r, 'd> {
    /// Walks the shown scene of a document.
    pub(crate) fn new(document: &'r Document<'d>, budget: &Budget<'_>) -> Result<Self, Cause> {
        let mut walk = Walk { library: HashMap::new(), nodes: Vec::new(), budget };
        for node in document.nodes.iter().chain(document.scenes.items.iter().flat_map(|s| &s.nodes)) {
            walk.collect(node);
        }
        for node in document.shown_scene().map(|s| s.nodes.as_slice()).unwrap_or_default() {
            walk.visit(node, None, 0)?;
        }
        let mut scene = Self {
            nodes: walk.nodes,
            by_sid: HashMap::new(),
            by_name: HashMap::new(),
            by_id: HashMap::new(),
        };
        for (index, node) in scene.nodes.iter().enumerate() {
            let put = |map: &mut HashMap<&'d str, Vec<usize>>, key: Option<&'d str>| {
                if let Some(key) = key {
                    map.entry(key).or_default().push(index);
                }
            };
            put(&mut scene.by_sid, node.raw.sid);
            put(&mut scene.by_name, node.raw.name);
            put(&mut scene.by_id, node.raw.id);
        }
        Ok(scene)
    }

    /// Finds the nodes that a skin calls joints: inside of its skeletons first, by sid, then name, then id (ids first, where it says ids).
    pub(crate) fn joint_finder<'s, 'w>(
        &'s self,
        ids: bool,
        skeletons: &[&str],
    ) -> impl FnMut(&'w str) -> Option<usize> + use<'s, 'w, 'r, 'd> {
        let maps = if ids {
            [&self.by_id, &self.by_sid, &self.by_name]
        } else {
            [&self.by_sid, &self.by_name, &self.by_id]
        };
        let roots = self.subtrees(skeletons);
        // A skin may call many joints by one name, which many nodes may have.
        let mut known: HashMap<&str, Option<usize>> = HashMap::new();
        move |word| {
            let below = |node: &usize| {
                let next = roots.partition_point(|root| root.start <= *node);
                next.checked_sub(1).and_then(|i| roots.get(i)).is_some_and(|root| root.contains(node))
            };
            *known.entry(word).or_insert_with(|| {
                let inside = maps.iter().find_map(|map| map.get(word)?.iter().copied().find(below));
                inside.or_else(|| maps.iter().find_map(|map| map.get(word)?.first().copied()))
            })
        }
    }

    /// Nodes at and below some, as ranges that rise and do not overlap.
    fn subtrees(&self, ids: &[&str]) -> Vec<Range<usize>> {
        let root = |id: &&str| {
            let root = *self.by_id.get(id)?.first()?;
            Some(root..self.nodes.get(root)?.end)
        };
        let mut roots: Vec<Range<usize>> = ids.iter().filter_map(root).collect();
        roots.sort_unstable_by_key(|root| root.start);
        // Of two subtrees one lies in the other, or they have nothing in common.
        roots.dedup_by(|next, kept| next.start < kept.end);
        roots
    }
}

struct Walk<'r, 'd, 'b> {
    /// Nodes that instances may refer to.
    library: HashMap<&'d str, &'r Node<'d>>,
    nodes: Vec<SceneNode<'r, 'd>>,
    budget: &'b Budget<'b>,
}

/// Bytes that a node takes in the scene, among the joints and for clips, its names and transforms apart.
const NODE_BYTES: u64 = 1024;

impl<'r, 'd> Walk<'r, 'd, '_> {
    fn collect(&mut self, node: &'r Node<'d>) {
        if let Some(id) = node.id {
            self.library.entry(id).or_insert(node);
        }
        for child in &node.children {
            self.collect(child);
        }
    }

    fn visit(&mut self, raw: &'r Node<'d>, parent: Option<usize>, depth: u64) -> Result<(), Cause> {
        let index = self.nodes.len();
        let limits = self.budget.limits();
        limits::check("nodes", index as u64 + 1, limits.nodes)?;
        // A node that instances itself would recurse for ever.
        limits::check("depth", depth, limits.allowed_depth())?;
        // Of names and transforms there is a copy here, one for clips, and one where the node moves.
        let names: usize = [raw.id, raw.sid, raw.name].iter().flatten().map(|name| name.len()).sum();
        let own = names.saturating_add(raw.stack.len().saturating_mul(size_of::<Item>()));
        self.budget.memory((own as u64).saturating_mul(3).saturating_add(NODE_BYTES))?;
        let name = raw.name.or(raw.sid).or(raw.id).filter(|n| !n.is_empty());
        self.nodes.push(SceneNode {
            raw,
            parent,
            end: index + 1,
            name: name.map_or_else(|| format!("node_{index}"), str::to_owned),
            stack: Stack::new(&raw.stack),
        });
        for child in &raw.children {
            self.visit(child, Some(index), depth + 1)?;
        }
        for instance in raw.instances.iter().filter(|i| i.kind == InstanceKind::Node) {
            if let Some(&node) = self.library.get(instance.url) {
                self.visit(node, Some(index), depth + 1)?;
            }
        }
        let end = self.nodes.len();
        if let Some(node) = self.nodes.get_mut(index) {
            node.end = end;
        }
        Ok(())
    }
}

/// Which nodes become joints.
#[derive(Debug)]
pub(crate) struct Marks(Vec<bool>);

impl Marks {
    /// Marks nothing of a scene.
    pub(crate) fn new(scene: &Scene<'_, '_>) -> Self {
        Self(vec![false; scene.nodes.len()])
    }

    /// Marks a node alone.
    pub(crate) fn mark(&mut self, node: usize) {
        if let Some(mark) = self.0.get_mut(node) {
            *mark = true;
        }
    }

    /// Marks a node that moves, with all that it carries: props may hang on nodes that are not joints.
    pub(crate) fn mark_with_descendants(&mut self, scene: &Scene<'_, '_>, node: usize) {
        let end = scene.nodes.get(node).map_or(node, |n| n.end);
        if let Some(marks) = self.0.get_mut(node..end) {
            marks.fill(true);
        }
    }

    /// Marks the ancestors of all that is marked, whose transforms count too.
    pub(crate) fn mark_ancestors(&mut self, scene: &Scene<'_, '_>) {
        // Children come behind their parents, so one pass from the back sees every mark.
        for index in (0..self.0.len()).rev() {
            let parent = scene.nodes.get(index).and_then(|n| n.parent);
            if let (Some(true), Some(parent)) = (self.0.get(index), parent) {
                self.mark(parent);
            }
        }
    }

    /// Whether a node becomes a joint.
    pub(crate) fn has(&self, node: usize) -> bool {
        self.0.get(node) == Some(&true)
    }
}
