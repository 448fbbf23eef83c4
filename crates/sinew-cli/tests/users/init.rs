//! `sinew init`: what is a character, and which of several files it is.

use super::*;

#[test]
fn init_makes_a_character_of_every_manifest() {
    let folder = folder();
    tree::write_tree(folder.path(), 1000, None).unwrap();
    let decision = json(&sinew(folder.path(), &["init", ".", "--json"]));
    let characters = decision["characters"].as_array().unwrap();
    assert_eq!(characters.len(), 1000);
    let with_clips = characters.iter().filter(|character| !character["clips"].as_array().unwrap().is_empty());
    assert!(with_clips.count() >= 500);
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
        fs::remove_file(manifest_of(&folder.path().join(tree::folder_name(number)))).unwrap();
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
fn init_calls_the_character_by_what_all_names_begin_with() {
    let folder = folder();
    let downloads = folder.path().join("downloads");
    let decide = || {
        let decision = json(&sinew(&downloads, &["init", ".", "--dry-run", "--json"]));
        let [character] = decision["characters"].as_array().unwrap().as_slice() else {
            panic!("{decision:#}")
        };
        ["name", "file"].map(|key| character[key].as_str().unwrap().to_owned())
    };
    for name in ["squire_run", "squire_idle", "squire_jump"] {
        write(&downloads, &format!("{name}.fbx"), with_skin());
    }
    assert_eq!(decide()[0], "squire");
    // Neither is named after a motion; the names of the others begin with this one's, though it is not the shortest.
    write(&downloads, "squire.fbx", with_skin());
    write(&downloads, "old.fbx", with_skin());
    assert_eq!(decide(), ["squire", "squire.fbx"]);
}
