//! The demo scenes without a window: a picture of the moment that is asked for, and clear words for what cannot be done.

#![cfg(feature = "render")]

mod common;

use sinew_render::Picture;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The program of a scene: cargo builds examples beside the binary of the command.
fn scene(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_BIN_EXE_sinew")).with_file_name("examples");
    folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

fn run(name: &str, arguments: &[&str]) -> Output {
    let program = scene(name);
    let started =
        Command::new(&program).args(arguments).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").output();
    started.unwrap_or_else(|error| {
        panic!("{}: {error}; build it with `cargo build --examples`", program.display())
    })
}

fn shot(name: &str, seconds: &str) -> Picture {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shot.png");
    let output = run(name, &["--shot", path.to_str().unwrap(), "--at", seconds, "--size", "160x90"]);
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    common::picture(&path)
}

#[test]
fn scenes_are_shot_without_a_window() {
    if !common::can_draw("scenes_are_shot_without_a_window") {
        return;
    }
    // Before and after something happens: the bite, the first steps, the chase, other steps, the wave, the stairs.
    for (name, before, after) in [
        ("battle", "0.5", "1.3"),
        ("overworld", "0.3", "2"),
        ("arena", "0", "5"),
        ("blend_space", "0.1", "0.5"),
        ("layers", "0.1", "1.2"),
        ("stairs", "0.3", "3"),
    ] {
        let (first, again, later) = (shot(name, before), shot(name, before), shot(name, after));
        assert_eq!(first.size(), (160, 90));
        assert_eq!(first.mean_difference(&again), 0.0, "{name}: a moment looks the same every time");
        assert!(first.mean_difference(&later) > 1.0, "{name}: something happens");
    }
}

#[test]
fn a_film_shows_a_part_of_a_scene() {
    if !common::can_draw("a_film_shows_a_part_of_a_scene") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("film.gif");
    let file = path.to_str().unwrap();
    let output = run("layers", &["--film", file, "--from", "0.5", "--at", "0.7", "--size", "48x32"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut film = gif::DecodeOptions::new().read_info(std::fs::File::open(&path).unwrap()).unwrap();
    let mut frames = 0;
    while film.read_next_frame().unwrap().is_some() {
        frames += 1;
    }
    assert_eq!((film.width(), film.height(), frames), (48, 32, 3));
}

#[test]
fn what_a_scene_cannot_do_is_told() {
    for (arguments, says) in [
        (&["--at", "soon"][..], "--at soon: expected seconds from 0 to 600"),
        (&["--at", "1e9"], "from 0 to 600"),
        (&["--size", "0x0"], "as in 960x540"),
        (&["--crowd", "many"], "--crowd many: expected a number from 1 to 10000"),
        (&["--crowd", "9", "--shot", "a.png"], "--crowd: this scene has no room for spectators"),
        (&["--sho", "a.png"], "unknown option `--sho`"),
        (&["--shot"], "usage:"),
        (&["--shot", "a.gif"], "a.gif: the name of a shot must end in .png"),
        (&["--shot", "nowhere/a.png"], "nowhere/a.png"),
        (&["--film", "a.png"], "a.png: the name of a film must end in .gif"),
        (&["--film", "a.gif"], "--film: --at says when it ends"),
    ] {
        let output = run("battle", arguments);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {errors}");
        assert!(errors.contains(says), "{arguments:?}: {errors}");
    }
    // Without a display there is no window.
    if cfg!(target_os = "linux") {
        let output = run("battle", &[]);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{errors}");
        assert!(errors.contains("--shot"), "{errors}");
    }
}
