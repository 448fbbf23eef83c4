//! The arguments, as `--help` shows them.

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Inspect, pose and check rigged characters.
#[derive(Debug, Parser)]
#[command(name = "sinew", version, propagate_version = true, arg_required_else_help = true)]
#[command(after_help = "\
Examples:
  sinew doctor hero.fbx idle.fbx walk.fbx     why does my character T-pose?
  sinew inspect hero.fbx                      what is in this file?
  sinew pose hero.fbx walk.fbx --time 0.5     where are the joints at half a second?
  sinew view hero.fbx walk.fbx                let me see it
  sinew explain clip.no-matching-joints       what does this finding mean?

Exit codes: 0 fine, 1 findings of severity error, 2 unreadable input or wrong usage, 3 could not write.")]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,

    /// Say nothing but the result and errors.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Say more.
    #[arg(short, long, global = true)]
    pub verbose: bool,

    /// Colours in the output; NO_COLOR turns them off too.
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    pub color: Color,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Color {
    /// Makes it the choice of this process.
    pub fn apply(self) {
        match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show what is in a file: skeleton, meshes, materials, clips.
    Inspect(InspectArgs),
    /// Say whether a character and its animations are right and, if not, why.
    Doctor(DoctorArgs),
    /// Print joints and vertices of a character at given times of a clip.
    Pose(PoseArgs),
    /// Show a character and play its clips, in a window.
    View(ViewArgs),
    /// Explain a finding: what it means, its threshold, what to do.
    Explain(ExplainArgs),
    /// Print completions for a shell.
    #[command(after_help = "Example:
  sinew completions bash > ~/.local/share/bash-completion/completions/sinew")]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// How source files are read.
#[derive(Debug, ClapArgs)]
pub struct ImportArgs {
    /// Convert to +Y up and metres, or keep the file's axes and unit.
    #[arg(long, value_enum, value_name = "SPACE", default_value_t = SpaceArg::Canonical)]
    pub space: SpaceArg,

    /// How many influences a vertex keeps.
    #[arg(long, value_name = "4|8", default_value = "4", value_parser = ["4", "8"])]
    pub influences: String,

    /// Where clips get their keys: within a tolerance of the source's curves, or at its keys only.
    #[arg(long, value_name = "TOLERANCE|keys", default_value = "2e-5", value_parser = parse_resample)]
    pub resample: sinew_import::Resample,

    /// Another folder to look for textures in; may be given several times.
    #[arg(long, value_name = "DIR")]
    pub textures: Vec<PathBuf>,

    /// Follow texture references that lead out of the file's folder.
    #[arg(long)]
    pub allow_outside_textures: bool,

    /// Raise or lower a limit on what a file may ask for, as in `joints=300`; may be given several times.
    #[arg(long, value_name = "NAME=N", value_parser = parse_limit)]
    pub limit: Vec<(String, u64)>,
}

/// Space of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SpaceArg {
    /// Right-handed, +Y up, metres.
    Canonical,
    /// As in the file.
    Keep,
}

/// `sinew inspect`
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  sinew inspect hero.fbx
  sinew inspect *.fbx --json
  sinew inspect hero.fbx --textures ../shared/textures")]
pub struct InspectArgs {
    /// Files to look into.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Machine-readable output.
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub import: ImportArgs,
}

/// `sinew doctor`
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  sinew doctor hero.fbx
  sinew doctor hero.fbx idle.fbx walk.fbx run.fbx
  sinew doctor hero.fbx walk.fbx --json")]
pub struct DoctorArgs {
    /// The character.
    #[arg(value_name = "CHARACTER")]
    pub character: PathBuf,

    /// Files whose clips are to play on it.
    #[arg(value_name = "ANIMATION")]
    pub animations: Vec<PathBuf>,

    /// Machine-readable output.
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub import: ImportArgs,
}

/// `sinew pose`
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  sinew pose hero.fbx walk.fbx --time 0,0.5,1
  sinew pose hero.fbx --clip '#1' --time 0.25 --vertices 100 --json
  sinew pose hero.fbx --space keep --json")]
pub struct PoseArgs {
    /// The character.
    #[arg(value_name = "CHARACTER")]
    pub character: PathBuf,

    /// Files whose clips are to play on it.
    #[arg(value_name = "ANIMATION")]
    pub animations: Vec<PathBuf>,

    /// The clip, by name or `#INDEX`; the first if not given.
    #[arg(long, value_name = "NAME|#INDEX")]
    pub clip: Option<String>,

    /// Seconds from the start of the clip, separated by commas; may be given several times.
    #[arg(long, value_name = "T,T,…", value_delimiter = ',', allow_negative_numbers = true, value_parser = parse_time)]
    pub time: Vec<f64>,

    /// How many vertices of each mesh to print, evenly strided, or `all`.
    #[arg(long, value_name = "N|all", default_value = "0", value_parser = parse_vertices)]
    pub vertices: usize,

    /// Machine-readable output.
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub import: ImportArgs,
}

/// `sinew view`: all but the name of the command goes to the viewer, a program of its own, whose help says more.
#[derive(Debug, ClapArgs)]
#[command(disable_help_flag = true, disable_version_flag = true)]
#[command(after_help = "\
Examples:
  sinew view hero.fbx
  sinew view hero.fbx idle.fbx walk.fbx run.fbx
  sinew view --help                           all options")]
pub struct ViewArgs {
    /// The character, files whose clips are to play on it, and options of the viewer.
    #[arg(
        value_name = "CHARACTER [ANIMATION]… [OPTION]…",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub arguments: Vec<std::ffi::OsString>,
}

/// `sinew explain`
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  sinew explain clip.no-matching-joints
  sinew explain                               lists all findings")]
pub struct ExplainArgs {
    /// Id of the finding; without it, all are listed.
    #[arg(value_name = "FINDING-ID")]
    pub id: Option<String>,

    /// Machine-readable output.
    #[arg(long)]
    pub json: bool,
}

fn parse_time(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(time) if time.is_finite() => Ok(time),
        _ => Err("a time is a number of seconds, as in 0.5".to_owned()),
    }
}

fn parse_vertices(text: &str) -> Result<usize, String> {
    match text {
        "all" => Ok(usize::MAX),
        _ => text.parse().map_err(|_| "a number of vertices, or `all`".to_owned()),
    }
}

fn parse_resample(text: &str) -> Result<sinew_import::Resample, String> {
    match (text, text.parse::<f64>()) {
        ("keys", _) => Ok(sinew_import::Resample::Keys),
        (_, Ok(tolerance)) if tolerance > 0.0 && tolerance.is_finite() => {
            Ok(sinew_import::Resample::Within(tolerance))
        }
        _ => {
            Err("a tolerance above zero, as in 2e-5 (a fraction of the character's size), or `keys`"
                .to_owned())
        }
    }
}

fn parse_limit(text: &str) -> Result<(String, u64), String> {
    let (name, value) = text.split_once('=').ok_or("a limit is set as NAME=N, as in joints=300")?;
    let value = value.parse().map_err(|_| format!("`{value}` is not a whole number"))?;
    // An unknown name is refused here, where clap can show the usage.
    sinew_import::Limits::default()
        .set(name, value)
        .map_err(|known| crate::suggest::did_you_mean(name, known.iter().copied()))?;
    Ok((name.to_owned(), value))
}
