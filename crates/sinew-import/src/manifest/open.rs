//! Opens a manifest as a character whose clips are read when they are first needed.

use super::clip_file::{ClipFile, Rig, SharedClipFile};
use super::evaluator::{Backing, ManifestEvaluator};
use super::files;
use super::{ClipEntry, Manifest, is_manifest_name};
use crate::{
    Budget, Cause, ImportError, Imported, Options, SourceClip, SourceEvaluator, SourceInfo, import_recorded,
    json_cost, recorder,
};
use rayon::prelude::*;
use sinew::{Character, Clip, ClipInfo, ClipLibrary, Finding, TaggedClips};
use sinew_files::{Access, Disk, FileRecord, Files, Recorder};
use sinew_findings::catalogue::import::MANIFEST_FILE_MISSING;
use sinew_findings::plural;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// How manifests are opened.
#[derive(Clone)]
#[non_exhaustive]
pub struct OpenOptions {
    /// How the files of the model and the clips are read.
    pub import: Options,
    /// Where files are read from.
    pub files: Arc<dyn Files>,
}

impl OpenOptions {
    /// Files read in this way, from the disk.
    pub fn new(import: Options) -> Self {
        Self::from_files(import, Arc::new(Disk))
    }

    /// The same from any place that files are read from.
    pub fn from_files(import: Options, files: Arc<dyn Files>) -> Self {
        Self { import, files }
    }
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self::new(Options::default())
    }
}

/// A model of a manifest, ready to play.
pub struct Opened {
    /// What the manifest says.
    pub manifest: Manifest,
    /// Which of its models this is.
    pub model: usize,
    /// The model. Its clips are those of the manifest, each read when it is first asked for, and behind them those in the model's
    /// own file.
    pub character: Character,
    /// Where its parts come from. The starts of clips that are files of their own are zero: [`Opened::into_imported`] sets them.
    pub source: SourceInfo,
    /// The clips by tag.
    pub tags: TaggedClips,
    /// What was odd about manifest, model and tags.
    pub findings: Vec<Finding>,
    /// What was odd about the clips that were read since.
    pub late: LateFindings,
    /// Evaluates the clips by their source files, which it reads when needed.
    pub evaluator: Box<dyn SourceEvaluator>,
    /// The clips that are files of their own, and their numbers.
    clip_files: Vec<(usize, Arc<ClipFile>)>,
    read: Arc<Recorder>,
}

impl Opened {
    /// Every file that was read so far and every one that was not found, the manifest first.
    pub fn files(&self) -> Vec<FileRecord> {
        self.read.records_from(&self.manifest.path)
    }

    /// The same as any other imported file, with every clip read, for tools. A clip that cannot be
    /// read keeps its place, with the error.
    pub fn into_imported(self) -> Imported {
        let clips = self.character.clips();
        (0..clips.len()).into_par_iter().for_each(|clip| {
            let _ = clips.load(clip);
        });
        let files = self.files();
        let mut findings = self.findings;
        findings.extend(self.late.list());
        let mut source = self.source;
        for (clip, file) in self.clip_files {
            if let (Some(clip), Some(start)) = (source.clips.get_mut(clip), file.start.get()) {
                clip.start = *start;
            }
        }
        let (character, evaluator) = (self.character, self.evaluator);
        Imported { character, source, evaluator, findings, clip_nodes: None, files }
    }
}

impl std::fmt::Debug for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Opened")
            .field("manifest", &self.manifest)
            .field("character", &self.character)
            .field("findings", &self.findings)
            .finish_non_exhaustive()
    }
}

/// Findings that come up when clips are read.
#[derive(Clone, Debug, Default)]
pub struct LateFindings(Arc<Mutex<Vec<Finding>>>);

impl LateFindings {
    /// Those of all clips read so far, in that order.
    pub fn list(&self) -> Vec<Finding> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn extend(&self, findings: impl IntoIterator<Item = Finding>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(findings);
    }
}

/// Opens the first model of a manifest, or of a folder that holds one. Reads the model's file and none of a clip.
pub fn open(path: &Path, options: &OpenOptions) -> Result<Opened, ImportError> {
    let files = Arc::new(recorder(options.files.clone(), &options.import));
    let (manifest, findings) = read_recorded(path, &files, options)?;
    let mut opened = open_recorded(manifest, 0, &files, options)?;
    opened.findings.splice(..0, findings);
    Ok(opened)
}

/// Reads a manifest, or that of a folder, and what was odd about it.
pub fn read(path: &Path, options: &OpenOptions) -> Result<(Manifest, Vec<Finding>), ImportError> {
    read_recorded(path, &*options.files, options)
}

pub(super) fn read_recorded(
    path: &Path,
    files: &dyn Files,
    options: &OpenOptions,
) -> Result<(Manifest, Vec<Finding>), ImportError> {
    let path = locate(path, files)?;
    let bytes = files.read(&path, options.import.limits.bytes);
    let wrap = |cause| ImportError::new(&path, cause);
    let bytes = bytes.map_err(|error| wrap(error.into()))?;
    Budget::new(&options.import.limits).memory(json_cost::memory(&bytes)).map_err(wrap)?;
    Manifest::parse(&path, &bytes)
}

