//! Each job as a separate command, for tools that distribute work over machines.

use super::Project;
use super::job::Job;
use super::stamp::{Stamp, dependencies};
use rayon::prelude::*;
use serde::Serialize;
use sinew_files::{Cache, Disk, Files, merged, slashes};
use sinew_import::{ImportError, Resample, read_from};
use std::path::Path;
use std::sync::Arc;

/// A command that builds one character from its inputs alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// Name of the character.
    pub character: String,
    /// The command, ready for a shell.
    pub command: String,
    /// The same as separate arguments.
    pub argv: Vec<String>,
    /// All files that it reads, the project's own first.
    pub inputs: Vec<String>,
    /// All files that it writes: the compiled files and their stamps.
    pub outputs: Vec<String>,
}

/// A step for each job, in their order. The inputs of a job without a valid stamp are found by reading its sources.
pub fn plan(project: &Project, jobs: &[Job]) -> Result<Vec<Step>, ImportError> {
    let steps: Vec<_> = jobs.par_iter().map(|job| step(project, job)).collect();
    steps.into_iter().collect()
}

fn step(project: &Project, job: &Job) -> Result<Step, ImportError> {
    let mut inputs = vec![plain(project.file())];
    inputs.extend(inputs_of(job)?);
    let mut seen = std::collections::BTreeSet::new();
    inputs.retain(|input| seen.insert(input.clone()));
    let argv = argv(project, job);
    Ok(Step {
        character: job.character.clone(),
        command: argv.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
        argv,
        inputs,
        outputs: job.outputs.iter().flat_map(|output| [plain(&output.path), plain(&output.stamp)]).collect(),
    })
}

fn argv(project: &Project, job: &Job) -> Vec<String> {
    let mut argv = vec!["sinew".to_owned(), "build".to_owned(), plain(project.file())];
    argv.extend(["--only".to_owned(), job.character.clone()]);
    for output in &job.outputs {
        argv.extend(["--target".to_owned(), output.target.name().to_owned()]);
    }
    argv
}

fn inputs_of(job: &Job) -> Result<Vec<String>, ImportError> {
    let files = job.files.iter().map(|file| job.path(file));
    // Folders are left out: their manifests are among the files that were read.
    let mut inputs: Vec<String> = files.filter(|path| !path.is_dir()).map(|path| plain(&path)).collect();
    let current = job.outputs.first().filter(|output| job.stale(output).is_none());
    if let Some(stamp) = current.and_then(|output| Stamp::read(&output.stamp)) {
        inputs.extend(stamp.files().map(|file| plain(&job.path(file))));
        return Ok(inputs);
    }
    // Keys only, which is faster: resampling does not change which files are read.
    let options = job.options.clone().with(|options| options.resample = Resample::Keys);
    let files: Arc<dyn Files> = Arc::new(Cache::new(Disk));
    let mut read = Vec::new();
    for file in &job.files {
        read.extend(read_from(&files, &job.path(file), &options)?.files);
    }
    let read: Vec<_> = merged(&read).into_iter().filter(|record| record.digest.is_some()).collect();
    let (sources, pictures) = dependencies(job, &read);
    if job.contacts.0.is_file() {
        inputs.push(plain(&job.contacts.0));
    }
    inputs.extend(sources.iter().chain(&pictures).map(|file| plain(&job.path(&file.file))));
    Ok(inputs)
}

/// A path with forward slashes and without a leading `./`.
fn plain(path: &Path) -> String {
    let text = slashes(&path.to_string_lossy());
    text.strip_prefix("./").unwrap_or(&text).to_owned()
}

/// An argument quoted for a shell.
fn quoted(word: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || "-_./=+,@%:".contains(c);
    if !word.is_empty() && word.chars().all(safe) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(quoted("build/hero.sinew"), "build/hero.sinew");
        assert_eq!(quoted("my hero"), "'my hero'");
        assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(quoted(""), "''");
    }
}
