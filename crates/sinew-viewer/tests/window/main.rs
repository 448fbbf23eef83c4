//! The viewer in a real window on a virtual display: it opens, plays, handles input, and shows the same picture as off-screen rendering.

#![cfg(target_os = "linux")]
#![allow(clippy::print_stderr, reason = "a skipped test says so")]

mod display;
mod drop;
mod viewer;

use display::Display;
use serde_json::Value;
use sinew::{Image, Texture};
use sinew_render::{Gpu, Picture, Settings};
use sinew_testkit::humanoid;
use sinew_viewer::app::{Action, App, FRAME, Files, News, Sources};
use sinew_viewer::viewport::Viewport;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use viewer::{PATIENCE, SIZE, Viewer};

/// A folder with the demo character, and the paths of its files.
fn hero() -> (tempfile::TempDir, Vec<PathBuf>) {
    let folder = tempfile::tempdir().expect("a folder");
    humanoid::write_to(folder.path()).expect("files are written");
    let files = ["hero.fbx", "idle.fbx", "walk.fbx"].map(|name| folder.path().join(name));
    (folder, files.to_vec())
}

/// The app without a window: a clip paused at a frame, in a view of the same size.
fn app(files: &[PathBuf], clip: usize, frames: i32, view: &Value) -> App {
    let files = Files { character: files[0].clone(), animations: files[1..].to_vec(), ..Files::default() };
    let sources = Sources::read(&files, &Default::default()).expect("the files are read");
    let mut app = App::default();
    app.receive(News::Read(Box::new(sources.document().expect("the clips are merged"))));
    let number = |i: usize| view["view"][i].as_f64().expect("a number") as f32;
    app.set_view_size(number(2), number(3));
    app.apply(Action::Clip(clip));
    app.apply(Action::ToStart);
    app.apply(Action::Step(frames));
    app
}

/// The picture that the window must show.
fn expected(files: &[PathBuf], clip: usize, frames: i32, view: &Value) -> Picture {
    let app = app(files, clip, frames, view);
    let gpu = Gpu::open().expect("a driver");
    let mut viewport = Viewport::new(&gpu, Settings::default()).expect("a viewport");
    let pixels = |i: usize| view["pixels"][i].as_u64().expect("a number") as u32;
    let mut target = viewport.renderer().offscreen_target(pixels(0), pixels(1)).expect("a target");
    viewport.shoot(&app, &mut target, 1.0).expect("a picture")
}

/// Takes screenshots until one matches.
fn wait_for_picture(display: &Display, view: &Value, wanted: &Picture) -> Result<Picture, Picture> {
    let deadline = Instant::now() + PATIENCE;
    let number = |i: usize| view["view"][i].as_f64().expect("a number").round() as i16;
    loop {
        let seen = display.picture((number(0), number(1)), (wanted.width() as u16, wanted.height() as u16));
        // Drivers and texture formats round differently.
        if seen.mean_difference(wanted) < 1.0 && seen.differing(wanted, 40) < 0.005 {
            return Ok(seen);
        }
        if Instant::now() > deadline {
            return Err(seen);
        }
    }
}

fn keep(picture: &Picture, name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    sinew_render::write_png(&path, picture).expect("the picture is written");
    path
}

