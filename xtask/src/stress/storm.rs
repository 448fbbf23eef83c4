//! Sources that are rewritten while they are built: in place and by renaming, textures and buffers too.

use super::check::Figures;
use super::project::{Character, How, Mix, Project, complaint};
use std::collections::BTreeSet;
use std::fs;
use std::process::{Child, Output, Stdio};

/// Rewrites during one build, at most.
const REWRITES: usize = 4;

/// Which mixtures of each character's sources lay in the project during a build.
type Seen = Vec<BTreeSet<Mix>>;

pub(super) fn run(project: &mut Project, rounds: usize) -> Result<Figures, String> {
    let mut figures = Figures::default();
    let (mut rewrites, mut refused) = (0, 0);
    for round in 0..rounds {
        let mut command = project.command(&["build"]);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        let build = command.spawn().map_err(|error| format!("sinew: {error}"))?;
        let (output, seen, count) = rewrite_during(build, project)?;
        rewrites += count;
        refused += usize::from(!output.status.success());
        check(&mut figures, project, &output, &seen);
        // Every other time the next storm begins with what this one left.
        if round % 2 == 1 || round + 1 == rounds {
            figures.check_next_build(project)?;
        }
    }
    let longest = project.longest.as_millis();
    figures.note = format!("{rewrites} rewrites, the longest {longest} ms; {refused} builds refused");
    Ok(figures)
}

/// Rewrites sources at random times until a build is done or there were enough.
fn rewrite_during(build: Child, project: &mut Project) -> Result<(Output, Seen, usize), String> {
    let mut seen: Seen = project.characters.iter().map(|character| BTreeSet::from([character.now])).collect();
    let count = 1 + project.random.below(REWRITES);
    for _ in 0..count {
        let pause = project.usual.mul_f64(project.random.unit() / count as f64);
        std::thread::sleep(pause);
        let character = project.random.below(project.characters.len());
        let source = project.random.below(project.characters[character].sources.len());
        let how = if project.random.below(2) == 0 { How::InPlace } else { How::Rename };
        project.rewrite(character, source, how)?;
        seen[character].insert(project.characters[character].now);
    }
    let output = build.wait_with_output().map_err(|error| format!("sinew: {error}"))?;
    Ok((output, seen, count))
}

/// A build that succeeds gives files of sources that lay side by side meanwhile. One that fails says that a file changed.
fn check(figures: &mut Figures, project: &Project, output: &Output, seen: &Seen) {
    if output.status.success() {
        let all: Vec<(&Character, &BTreeSet<Mix>)> = project.characters.iter().zip(seen).collect();
        figures.check_whole(project, |character, mix| {
            all.iter().any(|(known, seen)| known.name == character.name && seen.contains(&mix))
        });
    } else {
        figures.check_whole(project, |_, _| true);
        if !String::from_utf8_lossy(&output.stderr).contains("changed") {
            figures.wrong(format!("a build failed for another reason: {}", complaint(output)));
        }
    }
    for (file, stamp) in project.characters.iter().flat_map(Character::outputs) {
        let of = |name: &str| project.mix_of(name, &fs::read(project.out().join(name)).unwrap_or_default());
        if of(&file) != of(&stamp) {
            figures.stale(format!("{file} is of {:?}, its stamp of {:?}", of(&file), of(&stamp)));
        }
    }
}
