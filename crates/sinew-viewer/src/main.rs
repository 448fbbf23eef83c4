//! The program `sinew-viewer`: arguments, and how it ends.

use clap::{Parser, ValueEnum};
use sinew_import::InfluenceLimit;
use sinew_viewer::app::{Beginning, Files, Layer};
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
  sinew view hero.fbx walk.fbx --clip walk --layers skeleton,trail

Press ? in the window for the keys. Files that change are read again.")]
struct Args {
    /// The character; without, the window waits for a file to be dropped.
    #[arg(value_name = "CHARACTER")]
    character: Option<PathBuf>,

    /// Files whose clips are to play on it.
    #[arg(value_name = "ANIMATION")]
    animations: Vec<PathBuf>,

    /// The clip to begin with, by name.
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,

    /// Begin paused at a time, in seconds.
    #[arg(long, value_name = "T")]
    time: Option<f64>,

    /// What is drawn on top at first.
    #[arg(long, value_enum, value_name = "LAYER,…", value_delimiter = ',')]
    layers: Vec<LayerArg>,

    /// The joint that is chosen at first, by name.
    #[arg(long, value_name = "NAME")]
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

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LayerArg {
    Skeleton,
    Names,
    Ghost,
    Weights,
    Normals,
    Bounds,
    Trail,
}

impl From<LayerArg> for Layer {
    fn from(layer: LayerArg) -> Self {
        match layer {
            LayerArg::Skeleton => Self::Skeleton,
            LayerArg::Names => Self::Names,
            LayerArg::Ghost => Self::Ghost,
            LayerArg::Weights => Self::Weights,
            LayerArg::Normals => Self::Normals,
            LayerArg::Bounds => Self::Bounds,
            LayerArg::Trail => Self::Trail,
        }
    }
}

fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let number = |part: &str| part.trim().parse::<u32>().ok().filter(|n| (64..=16_384).contains(n));
    text.split_once('x')
        .and_then(|(width, height)| Some((number(width)?, number(height)?)))
        .ok_or_else(|| "a size is two numbers of pixels, as in 1280x760".to_owned())
}

impl Args {
    fn options(self) -> Options {
        let mut import = sinew_import::Options {
            influences: if self.influences == "8" { InfluenceLimit::Eight } else { InfluenceLimit::Four },
            ..Default::default()
        };
        import.textures.folders.extend(self.textures);
        import.textures.allow_outside = self.allow_outside_textures;
        let animations = self.animations;
        Options {
            files: self.character.map(|character| Files { character, animations }),
            import,
            beginning: Beginning {
                clip: self.clip,
                time: self.time.filter(|time| time.is_finite()),
                layers: self.layers.into_iter().map(Layer::from).collect(),
                joint: self.joint,
            },
            theme: match self.theme {
                ThemeArg::Auto => Theme::Auto,
                ThemeArg::Dark => Theme::Dark,
                ThemeArg::Light => Theme::Light,
            },
            size: self.size,
            report: self.report,
            screenshot: self.screenshot,
        }
    }
}

fn main() -> ExitCode {
    let options = Args::parse().options();
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