#[test]
fn it_opens_plays_and_a_key_switches_the_clip() {
    let Some(display) = Display::open("it_opens_plays_and_a_key_switches_the_clip", (1024, 700)) else {
        return;
    };
    let (_folder, files) = hero();
    let viewer = Viewer::open(&display, &files, &[]);
    viewer.wait_for("opened");
    let read = viewer.wait_for("read");
    assert_eq!(read["clips"], serde_json::json!(["idle", "walk"]));

    let first = viewer.wait("it plays", |line| line["event"] == "drawn" && line["playing"] == true);
    assert_eq!(first["clip"], "idle");
    let later = |line: &Value| line["event"] == "drawn" && line["time"].as_f64() > first["time"].as_f64();
    viewer.wait("time goes on", later);
    viewer.wait_until("examined");

    let window = display.window();
    display.focus(window);
    display.press("Down");
    viewer
        .wait("the next clip fades in", |line| line["clip"] == "walk" && line["weight"].as_f64() < Some(1.0));
    viewer.wait("it has faded in", |line| line["clip"] == "walk" && line["weight"].as_f64() == Some(1.0));

    // Paused at a known frame, the window shows the same picture as off-screen rendering.
    display.press("Home");
    viewer.wait("the first frame", |line| line["event"] == "drawn" && line["time"].as_f64() < Some(FRAME));
    display.press("Right");
    let paused = viewer.wait("it is paused", |line| line["event"] == "drawn" && line["playing"] == false);
    let frames = (paused["time"].as_f64().unwrap() / FRAME).round() as i32;
    let wanted = expected(&files, 1, frames, &paused);
    if let Err(seen) = wait_for_picture(&display, &paused, &wanted) {
        let path = keep(&wanted.compared(&seen), "window.png");
        panic!("the window shows something else: expected, seen, difference in {}", path.display());
    }
    keep(&display.picture((0, 0), SIZE), "screenshot.png");
}

#[test]
fn a_file_that_changes_is_read_again_and_a_broken_one_leaves_the_last() {
    let test = "a_file_that_changes_is_read_again_and_a_broken_one_leaves_the_last";
    let Some(display) = Display::open(test, (1024, 700)) else { return };
    let (folder, files) = hero();
    let viewer = Viewer::open(&display, &files[..2], &["--time", "0"]);
    viewer.wait_for("examined");
    std::fs::write(&files[1], "half a file").unwrap();
    let failed = viewer.wait_for("failed");
    assert!(failed["message"].as_str().unwrap().contains("idle.fbx"), "{failed}");
    std::fs::copy(folder.path().join("walk.fbx"), &files[1]).unwrap();
    viewer.wait_for("read");
    viewer.wait_for("examined");
}

#[test]
fn a_machine_runs_and_is_read_again_when_it_changes() {
    let test = "a_machine_runs_and_is_read_again_when_it_changes";
    let Some(display) = Display::open(test, (1024, 700)) else { return };
    let (folder, files) = hero();
    let machine = folder.path().join("hero.machine.toml");
    let text = |above: &str| {
        let states = "start = \"Stand\"\nstates.Stand.clip = \"idle\"\nstates.Move.clip = \"walk\"";
        let ways =
            format!("transitions = [{{ from = \"Stand\", to = \"Move\", when = \"speed > {above}\" }}]");
        format!("parameters.speed = 0.0\n[[layers]]\nname = \"body\"\n{states}\n{ways}\n")
    };
    std::fs::write(&machine, text("2")).unwrap();
    let more = ["--machine", machine.to_str().unwrap(), "--set", "speed=1"];
    let viewer = Viewer::open(&display, &files, &more);
    viewer.wait("it stands", |line| line["states"] == serde_json::json!(["Stand"]));
    std::fs::write(&machine, text("soon")).unwrap();
    let refused = viewer.wait_for("no machine");
    assert!(refused["message"].as_str().unwrap().contains("line 7, column"), "{refused}");
    viewer.wait("it goes on", |line| line["states"] == serde_json::json!(["Stand"]));
    std::fs::write(&machine, text("0.5")).unwrap();
    viewer.wait("it moves", |line| line["states"] == serde_json::json!(["Move"]));
}

