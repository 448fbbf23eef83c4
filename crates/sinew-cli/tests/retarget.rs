//! `map` and `retarget` through the command line: hero and dancer are one figure, with other names.

mod common;

use common::{sinew, text};
use serde_json::Value;
use sinew_import::{Options, import};
use sinew_testkit::humanoid;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// The hero, its idle and walk, and the same walk with joints called otherwise.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("captures")).unwrap();
    for (name, bytes) in humanoid::files() {
        let walk = name == "walk.fbx";
        if walk || name == "idle.fbx" {
            let other = renamed(&bytes);
            fs::write(folder.path().join("captures").join(&name), other).unwrap();
        }
        if walk || name == "hero.fbx" {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
    }
    folder
}

/// Names as another tool gives them.
fn renamed(bytes: &[u8]) -> String {
    let text = text(bytes);
    assert!(text.contains("mixamorig:"));
    text.replace("mixamorig:", "DEF_")
}

fn run(folder: &Path, arguments: &[&str], code: i32) -> String {
    let output = sinew(folder, arguments);
    let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    said
}

#[test]
fn a_map_is_told_written_drawn_and_read_again() {
    let folder = folder();
    let folder = folder.path();
    let said = run(folder, &["map", "hero.fbx"], 0);
    assert!(said.contains("leftUpperArm") && said.contains("mixamorig:LeftArm"), "{said}");
    let json: Value = serde_json::from_str(&run(folder, &["map", "hero.fbx", "--json"], 0)).unwrap();
    let roles = json["roles"].as_array().unwrap();
    assert!(said.contains(&format!("{} roles of {} joints", roles.len(), json["joints"])), "{said}");

    run(folder, &["map", "hero.fbx", "-o", "hero.map.toml"], 0);
    let again = run(folder, &["map", "hero.fbx", "--map", "hero.map.toml"], 0);
    assert_eq!(again.matches("listed, 100 %").count(), roles.len(), "{again}");

    run(folder, &["map", "hero.fbx", "-o", "hero.svg"], 0);
    let picture = fs::read_to_string(folder.join("hero.svg")).unwrap();
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    for role in roles {
        let [role, joint] = ["role", "joint"].map(|key| role[key].as_str().unwrap());
        assert!(picture.contains(&format!("{role}</tspan> {joint}</text>")), "{role}");
    }
    assert!(run(folder, &["map", "hero.fbx", "-o", "hero.fbx"], 2).contains("hero.fbx"));
}

#[test]
fn maps_that_are_wrong_are_refused_with_their_place() {
    let folder = folder();
    let folder = folder.path();
    fs::write(folder.join("bad.toml"), "[joints]\nHips = \"hips\"\nSpine = spine\n").unwrap();
    for arguments in [
        &["map", "hero.fbx", "--map", "bad.toml"][..],
        &["retarget", "hero.fbx", "captures/walk.fbx", "--map", "bad.toml", "-o", "out.glb"],
    ] {
        let said = run(folder, arguments, 2);
        assert!(said.contains("bad.toml") && said.contains("line 3, column"), "{said}");
        assert!(said.contains("sinew map CHARACTER -o FILE"), "{said}");
    }
    assert!(!folder.join("out.glb").exists());
    fs::write(folder.join("odd.toml"), "[joints]\nHips = \"hip\"\nTail = \"spine\"\n").unwrap();
    let said = run(folder, &["map", "hero.fbx", "--map", "odd.toml"], 0);
    assert!(said.contains("no role: `Hips` = `hip`"), "{said}");
    let odd = ["retarget", "hero.fbx", "captures/walk.fbx", "--map", "odd.toml", "-o", "out.glb"];
    let said = run(folder, &odd, 0);
    assert!(said.contains("bone-map.unknown-joint"), "{said}");
    assert!(said.contains("`hip` is neither a role nor a joint of `hero`"), "{said}");
    assert!(said.contains("has no joint of the name `Tail`"), "{said}");
}

