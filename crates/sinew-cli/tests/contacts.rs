//! `contacts`, and what `build` makes of its file, through the command line.

mod common;

use common::{sinew, text};
use serde_json::Value;
use sinew_testkit::humanoid;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// The hero with its idle and its walk, and a project of them.
fn hero() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes) in humanoid::files() {
        if ["hero.fbx", "idle.fbx", "walk.fbx"].contains(&name.as_str()) {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
    }
    let clips =
        "[[characters.hero.clips]]\nfile = 'idle.fbx'\n[[characters.hero.clips]]\nfile = 'walk.fbx'\n";
    fs::write(folder.path().join("sinew.toml"), format!("[characters.hero]\nfile = 'hero.fbx'\n{clips}"))
        .unwrap();
    folder
}

fn run(folder: &Path, arguments: &[&str], code: i32) -> String {
    let output = sinew(folder, arguments);
    let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    said
}

/// Names of the events of a clip of the compiled hero, with their times.
fn events(folder: &Path, clip: &str) -> Vec<(String, f32)> {
    let imported =
        sinew_import::import(&folder.join("build/hero.sinew"), &sinew_import::Options::default()).unwrap();
    let clip = imported.character.clips().by_name(clip).unwrap();
    clip.events().iter().map(|event| (event.name.clone(), event.time)).collect()
}

#[test]
fn contacts_are_written_to_a_file_that_can_be_edited() {
    let folder = hero();
    let folder = folder.path();
    let sources = ["contacts", "hero.fbx", "idle.fbx", "walk.fbx"];
    let said = run(folder, &sources, 0);
    assert!(
        said.contains("idle  0 footsteps") && said.contains("walk  2 footsteps, 1.31 m/s over the ground"),
        "{said}"
    );
    let found: Value = serde_json::from_str(&run(folder, &[&sources[..], &["--json"]].concat(), 0)).unwrap();
    let walk = &found["clips"]["walk"];
    // 1.4 m in 32 frames of a thirtieth of a second.
    assert!((walk["ground_velocity"][2].as_f64().unwrap() - 1.4 / (32.0 / 30.0)).abs() < 0.01, "{walk}");
    assert_eq!(
        (walk["markers"].as_array().unwrap().len(), walk["events"][1]["name"].as_str()),
        (4, Some("right-foot down"))
    );

    let writing = [&sources[..], &["-o", "hero.contacts.toml"]].concat();
    assert!(run(folder, &writing, 0).contains("hero.contacts.toml  written"));
    let file = fs::read_to_string(folder.join("hero.contacts.toml")).unwrap();
    assert!(file.contains("[clips.walk]") && file.contains("name = \"left-foot down\""), "{file}");
    assert!(run(folder, &writing, 2).contains("--force"));
    run(folder, &[&writing[..], &["--force"]].concat(), 0);
    assert!(run(folder, &["contacts", "hero.fbx", "-o", "hero.fbx", "--force"], 2).contains("overwrite"));
}

#[test]
fn a_build_has_the_contacts_of_the_file_else_those_that_are_found() {
    let folder = hero();
    let folder = folder.path();
    run(folder, &["build"], 0);
    let found = events(folder, "walk");
    assert_eq!(found.iter().map(|e| e.0.as_str()).collect::<Vec<_>>(), ["left-foot down", "right-foot down"]);
    assert_eq!(events(folder, "idle"), []);
    run(folder, &["build", "--check"], 0);

    let edited = "[clips.walk]\nevents = [{ time = 0.5, name = 'boots' }]\n";
    fs::write(folder.join("hero.contacts.toml"), edited).unwrap();
    assert!(run(folder, &["build", "--check"], 1).contains("hero.contacts.toml changed"));
    run(folder, &["build"], 0);
    assert_eq!(events(folder, "walk"), [("boots".to_owned(), 0.5)]);
    run(folder, &["build", "--check"], 0);

    fs::remove_file(folder.join("hero.contacts.toml")).unwrap();
    run(folder, &["build"], 0);
    assert_eq!(events(folder, "walk"), found);
}

#[test]
fn a_wrong_file_of_contacts_is_told() {
    let folder = hero();
    let folder = folder.path();
    let file = folder.join("hero.contacts.toml");
    fs::write(&file, "[clips.walkk]\nevents = []\n").unwrap();
    let said = run(folder, &["build"], 0);
    assert!(said.contains("contacts.unknown-clip") && said.contains("did you mean `walk`?"), "{said}");
    for (wrong, says) in [
        ("[clips.walk]\nevnts = []\n", "line 2"),
        ("[clips.walk]\nmarkers = [{ time = 9.0, name = 'late' }]\n", "marker `late` at 9 s"),
    ] {
        fs::write(&file, wrong).unwrap();
        let output = sinew(folder, &["build"]);
        let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
        assert!(!output.status.success() && said.contains(says), "{said}");
    }
    let project = fs::read_to_string(folder.join("sinew.toml")).unwrap();
    fs::write(
        folder.join("sinew.toml"),
        project.replace("file = 'hero.fbx'\n", "file = 'hero.fbx'\ncontacts = 'steps.toml'\n"),
    )
    .unwrap();
    let output = sinew(folder, &["build"]);
    assert!(
        !output.status.success()
            && text(&output.stdout).contains("steps.toml") | text(&output.stderr).contains("steps.toml")
    );
    fs::write(folder.join("steps.toml"), "[clips.walk]\nevents = [{ time = 0.25, name = 'here' }]\n")
        .unwrap();
    run(folder, &["build"], 0);
    assert_eq!(events(folder, "walk"), [("here".to_owned(), 0.25)]);
}
