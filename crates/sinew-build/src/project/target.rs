//! The files that a target writes.

use super::settings::Target;
use crate::bundle::{BundleOptions, WriteError, write_bundle_from};
use crate::bvh::{Bvh, write_bvh};
use crate::glb::{GlbOptions, write_glb_from};
use crate::monogame::{MonoGame, MonoGameOptions, write_monogame_from};
use crate::textures::Textures;
use crate::vrma::write_vrma;
use sinew::{Character, Finding};
use sinew_files::{Files, write_file};
use sinew_import::SourceInfo;
use sinew_import::bundle::Certificate;
use std::path::{Path, PathBuf};

/// A file that a target writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputFile {
    /// Its path relative to the output folder, with forward slashes.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// Everything that a target writes for a character.
#[derive(Clone, Debug)]
pub struct Written {
    /// The files in the order in which they are written: the main file, which refers to the others, comes last.
    pub files: Vec<OutputFile>,
    /// Reports what the format cannot hold.
    pub findings: Vec<Finding>,
}

impl Written {
    /// Size of all files together.
    pub fn size(&self) -> usize {
        self.files.iter().map(|file| file.bytes.len()).sum()
    }

    /// Paths of the files in a folder.
    pub fn paths(&self, folder: &Path) -> impl Iterator<Item = PathBuf> {
        self.files.iter().map(|file| folder.join(&file.name))
    }

    /// Writes the files, each atomically, into folders that are made where they are missing. An error comes with the path of its file.
    pub fn put(&self, folder: &Path) -> Result<(), (PathBuf, std::io::Error)> {
        for (path, file) in self.paths(folder).zip(&self.files) {
            if let Some(inner) = path.parent().filter(|inner| *inner != folder) {
                std::fs::create_dir_all(inner).map_err(|error| (inner.to_owned(), error))?;
            }
            write_file(&path, &file.bytes).map_err(|error| (path, error))?;
        }
        Ok(())
    }
}

/// How targets are written.
#[derive(Clone, Debug, Default)]
pub struct TargetOptions {
    /// How textures are written.
    pub textures: Textures,
    /// How files for MonoGame are written.
    pub monogame: MonoGameOptions,
}

impl Target {
    /// The files of a character, of which the main one is called `name`. Pictures are read from `files`.
    pub fn write(
        self,
        name: &str,
        character: &Character,
        source: &SourceInfo,
        certificate: Option<&Certificate>,
        options: &TargetOptions,
        files: &dyn Files,
    ) -> Result<Written, WriteError> {
        let textures = options.textures.clone();
        let (bytes, findings) = match self {
            Self::Sinew => {
                let options = BundleOptions { textures };
                (write_bundle_from(files, character, source, &options, certificate)?, Vec::new())
            }
            Self::Glb => {
                let glb = write_glb_from(files, character, source, &GlbOptions { textures })?;
                (glb.bytes, glb.findings)
            }
            Self::Vrma => {
                let vrma = write_vrma(character, source)?;
                (vrma.bytes, vrma.findings)
            }
            Self::Bvh => {
                let Bvh { files, findings } = write_bvh(name, character, source)?;
                return Ok(Written { files, findings });
            }
            Self::MonoGame => {
                let MonoGame { files, findings } =
                    write_monogame_from(files, name, character, source, &textures, &options.monogame)?;
                return Ok(Written { files, findings });
            }
        };
        Ok(Written { files: vec![OutputFile { name: name.to_owned(), bytes }], findings })
    }
}
