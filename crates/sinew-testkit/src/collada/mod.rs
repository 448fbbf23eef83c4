//! Writes a scene as COLLADA 1.4.1, the way exporters of handheld games do.
//!
//! - Every node holds one `<matrix>` and nothing else;
//! - ids end in `_bone_id` and the like, while names and sids are bare;
//! - channels move single components (`Waist_bone_id/rotation.X`), which the nodes do not have, each with key times of
//!   its own, in degrees or in radians without saying which; or else whole matrices;
//! - a clip file may hold no scene at all.
//!
//! A component channel replaces that component of the node's matrix taken apart as `T · Rz · Ry · Rx · S`, which is what
//! [`Scene::models`] works out.

mod animation;
mod material;
mod mesh;
mod node;
mod text;

use crate::scene::{Scene, Up};
use text::Xml;

/// Unit of rotation channels. No file says which it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Angles {
    /// `90` is a right angle.
    #[default]
    Degrees,
    /// `1.5707964` is a right angle.
    Radians,
}

/// What channels move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Channels {
    /// One component each: `rotation.X`, `translation.Y`, `scale.Z`.
    #[default]
    Components,
    /// The whole `transform`, 16 numbers a key.
    Matrices,
}

/// How node ids, and with them channel targets, are spelt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ids {
    /// `Waist_bone_id`.
    #[default]
    BoneId,
    /// `Waist_id`.
    Id,
    /// `Waist`.
    Bare,
}

impl Ids {
    /// All spellings.
    pub const ALL: [Ids; 3] = [Ids::BoneId, Ids::Id, Ids::Bare];

    /// Id of the node of this name.
    pub fn of(self, name: &str) -> String {
        match self {
            Ids::BoneId => format!("{name}_bone_id"),
            Ids::Id => format!("{name}_id"),
            Ids::Bare => name.to_string(),
        }
    }
}

/// Interpolation that keys name. In either case the curve is linear.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keys {
    /// `LINEAR`.
    #[default]
    Linear,
    /// `HERMITE`, with no tangents anywhere.
    Hermite,
}

/// How a scene is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Unit of rotation channels.
    pub angles: Angles,
    /// What channels move.
    pub channels: Channels,
    /// How node ids are spelt.
    pub ids: Ids,
    /// Interpolation that keys name.
    pub keys: Keys,
    /// Whether the node tree is written; a clip file may go without.
    pub nodes: bool,
    /// Whether `<unit>` is written; a file without it is in metres.
    pub unit: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            angles: Angles::default(),
            channels: Channels::default(),
            ids: Ids::default(),
            keys: Keys::default(),
            nodes: true,
            unit: true,
        }
    }
}

/// The text of a scene. Same scene, same bytes.
///
/// # Panics
/// Where the scene has what this dialect cannot express: more than one take, blend shapes, cubic keys, an animated node
/// with more to its transform than translation, rotation and scaling; or a unit other than metres where
/// [`Options::unit`] is off.
pub fn write(scene: &Scene, options: &Options) -> String {
    assert!(scene.takes.len() < 2, "a file holds one clip");
    let mut xml = Xml::new();
    xml.element(r#"COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1""#, |xml| {
        asset(xml, scene, options);
        material::write(xml, scene);
        mesh::geometries(xml, scene);
        mesh::controllers(xml, scene);
        if let Some(take) = scene.takes.first() {
            animation::write(xml, scene, take, options);
        }
        if options.nodes {
            node::write(xml, scene, options);
        } else {
            assert!(scene.meshes.is_empty(), "meshes need nodes to hang on");
        }
    });
    xml.finish()
}

fn asset(xml: &mut Xml, scene: &Scene, options: &Options) {
    xml.element("asset", |xml| {
        // A date is mandatory; a fixed one keeps the bytes the same.
        xml.leaf("created", "2000-01-01T00:00:00Z");
        xml.leaf("modified", "2000-01-01T00:00:00Z");
        if options.unit {
            let metres = text::number(scene.unit_scale_factor / 100.0);
            let name = match scene.unit_scale_factor {
                1.0 => "centimeter",
                100.0 => "meter",
                _ => "unit",
            };
            xml.empty(&format!(r#"unit name="{name}" meter="{metres}""#));
        } else {
            assert_eq!(scene.unit_scale_factor, 100.0, "a file that says nothing is in metres");
        }
        let up = match scene.up {
            Up::Y => "Y_UP",
            Up::Z => "Z_UP",
        };
        xml.leaf("up_axis", up);
    });
}

#[cfg(test)]
mod tests;
