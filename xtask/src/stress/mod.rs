//! `cargo xtask stress`: builds that are killed, that run out of space, that run side by side, and whose sources are rewritten meanwhile.
//!
//! The command `sinew` itself is run on a small project of which there are two versions. Every mixture of the versions is built in peace first; whatever
//! happens afterwards, each compiled file must be one of those, byte by byte.

mod check;
mod full;
mod kill;
mod parallel;
mod project;
mod storm;

use crate::{run, setup};
use check::Figures;
use project::Project;
use std::path::PathBuf;
use std::process::ExitCode;

/// A way to disturb builds.
struct Scenario {
    name: &'static str,
    rounds: usize,
    run: fn(&mut Project, usize) -> Result<Figures, String>,
}

const SCENARIOS: [Scenario; 4] = [
    Scenario { name: "kill", rounds: 100, run: kill::run },
    Scenario { name: "full", rounds: 8, run: full::run },
    Scenario { name: "parallel", rounds: 20, run: parallel::run },
    Scenario { name: "storm", rounds: 300, run: storm::run },
];

/// Which scenarios are run, and how often.
#[derive(Debug, PartialEq)]
struct Request(Vec<(&'static str, usize)>);

impl Request {
    fn parse(arguments: &[&str]) -> Result<Self, String> {
        let mut rounds = None;
        let mut names = Vec::new();
        let mut words = arguments.iter();
        while let Some(&word) = words.next() {
            if word == "--rounds" {
                let number = words.next().and_then(|word| word.parse::<usize>().ok());
                let number = number.filter(|number| *number > 0);
                rounds = Some(number.ok_or("`--rounds` takes a number above zero")?);
            } else if SCENARIOS.iter().any(|scenario| scenario.name == word) {
                names.push(word);
            } else {
                let known: Vec<&str> = SCENARIOS.iter().map(|scenario| scenario.name).collect();
                return Err(format!("there is no scenario `{word}`; there are {}", known.join(", ")));
            }
        }
        let wanted = SCENARIOS.iter().filter(|known| names.is_empty() || names.contains(&known.name));
        Ok(Self(wanted.map(|known| (known.name, rounds.unwrap_or(known.rounds))).collect()))
    }
}

/// Runs the scenarios and prints a line for each.
///
/// # Errors
/// What is wrong with the arguments.
pub(crate) fn run(arguments: &[&str]) -> Result<ExitCode, String> {
    let request = Request::parse(arguments)?;
    Ok(match stress(&request) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    })
}

/// Whether nothing was found.
fn stress(request: &Request) -> Result<bool, String> {
    setup::ensure("stress")?;
    let programs = Programs::build()?;
    let folder = run::target().join("stress");
    let mut project = Project::new(&folder, programs)?;
    println!("A build takes {:.0} ms.", project.usual.as_secs_f64() * 1e3);
    let mut right = true;
    for &(name, rounds) in &request.0 {
        let Some(scenario) = SCENARIOS.iter().find(|scenario| scenario.name == name) else { continue };
        project.start_afresh()?;
        let figures = (scenario.run)(&mut project, rounds)?;
        println!("{name:<9}{rounds:>4} rounds: {figures}");
        figures.problems.iter().for_each(|problem| println!("    {problem}"));
        right &= figures.are_zero();
    }
    if right {
        std::fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    } else {
        println!("The files are in {}.", folder.display());
    }
    Ok(right)
}

/// What is run.
struct Programs {
    /// The command.
    sinew: PathBuf,
    /// Writes the project's two versions.
    versions: PathBuf,
}

impl Programs {
    /// Builds both in one call. Without pictures: no scenario draws, and the renderer takes minutes to compile.
    fn build() -> Result<Self, String> {
        let arguments =
            ["build", "--package", "sinew-cli", "--package", "sinew-build", "--no-default-features"];
        let mut command = run::cargo(&arguments);
        command.args(["--bin", "sinew", "--example", "versions"]);
        match command.status() {
            Ok(status) if status.success() => {}
            Ok(status) => return Err(format!("building sinew failed: {status}")),
            Err(error) => return Err(format!("cargo did not start: {error}")),
        }
        let (folder, ending) = (run::target().join("debug"), std::env::consts::EXE_SUFFIX);
        Ok(Self {
            sinew: folder.join(format!("sinew{ending}")),
            versions: folder.join(format!("examples/versions{ending}")),
        })
    }
}

/// Numbers that look random, the same in every run (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Below `end`, which is above zero.
    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// From 0 to 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_name_scenarios_and_rounds() {
        let all = [("kill", 100), ("full", 8), ("parallel", 20), ("storm", 300)];
        assert_eq!(Request::parse(&[]), Ok(Request(all.to_vec())));
        let some = Request::parse(&["storm", "--rounds", "3", "kill"]);
        assert_eq!(some, Ok(Request(vec![("kill", 3), ("storm", 3)])));
        for wrong in [&["--rounds"][..], &["--rounds", "0"], &["--rounds", "x"], &["flood"]] {
            assert!(Request::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
