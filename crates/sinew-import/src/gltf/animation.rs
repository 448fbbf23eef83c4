//! Animations: what moves what, and where it is at any time.

#![allow(clippy::indexing_slicing, reason = "indices run over arrays of fixed length")]

use super::container::File;
use super::json;
use super::rig::Rig;
use crate::decompose::Trs;
use crate::resample::Side;
use crate::{Cause, findings};
use glam::{DQuat, DVec3, Vec4};
use sinew::{Finding, NO_JOINT};
use sinew_findings::plural;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How a sampler goes from key to key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    Step,
    Linear,
    Cubic,
}

/// Keys of one channel: `width` numbers a key, or three times as many where tangents stand about the value.
#[derive(Clone)]
pub(super) struct Sampler {
    pub(super) times: Arc<[f32]>,
    pub(super) values: Vec<f32>,
    pub(super) width: usize,
    pub(super) way: Way,
}

/// What moves one joint: translation, rotation, scale.
pub(super) struct JointChannels {
    pub(super) joint: u16,
    pub(super) parts: [Option<Sampler>; 3],
}

/// What moves the morph weights of one node.
pub(super) struct WeightChannel {
    pub(super) first_scalar: u16,
    pub(super) sampler: Sampler,
}

/// An animation with channels that move something.
pub(super) struct Animation {
    /// Number in the file.
    pub(super) index: usize,
    pub(super) duration: f32,
    /// In rising order of joints.
    pub(super) joints: Vec<JointChannels>,
    pub(super) weights: Vec<WeightChannel>,
}

pub(super) fn animations(
    file: &File<'_>,
    rig: &Rig,
    findings: &mut Vec<Finding>,
) -> Result<Vec<Animation>, Cause> {
    let mut out = Vec::new();
    for (index, source) in file.document.animations.iter().enumerate() {
        let place = format!("animations[{index}] `{}`", source.name);
        let read = Reader { file, rig, place: &place };
        let animation = read.animation(index, source, findings)?;
        if animation.joints.is_empty() && animation.weights.is_empty() {
            findings.push(match source.channels.len() {
                0 => Finding::new(&findings::TAKE_EMPTY, place, "it moves nothing and was dropped"),
                count => {
                    let channels = plural(count, "channel moves", "channels move");
                    let message =
                        format!("{channels} things that are not animated here, and it was left out");
                    Finding::new(&findings::GLTF_ANIMATION_LEFT_OUT, place, message)
                }
            });
        } else {
            out.push(animation);
        }
    }
    Ok(out)
}

/// Paths of the parts of a joint's transform, in their order.
const PARTS: [&str; 3] = ["translation", "rotation", "scale"];
/// The path of morph weights.
const WEIGHTS: &str = "weights";

/// What a channel moves: a property of a node.
pub(super) struct Moved<'a> {
    pub(super) node: usize,
    path: &'a str,
    /// One of the weights, if not all.
    weight: Option<usize>,
}

impl<'a> Moved<'a> {
    /// By node and path, or by a pointer such as `/nodes/3/rotation` or `/nodes/3/weights/0`.
    pub(super) fn of(target: &'a json::Target) -> Option<Self> {
        let Some(pointer) = &target.extensions.pointer else {
            return Some(Self { node: target.node?, path: &target.path, weight: None });
        };
        let mut parts = pointer.pointer.strip_prefix("/nodes/")?.split('/');
        let node = parts.next()?.parse().ok()?;
        let path = parts.next()?;
        let weight = parts.next().map(str::parse).transpose().ok()?;
        let whole = parts.next().is_none() && (weight.is_none() || path == WEIGHTS);
        whole.then_some(Self { node, path, weight })
    }

    /// Translation, rotation or scale.
    pub(super) fn part(&self) -> Option<usize> {
        PARTS.iter().position(|path| *path == self.path)
    }
}

/// The path of a target as it is written, if glTF does not know it. Pointers have a grammar of their own.
fn unknown_path(target: &json::Target) -> Option<&str> {
    let path = target.path.as_str();
    let known = PARTS.contains(&path) || path == WEIGHTS || target.extensions.pointer.is_some();
    (!known).then_some(path)
}

struct Reader<'a> {
    file: &'a File<'a>,
    rig: &'a Rig,
    place: &'a str,
}

