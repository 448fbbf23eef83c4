//! A textured monster with its clips in files of their own, as exporters of handheld games leave it.
//!
//! A small dragon of 45 joints and seven meshes, 80 cm tall with its ears, facing +Z. The model lies in `model.dae`, its
//! pictures under `textures/`, each clip in a file under `animations/`, and a manifest says what is where. [`Style`]
//! chooses how they are written; the content is always the same, and [`truth`] gives it.

mod atlas;
mod body;
mod face;
mod horns;
mod motion;
mod paint;
mod parts;
mod pose;
mod skeleton;
mod wings;

pub use motion::{Motion, RATE};
pub use skeleton::{Joint, Skeleton};

use crate::collada::{self, Options};
use crate::fixtures::Truth;
use crate::manifest::{Clip, Family, Manifest, Picture};
use crate::scene::{Material, Mesh, Node, Scene, Texture, Up, Wrap};
use glam::{DMat4, DVec3};
use std::path::Path;
use std::sync::OnceLock;

/// Name, as folders and manifests have it.
pub const NAME: &str = "c0007_00";

/// File of the model.
pub const MODEL: &str = "model.dae";

/// How the model refers to its pictures, which lie under `textures/` in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum References {
    /// `textures/body.png`.
    #[default]
    Path,
    /// `body.png`, though it does not lie beside the model.
    Name,
    /// `body.tga`, though the file is `textures/body.tga.png`.
    Tga,
    /// `body_id`, though the file is `textures/body.png`.
    Id,
}

/// How the creature's files are written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// The model's COLLADA.
    pub model: Options,
    /// The clips' COLLADA.
    pub clips: Options,
    /// Centimetres per unit.
    pub unit_scale_factor: f64,
    /// Which axis points up.
    pub up: Up,
    /// How pictures are referred to.
    pub references: References,
    /// Shape of the manifest.
    pub family: Family,
    /// Whether the manifest tags its clips; else tags follow from names and slots.
    pub tags: bool,
}

impl Default for Style {
    /// Centimetres, Y up, degrees, component channels, clips without a scene, a nested manifest with tags.
    fn default() -> Self {
        Self::with(Options::default())
    }
}

impl Style {
    /// Model and clips written alike, the clips without a scene.
    pub fn with(options: Options) -> Self {
        Self {
            model: options,
            clips: Options { nodes: false, ..options },
            unit_scale_factor: 1.0,
            up: Up::Y,
            references: References::default(),
            family: Family::default(),
            tags: true,
        }
    }

    /// A scene of this crate in this style's unit and axes.
    fn apply(&self, scene: Scene) -> Scene {
        let scene = scene.in_unit(self.unit_scale_factor);
        match self.up {
            Up::Y => scene,
            Up::Z => scene.in_z_up(),
        }
    }
}

/// Everything that is made once and shared.
struct Made {
    skeleton: Skeleton,
    scene: Scene,
    pictures: Vec<(Picture, Vec<u8>)>,
}

fn made() -> &'static Made {
    static MADE: OnceLock<Made> = OnceLock::new();
    MADE.get_or_init(make)
}

/// The creature at rest, in centimetres with Y up.
pub fn scene() -> Scene {
    made().scene.clone()
}

/// The creature with a motion, in centimetres with Y up.
pub fn played(motion: Motion) -> Scene {
    let mut scene = scene();
    scene.takes.push(motion.take(&made().skeleton));
    scene
}

/// Where joints and vertices are at some times of a motion, whatever the style.
pub fn truth(motion: Motion, times: &[f64]) -> Vec<Truth> {
    let scene = played(motion);
    let file = clip_file(motion);
    let at = |time: &f64| {
        let mut truth = Truth::at(&file, &scene, &scene.takes[0], *time);
        // Where a skinned mesh's own node stands depends on the file's axes, and moves nothing.
        truth.joints.truncate(made().skeleton.joints.len());
        truth
    };
    times.iter().map(at).collect()
}

/// File of a motion's clip.
pub fn clip_file(motion: Motion) -> String {
    format!("animations/clip_{:03}.dae", motion.slot())
}

/// The text of the model.
pub fn model(style: &Style) -> String {
    let mut scene = scene();
    refer(&mut scene, style.references);
    collada::write(&style.apply(scene), &style.model)
}

/// The text of the model with a motion inside.
pub fn model_with(motion: Motion, style: &Style) -> String {
    let mut scene = played(motion);
    refer(&mut scene, style.references);
    collada::write(&style.apply(scene), &style.model)
}

/// The text of a motion's clip file.
pub fn clip(motion: Motion, style: &Style) -> String {
    let mut scene = made().skeleton.scene();
    scene.takes.push(motion.take(&made().skeleton));
    collada::write(&style.apply(scene), &style.clips)
}

