//! The command: output and exit codes for good and bad input.

mod common;

use common::{sinew, text};
use serde_json::Value;
use sinew_testkit::fixtures::{Fixture, doctor, quirks};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", text(&output.stdout)))
}

fn folder(fixture: &Fixture) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fixture.write_to(folder.path()).expect("files are written");
    folder
}

fn clean() -> TempDir {
    folder(&doctor::clean())
}

const BOTH: [&str; 2] = ["character.fbx", "clip.fbx"];

fn with<'a>(command: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&[command][..], &BOTH, more].concat()
}

#[test]
fn pose_keeps_to_its_schema() {
    let folder = clean();
    let output = sinew(
        folder.path(),
        &with("pose", &["--time", "0,0.25", "--time", "99", "--vertices", "5", "--json"]),
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    let pose = json(&output);
    assert_eq!(pose["schema"], "sinew.pose/1");
    assert_eq!(pose["space"]["mode"], "canonical");
    assert_eq!(pose["space"]["up"], "+Y");
    assert_eq!(pose["space"]["unit_meters"], 1.0);
    let joints = pose["joints"].as_array().unwrap();
    assert_eq!(joints[0]["parent"], -1);
    assert!(joints[0]["source"].is_u64() && joints[0]["name"].is_string());
    assert!(joints[0].get("helper").is_none(), "only helpers say so");
    assert_eq!(pose["clip"], 0);
    assert_eq!(pose["clips"][0]["name"], "sway");
    let duration = pose["clips"][0]["duration"].as_f64().unwrap();
    let samples = pose["samples"].as_array().unwrap();
    assert_eq!(samples.len(), 3);
    assert_eq!(samples[1]["time"], 0.25);
    assert_eq!(samples[2]["time"].as_f64().unwrap(), duration, "times are clamped");
    for sample in samples {
        assert_eq!(sample["local"].as_array().unwrap().len(), joints.len());
        assert_eq!(sample["local"][0]["r"].as_array().unwrap().len(), 4);
        assert_eq!(sample["model"].as_array().unwrap().len(), joints.len());
        assert_eq!(sample["model"][0].as_array().unwrap().len(), 16);
        assert_eq!(sample["meshes"][0]["positions"].as_array().unwrap().len(), 5);
    }
    let mesh = &pose["rest"]["meshes"][0];
    assert_eq!(mesh["ids"].as_array().unwrap().len(), 5);
    assert_eq!(mesh["positions"].as_array().unwrap().len(), 5);
    assert!(mesh["node"].is_i64());
}

#[test]
fn pose_without_times_or_clips() {
    let folder = clean();
    let pose = json(&sinew(folder.path(), &with("pose", &["--json"])));
    assert_eq!(pose["samples"].as_array().unwrap().len(), 0);
    let output = sinew(folder.path(), &["pose", "character.fbx", "--time", "0", "--json"]);
    assert!(output.status.success());
    let pose = json(&output);
    assert!(pose["clip"].is_null() && pose["clips"].as_array().unwrap().is_empty());
    assert!(text(&output.stderr).contains("no clip"), "it is not silent about it");
    let quiet = sinew(folder.path(), &["pose", "character.fbx", "--time", "0", "-q"]);
    assert!(quiet.stderr.is_empty() && !quiet.stdout.is_empty());
}

#[test]
fn pose_in_the_files_own_space() {
    let folder = clean();
    let scale = |space: &str| {
        let pose = json(&sinew(folder.path(), &with("pose", &["--json", "--space", space])));
        let height = pose["rest"]["model"].as_array().unwrap().iter().map(|m| m[13].as_f64().unwrap());
        (pose["space"]["unit_meters"].as_f64().unwrap(), height.fold(0.0, f64::max))
    };
    let (unit, height) = scale("keep");
    let (_, metres) = scale("canonical");
    assert!((unit - 0.01).abs() < 1e-6);
    assert!((height * unit - metres).abs() < 1e-4 * metres, "{height} · {unit} is not {metres}");
}

#[test]
fn clips_are_found_by_name_and_number() {
    let folder = folder(&quirks::several_takes());
    let pose =
        |clip: &str| sinew(folder.path(), &["pose", "character.fbx", "clip.fbx", "--clip", clip, "--json"]);
    let all = json(&pose("#1"));
    assert_eq!(all["clip"], 1);
    let name = all["clips"][1]["name"].as_str().unwrap();
    assert_eq!(json(&pose(name))["clip"], 1);
    let wrong = pose("#9");
    assert_eq!(wrong.status.code(), Some(2));
    let nearly = format!("{name}x");
    let wrong = text(&pose(&nearly).stderr);
    assert!(wrong.contains(&format!("did you mean `{name}`?")), "{wrong}");
}

#[test]
fn doctor_tells_good_from_bad_by_its_exit() {
    let good = clean();
    let output = sinew(good.path(), &with("doctor", &[]));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("Verdict: healthy"));

    let bad = folder(&doctor::channels_matched(0));
    let output = sinew(bad.path(), &with("doctor", &["--json"]));
    assert_eq!(output.status.code(), Some(1));
    let report = json(&output);
    assert_eq!(report["verdict"], "broken");
    assert_eq!(report["findings"][0]["id"], "clip.no-matching-joints");
    assert!(!report["findings"][0]["hint"].as_str().unwrap().is_empty());
    assert_eq!(report["matches"][0]["matched"], 0);
}

