//! `cargo xtask test`: every check of the project. All of them run, also after a failure.

mod output;
mod report;

use crate::setup::AARCH64_TARGET;
use crate::{run, setup};
use output::TestOutput;
use report::Report;
use std::env;
use std::io::{IsTerminal, stdout};
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// One call of cargo, and what makes it pass.
struct Stage {
    name: &'static str,
    arguments: &'static [&'static str],
    judge: Judge,
    /// Whether it runs programs for another processor, which only some machines can.
    emulates: bool,
}

/// What makes a stage pass.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Judge {
    /// The command succeeds.
    Success,
    /// The command succeeds, without warnings of rustdoc or cargo.
    NoWarnings,
    /// The tests it runs succeed; they are counted one by one.
    Tests,
}

const STAGES: &[Stage] = &[
    Stage { name: "format", arguments: &["fmt", "--all", "--check"], judge: Judge::Success, emulates: false },
    Stage {
        name: "clippy",
        arguments: &["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"],
        judge: Judge::Success,
        emulates: false,
    },
    Stage {
        // Some tests run examples as programs.
        name: "examples",
        arguments: &["build", "--workspace", "--all-features", "--examples"],
        judge: Judge::Success,
        emulates: false,
    },
    Stage {
        name: "tests",
        // Skipped tests print a line and pass: without `--show-output` it would be hidden.
        arguments: &[
            "test",
            "--workspace",
            "--all-features",
            "--lib",
            "--bins",
            "--tests",
            "--no-fail-fast",
            "--",
            "--show-output",
        ],
        judge: Judge::Tests,
        emulates: false,
    },
    Stage {
        name: "tests with the lowest glam",
        arguments: &["test", "--manifest-path", "tests/glam-lowest/Cargo.toml", "--locked"],
        judge: Judge::Tests,
        emulates: false,
    },
    Stage {
        name: "tests with NEON",
        arguments: &["test", "--target", AARCH64_TARGET, "-p", "sinew-bench", "--test", "bits"],
        judge: Judge::Tests,
        emulates: true,
    },
    Stage {
        name: "doc tests",
        arguments: &[
            "test",
            "--workspace",
            "--all-features",
            "--doc",
            "--no-fail-fast",
            "--",
            "--show-output",
        ],
        judge: Judge::Tests,
        emulates: false,
    },
    Stage {
        name: "documentation",
        arguments: &["doc", "--workspace", "--all-features", "--no-deps"],
        judge: Judge::NoWarnings,
        emulates: false,
    },
];

/// Whether this machine can emulate another.
const EMULATES: bool = cfg!(all(target_os = "linux", target_arch = "x86_64"));

pub(crate) fn run() -> ExitCode {
    let mut report = Report::default();
    match setup::ensure("test").and_then(|()| corpus()) {
        Ok(corpus) => {
            match &corpus {
                Some(folder) => println!("Corpus: {}", folder.display()),
                None => {
                    println!("Corpus: none (SINEW_CORPUS is not set); the tests that need it are skipped")
                }
            }
            for stage in STAGES.iter().filter(|stage| EMULATES || !stage.emulates) {
                stage.run(corpus.as_ref(), &mut report);
            }
        }
        Err(problem) => {
            println!("{problem}");
            report.fail(String::from("set-up"));
        }
    }
    if env::var_os("CI").is_some_and(|value| !value.is_empty()) {
        report.forbid_skips();
    }
    println!("\n{report}");
    if report.is_success() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The folder of real files that some tests read, as an absolute path: tests run in the folders of their crates.
fn corpus() -> Result<Option<PathBuf>, String> {
    let Some(folder) = env::var_os("SINEW_CORPUS").filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    match std::path::absolute(&folder) {
        Ok(path) if path.is_dir() => Ok(Some(path)),
        _ => Err(format!(
            "SINEW_CORPUS is {}, which is not a folder: correct it, or unset it to skip the tests that need the corpus",
            folder.display()
        )),
    }
}

impl Stage {
    fn run(&self, corpus: Option<&PathBuf>, report: &mut Report) {
        println!("\n== {}: cargo {}", self.name, self.arguments.join(" "));
        let mut warned = false;
        let mut tests = TestOutput::default();
        let outcome = run::stream(self.command(corpus), &mut stdout(), |line| match self.judge {
            Judge::Success => {}
            Judge::NoWarnings => warned |= is_warning(line),
            Judge::Tests => tests.read(line),
        });
        let success = match outcome {
            Ok(status) => status.success(),
            Err(error) => {
                println!("cargo did not run: {error}");
                false
            }
        };
        if self.judge == Judge::Tests {
            report.add(tests.finish(self.name, success));
        } else if success && !warned {
            report.pass();
        } else {
            report.fail(self.name.to_owned());
        }
    }

    fn command(&self, corpus: Option<&PathBuf>) -> Command {
        let mut command = run::cargo(self.arguments);
        match corpus {
            Some(folder) => command.env("SINEW_CORPUS", folder),
            None => command.env_remove("SINEW_CORPUS"),
        };
        if self.emulates {
            command.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", "aarch64-linux-gnu-gcc");
            command.env(
                "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER",
                "qemu-aarch64 -L /usr/aarch64-linux-gnu",
            );
        }
        if self.judge == Judge::NoWarnings {
            let flags = env::var("RUSTDOCFLAGS").unwrap_or_default();
            command.env("RUSTDOCFLAGS", format!("{flags} -D warnings").trim_start());
        }
        // Cargo writes into a pipe and does not see the terminal.
        if stdout().is_terminal() && env::var_os("CARGO_TERM_COLOR").is_none() {
            command.env("CARGO_TERM_COLOR", "always");
        }
        command
    }
}

/// Whether a line of cargo's output is the first of a warning. Denied lints are errors; this finds the warnings of cargo itself.
fn is_warning(line: &str) -> bool {
    line.starts_with("warning: ") || line.starts_with("warning[")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_told_from_text_that_mentions_them() {
        assert!(is_warning("warning: output filename collision."));
        assert!(!is_warning("error: could not document `sinew`"));
        assert!(!is_warning("    = note: `-D warnings` implied: warning: ..."));
    }
}
