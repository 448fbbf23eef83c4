//! Geometry that is made while reading or posing: instances of a mesh, and a twist by dual quaternions.

mod common;

use common::offscreen::{Offscreen, facing};
use common::shapes::sphere;
use common::{golden, gpu};
use serde_json::json;
use sinew::glam::{Affine3, Quat, Vec3, Vec4};
use sinew::{
    Character, CharacterData, ClipLibrary, Influences, Instance, Joint, Material, Mesh, Part, Skeleton, Skin,
    Space, Transform,
};
use sinew_import::{Options, import_bytes};
use sinew_render::{Camera, Samples, Skinning, View};
use std::path::Path;
use std::sync::Arc;

/// A binary glTF of one bumpy leaf, a flattened sphere, with an instance for each place.
fn instanced(places: &[Affine3]) -> Vec<u8> {
    let leaf = sphere(Vec3::X * 0.5, 0.5, 0);
    let mut binary = Vec::new();
    let (mut views, mut accessors) = (Vec::new(), Vec::new());
    let mut add = |floats: Vec<f32>, width: usize| {
        let bytes: Vec<u8> = floats.iter().flat_map(|f| f.to_le_bytes()).collect();
        views.push(json!({ "buffer": 0, "byteOffset": binary.len(), "byteLength": bytes.len() }));
        binary.extend(bytes);
        let kind = ["SCALAR", "VEC2", "VEC3", "VEC4"][width - 1];
        let count = floats.len() / width;
        accessors.push(
            json!({ "bufferView": views.len() - 1, "componentType": 5126, "type": kind, "count": count }),
        );
        accessors.len() - 1
    };
    let flat = |v: &Vec3| Vec3::new(v.x, v.y * 0.35, v.z * 0.15);
    let upright = |n: &Vec3| Vec3::new(n.x, n.y / 0.35, n.z / 0.15).normalize();
    let corners = |of: &[Vec3], change: &dyn Fn(&Vec3) -> Vec3| -> Vec<f32> {
        leaf.indices.iter().flat_map(|&i| change(&of[i as usize]).to_array()).collect()
    };
    let position = add(corners(&leaf.positions, &flat), 3);
    let normal = add(corners(&leaf.normals, &upright), 3);
    let parts: Vec<_> = places.iter().map(Affine3::to_scale_rotation_translation).collect();
    let translation = add(parts.iter().flat_map(|(_, _, t)| t.to_array()).collect(), 3);
    let rotation = add(parts.iter().flat_map(|(_, r, _)| r.to_array()).collect(), 4);
    let scale = add(parts.iter().flat_map(|(s, _, _)| s.to_array()).collect(), 3);
    let document = json!({
        "asset": { "version": "2.0" },
        "extensionsUsed": ["EXT_mesh_gpu_instancing"],
        "extensionsRequired": ["EXT_mesh_gpu_instancing"],
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "mesh": 0, "extensions": { "EXT_mesh_gpu_instancing": { "attributes": {
            "TRANSLATION": translation, "ROTATION": rotation, "SCALE": scale,
        } } } }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": position, "NORMAL": normal }, "material": 0 }] }],
        "materials": [{ "pbrMetallicRoughness": { "baseColorFactor": [0.1, 0.35, 0.08, 1.0], "metallicFactor": 0.0 } }],
        "bufferViews": views,
        "accessors": accessors,
        "buffers": [{ "byteLength": binary.len() }],
    });
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let words = |numbers: [usize; 2]| numbers.map(|n| (n as u32).to_le_bytes()).concat();
    let chunk = |kind: &[u8; 4], data: &[u8]| [&(data.len() as u32).to_le_bytes(), &kind[..], data].concat();
    let body = [chunk(b"JSON", &text), chunk(b"BIN\0", &binary)].concat();
    [b"glTF", &words([2, body.len() + 12])[..], &body].concat()
}

