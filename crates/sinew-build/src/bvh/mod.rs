//! Writing the joints and clips of a character as BVH, for tools of motion capture.
//!
//! A file of BVH holds one clip, and joints that are not turned at rest. So rotations are written relative to the rest: every joint is where it was, and turned from its rest as it
//! was. A joint whose distance from its parent changes gets channels of position. Lengths are in centimetres. Whatever BVH cannot hold is reported as a finding.

pub(crate) mod frames;
mod text;

use crate::bundle::WriteError;
use crate::names::Names;
use crate::project::OutputFile;
use crate::steps::Steps;
use crate::vrm;
use frames::Figure;
use sinew::{Character, Clip, Finding, Skeleton};
use sinew_findings::catalogue::build as findings;
use sinew_findings::plural;
use sinew_import::SourceInfo;

/// The clips of a character as BVH.
#[derive(Clone, Debug)]
pub struct Bvh {
    /// The files: the clips behind the first, in a folder called as the main file; and the main file with the first clip, which comes last.
    pub files: Vec<OutputFile>,
    /// Reports what BVH cannot hold and was left out.
    pub findings: Vec<Finding>,
}

/// The files of a character, of which the main one is called `name`: the same bytes for the same character. Clips that are not loaded yet are loaded. A character
/// without clips is written with one frame, its rest.
pub fn write_bvh(name: &str, character: &Character, source: &SourceInfo) -> Result<Bvh, WriteError> {
    let mut findings = left_out(character);
    findings.extend(vrm::left_out(&findings::BVH_VRM_LEFT_OUT, source));
    let figure = Figure::new(character);
    let mut names = Names::new(name.strip_suffix(".bvh").unwrap_or(name));
    let mut main = None;
    let mut files = Vec::new();
    for index in 0..character.clips().len() {
        let clip = character.clips().get(index)?;
        findings.extend(left_out_of_clip(&clip, character.skeleton()));
        let steps = Steps::of(&clip, character.skeleton());
        steps.check()?;
        findings.extend(steps.finding(&findings::BVH_RESAMPLED, clip.name()));
        let bytes = text::write(&figure, Some(&clip), &steps)?;
        if main.is_none() {
            main = Some(bytes);
        } else {
            files.push(OutputFile { name: format!("{}.bvh", names.unique(clip.name())), bytes });
        }
    }
    let bytes = match main {
        Some(bytes) => bytes,
        None => text::write(&figure, None, &Steps::ONE)?,
    };
    files.push(OutputFile { name: name.to_owned(), bytes });
    Ok(Bvh { files, findings })
}

/// What of a character BVH has no place for.
fn left_out(character: &Character) -> Vec<Finding> {
    let mut findings = Vec::new();
    let meshes = character.meshes().len();
    if meshes > 0 {
        let message = format!("{} left out", plural(meshes, "mesh was", "meshes were"));
        findings.push(Finding::new(&findings::BVH_MESHES_LEFT_OUT, "the character", message).count(meshes));
    }
    let sockets = character.sockets().len();
    if sockets > 0 {
        let message = format!("{} left out", plural(sockets, "socket was", "sockets were"));
        findings.push(Finding::new(&findings::BVH_SOCKETS_LEFT_OUT, "the character", message).count(sockets));
    }
    let skeleton = character.skeleton();
    let roots = (0..skeleton.len() as u16).filter(|&joint| skeleton.parent(joint).is_none()).count();
    if roots > 1 {
        let message = format!("there are {roots} roots");
        findings.push(Finding::new(&findings::BVH_SEVERAL_ROOTS, "the skeleton", message).count(roots));
    }
    findings
}

/// What of a clip BVH has no place for.
fn left_out_of_clip(clip: &Clip, skeleton: &Skeleton) -> Vec<Finding> {
    let place = || format!("clip `{}`", clip.name());
    // Many exporters write the scale of every joint, although nothing changes it.
    let keys = clip.to_keys(skeleton);
    let scaled = keys.joints().iter().filter(|tracks| {
        let rest = skeleton.rest().get(usize::from(tracks.joint)).scale;
        tracks.scale.as_ref().is_some_and(|track| !track.values().iter().all(|s| s.abs_diff_eq(rest, 1e-4)))
    });
    let scaled = scaled.count();
    let (scalars, moments) = (clip.moved_scalars().count(), clip.events().len() + clip.markers().len());
    let mut findings = Vec::new();
    if scaled > 0 {
        let message = format!("the scale of {} left out", plural(scaled, "joint was", "joints was"));
        findings.push(Finding::new(&findings::BVH_SCALE_LEFT_OUT, place(), message).count(scaled));
    }
    if scalars > 0 {
        let message = format!("{} left out", plural(scalars, "curve was", "curves were"));
        findings.push(Finding::new(&findings::BVH_CURVES_LEFT_OUT, place(), message).count(scalars));
    }
    if moments > 0 {
        let message =
            format!("{} left out", plural(moments, "event or marker was", "events and markers were"));
        findings.push(Finding::new(&findings::BVH_EVENTS_LEFT_OUT, place(), message).count(moments));
    }
    findings
}
