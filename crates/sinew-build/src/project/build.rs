//! Runs all jobs: builds what is out of date and leaves the rest unchanged.

use super::compile::{CompileError, Compiled};
use super::job::{Job, Output};
use super::sources::Sources;
use super::stamp::{Reason, Stamp};
use super::target::Written;
use crate::compress::ClipSize;
use sinew::Finding;
use sinew_files::{Cache, Disk, FileRecord, Files, Recorder, Role, remove_leftovers, write_file};
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

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
        /// What became of each clip of a bundle, if clips were compressed.
        sizes: Vec<ClipSize>,
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

/// How often a character is built whose files change meanwhile.
const ATTEMPTS: usize = 4;
/// How long a file may stay empty or half written before it counts as damaged.
const PAUSE: Duration = Duration::from_millis(100);
/// A file that changed longer ago than this is not being written.
const RECENT: Duration = Duration::from_secs(1);

fn run(job: &Job, check: bool, sources: &Sources) -> JobReport {
    let mut report = attempt(job, check, sources);
    for _ in 1..ATTEMPTS {
        if !matches!(report.state, State::Failed(CompileError::Changed { .. })) {
            break;
        }
        report = attempt(job, check, sources);
    }
    report
}

fn attempt(job: &Job, check: bool, sources: &Sources) -> JobReport {
    // The cache gives staleness check, import and embedding the same bytes of a file.
    let recorder = Arc::new(Recorder::new(Arc::new(Cache::new(Disk))));
    let stale = job.outputs.iter().filter_map(|output| Some((output, job.stale_from(&recorder, output)?)));
    let stale: Vec<(&Output, Reason)> = stale.collect();
    let (state, imported, findings) = match stale.first() {
        None => (State::UpToDate, 0, stamped(job)),
        Some((_, reason)) if check => (State::OutOfDate(reason.clone()), 0, Vec::new()),
        Some(_) => make(job, &stale, &recorder, sources),
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
    recorder: &Arc<Recorder>,
    sources: &Sources,
) -> (State, usize, Vec<Finding>) {
    if let Some((output, project)) = job.built_by_other() {
        return (State::Failed(CompileError::OtherProject { output, project }), 0, Vec::new());
    }
    let files: Arc<dyn Files> = recorder.clone();
    match job.compile_from(&files) {
        Ok(mut compiled) => {
            let parsed = |record: &&FileRecord| record.role == Role::Source && record.digest.is_some();
            let parsed = compiled.files.iter().filter(parsed).count();
            let state = finish(job, &mut compiled, stale, recorder, sources);
            (state, parsed, compiled.findings)
        }
        Err(error) => (State::Failed(reason(recorder, error)), job.files.len(), Vec::new()),
    }
}

/// Why a character failed: a file that was read while it was being written seems damaged. Whoever writes it gets time to go on.
fn reason(recorder: &Recorder, error: CompileError) -> CompileError {
    let age = |record: &FileRecord| record.path.metadata().ok()?.modified().ok()?.elapsed().ok();
    if recorder.records().iter().any(|record| age(record).is_some_and(|age| age < RECENT)) {
        std::thread::sleep(PAUSE);
    }
    changed(recorder).err().unwrap_or(error)
}

/// Fails if the files that were read are no longer there as they were read: they may never have lain side by side, or be half of a file that was being
/// written.
fn changed(recorder: &Recorder) -> Result<(), CompileError> {
    let changed = recorder.records().into_iter().find(|record| !record.is_current());
    changed.map_or(Ok(()), |record| Err(CompileError::Changed { file: record.path }))
}

fn finish(
    job: &Job,
    compiled: &mut Compiled,
    stale: &[(&Output, Reason)],
    recorder: &Recorder,
    sources: &Sources,
) -> State {
    let mut size = 0;
    for (output, _) in stale {
        match job.write(compiled, output) {
            Err(error) => return State::Failed(reason(recorder, error.into())),
            Ok(mut written) => {
                if let Err(error) = changed(recorder) {
                    return State::Failed(error);
                }
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
        error_mm: compiled.joint_error() * f64::from(compiled.character.space().unit_meters) * 1e3,
        sizes: compiled.bundle.as_ref().map_or_else(Vec::new, |bundle| bundle.compressed.clips.clone()),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::Project;
    use sinew_testkit::fbx;
    use sinew_testkit::fixtures::stick::Pair;

    /// What becomes of a character whose file is `read` when it is read, and `then` when the build is about to write.
    fn rewritten(read: &str, then: &str) -> (State, Vec<PathBuf>, JobReport) {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("hero.fbx");
        std::fs::write(folder.path().join("sinew.toml"), "[characters.hero]\nfile = 'hero.fbx'\n").unwrap();
        std::fs::write(&source, read).unwrap();
        let job = &Project::open(folder.path()).unwrap().jobs(&[], &[]).unwrap()[0];
        let recorder = Arc::new(Recorder::new(Arc::new(Cache::new(Disk))));
        recorder.read(&source, u64::MAX).unwrap();
        std::fs::write(&source, then).unwrap();
        let sources = Sources::of(std::slice::from_ref(job));
        let (state, ..) = make(job, &[(&job.outputs[0], Reason::New)], &recorder, &sources);
        let written = job.outputs.iter().map(|output| output.path.clone()).filter(|path| path.exists());
        let written = written.collect();
        (state, written, run(job, false, &sources))
    }

    #[test]
    fn an_identity_that_a_replaced_source_had_is_free() {
        let folder = tempfile::tempdir().unwrap();
        let [source, new] = ["hero.fbx", "new.fbx"].map(|name| folder.path().join(name));
        let text = fbx::write(&Pair::default().character);
        std::fs::write(folder.path().join("sinew.toml"), "[characters.hero]\nfile = 'hero.fbx'\n").unwrap();
        [&source, &new].iter().for_each(|path| std::fs::write(path, &text).unwrap());
        let jobs = Project::open(folder.path()).unwrap().jobs(&[], &[]).unwrap();
        let sources = Sources::of(&jobs);
        // As if the file system gave the number of the old source to the output.
        std::fs::create_dir(folder.path().join("build")).unwrap();
        std::fs::rename(&source, &jobs[0].outputs[0].path).unwrap();
        std::fs::rename(&new, &source).unwrap();
        let state = run(&jobs[0], false, &sources).state;
        assert!(matches!(state, State::Built { .. }), "{state:?}");
    }

    #[test]
    fn a_file_that_changes_during_a_build_is_read_again() {
        let pair = Pair::default();
        let [character, clip] = [&pair.character, &pair.played()].map(fbx::write);
        // Replaced; and emptied and filled again, as by programs that write in place.
        for read in [&*clip, ""] {
            let (state, written, again) = rewritten(read, &character);
            assert!(matches!(state, State::Failed(CompileError::Changed { .. })), "{state:?}");
            assert!(written.is_empty(), "nothing is written from what is no longer there");
            assert!(matches!(again.state, State::Built { .. }), "{:?}", again.state);
        }
    }
}