#[test]
fn inspect_shows_every_file_it_can_read() {
    let folder = clean();
    let output = sinew(folder.path(), &["inspect", "character.fbx", "nowhere.fbx", "clip.fbx"]);
    assert_eq!(output.status.code(), Some(2));
    let shown = text(&output.stdout);
    assert!(shown.contains("character.fbx") && shown.contains("clip.fbx") && shown.contains("Skeleton"));
    assert!(text(&output.stderr).contains("nowhere.fbx"));
    let all = json(&sinew(folder.path(), &["inspect", "character.fbx", "clip.fbx", "--json"]));
    assert_eq!(all["schema"], "sinew.inspect/1");
    assert_eq!(all["files"][1]["clips"][0]["name"], "sway");
    assert!(all["files"][0]["meshes"][0]["vertices"].as_u64().unwrap() > 0);
}

#[test]
fn errors_name_the_file_and_exit_with_two() {
    let folder = clean();
    std::fs::write(folder.path().join("notes.txt"), "hello").unwrap();
    std::fs::write(folder.path().join("cut.fbx"), &doctor::clean().file("character.fbx")[..2000]).unwrap();
    std::fs::write(folder.path().join("empty.fbx"), "").unwrap();
    for (file, says) in [("notes.txt", "format"), ("cut.fbx", ""), ("empty.fbx", ""), ("gone.fbx", "read")] {
        for command in ["inspect", "doctor", "pose"] {
            let output = sinew(folder.path(), &[command, file]);
            let errors = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{command} {file}: {errors}");
            assert!(
                errors.starts_with("error: ") && errors.contains(file) && errors.contains(says),
                "{errors}"
            );
            assert!(output.stdout.is_empty(), "nothing but results on stdout");
        }
    }
}

