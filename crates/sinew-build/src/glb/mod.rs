//! Writing any character as binary glTF 2.0, for other programs.
//!
//! Where glTF requires another structure, the result looks the same: skinned meshes become roots of the scene, a joint with two different
//! inverse binds gets a child node for the second, vertices without weights get a joint that does not move, a jump of a track becomes two keys
//! with adjacent times. Whatever glTF cannot hold is reported as a finding.

mod animation;
mod buffer;
mod keys;
mod material;
mod mesh;
mod nodes;

use crate::bundle::WriteError;
use crate::textures::Textures;
use crate::vrm;
use buffer::{Buffer, object};
use nodes::Nodes;
use serde_json::{Value, json};
use sinew::{Character, ClipInfo, Finding};
use sinew_files::{Disk, Files};
use sinew_findings::catalogue::build as findings;
use sinew_import::SourceInfo;
use std::collections::BTreeSet;

/// How a `.glb` is written.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct GlbOptions {
    /// How textures are written.
    pub textures: Textures,
}

impl From<Textures> for GlbOptions {
    fn from(textures: Textures) -> Self {
        Self { textures }
    }
}

/// A character as binary glTF.
#[derive(Clone, Debug)]
pub struct Glb {
    /// The file.
    pub bytes: Vec<u8>,
    /// Reports what glTF cannot hold and was left out.
    pub findings: Vec<Finding>,
}

/// The bytes of a `.glb`: the same for the same character. Clips that are not loaded yet are loaded. Explicit tags are written; tags that were
/// inferred from names or numbers are not, since the reader infers them again.
pub fn write_glb(
    character: &Character,
    source: &SourceInfo,
    options: &GlbOptions,
) -> Result<Glb, WriteError> {
    write_glb_from(&Disk, character, source, options)
}

/// Like [`write_glb`], with textures read through `files`.
pub fn write_glb_from(
    files: &dyn Files,
    character: &Character,
    source: &SourceInfo,
    options: &GlbOptions,
) -> Result<Glb, WriteError> {
    let mut glb = write_extended(files, character, source, options, None)?;
    glb.findings.extend(vrm::left_out(&findings::VRM_LEFT_OUT, source));
    Ok(glb)
}

/// Like [`write_glb_from`], with an extension of the whole file: its name and content.
pub(crate) fn write_extended(
    files: &dyn Files,
    character: &Character,
    source: &SourceInfo,
    options: &GlbOptions,
    extension: Option<(&'static str, Value)>,
) -> Result<Glb, WriteError> {
    let mut writer = Writer {
        character,
        buffer: Buffer::default(),
        nodes: Nodes::new(character),
        meshes: vec![],
        skins: vec![],
        images: vec![],
        samplers: vec![],
        textures: vec![],
        materials: vec![],
        animations: vec![],
        extensions: BTreeSet::new(),
        findings: vec![],
    };
    let images = material::images(&mut writer, &options.textures, files)?;
    for material in character.materials() {
        let written = material::material(&mut writer, material, &images);
        writer.materials.push(written);
    }
    let meshes = character.meshes().chunk_by(mesh::are_one);
    let meshes: Vec<_> = meshes.filter_map(|meshes| mesh::mesh(&mut writer, meshes)).collect();
    for (index, info) in character.clips().infos().enumerate() {
        let tag = info.tag.clone().filter(|_| !source.clip(index).tag_inferred);
        let info = ClipInfo { tag, ..info.clone() };
        animation::clip(&mut writer, &info, &*character.clips().get(index)?, &meshes);
    }
    let extensions = extension.map(|(name, content)| json!({ writer.uses(name): content }));
    writer.finish(extensions)
}

/// Identifies a skin: nodes and inverse binds.
type SkinKey = Vec<(usize, [u32; 12])>;

/// The parts of the file written so far.
struct Writer<'c> {
    character: &'c Character,
    buffer: Buffer,
    nodes: Nodes,
    meshes: Vec<Value>,
    skins: Vec<(SkinKey, Value)>,
    images: Vec<Value>,
    samplers: Vec<Value>,
    textures: Vec<Value>,
    materials: Vec<material::Written>,
    animations: Vec<Value>,
    /// Names of the extensions that are used.
    extensions: BTreeSet<&'static str>,
    findings: Vec<Finding>,
}

impl Writer<'_> {
    /// The name of an extension, which is listed as used.
    fn uses(&mut self, extension: &'static str) -> String {
        self.extensions.insert(extension);
        extension.to_owned()
    }

    fn finish(self, extensions: Option<Value>) -> Result<Glb, WriteError> {
        // glTF does not allow empty arrays.
        let list = |values: Vec<Value>| if values.is_empty() { Value::Null } else { Value::Array(values) };
        let (nodes, roots) = self.nodes.finish();
        let binary = self.buffer.bytes;
        let buffers = if binary.is_empty() { vec![] } else { vec![json!({ "byteLength": binary.len() })] };
        let scene = object(json!({
            "name": buffer::named(self.character.name()),
            "nodes": list(roots.into_iter().map(Value::from).collect()),
        }));
        let json = object(json!({
            "asset": { "version": "2.0", "generator": concat!("sinew ", env!("CARGO_PKG_VERSION")) },
            "extensionsUsed": list(self.extensions.into_iter().map(Value::from).collect()),
            "extensions": extensions,
            "scene": 0,
            "scenes": [scene],
            "nodes": list(nodes),
            "meshes": list(self.meshes),
            "skins": list(self.skins.into_iter().map(|(_, skin)| skin).collect()),
            "materials": list(self.materials.into_iter().map(|m| m.json).collect()),
            "textures": list(self.textures),
            "images": list(self.images),
            "samplers": list(self.samplers),
            "animations": list(self.animations),
            "accessors": list(self.buffer.accessors),
            "bufferViews": list(self.buffer.views),
            "buffers": list(buffers),
        }));
        Ok(Glb { bytes: container(json.to_string().into_bytes(), binary)?, findings: self.findings })
    }
}

/// Header and chunks, each padded to four bytes: JSON with spaces, binary data with zeros.
fn container(mut json: Vec<u8>, binary: Vec<u8>) -> Result<Vec<u8>, WriteError> {
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut chunks = vec![(b"JSON", json)];
    if !binary.is_empty() {
        chunks.push((b"BIN\0", binary));
    }
    let length = 12 + chunks.iter().map(|(_, bytes)| 8 + bytes.len()).sum::<usize>();
    let number = |count: usize| {
        u32::try_from(count).map_err(|_| WriteError::TooMany { what: "bytes of a .glb", count })
    };
    let mut file = Vec::with_capacity(length);
    file.extend(b"glTF");
    file.extend(2u32.to_le_bytes());
    file.extend(number(length)?.to_le_bytes());
    for (kind, bytes) in chunks {
        file.extend(number(bytes.len())?.to_le_bytes());
        file.extend(kind);
        file.extend(bytes);
    }
    Ok(file)
}
