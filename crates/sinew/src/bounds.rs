//! Boxes around meshes: at rest, and over all of a clip.

use crate::job::{self, exactly};
use crate::{Aabb, Clip, JobError, Mat3x4, Mesh, NO_JOINT, Pose, Sampling, Skeleton, skinning};
use glam::Vec3;
use std::ops::Range;

/// The box around all vertices at rest, morph targets at their rest weights; without vertices, around the joints. A mesh that does not fit
/// the skeleton is left out.
pub fn rest_bounds(skeleton: &Skeleton, meshes: &[Mesh]) -> Aabb {
    or_joints(skeleton, vertex_bounds(skeleton, meshes))
}

/// The box around some vertices of a mesh at rest; those that the mesh does not have, and places that are no numbers, are left out. Several threads may take a
/// part each: the box around their boxes is that of all at once. If the mesh has morph targets, each part takes as long as moving all vertices.
///
/// Fails if the mesh does not fit the skeleton.
pub fn mesh_rest_bounds(skeleton: &Skeleton, mesh: &Mesh, vertices: Range<usize>) -> Result<Aabb, JobError> {
    let mut matrices = vec![Mat3x4::IDENTITY; mesh.skin_matrix_count()];
    mesh.skin_matrices(skeleton.rest_model(), &mut matrices)?;
    skinning::bounds(mesh, &matrices, skeleton.rest().scalars(), vertices)
}

/// Size of a character at rest, which errors and tolerances are relative to: the diagonal of [`rest_bounds`]; 1 where that is zero or not
/// finite.
pub fn rest_size(skeleton: &Skeleton, meshes: &[Mesh]) -> f32 {
    rest_size_of(skeleton, vertex_bounds(skeleton, meshes))
}

/// The same where the box around all vertices is known ([`mesh_rest_bounds`]).
pub fn rest_size_of(skeleton: &Skeleton, vertices: Aabb) -> f32 {
    size_of(&or_joints(skeleton, vertices))
}

/// The same of [`rest_bounds`] that are known.
pub(crate) fn size_of(rest_bounds: &Aabb) -> f32 {
    let diagonal = rest_bounds.diagonal();
    if diagonal > 0.0 && diagonal.is_finite() { diagonal } else { 1.0 }
}

fn vertex_bounds(skeleton: &Skeleton, meshes: &[Mesh]) -> Aabb {
    let whole = |mesh: &Mesh| mesh_rest_bounds(skeleton, mesh, 0..mesh.vertex_count()).ok();
    meshes.iter().filter_map(whole).fold(Aabb::EMPTY, Aabb::union)
}

/// A box, or that around the joints if it is empty.
fn or_joints(skeleton: &Skeleton, vertices: Aabb) -> Aabb {
    if !vertices.is_empty() {
        return vertices;
    }
    skeleton.rest_model().iter().fold(Aabb::EMPTY, |all, joint| all.with(joint.translation()))
}

/// Boxes of a mesh's vertices in the space of each joint that carries them: a deformed vertex, being a weighted mean of where its
/// joints take it, lies within the boxes of its joints, wherever those are.
#[derive(Clone, Debug)]
pub struct JointBounds {
    boxes: Vec<(u16, Aabb)>,
    still: Aabb,
}

impl JointBounds {
    /// Measures a mesh. `weights` gives the lowest and highest value that each scalar of the pose will have; morph targets reach that far.
    pub fn of(mesh: &Mesh, weights: &[(f32, f32)]) -> Self {
        let vertices = morphed_boxes(mesh, weights);
        let union = |boxes: &[Aabb]| boxes.iter().fold(Aabb::EMPTY, |all, b| all.union(*b));
        let Some(skin) = &mesh.skin else {
            let all = union(&vertices);
            return if mesh.joint == NO_JOINT {
                Self { boxes: vec![], still: all }
            } else {
                Self { boxes: vec![(mesh.joint, all)], still: Aabb::EMPTY }
            };
        };
        let mut boxes: Vec<_> = skin.joints.iter().map(|&joint| (joint, Aabb::EMPTY)).collect();
        let mut still = Aabb::EMPTY;
        for (vertex, bounds) in vertices.iter().enumerate() {
            let mut any = false;
            for (slot, _) in mesh.influences.of(vertex).filter(|&(_, weight)| weight != 0.0) {
                any = true;
                let slot = usize::from(slot);
                boxes[slot].1 = boxes[slot].1.union(bounds.transformed(skin.inverse_binds[slot]));
            }
            if !any {
                still = still.union(*bounds);
            }
        }
        boxes.retain(|(_, bounds)| !bounds.is_empty());
        Self { boxes, still }
    }

