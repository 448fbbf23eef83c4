//! Clips as skinning data.

use super::bones::{Bones, matrix};
use super::keys;
use super::options::{ClipFiles, MonoGameOptions, SkinningVersion};
use crate::bundle::WriteError;
use crate::names::Names;
use sinew::{Character, Clip, ClipInfo, Finding, LoopMode, RootMotion, Transform};
use sinew_findings::catalogue::build as findings;
use sinew_xnb::SkinningData;
use sinew_xnb::skinning::{self as xnb, BoneTable, BoneV2, ClipV1, ClipV2, Keys, LazyClip, Trs, V1, V2};

/// The tag of the model, and clips in files of their own by path.
pub(super) struct Written {
    pub tag: SkinningData,
    pub files: Vec<(String, SkinningData)>,
}

pub(super) fn write(
    character: &Character,
    bones: &Bones,
    tables: Vec<BoneTable>,
    folder: &str,
    options: &MonoGameOptions,
    findings: &mut Vec<Finding>,
) -> Result<Written, WriteError> {
    let mut clips = Vec::with_capacity(character.clips().len());
    for (index, info) in character.clips().infos().enumerate() {
        clips.push((info.clone(), character.clips().get(index)?));
    }
    for (info, clip) in &clips {
        let moved = keys::moved_scalars(clip);
        if moved > 0 {
            let message = format!("{moved} were left out");
            let place = format!("clip `{}`", info.name);
            findings.push(Finding::new(&findings::MONOGAME_CURVES, place, message).count(moved));
        }
    }
    let writer = Writer { character, bones, options };
    match options.version {
        SkinningVersion::V1 => writer.v1(&clips, folder, findings),
        SkinningVersion::V2 => Ok(writer.v2(&clips, tables, folder)),
    }
}

type Clips = [(ClipInfo, std::sync::Arc<Clip>)];

struct Writer<'a> {
    character: &'a Character,
    bones: &'a Bones,
    options: &'a MonoGameOptions,
}

impl Writer<'_> {
    fn v2(&self, clips: &Clips, tables: Vec<BoneTable>, folder: &str) -> Written {
        let bones = self.bones.bones.iter().map(|bone| BoneV2 {
            name: bone.name.clone(),
            parent: bone.parent.map(|parent| parent as u32),
            rest: trs(&bone.rest),
        });
        let bones: Vec<BoneV2> = bones.collect();
        let inverse_binds = self.bones.bones.iter().map(|bone| matrix(&bone.inverse_bind)).collect();
        let mut tag = V2 { bones: bones.clone(), inverse_binds, tables, ..V2::default() };
        let mut names = Names::new(&format!("{folder}/clips"));
        let mut files = Vec::new();
        for (info, clip) in clips {
            let written = self.clip_v2(info, clip);
            if self.options.clips == ClipFiles::Model {
                tag.clips.push(written);
                continue;
            }
            let asset = names.unique(&info.name);
            tag.lazy.push(LazyClip {
                name: written.name.as_str().into(),
                tag: written.tag.as_str().into(),
                duration: written.duration,
                asset: asset.as_str().into(),
            });
            let alone = V2 { bones: bones.clone(), clips: vec![written], ..V2::default() };
            files.push((asset, SkinningData::V2(alone)));
        }
        Written { tag: SkinningData::V2(tag), files }
    }

    fn clip_v2(&self, info: &ClipInfo, clip: &Clip) -> ClipV2 {
        let (mode, root_motion) = playing(info);
        let events = clip.events().iter();
        ClipV2 {
            name: (&info.name).into(),
            tag: info.tag.clone().unwrap_or_default().into(),
            duration: clip.duration(),
            loop_mode: match mode {
                LoopMode::Once => xnb::LoopMode::Once,
                LoopMode::Loop => xnb::LoopMode::Loop,
                LoopMode::PingPong => xnb::LoopMode::PingPong,
                LoopMode::Times(times) => xnb::LoopMode::Times(times),
            },
            root_motion: match root_motion {
                RootMotion::Keep => xnb::RootMotion::Keep,
                RootMotion::InPlace => xnb::RootMotion::InPlace,
                RootMotion::Extract => xnb::RootMotion::Extract,
            },
            keys: Keys::Plain(keys::tracks(clip, self.character.skeleton(), self.bones, self.options.rate)),
            travel: self.travel(clip, root_motion),
            events: events.map(|e| xnb::Event { time: e.time, name: e.name.as_str().into() }).collect(),
        }
    }

    /// The straight way from the first to the last key of the root.
    fn travel(&self, clip: &Clip, root_motion: RootMotion) -> Option<xnb::Travel> {
        if root_motion == RootMotion::Keep {
            return None;
        }
        let travel = clip.travel(self.character, None).without_turn();
        let times = keys::travel_times(clip, &travel).filter(|[first, last]| first < last)?;
        let displacements = times.map(|time| travel.at(time.into()).to_array());
        (displacements[1] != [0.0; 3])
            .then(|| xnb::Travel { times: times.to_vec(), displacements: displacements.to_vec() })
    }

    fn v1(&self, clips: &Clips, folder: &str, findings: &mut Vec<Finding>) -> Result<Written, WriteError> {
        let bones = &self.bones.bones;
        let mut tag = V1 {
            binds: bones.iter().map(|bone| matrix(&bone.rest.to_affine())).collect(),
            inverse_binds: bones.iter().map(|bone| matrix(&bone.inverse_bind)).collect(),
            parents: bones.iter().map(|bone| bone.parent.map(|parent| parent as u32)).collect(),
            clips: vec![],
        };
        let mut names = Names::new(&format!("{folder}/clips"));
        let mut files = Vec::new();
        for (info, clip) in clips {
            report_v1(info, clip, findings);
            let (_, root_motion) = playing(info);
            let keys = keys::flat(self.character, clip, self.bones, self.options.rate, root_motion)?;
            let written = ClipV1 { name: (&info.name).into(), duration: keys::ticks(clip.duration()), keys };
            match self.options.clips {
                ClipFiles::Model => tag.clips.push(written),
                ClipFiles::Files => {
                    let alone = V1 { clips: vec![written], ..tag.clone() };
                    files.push((names.unique(&info.name), SkinningData::V1(alone)));
                }
            }
        }
        Ok(Written { tag: SkinningData::V1(tag), files })
    }
}

/// How a clip plays where nobody says otherwise.
fn playing(info: &ClipInfo) -> (LoopMode, RootMotion) {
    let own = info.options();
    (own.mode.unwrap_or(LoopMode::Loop), own.root_motion.unwrap_or_default())
}

fn trs(transform: &Transform) -> Trs {
    let Transform { translation, rotation, scale } = transform;
    Trs { translation: translation.to_array(), rotation: rotation.to_array(), scale: scale.to_array() }
}

/// What of a clip the first version has no place for.
fn report_v1(info: &ClipInfo, clip: &Clip, findings: &mut Vec<Finding>) {
    let (mode, root_motion) = playing(info);
    let lost = [
        (info.tag.is_some(), "its tag"),
        (mode != LoopMode::Loop, "its loop mode"),
        (!clip.events().is_empty(), "its events"),
        (root_motion == RootMotion::Extract, "its travel"),
    ];
    let lost: Vec<&str> = lost.iter().filter(|(is_lost, _)| *is_lost).map(|(_, what)| *what).collect();
    if !lost.is_empty() {
        let message = format!("left out: {}", lost.join(", "));
        findings.push(Finding::new(&findings::MONOGAME_V1, format!("clip `{}`", info.name), message));
    }
}
