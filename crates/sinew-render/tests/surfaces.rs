//! The glTF material model: metal and roughness, normal maps, emission, texture coordinates; mirrored models, floors, missing textures.

mod common;

use common::offscreen::{Offscreen, facing};
use common::shapes::{bumps, character, corners, drawn, quad, sphere, texture};
use common::{golden, gpu};
use sinew::glam::{Quat, Vec2, Vec3, Vec4};
use sinew::{
    Character, Image, Instance, Material, Mesh, MinFilter, Sampler, Texture, TextureRef, Transform,
    UvTransform,
};
use sinew_render::{Camera, Color, Picture, Samples, Skinning, View};
use std::sync::Arc;

fn shoot(offscreen: &mut Offscreen, shape: &Character, camera: &Camera) -> Picture {
    let mut batch = offscreen.one(shape, Skinning::Auto);
    offscreen.shoot(camera, &mut [&mut batch])
}

#[test]
fn metals_and_dielectrics_from_smooth_to_rough() {
    let Some(gpu) = gpu("metals_and_dielectrics_from_smooth_to_rough") else { return };
    let mut offscreen = Offscreen::new(&gpu, (240, 96), Samples::Four);
    let (mut meshes, mut materials) = (vec![], vec![]);
    for (row, metallic) in [(0, 1.0), (1, 0.0)] {
        for column in 0..5 {
            let at = Vec3::new(column as f32 * 2.2 - 4.4, 1.1 - row as f32 * 2.2, 0.0);
            meshes.push(sphere(at, 1.0, materials.len()));
            let (base_color, roughness) = (Vec4::new(0.9, 0.55, 0.2, 1.0), column as f32 / 4.0);
            materials.push(Material { base_color, metallic, roughness, ..Material::default() });
        }
    }
    let shot = shoot(&mut offscreen, &character(meshes, materials, vec![]), &facing(2.2, 2.5));
    golden::check("metal", &shot);
}

/// What `soften` in `light.wgsl` and sRGB make of light.
fn shown(light: f32) -> f32 {
    let soft = if light > 0.6 { 0.6 + 0.4 * (1.0 - (-(light - 0.6) / 0.4).exp()) } else { light };
    let srgb = if soft <= 0.003_130_8 { soft * 12.92 } else { 1.055 * soft.powf(1.0 / 2.4) - 0.055 };
    srgb * 255.0
}

#[test]
fn a_mirror_shows_the_exported_environment() {
    let Some(gpu) = gpu("a_mirror_shows_the_exported_environment") else { return };
    let mut offscreen = Offscreen::new(&gpu, (32, 32), Samples::One);
    offscreen.look.light = Vec3::new(0.2, 0.8, 0.6);
    let chrome = Material { metallic: 1.0, roughness: 0.0, ..Material::default() };
    let camera = Camera::look_at(Vec3::Z * 40.0, Vec3::ZERO, 0.02);
    for degrees in [-60.0f32, -30.0, -15.0, 10.0, 20.0, 30.0, 45.0, 60.0] {
        let turn = Quat::from_rotation_x(-degrees.to_radians());
        let mut mesh = quad("mirror", Vec3::ZERO, Vec2::splat(4.0), Vec2::ONE, 0);
        mesh.positions.iter_mut().for_each(|p| *p = turn * *p);
        mesh.normals.fill(turn * Vec3::Z);
        let shot = shoot(&mut offscreen, &character(vec![mesh], vec![chrome.clone()], vec![]), &camera);
        let expected = offscreen.look.radiance(turn * turn * Vec3::Z).to_array().map(shown);
        for (got, expected) in shot.pixel(16, 16).into_iter().zip(expected) {
            assert!((f32::from(got) - expected).abs() < 9.0, "{degrees} degrees: {got}, expected {expected}");
        }
    }
}

fn bumpy(scale: f32) -> Material {
    let base_color = Vec4::new(0.6, 0.6, 0.65, 1.0);
    let normal_texture = Some(TextureRef::new(0));
    Material { base_color, normal_texture, normal_scale: scale, roughness: 0.4, ..Material::default() }
}

