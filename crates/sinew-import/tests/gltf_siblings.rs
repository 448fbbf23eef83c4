//! Compressed files of the corpus against their plain siblings: joints, and the places of skinned vertices, at rest and in motion.

#![allow(clippy::print_stdout, reason = "figures are for whoever runs the tests")]

mod common;

use common::{corpus, options};
use sinew::glam::Vec3;
use sinew::skinning::SkinnedVertices;
use sinew::{Sampling, job};
use sinew_import::{Imported, import};

/// A plain file, its compressed sibling, and the bits that positions are kept with.
const SIBLINGS: [(&str, &str, u32); 4] = [
    ("CesiumMan/glTF-Binary/CesiumMan.glb", "CesiumMan/glTF-Draco/CesiumMan.gltf", 11),
    ("RiggedFigure/glTF-Binary/RiggedFigure.glb", "RiggedFigure/glTF-Draco/RiggedFigure.gltf", 11),
    (
        "AnimatedMorphCube/glTF-Binary/AnimatedMorphCube.glb",
        "AnimatedMorphCube/glTF-Quantized/AnimatedMorphCube.gltf",
        13,
    ),
    ("MeshoptCubeTest/glTF/MeshoptCubeTest.gltf", "MeshoptCubeTest/glTF-Meshopt/MeshoptCubeTest.gltf", 11),
];

/// Model matrices and all vertices at a time of the first clip.
fn posed(imported: &Imported, time: f64) -> (Vec<sinew::Mat3x4>, Vec<Vec3>) {
    let character = &imported.character;
    let skeleton = character.skeleton();
    let mut pose = skeleton.rest().clone();
    if !character.clips().is_empty() {
        let clip = character.clips().get(0).unwrap();
        job::sample(skeleton, &clip, time, Sampling::Interpolate, &mut pose).unwrap();
    }
    let mut models = vec![sinew::Mat3x4::IDENTITY; skeleton.len()];
    job::local_to_model(skeleton.hierarchy(), pose.blocks(), &sinew::Mat3x4::IDENTITY, &mut models).unwrap();
    let mut vertices = Vec::new();
    for mesh in character.meshes() {
        let mut matrices = vec![sinew::Mat3x4::IDENTITY; mesh.skin_matrix_count()];
        mesh.skin_matrices(&models, &mut matrices).unwrap();
        let mut skinned = SkinnedVertices::for_mesh(mesh);
        skinned.skin(mesh, &matrices, pose.scalars()).unwrap();
        vertices.extend(skinned.positions);
    }
    (models, vertices)
}

/// Largest distance of a point from the nearest of others.
fn farthest(points: &[Vec3], others: &[Vec3]) -> f32 {
    let nearest = |point: &Vec3| others.iter().map(|other| point.distance(*other)).fold(f32::MAX, f32::min);
    points.iter().map(nearest).fold(0.0, f32::max)
}

#[test]
fn compressed_files_equal_their_siblings() {
    let Some(corpus) = corpus("compressed_files_equal_their_siblings") else { return };
    for (plain, compressed, bits) in SIBLINGS {
        let read = |file: &str| import(&corpus.join("khronos").join(file), &options()).unwrap();
        let (a, b) = (read(plain), read(compressed));
        // Nodes that undo the quantisation of a mesh are there in one of them only.
        let skeletons = [&a, &b].map(|imported| imported.character.skeleton());
        let common = (0..skeletons[0].len()).filter_map(|joint| {
            Some((joint, usize::from(skeletons[1].find(skeletons[0].name(joint as u16))?)))
        });
        let common: Vec<(usize, usize)> = common.collect();
        assert!(!common.is_empty(), "{compressed}");
        let size = a.character.size();
        // Morph targets are quantised as well, each with a step of its own.
        let targets = a.character.meshes().iter().map(|mesh| mesh.morphs.len()).max().unwrap_or(0);
        let step = size / (1u32 << bits) as f32 * (1 + targets) as f32;
        let (mut joints, mut vertices) = (0.0f32, 0.0f32);
        for time in [0.0, 0.37, 1.01] {
            let ((models, points), (others, other_points)) = (posed(&a, time), posed(&b, time));
            for (model, other) in common.iter().map(|&(joint, other)| (&models[joint], &others[other])) {
                for axis in [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|axis| axis * size * 0.05) {
                    joints = joints.max(model.transform_point3(axis).distance(other.transform_point3(axis)));
                }
            }
            vertices = vertices.max(farthest(&points, &other_points)).max(farthest(&other_points, &points));
        }
        println!(
            "{compressed}: joints {:.1e}, vertices {:.1e} of D, step {:.1e}",
            joints / size,
            vertices / size,
            step / size
        );
        assert!(joints <= 1e-5 * size, "{compressed}: joints are off by {joints}");
        assert!(vertices <= step, "{compressed}: vertices are off by {vertices}, a step is {step}");
    }
}
