//! What is counted, and what the output folder must look like.

use super::project::{Character, Mix, Project, about, complaint, walk};
use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, File};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// What a scenario found. All counts must be zero.
#[derive(Default)]
pub(super) struct Figures {
    /// Compiled files that are not whole, not there, or made of sources that never lay side by side; builds that failed and should not have, and the
    /// other way round.
    pub(super) wrong: usize,
    /// Files of earlier sources that a build left as if they were up to date.
    pub(super) stale: usize,
    /// Files that should not be in the output folder after the next build.
    pub(super) left_over: usize,
    /// What else is worth knowing.
    pub(super) note: String,
    /// The first problems in words.
    pub(super) problems: Vec<String>,
}

/// Problems that are printed.
const PRINTED: usize = 10;

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { wrong, stale, left_over, note, .. } = self;
        write!(f, "wrong {wrong}, stale {stale}, left over {left_over} ({note})")
    }
}

impl Figures {
    pub(super) fn are_zero(&self) -> bool {
        (self.wrong, self.stale, self.left_over) == (0, 0, 0)
    }

    pub(super) fn wrong(&mut self, problem: String) {
        self.wrong += 1;
        self.print(problem);
    }

    pub(super) fn stale(&mut self, problem: String) {
        self.stale += 1;
        self.print(problem);
    }

    fn print(&mut self, problem: String) {
        if self.problems.len() < PRINTED {
            self.problems.push(problem);
        }
    }

    /// Every compiled file that is there must be whole, and of one of the mixtures that may be.
    pub(super) fn check_whole(&mut self, project: &Project, may_be: impl Fn(&Character, Mix) -> bool) {
        for character in &project.characters {
            for (file, _) in character.outputs() {
                let Ok(bytes) = fs::read(project.out().join(&file)) else { continue };
                match project.mix_of(&file, &bytes) {
                    None => self.wrong(format!("{file} is not what any sources give, {} bytes", bytes.len())),
                    Some(mix) if !may_be(character, mix) => {
                        self.wrong(format!("{file} is of the sources {mix:b}, now {:b}", character.now));
                    }
                    Some(_) => {}
                }
            }
        }
    }

    /// A build that is left in peace must succeed, and give what the sources give that are there now.
    pub(super) fn check_next_build(&mut self, project: &Project) -> Result<(), String> {
        let output = project.command(&["build"]).output().map_err(|error| format!("sinew: {error}"))?;
        if !output.status.success() {
            self.wrong(format!("a build in peace failed: {}", complaint(&output)));
        }
        self.check_now(project)
    }

    /// The output folder must hold what the sources give that are there now, and nothing else.
    pub(super) fn check_now(&mut self, project: &Project) -> Result<(), String> {
        let mut expected = BTreeSet::new();
        for character in &project.characters {
            for name in character.outputs().into_iter().flat_map(<[String; 2]>::from) {
                let path = project.out().join(&name);
                match fs::read(&path) {
                    Err(error) => self.wrong(about(&path, &error)),
                    Ok(bytes) if project.reference(&name, character.now) == Some(&*bytes) => {}
                    Ok(bytes) => match project.mix_of(&name, &bytes) {
                        Some(mix) => self.stale(format!("{name}: of {mix:b}, now {:b}", character.now)),
                        None => self.wrong(format!("{name} is not what any sources give")),
                    },
                }
                expected.insert(path);
            }
        }
        for path in files(project)?.iter().filter(|path| !expected.contains(*path)) {
            self.left_over += 1;
            self.print(format!("{} is left over", path.display()));
        }
        let check =
            project.command(&["build", "--check"]).output().map_err(|error| format!("sinew: {error}"))?;
        if !check.status.success() {
            self.stale(format!(
                "out of date after a build: {}",
                String::from_utf8_lossy(&check.stdout).trim()
            ));
        }
        Ok(())
    }
}

/// Sets the dates of temporary files back by two days, as if their builds had died then; says how many there are.
pub(super) fn age_temporary_files(project: &Project) -> Result<usize, String> {
    let long_ago = SystemTime::now() - Duration::from_secs(2 * 24 * 60 * 60);
    let mut count = 0;
    for path in files(project)?.iter().filter(|path| path.extension().is_some_and(|end| end == "tmp")) {
        let file = File::options().append(true).open(path);
        file.and_then(|file| file.set_modified(long_ago)).map_err(|error| about(path, &error))?;
        count += 1;
    }
    Ok(count)
}

/// All files in the output folder.
fn files(project: &Project) -> Result<Vec<PathBuf>, String> {
    let (out, mut files) = (project.out(), Vec::new());
    if out.exists() {
        walk(&out, &mut files).map_err(|error| about(&out, &error))?;
    }
    Ok(files)
}
