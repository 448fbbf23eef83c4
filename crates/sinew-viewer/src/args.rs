//! What is written after `sinew-viewer`.

use clap::{Parser, ValueEnum};
use sinew_viewer::app::{Beginning, Files, Overlay};
use sinew_viewer::{Options, Theme};
use std::path::PathBuf;

/// Show a character and play its clips, in a window.
#[derive(Debug, Parser)]
#[command(name = "sinew-viewer", version)]
#[command(after_help = "\
Examples:
  sinew view hero.fbx
  sinew view hero.fbx idle.fbx walk.fbx run.fbx
  sinew view creature/ --clip Idle
  sinew view hero.fbx walk.fbx --overlay skeleton,weights:LeftArm
  sinew view hero.fbx walk.fbx wave.fbx --clip walk --layer wave:Spine
  sinew view hero.fbx walk.fbx run.fbx --blend walk,run
  sinew view hero.sinew --machine hero.machine.toml
  sinew view hero.glb --retarget dance.fbx

Press ? in the window for the keys. Drop further animation files on it; files that change are read again.")]
pub struct Args {
    /// The character: a file, a compiled `.sinew`, or a folder with a manifest. Without, the window waits for one to be dropped.
    #[arg(value_name = "CHARACTER")]
    character: Option<PathBuf>,

    /// Files whose clips are to play on it.
    #[arg(value_name = "ANIMATION")]
    animations: Vec<PathBuf>,

    /// The clip to begin with: its name, what it is for (Idle), or its number (#0).
    #[arg(long, value_name = "CLIP")]
    clip: Option<String>,

    /// Begin paused at a time of the clip, in seconds, or so long after a state machine has started.
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = parse_time)]
    time: Option<f64>,

    /// What is drawn on top at first, with commas between: skeleton, names, weights:JOINT, normals, bounds, ghost, trail, sockets.
    #[arg(long, value_name = "WHAT,…", value_delimiter = ',', value_parser = Overlay::parse)]
    overlay: Vec<(Overlay, Option<String>)>,

    /// The joint to begin with, by name.
    #[arg(long, value_name = "JOINT")]
    joint: Option<String>,

    /// Plays a clip on a layer over the others, everywhere or from a joint on; may be given several times.
    #[arg(long, value_name = "CLIP[:JOINT]", value_parser = parse_layer)]
    layer: Vec<(String, Option<String>)>,

    /// Plays a blend space of clips, placed on a line by how fast they go over the ground.
    #[arg(long, value_name = "CLIP,…", value_delimiter = ',', conflicts_with_all = ["clip", "machine"])]
    blend: Vec<String>,

    /// Lets a state machine decide what plays; it is read again when it changes.
    #[arg(long, value_name = "FILE.machine.toml")]
    machine: Option<PathBuf>,

    /// Sets a parameter of the state machine, or fires a trigger; may be given several times.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_setting, requires = "machine")]
    set: Vec<(String, String)>,

    /// Lets pass clips and joints that the state machine names and the character lacks.
    #[arg(long, requires = "machine")]
    gaps: bool,

    /// Begins with targets that can be dragged, for hands, feet and gaze, or for the limb that ends at a joint.
    #[arg(long, value_name = "WHAT,…", value_delimiter = ',')]
    ik: Vec<String>,

    /// Begins with placeholder props on joints, to find out where a socket should be.
    #[arg(long, value_name = "JOINT,…", value_delimiter = ',')]
    prop: Vec<String>,

    /// Plays the clips of another humanoid, retargeted, with that humanoid beside.
    #[arg(long, value_name = "SOURCE", requires = "character")]
    retarget: Option<PathBuf>,

    /// Dark or light; as the system is, if not given.
    #[arg(long, value_enum, value_name = "THEME", default_value_t = ThemeArg::Auto)]
    theme: ThemeArg,

    /// Size of the window.
    #[arg(long, value_name = "WxH", default_value = "1280x760", value_parser = parse_size)]
    size: (u32, u32),

    #[command(flatten)]
    import: sinew_import::Options,

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

fn parse_time(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(time) if time.is_finite() => Ok(time),
        _ => Err("a time is a number of seconds, as in 0.5".to_owned()),
    }
}

fn parse_layer(text: &str) -> Result<(String, Option<String>), String> {
    let (clip, joint) = text.split_once(':').map_or((text, None), |(clip, joint)| (clip, Some(joint)));
    match (clip.trim(), joint.map(str::trim)) {
        ("", _) | (_, Some("")) => Err("a layer is a clip, or a clip and a joint: wave:Spine".to_owned()),
        (clip, joint) => Ok((clip.to_owned(), joint.map(str::to_owned))),
    }
}

fn parse_setting(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    match name.trim() {
        "" => Err("a parameter is set as in speed=1.4, a trigger fired by its name".to_owned()),
        name => Ok((name.to_owned(), value.trim().to_owned())),
    }
}

fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let number = |part: &str| part.trim().parse::<u32>().ok().filter(|n| (64..=16_384).contains(n));
    text.split_once(['x', 'X', '×'])
        .and_then(|(width, height)| Some((number(width)?, number(height)?)))
        .ok_or_else(|| "a size is two numbers of pixels, as in 1280x760".to_owned())
}

