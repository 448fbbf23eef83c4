//! `sinew build`: compiles what a project names.

use crate::args::BuildArgs;
use crate::exit::{Failure, Outcome, Result};
use crate::print::{
    DIM, GOOD, NAME, Out, bytes, clip_size, clip_size_json, finding, finding_json, pad, severity_style,
    widest,
};
use crate::progress;
use serde_json::{Value, json};
use sinew::Severity;
use sinew::names::did_you_mean;
use sinew_build::compress::ClipSize;
use sinew_build::project::{
    self, BuildOptions, BuildReport, Job, JobReport, Orphan, Orphans, Project, ProjectError, State, Target,
};
use sinew_files::Watch;
use sinew_findings::plural;
use std::time::{Duration, Instant};

/// How often `--watch` checks for changes.
const PERIOD: Duration = Duration::from_millis(300);
/// When `--watch` retries to write a file that could not be written.
const RETRY: Duration = Duration::from_secs(2);

/// Runs the command.
pub fn run(args: &BuildArgs, out: &mut Out) -> Result {
    if args.watch {
        return watch(args, out);
    }
    let (project, jobs) = open(args)?;
    if args.plan {
        for step in project::plan(&project, &jobs)? {
            out.json(&step)?;
        }
        return Ok(Outcome::Fine);
    }
    let report = build(args, &jobs, out)?;
    let orphans = orphans(args, &project)?;
    tell(args, &report, &orphans, out)?;
    outcome(report, args.strict)
}

/// Compiled files that the project no longer makes; with `--clean` they are removed.
fn orphans(args: &BuildArgs, project: &Project) -> Result<Orphans> {
    let orphans = project.orphans(&targets(args)).map_err(failure)?;
    if args.clean {
        orphans.remove().map_err(|(path, error)| {
            std::io::Error::new(error.kind(), format!("{}: cannot be removed: {error}", path.display()))
        })?;
    }
    Ok(orphans)
}

/// What is asked for instead of the project's targets.
fn targets(args: &BuildArgs) -> Vec<Target> {
    args.target.iter().map(|&target| target.into()).collect()
}

fn open(args: &BuildArgs) -> Result<(Project, Vec<Job>)> {
    let project = Project::open(&args.project).map_err(failure)?;
    let jobs = project.jobs(&targets(args), &args.only).map_err(failure)?;
    Ok((project, jobs))
}

fn failure(error: ProjectError) -> Failure {
    match &error {
        ProjectError::UnknownCharacter { name, known } => {
            let names = known.iter().map(String::as_str);
            Failure::Input(format!("{error}; {}", did_you_mean(name, names)))
        }
        _ => Failure::Input(error.to_string()),
    }
}

fn build(args: &BuildArgs, jobs: &[Job], out: &Out) -> Result<BuildReport> {
    let bar = progress::bar(out);
    bar.set_length(jobs.len() as u64);
    let mut options = BuildOptions::default();
    (options.threads, options.check) = (args.jobs, args.check);
    let report = project::build(jobs, options, &|_| bar.inc(1));
    bar.finish_and_clear();
    report.map_err(|error| Failure::Input(format!("threads cannot be started: {error}")))
}

fn tell(args: &BuildArgs, report: &BuildReport, orphans: &Orphans, out: &mut Out) -> Result<()> {
    if args.json {
        out.json(&document(report, orphans, args.clean))?;
    } else {
        print_orphans(orphans, args.clean, out)?;
        print(report, args.check, out)?;
    }
    Ok(out.flush()?)
}

fn outcome(report: BuildReport, strict: bool) -> Result {
    let mut failed = Vec::new();
    let warned = strict && warnings(&report) > 0;
    let mut stale = false;
    for job in report.jobs {
        match job.state {
            State::NotWritten { path, error } => {
                let text = format!("{}: {error}", path.display());
                return Err(Failure::Output(std::io::Error::new(error.kind(), text)));
            }
            State::Failed(error) => failed.push(format!("{}: {error}", job.character)),
            State::OutOfDate(_) => stale = true,
            State::UpToDate | State::Built { .. } => {}
        }
    }
    match (failed.is_empty(), stale) {
        (false, _) => Err(Failure::Input(failed.join("\n       "))),
        (true, true) => Ok(Outcome::Findings),
        (true, false) if warned => Ok(Outcome::Findings),
        (true, false) => Ok(Outcome::Fine),
    }
}

