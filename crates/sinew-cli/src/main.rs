//! The command `sinew`: inspect, check, pose, draw and compile rigged characters.
//!
//! It holds arguments, printing and exit codes only; the work is done by the libraries.

mod args;
mod bench;
mod build;
mod contacts;
mod convert;
mod diff;
mod doctor;
mod exit;
mod explain;
mod folder;
mod init;
mod inspect;
mod load;
mod machine;
mod manifest;
mod map;
mod pose;
mod print;
mod progress;
#[cfg(feature = "render")]
mod render;
mod retarget;
mod verify;
mod view;
mod visible;

use args::{Args, Command};
use clap::{CommandFactory, Parser};
use exit::Outcome;
use std::process::ExitCode;

fn main() -> ExitCode {
    // SAFETY: nothing has run before, so there is no other thread.
    #[cfg(feature = "render")]
    unsafe {
        sinew_render::hush_mesa()
    };
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return usage(&error),
    };
    args.color.apply();
    let mut out = print::Out::new(args.quiet, args.verbose);
    let outcome = run(&args.command, &mut out).and_then(|outcome| {
        out.flush()?;
        Ok(outcome)
    });
    exit::code(outcome, args.command.json(), &out)
}

/// Prints an error of the arguments, or the help that was asked for.
fn usage(error: &clap::Error) -> ExitCode {
    let json = std::env::args_os().any(|argument| argument == "--json");
    if json && error.use_stderr() {
        let text = error.to_string();
        let text = text.trim_end().strip_prefix("error: ").unwrap_or(&text).to_owned();
        return exit::code(Err(exit::Failure::Input(text)), true, &print::Out::new(false, false));
    }
    error.exit()
}

fn run(command: &Command, out: &mut print::Out) -> exit::Result {
    match command {
        Command::Inspect(args) => inspect::run(args, out),
        Command::Pose(args) => pose::run(args, out),
        Command::Doctor(args) => doctor::run(args, out),
        Command::Contacts(args) => contacts::run(args, out),
        #[cfg(feature = "render")]
        Command::Render(args) => render::run(args, out),
        Command::Diff(args) => diff::run(args, out),
        Command::View(args) => view::run(args, out),
        Command::Manifest(args) => manifest::run(args, out),
        Command::Init(args) => init::run(args, out),
        Command::Build(args) => build::run(args, out),
        Command::Convert(args) => convert::run(args, out),
        Command::Map(args) => map::run(args, out),
        Command::Retarget(args) => retarget::run(args, out),
        Command::Verify(args) => verify::run(args, out),
        Command::Bench(args) => bench::run(args, out),
        Command::Graph(args) => machine::draw(args, out),
        Command::Play(args) => machine::play(args, out),
        Command::Explain(args) => explain::run(args, out),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Args::command(), "sinew", &mut script);
            out.bytes(&script)?;
            Ok(Outcome::Fine)
        }
    }
}
