//! Nodes that only curves of one layer move: nearly all.
//!
//! ufbx looks up ten properties of a node by name whenever it evaluates its transform, which takes longer than evaluating its curves. Here they are looked up once
//! for each take. Curves and rotations are still ufbx's, and its order of operations is kept, so that the numbers are the same; a test compares them.

use super::animation::Take;
use super::convert;
use crate::decompose::Trs;
use crate::{Budget, Cause};
use glam::{DQuat, DVec3};
use ufbx::{Anim, AnimValue, MirrorAxis, Node, Prop, PropFlags, RotationOrder, Scene};

/// The nodes of a take that need not be evaluated by ufbx, by their number.
pub(super) struct PlainNodes(Vec<Option<Box<Plain>>>);

impl PlainNodes {
    /// Looks at all nodes that a take moves. Counts the memory for as long as the budget lasts.
    pub(super) fn new(scene: &Scene, take: &Take, budget: &Budget<'_>) -> Result<Self, Cause> {
        budget.list::<Option<Box<Plain>>>(scene.nodes.len())?;
        budget.list::<Plain>(take.nodes.len())?;
        let none = || Self(Vec::new());
        Ok(take.anim(scene).map_or_else(none, |anim| Self::among(scene, anim, take.nodes.keys().copied())))
    }

    /// Looks at some nodes.
    pub(super) fn among(scene: &Scene, anim: &Anim, nodes: impl Iterator<Item = usize>) -> Self {
        let mut all: Vec<Option<Box<Plain>>> = scene.nodes.iter().map(|_| None).collect();
        for index in nodes {
            if let (Some(entry), Some(node)) = (all.get_mut(index), scene.nodes.get(index)) {
                *entry = Plain::new(anim, node).map(Box::new);
            }
        }
        Self(all)
    }

    pub(super) fn get(&self, node: &Node) -> Option<&Plain> {
        self.0.get(node.element.typed_id as usize)?.as_deref()
    }
}

/// What moves the transform of a node in a take, and what of it stands still.
pub(super) struct Plain {
    translation: Channel<DVec3>,
    rotation: Channel<Option<DQuat>>,
    scale: Channel<DVec3>,
    order: RotationOrder,
    /// Rotation before the animated one, and the inverse of the one after it.
    pre: Option<DQuat>,
    post: Option<DQuat>,
    rotation_pivot: DVec3,
    rotation_offset: DVec3,
    scaling_pivot: DVec3,
    scaling_offset: DVec3,
}

/// A property: one value, or the number of the animated value among those of the scene. References into the scene do not cross threads.
enum Channel<T> {
    Fixed(T),
    Moving(usize),
}

/// What curves may move, and what else makes up a transform.
const MOVING: [&str; 3] = ["Lcl Translation", "Lcl Rotation", "Lcl Scaling"];
const FIXED: [&str; 7] = [
    "PreRotation",
    "PostRotation",
    "RotationOrder",
    "RotationPivot",
    "RotationOffset",
    "ScalingPivot",
    "ScalingOffset",
];

impl Plain {
    /// What moves a node, unless that is more than curves of the only layer.
    pub(super) fn new(anim: &Anim, node: &Node) -> Option<Self> {
        let parent_helps = node.parent.as_ref().is_some_and(|parent| parent.scale_helper.is_some());
        let adjusted = node.has_adjust_transform || node.adjust_mirror_axis != MirrorAxis::None;
        let replaced = anim.layers.len() != 1 || !anim.prop_overrides.is_empty();
        if node.is_root || node.is_scale_helper || parent_helps || adjusted || replaced {
            return None;
        }
        let has = |name: &&str, flags| prop(node, name).is_some_and(|prop| prop.flags.has_any(flags));
        let mut all = MOVING.iter().chain(&FIXED);
        if all.any(|name| has(name, PropFlags::CONNECTED) || has(name, PropFlags::NO_VALUE))
            || FIXED.iter().any(|name| has(name, PropFlags::ANIMATED))
        {
            return None;
        }
        let [pre, post, _, rotation_pivot, rotation_offset, scaling_pivot, scaling_offset] =
            FIXED.map(|name| value(node, name, DVec3::ZERO));
        let space = node.use_rotation_space;
        let order = if space { node.rotation_order } else { RotationOrder::Xyz };
        let turn = |angles| rotation(angles, RotationOrder::Xyz).filter(|_| space);
        let [translation, angles, scale] = MOVING;
        Some(Self {
            translation: Channel::new(anim, node, translation, DVec3::ZERO, |v| v),
            rotation: Channel::new(anim, node, angles, DVec3::ZERO, |v| rotation(v, order)),
            scale: Channel::new(anim, node, scale, DVec3::ONE, |v| v),
            order,
            pre: turn(pre),
            post: turn(post).map(DQuat::conjugate),
            rotation_pivot,
            rotation_offset,
            scaling_pivot,
            scaling_offset,
        })
    }

