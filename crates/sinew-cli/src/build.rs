//! `sinew build`: compiles what a project names.

use crate::args::BuildArgs;
use crate::exit::{Failure, Outcome, Result};
use crate::print::{DIM, GOOD, NAME, Out, bytes, finding, finding_json, plural, severity_style};
use crate::progress;
use serde_json::{Value, json};
use sinew::Severity;
use sinew::names::did_you_mean;
use sinew_build::project::{
    self, BuildOptions, BuildReport, Job, JobReport, Project, ProjectError, State, Target, Watch,
};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// How often `--watch` looks.
const PERIOD: Duration = Duration::from_millis(300);
/// How much the date of a file may lag behind the clock.
const DATE_STEP: Duration = Duration::from_millis(20);

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
    once(args, &jobs, out)
}

fn open(args: &BuildArgs) -> Result<(Project, Vec<Job>)> {
    let targets: Vec<Target> = args.target.iter().map(|&target| target.into()).collect();
    let project = Project::open(&args.project).map_err(failure)?;
    let jobs = project.jobs(&targets, &args.only).map_err(failure)?;
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

/// Builds what is out of date, and tells of it.
fn once(args: &BuildArgs, jobs: &[Job], out: &mut Out) -> Result {
    let bar = progress::bar(out);
    bar.set_length(jobs.len() as u64);
    let options = BuildOptions { threads: args.jobs, check: args.check };
    let report = project::build(jobs, options, &|_| bar.inc(1));
    bar.finish_and_clear();
    let report = report.map_err(|error| Failure::Input(format!("threads cannot be started: {error}")))?;
    if args.json {
        out.json(&document(&report))?;
    } else {
        print(&report, args.check, out)?;
    }
    out.flush()?;
    outcome(report)
}

fn outcome(report: BuildReport) -> Result {
    let mut failed = Vec::new();
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
        (true, false) => Ok(Outcome::Fine),
    }
}

/// Builds, waits until something looks different, and builds again. Errors are told of, and do not end it.
fn watch(args: &BuildArgs, out: &mut Out) -> Result {
    let file = if args.project.is_dir() { args.project.join(project::FILE) } else { args.project.clone() };
    let mut watch = Watch::default();
    let mut files: Vec<PathBuf> = vec![file.clone()];
    loop {
        if watch.changed(files.iter().cloned(), project::look).is_empty() {
            std::thread::sleep(PERIOD);
            continue;
        }
        let began = SystemTime::now();
        let built = open(args).and_then(|(_, jobs)| {
            let built = once(args, &jobs, out);
            files = std::iter::once(file.clone()).chain(jobs.iter().flat_map(Job::watched)).collect();
            built
        });
        match built {
            Ok(_) => {}
            Err(Failure::Input(text)) => out.error(&text),
            Err(failure) => return Err(failure),
        }
        // What the build read for the first time is looked at from now on. What changed since it began may have been read before that,
        // so it counts as not seen yet.
        let settled = |look: &project::Look| look.0 + DATE_STEP < began;
        watch.add(files.iter().cloned(), |file| project::look(file).filter(settled));
        out.note("watching for changes");
    }
}

fn print(report: &BuildReport, check: bool, out: &mut Out) -> Result<()> {
    for job in &report.jobs {
        print_job(job, out)?;
    }
    let count = |is: fn(&State) -> bool| report.count(is);
    let failed = count(|state| matches!(state, State::Failed(_) | State::NotWritten { .. }));
    let failed = if failed > 0 { format!(", failed {failed}") } else { String::new() };
    if check {
        let stale = count(|state| matches!(state, State::OutOfDate(_)));
        return Ok(out.line(format!("out of date {stale}, up to date {}{failed}", report.up_to_date()))?);
    }
    Ok(out.line(format!(
        "built {}, up to date {}{failed}; {} read",
        report.built(),
        report.up_to_date(),
        plural(report.imported(), "file", "files")
    ))?)
}

fn print_job(job: &JobReport, out: &mut Out) -> Result<()> {
    let name = &job.character;
    match &job.state {
        State::Built { reason, bytes: size, clips, error_mm, findings } => {
            let paths =
                job.outputs.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
            out.line(format!(
                "{GOOD}built{GOOD:#} {NAME}{name}{NAME:#}  {paths}  {}, {}, within {error_mm:.3} mm of its sources  {DIM}{reason}{DIM:#}",
                bytes(*size),
                plural(*clips, "clip", "clips")
            ))?;
            let least = if out.is_verbose() { Severity::Note } else { Severity::Error };
            for told in findings.iter().filter(|finding| finding.severity() >= least) {
                finding(out, told)?;
            }
        }
        State::OutOfDate(reason) => {
            let style = severity_style(Severity::Warning);
            out.line(format!("{style}out of date{style:#} {NAME}{name}{NAME:#}  {reason}"))?;
        }
        State::UpToDate if out.is_verbose() => out.line(format!("up to date {NAME}{name}{NAME:#}"))?,
        // What failed is told of at the end, as an error.
        State::UpToDate | State::Failed(_) | State::NotWritten { .. } => {}
    }
    Ok(())
}

fn document(report: &BuildReport) -> Value {
    json!({
        "schema": "sinew.build/1",
        "built": report.built(),
        "up_to_date": report.up_to_date(),
        "out_of_date": report.count(|state| matches!(state, State::OutOfDate(_))),
        "failed": report.count(|state| matches!(state, State::Failed(_) | State::NotWritten { .. })),
        "files_read": report.imported(),
        "characters": report.jobs.iter().map(job_json).collect::<Vec<_>>(),
    })
}

fn job_json(job: &JobReport) -> Value {
    let outputs: Vec<_> = job.outputs.iter().map(|path| path.display().to_string()).collect();
    let mut value = json!({ "name": job.character, "outputs": outputs, "files_read": job.imported });
    let more = match &job.state {
        State::UpToDate => json!({ "state": "up-to-date" }),
        State::OutOfDate(reason) => json!({ "state": "out-of-date", "reason": reason.to_string() }),
        State::Built { reason, bytes, clips, error_mm, findings } => json!({
            "state": "built", "reason": reason.to_string(), "bytes": bytes, "clips": clips, "error_mm": error_mm,
            "findings": findings.iter().map(finding_json).collect::<Vec<_>>(),
        }),
        State::Failed(error) => json!({ "state": "failed", "error": error.to_string() }),
        State::NotWritten { path, error } => {
            json!({ "state": "failed", "error": format!("{}: {error}", path.display()) })
        }
    };
    if let (Some(value), Value::Object(more)) = (value.as_object_mut(), more) {
        value.extend(more);
    }
    value
}
