//! Runs all jobs: builds what is out of date and leaves the rest unchanged.

use super::compile::{CompileError, Compiled};
use super::job::{Job, Output};
use super::stamp::{Reason, Stamp};
use super::target::Written;
use sinew::Finding;
use sinew_files::{
    Cache, Disk, FileId, FileRecord, Files, Recorder, Role, overwritten, remove_leftovers, write_file,
};
use std::collections::{BTreeSet, HashMap};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// How jobs are run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BuildOptions {
    /// Threads; one per core if not given. The result is the same for any number.
    pub threads: Option<NonZeroUsize>,
    /// Only report what is out of date.
    pub check: bool,
}

/// The result of a job.
#[derive(Debug)]
pub struct JobReport {
    /// Name of the character.
    pub character: String,
    /// Its compiled files.
    pub outputs: Vec<PathBuf>,
    /// Its result.
    pub state: State,
    /// Findings about the sources. If it is up to date, the warnings and errors of the build that made it.
    pub findings: Vec<Finding>,
    /// How many files were parsed.
    pub imported: usize,
    /// Every file that was read, and every file that was searched for and not found, whether it was built or not.
    pub files: Vec<FileRecord>,
}

/// The state of a job after a build.
#[derive(Debug)]
pub enum State {
    /// Nothing changed since its files were built.
    UpToDate,
    /// It is out of date, and was not built because of [`BuildOptions::check`].
    OutOfDate(Reason),
    /// It was built.
    Built {
        /// Why.
        reason: Reason,
        /// Size of the compiled files together.
        bytes: usize,
        /// Number of clips.
        clips: usize,
        /// Largest error of a joint against the sources, in millimetres.
        error_mm: f64,
    },
    /// It cannot be compiled.
    Failed(CompileError),
    /// It cannot be written.
    NotWritten {
        /// Its path.
        path: PathBuf,
        /// What went wrong.
        error: std::io::Error,
    },
}

/// The results of all jobs, in their order.
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

    /// Number of characters that were up to date.
    pub fn up_to_date(&self) -> usize {
        self.count(|state| matches!(state, State::UpToDate))
    }
}

