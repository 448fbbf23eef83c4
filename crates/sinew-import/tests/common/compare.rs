//! Errors against gold, as the corpus defines them.

use super::gold::{Gold, Mesh as GoldMesh, Sample};
use super::nodes::{match_nodes, matrix_joint};
use glam::{DMat4, DQuat, DVec3};
use sinew::{Character, Clip, Mesh, NO_JOINT, Pose, Sampling, job};
use sinew_import::Imported;
use std::sync::Arc;

/// What one file's comparison came to. Errors are relative to `diagonal`.
#[derive(Clone, Debug)]
pub struct Row {
    pub file: String,
    pub diagonal: f64,
    pub joint_error: f64,
    pub vertex_error: f64,
    /// Where the worst joint error is.
    pub worst_joint: String,
    /// Where the worst vertex error is.
    pub worst_vertex: String,
    /// Samples compared, rest not counted.
    pub samples: usize,
    /// Samples outside the take.
    pub skipped: usize,
    /// Gold nodes, meshes and clips that have nothing of ours to compare with. Must be empty.
    pub missing: Vec<String>,
}

/// Slack for a sample that lies on the take's end, in seconds: gold prints nine digits.
const ON_THE_EDGE: f64 = 1e-6;

/// Compares a character (space kept, eight influences) with gold. `not_bones` are names of cameras and lights, which do not count
/// for the diagonal.
pub fn compare(file: &str, gold: &Gold, imported: &Imported, not_bones: &[String]) -> Row {
    let mut comparison = Comparison::new(file, gold, imported, not_bones);
    comparison.at("rest", None, &gold.rest_worlds(), &gold.rest_meshes);
    for (index, gold_clip) in gold.clips.iter().enumerate() {
        let Some((clip, start)) = find_clip(gold, index, imported) else {
            // A take that moves nothing may be left out: then all that was recorded of it is the rest.
            if gold_clip.samples.iter().any(|s| !is_rest(gold, s)) {
                comparison.row.missing.push(format!("clip `{}`", gold_clip.name));
            }
            continue;
        };
        for sample in &gold_clip.samples {
            let begin = gold_clip.begin.unwrap_or(f64::NEG_INFINITY);
            let end = gold_clip.end.unwrap_or(f64::INFINITY);
            if sample.t < begin - ON_THE_EDGE || sample.t > end + ON_THE_EDGE {
                comparison.row.skipped += 1;
                continue;
            }
            comparison.row.samples += 1;
            let place = format!("`{}` at {} s", gold_clip.name, sample.t);
            let time = comparison.nearest(&clip, start, sample);
            comparison.at(&place, Some((&clip, time)), &sample.worlds(), &sample.meshes);
        }
    }
    comparison.row
}

/// The diagonal that errors are relative to.
pub fn diagonal(gold: &Gold, not_bones: &[String]) -> f64 {
    let mut bounds = Bounds::default();
    gold.rest_vertices().for_each(|p| bounds.add(p));
    if bounds.is_empty() {
        if let Some(diagonal) = gold.recorded_diagonal() {
            return diagonal;
        }
        for (index, node) in gold.nodes.iter().enumerate() {
            let counts = if gold.format == "dae" { moves(gold, index) } else { node.bone };
            if counts && !not_bones.iter().any(|name| name == node.name()) {
                gold.worlds(index).for_each(|m| bounds.add(m.w_axis.truncate()));
            }
        }
    }
    match bounds.diagonal() {
        d if d > 0.0 => d,
        _ => 1.0,
    }
}

/// Largest distance between where two matrices put the origin and the three points at 0.05·D along the axes.
pub fn joint_error(ours: DMat4, gold: DMat4, diagonal: f64) -> f64 {
    let reach = 0.05 * diagonal;
    let points = [DVec3::ZERO, DVec3::X * reach, DVec3::Y * reach, DVec3::Z * reach];
    let distance = |p: DVec3| ours.transform_point3(p).distance(gold.transform_point3(p));
    points.into_iter().map(distance).fold(0.0, worse)
}

/// The larger; NaN counts as the largest.
fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

/// Whether an error is larger; NaN is larger than everything.
pub fn over(error: f64, bar: f64) -> bool {
    error > bar || error.is_nan()
}

/// Whether gold moves a node by more than its printed digits in any entry of its world matrix.
fn moves(gold: &Gold, node: usize) -> bool {
    let rest = gold.rest[node].get();
    gold.worlds(node).any(|world| !world.abs_diff_eq(rest, 1e-6))
}

