//! Binds channels to the nodes that they move.

use super::super::address::{Address, Common, Member, axis};
use super::super::clip_nodes::ClipNodes;
use super::super::curve::Curve;
use super::super::motion::{ComponentCurve, ItemCurve, Motion, Part};
use super::super::raw::TransformKind;
use super::super::stack::Stack;
use super::evaluator::{ClipMotion, Evaluator, JointMotion, WeightMotion};
use super::straight;
use super::units::{self, Angles};
use super::{AnyCurve, RawClip, RawRange};
use crate::resample::{self, JointCurves, Knot, Request, Side};
use crate::{Budget, Cause, Options, Resample, SourceEvaluator, findings};
use sinew::{Clip, Finding, JointTracks, NO_JOINT, ScalarTrack};
use sinew_findings::plural;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::f64::consts::PI;

/// Clips that were bound to a character.
pub struct Bound {
    /// `default`, the whole timeline, and one for each `<animation_clip>`; none if nothing moves.
    pub clips: Vec<Clip>,
    /// The document's own evaluator of them.
    pub evaluator: Box<dyn SourceEvaluator>,
    /// Where each clip begins on the document's timeline, in seconds.
    pub starts: Vec<f64>,
    /// What was odd.
    pub findings: Vec<Finding>,
}

impl std::fmt::Debug for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bound")
            .field("clips", &self.clips)
            .field("findings", &self.findings)
            .finish_non_exhaustive()
    }
}

/// What a channel moves.
enum Bond {
    /// Numbers of a transform, from one on.
    Item { item: usize, first: usize },
    /// A matrix, as a whole.
    Matrix { item: usize },
    /// The node's whole local matrix, though it has no such transform.
    Local,
    /// Components that no transform of the node has: of one axis, or all three.
    Components { part: Part, axis: Option<usize>, in_degrees: bool },
}

enum Resolved {
    Node(usize, Bond),
    Weight(u16),
    Nothing,
}

impl RawClip {
    /// Binds the clips to a character, whose raw local transforms say what single components mean.
    pub fn bind(&self, target: &ClipNodes, options: &Options) -> Result<Bound, Cause> {
        self.bind_within(target, options, &Budget::new(&options.limits))
    }

    pub(crate) fn bind_within(
        &self,
        target: &ClipNodes,
        options: &Options,
        budget: &Budget<'_>,
    ) -> Result<Bound, Cause> {
        let mut findings = self.findings.clone();
        let resolved: Vec<Resolved> =
            self.channels.iter().map(|c| resolve(target, &c.target, &c.curve.curve, &mut findings)).collect();
        let binder = Binder { clip: self, target, options, budget, resolved };
        let angles = binder.angles(&mut findings)?;
        let mut evaluator = Evaluator {
            conversion: target.conversion,
            rest: target.rest.clone(),
            scalars: target.scalars.clone(),
            clips: Vec::new(),
        };
        let (mut clips, mut starts) = (Vec::new(), Vec::new());
        for range in &self.ranges {
            if let Some((clip, motion)) = binder.bind_range(range, angles, &mut findings)? {
                clips.push(clip);
                starts.push(motion.start);
                evaluator.clips.push(motion);
            }
        }
        Ok(Bound { clips, starts, evaluator: Box::new(evaluator), findings })
    }
}

/// Bytes that a curve of a motion takes.
const CURVE_BYTES: u64 = 128;

struct Binder<'b> {
    clip: &'b RawClip,
    target: &'b ClipNodes,
    options: &'b Options,
    budget: &'b Budget<'b>,
    resolved: Vec<Resolved>,
}

