//! What new users stumbled over, through the command.

mod common;

use common::{sinew, text};
use serde_json::Value;
use sinew_testkit::fixtures::stick::Pair;
use sinew_testkit::fixtures::{CHARACTER, doctor};
use sinew_testkit::scene::Texture;
use sinew_testkit::{fbx, png, tree};
use std::fs;
use std::io::Write;
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
fn manifest(folder: &Path) -> std::path::PathBuf {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.into_iter().find(|path| path.extension().is_some_and(|extension| extension == "json")).unwrap()
}

fn error_of(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stderr)
}

#[test]
fn init_makes_a_character_of_every_manifest() {
    let folder = folder();
    tree::write_tree(folder.path(), 1000, None).unwrap();
    let began = std::time::Instant::now();
    let decision = json(&sinew(folder.path(), &["init", ".", "--json"]));
    let characters = decision["characters"].as_array().unwrap();
    assert_eq!(characters.len(), 1000);
    let with_clips = characters.iter().filter(|character| !character["clips"].as_array().unwrap().is_empty());
    assert!(with_clips.count() >= 500);
    assert!(began.elapsed().as_secs() < 120, "{:?}", began.elapsed());
}

/// Two folders with one model and other pictures are two characters.
#[test]
fn init_keeps_recolours_apart() {
    let folder = folder();
    tree::write_tree(folder.path(), 2, None).unwrap();
    let red = png::encode(8, 8, |_, _| [200, 20, 20]);
    write(folder.path(), &format!("{}/textures/worm.png", tree::folder_name(1)), red);
    assert!(sinew(folder.path(), &["init", "."]).status.success());
    assert!(sinew(folder.path(), &["build"]).status.success());
    let built = [0, 1].map(|number| {
        let file = format!("build/{}.sinew", tree::folder_name(number));
        fs::read(folder.path().join(&file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    });
    assert_ne!(built[0], built[1], "each has its own picture");
}

#[test]
fn init_finds_the_character_among_downloads_with_skin() {
    let folder = folder();
    for name in ["run", "idle", "walking", "jump", "punch"] {
        write(folder.path(), &format!("knight/{name}.fbx"), with_skin());
    }
    let decision = json(&sinew(folder.path(), &["init", ".", "--dry-run", "--json"]));
    let [character] = decision["characters"].as_array().unwrap().as_slice() else { panic!("{decision:#}") };
    assert_eq!(character["name"], "knight", "no motion is the name of a character");
    let mut names: Vec<_> =
        character["clips"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["idle", "jump", "punch", "run", "walking"]);

    // A file that is not named after a motion, though its name is the longest.
    write(folder.path(), "knight/sir lancelot.fbx", with_skin());
    let file = |arguments: &[&str]| {
        let decision =
            json(&sinew(folder.path(), &[&["init", ".", "--dry-run", "--json"], arguments].concat()));
        assert_eq!(decision["characters"].as_array().unwrap().len(), 1);
        decision["characters"][0]["file"].as_str().unwrap().to_owned()
    };
    assert_eq!(file(&[]), "knight/sir lancelot.fbx");
    // A file without a moving take comes before that, whatever it is called.
    write(folder.path(), "knight/standing.fbx", body());
    assert_eq!(file(&[]), "knight/standing.fbx");
    assert_eq!(file(&["--character", "knight/punch.fbx"]), "knight/punch.fbx");
    let error = error_of(&sinew(folder.path(), &["init", ".", "--character", "nobody.fbx"]));
    assert!(error.contains("nobody.fbx"), "{error}");
}

#[test]
fn init_does_not_succeed_without_the_clips_of_rips() {
    let folder = folder();
    tree::write_tree(folder.path(), 3, None).unwrap();
    for number in 0..3 {
        fs::remove_file(manifest(&folder.path().join(tree::folder_name(number)))).unwrap();
    }
    let error = error_of(&sinew(folder.path(), &["init", "."]));
    assert!(error.contains("6 COLLADA clips") && error.contains("sinew manifest"), "{error}");
    assert!(!folder.path().join("sinew.toml").exists());
    // What the message says to do works.
    let written = sinew(folder.path(), &["manifest", "."]);
    assert!(
        written.status.success() && text(&written.stdout).contains("3 manifests, 0 failed"),
        "{}",
        text(&written.stderr)
    );
    let decision = json(&sinew(folder.path(), &["init", ".", "--json"]));
    assert_eq!(decision["characters"].as_array().unwrap().len(), 3);
    let why = decision["characters"][0]["clips"][0]["why_tag"].as_str().unwrap();
    assert!(!why.contains("source has this tag"), "{why}");
}

#[test]
fn pose_shows_the_animation_that_was_named() {
    let folder = folder();
    write(folder.path(), "hero.fbx", with_skin());
    write(folder.path(), "walk.fbx", motion());
    let output = sinew(folder.path(), &["pose", "hero.fbx", "walk.fbx", "--time", "0,99", "--json"]);
    let pose = json(&output);
    assert_eq!(pose["clip"], 1, "the first clip of the animation file");
    assert!(text(&output.stderr).contains("99 s is shown as its end"), "{}", text(&output.stderr));
    assert_eq!(json(&sinew(folder.path(), &["pose", "hero.fbx", "--json"]))["clip"], 0);
    let wrong = error_of(&sinew(folder.path(), &["pose", "hero.fbx", "walk.fbx", "--clip", "Wlk"]));
    assert!(wrong.contains("There are") || wrong.contains("there are"), "{wrong}");
}

#[cfg(feature = "render")]
#[test]
fn a_source_without_a_mesh_is_drawn_as_its_skeleton() {
    if !common::can_draw("a_source_without_a_mesh_is_drawn_as_its_skeleton") {
        return;
    }
    let folder = folder();
    write(folder.path(), "walk.fbx", motion());
    let output = sinew(
        folder.path(),
        &["render", "walk.fbx", "-o", "walk.png", "--no-ground", "--background", "white"],
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("its skeleton is drawn"), "{}", text(&output.stderr));
    let picture = common::picture(&folder.path().join("walk.png"));
    let white = |pixel: &[u8]| pixel[..3].iter().all(|&part| part > 250);
    assert!(picture.pixels().chunks(4).any(|pixel| !white(pixel)), "something is drawn");
    for camera in ["back", "left", "right", "top"] {
        let output = sinew(
            folder.path(),
            &["render", "walk.fbx", "-o", "walk.png", "--size", "64x64", "--camera", camera],
        );
        assert!(output.status.success(), "{camera}: {}", text(&output.stderr));
    }
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
    for name in ["Sword Slash", "Dying", "Crouching Idle"] {
        write(folder.path(), &format!("{name}.fbx"), motion());
    }
    let decision = json(&sinew(folder.path(), &["init", ".", "--dry-run", "--json"]));
    let mut tags: Vec<_> = decision["characters"][0]["clips"]
        .as_array()
        .unwrap()
        .iter()
        .map(|clip| clip["tag"].as_str().unwrap())
        .collect();
    tags.sort_unstable();
    assert_eq!(tags, ["Crouch", "Death", "Slash"]);
}

#[test]
fn manifests_of_any_folder_names() {
    let folder = folder();
    tree::write_tree(folder.path(), 2, None).unwrap();
    let (first, second) =
        (folder.path().join(tree::folder_name(0)), folder.path().join(tree::folder_name(1)));
    for folder in [&first, &second] {
        fs::remove_file(manifest(folder)).unwrap();
        fs::rename(folder.join("animations"), folder.join("Bewegungen")).unwrap();
    }
    assert!(sinew(folder.path(), &["manifest", "."]).status.success());
    let rows = json(&sinew(folder.path(), &["inspect", ".", "--json"]));
    assert_eq!(rows["files"].as_array().unwrap().len(), 2);
    assert!(rows["files"].as_array().unwrap().iter().all(|row| row["clips"] == 2), "{rows:#}");
    // A model that is cut off is named.
    fs::remove_file(first.join("manifest.json")).unwrap();
    let model = first.join("model.dae");
    let whole = fs::read(&model).unwrap();
    for length in [200, whole.len() * 2 / 3] {
        fs::write(&model, &whole[..length]).unwrap();
        let error = error_of(&sinew(folder.path(), &["manifest", &tree::folder_name(0)]));
        assert!(error.contains("model.dae"), "{length}: {error}");
        assert!(!first.join("manifest.json").exists());
    }
}

/// Model and clips as archives, each with one document in it.
#[test]
fn manifests_of_archives() {
    let folder = folder();
    tree::write_tree(folder.path(), 1, None).unwrap();
    let rip = folder.path().join(tree::folder_name(0));
    fs::remove_file(manifest(&rip)).unwrap();
    for file in ["model.dae", "animations/clip_000.dae", "animations/clip_001.dae"] {
        let document = fs::read(rip.join(file)).unwrap();
        fs::remove_file(rip.join(file)).unwrap();
        let out = fs::File::create(rip.join(file).with_extension("zae")).unwrap();
        let mut archive = zip::ZipWriter::new(out);
        archive.start_file("inside.dae", zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(&document).unwrap();
        archive.finish().unwrap();
    }
    let written = sinew(&rip, &["manifest", "."]);
    assert!(written.status.success(), "{}", text(&written.stderr));
    let shown = json(&sinew(&rip, &["inspect", ".", "--json"]));
    let clips = shown["files"][0]["clips"].as_array().unwrap_or_else(|| panic!("{shown:#}"));
    assert_eq!(clips.len(), 2, "{shown:#}");
    assert!(clips.iter().all(|clip| clip["duration"].as_f64().unwrap() > 0.5), "{shown:#}");
    let converted = sinew(&rip, &["convert", ".", "-o", "worm.glb"]);
    assert!(converted.status.success(), "{}", text(&converted.stderr));
    // A damaged archive is named.
    let whole = fs::read(rip.join("model.zae")).unwrap();
    fs::write(rip.join("model.zae"), &whole[..whole.len() / 2]).unwrap();
    let error = error_of(&sinew(&rip, &["inspect", "."]));
    assert!(error.contains("model.zae"), "{error}");
}

/// A clip called `attack` in the slot of a run is an attack.
#[test]
fn a_name_beats_a_slot() {
    let folder = folder();
    tree::write_tree(folder.path(), 1, None).unwrap();
    let rip = folder.path().join(tree::folder_name(0));
    let path = manifest(&rip);
    let mut value: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let clips =
        if value["clips"].is_array() { &mut value["clips"] } else { &mut value["models"][0]["clips"] };
    clips[1]["index"] = 2.into();
    fs::write(&path, value.to_string()).unwrap();
    let shown = json(&sinew(&rip, &["inspect", ".", "--json"]));
    let tags: Vec<_> =
        shown["files"][0]["clips"].as_array().unwrap().iter().map(|clip| clip["tag"].clone()).collect();
    assert!(tags.iter().any(|tag| tag.as_str().is_some_and(|tag| tag.contains("Attack"))), "{tags:?}");
    assert!(tags.iter().all(|tag| tag != "Run"), "{tags:?}");
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
    let manifest = manifest(&rip);
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