/// Whether a sample differs from the rest by no more than its printed digits.
fn is_rest(gold: &Gold, sample: &Sample) -> bool {
    let near = |a: DMat4, b: DMat4| a.abs_diff_eq(b, 1e-6);
    gold.rest_worlds().into_iter().zip(sample.worlds()).all(|(rest, world)| near(rest, world))
}

/// The n-th clip of that name, else the clip with that number if no name agrees at all; and its start in the source.
fn find_clip(gold: &Gold, index: usize, imported: &Imported) -> Option<(Arc<Clip>, f64)> {
    let character = &imported.character;
    let name = &gold.clips[index].name;
    let before = gold.clips[..index].iter().filter(|c| c.name == *name).count();
    let mut same = character.clips().names().enumerate().filter(|(_, n)| n == name).map(|(i, _)| i);
    let number = same.nth(before).or_else(|| {
        let none_agrees = gold.clips.iter().all(|c| character.clips().find(&c.name).is_none());
        none_agrees.then_some(index).filter(|&i| i < character.clips().len())
    })?;
    let clip = character.clips().get(number).unwrap_or_else(|e| panic!("{e}"));
    Some((clip, imported.source.clip(number).start))
}

impl Gold {
    fn rest_worlds(&self) -> Vec<DMat4> {
        self.rest.iter().map(|m| m.get()).collect()
    }
}

impl Sample {
    /// Times to look at. A key's time is rounded to single precision, in gold as in ours, and at a jump a rounding decides which side is
    /// seen: the neighbours of a time on a key count as that time.
    fn times(&self) -> Vec<f64> {
        let step = f64::from(f32::EPSILON) * self.t.abs().max(1.0);
        let on_key = self.kind.as_deref() == Some("onKey");
        if on_key { vec![self.t, self.t - step, self.t + step] } else { vec![self.t] }
    }

    fn worlds(&self) -> Vec<DMat4> {
        self.world.iter().map(|m| m.get()).collect()
    }
}

struct Comparison<'a> {
    gold: &'a Gold,
    character: &'a Character,
    imported: &'a Imported,
    /// Per gold node the joint that has its matrix.
    joint_of: Vec<Option<u16>>,
    /// Per gold mesh ours, with the vertices of ours for each recorded one.
    mesh_of: Vec<Option<(usize, Vec<Vec<usize>>)>>,
    row: Row,
}

impl<'a> Comparison<'a> {
    fn new(file: &str, gold: &'a Gold, imported: &'a Imported, not_bones: &[String]) -> Self {
        let character = &imported.character;
        let node_joints = match_nodes(gold, imported);
        let row = Row {
            file: file.to_owned(),
            diagonal: diagonal(gold, not_bones),
            joint_error: 0.0,
            vertex_error: 0.0,
            worst_joint: String::new(),
            worst_vertex: String::new(),
            samples: 0,
            skipped: 0,
            missing: missing_joints(gold, &node_joints),
        };
        let joint_of = node_joints.iter().map(|j| j.map(|joint| matrix_joint(imported, joint))).collect();
        let mut this = Self { gold, character, imported, joint_of, mesh_of: Vec::new(), row };
        for index in 0..gold.meshes.len() {
            this.find_mesh(index, &node_joints);
        }
        this
    }

    /// Pairs a gold mesh with ours and its vertices with ours.
    fn find_mesh(&mut self, index: usize, node_joints: &[Option<u16>]) {
        let gold = &self.gold.meshes[index];
        let count = self.gold.rest_meshes[index].len();
        if count == 0 {
            return self.mesh_of.push(None);
        }
        let node = self.gold.node_of_mesh(index);
        let like_it =
            |m: &usize| self.gold.node_of_mesh(*m) == node && self.gold.meshes[*m].joints == gold.joints;
        let before = (0..index).filter(like_it).count();
        let meshes = self.character.meshes();
        let Some(ours) =
            (0..meshes.len()).filter(|&m| is_mesh(gold, node, &meshes[m], node_joints)).nth(before)
        else {
            self.row.missing.push(format!("mesh {index}"));
            return self.mesh_of.push(None);
        };
        let mut vertices = vec![Vec::new(); count];
        for (k, list) in vertices.iter_mut().enumerate() {
            let id = gold.ids.as_ref().map_or(k as u32, |ids| ids[k]);
            let is_it = |&vertex: &usize| self.imported.source.vertex(ours, vertex as u32) == id;
            list.extend((0..meshes[ours].vertex_count()).filter(is_it));
            if list.is_empty() {
                self.row.missing.push(format!("mesh {index}: vertex {id}"));
            }
        }
        self.mesh_of.push(Some((ours, vertices)));
    }