impl Binder<'_> {
    fn node_name(&self, node: usize) -> &str {
        let node = self.target.nodes.get(node);
        node.and_then(|n| n.name.as_deref().or(n.sid.as_deref()).or(n.id.as_deref())).unwrap_or("node")
    }

    /// Unit and order of the file's angles, which only matter if some channel replaces a component.
    fn angles(&self, findings: &mut Vec<Finding>) -> Result<Angles, Cause> {
        let has_components = |r: &Resolved| matches!(r, Resolved::Node(_, Bond::Components { .. }));
        let channels: Vec<usize> = match self.resolved.iter().any(has_components) {
            true => (0..self.resolved.len()).collect(),
            false => Vec::new(),
        };
        let scratch = self.budget.scratch();
        let motions = self.motions(&channels, &scratch)?;
        let named = motions.iter().map(|(&node, motion)| (self.node_name(node), motion));
        Ok(units::decide(named, self.options.euler_unit, findings))
    }

    /// Motions of the nodes that some channels move.
    fn motions(&self, channels: &[usize], budget: &Budget<'_>) -> Result<BTreeMap<usize, Motion>, Cause> {
        let mut motions = BTreeMap::new();
        for &index in channels {
            let (Some(channel), Some(Resolved::Node(node, bond))) =
                (self.clip.channels.get(index), self.resolved.get(index))
            else {
                continue;
            };
            let Some(target) = self.target.nodes.get(*node) else { continue };
            budget.memory(CURVE_BYTES)?;
            let motion = match motions.entry(*node) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => {
                    let names: usize =
                        target.stack.items().iter().flat_map(|i| &i.sid).map(String::len).sum();
                    let items = size_of_val(target.stack.items());
                    budget.memory((size_of::<JointMotion>() + names + items) as u64 * 2)?;
                    entry.insert(Motion::new(target.stack.clone()))
                }
            };
            add(motion, bond, &channel.curve);
        }
        Ok(motions)
    }

    fn weights(&self, channels: &[usize]) -> Vec<WeightMotion> {
        let mut weights: BTreeMap<u16, WeightMotion> = BTreeMap::new();
        for &index in channels {
            if let (Some(channel), Some(Resolved::Weight(scalar))) =
                (self.clip.channels.get(index), self.resolved.get(index))
            {
                let motion = WeightMotion { scalar: *scalar, curve: channel.curve.curve.clone(), number: 0 };
                weights.insert(*scalar, motion);
            }
        }
        weights.into_values().collect()
    }

    fn bind_range(
        &self,
        range: &RawRange,
        angles: Angles,
        findings: &mut Vec<Finding>,
    ) -> Result<Option<(Clip, ClipMotion)>, Cause> {
        let mut motions = self.motions(&range.channels, self.budget)?;
        for motion in motions.values_mut() {
            motion.count(self.budget)?;
            for component in motion.components.iter_mut().filter(|c| c.unit_unknown) {
                component.factor = angles.factor;
            }
            motion.settle(angles.order);
        }
        let weights = self.weights(&range.channels);
        self.budget.source_keys(weights.iter().map(|w| w.curve.times().len() as u64).sum())?;
        let Some((first, last)) = key_range(&motions, &weights) else { return Ok(None) };
        let (start, end) = (range.start.unwrap_or(first), range.end.unwrap_or(last));
        let mut motion = ClipMotion { start, joints: self.joints(motions), weights };
        motion.joints.sort_by_key(|j| j.joint);
        for joint in &motion.joints {
            self.report_shear(range, joint, findings)?;
        }
        let duration = (end - start).max(0.0) as f32;
        let clip = self.clip(range, &motion, duration, findings)?;
        Ok(Some((clip, motion)))
    }

    fn joints(&self, motions: BTreeMap<usize, Motion>) -> Vec<JointMotion> {
        let with_joint = motions.into_iter().filter_map(|(node, motion)| {
            let node = self.target.nodes.get(node)?;
            let joint = node.joint?;
            let is_root = self.target.parents.get(usize::from(joint)) == Some(&NO_JOINT);
            Some(JointMotion { joint, is_root, inner: node.inner, motion })
        });
        with_joint.collect()
    }

    fn report_shear(
        &self,
        range: &RawRange,
        joint: &JointMotion,
        findings: &mut Vec<Finding>,
    ) -> Result<(), Cause> {
        let residual = joint.motion.residual();
        if findings::NODE_SHEAR.threshold.is_some_and(|threshold| residual > threshold) {
            let message =
                format!("the keys of joint {} shear; the nearest without shear were taken", joint.joint);
            self.budget.memory((2 * size_of::<Finding>() + range.name.len() + message.len()) as u64)?;
            let place = format!("clip `{}`", range.name);
            findings.push(Finding::new(&findings::NODE_SHEAR, place, message).measured(residual));
        }
        Ok(())
    }

    fn clip(
        &self,
        range: &RawRange,
        motion: &ClipMotion,
        duration: f32,
        findings: &mut Vec<Finding>,
    ) -> Result<Clip, Cause> {
        let target = self.target;
        let tracks =
            match straight::tracks(motion, &target.conversion, duration, target.diagonal, self.budget)? {
                Some(tracks) => tracks,
                None => self.resample(range, motion, duration, findings)?,
            };
        let scalars = self.scalars(motion, duration)?;
        Ok(Clip::new(range.name.clone(), duration, tracks, scalars)?)
    }

    fn resample(
        &self,
        range: &RawRange,
        motion: &ClipMotion,
        duration: f32,
        findings: &mut Vec<Finding>,
    ) -> Result<Vec<JointTracks>, Cause> {
        let target = self.target;
        let curves: Vec<JointCurves> = motion
            .joints
            .iter()
            .map(|j| JointCurves { joint: j.joint, parts: j.motion.parts(motion.start) })
            .collect();
        let by_joint: HashMap<u16, &JointMotion> = motion.joints.iter().map(|j| (j.joint, j)).collect();
        let evaluate = |joint: usize, time: f64, side: Side| {
            let moving = u16::try_from(joint).ok().and_then(|j| by_joint.get(&j));
            match moving {
                Some(moving) => moving.sample(&target.conversion, motion.start + time, side),
                None => target.rest.get(joint).copied().unwrap_or(crate::decompose::Trs::IDENTITY),
            }
        };
        let request = Request {
            parents: &target.parents,
            rest: &target.rest,
            diagonal: target.diagonal,
            duration,
            joints: &curves,
            mode: self.options.resample,
            budget: self.budget,
        };
        let resampled = resample::resample(&request, &evaluate)?;
        if let Resample::Within(tolerance) = self.options.resample
            && resampled.error > tolerance
        {
            let factor = resampled.error / tolerance;
            let message = format!("keys are off by {factor:.2} times the tolerance");
            let place = format!("clip `{}`", range.name);
            findings.push(Finding::new(&findings::TOLERANCE_MISSED, place, message).measured(factor));
        }
        Ok(resampled.tracks)
    }

    fn scalars(&self, motion: &ClipMotion, duration: f32) -> Result<Vec<ScalarTrack>, Cause> {
        let tolerance = match self.options.resample {
            Resample::Within(tolerance) => tolerance,
            Resample::Keys => 0.0,
        };
        let mut tracks = Vec::new();
        for weight in &motion.weights {
            let knots = weight.curve.times().iter().zip(weight.curve.jumps());
            let knots = knots.map(|(&time, jump)| Knot { time: time - motion.start, jump }).collect();
            let curve = match weight.curve.is_linear() {
                true => resample::Curve::Linear(knots),
                false => resample::Curve::Curved(knots),
            };
            let evaluate = |time: f64, side: Side| weight.sample(motion.start + time, side);
            let mode = self.options.resample;
            let track = resample::scalar(&curve, duration, mode, tolerance, self.budget, &evaluate)?;
            tracks.extend(track.map(|track| ScalarTrack { scalar: weight.scalar, track }));
        }
        Ok(tracks)
    }
}

