//! The project's own commands, run as `cargo xtask <command>`. Each sets up the machine first.

// A command-line program: it prints.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod bench;
mod demo;
mod run;
mod setup;
mod test;

use std::process::ExitCode;

/// A command of this program: its name, what the usage text says of it, and what runs it.
struct Task {
    name: &'static str,
    about: &'static str,
    run: fn() -> ExitCode,
}

const TASKS: &[Task] = &[
    Task {
        name: "bench-build",
        about: "time a build of 1,000 small characters, and one where nothing has changed",
        run: bench::build,
    },
    Task {
        name: "demo",
        about: "write synthetic characters into target/demo, check, compile, play and show them",
        run: demo::run,
    },
    Task { name: "images", about: "draw the pictures of README and docs again", run: demo::images },
    Task {
        name: "test",
        about: "format check, clippy, all tests (also with the lowest glam), doc tests, documentation",
        run: test::run,
    },
];

/// The exit code for wrong arguments, as in shells.
const BAD_USAGE: u8 = 2;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["help" | "--help" | "-h"] => {
            println!("{}", usage());
            ExitCode::SUCCESS
        }
        [name] => match TASKS.iter().find(|task| task.name == name) {
            Some(task) => (task.run)(),
            None => bad_usage(&format!("unknown command `{name}`")),
        },
        [] => bad_usage("no command given"),
        [name, ..] => bad_usage(&format!("`{name}` takes no arguments")),
    }
}

fn bad_usage(complaint: &str) -> ExitCode {
    eprintln!("xtask: {complaint}\n\n{}", usage());
    ExitCode::from(BAD_USAGE)
}

fn usage() -> String {
    let mut text = String::from("Usage: cargo xtask <command>\n\nCommands:");
    for task in TASKS {
        text += &format!("\n  {:<11} {}", task.name, task.about);
    }
    text + "\n\n`demo`, `images` and `test` first check that the machine has what they need; on Debian and Ubuntu they install what is missing."
}
