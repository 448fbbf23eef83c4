//! `sinew view`: runs the viewer, a separate program because it takes long to compile.

use crate::args::{Args, ViewArgs};
use crate::exit::{Failure, Outcome, Result};
use crate::print::Out;
use clap::CommandFactory;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

const NAME: &str = "sinew-viewer";

/// Runs the command.
pub fn run(args: &ViewArgs, out: &mut Out) -> Result {
    out.flush()?;
    let program = find(std::env::current_exe().ok().as_deref());
    match Command::new(&program).args(&args.arguments).status() {
        // A program that was ended by a signal has no exit code.
        Ok(status) => Ok(Outcome::As(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(2))),
        Err(error) if error.kind() == ErrorKind::NotFound && asks_for_help(args) => {
            let mut command = Args::command();
            command.build();
            let help = command.find_subcommand_mut("view").map(|view| view.render_help().to_string());
            out.line(help.unwrap_or_default())?;
            out.note("the viewer is not installed; with it, this lists all of its options");
            Ok(Outcome::Fine)
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Err(Failure::Input(format!(
            "the viewer is not installed: `{NAME}` is neither beside `sinew` nor on the PATH. Install it with \
             `cargo install --path crates/sinew-viewer` in the source folder of Sinew"
        ))),
        Err(error) => Err(Failure::Input(format!("{}: cannot be run: {error}", program.display()))),
    }
}

fn asks_for_help(args: &ViewArgs) -> bool {
    args.arguments.iter().any(|argument| argument == "--help" || argument == "-h")
}

/// The viewer beside this program; else its name alone, which is searched for on the PATH.
fn find(own: Option<&Path>) -> PathBuf {
    let name = format!("{NAME}{}", std::env::consts::EXE_SUFFIX);
    let beside = own.and_then(Path::parent).map(|folder| folder.join(&name));
    beside.filter(|path| path.is_file()).unwrap_or_else(|| name.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_viewer_beside_the_command_comes_first() {
        let folder = tempfile::tempdir().unwrap();
        let name = format!("{NAME}{}", std::env::consts::EXE_SUFFIX);
        let own = folder.path().join("sinew");
        assert_eq!(find(Some(&own)), PathBuf::from(&name));
        assert_eq!(find(None), PathBuf::from(&name));
        std::fs::write(folder.path().join(&name), "").unwrap();
        assert_eq!(find(Some(&own)), folder.path().join(&name));
    }
}
