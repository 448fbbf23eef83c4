//! Surfaces: texture wrap modes, alpha, culling, layers.

mod common;

use common::offscreen::{Offscreen, facing};
use common::shapes::{character, corners, quad, texture};
use common::{golden, gpu};
use sinew::glam::{Affine3, Vec2, Vec3, Vec4};
use sinew::{AlphaMode, Image, Material, Sampler, Texture, TextureRef, Wrap};
use sinew_render::{Camera, Color, Look, Picture, Renderer, Samples, Settings, Skinning, View};

const WRAPS: [Wrap; 3] = [Wrap::Repeat, Wrap::Mirror, Wrap::Clamp];
/// Texture repeats along either axis. Eyes of real files go up to this V.
const UV: Vec2 = Vec2::new(1.5, 2.97);

fn textured(wrap: [Wrap; 2], nearest: bool) -> Material {
    let filter = if nearest { Sampler::NEAREST } else { Sampler::default() };
    let texture = TextureRef { sampler: Sampler { wrap, ..filter }, ..TextureRef::new(0) };
    Material { base_color_texture: Some(texture), unlit: true, ..Material::default() }
}

/// The texel at a coordinate, by the definition of the three modes.
fn texel(wrap: Wrap, coordinate: f32, size: u32) -> u32 {
    let at = match wrap {
        Wrap::Repeat => coordinate - coordinate.floor(),
        Wrap::Mirror => {
            let whole = coordinate.floor();
            let part = coordinate - whole;
            if whole as i64 % 2 == 0 { part } else { 1.0 - part }
        }
        Wrap::Clamp => coordinate.clamp(0.0, 1.0),
    };
    ((at * size as f32) as u32).min(size - 1)
}

#[test]
fn every_pixel_of_every_wrap_mode_is_the_right_texel() {
    let Some(gpu) = gpu("every_pixel_of_every_wrap_mode_is_the_right_texel") else { return };
    let mut offscreen = Offscreen::new(&gpu, (96, 96), Samples::One);
    let picture = corners();
    let camera = facing(1.0, 1.0);
    let (left, top) = camera.project(Vec3::new(-1.0, 1.0, 0.0), (96, 96)).unwrap();
    let (right, bottom) = camera.project(Vec3::new(1.0, -1.0, 0.0), (96, 96)).unwrap();
    for u in WRAPS {
        for v in WRAPS {
            let mesh = quad("quad", Vec3::ZERO, Vec2::ONE, UV, 0);
            let shape =
                character(vec![mesh], vec![textured([u, v], true)], vec![texture("corners", &picture)]);
            let mut batch = offscreen.one(&shape, Skinning::Auto);
            let shot = offscreen.shoot(&camera, &mut [&mut batch]);
            let (mut wrong, mut all) = (0, 0);
            for y in top.ceil() as u32 + 1..bottom as u32 - 1 {
                for x in left.ceil() as u32 + 1..right as u32 - 1 {
                    let at_u = (x as f32 + 0.5 - left) / (right - left) * UV.x;
                    let at_v = (y as f32 + 0.5 - top) / (bottom - top) * UV.y;
                    let expected = picture.pixel(texel(u, at_u, 4), texel(v, at_v, 4));
                    all += 1;
                    wrong += u32::from(expected != shot.pixel(x, y));
                }
            }
            // Only pixels on the edge between two texels may round either way.
            assert!(all > 6000 && wrong * 100 < all * 2, "{u:?} {v:?}: {wrong} of {all}");
        }
    }
}

#[test]
fn wrap_modes_and_smoothing() {
    let Some(gpu) = gpu("wrap_modes_and_smoothing") else { return };
    let mut offscreen = Offscreen::new(&gpu, (192, 128), Samples::Four);
    let (mut meshes, mut materials) = (vec![], vec![]);
    for (row, nearest) in [(0, true), (1, false)] {
        for (column, wrap) in WRAPS.into_iter().enumerate() {
            let center = Vec3::new(column as f32 * 2.2 - 2.2, 1.1 - row as f32 * 2.2, 0.0);
            meshes.push(quad("quad", center, Vec2::ONE, UV, materials.len()));
            materials.push(textured([wrap, wrap], nearest));
        }
    }
    let shape = character(meshes, materials, vec![texture("corners", &corners())]);
    let mut batch = offscreen.one(&shape, Skinning::Auto);
    let shot = offscreen.shoot(&facing(2.2, 1.5), &mut [&mut batch]);
    golden::check("wrap_modes", &shot);
}

