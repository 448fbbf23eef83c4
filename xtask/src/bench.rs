//! `cargo xtask bench`: measures every workload and writes the figures into docs/performance.md. `cargo xtask bench-build`: how long a build of many
//! characters takes, and one where nothing has changed.

use crate::run;
use std::fs;
use std::process::{Command, ExitCode};

/// The folder of the characters.
const FOLDER: &str = "target/crowd";

/// The number of characters.
const COUNT: &str = "1000";

pub(crate) fn build() -> ExitCode {
    let arguments = ["run", "--quiet", "--release", "--package", "sinew-cli", "--example", "crowd", "--"];
    match run::cargo(&[&arguments[..], &[FOLDER, COUNT]].concat()).status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("cargo did not start: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The page, and the lines between which the figures lie.
const PAGE: &str = "docs/performance.md";
const BEGIN: &str = "<!-- begin of what `cargo xtask bench` writes -->\n";
const END: &str = "<!-- end of what `cargo xtask bench` writes -->\n";

pub(crate) fn all() -> ExitCode {
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(complaint) => {
            eprintln!("{complaint}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Result<(), String> {
    let program = run::release("sinew-bench", &["threads"])?;
    let images = run::root().join("docs/images");
    let output = Command::new(program)
        .arg("report")
        .arg(&images)
        .output()
        .map_err(|error| format!("sinew-bench did not start: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let page = run::root().join(PAGE);
    let text = fs::read_to_string(&page).map_err(|error| format!("{}: {error}", page.display()))?;
    let figures = format!("\n{}.\n{}\n", machine(), String::from_utf8_lossy(&output.stdout));
    let text =
        replaced(&text, &figures).ok_or_else(|| format!("{PAGE} lacks the lines that mark the figures"))?;
    fs::write(&page, text).map_err(|error| format!("{}: {error}", page.display()))?;
    println!("{PAGE} is written. Read the difference before you commit it.");
    println!("Retargeting whole clips, in milliseconds of animation:");
    let clips =
        run::cargo(&["bench", "--quiet", "--package", "sinew-import", "--bench", "retarget"]).status();
    match clips {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("the benchmark of retargeting failed: {status}")),
        Err(error) => Err(format!("cargo did not start: {error}")),
    }
}

/// The page with other figures.
fn replaced(page: &str, figures: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}{figures}{END}{after}"))
}

/// What was measured on: processor, cores, system, compiler.
fn machine() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or_default();
    let model = model.trim_start_matches([' ', '\t', ':']);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let compiler = run::cargo(&["--version"]).output().map(|output| output.stdout).unwrap_or_default();
    let compiler =
        String::from_utf8_lossy(&compiler).split_whitespace().take(2).collect::<Vec<_>>().join(" ");
    let model = if model.is_empty() { "processor not known" } else { model };
    format!(
        "Measured on: {model}, {cores} cores, {} {}, {compiler}",
        std::env::consts::OS,
        std::env::consts::ARCH
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_figures_are_replaced() {
        let page = format!("# Title\n{BEGIN}old\n{END}More\n");
        assert_eq!(replaced(&page, "new\n").unwrap(), format!("# Title\n{BEGIN}new\n{END}More\n"));
        assert_eq!(replaced("# Title\n", "new\n"), None);
        let page = fs::read_to_string(run::root().join(PAGE)).unwrap();
        assert!(replaced(&page, "").is_some(), "the page has the marks");
    }
}
