//! What new users stumbled over, through the command.

#[path = "../common/mod.rs"]
mod common;

mod clean;
mod compare;
mod draw;
mod folders;
mod gltf;
mod init;
mod manifest;
mod pictures;
mod skins;
mod terminal;

use common::{sinew, text};
use serde_json::Value;
use sinew_testkit::fixtures::stick::Pair;
use sinew_testkit::fixtures::{CHARACTER, doctor};
use sinew_testkit::scene::Texture;
use sinew_testkit::{collada, fbx, png, tree};
use std::fs;
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn write(folder: &Path, file: &str, content: impl AsRef<[u8]>) {
    let path = folder.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}{}", text(&output.stdout), text(&output.stderr)))
}

/// The character with the take of its clip in its own file, as downloads "with skin" are.
fn with_skin() -> Vec<u8> {
    let pair = Pair::default();
    let mut scene = pair.character;
    scene.takes = pair.clip.takes;
    fbx::write(&scene).into()
}

fn body() -> Vec<u8> {
    fbx::write(&Pair::default().character).into()
}

fn motion() -> Vec<u8> {
    fbx::write(&Pair::default().clip).into()
}

/// A project with one character and one clip.
fn project() -> TempDir {
    let folder = folder();
    write(folder.path(), "hero.fbx", body());
    write(folder.path(), "walk.fbx", motion());
    write(
        folder.path(),
        "sinew.toml",
        "[characters.hero]\nfile = 'hero.fbx'\n[[characters.hero.clips]]\nfile = 'walk.fbx'\n",
    );
    folder
}

/// The manifest of a folder of the testkit's tree.
fn manifest_of(folder: &Path) -> std::path::PathBuf {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.into_iter().find(|path| path.extension().is_some_and(|extension| extension == "json")).unwrap()
}

fn error_of(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stderr)
}

#[test]
fn build_repeats_warnings_and_names_what_is_left_over() {
    let folder = folder();
    let mut pair = Pair::default();
    pair.character.materials[0].texture =
        Some(Texture { name: "Cloth".into(), file: "cloth.png".into(), ..Texture::default() });
    write(folder.path(), "character.fbx", fbx::write(&pair.character));
    write(folder.path(), "clip.fbx", fbx::write(&pair.clip));
    write(
        folder.path(),
        "sinew.toml",
        "[characters.hero]\nfile = 'character.fbx'\n[[characters.hero.clips]]\nfile = 'clip.fbx'\n",
    );
    let first = json(&sinew(folder.path(), &["build", "--json"]));
    let warnings = first["warnings"].as_u64().unwrap();
    assert!(warnings > 0, "{first:#}");
    let place = first["characters"][0]["findings"][0]["place"].as_str().unwrap();
    assert!(place.contains(".fbx"), "{place}");
    let again = sinew(folder.path(), &["build"]);
    assert!(again.status.success());
    assert!(
        text(&again.stdout).contains("up to date 1") && text(&again.stdout).contains("warning"),
        "{}",
        text(&again.stdout)
    );
    assert_eq!(json(&sinew(folder.path(), &["build", "--json"]))["warnings"], warnings);
    assert_eq!(sinew(folder.path(), &["build", "--strict"]).status.code(), Some(1));

    // Another name: the old file is named, and removed when asked to.
    let toml = fs::read_to_string(folder.path().join("sinew.toml")).unwrap().replace("hero", "knight");
    write(folder.path(), "sinew.toml", toml);
    let renamed = sinew(folder.path(), &["build"]);
    assert!(text(&renamed.stdout).contains("hero.sinew"), "{}", text(&renamed.stdout));
    assert!(folder.path().join("build/hero.sinew").exists());
    assert!(sinew(folder.path(), &["build", "--clean"]).status.success());
    assert!(!folder.path().join("build/hero.sinew").exists());
    assert!(folder.path().join("build/knight.sinew").exists());
    let converted = sinew(folder.path(), &["convert", "character.fbx", "clip.fbx", "-o", "out.glb"]);
    assert!(text(&converted.stdout).contains("warning"), "{}", text(&converted.stdout));
}

