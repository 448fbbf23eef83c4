//! Builds that are killed at any moment.

use super::check::{Figures, age_temporary_files};
use super::project::{Mix, Project};
use std::process::Stdio;

/// How often the first build of a project is killed, not one that replaces files.
const FIRST_EVERY: usize = 10;

pub(super) fn run(project: &mut Project, rounds: usize) -> Result<Figures, String> {
    let mut figures = Figures::default();
    let (mut killed, mut temporary) = (0, 0);
    for round in 0..rounds {
        if round % FIRST_EVERY == 0 {
            project.remove_outputs()?;
        }
        let before: Vec<Mix> = project.characters.iter().map(|character| character.now).collect();
        project.change_all()?;
        killed += usize::from(kill(project)?);
        let names: Vec<&str> = project.characters.iter().map(|character| &*character.name).collect();
        figures.check_whole(project, |character, mix| {
            let before = names.iter().zip(&before).find(|(name, _)| **name == character.name);
            mix == character.now || before.is_some_and(|(_, before)| mix == *before)
        });
        temporary += age_temporary_files(project)?;
        figures.check_next_build(project)?;
    }
    figures.note = format!("{killed} killed at work, {temporary} temporary files left by them");
    Ok(figures)
}

/// Starts a build and kills it. Returns false if it was done before.
fn kill(project: &mut Project) -> Result<bool, String> {
    let after = project.usual.mul_f64(project.random.unit());
    let mut command = project.command(&["build"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut build = command.spawn().map_err(|error| format!("sinew: {error}"))?;
    std::thread::sleep(after);
    // SIGKILL on Unix. An error means that the build is done.
    let _ = build.kill();
    let status = build.wait().map_err(|error| format!("sinew: {error}"))?;
    Ok(status.code().is_none())
}
