//! Materials.

use super::{TextureInfo, TextureSlot};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(in crate::gltf) struct Material {
    pub(in crate::gltf) name: String,
    pub(in crate::gltf) pbr_metallic_roughness: Pbr,
    pub(in crate::gltf) normal_texture: Option<TextureSlot>,
    pub(in crate::gltf) occlusion_texture: Option<TextureSlot>,
    pub(in crate::gltf) emissive_texture: Option<TextureSlot>,
    pub(in crate::gltf) emissive_factor: Option<[f32; 3]>,
    pub(in crate::gltf) alpha_mode: Option<String>,
    pub(in crate::gltf) alpha_cutoff: Option<f32>,
    pub(in crate::gltf) double_sided: bool,
    pub(in crate::gltf) extensions: MaterialExtensions,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(in crate::gltf) struct MaterialExtensions {
    #[serde(rename = "KHR_materials_unlit")]
    pub(in crate::gltf) unlit: Option<serde_json::Map<String, serde_json::Value>>,
    #[serde(rename = "KHR_materials_emissive_strength")]
    pub(in crate::gltf) emissive_strength: Option<EmissiveStrength>,
    #[serde(rename = "KHR_materials_transmission")]
    pub(in crate::gltf) transmission: Option<Transmission>,
    #[serde(rename = "KHR_materials_pbrSpecularGlossiness")]
    pub(in crate::gltf) specular_glossiness: Option<SpecularGlossiness>,
    /// Only whether it is there.
    #[serde(rename = "VRMC_materials_mtoon")]
    pub(in crate::gltf) toon: Option<IgnoredAny>,
    /// Others, by name.
    #[serde(flatten)]
    pub(in crate::gltf) other: BTreeMap<String, IgnoredAny>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(in crate::gltf) struct EmissiveStrength {
    pub(in crate::gltf) emissive_strength: Option<f32>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(in crate::gltf) struct Transmission {
    pub(in crate::gltf) transmission_factor: Option<f32>,
    pub(in crate::gltf) transmission_texture: Option<IgnoredAny>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(in crate::gltf) struct SpecularGlossiness {
    pub(in crate::gltf) diffuse_factor: Option<[f32; 4]>,
    pub(in crate::gltf) diffuse_texture: Option<TextureInfo>,
    pub(in crate::gltf) specular_factor: Option<[f32; 3]>,
    pub(in crate::gltf) glossiness_factor: Option<f32>,
    pub(in crate::gltf) specular_glossiness_texture: Option<TextureInfo>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(in crate::gltf) struct Pbr {
    pub(in crate::gltf) base_color_factor: Option<[f32; 4]>,
    pub(in crate::gltf) base_color_texture: Option<TextureInfo>,
    pub(in crate::gltf) metallic_factor: Option<f32>,
    pub(in crate::gltf) roughness_factor: Option<f32>,
    pub(in crate::gltf) metallic_roughness_texture: Option<TextureInfo>,
}
