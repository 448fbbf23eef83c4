//! What lies in a folder.

use super::super::files::reference;
use super::super::is_manifest_name;
use super::content::{Content, Figure};
use crate::collada::archive;
use crate::limits::Limits;
use crate::{Budget, Cause, ImportError, TagTable, stem};
use serde_json::{Value, json};
use sinew_files::Files;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files of a folder that a manifest could list.
pub(super) struct Survey {
    pub(super) folder: PathBuf,
    /// Each file is read once.
    pub(super) files: Arc<dyn Files>,
    /// COLLADA files with meshes: beside the manifest, or if there are none, in a folder beside it.
    pub(super) models: Vec<PathBuf>,
    /// COLLADA files without meshes, those that repeat a model to animate it, and all in the folders for clips.
    pub(super) clips: Vec<PathBuf>,
    pub(super) textures: Vec<PathBuf>,
    /// The models that clips repeat.
    repeated: HashMap<PathBuf, PathBuf>,
    /// Whether a model holds animations itself.
    baked: bool,
    /// Documents that end too early to say what they are.
    truncated: Vec<PathBuf>,
}

/// Folders that exporters put clips into, in which files with a mesh are clips too.
const CLIP_FOLDERS: [&str; 2] = ["animations", "clips"];
/// Folders below the manifest's that are searched: one for clips or pictures, in which there may be one per model.
const DEPTH: usize = 2;
const DOCUMENTS: [&str; 2] = ["dae", "zae"];
const PICTURES: [&str; 6] = ["png", "tga", "jpg", "jpeg", "bmp", "dds"];

/// A document with a mesh.
struct Figured {
    path: PathBuf,
    figure: Figure,
    /// Whether it lies in a folder below the manifest's.
    below: bool,
}

impl Survey {
    pub(super) fn of(folder: &Path, files: Arc<dyn Files>, limits: &Limits) -> Result<Self, ImportError> {
        let mut survey = Self {
            folder: folder.to_owned(),
            files,
            models: vec![],
            clips: vec![],
            textures: vec![],
            repeated: HashMap::new(),
            baked: false,
            truncated: vec![],
        };
        let mut figured = Vec::new();
        survey.add(folder, 0, false, limits, &mut figured)?;
        survey.sort_out(figured);
        // The likeliest model first.
        let folder = survey.folder.clone();
        survey.models.sort_by_key(|path| !reference(&folder, path).eq_ignore_ascii_case("model.dae"));
        survey.clips.sort();
        Ok(survey)
    }

    /// Adds the files of a folder and of those below; documents with meshes go to `figured`.
    fn add(
        &mut self,
        folder: &Path,
        depth: usize,
        for_clips: bool,
        limits: &Limits,
        figured: &mut Vec<Figured>,
    ) -> Result<(), ImportError> {
        // A manifest that is given by a bare name lies in the current folder.
        let listed = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let entries =
            self.files.list(listed).map_err(|error| ImportError::new(folder, Cause::Read(error)))?;
        if depth > 0 && entries.iter().any(|entry| !entry.is_folder && is_manifest_name(entry.name())) {
            return Ok(());
        }
        for entry in entries {
            let path = folder.join(entry.name());
            if entry.is_folder && depth < DEPTH && !entry.name().starts_with('.') {
                let for_clips =
                    for_clips || CLIP_FOLDERS.iter().any(|name| entry.name().eq_ignore_ascii_case(name));
                self.add(&path, depth + 1, for_clips, limits, figured)?;
            } else if entry.is_folder {
                continue;
            } else if is_document(&path) && for_clips {
                self.clips.push(path);
            } else if is_document(&path) {
                match self.content(&path, limits)? {
                    Content::Mesh(figure) => figured.push(Figured { path, figure, below: depth > 0 }),
                    Content::NoMesh => self.clips.push(path),
                    Content::Truncated => self.truncated.push(path),
                }
            } else if has_extension(&path, &PICTURES) {
                self.textures.push(path);
            }
        }
        Ok(())
    }

