//! `cargo xtask count`: how many instructions the workloads of `sinew-bench` take, which does not depend on what else the machine does.
//!
//! The counts of a toolchain are recorded in `xtask/counts`. One that has grown by more than 3 % fails; `SINEW_BLESS=1` records them anew.

use crate::{run, setup};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

/// How much a count may grow, in percent.
const TOLERANCE: u64 = 3;

/// What the program calls the function that is counted.
const COUNTED: &str = "sinew_counted";

/// A workload and its instructions.
type Count = (String, u64);

pub(crate) fn run() -> ExitCode {
    match setup::ensure("count").and_then(|()| compare()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(complaint) => {
            eprintln!("{complaint}");
            ExitCode::FAILURE
        }
    }
}

fn compare() -> Result<(), String> {
    let program = run::release("sinew-bench", &[])?;
    let counts = match count(&program)? {
        Counted::All(counts) => counts,
        Counted::Elsewhere(kernels) => {
            println!("Counts are recorded for AVX2, and this machine runs `{kernels}`: nothing to compare.");
            return Ok(());
        }
    };
    let file = run::root().join("xtask/counts").join(format!("{}.txt", toolchain()?));
    let recorded = fs::read_to_string(&file).ok().map(|text| parse(&text));
    print!("{}", table(&counts, recorded.as_deref().unwrap_or_default()));
    if std::env::var_os("SINEW_BLESS").is_some() {
        let text: String = counts.iter().map(|(name, count)| format!("{name} {count}\n")).collect();
        return fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()));
    }
    match recorded {
        None => {
            println!(
                "No counts are recorded for this toolchain. `SINEW_BLESS=1 cargo xtask count` writes {}.",
                file.display()
            );
            Ok(())
        }
        Some(recorded) => verdict(&counts, &recorded),
    }
}

/// What was counted.
enum Counted {
    All(Vec<Count>),
    /// The kernels are others than those whose counts are recorded.
    Elsewhere(String),
}

/// Runs the program under callgrind, which writes a file for each call of the function.
fn count(program: &Path) -> Result<Counted, String> {
    let folder = run::target().join("count");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--combine-dumps=no", "--callgrind-out-file=counts"])
        .args([format!("--toggle-collect={COUNTED}"), format!("--dump-after={COUNTED}")])
        .arg(program)
        .arg("count")
        .current_dir(&folder)
        .output()
        .map_err(|error| format!("valgrind did not start: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines = printed.lines();
    let kernels = lines.next().and_then(|line| line.strip_prefix("kernels ")).unwrap_or_default();
    if kernels != "avx2" {
        return Ok(Counted::Elsewhere(kernels.to_owned()));
    }
    let counted = lines.enumerate().map(|(i, name)| {
        let file = folder.join(format!("counts.{}", i + 1));
        let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let total = total(&text).ok_or_else(|| format!("{}: no total", file.display()))?;
        Ok((name.to_owned(), total))
    });
    counted.collect::<Result<_, String>>().map(Counted::All)
}

/// The total of a file of callgrind.
fn total(text: &str) -> Option<u64> {
    let line =
        text.lines().find_map(|line| line.strip_prefix("summary:").or(line.strip_prefix("totals:")))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The version of the compiler, as `1.95.0`.
fn toolchain() -> Result<String, String> {
    let output =
        run::cargo(&["--version"]).output().map_err(|error| format!("cargo did not start: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.split_whitespace().nth(1).map(str::to_owned).ok_or_else(|| format!("cargo has no version: {text}"))
}

fn parse(text: &str) -> Vec<Count> {
    let line = |line: &str| {
        let (name, count) = line.split_once(' ')?;
        Some((name.to_owned(), count.trim().parse().ok()?))
    };
    text.lines().filter_map(line).collect()
}

fn before(name: &str, recorded: &[Count]) -> Option<u64> {
    recorded.iter().find(|(of, _)| of == name).map(|(_, count)| *count)
}

/// Whether a count has grown too much: in whole numbers, as these have no rounding.
fn has_grown(now: u64, before: u64) -> bool {
    100 * now > (100 + TOLERANCE) * before
}

fn table(counts: &[Count], recorded: &[Count]) -> String {
    let mut text = String::new();
    for (name, now) in counts {
        let change = match before(name, recorded) {
            Some(before) => format!("{:+.1} %", 100.0 * (*now as f64 / before.max(1) as f64 - 1.0)),
            None => String::from("new"),
        };
        let _ = writeln!(text, "{name:<20} {now:>10}  {change}");
    }
    text
}

fn verdict(counts: &[Count], recorded: &[Count]) -> Result<(), String> {
    let grown = counts
        .iter()
        .filter(|(name, now)| before(name, recorded).is_none_or(|before| has_grown(*now, before)));
    let mut names: Vec<&str> = grown.map(|(name, _)| name.as_str()).collect();
    names.extend(
        recorded.iter().filter(|(name, _)| before(name, counts).is_none()).map(|(name, _)| name.as_str()),
    );
    if names.is_empty() {
        return Ok(());
    }
    Err(format!(
        "More instructions than recorded, or not recorded: {}. If that is meant, `SINEW_BLESS=1 cargo xtask count` records the new counts.",
        names.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(pairs: &[(&str, u64)]) -> Vec<Count> {
        pairs.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }

    #[test]
    fn a_count_may_fall_or_grow_a_little() {
        let recorded = counts(&[("a", 1000), ("b", 1000)]);
        assert!(verdict(&counts(&[("a", 1030), ("b", 10)]), &recorded).is_ok());
        assert!(verdict(&counts(&[("a", 1031), ("b", 10)]), &recorded).unwrap_err().contains(": a."));
    }

    #[test]
    fn workloads_are_neither_lost_nor_new_in_silence() {
        let recorded = counts(&[("a", 1000)]);
        assert!(verdict(&counts(&[("a", 1000), ("b", 1)]), &recorded).unwrap_err().contains(": b."));
        assert!(verdict(&counts(&[]), &recorded).unwrap_err().contains(": a."));
    }

    #[test]
    fn files_are_read_back() {
        assert_eq!(parse("a 12\nb 7\n"), counts(&[("a", 12), ("b", 7)]));
        assert_eq!(total("events: Ir\nfn=x\n1 2\ntotals: 1234\n"), Some(1234));
        assert_eq!(total("events: Ir\n"), None);
    }
}
