//! Loads a character from paths: imports the files (or a manifest's folder) and merges their clips.

use crate::manifest::{self, OpenOptions};
use crate::merge::{ClipOrigin, MatchTable, MergeError, MergedCharacter, merge_all};
use crate::{ImportError, Imported, Options, SourceInfo, TagTable};
use rayon::prelude::*;
use sinew::{Character, Finding, JointMap};
use sinew_files::{Cache, Disk, FileRecord, Files, merged};
use std::path::Path;
use std::sync::Arc;

/// A character's file and its animation files, imported.
#[derive(Debug)]
pub struct Sources {
    files: Vec<String>,
    imported: Vec<Imported>,
    tags: TagTable,
}

/// One imported file, as merging and examining see it.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Name of the file, as the user wrote it.
    pub file: &'a str,
    /// What it holds.
    pub character: &'a Character,
    /// Where the character's parts come from in the file.
    pub info: &'a SourceInfo,
    /// What was odd about it.
    pub findings: &'a [Finding],
}

impl<'a> Source<'a> {
    /// An imported file under a name.
    pub fn new(file: &'a str, imported: &'a Imported) -> Self {
        Self { file, character: &imported.character, info: &imported.source, findings: &imported.findings }
    }

    /// Its findings with the file's name in front of their places, which importers leave out.
    pub fn named_findings(&self) -> impl Iterator<Item = Finding> {
        self.findings.iter().map(|finding| match finding.place.starts_with(self.file) {
            true => finding.clone(),
            false => Finding { place: format!("{}: {}", self.file, finding.place), ..finding.clone() },
        })
    }
}

/// Why a character could not be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// A file cannot be read.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// The clips cannot be merged.
    #[error(transparent)]
    Merge(#[from] MergeError),
}

sinew_findings::error_codes! { LoadError {} passes on {
    Self::Import(error) => error;
    Self::Merge(error) => error;
} }

/// A character with the clips of all its files.
#[derive(Debug)]
pub struct Loaded {
    /// The character: everything of the first file, its own clips first.
    pub character: Character,
    /// Where its parts come from in their files.
    pub source: SourceInfo,
    /// Where each clip came from, in the order of the clips.
    pub origins: Vec<ClipOrigin>,
    /// From the joints and scalars of each file to the character's, by [`ClipOrigin::file`]: none for the character's own.
    pub maps: Vec<Option<JointMap>>,
    /// How the channels of each animation file were matched.
    pub tables: Vec<MatchTable>,
    /// What was odd about the files and about merging them.
    pub findings: Vec<Finding>,
    /// The imported files, for comparison.
    pub sources: Sources,
}

impl Sources {
    /// Reads the files in parallel. Fails with the first that cannot be read.
    pub fn import<P: AsRef<Path> + Sync>(
        character: impl AsRef<Path>,
        animations: &[P],
        options: &Options,
    ) -> Result<Self, ImportError> {
        let files: Arc<dyn Files> = Arc::new(Cache::new(Disk));
        Self::import_from(&files, character, animations, options)
    }

    /// The same from any place that files are read from. A [`Cache`] reads what several of them refer to once.
    pub fn import_from<P: AsRef<Path> + Sync>(
        files: &Arc<dyn Files>,
        character: impl AsRef<Path>,
        animations: &[P],
        options: &Options,
    ) -> Result<Self, ImportError> {
        let paths: Vec<&Path> =
            std::iter::once(character.as_ref()).chain(animations.iter().map(AsRef::as_ref)).collect();
        let imported: Vec<_> = paths.par_iter().map(|path| read_from(files, path, options)).collect();
        let names = paths.iter().map(|path| path.display().to_string()).collect();
        let imported = imported.into_iter().collect::<Result<_, _>>()?;
        Ok(Self { files: names, imported, tags: options.tags.clone() })
    }

    /// Files that were read with these options, under their names: the character's, and those of its animations.
    pub fn new(
        character: (String, Imported),
        animations: impl IntoIterator<Item = (String, Imported)>,
        options: &Options,
    ) -> Self {
        let (files, imported) = std::iter::once(character).chain(animations).unzip();
        Self { files, imported, tags: options.tags.clone() }
    }

    /// All files, the character's first.
    pub fn iter(&self) -> impl Iterator<Item = Source<'_>> {
        self.files.iter().zip(&self.imported).map(|(file, imported)| Source::new(file, imported))
    }

    /// The imported files themselves, the character's first.
    pub fn imported(&self) -> &[Imported] {
        &self.imported
    }

    /// Every file that was read for them and every one that was not found, sorted by path.
    pub fn files(&self) -> Vec<FileRecord> {
        merged(self.imported.iter().flat_map(|imported| &imported.files))
    }

    /// The character with the clips of the animation files.
    pub fn merged(&self) -> Result<MergedCharacter, MergeError> {
        let mut all = self.iter();
        match all.next() {
            Some(character) => merge_all(character, &all.collect::<Vec<_>>(), &self.tags),
            None => Err(MergeError::NoFile),
        }
    }

    /// Merges the clips of the animation files into the character.
    pub fn merge(self) -> Result<Loaded, MergeError> {
        let merged = self.merged()?;
        let mut findings = Vec::new();
        for source in self.iter() {
            findings.extend(source.named_findings());
        }
        findings.extend(merged.findings);
        Ok(Loaded {
            character: merged.character,
            source: merged.source,
            origins: merged.origins,
            maps: merged.maps,
            tables: merged.tables,
            findings,
            sources: self,
        })
    }
}

/// Reads a file, or a folder with a manifest and all the clips that it names.
pub fn read(path: &Path, options: &Options) -> Result<Imported, ImportError> {
    let cache = Arc::new(Cache::new(Disk));
    let files: Arc<dyn Files> = cache.clone();
    let imported = read_from(&files, path, options);
    // Clips of a manifest keep the `Files` they were read from.
    cache.clear();
    imported
}

/// The same from any place that files are read from.
pub fn read_from(files: &Arc<dyn Files>, path: &Path, options: &Options) -> Result<Imported, ImportError> {
    if !(manifest::is_manifest(path) || files.list(path).is_ok()) {
        return crate::import_from(files, path, options);
    }
    let options = OpenOptions::from_files(options.clone(), files.clone());
    Ok(manifest::open(path, &options)?.into_imported())
}

/// Reads a character and its animation files, and merges the clips by joint name.
///
/// ```no_run
/// let hero = sinew_import::load("hero.fbx", ["idle.fbx", "walk.fbx"])?;
/// assert!(hero.character.clips().find("walk").is_some());
/// # Ok::<(), sinew_import::LoadError>(())
/// ```
pub fn load<P: AsRef<Path>>(
    character: impl AsRef<Path>,
    animations: impl IntoIterator<Item = P>,
) -> Result<Loaded, LoadError> {
    let animations: Vec<_> = animations.into_iter().map(|path| path.as_ref().to_owned()).collect();
    load_with(character, &animations, &Options::default())
}

/// The same with options.
pub fn load_with<P: AsRef<Path> + Sync>(
    character: impl AsRef<Path>,
    animations: &[P],
    options: &Options,
) -> Result<Loaded, LoadError> {
    let files: Arc<dyn Files> = Arc::new(Cache::new(Disk));
    load_from(&files, character, animations, options)
}

/// The same from any place that files are read from.
pub fn load_from<P: AsRef<Path> + Sync>(
    files: &Arc<dyn Files>,
    character: impl AsRef<Path>,
    animations: &[P],
    options: &Options,
) -> Result<Loaded, LoadError> {
    Ok(Sources::import_from(files, character, animations, options)?.merge()?)
}