#[test]
fn normal_maps_bend_the_light() {
    let Some(gpu) = gpu("normal_maps_bend_the_light") else { return };
    let mut offscreen = Offscreen::new(&gpu, (192, 96), Samples::Four);
    // Texture coordinates of the second quad run the other way; its bumps must not turn into dents.
    let mut mirrored = quad("mirrored", Vec3::new(2.2, 0.0, 0.0), Vec2::ONE, Vec2::ONE, 0);
    mirrored.uvs.iter_mut().for_each(|uv| uv.x = 1.0 - uv.x);
    let meshes = vec![
        quad("quad", Vec3::ZERO, Vec2::ONE, Vec2::ONE, 0),
        mirrored,
        sphere(Vec3::new(-2.2, 0.0, 0.0), 1.0, 1),
    ];
    let shape = character(meshes, vec![bumpy(1.0), bumpy(0.5)], vec![texture("bumps", &bumps())]);
    let camera = facing(2.0, 2.0);
    let shot = shoot(&mut offscreen, &shape, &camera);
    for quad in [0.0, 2.2] {
        // The upper left of a bump faces the light, the lower right does not.
        let [lit, dark] = [-0.12, 0.12].map(|off| {
            let (x, y) = camera.project(Vec3::new(quad + 0.25 + off, 0.25 - off, 0.0), (192, 96)).unwrap();
            shot.pixel(x as u32, y as u32)[1]
        });
        assert!(lit > dark + 40, "at {quad}: {lit} {dark}");
    }
    golden::check("normal_map", &shot);
    let shape_of = |normal_texture, picture: &Picture| {
        let material = Material { normal_texture, ..bumpy(1.0) };
        character(vec![sphere(Vec3::ZERO, 1.0, 0)], vec![material], vec![texture("map", picture)])
    };
    let flat = Picture::new(2, 2, [128, 128, 255, 255]);
    let with = shoot(&mut offscreen, &shape_of(Some(TextureRef::new(0)), &flat), &facing(1.2, 2.0));
    let without = shoot(&mut offscreen, &shape_of(None, &flat), &facing(1.2, 2.0));
    let off = with.mean_difference(&without);
    assert!(off < 0.3, "a flat map changes the picture by {off}/255");
}

/// The bumps are the same in every direction: however their coordinates are turned, they must look the same, lit from the same side.
#[test]
fn normal_maps_turn_with_their_coordinates() {
    let Some(gpu) = gpu("normal_maps_turn_with_their_coordinates") else { return };
    let by_mesh: [fn(Vec2) -> Vec2; 4] = [
        |uv| uv,
        |uv| Vec2::new(uv.y, 1.0 - uv.x),
        |uv| Vec2::new(uv.x, 1.0 - uv.y),
        |uv| Vec2::new(uv.y, uv.x),
    ];
    let by_transform = [
        UvTransform { rotation: std::f32::consts::FRAC_PI_2, ..UvTransform::default() },
        UvTransform { scale: Vec2::new(-1.0, 1.0), ..UvTransform::default() },
    ];
    let plain = UvTransform::default();
    let ways = by_mesh.map(|turned| (turned, plain)).into_iter();
    let ways = ways.chain(by_transform.map(|transform| (by_mesh[0], transform)));
    let (mut meshes, mut materials, mut alone) = (vec![], vec![], vec![]);
    let mut one = Offscreen::new(&gpu, (64, 64), Samples::Four);
    for (number, (turned, transform)) in ways.enumerate() {
        let at = Vec3::new(number as f32 * 2.2 - 5.5, 0.0, 0.0);
        let material =
            Material { normal_texture: Some(TextureRef { transform, ..TextureRef::new(0) }), ..bumpy(1.0) };
        let of = |center: Vec3, material: usize| {
            let mut mesh = quad("quad", center, Vec2::ONE, Vec2::ONE, material);
            mesh.uvs.iter_mut().for_each(|uv| *uv = turned(*uv));
            mesh
        };
        let shape =
            character(vec![of(Vec3::ZERO, 0)], vec![material.clone()], vec![texture("bumps", &bumps())]);
        alone.push(shoot(&mut one, &shape, &facing(1.1, 1.0)));
        meshes.push(of(at, number));
        materials.push(material);
    }
    for (number, shot) in alone.iter().enumerate() {
        let off = shot.mean_difference(&alone[0]);
        assert!(off < 1.0, "{number} differs by {off}/255");
    }
    let mut offscreen = Offscreen::new(&gpu, (288, 48), Samples::Four);
    let shape = character(meshes, materials, vec![texture("bumps", &bumps())]);
    golden::check("normal_map_turned", &shoot(&mut offscreen, &shape, &facing(1.1, 6.6)));
}

