//! Runs a command of a transcript as a reader would, in a plain environment.

use crate::page::Actual;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs `command` by `sh` in `folder`, with the freshly built `sinew` first in the path.
pub(crate) fn run(command: &str, folder: &Path) -> Actual {
    let output = Command::new("sh")
        .arg("-c")
        // One stream for both, so that their lines keep their order.
        .arg(format!("exec 2>&1\n{command}"))
        .current_dir(folder)
        .stdin(Stdio::null())
        .env("PATH", path())
        .env("LC_ALL", "C")
        .env("NO_COLOR", "1")
        .env("COLUMNS", "80")
        .env_remove("CLICOLOR_FORCE")
        .env_remove("RUST_BACKTRACE")
        .env_remove("SINEW_CORPUS")
        .output()
        .unwrap_or_else(|error| panic!("transcripts are run by `sh`, which did not start: {error}"));
    Actual {
        status: output.status.code(),
        lines: String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect(),
    }
}

fn path() -> std::ffi::OsString {
    let sinew = Path::new(env!("CARGO_BIN_EXE_sinew"));
    let given = std::env::var_os("PATH").unwrap_or_default();
    let folders = sinew.parent().map(Path::to_owned).into_iter().chain(std::env::split_paths(&given));
    std::env::join_paths(folders).unwrap_or(given)
}
