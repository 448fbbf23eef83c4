//! Which nodes are joints, how they hang together, and where they stand at any time.
//!
//! A node that does not inherit its parent's scale hangs on the parent without its scale, which sits on a helper joint
//! beside it: what inherits the scale hangs on the helper.

#![allow(clippy::indexing_slicing, reason = "indices run over arrays of one length, made here")]

use super::animation::Take;
use super::plain::{Plain, PlainNodes};
use super::{convert, mesh, morph};
use crate::decompose::Trs;
use crate::resample::{Curve, JointCurves, Knot};
use crate::space::Conversion;
use crate::{Budget, Cause, SourceJoint, findings, limits};
use glam::DVec3;
use sinew::{Finding, Joint, Scalar, Skeleton};
use sinew_findings::plural;
use ufbx::{Anim, InheritMode, Node, SceneRoot};

/// The scene, and its nodes as joints.
pub(super) struct Rig {
    pub(super) scene: SceneRoot,
    pub(super) conversion: Conversion,
    pub(super) joints: Vec<RigJoint>,
    pub(super) scalars: Vec<morph::RigScalar>,
    /// Whether a take moves each node.
    pub(super) moved: Vec<bool>,
    /// Joints that may take over keys from others.
    inheriting: Vec<u16>,
    /// The scale that each node hands down, where no take changes it.
    still_scales: Vec<Option<DVec3>>,
    /// Joint of each node, and the joint that has the node's matrix: itself or its helper.
    of_node: Vec<Option<[u16; 2]>>,
}

pub(super) struct RigJoint {
    pub(super) node: usize,
    pub(super) parent: Option<u16>,
    pub(super) role: Role,
    pub(super) rest: Trs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The whole transform of a node.
    Whole,
    /// All but the scale.
    Unscaled,
    /// The scale alone, on a helper.
    Scale,
}

/// A moment of an animation, or the rest; and which parts are wanted.
#[derive(Clone, Copy)]
pub(super) struct Moment<'a> {
    pub(super) anim: Option<&'a Anim>,
    pub(super) time: f64,
    parts: Parts,
    /// Scales that need no evaluation: see [`Rig::still_scales`].
    still_scales: &'a [Option<DVec3>],
    /// Nodes that need not be evaluated by ufbx.
    plain: Option<&'a PlainNodes>,
}

/// Parts of a transform as flags of ufbx; parts that are not wanted are taken from the rest.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Parts(u32);

impl Parts {
    pub(super) const ALL: Self = Self(0);
    // Values of `ufbx::TransformFlags`, whose bits its crate does not export.
    const EXPLICIT: u32 = 0x4;
    const INCLUDE: [u32; 3] = [0x10, 0x20, 0x40];

    pub(super) fn new(wanted: [bool; 3]) -> Self {
        let flags = wanted.into_iter().zip(Self::INCLUDE).filter(|(wanted, _)| *wanted);
        Self(flags.fold(Self::EXPLICIT, |all, (_, flag)| all | flag))
    }

    fn wanted(self) -> [bool; 3] {
        Self::INCLUDE.map(|flag| self == Self::ALL || self.0 & flag != 0)
    }
}

impl<'a> Moment<'a> {
    /// The same, where nodes that need not be evaluated by ufbx are not.
    pub(super) fn with(self, plain: &'a PlainNodes) -> Self {
        Self { plain: Some(plain), ..self }
    }
}

