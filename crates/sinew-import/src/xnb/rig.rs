//! Bones as joints.

use crate::decompose::decompose;
use crate::{Cause, findings};
use glam::{Affine3, DAffine3, DMat4, Mat4};
use sinew::{Finding, Joint, NO_JOINT, Skeleton, Transform};
use sinew_findings::plural;
use sinew_xnb::skinning::{BoneV2, Trs, V2};
use sinew_xnb::{Bone, Matrix, Model, SkinningData};
use std::collections::HashMap;

/// Names that the writer gives to bones that the format asks for.
const ROOT: &str = "$root";
const STILL: &str = "$still";
const BIND: &str = "$bind";

/// A matrix for row vectors has the numbers of the columns for column vectors.
pub(super) fn affine(matrix: &Matrix) -> Affine3 {
    let m = Mat4::from_cols_array(matrix);
    Affine3 { matrix3: glam::Mat3::from_mat4(m), translation: m.w_axis.truncate() }
}

/// The nearest translation, rotation and scale.
pub(super) fn transform(matrix: &Matrix) -> Transform {
    let matrix = DAffine3::from_mat4(DMat4::from_cols_array(&matrix.map(f64::from)));
    decompose(&matrix).trs.to_transform()
}

/// The joints, and what each bone of the file stands for.
pub(super) struct Rig {
    joints: Vec<Joint>,
    /// Of each bone of the model: its joint.
    model: Vec<Option<u16>>,
    /// Of each bone of the skinning data: its joint; none for one that is only there because the format asks for it.
    skinning: Vec<Option<u16>>,
    /// Of each bone of the skinning data: from the model to the bone at bind.
    pub inverse_binds: Vec<Affine3>,
}

/// A bone of either kind.
struct Named {
    name: String,
    parent: Option<usize>,
    rest: Transform,
}

impl Rig {
    pub fn of_model(
        model: &Model,
        skinning: Option<&SkinningData>,
        findings: &mut Vec<Finding>,
    ) -> Result<Self, Cause> {
        let Some(data) = skinning else {
            let (bones, order) = sorted(&model.bones);
            let (joints, of) = joints(&bones);
            let of = order.into_iter().map(|place| of.get(place).copied().flatten()).collect();
            return Ok(Self { joints, model: of, skinning: vec![], inverse_binds: vec![] });
        };
        if data.bone_count() == model.bones.len() {
            let rig = Self::of_skinning(data, &model.bones, findings);
            return Ok(Self { model: rig.skinning.clone(), ..rig });
        }
        let bones = plural(model.bones.len(), "bone", "bones");
        let message = format!("the model has {bones}, its skinning data {}", data.bone_count());
        findings.push(Finding::new(&findings::XNB_BONES, "skeleton", message));
        Ok(Self::of_skinning(data, &[], findings))
    }

    /// The bones of skinning data. Those of the first version have the names of the model's bones, if there are any.
    pub fn of_skinning(data: &SkinningData, model: &[Bone], findings: &mut Vec<Finding>) -> Self {
        let (bones, inverse_binds): (Vec<Named>, Vec<Affine3>) = match data {
            SkinningData::V1(data) => {
                let bones =
                    data.binds.iter().zip(&data.parents).enumerate().map(|(index, (bind, parent))| Named {
                        name: model
                            .get(index)
                            .map_or_else(|| format!("bone{index}"), |bone| bone.name.clone()),
                        parent: parent.map(|parent| parent as usize),
                        rest: transform(bind),
                    });
                (bones.collect(), data.inverse_binds.iter().map(affine).collect())
            }
            SkinningData::V2(data) => {
                for id in &data.skipped {
                    let message = format!("`{}`", id.escape_ascii());
                    findings.push(Finding::new(&findings::XNB_CHUNK, "skinning data", message));
                }
                (
                    data.bones.iter().map(Named::from).collect(),
                    data.inverse_binds.iter().map(affine).collect(),
                )
            }
        };
        let (joints, skinning) = joints(&bones);
        Self { joints, model: vec![], skinning, inverse_binds }
    }

    pub fn skeleton(&self) -> Result<Skeleton, Cause> {
        Ok(Skeleton::new(self.joints.clone(), vec![])?)
    }