/// What the manifest says.
pub fn manifest(style: &Style) -> Manifest {
    let made = made();
    let clip = |motion: &Motion| Clip {
        index: motion.slot(),
        source_name: motion.source_name().into(),
        semantic: style.tags.then(|| (motion.tag().into(), "slot-map-v1".into())),
        file: clip_file(*motion),
        frames: motion.frames(),
        fps: RATE as u32,
        tracks: made.skeleton.joints.len(),
    };
    let picture = |(picture, _): &(Picture, Vec<u8>)| Picture {
        file: picture_file(&picture.name, style.references),
        ..picture.clone()
    };
    Manifest {
        name: NAME.into(),
        model_file: MODEL.into(),
        pictures: made.pictures.iter().map(picture).collect(),
        meshes: made.scene.meshes.len(),
        joints: made.skeleton.joints.len(),
        clips: Motion::ALL.iter().map(clip).collect(),
    }
}

/// Every file of the creature.
pub fn files(style: &Style) -> Vec<(String, Vec<u8>)> {
    let manifest = manifest(style).write(style.family);
    let mut files = vec![
        (style.family.file_name(NAME), manifest.into_bytes()),
        (MODEL.into(), model(style).into_bytes()),
    ];
    for (picture, png) in &made().pictures {
        files.push((picture_file(&picture.name, style.references), png.clone()));
    }
    for motion in Motion::ALL {
        files.push((clip_file(motion), clip(motion, style).into_bytes()));
    }
    files
}

/// Writes [`files`] into a folder, which is made where it does not exist.
pub fn write_to(folder: &Path, style: &Style) -> std::io::Result<()> {
    for part in ["textures", "animations"] {
        std::fs::create_dir_all(folder.join(part))?;
    }
    for (name, bytes) in files(style) {
        std::fs::write(folder.join(name), bytes)?;
    }
    Ok(())
}

fn picture_file(name: &str, references: References) -> String {
    match references {
        References::Tga => format!("textures/{name}.tga.png"),
        _ => format!("textures/{name}.png"),
    }
}

fn refer(scene: &mut Scene, references: References) {
    for texture in scene.materials.iter_mut().filter_map(|m| m.texture.as_mut()) {
        let name = &texture.name;
        texture.file = match references {
            References::Path => picture_file(name, references),
            References::Name => format!("{name}.png"),
            References::Tga => format!("{name}.tga"),
            References::Id => format!("{name}_id"),
        };
    }
}

fn make() -> Made {
    let skeleton = Skeleton::creature();
    let mut scene = skeleton.scene();
    let (body, body_picture) = body::make(&skeleton);
    let mut pictures = vec![paint::Picture {
        name: "body",
        wrap: [Wrap::Clamp; 2],
        size: (atlas::SIZE, atlas::SIZE),
        alpha: false,
        png: body_picture,
    }];
    pictures.extend(paint::pictures());
    for (mesh, names) in [
        (body, &["body"][..]),
        (horns::make(&skeleton), &["horn"]),
        (wings::make(&skeleton), &["wing", "fin"]),
        (face::eyes(&skeleton), &["eye"]),
        (face::irises(&skeleton), &["iris"]),
        (face::mouth(&skeleton), &["mouth"]),
        (face::cheeks(&skeleton), &["cheek"]),
    ] {
        add(&mut scene, mesh, names, &pictures);
    }
    scene.bind_to_rest();
    shape_apart(&mut scene, "Iris");
    let pictures = pictures.into_iter().map(|p| {
        let file = picture_file(p.name, References::Path);
        let about = Picture { name: p.name.into(), file, size: p.size, alpha: p.alpha };
        (about, p.png)
    });
    Made { skeleton, scene, pictures: pictures.collect() }
}

/// Adds a mesh with a material for each of the pictures that it shows.
fn add(scene: &mut Scene, mut mesh: Mesh, names: &[&str], pictures: &[paint::Picture]) {
    mesh.materials.clear();
    for picture in pictures.iter().filter(|p| names.contains(&p.name)) {
        let mut material = Material::matt(capital(picture.name), DVec3::ONE);
        material.texture = Some(Texture {
            name: picture.name.into(),
            file: picture_file(picture.name, References::Path),
            content: None,
            wrap: picture.wrap,
        });
        material.blended = picture.alpha;
        mesh.materials.push(scene.materials.len());
        scene.materials.push(material);
    }
    let index = scene.meshes.len();
    let name = mesh.name.clone();
    scene.meshes.push(mesh);
    scene.add(Node::mesh(name, None, index));
}

/// Moves a mesh's vertices to a space of their own, which its bind shape reverses.
fn shape_apart(scene: &mut Scene, name: &str) {
    let shape = DMat4::from_scale_rotation_translation(
        DVec3::splat(0.5),
        crate::math::euler_xyz(DVec3::new(0.0, 0.0, 90.0)),
        DVec3::new(0.0, 57.0, 9.0),
    );
    let back = shape.inverse();
    for mesh in scene.meshes.iter_mut().filter(|m| m.name == name) {
        for vertex in &mut mesh.vertices {
            *vertex = back.transform_point3(*vertex);
        }
        for normal in &mut mesh.normals {
            *normal = back.transform_vector3(*normal).normalize();
        }
        for cluster in mesh.clusters_mut() {
            cluster.mesh_bind = shape;
        }
    }
}

fn capital(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
