//! Carrying poses of one humanoid over to another, in model space.

use crate::correct::Correction;
use crate::error::{RetargetError, Who};
use crate::findings;
use crate::fit::{Figure, Fit};
use crate::humanoid::{Humanoid, Known};
use crate::limbs::{Limbs, Shift};
use crate::plan::{Hips, Plan, Rule, Share, hips, single};
use crate::role::{Part, Role};
use crate::segment::follows;
use crate::tree::Tree;
use glam::{Quat, Vec3};
use sinew::ik::Posed;
use sinew::math::{normalize, product};
use sinew::names::match_names;
use sinew::{
    BoneMap, Character, Finding, JobError, Mat3x4, NO_JOINT, Pose, RootTranslation, Skeleton, Transform,
};
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
    pub(crate) limbs: Option<Limbs>,
    lift: [Vec3; 2],
    /// Scalars of the source and of the target that have one name.
    scalars: Vec<(u16, u16)>,
}

impl Retarget {
    /// Works out how `target` follows `source`, and reports what is odd about it. The bone map says which joint of the source has which role, or
    /// leads from a joint of the source to one of the target; what it does not list is found.
    pub fn new(
        source: &Character,
        target: &Character,
        map: &BoneMap,
    ) -> Result<(Self, Vec<Finding>), RetargetError> {
        Self::knowing(source, target, &map.into(), &Known::default())
    }

    /// The same with what is known of the roles of both.
    pub fn knowing(
        source: &Character,
        target: &Character,
        of_source: &Known,
        of_target: &Known,
    ) -> Result<(Self, Vec<Finding>), RetargetError> {
        let humanoid = |who: Who, character: &Character, known: &Known| {
            let name = || character.name().to_owned();
            Humanoid::knowing(character.skeleton(), known).map_err(|why| RetargetError::NotHumanoid {
                who,
                character: name(),
                why,
            })
        };
        let map = &of_source.map;
        let from = humanoid(Who::Source, source, of_source)?;
        let led = led(map, source.skeleton(), &from, &of_target.map);
        let to = humanoid(Who::Target, target, &Known { map: led, roles: of_target.roles.clone() })?;
        let (retarget, fit) =
            Self::between(source, target, [from, to], map).ok_or_else(|| RetargetError::NoFit {
                source_name: source.name().to_owned(),
                target_name: target.name().to_owned(),
            })?;
        let mut findings = findings::unknown(map, source, target);
        findings.extend(findings::of(&retarget, &fit, [source.name(), target.name()]));
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
        let ups = [source, target].map(|character| Vec3::from(character.space().up).as_dvec3());
        let (fit, up) = (Fit::new(from, to, ups)?, ups[1]);
        let correction = Correction::new(from, to, &fit, up);
        let mut plan = Plan::new(from, to, fit.turn);
        for follow in follows(from, to) {
            plan.follow(&follow, correction.of(follow.role));
        }
        plan.beside(map, &correction);
        let (rules, shares) = (plan.rules, plan.shares);
        let hips = (map.root_translation != RootTranslation::Off).then(|| hips(from, to, &fit)).flatten();
        let scalars = match_names(source.skeleton().scalar_names().iter(), target.skeleton().scalar_names());
        let scalars =
            (0u16..).zip(scalars).filter_map(|(scalar, how)| Some((scalar, how.joint()?))).collect();
        let lift = [(from, fit.hips[0]), (to, fit.hips[1])].map(|(figure, hips)| {
            let place = figure.place(Role::middle(Part::Hips)).unwrap_or(hips);
            (hips - place).as_vec3()
        });
        let retarget = Self {
            source: source.skeleton().clone(),
            target: target.skeleton().clone(),
            turn: single(fit.turn),
            scale: fit.scale as f32,
            residual: fit.residual as f32,
            rules,
            shares,
            hips,
            limbs: Limbs::new(from, to),
            lift,
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

    /// A way in the source's model space as one in the target's: turned, and times the ratio of the lengths of the legs.
    pub fn way(&self, source: Vec3) -> Vec3 {
        turned(self.turn, source) * self.scale
    }

    /// How far joints of trunk and legs are from one another at rest, relative to the size of the target.
    pub fn residual(&self) -> f32 {
        self.residual
    }

    /// What the rest of the source, and that of the target, is moved by so that it stands on the ground: nothing, as a rule.
    pub fn lift(&self) -> [Vec3; 2] {
        self.lift
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
        let place = self.over(hips, &hips.path, from);
        let (block, lane) = (usize::from(hips.joint) / sinew::LANES, usize::from(hips.joint) % sinew::LANES);
        to.blocks_mut()[block].set_translation(lane, hips.into.transform_point3(place));
    }

    /// Where a joint of the source is in the target's model space, given the path down to it.
    fn over(&self, hips: &Hips, path: &[u16], from: &Pose) -> Vec3 {
        let mut place = Vec3::ZERO;
        for &joint in path.iter().rev() {
            place = from.get(usize::from(joint)).to_affine().transform_point3(place);
        }
        hips.to + self.way(place - hips.from)
    }

    /// Moves hips, feet and hands of a pose that was carried over from `from`.
    pub(crate) fn shift(
        &self,
        from: &Pose,
        shift: &Shift,
        models: &mut [Mat3x4],
        to: &mut Pose,
    ) -> Result<(), JobError> {
        let Some((hips, limbs)) = self.hips.as_ref().zip(self.limbs.as_ref()) else { return Ok(()) };
        let mut local = to.get(hips.joint.into());
        local.translation += hips.into.transform_vector3(shift.hips);
        to.set(hips.joint.into(), local);
        let wrist = |path: &Vec<u16>| {
            let by = shift.hands.filter(|_| !path.is_empty())?;
            Some(self.over(hips, path, from) + by)
        };
        let wrists = limbs.wrists.each_ref().map(wrist);
        let mut posed = Posed::new(self.target.hierarchy(), to, &Mat3x4::IDENTITY, models)?;
        limbs.reach(shift, wrists, &mut posed)
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

/// A vector turned, in a fixed order of operations.
fn turned(turn: Quat, v: Vec3) -> Vec3 {
    Transform::from_rotation(turn).to_affine().matrix3 * v
}