/// A disc with a soft edge in the middle of a transparent picture.
fn disc(color: [u8; 3], softness: f32) -> Picture {
    let mut picture = Picture::new(32, 32, [0; 4]);
    for y in 0..32 {
        for x in 0..32 {
            let r = Vec2::new(x as f32 - 15.5, y as f32 - 15.5).length();
            let alpha = ((13.0 - r) / softness + 0.5).clamp(0.0, 1.0);
            picture.fill_rect(x, y, 1, 1, [color[0], color[1], color[2], (alpha * 255.0) as u8]);
        }
    }
    picture
}

#[test]
fn alpha_is_cut_out_or_blended_and_backs_are_hidden_or_shown() {
    let Some(gpu) = gpu("alpha_is_cut_out_or_blended_and_backs_are_hidden_or_shown") else { return };
    let mut offscreen = Offscreen::new(&gpu, (256, 128), Samples::Four);
    let with = |alpha, two_sided| Material {
        base_color_texture: Some(TextureRef::new(0)),
        alpha,
        two_sided,
        ..Material::default()
    };
    let materials = vec![
        with(AlphaMode::Opaque, false),
        with(AlphaMode::Mask(0.5), false),
        with(AlphaMode::Blend, false),
        with(AlphaMode::Mask(0.5), true),
        Material { base_color: Vec4::new(0.1, 0.4, 0.15, 1.0), ..Material::default() },
    ];
    let at = |x: f32, z: f32| Vec3::new(x, 0.0, z);
    let mut meshes: Vec<_> =
        (0..4).map(|i| quad("front", at(i as f32 * 2.0 - 3.0, 0.5), Vec2::ONE, Vec2::ONE, i)).collect();
    // The last two face away: one is culled, the other is two-sided and shows its back.
    for mesh in &mut meshes[3..] {
        mesh.indices.reverse();
        mesh.normals.fill(Vec3::NEG_Z);
    }
    let mut gone = quad("gone", at(3.0, 0.9), Vec2::ONE, Vec2::ONE, 4);
    gone.indices.reverse();
    // Last in the file, but behind the blended quads.
    let wall = quad("wall", at(0.0, -0.5), Vec2::new(4.0, 0.6), Vec2::ONE, 4);
    meshes.extend([gone, wall]);
    let shape = character(meshes, materials, vec![texture("disc", &disc([220, 90, 40], 6.0))]);
    let mut batch = offscreen.one(&shape, Skinning::Auto);
    let shot = offscreen.shoot(&facing(2.1, 2.0), &mut [&mut batch]);
    golden::check("alpha", &shot);
}

#[test]
fn unlit_colours_come_through_unchanged() {
    let Some(gpu) = gpu("unlit_colours_come_through_unchanged") else { return };
    let color = [200, 100, 50, 255];
    let paper = texture("paper", &Picture::new(2, 2, color));
    let half = Material { base_color: Vec4::new(0.5, 0.5, 0.5, 1.0), ..textured([Wrap::Repeat; 2], false) };
    let materials = vec![textured([Wrap::Repeat; 2], false), half];
    let meshes = vec![
        quad("left", Vec3::new(-0.5, 0.0, 0.0), Vec2::new(0.5, 1.0), Vec2::ONE, 0),
        quad("right", Vec3::new(0.5, 0.0, 0.0), Vec2::new(0.5, 1.0), Vec2::ONE, 1),
    ];
    let shape = character(meshes, materials, vec![paper]);
    for format in [wgpu_format(true), wgpu_format(false)] {
        let mut offscreen = Offscreen::new(&gpu, (40, 40), Samples::One);
        offscreen.renderer = Renderer::new(&gpu, Settings::new(format, Samples::One)).unwrap();
        offscreen.target = offscreen.renderer.offscreen_target(40, 40).unwrap();
        let mut batch = offscreen.one(&shape, Skinning::Auto);
        let shot = offscreen.shoot(&facing(1.0, 1.0), &mut [&mut batch]);
        let near = |a: [u8; 4], b: [u8; 4]| a.iter().zip(b).all(|(a, b)| a.abs_diff(b) <= 1);
        assert!(near(shot.pixel(12, 20), color), "{format:?}: {:?}", shot.pixel(12, 20));
        // Half the light in linear space is not half the sRGB value.
        assert!(near(shot.pixel(28, 20), [146, 71, 34, 255]), "{format:?}: {:?}", shot.pixel(28, 20));
        assert!(
            near(shot.pixel(1, 1), [120, 124, 130, 255]),
            "{format:?}: background {:?}",
            shot.pixel(1, 1)
        );
    }
}

