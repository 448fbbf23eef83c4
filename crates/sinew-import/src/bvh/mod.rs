//! BVH: a hierarchy of joints and the frames of one clip.
//!
//! The text is read line by line (`lines`), first the joints (`hierarchy`), then the frames as they are written (`motion`), of which tracks and the file's own evaluator
//! are made (`clip`). The format says neither unit nor axes nor, at times, rate: `unit` guesses, `up` asks.

mod clip;
mod hierarchy;
mod lines;
mod motion;
mod unit;
mod up;

use crate::space::{Conversion, SourceSpace};
use crate::{Budget, Cause, Given, Imported, Options, SourceInfo, SourceJoint, findings};
use clip::Evaluator;
use hierarchy::Hierarchy;
use lines::Lines;
use motion::Motion;
use sinew::{Character, CharacterData, ClipInfo, Finding, Skeleton};
use std::path::Path;

pub(crate) fn import(
    bytes: &[u8],
    path: &Path,
    options: &Options,
    budget: &Budget<'_>,
) -> Result<Imported, Cause> {
    let mut findings = Vec::new();
    let mut lines = Lines::new(bytes);
    let hierarchy = Hierarchy::read(&mut lines, budget, &mut findings)?;
    let motion = Motion::read(&mut lines, &hierarchy, options, budget, &mut findings)?;
    let unit_meters = unit::meters(&hierarchy, options, &mut findings);
    let space = SourceSpace { unit_meters, ..up::axes(options.bvh_up) };
    let evaluator = Evaluator { hierarchy, motion, space: Conversion::new(&space, options.space) };
    up::check(&evaluator, options, &mut findings);

    let rest = evaluator.rest(rest_frame(options, &evaluator.motion, &mut findings));
    let skeleton = Skeleton::new(evaluator.hierarchy.joints(&rest), vec![])?;
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let clip = evaluator.clip(&name, budget)?;
    let clips = clip.map(|clip| (ClipInfo::from(name.as_str()), clip, 0.0));
    let (clips, sources) = options.tags.library(clips);
    let node = |node: usize| SourceJoint { node: node as u32, helper: false };
    let joints = (0..skeleton.len()).map(node).collect();
    let character = Character::new(CharacterData {
        name,
        skeleton,
        meshes: vec![],
        materials: vec![],
        textures: vec![],
        clips,
        space: evaluator.space.space(),
    })?;
    Ok(Imported {
        source: SourceInfo { joints, clips: sources, ..SourceInfo::default() },
        character,
        evaluator: Box::new(clip::Evaluated::new(evaluator, rest)),
        findings,
        clip_nodes: None,
        files: Vec::new(),
    })
}

/// The frame that becomes the rest, if one was asked for and is there.
fn rest_frame(options: &Options, motion: &Motion, findings: &mut Vec<Finding>) -> Option<usize> {
    let Given::Value(frame) = options.rest_frame else { return None };
    let count = motion.frames();
    if (frame as usize) < count {
        return Some(frame as usize);
    }
    let message = format!("there is no frame {frame}: frames count from 0, and there are {count}");
    findings.push(Finding::new(&findings::BVH_REST_FRAME, "the file", message));
    None
}
