//! `sinew explain`: what a finding means.

use crate::args::ExplainArgs;
use crate::exit::{Failure, Outcome, Result};
use crate::print::{DIM, GOOD, HEAD, NAME, Out, number, severity_style};
use serde_json::json;
use sinew::Kind;
use sinew::names::did_you_mean;

/// Every finding there is, by id.
fn catalogue() -> Vec<&'static Kind> {
    let mut all: Vec<&Kind> = sinew_findings::catalogue::all().collect();
    all.sort_by_key(|kind| kind.id);
    all
}

/// Runs the command.
pub fn run(args: &ExplainArgs, out: &mut Out) -> Result {
    let all = catalogue();
    let chosen: Vec<&Kind> = match &args.id {
        None => all,
        Some(id) => match all.iter().find(|kind| kind.id.eq_ignore_ascii_case(id)) {
            Some(kind) => vec![kind],
            None => {
                let hint = did_you_mean(id, all.iter().map(|kind| kind.id));
                return Err(Failure::Input(format!("there is no finding `{id}`; {hint}")));
            }
        },
    };
    if args.json {
        out.json(&chosen.iter().map(|kind| kind_json(kind)).collect::<Vec<_>>())?;
    } else if args.id.is_some() {
        chosen.iter().try_for_each(|kind| entry(kind, out))?;
    } else {
        chosen.iter().try_for_each(|kind| row(kind, out))?;
    }
    Ok(Outcome::Fine)
}

fn entry(kind: &Kind, out: &mut Out) -> Result<()> {
    let style = severity_style(kind.severity);
    out.line(format!("{NAME}{}{NAME:#}  {style}{}{style:#}", kind.id, kind.severity.name()))?;
    out.line(format!("{HEAD}{}{HEAD:#}", kind.title))?;
    out.line("")?;
    out.line(kind.explanation)?;
    if let Some(threshold) = kind.threshold {
        out.line(format!("\nReported from {} on.", number(threshold, kind.unit_of(threshold))))?;
    }
    if kind.hint.is_empty() {
        return Ok(());
    }
    Ok(out.line(format!("\n{GOOD}→{GOOD:#} {}", kind.hint))?)
}

fn row(kind: &Kind, out: &mut Out) -> Result<()> {
    let style = severity_style(kind.severity);
    Ok(out.line(format!(
        "{style}{:<7}{style:#} {NAME}{:<28}{NAME:#} {DIM}{}{DIM:#}",
        kind.severity.name(),
        kind.id,
        kind.title
    ))?)
}

fn kind_json(kind: &Kind) -> serde_json::Value {
    json!({
        "id": kind.id, "severity": kind.severity.name(), "title": kind.title, "explanation": kind.explanation,
        "hint": kind.hint, "threshold": kind.threshold, "unit": kind.unit,
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn ids_are_unique_and_well_formed() {
        let all = super::catalogue();
        assert!(all.windows(2).all(|pair| pair[0].id != pair[1].id));
        for kind in all {
            let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            let (area, what) = kind.id.split_once('.').expect("area.what");
            assert!(area.chars().all(word) && what.chars().all(word), "{}", kind.id);
            assert!(!kind.title.is_empty() && !kind.explanation.is_empty(), "{}", kind.id);
        }
    }
}
