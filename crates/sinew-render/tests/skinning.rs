//! CPU against GPU skinning: the same vertices, and the same picture.

mod common;

use common::figure::{extra, figure};
use common::gpu;
use common::offscreen::Offscreen;
use sinew::glam::{Affine3, Quat, Vec3};
use sinew::{Character, CharacterData, Instance, Material, Mesh, Texture, TextureRef, Transform};
use sinew_render::{Camera, RenderError, Renderer, Samples, Settings, Skinning, View};
use std::sync::Arc;

/// A random pose, the same for the same seed: rotated, moved, scaled joints, and morph weights.
fn any_pose(character: &Character, seed: u32, mirror: bool) -> Instance {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32 - 0.5
    };
    let mut instance = Instance::new(Arc::new(character.clone()));
    let pose = instance.pose_mut();
    for joint in 0..pose.len() {
        let rest = pose.get(joint);
        let axis = Vec3::new(next(), next(), next() + 0.01);
        let stretch = 1.0 + 0.2 * Vec3::new(next(), next(), next());
        pose.set(
            joint,
            Transform {
                translation: rest.translation + 0.02 * Vec3::new(next(), next(), next()),
                rotation: Quat::from_axis_angle(axis.normalize(), 0.8 * next()) * rest.rotation,
                scale: if joint > 30 { Vec3::ONE } else { stretch },
            },
        );
    }
    for (i, scalar) in pose.scalars_mut().iter_mut().enumerate() {
        *scalar = [0.7, -0.4][i % 2];
    }
    if mirror {
        instance.set_root(Affine3::from_scale(Vec3::new(-1.0, 1.0, 1.0)));
    }
    instance.finish().unwrap();
    instance
}

/// 65, 108 and 300 joints, with 4 and 8 influences.
fn rigs() -> [Character; 4] {
    [figure(65, 4), figure(108, 8), figure(300, 4), figure(300, 8)]
}

/// The same with a normal map, so that it is drawn with tangents, and with targets that morph them.
fn bumpy(character: &Character) -> Character {
    let normal_texture = Some(TextureRef::new(0));
    let bumps = common::shapes::texture("bumps", &common::shapes::bumps());
    let mut meshes = character.meshes().to_vec();
    for delta in meshes.iter_mut().flat_map(|mesh| &mut mesh.morphs).flat_map(|target| &mut target.deltas) {
        delta.tangent = Vec3::new(0.1, 0.2, -0.1);
    }
    let bump = |material: &Material| Material { normal_texture, ..material.clone() };
    with(character, meshes, character.materials().iter().map(bump).collect(), vec![bumps])
}

/// The same blended by dual quaternions, from vertex to vertex more and more.
fn turned(character: &Character) -> Character {
    let mut meshes = character.meshes().to_vec();
    for mesh in &mut meshes {
        let last = mesh.vertex_count() as f32 - 1.0;
        mesh.influences.dual_quaternion = (0..mesh.vertex_count()).map(|v| v as f32 / last).collect();
    }
    with(character, meshes, character.materials().to_vec(), character.textures().to_vec())
}

fn with(
    character: &Character,
    meshes: Vec<Mesh>,
    materials: Vec<Material>,
    textures: Vec<Texture>,
) -> Character {
    Character::new(CharacterData {
        name: character.name().into(),
        skeleton: character.skeleton().as_ref().clone(),
        meshes,
        materials,
        textures,
        clips: character.clips().clone(),
        space: character.space(),
    })
    .unwrap()
}

#[test]
fn tangents_read_back_agree() {
    let Some(gpu) = gpu("tangents_read_back_agree") else { return };
    let mut renderer = Renderer::new(&gpu, Settings::default()).unwrap();
    for character in [bumpy(&figure(65, 4)), bumpy(&figure(108, 8))] {
        let model = renderer.load(&character).unwrap();
        assert!(model.findings().is_empty(), "{:?}", model.findings());
        let mut read = |skinning| {
            let mut batch = renderer.batch(&model, 2, skinning).unwrap();
            batch.set(1, &any_pose(&character, 11, true)).unwrap();
            renderer.read_back(&mut batch, 0, 1).unwrap()
        };
        let (a, b) = (read(Skinning::Gpu), read(Skinning::Cpu));
        assert_eq!((a.tangents.len(), b.tangents.len()), (a.positions.len(), b.positions.len()));
        assert!(a.tangents.len() >= character.meshes()[0].positions.len());
        let off = a.tangents.iter().zip(&b.tangents).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(off < 1e-3, "{off}");
        assert!(b.tangents.iter().any(|t| t.distance(model.mesh(0).tangents[0]) > 0.5), "they are turned");
    }
}

