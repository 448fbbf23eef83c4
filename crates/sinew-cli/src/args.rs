//! The arguments, as `--help` shows them.

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
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
    /// Check a compiled character and, given its sources, measure it again.
    Verify(VerifyArgs),
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

    /// Unit of the Euler angles that COLLADA channels write; `auto` finds out.
    #[arg(long, value_enum, value_name = "UNIT", default_value_t = EulerArg::Auto)]
    pub euler_unit: EulerArg,

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

/// Unit of Euler angles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EulerArg {
    /// Decided once per file, by what fits its matrices.
    Auto,
    /// Degrees.
    Degrees,
    /// Radians.
    Radians,
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
  sinew doctor hero.fbx walk.fbx --json
  sinew doctor models/                        every manifest in a folder and below")]
pub struct DoctorArgs {
    /// The character: a file, a folder with a manifest, or a tree of them.
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
    #[command(flatten)]
    pub sources: SourceArgs,

    /// The clip, by name, tag (as in Idle) or `#INDEX`; the first if not given.
    #[arg(long, value_name = "NAME|TAG|#INDEX")]
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

/// `sinew render`
#[cfg(feature = "render")]
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  sinew render hero.fbx walk.fbx --time 0.5 -o walk.png
  sinew render creature/ --clip Idle -o idle.gif --in-place
  sinew render creature/ --sheet -o clips.png
  sinew render hero.fbx walk.fbx -o arm.png --overlay skeleton,weights:LeftArm --camera 60,20")]
pub struct RenderArgs {
    #[command(flatten)]
    pub sources: SourceArgs,

    /// The picture (.png), or the animation (.gif, .apng).
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,

    /// The clip, by name, tag (as in Idle) or `#INDEX`; the first if not given, on a sheet all.
    #[arg(long, value_name = "NAME|TAG|#INDEX")]
    pub clip: Option<String>,

    /// Of a picture: seconds from the start of the clip [default: 0].
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = parse_time)]
    pub time: Option<f64>,

    /// Of an animation: frames a second [default: 25].
    #[arg(long, value_name = "N", value_parser = parse_fps)]
    pub fps: Option<f64>,

    /// One page with a row of pictures for each clip.
    #[arg(long)]
    pub sheet: bool,

    /// Of a sheet: pictures of each clip [default: 8].
    #[arg(long, value_name = "N", requires = "sheet", value_parser = clap::value_parser!(u16).range(1..=100))]
    pub frames: Option<u16>,

    /// Width and height in pixels [default: 640x480; of each picture on a sheet 160x160].
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    pub size: Option<(u32, u32)>,

    /// Where it is seen from: front, side, three-quarter, or degrees round it and up.
    #[arg(long, value_name = "VIEW|YAW,PITCH", default_value = "three-quarter", allow_hyphen_values = true)]
    pub camera: sinew_render::View,

    /// What is drawn on top, with commas between: skeleton, names, weights:JOINT, normals, bounds, ghost, trail.
    #[arg(long, value_name = "WHAT,…", default_value = "", hide_default_value = true)]
    pub overlay: String,

    /// Colour behind it: #rrggbb, white, black, grey, dark or transparent [default: a soft grey].
    #[arg(long, value_name = "COLOUR")]
    pub background: Option<sinew_render::Color>,

    /// Leave out ground, grid and shadow.
    #[arg(long)]
    pub no_ground: bool,

    /// Take the clip's travel out, so that it stays on the spot.
    #[arg(long)]
    pub in_place: bool,

    /// Machine-readable output; of a picture, with the places of all joints on it.
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub import: ImportArgs,
}

/// `sinew diff`
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  sinew diff hero.fbx build/hero.sinew
  sinew diff before/ after/ --clip Walk -o walk.png
  sinew diff a.fbx b.fbx --tolerance 2 --json")]
pub struct DiffArgs {
    /// A character: a file, also a compiled one (.sinew), or a folder with a manifest.
    #[arg(value_name = "A")]
    pub a: PathBuf,

    /// What it is compared with.
    #[arg(value_name = "B")]
    pub b: PathBuf,

    /// Only this clip, as A calls it: by name, tag (as in Idle) or `#INDEX`.
    #[arg(long, value_name = "NAME|TAG|#INDEX")]
    pub clip: Option<String>,

    /// Millimetres that they may be apart [default: 0.1 for a figure of 1.8 m, more for a larger one].
    #[arg(long, value_name = "MM", value_parser = parse_tolerance)]
    pub tolerance: Option<f32>,

    /// A picture (.png) of the distances: joints downward, time to the right.
    #[cfg(feature = "render")]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

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
  sinew view creature/ --clip Idle --overlay skeleton
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

/// `sinew manifest`
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  sinew manifest creature/                    write or repair creature/manifest.json
  sinew manifest creature/ --dry-run          say what would be changed
  sinew manifest creature/ --tags creature    slots as creatures have them")]
pub struct ManifestArgs {
    /// The folder, or its manifest.
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,

