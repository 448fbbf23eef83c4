//! Files as they were read: of any format that can be imported, folders with a manifest, and compiled bundles.

use super::document::Document;
use super::rows::FindingRow;
use super::worker::Files;
use rayon::prelude::*;
use sinew::Character;
use sinew::bundle::Bundle;
use sinew_build::{Source, doctor, merge_all};
use sinew_import::{Imported, Options};
use std::path::Path;

/// The files of a character, read.
#[derive(Debug)]
pub struct Sources {
    files: Vec<(String, Part)>,
}

#[derive(Debug)]
enum Part {
    Imported(Box<Imported>),
    Compiled(Box<Character>),
}

impl Sources {
    /// Reads files, side by side. The first that cannot be read is the error.
    pub fn read(files: &Files, options: &Options) -> Result<Self, String> {
        let paths: Vec<_> = files.iter().collect();
        let read: Vec<_> = paths.par_iter().map(|path| read(path, options)).collect();
        // Findings name the file, and not where it lies.
        let named = paths.iter().map(|path| file_name(path)).zip(read);
        let files = named.map(|(name, part)| Ok((name, part?))).collect::<Result<_, String>>()?;
        Ok(Self { files })
    }

    fn iter(&self) -> impl Iterator<Item = Source<'_>> {
        self.files.iter().map(|(file, part)| match part {
            Part::Imported(imported) => Source::new(file, imported),
            Part::Compiled(character) => Source { file, character, findings: &[] },
        })
    }

    /// The character with the clips of all files.
    pub fn document(&self) -> Result<Document, String> {
        let all: Vec<Source<'_>> = self.iter().collect();
        // There is always a first: the character's. Alone it stays as it is, with clips that are read when they are asked for.
        if let [only] = all[..] {
            return Ok(Document::new(only.character.clone().into(), &[]));
        }
        let merged = merge_all(all[0], &all[1..]).map_err(|error| error.to_string())?;
        let name = |number: usize| match number {
            0 => String::new(),
            _ => all.get(number).map_or_else(String::new, |source| source.file.to_owned()),
        };
        let names: Vec<String> = merged.origins.iter().map(|origin| name(origin.file)).collect();
        Ok(Document::new(merged.character.into(), &names))
    }

    /// What `doctor` finds; `character` is that of the document.
    pub fn examine(&self, character: &Character) -> Vec<FindingRow> {
        let all: Vec<Source<'_>> = self.iter().collect();
        let report = doctor::examine(all[0], &all[1..]);
        report.findings.iter().map(|finding| FindingRow::new(finding, character)).collect()
    }
}

fn read(path: &Path, options: &Options) -> Result<Part, String> {
    if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("sinew")) {
        let imported = sinew_build::import(path, options).map_err(|error| error.to_string())?;
        return Ok(Part::Imported(Box::new(imported)));
    }
    let failed = |error: String| format!("{}: {error}", path.display());
    let bytes = std::fs::read(path).map_err(|error| failed(error.to_string()))?;
    let bundle = Bundle::read(&bytes).map_err(|error| failed(error.to_string()))?;
    Ok(Part::Compiled(Box::new(bundle.character)))
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| path.display().to_string())
}
