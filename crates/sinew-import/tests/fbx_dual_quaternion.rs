//! Dual-quaternion skins against what ufbx recorded and what Maya wrote itself.

mod common;

use common::{Bars, compare, conclude, corpus, options, rows};
use sinew::glam::Vec3;
use sinew::skinning::SkinnedVertices;
use sinew::{Aabb, Sampling, job};
use sinew_import::{Imported, import};
use std::path::Path;

const BARS: Bars = Bars { joint: 1e-4, vertex: 1e-4 };

#[test]
fn vertices_are_where_gold_has_them() {
    let Some(corpus) = corpus("vertices_are_where_gold_has_them") else { return };
    let rows = rows(&corpus, "dq_", |entry, imported| {
        Some(compare(&entry.file, &entry.gold(&corpus), imported, &[]))
    });
    assert_eq!(rows.len(), 2);
    conclude("FBX with dual quaternions", &rows, BARS, &[]);
}

/// The largest distance between vertices of the first mesh and control points of an OBJ file, by its diagonal.
fn distance_to_obj(imported: &Imported, time: Option<f64>, obj: &Path) -> f32 {
    let text = std::fs::read_to_string(obj).unwrap();
    let points = text.lines().filter_map(|line| line.strip_prefix("v "));
    let points: Vec<Vec3> = points
        .map(|line| {
            let numbers: Vec<f32> = line.split_whitespace().map(|word| word.parse().unwrap()).collect();
            Vec3::from_slice(&numbers)
        })
        .collect();
    let character = &imported.character;
    let (skeleton, mesh) = (character.skeleton(), &character.meshes()[0]);
    let mut pose = skeleton.rest().clone();
    if let Some(time) = time {
        let clip = character.clips().get(0).unwrap();
        let time = time - imported.source.clip(0).start;
        job::sample(skeleton, &clip, time, Sampling::Interpolate, &mut pose).unwrap();
    }
    let mut models = vec![sinew::Mat3x4::IDENTITY; skeleton.len()];
    job::local_to_model(skeleton.hierarchy(), pose.blocks(), &sinew::Mat3x4::IDENTITY, &mut models).unwrap();
    let mut matrices = vec![sinew::Mat3x4::IDENTITY; mesh.skin_matrix_count()];
    mesh.skin_matrices(&models, &mut matrices).unwrap();
    let mut skinned = SkinnedVertices::for_mesh(mesh);
    skinned.skin(mesh, &matrices, pose.scalars()).unwrap();
    let bounds = Aabb::of(&points);
    let worst = (0u32..)
        .zip(&skinned.positions)
        .map(|(vertex, position)| position.distance(points[imported.source.vertex(0, vertex) as usize]));
    worst.fold(0.0, f32::max) / (bounds.max - bounds.min).length()
}

#[test]
fn vertices_are_where_maya_wrote_them() {
    let Some(corpus) = corpus("vertices_are_where_maya_wrote_them") else { return };
    let tenth_frame = Some(10.0 / 24.0);
    for (file, obj, time) in [
        ("maya_dual_quaternion_7500_ascii.fbx", "maya_dual_quaternion.obj", None),
        ("maya_dq_weights_7500_ascii.fbx", "maya_dq_weights_10.obj", tenth_frame),
    ] {
        let imported = import(&corpus.join("ufbx").join(file), &options()).unwrap();
        let distance = distance_to_obj(&imported, time, &corpus.join("ufbx").join(obj));
        assert!(distance <= 1e-3, "{file}: {distance:e} of the diagonal");
        let mut linear = imported;
        let mut meshes = linear.character.meshes().to_vec();
        meshes[0].influences.dual_quaternion = Default::default();
        let character = &linear.character;
        linear.character = sinew::Character::new(sinew::CharacterData {
            name: character.name().to_owned(),
            skeleton: character.skeleton().as_ref().clone(),
            meshes,
            materials: character.materials().to_vec(),
            textures: character.textures().to_vec(),
            clips: character.clips().clone(),
            space: character.space(),
        })
        .unwrap();
        let distance = distance_to_obj(&linear, time, &corpus.join("ufbx").join(obj));
        assert!(distance > 1e-3, "{file}: a linear blend is as near, so this shows nothing");
    }
}
