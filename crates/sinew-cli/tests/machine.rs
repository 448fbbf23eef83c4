//! `sinew graph` and `sinew play`: pictures of machines, and traces that replay to the same poses.

mod common;

use common::{sinew, text};
use serde_json::{Value, json};
use sinew::Transform;
use sinew::machine::{Animator, Machine, MachinePlan};
use sinew_import::Options;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

const MACHINE: &str = "hero.machine.toml";
const FILES: [&str; 6] = ["hero.fbx", "idle.fbx", "walk.fbx", "run.fbx", "jump.fbx", "wave.fbx"];

const TEXT: &str = r#"
[parameters]
speed = 0.0
grounded = true
wave = { trigger = true, hold = 0.1 }

[[layers]]
name = "body"
start = "Idle"
[layers.states]
Idle = { clip = "Idle" }
Move = { by = "speed", points = [{ at = 1.4, clip = "Walk" }, { at = 3.5, clip = "Run" }], sync = "phase", root-motion = "extract" }
Jump = { clip = "Jump", loop = false }
[[layers.transitions]]
from = "any"
to = "Jump"
when = "not grounded"
kind = "inertial"
fade = 0.2
[[layers.transitions]]
from = "Jump"
to = "Idle"
when = "grounded"
after = 0.2
fade = 0.2
[[layers.transitions]]
from = "Idle"
to = "Move"
when = "speed > 0.2"
fade = 0.2
[[layers.transitions]]
from = "Move"
to = "Idle"
when = "speed <= 0.2"
fade = 0.3

[[layers]]
name = "arms"
start = "Off"
mask = ["Spine1"]
states.Off = {}
states.Wave = { clip = "Wave", loop = false }
transitions = [
    { from = "Off", to = "Wave", when = "wave", fade = 0.2 },
    { from = "Wave", to = "Off", after = 0.5, fade = 0.2 },
]
"#;

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    sinew_testkit::humanoid::write_to(folder.path()).unwrap();
    fs::write(folder.path().join(MACHINE), TEXT).unwrap();
    folder
}

fn play(folder: &Path, script: &Value) -> std::process::Output {
    fs::write(folder.join("trace.json"), script.to_string()).unwrap();
    let arguments = [&["play", MACHINE][..], &FILES, &["--script", "trace.json", "-o", "poses.json"]];
    sinew(folder, &arguments.concat())
}

/// Numbers that look random, the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

fn bits(value: &Value) -> Vec<u32> {
    value.as_array().unwrap().iter().map(|number| (number.as_f64().unwrap() as f32).to_bits()).collect()
}

#[test]
fn a_recorded_trace_replays_to_the_same_poses_bit_by_bit() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    let animations: Vec<_> = FILES[1..].iter().map(|name| path(name)).collect();
    let loaded = sinew_import::load_with(path("hero.fbx"), &animations, &Options::default()).unwrap();
    let character = Arc::new(loaded.character);
    let machine = Arc::new(Machine::from_toml(TEXT).unwrap());
    assert!(machine.findings().is_empty(), "{:?}", machine.findings());
    let plan = Arc::new(MachinePlan::new(machine, &character).unwrap());
    let mut game = Animator::new(character, plan).unwrap();

    // A game that plays for a while, with uneven frames, and records what it does.
    let mut dice = Dice(7);
    let (mut updates, mut poses, mut states) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..400 {
        let mut set = serde_json::Map::new();
        if dice.roll(9) == 0 {
            let speed = dice.roll(4000) as f32 / 997.0;
            game.set_number("speed", speed).unwrap();
            set.insert("speed".into(), json!(speed));
        }
        if dice.roll(25) == 0 {
            let grounded = dice.roll(3) > 0;
            game.set_bool("grounded", grounded).unwrap();
            set.insert("grounded".into(), json!(grounded));
        }
        if dice.roll(40) == 0 {
            game.fire("wave").unwrap();
            set.insert("wave".into(), json!(true));
        }
        let seconds = 1.0 / (37.0 + dice.roll(90) as f64);
        game.update(seconds).unwrap();
        updates.push(json!({ "set": set, "seconds": seconds }));
        let pose = game.instance().pose();
        poses.push((0..pose.len()).map(|joint| pose.get(joint)).collect::<Vec<Transform>>());
        states.push([game.state(0).to_owned(), game.state(1).to_owned()]);
    }
    for state in ["Idle", "Move", "Jump", "Wave"] {
        assert!(states.iter().flatten().any(|own| own == state), "the game came to {state}");
    }

    let output = play(folder.path(), &json!({ "schema": "sinew.trace/1", "updates": updates }));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let replayed: Value = serde_json::from_slice(&fs::read(path("poses.json")).unwrap()).unwrap();
    assert_eq!(replayed["schema"], "sinew.poses/1");
    let frames = replayed["frames"].as_array().unwrap();
    assert_eq!(frames.len(), poses.len());
    for (index, (frame, pose)) in frames.iter().zip(&poses).enumerate() {
        assert_eq!(frame["states"], json!(states[index]), "update {index}");
        for (joint, own) in pose.iter().enumerate() {
            let local = &frame["local"][joint];
            assert_eq!(bits(&local["t"]), own.translation.to_array().map(f32::to_bits), "{index} {joint}");
            assert_eq!(bits(&local["r"]), own.rotation.to_array().map(f32::to_bits), "{index} {joint}");
            assert_eq!(bits(&local["s"]), own.scale.to_array().map(f32::to_bits), "{index} {joint}");
        }
    }
    let moved = frames.iter().any(|frame| frame["root_delta"]["t"][2].as_f64().is_some_and(|z| z > 0.001));
    assert!(moved, "root motion is told");
}