    /// A box that holds the mesh in a pose, from its model matrices: a few boxes to turn instead of every vertex to skin.
    pub fn in_pose(&self, model: &[Mat3x4]) -> Aabb {
        let turned = |(joint, bounds): &(u16, Aabb)| bounds.transformed(model[usize::from(*joint)]);
        self.boxes.iter().map(turned).fold(self.still, Aabb::union)
    }
}

fn morphed_boxes(mesh: &Mesh, weights: &[(f32, f32)]) -> Vec<Aabb> {
    let mut boxes: Vec<_> = mesh.positions.iter().map(|&p| Aabb { min: p, max: p }).collect();
    for target in &mesh.morphs {
        let (low, high) = weights.get(usize::from(target.scalar)).copied().unwrap_or((0.0, 0.0));
        for delta in &target.deltas {
            let (a, b) = (delta.position * low, delta.position * high);
            let bounds = &mut boxes[delta.vertex as usize];
            bounds.min += a.min(b).min(Vec3::ZERO);
            bounds.max += a.max(b).max(Vec3::ZERO);
        }
    }
    boxes
}

/// A box that holds all meshes at every time of a clip, also between keys. It is conservative, not tight.
///
/// Between two samples a point cannot leave the sampled boxes by more than half the distance it can travel, which is
/// bounded by how far its joint and that joint's parents turn, move and scale.
///
/// Fails if the clip does not fit the skeleton.
pub fn clip_bounds(skeleton: &Skeleton, meshes: &[Mesh], clip: &Clip) -> Result<Aabb, JobError> {
    let weights = scalar_ranges(skeleton, clip);
    let boxes: Vec<_> = meshes.iter().map(|mesh| JointBounds::of(mesh, &weights)).collect();
    let mut before = Sample::new(skeleton);
    let mut now = Sample::new(skeleton);
    let mut total = Aabb::EMPTY;
    let mut last_time = None;
    for time in sample_times(clip) {
        now.take(skeleton, clip, time)?;
        let seen = boxes.iter().fold(Aabb::EMPTY, |all, b| all.union(b.in_pose(&now.model)));
        // A step that small is the two sides of a jump: nothing moves between them.
        let moved =
            last_time.filter(|last| time - last > 1e-9).map(|_| before.way_to(&now, skeleton, &boxes));
        let margin = moved.unwrap_or(0.0) * 0.5;
        total = total.union(seen.grown(margin));
        if margin > 0.0 {
            let seen = boxes.iter().fold(Aabb::EMPTY, |all, b| all.union(b.in_pose(&before.model)));
            total = total.union(seen.grown(margin));
        }
        last_time = Some(time);
        std::mem::swap(&mut before, &mut now);
    }
    // Room for the rounding of the sums above.
    Ok(total.grown(total.diagonal() * 1e-5))
}

