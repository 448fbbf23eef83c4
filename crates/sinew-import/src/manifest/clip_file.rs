//! A clip that is a file until somebody asks for it.

use super::files::Files;
use super::open::LateFindings;
use crate::collada::{ClipTarget, RawClip};
use crate::findings::MANIFEST_CLIP_JOINTS;
use crate::{Cause, Format, ImportError, Options, import_bytes};
use sinew::names::match_names;
use sinew::{Clip, ClipError, ClipSource, Finding, JointTracks, ScalarTrack, Skeleton};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the clips of one model share.
pub(super) struct Rig {
    pub(super) skeleton: Arc<Skeleton>,
    /// Nodes of the model as its document wrote them, if it is COLLADA.
    pub(super) target: Option<ClipTarget>,
    pub(super) options: Options,
    pub(super) files: Arc<dyn Files>,
    pub(super) late: LateFindings,
}

/// The file of one clip.
pub(super) struct ClipFile {
    pub(super) name: String,
    /// Where it is, or where it should be.
    pub(super) path: Result<PathBuf, PathBuf>,
    pub(super) rig: Arc<Rig>,
}

impl ClipSource for ClipFile {
    fn load(&self) -> Result<Clip, ClipError> {
        let refuse = |reason: String| ClipError { clip: self.name.clone(), reason };
        let path = self.path.as_ref().map_err(|path| {
            let missing = Cause::Read(std::io::ErrorKind::NotFound.into());
            refuse(ImportError::new(path, missing).to_string())
        })?;
        let clip = self.rig.load(path).map_err(|error| refuse(error.to_string()))?;
        Ok(clip.with_name(self.name.clone()))
    }
}

impl Rig {
    /// Reads a clip's file and fits it to the model. Of several clips in it the first counts, which spans the whole timeline.
    fn load(&self, path: &Path) -> Result<Clip, ImportError> {
        let wrap = |cause| ImportError::new(path, cause);
        let bytes = self.files.read(path, self.options.limits.bytes).map_err(wrap)?;
        match (Format::detect(&bytes, path), &self.target) {
            (Some(Format::Collada), Some(target)) => self.bind(&bytes, target, path).map_err(wrap),
            _ => self.import(&bytes, path),
        }
    }

    /// A clip of COLLADA on a model of COLLADA, whose nodes say what single components mean.
    fn bind(&self, bytes: &[u8], target: &ClipTarget, path: &Path) -> Result<Clip, Cause> {
        let bound = RawClip::parse(bytes, &self.options.limits)?.bind(target, &self.options)?;
        self.report(bound.findings, path);
        bound.clips.into_iter().next().ok_or_else(nothing)
    }

    /// Any other clip, by the names of joints.
    fn import(&self, bytes: &[u8], path: &Path) -> Result<Clip, ImportError> {
        let wrap = |cause| ImportError::new(path, cause);
        let imported = import_bytes(bytes, path, &self.options)?;
        self.report(imported.findings, path);
        let clip = imported.character.clips().ready().next().ok_or_else(|| wrap(nothing()))?;
        let (clip, dropped) = by_names(&clip, imported.character.skeleton(), &self.skeleton).map_err(wrap)?;
        if dropped > 0 {
            let message = format!("{dropped} joints that it moves have no counterpart in the model");
            self.report([Finding::new(&MANIFEST_CLIP_JOINTS, "", message).count(dropped)], path);
        }
        Ok(clip)
    }

    /// Keeps findings, with the file in front of their places.
    fn report(&self, findings: impl IntoIterator<Item = Finding>, path: &Path) {
        let placed = findings.into_iter().map(|mut finding| {
            let file = path.display();
            finding.place = if finding.place.is_empty() {
                file.to_string()
            } else {
                format!("{file}: {}", finding.place)
            };
            finding
        });
        self.late.extend(placed.collect::<Vec<_>>());
    }
}

fn nothing() -> Cause {
    Cause::malformed("it animates nothing of the model", "")
}

/// A clip of another file's skeleton on the model's, joint by joint of the same name; and how many found none.
fn by_names(clip: &Clip, from: &Skeleton, to: &Skeleton) -> Result<(Clip, usize), Cause> {
    let matches = match_names(from.names().iter().map(String::as_str), to.names());
    let mut joints: Vec<JointTracks> = Vec::with_capacity(clip.joints().len());
    for tracks in clip.joints() {
        if let Some(joint) = matches.get(usize::from(tracks.joint)).and_then(|found| found.joint()) {
            joints.push(JointTracks { joint, ..tracks.clone() });
        }
    }
    let dropped = clip.joints().len() - joints.len();
    if joints.is_empty() && dropped > 0 {
        return Err(Cause::malformed("no joint that it moves has the name of a joint of the model", ""));
    }
    joints.sort_by_key(|tracks| tracks.joint);
    let scalar = |name: &String| (0u16..).zip(to.scalar_names()).find(|(_, n)| *n == name).map(|(i, _)| i);
    let mut scalars: Vec<ScalarTrack> = Vec::new();
    for track in clip.scalars() {
        let found = from.scalar_names().get(usize::from(track.scalar)).and_then(scalar);
        scalars.extend(found.map(|scalar| ScalarTrack { scalar, track: track.track.clone() }));
    }
    scalars.sort_by_key(|track| track.scalar);
    scalars.dedup_by_key(|track| track.scalar);
    let moved = Clip::new(clip.name(), clip.duration(), joints, scalars)?;
    Ok((moved.with_source_start(clip.source_start()).with_events(clip.events().to_vec())?, dropped))
}