#[test]
fn errors_are_json_where_json_is_asked_for() {
    let folder = project();
    for arguments in [
        &["inspect", "nowhere.fbx", "--json"][..],
        &["doctor", "nowhere.fbx", "--json"],
        &["pose", "nowhere.fbx", "--json"],
        &["build", "nowhere", "--json"],
        &["convert", "hero.fbx", "-o", "x.txt", "--json"],
        &["build", "--jobs", "0", "--json"],
    ] {
        let output = sinew(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let error = text(&output.stderr);
        let value: Value =
            serde_json::from_str(error.trim()).unwrap_or_else(|e| panic!("{arguments:?}: {e}: {error}"));
        assert_eq!((&value["schema"], &value["exit_code"]), (&"sinew.error/1".into(), &2.into()));
        assert!(!value["error"].as_str().unwrap().is_empty());
    }
}

#[test]
fn tags_come_from_the_usual_words() {
    let folder = folder();
    write(folder.path(), "hero.fbx", body());
    let names = [
        ("Attack", "Attack"),
        ("Punching", "Punch"),
        ("mma_kick", "Kick"),
        ("Sword Slash", "Slash"),
        ("ShootArrow", "Shoot"),
        ("Standing Block Idle", "Block"),
        ("dodge", "Dodge"),
        ("Roll Forward", "Roll"),
        ("Hit Reaction", "Hit"),
        ("Dying", "Death"),
        ("Crouching Idle", "Crouch"),
        ("sit", "Sit"),
        ("Climbing Ladder", "Climb"),
        ("Swimming", "Swim"),
        ("Left Strafe", "StrafeLeft"),
        ("Right Turn", "TurnRight"),
        ("Hip Hop Dancing", "Dance"),
        ("Jump_Start", "Jump"),
        ("Jump_Loop", "Fall"),
        ("Jump_Land", "Land"),
    ];
    for (name, _) in names {
        write(folder.path(), &format!("{name}.fbx"), motion());
    }
    let decision = json(&sinew(folder.path(), &["init", ".", "--dry-run", "--json"]));
    let clips = decision["characters"][0]["clips"].as_array().unwrap();
    for (name, tag) in names {
        let clip = clips.iter().find(|clip| clip["file"].as_str().unwrap().starts_with(name));
        assert_eq!(clip.map(|clip| &clip["tag"]), Some(&tag.into()), "{name}: {decision:#}");
    }
}

/// Pictures in other case, and paths as Windows writes them.
#[test]
fn names_of_files_are_taken_generously() {
    let folder = folder();
    let mut pair = Pair::default();
    pair.character.materials[0].texture =
        Some(Texture { name: "Cloth".into(), file: "Cloth.PNG".into(), ..Texture::default() });
    write(folder.path(), "files/hero.fbx", fbx::write(&pair.character));
    write(folder.path(), "files/cloth.png", png::encode(2, 2, |_, _| [1, 2, 3]));
    write(folder.path(), "files/walk.fbx", motion());
    let toml =
        "[characters.hero]\nfile = 'files\\hero.fbx'\n[[characters.hero.clips]]\nfile = 'files\\walk.fbx'\n";
    write(folder.path(), "sinew.toml", toml);
    let built = json(&sinew(folder.path(), &["build", "--json"]));
    assert_eq!(built["warnings"], 0, "{built:#}");
    let findings = built["characters"][0]["findings"].as_array().unwrap();
    let case = findings
        .iter()
        .find(|finding| finding["id"] == "texture.case")
        .unwrap_or_else(|| panic!("{built:#}"));
    assert!(case["message"].as_str().unwrap().contains("cloth.png"), "{case}");
}

#[test]
fn columns_of_inspect_are_aligned() {
    let folder = folder();
    write(folder.path(), "hero.fbx", body());
    let names = ["a", "a motion with a long name", "ü"];
    for name in names {
        write(folder.path(), &format!("{name}.fbx"), motion());
    }
    let files = ["a.fbx", "a motion with a long name.fbx", "ü.fbx"];
    let shown = text(&sinew(folder.path(), &[&["inspect", "hero.fbx"], &files[..]].concat()).stdout);
    let rows: Vec<&str> = shown.lines().filter(|line| line.trim_start().starts_with('#')).collect();
    assert_eq!(rows.len(), 3, "{shown}");
    let column = |row: &str| row.find(" s  ").map(|at| row[..at].chars().count());
    assert!(rows.iter().all(|row| column(row).is_some() && column(row) == column(rows[0])), "{shown}");
}

#[test]
fn doctor_sees_a_surface_that_points_inwards() {
    let folder = folder();
    for fixture in [doctor::inward_normals(100), doctor::inside_out(100), doctor::clean()] {
        fixture.write_to(&folder.path().join(&fixture.name)).unwrap();
        let report =
            json(&sinew(folder.path(), &["doctor", &format!("{}/{CHARACTER}", fixture.name), "--json"]));
        let ids: Vec<_> = report["findings"].as_array().unwrap().iter().map(|f| f["id"].clone()).collect();
        let wrong = fixture.name != "clean";
        assert_eq!(ids.iter().any(|id| id == "mesh.normals-inwards"), wrong, "{}: {report:#}", fixture.name);
    }
}

/// A character has none of its own, so they are left out of every format, and told of.
#[test]
fn cameras_and_lights_are_told_of() {
    let folder = folder();
    let plain = collada::write(&Pair::default().character, &collada::Options::default());
    let camera = "<library_cameras><camera id='c'/></library_cameras><library_lights><light id='l'/><light id='m'/></library_lights><library_visual_scenes>";
    let with = plain.replacen("<library_visual_scenes>", camera, 1);
    assert_ne!(plain, with);
    let cinema = r#"{ "asset": { "version": "2.0" }, "nodes": [{}], "scenes": [{ "nodes": [0] }], "cameras": [{}],
        "extensions": { "KHR_lights_punctual": { "lights": [{}, {}] } } }"#;
    write(folder.path(), "plain.dae", plain);
    write(folder.path(), "with.dae", with);
    write(folder.path(), "with.gltf", cinema);
    for (file, told) in [("plain.dae", false), ("with.dae", true), ("with.gltf", true)] {
        let shown = text(&sinew(folder.path(), &["doctor", "-v", file]).stdout);
        assert_eq!(shown.contains("its 1 camera was left out"), told, "{file}: {shown}");
        assert_eq!(shown.contains("its 2 lights were left out"), told, "{file}: {shown}");
    }
}

