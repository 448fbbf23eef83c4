//! The joints as a collapsible tree.

use sinew::Skeleton;
use sinew_render::short_name;
use std::collections::HashSet;

/// A row of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JointRow {
    /// Its joint.
    pub joint: u16,
    /// Number of ancestors.
    pub depth: u16,
    /// Whether it has children.
    pub has_children: bool,
}

/// All joints in depth-first order.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    rows: Vec<JointRow>,
    /// Names without namespace, by joint.
    names: Vec<String>,
    parents: Vec<Option<u16>>,
}

impl Tree {
    /// The tree of a skeleton.
    pub fn new(skeleton: &Skeleton) -> Self {
        let count = skeleton.len();
        let parents: Vec<_> = (0u16..).take(count).map(|joint| skeleton.parent(joint)).collect();
        let mut children = vec![Vec::new(); count];
        for (joint, parent) in (0u16..).zip(&parents) {
            if let Some(parent) = parent {
                children[usize::from(*parent)].push(joint);
            }
        }
        let mut rows = Vec::with_capacity(count);
        // Reversed, since the stack returns the last one first.
        let mut open: Vec<(u16, u16)> = skeleton.roots().map(|root| (root, 0)).collect();
        open.reverse();
        while let Some((joint, depth)) = open.pop() {
            let below = &children[usize::from(joint)];
            rows.push(JointRow { joint, depth, has_children: !below.is_empty() });
            open.extend(below.iter().rev().map(|&child| (child, depth + 1)));
        }
        let names = skeleton.names().iter().map(|name| short_name(name).to_owned()).collect();
        Self { rows, names, parents }
    }

    /// A joint's name without namespace and prefix (`mixamorig:`).
    pub fn name(&self, joint: u16) -> &str {
        self.names.get(usize::from(joint)).map_or("", String::as_str)
    }

    /// The ancestors of a joint, nearest first.
    pub fn ancestors(&self, joint: u16) -> impl Iterator<Item = u16> + '_ {
        let parent = |joint: u16| self.parents.get(usize::from(joint)).copied().flatten();
        std::iter::successors(parent(joint), move |&joint| parent(joint))
    }

    /// The visible rows: without the descendants of folded joints. With a search text, the joints whose names contain it, and their ancestors.
    pub fn visible(&self, folded: &HashSet<u16>, search: &str) -> Vec<JointRow> {
        let wanted = search.trim().to_lowercase();
        if wanted.is_empty() {
            let open = |row: &&JointRow| !self.ancestors(row.joint).any(|above| folded.contains(&above));
            return self.rows.iter().filter(open).copied().collect();
        }
        let mut shown = HashSet::new();
        for joint in (0u16..).zip(&self.names).filter(|(_, name)| name.to_lowercase().contains(&wanted)) {
            shown.insert(joint.0);
            shown.extend(self.ancestors(joint.0));
        }
        self.rows.iter().filter(|row| shown.contains(&row.joint)).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::testing::character;

    fn names(tree: &Tree, folded: &[u16], search: &str) -> Vec<String> {
        let rows = tree.visible(&folded.iter().copied().collect(), search);
        rows.iter().map(|row| format!("{}{}", "-".repeat(row.depth.into()), tree.name(row.joint))).collect()
    }

    #[test]
    fn each_joint_is_followed_by_those_below_it() {
        let tree = Tree::new(character().skeleton());
        assert_eq!(names(&tree, &[], ""), ["Hips", "-Spine", "--Head", "-Leg"]);
        assert_eq!(names(&tree, &[1], ""), ["Hips", "-Spine", "-Leg"]);
        assert_eq!(names(&tree, &[0], ""), ["Hips"]);
        assert_eq!(tree.ancestors(2).collect::<Vec<_>>(), [1, 0]);
        assert!(tree.rows[0].has_children && !tree.rows[2].has_children);
    }

    #[test]
    fn a_search_shows_what_it_finds_and_where_that_is() {
        let tree = Tree::new(character().skeleton());
        assert_eq!(names(&tree, &[0, 1], "HEA"), ["Hips", "-Spine", "--Head"]);
        assert!(names(&tree, &[], "tail").is_empty());
    }
}
