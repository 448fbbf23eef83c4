//! The project that is built: its sources in two versions, and what each mixture of them compiles to.

use super::{Programs, Random};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// Which version of each changing file of a character there is: bit `i` is set for version B of file `i`.
pub(super) type Mix = usize;

/// A file that differs between the versions: its path within the project, and the content of both.
pub(super) struct Source {
    path: PathBuf,
    versions: [Vec<u8>; 2],
}

/// A character of the project.
pub(super) struct Character {
    pub(super) name: String,
    pub(super) sources: Vec<Source>,
    /// Which mixture of its sources lies in the project.
    pub(super) now: Mix,
}

impl Character {
    pub(super) fn mixes(&self) -> usize {
        1 << self.sources.len()
    }

    /// Its compiled files and their stamps, seen from the output folder.
    pub(super) fn outputs(&self) -> [(String, String); 2] {
        ["sinew", "glb"].map(|target| {
            let file = format!("{}.{target}", self.name);
            let stamp = format!(".sinew/{file}.json");
            (file, stamp)
        })
    }
}

/// How a file is rewritten.
#[derive(Clone, Copy)]
pub(super) enum How {
    /// It is emptied and filled again.
    InPlace,
    /// Another is renamed to it.
    Rename,
}

/// The project.
pub(super) struct Project {
    programs: Programs,
    folder: PathBuf,
    pub(super) characters: Vec<Character>,
    /// What lies in the output folder after a build in peace: content by name and mixture of the character.
    references: BTreeMap<(String, Mix), Vec<u8>>,
    /// How long a build of everything takes.
    pub(super) usual: Duration,
    pub(super) random: Random,
    /// The longest time that rewriting a source in place took: it may be empty for as long.
    pub(super) longest: Duration,
}

impl Project {
    /// Writes the project into a new folder and builds all mixtures.
    pub(super) fn new(folder: &Path, programs: Programs) -> Result<Self, String> {
        if folder.exists() {
            fs::remove_dir_all(folder).map_err(|error| about(folder, &error))?;
        }
        succeed(Command::new(&programs.versions).arg(folder), "writing the project")?;
        let characters = characters(&[folder.join("a"), folder.join("b")])?;
        let mut project = Self {
            programs,
            folder: folder.join("a"),
            characters,
            references: BTreeMap::new(),
            usual: Duration::ZERO,
            random: Random(1),
            longest: Duration::ZERO,
        };
        project.build_references()?;
        Ok(project)
    }

    /// The mixtures of one character are built together with those of the others, in as many builds as one has mixtures.
    fn build_references(&mut self) -> Result<(), String> {
        let mixes = self.characters.iter().map(Character::mixes).max().unwrap_or(0);
        for mix in 0..mixes {
            self.set(|character, _| mix % character.mixes())?;
            let start = Instant::now();
            succeed(&mut self.command(&["build"]), "building a reference")?;
            self.usual = start.elapsed();
            for character in &self.characters {
                for name in character.outputs().into_iter().flat_map(<[String; 2]>::from) {
                    let path = self.out().join(&name);
                    let bytes = fs::read(&path).map_err(|error| about(&path, &error))?;
                    let same = |((known, other), content): (&(String, Mix), &Vec<u8>)| {
                        *known == name && *other != character.now && *content == bytes
                    };
                    if self.references.iter().any(same) {
                        return Err(format!("{name} is the same for two mixtures of its sources"));
                    }
                    self.references.insert((name, character.now), bytes);
                }
            }
        }
        Ok(())
    }

    /// Everything is built from version A.
    pub(super) fn start_afresh(&mut self) -> Result<(), String> {
        self.remove_outputs()?;
        self.set(|_, _| 0)?;
        succeed(&mut self.command(&["build"]), "the build before a scenario")
    }

    pub(super) fn remove_outputs(&self) -> Result<(), String> {
        let out = self.out();
        if !out.exists() {
            return Ok(());
        }
        fs::remove_dir_all(&out).map_err(|error| about(&out, &error))
    }

    /// The folder of the compiled files.
    pub(super) fn out(&self) -> PathBuf {
        self.folder.join("build")
    }

