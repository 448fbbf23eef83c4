//! From the sources of a character to the bytes of its compiled files.

use super::job::{Job, Output, Retargets, Wanted};
use super::settings::Target;
use super::target::{TargetOptions, Written};
use crate::bundle::{self, CertifyError, Evidence};
use crate::compress::{CompressError, Compressed, compress_from};
use rayon::prelude::*;
use sinew::names::UnknownName;
use sinew::{
    Character, CharacterError, Clip, ClipDataError, ClipError, ClipInfo, ClipLibrary, Event, Finding, Socket,
    Text,
};
use sinew_files::{Cache, Disk, FileRecord, Files};
use sinew_import::bundle::{Certificate, Origin};
use sinew_import::{
    ClipOrigin, ImportError, Imported, Loaded, MapFile, MergeError, RetargetOptions, SourceClip, SourceInfo,
    Sources,
};
use sinew_import::{read_from, retarget};
use std::path::PathBuf;
use std::sync::Arc;

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
    /// The clips cannot be compressed.
    #[error(transparent)]
    Compress(#[from] CompressError),
    /// A file does not have the clip that the project names.
    #[error("{file}: has no clip `{take}`; it has {}", list(.known))]
    NoTake {
        /// The file.
        file: String,
        /// The name in the project.
        take: String,
        /// The clips of the file.
        known: Vec<String>,
    },
    /// A file has several clips, and the project does not say which.
    #[error("{file}: has several clips; say which by `take`: {}", list(.known))]
    WhichTake {
        /// The file.
        file: String,
        /// The clips of the file.
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
    /// An event or marker does not fit its clip.
    #[error("clip `{clip}`: {error}")]
    Events {
        /// The clip.
        clip: String,
        /// What is wrong.
        error: ClipDataError,
    },
    /// A socket is on a joint that the character does not have.
    #[error("socket `{socket}`: {error}")]
    Socket {
        /// The socket.
        socket: String,
        /// What is wrong.
        error: UnknownName,
    },
    /// The file of foot contacts cannot be read.
    #[error("{}: {text}", .file.display())]
    Contacts {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        text: String,
    },
    /// A clip cannot be loaded.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// The clips do not fit the character.
    #[error(transparent)]
    Character(#[from] CharacterError),
    /// Its accuracy cannot be measured.
    #[error("its accuracy cannot be measured: {0}")]
    Certify(#[from] CertifyError),
    /// It cannot be written.
    #[error(transparent)]
    Write(#[from] bundle::WriteError),
    /// An output is one of the sources.
    #[error("{} would overwrite the source {}; choose another `out`", .output.display(), .source_file.display())]
    Overwrites {
        /// The file that was to be written.
        output: PathBuf,
        /// The source.
        source_file: PathBuf,
    },
    /// An output is that of another project.
    #[error(
        "{} was built by another project, {}, for its own character of that name; give one of them another name or another `out`",
        .output.display(), .project.display()
    )]
    OtherProject {
        /// The file that was to be written.
        output: PathBuf,
        /// The file of the other project.
        project: PathBuf,
    },
    /// A file changed during the build, again and again.
    #[error("{} changed while it was being built; build again", .file.display())]
    Changed {
        /// The file.
        file: PathBuf,
    },
}

sinew_findings::error_codes! { CompileError {
    Self::NoTake { .. } => "compile.no-take", "A file does not have the clip that the project names";
    Self::WhichTake { .. } => "compile.which-take", "A file has several clips, and the project does not say which";
    Self::NoClip { .. } => "compile.no-clip", "A file has no clip that moves the character";
    Self::SameName { .. } => "compile.same-name", "Two clips have one name";
    Self::Events { .. } => "compile.events", "An event or marker does not fit its clip";
    Self::Socket { .. } => "compile.socket", "A socket is on a joint that the character does not have";
    Self::Contacts { .. } => "compile.contacts", "The file of foot contacts cannot be read";
    Self::Character(_) => "compile.character", "The clips do not fit the character";
    Self::Overwrites { .. } => "compile.overwrites", "An output is one of the sources";
    Self::OtherProject { .. } => "compile.other-project", "An output is that of another project";
    Self::Compress(_) => "compile.compress", "The clips cannot be compressed";
    Self::Changed { .. } => "compile.changed", "A file changed during the build";
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
pub struct Compiled {
    /// The character.
    pub character: Character,
    /// Where its parts come from.
    pub source: SourceInfo,
    /// How far it is from its sources; nothing if no output holds it as it is.
    pub certificate: Option<Certificate>,
    /// What a bundle holds instead, if clips are compressed.
    pub bundle: Option<Bundled>,
    /// Findings of import and merging.
    pub findings: Vec<Finding>,
    /// Every file that was read for it and every file that was searched for and not found, sorted by path.
    pub files: Vec<FileRecord>,
    /// The files that it was read through, so that embedded textures are the same bytes.
    pub(super) read_from: Arc<dyn Files>,
}

/// A character with compressed clips.
#[derive(Clone, Debug)]
pub struct Bundled {
    /// The character, with its joints in another order.
    pub compressed: Compressed,
    /// How far it is from its sources.
    pub certificate: Certificate,
}

impl std::fmt::Debug for Compiled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Compiled").field("character", &self.character).finish_non_exhaustive()
    }
}

impl Compiled {
    /// Largest error of a joint against the sources: of the bundle if its clips are compressed, else of all targets.
    pub(super) fn joint_error(&self) -> f64 {
        let of_bundle = self.bundle.as_ref().map(|bundle| &bundle.certificate);
        of_bundle.or(self.certificate.as_ref()).map_or(0.0, |certificate| certificate.whole.joint_max)
    }
}

/// Clips that a project asks for, and their origins.
#[derive(Default)]
struct Chosen {
    library: ClipLibrary,
    origins: Vec<Option<Origin>>,
    sources: Vec<SourceClip>,
}

impl Job {
    /// Reads the sources, takes the clips that are asked for and measures them.
    pub fn compile(&self) -> Result<Compiled, CompileError> {
        let files: Arc<dyn Files> = Arc::new(Cache::new(Disk));
        self.compile_from(&files)
    }

    /// Like [`Job::compile`], reading through `files`. A [`Cache`] reads each file once.
    pub fn compile_from(&self, files: &Arc<dyn Files>) -> Result<Compiled, CompileError> {
        let read = self.files.par_iter().map(|file| read_from(files, &self.path(file), &self.options));
        // The first error in the order of files is reported, whichever thread finishes first.
        let read = read.collect::<Vec<_>>().into_iter().collect::<Result<Vec<_>, _>>()?;
        let mut named = self.files.iter().cloned().zip(read);
        // A job has its character's file.
        let Some(character) = named.next() else { return Err(CertifyError::NoEvidence.into()) };
        let named = named.zip(self.retargets.iter().skip(1)).map(|((file, source), how)| {
            let source = self.retargeted(files, &file, source, how, &character.1)?;
            Ok::<_, ImportError>((file, source))
        });
        let named = named.collect::<Result<Vec<_>, _>>()?;
        let mut loaded = Sources::new(character, named, &self.options).merge()?;
        let Chosen { library, origins, sources } = self.choose(&loaded)?;
        let character = loaded.character.with_clips(library)?.with_name(&self.character);
        let stepping = self.with_contacts(&character, files)?;
        let character = self.with_sockets(&stepping.character)?;
        let evidence: Vec<_> = Evidence::of_loaded(&loaded);
        let mut source = loaded.source.clone();
        source.clips = sources;
        let bundle = self.compressed(&character, &source, &origins, &evidence)?;
        let is_plain = |output: &Output| bundle.is_none() || output.target != Target::Sinew;
        let certify = || bundle::certify(&character, &SourceInfo::default(), &origins, &evidence);
        let certificate = self.outputs.iter().any(is_plain).then(certify).transpose()?;
        let mut findings = std::mem::take(&mut loaded.findings);
        findings.extend(stepping.findings);
        findings.extend(bundle.iter().flat_map(|bundle| bundle.compressed.findings.clone()));
        let read = sinew_files::merged(&[loaded.sources.files(), stepping.read].concat());
        Ok(Compiled {
            character,
            source,
            certificate,
            bundle,
            findings,
            files: read,
            read_from: files.clone(),
        })
    }

    /// The character with the project's sockets, which take the place of its own of the same names.
    fn with_sockets(&self, character: &Character) -> Result<Character, CompileError> {
        let wanted = |name: &str| self.sockets.iter().any(|socket| socket.name == name);
        let kept = character.sockets().iter().filter(|socket| !wanted(&socket.name)).cloned();
        let mut sockets: Vec<Socket> = kept.collect();
        for socket in &self.sockets {
            let wrong = |error| CompileError::Socket { socket: socket.name.clone(), error };
            let joint = character.skeleton().joint(&socket.joint).map_err(wrong)?;
            sockets.push(Socket { name: socket.name.clone(), joint, offset: socket.offset() });
        }
        Ok(character.with_sockets(sockets)?)
    }

    /// A file as it was read, or as if it had been made for the character.
    fn retargeted(
        &self,
        files: &Arc<dyn Files>,
        file: &str,
        source: Imported,
        how: &Retargets,
        target: &Imported,
    ) -> Result<Imported, ImportError> {
        let map = match how.map.as_str() {
            "" => return Ok(source),
            "auto" => MapFile::default(),
            map => MapFile::read(files, &self.path(map), &self.options)?,
        };
        let target_roles = target.source.known_roles();
        let how = RetargetOptions { map, target_roles, locks: how.locks, threads: None };
        retarget(source, &self.path(file), &target.character, &how, &self.options)
    }

    /// The character with compressed clips, if bundles are to have them.
    fn compressed(
        &self,
        character: &Character,
        source: &SourceInfo,
        origins: &[Option<Origin>],
        evidence: &[Evidence<'_>],
    ) -> Result<Option<Bundled>, CompileError> {
        let is_wanted = self.outputs.iter().any(|output| output.target == Target::Sinew);
        let Some(options) = self.compress.as_ref().filter(|_| is_wanted) else { return Ok(None) };
        let compressed = compress_from(character, source, options, origins, evidence)?;
        let certificate = bundle::certify(&compressed.character, &compressed.source, origins, evidence)?;
        let certificate = Certificate { profile: Some(options.profile), ..certificate };
        Ok(Some(Bundled { compressed, certificate }))
    }

    /// The files of an output.
    pub fn write(&self, compiled: &Compiled, output: &Output) -> Result<Written, bundle::WriteError> {
        let name = output.path.file_name().unwrap_or_default().to_string_lossy();
        let Compiled { character, source, certificate, read_from, .. } = compiled;
        let (character, source, certificate) = match &compiled.bundle {
            Some(Bundled { compressed, certificate }) if output.target == Target::Sinew => {
                (&compressed.character, &compressed.source, Some(certificate))
            }
            _ => (character, source, certificate.as_ref()),
        };
        let options = TargetOptions { textures: self.textures.clone(), monogame: self.monogame.clone() };
        output.target.write(&name, character, source, certificate, &options, read_from)
    }

    /// The clips that the project asks for, with its settings applied.
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
                return Err(CompileError::SameName { name: info.name.into() });
            }
            let tag_inferred = self.options.tags.complete(&mut info);
            chosen.library.add_with(info, clip);
            chosen.origins.push(loaded.origins.get(index).map(bundle::origin));
            chosen.sources.push(SourceClip { tag_inferred, ..loaded.source.clip(index) });
        }
        Ok(chosen)
    }

    /// Index, among the merged clips, of a clip that the project asks for.
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

/// A clip with the name, explicit tag, events and modes that the project gives it.
fn equip(wanted: &Wanted, loaded: &Loaded, index: usize) -> Result<(ClipInfo, Clip), CompileError> {
    let settings = &wanted.settings;
    let clip = Clip::clone(&*loaded.character.clips().get(index)?);
    let known = loaded.character.clips().info(index).cloned().unwrap_or_default();
    let origin = loaded.origins.get(index);
    let said = |text: &String| Some(text).filter(|text| !text.is_empty()).map(Text::from);
    let name = said(&settings.name).unwrap_or_else(|| known.name.clone());
    let source = known.source_name.or_else(|| origin.map(|origin| (&origin.source_name).into()));
    let mut events = clip.events().to_vec();
    events.extend(settings.events.iter().map(Event::from));
    let clip = clip
        .with_name(name.clone())
        .with_events(events)
        .map_err(|error| CompileError::Events { clip: (&name).into(), error })?;
    let info = ClipInfo {
        source_name: source.filter(|source| *source != name),
        // An inferred tag is inferred again, since the clip may have a new name.
        tag: said(&settings.tag).or(known.tag.filter(|_| !loaded.source.clip(index).tag_inferred)),
        source_index: known.source_index,
        mode: Some(settings.mode.into()),
        root_motion: Some(settings.root_motion.into()),
        name,
    };
    Ok((info, clip))
}
