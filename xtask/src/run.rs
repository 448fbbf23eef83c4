//! Starting other programs.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

/// The folder of the workspace.
pub(crate) fn root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask)
}

/// The folder for what cargo builds.
pub(crate) fn target() -> PathBuf {
    root().join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| OsString::from("target")))
}

/// A call of the cargo that runs this program, in the workspace's folder. Test crates outside of the workspace share its target folder.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(cargo);
    command.args(arguments).current_dir(root()).env("CARGO_TARGET_DIR", target());
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        // Without a desktop session, Mesa's device selection prints warnings into the output of tests that draw.
        command.env("NODEVICE_SELECT", "1");
    }
    command
}

/// Builds the program of a package with optimisation, and says where it is.
///
/// # Errors
/// If it cannot be built.
pub(crate) fn release(package: &str, features: &[&str]) -> Result<PathBuf, String> {
    let features = features.join(",");
    let arguments = ["build", "--quiet", "--release", "--package", package, "--features", &features];
    match cargo(&arguments).status() {
        Ok(status) if status.success() => {
            Ok(target().join("release").join(format!("{package}{}", std::env::consts::EXE_SUFFIX)))
        }
        Ok(status) => Err(format!("{package} could not be built: {status}")),
        Err(error) => Err(format!("cargo did not start: {error}")),
    }
}

/// Whether a command starts and succeeds; its output is discarded.
pub(crate) fn succeeds(words: &[&str]) -> bool {
    let mut command = match words {
        [] => return false,
        ["cargo", arguments @ ..] => cargo(arguments),
        [program, arguments @ ..] => {
            let mut command = Command::new(program);
            command.args(arguments);
            command
        }
    };
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Runs a command to its end. Each line that it prints is written to `out` at once, and passed to `see` without
/// colour codes.
///
/// Both of its streams go through one pipe, so that their lines keep the order they were written in.
pub(crate) fn stream(
    mut command: Command,
    out: &mut impl Write,
    mut see: impl FnMut(&str),
) -> io::Result<ExitStatus> {
    let (reader, writer) = io::pipe()?;
    command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    let mut child = command.spawn()?;
    // `command` holds the writing ends of the pipe: while it lives, the reader never sees the end.
    drop(command);

    let mut lines = BufReader::new(reader);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        // A closed output (`| head`) must not change the result of the command.
        let _ = out.write_all(&line).and_then(|()| out.flush());
        see(without_colour(&String::from_utf8_lossy(&line)).trim_end_matches(['\r', '\n']));
        line.clear();
    }
    child.wait()
}

/// The text without terminal control sequences: `ESC [`, parameters, and one final letter.
fn without_colour(text: &str) -> String {
    let mut pieces = text.split("\x1b[");
    let mut plain = String::from(pieces.next().unwrap_or_default());
    for piece in pieces {
        plain += piece.trim_start_matches(|c: char| !c.is_ascii_alphabetic()).get(1..).unwrap_or_default();
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_codes_are_removed() {
        assert_eq!(without_colour("\x1b[1m\x1b[33mwarning\x1b[0m\x1b[1m: unused\x1b[0m"), "warning: unused");
        assert_eq!(without_colour("plain [text]"), "plain [text]");
        assert_eq!(without_colour("cut off \x1b["), "cut off ");
    }

    #[test]
    fn succeeds_needs_a_program_that_exists_and_exits_with_zero() {
        assert!(succeeds(&["cargo", "--version"]));
        assert!(!succeeds(&["cargo", "no-such-subcommand"]));
        assert!(!succeeds(&["no-such-program-anywhere"]));
    }

    #[cfg(unix)]
    #[test]
    fn stream_sees_the_lines_of_both_streams_and_the_outcome() {
        let mut lines = Vec::new();
        let mut shown = Vec::new();
        let mut command = Command::new("sh");
        command.args(["-c", "echo one; echo two >&2; printf three; exit 7"]);
        let status = stream(command, &mut shown, |line| lines.push(line.to_owned())).unwrap();
        assert_eq!(lines, ["one", "two", "three"]);
        assert_eq!(shown, b"one\ntwo\nthree");
        assert_eq!(status.code(), Some(7));
    }
}
