//! What each take animates, and when its curves have keys.

use super::curve::{Range, add_knots, changes};
use crate::resample::Knot;
use crate::{Budget, Cause, Resample, findings};
use sinew::Finding;
use std::collections::{BTreeMap, HashMap};
use ufbx::{AnimStack, AnimValue, ElementType, Node};

/// A take with curves.
pub(super) struct Take {
    /// Index of the stack in the scene.
    pub(super) stack: usize,
    pub(super) range: Range,
    /// What moves each node, by its number.
    pub(super) nodes: BTreeMap<usize, NodeCurves>,
    /// When each blend channel has keys, by its number.
    pub(super) channels: BTreeMap<usize, Vec<Knot>>,
}

/// Which parts of a node's own transform (translation, rotation, scale) curves move, and when they have keys.
#[derive(Default)]
pub(super) struct NodeCurves {
    pub(super) parts: [Option<Vec<Knot>>; 3],
    /// Which of them change between their keys.
    changes: [bool; 3],
    /// Whether the take sets values without curves, which may differ from the rest.
    pub(super) sets: bool,
}

impl NodeCurves {
    /// Of curves that hold one value all the time, one key says all.
    fn shorten(&mut self) {
        for (part, _) in self.parts.iter_mut().zip(self.changes).filter(|(_, changes)| !changes) {
            part.iter_mut().for_each(|knots| knots.truncate(1));
        }
    }

    /// Whether the scale may change during the take.
    pub(super) fn scales(&self) -> bool {
        self.changes[2]
    }
}

impl Take {
    pub(super) fn anim<'a>(&self, scene: &'a ufbx::Scene) -> Option<&'a ufbx::Anim> {
        scene.anim_stacks.get(self.stack).map(|stack| &*stack.anim)
    }

    pub(super) fn duration(&self) -> f32 {
        (self.range.end - self.range.begin) as f32
    }

    pub(super) fn part(&self, node: usize, part: usize) -> Option<&Vec<Knot>> {
        self.nodes.get(&node)?.parts.get(part)?.as_ref()
    }
}

/// The takes of a file that animate something.
pub(super) fn takes(
    scene: &ufbx::Scene,
    mode: Resample,
    budget: &Budget<'_>,
    findings: &mut Vec<Finding>,
) -> Result<Vec<Take>, Cause> {
    let mut takes = Vec::new();
    for (index, stack) in scene.anim_stacks.into_iter().enumerate() {
        count_keys(stack, budget)?;
        let Some(keys) = key_range(stack) else {
            let message = format!("take `{}` has no curves and was dropped", stack.element.name);
            findings.push(Finding::new(
                &findings::TAKE_EMPTY,
                format!("take `{}`", stack.element.name),
                message,
            ));
            continue;
        };
        let range = declared_range(stack).unwrap_or_else(|| {
            let message = format!("its keys last from {} s to {} s", keys.begin, keys.end);
            findings.push(Finding::new(
                &findings::CLIP_NO_RANGE,
                format!("take `{}`", stack.element.name),
                message,
            ));
            keys
        });
        let mut take = take(index, stack, range, budget)?;
        if mode != Resample::Keys {
            take.nodes.values_mut().for_each(NodeCurves::shorten);
        }
        takes.push(take);
    }
    Ok(takes)
}

/// Counts what a take plays: takes may share their layers.
fn count_keys(stack: &AnimStack, budget: &Budget<'_>) -> Result<(), Cause> {
    for layer in &stack.layers {
        budget.steps((layer.anim_props.len() as u64 + 1).saturating_mul(PROP_STEPS))?;
        let curves = layer.anim_values.into_iter().flat_map(|value| &value.curves).flatten();
        let keys: u64 = curves.map(|curve| curve.keyframes.len() as u64).sum();
        budget.source_keys(keys)?;
    }
    Ok(())
}

/// Steps of adding a property to a take.
const PROP_STEPS: u64 = 50;

/// From the first to the last key of all curves, if there is any.
fn key_range(stack: &AnimStack) -> Option<Range> {
    let mut range: Option<Range> = None;
    for layer in &stack.layers {
        for curve in layer.anim_values.into_iter().flat_map(|value| &value.curves).flatten() {
            for time in curve.keyframes.iter().map(|key| key.time).filter(|t| t.is_finite()) {
                let now = range.get_or_insert(Range { begin: time, end: time });
                *now = Range { begin: now.begin.min(time), end: now.end.max(time) };
            }
        }
    }
    range
}

/// The range that the take states. A template's zeros do not count.
fn declared_range(stack: &AnimStack) -> Option<Range> {
    let (begin, end) = (stack.time_begin, stack.time_end);
    if !(begin.is_finite() && end.is_finite()) || end < begin {
        return None;
    }
    let own = |name: &str| stack.element.props.props.iter().any(|prop| &*prop.name == name);
    let pose = (own("LocalStart") && own("LocalStop")) || (own("ReferenceStart") && own("ReferenceStop"));
    (end > begin || pose).then_some(Range { begin, end })
}

