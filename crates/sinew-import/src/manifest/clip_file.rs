//! A clip in a file of its own, read when it is first needed.

use super::open::LateFindings;
use crate::collada::{Bound, ClipNodes, RawClip};
use crate::{
    Budget, Cause, Format, ImportError, Imported, Limits, Options, SourceEvaluator, import_recorded,
};
use sinew::AmbiguousNames;
use sinew::{
    Character, Clip, ClipError, ClipErrorKind, ClipSource, Finding, JointMap, Keys, PoseMap, Skeleton,
    Transform,
};
use sinew_files::{Files, Recorder};
use sinew_findings::catalogue::import::MANIFEST_CLIP_JOINTS;
use sinew_findings::plural;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Files that are read side by side take one part in this many of the limit of memory together.
const SHARES: u64 = 4;

/// What the clips of one model share.
pub(super) struct Rig {
    pub(super) skeleton: Arc<Skeleton>,
    /// Nodes of the model as its document wrote them, if it is COLLADA.
    pub(super) nodes: Option<ClipNodes>,
    /// What the model and all clips that were read take together.
    pub(super) budget: Budget<'static>,
    /// Held by the one file that may take all memory that is left while it is read.
    pub(super) large: Mutex<()>,
    pub(super) options: Options,
    pub(super) files: Arc<Recorder>,
    pub(super) late: LateFindings,
}

/// The file of one clip.
pub(super) struct ClipFile {
    pub(super) name: String,
    /// Where it is, or why it is missing.
    pub(super) path: Result<PathBuf, String>,
    pub(super) rig: Arc<Rig>,
    /// Where the clip begins in its file, in seconds, once it is loaded.
    pub(super) start: OnceLock<f64>,
}

/// Evaluates a clip's file at any time.
pub(super) struct Truth {
    evaluator: Box<dyn SourceEvaluator>,
    /// From the file's skeleton to the model's; `None` where the file is bound to the model's own joints.
    foreign: Option<Foreign>,
}

/// A clip of another skeleton than the model's.
struct Foreign {
    map: PoseMap,
    character: Character,
}

impl Truth {
    /// Writes what the clip animates; the rest stays as it is in `out`.
    pub(super) fn locals(&self, time: f64, out: &mut [Transform]) {
        let Some(foreign) = &self.foreign else { return self.evaluator.locals(0, time, out) };
        let mut theirs = vec![Transform::IDENTITY; foreign.character.skeleton().len()];
        self.evaluator.locals(0, time, &mut theirs);
        foreign.map.locals(&theirs, out);
    }

    /// The same for scalars.
    pub(super) fn scalars(&self, time: f64, out: &mut [f32]) {
        let Some(foreign) = &self.foreign else { return self.evaluator.scalars(0, time, out) };
        let mut theirs = vec![0.0; foreign.character.skeleton().scalar_names().len()];
        self.evaluator.scalars(0, time, &mut theirs);
        foreign.map.scalars(&theirs, out);
    }
}

impl ClipFile {
    /// Parses the file again for its evaluator; `None` if it cannot be read, which loading the clip has reported.
    pub(super) fn truth(&self) -> Option<Truth> {
        let path = self.path.as_ref().ok()?;
        let rig = &self.rig;
        let bytes = rig.files.read(path, rig.options.limits.bytes).ok()?;
        if let (Some(Format::Collada), Some(nodes)) = (Format::detect(&bytes, path), &rig.nodes) {
            let bound = rig.bound(&bytes, nodes).ok()?;
            return Some(Truth { evaluator: bound.evaluator, foreign: None });
        }
        let imported = rig.parse(&bytes, path).ok()?;
        let clip = imported.character.clips().ready().next()?;
        let map = JointMap::for_clips(imported.character.skeleton(), &rig.skeleton, [&*clip]).ok()?;
        let foreign = Foreign { map: map.pose_map(&clip), character: imported.character };
        Some(Truth { evaluator: imported.evaluator, foreign: Some(foreign) })
    }
}

/// The library's entry and the evaluator share the file.
pub(super) struct SharedClipFile(pub(super) Arc<ClipFile>);

impl ClipSource for SharedClipFile {
    fn load(&self) -> Result<Clip, ClipError> {
        self.0.load()
    }
}

impl ClipFile {
    fn load(&self) -> Result<Clip, ClipError> {
        let refuse = |reason: String| ClipError::new(ClipErrorKind::Unreadable, self.name.as_str(), reason);
        let path = self.path.as_ref().map_err(|why| refuse(why.clone()))?;
        let (clip, start) = self.rig.load(path).map_err(|error| refuse(error.to_string()))?;
        self.start.get_or_init(|| start);
        Ok(clip.with_name(self.name.clone()))
    }
}