impl Moment<'_> {
    const REST: Self = Moment { anim: None, time: 0.0, parts: Parts::ALL, still_scales: &[], plain: None };

    /// A node's own transform.
    #[inline(always)]
    fn own(&self, node: &Node) -> Trs {
        let rest = || convert::trs(&node.local_transform);
        let Some(anim) = self.anim else { return rest() };
        let [t, r, s] = self.parts.wanted();
        let mut own = match self.plain.and_then(|plain| plain.get(node)) {
            Some(plain) => plain.at(node, self.time, [t, r, s]),
            None => convert::trs(&ufbx::evaluate_transform_flags(anim, node, self.time, self.parts.0)),
        };
        if t && r && s {
            return own;
        }
        // A rotation and a scale are computed along with any translation.
        if !t {
            own.translation = convert::vec3(node.local_transform.translation);
        }
        if !r && !t {
            own.rotation = rest().rotation;
        }
        if !s && !t {
            own.scale = convert::vec3(node.local_transform.scale);
        }
        own
    }

    fn own_scale(&self, node: &Node) -> DVec3 {
        Self { parts: Parts::new([false, false, true]), ..*self }.own(node).scale
    }

    /// The scale that children may or may not inherit.
    #[inline(always)]
    fn inherited_scale(&self, node: &Node) -> DVec3 {
        match self.still_scales.get(node.element.typed_id as usize) {
            Some(&Some(scale)) => scale,
            _ => self.moving_scale(node),
        }
    }

    /// The same where it is not known to stand still.
    #[inline(never)]
    fn moving_scale(&self, node: &Node) -> DVec3 {
        let own = self.own_scale(node);
        match &node.inherit_scale_node {
            Some(above) if node.inherit_mode != InheritMode::Normal => own * self.inherited_scale(above),
            _ => own,
        }
    }

    /// A node's transform, relative to its parent or to its parent without scale, as it inherits.
    #[inline(always)]
    fn effective(&self, node: &Node) -> Trs {
        let mut out = self.own(node);
        if node.inherit_mode != InheritMode::Normal {
            if let Some(above) = &node.inherit_scale_node {
                out.scale *= self.inherited_scale(above);
            }
            if let Some(parent) = node.parent.as_ref().filter(|p| !p.is_root) {
                out.translation *= self.inherited_scale(parent);
            }
        }
        out
    }
}

impl Rig {
    pub(super) fn new(
        scene: SceneRoot,
        conversion: Conversion,
        takes: &[Take],
        budget: &Budget<'_>,
        findings: &mut Vec<Finding>,
    ) -> Result<Self, Cause> {
        let moved = moved(&scene, takes);
        let needed = needed(&scene, &moved);
        let split = split(&scene, takes, &needed, budget)?;
        let mut rig = Self {
            of_node: vec![None; scene.nodes.len()],
            joints: Vec::new(),
            scalars: morph::scalars(&scene, budget)?,
            moved,
            still_scales: still_scales(&scene, takes, budget)?,
            inheriting: Vec::new(),
            conversion,
            scene,
        };
        let count = needed.iter().filter(|&&n| n).count() + split.iter().filter(|&&s| s).count();
        limits::check("joints", count as u64, budget.limits().joints.min(u64::from(sinew::NO_JOINT) - 1))?;
        for (index, _) in needed.iter().enumerate().filter(|(_, needed)| **needed) {
            rig.add(index, split.get(index) == Some(&true), findings);
        }
        rig.report(&split, findings);
        Ok(rig)
    }

    fn add(&mut self, index: usize, split: bool, findings: &mut Vec<Finding>) {
        let Some(node) = self.scene.nodes.get(index) else { return };
        let parent = node.parent.as_ref().and_then(|parent| {
            let [plain, scaled] = (*self.of_node.get(parent.element.typed_id as usize)?)?;
            Some(if node.inherit_mode == InheritMode::Normal { scaled } else { plain })
        });
        let inherits = node.inherit_mode != InheritMode::Normal;
        let mut place = |rig: &mut Self, parent, role| {
            let joint = rig.joints.len() as u16;
            let mut rest = rig.local_of(index, parent, role, &Moment::REST);
            if !rest.is_finite() {
                let message = "its transform is not a finite number".to_owned();
                findings.push(Finding::new(&findings::NODE_REST_INVALID, rig.name(index), message));
                rest = Trs::IDENTITY;
            }
            rig.joints.push(RigJoint { node: index, parent, role, rest });
            if inherits {
                rig.inheriting.push(joint);
            }
            joint
        };
        let plain = place(self, parent, if split { Role::Unscaled } else { Role::Whole });
        let scaled = if split { place(self, Some(plain), Role::Scale) } else { plain };
        if let Some(entry) = self.of_node.get_mut(index) {
            *entry = Some([plain, scaled]);
        }
    }

    fn report(&self, split: &[bool], findings: &mut Vec<Finding>) {
        let unnamed: Vec<_> = self
            .joints
            .iter()
            .filter(|j| self.node(j.node).is_some_and(|n| n.element.name.is_empty()))
            .collect();
        if let Some(first) = unnamed.first() {
            let message = format!(
                "{} no name, the first is now `{}`",
                plural(unnamed.len(), "node has", "nodes have"),
                self.name(first.node)
            );
            findings.push(Finding::new(&findings::NODE_UNNAMED, "the file", message).count(unnamed.len()));
        }
        for (index, _) in split.iter().enumerate().filter(|(_, split)| **split) {
            let name = self.name(index);
            let message = format!("the scale of `{name}` is on `{name}$scale`");
            findings.push(Finding::new(&findings::NODE_SCALE_HELPER, name, message));
        }
    }