impl Args {
    /// What the viewer begins with.
    pub fn options(self) -> Result<Options, String> {
        let joint = self.chosen_joint()?;
        let animations = self.animations;
        let mut options = Options::default();
        options.files = self.character.map(|character| Files {
            character,
            animations,
            retarget: self.retarget,
            machine: self.machine.clone(),
        });
        options.import = self.import;
        options.beginning = Beginning {
            clip: self.clip,
            time: self.time,
            overlays: self.overlay.into_iter().map(|(overlay, _)| overlay).collect(),
            joint,
            layers: self.layer,
            blend: self.blend,
            parameters: self.set,
            gaps: self.gaps,
            machine: self.machine.is_some(),
            targets: self.ik,
            props: self.prop,
        };
        options.theme = match self.theme {
            ThemeArg::Auto => Theme::Auto,
            ThemeArg::Dark => Theme::Dark,
            ThemeArg::Light => Theme::Light,
        };
        options.size = self.size;
        options.report = self.report;
        options.screenshot = self.screenshot;
        Ok(options)
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

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_import::{EulerUnit, InfluenceLimit, Resample, SpaceMode};

    fn options(arguments: &[&str]) -> Result<Options, String> {
        let args = Args::try_parse_from([&["sinew-viewer", "hero.fbx"], arguments].concat());
        args.map_err(|error| error.to_string()).and_then(Args::options)
    }

    #[test]
    fn weights_choose_their_joint() {
        let beginning = options(&["--overlay", "skeleton,weights:Hips"]).unwrap().beginning;
        assert_eq!(beginning.overlays, [Overlay::Skeleton, Overlay::Weights]);
        assert_eq!(beginning.joint.as_deref(), Some("Hips"));
        let both = options(&["--overlay", "weights", "--joint", "Hips"]).unwrap().beginning;
        assert_eq!(both.joint.as_deref(), Some("Hips"));
        assert!(options(&["--overlay", "weights"]).unwrap_err().contains("weights:JOINT"));
        assert!(
            options(&["--overlay", "weights:Head", "--joint", "Hips"]).unwrap_err().contains("one joint")
        );
    }

    #[test]
    fn the_manual_has_all_options() {
        use clap::CommandFactory;
        let manual = include_str!("../../../docs/viewer.md");
        for option in Args::command().get_arguments().filter_map(|argument| argument.get_long()) {
            assert!(manual.contains(&format!("`--{option}")), "docs/viewer.md lacks --{option}");
        }
    }

    #[test]
    fn what_is_misspelt_is_told_with_what_may_be_meant() {
        for (arguments, hint) in [
            (["--overlay", "skelton"], "did you mean `skeleton`?"),
            (["--limit", "joint=3"], "did you mean `joints`?"),
            (["--size", "big"], "1280x760"),
            (["--time", "nan"], "as in 0.5"),
            (["--time", "inf"], "as in 0.5"),
        ] {
            let error = options(&arguments).unwrap_err();
            assert!(error.contains(hint), "{error}");
        }
    }

    #[test]
    fn motion_is_asked_for() {
        let beginning =
            options(&["--layer", "wave:Spine", "--layer", "nod", "--ik", "gaze,LeftHand"]).unwrap();
        let (layers, targets) = (beginning.beginning.layers, beginning.beginning.targets);
        assert_eq!(layers, [("wave".to_owned(), Some("Spine".to_owned())), ("nod".to_owned(), None)]);
        assert_eq!(targets, ["gaze", "LeftHand"]);
        let machine = options(&["--machine", "m.toml", "--set", "speed=1.4", "--set", "jump"]).unwrap();
        let set = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(machine.beginning.parameters, [set("speed", "1.4"), set("jump", "")]);
        assert_eq!(machine.files.unwrap().machine, Some("m.toml".into()));
        for wrong in [["--layer", ":Spine"], ["--layer", "wave:"], ["--set", "speed=1"]] {
            assert!(options(&wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn sizes_are_written_in_several_ways() {
        for size in ["800x600", "800X600", "800×600"] {
            assert_eq!(options(&["--size", size]).unwrap().size, (800, 600));
        }
        assert_eq!(options(&["--time", "0.25"]).unwrap().beginning.time, Some(0.25));
    }

    #[test]
    fn files_are_read_as_asked() {
        let arguments = "--influences 8 --euler-unit radians --limit joints=7 --space keep --resample keys --textures art";
        let import = options(&arguments.split(' ').collect::<Vec<_>>()).unwrap().import;
        let expected = sinew_import::Options::default().with(|expected| {
            expected.influences = InfluenceLimit::Eight;
            expected.euler_unit = EulerUnit::Radians;
            expected.limits.joints = 7;
            expected.space = SpaceMode::Keep;
            expected.resample = Resample::Keys;
            expected.textures = vec!["art".into()];
        });
        assert_eq!(import, expected);
        assert_eq!(options(&[]).unwrap().import, sinew_import::Options::default());
    }
}