impl Reader<'_> {
    fn animation(
        &self,
        index: usize,
        source: &json::Animation,
        findings: &mut Vec<Finding>,
    ) -> Result<Animation, Cause> {
        let mut animation = Animation { index, duration: 0.0, joints: vec![], weights: vec![] };
        let mut joints: BTreeMap<u16, JointChannels> = BTreeMap::new();
        let mut ignored = 0;
        let mut longest = 0.0f64;
        for channel in &source.channels {
            let Some(moved) = Moved::of(&channel.target) else {
                ignored += 1;
                continue;
            };
            let joint = self.rig.joint(moved.node);
            match (moved.part(), joint, self.scalar(&moved)) {
                (Some(part), joint, _) if joint != NO_JOINT => {
                    let width = if part == 1 { 4 } else { 3 };
                    let mut sampler = self.sampler(source, channel.sampler, Some(width))?;
                    if part == 1 {
                        longest = longest.max(make_unit(&mut sampler));
                    }
                    let channels = joints
                        .entry(joint)
                        .or_insert_with(|| JointChannels { joint, parts: [None, None, None] });
                    // Of two channels with one target the first counts.
                    channels.parts[part].get_or_insert(sampler);
                }
                (Some(0), NO_JOINT, _) => match self.rig.expression(moved.node) {
                    Some(first_scalar) => {
                        let mut sampler = self.sampler(source, channel.sampler, Some(3))?;
                        sampler.values =
                            sampler.values.as_chunks::<3>().0.iter().map(|[x, _, _]| *x).collect();
                        sampler.width = 1;
                        animation.weights.push(WeightChannel { first_scalar, sampler });
                    }
                    None => ignored += 1,
                },
                (None, _, Some(first_scalar)) => {
                    let sampler = self.sampler(source, channel.sampler, moved.weight.map(|_| 1))?;
                    animation.weights.push(WeightChannel { first_scalar, sampler });
                }
                _ => ignored += 1,
            }
        }
        if ignored > 0 {
            findings.push(self.ignored(source, ignored));
        }
        if longest > super::UNIT_TOLERANCE {
            let message =
                format!("rotation keys are off from length one by up to {longest:.1e} and were scaled");
            findings.push(Finding::new(&findings::ROTATION_NOT_UNIT, self.place, message).measured(longest));
        }
        animation.joints = joints.into_values().collect();
        animation.duration = animation.samplers().filter_map(|s| s.times.last()).fold(0.0, |a, &b| a.max(b));
        Ok(animation)
    }

    /// What is said of channels that move nothing here.
    fn ignored(&self, source: &json::Animation, count: usize) -> Finding {
        let channels = plural(count, "channel moves", "channels move");
        let mut message = format!("{channels} no joint or morph weight of the file");
        let unknown: BTreeSet<&str> =
            source.channels.iter().filter_map(|channel| unknown_path(&channel.target)).collect();
        if !unknown.is_empty() {
            let unknown: Vec<String> = unknown.iter().map(|path| format!("`{path}`")).collect();
            message += &format!("; not known as a path: {}", unknown.join(", "));
        }
        Finding::new(&findings::GLTF_CHANNEL_IGNORED, self.place, message).count(count)
    }

    /// The first scalar that a channel of weights moves.
    fn scalar(&self, moved: &Moved<'_>) -> Option<u16> {
        let first = self.rig.first_scalar.get(moved.node).copied().flatten();
        let first = first.filter(|_| moved.path == WEIGHTS)?;
        let Some(weight) = moved.weight else { return Some(first) };
        let scalar = first.checked_add(u16::try_from(weight).ok()?)?;
        (weight < self.rig.morph_counts.get(moved.node).copied()?).then_some(scalar)
    }

    /// A sampler; `width` is how many numbers a value has, if that does not follow from the keys.
    fn sampler(
        &self,
        source: &json::Animation,
        index: usize,
        width: Option<usize>,
    ) -> Result<Sampler, Cause> {
        let malformed = |what: &str| Cause::malformed(what, format!("{}, samplers[{index}]", self.place));
        let sampler = source.samplers.get(index).ok_or_else(|| malformed("does not exist"))?;
        let way = match sampler.interpolation.as_deref() {
            None | Some("LINEAR") => Way::Linear,
            Some("STEP") => Way::Step,
            Some("CUBICSPLINE") => Way::Cubic,
            Some(other) => return Err(malformed(&format!("interpolation `{other}` is not known"))),
        };
        let budget = self.file.budget;
        budget.source_keys(self.file.count(sampler.input))?;
        let times = self.file.numbers(sampler.input, budget)?;
        let values = self.file.numbers(sampler.output, budget)?;
        if times.width != 1 || times.numbers.is_empty() || !times.numbers.iter().all(|t| t.is_finite()) {
            return Err(malformed("has no times, or times that are not finite"));
        }
        if !times.numbers.is_sorted() {
            return Err(malformed("has times that are not in rising order"));
        }
        if !values.numbers.iter().all(|v| v.is_finite()) {
            return Err(malformed("has values that are not finite"));
        }
        let slots = times.numbers.len() * if way == Way::Cubic { 3 } else { 1 };
        let found = values.numbers.len() / slots;
        let width = width.unwrap_or(found);
        if width == 0 || width.checked_mul(slots) != Some(values.numbers.len()) {
            let what = format!(
                "has {} for {}",
                plural(values.numbers.len(), "number", "numbers"),
                plural(times.numbers.len(), "time", "times")
            );
            return Err(malformed(&what));
        }
        Ok(Sampler { times: times.numbers.into(), values: values.numbers, width, way })
    }
}