#[test]
fn what_is_wrong_with_a_script_or_a_machine_is_told() {
    let folder = folder();
    for (script, says) in [
        (json!({}), "trace.json: missing field `updates`"),
        (
            json!({ "updates": [{ "seconds": 0.1, "set": { "sped": 1 } }] }),
            "trace.json: update 1: `sped`: there is no parameter `sped`; did you mean `speed`?",
        ),
        (
            json!({ "updates": [{ "seconds": 0.1, "set": { "speed": true } }] }),
            "`speed`: it is a number, which `true` is not",
        ),
        (
            json!({ "updates": [{ "seconds": 0.1, "set": { "speed": 1e300 } }] }),
            "`speed`: inf is not a finite number",
        ),
        (json!({ "updates": [{ "seconds": -1.0 }] }), "update 1: -1 seconds are not possible"),
        (json!({ "updates": [{ "seconds": 0.1, "times": 99_999 }] }), "99999 updates are too many"),
    ] {
        let output = play(folder.path(), &script);
        assert_eq!(output.status.code(), Some(2), "{script}");
        assert!(text(&output.stderr).contains(says), "{}", text(&output.stderr));
    }
    fs::write(folder.path().join(MACHINE), TEXT.replace("\"Wave\", loop", "\"Wafe\", loop")).unwrap();
    let output = play(folder.path(), &json!({ "updates": [{ "seconds": 0.1 }] }));
    let errors = text(&output.stderr);
    for says in [
        "hero.machine.toml: line 42, column 25: layer `arms`, state `Wave`: ",
        "has no clip `Wafe`; did you mean `",
    ] {
        assert!(errors.contains(says), "{errors}");
    }
    let output = sinew(folder.path(), &["graph", MACHINE, "-o", "a.png"]);
    assert!(text(&output.stderr).contains("write .svg"), "{}", text(&output.stderr));
}

#[test]
fn a_machine_is_drawn_and_its_findings_are_told() {
    let folder = folder();
    fs::write(
        folder.path().join(MACHINE),
        TEXT.replace("states.Off = {}", "states.Off = {}\nstates.Lost = {}"),
    )
    .unwrap();
    for (name, begins) in [("graph.svg", "<svg "), ("graph.dot", "digraph ")] {
        let output = sinew(folder.path(), &["graph", MACHINE, "-o", name]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains("machine.unreachable-state"), "{}", text(&output.stdout));
        let picture = fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(picture.starts_with(begins) && picture.contains("speed"), "{name}");
    }
}

/// `SINEW_BLESS=1` draws it anew.
#[test]
fn the_picture_of_the_page_is_that_of_its_machine() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let page = fs::read_to_string(docs.join("machines.md")).unwrap();
    let text = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let machine = Machine::from_toml(text).unwrap();
    assert!(machine.findings().is_empty(), "{:?}", machine.findings());
    let drawn = sinew_examine::graph::svg(&machine);
    let picture = docs.join("images/machine.svg");
    if std::env::var_os("SINEW_BLESS").is_some_and(|value| value == "1") {
        fs::write(&picture, &drawn).unwrap();
    }
    assert_eq!(fs::read_to_string(&picture).unwrap_or_default(), drawn, "draw it anew with SINEW_BLESS=1");
}

#[test]
fn machines_and_traces_are_never_outputs() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("machine.dot"), TEXT).unwrap();
    let drawn = sinew(folder.path(), &["graph", "machine.dot", "-o", "machine.dot"]);
    assert_eq!(drawn.status.code(), Some(2));
    assert!(text(&drawn.stderr).contains("would overwrite its own source"), "{}", text(&drawn.stderr));
    assert_eq!(fs::read_to_string(at("machine.dot")).unwrap(), TEXT);
    // The script of `play`, whose poses are JSON too, and the machine by a link.
    sinew_testkit::humanoid::write_to(folder.path()).unwrap();
    let trace = r#"{ "updates": [{ "seconds": 0.1 }] }"#;
    fs::write(at("trace.json"), trace).unwrap();
    fs::hard_link(at("machine.dot"), at("poses.json")).unwrap();
    for output in ["trace.json", "poses.json"] {
        let arguments = [&["play", "machine.dot"][..], &FILES, &["--script", "trace.json", "-o", output]];
        let played = sinew(folder.path(), &arguments.concat());
        assert_eq!(played.status.code(), Some(2), "{output}");
        assert!(text(&played.stderr).contains("would overwrite its own source"), "{}", text(&played.stderr));
    }
    assert_eq!(fs::read_to_string(at("trace.json")).unwrap(), trace);
    assert_eq!(fs::read_to_string(at("machine.dot")).unwrap(), TEXT);
}

/// Reading from a pipe that nobody writes to would wait for ever.
#[test]
#[cfg(unix)]
fn a_machine_is_a_regular_file() {
    let folder = tempfile::tempdir().unwrap();
    let made = std::process::Command::new("mkfifo").arg(folder.path().join("pipe.toml")).status();
    assert!(made.unwrap().success());
    let drawn = sinew(folder.path(), &["graph", "pipe.toml", "-o", "machine.svg"]);
    assert_eq!(drawn.status.code(), Some(2));
    assert!(text(&drawn.stderr).contains("FIFO"), "{}", text(&drawn.stderr));
}
