//! Reads rigged characters and their clips faithfully, and says what was odd about them.
//!
//! [`import`] turns a file into an [`Imported`]: a [`sinew::Character`], the source format's own
//! [evaluator](SourceEvaluator) of its clips, and the [findings](sinew::Finding). Every quirk has a handling mode in [`Options`].
//!
//! Pages: [`page_fbx`], [`page_collada`], [`page_gltf`], [`page_bvh`], [`page_vrm`].
//!
//! [`load()`] reads a character with its animation files and merges their clips by joint name; [`manifest`] reads characters that are split into
//! many files.
//!
//! Modules: one folder per format (`fbx`, `collada`, `gltf`, `bvh`, and `bundle` and `xnb` for compiled characters), `load` and `merge` for one character from
//! several files, and what all formats share: `space` changes axes and unit, `resample` turns curves into keys within a tolerance, `weights` keeps
//! the strongest influences, `retarget` carries clips of other humanoids over, [`textures`] looks for pictures, `decompose` turns matrices into translation, rotation and scale, `limits` bounds what
//! a file may ask for, which `budget` counts.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]
// Reading a file must never panic.
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::unreachable,
        clippy::indexing_slicing
    )
)]

pub mod bundle;
pub mod collada;
pub mod euler;
pub mod manifest;
pub mod tags;
pub mod textures;

mod budget;
mod bvh;
mod cameras_lights;
mod decompose;
mod error;
mod fbx;
mod format;
mod gltf;
mod json_cost;
mod json_error;
mod limits;
mod load;
mod merge;
mod number;
mod options;
mod resample;
mod retarget;
mod scan;
mod shading;
mod size;
mod source;
mod space;
mod vrm;
mod weights;
mod xnb;

use budget::Budget;
pub use error::{Cause, ImportError};
pub use format::Format;
pub use limits::Limits;
pub use load::{LoadError, Loaded, Source, Sources, load, load_from, load_with, read, read_from};
pub use merge::{
    ClipOrigin, MatchTable, MergeError, Merged, MergedCharacter, UniqueNames, match_file, merge, merge_all,
    stem,
};
pub use options::{EulerUnit, Given, InfluenceLimit, Options, Resample, SpaceMode, UpAxis};
pub use retarget::{Locks, MapFile, RetargetOptions, Retargeted, Retargeting, retarget, retarget_files};
pub use scan::{find_sources, format_of};
pub use source::{SourceClip, SourceInfo, SourceJoint};
pub use tags::TagTable;
pub use vrm::{EXPRESSION_PREFIX, Expression, Vrm, VrmVersion};

use sinew::{Character, Finding, Transform};
use sinew_files::{Cache, Disk, FileRecord, Files, Recorder};
use sinew_findings::catalogue::import as findings;
use std::path::Path;
use std::sync::Arc;

/// What a source file holds.
pub struct Imported {
    /// Skeleton, meshes, materials and clips.
    pub character: Character,
    /// Where its parts come from in the source, for tools.
    pub source: SourceInfo,
    /// The source format's own evaluator of the clips.
    pub evaluator: Box<dyn SourceEvaluator>,
    /// What was odd, in the order in which it was met.
    pub findings: Vec<Finding>,
    /// The nodes that COLLADA clip files without a scene are bound to.
    pub clip_nodes: Option<collada::ClipNodes>,
    /// Every file that was read for it and every one that was not found, the file itself first.
    pub files: Vec<FileRecord>,
}

impl std::fmt::Debug for Imported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Imported")
            .field("character", &self.character)
            .field("findings", &self.findings)
            .finish_non_exhaustive()
    }
}

/// Evaluates the joints of one clip at a time.
pub type Evaluate<'a> = Box<dyn Fn(f64, &mut [Transform]) + 'a>;

/// The source format's own evaluation of its clips, against which tests and certificates measure keys.
pub trait SourceEvaluator: Send + Sync {
    /// Local transforms of a clip at a time, in joint order and in the space of the character; the time counts from the clip's start.
    /// An unknown clip gives the rest; joints beyond the end of `out` are left out.
    fn locals(&self, clip: usize, time: f64, out: &mut [Transform]);

    /// [`SourceEvaluator::locals`] of one clip for many times: the same numbers but for rounding, by a shorter way where there is one. What proves a result uses `locals`
    /// too.
    fn often(&self, clip: usize) -> Evaluate<'_> {
        Box::new(move |time, out| self.locals(clip, time, out))
    }

    /// Scalars of a clip at a time, in the order of the skeleton's scalars.
    fn scalars(&self, clip: usize, time: f64, out: &mut [f32]);
}

