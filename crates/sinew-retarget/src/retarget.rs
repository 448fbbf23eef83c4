//! Carrying poses of one humanoid over to another, in model space.

use crate::correct::Correction;
use crate::error::{RetargetError, Who};
use crate::findings;
use crate::fit::{Figure, Fit};
use crate::humanoid::Humanoid;
use crate::role::{Part, Role};
use crate::segment::{Follow, follows};
use crate::tree::Tree;
use glam::{Affine3, DQuat, DVec3, Quat, Vec3};
use sinew::math::normalize;
use sinew::names::match_names;
use sinew::{BoneMap, Character, Finding, NO_JOINT, Pose, RootTranslation, Skeleton, Transform};
use std::collections::HashMap;
use std::sync::Arc;

/// How the joints of one humanoid follow those of another. Made once for two characters, and shared.
///
/// What a joint of the source has turned by in model space since its rest, the joint of the target with the same role turns by too. The two rests
/// are laid over one another by a turn and by the ratio of the lengths of the legs; limbs that point elsewhere at rest, as arms in an A- and in
/// a T-pose, are corrected. Only the hips are moved: all other joints keep the target's own distances. Joints without a role in both
/// keep their rest below their parent, unless both characters have one of that name.
///
/// The target's rest, bind and skin are not touched.
#[derive(Clone, Debug)]
pub struct Retarget {
    source: Arc<Skeleton>,
    target: Arc<Skeleton>,
    pub(crate) roles: [Humanoid; 2],
    /// Turns the source's model space into the target's.
    turn: Quat,
    scale: f32,
    residual: f32,
    /// What each joint of the target does.
    rules: Vec<Rule>,
    shares: Vec<Share>,
    hips: Option<Hips>,
    /// Scalars of the source and of the target that have one name.
    scalars: Vec<(u16, u16)>,
}

/// A joint of the source that is followed, with what stands behind its rotation.
#[derive(Clone, Copy, Debug)]
struct Share {
    joint: u16,
    weight: f32,
    behind: Quat,
}

#[derive(Clone, Copy, Debug)]
enum Rule {
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
struct Moved {
    from: Vec3,
    turn: Quat,
    to: Vec3,
}

#[derive(Clone, Debug)]
struct Hips {
    /// From the root of the source down to its hips.
    path: Vec<u16>,
    /// The hips of the target.
    joint: u16,
    /// Where both stand at rest.
    from: Vec3,
    to: Vec3,
    /// Out of the target's model space, into that of the hips' parent.
    into: Affine3,
}

impl Retarget {
    /// Works out how `target` follows `source`, and reports what is odd about it. The bone map says which joint of the source has which role, or
    /// leads from a joint of the source to one of the target; what it does not list is found.
    pub fn new(
        source: &Character,
        target: &Character,
        map: &BoneMap,
    ) -> Result<(Self, Vec<Finding>), RetargetError> {
        Self::with_maps(source, target, map, &BoneMap::default())
    }

    /// The same with a bone map of the target's, from its joints to roles.
    pub fn with_maps(
        source: &Character,
        target: &Character,
        map: &BoneMap,
        target_map: &BoneMap,
    ) -> Result<(Self, Vec<Finding>), RetargetError> {
        let humanoid = |who: Who, character: &Character, map: &BoneMap| {
            let name = || character.name().to_owned();
            Humanoid::with_map(character.skeleton(), map).map_err(|why| RetargetError::NotHumanoid {
                who,
                character: name(),
                why,
            })
        };
        let from = humanoid(Who::Source, source, map)?;
        let to = humanoid(Who::Target, target, &led(map, source.skeleton(), &from, target_map))?;
        let (retarget, fit) =
            Self::between(source, target, [from, to], map).ok_or_else(|| RetargetError::NoFit {
                source_name: source.name().to_owned(),
                target_name: target.name().to_owned(),
            })?;
        let findings = findings::of(&retarget, &fit, [source.name(), target.name()]);
        Ok((retarget, findings))
    }