#[test]
fn emitted_light_adds_to_the_rest() {
    let Some(gpu) = gpu("emitted_light_adds_to_the_rest") else { return };
    let mut offscreen = Offscreen::new(&gpu, (192, 64), Samples::Four);
    offscreen.look = offscreen.look.with_background(Color([20, 20, 24, 255]));
    let stripes = drawn(16, |x, _| if x % 4 < 2 { [255; 4] } else { [0, 0, 0, 255] });
    let glow = |texture: Option<TextureRef>, emissive_strength| Material {
        base_color: Vec4::new(0.05, 0.05, 0.05, 1.0),
        emissive: Vec3::new(0.1, 0.4, 0.9),
        emissive_strength,
        emissive_texture: texture,
        ..Material::default()
    };
    let materials =
        vec![glow(None, 1.0), glow(Some(TextureRef::new(0)), 1.0), glow(Some(TextureRef::new(0)), 4.0)];
    let at = |i: usize| Vec3::new(i as f32 * 2.2 - 2.2, 0.0, 0.0);
    let meshes = (0..3).map(|i| sphere(at(i), 1.0, i)).collect();
    let shape = character(meshes, materials, vec![texture("stripes", &stripes)]);
    golden::check("emissive", &shoot(&mut offscreen, &shape, &facing(1.2, 3.0)));
}

#[test]
fn occlusion_darkens_as_much_as_it_is_told() {
    let Some(gpu) = gpu("occlusion_darkens_as_much_as_it_is_told") else { return };
    let mut offscreen = Offscreen::new(&gpu, (32, 32), Samples::One);
    let mut light = |strength: f32| {
        let map = texture("dark", &Picture::new(2, 2, [0, 255, 255, 255]));
        let material = Material {
            occlusion_texture: Some(TextureRef::new(0)),
            occlusion_strength: strength,
            ..Material::default()
        };
        let mesh = quad("quad", Vec3::ZERO, Vec2::ONE, Vec2::ONE, 0);
        shoot(&mut offscreen, &character(vec![mesh], vec![material], vec![map]), &facing(1.0, 1.0))
            .pixel(16, 16)
    };
    let [none, half, all] = [0.0, 0.5, 1.0].map(|strength| light(strength)[1]);
    assert!(none > half + 20 && half > 100 && all < 10, "{none} {half} {all}");
}

/// The picture from right to left.
fn flipped(picture: &Picture) -> Picture {
    let (width, height) = picture.size();
    let pixels = (0..height).flat_map(|y| (0..width).rev().map(move |x| (x, y)));
    Picture::from_pixels(width, height, pixels.flat_map(|(x, y)| picture.pixel(x, y)).collect()).unwrap()
}

#[test]
fn a_mirrored_model_is_the_mirror_image() {
    let Some(gpu) = gpu("a_mirrored_model_is_the_mirror_image") else { return };
    let mut offscreen = Offscreen::new(&gpu, (96, 96), Samples::One);
    offscreen.look.light = Vec3::new(0.0, 0.7, 0.6);
    let paint = Material { base_color_texture: Some(TextureRef::new(1)), ..Material::default() };
    let mut leaf = quad("leaf", Vec3::new(-0.9, -0.6, 0.0), Vec2::splat(0.6), Vec2::ONE, 1);
    leaf.positions.iter_mut().for_each(|p| p.z += p.x * 0.4);
    let meshes = vec![sphere(Vec3::new(0.4, 0.3, 0.0), 1.0, 0), leaf];
    let textures = vec![texture("bumps", &bumps()), texture("corners", &corners())];
    let shape = character(meshes, vec![bumpy(1.0), paint], textures);
    let camera = facing(1.5, 1.0);
    for skinning in [Skinning::Gpu, Skinning::Cpu] {
        let mut batch = offscreen.one(&shape, skinning);
        let upright = offscreen.shoot(&camera, &mut [&mut batch]);
        // The joint mirrors the model in motion, after pictures without.
        let mut posed = Instance::new(Arc::new(shape.clone()));
        let scale = Vec3::new(-1.0, 1.0, 1.0);
        posed.pose_mut().set(0, Transform { scale, ..Transform::IDENTITY });
        posed.finish().unwrap();
        batch.set(0, &posed).unwrap();
        let mirrored = offscreen.shoot(&camera, &mut [&mut batch]);
        let off = flipped(&upright).mean_difference(&mirrored);
        assert!(off < 0.5, "{skinning:?}: {off}/255");
        assert!(upright.mean_difference(&mirrored) > 5.0, "it is not symmetrical");
        golden::check("mirror", &mirrored);
    }
}

