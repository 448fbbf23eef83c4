//! The bones of a model: the joints in their order, and those that XNB asks for besides.

use super::error::MonoGameError;
use super::options::{Over72, SkinningVersion};
use crate::mesh::has_still_vertices;
use glam::{Affine3, Mat4, Vec3};
use sinew::{Character, Finding, Mat3x4, Mesh, NO_JOINT, Transform};
use sinew_findings::catalogue::build as findings;
use sinew_findings::plural;
use sinew_xnb::skinning::MOST_BONES;
use std::collections::BTreeMap;

/// Name of the root that is added.
const ROOT: &str = "$root";
/// Name of the bone of vertices without weights, where the root cannot be it.
const STILL: &str = "$still";
/// Inverse binds are one if they put every vertex within this fraction of the character's size.
const SAME_BIND: f32 = 1e-6;

/// A bone.
#[derive(Clone, Debug)]
pub(super) struct Bone {
    pub name: String,
    pub parent: Option<usize>,
    pub rest: Transform,
    pub inverse_bind: Affine3,
    /// Sum of the weights of all vertices.
    weight: f64,
    /// Whether it must stay: a mesh hangs on it, or it is a root.
    needed: bool,
}

/// All bones, and which of them stand for what.
#[derive(Clone, Debug)]
pub(super) struct Bones {
    pub bones: Vec<Bone>,
    joints: Vec<Option<usize>>,
    /// Of each mesh, the bone of each joint of its skin.
    skins: Vec<Vec<usize>>,
    /// The bone of vertices without weights, which does not move.
    pub still: usize,
    /// Index of the first joint's bone: behind a root that was added.
    first: usize,
}

/// The numbers of a matrix for row vectors: those of the columns for column vectors.
pub(super) fn matrix(affine: &Affine3) -> [f32; 16] {
    Mat4::from_cols(
        affine.matrix3.x_axis.extend(0.0),
        affine.matrix3.y_axis.extend(0.0),
        affine.matrix3.z_axis.extend(0.0),
        affine.translation.extend(1.0),
    )
    .to_cols_array()
}

impl Bones {
    pub fn new(character: &Character) -> Self {
        let skeleton = character.skeleton();
        let first = usize::from(needs_root(character));
        let mut this = Self { bones: vec![], joints: vec![], skins: vec![], still: 0, first };
        if first == 1 {
            this.bones.push(Bone::new(ROOT.to_owned(), None, Transform::IDENTITY, Affine3::IDENTITY));
        }
        for (joint, model) in skeleton.joints().zip(skeleton.rest_model()) {
            let parent = joint.parent.map(|parent| usize::from(parent) + first).or((first == 1).then_some(0));
            let inverse = model.to_affine().inverse();
            let inverse = if inverse.is_finite() { inverse } else { Affine3::IDENTITY };
            this.joints.push(Some(this.bones.len()));
            this.bones.push(Bone::new(joint.name, parent, joint.rest, inverse));
        }
        if let Some(first) = this.bones.first_mut() {
            first.needed = true;
        }
        this.add_binds(character);
        this.add_still(character);
        this.count_uses(character);
        this
    }

    /// The bone of a joint, unless it was left out.
    pub fn of_joint(&self, joint: u16) -> Option<usize> {
        self.joints.get(usize::from(joint)).copied().flatten()
    }

    /// The bone of each joint of a mesh's skin.
    pub fn of_skin(&self, mesh: usize) -> &[usize] {
        self.skins.get(mesh).map_or(&[], Vec::as_slice)
    }