    fn between(
        source: &Character,
        target: &Character,
        roles: [Humanoid; 2],
        map: &BoneMap,
    ) -> Option<(Self, Fit)> {
        let trees = [source, target].map(|character| character.skeleton().clone());
        let trees = trees.each_ref().map(|skeleton| Tree::new(skeleton));
        let [from, to] = [0, 1].map(|at| Figure { tree: &trees[at], roles: &roles[at] });
        let up = Vec3::from(target.space().up).as_dvec3();
        let fit = Fit::new(from, to, up)?;
        let correction = Correction::new(from, to, &fit, up);
        let mut plan = Plan::new(from, to, fit.turn);
        for follow in follows(from, to) {
            plan.follow(&follow, correction.of(follow.role));
        }
        plan.beside(map, &correction);
        let (rules, shares) = (plan.rules, plan.shares);
        let hips = (map.root_translation != RootTranslation::Off).then(|| hips(from, to, &fit)).flatten();
        let scalars = match_names(
            source.skeleton().scalar_names().iter().map(String::as_str),
            target.skeleton().scalar_names(),
        );
        let scalars =
            (0u16..).zip(scalars).filter_map(|(scalar, how)| Some((scalar, how.joint()?))).collect();
        let retarget = Self {
            source: source.skeleton().clone(),
            target: target.skeleton().clone(),
            turn: single(fit.turn),
            scale: fit.scale as f32,
            residual: fit.residual as f32,
            rules,
            shares,
            hips,
            scalars,
            roles: roles.clone(),
        };
        Some((retarget, fit))
    }

    /// The skeleton whose poses are carried over.
    pub fn source(&self) -> &Arc<Skeleton> {
        &self.source
    }

    /// The skeleton that follows.
    pub fn target(&self) -> &Arc<Skeleton> {
        &self.target
    }

    /// The roles of the source's joints.
    pub fn source_roles(&self) -> &Humanoid {
        &self.roles[0]
    }

    /// The roles of the target's joints.
    pub fn target_roles(&self) -> &Humanoid {
        &self.roles[1]
    }

    /// Length of the target's legs relative to the source's.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// Turns the source's model space into the target's.
    pub fn turn(&self) -> Quat {
        self.turn
    }

    /// How far joints of trunk and legs are from one another at rest, relative to the size of the target.
    pub fn residual(&self) -> f32 {
        self.residual
    }

    /// Whether a joint of the target follows the source.
    pub fn moves(&self, joint: u16) -> bool {
        self.rules.get(usize::from(joint)).is_some_and(|rule| !matches!(rule, Rule::Rest))
    }

    /// Scalars of the source and of the target that have one name.
    pub fn scalars(&self) -> &[(u16, u16)] {
        &self.scalars
    }

    /// The joints of the source on whose rotations the local rotation of a joint of the target depends, and whether it follows a single one: then, if
    /// only one of them turns, it turns as that one does.
    pub fn turned_by(&self, joint: u16) -> (Vec<u16>, bool) {
        let own = self.shares_of(joint);
        let mut above = self.target.parent(joint);
        while above.is_some_and(|joint| !self.moves(joint)) {
            above = above.and_then(|joint| self.target.parent(joint));
        }
        let above = above.map(|joint| self.shares_of(joint));
        let single = own.len() == 1 && above.as_ref().is_none_or(|above| above.len() == 1);
        // What all of them hang on turns them alike, and cancels out below a parent that follows too.
        let root = above.is_none();
        let lines: Vec<Vec<u16>> =
            own.into_iter().chain(above.unwrap_or_default()).map(|joint| self.line(joint)).collect();
        let shared = |joint: &u16| !root && lines.iter().all(|line| line.contains(joint));
        let mut joints: Vec<u16> = lines.iter().flatten().copied().filter(|joint| !shared(joint)).collect();
        joints.sort_unstable();
        joints.dedup();
        (joints, single)
    }

    /// The joints of the source on whose translations that of a joint of the target depends, the joint that it follows last; nothing for one that
    /// keeps its place below its parent.
    pub fn moved_by(&self, joint: u16) -> Vec<u16> {
        match (self.rules.get(usize::from(joint)), &self.hips) {
            (Some(Rule::Beside(share, _)), _) => vec![share.joint],
            (_, Some(hips)) if hips.joint == joint => hips.path.clone(),
            _ => Vec::new(),
        }
    }

    fn shares_of(&self, joint: u16) -> Vec<u16> {
        match self.rules.get(usize::from(joint)) {
            Some(Rule::One(share) | Rule::Beside(share, _)) => vec![share.joint],
            Some(&Rule::Several(start, end)) => {
                self.shares[start as usize..end as usize].iter().map(|share| share.joint).collect()
            }
            Some(Rule::Rest) | None => Vec::new(),
        }
    }