#[test]
fn a_target_is_dragged_and_the_view_stays() {
    let test = "a_target_is_dragged_and_the_view_stays";
    let Some(display) = Display::open(test, (1024, 700)) else { return };
    let (_folder, files) = hero();
    let viewer = Viewer::open(&display, &files[..2], &["--time", "0", "--ik", "left hand"]);
    viewer.wait_until("examined");
    display.focus(display.window());
    // The timeline grows by the lanes of the feet, and the view gets smaller: what counts is the picture that stays.
    let drawn = viewer.settled(|line| line["event"] == "drawn" && line["targets"][0].is_array());
    let number = |value: &Value| value.as_f64().unwrap() as f32;
    let target = |line: &Value| [0, 1, 2].map(|i| number(&line["targets"][0][i]));
    let [x, y] = [0, 1].map(|i| number(&drawn["targets_seen"][0][i]));
    let place = |more: f32| ((x + more).round() as i16, (y - more).round() as i16);
    display.drag(place(0.0), place(60.0));
    let moved = viewer
        .wait("it moves", |line| line["event"] == "drawn" && target(line)[1] > target(&drawn)[1] + 0.05);
    assert_eq!(moved["yaw"], drawn["yaw"], "the view does not turn");
}

#[test]
fn a_screenshot_is_written() {
    let Some(display) = Display::open("a_screenshot_is_written", (1024, 700)) else { return };
    let (folder, files) = hero();
    let path = folder.path().join("shot.png");
    let mut viewer = Viewer::open(&display, &files, &["--screenshot", path.to_str().unwrap()]);
    // The channel closes when the program ends.
    while viewer.lines.recv_timeout(PATIENCE).is_ok() {}
    assert!(viewer.process.wait().unwrap().success());
    let texture = Texture { image: Image::File(path), ..Texture::default() };
    let picture = sinew_image::decode(&texture).unwrap();
    assert_eq!(picture.size(), (SIZE.0.into(), SIZE.1.into()));
    let first = picture.pixel(0, 0);
    let drawn = picture.pixels().chunks_exact(4).filter(|pixel| **pixel != first).count();
    assert!(drawn > picture.pixels().len() / 4 / 2, "more than one colour is seen: {drawn} pixels");
}

#[test]
fn files_that_are_dropped_add_their_clips() {
    let Some(display) = Display::open("files_that_are_dropped_add_their_clips", (1024, 700)) else { return };
    let (folder, files) = hero();
    let viewer = Viewer::open(&display, &files[..2], &[]);
    viewer.wait_for("examined");
    drop::drop_files(&display, display.window(), &[folder.path().join("run.fbx"), files[2].clone()]);
    let all =
        |line: &Value| line["event"] == "read" && line["clips"].as_array().is_some_and(|c| c.len() == 3);
    let read = viewer.wait("all three clips", all);
    assert_eq!(read["clips"], serde_json::json!(["idle", "run", "walk"]));
    viewer.wait("what was dropped plays", |line| line["event"] == "drawn" && line["clip"] == "run");
}

#[test]
fn the_mouse_chooses_a_joint_and_turns_the_view() {
    let test = "the_mouse_chooses_a_joint_and_turns_the_view";
    let Some(display) = Display::open(test, (1024, 700)) else { return };
    let (_folder, files) = hero();
    let viewer = Viewer::open(&display, &files[..2], &["--time", "0"]);
    viewer.wait_until("examined");
    let drawn = viewer.wait("it is drawn", |line| line["event"] == "drawn");
    display.focus(display.window());

    // The app without a window gives the position of the head.
    let app = app(&files[..2], 0, 0, &drawn);
    let document = app.document().unwrap();
    let head = document.choose_joint("HeadTop_End").unwrap();
    let point = app.show().unwrap().model_matrices()[usize::from(head)].translation();
    let point = document.figure.upright.transform_point3(point);
    let number = |i: usize| drawn["view"][i].as_f64().unwrap();
    let (x, y) = app.orbit().camera().project(point, (number(2) as u32, number(3) as u32)).unwrap();
    let place =
        |x: f32, y: f32| ((number(0) as f32 + x).round() as i16, (number(1) as f32 + y).round() as i16);
    display.click(place(x, y));
    viewer.wait("the joint is chosen", |line| line["joint"] == u64::from(head));

    let yaw = |line: &Value| line["yaw"].as_f64();
    display.drag(place(60.0, 60.0), place(160.0, 60.0));
    viewer.wait("the view turns", |line| line["event"] == "drawn" && yaw(line) != yaw(&drawn));
    display.press("r");
    viewer.wait("and back", |line| line["event"] == "drawn" && yaw(line) == yaw(&drawn));
}

