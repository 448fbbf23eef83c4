//! `sinew doctor`: is the character right and, if not, why?

use crate::args::DoctorArgs;
use crate::exit::{Failure, Outcome, Result};
use crate::folder;
use crate::print::{self, DIM, GOOD, HEAD, NAME, Out, severity_style};
use anstyle::Style;
use serde_json::{Value, json};
use sinew::{Finding, Severity};
use sinew_examine::doctor::{self, FileFacts, Report, Verdict};
use sinew_findings::plural;
use sinew_import::manifest::Opened;
use sinew_import::{Imported, MatchTable, Source, Sources};
use std::collections::HashMap;
use std::hash::Hash;
use std::path::Path;

/// Runs the command.
pub fn run(args: &DoctorArgs, out: &mut Out) -> Result {
    if folder::is_tree(&args.sources.character) {
        return examine_tree(args, out);
    }
    let sources = Sources::import(&args.sources.character, &args.sources.animations, &args.common.import)?;
    let report = doctor::examine_sources(&sources);
    if args.common.json {
        out.json(&document(&report))?;
    } else {
        print(&report, out)?;
    }
    Ok(if report.verdict() == Verdict::Broken { Outcome::Findings } else { Outcome::Fine })
}

/// Examines every character of a folder, each with all its clips.
fn examine_tree(args: &DoctorArgs, out: &mut Out) -> Result {
    if !args.sources.animations.is_empty() {
        let text = "each character of a folder is examined with its own clips: name either the folder alone, or the file of one character before its animations";
        return Err(Failure::Input(text.to_owned()));
    }
    let examine = |path: &Path, imported: &Imported| {
        doctor::examine(Source::new(&path.display().to_string(), imported), &[])
    };
    let listed = |opened: Opened| {
        let folder = opened.manifest.folder().to_owned();
        examine(&folder, &opened.into_imported())
    };
    let alone = |path: &Path, imported: Imported| examine(path, &imported);
    let tree = folder::each(&args.sources.character, &args.common.import, out, listed, alone)?;
    if args.common.json {
        let reports: Vec<Value> = tree.done.iter().map(document).collect();
        let failed: Vec<String> = tree.failed.iter().map(ToString::to_string).collect();
        let clips: Vec<String> = tree.clips.iter().map(|path| path.display().to_string()).collect();
        let findings: Vec<Value> = tree.findings.iter().map(print::finding_json).collect();
        out.json(&json!({
            "schema": "sinew.doctor-tree/1", "reports": reports, "unreadable": failed, "clips_only": clips,
            "findings": findings,
        }))?;
    } else {
        tree.done.iter().try_for_each(|report| print_row(report, out))?;
        tree.print(out)?;
        print_summary(&tree.done, tree.failed.len(), out)?;
    }
    if !tree.failed.is_empty() {
        out.flush()?;
        return Err(Failure::Input(folder::failures(&tree.failed)));
    }
    let broken = tree.done.iter().any(|report| report.verdict() == Verdict::Broken);
    Ok(if broken { Outcome::Findings } else { Outcome::Fine })
}

/// A character of a tree in one line: its verdict, and its first finding.
fn print_row(report: &Report, out: &mut Out) -> Result<()> {
    let name = report.files.first().map_or("", |file| file.file.as_str());
    let style = verdict_style(report.verdict());
    let worst = report.findings.iter().find(|f| f.severity() > Severity::Note);
    let first = worst.map_or(String::new(), |f| format!("  {} at {}", f.id(), f.place));
    Ok(out.line(format!("{style}{:<10}{style:#} {NAME}{name}{NAME:#}{first}", report.verdict().name()))?)
}

fn print_summary(reports: &[Report], unreadable: usize, out: &mut Out) -> Result<()> {
    let verdicts = [Verdict::Healthy, Verdict::Suspicious, Verdict::Broken].map(|verdict| {
        let count = reports.iter().filter(|report| report.verdict() == verdict).count();
        format!("{count} {}", verdict.name())
    });
    let characters = plural(reports.len(), "character", "characters");
    Ok(out.line(format!(
        "{HEAD}{characters}{HEAD:#}: {}, {unreadable} could not be read",
        verdicts.join(", ")
    ))?)
}

fn verdict_style(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Healthy => GOOD,
        Verdict::Suspicious => severity_style(Severity::Warning),
        Verdict::Broken => severity_style(Severity::Error),
    }
}

fn print(report: &Report, out: &mut Out) -> Result<()> {
    for (i, file) in report.files.iter().enumerate() {
        print_file(file, i.checked_sub(1).and_then(|i| report.tables.get(i)), out)?;
    }
    out.line("")?;
    print_verdict(report, out)?;
    let verbose = out.is_verbose();
    for group in report.groups() {
        if group[0].severity() == Severity::Note && !verbose {
            continue;
        }
        out.line("")?;
        print_group(group, out)?;
    }
    print_rest(report, verbose, out)
}

fn print_file(file: &FileFacts, table: Option<&MatchTable>, out: &mut Out) -> Result<()> {
    out.line(format!(
        "{NAME}{}{NAME:#}  {}, {}, {}",
        file.file,
        plural(file.joints, "joint", "joints"),
        plural(file.meshes, "mesh", "meshes"),
        plural(file.clips.len(), "clip", "clips")
    ))?;
    if let Some(table) = table {
        out.line(format!(
            "  {} of {} matched: {} exact, {} by prefix, {} not",
            table.matched(),
            plural(table.total(), "channel", "channels"),
            table.exact(),
            table.prefix(),
            table.unmatched()
        ))?;
        if out.is_verbose() {
            for row in &table.rows {
                let targets =
                    if row.targets.is_empty() { "–".to_owned() } else { row.targets.join(" or ") };
                out.line(format!("    {:<9} {} → {targets}", row.how.name(), row.channel))?;
            }
        }
    }
    for clip in &file.clips {
        out.line(format!(
            "  {}  {DIM}{:.2} s, {}, {}{DIM:#}",
            clip.name,
            clip.duration,
            plural(clip.channels, "channel", "channels"),
            plural(clip.keys, "key", "keys")
        ))?;
    }
    Ok(())
}

