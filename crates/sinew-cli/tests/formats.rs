//! BVH, VRM and VRM Animation through the command: read, examined, built, converted, and refused.

mod common;

use common::{sinew, text};
use serde_json::Value;
use sinew_testkit::bvh::Figure;
use sinew_testkit::vrm::{Version, animation, model};
use std::path::Path;
use tempfile::TempDir;

/// A folder with a file of each format.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let dance = Figure::dancer(40).text().into_bytes();
    let files = [
        ("dance.bvh", dance),
        ("dummy.vrm", model(Version::V1)),
        ("old.vrm", model(Version::V0)),
        ("dance.vrma", animation()),
    ];
    for (name, bytes) in files {
        std::fs::write(folder.path().join(name), bytes).expect("files are written");
    }
    folder
}

fn run(folder: &Path, arguments: &[&str]) -> String {
    let output = sinew(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&run(folder, &[arguments, &["--json"]].concat())).expect("it is JSON")
}

#[test]
fn motion_capture_goes_through_every_command() {
    let folder = folder();
    let path = folder.path();
    run(path, &["inspect", "dance.bvh", "--rest-frame", "0", "--bvh-rate", "30"]);
    let doctor = sinew(path, &["doctor", "dance.bvh"]);
    assert!(doctor.status.code().is_some_and(|code| code < 2), "{}", text(&doctor.stderr));
    let told = json(path, &["convert", "dance.bvh", "-o", "again.bvh"]);
    assert_eq!(told["clips"][0], "dance");
    let pose = |file: &str| json(path, &["pose", file, "--time", "0.3", "--bvh-unit", "0.01"]);
    let (before, after) = (pose("dance.bvh"), pose("again.bvh"));
    let places = |pose: &Value| -> Vec<f64> {
        let models = pose["samples"][0]["model"].as_array().unwrap().iter();
        models.flat_map(|model| (12..15).map(|index| model[index].as_f64().unwrap())).collect()
    };
    let (before, after) = (places(&before), places(&after));
    assert_eq!(before.len(), after.len());
    assert!(before.iter().zip(&after).all(|(a, b)| (a - b).abs() < 1e-5));
    let mocap = path.join("mocap");
    std::fs::create_dir(&mocap).unwrap();
    std::fs::rename(path.join("dance.bvh"), mocap.join("dance.bvh")).unwrap();
    run(path, &["init", "mocap"]);
    run(path, &["build", "mocap", "--target", "sinew,bvh"]);
    let built = |name: &str| mocap.join("build").join(name).is_file();
    assert!(built("dance.sinew") && built("dance.bvh"));
    run(path, &["build", "mocap", "--check", "--target", "sinew,bvh"]);
}

#[test]
fn several_clips_are_several_files() {
    let folder = tempfile::tempdir().unwrap();
    sinew_testkit::humanoid::write_to(folder.path()).unwrap();
    run(folder.path(), &["convert", "hero.fbx", "walk.fbx", "idle.fbx", "-o", "hero.bvh"]);
    assert!(folder.path().join("hero.bvh").is_file());
    assert_eq!(std::fs::read_dir(folder.path().join("hero")).unwrap().count(), 1);
    run(folder.path(), &["convert", "hero.fbx", "walk.fbx", "idle.fbx", "-o", "hero.vrma"]);
    assert!(run(folder.path(), &["inspect", "hero.vrma"]).contains("walk"));
}

#[test]
fn roles_of_vrm_are_known() {
    let folder = folder();
    for file in ["dummy.vrm", "old.vrm", "dance.vrma"] {
        let map = json(folder.path(), &["map", file]);
        let roles = map["roles"].as_array().unwrap();
        assert_eq!(roles.len(), 20, "{file}");
        assert!(roles.iter().all(|role| role["method"] == "VRM"), "{file}");
    }
    run(folder.path(), &["convert", "dance.vrma", "-o", "again.vrma"]);
    assert_eq!(json(folder.path(), &["map", "again.vrma"])["roles"].as_array().unwrap().len(), 20);
}

#[test]
fn damaged_files_are_refused_with_their_place() {
    let folder = folder();
    let text_of = std::fs::read_to_string(folder.path().join("dance.bvh")).unwrap();
    std::fs::write(folder.path().join("cut.bvh"), &text_of[..text_of.len() - 100]).unwrap();
    let output = sinew(folder.path(), &["inspect", "cut.bvh"]);
    assert_eq!(output.status.code(), Some(2));
    let error = text(&output.stderr);
    assert!(error.contains("cut.bvh") && error.contains("line"), "{error}");
}

#[cfg(feature = "render")]
#[test]
fn a_recording_is_drawn_as_its_skeleton() {
    if !common::can_draw("a_recording_is_drawn_as_its_skeleton") {
        return;
    }
    let folder = folder();
    let drawn = |time: &str, name: &str| {
        run(folder.path(), &["render", "dance.bvh", "-o", name, "--size", "128x128", "--time", time]);
        common::picture(&folder.path().join(name))
    };
    let (early, late) = (drawn("0.02", "early.png"), drawn("0.6", "late.png"));
    assert!(early.differing(&late, 8) > 0.001, "the skeleton moves");
}
