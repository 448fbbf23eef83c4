//! Files that no character may be written over.

use super::compile::Compiled;
use super::job::{Job, Output};
use super::stamp::Stamp;
use super::target::Written;
use sinew_files::{Cache, Disk, FileId, Files, Recorder, overwritten};
use sinew_import::read_from;
use std::cell::LazyCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The input files of all characters of a project, those that are not built included.
pub(super) struct Sources<'a> {
    jobs: Vec<&'a Job>,
    named: Known,
    /// What the sources themselves refer to. To know that they must be read, so it is known only where it is needed.
    referred: OnceLock<Known>,
}

/// Files by what tells them apart, whatever their names.
struct Known(HashMap<FileId, PathBuf>);

impl Known {
    fn new(paths: impl Iterator<Item = PathBuf>) -> Self {
        Self(paths.filter_map(|path| Some((FileId::of(&path)?, path))).collect())
    }

    /// Asked again: a source that was replaced meanwhile has left its identity to any new file.
    fn source(&self, id: &FileId) -> Option<&Path> {
        self.0.get(id).filter(|source| FileId::of(source).as_ref() == Some(id)).map(PathBuf::as_path)
    }
}

impl<'a> Sources<'a> {
    pub(super) fn of(jobs: &'a [Job]) -> Self {
        // All jobs of a project have the same neighbours.
        let neighbours = jobs.first().map_or(&[][..], |job| &job.neighbours);
        let jobs: Vec<&Job> = jobs.iter().chain(neighbours).collect();
        let named = Known::new(jobs.iter().flat_map(|job| job.inputs()));
        Self { jobs, named, referred: OnceLock::new() }
    }

    pub(super) fn contains(&self, file: FileId) -> bool {
        self.named.0.contains_key(&file)
    }

    /// An output that is a source, of this character or another, and that source.
    pub(super) fn overwritten(
        &self,
        compiled: &Compiled,
        output: &Output,
        written: &Written,
    ) -> Option<(PathBuf, PathBuf)> {
        let read = || compiled.files.iter().filter(|record| record.digest.is_some());
        let folder = output.path.parent().unwrap_or(Path::new(""));
        let stamp = LazyCell::new(|| Stamp::read(&output.stamp));
        written.paths(folder).chain([output.stamp.clone()]).find_map(|path| {
            // What is not there yet is no source.
            let id = FileId::of(&path)?;
            let source = self.named.source(&id);
            let source = source.or_else(|| overwritten(&path, read().map(|record| &*record.path)));
            let source = source.or_else(|| {
                let is_ours = path == output.stamp || stamp.as_ref().is_some_and(|s| s.wrote(folder, &path));
                if is_ours { None } else { self.referred().source(&id) }
            });
            Some((path.clone(), source?.to_owned()))
        })
    }

    /// Every file that is read for any of the characters.
    fn referred(&self) -> &Known {
        self.referred.get_or_init(|| Known::new(self.jobs.iter().flat_map(|job| files_of(job))))
    }
}

/// Every file that reading the sources of a character takes. What cannot be read is told when it is built.
fn files_of(job: &Job) -> impl Iterator<Item = PathBuf> + use<> {
    let recorder = Arc::new(Recorder::new(Arc::new(Cache::new(Disk))));
    let files: Arc<dyn Files> = recorder.clone();
    let mut records = Vec::new();
    for file in &job.files {
        records
            .extend(read_from(&files, &job.path(file), &job.options).into_iter().flat_map(|read| read.files));
    }
    let records = records.into_iter().chain(recorder.records());
    records.filter(|record| record.digest.is_some()).map(|record| record.path)
}
