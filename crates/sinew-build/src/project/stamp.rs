//! What a compiled file was made from: written beside it, and compared before it is built again.
//!
//! Everything counts by content. Dates never do: a checkout, a copy or `touch` changes them, and a build machine has others.

use super::compile::Compiled;
use super::job::{Job, Output};
use super::source::digest;
use crate::textures::Textures;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use sinew::{Character, Image};
use sinew_import::textures::Lookup;
use std::path::{Path, PathBuf};

/// Names the form of a stamp; another one is as good as none.
const SCHEMA: &str = "sinew.stamp/1";

/// Why a compiled file has to be built.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// It is not there, or nothing is known about it.
    New,
    /// It is not as it was built.
    OutputChanged,
    /// Another version of this tool built it.
    Tool,
    /// The project asks for something else.
    Settings,
    /// A source changed, or is not there.
    Input(String),
    /// A texture changed, or is another or none.
    Texture(String),
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::New => write!(f, "not built yet"),
            Self::OutputChanged => write!(f, "the compiled file was changed"),
            Self::Tool => write!(f, "built by another version"),
            Self::Settings => write!(f, "settings changed"),
            Self::Input(file) => write!(f, "{file} changed"),
            Self::Texture(file) => write!(f, "texture {file} changed"),
        }
    }
}

/// What a compiled file was made from.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Stamp {
    schema: String,
    tool: String,
    settings: String,
    inputs: Vec<Digested>,
    /// How references of the character's file led to pictures.
    references: Vec<Reference>,
    /// The pictures themselves.
    textures: Vec<Digested>,
    output: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
struct Digested {
    file: String,
    /// Empty for a file that was looked for in vain.
    sha256: String,
}

/// A picture may be missing, or another may come to lie where it is looked for first.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
struct Reference {
    reference: String,
    found: Option<String>,
}

impl Stamp {
    /// The stamp of a file that was just compiled.
    pub(super) fn of(job: &Job, output: &Output, compiled: &Compiled, bytes: &[u8]) -> Self {
        let inputs = job.files.iter().zip(&compiled.digests);
        let inputs = inputs.map(|(file, digest)| Digested { file: file.clone(), sha256: hex(digest) });
        let beside = |(path, digest): (&PathBuf, &Option<[u8; 32]>)| Digested {
            file: job.file(path),
            sha256: digest.as_ref().map(|digest| hex(digest)).unwrap_or_default(),
        };
        Self {
            schema: SCHEMA.to_owned(),
            tool: tool(),
            settings: hex(&output.settings),
            inputs: inputs.chain(compiled.companions.iter().map(beside)).collect(),
            references: references(job, &compiled.character),
            textures: compiled.pictures.iter().map(beside).collect(),
            output: hex(&Sha256::digest(bytes)),
        }
    }

    pub(super) fn read(path: &Path) -> Option<Self> {
        let stamp: Self = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
        Some(stamp).filter(|stamp| stamp.schema == SCHEMA)
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        // Strings and lists of strings cannot fail to be JSON.
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// Everything that it was made from, as the project would write it.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        self.inputs.iter().chain(&self.textures).filter(|d| !d.sha256.is_empty()).map(|d| d.file.as_str())
    }

    fn stale(&self, job: &Job, output: &Output) -> Option<Reason> {
        if self.tool != tool() {
            return Some(Reason::Tool);
        }
        if self.settings != hex(&output.settings) {
            return Some(Reason::Settings);
        }
        let now = |file: &str| digest(&job.path(file)).map(|digest| hex(&digest)).unwrap_or_default();
        let changed = |d: &&Digested| now(&d.file) != d.sha256;
        if let Some(input) = self.inputs.iter().find(changed) {
            return Some(Reason::Input(input.file.clone()));
        }
        let elsewhere = |r: &&Reference| lookup(job, &r.reference) != r.found;
        if let Some(reference) = self.references.iter().find(elsewhere) {
            return Some(Reason::Texture(reference.reference.clone()));
        }
        if let Some(texture) = self.textures.iter().find(changed) {
            return Some(Reason::Texture(texture.file.clone()));
        }
        let output = digest(&output.path);
        output.is_none_or(|now| hex(&now) != self.output).then_some(Reason::OutputChanged)
    }
}

impl Job {
    /// Why an output has to be built, if it has to. Nothing is parsed.
    pub fn stale(&self, output: &Output) -> Option<Reason> {
        if !output.path.is_file() {
            return Some(Reason::New);
        }
        match Stamp::read(&output.stamp) {
            Some(stamp) => stamp.stale(self, output),
            None => Some(Reason::New),
        }
    }
}

fn tool() -> String {
    format!("sinew {}", env!("CARGO_PKG_VERSION"))
}

/// Files of pictures that the compiled file depends on.
pub(super) fn pictures(job: &Job, character: &Character) -> Vec<PathBuf> {
    if job.textures == Textures::Omit {
        return Vec::new();
    }
    let mut paths: Vec<PathBuf> = Vec::new();
    for texture in character.textures() {
        match &texture.image {
            Image::File(path) if !paths.contains(path) => paths.push(path.clone()),
            _ => {}
        }
    }
    paths
}

fn references(job: &Job, character: &Character) -> Vec<Reference> {
    if job.textures == Textures::Omit {
        return Vec::new();
    }
    let outside = |texture: &&sinew::Texture| !matches!(texture.image, Image::Embedded(_));
    let references = character.textures().iter().filter(outside);
    let looked = references.map(|texture| Reference {
        found: lookup(job, &texture.reference),
        reference: texture.reference.clone(),
    });
    looked.collect()
}

/// Where a reference of the character's file leads now.
fn lookup(job: &Job, reference: &str) -> Option<String> {
    let path = job.path(job.files.first()?);
    let lookup = Lookup::new(&path, &job.options);
    match lookup.find(&[reference], "", &mut Vec::new()) {
        Ok(Image::File(path)) => Some(job.file(&path)),
        Ok(Image::Missing | Image::Embedded(_)) | Err(_) => None,
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
