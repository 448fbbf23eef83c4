//! Nodes that only curves of one layer move: nearly all.
//!
//! ufbx looks up ten properties of a node by name whenever it evaluates its transform, and searches the keys of each curve anew. Here that is done once for each
//! take (`value`), and rotations are composed by a shorter way (`turn`). A test compares the numbers with ufbx's.

mod turn;
mod value;

use super::animation::Take;
use super::convert;
use crate::decompose::Trs;
use crate::euler::Order;
use crate::{Budget, Cause};
use glam::{DQuat, DVec3};
pub(super) use turn::Halves;
use turn::Turn;
use ufbx::{Anim, AnimValue, MirrorAxis, Node, Prop, PropFlags, Scene};
use value::Value;

/// The nodes of a take that need not be evaluated by ufbx, by their number.
pub(super) struct PlainNodes(Vec<Option<Box<Plain>>>);

impl PlainNodes {
    /// Looks at all nodes that a take moves. Counts the memory for as long as the budget lasts.
    pub(super) fn new(scene: &Scene, take: &Take, budget: &Budget<'_>) -> Result<Self, Cause> {
        budget.list::<Option<Box<Plain>>>(scene.nodes.len())?;
        budget.list::<Plain>(take.nodes.len())?;
        let Some(anim) = take.anim(scene) else { return Ok(Self(Vec::new())) };
        // One value may move many nodes, each of which gets its own copy.
        let props = anim.layers.into_iter().flat_map(|layer| &layer.anim_props);
        let bytes = props.fold(0u64, |sum, prop| sum.saturating_add(Value::bytes(&prop.anim_value)));
        budget.memory(bytes.min(MOST_BYTES))?;
        Ok(Self::among(scene, anim, take.nodes.keys().copied(), MOST_BYTES))
    }

    /// Looks at some nodes, of whose curves so many bytes are made ready; the others are left to ufbx.
    pub(super) fn among(
        scene: &Scene,
        anim: &Anim,
        nodes: impl Iterator<Item = usize>,
        mut bytes: u64,
    ) -> Self {
        let mut all: Vec<Option<Box<Plain>>> = scene.nodes.iter().map(|_| None).collect();
        for index in nodes {
            if let (Some(entry), Some(node)) = (all.get_mut(index), scene.nodes.get(index)) {
                *entry = Plain::new(anim, node, &mut bytes).map(Box::new);
            }
        }
        Self(all)
    }

    pub(super) fn get(&self, node: &Node) -> Option<&Plain> {
        self.0.get(node.element.typed_id as usize)?.as_deref()
    }
}

/// Bytes of curves that are made ready at a time, at the most.
pub(super) const MOST_BYTES: u64 = 64 << 20;

/// What moves the transform of a node in a take, and what of it stands still.
pub(super) struct Plain {
    translation: Channel<DVec3>,
    rotation: Channel<Option<DQuat>>,
    scale: Channel<DVec3>,
    turn: Turn,
    /// Rotation before the animated one, and the inverse of the one after it.
    pre: Option<DQuat>,
    post: Option<DQuat>,
    /// Few nodes have any.
    pivots: Option<Pivots>,
}

/// What a node turns and grows about, apart from its place.
struct Pivots {
    rotation: DVec3,
    rotation_offset: DVec3,
    scaling: DVec3,
    scaling_offset: DVec3,
}

/// A property: one value, curves, or the number of the animated value among those of the scene, which ufbx evaluates. References into the scene do not cross
/// threads.
enum Channel<T> {
    Fixed(T),
    Moving(Value),
    Other(usize),
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
    /// What moves a node, unless that is more than curves of the only layer. Takes the bytes of its curves away.
    fn new(anim: &Anim, node: &Node, bytes: &mut u64) -> Option<Self> {
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
        let [pre, post, _, rotation, rotation_offset, scaling, scaling_offset] =
            FIXED.map(|name| value(node, name, DVec3::ZERO));
        let has_pivots = [rotation, rotation_offset, scaling, scaling_offset] != [DVec3::ZERO; 4];
        let space = node.use_rotation_space;
        let usual = Turn::new(Order::ZYX);
        let turn = if space { Turn::new(convert::order(node.rotation_order)?) } else { usual };
        let beside = |angles| usual.by(angles).filter(|_| space);
        let [translation, angles, scale] = MOVING;
        Some(Self {
            translation: Channel::new(anim, node, bytes, (translation, DVec3::ZERO), |v| v),
            rotation: Channel::new(anim, node, bytes, (angles, DVec3::ZERO), |v| turn.by(v)),
            scale: Channel::new(anim, node, bytes, (scale, DVec3::ONE), |v| v),
            turn,
            pre: beside(pre),
            post: beside(post).map(DQuat::conjugate),
            pivots: has_pivots.then_some(Pivots { rotation, rotation_offset, scaling, scaling_offset }),
        })
    }