/// Builds, waits for a change, and builds again. Errors are printed and do not end it.
fn watch(args: &BuildArgs, out: &mut Out) -> Result {
    let file = if args.project.is_dir() { args.project.join(project::FILE) } else { args.project.clone() };
    let mut unwritable = None;
    loop {
        let mut watch = Watch::new([file.clone()]);
        let built = open(args).and_then(|(project, jobs)| {
            let report = build(args, &jobs, out)?;
            Ok((report, orphans(args, &project)?))
        });
        let before = unwritable.take();
        match built {
            Err(Failure::Input(text)) => out.error(&text),
            Err(failure) => return Err(failure),
            Ok((report, orphans)) => {
                note(&report, &mut watch);
                unwritable = not_written(&report);
                // An error that repeats is printed once.
                if unwritable.is_none() || unwritable != before {
                    tell(args, &report, &orphans, out)?;
                    match outcome(report, args.strict) {
                        Ok(_) => {}
                        Err(Failure::Input(text)) => out.error(&text),
                        Err(_) => {
                            out.error(&format!("{}; trying again", unwritable.as_deref().unwrap_or("")))
                        }
                    }
                }
            }
        }
        if unwritable.is_none() || unwritable != before {
            out.note("watching for changes");
        }
        wait(&mut watch, unwritable.is_some());
    }
}

/// What the next build depends on: all files that were read, searched for or written.
fn note(report: &BuildReport, watch: &mut Watch) {
    for job in &report.jobs {
        watch.add_records(&job.files);
        watch.add(job.outputs.iter().cloned());
    }
}

fn not_written(report: &BuildReport) -> Option<String> {
    report.jobs.iter().find_map(|job| match &job.state {
        State::NotWritten { path, error } => Some(format!("cannot write {}: {error}", path.display())),
        _ => None,
    })
}

/// Returns when something has changed, or after a timeout.
fn wait(watch: &mut Watch, not_forever: bool) {
    let began = Instant::now();
    loop {
        std::thread::sleep(PERIOD);
        if watch.poll() || (not_forever && began.elapsed() >= RETRY) {
            return;
        }
    }
}

fn print(report: &BuildReport, check: bool, out: &mut Out) -> Result<()> {
    for job in &report.jobs {
        print_job(job, out)?;
    }
    let count = |is: fn(&State) -> bool| report.count(is);
    let failed = count(|state| matches!(state, State::Failed(_) | State::NotWritten { .. }));
    let failed = if failed > 0 { format!(", failed {failed}") } else { String::new() };
    let warnings = match warnings(report) {
        0 => String::new(),
        count => format!("; {}", plural(count, "warning", "warnings")),
    };
    if check {
        let stale = count(|state| matches!(state, State::OutOfDate(_)));
        return Ok(
            out.line(format!("out of date {stale}, up to date {}{failed}{warnings}", report.up_to_date()))?
        );
    }
    Ok(out.line(format!(
        "built {}, up to date {}{failed}; {} read{warnings}",
        report.built(),
        report.up_to_date(),
        plural(report.imported(), "file", "files")
    ))?)
}

fn print_job(job: &JobReport, out: &mut Out) -> Result<()> {
    let name = &job.character;
    match &job.state {
        State::Built { reason, bytes: size, clips, error_mm, sizes } => {
            let paths =
                job.outputs.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
            out.line(format!(
                "{GOOD}built{GOOD:#} {NAME}{name}{NAME:#}  {paths}  {}, {}, within {error_mm:.3} mm of its sources  {DIM}{reason}{DIM:#}",
                bytes(*size),
                plural(*clips, "clip", "clips")
            ))?;
            print_sizes(sizes, out)?;
        }
        State::OutOfDate(reason) => {
            let style = severity_style(Severity::Warning);
            out.line(format!("{style}out of date{style:#} {NAME}{name}{NAME:#}  {reason}"))?;
        }
        State::UpToDate if out.is_verbose() => out.line(format!("up to date {NAME}{name}{NAME:#}"))?,
        // Failures are printed at the end, as errors.
        State::UpToDate | State::Failed(_) | State::NotWritten { .. } => {}
    }
    let least = if out.is_verbose() { Severity::Note } else { Severity::Warning };
    let told: Vec<_> = job.findings.iter().filter(|finding| finding.severity() >= least).collect();
    if !told.is_empty() && matches!(job.state, State::UpToDate) && !out.is_verbose() {
        out.line(format!("{NAME}{name}{NAME:#}  {DIM}up to date{DIM:#}"))?;
    }
    Ok(told.into_iter().try_for_each(|told| finding(out, told))?)
}

