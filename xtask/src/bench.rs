//! `cargo xtask bench-build`: how long a build of many characters takes, and one where nothing has changed.

use crate::run;
use std::process::ExitCode;

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
