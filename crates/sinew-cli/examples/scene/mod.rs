//! What the scenes share: a clock and a keyboard, in a window or for a single picture.
//!
//! `cargo run --release -p sinew-cli --example battle` opens a window. Until a key is pressed, a script of the scene presses keys. With
//! `-- --shot battle.png --at 2.5` there is no window: the script runs for 2.5 seconds and the picture is written to the file.

#![allow(dead_code, reason = "each scene uses some of it")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example prints")]

pub mod actors;
mod keys;
pub mod props;
pub mod stands;
mod window;

pub use keys::{Key, Keys};

use keys::Script;
use sinew_render::{Gpu, Renderer, Samples, Scene, Settings, write_png};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Any error ends the scene.
pub type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Draws a scene to the window, or into the picture.
pub type Present<'a> = &'a mut dyn FnMut(&mut Scene<'_, '_>) -> Result;

/// A scene.
pub trait Game: Sized {
    /// Window title.
    const TITLE: &'static str;
    /// Keys that are pressed until somebody uses the keyboard: the key, and from when until when it is held, in seconds. Repeats at the end.
    const SCRIPT: &'static [(Key, f64, f64)];
    /// Length of the script in seconds.
    const SCRIPT_LENGTH: f64;

    /// Loads everything.
    fn new(renderer: &mut Renderer) -> Result<Self>;
    /// Adds so many spectators, if there is room for any.
    fn add_crowd(&mut self, _: &mut Renderer, _: usize) -> Result {
        Err("--crowd: this scene has no room for spectators".into())
    }
    /// Advances by some seconds.
    fn update(&mut self, keys: &Keys, seconds: f64) -> Result;
    /// Draws the scene, for a picture of an aspect ratio (width by height).
    fn draw(&mut self, aspect: f32, present: Present<'_>) -> Result;
}

/// Updates per second. The same with and without a window, so that a scene runs the same way in both.
const RATE: f64 = 60.0;

/// Runs a scene as the command line says.
pub fn run<G: Game + 'static>() -> ExitCode {
    // SAFETY: this is the first statement of the program, so there is no other thread.
    unsafe { sinew_render::hush_mesa() };
    let done = Arguments::parse().and_then(|arguments| match arguments {
        None => {
            println!("{}\n{USAGE}", G::TITLE);
            Ok(())
        }
        Some(arguments) => match &arguments.shot {
            Some(path) => shoot::<G>(path, &arguments),
            None => window::run::<G>(&arguments),
        },
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

struct Arguments {
    shot: Option<PathBuf>,
    /// When the picture is taken, or the window closes.
    at: Option<f64>,
    size: (u32, u32),
    /// How many spectators there are.
    crowd: usize,
}

const USAGE: &str = "usage: [--shot PICTURE.png] [--at SECONDS] [--size WxH] [--crowd COUNT]";

impl Arguments {
    /// `None` if help is asked for.
    fn parse() -> Result<Option<Self>> {
        let mut arguments = Self { shot: None, at: None, size: (960, 540), crowd: 0 };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            if ["-h", "--help"].contains(&word.as_str()) {
                return Ok(None);
            }
            let value = words.next().ok_or(USAGE)?;
            match word.as_str() {
                "--shot" => arguments.shot = Some(picture(value)?),
                "--at" => arguments.at = Some(seconds(&value)?),
                "--size" => arguments.size = size(&value)?,
                "--crowd" => arguments.crowd = crowd(&value)?,
                _ => return Err(format!("unknown option `{word}`\n{USAGE}").into()),
            }
        }
        Ok(Some(arguments))
    }
}

fn picture(path: String) -> Result<PathBuf> {
    let path = PathBuf::from(path);
    match path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
        true => Ok(path),
        false => Err(format!("{}: the name of a shot must end in .png", path.display()).into()),
    }
}

fn seconds(text: &str) -> Result<f64> {
    let seconds = text.parse().ok().filter(|seconds| (0.0..=600.0).contains(seconds));
    seconds.ok_or_else(|| format!("--at {text}: expected seconds from 0 to 600\n{USAGE}").into())
}

fn size(text: &str) -> Result<(u32, u32)> {
    let side = |text: &str| text.parse().ok().filter(|side| (16..=8192).contains(side));
    let sides = text.split_once('x').and_then(|(width, height)| Some((side(width)?, side(height)?)));
    sides.ok_or_else(|| {
        format!("--size {text}: expected WxH as in 960x540, each side from 16 to 8192\n{USAGE}").into()
    })
}

fn crowd(text: &str) -> Result<usize> {
    let count = text.parse().ok().filter(|count| (1..=10_000).contains(count));
    count.ok_or_else(|| format!("--crowd {text}: expected a number from 1 to 10000\n{USAGE}").into())
}

/// Loads a scene as the command line says.
fn load<G: Game>(renderer: &mut Renderer, arguments: &Arguments) -> Result<G> {
    let mut game = G::new(renderer)?;
    if arguments.crowd > 0 {
        game.add_crowd(renderer, arguments.crowd)?;
    }
    Ok(game)
}

/// Runs the script without a window and writes one picture.
fn shoot<G: Game>(path: &Path, arguments: &Arguments) -> Result {
    let gpu = Gpu::open()?;
    let mut renderer = Renderer::new(&gpu, Settings::default().with_samples(Samples::Four))?;
    let mut game: G = load(&mut renderer, arguments)?;
    let mut script = Script::new(G::SCRIPT, G::SCRIPT_LENGTH);
    for _ in 0..(arguments.at.unwrap_or(0.0) * RATE).round() as u64 {
        game.update(script.step(1.0 / RATE), 1.0 / RATE)?;
    }
    let mut target = renderer.offscreen_target(arguments.size.0, arguments.size.1)?;
    game.draw(target.aspect(), &mut |scene| {
        let picture = renderer.shoot(&mut target, scene)?;
        Ok(write_png(path, &picture)?)
    })
}