    /// The joint of a bone of the model.
    pub fn of_model_bone(&self, bone: usize) -> u16 {
        self.model.get(bone).copied().flatten().unwrap_or(NO_JOINT)
    }

    /// The joint of a bone of the skinning data.
    pub fn of_bone(&self, bone: usize) -> Option<u16> {
        self.skinning.get(bone).copied().flatten()
    }

    /// Bones of another file, by name.
    pub fn seen_from(&self, other: &V2, place: &str, findings: &mut Vec<Finding>) -> Self {
        let mut names: HashMap<&str, Option<u16>> = HashMap::new();
        for (index, joint) in (0u16..).zip(&self.joints) {
            names.entry(&joint.name).and_modify(|known| *known = None).or_insert(Some(index));
        }
        let skinning: Vec<Option<u16>> =
            other.bones.iter().map(|bone| names.get(&*bone.name).copied().flatten()).collect();
        let lost = other
            .bones
            .iter()
            .zip(&skinning)
            .filter(|(bone, joint)| joint.is_none() && !bone.name.starts_with('$'))
            .count();
        if lost > 0 {
            let message = format!("{lost} of its bones are not in the model, or are there twice");
            findings.push(Finding::new(&findings::XNB_CLIP_FILE, place, message).count(lost));
        }
        Self { joints: self.joints.clone(), model: vec![], skinning, inverse_binds: vec![] }
    }
}

impl From<&BoneV2> for Named {
    fn from(bone: &BoneV2) -> Self {
        Self {
            name: bone.name.clone(),
            parent: bone.parent.map(|parent| parent as usize),
            rest: local(&bone.rest),
        }
    }
}

pub(super) fn local(trs: &Trs) -> Transform {
    let rotation = glam::Quat::from_array(trs.rotation);
    Transform { translation: trs.translation.into(), rotation, scale: trs.scale.into() }
}

/// Bones of a model, parents first, and the new place of each.
fn sorted(bones: &[Bone]) -> (Vec<Named>, Vec<usize>) {
    let mut places: Vec<Option<usize>> = vec![None; bones.len()];
    let mut out: Vec<Named> = Vec::with_capacity(bones.len());
    for start in 0..bones.len() {
        // The way up to a bone that has its place. The reader has checked that it ends.
        let mut way = Vec::new();
        let mut at = Some(start);
        while let Some(bone) = at.filter(|&bone| places.get(bone).is_some_and(Option::is_none)) {
            way.push(bone);
            at = bones.get(bone).and_then(|bone| bone.parent);
        }
        for index in way.into_iter().rev() {
            let Some(bone) = bones.get(index) else { continue };
            if let Some(place) = places.get_mut(index) {
                *place = Some(out.len());
            }
            let parent = bone.parent.and_then(|parent| places.get(parent).copied().flatten());
            out.push(Named { name: bone.name.clone(), parent, rest: transform(&bone.transform) });
        }
    }
    (out, places.into_iter().map(Option::unwrap_or_default).collect())
}

/// The joints among bones, and the joint of each bone. What the writer added stands for its parent, or for nothing.
fn joints(bones: &[Named]) -> (Vec<Joint>, Vec<Option<u16>>) {
    let mut joints: Vec<Joint> = Vec::new();
    let mut of: Vec<Option<u16>> = Vec::with_capacity(bones.len());
    for bone in bones {
        let above = bone.parent.and_then(|parent| bones.get(parent));
        let parent = bone.parent.and_then(|parent| of.get(parent).copied().flatten());
        let is_still = bone.rest == Transform::IDENTITY;
        let added_root = is_still && above.is_none() && bone.name == ROOT;
        let is_bind =
            |above: &Named| bone.name.strip_prefix(&*above.name).is_some_and(|end| end.starts_with(BIND));
        if added_root || (is_still && bone.name == STILL) {
            of.push(None);
        } else if is_still && above.is_some_and(is_bind) {
            of.push(parent);
        } else {
            // More than a skeleton can have is refused when it is made.
            of.push(u16::try_from(joints.len()).ok());
            joints.push(Joint::new(bone.name.clone(), parent, bone.rest));
        }
    }
    (joints, of)
}