#[test]
fn wrong_usage_exits_with_two() {
    let folder = clean();
    for arguments in [
        &["dance"][..],
        &["pose"],
        &["pose", "character.fbx", "--time", "soon"],
        &["pose", "character.fbx", "--vertices", "-3"],
        &["pose", "character.fbx", "--influences", "5"],
        &["inspect", "character.fbx", "--limit", "bones=4"],
        &["inspect", "character.fbx", "--resample", "0"],
        &["explain", "clip.no-such-thing"],
    ] {
        let output = sinew(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
        assert!(!output.stderr.is_empty());
    }
}

#[test]
fn limits_are_kept() {
    let folder = clean();
    let output = sinew(folder.path(), &["inspect", "character.fbx", "--limit", "joints=3"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("`joints`"), "{}", text(&output.stderr));
}

#[test]
fn explain_knows_every_finding() {
    let folder = clean();
    let all = json(&sinew(folder.path(), &["explain", "--json"]));
    for kind in all.as_array().unwrap() {
        let output = sinew(folder.path(), &["explain", kind["id"].as_str().unwrap()]);
        assert!(output.status.success());
        assert!(text(&output.stdout).contains(kind["title"].as_str().unwrap()));
    }
    let wrong = text(&sinew(folder.path(), &["explain", "clip.no-matching-joint"]).stderr);
    assert!(wrong.contains("did you mean `clip.no-matching-joints`?"), "{wrong}");
}

#[test]
fn colours_only_where_they_are_wanted() {
    let folder = clean();
    let escapes =
        |arguments: &[&str]| sinew(folder.path(), &with("doctor", arguments)).stdout.contains(&0x1b);
    assert!(!escapes(&[]), "a pipe is no terminal");
    assert!(escapes(&["--color", "always"]));
    assert!(!escapes(&["--color", "never"]));
}

#[test]
fn bench_says_what_each_part_of_a_frame_costs() {
    let folder = clean();
    let output = sinew(folder.path(), &with("bench", &["--instances", "20", "--json"]));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let bench = json(&output);
    assert_eq!(bench["schema"], "sinew.bench/1");
    let parts = bench["parts"].as_array().unwrap();
    let names: Vec<&str> = parts.iter().filter_map(|part| part["name"].as_str()).collect();
    assert_eq!(names, ["sample", "hierarchy", "skin matrices", "skinning"]);
    let ns: f64 = parts.iter().filter_map(|part| part["ns"].as_f64()).sum();
    let frame = bench["frame_with_skinning_us"].as_f64().unwrap();
    assert!(ns > 0.0 && (frame - 20.0 * ns / 1e3).abs() < 1e-6 * frame, "{bench}");
    let shown = text(&sinew(folder.path(), &with("bench", &[])).stdout);
    assert!(shown.contains("A frame of 100:"), "{shown}");
}

#[test]
fn every_command_has_help_and_a_version() {
    let folder = clean();
    for command in [
        "inspect",
        "doctor",
        "pose",
        "manifest",
        "init",
        "build",
        "convert",
        "verify",
        "bench",
        "explain",
        "completions",
    ] {
        let help = text(&sinew(folder.path(), &[command, "--help"]).stdout);
        assert!(help.contains("Example") && help.contains("Usage"), "{command}: {help}");
        assert!(sinew(folder.path(), &[command, "--version"]).status.success());
    }
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(!sinew(folder.path(), &["completions", shell]).stdout.is_empty());
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = clean();
    let mut child = Command::new(env!("CARGO_BIN_EXE_sinew"))
        .current_dir(folder.path())
        .args(with("pose", &["--time", &vec!["0.1"; 400].join(","), "--json"]))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_exits_with_three() {
    let folder = clean();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_sinew"))
        .current_dir(folder.path())
        .args(with("doctor", &[]))
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).contains("cannot write"));
}

/// The command alone in a folder, as if the viewer was not installed.
fn alone() -> (TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join(format!("sinew{}", std::env::consts::EXE_SUFFIX));
    std::fs::copy(env!("CARGO_BIN_EXE_sinew"), &program).expect("the command is copied");
    (folder, program)
}

/// Runs a program that was just written. A test beside this one may have started a process in between, which holds the file open for
/// writing until it becomes another program: Linux then says that it is busy.
fn run_new(command: &mut Command) -> Output {
    for _ in 0..10_000 {
        match command.output() {
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {}
            Ok(output) if text(&output.stderr).contains("Text file busy") => {}
            other => return other.expect("it starts"),
        }
        std::thread::yield_now();
    }
    panic!("it stays busy");
}

#[test]
fn view_says_how_the_viewer_is_installed() {
    let (folder, program) = alone();
    let output = run_new(Command::new(program).args(["view", "hero.fbx"]).env("PATH", folder.path()));
    assert_eq!(output.status.code(), Some(2));
    let error = text(&output.stderr);
    assert!(error.contains("cargo install --path crates/sinew-viewer"), "{error}");
}

#[test]
fn view_helps_without_the_viewer() {
    let (folder, program) = alone();
    let output = run_new(Command::new(program).args(["view", "--help"]).env("PATH", folder.path()));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("sinew view hero.fbx"), "{}", text(&output.stdout));
}

