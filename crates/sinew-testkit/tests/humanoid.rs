//! The humanoid's files load in ufbx, have the structure of Mixamo's, and play as this crate's own mathematics say.

mod common;

use common::{difference, load, matrix, models_at};
use glam::{DMat4, DVec3};
use sinew_testkit::fbx;
use sinew_testkit::humanoid::{self, Motion, PREFIX, RATE, TAKE};

#[test]
fn the_character_is_whole() {
    let bytes = fbx::write(&humanoid::character());
    let scene = load("character", bytes.as_bytes());
    assert_eq!(scene.bones.len(), 65);
    assert_eq!(scene.meshes.len(), 2);
    assert_eq!(scene.anim_stacks.len(), 0);
    assert_eq!(scene.settings.unit_meters, 0.01);
    let mut weighted: Vec<String> = Vec::new();
    for skin in &scene.skin_deformers {
        assert!(skin.max_weights_per_vertex <= 4);
        for vertex in &skin.vertices {
            let begin = vertex.weight_begin as usize;
            let all = begin..begin + vertex.num_weights as usize;
            let sum: f64 = all.map(|i| skin.weights[i].weight).sum();
            assert!((sum - 1.0).abs() < 1e-8, "weights add up to {sum}");
        }
        for cluster in &skin.clusters {
            let Some(bone) = &cluster.bone_node else {
                panic!("a cluster has no bone");
            };
            let skin = matrix(&bone.node_to_world) * matrix(&cluster.geometry_to_bone);
            assert!(difference(skin, DMat4::IDENTITY) < 1e-6);
            weighted.push(bone.element.name.to_string());
        }
    }
    weighted.sort_unstable();
    weighted.dedup();
    assert_eq!(weighted.len(), 52);
    assert!(scene.textures[0].content.starts_with(b"\x89PNG"));
}

#[test]
fn proportions() {
    let scene = humanoid::character();
    let all = || scene.meshes.iter().flat_map(|m| &m.vertices);
    let count = all().count();
    assert!((3000..=8000).contains(&count), "{count} vertices");
    let low = all().fold(DVec3::INFINITY, |a, b| a.min(*b));
    let high = all().fold(DVec3::NEG_INFINITY, |a, b| a.max(*b));
    assert!(low.y.abs() < 0.2, "stands on the ground: {}", low.y);
    assert!((178.0..184.0).contains(&high.y), "{} tall", high.y);
    assert!((low.x + high.x).abs() < 1e-3, "symmetric");
    assert!((175.0..190.0).contains(&(high.x - low.x)), "arm span");
    for mesh in &scene.meshes {
        let outwards = mesh.normals.iter().all(|n| n.is_normalized());
        assert!(outwards, "{}", mesh.name);
        for face in &mesh.faces {
            assert!(face.len() >= 3);
        }
    }
}

#[test]
fn clips_have_mixamo_s_structure() {
    for motion in Motion::ALL {
        let bytes = fbx::write(&humanoid::clip(motion));
        let scene = load(motion.name(), bytes.as_bytes());
        assert_eq!(scene.meshes.len(), 0);
        assert_eq!(scene.bones.len(), 65);
        let stacks: Vec<_> = scene.anim_stacks.iter().collect();
        assert_eq!(stacks.len(), 2);
        assert_eq!(&*stacks[0].element.name, TAKE);
        assert!((stacks[0].time_end - motion.duration()).abs() < 1e-9);
        assert_eq!(&*stacks[1].element.name, "Take 001");
        assert_eq!(stacks[1].layers[0].anim_values.len(), 0);
        // 52 rotations and one translation.
        assert_eq!(stacks[0].layers[0].anim_values.len(), 53);
        let keys = scene.anim_curves.iter().map(|c| c.keyframes.len());
        assert!(keys.into_iter().all(|k| k == motion.frames() + 1));
    }
}

#[test]
fn ufbx_plays_the_clips_as_we_do() {
    for motion in Motion::ALL {
        let clip = humanoid::clip(motion);
        let bytes = fbx::write(&clip);
        let scene = load(motion.name(), bytes.as_bytes());
        for time in [0.0, 7.0 / RATE, 0.4321, motion.duration()] {
            let want = clip.models(Some(&clip.takes[0]), time);
            for (name, model) in models_at(&scene, TAKE, time) {
                assert!(name.starts_with(PREFIX));
                let error = difference(model, want[clip.index(&name)]);
                assert!(error < 1e-4, "{}: {name} is off by {error} cm", motion.name());
            }
        }
    }
}

#[test]
fn bytes_repeat() {
    assert!(humanoid::files() == humanoid::files());
    let names: Vec<String> = humanoid::files().into_iter().map(|f| f.0).collect();
    assert_eq!(names.len(), 8);
    assert_eq!(names[0], "hero.fbx");
}