fn key_range(motions: &BTreeMap<usize, Motion>, weights: &[WeightMotion]) -> Option<(f64, f64)> {
    let weights = weights.iter().filter_map(|w| Some((*w.curve.times().first()?, *w.curve.times().last()?)));
    let all = motions.values().filter_map(Motion::range).chain(weights);
    all.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
}

/// Adds a channel's curve to a motion.
fn add(motion: &mut Motion, bond: &Bond, curve: &AnyCurve) {
    let AnyCurve { curve, matrices } = curve;
    match *bond {
        Bond::Item { item, first } => motion.add_item(ItemCurve { item, first, curve: curve.clone() }),
        Bond::Matrix { item } => motion.add_matrix(item, matrices.clone()),
        Bond::Local => motion.local = matrices.clone(),
        Bond::Components { part, axis, in_degrees } => {
            let axes = axis.map_or(0..3, |axis| axis..axis + 1);
            for (number, axis) in axes.enumerate() {
                motion.components.retain(|c| (c.part, c.axis) != (part, axis));
                motion.components.push(ComponentCurve {
                    part,
                    axis,
                    curve: curve.clone(),
                    number,
                    factor: if part == Part::Rotation { PI / 180.0 } else { 1.0 },
                    unit_unknown: part == Part::Rotation && !in_degrees,
                });
            }
        }
    }
}