/// A line for each compiled clip where all is to be told, else one for all of them: there may be thousands.
fn print_sizes(sizes: &[ClipSize], out: &mut Out) -> Result<()> {
    if out.is_verbose() {
        let width = widest(sizes.iter().map(|size| size.name.as_str()));
        let line =
            |size: &ClipSize| format!("  {}{}  {}", size.name, pad(&size.name, width), clip_size(size));
        return Ok(sizes.iter().try_for_each(|size| out.line(line(size)))?);
    }
    let (before, after) = sizes.iter().fold((0, 0), |sum, size| (sum.0 + size.before, sum.1 + size.after));
    if after == 0 || after == before {
        return Ok(());
    }
    let ratio = before as f64 / after as f64;
    let errors = sizes.iter().filter_map(|size| size.frames.as_ref()).map(|tried| tried.error.max * 1e3);
    let worst = errors.fold(0.0, f64::max);
    Ok(out.line(format!(
        "  clips {} of {} (1 : {ratio:.1}), off by {worst:.3} mm at most",
        bytes(after),
        bytes(before)
    ))?)
}

/// Number of findings that are more than notes.
fn warnings(report: &BuildReport) -> usize {
    report
        .jobs
        .iter()
        .flat_map(|job| &job.findings)
        .filter(|finding| finding.severity() > Severity::Note)
        .count()
}

fn print_orphans(orphans: &Orphans, clean: bool, out: &mut Out) -> Result<()> {
    for Orphan { path, is_changed, .. } in &orphans.files {
        let done = match (clean, is_changed) {
            (true, false) => "is no longer made by this project: removed",
            (true, true) => {
                "is no longer made by this project, but was changed after it was built: left as it is"
            }
            (false, false) => "is no longer made by this project; --clean removes it",
            (false, true) => {
                "is no longer made by this project, and was changed after it was built; --clean leaves it"
            }
        };
        out.line(format!("{NAME}{}{NAME:#}  {done}", path.display()))?;
    }
    Ok(())
}

fn document(report: &BuildReport, orphans: &Orphans, clean: bool) -> Value {
    let paths = |is_changed: bool| {
        let files = orphans.files.iter().filter(move |file| file.is_changed == is_changed);
        files.map(|file| file.path.display().to_string()).collect::<Vec<_>>()
    };
    json!({
        "schema": "sinew.build/1",
        "built": report.built(),
        "up_to_date": report.up_to_date(),
        "out_of_date": report.count(|state| matches!(state, State::OutOfDate(_))),
        "failed": report.count(|state| matches!(state, State::Failed(_) | State::NotWritten { .. })),
        "files_read": report.imported(),
        "warnings": warnings(report),
        "orphans": paths(false),
        "orphans_changed": paths(true),
        "orphans_removed": clean,
        "characters": report.jobs.iter().map(job_json).collect::<Vec<_>>(),
    })
}

fn job_json(job: &JobReport) -> Value {
    let outputs: Vec<_> = job.outputs.iter().map(|path| path.display().to_string()).collect();
    let findings: Vec<_> = job.findings.iter().map(finding_json).collect();
    let mut value = json!({ "name": job.character, "outputs": outputs, "files_read": job.imported, "findings": findings });
    let more = match &job.state {
        State::UpToDate => json!({ "state": "up-to-date" }),
        State::OutOfDate(reason) => json!({ "state": "out-of-date", "reason": reason.to_string() }),
        State::Built { reason, bytes, clips, error_mm, sizes } => json!({
            "state": "built", "reason": reason.to_string(), "bytes": bytes, "clips": clips, "error_mm": error_mm,
            "compressed": sizes.iter().map(clip_size_json).collect::<Vec<_>>(),
        }),
        State::Failed(error) => {
            json!({ "state": "failed", "code": error.code(), "error": error.to_string() })
        }
        State::NotWritten { path, error } => {
            json!({ "state": "failed", "error": format!("{}: {error}", path.display()) })
        }
    };
    if let (Some(value), Value::Object(more)) = (value.as_object_mut(), more) {
        value.extend(more);
    }
    value
}
