//! Images, effects and materials.

use super::text::{self, Xml};
use crate::scene::{Material, Scene, Texture, Wrap};
use glam::DVec3;

pub(super) fn write(xml: &mut Xml, scene: &Scene) {
    if scene.materials.is_empty() {
        return;
    }
    xml.element("library_images", |xml| {
        let mut written: Vec<&str> = Vec::new();
        for texture in scene.materials.iter().filter_map(|m| m.texture.as_ref()) {
            let name = texture.name.as_str();
            if written.contains(&name) {
                continue;
            }
            written.push(name);
            xml.element(&format!(r#"image id="{name}_id" name="{name}""#), |xml| {
                xml.leaf("init_from", &texture.file);
            });
        }
    });
    xml.element("library_effects", |xml| {
        for material in &scene.materials {
            effect(xml, material);
        }
    });
    xml.element("library_materials", |xml| {
        for Material { name, .. } in &scene.materials {
            xml.element(&format!(r#"material id="{name}_mat_id" name="{name}""#), |xml| {
                xml.empty(&format!(r##"instance_effect url="#{name}_eff_id""##));
            });
        }
    });
}

/// Ties the symbol that a mesh's triangles use to the material.
pub(super) fn instance(xml: &mut Xml, name: &str) {
    let open = format!(r##"instance_material symbol="{name}_mat" target="#{name}_mat_id""##);
    xml.element(&open, |xml| {
        xml.empty(r#"bind_vertex_input semantic="uv" input_semantic="TEXCOORD" input_set="0""#);
    });
}

fn effect(xml: &mut Xml, material: &Material) {
    let name = &material.name;
    xml.element(&format!(r#"effect id="{name}_eff_id" name="{name}""#), |xml| {
        xml.element("profile_COMMON", |xml| {
            if let Some(texture) = &material.texture {
                sampler(xml, texture);
            }
            xml.element(r#"technique sid="common""#, |xml| {
                let kind = if material.specular == DVec3::ZERO { "lambert" } else { "phong" };
                xml.element(kind, |xml| shading(xml, material));
            });
        });
    });
}

fn sampler(xml: &mut Xml, texture: &Texture) {
    let name = &texture.name;
    xml.element(&format!(r#"newparam sid="{name}_surface""#), |xml| {
        xml.element(r#"surface type="2D""#, |xml| {
            xml.leaf("init_from", &format!("{name}_id"));
        });
    });
    xml.element(&format!(r#"newparam sid="{name}_sampler""#), |xml| {
        xml.element("sampler2D", |xml| {
            xml.leaf("source", &format!("{name}_surface"));
            xml.leaf("wrap_s", wrap(texture.wrap[0]));
            xml.leaf("wrap_t", wrap(texture.wrap[1]));
            xml.leaf("minfilter", "LINEAR_MIPMAP_LINEAR");
            xml.leaf("magfilter", "LINEAR");
        });
    });
}

fn wrap(wrap: Wrap) -> &'static str {
    match wrap {
        Wrap::Repeat => "WRAP",
        Wrap::Mirror => "MIRROR",
        Wrap::Clamp => "CLAMP",
    }
}

fn shading(xml: &mut Xml, material: &Material) {
    let texture =
        material.texture.as_ref().map(|t| format!(r#"texture texture="{}_sampler" texcoord="uv""#, t.name));
    xml.element("diffuse", |xml| match &texture {
        Some(texture) => xml.empty(texture),
        None => xml.leaf("color", &colour(material.diffuse)),
    });
    if material.specular != DVec3::ZERO {
        xml.element("specular", |xml| {
            xml.leaf("color", &colour(material.specular));
        });
        xml.element("shininess", |xml| {
            xml.leaf("float", &text::number(material.shininess));
        });
    }
    if let (true, Some(texture)) = (material.blended, &texture) {
        xml.element(r#"transparent opaque="A_ONE""#, |xml| xml.empty(texture));
        xml.element("transparency", |xml| xml.leaf("float", "1"));
    }
}

fn colour(colour: DVec3) -> String {
    text::numbers(&colour.extend(1.0).to_array())
}
