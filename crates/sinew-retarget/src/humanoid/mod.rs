//! Which joint has which role: found by names, by the shape of the tree and by where joints stand at rest, or listed in a bone map.

mod chain;
mod check;
mod fingers;
mod topology;

use crate::alias::Aliases;
use crate::role::{Part, Role, Side};
use crate::tree::Tree;
use chain::Candidates;
use sinew::names::{Match, match_names};
use sinew::{BoneMap, Skeleton};
use std::collections::{BTreeMap, HashSet};
use std::fmt;

/// How the role of a joint was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    /// A bone map says so.
    Listed,
    /// The file of the character says so, as a VRM does.
    Vrm,
    /// By its name, which fits its place in the tree.
    Name,
    /// By its place in the tree alone.
    Tree,
}

impl Method {
    /// As reports call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Listed => "listed",
            Self::Vrm => "VRM",
            Self::Name => "name",
            Self::Tree => "tree",
        }
    }
}

/// What is known of the roles of a skeleton's joints before any are looked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// A bone map from joints to roles. It has the first word; with [`BoneMap::by_name`] off, it has the only one.
    pub map: BoneMap,
    /// Roles that the file of the character gives itself, as a VRM does, with the joint of each.
    pub roles: Vec<(Role, u16)>,
}

impl From<&BoneMap> for Known {
    fn from(map: &BoneMap) -> Self {
        Self { map: map.clone(), roles: Vec::new() }
    }
}

/// The joint of a role.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Assigned {
    /// Index of the joint.
    pub joint: u16,
    /// How it was found.
    pub method: Method,
    /// From zero to one.
    pub confidence: f32,
}

/// A role that was given to no joint, though there are some that could have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The role.
    pub role: Role,
    /// Names of the joints that could have it.
    pub candidates: Vec<String>,
    /// Why none has it.
    pub reason: &'static str,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.role, self.reason, self.candidates.join(", "))
    }
}

/// Why a skeleton is not taken for a humanoid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NotHumanoid {
    /// Roles that every humanoid has were not found.
    #[error("no joint was found for {}; list them in a bone map, as in `\"joint\" = \"{}\"`", list(.roles), .roles.first().map(ToString::to_string).unwrap_or_default())]
    Missing {
        /// The roles.
        roles: Vec<Role>,
    },
    /// The trunk does not go on where the legs end, as that of a beast on four legs.
    #[error(
        "the trunk lies across the legs ({degrees:.0}° apart): this looks like a beast on four legs, not like a humanoid"
    )]
    FourLegs {
        /// The angle between trunk and legs.
        degrees: f32,
    },
    /// Joints called left and right are not where left and right are.
    #[error("the joints called left are not all on the left at rest; list the joints in a bone map")]
    Sides,
    /// The bone map names a joint that could be several.
    #[error("`{name}` of the bone map could mean several joints: {}; write its full name", .candidates.join(", "))]
    Ambiguous {
        /// As the bone map writes it.
        name: String,
        /// The joints.
        candidates: Vec<String>,
    },
}

fn list(roles: &[Role]) -> String {
    roles.iter().map(|role| format!("`{role}`")).collect::<Vec<_>>().join(", ")
}

/// The roles of a skeleton's joints.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Humanoid {
    roles: BTreeMap<Role, Assigned>,
    refused: Vec<Refused>,
}

/// Parts without which nothing is retargeted.
const NEEDED: [Part; 4] = [Part::UpperLeg, Part::LowerLeg, Part::UpperArm, Part::LowerArm];

impl Humanoid {
    /// Finds the roles of a skeleton by names, tree and rest.
    pub fn find(skeleton: &Skeleton) -> Result<Self, NotHumanoid> {
        Self::with_map(skeleton, &BoneMap::default())
    }

    /// The same, where entries of a bone map that lead from a joint of the skeleton to a role have the first word. With
    /// [`BoneMap::by_name`] off, only they count.
    pub fn with_map(skeleton: &Skeleton, map: &BoneMap) -> Result<Self, NotHumanoid> {
        Self::knowing(skeleton, &map.into())
    }

    /// The same, where roles that the character's file gives count before those that are found.
    pub fn knowing(skeleton: &Skeleton, known: &Known) -> Result<Self, NotHumanoid> {
        let map = &known.map;
        let mut found = Self::default();
        let kept_out = found.take_listed(skeleton, map)?;
        let tree = Tree::new(skeleton);
        if map.by_name {
            let inside = |joint: u16| usize::from(joint) < skeleton.len() && !kept_out.contains(&joint);
            for &(role, joint) in known.roles.iter().filter(|(_, joint)| inside(*joint)) {
                found.set(role, joint, Method::Vrm, 1.0);
            }
            Finder { tree: &tree, kept_out: &kept_out, found: &mut found }.find();
            found.roles.retain(|_, assigned| !kept_out.contains(&assigned.joint));
        }
        found.check_needed()?;
        check::check(&tree, &found)?;
        Ok(found)
    }