    /// Gives each joint the bind of the first mesh that it moves, and further binds of it bones of their own.
    fn add_binds(&mut self, character: &Character) {
        let limit = SAME_BIND * character.size();
        let rest = character.skeleton().rest_model();
        // Of each joint: bones and their binds.
        let mut binds: BTreeMap<u16, Vec<(usize, Affine3)>> = BTreeMap::new();
        for mesh in character.meshes() {
            let Some(skin) = &mesh.skin else {
                self.skins.push(vec![]);
                continue;
            };
            let corners = corners(mesh);
            let used = used(mesh, skin.joints.len());
            let mut bones = Vec::with_capacity(skin.joints.len());
            for ((&joint, bind), used) in skin.joints.iter().zip(&skin.inverse_binds).zip(used) {
                let own = usize::from(joint) + self.first;
                let (model, bind) = (rest[usize::from(joint)], Affine3::from(*bind));
                let same = |other: &Affine3| {
                    corners.iter().all(|&corner| {
                        let [a, b] =
                            [bind, *other].map(|bind| (model * bind.into()).transform_point3(corner));
                        a.distance(b) <= limit
                    })
                };
                if !used {
                    bones.push(own);
                    continue;
                }
                let known = binds.entry(joint).or_default();
                let bone = match known.iter().find(|(_, other)| same(other)) {
                    Some(&(bone, _)) => bone,
                    None if known.is_empty() => {
                        self.bones[own].inverse_bind = bind;
                        known.push((own, bind));
                        own
                    }
                    None => {
                        let name = format!("{}$bind{}", self.bones[own].name, known.len());
                        self.bones.push(Bone::new(name, Some(own), Transform::IDENTITY, bind));
                        known.push((self.bones.len() - 1, bind));
                        self.bones.len() - 1
                    }
                };
                bones.push(bone);
            }
            self.skins.push(bones);
        }
    }

    /// Vertices without weights stay where they are. The first bone does, too, but its bind may say otherwise.
    fn add_still(&mut self, character: &Character) {
        let needed = character.meshes().iter().any(|mesh| mesh.skin.is_some() && has_still_vertices(mesh));
        if needed && self.bones.first().is_some_and(|root| root.inverse_bind != Affine3::IDENTITY) {
            self.still = self.bones.len();
            self.bones.push(Bone::new(STILL.to_owned(), Some(0), Transform::IDENTITY, Affine3::IDENTITY));
            self.bones[self.still].needed = true;
        }
    }

    /// Counts what hangs on each bone.
    fn count_uses(&mut self, character: &Character) {
        for (index, mesh) in character.meshes().iter().enumerate() {
            if mesh.skin.is_none() {
                if let Some(bone) = self.of_joint(mesh.joint) {
                    self.bones[bone].needed = true;
                }
                continue;
            }
            for (&joint, &weight) in mesh.influences.skin_joints.iter().zip(&mesh.influences.weights) {
                if let Some(&bone) = self.skins[index].get(usize::from(joint)).filter(|_| weight > 0.0) {
                    self.bones[bone].weight += f64::from(weight);
                }
            }
        }
    }

    /// Whether vertices can number all bones.
    pub fn fit(&self) -> bool {
        self.bones.len() <= MOST_BONES
    }

    /// Leaves out bones until vertices can number all of them, or says why that is not possible.
    pub fn reduce(
        &mut self,
        version: SkinningVersion,
        over: Over72,
        findings: &mut Vec<Finding>,
    ) -> Result<(), MonoGameError> {
        let split = version == SkinningVersion::V2 && over == Over72::Split;
        if self.fit() || split {
            return Ok(());
        }
        let before = self.bones.len();
        let mut gone = Vec::new();
        while let Some(leaf) = self.still_leaf() {
            gone.push(self.remove(leaf));
        }
        if !gone.is_empty() {
            let count = plural(before, "bone", "bones");
            let message =
                format!("of {count}, {} that move no vertices were left out: {}", gone.len(), list(&gone));
            findings
                .push(Finding::new(&findings::MONOGAME_JOINTS_PRUNED, "skeleton", message).count(gone.len()));
        }
        if self.fit() {
            return Ok(());
        }
        if over != Over72::Prune {
            let count = self.bones.len();
            return Err(MonoGameError::TooManyBones { count, could_go: self.could_go(), version });
        }
        self.merge_leaves(findings)
    }

