//! What the scenes share: a clock and a keyboard, in a window or for a single picture.
//!
//! `cargo run --release -p sinew-cli --example battle` opens a window. Until a key is pressed, a script of the scene presses keys. With
//! `-- --shot battle.png --at 2.5` there is no window: the script runs for 2.5 seconds and the picture is written to the file. `--film stairs.gif --from 1 --at 2.5`
//! writes what happens in between as an animation.

#![allow(dead_code, reason = "each scene uses some of it")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example prints")]

pub mod actors;
mod keys;
pub mod props;
pub mod stands;
mod window;

pub use keys::{Key, Keys};

use keys::Script;
use sinew_render::{
    AnimationFormat, Gpu, OffscreenTarget, Picture, Renderer, Samples, Scene, Settings, write_frames,
    write_png,
};
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
        Some(arguments) => match (&arguments.shot, &arguments.film) {
            (Some(path), _) => shoot::<G>(path, &arguments),
            (None, Some(path)) => film::<G>(path, &arguments),
            (None, None) => window::run::<G>(&arguments),
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
    film: Option<PathBuf>,
    /// When an animation begins.
    from: f64,
    /// When the picture is taken, or the window closes.
    at: Option<f64>,
    size: (u32, u32),
    /// How many spectators there are.
    crowd: usize,
}

const USAGE: &str = "usage: [--shot PICTURE.png | --film ANIMATION.gif --from SECONDS] [--at SECONDS] [--size WxH] [--crowd COUNT]";

impl Arguments {
    /// `None` if help is asked for.
    fn parse() -> Result<Option<Self>> {
        let mut arguments = Self { shot: None, film: None, from: 0.0, at: None, size: (960, 540), crowd: 0 };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            if ["-h", "--help"].contains(&word.as_str()) {
                return Ok(None);
            }
            let value = words.next().ok_or(USAGE)?;
            match word.as_str() {
                "--shot" => arguments.shot = Some(file(value, "shot", "png")?),
                "--film" => arguments.film = Some(file(value, "film", "gif")?),
                "--from" => arguments.from = seconds(&word, &value)?,
                "--at" => arguments.at = Some(seconds(&word, &value)?),
                "--size" => arguments.size = size(&value)?,
                "--crowd" => arguments.crowd = crowd(&value)?,
                _ => return Err(format!("unknown option `{word}`\n{USAGE}").into()),
            }
        }
        Ok(Some(arguments))
    }
}

fn file(path: String, what: &str, ending: &str) -> Result<PathBuf> {
    let path = PathBuf::from(path);
    match path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(ending)) {
        true => Ok(path),
        false => Err(format!("{}: the name of a {what} must end in .{ending}", path.display()).into()),
    }
}

fn seconds(option: &str, text: &str) -> Result<f64> {
    let seconds = text.parse().ok().filter(|seconds| (0.0..=600.0).contains(seconds));
    seconds.ok_or_else(|| format!("{option} {text}: expected seconds from 0 to 600\n{USAGE}").into())
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

/// A scene without a window, run by its script.
struct Set<G> {
    renderer: Renderer,
    target: OffscreenTarget,
    game: G,
    script: Script,
}

impl<G: Game> Set<G> {
    fn new(arguments: &Arguments) -> Result<Self> {
        let gpu = Gpu::open()?;
        let mut renderer = Renderer::new(&gpu, Settings::default().with_samples(Samples::Four))?;
        let game = load(&mut renderer, arguments)?;
        let target = renderer.offscreen_target(arguments.size.0, arguments.size.1)?;
        Ok(Self { renderer, target, game, script: Script::new(G::SCRIPT, G::SCRIPT_LENGTH) })
    }

    fn run(&mut self, seconds: f64) -> Result {
        for _ in 0..(seconds * RATE).round() as u64 {
            self.game.update(self.script.step(1.0 / RATE), 1.0 / RATE)?;
        }
        Ok(())
    }

    fn picture(&mut self) -> Result<Picture> {
        let Self { renderer, target, game, .. } = self;
        let mut taken = None;
        game.draw(target.aspect(), &mut |scene| {
            taken = Some(renderer.shoot(target, scene)?);
            Ok(())
        })?;
        taken.ok_or_else(|| "the scene drew nothing".into())
    }
}

/// Runs the script without a window and writes one picture.
fn shoot<G: Game>(path: &Path, arguments: &Arguments) -> Result {
    let mut set = Set::<G>::new(arguments)?;
    set.run(arguments.at.unwrap_or(0.0))?;
    Ok(write_png(path, &set.picture()?)?)
}

/// Pictures per second of an animation: every fourth update.
const FILM_RATE: f64 = 15.0;

/// Runs the script without a window and writes an animation of a part of it.
fn film<G: Game>(path: &Path, arguments: &Arguments) -> Result {
    let mut set = Set::<G>::new(arguments)?;
    set.run(arguments.from)?;
    let length = arguments.at.ok_or("--film: --at says when it ends")? - arguments.from;
    let mut pictures = Vec::new();
    for _ in 0..(length * FILM_RATE).round().max(1.0) as u32 {
        pictures.push(set.picture()?);
        set.run(1.0 / FILM_RATE)?;
    }
    Ok(write_frames(path, AnimationFormat::Gif, &pictures, FILM_RATE)?)
}