#[test]
fn positions_read_back_agree() {
    let Some(gpu) = gpu("positions_read_back_agree") else { return };
    let mut renderer = Renderer::new(&gpu, Settings::default()).unwrap();
    for character in rigs().into_iter().chain([turned(&figure(65, 4)), turned(&figure(108, 8))]) {
        let joints = character.skeleton().len();
        let model = renderer.load(&character).unwrap();
        let d = model.rest_bounds().diagonal();
        let mut on_gpu = renderer.batch(&model, 3, Skinning::Gpu).unwrap();
        let mut on_cpu = renderer.batch(&model, 3, Skinning::Cpu).unwrap();
        for instance in 0..3 {
            let posed = any_pose(&character, 7 + instance as u32, instance == 2);
            on_gpu.set(instance, &posed).unwrap();
            on_cpu.set(instance, &posed).unwrap();
        }
        for instance in 0..3 {
            let a = renderer.read_back(&mut on_gpu, 0, instance).unwrap();
            let b = renderer.read_back(&mut on_cpu, 0, instance).unwrap();
            let worst = |a: &[Vec3], b: &[Vec3]| {
                assert_eq!(a.len(), b.len());
                a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
            };
            let off = worst(&a.positions, &b.positions);
            assert!(off <= 1e-4 * d, "{joints} joints, instance {instance}: {off} of {d}");
            assert!(worst(&a.normals, &b.normals) < 1e-3, "{joints} joints: normals");
            let rest = &character.meshes()[0].positions;
            assert!(worst(&a.positions, rest) > 0.05 * d, "the pose moves something");
        }
    }
}

/// The local pose changes after the matrices were computed: a batch that computed skin matrices by itself would draw the new pose.
#[test]
fn skin_matrices_are_taken_as_they_are() {
    let Some(gpu) = gpu("skin_matrices_are_taken_as_they_are") else { return };
    let mut renderer = Renderer::new(&gpu, Settings::default()).unwrap();
    let character = figure(24, 4);
    let model = renderer.load(&character).unwrap();
    for skinning in [Skinning::Gpu, Skinning::Cpu] {
        let mut batch = renderer.batch(&model, 2, skinning).unwrap();
        let mut posed = any_pose(&character, 3, false);
        batch.set(0, &posed).unwrap();
        let root = posed.pose().get(0);
        posed.pose_mut().set(0, Transform { translation: root.translation + Vec3::X, ..root });
        batch.set(1, &posed).unwrap();
        let mut read = |instance| renderer.read_back(&mut batch, 0, instance).unwrap().positions;
        let (first, second) = (read(0), read(1));
        assert_eq!(first, second, "{skinning:?}");
        posed.finish().unwrap();
        batch.set(1, &posed).unwrap();
        assert_ne!(first, renderer.read_back(&mut batch, 0, 1).unwrap().positions, "{skinning:?}");
    }
}

#[test]
fn morphs_move_what_they_should() {
    let Some(gpu) = gpu("morphs_move_what_they_should") else { return };
    let mut renderer = Renderer::new(&gpu, Settings::default()).unwrap();
    let character = figure(24, 4);
    let model = renderer.load(&character).unwrap();
    let mut batch = renderer.batch(&model, 1, Skinning::Gpu).unwrap();
    let mut posed = Instance::new(Arc::new(character.clone()));
    posed.pose_mut().scalars_mut().copy_from_slice(&[0.5, 2.0]);
    batch.set(0, &posed).unwrap();
    let got = renderer.read_back(&mut batch, 0, 0).unwrap();
    let mesh = &character.meshes()[0];
    let mut expected = mesh.positions.clone();
    for (target, weight) in mesh.morphs.iter().zip([0.5, 2.0]) {
        target.deltas.iter().for_each(|delta| expected[delta.vertex as usize] += delta.position * weight);
    }
    let off = got.positions.iter().zip(&expected).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    assert!(off < 1e-4, "{off}");
}

#[test]
fn pictures_are_the_same_either_way() {
    let Some(gpu) = gpu("pictures_are_the_same_either_way") else { return };
    let mut offscreen = Offscreen::new(&gpu, (240, 240), Samples::One);
    for character in rigs().into_iter().chain([bumpy(&figure(65, 8))]) {
        let bounds = offscreen.renderer.load(&character).unwrap().rest_bounds();
        offscreen.look = common::offscreen::plain().with_ground(0.0, bounds.center(), bounds.diagonal());
        let camera = Camera::framing(View::ThreeQuarter, &bounds.grown(0.3), 1.0);
        let empty = offscreen.shoot(&camera, &mut []);
        for (seed, mirror) in [(1, false), (2, true)] {
            let posed = any_pose(&character, seed, mirror);
            let mut shoot = |skinning| {
                let mut batch = offscreen.one(&character, skinning);
                batch.set(0, &posed).unwrap();
                batch.show_ghost(Some(0)).unwrap();
                offscreen.shoot(&camera, &mut [&mut batch])
            };
            let (a, b) = (shoot(Skinning::Gpu), shoot(Skinning::Cpu));
            let off = a.mean_difference(&b);
            assert!(off < 1.0, "{} joints: {off}/255", character.skeleton().len());
            assert!(a.differing(&empty, 20) > 0.03, "there is something in the picture");
        }
    }
}

