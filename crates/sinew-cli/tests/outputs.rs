//! No command writes over a file that it has read, whatever option names it and whatever name it goes by.

mod common;

use common::{sinew, text};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const MACHINE: &str = "layers = [{ name = 'body', start = 'Idle', states.Idle = { clip = 'Idle' } }]";
const TAGS: &str = "slots = 'creature'";

/// A hero, a walk, the walk of another with a bone map, and option files.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    sinew_testkit::humanoid::write_to(path).unwrap();
    let walk = fs::read_to_string(path.join("walk.fbx")).unwrap();
    fs::write(path.join("other.fbx"), walk.replace("mixamorig:", "DEF_")).unwrap();
    fs::write(path.join("machine.toml"), MACHINE).unwrap();
    fs::write(path.join("trace.json"), r#"{ "updates": [{ "seconds": 0.1 }] }"#).unwrap();
    fs::write(path.join("tags.toml"), TAGS).unwrap();
    let made = sinew(path, &["map", "hero.fbx", "-o", "hero.map.toml"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    fs::write(path.join("other.map.toml"), "").unwrap();
    folder
}

/// Runs a command with an output that is each of its inputs in turn, by a hard link.
fn refuse(folder: &Path, command: &[&str], output: &str, inputs: &[&str]) {
    let out = folder.join(output);
    for input in inputs {
        let before = fs::read(folder.join(input)).unwrap();
        fs::hard_link(folder.join(input), &out).unwrap();
        let refused = sinew(folder, &[command, &["-o", output]].concat());
        let said = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{command:?} over {input}: {said}");
        assert!(said.contains("would overwrite its own source"), "{command:?} over {input}: {said}");
        assert!(fs::read(folder.join(input)).unwrap() == before, "{command:?} changed {input}");
        assert!(fs::read(&out).unwrap() == before, "{command:?} changed its output");
        fs::remove_file(&out).unwrap();
    }
}

#[test]
fn no_command_writes_over_its_inputs() {
    let folder = folder();
    let path = folder.path();
    let sources = ["hero.fbx", "walk.fbx", "tags.toml"];
    let tagged = ["hero.fbx", "walk.fbx", "--tag-table", "tags.toml"];
    for output in ["out.glb", "out.sinew", "out.bvh", "out.xnb"] {
        refuse(path, &[&["convert"], &tagged[..]].concat(), output, &sources);
    }
    let retarget =
        ["retarget", "hero.fbx", "other.fbx", "--map", "other.map.toml", "--tag-table", "tags.toml"];
    refuse(path, &retarget, "out.glb", &["hero.fbx", "other.fbx", "other.map.toml", "tags.toml"]);
    let map = ["map", "hero.fbx", "--map", "hero.map.toml", "--tag-table", "tags.toml"];
    refuse(path, &map, "out.toml", &["hero.fbx", "hero.map.toml", "tags.toml"]);
    refuse(path, &map, "out.svg", &["hero.fbx", "hero.map.toml"]);
    refuse(path, &[&["contacts"], &tagged[..], &["--force"]].concat(), "out.toml", &sources);
    refuse(path, &["graph", "machine.toml"], "out.dot", &["machine.toml"]);
    let play = [&["play", "machine.toml"], &tagged[..], &["--script", "trace.json"]].concat();
    refuse(path, &play, "out.json", &["machine.toml", "trace.json", "hero.fbx", "walk.fbx", "tags.toml"]);
}

#[cfg(feature = "render")]
#[test]
fn no_picture_is_drawn_over_an_input() {
    let folder = folder();
    let path = folder.path();
    let tagged = ["hero.fbx", "walk.fbx", "--tag-table", "tags.toml"];
    let picture = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let pictures: Vec<String> = picture.filter(|name| name.ends_with(".png")).collect();
    let inputs = ["hero.fbx", "walk.fbx", "tags.toml"].into_iter().chain(pictures.iter().map(String::as_str));
    let inputs: Vec<&str> = inputs.collect();
    refuse(path, &[&["render"], &tagged[..]].concat(), "out.png", &inputs);
    refuse(path, &[&["render"], &tagged[..]].concat(), "out.gif", &inputs);
    refuse(path, &["diff", "hero.fbx", "walk.fbx", "--tag-table", "tags.toml"], "out.png", &inputs);
    let play = [&["play", "machine.toml"], &tagged[..], &["--script", "trace.json"]].concat();
    refuse(path, &play, "out.gif", &["machine.toml", "trace.json", "hero.fbx"]);
}

#[test]
fn a_bone_map_is_not_rewritten_by_its_own_name() {
    let folder = folder();
    let before = fs::read(folder.path().join("hero.map.toml")).unwrap();
    let map = ["map", "hero.fbx", "--map", "hero.map.toml", "-o", "hero.map.toml"];
    let refused = sinew(folder.path(), &map);
    assert_eq!(refused.status.code(), Some(2));
    assert!(fs::read(folder.path().join("hero.map.toml")).unwrap() == before);
}

/// A project's file that is a link to one of the sources, and one that is called as an output is.
#[test]
fn projects_are_not_written_over_their_inputs_nor_by_them() {
    let folder = folder();
    let path = folder.path();
    let hero = fs::read(path.join("hero.fbx")).unwrap();
    fs::hard_link(path.join("hero.fbx"), path.join("sinew.toml")).unwrap();
    let refused = sinew(path, &["init", "--force"]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    assert!(text(&refused.stderr).contains("would overwrite its own source"), "{}", text(&refused.stderr));
    assert!(fs::read(path.join("hero.fbx")).unwrap() == hero);
    let project = "build.out = '.'\n[characters.hero]\nfile = 'hero.fbx'\n";
    fs::write(path.join("hero.sinew"), project).unwrap();
    let refused = sinew(path, &["build", "hero.sinew"]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    assert!(text(&refused.stderr).contains("would overwrite the source"), "{}", text(&refused.stderr));
    assert_eq!(fs::read_to_string(path.join("hero.sinew")).unwrap(), project);
}
