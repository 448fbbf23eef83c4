//! A thousand instances of one character: what their poses cost, and what the picture costs.
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
    // SAFETY: nothing has run before, so there is no other thread.
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
    /// As `gpu 4k` and the like say: who deforms the vertices, and how many triangles each of the thousand has.
    fn new(kind: &str) -> Option<Self> {
        let skinning = if kind.starts_with("gpu") { Skinning::Gpu } else { Skinning::Cpu };
        let character =
            Arc::new(if kind.ends_with("4k") { figure::extra(65) } else { figure::figure(65, 4) });
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

/// Sampling, hierarchy and skin matrices of a thousand.
#[divan::bench(sample_count = 20)]
fn poses(bencher: Bencher<'_, '_>) {
    let character = Arc::new(figure::figure(65, 4));
    let mut players = players(&character);
    bencher.bench_local(|| players.iter_mut().for_each(|player| player.update(1.0 / 60.0)));
}

/// Taking the poses over: palettes, or skinned vertices.
#[divan::bench(args = ["gpu 4k", "cpu 4k", "gpu 25k", "cpu 25k"], sample_count = 10)]
fn set(bencher: Bencher<'_, '_>, kind: &str) {
    let Some(mut crowd) = Crowd::new(kind) else { return };
    bencher.bench_local(|| crowd.send());
}

/// A whole picture of 960 x 540 with a thousand in sight, as the driver does it: one draw of figures of 4,480 triangles and one material,
/// or four of figures of 25,088 triangles with morphs and four materials.
#[divan::bench(args = ["gpu 4k", "cpu 4k", "gpu 25k", "cpu 25k"], sample_count = 5, sample_size = 1)]
fn picture(bencher: Bencher<'_, '_>, kind: &str) {
    let Some(mut crowd) = Crowd::new(kind) else { return };
    bencher.bench_local(|| {
        crowd.send();
        crowd.draw();
    });
}
