//! Writing the clips of a humanoid as VRM Animation, which plays on any VRM.
//!
//! The file has a joint for each role and no others: what joints without roles do is part of those below them. Rotations are those of the clips at even steps of time, with the
//! place of the hips; expressions are joints of their own that move along x. Roles are those of a VRM, or found.

use crate::bundle::WriteError;
use crate::bvh::frames::{matrix, rotations};
use crate::glb::{GlbOptions, write_extended};
use crate::steps::Steps;
use glam::{DAffine3, DQuat, DVec3, Quat, Vec3};
use serde_json::{Map, Value, json};
use sinew::{
    Character, CharacterData, Clip, ClipInfo, ClipLibrary, Finding, Interpolation, Joint, JointTracks, Key,
    Kind, Pose, Skeleton, Track, Transform,
};
use sinew_files::Disk;
use sinew_findings::catalogue::build as findings;
use sinew_findings::plural;
use sinew_import::{Expression, SourceInfo, Vrm};
use sinew_retarget::Humanoid;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Clips as VRM Animation.
#[derive(Clone, Debug)]
pub struct Vrma {
    /// The file.
    pub bytes: Vec<u8>,
    /// Reports what the format cannot hold and was left out.
    pub findings: Vec<Finding>,
}

/// Expressions that the format knows; others are custom ones.
const PRESETS: [&str; 14] = [
    "happy",
    "angry",
    "sad",
    "relaxed",
    "surprised",
    "neutral",
    "aa",
    "ih",
    "ou",
    "ee",
    "oh",
    "blink",
    "blinkLeft",
    "blinkRight",
];

/// Roles that the format leaves to look-at.
const EYES: [&str; 2] = ["leftEye", "rightEye"];

/// The bytes of a `.vrma`: the same for the same character. Clips that are not loaded yet are loaded.
pub fn write_vrma(character: &Character, source: &SourceInfo) -> Result<Vrma, WriteError> {
    let vrm = source.vrm.as_deref();
    let clips = (0..character.clips().len()).map(|index| character.clips().get(index));
    let clips = clips.collect::<Result<Vec<_>, _>>()?;
    let figure = Figure::new(character, vrm, &clips)?;
    let mut findings = left_out(character, vrm);
    findings.extend(figure.rest_finding());
    let mut library = ClipLibrary::default();
    for clip in &clips {
        let steps = Steps::of(clip, character.skeleton());
        steps.check()?;
        findings.extend(steps.finding(&findings::VRMA_RESAMPLED, clip.name()));
        findings.extend(figure.left_out(clip));
        library.add_with(ClipInfo::from(clip.name()), figure.clip(clip, &steps)?);
    }
    let written = Character::new(CharacterData {
        name: character.name().to_owned(),
        skeleton: figure.skeleton()?,
        meshes: vec![],
        materials: vec![],
        textures: vec![],
        clips: library,
        space: character.space(),
    })?;
    let extension = ("VRMC_vrm_animation", figure.extension());
    let glb =
        write_extended(&Disk, &written, &SourceInfo::default(), &GlbOptions::default(), Some(extension))?;
    findings.extend(glb.findings);
    Ok(Vrma { bytes: glb.bytes, findings })
}

/// What of a character the format has no place for.
fn left_out(character: &Character, vrm: Option<&Vrm>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut add = |kind: &'static Kind, count: usize, [one, many]: [&str; 2]| {
        let message = format!("{} left out", plural(count, one, many));
        let finding = Finding::new(kind, "the character", message).count(count);
        findings.extend((count > 0).then_some(finding));
    };
    add(&findings::VRMA_MESHES_LEFT_OUT, character.meshes().len(), ["mesh was", "meshes were"]);
    add(&findings::VRMA_SOCKETS_LEFT_OUT, character.sockets().len(), ["socket was", "sockets were"]);
    let said = |vrm: &Vrm| {
        let kept = [("first person", &vrm.first_person), ("look-at", &vrm.look_at), ("meta", &vrm.meta)];
        let kept = kept.into_iter().filter(|(_, value)| !value.is_null()).map(|(name, _)| name);
        let morphs = vrm.expressions.iter().any(|face| !face.morphs.is_empty());
        kept.chain(morphs.then_some("morph targets of expressions")).collect::<Vec<_>>()
    };
    let said = vrm.map(said).unwrap_or_default();
    if !said.is_empty() {
        let message = format!("left out: {}", said.join(", "));
        findings.push(Finding::new(&findings::VRMA_VRM_LEFT_OUT, "the file", message));
    }
    findings
}

/// The joints that are written: those of roles, and behind them those of expressions.
struct Figure<'a> {
    character: &'a Character,
    /// Role and joint of the character, parents first.
    roles: Vec<(String, u16)>,
    /// Place of the parent among them.
    parents: Vec<Option<usize>>,
    expressions: Vec<&'a Expression>,
}

