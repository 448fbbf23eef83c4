//! What each joint of the target does, worked out once for two characters.

use crate::correct::Correction;
use crate::fit::{Figure, Fit};
use crate::role::{Part, Role};
use crate::segment::Follow;
use glam::{Affine3, DQuat, DVec3, Quat, Vec3};
use sinew::math::normalize;
use sinew::names::match_names;
use sinew::{BoneMap, Skeleton};
use std::collections::HashMap;

/// A joint of the source that is followed, with what stands behind its rotation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    pub joint: u16,
    pub weight: f32,
    pub behind: Quat,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Rule {
    /// At rest below its parent.
    Rest,
    /// Follows one joint.
    One(Share),
    /// Follows several: a range of the shares.
    Several(u32, u32),
    /// Follows one joint that has no role, and whose translation is taken as well.
    Beside(Share, Moved),
}

/// How a translation is carried over: from the source's rest, turned, to the target's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moved {
    pub from: Vec3,
    pub turn: Quat,
    pub to: Vec3,
}

#[derive(Clone, Debug)]
pub(crate) struct Hips {
    /// From the root of the source down to its hips.
    pub path: Vec<u16>,
    /// The hips of the target.
    pub joint: u16,
    /// Where both stand at rest.
    pub from: Vec3,
    pub to: Vec3,
    /// Out of the target's model space, into that of the hips' parent.
    pub into: Affine3,
}

/// Works out the rules.
pub(crate) struct Plan<'a> {
    source: Figure<'a>,
    target: Figure<'a>,
    turn: DQuat,
    /// Rotations at rest, in model space.
    rests: [Vec<DQuat>; 2],
    pub rules: Vec<Rule>,
    pub shares: Vec<Share>,
}

impl<'a> Plan<'a> {
    pub(crate) fn new(source: Figure<'a>, target: Figure<'a>, turn: DQuat) -> Self {
        Self {
            source,
            target,
            turn,
            rests: [source, target].map(|figure| rest_turns(figure.tree.skeleton)),
            rules: vec![Rule::Rest; target.tree.skeleton.len()],
            shares: Vec::new(),
        }
    }

    /// What stands behind the source's rotation `G`, so that `turn * G * behind` is the target's: `Rest⁻¹ · Q⁻¹ · A · Rest'`.
    fn share(&self, from: u16, weight: f64, to: u16, correction: DQuat) -> Share {
        let [source, target] = [(0, from), (1, to)].map(|(who, joint)| self.rests[who][usize::from(joint)]);
        let behind = source.inverse() * self.turn.inverse() * correction * target;
        Share { joint: from, weight: weight as f32, behind: single(behind) }
    }

    pub(crate) fn follow(&mut self, follow: &Follow, correction: DQuat) {
        let shares =
            follow.shares.iter().map(|&(from, weight)| self.share(from, weight, follow.joint, correction));
        let shares: Vec<Share> = shares.collect();
        self.rules[usize::from(follow.joint)] = match shares[..] {
            [one] => Rule::One(one),
            _ => {
                let start = self.shares.len() as u32;
                self.shares.extend(&shares);
                Rule::Several(start, self.shares.len() as u32)
            }
        };
    }

    /// Joints without a role that both characters have, below the same role: props, tails, faces.
    pub(crate) fn beside(&mut self, map: &BoneMap, correction: &Correction) {
        let [from, to] = [self.source, self.target].map(|figure| figure.tree.skeleton);
        let listed = match_names(map.joints.keys().map(String::as_str), from.names());
        let wanted = match_names(map.joints.values().map(String::as_str), to.names());
        let listed: HashMap<u16, Option<u16>> =
            listed.iter().zip(wanted).filter_map(|(from, to)| Some((from.joint()?, to.joint()))).collect();
        let named = match_names(from.names().iter(), to.names());
        for (joint, how) in (0u16..).zip(named) {
            let by_name = how.joint().filter(|_| map.by_name);
            let Some(other) = listed.get(&joint).copied().unwrap_or(by_name) else { continue };
            let free = self.source.roles.role(joint).is_none() && self.target.roles.role(other).is_none();
            if !free || !matches!(self.rules[usize::from(other)], Rule::Rest) {
                continue;
            }
            let below =
                [(self.source, joint), (self.target, other)].map(|(figure, joint)| role_above(figure, joint));
            if let [Some(role), Some(same)] = below
                && role == same
            {
                self.rules[usize::from(other)] = self.beside_rule(joint, other, correction.of(role));
            }
        }
    }

    fn beside_rule(&self, from: u16, to: u16, correction: DQuat) -> Rule {
        let parent = |figure: Figure<'_>, who: usize, joint: u16| {
            figure
                .tree
                .skeleton
                .parent(joint)
                .map_or(DQuat::IDENTITY, |parent| self.rests[who][usize::from(parent)])
        };
        let above = correction * parent(self.target, 1, to);
        let turn = above.inverse() * self.turn * parent(self.source, 0, from);
        let rest = |figure: Figure<'_>, joint: u16| figure.tree.skeleton.rest().get(joint.into()).translation;
        let moved = Moved { from: rest(self.source, from), turn: single(turn), to: rest(self.target, to) };
        Rule::Beside(self.share(from, 1.0, to, correction), moved)
    }
}

/// The role of the nearest joint above that has one.
fn role_above(figure: Figure<'_>, joint: u16) -> Option<Role> {
    let mut at = figure.tree.skeleton.parent(joint);
    while let Some(parent) = at {
        if let Some(role) = figure.roles.role(parent) {
            return Some(role);
        }
        at = figure.tree.skeleton.parent(parent);
    }
    None
}

/// Rotations of the rest in model space.
fn rest_turns(skeleton: &Skeleton) -> Vec<DQuat> {
    let mut turns: Vec<DQuat> = Vec::with_capacity(skeleton.len());
    for (joint, &parent) in skeleton.parents().iter().enumerate() {
        let local = skeleton.rest().get(joint).rotation.as_dquat().normalize();
        let turn = turns.get(usize::from(parent)).map_or(local, |above| (*above * local).normalize());
        turns.push(turn);
    }
    turns
}

pub(crate) fn single(turn: DQuat) -> Quat {
    normalize(turn.to_array().map(|x| x as f32))
}

/// How the hips of the target follow those of the source.
pub(crate) fn hips(source: Figure<'_>, target: Figure<'_>, fit: &Fit) -> Option<Hips> {
    let role = Role::middle(Part::Hips);
    let (from, joint) = (source.roles.joint(role)?, target.roles.joint(role)?);
    let path = source.tree.line(from);
    let skeleton = target.tree.skeleton;
    let above = skeleton
        .parent(joint)
        .map_or(Affine3::IDENTITY, |parent| skeleton.rest_model()[usize::from(parent)].into());
    let into = above.inverse();
    let [from, to] = fit.hips.map(DVec3::as_vec3);
    into.is_finite().then_some(Hips { path, joint, from, to, into })
}
