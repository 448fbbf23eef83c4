//! Stamps: the record beside a compiled file of what it was made from, compared before it is built again.
//!
//! Everything is compared by content, never by modification time, which a checkout, a copy or `touch` changes.

use super::compile::Compiled;
use super::job::{Job, Output};
use super::target::Written;
use crate::textures::{Textures, relative};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use sinew::{Finding, Severity};
use sinew_files::{Disk, FileRecord, Files, Role, digest, hex};
use sinew_findings::catalogue;
use std::path::{Component, Path, PathBuf};

/// Version of the stamp format; a stamp of another version is ignored.
const SCHEMA: &str = "sinew.stamp/4";

/// Why a compiled file has to be built.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// It does not exist, or has no valid stamp.
    New,
    /// Its content was changed after it was built.
    OutputChanged,
    /// Another version of this tool built it.
    Tool,
    /// The settings in the project changed.
    Settings,
    /// A source changed, was removed, or now exists where it was searched for.
    Input(String),
    /// A texture changed, was removed, or now exists where it was searched for.
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
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(super) struct Stamp {
    schema: String,
    tool: String,
    /// The file of the project that built it, relative to the output folder: projects may share that folder.
    project: String,
    settings: String,
    /// Every file that was read and every file that was searched for and not found, except textures.
    inputs: Vec<Digested>,
    /// Textures, likewise; empty if they are omitted.
    textures: Vec<Digested>,
    /// The compiled files, relative to their folder.
    outputs: Vec<Digested>,
    /// Compiled files of earlier builds that are still there and were not written by this one.
    former: Vec<Digested>,
    /// Warnings and errors about the sources, repeated as long as the files are up to date.
    findings: Vec<Told>,
}

/// A finding, of a kind of the catalogue.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
struct Told {
    id: String,
    place: String,
    message: String,
    count: usize,
    measured: Option<f64>,
}

impl Told {
    fn of(finding: &Finding) -> Self {
        let Finding { place, message, count, measured, .. } = finding.clone();
        Self { id: finding.id().to_owned(), place, message, count, measured }
    }

