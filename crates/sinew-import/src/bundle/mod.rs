//! Compiled characters, for tools: a `.sinew` file with what it says about its sources and its accuracy, which a game skips.

mod certificate;
pub mod layout;
mod source;
mod vrm;

pub use certificate::{Certificate, Input, Measure, Origin};

use crate::textures::Lookup;
use crate::{Budget, Cause, Imported, Options, SourceEvaluator, SourceInfo, limits};
use sinew::BundleError;
use sinew::bundle_file::Sections;
use sinew::skinning::reorder_vertices;
use sinew::{
    Bundle, Bytes, Character, Clip, Finding, Image, Pose, Sampling, Skeleton, Texture, Transform, job,
};
use sinew_files::Recorder;
use std::path::Path;
use std::sync::Arc;

/// All that a `.sinew` file holds.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BundleFile {
    /// The character, with all its clips loaded.
    pub character: Character,
    /// Where its parts come from, as far as the file says.
    pub source: SourceInfo,
    /// How far it is from its sources, if that was measured.
    pub certificate: Option<Certificate>,
}

impl BundleFile {
    /// Reads a bundle, or says why it cannot be used.
    pub fn read(bytes: impl Into<Bytes>) -> Result<Self, BundleError> {
        let bytes = bytes.into();
        let sections = Sections::read(&bytes)?;
        let character = Bundle::from_sections(&sections, &bytes)?.character;
        let source = sections.optional(layout::SRCS)?.map(|section| source::source(section, &character));
        let mut source = source.transpose()?.unwrap_or_default();
        source.vertex_order = source::vertex_order(&sections, &character)?;
        let vrm = sections.optional(layout::VRMD)?.map(|section| vrm::vrm(section, &character));
        source.vrm = vrm.transpose()?.map(Arc::new);
        let clips = character.clips().len();
        let certificate = sections.optional(layout::CERT)?.map(|s| certificate::certificate(s, clips));
        Ok(Self { certificate: certificate.transpose()?, source, character })
    }
}

/// Reads a bundle that is in memory, in the space that it was built in. Its evaluator samples its own clips, and its tags are as they were built.
pub(crate) fn import(
    bytes: &[u8],
    path: &Path,
    files: &Recorder,
    options: &Options,
) -> Result<Imported, Cause> {
    let mut findings = Vec::new();
    let BundleFile { character, source, .. } = BundleFile::read(bytes)?;
    count(&character, &Budget::new(&options.limits))?;
    let (character, source) = restored(character, source)?;
    let lookup = Lookup::new(path, files, options);
    let character = located(character, &lookup, &mut findings)?;
    let evaluator = Box::new(Evaluator::new(&character));
    Ok(Imported { character, source, evaluator, findings, clip_nodes: None, files: Vec::new() })
}

/// Counts what becomes of the file: frames take few bytes, or none, and become keys.
fn count(character: &Character, budget: &Budget<'_>) -> Result<(), Cause> {
    let joints = character.skeleton().len();
    limits::check("joints", joints as u64, budget.limits().joints)?;
    for mesh in character.meshes() {
        budget.vertices(mesh.vertex_count() as u64)?;
        budget.mesh(mesh)?;
    }
    for clip in character.clips().ready() {
        let Some(frames) = clip.frames() else { continue };
        let moving = (0..joints as u16).filter(|&joint| frames.joint_bits(joint) > 0).count() as u64;
        let count = frames.count() as u64;
        budget.source_keys(count.saturating_mul(moving.max(1)))?;
        budget.memory(count.saturating_mul(moving.saturating_mul(KEY_BYTES) + size_of::<f32>() as u64))?;
    }
    Ok(())
}

/// Bytes of the keys of a joint at one time.
const KEY_BYTES: u64 = size_of::<Transform>() as u64 + size_of::<f32>() as u64;

/// A compiled character as its source has it: vertices and joints in the order of the source, clips as keys.
fn restored(character: Character, mut source: SourceInfo) -> Result<(Character, SourceInfo), Cause> {
    let character = with_vertices_restored(character, &mut source)?;
    if source.order.is_empty() && character.clips().ready().all(|clip| clip.keys().is_some()) {
        return Ok((character, source));
    }
    let mut order: Vec<u16> = (0..character.skeleton().len() as u16).collect();
    order.sort_by_key(|&joint| source.source_index(joint));
    let restored = sinew_compress::reordered(&character, &order);
    let restored = restored.map_err(|error| Cause::malformed(error.to_string(), ""))?;
    source.joints = order.iter().map(|&joint| source.joint(joint)).collect();
    source.vrm = source.vrm.map(|vrm| Arc::new(vrm.reordered(&order)));
    source.order.clear();
    Ok((restored, source))
}

