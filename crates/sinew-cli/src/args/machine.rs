//! Arguments of the commands for state machines: `graph` and `play`.

use super::{ClapArgs, CommonArgs, SourceArgs};
use std::path::PathBuf;

/// `sinew graph`
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  sinew graph hero.machine.toml -o hero.svg
  sinew graph hero.machine.toml -o hero.dot   for Graphviz")]
pub struct GraphArgs {
    /// The state machine.
    #[arg(value_name = "MACHINE")]
    pub machine: PathBuf,

    /// The picture (.svg), or a file for Graphviz (.dot).
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,

    /// Machine-readable output.
    #[arg(long)]
    pub json: bool,
}

/// `sinew play`
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  sinew play hero.machine.toml hero.fbx walk.fbx --script trace.json -o poses.json
  sinew play hero.machine.toml hero.sinew --script trace.json -o hero.gif

A script lists updates: {\"updates\": [{\"set\": {\"speed\": 1.4}, \"seconds\": 0.02, \"times\": 50}, {\"set\": {\"jump\": true}, \"seconds\": 0.02}]}")]
pub struct PlayArgs {
    /// The state machine.
    #[arg(value_name = "MACHINE")]
    pub machine: PathBuf,

    #[command(flatten)]
    pub sources: SourceArgs,

    /// What a game sets before each update, and how long each is.
    #[arg(long, value_name = "TRACE")]
    pub script: PathBuf,

    /// Poses after each update (.json), or an animation (.gif, .apng).
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,

    /// Play on where the character lacks a clip or a joint that the machine names, and report it.
    #[arg(long)]
    pub gaps: bool,

    /// For an animation: frames a second [default: 25].
    #[cfg(feature = "render")]
    #[arg(long, value_name = "N", value_parser = super::parse::parse_fps)]
    pub fps: Option<f64>,

    /// For an animation: width and height in pixels [default: 640x480].
    #[cfg(feature = "render")]
    #[arg(long, value_name = "WxH", value_parser = super::parse::parse_size)]
    pub size: Option<(u32, u32)>,

    #[command(flatten)]
    pub common: CommonArgs,
}
