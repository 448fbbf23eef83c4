//! One character to build.

use super::settings::{
    CharacterSettings, ClipSettings, CompressSetting, SocketSettings, Target, TextureSetting,
};
use super::{Project, ProjectError};
use crate::compress::CompressOptions;
use crate::monogame::MonoGameOptions;
use crate::textures::Textures;
use serde::Serialize;
use sha2::{Digest, Sha256};
use sinew_files::slashes;
use sinew_import::{Locks, Options, manifest};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A compiled file, further files that belong to it, and the stamp that records what they were made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Its format.
    pub target: Target,
    /// Its path.
    pub path: PathBuf,
    /// Path of its stamp.
    pub stamp: PathBuf,
    /// Digest of everything in the settings that it depends on.
    pub(super) settings: [u8; 32],
}

/// One character to build, independent of all others.
#[derive(Clone, Debug)]
pub struct Job {
    /// Name of the character.
    pub character: String,
    /// Its source files with the paths of the project, the character's own first.
    pub files: Vec<String>,
    /// What is built.
    pub outputs: Vec<Output>,
    /// The project's own file.
    pub(super) project: PathBuf,
    pub(super) folder: PathBuf,
    pub(super) options: Options,
    pub(super) textures: Textures,
    pub(super) compress: Option<CompressOptions>,
    pub(super) monogame: MonoGameOptions,
    pub(super) clips: Vec<Wanted>,
    /// File of the foot contacts, and whether the project names it.
    pub(super) contacts: (PathBuf, bool),
    pub(super) sockets: Vec<SocketSettings>,
    /// What each of the files is retargeted with.
    pub(super) retargets: Vec<Retargets>,
    /// The other characters of the project where only some are built: their sources are no outputs either.
    pub(super) neighbours: Arc<[Job]>,
}

/// How a file is retargeted.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Retargets {
    /// Nothing, `auto` or a bone map.
    pub(super) map: String,
    pub(super) locks: Locks,
}

/// A clip that the project asks for.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    /// Index of its file in [`Job::files`].
    pub(super) file: usize,
    pub(super) settings: ClipSettings,
}

/// What the bytes of an output depend on, besides the files.
#[derive(Serialize)]
struct Dependence<'a> {
    character: &'a str,
    settings: &'a CharacterSettings,
    /// With texture folders relative to the project's, so that a stamp stays valid when the project is moved.
    import: &'a Options,
    target: Target,
    textures: TextureSetting,
    /// Of bundles alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    compress: Option<CompressSetting>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shells: Option<&'a BTreeMap<String, f64>>,
    out: &'a str,
    /// Of that target alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    monogame: Option<&'a MonoGameOptions>,
}

impl Job {
    pub(super) fn new(
        project: &Project,
        name: &str,
        character: &CharacterSettings,
        targets: &[Target],
    ) -> Result<Self, ProjectError> {
        let (settings, folder) = (project.settings(), project.folder());
        let wrong = |text: String| ProjectError::Parse { file: project.file().to_owned(), text };
        let out = folder.join(&settings.build.out);
        let mut files = vec![character.file.clone()];
        let clips = character.clips.iter().map(|clip| Wanted {
            file: if clip.file.is_empty() { 0 } else { number_of(&mut files, &clip.file) },
            settings: clip.clone(),
        });
        let clips: Vec<Wanted> = clips.collect();
        let retargets = retargets(files.len(), &clips).map_err(wrong)?;
        let output = |&target: &Target| {
            let file = format!("{name}.{}", target.extension());
            let depends = Dependence {
                character: name,
                settings: character,
                import: &settings.import,
                target,
                textures: settings.build.textures,
                compress: Some(settings.build.compress)
                    .filter(|&compress| target == Target::Sinew && compress != CompressSetting::Off),
                shells: Some(&settings.build.shells)
                    .filter(|shells| target == Target::Sinew && !shells.is_empty()),
                out: &settings.build.out,
                monogame: Some(&settings.monogame).filter(|_| target == Target::MonoGame),
            };
            let text = serde_json::to_vec(&depends).map_err(|error| wrong(error.to_string()))?;
            let settings = Sha256::digest(&text).into();
            Ok(Output {
                target,
                stamp: out.join(".sinew").join(format!("{file}.json")),
                path: out.join(file),
                settings,
            })
        };
        Ok(Self {
            character: name.to_owned(),
            outputs: targets.iter().map(output).collect::<Result<_, ProjectError>>()?,
            files,
            options: settings.import.clone().with(|options| {
                options.textures.iter_mut().for_each(|textures| *textures = folder.join(&*textures));
            }),
            textures: match settings.build.textures {
                TextureSetting::Embed => Textures::Embed,
                TextureSetting::Reference => Textures::Reference(out),
                TextureSetting::Omit => Textures::Omit,
            },
            compress: settings.build.compress.profile().map(|profile| CompressOptions {
                profile,
                shells: settings.build.shells.clone().into_iter().collect(),
                ..CompressOptions::default()
            }),
            monogame: settings.monogame.clone(),
            folder: folder.to_owned(),
            project: project.file().to_owned(),
            clips,
            contacts: match character.contacts.as_str() {
                "" => (crate::contacts::file_beside(&folder.join(&character.file)), false),
                named => (folder.join(named), true),
            },
            sockets: character.sockets.clone(),
            retargets,
            neighbours: Arc::default(),
        })
    }

