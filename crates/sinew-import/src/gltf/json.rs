//! The document as it is written: one struct per object of the format, with the fields that are read.

mod attributes;
mod material;

pub(super) use attributes::Attributes;
pub(super) use material::{Material, SpecularGlossiness};

use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Document {
    pub(super) asset: Asset,
    pub(super) extensions_used: Vec<String>,
    pub(super) extensions_required: Vec<String>,
    pub(super) extensions: DocumentExtensions,
    /// Only counted.
    pub(super) cameras: Vec<IgnoredAny>,
    pub(super) scene: Option<usize>,
    pub(super) scenes: Vec<Scene>,
    pub(super) nodes: Vec<Node>,
    pub(super) meshes: Vec<Mesh>,
    pub(super) skins: Vec<Skin>,
    pub(super) materials: Vec<Material>,
    pub(super) textures: Vec<Texture>,
    pub(super) images: Vec<Image>,
    pub(super) samplers: Vec<Sampler>,
    pub(super) animations: Vec<Animation>,
    pub(super) accessors: Vec<Accessor>,
    pub(super) buffer_views: Vec<BufferView>,
    pub(super) buffers: Vec<Buffer>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Asset {
    pub(super) version: String,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct DocumentExtensions {
    #[serde(rename = "KHR_lights_punctual")]
    pub(super) lights: Option<Lights>,
    #[serde(rename = "VRM")]
    pub(super) vrm0: Option<Box<serde_json::Value>>,
    #[serde(rename = "VRMC_vrm")]
    pub(super) vrm1: Option<Box<serde_json::Value>>,
    #[serde(rename = "VRMC_vrm_animation")]
    pub(super) vrma: Option<Box<serde_json::Value>>,
    #[serde(rename = "VRMC_springBone")]
    pub(super) springs: Option<Box<serde_json::Value>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Lights {
    /// Only counted.
    pub(super) lights: Vec<IgnoredAny>,
}

#[derive(Deserialize)]
pub(super) struct Scene {
    #[serde(default)]
    pub(super) nodes: Vec<usize>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Node {
    pub(super) name: String,
    pub(super) children: Vec<usize>,
    pub(super) matrix: Option<Box<[f64; 16]>>,
    pub(super) translation: Option<[f64; 3]>,
    pub(super) rotation: Option<[f64; 4]>,
    pub(super) scale: Option<[f64; 3]>,
    pub(super) mesh: Option<usize>,
    pub(super) skin: Option<usize>,
    pub(super) weights: Vec<f64>,
    pub(super) extensions: NodeExtensions,
    /// Anything may be in here; only what this project's own writer has left is looked for.
    pub(super) extras: Option<Box<serde_json::Value>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct NodeExtensions {
    #[serde(rename = "EXT_mesh_gpu_instancing")]
    pub(super) instancing: Option<Box<Instancing>>,
    #[serde(rename = "KHR_node_visibility")]
    pub(super) visibility: Option<Visibility>,
    /// Only counted.
    #[serde(rename = "VRMC_node_constraint")]
    pub(super) constraint: Option<IgnoredAny>,
}

/// Whether a node and all below it are shown.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Visibility {
    pub(super) visible: Option<bool>,
}

#[derive(Deserialize)]
pub(super) struct Instancing {
    #[serde(default)]
    pub(super) attributes: InstanceAttributes,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "UPPERCASE", default)]
pub(super) struct InstanceAttributes {
    pub(super) translation: Option<usize>,
    pub(super) rotation: Option<usize>,
    pub(super) scale: Option<usize>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Mesh {
    pub(super) name: String,
    pub(super) primitives: Vec<Primitive>,
    pub(super) weights: Vec<f64>,
    /// Anything may be in here; only names of targets are looked for.
    pub(super) extras: serde_json::Value,
}

#[derive(Deserialize)]
pub(super) struct Primitive {
    pub(super) attributes: Attributes,
    pub(super) indices: Option<usize>,
    pub(super) material: Option<usize>,
    pub(super) mode: Option<u32>,
    #[serde(default)]
    pub(super) targets: Vec<Attributes>,
    #[serde(default)]
    pub(super) extensions: PrimitiveExtensions,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct PrimitiveExtensions {
    #[serde(rename = "KHR_draco_mesh_compression")]
    pub(super) draco: Option<Box<Draco>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Draco {
    pub(super) buffer_view: usize,
    /// Ids of the data's attributes, by what they hold.
    pub(super) attributes: Attributes,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Skin {
    pub(super) inverse_bind_matrices: Option<usize>,
    pub(super) joints: Vec<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TextureInfo {
    pub(super) index: usize,
    #[serde(default)]
    pub(super) tex_coord: usize,
    /// Of a normal texture.
    pub(super) scale: Option<f32>,
    /// Of an occlusion texture.
    pub(super) strength: Option<f32>,
    #[serde(default)]
    pub(super) extensions: TextureInfoExtensions,
}

/// A texture, or something that cannot be read as one, which costs a file no more than that texture.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum TextureSlot {
    Texture(TextureInfo),
    Unreadable(IgnoredAny),
}

impl TextureSlot {
    pub(super) fn info(&self) -> Option<&TextureInfo> {
        match self {
            Self::Texture(info) => Some(info),
            Self::Unreadable(_) => None,
        }
    }
}

impl TextureInfo {
    /// The set of texture coordinates that it takes.
    pub(super) fn set(&self) -> usize {
        self.extensions.transform.and_then(|transform| transform.tex_coord).unwrap_or(self.tex_coord)
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct TextureInfoExtensions {
    #[serde(rename = "KHR_texture_transform")]
    pub(super) transform: Option<TextureTransform>,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct TextureTransform {
    pub(super) offset: Option<[f32; 2]>,
    pub(super) rotation: f32,
    pub(super) scale: Option<[f32; 2]>,
    pub(super) tex_coord: Option<usize>,
}

#[derive(Deserialize)]
pub(super) struct Texture {
    pub(super) sampler: Option<usize>,
    pub(super) source: Option<usize>,
    #[serde(default)]
    pub(super) extensions: TextureExtensions,
}

/// Pictures in formats that the core does not have.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct TextureExtensions {
    #[serde(rename = "KHR_texture_basisu")]
    pub(super) basisu: Option<TextureSource>,
    #[serde(rename = "EXT_texture_webp")]
    pub(super) webp: Option<TextureSource>,
    #[serde(rename = "MSFT_texture_dds")]
    pub(super) dds: Option<TextureSource>,
    #[serde(flatten)]
    pub(super) other: BTreeMap<String, IgnoredAny>,
}

#[derive(Deserialize)]
pub(super) struct TextureSource {
    pub(super) source: usize,
}

impl Texture {
    /// Its picture: an extension's, if it has one, stands before the one for readers that do not know the extension.
    pub(super) fn image(&self) -> Option<usize> {
        let extensions = [&self.extensions.basisu, &self.extensions.webp, &self.extensions.dds];
        extensions.into_iter().flatten().map(|extension| extension.source).next().or(self.source)
    }
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Image {
    pub(super) name: String,
    pub(super) uri: Option<String>,
    pub(super) buffer_view: Option<usize>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Sampler {
    pub(super) mag_filter: Option<u32>,
    pub(super) min_filter: Option<u32>,
    pub(super) wrap_s: Option<u32>,
    pub(super) wrap_t: Option<u32>,
}

#[derive(Deserialize)]
pub(super) struct Animation {
    #[serde(default)]
    pub(super) name: String,
    pub(super) channels: Vec<Channel>,
    pub(super) samplers: Vec<AnimationSampler>,
    #[serde(default)]
    pub(super) extras: serde_json::Value,
}

#[derive(Deserialize)]
pub(super) struct Channel {
    pub(super) sampler: usize,
    pub(super) target: Target,
}

#[derive(Deserialize)]
pub(super) struct Target {
    pub(super) node: Option<usize>,
    pub(super) path: String,
    #[serde(default)]
    pub(super) extensions: TargetExtensions,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct TargetExtensions {
    #[serde(rename = "KHR_animation_pointer")]
    pub(super) pointer: Option<Pointer>,
}

#[derive(Deserialize)]
pub(super) struct Pointer {
    pub(super) pointer: String,
}

#[derive(Deserialize)]
pub(super) struct AnimationSampler {
    pub(super) input: usize,
    pub(super) output: usize,
    pub(super) interpolation: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub(super) buffer_view: Option<usize>,
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) component_type: u32,
    #[serde(default)]
    pub(super) normalized: bool,
    pub(super) count: usize,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) sparse: Option<Sparse>,
}

#[derive(Deserialize)]
pub(super) struct Sparse {
    pub(super) count: usize,
    pub(super) indices: SparseIndices,
    pub(super) values: SparseValues,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    pub(super) buffer_view: usize,
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) component_type: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    pub(super) buffer_view: usize,
    #[serde(default)]
    pub(super) byte_offset: usize,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub(super) buffer: usize,
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) byte_length: usize,
    pub(super) byte_stride: Option<usize>,
    #[serde(default)]
    pub(super) extensions: BufferViewExtensions,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct BufferViewExtensions {
    #[serde(rename = "KHR_meshopt_compression", alias = "EXT_meshopt_compression")]
    pub(super) meshopt: Option<Meshopt>,
}

/// Where the compressed bytes of a buffer view are, and how they are compressed.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Meshopt {
    pub(super) buffer: usize,
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) byte_length: usize,
    pub(super) byte_stride: usize,
    pub(super) count: usize,
    pub(super) mode: CompressionMode,
    #[serde(default)]
    pub(super) filter: CompressionFilter,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum CompressionMode {
    Attributes,
    Triangles,
    Indices,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Default)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum CompressionFilter {
    #[default]
    None,
    Octahedral,
    Quaternion,
    Exponential,
    Color,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    pub(super) uri: Option<String>,
    pub(super) byte_length: usize,
}