#[test]
fn the_ground_never_covers_a_floor() {
    let Some(gpu) = gpu("the_ground_never_covers_a_floor") else { return };
    let mut offscreen = Offscreen::new(&gpu, (160, 96), Samples::One);
    let tiles = drawn(8, |x, y| if (x + y) % 2 == 0 { [200, 160, 120, 255] } else { [90, 70, 60, 255] });
    let nearest = TextureRef { sampler: Sampler::NEAREST, ..TextureRef::new(0) };
    let tiled = Material { base_color_texture: Some(nearest), unlit: true, ..Material::default() };
    let red = Material { base_color: Vec4::new(0.6, 0.1, 0.1, 1.0), ..Material::default() };
    let mut floor = quad("floor", Vec3::ZERO, Vec2::splat(1.5), Vec2::ONE, 0);
    floor.positions.iter_mut().for_each(|p| *p = Vec3::new(p.x, 0.0, -p.y));
    floor.normals.fill(Vec3::Y);
    let shape =
        character(vec![floor, sphere(Vec3::Y, 0.5, 1)], vec![tiled, red], vec![texture("tiles", &tiles)]);
    for (yaw, pitch) in [(30.0, 20.0), (0.0, 5.0), (200.0, 60.0)] {
        let mut batch = offscreen.one(&shape, Skinning::Auto);
        let view = View::Angles { yaw, pitch };
        let camera = Camera::framing(view, &batch.bounds(0), 160.0 / 96.0);
        let bounds = batch.bounds(0);
        offscreen.look = common::offscreen::plain();
        let bare = offscreen.shoot(&camera, &mut [&mut batch]);
        offscreen.look = offscreen.look.with_ground(0.0, bounds.center(), bounds.diagonal());
        let grounded = offscreen.shoot(&camera, &mut [&mut batch]);
        let covered = (0..96).flat_map(|y| (0..160).map(move |x| (x, y))).filter(|&(x, y)| {
            let model = bare.pixel(x, y) != [120, 124, 130, 255];
            model && bare.pixel(x, y) != grounded.pixel(x, y)
        });
        assert_eq!(covered.count(), 0, "{yaw}, {pitch}");
        if pitch == 20.0 {
            golden::check("floor", &grounded);
        }
    }
}

#[test]
fn a_missing_picture_is_a_checkerboard() {
    let Some(gpu) = gpu("a_missing_picture_is_a_checkerboard") else { return };
    let mut offscreen = Offscreen::new(&gpu, (128, 64), Samples::Four);
    let lost =
        |name: &str| Texture { name: name.into(), reference: format!("{name}.png"), image: Image::Missing };
    let material = Material {
        base_color: Vec4::new(0.0, 0.2, 0.0, 1.0),
        base_color_texture: Some(TextureRef::new(0)),
        ..Material::default()
    };
    // Other textures that are missing leave the surface as it would be without them.
    let rest = Material {
        normal_texture: Some(TextureRef::new(1)),
        emissive: Vec3::ONE,
        emissive_texture: Some(TextureRef::new(2)),
        ..Material::default()
    };
    let meshes = vec![sphere(Vec3::new(-1.1, 0.0, 0.0), 1.0, 0), sphere(Vec3::new(1.1, 0.0, 0.0), 1.0, 1)];
    let shape = character(meshes, vec![material, rest], vec![lost("skin"), lost("bumps"), lost("glow")]);
    let found: Vec<_> =
        offscreen.renderer.load(&shape).unwrap().findings().iter().map(|f| f.message.clone()).collect();
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found.iter().zip(["skin", "bumps", "glow"]).all(|(message, name)| message.contains(name)));
    golden::check("missing_texture", &shoot(&mut offscreen, &shape, &facing(1.2, 2.0)));
}

const MOVED: UvTransform =
    UvTransform { offset: Vec2::new(0.3, -0.2), rotation: 0.7, scale: Vec2::new(1.5, 2.5) };

/// A quad that shows `corners` as colour or as emitted light.
fn addressed(emitted: bool, change: impl Fn(&mut Mesh, &mut TextureRef)) -> Character {
    let mut mesh = quad("quad", Vec3::ZERO, Vec2::ONE, Vec2::ONE, 0);
    let mut reference = TextureRef { sampler: Sampler::NEAREST, ..TextureRef::new(0) };
    change(&mut mesh, &mut reference);
    let material = if emitted {
        let (emissive, base_color) = (Vec3::splat(0.5), Vec4::new(0.0, 0.0, 0.0, 1.0));
        Material { emissive, base_color, emissive_texture: Some(reference), ..Material::default() }
    } else {
        Material { base_color_texture: Some(reference), unlit: true, ..Material::default() }
    };
    character(vec![mesh], vec![material], vec![texture("corners", &corners())])
}