    /// Which documents with meshes are models, and which repeat one to animate it, as exports "with skin" do.
    fn sort_out(&mut self, mut figured: Vec<Figured>) {
        let all_below = figured.iter().all(|document| document.below);
        figured.sort_by_cached_key(|document| (document.below, unlikely_model(document)));
        let mut models: Vec<Figured> = Vec::new();
        for document in figured {
            let same = |model: &&Figured| model.figure.kind == document.figure.kind;
            match models.iter().find(same).filter(|_| document.figure.animated) {
                Some(model) => {
                    self.repeated.insert(document.path.clone(), model.path.clone());
                    self.clips.push(document.path);
                }
                None if all_below || !document.below => models.push(document),
                None => {}
            }
        }
        self.baked = models.iter().any(|model| model.figure.animated);
        self.models = models.into_iter().map(|model| model.path).collect();
        self.models.sort();
    }

    /// The model that a clip repeats, if it has a mesh.
    pub(super) fn model_of(&self, clip: &Path) -> Option<&PathBuf> {
        self.repeated.get(clip)
    }

    fn content(&self, path: &Path, limits: &Limits) -> Result<Content, ImportError> {
        let bytes = self.files.read(path, limits.bytes);
        let bytes = bytes.map_err(|error| ImportError::new(path, error.into()))?;
        let budget = Budget::new(limits);
        match archive::open(&bytes, &budget) {
            Ok(opened) => Ok(Content::of(opened.document())),
            Err(_) => Ok(Content::Truncated),
        }
    }

    /// Whether all models are in one folder below, and clips in another.
    pub(super) fn is_split(&self) -> bool {
        let child = |path: &Path| {
            path.strip_prefix(&self.folder).ok()?.components().next().map(|c| c.as_os_str().to_owned())
        };
        let Some(first) = self.models.first().and_then(|path| child(path)) else { return false };
        self.models.iter().all(|path| child(path).as_ref() == Some(&first))
            && self.clips.iter().any(|path| child(path).as_ref() != Some(&first))
    }

    /// A manifest without clips: flat for one model, nested for several.
    pub(super) fn outline(&self) -> Result<Value, ImportError> {
        let mode = match (self.clips.is_empty(), self.baked) {
            (false, _) => "split",
            (true, true) => "baked",
            (true, false) => "static",
        };
        match self.models.as_slice() {
            [] => Err(match self.truncated.first() {
                Some(path) => ImportError::new(
                    path,
                    Cause::malformed("the document is cut off: its end is missing", ""),
                ),
                None => ImportError::new(&self.folder, Cause::NoModel),
            }),
            [model] => Ok(json!({
                "version": 1, "format": "dae", "modelFile": reference(&self.folder, model), "animationMode": mode,
                "textures": [], "clips": [],
            })),
            models => {
                let model = |path: &PathBuf| {
                    let name = path.file_stem().unwrap_or_default().to_string_lossy();
                    json!({ "name": name, "modelFile": reference(&self.folder, path), "clips": [] })
                };
                let models: Vec<Value> = models.iter().map(model).collect();
                Ok(json!({ "version": 1, "mode": "split-model-anims", "textures": [], "models": models }))
            }
        }
    }
}

/// Whether a file is named as a COLLADA document or an archive of one.
pub(super) fn is_document(path: &Path) -> bool {
    has_extension(path, &DOCUMENTS)
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    extensions.iter().any(|e| e.eq_ignore_ascii_case(extension))
}

/// What speaks against a document being the model among those that repeat it, in the order of weight: animations, another name than `model`, the name
/// of a motion.
fn unlikely_model(document: &Figured) -> (bool, bool, bool, PathBuf) {
    let name = document.path.file_name().unwrap_or_default().to_string_lossy();
    let name = stem(&name);
    let is_motion = TagTable::default().by_name(name).is_some();
    (document.figure.animated, !name.eq_ignore_ascii_case("model"), is_motion, document.path.clone())
}
