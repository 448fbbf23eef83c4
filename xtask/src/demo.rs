//! `cargo xtask demo`: builds the demo of the command `sinew` and runs it.

use crate::{run, setup};
use std::process::ExitCode;

pub(crate) fn run() -> ExitCode {
    if let Err(problem) = setup::ensure("demo") {
        eprintln!("{problem}");
        return ExitCode::FAILURE;
    }
    let demo = ["run", "--release", "--package", "sinew-cli", "--example", "demo", "--", "target/demo"];
    match run::cargo(&demo).status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("cargo did not start: {error}");
            ExitCode::FAILURE
        }
    }
}
