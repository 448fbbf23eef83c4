//! Compiled files that the project no longer makes.

use super::sources::Sources;
use super::stamp::{Digested, Stamp, name_of};
use super::{Project, ProjectError, Target};
use sinew_files::FileId;
use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A compiled file that the project built and no longer makes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Orphan {
    /// Its path.
    pub path: PathBuf,
    /// Whether it is no longer as it was built: someone may need what is in it, so it is not removed.
    pub is_changed: bool,
}

/// All compiled files of a project that it no longer makes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Orphans {
    /// The files, by path.
    pub files: Vec<Orphan>,
    /// Stamps that are of no further use.
    stamps: Vec<PathBuf>,
    /// The output folder.
    out: PathBuf,
}

impl Orphans {
    /// Removes the files that are as they were built, and folders in the output folder that are empty then. An error comes with the path of its file.
    pub fn remove(&self) -> Result<(), (PathBuf, std::io::Error)> {
        let unchanged = self.files.iter().filter(|file| !file.is_changed).map(|file| &file.path);
        for path in unchanged.chain(&self.stamps) {
            std::fs::remove_file(path).map_err(|error| (path.clone(), error))?;
            let folders = path.ancestors().skip(1).take_while(|folder| *folder != self.out);
            // One that holds something is not removed.
            let _ = folders.map(std::fs::remove_dir).take_while(Result::is_ok).count();
        }
        Ok(())
    }
}

impl Project {
    /// Compiled files in the output folder that this project built, by their stamps, and no longer makes: their character or their target
    /// is gone, or they belong to a clip or texture that is. `targets` are made beside those that the project names.
    ///
    /// Files of other projects with the same output folder, and sources, are never among them.
    pub fn orphans(&self, targets: &[Target]) -> Result<Orphans, ProjectError> {
        let targets = [&self.settings().build.targets, targets].concat();
        let jobs = self.jobs(&targets, &[])?;
        let made = jobs.iter().flat_map(|job| &job.outputs);
        let made: BTreeSet<&Path> = made.map(|output| output.stamp.as_path()).collect();
        let out = self.folder().join(&self.settings().build.out);
        let name = name_of(self.file(), &out);
        let mut orphans = Orphans { out: out.clone(), ..Orphans::default() };
        let (mut kept, mut gone) = (BTreeSet::new(), BTreeMap::new());
        for (path, stamp) in stamps(&out) {
            let is_own = stamp.is_of(&name);
            let is_gone = is_own && !made.contains(path.as_path());
            if is_gone {
                orphans.stamps.push(path);
            } else {
                kept.extend(stamp.outputs().iter().map(|file| out.join(&file.file)));
            }
            let written = stamp.outputs().iter().filter(|_| is_gone);
            let left = written.chain(stamp.former().iter().filter(|_| is_own));
            gone.extend(left.filter(|file| file.is_plain()).map(|file| (out.join(&file.file), file.clone())));
        }
        // Mostly nothing is gone, and to look at all sources takes longer than all else here.
        let sources = LazyCell::new(|| Sources::of(&jobs));
        let is_left = |path: &PathBuf| {
            !kept.contains(path) && path.is_file() && FileId::of(path).is_none_or(|id| !sources.contains(id))
        };
        orphans.stamps.sort();
        let files = gone.into_iter().filter(|(path, _)| is_left(path));
        orphans.files = files.map(|(path, file)| orphan(path, &file)).collect();
        Ok(orphans)
    }
}

fn orphan(path: PathBuf, file: &Digested) -> Orphan {
    Orphan { is_changed: !file.is_in(&path), path }
}

/// All stamps in an output folder.
fn stamps(out: &Path) -> impl Iterator<Item = (PathBuf, Stamp)> {
    let entries = std::fs::read_dir(out.join(".sinew")).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter_map(|path| Stamp::read(&path).map(|stamp| (path, stamp)))
}