fn print_verdict(report: &Report, out: &mut Out) -> Result<()> {
    let (errors, warnings) = (report.count(Severity::Error), report.count(Severity::Warning));
    let counts =
        format!("{}, {}", plural(errors, "error", "errors"), plural(warnings, "warning", "warnings"));
    let (style, text) = (verdict_style(report.verdict()), report.verdict().name());
    Ok(out.line(format!("{HEAD}Verdict:{HEAD:#} {style}{text}{style:#} ({counts})"))?)
}

/// Places that are named where more of the same are told.
const SHOWN: usize = 3;
/// Different findings of a kind that `-v` tells; `--json` lists all.
const MOST_TOLD: usize = 50;

/// The largest finding of a kind in full, the others by their places; with `-v` all that differ.
fn print_group(group: &[Finding], out: &mut Out) -> Result<()> {
    print::finding(out, &group[0])?;
    let others = together(group[1..].iter().map(|f| (f.message.as_str(), f.place.as_str())));
    let shown = others.len().min(if out.is_verbose() { MOST_TOLD } else { SHOWN });
    for (message, places) in &others[..shown] {
        out.line(format!("  also {}: {message}", named(places)))?;
    }
    let more: usize = others[shown..].iter().map(|(_, places)| places.len()).sum();
    if more > 0 {
        let hint = if out.is_verbose() { ", which `--json` lists" } else { "" };
        out.line(format!("  {DIM}and at {}{hint}{DIM:#}", plural(more, "more place", "more places")))?;
    }
    Ok(())
}

/// Places by what is said of them, in the order in which each is said first.
fn together<'f, K: Copy + Eq + Hash>(said: impl Iterator<Item = (K, &'f str)>) -> Vec<(K, Vec<&'f str>)> {
    let mut out: Vec<(K, Vec<&str>)> = Vec::new();
    let mut known = HashMap::new();
    for (what, place) in said {
        let index = *known.entry(what).or_insert_with(|| {
            out.push((what, Vec::new()));
            out.len() - 1
        });
        out[index].1.push(place);
    }
    out
}

/// The first places by name, the others by their number.
fn named(places: &[&str]) -> String {
    let names: Vec<String> =
        places.iter().take(SHOWN).map(|place| format!("{NAME}{place}{NAME:#}")).collect();
    let more = places.len().saturating_sub(SHOWN);
    let more =
        if more > 0 { format!(" and {}", plural(more, "more place", "more places")) } else { String::new() };
    names.join(", ") + &more
}

fn print_rest(report: &Report, verbose: bool, out: &mut Out) -> Result<()> {
    if verbose {
        let consequences = report.consequences.iter();
        let said = consequences.map(|c| ((c.cause, c.finding.id()), c.finding.place.as_str()));
        for ((cause, id), places) in together(said) {
            out.line(format!("\n{DIM}follows from {cause}: {id} at{DIM:#} {}", named(&places)))?;
        }
        return Ok(());
    }
    let notes = report.count(Severity::Note);
    let mut hidden = Vec::new();
    if notes > 0 {
        hidden.push(plural(notes, "more note", "more notes"));
    }
    if !report.consequences.is_empty() {
        let count = report.consequences.len();
        hidden.push(plural(count, "consequence of the above", "consequences of the above"));
    }
    if !hidden.is_empty() {
        out.line(format!("\n{DIM}{} with -v{DIM:#}", hidden.join(" and ")))?;
    }
    Ok(())
}

fn document(report: &Report) -> Value {
    let consequence = |c: &sinew_examine::doctor::Consequence| json!({ "cause": c.cause, "finding": print::finding_json(&c.finding) });
    json!({
        "schema": "sinew.doctor/1",
        "verdict": report.verdict().name(),
        "errors": report.count(Severity::Error),
        "warnings": report.count(Severity::Warning),
        "notes": report.count(Severity::Note),
        "findings": report.findings.iter().map(print::finding_json).collect::<Vec<_>>(),
        "consequences": report.consequences.iter().map(consequence).collect::<Vec<_>>(),
        "files": report.files.iter().map(file_json).collect::<Vec<_>>(),
        "matches": report.tables.iter().map(table_json).collect::<Vec<_>>(),
    })
}

fn file_json(file: &FileFacts) -> Value {
    let clips = file.clips.iter().map(|clip| {
        json!({ "name": clip.name, "duration": clip.duration, "channels": clip.channels, "keys": clip.keys })
    });
    json!({
        "file": file.file, "joints": file.joints, "scalars": file.scalars, "meshes": file.meshes,
        "vertices": file.vertices, "triangles": file.triangles, "materials": file.materials,
        "clips": clips.collect::<Vec<_>>(),
    })
}

fn table_json(table: &MatchTable) -> Value {
    let rows = table
        .rows
        .iter()
        .map(|row| json!({ "channel": row.channel, "targets": row.targets, "how": row.how.name() }));
    json!({
        "file": table.file, "matched": table.matched(), "total": table.total(),
        "channels": rows.collect::<Vec<_>>(),
    })
}
