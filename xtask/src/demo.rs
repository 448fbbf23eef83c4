//! `cargo xtask demo`: makes two characters and their animations, examines and compiles them, plays a clip, and shows them: in the viewer's
//! window, or as pictures where there is no display.

use crate::{run, setup};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

/// The folder of the demo's files.
const FOLDER: &str = "target/demo";
/// The folder of the pictures in README and docs.
const PAGES: &str = "docs/images";
/// The largest size of such a picture in bytes.
const LARGEST: u64 = 300_000;
const MOTIONS: [&str; 7] = ["idle", "walk", "run", "jump", "land", "bash", "wave"];

pub(crate) fn run() -> ExitCode {
    finish(setup::ensure("demo").and_then(|()| {
        let programs = Programs::build()?;
        let (sinew, demo) = (&programs.sinew, &programs.demo);
        let (sources, bundle) = (hero(), format!("{FOLDER}/build/hero.sinew"));
        let sources = strs(&sources);
        step("Write a character and its animations", demo, &["write", FOLDER])?;
        step("Examine it", sinew, &[&["doctor"], &sources[..]].concat())?;
        step("Write a project file for its folder", sinew, &["init", FOLDER])?;
        step("Compile it into one file", sinew, &["build", FOLDER])?;
        step("Compare the file with its sources", sinew, &[&["verify", &bundle], &sources[..]].concat())?;
        step("Play it as a game does", demo, &["play", FOLDER])?;
        if has_display() { view() } else { draw(&programs, FOLDER, &LARGE) }
    }))
}

/// `cargo xtask images`: draws the pictures of README and docs again.
pub(crate) fn images() -> ExitCode {
    finish(setup::ensure("images").and_then(|()| {
        let programs = Programs::build()?;
        step("Write the characters", &programs.demo, &["write", FOLDER])?;
        draw(&programs, PAGES, &SMALL)?;
        if cfg!(target_os = "linux") {
            draw_viewer()?;
        } else {
            println!("viewer.png is not drawn: that needs Xvfb, a virtual display for Linux.");
        }
        check_sizes()
    }))
}

/// Screenshots of the viewer: name, what is shown of the humanoid, size of the window.
const SHOTS: [(&str, &str, &str); 3] = [
    ("viewer", "--clip walk --time 0.2 --overlay skeleton --joint LeftArm", "1080x640"),
    (
        "viewer-machine",
        "--machine target/demo/hero.machine.toml --set speed=2.2 --time 0.6 --ik gaze",
        "1080x720",
    ),
    ("viewer-retarget", "--retarget target/demo/run.fbx --clip run --time 0.3", "1080x640"),
];
/// The state machine of docs/machines.md.
const MACHINE: &str = "target/demo/hero.machine.toml";

/// Writes the machine of the page about machines into a file.
fn write_machine() -> Result<(), String> {
    let page = include_str!("../../docs/machines.md");
    let block = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    let block = block.ok_or("docs/machines.md shows no machine")?;
    std::fs::write(run::root().join(MACHINE), block).map_err(|error| format!("{MACHINE}: {error}"))
}