#[test]
fn instances_are_drawn_where_they_stand() {
    let Some(gpu) = gpu("instances_are_drawn_where_they_stand") else { return };
    let places: Vec<Affine3> = (0..9)
        .map(|i| {
            let turn = Quat::from_rotation_z(i as f32 * 0.7);
            // Every third one is mirrored.
            let size = Vec3::new(1.0, 1.0, if i % 3 == 2 { -1.0 } else { 1.0 }) * (0.6 + 0.08 * i as f32);
            Affine3::from_scale_rotation_translation(
                size,
                turn,
                turn * Vec3::X * 0.4 + Vec3::Z * 0.1 * i as f32,
            )
        })
        .collect();
    let file = instanced(&places);
    let imported = import_bytes(&file, Path::new("leaves.glb"), &Options::default()).unwrap();
    let mut offscreen = Offscreen::new(&gpu, (128, 128), Samples::Four);
    let mut batch = offscreen.one(&imported.character, Skinning::Auto);
    let camera = Camera::framing(View::ThreeQuarter, &batch.bounds(0), 1.0);
    golden::check("instances", &offscreen.shoot(&camera, &mut [&mut batch]));
}

/// A bar along X of two joints, bound to the first at its left end and to the second at its right.
fn bar(dual: f32) -> Character {
    const RINGS: u32 = 24;
    const AROUND: u32 = 24;
    let mut mesh = Mesh { joint: 0, ..Mesh::new("bar") };
    let mut influences = Influences { per_vertex: 4, ..Influences::default() };
    for (ring, side) in (0..=RINGS).flat_map(|ring| (0..=AROUND).map(move |side| (ring, side))) {
        let along = ring as f32 / RINGS as f32;
        let (sin, cos) = (side as f32 / AROUND as f32 * std::f32::consts::TAU).sin_cos();
        let normal = Vec3::new(0.0, cos, sin);
        mesh.positions.push(Vec3::X * (along * 3.0 - 1.5) + normal * 0.5);
        mesh.normals.push(normal);
        // Stripes, so that the twist is seen.
        let shade = if side / 4 % 2 == 0 { 1.0 } else { 0.25 };
        mesh.colors.push(Vec4::new(shade, shade * 0.6, 0.2, 1.0));
        influences.skin_joints.extend([0, 1, 0, 0]);
        influences.weights.extend([1.0 - along, along, 0.0, 0.0]);
        if ring < RINGS && side < AROUND {
            let (at, next) = (ring * (AROUND + 1) + side, (ring + 1) * (AROUND + 1) + side);
            mesh.indices.extend([at, next, at + 1, next, next + 1, at + 1]);
        }
    }
    influences.dual_quaternion = vec![dual; mesh.positions.len()].into();
    mesh.influences = influences;
    mesh.parts = vec![Part { material: Some(0), first: 0, count: mesh.indices.len() as u32 }];
    let end = |x: f32| Transform::from_translation(Vec3::X * x);
    let skeleton = Skeleton::new(
        vec![Joint::new("left", None, end(-1.5)), Joint::new("right", Some(0), end(3.0))],
        vec![],
    )
    .unwrap();
    mesh.skin = Some(Skin {
        joints: [0, 1].into(),
        inverse_binds: skeleton.rest_model().iter().map(|m| m.to_affine().inverse().into()).collect(),
    });
    Character::new(CharacterData {
        name: "bar".into(),
        skeleton,
        meshes: vec![mesh],
        materials: vec![Material { two_sided: true, ..Material::default() }],
        textures: vec![],
        clips: ClipLibrary::default(),
        space: Space::CANONICAL,
    })
    .unwrap()
}

/// Twisted by 170 degrees, a linear blend (above) is wrung to a thread in the middle; dual quaternions (below) keep the bar round.
#[test]
fn a_twist_by_dual_quaternions_keeps_its_thickness() {
    let Some(gpu) = gpu("a_twist_by_dual_quaternions_keeps_its_thickness") else { return };
    for skinning in [Skinning::Gpu, Skinning::Cpu] {
        let mut offscreen = Offscreen::new(&gpu, (160, 128), Samples::Four);
        let mut batches: Vec<_> = [(0.0, 0.7), (1.0, -0.7)]
            .into_iter()
            .map(|(dual, y)| {
                let character = bar(dual);
                let mut batch = offscreen.one(&character, skinning);
                let mut posed = Instance::new(Arc::new(character));
                let twist = Quat::from_rotation_x(170f32.to_radians());
                let right = Transform { rotation: twist, ..Transform::from_translation(Vec3::X * 3.0) };
                posed.pose_mut().set(1, right);
                posed.finish().unwrap();
                batch.set(0, &posed).unwrap();
                batch.place(0, Affine3::from_translation(Vec3::Y * y)).unwrap();
                batch
            })
            .collect();
        let mut batches: Vec<_> = batches.iter_mut().collect();
        golden::check("dual_quaternion_twist", &offscreen.shoot(&facing(1.4, 1.25), &mut batches));
    }
}