    /// Which table gives clips their tags; without it, the one that agrees best with the tags that are there.
    #[arg(long, value_name = "TABLE", value_parser = ["overworld", "creature"])]
    pub tags: Option<String>,

    /// Say what would be changed, and write nothing.
    #[arg(long)]
    pub dry_run: bool,

    /// Machine-readable output.
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub import: ImportArgs,
}

/// `sinew init`
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  sinew init downloads
  sinew init downloads --dry-run              only says what it would write
  sinew init . --force                        writes over a file that somebody changed")]
pub struct InitArgs {
    /// The folder.
    #[arg(value_name = "FOLDER", default_value = ".")]
    pub folder: PathBuf,

    /// Write over a sinew.toml that was written or changed by somebody else.
    #[arg(long)]
    pub force: bool,

    /// Write nothing.
    #[arg(long)]
    pub dry_run: bool,

    /// Machine-readable output.
    #[arg(long)]
    pub json: bool,
}

/// `sinew build`
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  sinew build
  sinew build game/characters --target sinew,glb
  sinew build --check                         for continuous integration: 1 if something is out of date
  sinew build --watch                         builds again when a source changes
  sinew build --plan | jq -r .command | parallel")]
pub struct BuildArgs {
    /// Folder with a sinew.toml, or the file itself.
    #[arg(value_name = "FOLDER", default_value = ".")]
    pub project: PathBuf,

    /// What to compile to, instead of what the project says.
    #[arg(long, value_enum, value_name = "TARGET", value_delimiter = ',')]
    pub target: Vec<TargetArg>,

    /// Only this character; may be given several times.
    #[arg(long, value_name = "CHARACTER")]
    pub only: Vec<String>,

    /// Threads; one per core if not given. The result is the same for any number.
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<std::num::NonZeroUsize>,

    /// Build nothing; exit with 1 if something is out of date.
    #[arg(long)]
    pub check: bool,

    /// Print one command per character, with its inputs and outputs, as JSON lines, and build nothing.
    #[arg(long, conflicts_with_all = ["check", "watch", "json"])]
    pub plan: bool,

    /// Build again whenever a source changes, until stopped.
    #[arg(long, conflicts_with = "check")]
    pub watch: bool,

    /// Machine-readable output.
    #[arg(long)]
    pub json: bool,
}

/// What characters are compiled to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TargetArg {
    /// A bundle for this library.
    Sinew,
    /// Binary glTF, for other programs.
    Glb,
}

impl From<TargetArg> for sinew_build::project::Target {
    fn from(target: TargetArg) -> Self {
        match target {
            TargetArg::Sinew => Self::Sinew,
            TargetArg::Glb => Self::Glb,
        }
    }
}

/// `sinew convert`
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  sinew convert hero.fbx idle.fbx walk.fbx -o hero.glb
  sinew convert hero.fbx idle.fbx walk.fbx -o hero.sinew")]
pub struct ConvertArgs {
    #[command(flatten)]
    pub sources: SourceArgs,

    /// The file to write: .glb or .sinew.
    #[arg(long, short, value_name = "OUT")]
    pub output: PathBuf,

    /// Machine-readable output.
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub import: ImportArgs,
}

/// `sinew verify`
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  sinew verify hero.sinew
  sinew verify hero.sinew hero.fbx idle.fbx walk.fbx")]
pub struct VerifyArgs {
    /// The compiled character.
    #[arg(value_name = "BUNDLE")]
    pub bundle: PathBuf,

    /// The files that it was made from, in any order.
    #[arg(value_name = "SOURCE")]
    pub sources: Vec<PathBuf>,

    /// Machine-readable output.
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub import: ImportArgs,
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

#[cfg(feature = "render")]
fn parse_fps(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(fps) if (0.1..=1000.0).contains(&fps) => Ok(fps),
        _ => Err("a number of frames a second from 0.1 to 1000, as in 25".to_owned()),
    }
}

#[cfg(feature = "render")]
fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let side = |text: &str| text.trim().parse::<u32>().ok().filter(|side| (1..=8192).contains(side));
    text.split_once(['x', 'X', '×'])
        .and_then(|(width, height)| Some((side(width)?, side(height)?)))
        .ok_or_else(|| "width and height in pixels, from 1 to 8192, as in 640x480".to_owned())
}

fn parse_tolerance(text: &str) -> Result<f32, String> {
    match text.trim().parse::<f32>() {
        Ok(tolerance) if tolerance >= 0.0 && tolerance.is_finite() => Ok(tolerance),
        _ => Err("a number of millimetres, as in 0.5".to_owned()),
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
        .map_err(|known| sinew_build::choose::did_you_mean(name, known.iter().copied()))?;
    Ok((name.to_owned(), value))
}
