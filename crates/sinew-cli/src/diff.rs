//! `sinew diff`: how far two characters are apart.

use crate::args::{DiffArgs, SourceArgs};
use crate::exit::{Failure, Outcome, Result};
use crate::inspect::compiled;
use crate::load::{self, Inputs};
use crate::print::{DIM, GOOD, HEAD, NAME, Out, pad, severity_style, widest};
use serde_json::{Value, json};
use sinew::Severity;
use sinew_examine::diff::{Diff, Series, Unmatched, diff};
use sinew_findings::plural;
use sinew_import::bundle::BundleFile;
use std::path::Path;

/// Times a second at which clips are compared.
const RATE: f64 = 60.0;

/// Runs the command.
pub fn run(args: &DiffArgs, out: &mut Out) -> Result {
    let inputs = Inputs::new(&args.common.import);
    let load = |path: &Path| {
        let sources = SourceArgs { character: path.to_owned(), animations: vec![] };
        inputs.character(&sources, &args.common.import)
    };
    #[cfg(feature = "render")]
    args.output.as_deref().map_or(Ok(()), strip::check)?;
    let (a, b) = (load(&args.a)?, load(&args.b)?);
    let only = args.clip.as_deref().map(|clip| load::clip(&a.character, clip));
    let found = diff(&a.character, &b.character, only.transpose()?, RATE)
        .map_err(|error| Failure::Input(error.to_string()))?;
    let tolerance = || found.budget * room(&args.a).max(room(&args.b));
    let tolerance = args.tolerance.unwrap_or_else(tolerance);
    #[cfg(feature = "render")]
    if let Some(path) = &args.output {
        inputs.keep(path)?;
        strip::write(
            path,
            &found,
            tolerance,
            &format!("{} against {}", a.character.name(), b.character.name()),
        )?;
    }
    if args.common.json {
        out.json(&document(&found, tolerance))?;
    } else {
        print(args, &found, tolerance, out)?;
    }
    Ok(if found.is_within(tolerance) { Outcome::Fine } else { Outcome::Findings })
}

/// What other files may be off by, in metres for a character of 1.8 m.
const EXACT: f64 = 1e-4;

/// How many times as far from its source as others a file may be: compressed clips as far as their profile allows.
fn room(path: &Path) -> f32 {
    let bundle = compiled::bundle(path).and_then(|bytes| BundleFile::read(bytes).ok());
    let profile = bundle.and_then(|bundle| bundle.certificate?.profile);
    profile.map_or(1.0, |profile| (profile.limits()[1] / EXACT) as f32)
}

fn name(series: &Series) -> &str {
    series.clip.as_deref().unwrap_or("rest pose")
}

fn print(args: &DiffArgs, found: &Diff, tolerance: f32, out: &mut Out) -> Result<()> {
    let clips = found.series.iter().filter(|series| series.clip.is_some()).count();
    out.line(format!("{HEAD}{}{HEAD:#} against {HEAD}{}{HEAD:#}", args.a.display(), args.b.display()))?;
    out.line(format!(
        "  {DIM}{} and {} that both have{DIM:#}",
        plural(found.joints.len(), "joint", "joints"),
        plural(clips, "clip", "clips")
    ))?;
    let width = widest(found.series.iter().map(name));
    for series in &found.series {
        let Some(worst) = series.worst() else { continue };
        let pad = pad(name(series), width);
        let length = if series.is_of_one_length() {
            String::new()
        } else {
            format!(", {:.3} s long against {:.3} s", series.durations[0], series.durations[1])
        };
        out.line(format!(
            "  {NAME}{}{NAME:#}{pad}  {:>9.3} mm at {:.3} s, {}{length}",
            name(series),
            worst.distance,
            worst.time,
            found.joints[worst.joint],
        ))?;
    }
    for (side, path) in found.unmatched.iter().zip([&args.a, &args.b]) {
        print_unmatched(side, &path.display().to_string(), out)?;
    }
    verdict(found, tolerance, out)
}

fn print_unmatched(side: &Unmatched, path: &str, out: &mut Out) -> Result<()> {
    for (what, names) in [("joints", &side.joints), ("clips", &side.clips)] {
        if names.is_empty() {
            continue;
        }
        const SHOWN: usize = 8;
        let shown = if out.is_verbose() { names.len() } else { SHOWN };
        let more = names.len().saturating_sub(shown);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let list = names.iter().take(shown).map(String::as_str).collect::<Vec<_>>().join(", ");
        out.line(format!("  only {NAME}{path}{NAME:#} has the {what} {list}{more}"))?;
    }
    Ok(())
}