/// Takes screenshots of the viewer on a virtual display (Xvfb).
fn draw_viewer() -> Result<(), String> {
    println!("\n== The viewer");
    done(&mut run::cargo(&["build", "--release", "--package", "sinew-viewer", "--bin", "sinew-viewer"]))?;
    let mut server = Command::new("Xvfb")
        .args(["-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp", "-noreset"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("Xvfb did not start: {error}"))?;
    // Xvfb writes the number of its display when it is ready for connections.
    let mut number = String::new();
    let told = server.stdout.take().map(|out| BufReader::new(out).read_line(&mut number));
    let shoot = |(name, what, size): &(&str, &str, &str)| {
        let path = format!("{PAGES}/{name}.png");
        let shown = done(
            Command::new(release_folder().join(program("sinew-viewer")))
                .args(hero().into_iter().filter(|file| !what.contains(file.as_str())))
                .args(what.split(' '))
                .args(["--theme", "dark", "--size", size, "--screenshot", &path])
                .env("DISPLAY", format!(":{}", number.trim()))
                .env_remove("WAYLAND_DISPLAY")
                .current_dir(run::root()),
        );
        shown.inspect(|()| println!("{path}"))
    };
    let shown = match told {
        Some(Ok(1..)) => write_machine().and_then(|()| SHOTS.iter().try_for_each(shoot)),
        _ => Err("Xvfb did not print the number of its display".to_owned()),
    };
    // The server was started above and has no other client.
    let _ = server.kill();
    let _ = server.wait();
    shown
}

/// Fails if a picture is larger than a page should load.
fn check_sizes() -> Result<(), String> {
    let files = std::fs::read_dir(run::root().join(PAGES)).map_err(|error| format!("{PAGES}: {error}"))?;
    let sizes = files.flatten().map(|file| (file.path(), file.metadata().map_or(0, |about| about.len())));
    match sizes.into_iter().find(|(_, size)| *size > LARGEST) {
        Some((path, size)) => Err(format!("{}: {size} bytes, more than {LARGEST}", path.display())),
        None => Ok(()),
    }
}

fn finish(done: Result<(), String>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

/// The programs that the demo runs.
struct Programs {
    sinew: PathBuf,
    demo: PathBuf,
    scenes: PathBuf,
}

impl Programs {
    /// Builds all in one call: with one call each, cargo would select other features and build shared dependencies twice.
    fn build() -> Result<Self, String> {
        println!("Building (a few minutes the first time)");
        let arguments = ["build", "--release", "--package", "sinew-cli", "--bin", "sinew", "--examples"];
        done(&mut run::cargo(&arguments))?;
        let release = release_folder();
        let scenes = release.join("examples");
        Ok(Self { sinew: release.join(program("sinew")), demo: scenes.join(program("demo")), scenes })
    }

    fn scene(&self, name: &str) -> PathBuf {
        self.scenes.join(program(name))
    }
}

/// The folder of programs built with `--release`.
fn release_folder() -> PathBuf {
    run::target().join("release")
}

fn program(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

/// Sizes of pictures.
struct Sizes {
    cell: &'static str,
    frames: &'static str,
    gif: &'static str,
    fps: &'static str,
    scene: &'static str,
}

const LARGE: Sizes = Sizes { cell: "160x160", frames: "8", gif: "320x320", fps: "25", scene: "960x540" };
/// Scenes as animations: scene, file, from when until when, and size if another than usual. Whole cycles, so that they loop.
const FILMS: [(&str, &str, &str, &str, Option<&str>); 6] = [
    ("blend_space", "blend-space", "1", "1.8667", Some("360x180")),
    ("layers", "layers", "2.1333", "4.2667", None),
    ("stairs", "stairs", "4.2667", "5.3333", None),
    ("retarget", "retarget-walk", "0", "1.0667", Some("288x192")),
    ("retarget", "retarget-run", "1.0667", "1.8", Some("288x192")),
    ("retarget", "retarget-wave", "1.8", "4.2667", Some("288x192")),
];
/// Small files, for README and docs.
const SMALL: Sizes = Sizes { cell: "104x104", frames: "7", gif: "192x192", fps: "15", scene: "720x405" };

/// Draws a sheet of all clips, animations, and the scenes.
fn draw(programs: &Programs, folder: &str, sizes: &Sizes) -> Result<(), String> {
    println!("\n== Pictures");
    std::fs::create_dir_all(run::root().join(folder)).map_err(|error| format!("{folder}: {error}"))?;
    let (hero, creature) = (hero(), format!("{FOLDER}/creature"));
    let hero = strs(&hero);
    let still = ["--sheet", "--frames", sizes.frames, "--size", sizes.cell];
    let moving = ["--size", sizes.gif, "--fps", sizes.fps];
    let renders: [(&str, &[&str], &[&str]); 3] = [
        ("hero-clips.png", &hero, &still),
        ("creature-idle.gif", &[&creature, "--clip", "Idle"], &moving),
        ("hero-walk.gif", &[&hero[..], &["--clip", "walk", "--camera", "50,10"]].concat(), &moving),
    ];
    let mut pictures = Vec::new();
    for (name, what, how) in renders {
        let path = format!("{folder}/{name}");
        call(&programs.sinew, &[&["render", "--in-place", "--quiet", "-o", &path], what, how].concat())?;
        pictures.push(path);
    }
    for (name, seconds) in [("battle", "6.35"), ("overworld", "1.6"), ("arena", "5")] {
        let path = format!("{folder}/{name}.png");
        call(&programs.scene(name), &["--shot", &path, "--at", seconds, "--size", sizes.scene])?;
        pictures.push(path);
    }
    for (scene, name, from, to, size) in FILMS {
        let path = format!("{folder}/{name}.gif");
        let size = size.unwrap_or(sizes.gif);
        call(&programs.scene(scene), &["--film", &path, "--from", from, "--at", to, "--size", size])?;
        pictures.push(path);
    }
    println!("\nWritten:");
    pictures.iter().for_each(|picture| println!("  {picture}"));
    Ok(())
}

/// Opens the viewer on the humanoid. Its crate is slow to build, so it is built only where there is a display.
fn view() -> Result<(), String> {
    println!(
        "\n== Open the viewer\nFor the other character: cargo run --release --package sinew-viewer -- {FOLDER}/creature"
    );
    let run = ["run", "--release", "--package", "sinew-viewer", "--"];
    done(&mut run::cargo(&[&run, &strs(&hero())[..]].concat()))
}

/// Whether the environment names a display to open windows on.
fn has_display() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(any(target_os = "linux", target_os = "freebsd")) || set("DISPLAY")
}

/// The humanoid's files.
fn hero() -> Vec<String> {
    let motions = MOTIONS.map(|name| format!("{FOLDER}/{name}.fbx"));
    std::iter::once(format!("{FOLDER}/hero.fbx")).chain(motions).collect()
}

fn strs(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

/// Runs a program as one step of the demo, under a title.
fn step(title: &str, program: &PathBuf, arguments: &[&str]) -> Result<(), String> {
    println!("\n== {title}");
    call(program, arguments)
}

fn call(program: &PathBuf, arguments: &[&str]) -> Result<(), String> {
    done(Command::new(program).args(arguments).current_dir(run::root()))
}

fn done(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("failed: {command:?}")),
        Err(error) => Err(format!("{command:?} did not start: {error}")),
    }
}
