//! Compiled files that no longer belong to a character of the project.

use super::stamp::Stamp;
use super::{Project, ProjectError, Target};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

impl Project {
    /// Compiled files in the output folder, with their stamps, whose character the project no longer has. Files without a stamp were not
    /// built here and are not among them.
    pub fn orphans(&self) -> Result<Vec<PathBuf>, ProjectError> {
        let jobs = self.jobs(&Target::ALL, &[])?;
        let outputs = jobs.iter().flat_map(|job| &job.outputs);
        let own: BTreeSet<&Path> = outputs.map(|output| output.stamp.as_path()).collect();
        let out = self.folder().join(&self.settings().build.out);
        let stamps =
            std::fs::read_dir(out.join(".sinew")).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut orphans = Vec::new();
        for stamp in stamps.filter(|stamp| !own.contains(stamp.as_path())) {
            let Some(read) = Stamp::read(&stamp) else { continue };
            let is_plain = |file: &&str| {
                Path::new(file).components().all(|part| matches!(part, std::path::Component::Normal(_)))
            };
            orphans.extend(
                read.outputs().filter(is_plain).map(|file| out.join(file)).filter(|path| path.is_file()),
            );
            orphans.push(stamp);
        }
        orphans.sort();
        Ok(orphans)
    }
}