    fn finding(&self) -> Option<Finding> {
        let Self { place, message, count, measured, .. } = self.clone();
        Some(Finding { kind: catalogue::find(&self.id)?, place, message, count, measured })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct Digested {
    pub(super) file: String,
    /// Empty for a file that was not found.
    sha256: String,
    /// For one that was looked for without regard to case, how its name was spelled in its folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    spellings: Option<Vec<String>>,
}

impl Digested {
    fn is_there(&self) -> bool {
        !self.sha256.is_empty()
    }

    /// Whether its name leads to a file below the folder that it is relative to, as that of a compiled file does.
    pub(super) fn is_plain(&self) -> bool {
        Path::new(&self.file).components().all(|part| matches!(part, Component::Normal(_)))
    }

    /// Whether a file has this content.
    pub(super) fn is_in(&self, path: &Path) -> bool {
        digest(path).is_some_and(|now| hex(&now) == self.sha256)
    }
}

impl Stamp {
    /// The stamp of files that were just compiled.
    pub(super) fn of(job: &Job, output: &Output, compiled: &Compiled, written: &Written) -> Self {
        let (inputs, textures) = dependencies(job, &compiled.files);
        let outputs = written.files.iter();
        let outputs = outputs.map(|file| Digested {
            file: file.name.clone(),
            sha256: hex(&Sha256::digest(&file.bytes)),
            spellings: None,
        });
        let outputs: Vec<Digested> = outputs.collect();
        let project = name_of(&job.project, output.path.parent().unwrap_or(Path::new("")));
        let before = Self::read(&output.stamp).filter(|before| before.project == project);
        let before = before.map(|before| [before.outputs, before.former].concat()).unwrap_or_default();
        let is_former = |file: &Digested| {
            outputs.iter().all(|output| output.file != file.file)
                && file.is_plain()
                && output.path.with_file_name(&file.file).is_file()
        };
        Self {
            schema: SCHEMA.to_owned(),
            tool: tool(),
            former: before.into_iter().filter(is_former).collect(),
            project,
            settings: hex(&output.settings),
            inputs,
            textures,
            outputs,
            findings: compiled
                .findings
                .iter()
                .filter(|f| f.severity() > Severity::Note)
                .map(Told::of)
                .collect(),
        }
    }

    pub(super) fn read(path: &Path) -> Option<Self> {
        let stamp: Self = serde_json::from_str(&sinew_files::read_text(&Disk, path).ok()?).ok()?;
        Some(stamp).filter(|stamp| stamp.schema == SCHEMA)
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        // Serializing strings and lists of strings cannot fail.
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// Whether a project, named as [`name_of`] does, built the files.
    pub(super) fn is_of(&self, project: &str) -> bool {
        self.project == project
    }

    /// Whether it records that a file in the output folder was written.
    pub(super) fn wrote(&self, folder: &Path, path: &Path) -> bool {
        let mut written = self.outputs().iter().chain(self.former());
        written.any(|file| file.is_plain() && folder.join(&file.file) == path)
    }

    /// The compiled files, relative to their folder.
    pub(super) fn outputs(&self) -> &[Digested] {
        &self.outputs
    }

    /// Compiled files of earlier builds that were not written again.
    pub(super) fn former(&self) -> &[Digested] {
        &self.former
    }

    /// Warnings and errors about the sources.
    pub(super) fn findings(&self) -> impl Iterator<Item = Finding> {
        self.findings.iter().filter_map(Told::finding)
    }

    /// All files that it was made from, with the paths of the project.
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
            if let Some(spellings) = &d.spellings {
                return files.spellings(&path) != *spellings;
            }
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
        let output_changed = |d: &Digested| !d.is_in(&output.path.with_file_name(&d.file));
        self.outputs.iter().any(output_changed).then_some(Reason::OutputChanged)
    }
}

impl Job {
    /// Why an output has to be built; `None` if it is up to date. Nothing is parsed.
    pub fn stale(&self, output: &Output) -> Option<Reason> {
        self.stale_from(&Disk, output)
    }

    /// Like [`Job::stale`], reading through `files`.
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

impl Job {
    /// An output that another project built, which is still there, and the file of that project.
    pub(super) fn built_by_other(&self) -> Option<(PathBuf, PathBuf)> {
        self.outputs.iter().find_map(|output| {
            let out = output.path.parent().unwrap_or(Path::new(""));
            let stamp = Stamp::read(&output.stamp).filter(|_| output.path.is_file())?;
            let other = out.join(&stamp.project);
            let is_other = !stamp.is_of(&name_of(&self.project, out)) && other.is_file();
            is_other.then(|| (output.path.clone(), std::fs::canonicalize(&other).unwrap_or(other)))
        })
    }
}

/// What stamps in an output folder call a project: its file as seen from there, so that both may be moved together.
pub(super) fn name_of(project: &Path, out: &Path) -> String {
    let real = |path: &Path| {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
    };
    let file = real(project);
    relative(&file, &real(out)).unwrap_or_else(|| file.to_string_lossy().into_owned())
}

fn tool() -> String {
    format!("sinew {}", env!("CARGO_PKG_VERSION"))
}

/// What the outputs of a job depend on: sources, and textures unless they are omitted.
pub(super) fn dependencies(job: &Job, records: &[FileRecord]) -> (Vec<Digested>, Vec<Digested>) {
    let of = |role: Role| {
        let records = records.iter().filter(move |record| record.role == role);
        let mut of_role: Vec<Digested> = records
            .map(|record| Digested {
                file: job.file(&record.path),
                sha256: record.digest.as_ref().map(|digest| hex(digest)).unwrap_or_default(),
                spellings: record.spellings.clone(),
            })
            .collect();
        // A file that appears says more than its folder's.
        of_role.sort_by_key(|digested| digested.spellings.is_some());
        of_role
    };
    let pictures = if job.textures == Textures::Omit { vec![] } else { of(Role::Picture) };
    (of(Role::Source), pictures)
}
