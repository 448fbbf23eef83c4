//! Surfaces and their pictures.

use crate::shading::{report_converted, roughness_of_exponent};
use crate::textures::{BumpKind, Lookup, NormalMaps, drop_unused};
use crate::{Budget, Cause, findings};
use glam::{Vec3, Vec4};
use sinew::{AlphaMode, Finding, Image, Material, Sampler, Texture, TextureRef, Wrap};
use ufbx::{MaterialMap, ShaderType, TextureType, WrapMode};

/// All materials in the file's order, and the pictures that they show.
pub(super) fn materials(
    scene: &ufbx::Scene,
    lookup: &Lookup<'_>,
    budget: &Budget<'_>,
    findings: &mut Vec<Finding>,
) -> Result<(Vec<Material>, Vec<Texture>), Cause> {
    let of = vec![None; scene.textures.len()];
    let normal_maps = NormalMaps::default();
    let mut textures = Textures { lookup, budget, textures: Vec::new(), of, normal_maps };
    let mut out = Vec::with_capacity(scene.materials.len());
    for material in &scene.materials {
        out.push(convert(material, &mut textures, findings)?);
    }
    report_converted(
        scene.materials.iter().filter(|material| is_older(material.shader_type)).count(),
        findings,
    );
    drop_unused(&mut out, &mut textures.textures);
    Ok((out, textures.textures))
}

fn convert(
    material: &ufbx::Material,
    textures: &mut Textures<'_>,
    findings: &mut Vec<Finding>,
) -> Result<Material, Cause> {
    let name = material.element.name.to_string();
    let (fbx, pbr) = (&material.fbx, &material.pbr);
    let mut out = Material { name: name.into(), ..Material::default() };
    let mut show = |maps: &[&MaterialMap]| -> Result<Option<TextureRef>, Cause> {
        let shown = maps.iter().find_map(|map| map.texture.as_ref().filter(|_| map.texture_enabled));
        shown.map_or(Ok(None), |texture| textures.add(texture, &out.name, findings))
    };
    out.base_color_texture = show(&[&fbx.diffuse_color, &pbr.base_color])?;
    out.normal_texture = show(&[&fbx.normal_map])?;
    let bump = if out.normal_texture.is_none() { show(&[&fbx.bump, &pbr.normal_map])? } else { None };
    out.emissive_texture = show(&[&fbx.emission_color, &pbr.emission_color])?;
    out.occlusion_texture = show(&[&pbr.ambient_occlusion])?;
    if let Some(bump) = bump {
        let kind = if fbx.bump.texture.is_some() { BumpKind::Unknown } else { BumpKind::Normals };
        out.normal_texture = textures.normals(bump, kind, &out.name, findings)?;
    }
    if out.base_color_texture.is_none() {
        // A texture takes the place of the colour; it is not tinted by it.
        out.base_color = color(material);
    }
    let opacity = opacity(material);
    out.base_color.w = opacity;
    let cutout = [&fbx.transparency_color, &pbr.opacity];
    if opacity < 1.0 || cutout.iter().any(|map| map.texture.is_some() && map.texture_enabled) {
        out.alpha = AlphaMode::Blend;
    }
    out.two_sided = material.features.double_sided.enabled;
    out.unlit = material.features.unlit.enabled;
    reflection(material, &mut out);
    emission(material, &mut out);
    Ok(out)
}

/// Whether a material is of Lambert's, Phong's or a similar model.
fn is_older(shader: ShaderType) -> bool {
    matches!(
        shader,
        ShaderType::FbxLambert | ShaderType::FbxPhong | ShaderType::BlenderPhong | ShaderType::WavefrontMtl
    )
}

/// Metal and roughness: as they are in a physical material, from the exponent in one of Phong.
fn reflection(material: &ufbx::Material, out: &mut Material) {
    let value =
        |map: &MaterialMap| map.has_value.then_some(map.value_vec4.x as f32).filter(|v| v.is_finite());
    match material.shader_type {
        ShaderType::FbxLambert | ShaderType::Unknown => {}
        ShaderType::FbxPhong | ShaderType::BlenderPhong | ShaderType::WavefrontMtl => {
            let shine = value(&material.fbx.specular_factor).unwrap_or(0.0);
            if shine > 0.0 {
                out.roughness = roughness_of_exponent(value(&material.fbx.specular_exponent).unwrap_or(0.0));
            }
        }
        _ => {
            out.metallic = value(&material.pbr.metalness).unwrap_or(0.0).clamp(0.0, 1.0);
            out.roughness = value(&material.pbr.roughness).unwrap_or(1.0).clamp(0.0, 1.0);
        }
    }
}

/// Emitted light. A texture of it counts in full unless a factor says otherwise.
fn emission(material: &ufbx::Material, out: &mut Material) {
    let maps = [&material.fbx.emission_color, &material.pbr.emission_color];
    let color = maps.iter().find(|map| map.has_value).map_or(Vec3::ZERO, |map| {
        let c = map.value_vec4;
        Vec3::new(c.x as f32, c.y as f32, c.z as f32)
    });
    let factors = [&material.fbx.emission_factor, &material.pbr.emission_factor];
    let factor = factors.iter().find(|map| map.has_value).map_or(1.0, |map| map.value_vec4.x as f32);
    let light = if out.emissive_texture.is_some() { Vec3::ONE } else { color } * factor;
    out.emissive = if light.is_finite() { light.clamp(Vec3::ZERO, Vec3::ONE) } else { Vec3::ZERO };
}

