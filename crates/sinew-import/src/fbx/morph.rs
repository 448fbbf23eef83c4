//! Blend shapes: one scalar for each shape of each channel.

#![allow(clippy::indexing_slicing, reason = "indices were made from the same arrays")]

use super::convert::vec3;
use crate::{Budget, Cause};
use glam::{DMat3, DVec3, Vec3};
use sinew::{MorphDelta, MorphTarget};
use std::ops::Range;
use ufbx::{Anim, BlendChannel, BlendShape};

/// A scalar of the pose: the weight of one shape of a channel.
pub(super) struct RigScalar {
    pub(super) name: String,
    /// Numbers of the channel and of its shape.
    pub(super) channel: usize,
    pub(super) keyframe: usize,
    pub(super) rest: f64,
}

/// One scalar for each shape, channel by channel, of the channels that deform a mesh.
pub(super) fn scalars(scene: &ufbx::Scene, budget: &Budget<'_>) -> Result<Vec<RigScalar>, Cause> {
    let mut used = vec![false; scene.blend_channels.len()];
    for mesh in scene.meshes.into_iter().filter(|mesh| !mesh.element.instances.is_empty()) {
        for channel in mesh.blend_deformers.into_iter().flat_map(|blend| &blend.channels) {
            if let Some(entry) = used.get_mut(channel.element.typed_id as usize) {
                *entry = true;
            }
        }
    }
    let mut out = Vec::new();
    for (index, channel) in scene.blend_channels.into_iter().enumerate().filter(|(i, _)| used[*i]) {
        for (keyframe, key) in channel.keyframes.iter().enumerate() {
            let name =
                if channel.keyframes.len() == 1 { &*channel.element.name } else { &*key.shape.element.name };
            let name = if name.is_empty() { format!("morph_{}", out.len()) } else { name.to_owned() };
            let rest = finite(key.effective_weight).unwrap_or(0.0);
            // In rig, skeleton and pose.
            budget.memory(SCALAR_BYTES + 3 * name.len() as u64)?;
            out.push(RigScalar { name, channel: index, keyframe, rest });
        }
    }
    Ok(out)
}

/// Bytes that a scalar takes, its name apart.
const SCALAR_BYTES: u64 = 256;

/// The scalars of a channel, which lie side by side.
pub(super) fn of_channel(scalars: &[RigScalar], channel: usize) -> Range<usize> {
    let first = scalars.partition_point(|scalar| scalar.channel < channel);
    first..scalars.partition_point(|scalar| scalar.channel <= channel)
}

/// Weight of a shape at a time of the source.
pub(super) fn weight(scene: &ufbx::Scene, scalar: &RigScalar, anim: &Anim, time: f64) -> Option<f64> {
    let channel = scene.blend_channels.get(scalar.channel)?;
    let weight = ufbx::evaluate_blend_weight(anim, channel, time);
    finite(effective(channel, scalar.keyframe, weight))
}

/// How far a shape at full weight moves a vertex, in the mesh's own space.
pub(super) fn reach(scene: &ufbx::Scene, scalar: &RigScalar, budget: &Budget<'_>) -> Result<f64, Cause> {
    let channel = scene.blend_channels.get(scalar.channel);
    let shape = channel.and_then(|channel| channel.keyframes.get(scalar.keyframe)).map(|key| &key.shape);
    let offsets = shape.map(|shape| &*shape.position_offsets).unwrap_or_default();
    budget.steps(offsets.len() as u64)?;
    Ok(offsets.iter().map(|v| vec3(*v).length()).filter(|l| l.is_finite()).fold(0.0, f64::max))
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// How much of one shape a channel's weight means: between two shapes, or between one and nothing, it is divided linearly.
fn effective(channel: &BlendChannel, keyframe: usize, weight: f64) -> f64 {
    let targets = channel.keyframes.iter().map(|key| key.target_weight);
    share(&targets.collect::<Vec<_>>(), keyframe, weight)
}

fn share(targets: &[f64], keyframe: usize, weight: f64) -> f64 {
    let negative = targets.iter().rposition(|&t| t < 0.0);
    let positive = negative.map_or(0, |n| n + 1);
    // Shapes away from zero on the weight's side: the first that is beyond it, or the last.
    let mut side: Vec<usize> =
        if weight > 0.0 { (positive..targets.len()).collect() } else { (0..positive).rev().collect() };
    let beyond = |&k: &usize| if weight > 0.0 { targets[k] > weight } else { targets[k] < weight };
    if let Some(first) = side.iter().position(beyond) {
        side.truncate(first + 1);
    }
    let (previous, next) = match side[..] {
        [] if weight > 0.0 => (negative, None),
        [] => ((positive < targets.len()).then_some(positive), None),
        [next] => (None, Some(next)),
        [.., previous, next] => (Some(previous), Some(next)),
    };
    let at = |shape: Option<usize>| shape.map_or(0.0, |k| targets[k]);
    let delta = at(next) - at(previous);
    if delta == 0.0 {
        return 0.0;
    }
    let t = (weight - at(previous)) / delta;
    match keyframe {
        k if next == Some(k) => t,
        k if previous == Some(k) => 1.0 - t,
        _ => 0.0,
    }
}

/// How the offsets of control points become changes of vertices.
pub(super) struct Shaping<'a> {
    /// From the mesh's own space to the one its vertices are in.
    pub(super) linear: DMat3,
    pub(super) normals: DMat3,
    /// Vertices of each control point.
    pub(super) vertices: &'a [Vec<u32>],
}

