//! The character at rest, which measurements refer to.

use crate::criteria::{BODY, REACH, REFERENCE_SIZE};
use glam::Vec3;
use sinew::bounds::JointBounds;
use sinew::{Aabb, Character, Clip, Mat3x4, Mesh, Skeleton};

/// A character's rest pose and what the checks derive from it.
pub(crate) struct RestPose<'a> {
    pub(super) character: &'a Character,
    /// Model matrices at rest.
    pub(crate) models: &'a [Mat3x4],
    /// Longest side of the box at rest, in the character's unit.
    pub(crate) longest_side: f32,
    /// Lowest point at rest, along up.
    pub(super) ground: f32,
    /// Direction of up.
    pub(super) up: Vec3,
    /// Whether any vertex is weighted to each joint.
    pub(super) weighted: Vec<bool>,
    /// Distance from each joint to its farthest descendant.
    pub(super) reach: Vec<f32>,
}

impl<'a> RestPose<'a> {
    /// Measures a character.
    pub(crate) fn of(character: &'a Character) -> Self {
        let skeleton = character.skeleton();
        let rest = skeleton.rest_model();
        let bounds = rest_box(character, rest);
        let up = Vec3::from(character.space().up);
        let sides = bounds.max - bounds.min;
        let size = if bounds.is_empty() { 0.0 } else { sides.max_element() };
        let unit = 1.0 / character.space().unit_meters.max(f32::MIN_POSITIVE);
        Self {
            character,
            longest_side: if size > 0.0 && size.is_finite() { size } else { unit },
            ground: if bounds.is_empty() { 0.0 } else { bounds.min.dot(up).min(bounds.max.dot(up)) },
            up,
            weighted: weighted(skeleton.len(), character.meshes()),
            reach: reaches(skeleton, rest),
            models: rest,
        }
    }

    pub(super) fn skeleton(&self) -> &Skeleton {
        self.character.skeleton()
    }

    /// Place of a joint at rest.
    pub(super) fn place(&self, joint: u16) -> Vec3 {
        self.models[usize::from(joint)].translation()
    }

    /// A distance in millimetres, with the character scaled to [`REFERENCE_SIZE`].
    pub(super) fn millimetres(&self, distance: f32) -> f64 {
        f64::from(distance / self.longest_side) * REFERENCE_SIZE.value * 1e3
    }

    /// A distance as text: at the reference size and, if that differs, at the character's own size.
    pub(super) fn length(&self, distance: f32) -> String {
        let scaled = self.millimetres(distance);
        let real = f64::from(distance * self.character.space().unit_meters) * 1e3;
        if (real - scaled).abs() <= scaled * 0.05 {
            return format!("{scaled:.0} mm");
        }
        let real = if real < 10.0 { format!("{real:.2}") } else { format!("{real:.0}") };
        format!("{scaled:.0} mm ({real} mm at its own size)")
    }

    /// A percentage of the character's longest side.
    pub(super) fn share(&self, per_cent: f64) -> f32 {
        self.longest_side * (per_cent / 100.0) as f32
    }

    /// A joint's origin and a point along each of its axes, which stand in for the vertices around it.
    pub(super) fn points(&self, model: &Mat3x4) -> [Vec3; 4] {
        let distance = self.longest_side * (REACH.value / (REFERENCE_SIZE.value * 1e3)) as f32;
        let (m, place) = (model.matrix3(), model.translation());
        let at = |axis: Vec3| place + axis.normalize_or_zero() * distance;
        [place, at(m.x_axis), at(m.y_axis), at(m.z_axis)]
    }