impl Animation {
    fn samplers(&self) -> impl Iterator<Item = &Sampler> {
        let joints = self.joints.iter().flat_map(|j| j.parts.iter().flatten());
        joints.chain(self.weights.iter().map(|w| &w.sampler))
    }

    pub(super) fn joint(&self, joint: u16) -> Option<&JointChannels> {
        self.joints.binary_search_by_key(&joint, |j| j.joint).ok().and_then(|i| self.joints.get(i))
    }
}

impl JointChannels {
    /// The joint's transform at a time; parts without a channel are at rest.
    pub(super) fn at(&self, time: f64, side: Side, rest: &Trs) -> Trs {
        let vector = |part: usize, rest: DVec3| match self.parts.get(part) {
            Some(Some(sampler)) => DVec3::from_array(sampler.vector(time, side)),
            _ => rest,
        };
        Trs {
            translation: vector(0, rest.translation),
            rotation: match &self.parts[1] {
                Some(sampler) => sampler.rotation(time, side),
                None => rest.rotation,
            },
            scale: vector(2, rest.scale),
        }
    }
}

/// Between which keys a time lies, and how far along.
enum Place {
    Key(usize),
    Between { first: usize, t: f64, length: f64 },
}

impl Sampler {
    fn place(&self, time: f64, side: Side) -> Place {
        let later = |key: &f32| match side {
            Side::After => f64::from(*key) <= time,
            Side::Before => f64::from(*key) < time,
        };
        let next = self.times.partition_point(later);
        let Some(first) = next.checked_sub(1) else { return Place::Key(0) };
        let (Some(&start), Some(&end)) = (self.times.get(first), self.times.get(next)) else {
            return Place::Key(first);
        };
        let length = f64::from(end) - f64::from(start);
        Place::Between { first, t: (time - f64::from(start)) / length, length }
    }

    /// The numbers of a key; `part` 0, 1, 2 of a cubic key are the tangent before, the value, the tangent behind.
    fn key<const N: usize>(&self, key: usize, part: usize, offset: usize) -> [f64; N] {
        let parts = if self.way == Way::Cubic { 3 } else { 1 };
        let part = if parts == 3 { part } else { 0 };
        let start = (key * parts + part) * self.width + offset;
        std::array::from_fn(|i| self.values.get(start + i).copied().map_or(0.0, f64::from))
    }

    /// `N` numbers of the value, from the given one on.
    fn numbers<const N: usize>(&self, time: f64, side: Side, offset: usize) -> [f64; N] {
        let value = |key: usize| self.key::<N>(key, 1, offset);
        match self.place(time, side) {
            Place::Key(key) => value(key),
            Place::Between { first, .. } if self.way == Way::Step => value(first),
            Place::Between { first, t, length } if self.way == Way::Cubic => {
                let (a, b) = (value(first), value(first + 1));
                let (out, into) = (self.key::<N>(first, 2, offset), self.key::<N>(first + 1, 0, offset));
                let (t2, t3) = (t * t, t * t * t);
                std::array::from_fn(|i| {
                    (2.0 * t3 - 3.0 * t2 + 1.0) * a[i]
                        + (t3 - 2.0 * t2 + t) * length * out[i]
                        + (3.0 * t2 - 2.0 * t3) * b[i]
                        + (t3 - t2) * length * into[i]
                })
            }
            Place::Between { first, t, .. } => {
                let (a, b) = (value(first), value(first + 1));
                std::array::from_fn(|i| a[i] + (b[i] - a[i]) * t)
            }
        }
    }

    fn vector(&self, time: f64, side: Side) -> [f64; 3] {
        self.numbers::<3>(time, side, 0)
    }

    fn rotation(&self, time: f64, side: Side) -> DQuat {
        let unit = |q: [f64; 4]| {
            let q = DQuat::from_array(q);
            if q.length_squared() > 1e-12 { q.normalize() } else { DQuat::IDENTITY }
        };
        match self.place(time, side) {
            Place::Between { first, t, .. } if self.way == Way::Linear => {
                let (a, b) = (unit(self.key(first, 1, 0)), unit(self.key(first + 1, 1, 0)));
                let b = if a.dot(b) < 0.0 { -b } else { b };
                a.slerp(b, t).normalize()
            }
            _ => unit(self.numbers::<4>(time, side, 0)),
        }
    }

    /// One of the weights.
    pub(super) fn weight(&self, weight: usize, time: f64, side: Side) -> f64 {
        self.numbers::<1>(time, side, weight)[0]
    }
}

/// Scales rotation keys to length one, and says how far the worst was off. Tangents of curves belong to the keys as they are, so
/// those are left alone.
fn make_unit(sampler: &mut Sampler) -> f64 {
    if sampler.way == Way::Cubic {
        return 0.0;
    }
    let mut worst = 0.0f64;
    for key in sampler.values.as_chunks_mut::<4>().0 {
        let length = Vec4::from_array(*key).as_dvec4().length();
        worst = worst.max((length - 1.0).abs());
        *key = sinew::math::normalize(*key).to_array();
    }
    worst
}
