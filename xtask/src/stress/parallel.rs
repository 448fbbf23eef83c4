//! Builds of one project side by side, all with the same process id, as in containers that share a folder.

use super::check::Figures;
use super::project::{Project, complaint};
use std::process::{Child, Command, Stdio};

/// Builds at the same time.
const BUILDS: usize = 6;

/// What starts a program as process 1 of a namespace of its own: as root, and as anybody.
const NAMESPACES: [&[&str]; 2] =
    [&["unshare", "--pid", "--fork"], &["unshare", "--user", "--map-root-user", "--pid", "--fork"]];

pub(super) fn run(project: &mut Project, rounds: usize) -> Result<Figures, String> {
    let mut figures = Figures::default();
    let namespace = NAMESPACES.into_iter().find(|words| gives_process_one(words));
    for _ in 0..rounds {
        project.change_all()?;
        let builds: Vec<Child> =
            (0..BUILDS).map(|_| start(project, namespace.unwrap_or_default())).collect::<Result<_, _>>()?;
        for build in builds {
            let output = build.wait_with_output().map_err(|error| format!("sinew: {error}"))?;
            if !output.status.success() {
                figures.wrong(format!("one of several builds failed: {}", complaint(&output)));
            }
        }
        // Before any other build: none of them may leave anything.
        figures.check_now(project)?;
        figures.check_next_build(project)?;
    }
    let ids = match namespace {
        Some(_) => "all with process id 1",
        None => "with process ids of their own, since `unshare` is not allowed here",
    };
    figures.note = format!("{BUILDS} builds at a time, {ids}");
    Ok(figures)
}

fn start(project: &Project, namespace: &[&str]) -> Result<Child, String> {
    let mut command = project.command_in(namespace, &["build"]);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().map_err(|error| format!("sinew: {error}"))
}

fn gives_process_one(words: &[&str]) -> bool {
    let [program, rest @ ..] = words else { return false };
    let output = Command::new(program).args(rest).args(["sh", "-c", "echo $$"]).output();
    output.is_ok_and(|output| output.status.success() && output.stdout.trim_ascii() == b"1")
}