    /// The transform at a time. As in ufbx, parts that are not wanted may be the identity's, but for a translation all are computed.
    pub(super) fn at(&self, node: &Node, time: f64, [t, r, s]: [bool; 3]) -> Trs {
        let mut out = Trs::IDENTITY;
        if s || t {
            out.scale = self.scale.at(node, time, |v| v);
        }
        if t {
            out.translation = (DVec3::ZERO - self.scaling_pivot) * out.scale + self.scaling_pivot;
            out.translation = out.translation + self.scaling_offset - self.rotation_pivot;
        }
        if r || t {
            let rotation = self.rotation.at(node, time, |v| rotation(v, self.order));
            [self.post, rotation, self.pre].into_iter().flatten().for_each(|by| turn(&mut out, by));
        }
        if t {
            let moved = out.translation + self.rotation_pivot + self.rotation_offset;
            out.translation = moved + self.translation.at(node, time, |v| v);
        }
        out
    }
}

impl<T: Copy> Channel<T> {
    fn new(anim: &Anim, node: &Node, name: &str, default: DVec3, make: impl Fn(DVec3) -> T) -> Self {
        let animated = prop(node, name).is_some_and(|prop| prop.flags.has_any(PropFlags::ANIMATED));
        let layer = anim.layers.first().filter(|_| animated);
        match layer.and_then(|layer| layer.find_anim_prop(&node.element, name)) {
            Some(prop) if moves(&prop.anim_value) => Self::Moving(prop.anim_value.element.typed_id as usize),
            Some(prop) => Self::Fixed(make(convert::vec3(prop.anim_value.evaluate_vec3(0.0)))),
            None => Self::Fixed(make(value(node, name, default))),
        }
    }

    fn at(&self, node: &Node, time: f64, make: impl Fn(DVec3) -> T) -> T {
        match *self {
            Self::Fixed(value) => value,
            Self::Moving(index) => {
                let value = node.element.scene.anim_values.get(index).map(|value| value.evaluate_vec3(time));
                make(value.map_or(DVec3::ZERO, convert::vec3))
            }
        }
    }
}

/// Whether a value may change: a curve of one key has that value at any time.
fn moves(value: &AnimValue) -> bool {
    value.curves.iter().flatten().any(|curve| curve.keyframes.len() > 1)
}

/// A property of a node itself: those that it has by default are not animated.
fn prop<'a>(node: &'a Node, name: &str) -> Option<&'a Prop> {
    node.element.props.props.iter().find(|prop| &*prop.name == name)
}

fn value(node: &Node, name: &str, default: DVec3) -> DVec3 {
    let prop = node.element.props.find_prop(name);
    prop.map_or(default, |prop| DVec3::new(prop.value_vec4.x, prop.value_vec4.y, prop.value_vec4.z))
}

/// A rotation by angles in degrees, if there is any.
fn rotation(angles: DVec3, order: RotationOrder) -> Option<DQuat> {
    let turns = angles != DVec3::ZERO;
    turns.then(|| convert::quat(ufbx::euler_to_quat(convert::to_vec3(angles), order)))
}

/// Turns a transform. What turns nothing is not multiplied with, which would change the signs of zeros.
fn turn(trs: &mut Trs, by: DQuat) {
    trs.rotation = if trs.rotation.w == 1.0 { by } else { by * trs.rotation };
    if trs.translation != DVec3::ZERO {
        let [x, y, z, w] = by.to_array();
        let turned = ufbx::quat_rotate_vec3(ufbx::Quat { x, y, z, w }, convert::to_vec3(trs.translation));
        trs.translation = convert::vec3(turned);
    }
}

#[cfg(test)]
mod tests;