    fn node(&self, index: usize) -> Option<&Node> {
        self.scene.nodes.get(index).map(|node| &**node)
    }

    /// Name of a node, or one made from its number.
    pub(super) fn name(&self, node: usize) -> String {
        match self.node(node).map(|n| &*n.element.name) {
            Some(name) if !name.is_empty() => name.to_owned(),
            _ => format!("node_{node}"),
        }
    }

    /// The joint of a node.
    pub(super) fn joint(&self, node: &Node) -> Option<u16> {
        self.of_node.get(node.element.typed_id as usize).copied().flatten().map(|[plain, _]| plain)
    }

    /// The joint that has a node's matrix: its own or its helper.
    pub(super) fn matrix_joint(&self, node: &Node) -> Option<u16> {
        self.of_node.get(node.element.typed_id as usize).copied().flatten().map(|[_, scaled]| scaled)
    }

    pub(super) fn skeleton(&self) -> Result<Skeleton, Cause> {
        let joints = self.joints.iter().map(|joint| {
            let name = self.name(joint.node);
            let helper = joint.role == Role::Scale;
            Joint {
                name: if helper { format!("{name}$scale") } else { name },
                parent: joint.parent,
                rest: joint.rest.to_transform(),
            }
        });
        let scalars = self.scalars.iter().map(|s| Scalar { name: s.name.clone(), rest: s.rest as f32 });
        Ok(Skeleton::new(joints.collect(), scalars.collect())?)
    }

    /// Where the joints come from.
    pub(super) fn sources(&self) -> Vec<SourceJoint> {
        let source = |joint: &RigJoint| SourceJoint {
            node: u32::try_from(joint.node).unwrap_or(u32::MAX),
            helper: joint.role == Role::Scale,
        };
        self.joints.iter().map(source).collect()
    }

    pub(super) fn parents(&self) -> Vec<u16> {
        self.joints.iter().map(|joint| joint.parent.unwrap_or(sinew::NO_JOINT)).collect()
    }

    /// A moment of a take.
    pub(super) fn moment<'a>(&'a self, anim: &'a Anim, time: f64, parts: Parts) -> Moment<'a> {
        Moment { anim: Some(anim), time, parts, still_scales: &self.still_scales, plain: None }
    }

    /// A joint's transform at a moment, in the space of the character.
    #[inline]
    pub(super) fn local(&self, joint: &RigJoint, moment: &Moment<'_>) -> Trs {
        self.local_of(joint.node, joint.parent, joint.role, moment)
    }

