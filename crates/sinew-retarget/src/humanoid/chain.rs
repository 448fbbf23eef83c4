//! Limbs by name: the line of joints, each below the one before, whose names fit best.

use super::{Aliases, Humanoid, NEEDED, Part, Side, Tree};
use crate::alias::Claim;
use crate::role::Role;
use std::collections::HashSet;

/// Joints with one name that are still looked at: a limb of a real rig has a handful.
const MOST: usize = 12;

/// Parts that the names of joints mean.
pub(super) struct Candidates {
    list: Vec<(Side, Part, u16, Claim)>,
}

/// A part of a limb: its joint, or those that could be it.
pub(super) struct Link {
    pub part: Part,
    pub joint: Result<u16, Vec<u16>>,
    pub confidence: f32,
}

impl Candidates {
    /// What the names say. Roles that are listed have their one joint, whatever it is called; joints that have a listed role or are kept
    /// out are no candidates for others.
    pub(super) fn new(tree: &Tree<'_>, kept_out: &HashSet<u16>, listed: &Humanoid) -> Self {
        let mut list = Vec::new();
        let aliases = Aliases::get();
        for joint in tree.joints().filter(|joint| !kept_out.contains(joint) && listed.role(*joint).is_none())
        {
            let spelled = aliases.spell(tree.skeleton.name(joint));
            for &(part, claim) in aliases.parts(&spelled) {
                let fits = part.is_paired() == (spelled.side != Side::Middle);
                if fits && listed.joint(Role::new(spelled.side, part)).is_none() {
                    list.push((spelled.side, part, joint, claim));
                }
            }
        }
        list.extend(
            listed.roles().map(|(role, found)| (role.side(), role.part(), found.joint, Claim::Strong)),
        );
        Self { list }
    }

    /// Joints whose names mean a part, those without doubt before all others.
    pub(super) fn of(&self, side: Side, part: Part) -> Vec<u16> {
        let all = self.claims(side, part);
        let best = all.iter().map(|&(_, claim)| claim).max();
        all.into_iter().filter(|&(_, claim)| Some(claim) == best).map(|(joint, _)| joint).collect()
    }

    fn claims(&self, side: Side, part: Part) -> Vec<(u16, Claim)> {
        let fits = |&&(s, p, ..): &&(Side, Part, u16, Claim)| s == side && p == part;
        self.list.iter().filter(fits).map(|&(_, _, joint, claim)| (joint, claim)).collect()
    }

    /// The line of joints that fits best. A part for which several fit equally well, none of which carries the others, is open.
    pub(super) fn best_chain(&self, tree: &Tree<'_>, side: Side, parts: &[Part]) -> Vec<Link> {
        let choices: Vec<Vec<(u16, Claim)>> = parts.iter().map(|&part| self.claims(side, part)).collect();
        let mut search = Search { tree, parts, choices: &choices, best: 0, lines: Vec::new() };
        if choices.iter().all(|joints| joints.len() <= MOST) {
            search.extend(&mut Vec::new(), 0);
        }
        let lines = search.lines;
        parts
            .iter()
            .zip(&choices)
            .enumerate()
            .filter_map(|(at, (&part, choices))| {
                let mut joints: Vec<u16> = lines.iter().filter_map(|line| line[at]).collect();
                joints.sort_unstable();
                joints.dedup();
                let joint = match tree.highest_of_line(&joints) {
                    Some(joint) => Ok(joint),
                    None if choices.is_empty() => return None,
                    None => Err(choices.iter().map(|&(joint, _)| joint).collect()),
                };
                let claim =
                    choices.iter().find(|(other, _)| joint.as_ref() == Ok(other)).map(|&(_, claim)| claim);
                let confidence = if claim == Some(Claim::Strong) { 1.0 } else { 0.8 };
                Some(Link { part, joint, confidence })
            })
            .collect()
    }
}

/// Tries every line of joints.
struct Search<'a> {
    tree: &'a Tree<'a>,
    parts: &'a [Part],
    choices: &'a [Vec<(u16, Claim)>],
    best: u32,
    /// The lines with the best score: a joint or none for each part.
    lines: Vec<Vec<Option<u16>>>,
}

impl Search<'_> {
    fn extend(&mut self, line: &mut Vec<Option<u16>>, score: u32) {
        let Some(choices) = self.choices.get(line.len()) else {
            if score > self.best {
                self.best = score;
                self.lines.clear();
            }
            if score == self.best && score > 0 {
                self.lines.push(line.clone());
            }
            return;
        };
        // A shoulder without an upper arm below it is the upper arm.
        let needed = if NEEDED.contains(&self.parts[line.len()]) { 2 } else { 0 };
        let above = line.iter().rev().flatten().next().copied();
        for &(joint, claim) in choices {
            if above.is_none_or(|above| joint != above && self.tree.hangs_on(joint, above)) {
                line.push(Some(joint));
                self.extend(line, score + needed + if claim == Claim::Strong { 2 } else { 1 });
                line.pop();
            }
        }
        line.push(None);
        self.extend(line, score);
        line.pop();
    }
}
