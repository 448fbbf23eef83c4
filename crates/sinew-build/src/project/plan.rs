//! Each job as a command of its own, for engines that spread work over machines.

use super::Project;
use super::job::Job;
use super::source;
use super::stamp::{Stamp, pictures};
use rayon::prelude::*;
use serde::Serialize;
use sinew_import::{ImportError, Resample};
use std::path::Path;

/// What builds one character, given its inputs and nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// Name of the character.
    pub character: String,
    /// The command, ready for a shell.
    pub command: String,
    /// The same word by word.
    pub argv: Vec<String>,
    /// All files that it reads, the project's own first.
    pub inputs: Vec<String>,
    /// All files that it writes: the compiled files, and the stamps that let the next build know of them.
    pub outputs: Vec<String>,
}

/// A step for each job, in their order. Textures that no stamp tells of are found by reading the character's file.
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
        argv.extend(["--target".to_owned(), output.target.extension().to_owned()]);
    }
    argv
}

fn inputs_of(job: &Job) -> Result<Vec<String>, ImportError> {
    let mut inputs: Vec<String> = job.files.iter().map(|file| plain(&job.path(file))).collect();
    let current = job.outputs.first().filter(|output| job.stale(output).is_none());
    if let Some(stamp) = current.and_then(|output| Stamp::read(&output.stamp)) {
        inputs.extend(stamp.files().map(|file| plain(&job.path(file))));
        return Ok(inputs);
    }
    // Which pictures and further files there are does not depend on how curves are resampled.
    let options = job.options.clone().with(|options| options.resample = Resample::Keys);
    for (number, file) in job.files.iter().enumerate() {
        let may_lead_on =
            number == 0 || file.to_ascii_lowercase().ends_with("json") || file.ends_with("gltf");
        if may_lead_on {
            let read = source::read(&job.path(file), &options)?;
            let there = read.companions.iter().filter(|(_, digest)| digest.is_some());
            inputs.extend(there.map(|(path, _)| plain(path)));
            if number == 0 {
                inputs.extend(pictures(job, &read.imported.character).iter().map(|path| plain(path)));
            }
        }
    }
    Ok(inputs)
}

/// A path with forward slashes and without a leading `./`.
fn plain(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    text.strip_prefix("./").unwrap_or(&text).to_owned()
}

/// A word as a shell takes it.
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
