//! XNB: compiled content of MonoGame, FNA and XNA. Models with skinning data, models of the framework's own processors, clips alone, and textures.
//!
//! The file is read as data by `sinew-xnb`. Bones become joints (`rig`), buffers meshes (`mesh`), effects materials with pictures that are read
//! from the files beside (`surface`), keys clips (`clips`). Bones that only the format asks for are taken out again.

mod clips;
mod mesh;
mod picture;
mod rig;
mod surface;

use crate::bundle::Evaluator;
use crate::findings;
use crate::textures::Lookup;
use crate::{Budget, Cause, Imported, Options, SourceInfo};
use rig::Rig;
use sinew::{Character, CharacterData, Clip, ClipInfo, ClipLibrary, Finding, Skeleton, Socket, Space};
use sinew_files::{Files, Recorder};
use sinew_xnb::skinning::V2;
use sinew_xnb::{Asset, MEMORY_FACTOR, Model, SkinningData, Tag, Xnb};
use std::path::Path;

/// What a file that was read is turned into.
struct Reader<'a> {
    path: &'a Path,
    files: &'a Recorder,
    options: &'a Options,
    budget: &'a Budget<'a>,
    findings: Vec<Finding>,
}

pub(crate) fn import(
    bytes: &[u8],
    path: &Path,
    files: &Recorder,
    options: &Options,
    budget: &Budget<'_>,
) -> Result<Imported, Cause> {
    let xnb = read(bytes, budget)?;
    let mut reader = Reader { path, files, options, budget, findings: Vec::new() };
    let character = match &xnb.asset {
        Asset::Model(model) => reader.model(model)?,
        Asset::Skinning(data) => reader.clips_alone(data)?,
        Asset::Texture(texture) => reader.texture_alone(texture)?,
        other => return Err(Cause::malformed(format!("{other:?} is not read"), "")),
    };
    let sources = character.clips().infos().map(|_| crate::SourceClip::default()).collect();
    Ok(Imported {
        source: SourceInfo {
            joints: vec![],
            vertices: vec![Vec::new(); character.meshes().len()],
            clips: sources,
            ..SourceInfo::default()
        },
        evaluator: Box::new(Evaluator::new(&character)),
        character,
        findings: reader.findings,
        clip_nodes: None,
        files: Vec::new(),
    })
}

/// The content of a file, within what is left of the memory.
fn read(bytes: &[u8], budget: &Budget<'_>) -> Result<Xnb, Cause> {
    let limit = budget.memory_left() / MEMORY_FACTOR;
    match sinew_xnb::read(bytes, limit) {
        Ok(xnb) => Ok(xnb),
        Err(error) => match error.cause {
            sinew_xnb::Cause::TooLarge { found, .. } => {
                let (found, limit) = (found.saturating_mul(MEMORY_FACTOR), budget.limits().memory);
                Err(Cause::Limit { name: "memory", found: Some(found), limit })
            }
            _ => Err(error.into()),
        },
    }
}

