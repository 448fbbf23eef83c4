//! The arguments, as `--help` shows them.

mod machine;
mod make;
mod parse;
mod show;

pub use machine::{GraphArgs, PlayArgs};
pub use make::{
    BuildArgs, Compression, ContactsArgs, ConvertArgs, InitArgs, ManifestArgs, MapArgs, RetargetArgs,
    VerifyArgs,
};
#[cfg(feature = "render")]
pub use show::RenderArgs;
pub use show::{DiffArgs, ViewArgs};

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use parse::{parse_time, parse_vertices};
use sinew_import::Options;
use std::path::PathBuf;

/// Inspect, check, pose, draw and compile rigged characters.
#[derive(Debug, Parser)]
#[command(name = "sinew", version, propagate_version = true, arg_required_else_help = true)]
#[command(after_help = "\
Examples:
  sinew doctor hero.fbx idle.fbx walk.fbx     why does my character T-pose?
  sinew inspect hero.fbx                      what is in this file?
  sinew pose hero.fbx walk.fbx --time 0.5     where are the joints at half a second?
  sinew view hero.fbx walk.fbx                let me see it
  sinew render creature/ -o idle.gif          a picture, an animation, a sheet of all clips
  sinew explain clip.no-matching-joints       what does this finding mean?
  sinew init downloads                        make a project of a folder
  sinew build downloads                       compile everything that it names

Exit codes: 0 fine, 1 findings of severity error, differences or something out of date, 2 unreadable input or wrong usage, 3 could not write.")]
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
    /// Draw a character: a picture, an animation, or a sheet of all its clips.
    #[cfg(feature = "render")]
    Render(RenderArgs),
    /// Compare the joints of two characters, or of two builds of one, clip by clip.
    Diff(DiffArgs),
    /// Show a character and play its clips, in a window.
    View(ViewArgs),
    /// Write the manifest of a folder of COLLADA files, or repair the one that is there.
    Manifest(ManifestArgs),
    /// Look at a folder of downloads and write a sinew.toml for it.
    Init(InitArgs),
    /// Compile the characters that a sinew.toml names.
    Build(BuildArgs),
    /// Merge a character and its animations into one file.
    Convert(ConvertArgs),
    /// Find when feet stand on the ground, and write it as a file that can be edited.
    Contacts(ContactsArgs),
    /// Say which joint of a humanoid has which role, and write it as a bone map.
    Map(MapArgs),
    /// Carry clips of other humanoids over to a character, and write both to one file.
    Retarget(RetargetArgs),
    /// Check a compiled character and, given its sources, measure it again.
    Verify(VerifyArgs),
    /// Measure what a frame of a character costs on this machine, part by part.
    Bench(BenchArgs),
    /// Draw a state machine: states as boxes, transitions as arrows.
    Graph(GraphArgs),
    /// Run a state machine on a character without a window.
    Play(PlayArgs),
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

impl Command {
    /// Whether machine-readable output is asked for.
    pub fn json(&self) -> bool {
        match self {
            Self::Inspect(args) => args.common.json,
            Self::Doctor(args) => args.common.json,
            Self::Pose(args) => args.common.json,
            #[cfg(feature = "render")]
            Self::Render(args) => args.common.json,
            Self::Diff(args) => args.common.json,
            Self::Manifest(args) => args.common.json,
            Self::Init(args) => args.json,
            Self::Build(args) => args.json,
            Self::Convert(args) => args.common.json,
            Self::Contacts(args) => args.common.json,
            Self::Map(args) => args.common.json,
            Self::Retarget(args) => args.common.json,
            Self::Verify(args) => args.common.json,
            Self::Bench(args) => args.common.json,
            Self::Graph(args) => args.json,
            Self::Play(args) => args.common.json,
            Self::Explain(args) => args.json,
            Self::View(_) | Self::Completions { .. } => false,
        }
    }
}

/// A character and the files of its animations.
#[derive(Debug, ClapArgs)]
pub struct SourceArgs {
    /// The character: a file, also a compiled one (.sinew), or a folder with a manifest.
    #[arg(value_name = "CHARACTER")]
    pub character: PathBuf,

    /// Files whose clips are to play on it.
    #[arg(value_name = "ANIMATION")]
    pub animations: Vec<PathBuf>,
}

/// What every command that reads characters takes.
#[derive(Debug, ClapArgs)]
pub struct CommonArgs {
    /// Machine-readable output.
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub import: Options,
}

/// `sinew inspect`
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  sinew inspect hero.fbx
  sinew inspect *.fbx --json
  sinew inspect hero.fbx --textures ../shared/textures
  sinew inspect creature/                     a folder with a manifest.json
  sinew inspect models/                       a tree of such folders")]
pub struct InspectArgs {
    /// Files to look into, folders with a manifest, or trees of them.
    #[arg(required = true, value_name = "FILE|FOLDER")]
    pub files: Vec<PathBuf>,

    #[command(flatten)]
    pub common: CommonArgs,
}

/// `sinew doctor`
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  sinew doctor hero.fbx
  sinew doctor hero.fbx idle.fbx walk.fbx run.fbx
  sinew doctor hero.fbx walk.fbx --json
  sinew doctor models/                        every manifest in a folder and below")]
pub struct DoctorArgs {
    #[command(flatten)]
    pub sources: SourceArgs,

    #[command(flatten)]
    pub common: CommonArgs,
}

/// `sinew bench`
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  sinew bench hero.sinew
  sinew bench hero.fbx walk.fbx run.fbx
  sinew bench hero.sinew --instances 500 --json")]
pub struct BenchArgs {
    #[command(flatten)]
    pub sources: SourceArgs,

    /// How many of them a frame has.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub instances: u32,

    #[command(flatten)]
    pub common: CommonArgs,
}

/// `sinew pose`
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  sinew pose hero.fbx walk.fbx --time 0,0.5,1
  sinew pose hero.fbx --clip '#1' --time 0.25 --vertices 100 --json
  sinew pose hero.fbx --space keep --json")]
pub struct PoseArgs {
    #[command(flatten)]
    pub sources: SourceArgs,

    /// The clip, by name, tag (as in Idle) or `#INDEX`; if not given, the first of the animation files, else the first that moves.
    #[arg(long, value_name = "NAME|TAG|#INDEX")]
    pub clip: Option<String>,

    /// Seconds from the start of the clip, separated by commas; may be given several times.
    #[arg(long, value_name = "T,T,…", value_delimiter = ',', allow_negative_numbers = true, value_parser = parse_time)]
    pub time: Vec<f64>,

    /// How many vertices of each mesh to print, evenly strided, or `all`.
    #[arg(long, value_name = "N|all", default_value = "0", value_parser = parse_vertices)]
    pub vertices: usize,

    #[command(flatten)]
    pub common: CommonArgs,
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
