//! Whole pictures: overlays, sheets, framing, culling, errors.

mod common;

use common::figure::figure;
use common::offscreen::Offscreen;
use common::{golden, gpu};
use sinew::glam::{Affine3, Vec3};
use sinew::{Character, Clip, Instance, Player, RootMotion};
use sinew_render::{
    AnimationFormat, Camera, Color, Framing, Gpu, Look, Overlays, Picture, RenderError, Renderer, Samples,
    Scene, Settings, Skinning, Studio, StudioOptions, View, wgpu,
};
use std::sync::Arc;

fn clip(character: &Character, name: &str) -> Arc<Clip> {
    character.clips().by_name(name).unwrap()
}

fn studio(gpu: &Gpu, character: &Arc<Character>, overlays: &str, mut options: StudioOptions) -> Studio {
    options.overlays = Overlays::parse(overlays, character.skeleton()).unwrap();
    Studio::new(gpu, character, options).unwrap()
}

fn square(size: u32) -> StudioOptions {
    let mut options = StudioOptions::default();
    options.size = (size, size);
    options
}

#[test]
fn overlays_look_as_they_did() {
    let Some(gpu) = gpu("overlays_look_as_they_did") else { return };
    let character = Arc::new(figure(24, 4));
    let walk = clip(&character, "walk");
    for (name, overlays, size) in [
        ("plain", "", 160),
        ("skeleton", "skeleton", 160),
        ("names", "names", 256),
        ("weights", "weights:chest", 160),
        ("chosen", "weights:forearm.L,skeleton", 160),
        ("normals", "normals", 160),
        ("bounds", "bounds", 160),
        ("trail", "trail", 160),
        ("ghost", "ghost", 160),
    ] {
        let options = square(size);
        let shot = studio(&gpu, &character, overlays, options).still(Some(&walk), 0.55).unwrap();
        golden::check(&format!("overlay_{name}"), &shot);
    }
    let mut options = StudioOptions::default();
    options.size = (160, 120);
    options.view = View::Side;
    options.background = Some("dark".parse().unwrap());
    golden::check("dark", &studio(&gpu, &character, "", options).still(Some(&walk), 0.0).unwrap());
}

#[test]
fn sheets_look_as_they_did() {
    let Some(gpu) = gpu("sheets_look_as_they_did") else { return };
    let character = Arc::new(figure(24, 4));
    let clips = [clip(&character, "walk"), clip(&character, "nod")];
    let options = square(96);
    let mut told = Vec::new();
    let mut studio = studio(&gpu, &character, "", options);
    let sheet = studio.sheet(&clips, 4, &mut |done, all| told.push((done, all))).unwrap();
    assert_eq!((told.first(), told.last()), (Some(&(0, 8)), Some(&(8, 8))));
    golden::check("sheet", &sheet);
}

/// The part of the height that the figure takes.
fn fill(gpu: &Gpu, character: &Arc<Character>, view: View, root_motion: RootMotion, time: f64) -> f32 {
    let mut options = square(240);
    options.view = view;
    options.root_motion = root_motion;
    options.ground = false;
    options.background = Some(Color([0, 255, 0, 255]));
    let mut studio = Studio::new(gpu, character, options).unwrap();
    let shot = studio.still(Some(&clip(character, "walk")), time).unwrap();
    let empty = Picture::new(240, 240, [0, 255, 0, 255]);
    let (first, last) = shot.differing_rows(&empty, 30).unwrap();
    assert!(first > 0 && last < 239, "nothing is cut off");
    (last + 1 - first) as f32 / 240.0
}

#[test]
fn an_upright_figure_fills_the_picture() {
    let Some(gpu) = gpu("an_upright_figure_fills_the_picture") else { return };
    let character = Arc::new(figure(24, 4));
    for view in [View::Front, View::Side, View::ThreeQuarter] {
        for root_motion in [RootMotion::Keep, RootMotion::InPlace] {
            for time in [0.0, 0.5, 1.0] {
                let part = fill(&gpu, &character, view, root_motion, time);
                assert!((0.6..=0.95).contains(&part), "{view}, {root_motion:?}, {time} s: {part}");
            }
        }
    }
}

#[test]
fn an_animation_has_the_right_number_of_frames_and_moves() {
    let Some(gpu) = gpu("an_animation_has_the_right_number_of_frames_and_moves") else { return };
    let character = Arc::new(figure(24, 4));
    let options = square(64);
    let mut studio = studio(&gpu, &character, "", options);
    let frames = studio.frames(&clip(&character, "walk"), 12.0, &mut |_, _| {}).unwrap();
    assert_eq!(frames.len(), 12);
    assert!(frames.windows(2).all(|pair| pair[0].mean_difference(&pair[1]) > 0.3));
}

