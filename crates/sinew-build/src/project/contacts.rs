//! Foot contacts on the clips of a build.

use super::compile::CompileError;
use super::job::Job;
use crate::contacts::ContactFile;
use sinew::names::did_you_mean;
use sinew::{Character, ClipLibrary, Finding};
use sinew_files::{FileRecord, Files, ReadError, Recorder};
use sinew_findings::catalogue::build::CONTACTS_UNKNOWN_CLIP;
use std::sync::Arc;

/// A character with markers and footsteps on its clips.
pub(super) struct Stepping {
    pub(super) character: Character,
    pub(super) findings: Vec<Finding>,
    /// The file of contacts, read or not found: a build is out of date when it changes or appears.
    pub(super) read: Vec<FileRecord>,
}

impl Job {
    pub(super) fn with_contacts(
        &self,
        character: &Character,
        files: &Arc<dyn Files>,
    ) -> Result<Stepping, CompileError> {
        let recorder = Recorder::new(files.clone());
        let file = self.contact_file(&recorder)?;
        let mut library = ClipLibrary::default();
        for (index, info) in character.clips().infos().enumerate() {
            let clip = character.clips().get(index)?;
            let clip = file.apply(character, &info.name, &clip);
            let wrong = |error| CompileError::Events { clip: info.name.to_string(), error };
            library.add_with(info.clone(), clip.map_err(wrong)?);
        }
        let place = self.file(&self.contacts.0);
        let unknown = |name: &str| {
            let message =
                format!("there is no clip `{name}`; {}", did_you_mean(name, character.clips().names()));
            Finding::new(&CONTACTS_UNKNOWN_CLIP, place.as_str(), message)
        };
        let findings = file.unknown(character).map(unknown).collect();
        Ok(Stepping { character: character.with_clips(library)?, findings, read: recorder.records() })
    }

    /// The file of contacts; an empty one where there is none and the project names none.
    fn contact_file(&self, files: &Recorder) -> Result<ContactFile, CompileError> {
        let (path, named) = &self.contacts;
        let wrong = |text: String| CompileError::Contacts { file: path.clone(), text };
        if !named && !files.is_file(path) {
            return Ok(ContactFile::default());
        }
        let bytes = files
            .read(path, self.options.limits.bytes)
            .map_err(|error: ReadError| wrong(std::io::Error::from(error).to_string()))?;
        let text = std::str::from_utf8(&bytes).map_err(|error| wrong(error.to_string()))?;
        ContactFile::parse(text).map_err(wrong)
    }
}
