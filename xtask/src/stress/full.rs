//! Builds that run out of space.

use super::check::Figures;
use super::project::{Character, Mix, Project, complaint, succeed};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

/// Space for everything.
const ROOMY: &str = "size=64m";

pub(super) fn run(project: &mut Project, rounds: usize) -> Result<Figures, String> {
    let mut figures = Figures::default();
    let disk = Disk::mount(project)?;
    figures.check_next_build(project)?;
    let largest = largest_output(project);
    for round in 0..rounds {
        let before: Vec<(String, Mix)> =
            project.characters.iter().map(|character| (character.name.clone(), character.now)).collect();
        project.change_all()?;
        // Never enough for the largest file beside its old version.
        let output = disk.build_with_free(project, largest * round as u64 / rounds as u64)?;
        if output.status.success() || !says_why(&output) {
            figures.wrong(format!("a build without space: {}", complaint(&output)));
        }
        let old = |character: &Character, mix| before.contains(&(character.name.clone(), mix));
        figures.check_whole(project, |character, mix| mix == character.now || old(character, mix));
        figures.check_next_build(project)?;
    }
    figures.note = match disk.mounted {
        Some(_) => "on a small file system in memory".to_owned(),
        None => "by a limit on the size of files, since `mount` is not allowed here".to_owned(),
    };
    Ok(figures)
}

fn largest_output(project: &Project) -> u64 {
    let names = project.characters.iter().flat_map(Character::outputs);
    names.filter_map(|(file, _)| Some(fs::metadata(project.out().join(file)).ok()?.len())).max().unwrap_or(0)
}

/// The message names a file in the output folder and the reason that the system gave.
fn says_why(output: &Output) -> bool {
    let text = String::from_utf8_lossy(&output.stderr);
    text.contains("build") && (text.contains("No space left") || text.contains("File too large"))
}

/// A file system in memory at the place of the output folder, if that can be mounted. It is unmounted when this is dropped.
struct Disk {
    mounted: Option<PathBuf>,
}

impl Disk {
    fn mount(project: &Project) -> Result<Self, String> {
        let out = project.out();
        project.remove_outputs()?;
        fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", ROOMY, "tmpfs"]).arg(&out);
        let mounted = command.output().is_ok_and(|output| output.status.success());
        Ok(Self { mounted: mounted.then_some(out) })
    }

    /// Builds with so many bytes of free space, or, without a file system of our own, with files of at most so many bytes.
    fn build_with_free(&self, project: &Project, free: u64) -> Result<Output, String> {
        let Some(out) = &self.mounted else {
            let script = format!("trap '' XFSZ; ulimit -f {}; exec \"$@\"", free / BLOCK);
            let mut command = project.command_in(&["sh", "-c", &script, "sh"], &["build"]);
            return command.output().map_err(|error| format!("sh: {error}"));
        };
        self.resize(&format!("size={}", used(out)? + free))?;
        let output = project.command(&["build"]).output().map_err(|error| format!("sinew: {error}"));
        self.resize(ROOMY)?;
        output
    }

    fn resize(&self, size: &str) -> Result<(), String> {
        let Some(out) = &self.mounted else { return Ok(()) };
        succeed(Command::new("mount").args(["-o", &format!("remount,{size}")]).arg(out), "resizing")
    }
}

/// The unit of `ulimit -f`.
const BLOCK: u64 = 512;

/// Bytes that are used on the file system of a folder.
fn used(folder: &PathBuf) -> Result<u64, String> {
    let output = Command::new("df").args(["-P", "-k"]).arg(folder).output();
    let text = output.map_err(|error| format!("df: {error}"))?.stdout;
    let text = String::from_utf8_lossy(&text);
    let kilobytes = text.lines().last().and_then(|line| line.split_whitespace().nth(2)?.parse::<u64>().ok());
    kilobytes.map(|kilobytes| kilobytes * 1024).ok_or_else(|| format!("df printed {text}"))
}

impl Drop for Disk {
    fn drop(&mut self) {
        if let Some(out) = &self.mounted {
            let _ = Command::new("umount").arg(out).status();
        }
    }
}