    /// The joint of a role.
    pub fn joint(&self, role: Role) -> Option<u16> {
        self.roles.get(&role).map(|assigned| assigned.joint)
    }

    /// The role of a joint.
    pub fn role(&self, joint: u16) -> Option<Role> {
        self.roles.iter().find(|(_, assigned)| assigned.joint == joint).map(|(&role, _)| role)
    }

    /// All roles that were found, and how.
    pub fn roles(&self) -> impl ExactSizeIterator<Item = (Role, Assigned)> + '_ {
        self.roles.iter().map(|(&role, &assigned)| (role, assigned))
    }

    /// Roles that could not be decided.
    pub fn refused(&self) -> &[Refused] {
        &self.refused
    }

    /// The same as a bone map, to be written, edited and used for other characters of the same make.
    pub fn bone_map(&self, skeleton: &Skeleton) -> BoneMap {
        let joints =
            self.roles().map(|(role, found)| (skeleton.name(found.joint).to_owned(), role.to_string()));
        BoneMap { joints: joints.collect(), ..BoneMap::default() }
    }

    fn part(&self, side: Side, part: Part) -> Option<u16> {
        self.joint(Role::new(side, part))
    }

    /// Gives a role to a joint, unless one of the two is taken: what is known counts before what is found.
    fn set(&mut self, role: Role, joint: u16, method: Method, confidence: f32) {
        if self.role(joint).is_none() {
            self.roles.entry(role).or_insert(Assigned { joint, method, confidence });
        }
    }

    fn refuse(&mut self, skeleton: &Skeleton, role: Role, joints: &[u16], reason: &'static str) {
        let candidates = joints.iter().map(|&joint| skeleton.name(joint).to_owned()).collect();
        self.refused.push(Refused { role, candidates, reason });
    }

    /// Takes over what a bone map lists; returns the joints that it keeps out.
    fn take_listed(&mut self, skeleton: &Skeleton, map: &BoneMap) -> Result<HashSet<u16>, NotHumanoid> {
        let mut kept_out = HashSet::new();
        let names = map.joints.keys().map(String::as_str);
        for ((name, to), how) in map.joints.iter().zip(match_names(names, skeleton.names())) {
            let role = Role::parse(to);
            let joint = match how {
                Match::Exact(joint) | Match::Prefix(joint) => joint,
                Match::None => continue,
                Match::Ambiguous(joints) => {
                    let candidates = joints.iter().map(|&joint| skeleton.name(joint).to_owned()).collect();
                    return Err(NotHumanoid::Ambiguous { name: name.clone(), candidates });
                }
            };
            match role {
                Some(role) => self.set(role, joint, Method::Listed, 1.0),
                None if to.is_empty() => _ = kept_out.insert(joint),
                None => {}
            }
        }
        Ok(kept_out)
    }

    fn check_needed(&self) -> Result<(), NotHumanoid> {
        let sided = Side::BOTH.into_iter().flat_map(|side| NEEDED.map(|part| Role::new(side, part)));
        let needed = [Role::middle(Part::Hips)].into_iter().chain(sided);
        let roles: Vec<Role> = needed.filter(|&role| self.joint(role).is_none()).collect();
        if roles.is_empty() { Ok(()) } else { Err(NotHumanoid::Missing { roles }) }
    }
}

/// Finds what is not listed.
struct Finder<'a> {
    tree: &'a Tree<'a>,
    kept_out: &'a HashSet<u16>,
    found: &'a mut Humanoid,
}