/// Finds what a channel moves. Reports what is not found.
fn resolve(target: &ClipNodes, text: &str, curve: &Curve, findings: &mut Vec<Finding>) -> Resolved {
    let address = Address::parse(text);
    let result = match address.item {
        Some(item) => match target.find(&address) {
            Some(node) => {
                let stack = target.nodes.get(node).map(|n| &n.stack);
                stack.and_then(|s| bond(s, item, address.member, curve.width())).map_or_else(
                    || {
                        Err(format!(
                            "the node has no such transform of {}",
                            plural(curve.width(), "number", "numbers")
                        ))
                    },
                    |bond| Ok(Resolved::Node(node, bond)),
                )
            }
            None => Err(format!("there is no node `{}`", address.id)),
        },
        None => match address.member {
            Member::Index(index) if curve.width() == 1 => target
                .find_weight(address.id, index)
                .map(Resolved::Weight)
                .ok_or_else(|| format!("there is no array of morph weights `{}`", address.id)),
            _ => Err("it names neither a transform nor a weight".to_owned()),
        },
    };
    result.unwrap_or_else(|reason| {
        let kind =
            if is_foreign(&address) { &findings::CHANNEL_IGNORED } else { &findings::CHANNEL_UNRESOLVED };
        findings.push(Finding::new(kind, format!("channel `{text}`"), reason));
        Resolved::Nothing
    })
}

/// Whether a channel moves something outside a character: a light, a camera, a visibility.
fn is_foreign(address: &Address<'_>) -> bool {
    let foreign =
        ["visibility", "xfov", "yfov", "znear", "zfar", "color", "intensity", "shininess", "transparency"];
    address.item.is_some_and(|item| {
        let item = item.to_ascii_lowercase();
        foreign.iter().any(|f| item.contains(f))
    })
}

fn bond(stack: &Stack, item: &str, member: Member<'_>, width: usize) -> Option<Bond> {
    let exact = stack.items().iter().position(|i| i.sid.as_deref() == Some(item));
    // A sid may hold a dot itself.
    let dotted = || match member {
        Member::Named(name) => {
            let whole = format!("{item}.{name}");
            stack.items().iter().position(|i| i.sid.as_deref() == Some(&whole))
        }
        _ => None,
    };
    if let Some(index) = exact
        && let Some(bond) = item_bond(stack, index, member, width)
    {
        return Some(bond);
    }
    if let Some(index) = dotted() {
        return item_bond(stack, index, Member::Whole, width);
    }
    common_bond(stack, Common::named(item)?, member, width)
}

