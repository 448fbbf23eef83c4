//! The project's own commands, run as `cargo xtask <command>`. Each sets up the machine first.

// A command-line program: it prints.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod bench;
mod count;
mod demo;
mod fuzz;
mod run;
mod setup;
mod stress;
mod test;

use std::process::ExitCode;

/// A command of this program: its name, what the usage text says of it, and what runs it.
struct Task {
    name: &'static str,
    about: &'static str,
    run: Run,
}

/// What runs a command.
enum Run {
    /// A command without arguments.
    Plain(fn() -> ExitCode),
    /// A command that reads its arguments. An error says what is wrong with them.
    With(fn(&[&str]) -> Result<ExitCode, String>),
}

const TASKS: &[Task] = &[
    Task {
        name: "bench",
        about: "measure sampling, blending, hierarchy and skinning, and write docs/performance.md",
        run: Run::Plain(bench::all),
    },
    Task {
        name: "bench-build",
        about: "time a build of 1,000 small characters, and one where nothing has changed",
        run: Run::Plain(bench::build),
    },
    Task {
        name: "count",
        about: "count the instructions of those workloads, and compare them with the recorded counts",
        run: Run::Plain(count::run),
    },
    Task {
        name: "demo",
        about: "write synthetic characters into target/demo, check, compile, play and show them",
        run: Run::Plain(demo::run),
    },
    Task {
        name: "fuzz",
        about: "fuzz every reader, or those named: [--minutes N] [TARGET…]",
        run: Run::With(fuzz::run),
    },
    Task {
        name: "images",
        about: "draw the pictures of README and docs again",
        run: Run::Plain(demo::images),
    },
    Task {
        name: "stress",
        about: "kill builds, fill the disk, build side by side, rewrite sources meanwhile: [--rounds N] [kill|full|parallel|storm…]",
        run: Run::With(stress::run),
    },
    Task {
        name: "test",
        about: "format check, clippy, all tests (also with the lowest glam), doc tests, documentation",
        run: Run::Plain(test::run),
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
        [name, ref arguments @ ..] => match TASKS.iter().find(|task| task.name == name) {
            Some(task) => task.start(arguments),
            None => bad_usage(&format!("unknown command `{name}`")),
        },
        [] => bad_usage("no command given"),
    }
}

impl Task {
    fn start(&self, arguments: &[&str]) -> ExitCode {
        match self.run {
            Run::Plain(run) if arguments.is_empty() => run(),
            Run::Plain(_) => bad_usage(&format!("`{}` takes no arguments", self.name)),
            Run::With(run) => run(arguments).unwrap_or_else(|complaint| bad_usage(&complaint)),
        }
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
    text + "\n\n`count`, `demo`, `fuzz`, `images`, `stress` and `test` first check that the machine has what they need; on Debian and Ubuntu they install what is missing."
}