#[test]
fn many_instances_are_drawn_as_they_were_placed() {
    let Some(gpu) = gpu("many_instances_are_drawn_as_they_were_placed") else { return };
    let mut offscreen = Offscreen::new(&gpu, (320, 160), Samples::One);
    let character = figure(24, 4);
    let model = offscreen.renderer.load(&character).unwrap();
    let bounds = model.rest_bounds();
    let wide = bounds.union(bounds.transformed(Affine3::from_translation(Vec3::X * 4.0)));
    let camera = Camera::framing(View::Front, &wide, 2.0);
    let mut pictures = Vec::new();
    for skinning in [Skinning::Gpu, Skinning::Cpu] {
        let mut together = offscreen.renderer.batch(&model, 5, skinning).unwrap();
        for i in 0..5 {
            let posed = any_pose(&character, i as u32, false);
            together.set(i, &posed).unwrap();
            together.place(i, Affine3::from_translation(Vec3::X * i as f32)).unwrap();
        }
        pictures.push(offscreen.shoot(&camera, &mut [&mut together]));
        assert_eq!(together.seen(), 5);
        // The same five in batches of their own.
        let mut alone: Vec<_> =
            (0..5).map(|_| offscreen.renderer.batch(&model, 1, skinning).unwrap()).collect();
        for (i, batch) in alone.iter_mut().enumerate() {
            let posed = any_pose(&character, i as u32, false);
            batch.set(0, &posed).unwrap();
            batch.place(0, Affine3::from_translation(Vec3::X * i as f32)).unwrap();
        }
        let mut alone: Vec<_> = alone.iter_mut().collect();
        pictures.push(offscreen.shoot(&camera, &mut alone));
    }
    for other in &pictures[1..] {
        assert!(pictures[0].mean_difference(other) < 0.2, "{}", pictures[0].mean_difference(other));
    }
}

#[test]
fn a_crowd_is_one_draw() {
    let Some(gpu) = gpu("a_crowd_is_one_draw") else { return };
    let mut offscreen = Offscreen::new(&gpu, (64, 64), Samples::One);
    let model = offscreen.renderer.load(&extra(65)).unwrap();
    let camera = Camera::framing(View::Front, &model.rest_bounds(), 1.0);
    for (skinning, draws) in [(Skinning::Gpu, 1), (Skinning::Cpu, 100)] {
        let mut crowd = offscreen.renderer.batch(&model, 100, skinning).unwrap();
        let before = gpu.draws();
        offscreen.shoot(&camera, &mut [&mut crowd]);
        assert_eq!((crowd.seen(), gpu.draws() - before), (100, draws), "{skinning:?}");
    }
}

#[test]
fn poses_that_do_not_fit_are_refused() {
    let Some(gpu) = gpu("poses_that_do_not_fit_are_refused") else { return };
    let mut renderer = Renderer::new(&gpu, Settings::default()).unwrap();
    let character = figure(24, 4);
    let model = renderer.load(&character).unwrap();
    for skinning in [Skinning::Gpu, Skinning::Cpu] {
        let mut batch = renderer.batch(&model, 2, skinning).unwrap();
        let posed = Instance::new(Arc::new(character.clone()));
        assert!(batch.set(1, &posed).is_ok());
        let other = Instance::new(Arc::new(figure(30, 4)));
        let error = batch.set(0, &other).unwrap_err().to_string();
        let expected =
            "the pose does not fit the character: model has 30 elements where exactly 24 are meant";
        assert_eq!(error, expected);
        let mut short = posed.clone();
        *short.pose_mut() = sinew::Pose::identity(24, 1);
        assert!(batch.set(0, &short).unwrap_err().to_string().contains("scalars"));
        assert_eq!(
            batch.set(2, &posed).unwrap_err(),
            RenderError::Index { what: "instance", index: 2, count: 2 }
        );
        assert!(batch.show_weights(Some(24)).is_err() && batch.show_ghost(Some(9)).is_err());
        assert!(renderer.read_back(&mut batch, 1, 0).is_err());
    }
}