#[test]
fn keys_step_to_the_end_show_the_page_of_keys_and_light() {
    let test = "keys_step_to_the_end_show_the_page_of_keys_and_light";
    let Some(display) = Display::open(test, (1024, 700)) else { return };
    let (_folder, files) = hero();
    let viewer = Viewer::open(&display, &files[..2], &["--time", "0"]);
    viewer.wait_until("examined");
    display.focus(display.window());
    let at = |frames: f64| {
        move |line: &Value| line["time"].as_f64().is_some_and(|time| (time / FRAME - frames).abs() < 1e-4)
    };
    display.press("End");
    let last = viewer.wait("the last frame", |line| line["event"] == "drawn" && at(80.0)(line));
    assert_eq!(last["clip"], "idle");
    display.press("Left");
    viewer.wait("the frame before", at(79.0));
    display.press("Right");
    viewer.wait("the last again", at(80.0));
    display.press("Right");
    viewer.wait("and round to the first", at(0.0));
    display.press_shifted("/");
    viewer.wait("the page of keys", |line| line["help"] == true);
    display.press("Escape");
    viewer.wait("and none", |line| line["help"] == false);
    display.press("d");
    viewer.wait("light", |line| line["dark"] == false);
}

#[test]
fn a_screenshot_of_what_is_not_there_fails() {
    let Some(display) = Display::open("a_screenshot_of_what_is_not_there_fails", (1024, 700)) else { return };
    let (folder, files) = hero();
    let path = folder.path().join("shot.png");
    let output = Command::new(env!("CARGO_BIN_EXE_sinew-viewer"))
        .args(&files)
        .args(["--clip", "wlak", "--overlay", "weights:LeftAmr", "--screenshot"])
        .arg(&path)
        .env("DISPLAY", display.name())
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("`hero` has no clip `wlak`; did you mean `walk`?"), "{error}");
    assert!(error.contains("there is no joint `LeftAmr`; did you mean `mixamorig:LeftArm`?"), "{error}");
    assert!(path.exists(), "the picture shows what the window said");
}

#[test]
fn a_screenshot_is_not_written_over_a_source() {
    let Some(display) = Display::open("a_screenshot_is_not_written_over_a_source", (1024, 700)) else {
        return;
    };
    let (folder, files) = hero();
    let (path, before) = (folder.path().join("shot.png"), std::fs::read(&files[0]).unwrap());
    std::fs::hard_link(&files[0], &path).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_sinew-viewer"));
    command.args(&files).arg("--screenshot").arg(&path).env("DISPLAY", display.name());
    let output = command.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("would overwrite its own source"), "{error}");
    assert!(std::fs::read(&path).unwrap() == before);
}

/// Error output and exit code.
fn refused(display: Option<&str>, file: &str) -> (String, Option<i32>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sinew-viewer"));
    command.arg(file).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    if let Some(display) = display {
        command.env("DISPLAY", display);
    }
    let output = command.output().expect("the viewer starts");
    (String::from_utf8_lossy(&output.stderr).into_owned(), output.status.code())
}

#[test]
fn without_a_display_it_says_so() {
    let (_folder, files) = hero();
    let hero = files[0].to_str().unwrap();
    let (error, code) = refused(None, hero);
    assert!(error.contains("DISPLAY") && error.contains("sinew render"), "{error}");
    assert_eq!(code, Some(2));
    let (error, code) = refused(Some(":4242"), hero);
    assert!(error.starts_with("error: ") && !error.contains("panicked"), "{error}");
    assert_eq!(code, Some(2));
    let (error, code) = refused(None, "nowhere/hero.fbx");
    assert!(error.contains("nowhere/hero.fbx: there is no such file"), "{error}");
    assert_eq!(code, Some(2));
}
