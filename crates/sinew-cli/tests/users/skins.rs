//! What files say beyond the usual: dual quaternions, several scenes.

use super::*;
use sinew::glam::{Quat, Vec3};
use sinew::skinning::SkinnedVertices;
use sinew::{Character, Mat3x4, job};
use sinew_import::{Options, import};

/// Vertices of the first mesh with every joint turned far about the bone above it, where ways to blend differ.
fn twisted(character: &Character) -> Vec<Vec3> {
    let (skeleton, mesh) = (character.skeleton(), &character.meshes()[0]);
    let mut pose = skeleton.rest().clone();
    for joint in 0..skeleton.len() {
        let mut local = pose.get(joint);
        local.rotation *= Quat::from_rotation_y(2.5);
        pose.set(joint, local);
    }
    let mut models = vec![Mat3x4::IDENTITY; skeleton.len()];
    job::local_to_model(skeleton.hierarchy(), pose.blocks(), &Mat3x4::IDENTITY, &mut models).unwrap();
    let mut matrices = vec![Mat3x4::IDENTITY; mesh.skin_matrix_count()];
    mesh.skin_matrices(&models, &mut matrices).unwrap();
    let mut skinned = SkinnedVertices::for_mesh(mesh);
    skinned.skin(mesh, &matrices, pose.scalars()).unwrap();
    skinned.positions.to_vec()
}

fn farthest(a: &[Vec3], b: &[Vec3]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

#[test]
fn dual_quaternions_are_kept_in_bundles_and_told_of_in_glb() {
    let folder = folder();
    let linear = String::from_utf8(body()).unwrap();
    let dual = linear.replace("SkinningType: \"Linear\"", "SkinningType: \"DualQuaternion\"");
    assert_ne!(linear, dual);
    write(folder.path(), "linear.fbx", linear);
    write(folder.path(), "dual.fbx", dual);
    let converted = |source: &str, output: &str| {
        let report = sinew(folder.path(), &["convert", source, "-o", output, "--json"]);
        assert!(report.status.success(), "{}", text(&report.stderr));
        let ids = json(&report)["findings"].as_array().unwrap().iter().map(|f| f["id"].clone()).collect();
        let read = import(&folder.path().join(output), &Options::default()).unwrap().character;
        (read, ids)
    };
    let read = |file: &str| import(&folder.path().join(file), &Options::default()).unwrap().character;
    let (source, plain) = (twisted(&read("dual.fbx")), twisted(&read("linear.fbx")));
    let differ = farthest(&source, &plain);
    assert!(differ > 0.01, "the two ways differ by {differ} m, so this shows something");
    let (bundle, ids): (Character, Vec<Value>) = converted("dual.fbx", "dual.sinew");
    assert!(ids.iter().all(|id| id != "glb.dual-quaternion"), "{ids:?}");
    let shares = &bundle.meshes()[0].influences.dual_quaternion;
    assert!(!shares.is_empty() && shares.iter().all(|share| *share == 1.0));
    assert!(farthest(&twisted(&bundle), &source) < 1e-6, "a bundle skins as its source");
    let (glb, ids): (Character, Vec<Value>) = converted("dual.fbx", "dual.glb");
    assert!(ids.iter().any(|id| id == "glb.dual-quaternion"), "{ids:?}");
    assert!(farthest(&twisted(&glb), &plain) < 1e-5, "what GLB holds is blended linearly");
    let (_, ids): (Character, Vec<Value>) = converted("linear.fbx", "linear.glb");
    assert!(ids.iter().all(|id| id != "glb.dual-quaternion"), "{ids:?}");
}

#[test]
fn other_scenes_of_a_gltf_are_told_of() {
    let folder = folder();
    let bytes: Vec<u8> =
        [0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0].iter().flat_map(|n| n.to_le_bytes()).collect();
    write(folder.path(), "triangle.bin", &bytes);
    let document = |scenes: &Value| {
        serde_json::json!({
            "asset": { "version": "2.0" }, "buffers": [{ "uri": "triangle.bin", "byteLength": 36 }],
            "bufferViews": [{ "buffer": 0, "byteLength": 36 }],
            "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" }],
            "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
            "nodes": [{ "mesh": 0, "name": "one" }, { "mesh": 0, "name": "two" }],
            "scenes": scenes, "scene": 1
        })
        .to_string()
    };
    let found = |scenes: Value| {
        write(folder.path(), "scenes.gltf", document(&scenes));
        let report = json(&sinew(folder.path(), &["inspect", "scenes.gltf", "--json"]));
        let file = &report["files"][0];
        let findings = file["findings"].as_array().unwrap_or_else(|| panic!("{report:#}")).clone();
        let told = findings.into_iter().find(|finding| finding["id"] == "gltf.other-scenes");
        (told, text(&sinew(folder.path(), &["inspect", "scenes.gltf"]).stdout))
    };
    let (told, shown) = found(serde_json::json!([{ "nodes": [0] }, { "nodes": [1] }, { "nodes": [0, 1] }]));
    let message = told.expect("a finding")["message"].as_str().unwrap().to_owned();
    assert!(message.contains("3 scenes"), "{message}");
    assert!(
        shown.contains("\n  two") && !shown.contains("\n  one"),
        "the scene that the file names is read: {shown}"
    );
    assert!(found(serde_json::json!([{ "nodes": [0] }, { "nodes": [1] }])).0.is_some());
}