fn verdict(found: &Diff, tolerance: f32, out: &mut Out) -> Result<()> {
    let Some((series, worst)) = found.worst() else { return Ok(()) };
    let style = if found.is_within(tolerance) { GOOD } else { severity_style(Severity::Error) };
    let missing = !found.unmatched.iter().all(Unmatched::is_empty);
    let verdict = match worst.distance <= tolerance {
        _ if missing => "not all is in both",
        true if !found.is_within(tolerance) => "clips of different length",
        true => "within tolerance",
        false => "beyond tolerance",
    };
    out.line("")?;
    out.line(format!(
        "{style}{verdict}{style:#}: at most {:.3} mm, at {NAME}{}{NAME:#} in {NAME}{}{NAME:#} after {:.3} s (tolerance {tolerance:.3} mm)",
        worst.distance,
        found.joints[worst.joint],
        name(series),
        worst.time,
    ))?;
    Ok(())
}

fn document(found: &Diff, tolerance: f32) -> Value {
    let row = |series: &Series| {
        let worst = series.worst();
        json!({
            "clip": series.clip,
            "durations": series.durations,
            "times": series.times.len(),
            "worst": worst.map(|worst| json!({
                "joint": found.joints[worst.joint],
                "time": worst.time,
                "millimetres": worst.distance,
            })),
        })
    };
    let only = |side: &Unmatched| json!({"joints": side.joints, "clips": side.clips});
    json!({
        "schema": "sinew.diff/1",
        "tolerance": tolerance,
        "within": found.is_within(tolerance),
        "joints": found.joints.len(),
        "worst": found.worst().map(|(series, _)| row(series)),
        "series": found.series.iter().map(row).collect::<Vec<_>>(),
        "only_a": only(&found.unmatched[0]),
        "only_b": only(&found.unmatched[1]),
    })
}

/// The distances as a picture.
#[cfg(feature = "render")]
mod strip {
    use crate::exit::{Failure, Result};
    use sinew_examine::diff::{Diff, Series};
    use sinew_render::{StripRow, StripSection, heat_strip, write_png};
    use std::path::Path;

    /// Largest number of columns of a strip, over all clips: about the width of a screen.
    const MOST_COLUMNS: usize = 1500;

    /// Checks the extension of the output.
    pub fn check(path: &Path) -> Result<()> {
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
            return Ok(());
        }
        Err(Failure::Input(format!("{}: a strip is a picture: write it as .png", path.display())))
    }

    /// Joints downward, the clips side by side. Red is the largest distance, or the tolerance if that is larger.
    pub fn write(path: &Path, found: &Diff, tolerance: f32, title: &str) -> Result<()> {
        let total: usize = found.series.iter().map(|series| series.times.len()).sum();
        let each = total.div_ceil(MOST_COLUMNS).max(1);
        let sections: Vec<StripSection> = found.series.iter().map(|series| section(series, each)).collect();
        let rows: Vec<StripRow> = (0..found.joints.len()).map(|joint| row(found, joint, each)).collect();
        let finite = rows.iter().flat_map(|row| &row.values).filter(|value| value.is_finite());
        let highest = finite.fold(tolerance, |most, value| most.max(*value));
        Ok(write_png(path, &heat_strip(title, &sections, &rows, highest, "mm")?)?)
    }

    fn section(series: &Series, each: usize) -> StripSection {
        let label = match &series.clip {
            Some(clip) => format!("{clip} {:.2} s", series.durations[0].max(series.durations[1])),
            None => "rest".to_owned(),
        };
        StripSection { label, columns: series.times.len().div_ceil(each) }
    }

    /// The row of a joint over all clips; a column is the largest distance of its times.
    fn row(found: &Diff, joint: usize, each: usize) -> StripRow {
        let worst = |times: &[f32]| times.iter().copied().fold(0.0, f32::max);
        let values = found.series.iter().flat_map(|series| series.distances[joint].chunks(each).map(worst));
        StripRow { label: found.joints[joint].clone(), values: values.collect() }
    }
}