fn take(index: usize, stack: &AnimStack, range: Range, budget: &Budget<'_>) -> Result<Take, Cause> {
    let mut take = Take { stack: index, range, nodes: BTreeMap::new(), channels: BTreeMap::new() };
    let weights = weights(stack, range, budget)?;
    for layer in &stack.layers {
        let weight = weights.get(&layer.element.element_id).filter(|_| layer.weight_is_animated);
        let weight = weight.map_or(&[][..], Vec::as_slice);
        for prop in &layer.anim_props {
            let id = prop.element.typed_id as usize;
            match prop.element.type_ {
                ElementType::Node => {
                    let Some(node) = prop.element.scene.nodes.get(id) else { continue };
                    let parts = affected(node, &prop.prop_name);
                    budget.list::<(usize, NodeCurves)>(1)?;
                    add(take.nodes.entry(id).or_default(), parts, &prop.anim_value, weight, range, budget)?;
                }
                ElementType::BlendChannel if &*prop.prop_name == "DeformPercent" => {
                    budget.list::<(usize, Vec<Knot>)>(1)?;
                    let knots = take.channels.entry(id).or_default();
                    add_value(&prop.anim_value, weight, range, budget, knots)?;
                }
                _ => {}
            }
        }
    }
    Ok(take)
}

/// When the weights of layers have keys, by the number of the layer's element.
fn weights(stack: &AnimStack, range: Range, budget: &Budget<'_>) -> Result<HashMap<u32, Vec<Knot>>, Cause> {
    let mut out: HashMap<u32, Vec<Knot>> = HashMap::new();
    for prop in stack.layers.into_iter().flat_map(|l| &l.anim_props) {
        if prop.element.type_ == ElementType::AnimLayer && &*prop.prop_name == "Weight" {
            let knots = out.entry(prop.element.element_id).or_default();
            add_value(&prop.anim_value, &[], range, budget, knots)?;
        }
    }
    Ok(out)
}

/// Adds the knots of a value's curves, and says whether it has any.
fn add_value(
    value: &AnimValue,
    weight: &[Knot],
    range: Range,
    budget: &Budget<'_>,
    out: &mut Vec<Knot>,
) -> Result<bool, Cause> {
    let mut curves = false;
    for curve in value.curves.iter().flatten().filter(|curve| !curve.keyframes.is_empty()) {
        curves = true;
        add_knots(curve, range, budget, out)?;
    }
    if curves {
        budget.source_keys(weight.len() as u64)?;
        budget.list::<Knot>(weight.len())?;
        out.extend_from_slice(weight);
    }
    Ok(curves)
}

fn add(
    node: &mut NodeCurves,
    parts: [bool; 3],
    value: &AnimValue,
    weight: &[Knot],
    range: Range,
    budget: &Budget<'_>,
) -> Result<(), Cause> {
    if parts == [false; 3] {
        return Ok(());
    }
    let scratch = budget.scratch();
    let mut knots = Vec::new();
    if !add_value(value, weight, range, &scratch, &mut knots)? {
        node.sets = true;
        return Ok(());
    }
    let changes = !weight.is_empty() || value.curves.iter().flatten().any(|curve| changes(curve));
    let own = node.parts.iter_mut().zip(&mut node.changes).zip(parts);
    for ((part, changing), _) in own.filter(|(_, affected)| *affected) {
        *changing |= changes;
        match part {
            Some(all) if *all == knots => {}
            Some(all) => {
                budget.list::<Knot>(knots.len())?;
                all.extend_from_slice(&knots);
            }
            None => {
                budget.list::<Knot>(knots.len())?;
                *part = Some(knots.clone());
            }
        }
    }
    Ok(())
}

/// Which of translation, rotation and scale a property changes. A rotation about a pivot moves the node as well.
fn affected(node: &Node, prop: &str) -> [bool; 3] {
    let set = |name: &str| {
        node.element.props.find_prop(name).is_some_and(|prop| {
            let value = prop.value_vec4;
            [value.x, value.y, value.z] != [0.0; 3] || prop.flags.has_any(ufbx::PropFlags::ANIMATED)
        })
    };
    match prop {
        "Lcl Translation" | "RotationOffset" | "RotationPivot" | "ScalingOffset" | "ScalingPivot" => {
            [true, false, false]
        }
        "Lcl Rotation" | "PreRotation" | "PostRotation" | "RotationOrder" => {
            [["RotationPivot", "ScalingOffset", "ScalingPivot"].into_iter().any(set), true, false]
        }
        "Lcl Scaling" => [set("ScalingPivot"), false, true],
        _ => [false; 3],
    }
}
