//! Questions about the tree of joints.

use glam::Vec3;
use sinew::{NO_JOINT, Skeleton};

/// A skeleton with its children listed.
pub(crate) struct Tree<'a> {
    pub(crate) skeleton: &'a Skeleton,
    children: Vec<Vec<u16>>,
    depths: Vec<u16>,
}

impl<'a> Tree<'a> {
    pub(crate) fn new(skeleton: &'a Skeleton) -> Self {
        let mut children = vec![Vec::new(); skeleton.len()];
        let mut depths = vec![0u16; skeleton.len()];
        for (joint, &parent) in (0u16..).zip(skeleton.parents()) {
            if parent != NO_JOINT {
                children[usize::from(parent)].push(joint);
                depths[usize::from(joint)] = depths[usize::from(parent)] + 1;
            }
        }
        Self { skeleton, children, depths }
    }

    pub(crate) fn joints(&self) -> impl DoubleEndedIterator<Item = u16> + use<> {
        0..self.skeleton.len() as u16
    }

    pub(crate) fn children(&self, joint: u16) -> &[u16] {
        &self.children[usize::from(joint)]
    }

    pub(crate) fn depth(&self, joint: u16) -> u16 {
        self.depths[usize::from(joint)]
    }

    /// Where a joint is at rest, in model space.
    pub(crate) fn place(&self, joint: u16) -> Vec3 {
        self.skeleton.rest_model()[usize::from(joint)].translation()
    }

    /// Whether `below` hangs on `above`, or is the same.
    pub(crate) fn hangs_on(&self, below: u16, above: u16) -> bool {
        let mut at = Some(below);
        while let Some(joint) = at {
            if joint == above {
                return true;
            }
            at = self.skeleton.parent(joint);
        }
        false
    }

    /// A joint and all that it hangs on, the root first.
    pub(crate) fn line(&self, joint: u16) -> Vec<u16> {
        let mut line: Vec<u16> =
            std::iter::successors(Some(joint), |&joint| self.skeleton.parent(joint)).collect();
        line.reverse();
        line
    }

    /// The lowest joint that both hang on.
    pub(crate) fn common(&self, a: u16, b: u16) -> Option<u16> {
        let mut at = Some(a);
        while let Some(joint) = at {
            if self.hangs_on(b, joint) {
                return Some(joint);
            }
            at = self.skeleton.parent(joint);
        }
        None
    }

    /// The joints from `above` down to `below`, both included; nothing if the one does not hang on the other.
    pub(crate) fn path(&self, above: u16, below: u16) -> Vec<u16> {
        let mut path = Vec::new();
        let mut at = Some(below);
        while let Some(joint) = at {
            path.push(joint);
            if joint == above {
                path.reverse();
                return path;
            }
            at = self.skeleton.parent(joint);
        }
        Vec::new()
    }

    /// The joint that all of `joints` hang on, if they are one below the other: the highest of them.
    pub(crate) fn highest_of_line(&self, joints: &[u16]) -> Option<u16> {
        let highest = joints.iter().copied().min_by_key(|&joint| self.depth(joint))?;
        joints.iter().all(|&joint| self.hangs_on(joint, highest)).then_some(highest)
    }

    /// The path from a joint to the end of its deepest branch.
    pub(crate) fn longest(&self, joint: u16) -> Vec<u16> {
        // Children come behind their parents, so one pass from the back knows what is below each.
        let mut best: Vec<(u16, u16)> = vec![(1, NO_JOINT); self.skeleton.len()];
        for at in self.joints().rev() {
            if let Some(parent) = self.skeleton.parent(at) {
                let below = best[usize::from(at)].0 + 1;
                let kept = &mut best[usize::from(parent)];
                // Of equally long ones the first, whose number is lower.
                if below >= kept.0 {
                    *kept = (below, at);
                }
            }
        }
        let mut path = vec![joint];
        let mut next = best[usize::from(joint)].1;
        while next != NO_JOINT {
            path.push(next);
            next = best[usize::from(next)].1;
        }
        path
    }
}
