//! What lies in a folder.

use super::super::files::reference;
use crate::limits::Limits;
use crate::{Cause, ImportError};
use serde_json::{Value, json};
use sinew_files::Files;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files of a folder that a manifest could list.
pub(super) struct Survey {
    pub(super) folder: PathBuf,
    /// Each file is read once.
    pub(super) files: Arc<dyn Files>,
    /// COLLADA files with meshes, beside the manifest.
    pub(super) models: Vec<PathBuf>,
    /// COLLADA files without meshes beside the manifest, and all those in the folders for clips.
    pub(super) clips: Vec<PathBuf>,
    pub(super) textures: Vec<PathBuf>,
}

/// Folders that exporters put clips into, in which there may be one folder per model.
const CLIP_FOLDERS: [&str; 2] = ["animations", "clips"];
const TEXTURE_FOLDER: &str = "textures";
const PICTURES: [&str; 6] = ["png", "tga", "jpg", "jpeg", "bmp", "dds"];

impl Survey {
    pub(super) fn of(folder: &Path, files: Arc<dyn Files>, limits: &Limits) -> Result<Self, ImportError> {
        let mut survey =
            Self { folder: folder.to_owned(), files, models: vec![], clips: vec![], textures: vec![] };
        // A manifest that is given by a bare name lies in the current folder.
        let listed = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let entries =
            survey.files.list(listed).map_err(|error| ImportError::new(folder, Cause::Read(error)))?;
        for entry in entries {
            let is = |name: &str| entry.name().eq_ignore_ascii_case(name);
            if entry.is_folder && CLIP_FOLDERS.iter().any(|name| is(name)) {
                survey.add_clips(&entry.path, 2);
            } else if entry.is_folder && is(TEXTURE_FOLDER) {
                survey.add_textures(&entry.path);
            } else if has_extension(&entry.path, &["dae"]) && !entry.is_folder {
                let path = folder.join(entry.name());
                let bytes = survey.files.read(&path, limits.bytes);
                let bytes = bytes.map_err(|error| ImportError::new(&path, error.into()))?;
                if holds_mesh(&bytes) { survey.models.push(path) } else { survey.clips.push(path) }
            } else if has_extension(&entry.path, &PICTURES) {
                survey.textures.push(folder.join(entry.name()));
            }
        }
        // The likeliest model first.
        let folder = survey.folder.clone();
        survey.models.sort_by_key(|path| !reference(&folder, path).eq_ignore_ascii_case("model.dae"));
        Ok(survey)
    }

    fn add_clips(&mut self, folder: &Path, depth: usize) {
        for entry in self.files.list(folder).unwrap_or_default() {
            if entry.is_folder && depth > 1 {
                self.add_clips(&entry.path, depth - 1);
            } else if !entry.is_folder && has_extension(&entry.path, &["dae"]) {
                self.clips.push(entry.path);
            }
        }
    }

    fn add_textures(&mut self, folder: &Path) {
        let entries = self.files.list(folder).unwrap_or_default().into_iter();
        self.textures.extend(entries.map(|entry| entry.path).filter(|path| has_extension(path, &PICTURES)));
    }

    /// A manifest without clips: flat for one model, nested for several.
    pub(super) fn outline(&self) -> Result<Value, ImportError> {
        let mode = if self.clips.is_empty() { "static" } else { "split" };
        match self.models.as_slice() {
            [] => {
                let what = "there is no COLLADA file with a mesh in the folder".to_owned();
                Err(ImportError::new(&self.folder, Cause::malformed(what, "")))
            }
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

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    extensions.iter().any(|e| e.eq_ignore_ascii_case(extension))
}

/// Whether a document has a mesh, found by a text search, which is cheaper than parsing the XML.
fn holds_mesh(bytes: &[u8]) -> bool {
    // In UTF-16 every other byte of a tag is zero.
    let text: Vec<u8> = bytes.iter().copied().filter(|&b| b != 0).collect();
    text.windows(5).any(|window| window == b"<mesh")
}
