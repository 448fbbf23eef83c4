//! The program `sinew-viewer`: arguments, and how it ends.

use clap::{Parser, ValueEnum};
use sinew_import::InfluenceLimit;
use sinew_viewer::app::{Beginning, Files, Overlay};
use sinew_viewer::{Options, Theme};
use std::path::PathBuf;
use std::process::ExitCode;

/// Show a character and play its clips, in a window.
#[derive(Debug, Parser)]
#[command(name = "sinew-viewer", version)]
#[command(after_help = "\
Examples:
  sinew view hero.fbx
  sinew view hero.fbx idle.fbx walk.fbx run.fbx
  sinew view creature/ --clip Idle
  sinew view hero.fbx walk.fbx --overlay skeleton,weights:LeftArm

Press ? in the window for the keys. Drop further animation files on it; files that change are read again.")]
struct Args {
    /// The character: a file, a compiled `.sinew`, or a folder with a manifest. Without, the window waits for one to be dropped.
    #[arg(value_name = "CHARACTER")]
    character: Option<PathBuf>,

    /// Files whose clips are to play on it.
    #[arg(value_name = "ANIMATION")]
    animations: Vec<PathBuf>,

    /// The clip to begin with: its name, what it is for (Idle), or its number (#0).
    #[arg(long, value_name = "CLIP")]
    clip: Option<String>,

    /// Begin paused at a time of the clip, in seconds.
    #[arg(long, value_name = "T")]
    time: Option<f64>,

    /// What is drawn on top at first, with commas between: skeleton, names, weights:JOINT, normals, bounds, ghost, trail.
    #[arg(long, value_name = "WHAT,…", value_delimiter = ',', value_parser = Overlay::parse)]
    overlay: Vec<(Overlay, Option<String>)>,

    /// The joint to begin with, by name.
    #[arg(long, value_name = "JOINT")]
    joint: Option<String>,

    /// Dark or light; as the system is, if not given.
    #[arg(long, value_enum, value_name = "THEME", default_value_t = ThemeArg::Auto)]
    theme: ThemeArg,

    /// Size of the window.
    #[arg(long, value_name = "WxH", default_value = "1280x760", value_parser = parse_size)]
    size: (u32, u32),

    /// How many influences a vertex keeps.
    #[arg(long, value_name = "4|8", default_value = "4", value_parser = ["4", "8"])]
    influences: String,

    /// Another folder to look for textures in; may be given several times.
    #[arg(long, value_name = "DIR")]
    textures: Vec<PathBuf>,

    /// Follow texture references that lead out of the file's folder.
    #[arg(long)]
    allow_outside_textures: bool,

    /// Write a picture of the window as soon as all is shown, and close it.
    #[arg(long, value_name = "FILE.png")]
    screenshot: Option<PathBuf>,

    /// Print what happens, a line of JSON each: for scripts.
    #[arg(long)]
    report: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ThemeArg {
    Auto,
    Dark,
    Light,
}

fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let number = |part: &str| part.trim().parse::<u32>().ok().filter(|n| (64..=16_384).contains(n));
    text.split_once('x')
        .and_then(|(width, height)| Some((number(width)?, number(height)?)))
        .ok_or_else(|| "a size is two numbers of pixels, as in 1280x760".to_owned())
}

impl Args {
    fn options(self) -> Result<Options, String> {
        let joint = self.chosen_joint()?;
        let mut import = sinew_import::Options {
            influences: if self.influences == "8" { InfluenceLimit::Eight } else { InfluenceLimit::Four },
            ..Default::default()
        };
        import.textures.folders.extend(self.textures);
        import.textures.allow_outside = self.allow_outside_textures;
        let animations = self.animations;
        Ok(Options {
            files: self.character.map(|character| Files { character, animations }),
            import,
            beginning: Beginning {
                clip: self.clip,
                time: self.time.filter(|time| time.is_finite()),
                overlays: self.overlay.into_iter().map(|(overlay, _)| overlay).collect(),
                joint,
            },
            theme: match self.theme {
                ThemeArg::Auto => Theme::Auto,
                ThemeArg::Dark => Theme::Dark,
                ThemeArg::Light => Theme::Light,
            },
            size: self.size,
            report: self.report,
            screenshot: self.screenshot,
        })
    }

    /// The joint of `--joint` or of `weights:JOINT`: only one can be chosen.
    fn chosen_joint(&self) -> Result<Option<String>, String> {
        let named = self.overlay.iter().filter_map(|(_, joint)| joint.as_ref());
        let mut joints: Vec<&String> = self.joint.iter().chain(named).collect();
        joints.dedup();
        match joints[..] {
            [] if self.overlay.iter().any(|(overlay, _)| *overlay == Overlay::Weights) => {
                Err("--overlay weights: of which joint? Write weights:JOINT".to_owned())
            }
            [] => Ok(None),
            [joint] => Ok(Some(joint.clone())),
            [one, other, ..] => Err(format!("choose one joint: `{one}` or `{other}`")),
        }
    }
}

fn main() -> ExitCode {
    let options = match Args::parse().options() {
        Ok(options) => options,
        Err(problem) => return fail(&problem),
    };
    // A file that is not there is told here, where the name was typed, and not in a window.
    let missing = options.files.iter().flat_map(Files::iter).find(|path| !path.exists()).cloned();
    if let Some(missing) = missing {
        return fail(&format!("{}: there is no such file", missing.display()));
    }
    match sinew_viewer::run(options, Box::new(std::io::stdout())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error.to_string()),
    }
}

fn fail(text: &str) -> ExitCode {
    use std::io::Write;
    // There is nobody else to tell.
    let _ = writeln!(anstream::stderr(), "error: {text}");
    ExitCode::from(2)
}