    /// The path of a file of the project.
    pub fn path(&self, file: &str) -> PathBuf {
        self.folder.join(file)
    }

    /// Every file that is known to be read before anything is: the project's own, sources, what manifests list, bone maps and contacts.
    pub(super) fn inputs(&self) -> Vec<PathBuf> {
        let sources: Vec<PathBuf> = self.files.iter().map(|file| self.path(file)).collect();
        let listed = sources.iter().filter(|path| path.is_dir() || manifest::is_manifest(path));
        let options = manifest::OpenOptions::new(self.options.clone());
        // One that cannot be read is told when it is built.
        let listed = listed.filter_map(|path| manifest::read(path, &options).ok());
        let listed: Vec<PathBuf> = listed.flat_map(|(manifest, _)| manifest.files()).collect();
        let maps = self.retargets.iter().map(|how| &how.map).filter(|map| !map.is_empty() && *map != "auto");
        let maps = maps.map(|map| self.path(map));
        let own = [self.project.clone(), self.contacts.0.clone()];
        sources.into_iter().chain(listed).chain(maps).chain(own).collect()
    }

    /// A path relative to the project's folder if it is inside, with forward slashes.
    pub(super) fn file(&self, path: &Path) -> String {
        let inside = path.strip_prefix(&self.folder).unwrap_or(path);
        slashes(&inside.to_string_lossy())
    }
}

/// What each file is retargeted with. All clips of a file say the same.
fn retargets(files: usize, clips: &[Wanted]) -> Result<Vec<Retargets>, String> {
    let mut retargets = vec![None; files];
    for Wanted { file, settings } in clips {
        let locks = Locks { feet: settings.lock_feet, hands: settings.keep_hands };
        let how = Retargets { map: settings.retarget.clone(), locks };
        if *file == 0 && how != Retargets::default() {
            return Err(
                "`retarget` is for clips of other files, and this one is in the character's own".to_owned()
            );
        }
        if how.map.is_empty() && locks != Locks::default() {
            return Err(format!(
                "clips of {} have `lock_feet` or `keep_hands`, but no `retarget`",
                settings.file
            ));
        }
        let told: &mut Option<Retargets> = &mut retargets[*file];
        if told.as_ref().is_some_and(|told| *told != how) {
            let keys = "`retarget`, `lock_feet` or `keep_hands`";
            return Err(format!("clips of {} have different {keys}", settings.file));
        }
        *told = Some(how);
    }
    Ok(retargets.into_iter().map(Option::unwrap_or_default).collect())
}

fn number_of(files: &mut Vec<String>, file: &str) -> usize {
    files.iter().position(|known| known == file).unwrap_or_else(|| {
        files.push(file.to_owned());
        files.len() - 1
    })
}