/// A motion of something without legs.
const TAIL: &str = "HIERARCHY
ROOT Tail
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Tip
  {
    OFFSET 0 10 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 10 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.033333
0 0 0 0 0 0 0 0 0
0 0 0 10 0 0 20 0 0
";

#[test]
fn what_is_no_humanoid_is_refused() {
    let folder = folder();
    let folder = folder.path();
    fs::write(folder.join("tail.bvh"), TAIL).unwrap();
    for arguments in [
        &["map", "tail.bvh"][..],
        &["retarget", "hero.fbx", "tail.bvh", "-o", "out.glb"],
        &["retarget", "tail.bvh", "captures/walk.fbx", "-o", "out.glb"],
    ] {
        let said = run(folder, arguments, 2);
        assert!(said.contains("no joint was found for `hips`"), "{said}");
        assert!(said.contains("bone map"), "{said}");
    }
    assert!(!folder.join("out.glb").exists());
}

#[test]
fn a_walk_of_other_names_is_the_heros_own() {
    let folder = folder();
    let folder = folder.path();
    let said = run(folder, &["doctor", "hero.fbx", "captures/walk.fbx"], 1);
    assert!(
        said.contains("humanoid roles match: it is for another skeleton, use `sinew retarget`"),
        "{said}"
    );
    run(folder, &["retarget", "hero.fbx", "captures/walk.fbx", "-o", "hero.glb"], 0);
    let read = |name: &str| import(&folder.join(name), &Options::default()).unwrap().character;
    let (made, own) = (read("hero.glb"), read("walk.fbx"));
    let [made_clip, own_clip] = [&made, &own].map(|character| character.clips().get(0).unwrap());
    assert_eq!(made_clip.duration(), own_clip.duration());
    for name in ["LeftFoot", "RightHand", "Head"] {
        let joint =
            |character: &sinew::Character| character.skeleton().find(&format!("mixamorig:{name}")).unwrap();
        for time in [0.0, 0.3, 0.71] {
            let [a, b] = [(&made, &made_clip), (&own, &own_clip)].map(|(character, clip)| {
                clip.sample_joint(character.skeleton(), joint(character), time).unwrap().rotation
            });
            assert!(a.dot(b).abs() > 1.0 - 1e-5, "{name} at {time}: {a} {b}");
        }
    }
}

#[test]
fn a_folder_is_retargeted_and_one_without_clips_is_refused() {
    let folder = folder();
    let folder = folder.path();
    let all = ["retarget", "hero.fbx", "captures", "-o", "one.sinew", "--jobs", "1"];
    run(folder, &all, 0);
    run(folder, &["retarget", "hero.fbx", "captures", "-o", "many.sinew"], 0);
    let [one, many] = ["one.sinew", "many.sinew"].map(|name| fs::read(folder.join(name)).unwrap());
    assert!(one == many, "the bytes depend on the number of threads");
    let made = import(&folder.join("one.sinew"), &Options::default()).unwrap().character;
    assert_eq!(made.clips().names().collect::<Vec<_>>(), ["idle", "walk"]);

    fs::create_dir(folder.join("empty")).unwrap();
    let said = run(folder, &["retarget", "hero.fbx", "empty", "-o", "none.glb"], 2);
    assert!(said.contains("holds no file with clips"), "{said}");
    let said = run(folder, &["retarget", "hero.fbx", "nowhere.fbx", "-o", "none.glb"], 2);
    assert!(said.contains("nowhere.fbx"), "{said}");
}

/// A file without clips adds none, and says so.
#[test]
fn a_source_without_clips_is_told() {
    let folder = folder();
    let folder = folder.path();
    let said = run(folder, &["retarget", "hero.fbx", "hero.fbx", "-o", "none.glb"], 2);
    assert!(said.contains("hero.fbx") && said.contains("no clip"), "{said}");
    assert!(!folder.join("none.glb").exists());
}

/// Feet of the hero's own walk stand well already, so locking them changes little; a project does the same as the command.
#[test]
fn feet_are_locked_by_command_and_project() {
    let folder = folder();
    let folder = folder.path();
    run(folder, &["retarget", "hero.fbx", "captures/walk.fbx", "--lock-feet", "-o", "locked.glb"], 0);
    run(folder, &["retarget", "hero.fbx", "captures/walk.fbx", "-o", "free.glb"], 0);
    let clip = "[[characters.hero.clips]]\nfile = 'captures/walk.fbx'\n";
    let project = |keys: &str| {
        let text = format!("[build]\ntargets = ['glb']\n[characters.hero]\nfile = 'hero.fbx'\n{clip}{keys}");
        fs::write(folder.join("sinew.toml"), text).unwrap();
    };
    project("retarget = 'auto'\nlock_feet = true\n");
    run(folder, &["build"], 0);
    let turns = |name: &str| {
        let read = import(&folder.join(name), &Options::default()).unwrap().character;
        let clip = read.clips().get(0).unwrap();
        let knee = read.skeleton().find("mixamorig:LeftLeg").unwrap();
        let at = |time: u8| clip.sample_joint(read.skeleton(), knee, f64::from(time) * 0.1).unwrap().rotation;
        (0..10).map(at).collect::<Vec<_>>()
    };
    let [locked, free, built] = ["locked.glb", "free.glb", "build/hero.glb"].map(turns);
    assert_eq!(locked, built);
    assert_ne!(locked, free);
    project("lock_feet = true\n");
    let said = run(folder, &["build"], 2);
    assert!(said.contains("have `lock_feet` or `keep_hands`, but no `retarget`"), "{said}");
}

/// A recording with every frame a metre higher. Position channels of the root come first.
fn raised(bvh: &str) -> String {
    let (head, frames) = bvh.split_once("Frame Time:").expect("a recording");
    let (time, frames) = frames.split_once('\n').expect("frames");
    let higher = |frame: &str| {
        let mut numbers: Vec<String> = frame.split_whitespace().map(str::to_owned).collect();
        numbers[1] = (numbers[1].parse::<f64>().unwrap() + 100.0).to_string();
        numbers.join(" ") + "\n"
    };
    format!("{head}Frame Time:{time}\n{}", frames.lines().map(higher).collect::<String>())
}

/// Feet that stand on another floor than the target's are not moved there, and that is said.
#[test]
fn feet_that_cannot_be_locked_are_told_of() {
    let folder = folder();
    let folder = folder.path();
    run(folder, &["convert", "hero.fbx", "walk.fbx", "-o", "walk.bvh"], 0);
    let walk = fs::read_to_string(folder.join("walk.bvh")).unwrap();
    fs::write(folder.join("high.bvh"), raised(&walk)).unwrap();
    let retarget = |file: &str, further: &[&str]| {
        run(
            folder,
            &[&["retarget", "hero.fbx", file, "--bvh-unit", "0.01", "-o", "out.glb"], further].concat(),
            0,
        )
    };
    let said = retarget("walk.bvh", &["--lock-feet"]);
    assert!(!said.contains("retarget.feet-not-locked"), "{said}");
    let said = retarget("high.bvh", &["--lock-feet"]);
    assert!(said.contains("retarget.feet-not-locked") && said.contains("above the ground"), "{said}");
    let said = retarget("high.bvh", &[]);
    assert!(!said.contains("retarget.feet-not-locked"), "nothing was asked for: {said}");
}