impl<'a> Figure<'a> {
    fn new(character: &'a Character, vrm: Option<&'a Vrm>, clips: &[Arc<Clip>]) -> Result<Self, WriteError> {
        let skeleton = character.skeleton();
        let mut roles: Vec<(String, u16)> = match vrm {
            Some(vrm) => vrm.roles.clone(),
            None => {
                let found = Humanoid::find(skeleton)?;
                found.roles().map(|(role, found)| (role.to_string(), found.joint)).collect()
            }
        };
        roles.retain(|(role, joint)| !EYES.contains(&role.as_str()) && usize::from(*joint) < skeleton.len());
        roles.sort_by_key(|(_, joint)| *joint);
        let place: BTreeMap<u16, usize> =
            roles.iter().enumerate().map(|(place, (_, joint))| (*joint, place)).collect();
        let above = |joint: u16| {
            let mut way = std::iter::successors(skeleton.parent(joint), |&joint| skeleton.parent(joint));
            way.find_map(|joint| place.get(&joint).copied())
        };
        let parents = roles.iter().map(|(_, joint)| above(*joint)).collect();
        let moved = |expression: &&Expression| clips.iter().any(|clip| clip.moves_scalar(expression.scalar));
        let expressions = vrm.iter().flat_map(|vrm| &vrm.expressions).filter(moved).collect();
        Ok(Self { character, roles, parents, expressions })
    }

    /// Local transforms of the roles in a pose.
    fn locals(&self, pose: &Pose) -> Vec<(DVec3, DQuat)> {
        let skeleton = self.character.skeleton();
        let rotations = rotations(skeleton, pose);
        let mut models: Vec<DAffine3> = Vec::with_capacity(rotations.len());
        for (joint, local) in (0u16..).zip(pose.iter()) {
            let above =
                skeleton.parent(joint).map_or(DAffine3::IDENTITY, |parent| models[usize::from(parent)]);
            models.push(above * matrix(&local));
        }
        let local = |((_, joint), parent): (&(String, u16), &Option<usize>)| {
            let (place, turn) = (models[usize::from(*joint)].translation, rotations[usize::from(*joint)]);
            let Some(parent) = parent.map(|parent| usize::from(self.roles[parent].1)) else {
                return (place, turn);
            };
            let back = rotations[parent].conjugate();
            (back * (place - models[parent].translation), (back * turn).normalize())
        };
        self.roles.iter().zip(&self.parents).map(local).collect()
    }

    fn skeleton(&self) -> Result<Skeleton, WriteError> {
        let rest = self.locals(self.character.skeleton().rest()).into_iter().zip(&self.parents);
        let roles = self.roles.iter().zip(rest).map(|((role, _), ((place, turn), parent))| {
            let rest = Transform { translation: place.as_vec3(), rotation: unit(turn), scale: Vec3::ONE };
            Joint::new(role.as_str(), parent.map(|parent| parent as u16), rest)
        });
        let faces =
            self.expressions.iter().map(|face| Joint::new(face.name.as_str(), None, Transform::IDENTITY));
        Skeleton::new(roles.chain(faces).collect(), vec![])
            .map_err(|error| WriteError::Parts(error.to_string()))
    }

    fn clip(&self, clip: &Clip, steps: &Steps) -> Result<Clip, WriteError> {
        let skeleton = self.character.skeleton();
        let wrong = |error: &dyn std::fmt::Display| WriteError::Parts(error.to_string());
        let times: Vec<f32> = (0..steps.count).map(|frame| steps.time(frame) as f32).collect();
        let mut turns: Vec<Vec<Quat>> = vec![Vec::with_capacity(times.len()); self.roles.len()];
        let mut places = Vec::with_capacity(times.len());
        let mut weights: Vec<Vec<Vec3>> = vec![Vec::with_capacity(times.len()); self.expressions.len()];
        for frame in 0..steps.count {
            let pose = Pose::of_clip(skeleton, clip, steps.time(frame))?;
            for (index, (place, turn)) in self.locals(&pose).into_iter().enumerate() {
                turns[index].push(unit(turn));
                if self.roles[index].0 == "hips" {
                    places.push(place.as_vec3());
                }
            }
            for (weights, face) in weights.iter_mut().zip(&self.expressions) {
                weights.push(Vec3::X * pose.scalars()[usize::from(face.scalar)]);
            }
        }
        let mut tracks = Vec::new();
        for (joint, turns) in (0u16..).zip(turns) {
            let hips = self.roles[usize::from(joint)].0 == "hips";
            let translation = hips.then(|| track(&times, std::mem::take(&mut places))).transpose();
            tracks.push(JointTracks {
                translation: translation.map_err(|error| wrong(&error))?,
                rotation: Some(track(&times, turns).map_err(|error| wrong(&error))?),
                ..JointTracks::new(joint)
            });
        }
        for (joint, weights) in (self.roles.len() as u16..).zip(weights) {
            let translation = Some(track(&times, weights).map_err(|error| wrong(&error))?);
            tracks.push(JointTracks { translation, ..JointTracks::new(joint) });
        }
        Clip::new(clip.name(), clip.duration(), tracks, vec![]).map_err(|error| wrong(&error))
    }