    /// By joint, the node whose own transform is the joint's, if it is a plain one.
    pub(super) fn direct<'a>(&'a self, plain: &'a PlainNodes) -> Vec<Option<(&'a Node, &'a Plain)>> {
        let direct = |joint: &RigJoint| {
            let node = self.node(joint.node).filter(|node| node.inherit_mode == InheritMode::Normal)?;
            Some((node, plain.get(node).filter(|_| joint.role == Role::Whole)?))
        };
        self.joints.iter().map(direct).collect()
    }

    #[inline(always)]
    fn local_of(&self, node: usize, parent: Option<u16>, role: Role, moment: &Moment<'_>) -> Trs {
        let Some(node) = self.node(node) else { return Trs::IDENTITY };
        let effective = moment.effective(node);
        let local = match role {
            Role::Whole => effective,
            Role::Unscaled => Trs { scale: DVec3::ONE, ..effective },
            Role::Scale => Trs { scale: effective.scale, ..Trs::IDENTITY },
        };
        self.conversion.local(parent.is_none(), &local)
    }

    /// What moves the joints in a take.
    pub(super) fn curves(&self, take: &Take, budget: &Budget<'_>) -> Result<Vec<JointCurves>, Cause> {
        let mut out = Vec::new();
        for index in self.candidates(take) {
            let Some(joint) = self.joints.get(usize::from(index)) else { continue };
            let Some(node) = self.node(joint.node) else { continue };
            let [mut translation, mut rotation, mut scale] = knots(take, node, budget)?;
            if take.nodes.get(&joint.node).is_some_and(|n| n.sets) {
                // Values without curves do not move the joint, but may hold it away from its rest.
                for (part, away) in
                    [&mut translation, &mut rotation, &mut scale].into_iter().zip(self.away(take, joint))
                {
                    if away {
                        part.get_or_insert_default();
                    }
                }
            }
            match joint.role {
                Role::Whole => {}
                Role::Unscaled => scale = None,
                Role::Scale => (translation, rotation) = (None, None),
            }
            let parts = [translation, rotation, scale].map(|part| part.map_or(Curve::Still, Curve::Curved));
            if parts.iter().any(|part| *part != Curve::Still) {
                out.push(JointCurves { joint: index, parts });
            }
        }
        Ok(out)
    }

    /// Joints that may move in a take, in rising order.
    fn candidates(&self, take: &Take) -> Vec<u16> {
        let own = take.nodes.keys().filter_map(|&node| self.of_node.get(node).copied().flatten());
        let mut joints: Vec<u16> = own.flatten().chain(self.inheriting.iter().copied()).collect();
        joints.sort_unstable();
        joints.dedup();
        joints
    }

    /// Which parts stand away from the rest at the start of a take.
    fn away(&self, take: &Take, joint: &RigJoint) -> [bool; 3] {
        let Some(anim) = take.anim(&self.scene) else { return [false; 3] };
        let start = self.local(joint, &self.moment(anim, take.range.begin, Parts::ALL));
        let rest = &joint.rest;
        let size = rest.translation.length().max(start.translation.length());
        let turn = (start.rotation - rest.rotation).length().min((start.rotation + rest.rotation).length());
        [
            start.translation.distance(rest.translation) > 1e-9 * size,
            turn > 1e-9,
            start.scale.distance(rest.scale) > 1e-9 * rest.scale.length(),
        ]
    }
}

/// When translation, rotation and scale of a node have keys, those that it takes over from others included.
fn knots(take: &Take, node: &Node, budget: &Budget<'_>) -> Result<[Option<Vec<Knot>>; 3], Cause> {
    let own = |part| take.part(node.element.typed_id as usize, part).cloned();
    let [mut translation, rotation, mut scale] = [own(0), own(1), own(2)];
    if node.inherit_mode != InheritMode::Normal {
        if let Some(above) = &node.inherit_scale_node {
            add_scale_knots(take, above, budget, &mut scale)?;
        }
        if let Some(parent) = &node.parent {
            add_scale_knots(take, parent, budget, &mut translation)?;
        }
    }
    Ok([translation, rotation, scale])
}

/// Adds the times at which the scale has keys that children of a node may inherit.
fn add_scale_knots(
    take: &Take,
    node: &Node,
    budget: &Budget<'_>,
    out: &mut Option<Vec<Knot>>,
) -> Result<(), Cause> {
    for node in scale_chain(node) {
        budget.steps(INHERIT_STEPS)?;
        if let Some(knots) = take.part(node.element.typed_id as usize, 2) {
            budget.source_keys(knots.len() as u64)?;
            out.get_or_insert_default().extend_from_slice(knots);
        }
    }
    Ok(())
}

/// Steps of looking at one node whose scale is inherited.
const INHERIT_STEPS: u64 = 20;

/// A node and those whose scales are multiplied with its own.
fn scale_chain(node: &Node) -> impl Iterator<Item = &Node> {
    std::iter::successors(Some(node), |node| {
        node.inherit_scale_node.as_deref().filter(|_| node.inherit_mode != InheritMode::Normal)
    })
}

/// Which nodes a take moves.
fn moved(scene: &ufbx::Scene, takes: &[Take]) -> Vec<bool> {
    let mut moved = vec![false; scene.nodes.len()];
    for &node in takes.iter().flat_map(|take| take.nodes.keys()) {
        if let Some(entry) = moved.get_mut(node) {
            *entry = true;
        }
    }
    moved
}