    /// Compares one pose: rest, or a clip at a time.
    fn at(&mut self, place: &str, clip: Option<(&Clip, f64)>, worlds: &[DMat4], meshes: &[Vec<[f64; 3]>]) {
        let (pose, model) = self.pose(clip);
        self.joints(place, &model, worlds);
        self.vertices(place, &pose, &model, meshes);
    }

    fn pose(&self, clip: Option<(&Clip, f64)>) -> (Pose, Vec<sinew::Mat3x4>) {
        let skeleton = self.character.skeleton();
        let mut pose = skeleton.rest().clone();
        if let Some((clip, time)) = clip {
            job::sample(skeleton, clip, time, Sampling::Interpolate, &mut pose).expect("shapes agree");
        }
        let mut model = vec![sinew::Mat3x4::IDENTITY; skeleton.len()];
        job::local_to_model(skeleton.hierarchy(), pose.blocks(), &sinew::Mat3x4::IDENTITY, &mut model)
            .expect("shapes agree");
        (pose, model)
    }

    /// Of the times that a sample may mean, the one that agrees best, from the start of the clip.
    fn nearest(&self, clip: &Clip, start: f64, sample: &Sample) -> f64 {
        let (times, worlds) = (sample.times().into_iter().map(|time| time - start), sample.worlds());
        let error = |time: f64| {
            let (_, model) = self.pose(Some((clip, time)));
            let joints =
                self.joint_of.iter().zip(&worlds).filter_map(|(joint, world)| Some(((*joint)?, *world)));
            joints
                .map(|(joint, world)| {
                    joint_error(widen(&model[usize::from(joint)]), world, self.row.diagonal)
                })
                .fold(0.0, worse)
        };
        let best = times.min_by(|a, b| error(*a).total_cmp(&error(*b)));
        best.expect("there is one time at least")
    }

    fn joints(&mut self, place: &str, model: &[sinew::Mat3x4], worlds: &[DMat4]) {
        for (node, joint) in self.joint_of.iter().enumerate() {
            let Some(joint) = *joint else { continue };
            let ours = widen(&model[usize::from(joint)]);
            let error = joint_error(ours, worlds[node], self.row.diagonal) / self.row.diagonal;
            if over(error, self.row.joint_error) {
                self.row.joint_error = error;
                self.row.worst_joint = format!("{place}, node {node} `{}`", self.gold.nodes[node].name());
            }
        }
    }

    fn vertices(&mut self, place: &str, pose: &Pose, model: &[sinew::Mat3x4], meshes: &[Vec<[f64; 3]>]) {
        for (index, pair) in self.mesh_of.iter().enumerate() {
            let Some((ours, vertices)) = pair else { continue };
            let positions = skin(&self.character.meshes()[*ours], pose, model);
            for (k, list) in vertices.iter().enumerate() {
                for &vertex in list {
                    let error = positions[vertex].distance(meshes[index][k].into()) / self.row.diagonal;
                    if over(error, self.row.vertex_error) {
                        self.row.vertex_error = error;
                        self.row.worst_vertex = format!("{place}, mesh {index}, recorded vertex {k}");
                    }
                }
            }
        }
    }
}

/// Gold nodes that must have a joint and have none: bones, what moves, and their ancestors.
fn missing_joints(gold: &Gold, joint_of: &[Option<u16>]) -> Vec<String> {
    let mut needed = vec![false; gold.nodes.len()];
    for (index, node) in gold.nodes.iter().enumerate() {
        if !(node.bone || node.joint || moves(gold, index)) || node.dup_of_parent {
            continue;
        }
        let mut at = index as i64;
        while let Ok(i) = usize::try_from(at) {
            needed[i] = true;
            at = gold.nodes[i].parent;
        }
    }
    let missing = (0..needed.len()).filter(|&i| needed[i] && joint_of[i].is_none() && gold.is_of_file(i));
    missing.map(|i| format!("node {i} `{}`", gold.nodes[i].name())).collect()
}