impl Shaping<'_> {
    pub(super) fn target(
        &self,
        shape: &BlendShape,
        name: &str,
        scalar: u16,
        budget: &Budget<'_>,
    ) -> Result<MorphTarget, Cause> {
        let scratch = budget.scratch();
        let points = self.points(shape, &scratch)?;
        let vertices = |point: u32| self.vertices.get(point as usize).map(Vec::as_slice).unwrap_or_default();
        let count: usize = points.iter().map(|&(point, ..)| vertices(point).len()).sum();
        budget.morph_deltas(count as u64)?;
        scratch.list::<MorphDelta>(count)?;
        let mut deltas = Vec::with_capacity(count);
        for (point, position, normal) in points {
            let delta = |&vertex| MorphDelta { vertex, position, normal, tangent: Vec3::ZERO };
            deltas.extend(vertices(point).iter().map(delta));
        }
        deltas.sort_unstable_by_key(|delta| delta.vertex);
        Ok(MorphTarget { name: name.into(), scalar, deltas: deltas.into() })
    }

    /// The control points that a shape moves, in rising order. One that the shape lists twice moves once by the sum.
    fn points(&self, shape: &BlendShape, budget: &Budget<'_>) -> Result<Vec<(u32, Vec3, Vec3)>, Cause> {
        let count = shape.offset_vertices.len();
        budget.morph_deltas(count as u64 + 1)?;
        // Sorting takes half as much again.
        budget.list::<[(u32, Vec3, Vec3); 2]>(count)?;
        let mut points = Vec::with_capacity(count);
        for (index, &point) in shape.offset_vertices.iter().enumerate() {
            let part = shape.offset_weights.get(index).copied().unwrap_or(1.0);
            let offset = |list: &[ufbx::Vec3]| list.get(index).map_or(DVec3::ZERO, |v| vec3(*v)) * part;
            let position = (self.linear * offset(&shape.position_offsets)).as_vec3();
            let normal = (self.normals * offset(&shape.normal_offsets)).as_vec3();
            let clean = |v: Vec3| if v.is_finite() { v } else { Vec3::ZERO };
            let (position, normal) = (clean(position), clean(normal));
            if position != Vec3::ZERO || normal != Vec3::ZERO {
                points.push((point, position, normal));
            }
        }
        points.sort_by_key(|(point, ..)| *point);
        points.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
                kept.2 += next.2;
            }
            same
        });
        Ok(points)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(targets: &[f64], weight: f64) -> Vec<f64> {
        (0..targets.len()).map(|k| share(targets, k, weight)).collect()
    }

    #[test]
    fn one_shape_takes_the_weight_as_it_is() {
        for weight in [-0.5, 0.0, 0.25, 1.0, 1.5] {
            assert_eq!(shares(&[1.0], weight), [weight]);
        }
    }

    #[test]
    fn between_two_shapes_the_weight_is_divided() {
        let targets = [0.5, 1.0];
        assert_eq!(shares(&targets, 0.25), [0.5, 0.0]);
        assert_eq!(shares(&targets, 0.5), [1.0, 0.0]);
        assert_eq!(shares(&targets, 0.75), [0.5, 0.5]);
        assert_eq!(shares(&targets, 1.0), [0.0, 1.0]);
        assert_eq!(shares(&targets, 1.5), [-1.0, 2.0]);
    }

    #[test]
    fn negative_shapes_have_a_side_of_their_own() {
        let targets = [-1.0, 1.0];
        assert_eq!(shares(&targets, -0.5), [0.5, 0.0]);
        assert_eq!(shares(&targets, 0.5), [0.0, 0.5]);
        assert_eq!(shares(&[-1.0], 0.5), [-0.5]);
    }
}
