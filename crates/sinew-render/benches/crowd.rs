//! A thousand instances of one character: cost of the poses and of the picture.
//!
//! `cargo bench -p sinew-render`. Without a graphics driver only the poses are measured.

#[path = "../tests/common/figure.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod figure;

use divan::Bencher;
use divan::counter::ItemsCount;
use sinew::glam::{Affine3, Vec3};
use sinew::{Aabb, Character, ClipId, ClipLibrary, Crowd, Mat3x4, VoiceOptions};
use sinew_compress::{Figure, KeyMotion, Profile};
use sinew_render::{Batch, Camera, Gpu, Look, OffscreenTarget, Renderer, Scene, Settings, Skinning, View};
use std::sync::Arc;

const COUNT: usize = 1000;

fn main() {
    // SAFETY: this is the first statement of the program, so there is no other thread.
    unsafe { sinew_render::hush_mesa() };
    divan::main();
}

/// A figure whose clips are compiled, as in a bundle.
fn compiled(character: Character) -> Arc<Character> {
    let (skeleton, figure) = (character.skeleton(), Figure::of(&character, |_| None));
    let clips = (0..character.clips().len()).map(|index| {
        let clip = character.clips().get(index).expect("a clip of keys");
        let motion = &mut KeyMotion::new(skeleton, &clip);
        let compiled = sinew_compress::compile(skeleton, &clip, &figure, Profile::default(), motion);
        compiled.expect("a smooth clip").clip
    });
    let clips = ClipLibrary::new(clips.collect::<Vec<_>>());
    Arc::new(character.with_clips(clips).expect("clips of the same skeleton"))
}

/// A crowd of one character, each member at its own phase, with some voices that are mixed by weight.
fn crowd(character: &Arc<Character>, members: usize, voices: usize) -> Crowd {
    let mut crowd = Crowd::new(character.clone(), members, voices);
    for (number, member) in crowd.members_mut().iter_mut().enumerate() {
        for layer in 0..voices {
            let options = VoiceOptions::default().weighted(1.0 / voices as f32);
            let voice = member.mixer_mut().add(ClipId::new(0), options).expect("the clip is there");
            member.mixer_mut().seek(voice, (number + 7 * layer) as f64 * 0.618 % 1.0);
        }
    }
    crowd
}

struct Stage {
    renderer: Renderer,
    batch: Batch,
    target: OffscreenTarget,
    camera: Camera,
    look: Look,
    crowd: Crowd,
}

impl Stage {
    /// `variant` is, for example, `gpu 4k`: where vertices are skinned, and the number of triangles of each instance.
    fn new(variant: &str) -> Option<Self> {
        let skinning = if variant.starts_with("gpu") { Skinning::Gpu } else { Skinning::Cpu };
        let character =
            compiled(if variant.ends_with("4k") { figure::extra(65) } else { figure::figure(65, 4) });
        let gpu = Gpu::open().ok()?;
        let mut renderer = Renderer::new(&gpu, Settings::default()).ok()?;
        let model = renderer.load(&character).ok()?;
        let mut batch = renderer.batch(&model, COUNT, skinning).ok()?;
        let mut crowd = crowd(&character, COUNT, 1);
        crowd.update(0.0).ok()?;
        let mut all = Aabb::EMPTY;
        for i in 0..COUNT {
            let place =
                Affine3::from_translation(Vec3::new((i % 40) as f32 - 20.0, 0.0, (i / 40) as f32 - 12.0));
            batch.place(i, place).ok()?;
            batch.set(i, crowd.shown(i)?).ok()?;
            all = all.union(batch.bounds(i));
        }
        let target = renderer.offscreen_target(960, 540).ok()?;
        let camera = Camera::framing(View::Angles { yaw: 30.0, pitch: 25.0 }, &all, target.aspect());
        let mut look = Look::default();
        look.shadow = 0.0;
        Some(Self { renderer, batch, target, camera, look, crowd })
    }

    fn send(&mut self) {
        for i in self.crowd.renewed() {
            let posed = self.crowd.shown(i).expect("a member");
            self.batch.set(i, posed).expect("the pose fits");
        }
    }

    fn draw(&mut self) {
        let batches = &mut [&mut self.batch];
        let mut scene = Scene::new(&self.camera, &self.look, batches);
        let shot = self.renderer.shoot(&mut self.target, &mut scene);
        divan::black_box(shot.expect("the device draws"));
    }
}

/// Clocks, sampling, mixing and hierarchy of a thousand members with one, two and three voices.
#[divan::bench(args = [1, 2, 3], sample_count = 50)]
fn poses(bencher: Bencher<'_, '_>, voices: usize) {
    let mut crowd = crowd(&compiled(figure::figure(65, 4)), COUNT, voices);
    bencher.counter(ItemsCount::new(COUNT)).bench_local(|| crowd.update(1.0 / 60.0));
}

/// The same of ten thousand: each by itself, every fourth in turn, and those in the same state together.
#[divan::bench(args = ["all", "every fourth", "shared"], sample_count = 20)]
fn ten_thousand(bencher: Bencher<'_, '_>, variant: &str) {
    let mut crowd = crowd(&compiled(figure::figure(65, 4)), 10 * COUNT, 1);
    match variant {
        "every fourth" => crowd.members_mut().iter_mut().for_each(|member| member.set_every(4)),
        "shared" => crowd.share_poses(1.0 / 60.0, 256),
        _ => {}
    }
    crowd.update(0.0).expect("mixers of this character");
    bencher.counter(ItemsCount::new(10 * COUNT)).bench_local(|| crowd.update(1.0 / 60.0));
}

/// Palettes of a thousand members, into a buffer.
#[divan::bench(sample_count = 50)]
fn palettes(bencher: Bencher<'_, '_>) {
    let mut crowd = crowd(&compiled(figure::figure(65, 4)), COUNT, 1);
    crowd.update(0.0).expect("mixers of this character");
    let slots = crowd.character().palette_len();
    let mut buffer = vec![Mat3x4::IDENTITY; COUNT * slots];
    bencher.counter(ItemsCount::new(COUNT)).bench_local(|| {
        for (i, out) in buffer.chunks_mut(slots).enumerate() {
            crowd.shown(i).expect("a member").write_palette(out).expect("room for it");
        }
    });
}

/// `Batch::set`: computes palettes, or skins vertices on the CPU.
#[divan::bench(args = ["gpu 4k", "cpu 4k", "gpu 25k", "cpu 25k"], sample_count = 10)]
fn set(bencher: Bencher<'_, '_>, variant: &str) {
    let Some(mut stage) = Stage::new(variant) else { return };
    bencher.bench_local(|| stage.send());
}

/// A picture of 960 x 540 with a thousand visible instances: one draw call for figures of 4,480 triangles and one material, or four for figures of
/// 25,088 triangles with morphs and four materials.
#[divan::bench(args = ["gpu 4k", "cpu 4k", "gpu 25k", "cpu 25k"], sample_count = 5, sample_size = 1)]
fn picture(bencher: Bencher<'_, '_>, variant: &str) {
    let Some(mut stage) = Stage::new(variant) else { return };
    bencher.bench_local(|| {
        stage.send();
        stage.draw();
    });
}