    /// The transform at a time. As in ufbx, parts that are not wanted may be the identity's, but for a translation all are computed.
    #[inline(always)]
    pub(super) fn at(&self, node: &Node, time: f64, [t, r, s]: [bool; 3]) -> Trs {
        let turn = if r || t { self.rotation.at(node, time, |v| self.turn.by(v)) } else { None };
        self.turned(node, time, turn, [t, r || t, s || t])
    }

    /// The angles of its rotation at a time, in degrees; zero if no curves move it.
    #[inline]
    pub(super) fn angles(&self, node: &Node, time: f64) -> DVec3 {
        match &self.rotation {
            Channel::Fixed(_) => DVec3::ZERO,
            Channel::Moving(value) => value.at(time),
            Channel::Other(index) => other(node, *index, time),
        }
    }

    /// The whole transform at a time, where the sines and cosines of the halves of its angles are known.
    #[inline(always)]
    pub(super) fn with_halves(&self, node: &Node, time: f64, (sines, cosines): (DVec3, DVec3)) -> Trs {
        let turn = match self.rotation {
            Channel::Fixed(turn) => turn,
            Channel::Moving(_) | Channel::Other(_) => Some(self.turn.with(sines, cosines)),
        };
        self.turned(node, time, turn, [true; 3])
    }

    /// The transform at a time where its own rotation is known.
    #[inline(always)]
    fn turned(&self, node: &Node, time: f64, turn: Option<DQuat>, [t, r, s]: [bool; 3]) -> Trs {
        let mut out = Trs::IDENTITY;
        if r {
            out.rotation = then(then(self.post, turn), self.pre).unwrap_or(DQuat::IDENTITY);
        }
        if s {
            out.scale = self.scale.at(node, time, |v| v);
        }
        if t {
            out.translation = self.translation.at(node, time, |v| v);
            if let Some(pivots) = &self.pivots {
                out.translation += pivots.shift(out.rotation, out.scale);
            }
        }
        out
    }
}

/// One rotation after another.
#[inline]
fn then(first: Option<DQuat>, next: Option<DQuat>) -> Option<DQuat> {
    match (first, next) {
        (Some(first), Some(next)) if first.w != 1.0 => Some(next * first),
        (first, next) => next.or(first),
    }
}

impl Pivots {
    /// How far a rotation and a scale move what is turned and scaled about other places.
    fn shift(&self, rotation: DQuat, scale: DVec3) -> DVec3 {
        let scaled = self.scaling - self.scaling * scale + self.scaling_offset - self.rotation;
        rotation * scaled + self.rotation + self.rotation_offset
    }
}

impl<T: Copy> Channel<T> {
    fn new(
        anim: &Anim,
        node: &Node,
        bytes: &mut u64,
        (name, default): (&str, DVec3),
        make: impl Fn(DVec3) -> T,
    ) -> Self {
        let animated = prop(node, name).is_some_and(|prop| prop.flags.has_any(PropFlags::ANIMATED));
        let layer = anim.layers.first().filter(|_| animated);
        match layer.and_then(|layer| layer.find_anim_prop(&node.element, name)) {
            Some(prop) if moves(&prop.anim_value) => {
                let other = || Self::Other(prop.anim_value.element.typed_id as usize);
                let Some(left) = bytes.checked_sub(Value::bytes(&prop.anim_value)) else { return other() };
                *bytes = left;
                match Value::new(&prop.anim_value) {
                    Some(value) => {
                        value.still().map_or(Self::Moving(value), |still| Self::Fixed(make(still)))
                    }
                    None => other(),
                }
            }
            Some(prop) => Self::Fixed(make(convert::vec3(prop.anim_value.evaluate_vec3(0.0)))),
            None => Self::Fixed(make(value(node, name, default))),
        }
    }

    #[inline(always)]
    fn at(&self, node: &Node, time: f64, make: impl Fn(DVec3) -> T) -> T {
        match self {
            Self::Fixed(value) => *value,
            Self::Moving(value) => make(value.at(time)),
            Self::Other(index) => make(other(node, *index, time)),
        }
    }
}

/// An animated value of the scene that is evaluated by ufbx.
fn other(node: &Node, index: usize, time: f64) -> DVec3 {
    let value = node.element.scene.anim_values.get(index).map(|value| value.evaluate_vec3(time));
    value.map_or(DVec3::ZERO, convert::vec3)
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

#[cfg(test)]
mod tests;
