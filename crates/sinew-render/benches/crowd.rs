//! A thousand instances of one character: cost of the poses and of the picture.
//!
//! `cargo bench -p sinew-render`. Without a graphics driver only the poses are measured.

#[path = "../tests/common/figure.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod figure;

use divan::Bencher;
use sinew::glam::{Affine3, Vec3};
use sinew::{Aabb, Character, Player};
use sinew_render::{Batch, Camera, Gpu, Look, OffscreenTarget, Renderer, Scene, Settings, Skinning, View};
use std::sync::Arc;

const COUNT: usize = 1000;

fn main() {
    // SAFETY: this is the first statement of the program, so there is no other thread.
    unsafe { sinew_render::hush_mesa() };
    divan::main();
}

/// Players of one character, each at its own phase.
fn players(character: &Arc<Character>) -> Vec<Player> {
    let player = |i: usize| {
        let mut player = Player::new(Arc::clone(character));
        player.play("walk").expect("the clip is there");
        player.seek(i as f64 * 0.618 % 1.0);
        player
    };
    (0..COUNT).map(player).collect()
}

struct Crowd {
    renderer: Renderer,
    batch: Batch,
    target: OffscreenTarget,
    camera: Camera,
    look: Look,
    players: Vec<Player>,
}

impl Crowd {
    /// `variant` is, for example, `gpu 4k`: where vertices are skinned, and the number of triangles of each instance.
    fn new(variant: &str) -> Option<Self> {
        let skinning = if variant.starts_with("gpu") { Skinning::Gpu } else { Skinning::Cpu };
        let character =
            Arc::new(if variant.ends_with("4k") { figure::extra(65) } else { figure::figure(65, 4) });
        let gpu = Gpu::open().ok()?;
        let mut renderer = Renderer::new(&gpu, Settings::default()).ok()?;
        let model = renderer.load(&character).ok()?;
        let mut batch = renderer.batch(&model, COUNT, skinning).ok()?;
        let players = players(&character);
        let mut all = Aabb::EMPTY;
        for (i, player) in players.iter().enumerate() {
            let place =
                Affine3::from_translation(Vec3::new((i % 40) as f32 - 20.0, 0.0, (i / 40) as f32 - 12.0));
            batch.place(i, place).ok()?;
            batch.set(i, player.instance()).ok()?;
            all = all.union(batch.bounds(i));
        }
        let target = renderer.offscreen_target(960, 540).ok()?;
        let camera = Camera::framing(View::Angles { yaw: 30.0, pitch: 25.0 }, &all, target.aspect());
        let mut look = Look::default();
        look.shadow = 0.0;
        Some(Self { renderer, batch, target, camera, look, players })
    }

    fn send(&mut self) {
        for (i, player) in self.players.iter().enumerate() {
            self.batch.set(i, player.instance()).expect("the pose fits");
        }
    }

    fn draw(&mut self) {
        let batches = &mut [&mut self.batch];
        let mut scene = Scene::new(&self.camera, &self.look, batches);
        let shot = self.renderer.shoot(&mut self.target, &mut scene);
        divan::black_box(shot.expect("the device draws"));
    }
}

/// Sampling, hierarchy and skin matrices of a thousand instances.
#[divan::bench(sample_count = 20)]
fn poses(bencher: Bencher<'_, '_>) {
    let character = Arc::new(figure::figure(65, 4));
    let mut players = players(&character);
    bencher.bench_local(|| players.iter_mut().for_each(|player| player.update(1.0 / 60.0)));
}

/// `Batch::set`: copies palettes, or skins vertices on the CPU.
#[divan::bench(args = ["gpu 4k", "cpu 4k", "gpu 25k", "cpu 25k"], sample_count = 10)]
fn set(bencher: Bencher<'_, '_>, variant: &str) {
    let Some(mut crowd) = Crowd::new(variant) else { return };
    bencher.bench_local(|| crowd.send());
}

/// A picture of 960 x 540 with a thousand visible instances: one draw call for figures of 4,480 triangles and one material, or four for figures of
/// 25,088 triangles with morphs and four materials.
#[divan::bench(args = ["gpu 4k", "cpu 4k", "gpu 25k", "cpu 25k"], sample_count = 5, sample_size = 1)]
fn picture(bencher: Bencher<'_, '_>, variant: &str) {
    let Some(mut crowd) = Crowd::new(variant) else { return };
    bencher.bench_local(|| {
        crowd.send();
        crowd.draw();
    });
}
