//! Arguments of the commands that show characters: `render`, `diff` and `view`.

#[cfg(feature = "render")]
use super::SourceArgs;
use super::parse::parse_tolerance;
#[cfg(feature = "render")]
use super::parse::{parse_fps, parse_size, parse_time};
use super::{ClapArgs, CommonArgs};
use std::path::PathBuf;

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

    /// The clip, by name, tag (as in Idle) or `#INDEX`; if not given, the first of the animation files, else the first that moves; on a sheet all.
    #[arg(long, value_name = "NAME|TAG|#INDEX")]
    pub clip: Option<String>,

    /// For a picture: seconds from the start of the clip [default: 0].
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = parse_time)]
    pub time: Option<f64>,

    /// For an animation: frames a second [default: 25].
    #[arg(long, value_name = "N", value_parser = parse_fps)]
    pub fps: Option<f64>,

    /// One page with a row of pictures for each clip.
    #[arg(long)]
    pub sheet: bool,

    /// For a sheet: pictures of each clip [default: 8].
    #[arg(long, value_name = "N", requires = "sheet", value_parser = clap::value_parser!(u16).range(1..=100))]
    pub frames: Option<u16>,

    /// Width and height in pixels [default: 640x480; of each picture on a sheet 160x160].
    #[arg(long, value_name = "WxH", value_parser = parse_size)]
    pub size: Option<(u32, u32)>,

    /// View: front, back, left (side), right, top, three-quarter, or yaw and pitch in degrees.
    #[arg(long, value_name = "VIEW|YAW,PITCH", default_value = "three-quarter", allow_hyphen_values = true)]
    pub camera: sinew_render::View,

    /// What is drawn on top, with commas between: skeleton, names, weights:JOINT, normals, bounds, ghost, trail, sockets.
    #[arg(long, value_name = "WHAT,…", default_value = "", hide_default_value = true)]
    pub overlay: String,

    /// Background colour: #rrggbb, white, black, grey, dark or transparent [default: a soft grey].
    #[arg(long, value_name = "COLOUR")]
    pub background: Option<sinew_render::Color>,

    /// Leave out ground, grid and shadow.
    #[arg(long)]
    pub no_ground: bool,

    /// Take the clip's travel out, so that it stays on the spot.
    #[arg(long)]
    pub in_place: bool,

    #[command(flatten)]
    pub common: CommonArgs,
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

    /// Millimetres that they may be apart [default: 0.1 for a character of 1.8 m, more for a larger one, and for compressed clips what their profile allows].
    #[arg(long, value_name = "MM", value_parser = parse_tolerance)]
    pub tolerance: Option<f32>,

    /// A picture (.png) of the distances: joints downward, time to the right.
    #[cfg(feature = "render")]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub common: CommonArgs,
}

/// `sinew view`: all arguments are passed to the viewer, a separate program with its own help.
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