impl Finder<'_> {
    fn find(&mut self) {
        let names = Candidates::new(self.tree, self.kept_out, self.found);
        let before = self.found.clone();
        for side in Side::BOTH {
            self.limb(&names, side, &[Part::UpperLeg, Part::LowerLeg, Part::Foot, Part::Toes]);
            self.limb(&names, side, &[Part::Shoulder, Part::UpperArm, Part::LowerArm, Part::Hand]);
        }
        let limbs = Side::BOTH
            .into_iter()
            .all(|side| NEEDED.iter().all(|&part| self.found.part(side, part).is_some()));
        if !limbs {
            // Names that do not make four limbs are not trusted at all.
            *self.found = before;
            topology::find(self.tree, self.kept_out, self.found);
            return;
        }
        self.middle(&names);
        for side in Side::BOTH {
            fingers::find(self.tree, self.found, side);
            self.single(&names, Role::new(side, Part::Eye));
        }
        self.single(&names, Role::middle(Part::Jaw));
    }

    fn limb(&mut self, names: &Candidates, side: Side, parts: &[Part]) {
        for link in names.best_chain(self.tree, side, parts) {
            let role = Role::new(side, link.part);
            match link.joint {
                Ok(joint) => self.found.set(role, joint, Method::Name, link.confidence),
                Err(joints) => {
                    self.found.refuse(
                        self.tree.skeleton,
                        role,
                        &joints,
                        "several joints could have it, or none in its place",
                    );
                }
            }
        }
    }

    /// Hips, trunk, neck and head.
    fn middle(&mut self, names: &Candidates) {
        let part = |found: &Humanoid, part| Side::BOTH.map(|side| found.part(side, part));
        let [Some(left), Some(right)] = part(self.found, Part::UpperArm) else { return };
        let arms = self.tree.common(left, right);
        let [Some(left), Some(right)] = part(self.found, Part::UpperLeg) else { return };
        let (Some(arms), Some(legs)) = (arms, self.tree.common(left, right)) else { return };
        // What carries legs and trunk is the hips; a joint of that name that carries only one of them is not.
        let Some(split) = self.tree.common(arms, legs) else { return };
        let named =
            names.of(Side::Middle, Part::Hips).into_iter().filter(|&joint| self.tree.hangs_on(split, joint));
        let named = named.max_by_key(|&joint| self.tree.depth(joint));
        let (method, confidence) = if named.is_some() { (Method::Name, 1.0) } else { (Method::Tree, 0.8) };
        let hips = named.unwrap_or(split);
        self.found.set(Role::middle(Part::Hips), hips, method, confidence);
        self.head(names, arms);
        self.trunk(hips, arms);
    }

    fn head(&mut self, names: &Candidates, arms: u16) {
        let role = Role::middle(Part::Head);
        let heads = names.of(Side::Middle, Part::Head);
        match self.tree.highest_of_line(&heads) {
            Some(head) => self.found.set(role, head, Method::Name, 1.0),
            None if heads.is_empty() => {}
            None => self.found.refuse(self.tree.skeleton, role, &heads, "several joints could have it"),
        }
        let necks = names.of(Side::Middle, Part::Neck);
        let head = self.found.joint(role);
        let above = |&joint: &u16| head.is_none_or(|head| joint != head && self.tree.hangs_on(head, joint));
        let necks: Vec<u16> = necks.into_iter().filter(above).collect();
        let neck = self.tree.highest_of_line(&necks);
        if let Some(neck) = neck {
            self.found.set(Role::middle(Part::Neck), neck, Method::Name, 1.0);
        }
        match (head, neck) {
            // The joint between trunk and head.
            (Some(head), None) => {
                if let [_, neck, _, ..] = self.tree.path(arms, head)[..] {
                    self.found.set(Role::middle(Part::Neck), neck, Method::Tree, 0.7);
                }
            }
            (None, Some(neck)) if heads.is_empty() => {
                if let [head] = *self.tree.children(neck) {
                    self.found.set(role, head, Method::Tree, 0.6);
                }
            }
            _ => {}
        }
    }

    /// The joints between hips and arms or neck, from the first to the last.
    fn trunk(&mut self, hips: u16, arms: u16) {
        let neck = self.found.joint(Role::middle(Part::Neck));
        let mut path = self.tree.path(hips, arms);
        // In some rigs the collar bones hang on the neck.
        if let Some(end) = neck.and_then(|neck| path.iter().position(|&joint| joint == neck)) {
            path.truncate(end);
        }
        topology::set_trunk(self.found, path.get(1..).unwrap_or_default(), Method::Name);
    }

    /// A role of the head, by name alone.
    fn single(&mut self, names: &Candidates, role: Role) {
        let Some(head) = self.found.joint(Role::middle(Part::Head)) else { return };
        let joints = names.of(role.side(), role.part());
        let joints: Vec<u16> = joints.into_iter().filter(|&joint| self.tree.hangs_on(joint, head)).collect();
        match self.tree.highest_of_line(&joints) {
            Some(joint) => self.found.set(role, joint, Method::Name, 0.9),
            None if joints.is_empty() => {}
            None => self.found.refuse(self.tree.skeleton, role, &joints, "several joints could have it"),
        }
    }
}

#[cfg(test)]
mod makes;
#[cfg(test)]
mod tests;