#[cfg(unix)]
#[test]
fn view_runs_the_viewer_beside_it_with_all_arguments() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, program) = alone();
    let viewer = folder.path().join("sinew-viewer");
    std::fs::write(&viewer, "#!/bin/sh\nprintf '%s|' \"$@\"\nexit 7\n").unwrap();
    std::fs::set_permissions(&viewer, std::fs::Permissions::from_mode(0o755)).unwrap();
    let output = run_new(Command::new(program).args(["view", "a b.fbx", "--clip", "-x", "--help", "-q"]));
    assert_eq!(text(&output.stdout), "a b.fbx|--clip|-x|--help|-q|");
    assert_eq!(output.status.code(), Some(7), "and ends as it does");
}

#[test]
fn a_folder_with_a_manifest_is_a_character() {
    let folder = tempfile::tempdir().unwrap();
    let creature = folder.path().join("creature");
    sinew_testkit::creature::write_to(&creature, &sinew_testkit::creature::Style::default()).unwrap();
    let all = json(&sinew(folder.path(), &["inspect", "creature", "--json"]));
    let clips = all["files"][0]["clips"].as_array().unwrap();
    assert!(clips.len() >= 16);
    assert_eq!(clips[0]["tag"], "Idle");
    assert!(clips.iter().all(|clip| clip["duration"].as_f64().is_some_and(|d| d > 0.0)), "{clips:#?}");
    let pose = json(&sinew(folder.path(), &["pose", "creature", "--time", "0.5", "--json"]));
    assert_eq!(pose["samples"].as_array().unwrap().len(), 1);
    let report = sinew(folder.path(), &["doctor", "creature"]);
    assert_eq!(report.status.code(), Some(0), "{}", text(&report.stdout));
}

/// Two hundred folders, one of them broken: the others are shown, and the broken one is named.
#[test]
fn a_tree_of_manifests_is_gone_through() {
    let folder = tempfile::tempdir().unwrap();
    sinew_testkit::tree::write_tree(folder.path(), 200, Some(77)).unwrap();
    let output = sinew(folder.path(), &["inspect", "."]);
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(2));
    assert!(shown.contains("199 characters, 1 could not be read"), "{shown}");
    let broken = sinew_testkit::tree::folder_name(77);
    assert!(text(&output.stderr).contains(&broken) && !shown.contains(&broken));
    let output = sinew(folder.path(), &["doctor", ".", "--json"]);
    let report = json(&output);
    assert_eq!(report["reports"].as_array().unwrap().len(), 199);
    assert_eq!(report["unreadable"].as_array().unwrap().len(), 1);
    let rows = json(&sinew(folder.path(), &["inspect", ".", "--json"]));
    assert_eq!(rows["files"].as_array().unwrap().len(), 199);
}

#[test]
fn a_manifest_is_written_and_repaired() {
    let folder = tempfile::tempdir().unwrap();
    sinew_testkit::tree::write_tree(folder.path(), 1, None).unwrap();
    let name = sinew_testkit::tree::folder_name(0);
    let manifest = folder.path().join(&name).join("manifest.json");
    std::fs::remove_file(&manifest).unwrap();
    let dry = sinew(folder.path(), &["manifest", &name, "--dry-run"]);
    assert!(dry.status.success() && !manifest.exists(), "{}", text(&dry.stderr));
    let written = json(&sinew(folder.path(), &["manifest", &name, "--json"]));
    assert_eq!(written["created"], true);
    let again = json(&sinew(folder.path(), &["manifest", &name, "--json"]));
    assert_eq!((&again["created"], again["changes"].as_array().unwrap().len()), (&Value::Bool(false), 0));
    let clips = json(&sinew(folder.path(), &["inspect", &name, "--json"]));
    assert_eq!(clips["files"][0]["clips"].as_array().unwrap().len(), 2);
    std::fs::write(&manifest, "{ not json").unwrap();
    let refused = sinew(folder.path(), &["manifest", &name]);
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(
        std::fs::read_to_string(&manifest).unwrap(),
        "{ not json",
        "what cannot be parsed is not touched"
    );
}
