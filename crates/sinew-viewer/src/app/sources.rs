//! The files of a character: importable formats, folders with a manifest, compiled bundles.

use super::document::Document;
use super::partner::Beside;
use super::rows::FindingRow;
use super::worker::Files;
use rayon::prelude::*;
use sinew::Character;
use sinew_files::{Cache, Disk};
use sinew_import::{Imported, Options, Source};
use sinew_retarget::{Known, Retarget};
use std::path::Path;
use std::sync::Arc;

/// The imported files of a character.
#[derive(Debug)]
pub struct Sources {
    files: sinew_import::Sources,
    /// The humanoid whose clips the last file is made of, and what is known of its roles and of the character's.
    retargeted: Option<(Arc<Character>, [Known; 2])>,
}

impl Sources {
    /// Imports files in parallel. Fails with the first error.
    pub fn read(files: &Files, options: &Options) -> Result<Self, String> {
        let disk: Arc<dyn sinew_files::Files> = Arc::new(Cache::new(Disk));
        Self::read_from(&disk, files, options)
    }

    /// The same from any place that files are read from.
    pub fn read_from(
        place: &Arc<dyn sinew_files::Files>,
        files: &Files,
        options: &Options,
    ) -> Result<Self, String> {
        // Findings use the file name without its folder.
        let read = |path: &Path| -> Result<(String, Imported), String> {
            let imported =
                sinew_import::read_from(place, path, options).map_err(|error| error.to_string())?;
            Ok((file_name(path), imported))
        };
        let all = || files.animations.par_iter().map(|path| read(path)).collect::<Vec<_>>();
        let (character, animations) = rayon::join(|| read(&files.character), all);
        let (character, mut animations) =
            (character?, animations.into_iter().collect::<Result<Vec<_>, String>>()?);
        let mut retargeted = None;
        if let Some(path) = &files.retarget {
            let (name, source) = read(path)?;
            let known = |file: &Imported| Known { roles: file.source.known_roles(), ..Known::default() };
            let known = [known(&source), known(&character.1)];
            let target_roles = known[1].roles.clone();
            let how = sinew_import::RetargetOptions { target_roles, ..Default::default() };
            retargeted = Some((Arc::new(source.character.clone()), known));
            let made = sinew_import::retarget(source, path, &character.1.character, &how, options);
            animations.push((name, made.map_err(|error| error.to_string())?));
        }
        Ok(Self { files: sinew_import::Sources::new(character, animations, options), retargeted })
    }

    /// The character with the clips of all files.
    pub fn document(&self) -> Result<Document, String> {
        let all: Vec<Source<'_>> = self.files.iter().collect();
        // The first source is the character. Alone it is used as it is, with clips that are loaded on demand.
        if let [only] = all[..] {
            return Ok(Document::new(only.character.clone().into(), &[]));
        }
        let merged = self.files.merged().map_err(|error| error.to_string())?;
        let name = |number: usize| match number {
            0 => String::new(),
            _ => all.get(number).map_or_else(String::new, |source| source.file.to_owned()),
        };
        let names: Vec<String> = merged.origins.iter().map(|origin| name(origin.file)).collect();
        let mut document = Document::new(merged.character.into(), &names);
        document.beside = self.retargeted.clone().and_then(|(source, [own, target])| {
            // It went well before, when its clips were retargeted.
            let (retarget, _) = Retarget::knowing(&source, &document.character, &own, &target).ok()?;
            // The retargeted file is the last.
            let own =
                |origin: &sinew_import::ClipOrigin| (origin.file + 1 == all.len()).then_some(origin.clip);
            let clips = merged.origins.iter().map(own).collect();
            Some(Beside::new(source, clips, &retarget, &document.figure))
        });
        Ok(document)
    }

    /// Findings of `doctor`. `character` is that of the document.
    pub fn examine(&self, character: &Character) -> Vec<FindingRow> {
        let report = sinew_examine::doctor::examine_sources(&self.files);
        report.findings.iter().map(|finding| FindingRow::new(finding, character)).collect()
    }
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_build::bundle::{BundleOptions, write_bundle};
    use sinew_testkit::{creature, humanoid};
    use std::path::PathBuf;

    fn open(character: PathBuf, animations: Vec<PathBuf>) -> (Document, Vec<FindingRow>) {
        let files = Files { character, animations, ..Files::default() };
        let sources = Sources::read(&files, &Options::default()).unwrap();
        let document = sources.document().unwrap();
        let findings = sources.examine(&document.character);
        (document, findings)
    }

    #[test]
    fn a_folder_with_a_manifest_opens_with_its_clips_and_tags() {
        let folder = tempfile::tempdir().unwrap();
        creature::write_to(folder.path(), &creature::Style::default()).unwrap();
        let (document, _) = open(folder.path().to_owned(), vec![]);
        assert!(document.clips.len() > 10 && document.triangles() > 1000);
        let idle = document.choose_clip("Idle").unwrap();
        assert_eq!(document.clips[idle].tag.as_deref(), Some("Idle"));
        assert!(document.character.clips().get(idle).is_ok());
    }

    #[test]
    fn a_compiled_character_opens_and_takes_further_clips() {
        let folder = tempfile::tempdir().unwrap();
        humanoid::write_to(folder.path()).unwrap();
        let file = |name: &str| folder.path().join(name);
        let (source, findings) = open(file("hero.fbx"), vec![file("walk.fbx")]);
        assert!(findings.iter().any(|row| row.place.starts_with("walk.fbx")), "{findings:?}");
        let bytes =
            write_bundle(&source.character, &Default::default(), &BundleOptions::default(), None).unwrap();
        std::fs::write(file("hero.sinew"), bytes).unwrap();
        let (document, _) = open(file("hero.sinew"), vec![file("run.fbx")]);
        let names: Vec<&str> = document.clips.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["walk", "run"]);
        assert_eq!(document.clips[1].file, "run.fbx");
        assert_eq!(document.triangles(), source.triangles());
    }
}