fn wgpu_format(encodes: bool) -> sinew_render::wgpu::TextureFormat {
    use sinew_render::wgpu::TextureFormat::{Rgba8Unorm, Rgba8UnormSrgb};
    if encodes { Rgba8UnormSrgb } else { Rgba8Unorm }
}

/// A face of two triangles with eyes on it in the same plane, of other triangles, first in the file.
fn face(eye_alpha: AlphaMode) -> sinew::Character {
    let flat = |r: f32, g: f32, b: f32, alpha| Material {
        base_color: Vec4::new(r, g, b, 1.0),
        alpha,
        unlit: true,
        ..Material::default()
    };
    let materials = vec![
        flat(0.9, 0.6, 0.4, AlphaMode::Opaque),
        flat(0.0, 0.0, 1.0, eye_alpha),
        flat(1.0, 0.0, 0.0, AlphaMode::Opaque),
    ];
    let turned = Affine3::from_rotation_z(0.6);
    let patch = |center: Vec3, half: f32, material| {
        let mut mesh = quad("patch", Vec3::ZERO, Vec2::splat(half), Vec2::ONE, material);
        mesh.positions.iter_mut().for_each(|p| *p = turned.transform_point3(*p) + center);
        mesh
    };
    let meshes = vec![
        patch(Vec3::new(-0.4, 0.3, 0.0), 0.25, 1),
        patch(Vec3::new(0.4, 0.3, 1e-4), 0.25, 1),
        patch(Vec3::new(0.0, -0.45, -1e-4), 0.2, 2),
        quad("face", Vec3::ZERO, Vec2::ONE, Vec2::ONE, 0),
    ];
    character(meshes, materials, vec![])
}

/// Corners in the picture.
fn outline(corners: &[Vec3], camera: &Camera) -> Vec<Vec2> {
    corners.iter().filter_map(|&corner| camera.project(corner, (128, 128))).map(Vec2::from).collect()
}

fn inside(outline: &[Vec2], at: Vec2) -> bool {
    (0..4).all(|i| (outline[(i + 1) % 4] - outline[i]).perp_dot(at - outline[i]) > 0.0)
}

#[test]
fn eyes_lie_on_the_face_from_every_side() {
    let Some(gpu) = gpu("eyes_lie_on_the_face_from_every_side") else { return };
    let mut offscreen = Offscreen::new(&gpu, (128, 128), Samples::One);
    for alpha in [AlphaMode::Opaque, AlphaMode::Mask(0.5), AlphaMode::Blend] {
        let shape = face(alpha);
        let mut batch = offscreen.one(&shape, Skinning::Auto);
        for (yaw, distance) in [(0.0f32, 4.0f32), (35.0, 5.0), (-60.0, 4.0), (10.0, 40.0), (70.0, 3.0)] {
            let (sin, cos) = yaw.to_radians().sin_cos();
            let eye = Vec3::new(sin, 0.3, cos) * distance;
            let camera = Camera::look_at(eye, Vec3::ZERO, 2.6 / distance.max(3.0));
            let shot = offscreen.shoot(&camera, &mut [&mut batch]);
            let seen: Vec<_> = shape.meshes().iter().map(|mesh| outline(&mesh.positions, &camera)).collect();
            let (mut wrong, mut eyes) = (0, 0);
            for (y, x) in (0..128).flat_map(|y| (0..128).map(move |x| (y, x))) {
                let at = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
                // Eyes and mouth come first, and the face last.
                let Some(top) = seen.iter().position(|outline| inside(outline, at)) else { continue };
                let expected = [[0, 0, 255], [0, 0, 255], [255, 0, 0], [243, 203, 170]][top];
                wrong += u32::from(shot.pixel(x, y)[..3] != expected);
                eyes += u32::from(top < 3);
            }
            assert!(
                wrong * 50 < eyes.max(50),
                "{alpha:?}, {yaw} degrees, {distance} m: {wrong} wrong, {eyes} of eyes"
            );
        }
    }
    let mut batch = offscreen.one(&face(AlphaMode::Opaque), Skinning::Auto);
    let camera = Camera::framing(View::ThreeQuarter, &batch.bounds(0), 1.0);
    golden::check("layers", &offscreen.shoot(&camera, &mut [&mut batch]));
}