    /// A joint of the source and all above it.
    fn line(&self, joint: u16) -> Vec<u16> {
        std::iter::successors(Some(joint), |&joint| self.source.parent(joint)).collect()
    }

    /// Joints of the source whose rotation reaches the target.
    pub fn followed(&self) -> impl Iterator<Item = u16> + '_ {
        let single = self.rules.iter().filter_map(|rule| match rule {
            Rule::One(share) | Rule::Beside(share, _) => Some(share.joint),
            Rule::Rest | Rule::Several(..) => None,
        });
        single.chain(self.shares.iter().map(|share| share.joint))
    }

    /// Carries a pose over. `turns` is scratch space: one rotation for each joint of both skeletons.
    pub(crate) fn apply(&self, from: &Pose, turns: &mut [Quat], to: &mut Pose) {
        let (source, target) = turns.split_at_mut(self.source.len());
        for (joint, &parent) in self.source.parents().iter().enumerate() {
            let local = rotation(from, joint);
            source[joint] =
                if parent == NO_JOINT { local } else { product(source[usize::from(parent)], local) };
        }
        to.blocks_mut().copy_from_slice(self.target.rest().blocks());
        for (joint, (&parent, rule)) in self.target.parents().iter().zip(&self.rules).enumerate() {
            let above = if parent == NO_JOINT { Quat::IDENTITY } else { target[usize::from(parent)] };
            let Some(turn) = self.turn_of(rule, source) else {
                target[joint] = product(above, rotation(to, joint));
                continue;
            };
            target[joint] = turn;
            let local = normalize(product(above.conjugate(), turn).to_array());
            let (block, lane) = (&mut to.blocks_mut()[joint / sinew::LANES], joint % sinew::LANES);
            block.set_rotation(lane, local);
            if let Rule::Beside(share, moved) = rule {
                let way = translation(from, usize::from(share.joint)) - moved.from;
                block.set_translation(lane, moved.to + turned(moved.turn, way) * self.scale);
            }
        }
        self.move_hips(from, to);
        let rest = self.target.rest().scalars();
        to.scalars_mut().copy_from_slice(rest);
        for &(scalar, target) in &self.scalars {
            to.scalars_mut()[usize::from(target)] = from.scalars()[usize::from(scalar)];
        }
    }

    /// The rotation of a joint of the target in model space, if it follows.
    #[inline]
    fn turn_of(&self, rule: &Rule, source: &[Quat]) -> Option<Quat> {
        let of = |share: &Share| product(source[usize::from(share.joint)], share.behind);
        match *rule {
            Rule::Rest => None,
            Rule::One(ref share) | Rule::Beside(ref share, _) => Some(product(self.turn, of(share))),
            Rule::Several(start, end) => {
                let mut sum = [0.0f32; 4];
                for share in &self.shares[start as usize..end as usize] {
                    let turn = of(share).to_array();
                    let dot = turn.iter().zip(sum).map(|(a, b)| a * b).sum::<f32>();
                    let weight = if dot < 0.0 { -share.weight } else { share.weight };
                    sum = std::array::from_fn(|i| sum[i] + turn[i] * weight);
                }
                Some(product(self.turn, normalize(sum)))
            }
        }
    }

    fn move_hips(&self, from: &Pose, to: &mut Pose) {
        let Some(hips) = &self.hips else { return };
        let mut place = Vec3::ZERO;
        for &joint in hips.path.iter().rev() {
            place = from.get(usize::from(joint)).to_affine().transform_point3(place);
        }
        let place = hips.to + turned(self.turn, place - hips.from) * self.scale;
        let (block, lane) = (usize::from(hips.joint) / sinew::LANES, usize::from(hips.joint) % sinew::LANES);
        to.blocks_mut()[block].set_translation(lane, hips.into.transform_point3(place));
    }
}

/// The target's bone map: what it lists itself, and joints that the source's map leads to.
fn led(map: &BoneMap, source: &Skeleton, roles: &Humanoid, own: &BoneMap) -> BoneMap {
    let mut own = own.clone();
    let names = match_names(map.joints.keys().map(String::as_str), source.names());
    for (how, to) in names.iter().zip(map.joints.values()) {
        let role = how.joint().and_then(|joint| roles.role(joint));
        if let Some(role) = role.filter(|_| !to.is_empty() && Role::parse(to).is_none()) {
            own.joints.entry(to.clone()).or_insert_with(|| role.to_string());
        }
    }
    own
}