/// Reads a file, whose format is told by its content and else by its extension.
pub fn import(path: &Path, options: &Options) -> Result<Imported, ImportError> {
    let files: Arc<dyn Files> = Arc::new(Cache::new(Disk));
    import_from(&files, path, options)
}

/// The same from any place that files are read from.
pub fn import_from(files: &Arc<dyn Files>, path: &Path, options: &Options) -> Result<Imported, ImportError> {
    let bytes = files.read(path, options.limits.bytes);
    let bytes = bytes.map_err(|error| ImportError::new(path, error.into()))?;
    let record = || FileRecord::of_content(path, &bytes);
    import_beside(&bytes, path, files.clone(), options, record)
}

/// Reads a file that is in memory already. `path` names it and says where on disk the files are that it refers to.
pub fn import_bytes(bytes: &[u8], path: &Path, options: &Options) -> Result<Imported, ImportError> {
    limits::check("bytes", bytes.len() as u64, options.limits.bytes)
        .map_err(|cause| ImportError::new(path, cause))?;
    let record = || FileRecord::of_bytes(path, bytes);
    import_beside(bytes, path, Arc::new(Cache::new(Disk)), options, record)
}

/// Reads the bytes of a file while its record is made: hashing takes as long as a third of reading a COLLADA file.
fn import_beside(
    bytes: &[u8],
    path: &Path,
    files: Arc<dyn Files>,
    options: &Options,
    record: impl FnOnce() -> FileRecord + Send,
) -> Result<Imported, ImportError> {
    let (files, budget) = (recorder(files, options), Budget::new(&options.limits));
    let (imported, record) = rayon::join(|| import_recorded(bytes, path, &files, options, &budget), record);
    files.add_late(record).map_err(|error| ImportError::new(path, error.into()))?;
    Ok(Imported { files: files.records_from(path), ..imported? })
}

/// A recorder that knows what was read for the options already.
fn recorder(files: Arc<dyn Files>, options: &Options) -> Recorder {
    let recorder = Recorder::new(files);
    options.tags.file.iter().for_each(|file| recorder.add(file.clone()));
    recorder
}

/// Reads the bytes of a file, and the files that it refers to through a recorder, whose records are not in the result yet. The budget may have
/// been used before.
fn import_recorded(
    bytes: &[u8],
    path: &Path,
    files: &Recorder,
    options: &Options,
    budget: &Budget<'_>,
) -> Result<Imported, ImportError> {
    if let Some(cause) = format::other_kind(bytes) {
        return Err(ImportError::new(path, cause));
    }
    let imported = match Format::detect(bytes, path) {
        _ if bytes.is_empty() => Err(Cause::Empty),
        Some(Format::Fbx) => fbx::import(bytes, path, files, options, budget),
        Some(Format::Gltf) => gltf::import(bytes, path, files, options, budget),
        Some(Format::Collada) => collada::import(bytes, path, files, options, budget),
        Some(Format::Bundle) => bundle::import(bytes, path, files, options),
        Some(Format::Bvh) => bvh::import(bytes, path, options, budget),
        Some(Format::Xnb) => xnb::import(bytes, path, files, options, budget),
        None => Err(Cause::UnknownFormat),
    };
    let mut imported = imported.map_err(|cause| ImportError::new(path, cause))?;
    if imported.character.skeleton().is_empty() && imported.character.meshes().is_empty() {
        let message = "there is neither a joint nor a mesh in it";
        imported.findings.push(Finding::new(&findings::NOTHING_IN_IT, "the file", message));
    }
    Ok(imported)
}

#[cfg(any(doc, doctest))]
#[doc = include_str!("../../../docs/bvh.md")]
pub mod page_bvh {}

#[cfg(any(doc, doctest))]
#[doc = include_str!("../../../docs/collada.md")]
pub mod page_collada {}

#[cfg(any(doc, doctest))]
#[doc = include_str!("../../../docs/fbx.md")]
pub mod page_fbx {}

#[cfg(any(doc, doctest))]
#[doc = include_str!("../../../docs/gltf.md")]
pub mod page_gltf {}

#[cfg(any(doc, doctest))]
#[doc = include_str!("../../../docs/vrm.md")]
pub mod page_vrm {}