impl Reader<'_> {
    fn model(&mut self, model: &Model) -> Result<Character, Cause> {
        let skinning = match &model.tag {
            Tag::Skinning(skinning) => Some(skinning),
            Tag::Other(reader) => {
                let message = format!("it is read by `{reader}`, which is the game's own");
                self.findings.push(Finding::new(&findings::XNB_TAG, "tag of the model", message));
                None
            }
            _ => None,
        };
        let rig = Rig::of_model(model, skinning, &mut self.findings)?;
        let lookup = Lookup::new(self.path, self.files, self.options);
        let surfaces = surface::surfaces(model, &lookup, &mut self.findings)?;
        let meshes = mesh::meshes(model, &rig, &surfaces, self.budget, &mut self.findings)?;
        let mut clips = match skinning {
            Some(skinning) => self.clips(skinning, &rig)?,
            None => Vec::new(),
        };
        if let Some(SkinningData::V2(data)) = skinning {
            self.lazy(data, &rig, &mut clips)?;
        }
        let character = self.character(rig.skeleton()?, meshes, surfaces, clips)?;
        let Some(SkinningData::V2(data)) = skinning else { return Ok(character) };
        let socket = |socket: &sinew_xnb::skinning::Socket| {
            let joint = rig.of_bone(socket.bone as usize)?;
            Some(Socket { name: socket.name.to_string(), joint, offset: rig::local(&socket.offset) })
        };
        Ok(character.with_sockets(data.sockets.iter().filter_map(socket).collect())?)
    }

    fn clips_alone(&mut self, data: &SkinningData) -> Result<Character, Cause> {
        let rig = Rig::of_skinning(data, &[], &mut self.findings);
        let clips = self.clips(data, &rig)?;
        self.character(rig.skeleton()?, vec![], surface::Surfaces::default(), clips)
    }

    /// A texture is shown on a rectangle.
    fn texture_alone(&mut self, texture: &sinew_xnb::Texture2d) -> Result<Character, Cause> {
        let message = format!("{} x {} texels, shown on a rectangle", texture.width, texture.height);
        self.findings.push(Finding::new(&findings::XNB_TEXTURE_ALONE, "file", message));
        let surfaces = surface::of_texture(texture)?;
        let mesh = mesh::rectangle(texture.width, texture.height);
        self.character(Skeleton::new(vec![], vec![])?, vec![mesh], surfaces, vec![])
    }

    fn character(
        &self,
        skeleton: Skeleton,
        meshes: Vec<sinew::Mesh>,
        surfaces: surface::Surfaces,
        clips: Vec<(ClipInfo, Clip)>,
    ) -> Result<Character, Cause> {
        let mut library = ClipLibrary::default();
        for (mut info, clip) in clips {
            self.options.tags.complete(&mut info);
            library.add_with(info, clip);
        }
        Ok(Character::new(CharacterData {
            name: self.path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default(),
            skeleton,
            meshes,
            materials: surfaces.materials,
            textures: surfaces.textures,
            clips: library,
            space: Space::CANONICAL,
        })?)
    }

    fn clips(&mut self, data: &SkinningData, rig: &Rig) -> Result<Vec<(ClipInfo, Clip)>, Cause> {
        match data {
            SkinningData::V1(data) => clips::of_v1(data, rig, self.budget),
            SkinningData::V2(data) => clips::of_v2(data, rig, self.budget, &mut self.findings),
        }
    }

    /// Clips in files of their own, where those lie beside the model.
    fn lazy(&mut self, data: &V2, rig: &Rig, clips: &mut Vec<(ClipInfo, Clip)>) -> Result<(), Cause> {
        for lazy in &data.lazy {
            let place = format!("clip `{}`", lazy.name);
            let path = Path::new(&*lazy.asset);
            if sinew_files::leads_out(path) || path.is_absolute() || sinew_files::is_drive(path) {
                let message = format!("its file `{}` lies outside and was not read", lazy.asset);
                self.findings.push(Finding::new(&findings::XNB_CLIP_FILE, place, message));
                continue;
            }
            let file = self.path.parent().unwrap_or(Path::new("")).join(format!("{}.xnb", lazy.asset));
            let Ok(bytes) = self.files.read(&file, self.options.limits.bytes) else {
                let message = format!("its file `{}` cannot be read", file.display());
                self.findings.push(Finding::new(&findings::XNB_CLIP_FILE, place, message));
                continue;
            };
            match read(&bytes, self.budget)?.asset {
                Asset::Skinning(SkinningData::V2(alone)) => {
                    let rig = rig.seen_from(&alone, &place, &mut self.findings);
                    clips.extend(clips::of_v2(&alone, &rig, self.budget, &mut self.findings)?);
                }
                _ => {
                    let message = format!("its file `{}` holds no clips of version 2", file.display());
                    self.findings.push(Finding::new(&findings::XNB_CLIP_FILE, place, message));
                }
            }
        }
        Ok(())
    }
}