#[test]
fn a_long_animation_is_drawn_as_it_is_written() {
    let Some(gpu) = gpu("a_long_animation_is_drawn_as_it_is_written") else { return };
    let character = Arc::new(figure(20, 4));
    let walk = clip(&character, "walk");
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, format, memory| {
        let path = folder.path().join(name);
        let mut options = square(48);
        options.memory = memory;
        let frames = studio(&gpu, &character, "", options)
            .write_animation(&walk, 10.0, (&path, format), &mut |_, _| {})
            .unwrap();
        (frames, std::fs::read(path).unwrap())
    };
    let all = StudioOptions::default().memory;
    let (whole, streamed) = (write("a", AnimationFormat::Apng, all), write("b", AnimationFormat::Apng, 1));
    assert_eq!(whole.0, 10);
    assert!(whole == streamed, "the same file either way");
    // The palette of a GIF is computed from a sample of the frames, so only the header is the same.
    let (whole, streamed) = (write("c", AnimationFormat::Gif, all), write("d", AnimationFormat::Gif, 1));
    assert_eq!(whole.0, streamed.0);
    assert_eq!(streamed.1[..13], whole.1[..13]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4, "nothing is left over");
}

#[test]
fn drawing_again_makes_nothing_on_the_device() {
    let Some(gpu) = gpu("drawing_again_makes_nothing_on_the_device") else { return };
    for skinning in [Skinning::Gpu, Skinning::Cpu] {
        let character = Arc::new(figure(24, 4));
        let mut offscreen = Offscreen::new(&gpu, (64, 64), Samples::One);
        let mut batch = offscreen.one(&character, skinning);
        let bounds = batch.bounds(0);
        offscreen.look = Look::default().with_ground(0.0, bounds.center(), 2.0);
        let camera = Camera::framing(View::Front, &bounds, 1.0);
        let mut player = Player::new(Arc::clone(&character));
        player.play("walk").unwrap();
        batch.show_ghost(Some(0)).unwrap();
        let mut made = vec![];
        for frame in 0..4 {
            player.update(0.1);
            batch.set(0, player.instance()).unwrap();
            batch.show_weights(Some(frame % 2)).unwrap();
            offscreen.overlay.clear();
            let place = Affine3::IDENTITY;
            let names = sinew_render::Names::All;
            offscreen.overlay.skeleton(character.skeleton(), player.model_matrices(), &place, None, names);
            offscreen.shoot(&camera, &mut [&mut batch]);
            made.push(gpu.created());
        }
        assert!(made.windows(2).all(|pair| pair[0] == pair[1]), "{skinning:?}: {made:?}");
    }
}

#[test]
fn what_is_out_of_sight_is_not_drawn() {
    let Some(gpu) = gpu("what_is_out_of_sight_is_not_drawn") else { return };
    let character = figure(24, 4);
    let mut offscreen = Offscreen::new(&gpu, (64, 64), Samples::One);
    let model = offscreen.renderer.load(&character).unwrap();
    let mut batch = offscreen.renderer.batch(&model, 10, Skinning::Auto).unwrap();
    for i in 0..10 {
        batch.place(i, Affine3::from_translation(Vec3::X * 5.0 * i as f32)).unwrap();
    }
    let camera = Camera::framing(View::Front, &model.rest_bounds(), 1.0);
    offscreen.shoot(&camera, &mut [&mut batch]);
    assert_eq!(batch.seen(), 1);
    let mut framing = Framing::new(View::Front, 1.0);
    (0..10).for_each(|i| framing.add_box(&batch.bounds(i)));
    offscreen.shoot(&framing.camera(), &mut [&mut batch]);
    assert_eq!(batch.seen(), 10);
    batch.show(3, false).unwrap();
    offscreen.shoot(&framing.camera(), &mut [&mut batch]);
    assert_eq!(batch.seen(), 9);
    // The bounds do not cover this weight, so the instance is not culled.
    let mut posed = Instance::new(Arc::new(character));
    posed.pose_mut().scalars_mut()[0] = 50.0;
    batch.set(9, &posed).unwrap();
    offscreen.shoot(&camera, &mut [&mut batch]);
    assert_eq!(batch.seen(), 2);
}