#[test]
fn textures_are_on_the_device_once() {
    let Some(gpu) = gpu("textures_are_on_the_device_once") else { return };
    let mut renderer = Renderer::new(&gpu, Settings::default()).unwrap();
    let make = |name: &str, picture: &Picture| {
        let mesh = quad("quad", Vec3::ZERO, Vec2::ONE, Vec2::ONE, 0);
        character(vec![mesh], vec![textured([Wrap::Repeat; 2], false)], vec![texture(name, picture)])
    };
    let first = renderer.load(&make("a", &corners())).unwrap();
    let second = renderer.load(&make("b", &corners())).unwrap();
    assert_eq!(renderer.texture_count(), 1, "the same picture under two names");
    let third = renderer.load(&make("c", &disc([1, 2, 3], 1.0))).unwrap();
    assert_eq!(renderer.texture_count(), 2);
    drop((first, second));
    assert_eq!(renderer.texture_count(), 1, "what nobody uses is gone");
    assert!(third.findings().is_empty());
}

#[test]
fn a_missing_texture_is_a_finding_and_not_an_error() {
    let Some(gpu) = gpu("a_missing_texture_is_a_finding_and_not_an_error") else { return };
    let mut offscreen = Offscreen::new(&gpu, (40, 40), Samples::One);
    let mesh = quad("quad", Vec3::ZERO, Vec2::ONE, Vec2::ONE, 0);
    let lost = Texture { name: "skin".into(), reference: "skin.png".into(), image: Image::Missing };
    let material =
        Material { base_color: Vec4::new(1.0, 0.0, 0.0, 1.0), ..textured([Wrap::Repeat; 2], false) };
    let shape = character(vec![mesh], vec![material], vec![lost]);
    let model = offscreen.renderer.load(&shape).unwrap();
    let [finding] = model.findings() else { panic!("{:?}", model.findings()) };
    assert_eq!((finding.id(), finding.message.contains("skin.png")), ("render.texture", true));
    let mut batch = offscreen.renderer.batch(&model, 1, Skinning::Auto).unwrap();
    let shot = offscreen.shoot(&facing(1.0, 1.0), &mut [&mut batch]);
    let found = |color| (8..32).any(|y| (8..32).any(|x| shot.pixel(x, y) == color));
    assert!(found([220, 0, 220, 255]) && found([90, 90, 90, 255]), "a checkerboard, whatever the colour");
}

#[test]
fn a_transparent_background_leaves_alpha() {
    let Some(gpu) = gpu("a_transparent_background_leaves_alpha") else { return };
    let mut offscreen = Offscreen::new(&gpu, (40, 40), Samples::One);
    offscreen.look = Look::default().with_background(Color::TRANSPARENT);
    let glass = Material {
        base_color: Vec4::new(1.0, 0.5, 0.0, 0.5),
        alpha: AlphaMode::Blend,
        unlit: true,
        ..Material::default()
    };
    let shape = character(vec![quad("glass", Vec3::ZERO, Vec2::ONE, Vec2::ONE, 0)], vec![glass], vec![]);
    let mut batch = offscreen.one(&shape, Skinning::Auto);
    let shot = offscreen.shoot(&facing(1.0, 1.0), &mut [&mut batch]);
    assert_eq!(shot.pixel(0, 0), [0; 4]);
    let [r, g, b, a] = shot.pixel(20, 20);
    assert!(a.abs_diff(128) <= 1 && r >= 253 && g.abs_diff(188) <= 3 && b == 0, "{:?}", [r, g, b, a]);
}
