//! Folders of files, as they are downloaded.

use super::*;

#[test]
fn every_file_of_a_folder_is_examined() {
    let folder = folder();
    let root = folder.path();
    write(root, "downloads/hero.fbx", body());
    write(root, "downloads/more/knight.fbx", with_skin());
    write(root, "downloads/readme.txt", "hello");
    tree::write_tree(&root.join("downloads/rips"), 2, None).unwrap();
    let doctor = sinew(root, &["doctor", "downloads"]);
    let told = text(&doctor.stdout);
    assert!(doctor.status.success(), "{told}{}", text(&doctor.stderr));
    for name in ["hero.fbx", "knight.fbx", &tree::folder_name(0), &tree::folder_name(1)] {
        assert!(told.lines().any(|line| line.contains(name)), "{name}: {told}");
    }
    let last = told.lines().last().unwrap();
    assert!(last.starts_with("4 characters: ") && last.ends_with("0 could not be read"), "{told}");
    let report = json(&sinew(root, &["doctor", "downloads", "--json"]));
    assert_eq!(report["reports"].as_array().unwrap().len(), 4, "{report:#}");
    let inspected = sinew(root, &["inspect", "downloads"]);
    let told = text(&inspected.stdout);
    assert!(inspected.status.success() && told.contains("hero.fbx"), "{told}");
    assert!(told.lines().last().unwrap().starts_with("4 characters"), "{told}");
    assert_eq!(json(&sinew(root, &["inspect", "downloads", "--json"]))["files"].as_array().unwrap().len(), 4);
}

#[test]
fn a_bad_file_in_a_folder_is_named_and_the_others_are_examined() {
    let folder = folder();
    let root = folder.path();
    write(root, "hero.fbx", body());
    write(root, "cut.fbx", &body()[..2000]);
    let output = sinew(root, &["doctor", "."]);
    let (told, error) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(2), "{told}{error}");
    assert!(told.contains("hero.fbx") && error.contains("cut.fbx"), "{told}{error}");
    assert!(told.lines().last().unwrap().ends_with("1 could not be read"), "{told}");
}

/// A model and its clips in COLLADA, without a manifest: clips cannot be examined alone, and that is said.
#[test]
fn clips_without_their_model_are_told_of() {
    let folder = folder();
    tree::write_tree(folder.path(), 1, None).unwrap();
    let rip = folder.path().join(tree::folder_name(0));
    fs::remove_file(manifest_of(&rip)).unwrap();
    let output = sinew(folder.path(), &["doctor", &tree::folder_name(0)]);
    let (told, error) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{told}{error}");
    assert!(told.contains("model.dae") && told.contains("1 character: "), "{told}");
    assert!(
        error.contains("2 files hold clips without a model") && error.contains("`sinew manifest`"),
        "{error}"
    );
    let report = json(&sinew(folder.path(), &["doctor", &tree::folder_name(0), "--json"]));
    assert_eq!(report["clips_only"].as_array().unwrap().len(), 2, "{report:#}");
}

/// Commands that take one character say what to do with a folder of several.
#[test]
fn a_folder_is_not_one_character() {
    let folder = folder();
    write(folder.path(), "downloads/hero.fbx", body());
    for command in [&["convert", "downloads", "-o", "x.glb"][..], &["pose", "downloads"]] {
        let error = error_of(&sinew(folder.path(), command));
        assert!(error.contains("name a file in it"), "{error}");
    }
    let error = error_of(&sinew(folder.path(), &["doctor", "downloads", "downloads/hero.fbx"]));
    assert!(error.contains("the folder alone"), "{error}");
}

/// Web pages and other tools have a `manifest.json` of their own.
#[test]
fn a_manifest_of_something_else_is_no_character() {
    let folder = folder();
    write(folder.path(), "hero.fbx", with_skin());
    for other in [r#"{ "name": "My app", "icons": [], "models": [{ "fileName": "x.gltf" }] }"#, "[1, 2]"] {
        write(folder.path(), "manifest.json", other);
        for command in ["doctor", "inspect"] {
            let told = sinew(folder.path(), &[command, "."]);
            let told = text(&told.stdout) + &text(&told.stderr);
            assert!(told.contains("hero.fbx") && !told.contains("model.dae"), "{command}: {told}");
        }
        let made = sinew(folder.path(), &["init", "--force"]);
        assert!(made.status.success(), "{}", text(&made.stderr));
    }
    // One that is ours, or no JSON at all, is told of.
    write(folder.path(), "manifest.json", r#"{ "clips": [] }"#);
    assert!(error_of(&sinew(folder.path(), &["doctor", "."])).contains("model.dae"));
    write(folder.path(), "manifest.json", "{");
    assert!(error_of(&sinew(folder.path(), &["doctor", "."])).contains("manifest.json"));
}

#[test]
fn what_lies_where_a_model_should_is_named() {
    let folder = folder();
    write(folder.path(), "a.fbx", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n");
    write(folder.path(), "b.glb", b"\x89PNG\r\n\x1a\n....");
    write(folder.path(), "c.dae", "\n<!DOCTYPE html><html></html>");
    for (file, words) in [("a.fbx", "git lfs pull"), ("b.glb", "is a picture"), ("c.dae", "is a web page")] {
        let told = error_of(&sinew(folder.path(), &["inspect", file]));
        assert!(told.contains(words), "{told}");
    }
    let told = error_of(&sinew(folder.path(), &["init", "a.fbx"]));
    assert!(told.contains("is a file; name its folder"), "{told}");
}