/// Numbers of one transform.
fn item_bond(stack: &Stack, index: usize, member: Member<'_>, width: usize) -> Option<Bond> {
    let kind = stack.items().get(index)?.kind;
    let number =
        |first: usize| (width == 1 && first < kind.numbers()).then_some(Bond::Item { item: index, first });
    match member {
        Member::Whole if kind == TransformKind::Matrix && width == 16 => Some(Bond::Matrix { item: index }),
        Member::Whole if width == kind.numbers() => Some(Bond::Item { item: index, first: 0 }),
        // A rotation of one number is its angle.
        Member::Whole if kind == TransformKind::Rotate && width == 1 => number(3),
        Member::Whole if kind == TransformKind::Rotate && width == 3 => None,
        Member::Whole => None,
        Member::Index(first) => number(first),
        Member::Cell(column, row) if kind == TransformKind::Matrix && column < 4 && row < 4 => {
            number(row * 4 + column)
        }
        Member::Cell(..) => None,
        Member::Named(name) if name.eq_ignore_ascii_case("ANGLE") => match kind {
            TransformKind::Rotate => number(3),
            TransformKind::Skew => number(0),
            _ => None,
        },
        Member::Named(name) => match kind {
            TransformKind::Translate | TransformKind::Scale | TransformKind::Rotate => number(axis(name)?),
            _ => None,
        },
    }
}

/// What a common name means on a node that has no transform of that name.
fn common_bond(stack: &Stack, common: Common, member: Member<'_>, width: usize) -> Option<Bond> {
    let only = |kind: TransformKind| {
        let mut of_kind = stack.items().iter().enumerate().filter(|(_, i)| i.kind == kind).map(|(i, _)| i);
        of_kind.next().filter(|_| of_kind.next().is_none())
    };
    let (part, name_axis, kind) = match common {
        Common::Matrix => {
            return match only(TransformKind::Matrix) {
                Some(item) => item_bond(stack, item, member, width),
                None => (member == Member::Whole && width == 16).then_some(Bond::Local),
            };
        }
        Common::Translation(axis) => (Part::Translation, axis, TransformKind::Translate),
        Common::Rotation(axis) => (Part::Rotation, axis, TransformKind::Rotate),
        Common::Scale(axis) => (Part::Scale, axis, TransformKind::Scale),
    };
    let (member_axis, in_degrees) = match member {
        Member::Named(name) if name.eq_ignore_ascii_case("ANGLE") => (None, true),
        Member::Named(name) => (Some(axis(name)?), false),
        Member::Index(index) => (Some(index).filter(|&i| i < 3), false),
        Member::Whole => (None, false),
        Member::Cell(..) => return None,
    };
    let axis = member_axis.or(name_axis);
    // If exactly one transform fits, it is taken.
    if part == Part::Rotation {
        if let Some(item) = axis.and_then(|axis| rotation_about(stack, axis)).filter(|_| width == 1) {
            return Some(Bond::Item { item, first: 3 });
        }
    } else if let Some(item) = only(kind) {
        return match axis {
            Some(first) if width == 1 => Some(Bond::Item { item, first }),
            None if width == 3 => Some(Bond::Item { item, first: 0 }),
            _ => None,
        };
    }
    match axis {
        Some(_) if width == 1 => Some(Bond::Components { part, axis, in_degrees }),
        None if width == 3 => Some(Bond::Components { part, axis, in_degrees }),
        _ => None,
    }
}

/// The only rotation about an axis of space.
fn rotation_about(stack: &Stack, axis: usize) -> Option<usize> {
    let is_about = |values: &[f64; 16]| {
        let unit = |i: usize| if i == axis { 1.0 } else { 0.0 };
        values.iter().take(3).enumerate().all(|(i, &v)| v == unit(i))
    };
    let mut found = stack
        .items()
        .iter()
        .enumerate()
        .filter(|(_, i)| i.kind == TransformKind::Rotate && is_about(&i.values))
        .map(|(index, _)| index);
    found.next().filter(|_| found.next().is_none())
}
