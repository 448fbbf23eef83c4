//! All jobs at once: what is out of date is built, everything else is left alone.

use super::compile::{CompileError, Compiled};
use super::job::{Job, Output};
use super::stamp::{Reason, Stamp};
use crate::bundle::write_file;
use sinew::Finding;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// How jobs are run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BuildOptions {
    /// Threads; one per core if not given. The result is the same for any number.
    pub threads: Option<NonZeroUsize>,
    /// Only say what is out of date.
    pub check: bool,
}

/// What became of a job.
#[derive(Debug)]
pub struct JobReport {
    /// Name of the character.
    pub character: String,
    /// Its compiled files.
    pub outputs: Vec<PathBuf>,
    /// What became of it.
    pub state: State,
    /// How many files were parsed.
    pub imported: usize,
}

/// What became of a job.
#[derive(Debug)]
pub enum State {
    /// All its files are as they should be, and were left alone.
    UpToDate,
    /// It has to be built, and was not, since only a check was asked for.
    OutOfDate(Reason),
    /// It was built.
    Built {
        /// Why.
        reason: Reason,
        /// Size of the compiled files together.
        bytes: usize,
        /// Number of clips.
        clips: usize,
        /// How far its joints are from its sources at most, in millimetres.
        error_mm: f64,
        /// What was odd about the sources.
        findings: Vec<Finding>,
    },
    /// It cannot be compiled.
    Failed(CompileError),
    /// It cannot be written.
    NotWritten {
        /// Where it was to go.
        path: PathBuf,
        /// What went wrong.
        error: std::io::Error,
    },
}

/// What became of all jobs, in their order.
#[derive(Debug)]
pub struct BuildReport {
    /// One per job.
    pub jobs: Vec<JobReport>,
}

impl BuildReport {
    /// How many files were parsed: none if everything is up to date.
    pub fn imported(&self) -> usize {
        self.jobs.iter().map(|job| job.imported).sum()
    }

    /// Number of jobs in a state.
    pub fn count(&self, is: impl Fn(&State) -> bool) -> usize {
        self.jobs.iter().filter(|job| is(&job.state)).count()
    }

    /// Number of characters that were built.
    pub fn built(&self) -> usize {
        self.count(|state| matches!(state, State::Built { .. }))
    }

    /// Number of characters that were left alone.
    pub fn up_to_date(&self) -> usize {
        self.count(|state| matches!(state, State::UpToDate))
    }
}

/// Runs the jobs and tells of each that is done, from whichever thread ran it. A job that fails does not stop the others.
///
/// Files are written under temporary names and renamed, so that at every moment the old file or the new one is there, whole. Two builds of
/// one project at once do the same work twice, and do not disturb each other.
pub fn build(
    jobs: &[Job],
    options: BuildOptions,
    done: &(dyn Fn(&JobReport) + Sync),
) -> Result<BuildReport, rayon::ThreadPoolBuildError> {
    let threads = options.threads.map_or(0, NonZeroUsize::get);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    // Threads of our own take the jobs, and the pool helps within each: were the jobs themselves handed to the pool, a thread that waits
    // for a part of one would begin another, and any number of characters would be in memory at once.
    std::thread::scope(|scope| {
        for _ in 0..pool.current_num_threads().min(jobs.len()) {
            let (sender, next, pool) = (sender.clone(), &next, &pool);
            scope.spawn(move || {
                while let Some((index, job)) = claim(jobs, next) {
                    let report = pool.install(|| run(job, options.check));
                    done(&report);
                    // The receiver lives until all threads are done.
                    let _ = sender.send((index, report));
                }
            });
        }
    });
    drop(sender);
    let mut reports: Vec<_> = receiver.into_iter().collect();
    reports.sort_by_key(|(index, _)| *index);
    Ok(BuildReport { jobs: reports.into_iter().map(|(_, report)| report).collect() })
}

fn claim<'a>(jobs: &'a [Job], next: &AtomicUsize) -> Option<(usize, &'a Job)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    jobs.get(index).map(|job| (index, job))
}

fn run(job: &Job, check: bool) -> JobReport {
    let stale = job.outputs.iter().filter_map(|output| Some((output, job.stale(output)?)));
    let stale: Vec<(&Output, Reason)> = stale.collect();
    let (state, imported) = match stale.first() {
        None => (State::UpToDate, 0),
        Some((_, reason)) if check => (State::OutOfDate(reason.clone()), 0),
        Some(_) => make(job, &stale),
    };
    let outputs = job.outputs.iter().map(|output| output.path.clone()).collect();
    JobReport { character: job.character.clone(), outputs, state, imported }
}

/// Builds a character; says how many files were parsed for it, too.
fn make(job: &Job, stale: &[(&Output, Reason)]) -> (State, usize) {
    match job.compile() {
        Ok(compiled) => {
            let beside = compiled.companions.values().flatten().count();
            (finish(job, compiled, stale), job.files.len() + beside)
        }
        Err(error) => (State::Failed(error), job.files.len()),
    }
}

fn finish(job: &Job, mut compiled: Compiled, stale: &[(&Output, Reason)]) -> State {
    let mut size = 0;
    for (output, _) in stale {
        match job.write(&compiled, output.target) {
            Err(error) => return State::Failed(error.into()),
            Ok((bytes, lost)) => {
                size += bytes.len();
                compiled.findings.extend(lost);
                if let Err((path, error)) = put(job, output, &compiled, &bytes) {
                    return State::NotWritten { path: path.to_owned(), error };
                }
            }
        }
    }
    State::Built {
        reason: stale.first().map_or(Reason::New, |(_, reason)| reason.clone()),
        bytes: size,
        clips: compiled.character.clips().len(),
        error_mm: compiled.certificate.whole.joint_max
            * f64::from(compiled.character.space().unit_meters)
            * 1e3,
        findings: compiled.findings,
    }
}

/// The file first, then its stamp: whoever dies in between, or is overtaken by another build, leaves a stamp that does not match the
/// file, and the next build makes it anew.
fn put<'a>(
    job: &Job,
    output: &'a Output,
    compiled: &Compiled,
    bytes: &[u8],
) -> Result<(), (&'a Path, std::io::Error)> {
    let folders = [&output.path, &output.stamp].into_iter().filter_map(|path| path.parent());
    for folder in folders {
        std::fs::create_dir_all(folder).map_err(|error| (folder, error))?;
    }
    write_file(&output.path, bytes).map_err(|error| (output.path.as_path(), error))?;
    let stamp = Stamp::of(job, output, compiled, bytes);
    write_file(&output.stamp, &stamp.bytes()).map_err(|error| (output.stamp.as_path(), error))
}