fn hips(source: Figure<'_>, target: Figure<'_>, fit: &Fit) -> Option<Hips> {
    let role = Role::middle(Part::Hips);
    let (from, joint) = (source.roles.joint(role)?, target.roles.joint(role)?);
    let mut path: Vec<u16> =
        std::iter::successors(Some(from), |&joint| source.tree.skeleton.parent(joint)).collect();
    path.reverse();
    let skeleton = target.tree.skeleton;
    let above = skeleton
        .parent(joint)
        .map_or(Affine3::IDENTITY, |parent| skeleton.rest_model()[usize::from(parent)].into());
    let into = above.inverse();
    let [from, to] = fit.hips.map(DVec3::as_vec3);
    into.is_finite().then_some(Hips { path, joint, from, to, into })
}

/// Works out the rules.
struct Plan<'a> {
    source: Figure<'a>,
    target: Figure<'a>,
    turn: DQuat,
    /// Rotations at rest, in model space.
    rests: [Vec<DQuat>; 2],
    rules: Vec<Rule>,
    shares: Vec<Share>,
    /// The source's joint and the role of each joint of the target that follows.
    corrected: HashMap<u16, (u16, Role)>,
}

impl<'a> Plan<'a> {
    fn new(source: Figure<'a>, target: Figure<'a>, turn: DQuat) -> Self {
        Self {
            source,
            target,
            turn,
            rests: [source, target].map(|figure| rest_turns(figure.tree.skeleton)),
            rules: vec![Rule::Rest; target.tree.skeleton.len()],
            shares: Vec::new(),
            corrected: HashMap::new(),
        }
    }

    /// What stands behind the source's rotation `G`, so that `turn * G * behind` is the target's: `Rest⁻¹ · Q⁻¹ · A · Rest'`.
    fn share(&self, from: u16, weight: f64, to: u16, correction: DQuat) -> Share {
        let [source, target] = [(0, from), (1, to)].map(|(who, joint)| self.rests[who][usize::from(joint)]);
        let behind = source.inverse() * self.turn.inverse() * correction * target;
        Share { joint: from, weight: weight as f32, behind: single(behind) }
    }

    fn follow(&mut self, follow: &Follow, correction: DQuat) {
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
        let mainly = follow.shares.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|share| share.0);
        self.corrected.extend(mainly.map(|mainly| (follow.joint, (mainly, follow.role))));
    }

    /// Joints without a role that both characters have, below the same role: props, tails, faces.
    fn beside(&mut self, map: &BoneMap, correction: &Correction) {
        let [from, to] = [self.source, self.target].map(|figure| figure.tree.skeleton);
        let listed = match_names(map.joints.keys().map(String::as_str), from.names());
        let wanted = match_names(map.joints.values().map(String::as_str), to.names());
        let listed: HashMap<u16, Option<u16>> =
            listed.iter().zip(wanted).filter_map(|(from, to)| Some((from.joint()?, to.joint()))).collect();
        let named = match_names(from.names().iter().map(String::as_str), to.names());
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

fn single(turn: DQuat) -> Quat {
    normalize(turn.to_array().map(|x| x as f32))
}

#[inline]
fn rotation(pose: &Pose, joint: usize) -> Quat {
    let block = &pose.blocks()[joint / sinew::LANES];
    Quat::from_array([0, 1, 2, 3].map(|c| block.rotation[c].0[joint % sinew::LANES]))
}

#[inline]
fn translation(pose: &Pose, joint: usize) -> Vec3 {
    let block = &pose.blocks()[joint / sinew::LANES];
    Vec3::from_array([0, 1, 2].map(|c| block.translation[c].0[joint % sinew::LANES]))
}

/// The product of two rotations in plain arithmetic of a fixed order, which glam's own does not promise on every machine.
#[inline]
fn product(a: Quat, b: Quat) -> Quat {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (a.to_array(), b.to_array());
    Quat::from_xyzw(
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )
}

/// A vector turned, likewise.
fn turned(turn: Quat, v: Vec3) -> Vec3 {
    Transform::from_rotation(turn).to_affine().matrix3 * v
}