impl Rig {
    /// Reads a clip's file and fits it to the model, and says where the clip begins in the file. Of several clips in it the first counts,
    /// which spans the whole timeline.
    fn load(&self, path: &Path) -> Result<(Clip, f64), ImportError> {
        let wrap = |cause| ImportError::new(path, cause);
        let bytes = self.files.read(path, self.options.limits.bytes);
        let bytes = bytes.map_err(|error| wrap(error.into()))?;
        let (clip, start) = match (Format::detect(&bytes, path), &self.nodes) {
            (Some(Format::Collada), Some(nodes)) => self.bind(&bytes, nodes, path).map_err(wrap)?,
            _ => self.import(&bytes, path)?,
        };
        self.budget.keys(clip.keys().map_or(0, Keys::count) as u64).map_err(wrap)?;
        Ok((clip, start))
    }

    /// Reads a file within the memory that is left. Files are read side by side, each with a small share; one that needs more is read again
    /// with all that is left, one such file at a time, so that together they hold the limit.
    fn within<T>(&self, read: impl Fn(&Budget<'_>) -> Result<T, Cause>) -> Result<T, Cause> {
        let limited = |memory: u64| Budget::new(&Limits { memory, ..self.options.limits.clone() });
        let share = self.options.limits.memory / (SHARES * rayon::current_num_threads() as u64);
        match read(&limited(share.min(self.budget.memory_left()))) {
            Err(Cause::Limit { name: "memory", .. }) => {
                let _alone = self.large.lock().unwrap_or_else(PoisonError::into_inner);
                let left = self.budget.memory_left();
                let limit = self.options.limits.memory;
                read(&limited(left)).map_err(|cause| match cause {
                    Cause::Limit { name: "memory", found, .. } => Cause::Limit {
                        name: "memory",
                        found: found.map(|found| found + (limit - left)),
                        limit,
                    },
                    other => other,
                })
            }
            result => result,
        }
    }

    fn bound(&self, bytes: &[u8], nodes: &ClipNodes) -> Result<Bound, Cause> {
        self.within(|budget| RawClip::parse_within(bytes, budget)?.bind_within(nodes, &self.options, budget))
    }

    /// A clip of COLLADA on a model of COLLADA, whose nodes determine what single components mean.
    fn bind(&self, bytes: &[u8], nodes: &ClipNodes, path: &Path) -> Result<(Clip, f64), Cause> {
        let bound = self.bound(bytes, nodes)?;
        self.report(bound.findings, path);
        bound.clips.into_iter().zip(bound.starts).next().ok_or_else(nothing)
    }

    /// Any other clip, by the names of joints.
    fn import(&self, bytes: &[u8], path: &Path) -> Result<(Clip, f64), ImportError> {
        let wrap = |cause| ImportError::new(path, cause);
        let imported = self.parse(bytes, path)?;
        self.report(imported.findings, path);
        let clip = imported.character.clips().ready().next().ok_or_else(|| wrap(nothing()))?;
        let map = JointMap::for_clips(imported.character.skeleton(), &self.skeleton, [&*clip]);
        let map = map.map_err(|names| wrap(ambiguous(&names)))?;
        let (kept, dropped): (Vec<u16>, Vec<u16>) =
            clip.moved_joints().partition(|&joint| map.joint(joint).is_some());
        if kept.is_empty() && !dropped.is_empty() {
            let what = "no joint that it moves has the name of a joint of the model";
            return Err(wrap(Cause::malformed(what, "")));
        }
        if !dropped.is_empty() {
            let message = format!(
                "{} no counterpart in the model",
                plural(dropped.len(), "joint that it moves has", "joints that it moves have")
            );
            self.report([Finding::new(&MANIFEST_CLIP_JOINTS, "", message).count(dropped.len())], path);
        }
        let clip = map
            .apply(imported.character.skeleton(), &clip)
            .map_err(|error| wrap(Cause::malformed(error.to_string(), "")))?;
        Ok((clip, imported.source.clip(0).start))
    }

    fn parse(&self, bytes: &[u8], path: &Path) -> Result<Imported, ImportError> {
        let read = |budget: &Budget<'_>| {
            import_recorded(bytes, path, &self.files, &self.options, budget).map_err(|error| error.cause)
        };
        self.within(read).map_err(|cause| ImportError::new(path, cause))
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

fn ambiguous(names: &AmbiguousNames) -> Cause {
    Cause::malformed(format!("{names}; rename the joints so that each name is there once"), "")
}