/// Opens one model of a manifest.
pub fn open_model(manifest: Manifest, model: usize, options: &OpenOptions) -> Result<Opened, ImportError> {
    open_recorded(manifest, model, &Arc::new(recorder(options.files.clone(), &options.import)), options)
}

pub(super) fn open_recorded(
    manifest: Manifest,
    model: usize,
    files: &Arc<Recorder>,
    options: &OpenOptions,
) -> Result<Opened, ImportError> {
    let access = Access::of_asset(&manifest.path, &[], options.import.outside_textures);
    let opener = Opener { manifest: &manifest, access, files, options };
    let Parts { character, source, findings, late, evaluator, files: clip_files } = opener.open(model)?;
    let tags = TaggedClips::new(character.clips());
    let findings = findings.into_iter().chain(tags.findings().iter().cloned()).collect();
    let read = files.clone();
    Ok(Opened { manifest, model, character, source, tags, findings, late, evaluator, clip_files, read })
}

/// The manifest of a folder: `manifest.json`, else the only one there is.
pub(super) fn locate(path: &Path, files: &dyn Files) -> Result<PathBuf, ImportError> {
    let Ok(entries) = files.list(path) else { return Ok(path.to_owned()) };
    let empty = entries.is_empty();
    let found: Vec<_> = entries.into_iter().filter(|e| !e.is_folder && is_manifest_name(e.name())).collect();
    // On record, whether it is found or not: it takes precedence.
    files.spellings(&path.join("manifest.json"));
    if let Some(exact) = found.iter().find(|e| e.name().eq_ignore_ascii_case("manifest.json")) {
        return Ok(exact.path.clone());
    }
    match found.as_slice() {
        [only] => Ok(only.path.clone()),
        [] if empty => Err(ImportError::new(path, Cause::NothingToRead { empty })),
        _ => Err(ImportError::new(path, Cause::NoManifest { found: found.len() })),
    }
}

/// What opening a model gives, as in [`Opened`].
struct Parts {
    character: Character,
    source: SourceInfo,
    findings: Vec<Finding>,
    late: LateFindings,
    evaluator: Box<dyn SourceEvaluator>,
    files: Vec<(usize, Arc<ClipFile>)>,
}

struct Opener<'o> {
    manifest: &'o Manifest,
    access: Access,
    files: &'o Arc<Recorder>,
    options: &'o OpenOptions,
}