    /// What a build in peace gives.
    pub(super) fn reference(&self, name: &str, mix: Mix) -> Option<&[u8]> {
        self.references.get(&(name.to_owned(), mix)).map(Vec::as_slice)
    }

    /// Which mixture a file in the output folder was built from.
    pub(super) fn mix_of(&self, name: &str, bytes: &[u8]) -> Option<Mix> {
        let mut files = self.references.iter().filter(|((known, _), _)| known == name);
        files.find_map(|((_, mix), content)| (content == bytes).then_some(*mix))
    }

    /// Writes the sources of a mixture for each character.
    fn set(&mut self, choose: impl Fn(&Character, &mut Random) -> Mix) -> Result<(), String> {
        for character in 0..self.characters.len() {
            let mix = choose(&self.characters[character], &mut self.random);
            for source in 0..self.characters[character].sources.len() {
                if (self.characters[character].now ^ mix) >> source & 1 == 1 {
                    self.rewrite(character, source, How::Rename)?;
                }
            }
        }
        Ok(())
    }

    /// Changes at least one source of each character.
    pub(super) fn change_all(&mut self) -> Result<(), String> {
        self.set(|character, random| character.now ^ (1 + random.below(character.mixes() - 1)))
    }

    /// Writes the other version of a source.
    pub(super) fn rewrite(&mut self, character: usize, source: usize, how: How) -> Result<(), String> {
        let character = &mut self.characters[character];
        character.now ^= 1 << source;
        let Source { path, versions } = &character.sources[source];
        let bytes = &versions[character.now >> source & 1];
        let path = self.folder.join(path);
        let start = Instant::now();
        let written = match how {
            How::InPlace => {
                fs::write(&path, bytes).inspect(|()| self.longest = self.longest.max(start.elapsed()))
            }
            How::Rename => {
                let new = path.with_extension("new");
                fs::write(&new, bytes).and_then(|()| fs::rename(&new, &path))
            }
        };
        written.map_err(|error| about(&path, &error))
    }

    /// A call of `sinew` for the project.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.programs.sinew);
        command.args(arguments).arg(&self.folder);
        command
    }

    /// The same call within another program, whose last argument it is.
    pub(super) fn command_in(&self, outer: &[&str], arguments: &[&str]) -> Command {
        let [program, rest @ ..] = outer else { return self.command(arguments) };
        let mut command = Command::new(program);
        command.args(rest).arg(&self.programs.sinew).args(arguments).arg(&self.folder);
        command
    }
}

/// A folder is a character if files in it differ between the versions.
fn characters(versions: &[PathBuf; 2]) -> Result<Vec<Character>, String> {
    let mut files = Vec::new();
    walk(&versions[0], &mut files).map_err(|error| about(&versions[0], &error))?;
    files.sort();
    let mut characters: Vec<Character> = Vec::new();
    for file in files {
        let path = file.strip_prefix(&versions[0]).unwrap_or(&file).to_owned();
        let read = |folder: &PathBuf| fs::read(folder.join(&path)).map_err(|error| about(&path, &error));
        let versions = [read(&versions[0])?, read(&versions[1])?];
        if versions[0] == versions[1] {
            continue;
        }
        let name = path.iter().next().unwrap_or_default().to_string_lossy().into_owned();
        let source = Source { path, versions };
        match characters.last_mut().filter(|last| last.name == name) {
            Some(last) => last.sources.push(source),
            None => characters.push(Character { name, sources: vec![source], now: 0 }),
        }
    }
    Ok(characters)
}

/// Adds all files below a folder.
pub(super) fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { walk(&path, files)? } else { files.push(path) }
    }
    Ok(())
}

/// An error with the path that it is about.
pub(super) fn about(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

/// Runs a command that must succeed.
pub(super) fn succeed(command: &mut Command, what: &str) -> Result<(), String> {
    match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(format!("{what} failed: {}", complaint(&output))),
        Err(error) => Err(format!("{what} did not start: {error}")),
    }
}

/// What a command said when it failed.
pub(super) fn complaint(output: &Output) -> String {
    format!("{}, {}", output.status, String::from_utf8_lossy(&output.stderr).trim())
}