    /// Bones without children that nothing hangs on.
    fn leaves(&self) -> impl Iterator<Item = usize> + '_ {
        let mut has_child = vec![false; self.bones.len()];
        self.bones.iter().filter_map(|bone| bone.parent).for_each(|parent| has_child[parent] = true);
        (0..self.bones.len()).filter(move |&bone| !has_child[bone] && !self.bones[bone].needed)
    }

    /// A leaf that moves no vertices.
    fn still_leaf(&self) -> Option<usize> {
        self.leaves().find(|&leaf| self.bones[leaf].weight == 0.0)
    }

    fn lightest_leaf(&self) -> Option<usize> {
        self.leaves().min_by(|&a, &b| self.bones[a].weight.total_cmp(&self.bones[b].weight))
    }

    /// The joints that would be left out by pruning, in that order.
    fn could_go(&self) -> Vec<String> {
        let mut rest = self.clone();
        let mut names = Vec::new();
        while !rest.fit() {
            let Some(leaf) = rest.lightest_leaf() else { break };
            names.push(rest.remove(leaf));
        }
        names
    }

    /// Gives the weights of leaves to their parents, the lightest first.
    fn merge_leaves(&mut self, findings: &mut Vec<Finding>) -> Result<(), MonoGameError> {
        let mut gone = Vec::new();
        while !self.fit() {
            let Some(leaf) = self.lightest_leaf() else {
                let (count, version) = (self.bones.len(), SkinningVersion::V2);
                return Err(MonoGameError::TooManyBones { count, could_go: vec![], version });
            };
            gone.push(self.remove(leaf));
        }
        let message = format!(
            "{} were left out, their weights went to their parents: {}",
            plural(gone.len(), "joint", "joints"),
            list(&gone)
        );
        findings.push(Finding::new(&findings::MONOGAME_WEIGHTS_MOVED, "skeleton", message).count(gone.len()));
        Ok(())
    }

    /// Leaves out a bone without children; what it moved moves with its parent.
    fn remove(&mut self, bone: usize) -> String {
        let Bone { name, parent, rest, inverse_bind, weight, .. } = self.bones.remove(bone);
        let above = parent.unwrap_or(0);
        // A parent that moved nothing has no bind: it takes over where the leaf stands at rest.
        if weight > 0.0 && self.bones[above].weight == 0.0 {
            let stands = Mat3x4::from(rest.to_affine()) * inverse_bind.into();
            self.bones[above].inverse_bind = stands.into();
        }
        self.bones[above].weight += weight;
        let moved = |index: usize| if index == bone { above } else { index - usize::from(index > bone) };
        for other in &mut self.bones {
            other.parent = other.parent.map(moved);
        }
        for joint in &mut self.joints {
            *joint = joint.filter(|&index| index != bone).map(moved);
        }
        self.skins.iter_mut().flatten().for_each(|index| *index = moved(*index));
        self.still = moved(self.still);
        name
    }
}

impl Bone {
    fn new(name: String, parent: Option<usize>, rest: Transform, inverse_bind: Affine3) -> Self {
        Self { name, parent, rest, inverse_bind, weight: 0.0, needed: false }
    }
}

/// Whether a root must be added: models have exactly one, and meshes that no joint carries hang on one that does not move.
fn needs_root(character: &Character) -> bool {
    let skeleton = character.skeleton();
    let mut roots = skeleton.roots();
    let (Some(root), None) = (roots.next(), roots.next()) else { return true };
    let loose = |mesh: &Mesh| mesh.skin.is_some() || mesh.joint == NO_JOINT;
    let still = skeleton.rest().get(usize::from(root)) == Transform::IDENTITY;
    let moved = character.clips().ready().any(|clip| clip.moved(root).any());
    character.meshes().iter().any(loose) && (moved || !still)
}

/// Corners of the box around a mesh's vertices.
fn corners(mesh: &Mesh) -> Vec<Vec3> {
    let low = mesh.positions.iter().copied().fold(Vec3::INFINITY, Vec3::min);
    let high = mesh.positions.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
    let corner = |bits: usize| {
        let pick = |axis: usize| if bits >> axis & 1 == 0 { low[axis] } else { high[axis] };
        Vec3::new(pick(0), pick(1), pick(2))
    };
    if mesh.positions.is_empty() { vec![] } else { (0..8).map(corner).collect() }
}

/// Which joints of a skin move vertices.
fn used(mesh: &Mesh, count: usize) -> Vec<bool> {
    let mut used = vec![false; count];
    for (&joint, &weight) in mesh.influences.skin_joints.iter().zip(&mesh.influences.weights) {
        if let Some(used) = used.get_mut(usize::from(joint)) {
            *used |= weight > 0.0;
        }
    }
    used
}

/// Names for a message, not too many.
pub(super) fn list(names: &[String]) -> String {
    const SHOWN: usize = 12;
    let shown = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match names.len().checked_sub(SHOWN) {
        Some(more @ 1..) => format!("{shown} and {more} more"),
        _ => shown,
    }
}
