//! A clip that is a file until somebody asks for it.

use super::open::LateFindings;
use crate::collada::{ClipTarget, RawClip};
use crate::{Cause, Format, ImportError, Imported, Options, SourceEvaluator, import_recorded};
use sinew::names::match_names;
use sinew::{Clip, ClipError, ClipSource, Finding, JointTracks, ScalarTrack, Skeleton, Transform};
use sinew_files::{Files, Recorder};
use sinew_findings::catalogue::import::MANIFEST_CLIP_JOINTS;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the clips of one model share.
pub(super) struct Rig {
    pub(super) skeleton: Arc<Skeleton>,
    /// Nodes of the model as its document wrote them, if it is COLLADA.
    pub(super) target: Option<ClipTarget>,
    pub(super) options: Options,
    pub(super) files: Arc<Recorder>,
    pub(super) late: LateFindings,
}

/// The file of one clip.
pub(super) struct ClipFile {
    pub(super) name: String,
    /// Where it is, or where it should be.
    pub(super) path: Result<PathBuf, PathBuf>,
    pub(super) rig: Arc<Rig>,
}

/// What a clip's file says at any time, and which joints and scalars of the model that is about.
pub(super) struct Truth {
    evaluator: Box<dyn SourceEvaluator>,
    /// Joint and scalar of the model for each that the file moves; nothing where the file speaks of the model's own.
    moved: Option<Moved>,
}

/// Pairs of an index in the file and the one in the model.
struct Moved {
    joints: Vec<(usize, usize)>,
    scalars: Vec<(usize, usize)>,
    joint_count: usize,
    scalar_count: usize,
}

impl Truth {
    pub(super) fn locals(&self, time: f64, out: &mut [Transform]) {
        let Some(moved) = &self.moved else { return self.evaluator.locals(0, time, out) };
        let mut theirs = vec![Transform::IDENTITY; moved.joint_count];
        self.evaluator.locals(0, time, &mut theirs);
        carry(&theirs, &moved.joints, out);
    }

    pub(super) fn scalars(&self, time: f64, out: &mut [f32]) {
        let Some(moved) = &self.moved else { return self.evaluator.scalars(0, time, out) };
        let mut theirs = vec![0.0; moved.scalar_count];
        self.evaluator.scalars(0, time, &mut theirs);
        carry(&theirs, &moved.scalars, out);
    }
}

fn carry<T: Copy>(from: &[T], pairs: &[(usize, usize)], to: &mut [T]) {
    for &(source, target) in pairs {
        if let (Some(from), Some(to)) = (from.get(source), to.get_mut(target)) {
            *to = *from;
        }
    }
}

impl ClipFile {
    /// Parses the file again for its evaluator; nothing if it cannot be read, which loading the clip has said already.
    pub(super) fn truth(&self) -> Option<Truth> {
        let path = self.path.as_ref().ok()?;
        let rig = &self.rig;
        let bytes = rig.files.read(path, rig.options.limits.bytes).ok()?;
        if let (Some(Format::Collada), Some(target)) = (Format::detect(&bytes, path), &rig.target) {
            let bound = RawClip::parse(&bytes, &rig.options.limits).ok()?.bind(target, &rig.options).ok()?;
            return Some(Truth { evaluator: bound.evaluator, moved: None });
        }
        let imported = rig.parse(&bytes, path).ok()?;
        let clip = imported.character.clips().ready().next()?;
        let skeleton = imported.character.skeleton();
        let moved = Moved {
            joints: joint_pairs(&clip, skeleton, &rig.skeleton),
            scalars: scalar_pairs(&clip, skeleton, &rig.skeleton),
            joint_count: skeleton.len(),
            scalar_count: skeleton.scalar_names().len(),
        };
        Some(Truth { evaluator: imported.evaluator, moved: Some(moved) })
    }
}

/// Joints that a clip of another skeleton moves, and the model's joints of the same name.
fn joint_pairs(clip: &Clip, from: &Skeleton, to: &Skeleton) -> Vec<(usize, usize)> {
    let matches = match_names(from.names().iter().map(String::as_str), to.names());
    let pair = |tracks: &JointTracks| {
        let source = usize::from(tracks.joint);
        Some((source, matches.get(source)?.joint()?.into()))
    };
    clip.joints().iter().filter_map(pair).collect()
}

fn scalar_pairs(clip: &Clip, from: &Skeleton, to: &Skeleton) -> Vec<(usize, usize)> {
    let pair = |track: &ScalarTrack| {
        let name = from.scalar_names().get(usize::from(track.scalar))?;
        Some((track.scalar.into(), to.scalar_names().iter().position(|n| n == name)?))
    };
    clip.scalars().iter().filter_map(pair).collect()
}

/// The slot and the evaluator share the file.
pub(super) struct SharedClipFile(pub(super) Arc<ClipFile>);

impl ClipSource for SharedClipFile {
    fn load(&self) -> Result<Clip, ClipError> {
        self.0.load()
    }
}

impl ClipFile {
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
        let bytes = self.files.read(path, self.options.limits.bytes);
        let bytes = bytes.map_err(|error| wrap(error.into()))?;
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
        let imported = self.parse(bytes, path)?;
        self.report(imported.findings, path);
        let clip = imported.character.clips().ready().next().ok_or_else(|| wrap(nothing()))?;
        let (clip, dropped) = by_names(&clip, imported.character.skeleton(), &self.skeleton).map_err(wrap)?;
        if dropped > 0 {
            let message = format!("{dropped} joints that it moves have no counterpart in the model");
            self.report([Finding::new(&MANIFEST_CLIP_JOINTS, "", message).count(dropped)], path);
        }
        Ok(clip)
    }

    fn parse(&self, bytes: &[u8], path: &Path) -> Result<Imported, ImportError> {
        import_recorded(bytes, path, &self.files, &self.options)
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
    let pairs: BTreeMap<usize, usize> = joint_pairs(clip, from, to).into_iter().collect();
    let joint = |tracks: &JointTracks| {
        let joint = u16::try_from(*pairs.get(&tracks.joint.into())?).ok()?;
        Some(JointTracks { joint, ..tracks.clone() })
    };
    let mut joints: Vec<JointTracks> = clip.joints().iter().filter_map(joint).collect();
    let dropped = clip.joints().len() - joints.len();
    if joints.is_empty() && dropped > 0 {
        return Err(Cause::malformed("no joint that it moves has the name of a joint of the model", ""));
    }
    joints.sort_by_key(|tracks| tracks.joint);
    let pairs: BTreeMap<usize, usize> = scalar_pairs(clip, from, to).into_iter().collect();
    let scalar = |track: &ScalarTrack| {
        let scalar = u16::try_from(*pairs.get(&track.scalar.into())?).ok()?;
        Some(ScalarTrack { scalar, track: track.track.clone() })
    };
    let mut scalars: Vec<ScalarTrack> = clip.scalars().iter().filter_map(scalar).collect();
    scalars.sort_by_key(|track| track.scalar);
    scalars.dedup_by_key(|track| track.scalar);
    let moved = Clip::new(clip.name(), clip.duration(), joints, scalars)?;
    Ok((moved.with_source_start(clip.source_start()).with_events(clip.events().to_vec())?, dropped))
}