    /// How far the points around a joint are from where they were in another pose: moved, turned or scaled.
    pub(super) fn way(&self, joint: usize, from: &Mat3x4, to: &Mat3x4) -> f32 {
        let points = self.points(from).into_iter().zip(self.points(to));
        let moved = points.map(|(a, b)| a.distance(b)).fold(0.0, f32::max);
        let reach = self.longest_side * (REACH.value / (REFERENCE_SIZE.value * 1e3)) as f32;
        let lengths = |model: &Mat3x4| {
            let m = model.matrix3();
            Vec3::new(m.x_axis.length(), m.y_axis.length(), m.z_axis.length())
        };
        // As parts of the joint's size at rest; one that is hidden by a scale of zero there counts as it is.
        let rest = self.models.get(joint).map_or(Vec3::ONE, lengths);
        let rest = Vec3::select(rest.cmpgt(Vec3::splat(f32::MIN_POSITIVE)), rest, Vec3::ONE);
        let scaled = ((lengths(from) - lengths(to)) / rest).abs().max_element() * reach;
        if scaled.is_finite() { moved.max(scaled) } else { moved }
    }

    /// The root of the body in a clip: the lowest joint that has nearly all animated rotations at or below it.
    pub(super) fn body_root(&self, clip: &Clip) -> Option<u16> {
        let mut below = vec![0usize; self.skeleton().len()];
        let mut total = 0;
        for turning in clip.moved_joints().filter(|&joint| clip.moved(joint).rotation) {
            total += 1;
            for joint in self.chain(turning) {
                below[usize::from(joint)] += 1;
            }
        }
        let enough =
            |&(_, count): &(u16, usize)| total > 0 && count as f64 >= total as f64 * BODY.value / 100.0;
        // Joints with enough below them form one chain. Parents come before children, so the last of them is the lowest.
        (0u16..).zip(below).filter(enough).last().map(|(joint, _)| joint)
    }

    /// A joint and its ancestors, upwards.
    pub(super) fn chain(&self, joint: u16) -> impl Iterator<Item = u16> {
        std::iter::successors(Some(joint), |&j| self.skeleton().parent(j))
    }

    /// Joints with weighted vertices and their ancestors: what remains when leaves without weights are removed.
    pub(super) fn carrying(&self) -> Vec<bool> {
        let mut needed = self.weighted.clone();
        for (joint, &parent) in self.skeleton().parents().iter().enumerate().rev() {
            if needed[joint]
                && let Some(above) = needed.get_mut(usize::from(parent))
            {
                *above = true;
            }
        }
        needed
    }

    /// Whether any vertex is weighted to a joint.
    pub(super) fn is_skinned(&self) -> bool {
        self.weighted.contains(&true)
    }
}

/// The bounding box at rest of the skinned meshes; without any, of all meshes; without any, of the joints.
fn rest_box(character: &Character, rest: &[Mat3x4]) -> Aabb {
    let of = |skinned: bool| {
        let meshes = character.meshes().iter().filter(|mesh| mesh.skin.is_some() || !skinned);
        meshes.fold(Aabb::EMPTY, |all, mesh| all.union(JointBounds::of(mesh, &[]).in_pose(rest)))
    };
    let (skins, meshes) = (of(true), of(false));
    if !skins.is_empty() {
        skins
    } else if !meshes.is_empty() {
        meshes
    } else {
        rest.iter().fold(Aabb::EMPTY, |all, model| all.with(model.translation()))
    }
}

fn weighted(joints: usize, meshes: &[Mesh]) -> Vec<bool> {
    let mut weighted = vec![false; joints];
    for mesh in meshes {
        let Some(skin) = &mesh.skin else { continue };
        for vertex in 0..mesh.vertex_count() {
            for (slot, _) in mesh.influences.of(vertex).filter(|&(_, weight)| weight > 0.0) {
                weighted[usize::from(skin.joints[usize::from(slot)])] = true;
            }
        }
    }
    weighted
}

fn reaches(skeleton: &Skeleton, rest: &[Mat3x4]) -> Vec<f32> {
    let mut reach = vec![0.0f32; skeleton.len()];
    for (joint, model) in rest.iter().enumerate() {
        let mut above = skeleton.parent(joint as u16);
        while let Some(parent) = above {
            let parent_index = usize::from(parent);
            reach[parent_index] =
                reach[parent_index].max(rest[parent_index].translation().distance(model.translation()));
            above = skeleton.parent(parent);
        }
    }
    reach
}
