//! Hundreds of small characters, each in a folder of its own with a manifest, quickly.

use crate::collada::{self, Options};
use crate::manifest::{Clip, Family, Manifest, Picture};
use crate::math::frame;
use crate::png;
use crate::scene::{Curve, Material, Node, Property, Scene, Take, Texture, Track, Transform};
use crate::shape::{Ring, Surface, blend};
use glam::{DVec2, DVec3};
use std::io;
use std::path::Path;

/// Source names of the clips that every character has.
const CLIPS: [&str; 2] = ["wait01_loop", "attack01"];

/// Frames of a clip and frames a second.
const FRAMES: (usize, u32) = (30, 30);

/// Name of the folder with this index.
pub fn folder_name(index: usize) -> String {
    format!("c{index:04}_00")
}

/// Writes `count` folders into `folder`: a model of four joints, a picture, two clips and a manifest each, whose family
/// changes from folder to folder. Legacy manifests list no clips. The manifest of the folder `broken` ends in the
/// middle.
pub fn write_tree(folder: &Path, count: usize, broken: Option<usize>) -> io::Result<()> {
    let model = collada::write(&worm(None), &Options::default());
    let clip_only = Options { nodes: false, ..Options::default() };
    let clips: Vec<String> =
        (0..CLIPS.len()).map(|clip| collada::write(&worm(Some(clip)).without_skin(), &clip_only)).collect();
    let picture = png::encode(8, 8, |x, y| [(60 + 20 * x) as u8, 140, (90 + 12 * y) as u8]);
    for index in 0..count {
        let name = folder_name(index);
        let folder = folder.join(&name);
        std::fs::create_dir_all(folder.join("animations"))?;
        std::fs::create_dir_all(folder.join("textures"))?;
        std::fs::write(folder.join("model.dae"), &model)?;
        std::fs::write(folder.join("textures/worm.png"), &picture)?;
        for (clip, text) in clips.iter().enumerate() {
            std::fs::write(folder.join(clip_file(clip)), text)?;
        }
        let family = Family::ALL[index % Family::ALL.len()];
        let mut text = manifest(&name, family).write(family);
        if broken == Some(index) {
            text.truncate(text.len() / 2);
        }
        std::fs::write(folder.join(family.file_name(&name)), text)?;
    }
    Ok(())
}

fn clip_file(index: usize) -> String {
    format!("animations/clip_{index:03}.dae")
}

fn manifest(name: &str, family: Family) -> Manifest {
    let clip = |(index, source): (usize, &&str)| Clip {
        index,
        source_name: (*source).into(),
        semantic: None,
        file: clip_file(index),
        frames: FRAMES.0,
        fps: FRAMES.1,
        tracks: 3,
    };
    let clips = CLIPS.iter().enumerate().map(clip);
    Manifest {
        name: name.into(),
        model_file: "model.dae".into(),
        pictures: vec![Picture {
            name: "worm".into(),
            file: "textures/worm.png".into(),
            size: (8, 8),
            alpha: false,
        }],
        meshes: 1,
        joints: 4,
        clips: match family {
            Family::Legacy => vec![],
            _ => clips.collect(),
        },
    }
}

/// Four joints in a row in a tube, with one of [`CLIPS`].
fn worm(clip: Option<usize>) -> Scene {
    let mut scene = Scene::default();
    let names = ["Origin", "Waist", "Chest", "Head"];
    for (index, name) in names.into_iter().enumerate() {
        let height = if index == 0 { 0.0 } else { 8.0 };
        let transform = Transform::at(DVec3::new(0.0, height, 0.0));
        scene.add(Node::limb(name, index.checked_sub(1), transform));
    }
    let mut material = Material::matt("Worm", DVec3::ONE);
    material.texture =
        Some(Texture { name: "worm".into(), file: "textures/worm.png".into(), ..Texture::default() });
    scene.materials.push(material);
    scene.meshes.push(worm_skin().into_mesh("Worm", vec![0]));
    scene.add(Node::mesh("Worm", None, 0));
    scene.bind_to_rest();
    if let Some(clip) = clip {
        scene.takes.push(worm_take(clip));
    }
    scene
}

fn worm_skin() -> Surface {
    let ring = |level: usize| {
        let height = level as f64 * 2.0;
        let joint = (level / 4).min(2);
        let joint_height = 8.0 * (joint + 1) as f64;
        let bulge = 1.0 - (height / 30.0) * (height / 30.0);
        Ring {
            centre: DVec3::new(0.0, height, 0.0),
            rotation: frame(DVec3::Y, DVec3::X),
            radius: DVec2::splat(4.0 * bulge.max(0.0).sqrt()),
            weights: blend(joint, joint + 1, joint_height - 4.0, joint_height + 2.0, height),
        }
    };
    let rings: Vec<Ring> = (0..=15).map(ring).collect();
    let mut surface = Surface::default();
    surface.tube(&rings, 10, 0);
    surface
}

/// Sways from side to side, or strikes forward.
fn worm_take(clip: usize) -> Take {
    let end = FRAMES.0 as f64 / f64::from(FRAMES.1);
    let mut take = Take::new(CLIPS[clip], 0.0, end);
    for node in 1..4 {
        let bend = 8.0 * node as f64;
        let keys = match clip {
            0 => vec![(0.0, 0.0), (0.25, bend), (0.75, -bend), (end, 0.0)],
            _ => vec![(0.0, 0.0), (0.3, -bend), (0.5, 2.0 * bend), (end, 0.0)],
        };
        let curve = Some(Curve::linear(keys));
        let curves = match clip {
            0 => [None, None, curve],
            _ => [curve, None, None],
        };
        take.tracks.push(Track { node, property: Property::Rotation, curves });
    }
    take
}