#[test]
fn a_pass_of_someone_else_shows_the_same_picture() {
    let Some(gpu) = gpu("a_pass_of_someone_else_shows_the_same_picture") else { return };
    let character = figure(24, 4);
    let mut offscreen = Offscreen::new(&gpu, (80, 80), Samples::One);
    let mut batch = offscreen.one(&character, Skinning::Auto);
    let camera = Camera::framing(View::Front, &batch.bounds(0), 1.0);
    let own = offscreen.shoot(&camera, &mut [&mut batch]);

    let texture = |format, usage| {
        gpu.device().create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width: 80, height: 80, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: usage | wgpu::TextureUsages::RENDER_ATTACHMENT,
            view_formats: &[],
        })
    };
    let color = texture(offscreen.renderer.settings().format, wgpu::TextureUsages::COPY_SRC);
    let depth = texture(sinew_render::DEPTH_FORMAT, wgpu::TextureUsages::empty());
    let view = |t: &wgpu::Texture| t.create_view(&wgpu::TextureViewDescriptor::default());
    let (color_view, depth_view) = (view(&color), view(&depth));
    let mut batches = [&mut batch];
    let mut scene = Scene::new(&camera, &offscreen.look, &mut batches);
    offscreen.renderer.prepare(&mut scene, (80, 80)).unwrap();
    let mut encoder = gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: &color_view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color::RED),
                store: wgpu::StoreOp::Store,
            },
        })],
        depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
            view: &depth_view,
            depth_ops: Some(wgpu::Operations {
                load: wgpu::LoadOp::Clear(0.0),
                store: wgpu::StoreOp::Discard,
            }),
            stencil_ops: None,
        }),
        ..Default::default()
    });
    offscreen.renderer.paint(&mut pass, &[&batch]);
    drop(pass);
    let stride = 512;
    let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: stride * 80,
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let layout =
        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(stride as u32), rows_per_image: None };
    encoder.copy_texture_to_buffer(
        color.as_image_copy(),
        wgpu::TexelCopyBufferInfo { buffer: &buffer, layout },
        color.size(),
    );
    gpu.queue().submit([encoder.finish()]);
    buffer.slice(..).map_async(wgpu::MapMode::Read, |_| {});
    gpu.wait().unwrap();
    let bytes = buffer.slice(..).get_mapped_range().unwrap().to_vec();
    let pixels = bytes.chunks_exact(stride as usize).flat_map(|row| row[..320].to_vec()).collect();
    let theirs = Picture::from_pixels(80, 80, pixels).unwrap();
    assert_eq!(own.mean_difference(&theirs), 0.0);
}

#[test]
fn a_missing_driver_says_what_to_install() {
    let error = Gpu::open_with(wgpu::Backends::empty()).unwrap_err();
    assert!(matches!(error, RenderError::NoAdapter { .. }));
    let text = error.to_string();
    assert!(text.contains("mesa-vulkan-drivers") && text.contains("libvulkan1"), "{text}");
}

#[test]
fn a_lost_device_is_an_error_and_stays_one() {
    let Some(gpu) = gpu("a_lost_device_is_an_error_and_stays_one") else { return };
    let character = figure(24, 4);
    let mut offscreen = Offscreen::new(&gpu, (32, 32), Samples::One);
    let mut batch = offscreen.one(&character, Skinning::Auto);
    let camera = Camera::framing(View::Front, &batch.bounds(0), 1.0);
    offscreen.shoot(&camera, &mut [&mut batch]);
    gpu.device().destroy();
    let _ = gpu.wait();
    for _ in 0..2 {
        let mut batches = [&mut batch];
        let mut scene = Scene::new(&camera, &offscreen.look, &mut batches);
        let error = offscreen.renderer.shoot(&mut offscreen.target, &mut scene).unwrap_err();
        assert!(matches!(error, RenderError::DeviceLost { .. }), "{error}");
        assert!(error.to_string().contains("mesa-vulkan-drivers"), "{error}");
    }
    assert!(Renderer::new(&gpu, Settings::default()).is_err());
    assert!(offscreen.renderer.load(&character).is_err());
    let another = Gpu::open().unwrap();
    assert!(Renderer::new(&another, Settings::default()).is_ok(), "opened again, all is well");
}

#[test]
fn pictures_of_no_size_or_too_much_are_refused() {
    let Some(gpu) = gpu("pictures_of_no_size_or_too_much_are_refused") else { return };
    let renderer = Renderer::new(&gpu, Settings::default()).unwrap();
    assert!(matches!(renderer.offscreen_target(0, 10), Err(RenderError::Empty { .. })));
    assert!(matches!(renderer.offscreen_target(1 << 20, 10), Err(RenderError::TooLarge { .. })));
    let mut renderer = renderer;
    let model = renderer.load(&figure(24, 4)).unwrap();
    let error = renderer.batch(&model, 1 << 30, Skinning::Gpu).unwrap_err().to_string();
    assert!(error.contains("fewer instances"), "{error}");
}

#[test]
fn a_character_without_meshes_is_drawn_as_its_skeleton() {
    let Some(gpu) = gpu("a_character_without_meshes_is_drawn_as_its_skeleton") else { return };
    let full = figure(24, 4);
    let bare = Character::new(sinew::CharacterData {
        name: "bare".into(),
        skeleton: full.skeleton().as_ref().clone(),
        meshes: vec![],
        materials: vec![],
        textures: vec![],
        clips: full.clips().clone(),
        space: full.space(),
    });
    let bare = Arc::new(bare.unwrap());
    let options = square(120);
    let shot = studio(&gpu, &bare, "skeleton", options.clone()).still(None, 0.0).unwrap();
    let empty = studio(&gpu, &bare, "", options).still(None, 0.0).unwrap();
    let (first, last) = shot.differing_rows(&empty, 30).unwrap();
    assert!((last - first) as f32 / 120.0 > 0.6);
}