impl Opener<'_> {
    fn open(&self, index: usize) -> Result<Parts, ImportError> {
        let wrap = |cause| ImportError::new(&self.manifest.path, cause);
        let place = format!("models[{index}]");
        let Some(model) = self.manifest.models.get(index) else {
            let what = format!("the manifest has {}", plural(self.manifest.models.len(), "model", "models"));
            return Err(wrap(Cause::malformed(what, place)));
        };
        let Some(path) = self.find(&model.file) else {
            // A file that is there and was not taken is a link that leads elsewhere.
            let outside = self.access.path(&model.file).is_none_or(|path| self.files.is_file(&path));
            return Err(wrap(Cause::ModelMissing { model: model.file.clone(), outside }));
        };
        let options = self.import_options();
        let bytes = self.files.read(&path, options.limits.bytes);
        let budget = Budget::new(&options.limits);
        let bytes = bytes.map_err(|error| ImportError::new(&path, error.into()))?;
        let imported = import_recorded(&bytes, &path, self.files, &options, &budget)?;
        let mut findings = imported.findings;
        findings.extend(self.missing_textures());
        let late = LateFindings::default();
        let rig = Arc::new(Rig {
            skeleton: imported.character.skeleton().clone(),
            nodes: imported.clip_nodes,
            budget,
            large: Mutex::new(()),
            options,
            files: self.files.clone(),
            late: late.clone(),
        });
        let mut own = OwnClips::new(imported.character.clips());
        let mut clips = ClipLibrary::default();
        let (mut origins, mut inferred) = (Vec::new(), Vec::new());
        for entry in &model.clips {
            let mut info = entry.info();
            inferred.push(rig.options.tags.complete(&mut info));
            let place = self.place(entry, &info, &path, &mut own, &mut findings);
            origins.push(add(info, place, &rig, &mut clips));
        }
        for (index, clip) in own.left() {
            let mut info = clip.name().into();
            inferred.push(rig.options.tags.complete(&mut info));
            clips.add_with(info, clip);
            origins.push(Backing::Model(index));
        }
        let start = |origin: &Backing| match origin {
            Backing::Model(index) => imported.source.clip(*index).start,
            Backing::File(..) => 0.0,
        };
        let sources = origins.iter().zip(inferred);
        let sources =
            sources.map(|(origin, tag_inferred)| SourceClip { start: start(origin), tag_inferred }).collect();
        let files = (0..).zip(&origins).filter_map(|(clip, origin)| match origin {
            Backing::File(file, _) => Some((clip, file.clone())),
            Backing::Model(_) => None,
        });
        let files = files.collect();
        let rest = imported.character.skeleton().rest().clone();
        let evaluator = ManifestEvaluator { model: imported.evaluator, rest, clips: origins };
        let character = imported.character.with_clips(clips).map_err(|error| wrap(error.into()))?;
        let source = SourceInfo { clips: sources, ..imported.source };
        Ok(Parts { character, source, findings, late, evaluator: Box::new(evaluator), files })
    }

    fn find(&self, reference: &str) -> Option<PathBuf> {
        files::find(&**self.files, &self.access, reference)
    }

    /// Where the clip of an entry is: in the model's own file, else in a file of its own, which may be missing.
    fn place(
        &self,
        entry: &ClipEntry,
        info: &ClipInfo,
        model: &Path,
        own: &mut OwnClips,
        findings: &mut Vec<Finding>,
    ) -> Place {
        let references = entry.files();
        let found = references.iter().find_map(|file| self.find(file));
        let baked = match &found {
            Some(path) => path == model,
            None => self.manifest.mode.as_deref().is_some_and(|mode| mode.eq_ignore_ascii_case("baked")),
        };
        if let Some((index, clip)) = baked.then(|| own.take(info)).flatten() {
            return Place::Model(index, clip);
        }
        let why = self.why_missing(&references);
        if found.is_none() {
            let place = format!("{}: clip `{}`", self.manifest.path.display(), info.name);
            findings.push(Finding::new(&MANIFEST_FILE_MISSING, place, why.clone()));
        }
        Place::File(found.ok_or(why))
    }

    fn why_missing(&self, references: &[String]) -> String {
        let listed = references.join("` or `");
        match references.iter().all(|file| self.access.path(file).is_none()) {
            true => format!(
                "`{listed}` leads out of the manifest's folder, so it is not read: put the file into the folder"
            ),
            false => format!("there is no file `{listed}` in the manifest's folder"),
        }
    }

    /// Pictures are where the manifest says; the model's file often has other paths.
    fn import_options(&self) -> Options {
        let mut options = self.options.import.clone();
        let textures = self.manifest.textures.iter().filter_map(|file| self.access.path(file));
        for folder in textures.filter_map(|path| Some(path.parent()?.to_owned())) {
            if !options.textures.contains(&folder) {
                options.textures.push(folder);
            }
        }
        options
    }

    fn missing_textures(&self) -> impl Iterator<Item = Finding> {
        let missing = |file: &&String| files::find(&self.files.pictures(), &self.access, file).is_none();
        self.manifest.textures.iter().filter(missing).map(|file| {
            let place = format!("{}: texture `{file}`", self.manifest.path.display());
            Finding::new(&MANIFEST_FILE_MISSING, place, "there is no such file in the manifest's folder")
        })
    }
}

/// Where a clip is.
enum Place {
    /// In the model's own file, under this number.
    Model(usize, Arc<Clip>),
    /// In a file of its own, or missing for this reason.
    File(Result<PathBuf, String>),
}

/// Adds a clip to the library.
fn add(info: ClipInfo, place: Place, rig: &Arc<Rig>, clips: &mut ClipLibrary) -> Backing {
    match place {
        Place::Model(index, clip) => {
            clips.add_with(info, clip);
            Backing::Model(index)
        }
        Place::File(path) => {
            let (name, rig) = (info.name.clone(), rig.clone());
            let file = Arc::new(ClipFile { name: name.into(), path, rig, start: OnceLock::new() });
            clips.add_source(info, SharedClipFile(file.clone()));
            Backing::File(file, Box::default())
        }
    }
}

/// The clips that the model's own file holds, each to be given away once.
struct OwnClips(Vec<Option<Arc<Clip>>>);

impl OwnClips {
    fn new(clips: &ClipLibrary) -> Self {
        Self(clips.ready().map(Some).collect())
    }

    /// The clip of an entry: by name, else by number, where a first one that spans the whole timeline does not count.
    fn take(&mut self, info: &ClipInfo) -> Option<(usize, Arc<Clip>)> {
        let named = |name: &str| {
            self.0.iter().position(|clip| clip.as_ref().is_some_and(|c| c.name().eq_ignore_ascii_case(name)))
        };
        let by_name = named(&info.name).or_else(|| named(info.source_name.as_deref()?));
        let whole = self.0.len() > 1 && named("default") == Some(0);
        let by_index = || usize::try_from(info.source_index?).ok()?.checked_add(usize::from(whole));
        let index = by_name.or_else(by_index)?;
        Some((index, self.0.get_mut(index)?.take()?))
    }

    fn left(self) -> impl Iterator<Item = (usize, Arc<Clip>)> {
        self.0.into_iter().enumerate().filter_map(|(index, clip)| Some((index, clip?)))
    }
}
