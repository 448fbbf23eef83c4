//! Manifests: the list of files that a character's model and clips were split into.
//!
//! Four families of them are in use, which differ in where things stand and how keys are spelled; [`Manifest`] is their common
//! content. [`open`] reads the model and no clip: each clip is read when it is first asked for.

mod clip_file;
mod evaluator;
mod files;
mod json;
mod open;
mod parse;
mod tree;
mod write;

pub use open::{LateFindings, OpenOptions, Opened, open, open_model, read};
pub use tree::{Progress, Tree, find_manifests, process_tree};
pub use write::{ManifestOptions, Written, write, write_tree};

use sinew_files::{Access, Files};
use std::path::{Path, PathBuf};

/// How a manifest is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Models, each with its clips inside.
    Nested,
    /// One model, and clips beside it.
    Flat,
    /// As flat, with a list of models that holds no clips, and much about the export.
    Exporter,
    /// Keys in PascalCase, textures as objects.
    Legacy,
}

/// What a manifest says, whatever its family, with defaults filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest {
    /// The file.
    pub path: PathBuf,
    /// Its layout.
    pub family: Family,
    /// Version of the layout, if it is stated.
    pub version: Option<u32>,
    /// `split-model-anims`, `split`, `baked` or `static`, if it is stated.
    pub mode: Option<String>,
    /// Pictures, as references from the manifest's folder.
    pub textures: Vec<String>,
    /// At least one.
    pub models: Vec<ModelEntry>,
}

impl Manifest {
    /// Folder that its references start from.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// Itself and every file that it lists, whether they are there or not.
    pub fn files(&self) -> Vec<PathBuf> {
        let access = Access::of_asset(&self.path, &[], true);
        let clips = |model: &ModelEntry| model.clips.iter().flat_map(ClipEntry::files).collect::<Vec<_>>();
        let of_models =
            self.models.iter().flat_map(|model| clips(model).into_iter().chain([model.file.clone()]));
        let listed = of_models.chain(self.textures.iter().cloned());
        let listed = listed.filter_map(|reference| access.path(&reference));
        std::iter::once(self.path.clone()).chain(listed).collect()
    }
}

/// A model of a manifest.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelEntry {
    /// Its name; by default that of its file.
    pub name: String,
    /// Reference to its file; by default `model.dae`.
    pub file: String,
    /// Its clips. Those that stand beside the models go to the one that the manifest names as its model file, else to the first.
    pub clips: Vec<ClipEntry>,
}

/// A clip of a manifest.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipEntry {
    /// Number of its slot; by default its place in the list.
    pub index: u32,
    /// The name that a game asks for: `id`, else `name`, else `clip_` and the number.
    pub name: String,
    /// Name in the data that it was exported from.
    pub source_name: Option<String>,
    /// What it is for, if given.
    pub semantic_name: Option<String>,
    /// Where the tag comes from: `source-name`, `slot-map-v1` or `manual`.
    pub semantic_source: Option<String>,
    /// Reference to its file, if one is given.
    pub file: Option<String>,
    /// Frames, as the exporter counted them: some count one more than others, so the clip's own keys say how long it is.
    pub frame_count: Option<f64>,
    /// Frames per second.
    pub fps: Option<f64>,
}

impl ClipEntry {
    /// References under which its file may be found, the likeliest first.
    pub fn files(&self) -> Vec<String> {
        match &self.file {
            Some(file) => vec![file.clone()],
            None => ["animations", "clips"]
                .map(|folder| format!("{folder}/{}.dae", numbered(self.index)))
                .to_vec(),
        }
    }

    /// What is known about it before it is loaded.
    pub fn info(&self) -> sinew::ClipInfo {
        sinew::ClipInfo {
            name: self.name.clone().into(),
            source_name: self.source_name.as_ref().map(Into::into),
            tag: self.semantic_name.as_ref().map(Into::into),
            source_index: Some(self.index),
            ..sinew::ClipInfo::default()
        }
    }
}

/// `clip_007`.
fn numbered(index: u32) -> String {
    format!("clip_{index:03}")
}

/// Whether a path is named as a manifest: `manifest.json`, `manifest.NAME.json`.
pub fn is_manifest(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(is_manifest_name)
}

/// Whether a file that was found in a folder is a manifest of characters, by its name and by what it holds: other programs have a `manifest.json` too. One that is no
/// JSON counts, so that its error is told.
pub fn is_found_manifest(path: &Path, files: &dyn Files) -> bool {
    is_manifest(path)
        && files.is_file(path)
        && match files.read(path, MOST_BYTES).map(|content| json::value(&content)) {
            Ok(Ok(value)) => {
                parse::lists_characters(&value) || files.is_file(&path.with_file_name(parse::DEFAULT_MODEL))
            }
            _ => true,
        }
}

/// More than any manifest takes.
const MOST_BYTES: u64 = 64 << 20;

fn is_manifest_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.starts_with("manifest.") && name.ends_with(".json")
}