    /// What the clip moves and the file does not say.
    fn left_out(&self, clip: &Clip) -> Vec<Finding> {
        let place = || format!("clip `{}`", clip.name());
        let mut findings = Vec::new();
        let written: BTreeSet<u16> = self.roles.iter().map(|(_, joint)| *joint).collect();
        let joints = clip.moved_joints().filter(|joint| !written.contains(joint)).count();
        if joints > 0 {
            let message = format!(
                "{} left out",
                plural(joints, "joint without a role was", "joints without a role were")
            );
            findings.push(Finding::new(&findings::VRMA_JOINTS_LEFT_OUT, place(), message).count(joints));
        }
        let faces: BTreeSet<u16> = self.expressions.iter().map(|face| face.scalar).collect();
        let curves = clip.moved_scalars().filter(|scalar| !faces.contains(scalar)).count();
        if curves > 0 {
            let message = format!("{} left out", plural(curves, "curve was", "curves were"));
            findings.push(Finding::new(&findings::VRMA_CURVES_LEFT_OUT, place(), message).count(curves));
        }
        let stretched = self.stretched(clip);
        if stretched > 0 {
            let message = format!("{} written without", plural(stretched, "joint was", "joints were"));
            findings.push(Finding::new(&findings::VRMA_STRETCH_LEFT_OUT, place(), message).count(stretched));
        }
        let moments = clip.events().len() + clip.markers().len();
        if moments > 0 {
            let message =
                format!("{} left out", plural(moments, "event or marker was", "events and markers were"));
            findings.push(Finding::new(&findings::VRMA_EVENTS_LEFT_OUT, place(), message).count(moments));
        }
        findings
    }

    /// How many joints with a role move away from their parents, the hips apart, or are scaled. Many exporters write tracks of both that change nothing.
    fn stretched(&self, clip: &Clip) -> usize {
        let skeleton = self.character.skeleton();
        let keys = clip.to_keys(skeleton);
        let near = 1e-4 * self.character.size();
        let moves = |(role, joint): &&(String, u16)| {
            let rest = skeleton.rest().get(usize::from(*joint));
            keys.joint(*joint).is_some_and(|tracks| {
                let moved = tracks.translation.as_ref().filter(|_| role != "hips");
                let off = |place: &Vec3| !place.abs_diff_eq(rest.translation, near);
                let sized = |size: &Vec3| !size.abs_diff_eq(rest.scale, 1e-4);
                moved.is_some_and(|track| track.values().iter().any(off))
                    || tracks.scale.as_ref().is_some_and(|track| track.values().iter().any(sized))
            })
        };
        self.roles.iter().filter(moves).count()
    }

    /// How far the arms are from a T-pose.
    fn rest_finding(&self) -> Option<Finding> {
        let skeleton = self.character.skeleton();
        let place = |role: &str| {
            let (_, joint) = self.roles.iter().find(|(name, _)| name == role)?;
            Some(skeleton.rest_model().get(usize::from(*joint))?.translation().as_dvec3())
        };
        let off = |side: &str, along: DVec3| {
            let arm = place(&format!("{side}LowerArm"))? - place(&format!("{side}UpperArm"))?;
            Some(libm::acos((arm.try_normalize()?.dot(along)).clamp(-1.0, 1.0)).to_degrees())
        };
        let off = off("left", DVec3::X)?.max(off("right", DVec3::NEG_X)?);
        let message = format!("its arms point {off:.0}° off at rest");
        let finding = Finding::new(&findings::VRMA_REST, "the character", message).measured(off);
        (off > findings::VRMA_REST.threshold.unwrap_or(15.0)).then_some(finding)
    }

    fn extension(&self) -> Value {
        let node = |node: usize| json!({ "node": node });
        let bones: Map<String, Value> =
            self.roles.iter().enumerate().map(|(place, (role, _))| (role.clone(), node(place))).collect();
        let mut extension = json!({ "specVersion": "1.0", "humanoid": { "humanBones": bones } });
        let (mut presets, mut custom) = (Map::new(), Map::new());
        for (place, face) in (self.roles.len()..).zip(&self.expressions) {
            let group = if PRESETS.contains(&face.name.as_str()) { &mut presets } else { &mut custom };
            group.insert(face.name.clone(), node(place));
        }
        if !self.expressions.is_empty() {
            extension["expressions"] = json!({ "preset": presets, "custom": custom });
        }
        extension
    }
}

/// Keys at times; a value that never changes needs only one.
fn track<T: Key>(times: &[f32], values: Vec<T>) -> Result<Track<T>, sinew::TrackError> {
    match values.first() {
        Some(&first) if values.iter().all(|value| *value == first) => Track::constant(first),
        _ => Track::new(times.to_vec(), values, Interpolation::Linear),
    }
}

fn unit(turn: DQuat) -> Quat {
    sinew::math::normalize(turn.to_array().map(|number| number as f32))
}