fn wrap(mode: WrapMode) -> Wrap {
    match mode {
        WrapMode::Repeat => Wrap::Repeat,
        WrapMode::Clamp => Wrap::Clamp,
    }
}

fn color(material: &ufbx::Material) -> Vec4 {
    let value = |map: &MaterialMap| map.has_value.then_some(map.value_vec4);
    let color = value(&material.fbx.diffuse_color).or_else(|| value(&material.pbr.base_color));
    let factor = value(&material.fbx.diffuse_factor).map_or(1.0, |f| f.x);
    let color = color.map_or(Vec4::ONE, |c| {
        Vec4::new((c.x * factor) as f32, (c.y * factor) as f32, (c.z * factor) as f32, 1.0)
    });
    if color.is_finite() { color.clamp(Vec4::ZERO, Vec4::splat(1e6)) } else { Vec4::ONE }
}

/// How much of what lies behind is covered. Exporters contradict themselves: a fully transparent surface is taken as opaque.
fn opacity(material: &ufbx::Material) -> f32 {
    let stated = material.element.props.find_prop("Opacity").map(|prop| prop.value_vec4.x);
    let opacity = stated.unwrap_or_else(|| {
        let color = &material.fbx.transparency_color;
        let factor = &material.fbx.transparency_factor;
        if !(color.has_value && factor.has_value) {
            return 1.0;
        }
        let c = color.value_vec4;
        1.0 - (c.x + c.y + c.z) / 3.0 * factor.value_vec4.x
    });
    if opacity > 0.0 && opacity < 1.0 { opacity as f32 } else { 1.0 }
}

struct Textures<'a> {
    lookup: &'a Lookup<'a>,
    budget: &'a Budget<'a>,
    textures: Vec<Texture>,
    /// What each texture of the file has become.
    of: Vec<Option<usize>>,
    normal_maps: NormalMaps,
}

impl Textures<'_> {
    fn normals(
        &mut self,
        bump: TextureRef,
        kind: BumpKind,
        material: &str,
        findings: &mut Vec<Finding>,
    ) -> Result<Option<TextureRef>, Cause> {
        let sources = (self.lookup, self.budget);
        self.normal_maps.get(bump, kind, material, sources, &mut self.textures, findings)
    }

    fn add(
        &mut self,
        texture: &ufbx::Texture,
        material: &str,
        findings: &mut Vec<Finding>,
    ) -> Result<Option<TextureRef>, Cause> {
        let sampler = Sampler { wrap: [wrap(texture.wrap_u), wrap(texture.wrap_v)], ..Sampler::default() };
        let texture = self.index(texture, material, findings)?;
        Ok(texture.map(|texture| TextureRef { sampler, ..TextureRef::new(texture) }))
    }

    fn index(
        &mut self,
        texture: &ufbx::Texture,
        material: &str,
        findings: &mut Vec<Finding>,
    ) -> Result<Option<usize>, Cause> {
        let place = format!("material `{material}`");
        if texture.type_ == TextureType::Layered && texture.layers.len() > 1 {
            let message =
                format!("its texture `{}` has {} layers", texture.element.name, texture.layers.len());
            findings.push(Finding::new(&findings::TEXTURE_LAYERED, place.clone(), message));
        }
        let file = if texture.type_ == TextureType::File {
            Some(texture)
        } else {
            texture.file_textures.first().map(|t| &**t)
        };
        let Some(file) = file else { return Ok(None) };
        let id = file.element.typed_id as usize;
        if let Some(Some(known)) = self.of.get(id) {
            return Ok(Some(*known));
        }
        let image = self.image(file, &place, findings)?;
        let reference = [&file.relative_filename, &file.filename, &file.absolute_filename];
        let reference = reference.iter().map(|r| r.to_string()).find(|r| !r.is_empty()).unwrap_or_default();
        let index = self.textures.len();
        self.textures.push(Texture { name: file.element.name.to_string(), reference, image });
        if let Some(entry) = self.of.get_mut(id) {
            *entry = Some(index);
        }
        Ok(Some(index))
    }

    fn image(&self, file: &ufbx::Texture, place: &str, findings: &mut Vec<Finding>) -> Result<Image, Cause> {
        let video = file.video.as_ref();
        let content = std::iter::once(&file.content).chain(video.map(|v| &v.content));
        if let Some(content) = content.into_iter().find(|content| !content.is_empty()) {
            self.budget.memory(content.len() as u64)?;
            return self.lookup.embedded(content, place, findings);
        }
        let mut references: Vec<&str> =
            vec![&file.relative_filename, &file.filename, &file.absolute_filename];
        if let Some(video) = video {
            references.extend([&*video.relative_filename, &*video.filename, &*video.absolute_filename]);
        }
        references.retain(|reference| !reference.is_empty());
        self.lookup.find(&references, place, findings)
    }
}
