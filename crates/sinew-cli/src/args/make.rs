//! Arguments of the commands that write files for games: `manifest`, `init`, `build`, `convert`, `map`, `retarget` and `verify`.

use super::parse::parse_jobs;
use super::{ClapArgs, CommonArgs, SourceArgs, ValueEnum};
use sinew_compress::Profile;
use std::path::PathBuf;

/// `sinew manifest`
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  sinew manifest creature/                    write or repair creature/manifest.json
  sinew manifest creature/ --dry-run          show what would be changed
  sinew manifest models/                      every folder with a model below, each with its own manifest
  sinew manifest creature/ --tags creature    tags of the creature table")]
pub struct ManifestArgs {
    /// The folder, its manifest, or a tree of such folders.
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,

    /// Table that gives clips their tags; if not given, the one that agrees best with the existing tags.
    #[arg(long, value_name = "TABLE", value_parser = ["overworld", "creature"])]
    pub tags: Option<String>,

    /// Show what would be changed, and write nothing.
    #[arg(long)]
    pub dry_run: bool,

    #[command(flatten)]
    pub common: CommonArgs,
}

/// `sinew init`
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  sinew init downloads
  sinew init downloads --dry-run              only shows what it would write
  sinew init downloads --character x-bot.fbx  says which file is the character
  sinew init . --force                        overwrites a file that was edited")]
pub struct InitArgs {
    /// The folder.
    #[arg(value_name = "FOLDER", default_value = ".")]
    pub folder: PathBuf,

    /// This file is a character, whatever its takes and its name suggest; may be given several times.
    #[arg(long, value_name = "FILE")]
    pub character: Vec<PathBuf>,

    /// Overwrite a sinew.toml that `sinew init` did not write, or that was edited since.
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
  sinew build --strict                        1 if there are warnings
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
    #[arg(long, short, value_name = "N", value_parser = parse_jobs)]
    pub jobs: Option<std::num::NonZeroUsize>,

    /// Build nothing; exit with 1 if something is out of date.
    #[arg(long)]
    pub check: bool,

    /// Exit with 1 if there are warnings, also of characters that are up to date.
    #[arg(long)]
    pub strict: bool,

    /// Remove compiled files of this project that it no longer makes.
    #[arg(long, conflicts_with = "check")]
    pub clean: bool,

    /// Print one command per character, with its inputs and outputs, as JSON lines, and build nothing.
    #[arg(long, conflicts_with_all = ["check", "watch", "json", "clean", "strict"])]
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
    /// BVH, for tools of motion capture.
    Bvh,
    /// VRM Animation, for any VRM.
    Vrma,
    /// XNB files for MonoGame, FNA and XNA.
    Monogame,
}

impl From<TargetArg> for sinew_build::project::Target {
    fn from(target: TargetArg) -> Self {
        match target {
            TargetArg::Sinew => Self::Sinew,
            TargetArg::Glb => Self::Glb,
            TargetArg::Bvh => Self::Bvh,
            TargetArg::Vrma => Self::Vrma,
            TargetArg::Monogame => Self::MonoGame,
        }
    }
}

/// `sinew convert`
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  sinew convert hero.fbx idle.fbx walk.fbx -o hero.glb
  sinew convert hero.fbx idle.fbx walk.fbx -o hero.sinew
  sinew convert hero.fbx idle.fbx walk.fbx -o Content/hero.xnb
  sinew convert dance.fbx -o dance.bvh           joints and motion alone
  sinew convert hero.vrm dance.fbx -o dance.vrma")]
pub struct ConvertArgs {
    #[command(flatten)]
    pub sources: SourceArgs,

    /// The file to write: .glb, .sinew or .xnb, with textures beside it; .bvh or .vrma, for motion alone.
    #[arg(long, short, value_name = "OUT")]
    pub output: PathBuf,

    /// How far compiled clips of a .sinew file may be off: strict, balanced (the default) or small; off keeps the keys.
    #[arg(long, value_name = "PROFILE", value_parser = compression)]
    pub compress: Option<Compression>,

    #[command(flatten)]
    pub common: CommonArgs,
}

/// What becomes of clips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Their keys are kept.
    Off,
    /// They are compiled.
    Profile(Profile),
}

fn compression(name: &str) -> Result<Compression, String> {
    if name == "off" {
        return Ok(Compression::Off);
    }
    let known = Profile::ALL.map(Profile::name);
    let found = Profile::ALL.into_iter().find(|profile| profile.name() == name);
    let unknown = || format!("there is no profile `{name}`; there are off, {}", known.join(", "));
    found.map(Compression::Profile).ok_or_else(unknown)
}

/// `sinew contacts`
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  sinew contacts hero.fbx idle.fbx walk.fbx run.fbx
  sinew contacts hero.fbx walk.fbx run.fbx -o hero.contacts.toml
  sinew contacts hero.glb --json")]
pub struct ContactsArgs {
    #[command(flatten)]
    pub sources: SourceArgs,

    /// The file to write; `sinew build` reads CHARACTER.contacts.toml beside the character. Without it nothing is written.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Overwrite a file that is there.
    #[arg(long, requires = "output")]
    pub force: bool,

    #[command(flatten)]
    pub common: CommonArgs,
}

/// `sinew map`
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  sinew map hero.fbx
  sinew map hero.fbx -o hero.map.toml         to edit, and for `sinew retarget --map`
  sinew map hero.fbx -o hero.svg              a picture of it
  sinew map hero.fbx --map hero.map.toml      with roles that a bone map lists")]
pub struct MapArgs {
    /// The character.
    #[arg(value_name = "CHARACTER")]
    pub character: PathBuf,

    /// The bone map to write; a picture of it if the name ends in .svg.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// A bone map with roles that are known: TOML.
    #[arg(long, value_name = "FILE")]
    pub map: Option<PathBuf>,

    #[command(flatten)]
    pub common: CommonArgs,
}

/// `sinew retarget`
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Examples:
  sinew retarget hero.glb dance.fbx -o hero_dance.glb
  sinew retarget hero.glb captures/ -o hero_captures.sinew
  sinew retarget hero.glb dance.fbx --lock-feet -o hero_dance.glb
  sinew retarget hero.glb dance.fbx --map dancer.map.toml -o hero_dance.glb")]
pub struct RetargetArgs {
    /// The character that is to play the clips.
    #[arg(value_name = "TARGET")]
    pub target: PathBuf,

    /// Files with clips of other humanoids, or folders of such files.
    #[arg(value_name = "SOURCE", required = true)]
    pub sources: Vec<PathBuf>,

    /// The file to write: .glb, .sinew or .xnb, with textures beside it.
    #[arg(long, short, value_name = "OUT")]
    pub output: PathBuf,

    /// A bone map of the sources: from their joints to roles, or to joints of the target.
    #[arg(long, value_name = "FILE")]
    pub map: Option<PathBuf>,

    /// Keep feet on the ground, without sliding, while those of the source stand.
    #[arg(long)]
    pub lock_feet: bool,

    /// Keep hands where those of the source are, at the scale of the legs, as far as the arms reach.
    #[arg(long)]
    pub keep_hands: bool,

    /// Threads; one per core if not given. The result is the same for any number.
    #[arg(long, short, value_name = "N", value_parser = parse_jobs)]
    pub jobs: Option<std::num::NonZeroUsize>,

    #[command(flatten)]
    pub common: CommonArgs,
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

    #[command(flatten)]
    pub common: CommonArgs,
}
