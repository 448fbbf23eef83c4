//! Projects: a folder of sources with a `sinew.toml`, and what is built from it.
//!
//! [`Project::open`] reads the file, [`Project::jobs`] lists what there is to build, [`build()`] builds what is out of date. [`init`] writes a
//! `sinew.toml` for a folder of downloads.
//!
//! Modules: `settings` is the file, `job` one character to build, `compile` and `target` the way from sources to bytes, `stamp` what a
//! compiled file was made from, `build` all jobs at once, `orphans` what no job makes any more, `plan` each of them as a command.

mod build;
mod compile;
mod contacts;
pub mod init;
mod job;
mod orphans;
mod plan;
pub mod settings;
mod sources;
mod stamp;
mod target;

pub use build::{BuildOptions, BuildReport, JobReport, State, build};
pub use compile::{CompileError, Compiled};
pub use job::{Job, Output};
pub use orphans::{Orphan, Orphans};
pub use plan::{Step, plan};
pub use settings::{Settings, Target};
pub use stamp::Reason;
pub use target::{OutputFile, TargetOptions, Written};

use sinew_files::Disk;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Name of the project's file.
pub const FILE: &str = "sinew.toml";

/// Why a project cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProjectError {
    /// Its file cannot be read.
    #[error("{}: {}", .file.display(), unreadable(.file, .error))]
    Read {
        /// The file.
        file: PathBuf,
        /// What went wrong.
        error: std::io::Error,
    },
    /// Its file is not a valid `sinew.toml`.
    #[error("{}: {text}", .file.display())]
    Parse {
        /// The file.
        file: PathBuf,
        /// What is wrong, and where.
        text: String,
    },
    /// A character was asked for that is not in the project.
    #[error("the project has no character `{name}`")]
    UnknownCharacter {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
}

/// Why a project's file cannot be read, and what to do about it.
fn unreadable(file: &Path, error: &std::io::Error) -> String {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match error.kind() {
        std::io::ErrorKind::NotFound if file.ends_with(FILE) && folder.is_dir() => {
            format!(
                "cannot be read: {error}; `sinew init {}` makes a project of that folder",
                folder.display()
            )
        }
        std::io::ErrorKind::NotFound => {
            format!("does not exist; name a folder with a `{FILE}`, which `sinew init` makes")
        }
        _ => format!("cannot be read: {error}"),
    }
}

sinew_findings::error_codes! { ProjectError {
    Self::Read { .. } => "project.unreadable", "The project's file cannot be read";
    Self::Parse { .. } => "project.malformed", "The project's file is not what such a file is";
    Self::UnknownCharacter { .. } => "project.unknown-character", "The project has no character of that name";
} }

/// A `sinew.toml` and the folder that it stands in.
#[derive(Clone, Debug)]
pub struct Project {
    folder: PathBuf,
    file: PathBuf,
    settings: Settings,
}

impl Project {
    /// Reads the project of a folder, or of the file itself.
    pub fn open(path: &Path) -> Result<Self, ProjectError> {
        let file =
            if path.is_dir() || path.as_os_str().is_empty() { path.join(FILE) } else { path.to_owned() };
        let wrong = |error| ProjectError::Read { file: file.clone(), error };
        let text = sinew_files::read_text(&Disk, &file).map_err(wrong)?;
        Self::parse(&text, &file)
    }

    /// The project of a file with this text.
    pub fn parse(text: &str, file: &Path) -> Result<Self, ProjectError> {
        let wrong = |text: String| ProjectError::Parse { file: file.to_owned(), text };
        let mut settings: Settings = toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
        settings.use_slashes();
        let folder = file.parent().unwrap_or(Path::new("")).to_owned();
        check(&settings).map_err(wrong)?;
        Ok(Self { folder, file: file.to_owned(), settings })
    }

    /// The folder that paths are relative to.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file itself.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Its settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// One job per character, in the order of their names. `targets` replaces the project's targets, `only` names the characters;
    /// either may be empty.
    pub fn jobs(&self, targets: &[Target], only: &[String]) -> Result<Vec<Job>, ProjectError> {
        let characters = &self.settings.characters;
        if let Some(name) = only.iter().find(|name| !characters.contains_key(*name)) {
            let known = characters.keys().cloned().collect();
            return Err(ProjectError::UnknownCharacter { name: name.clone(), known });
        }
        let mut targets = if targets.is_empty() { &self.settings.build.targets } else { targets }.to_vec();
        targets.sort_unstable();
        targets.dedup();
        let (wanted, others): (Vec<_>, Vec<_>) =
            characters.iter().partition(|(name, _)| only.is_empty() || only.contains(name));
        // What is wrong with a character that is not built is told when it is.
        let job = |(name, character): (&String, _)| Job::new(self, name, character, &targets);
        let neighbours: Arc<[Job]> = others.into_iter().filter_map(|other| job(other).ok()).collect();
        wanted.into_iter().map(|wanted| Ok(Job { neighbours: neighbours.clone(), ..job(wanted)? })).collect()
    }
}

/// Checks what the TOML parser does not: names that become file names, unique names, ranges of numbers.
fn check(settings: &Settings) -> Result<(), String> {
    let mut seen = std::collections::BTreeMap::new();
    for (name, character) in &settings.characters {
        let bad =
            |c: char| matches!(c, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|') || c.is_control();
        if name.is_empty() || name.starts_with('.') || name.contains(bad) {
            return Err(format!(
                "`{name}` cannot be the name of a character, since it becomes the name of a file"
            ));
        }
        if let Some(other) = seen.insert(name.to_lowercase(), name) {
            return Err(format!(
                "characters `{other}` and `{name}` would share a file where case does not count"
            ));
        }
        check_clips(name, character)?;
    }
    Ok(())
}

fn check_clips(name: &str, character: &settings::CharacterSettings) -> Result<(), String> {
    if character.file.is_empty() {
        return Err(format!("character `{name}` has an empty `file`"));
    }
    let mut seen = std::collections::BTreeSet::new();
    for clip in character.clips.iter().filter(|clip| !clip.name.is_empty()) {
        if !seen.insert(clip.name.to_ascii_lowercase()) {
            return Err(format!(
                "character `{name}` has two clips `{}`; a game finds only the first",
                clip.name
            ));
        }
    }
    Ok(())
}