#[test]
fn textures_are_addressed_by_their_own_set_and_transform() {
    let Some(gpu) = gpu("textures_are_addressed_by_their_own_set_and_transform") else { return };
    let mut offscreen = Offscreen::new(&gpu, (96, 96), Samples::One);
    for emitted in [false, true] {
        let mut shot = |change: &dyn Fn(&mut Mesh, &mut TextureRef)| {
            shoot(&mut offscreen, &addressed(emitted, change), &facing(1.0, 1.0))
        };
        let plain = shot(&|_, _| {});
        let baked = shot(&|mesh, _| mesh.uvs.iter_mut().for_each(|uv| *uv = MOVED.apply(*uv)));
        let moved = shot(&|_, reference| reference.transform = MOVED);
        let second = shot(&|mesh, reference| {
            mesh.second_uvs = mesh.uvs.iter().map(|uv| MOVED.apply(*uv)).collect();
            reference.uv_set = 1;
        });
        assert!(plain.mean_difference(&baked) > 10.0, "the transform changes the picture");
        // Only pixels on the edge between two texels may round either way.
        assert!(baked.differing(&moved, 2) < 0.01, "emitted {emitted}: transform");
        assert!(baked.differing(&second, 2) < 0.01, "emitted {emitted}: second set");
    }
}

#[test]
fn filters_are_those_of_the_sampler() {
    let Some(gpu) = gpu("filters_are_those_of_the_sampler") else { return };
    let mut offscreen = Offscreen::new(&gpu, (24, 24), Samples::One);
    let fine = drawn(256, |x, y| if (x + y) % 2 == 0 { [255; 4] } else { [0, 0, 0, 255] });
    let mut greys = |min: MinFilter| {
        let sampler = Sampler { min, ..Sampler::default() };
        let reference = TextureRef { sampler, ..TextureRef::new(0) };
        let material = Material { base_color_texture: Some(reference), unlit: true, ..Material::default() };
        let mesh = quad("quad", Vec3::ZERO, Vec2::ONE, Vec2::ONE, 0);
        let shot = shoot(
            &mut offscreen,
            &character(vec![mesh], vec![material], vec![texture("fine", &fine)]),
            &facing(0.5, 1.0),
        );
        let all = (0..24).flat_map(|y| (0..24).map(move |x| (x, y)));
        all.filter(|&(x, y)| shot.pixel(x, y)[0].abs_diff(188) < 8).count()
    };
    for min in [
        MinFilter::Auto,
        MinFilter::LinearMipLinear,
        MinFilter::LinearMipNearest,
        MinFilter::NearestMipLinear,
    ] {
        assert!(greys(min) > 550, "{min:?}: mip maps are grey");
    }
    assert_eq!(greys(MinFilter::Nearest), 0, "single texels are black or white");
    assert!(greys(MinFilter::Linear) < 500, "four texels at most");
}

/// A mesh without normals looks the same whether its triangles share their corners or not: each is flat.
#[test]
fn triangles_without_normals_are_flat() {
    let Some(gpu) = gpu("triangles_without_normals_are_flat") else { return };
    let mut offscreen = Offscreen::new(&gpu, (96, 96), Samples::One);
    let smooth = sphere(Vec3::ZERO, 1.0, 0);
    let shared = Mesh { normals: Default::default(), ..smooth.clone() };
    let apart = Mesh {
        positions: smooth.indices.iter().map(|&corner| smooth.positions[corner as usize]).collect(),
        normals: Default::default(),
        uvs: Default::default(),
        indices: (0..smooth.indices.len() as u32).collect(),
        ..smooth.clone()
    };
    let mirrored = Transform { scale: Vec3::new(-1.0, 1.0, 1.0), ..Transform::IDENTITY };
    for skinning in [Skinning::Gpu, Skinning::Cpu] {
        for place in [Transform::IDENTITY, mirrored] {
            let mut shot = |mesh: &Mesh| {
                let shape = character(vec![mesh.clone()], vec![Material::default()], vec![]);
                let mut batch = offscreen.one(&shape, skinning);
                let mut posed = Instance::new(Arc::new(shape));
                posed.pose_mut().set(0, place);
                posed.finish().unwrap();
                batch.set(0, &posed).unwrap();
                offscreen.shoot(&facing(1.2, 1.2), &mut [&mut batch])
            };
            let [smooth, shared, apart] = [&smooth, &shared, &apart].map(&mut shot);
            assert!(
                shared.mean_difference(&apart) < 0.01,
                "{skinning:?}: {}",
                shared.mean_difference(&apart)
            );
            let off = shared.mean_difference(&smooth);
            assert!(
                (0.05..6.0).contains(&off),
                "{skinning:?}: lit from the same side, but not smooth: {off}"
            );
        }
    }
}
