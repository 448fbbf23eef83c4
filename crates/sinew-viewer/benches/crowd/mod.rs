//! Ten thousand heroes, drawn without a window.

use sinew::glam::{Affine3, Vec3};
use sinew::{Aabb, Character, Crowd, Mat3x4, PlayOptions};
use sinew_render::{Batch, Camera, Gpu, Look, Renderer, Scene, Settings, Skinning, View};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const COUNT: usize = 10_000;
const FRAME: f64 = 1.0 / 60.0;

/// Prints what a frame of the hero in a folder costs, ten thousand times.
pub fn measure(folder: &Path) {
    let character = Arc::new(compiled(folder));
    let joints = character.skeleton().len();
    println!("a crowd of {COUNT}, {joints} joints each:");
    let mut alone = crowd(&character);
    let mut in_turns = crowd(&character);
    in_turns.members_mut().iter_mut().for_each(|member| member.set_every(4));
    let mut shared = crowd(&character);
    shared.share_poses(FRAME, 256);
    for (what, crowd) in
        [("each posed", &mut alone), ("every fourth posed", &mut in_turns), ("poses shared", &mut shared)]
    {
        let time = fastest(20, || crowd.update(FRAME).expect("mixers of this character"));
        println!("  {:7.0} ns for each of them: {what}", each(time));
    }
    let mut palette = vec![Mat3x4::IDENTITY; character.palette_len()];
    let time = fastest(5, || {
        for number in 0..COUNT {
            alone.shown(number).expect("a member").write_palette(&mut palette).expect("room for it");
        }
    });
    println!("  {:7.0} ns for each palette", each(time));
    match picture(&character, &alone) {
        Some((time, seen)) => println!("  {time:7.0?} for a picture of 960x540 with {seen} of them"),
        None => println!("  no picture: there is no graphics driver"),
    }
}

/// The hero with clips as a build compiles them.
fn compiled(folder: &Path) -> Character {
    let clips = [folder.join("walk.fbx")];
    let hero = sinew_import::load(folder.join("hero.fbx"), &clips).expect("the hero is read");
    let compressed = sinew_build::compress::compress(
        &hero.character,
        &hero.source,
        sinew_build::compress::CompressOptions::default(),
    );
    compressed.expect("the clips are compiled").character
}

fn crowd(character: &Arc<Character>) -> Crowd {
    let walk = character.clips().id("walk").expect("the clip is there");
    let mut crowd = Crowd::new(character.clone(), COUNT, 1);
    for (number, member) in crowd.members_mut().iter_mut().enumerate() {
        let voice = member.mixer_mut().play(walk, PlayOptions::default()).expect("the clip fits");
        member.mixer_mut().seek(voice, number as f64 * 0.618 % 1.0);
    }
    for _ in 0..90 {
        crowd.update(FRAME).expect("mixers of this character");
    }
    crowd
}

fn fastest(rounds: usize, mut work: impl FnMut()) -> Duration {
    let mut time = || {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    (0..rounds).map(|_| time()).min().unwrap_or_default()
}

fn each(time: Duration) -> f64 {
    time.as_secs_f64() * 1e9 / COUNT as f64
}

/// How long it takes to hand all over and draw them, and how many are seen.
fn picture(character: &Arc<Character>, crowd: &Crowd) -> Option<(Duration, usize)> {
    let gpu = Gpu::open().ok()?;
    let mut renderer = Renderer::new(&gpu, Settings::default()).ok()?;
    let model = renderer.load(character).ok()?;
    let mut batch = renderer.batch(&model, COUNT, Skinning::Gpu).ok()?;
    let mut all = Aabb::EMPTY;
    for number in 0..COUNT {
        let place = Vec3::new((number % 100) as f32, 0.0, (number / 100) as f32);
        batch.place(number, Affine3::from_translation(place)).ok()?;
        all = all.with(place);
    }
    let mut target = renderer.offscreen_target(960, 540).ok()?;
    let camera = Camera::framing(View::Angles { yaw: 30.0, pitch: 25.0 }, &all, target.aspect());
    let look = Look::default();
    let time = fastest(2, || {
        for number in 0..COUNT {
            batch.set(number, crowd.shown(number).expect("a member")).expect("the pose fits");
        }
        let batches: &mut [&mut Batch] = &mut [&mut batch];
        let shot = renderer.shoot(&mut target, &mut Scene::new(&camera, &look, batches));
        shot.expect("the device draws");
    });
    Some((time, batch.seen()))
}
