//! What a compiled file was made from: written beside it, and compared before it is built again.
//!
//! Everything counts by content. Dates never do: a checkout, a copy or `touch` changes them, and a build machine has others.

use super::compile::Compiled;
use super::job::{Job, Output};
use super::target::Written;
use crate::textures::Textures;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use sinew_files::{Disk, FileRecord, Files, Role, digest};
use std::path::Path;

/// Names the form of a stamp; another one is as good as none.
const SCHEMA: &str = "sinew.stamp/2";

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
    /// A source changed, is gone, or has appeared where it was looked for.
    Input(String),
    /// A texture changed, is gone, or has appeared where it was looked for.
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
    /// Every file that was read and every one that was looked for in vain, but for pictures.
    inputs: Vec<Digested>,
    /// Pictures, likewise; none where they are left out.
    textures: Vec<Digested>,
    /// The compiled files, seen from the folder that they are in.
    outputs: Vec<Digested>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Digested {
    pub(super) file: String,
    /// Empty for a file that was looked for in vain.
    sha256: String,
}

impl Digested {
    fn is_there(&self) -> bool {
        !self.sha256.is_empty()
    }
}

impl Stamp {
    /// The stamp of files that were just compiled.
    pub(super) fn of(job: &Job, output: &Output, compiled: &Compiled, written: &Written) -> Self {
        let (inputs, textures) = dependencies(job, &compiled.files);
        let outputs = written.files.iter();
        let outputs = outputs
            .map(|file| Digested { file: file.name.clone(), sha256: hex(&Sha256::digest(&file.bytes)) });
        Self {
            schema: SCHEMA.to_owned(),
            tool: tool(),
            settings: hex(&output.settings),
            inputs,
            textures,
            outputs: outputs.collect(),
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
        self.inputs.iter().chain(&self.textures).filter(|d| d.is_there()).map(|d| d.file.as_str())
    }

    fn stale(&self, job: &Job, output: &Output, files: &dyn Files) -> Option<Reason> {
        if self.tool != tool() {
            return Some(Reason::Tool);
        }
        if self.settings != hex(&output.settings) {
            return Some(Reason::Settings);
        }
        let limit = job.options.limits.bytes;
        let changed = |d: &&Digested| {
            let path = job.path(&d.file);
            if !d.is_there() {
                return files.is_file(&path);
            }
            files.read(&path, limit).ok().is_none_or(|content| hex(&content.digest()) != d.sha256)
        };
        if let Some(input) = self.inputs.iter().find(changed) {
            return Some(Reason::Input(input.file.clone()));
        }
        if let Some(texture) = self.textures.iter().find(changed) {
            return Some(Reason::Texture(texture.file.clone()));
        }
        let spoiled = |d: &Digested| {
            let now = digest(&output.path.with_file_name(&d.file));
            now.is_none_or(|now| hex(&now) != d.sha256)
        };
        self.outputs.iter().any(spoiled).then_some(Reason::OutputChanged)
    }
}

impl Job {
    /// Why an output has to be built, if it has to. Nothing is parsed.
    pub fn stale(&self, output: &Output) -> Option<Reason> {
        self.stale_from(&Disk, output)
    }

    /// The same, with sources from any place that files are read from.
    pub(super) fn stale_from(&self, files: &dyn Files, output: &Output) -> Option<Reason> {
        if !output.path.is_file() {
            return Some(Reason::New);
        }
        match Stamp::read(&output.stamp) {
            Some(stamp) => stamp.stale(self, output, files),
            None => Some(Reason::New),
        }
    }
}

fn tool() -> String {
    format!("sinew {}", env!("CARGO_PKG_VERSION"))
}

/// What the outputs of a job depend on: sources, and pictures unless they are left out.
pub(super) fn dependencies(job: &Job, records: &[FileRecord]) -> (Vec<Digested>, Vec<Digested>) {
    let of = |role: Role| {
        let records = records.iter().filter(move |record| record.role == role);
        records.map(|record| Digested {
            file: job.file(&record.path),
            sha256: record.digest.as_ref().map(|digest| hex(digest)).unwrap_or_default(),
        })
    };
    let pictures = if job.textures == Textures::Omit { vec![] } else { of(Role::Picture).collect() };
    (of(Role::Source).collect(), pictures)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