/// Whether one of our meshes can be that gold mesh: it stands on the same node, or where gold names none has the same joints.
fn is_mesh(gold: &GoldMesh, node: Option<usize>, ours: &Mesh, joint_of: &[Option<u16>]) -> bool {
    match node {
        Some(node) => ours.joint != NO_JOINT && joint_of[node] == Some(ours.joint),
        None => ours.skin.as_ref().is_some_and(|skin| {
            let mut ours = skin.joints.iter().map(|&j| Some(j)).collect::<Vec<_>>();
            let mut gold = gold.joints.iter().flatten().map(|&n| joint_of[n]).collect::<Vec<_>>();
            ours.sort_unstable();
            gold.sort_unstable();
            ours == gold
        }),
    }
}

/// A vertex by dual quaternions, in double precision: quaternions and halved translations times them are summed, the nearer one of each pair.
fn turn(mesh: &Mesh, matrices: &[DMat4], vertex: usize, position: DVec3) -> DVec3 {
    let (mut real, mut dual, mut scales) =
        (DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), DVec3::ZERO);
    for (joint, weight) in mesh.influences.of(vertex).filter(|&(_, weight)| weight != 0.0) {
        let (scale, rotation, t) = matrices[usize::from(joint)].to_scale_rotation_translation();
        let sign = if real.dot(rotation) < 0.0 { -1.0 } else { 1.0 };
        let weight = f64::from(weight);
        real += rotation * (sign * weight);
        dual += DQuat::from_xyzw(t.x, t.y, t.z, 0.0) * rotation * (0.5 * sign * weight);
        scales += scale * weight;
    }
    let (real, dual) = (real * (1.0 / real.length()), dual * (1.0 / real.length()));
    let moved = dual * real.conjugate() * 2.0;
    real * (scales * position) + DVec3::new(moved.x, moved.y, moved.z)
}

/// Morphs, then blends, in double precision: a second path beside whatever the library does.
fn skin(mesh: &Mesh, pose: &Pose, model: &[sinew::Mat3x4]) -> Vec<DVec3> {
    let mut matrices = vec![sinew::Mat3x4::IDENTITY; mesh.skin_matrix_count()];
    mesh.skin_matrices(model, &mut matrices).expect("shapes agree");
    let matrices = matrices.iter().map(widen).collect::<Vec<_>>();
    let mut positions = mesh.positions.iter().map(|p| p.as_dvec3()).collect::<Vec<_>>();
    for morph in &mesh.morphs {
        let weight = f64::from(pose.scalars()[usize::from(morph.scalar)]);
        for delta in &morph.deltas {
            positions[delta.vertex as usize] += delta.position.as_dvec3() * weight;
        }
    }
    for (vertex, position) in positions.iter_mut().enumerate() {
        if mesh.skin.is_none() {
            *position = matrices[0].transform_point3(*position);
            continue;
        }
        let used = mesh.influences.of(vertex).filter(|&(_, weight)| weight != 0.0);
        let moved = used.map(|(slot, weight)| {
            matrices[usize::from(slot)].transform_point3(*position) * f64::from(weight)
        });
        let (count, sum) = moved.fold((0, DVec3::ZERO), |(n, sum), p| (n + 1, sum + p));
        // Without weights a vertex stays put.
        if count > 0 {
            let share = mesh.influences.dual_quaternion.get(vertex).map_or(0.0, |share| f64::from(*share));
            let turned = if share > 0.0 { turn(mesh, &matrices, vertex, *position) } else { sum };
            *position = sum.lerp(turned, share);
        }
    }
    positions
}

fn widen(m: &sinew::Mat3x4) -> DMat4 {
    DMat4::from_cols(
        m.matrix3().x_axis.as_dvec3().extend(0.0),
        m.matrix3().y_axis.as_dvec3().extend(0.0),
        m.matrix3().z_axis.as_dvec3().extend(0.0),
        m.translation().as_dvec3().extend(1.0),
    )
}

#[derive(Default)]
struct Bounds(Option<(DVec3, DVec3)>);

impl Bounds {
    fn add(&mut self, p: DVec3) {
        let (low, high) = self.0.unwrap_or((p, p));
        self.0 = Some((low.min(p), high.max(p)));
    }

    fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    fn diagonal(&self) -> f64 {
        self.0.map_or(0.0, |(low, high)| low.distance(high))
    }
}