/// The scale that each node hands down, where no take changes it: walking up to the root at every evaluation takes most of the time of a file
/// whose nodes compensate their parents' scale.
fn still_scales(
    scene: &ufbx::Scene,
    takes: &[Take],
    budget: &Budget<'_>,
) -> Result<Vec<Option<DVec3>>, Cause> {
    let mut is_still = vec![true; scene.nodes.len()];
    for take in takes {
        budget.steps((take.nodes.len() as u64).saturating_mul(EVALUATE_STEPS))?;
        let moment = Moment { anim: take.anim(scene), time: take.range.begin, ..Moment::REST };
        for (&index, curves) in
            take.nodes.iter().filter(|(_, curves)| curves.sets || curves.parts[2].is_some())
        {
            if let Some((node, is_still)) = scene.nodes.get(index).zip(is_still.get_mut(index)) {
                *is_still &=
                    !curves.scales() && moment.own_scale(node) == convert::vec3(node.local_transform.scale);
            }
        }
    }
    let mut scales: Vec<Option<DVec3>> = Vec::with_capacity(scene.nodes.len());
    for (node, is_still) in scene.nodes.into_iter().zip(is_still) {
        let above = node.inherit_scale_node.as_ref().filter(|_| node.inherit_mode != InheritMode::Normal);
        // Parents come first.
        let above = above
            .map_or(Some(DVec3::ONE), |above| scales.get(above.element.typed_id as usize).copied().flatten());
        let own = convert::vec3(node.local_transform.scale);
        scales.push(above.filter(|_| is_still).map(|above| own * above));
    }
    Ok(scales)
}

/// Bones, joints of skins, nodes that move or carry a mesh, and all their ancestors. The implicit root is not one.
fn needed(scene: &ufbx::Scene, moved: &[bool]) -> Vec<bool> {
    let mut needed: Vec<bool> =
        scene.nodes.into_iter().map(|node| node.bone.is_some() || mesh::is_shown(node)).collect();
    let clusters = scene.skin_clusters.into_iter().filter_map(|cluster| cluster.bone_node.as_ref());
    let moved = moved.iter().enumerate().filter(|(_, moved)| **moved).map(|(node, _)| node);
    for index in clusters.map(|node| node.element.typed_id as usize).chain(moved) {
        if let Some(entry) = needed.get_mut(index) {
            *entry = true;
        }
    }
    // Parents come first, so from the back every node is met before its parent.
    for index in (0..needed.len()).rev() {
        let parent = scene.nodes.get(index).and_then(|node| node.parent.as_ref());
        if needed[index]
            && let Some(entry) = parent.and_then(|p| needed.get_mut(p.element.typed_id as usize))
        {
            *entry = true;
        }
    }
    for (entry, node) in needed.iter_mut().zip(&scene.nodes) {
        *entry &= !node.is_root;
    }
    needed
}

/// Nodes whose scale is not one at some time while a child does not inherit it.
fn split(
    scene: &ufbx::Scene,
    takes: &[Take],
    needed: &[bool],
    budget: &Budget<'_>,
) -> Result<Vec<bool>, Cause> {
    let wants = |node: &Node| {
        !node.is_root
            && node.children.into_iter().any(|child| {
                child.inherit_mode != InheritMode::Normal
                    && needed.get(child.element.typed_id as usize) == Some(&true)
            })
    };
    let nodes = scene.nodes.into_iter().zip(needed);
    nodes.map(|(node, needed)| Ok(*needed && wants(node) && is_scaled(scene, takes, node, budget)?)).collect()
}

fn is_scaled(scene: &ufbx::Scene, takes: &[Take], node: &Node, budget: &Budget<'_>) -> Result<bool, Cause> {
    let away = |moment: Moment<'_>| !moment.inherited_scale(node).abs_diff_eq(DVec3::ONE, 1e-6);
    if away(Moment::REST) {
        return Ok(true);
    }
    let chain: Vec<usize> = scale_chain(node).map(|node| node.element.typed_id as usize).collect();
    for take in takes {
        budget.steps((chain.len() as u64).saturating_mul(INHERIT_STEPS))?;
        let Some(anim) = take.anim(scene) else { continue };
        // In a take that changes none of them they are at rest.
        if !chain.iter().any(|node| take.nodes.contains_key(node)) {
            continue;
        }
        let mut knots = None;
        add_scale_knots(take, node, budget, &mut knots)?;
        let knots = knots.unwrap_or_default();
        let times = std::iter::once(take.range.begin).chain(knots.iter().map(|k| k.time + take.range.begin));
        let times: Vec<f64> = times.collect();
        budget.steps((times.len() as u64 * chain.len() as u64).saturating_mul(2 * EVALUATE_STEPS))?;
        let between = times.windows(2).map(|pair| 0.5 * (pair[0] + pair[1]));
        let mut all = times.iter().copied().chain(between);
        if all.any(|time| away(Moment { anim: Some(anim), time, ..Moment::REST })) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Steps of evaluating one node at one time.
pub(super) const EVALUATE_STEPS: u64 = 50;