fn with_vertices_restored(character: Character, source: &mut SourceInfo) -> Result<Character, Cause> {
    if source.vertex_order.is_empty() {
        return Ok(character);
    }
    let orders = std::mem::take(&mut source.vertex_order);
    let mut meshes = character.meshes().to_vec();
    for (index, (mesh, numbers)) in meshes.iter_mut().zip(&orders).enumerate() {
        if numbers.is_empty() {
            continue;
        }
        // Each number occurs once, which was checked when they were read: their places by number are the order to restore.
        let mut places: Vec<u32> = (0..numbers.len() as u32).collect();
        places.sort_by_key(|&place| numbers.get(place as usize));
        reorder_vertices(mesh, &places);
        if let Some(vertices) = source.vertices.get_mut(index).filter(|vertices| !vertices.is_empty()) {
            *vertices = places.iter().filter_map(|&place| vertices.get(place as usize).copied()).collect();
        }
    }
    Ok(character.with_meshes(meshes)?)
}

/// Pictures in files are looked for as those of any other asset.
fn located(
    character: Character,
    lookup: &Lookup<'_>,
    findings: &mut Vec<Finding>,
) -> Result<Character, Cause> {
    for texture in character.textures() {
        if let Image::Embedded(bytes) = &texture.image {
            let place = format!("texture `{}`", texture.name);
            lookup.check(bytes, "the picture in the file", &place, findings)?;
        }
    }
    let is_file = |texture: &Texture| matches!(texture.image, Image::File(_));
    if !character.textures().iter().any(is_file) {
        return Ok(character);
    }
    let mut located = |texture: &Texture| -> Result<Texture, Cause> {
        let Image::File(file) = &texture.image else { return Ok(texture.clone()) };
        let place = format!("texture `{}`", texture.name);
        let file = file.to_string_lossy();
        let image = lookup.find(&[&file], &place, findings)?;
        let mut reference = texture.reference.clone();
        // Without a reference it would be taken for a picture that the model never had.
        if image == Image::Missing && reference.is_empty() {
            reference = file.into_owned();
        }
        Ok(Texture { name: texture.name.clone(), reference, image })
    };
    let textures = character.textures().iter().map(&mut located).collect::<Result<_, _>>()?;
    Ok(character.with_textures(textures)?)
}

/// Samples the clips of a compiled character, which are all there is of them.
pub(crate) struct Evaluator {
    skeleton: Arc<Skeleton>,
    clips: Vec<Arc<Clip>>,
}

impl Evaluator {
    /// Of a character whose clips are loaded.
    pub fn new(character: &Character) -> Self {
        Self { skeleton: character.skeleton().clone(), clips: character.clips().ready().collect() }
    }

    fn pose(&self, clip: usize, time: f64) -> Pose {
        let mut pose = self.skeleton.rest().clone();
        if let Some(clip) = self.clips.get(clip) {
            // A clip of a bundle fits its skeleton: that was checked when it was read.
            let fits = job::sample(&self.skeleton, clip, time, Sampling::Interpolate, &mut pose);
            debug_assert_eq!(fits, Ok(()));
        }
        pose
    }
}

impl SourceEvaluator for Evaluator {
    fn locals(&self, clip: usize, time: f64, out: &mut [Transform]) {
        out.iter_mut().zip(self.pose(clip, time).iter()).for_each(|(out, local)| *out = local);
    }

    fn scalars(&self, clip: usize, time: f64, out: &mut [f32]) {
        out.iter_mut().zip(self.pose(clip, time).scalars()).for_each(|(out, scalar)| *out = *scalar);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_files::Disk;

    /// Whatever keeps a picture from being read, it is not told as one that the model never had.
    #[test]
    fn a_picture_that_was_refused_keeps_its_path() {
        let document =
            br#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{}],"textures":[{}],
            "materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}]}"#;
        let options = Options::default();
        let imported = crate::import_bytes(document, Path::new("model.gltf"), &options).unwrap();
        let files = Recorder::new(Arc::new(Disk));
        let lookup = Lookup::new(Path::new("build/hero.sinew"), &files, &options);
        for (reference, kept) in [("", "../art/skin.png"), ("C:/skin.png", "C:/skin.png")] {
            let image = Image::File("../art/skin.png".into());
            let texture = Texture { name: "Skin".into(), reference: reference.into(), image };
            let character = imported.character.with_textures(vec![texture]).unwrap();
            let mut findings = Vec::new();
            let located = located(character, &lookup, &mut findings).unwrap();
            assert_eq!(findings.iter().map(Finding::id).collect::<Vec<_>>(), ["texture.outside"]);
            assert_eq!(located.textures()[0].reference, kept);
            let error = sinew_image::decode(&located.textures()[0]).unwrap_err();
            assert_eq!(error, sinew_image::TextureError::Missing { reference: kept.into() });
        }
    }
}