/// Times at which to sample: a steady 60 a second, every key, and the instant before it, where a jump shows its other side.
fn sample_times(clip: &Clip) -> Vec<f64> {
    let duration = f64::from(clip.duration());
    let steps = (duration * 60.0).ceil().clamp(1.0, 36_000.0) as u32;
    let mut times: Vec<f64> = (0..=steps).map(|i| duration * f64::from(i) / f64::from(steps)).collect();
    times.extend(clip.times().flat_map(|time| [time.next_down(), time]));
    times.retain(|time| (0.0..=duration).contains(time));
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

fn scalar_ranges(skeleton: &Skeleton, clip: &Clip) -> Vec<(f32, f32)> {
    let mut ranges: Vec<_> = skeleton.rest().scalars().iter().map(|&rest| (rest, rest)).collect();
    for (scalar, range) in (0u16..).zip(&mut ranges) {
        *range = clip.scalar_range(scalar).unwrap_or(*range);
    }
    ranges
}

/// A clip's pose at one time.
struct Sample {
    pose: Pose,
    model: Vec<Mat3x4>,
}

/// Bounds of how far anything fixed to a joint can move between two samples: `origin + per_unit · distance from the joint`.
#[derive(Clone, Copy, Default)]
struct Way {
    origin: f32,
    /// Angle that the joint turns through, by the scale it turns at, and change of that scale.
    per_unit: f32,
    /// Largest scale at the joint.
    scale: f32,
    angle: f32,
    scale_change: f32,
}

impl Sample {
    fn new(skeleton: &Skeleton) -> Self {
        Self { pose: skeleton.rest().clone(), model: vec![Mat3x4::IDENTITY; skeleton.len()] }
    }

    fn take(&mut self, skeleton: &Skeleton, clip: &Clip, time: f64) -> Result<(), JobError> {
        exactly("pose.joints", skeleton.len(), self.pose.len())?;
        job::sample(skeleton, clip, time, Sampling::Interpolate, &mut self.pose)?;
        job::local_to_model(skeleton.hierarchy(), self.pose.blocks(), &Mat3x4::IDENTITY, &mut self.model)
    }

    /// The longest distance that any point of the meshes can travel between two samples.
    fn way_to(&self, next: &Self, skeleton: &Skeleton, meshes: &[JointBounds]) -> f32 {
        let mut ways: Vec<Way> = Vec::with_capacity(skeleton.len());
        for (joint, &parent) in skeleton.parents().iter().enumerate() {
            let above = if parent == NO_JOINT {
                Way { scale: 1.0, ..Way::default() }
            } else {
                ways[usize::from(parent)]
            };
            ways.push(self.joint_way(next, joint, above));
        }
        let longest = |(joint, bounds): &(u16, Aabb)| {
            let way = ways[usize::from(*joint)];
            way.origin + way.per_unit * bounds.reach()
        };
        meshes.iter().flat_map(|m| &m.boxes).map(longest).fold(0.0, f32::max)
    }

    fn joint_way(&self, next: &Self, joint: usize, above: Way) -> Way {
        let (a, b) = (self.pose.get(joint), next.pose.get(joint));
        let dot = a.rotation.dot(b.rotation).abs().min(1.0);
        let angle = above.angle + 2.0 * libm::acosf(dot);
        let size = a.scale.abs().max_element().max(b.scale.abs().max_element());
        let scale = above.scale * size;
        let scale_change = above.scale_change * size + above.scale * (a.scale - b.scale).length();
        let arm = a.translation.length().max(b.translation.length());
        Way {
            origin: above.origin + above.per_unit * arm + above.scale * a.translation.distance(b.translation),
            per_unit: angle * scale + scale_change,
            scale,
            angle,
            scale_change,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skinning::SkinnedVertices;
    use crate::{Influences, Interpolation, Joint, JointTracks, Skin, Track, Transform};
    use glam::Quat;
    use proptest::prelude::*;

    fn chain() -> (Skeleton, Mesh) {
        let up = Transform::from_translation(Vec3::Y);
        let joints = (0..4).map(|i: u16| Joint::new(format!("j{i}"), i.checked_sub(1), up)).collect();
        let skeleton = Skeleton::new(joints, vec![]).unwrap();
        let positions: Vec<Vec3> = (0..16).map(|i| Vec3::new(0.2, 1.0 + 0.25 * i as f32, -0.1)).collect();
        let mesh = Mesh {
            skin: Some(Skin {
                joints: vec![0, 1, 2, 3].into(),
                inverse_binds: (1..=4).map(|i| Mat3x4::from_translation(Vec3::NEG_Y * i as f32)).collect(),
            }),
            influences: Influences {
                per_vertex: 4,
                skin_joints: (0..16u16).flat_map(|i| [i / 4, (i / 4 + 1).min(3), 0, 0]).collect(),
                weights: [0.75, 0.25, 0.0, 0.0].repeat(16).into(),
                ..Influences::default()
            },
            positions: positions.into(),
            ..Mesh::new("tube")
        };
        (skeleton, mesh)
    }

    #[test]
    fn size_is_that_of_the_vertices_else_of_the_joints() {
        let (skeleton, mesh) = chain();
        assert!((rest_size(&skeleton, std::slice::from_ref(&mesh)) - 3.75).abs() < 1e-6);
        assert_eq!(rest_size(&skeleton, &[]), 3.0);
        let alone = Skeleton::new(vec![], vec![]).unwrap();
        assert_eq!(rest_size(&alone, &[]), 1.0);
        assert_eq!(rest_bounds(&alone, &[mesh]), Aabb::EMPTY, "a mesh that does not fit is left out");
    }

    proptest! {
        /// Wherever a random clip takes the vertices, also between keys, they stay inside.
        #[test]
        fn nothing_leaves_the_bounds(
            turns in proptest::collection::vec([-3.0f32..3.0, -3.0..3.0, -3.0..3.0], 12),
            shift in [-2.0f32..2.0, -2.0..2.0, -2.0..2.0], stretch in 0.5f32..2.0,
        ) {
            let (skeleton, mesh) = chain();
            let tracks = (0..4u16).map(|joint| {
                let quats = turns[usize::from(joint) * 3..][..3].iter().map(|t| {
                    Quat::from_scaled_axis(Vec3::from_array(*t))
                });
                let times = vec![0.0, 0.3, 0.5];
                let mut tracks = JointTracks::new(joint);
                tracks.rotation = Some(Track::new(times, quats.collect(), Interpolation::Linear).unwrap());
                if joint == 1 {
                    let values = vec![Vec3::Y, shift.into(), Vec3::X, Vec3::Y];
                    let times = vec![0.0, 0.25, 0.25, 0.5];
                    tracks.translation = Some(Track::new(times, values, Interpolation::Linear).unwrap());
                    let values = vec![Vec3::ONE, Vec3::new(stretch, 1.0, 1.0)];
                    tracks.scale = Some(Track::new(vec![0.0, 0.5], values, Interpolation::Linear).unwrap());
                }
                tracks
            });
            let clip = Clip::new("c", 0.5, tracks.collect(), vec![]).unwrap();
            let bounds = clip_bounds(&skeleton, std::slice::from_ref(&mesh), &clip).unwrap();
            let mut sample = Sample::new(&skeleton);
            let mut matrices = [Mat3x4::IDENTITY; 4];
            let mut out = SkinnedVertices::for_mesh(&mesh);
            for i in 0..=97 {
                sample.take(&skeleton, &clip, 0.5 * f64::from(i) / 97.0).unwrap();
                mesh.skin_matrices(&sample.model, &mut matrices).unwrap();
                out.skin(&mesh, &matrices, &[]).unwrap();
                prop_assert!(out.positions.iter().all(|&p| bounds.contains(p)));
            }
            prop_assert!(bounds.diagonal() < 60.0, "conservative, not boundless: {}", bounds.diagonal());
        }
    }

    #[test]
    fn boxes_behave() {
        let unit = Aabb { min: Vec3::ZERO, max: Vec3::ONE };
        assert!(Aabb::EMPTY.is_empty() && !unit.is_empty());
        assert_eq!(Aabb::EMPTY.union(unit), unit);
        assert_eq!(Aabb::of(&[Vec3::ZERO, Vec3::ONE]), unit);
        let quarter = glam::Affine3::from_rotation_z(std::f32::consts::FRAC_PI_2);
        let turned = unit.transformed(quarter);
        assert!(turned.min.abs_diff_eq(Vec3::new(-1.0, 0.0, 0.0), 1e-6));
        assert!(Aabb::EMPTY.transformed(quarter).is_empty());
        assert_eq!(Aabb::EMPTY.diagonal(), 0.0);
    }
}