/// Runs the jobs and calls `done` for each finished job, from the thread that ran it. A job that fails does not stop the others.
///
/// Files are written under temporary names and renamed, so that at any time the old file or the new one exists completely. Two concurrent
/// builds of one project do the same work twice, but do not interfere.
pub fn build(
    jobs: &[Job],
    options: BuildOptions,
    done: &(dyn Fn(&JobReport) + Sync),
) -> Result<BuildReport, rayon::ThreadPoolBuildError> {
    let threads = options.threads.map_or(0, NonZeroUsize::get);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    if !options.check {
        clean_up(jobs);
    }
    let sources = Sources::of(jobs);
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    // Separate threads take the jobs, and the pool runs the parallel work within each. If the jobs themselves ran on the pool, a thread that
    // waits for a part of one job could start another, and any number of characters could be in memory at once.
    std::thread::scope(|scope| {
        for _ in 0..pool.current_num_threads().min(jobs.len()) {
            let (sender, next, pool, sources) = (sender.clone(), &next, &pool, &sources);
            scope.spawn(move || {
                while let Some((index, job)) = claim(jobs, next) {
                    let report = pool.install(|| run(job, options.check, sources));
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

fn run(job: &Job, check: bool, sources: &Sources) -> JobReport {
    // The cache gives staleness check, import and embedding the same bytes of a file.
    let recorder = Arc::new(Recorder::new(Arc::new(Cache::new(Disk))));
    let stale = job.outputs.iter().filter_map(|output| Some((output, job.stale_from(&recorder, output)?)));
    let stale: Vec<(&Output, Reason)> = stale.collect();
    let (state, imported, findings) = match stale.first() {
        None => (State::UpToDate, 0, stamped(job)),
        Some((_, reason)) if check => (State::OutOfDate(reason.clone()), 0, Vec::new()),
        Some(_) => make(job, &stale, recorder.clone(), sources),
    };
    let outputs = job.outputs.iter().map(|output| output.path.clone()).collect();
    JobReport {
        character: job.character.clone(),
        outputs,
        state,
        findings,
        imported,
        files: recorder.records(),
    }
}

/// What the stamps of a character say about its sources, each finding once.
fn stamped(job: &Job) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for finding in job
        .outputs
        .iter()
        .filter_map(|output| Stamp::read(&output.stamp))
        .flat_map(|stamp| stamp.findings().collect::<Vec<_>>())
    {
        if !findings.contains(&finding) {
            findings.push(finding);
        }
    }
    findings
}

/// Builds a character; also returns how many files were parsed for it, and what was found in them.
fn make(
    job: &Job,
    stale: &[(&Output, Reason)],
    files: Arc<dyn Files>,
    sources: &Sources,
) -> (State, usize, Vec<Finding>) {
    match job.compile_from(&files) {
        Ok(mut compiled) => {
            let parsed = |record: &&FileRecord| record.role == Role::Source && record.digest.is_some();
            let parsed = compiled.files.iter().filter(parsed).count();
            let state = finish(job, &mut compiled, stale, sources);
            (state, parsed, compiled.findings)
        }
        Err(error) => (State::Failed(error), job.files.len(), Vec::new()),
    }
}

fn finish(job: &Job, compiled: &mut Compiled, stale: &[(&Output, Reason)], sources: &Sources) -> State {
    let mut size = 0;
    for (output, _) in stale {
        match job.write(&compiled, output) {
            Err(error) => return State::Failed(error.into()),
            Ok(mut written) => {
                if let Some((output, source_file)) = sources.overwritten(compiled, output, &written) {
                    return State::Failed(CompileError::Overwrites { output, source_file });
                }
                size += written.size();
                compiled.findings.append(&mut written.findings);
                if let Err((path, error)) = put(job, output, compiled, &written) {
                    return State::NotWritten { path, error };
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
    }
}

/// The source files of all jobs, which no job may overwrite.
struct Sources(HashMap<FileId, PathBuf>);

impl Sources {
    fn of(jobs: &[Job]) -> Self {
        let paths = jobs.iter().flat_map(|job| job.files.iter().map(|file| job.path(file)));
        Self(paths.filter_map(|path| Some((FileId::of(&path)?, path))).collect())
    }

    /// An output that is a source, of this character or another, and that source.
    fn overwritten(
        &self,
        compiled: &Compiled,
        output: &Output,
        written: &Written,
    ) -> Option<(PathBuf, PathBuf)> {
        let read = || compiled.files.iter().filter(|record| record.digest.is_some());
        let folder = output.path.parent().unwrap_or(Path::new(""));
        written.paths(folder).chain([output.stamp.clone()]).find_map(|path| {
            let named = FileId::of(&path).and_then(|id| self.0.get(&id)).map(PathBuf::as_path);
            let source = named.or_else(|| overwritten(&path, read().map(|record| &*record.path)))?;
            Some((path.clone(), source.to_owned()))
        })
    }
}

/// Writes the files first, then their stamp: a build that is interrupted in between, or overtaken by another, leaves a stamp that does not
/// match the files, and the next build makes them again.
fn put(
    job: &Job,
    output: &Output,
    compiled: &Compiled,
    written: &Written,
) -> Result<(), (PathBuf, std::io::Error)> {
    let folder = output.path.parent().unwrap_or(Path::new(""));
    let paths = written.paths(folder).chain([output.stamp.clone()]);
    for folder in paths.filter_map(|path| Some(path.parent()?.to_owned())) {
        std::fs::create_dir_all(&folder).map_err(|error| (folder, error))?;
    }
    written.put(folder)?;
    let stamp = Stamp::of(job, output, compiled, written);
    write_file(&output.stamp, &stamp.bytes()).map_err(|error| (output.stamp.clone(), error))
}

/// Removes temporary files that interrupted builds left in the output folders.
fn clean_up(jobs: &[Job]) {
    let outputs = jobs.iter().flat_map(|job| &job.outputs);
    let folders = outputs.flat_map(|output| [output.path.parent(), output.stamp.parent()]);
    folders.flatten().collect::<BTreeSet<_>>().into_iter().for_each(remove_leftovers);
}
