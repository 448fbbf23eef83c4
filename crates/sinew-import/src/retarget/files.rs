//! Retargeting whole files.

use super::{Locks, retarget};
use crate::{Cause, ImportError, Imported, Options, read_from};
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use sinew::{BoneMap, Character};
use sinew_files::{FileRecord, Files, Recorder};
use sinew_retarget::Role;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

/// A bone map that was read, and the record of its file.
#[derive(Clone, Debug, Default)]
pub struct MapFile {
    /// The map.
    pub map: BoneMap,
    /// What was read for it; nothing for a map that is not in a file.
    pub files: Vec<FileRecord>,
}

impl MapFile {
    /// Reads a bone map: TOML, as [`BoneMap::from_toml`] describes.
    pub fn read(files: &Arc<dyn Files>, path: &Path, options: &Options) -> Result<Self, ImportError> {
        let wrong = |cause: Cause| ImportError::new(path, cause);
        let files = Recorder::new(files.clone());
        let bytes = files.read(path, options.limits.bytes).map_err(|error| wrong(error.into()))?;
        let text =
            std::str::from_utf8(&bytes).map_err(|error| wrong(Cause::malformed(error.to_string(), "")))?;
        let map = BoneMap::from_toml(text).map_err(|error| wrong(Cause::BoneMap(error.to_string())))?;
        Ok(Self { map, files: files.records_from(path) })
    }
}

/// How files of other humanoids are retargeted.
#[derive(Clone, Debug, Default)]
pub struct RetargetOptions {
    /// A bone map of the sources.
    pub map: MapFile,
    /// Roles that the target's file gives itself ([`crate::SourceInfo::known_roles`]); those of the sources are taken from their files.
    pub target_roles: Vec<(Role, u16)>,
    /// Whether feet and hands are kept where the source has them.
    pub locks: Locks,
    /// Threads of [`retarget_files`]; one per core if not given.
    pub threads: Option<NonZeroUsize>,
}

/// Reads files of other humanoids, in parallel, as if their clips had been made for `target`; see [`retarget`]. `done` is called after each. Fails with
/// the first of them that cannot be read or retargeted.
pub fn retarget_files<P: AsRef<Path> + Sync>(
    files: &Arc<dyn Files>,
    target: &Character,
    sources: &[P],
    how: &RetargetOptions,
    options: &Options,
    done: impl Fn() + Sync,
) -> Result<Vec<Imported>, ImportError> {
    let one = |path: &P| {
        let path = path.as_ref();
        let source = read_from(files, path, options)?;
        let made = retarget(source, path, target, how, options)?;
        done();
        Ok(made)
    };
    let all = || sources.par_iter().map(one).collect::<Vec<_>>().into_iter().collect();
    let pool = how.threads.map(|threads| ThreadPoolBuilder::new().num_threads(threads.get()).build());
    match pool {
        Some(Ok(pool)) => pool.install(all),
        // A system that gives no more threads still has those that there are.
        Some(Err(_)) | None => all(),
    }
}