#[test]
fn nothing_to_read_is_said() {
    let folder = folder();
    fs::create_dir(folder.path().join("empty")).unwrap();
    write(folder.path(), "notes/readme.txt", "hello");
    write(folder.path(), "zero.fbx", "");
    for command in ["doctor", "inspect"] {
        let error = error_of(&sinew(folder.path(), &[command, "empty"]));
        assert!(error.contains("empty folder"), "{error}");
        let error = error_of(&sinew(folder.path(), &[command, "notes"]));
        assert!(error.contains("nothing that can be read"), "{error}");
        let error = error_of(&sinew(folder.path(), &[command, "zero.fbx"]));
        assert!(error.contains("zero.fbx: is empty"), "{error}");
        let error = error_of(&sinew(folder.path(), &[command, "notes/readme.txt"]));
        assert!(error.contains(".glb") && error.contains(".zae"), "{error}");
    }
    for arguments in [
        &["render", "empty", "-o", "out.png"][..],
        &["convert", "empty", "-o", "out.glb"],
        &["pose", "empty"],
        &["diff", "empty", "empty"],
    ] {
        let error = error_of(&sinew(folder.path(), arguments));
        assert!(error.contains("empty: is an empty folder"), "{arguments:?}: {error}");
    }
    let error = error_of(&sinew(folder.path(), &["build", "nothere"]));
    assert!(error.contains("nothere: does not exist") && !error.contains("that folder"), "{error}");
    let error = error_of(&sinew(folder.path(), &["build", "nothere/sinew.toml"]));
    assert!(error.contains("does not exist") && !error.contains("that folder"), "{error}");
    let error = error_of(&sinew(folder.path(), &["manifest", "notes"]));
    assert!(error.contains("no COLLADA file with a mesh") && !error.contains("damaged"), "{error}");
    let error = error_of(&sinew(folder.path(), &["build", "notes"]));
    assert!(error.contains("`sinew init notes`"), "{error}");
}

#[test]
fn a_tree_ends_with_a_summary() {
    let folder = folder();
    tree::write_tree(folder.path(), 3, None).unwrap();
    let shown = text(&sinew(folder.path(), &["doctor", "."]).stdout);
    assert!(shown.lines().last().unwrap().starts_with("3 characters: "), "{shown}");
}

#[test]
fn messages_are_plain() {
    let folder = project();
    let error = error_of(&sinew(folder.path(), &["build", "--jobs", "0"]));
    assert!(error.contains("a number of threads, 1 or more"), "{error}");
    tree::write_tree(&folder.path().join("rips"), 1, None).unwrap();
    let rip = folder.path().join("rips").join(tree::folder_name(0));
    let manifest = manifest_of(&rip);
    let whole = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, "{\n  \"version\": 1,\n}").unwrap();
    let error = error_of(&sinew(&rip, &["inspect", "."]));
    assert!(error.contains("trailing comma (at line 3, column 1)"), "{error}");
    // A clip that leads out of the folder.
    let mut value: Value = serde_json::from_str(&whole).unwrap();
    let clips =
        if value["clips"].is_array() { &mut value["clips"] } else { &mut value["models"][0]["clips"] };
    clips[0]["file"] = "../../walk.fbx".into();
    fs::write(&manifest, value.to_string()).unwrap();
    let shown = sinew(&rip, &["inspect", "."]);
    let shown = text(&shown.stdout) + &text(&shown.stderr);
    assert!(
        shown.contains("leads out of the manifest's folder") && !shown.contains("entity not found"),
        "{shown}"
    );
    // A material symbol that nothing is bound to.
    let model = rip.join("model.dae");
    let text_of_model = fs::read_to_string(&model).unwrap();
    fs::write(
        &model,
        text_of_model.replace("<instance_material symbol=\"", "<instance_material symbol=\"un"),
    )
    .unwrap();
    fs::write(&manifest, whole).unwrap();
    let shown = text(&sinew(&rip, &["doctor", ".", "-v"]).stdout);
    let unbound = shown.contains("no material is bound to the symbol") && shown.contains("bind one to it");
    assert!(unbound && !shown.contains("into one file"), "{shown}");
    // A clip alone.
    let error = error_of(&sinew(&rip, &["inspect", "animations/clip_000.dae"]));
    assert!(error.contains("sinew convert CHARACTER clip.dae"), "{error}");
}
