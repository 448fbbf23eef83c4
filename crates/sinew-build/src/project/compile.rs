//! From the sources of a character to the bytes of its compiled files.

use super::job::{Job, Wanted};
use super::settings::Target;
use super::source::{self, Companions, Read, digest};
use super::stamp::pictures;
use crate::bundle::{self, CertifyError, Evidence, WriteOptions};
use crate::glb::{GlbOptions, write_glb};
use crate::textures::Textures;
use rayon::prelude::*;
use sinew::character::CharacterError;
use sinew::clip::ClipDataError;
use sinew::{Character, Clip, ClipError, ClipInfo, ClipLibrary, Event, Finding};
use sinew_import::bundle::{Certificate, Origin};
use sinew_import::{ClipOrigin, ImportError, Loaded, MergeError, SourceClip, SourceInfo, Sources};

/// Why a character cannot be compiled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// A source cannot be read.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// The clips cannot be merged.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// A file does not have the clip that the project names.
    #[error("{file}: has no clip `{take}`; it has {}", list(.known))]
    NoTake {
        /// The file.
        file: String,
        /// What the project says.
        take: String,
        /// What the file has.
        known: Vec<String>,
    },
    /// A file has several clips, and the project does not say which.
    #[error("{file}: has several clips; say which by `take`: {}", list(.known))]
    WhichTake {
        /// The file.
        file: String,
        /// What the file has.
        known: Vec<String>,
    },
    /// A file has no clip that moves the character.
    #[error("{file}: has no clip that moves the character; `sinew doctor {character} {file}` says why")]
    NoClip {
        /// The file of the character.
        character: String,
        /// The file.
        file: String,
    },
    /// Two clips have one name.
    #[error("two clips are called `{name}`; give one of them another `name`")]
    SameName {
        /// The name.
        name: String,
    },
    /// An event does not fit its clip.
    #[error("clip `{clip}`: {error}")]
    Events {
        /// The clip.
        clip: String,
        /// What is wrong.
        error: ClipDataError,
    },
    /// A clip cannot be loaded.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// The clips make no character.
    #[error(transparent)]
    Character(#[from] CharacterError),
    /// Its accuracy cannot be measured.
    #[error("its accuracy cannot be measured: {0}")]
    Certify(#[from] CertifyError),
    /// It cannot be written.
    #[error(transparent)]
    Write(#[from] bundle::WriteError),
}

sinew_findings::error_codes! { CompileError {
    Self::NoTake { .. } => "compile.no-take", "A file does not have the clip that the project names";
    Self::WhichTake { .. } => "compile.which-take", "A file has several clips, and the project does not say which";
    Self::NoClip { .. } => "compile.no-clip", "A file has no clip that moves the character";
    Self::SameName { .. } => "compile.same-name", "Two clips have one name";
    Self::Events { .. } => "compile.events", "An event does not fit its clip";
    Self::Character(_) => "compile.character", "The clips make no character";
} passes on {
    Self::Import(error) => error;
    Self::Merge(error) => error;
    Self::Clip(error) => error;
    Self::Certify(error) => error;
    Self::Write(error) => error;
} }

fn list(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// A character with the clips that its project asks for, ready to be written.
#[derive(Debug)]
pub struct Compiled {
    /// The character.
    pub character: Character,
    /// Where its parts come from.
    pub source: SourceInfo,
    /// How far it is from its sources.
    pub certificate: Certificate,
    /// What was odd about the sources and about merging them.
    pub findings: Vec<Finding>,
    /// Digests of the source files, in the order of the job's.
    pub(super) digests: Vec<[u8; 32]>,
    /// Digests of what was read beside them.
    pub(super) companions: Companions,
    /// Digests of the pictures that will be read when it is written.
    pub(super) pictures: Companions,
}

/// Clips that a project asks for, and where each is from.
#[derive(Default)]
struct Chosen {
    library: ClipLibrary,
    origins: Vec<Option<Origin>>,
    sources: Vec<SourceClip>,
}

impl Job {
    /// Reads the sources, takes the clips that are asked for and measures them.
    pub fn compile(&self) -> Result<Compiled, CompileError> {
        let read = self.files.par_iter().map(|file| source::read(&self.path(file), &self.options));
        // Which error is told of does not depend on which thread is first.
        let read = read.collect::<Vec<_>>().into_iter().collect::<Result<Vec<Read>, _>>()?;
        let digests: Vec<_> = read.iter().map(|read| read.sha256).collect();
        let companions = read.iter().flat_map(|read| read.companions.clone()).collect();
        let mut named = self.files.iter().cloned().zip(read.into_iter().map(|read| read.imported));
        // A job has its character's file.
        let Some(character) = named.next() else { return Err(CertifyError::NoEvidence.into()) };
        let mut loaded = Sources::new(character, named, &self.options).merge()?;
        let Chosen { library, origins, sources } = self.choose(&loaded)?;
        let character = loaded.character.with_clips(library)?.with_name(&self.character);
        let files = self.files.iter().zip(&digests).zip(loaded.sources.imported()).zip(&loaded.maps);
        let evidence = files.map(|(((file, &sha256), imported), map)| Evidence {
            name: base_name(file),
            sha256,
            imported,
            map: map.as_ref(),
        });
        let evidence: Vec<_> = evidence.collect();
        let certificate = bundle::certify(&character, &origins, &evidence)?;
        let pictures = pictures(self, &character).into_iter().map(|path| (digest(&path), path));
        let pictures = pictures.map(|(digest, path)| (path, digest)).collect();
        let findings = std::mem::take(&mut loaded.findings);
        let mut source = std::mem::take(&mut loaded.source);
        source.clips = sources;
        Ok(Compiled { character, source, certificate, findings, digests, companions, pictures })
    }

    /// The bytes of a compiled file, and what it cannot hold.
    pub fn write(
        &self,
        compiled: &Compiled,
        target: Target,
    ) -> Result<(Vec<u8>, Vec<Finding>), bundle::WriteError> {
        target.write(&compiled.character, &compiled.source, Some(&compiled.certificate), &self.textures)
    }

    /// The clips that are asked for, as they are asked for.
    fn choose(&self, loaded: &Loaded) -> Result<Chosen, CompileError> {
        if self.clips.is_empty() {
            return Ok(Chosen {
                library: loaded.character.clips().clone(),
                origins: loaded.origins.iter().map(|origin| Some(bundle::origin(origin))).collect(),
                sources: loaded.source.clips.clone(),
            });
        }
        let mut chosen = Chosen::default();
        for wanted in &self.clips {
            let index = self.find(wanted, &loaded.origins)?;
            let (mut info, clip) = equip(wanted, loaded, index)?;
            if chosen.library.find(&info.name).is_some() {
                return Err(CompileError::SameName { name: info.name });
            }
            let tag_inferred = self.options.tags.complete(&mut info);
            chosen.library.add_with(info, clip);
            chosen.origins.push(loaded.origins.get(index).map(bundle::origin));
            chosen.sources.push(SourceClip { tag_inferred, ..loaded.source.clip(index) });
        }
        Ok(chosen)
    }

    /// Number of a clip that is asked for, among those that were merged.
    fn find(&self, wanted: &Wanted, origins: &[ClipOrigin]) -> Result<usize, CompileError> {
        let of_file = || origins.iter().enumerate().filter(|(_, origin)| origin.file == wanted.file);
        let file = || self.files.get(wanted.file).cloned().unwrap_or_default();
        let known = || of_file().map(|(_, origin)| origin.source_name.clone()).collect();
        let take = &wanted.settings.take;
        if !take.is_empty() {
            let number = take.strip_prefix('#').and_then(|number| number.parse::<usize>().ok());
            let found = of_file()
                .find(|(_, origin)| origin.source_name == *take)
                .or_else(|| of_file().find(|(_, origin)| Some(origin.clip) == number));
            let missing = || CompileError::NoTake { file: file(), take: take.clone(), known: known() };
            return found.map(|(index, _)| index).ok_or_else(missing);
        }
        match (of_file().next(), of_file().nth(1)) {
            (Some((index, _)), None) => Ok(index),
            (Some(_), Some(_)) => Err(CompileError::WhichTake { file: file(), known: known() }),
            (None, _) => {
                let character = self.files.first().cloned().unwrap_or_default();
                Err(CompileError::NoClip { character, file: file() })
            }
        }
    }
}

impl Target {
    /// The bytes of a character's file, and what such a file cannot hold.
    pub fn write(
        self,
        character: &Character,
        source: &SourceInfo,
        certificate: Option<&Certificate>,
        textures: &Textures,
    ) -> Result<(Vec<u8>, Vec<Finding>), bundle::WriteError> {
        let textures = textures.clone();
        match self {
            Self::Sinew => {
                let bytes = bundle::write_bundle(character, source, &WriteOptions { textures }, certificate)?;
                Ok((bytes, Vec::new()))
            }
            Self::Glb => {
                let glb = write_glb(character, source, &GlbOptions { textures })?;
                Ok((glb.bytes, glb.findings))
            }
        }
    }
}

/// A clip with the name, said tag, events and modes that the project gives it.
fn equip(wanted: &Wanted, loaded: &Loaded, index: usize) -> Result<(ClipInfo, Clip), CompileError> {
    let settings = &wanted.settings;
    let clip = Clip::clone(&*loaded.character.clips().get(index)?);
    let known = loaded.character.clips().info(index).cloned().unwrap_or_default();
    let origin = loaded.origins.get(index);
    let said = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    let name = said(&settings.name).unwrap_or_else(|| known.name.clone());
    let source = known.source_name.or_else(|| origin.map(|origin| origin.source_name.clone()));
    let mut events = clip.events().to_vec();
    events.extend(settings.events.iter().map(|event| Event { time: event.time, name: event.name.clone() }));
    let clip = clip
        .with_name(name.clone())
        .with_events(events)
        .map_err(|error| CompileError::Events { clip: name.clone(), error })?;
    let info = ClipInfo {
        source_name: source.filter(|source| *source != name),
        // A tag that was inferred before is inferred again, from the names that the clip has now.
        tag: said(&settings.tag).or(known.tag.filter(|_| !loaded.source.clip(index).tag_inferred)),
        source_index: known.source_index,
        mode: Some(settings.mode.into()),
        root_motion: Some(settings.root_motion.into()),
        name,
    };
    Ok((info, clip))
}

fn base_name(file: &str) -> &str {
    file.rsplit(['/', '\\']).next().unwrap_or(file)
}
