//! Compiled files that a project no longer makes: named, and removed with `--clean`. Nothing else is.

use super::*;

/// A project in a folder, with these characters, that builds into a folder beside it.
fn shared(root: &Path, project: &str, characters: &[&str], targets: &str) {
    write(root, &format!("{project}/hero.fbx"), body());
    let characters: String =
        characters.iter().map(|name| format!("[characters.{name}]\nfile = 'hero.fbx'\n")).collect();
    let toml = format!("[build]\nout = '../build'\ntargets = [{targets}]\n{characters}");
    write(root, &format!("{project}/sinew.toml"), toml);
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let files = entries.filter(|entry| entry.path().is_file());
    let mut names: Vec<_> = files.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn built(root: &Path, arguments: &[&str]) -> String {
    let output = sinew(root, &[&["build"], arguments].concat());
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn files_of_another_project_are_left_alone() {
    let folder = folder();
    let root = folder.path();
    shared(root, "a", &["hero", "knight"], "'sinew'");
    shared(root, "b", &["villain"], "'sinew'");
    built(root, &["a"]);
    let told = built(root, &["b", "--clean"]);
    assert!(!told.contains("no longer made"), "{told}");
    let all = ["hero.sinew", "knight.sinew", "villain.sinew"];
    assert_eq!(names(&root.join("build")), all);
    assert_eq!(names(&root.join("build/.sinew")).len(), 3, "and their stamps");
    // Its own are still removed, and the other's are not.
    shared(root, "a", &["hero"], "'sinew'");
    let told = built(root, &["a"]);
    assert!(told.contains("knight.sinew") && !told.contains("villain.sinew"), "{told}");
    assert_eq!(names(&root.join("build")), all);
    built(root, &["a/sinew.toml", "--clean"]);
    assert_eq!(names(&root.join("build")), ["hero.sinew", "villain.sinew"]);
    assert_eq!(names(&root.join("build/.sinew")), ["hero.sinew.json", "villain.sinew.json"]);
    // The same from within the folder.
    shared(root, "b", &["queen"], "'sinew'");
    built(&root.join("b"), &["--clean"]);
    assert_eq!(names(&root.join("build")), ["hero.sinew", "queen.sinew"]);
}

#[test]
fn a_character_of_another_project_is_not_overwritten() {
    let folder = folder();
    let root = folder.path();
    shared(root, "a", &["hero"], "'sinew'");
    shared(root, "b", &["hero", "villain"], "'sinew'");
    built(root, &["a"]);
    let before = fs::read(root.join("build/hero.sinew")).unwrap();
    write(root, "b/hero.fbx", motion());
    let output = sinew(root, &["build", "b"]);
    let told = text(&output.stdout) + &text(&output.stderr);
    assert!(!output.status.success(), "{told}");
    assert!(told.contains("built by another project") && told.contains("another `out`"), "{told}");
    assert_eq!(fs::read(root.join("build/hero.sinew")).unwrap(), before);
    assert!(root.join("build/villain.sinew").exists(), "the others are built");
    // A project that was moved or removed has no say.
    fs::rename(root.join("a"), root.join("c")).unwrap();
    built(root, &["b"]);
    assert_ne!(fs::read(root.join("build/hero.sinew")).unwrap(), before);
}

#[test]
fn a_target_that_is_gone_is_named_and_removed() {
    let folder = folder();
    let root = folder.path();
    shared(root, "a", &["hero"], "'sinew', 'glb'");
    built(root, &["a"]);
    shared(root, "a", &["hero"], "'sinew'");
    let told = built(root, &["a"]);
    assert!(told.contains("hero.glb  is no longer made by this project; --clean removes it"), "{told}");
    // Asked for by the command, it is made.
    let told = built(root, &["a", "--target", "glb", "--clean"]);
    assert!(!told.contains("no longer made"), "{told}");
    assert_eq!(names(&root.join("build")), ["hero.glb", "hero.sinew"]);
    let report = json(&sinew(root, &["build", "a", "--clean", "--json"]));
    let orphans = report["orphans"].as_array().unwrap();
    assert_eq!(orphans.len(), 1, "{report:#}");
    assert!(orphans[0].as_str().unwrap().ends_with("hero.glb"), "{report:#}");
    assert_eq!(names(&root.join("build")), ["hero.sinew"]);
    assert_eq!(json(&sinew(root, &["build", "a", "--json"]))["orphans"], serde_json::json!([]));
}

/// BVH has a file for each clip, those after the first in a folder, and all have one stamp.
#[test]
fn a_file_of_a_clip_that_is_gone_is_removed() {
    let folder = folder();
    let root = folder.path();
    let toml = |clips: &[&str]| {
        let clips = clips
            .iter()
            .map(|name| format!("[[characters.hero.clips]]\nfile = '{name}.fbx'\nname = '{name}'\n"));
        "[build]\ntargets = ['bvh']\n[characters.hero]\nfile = 'hero.fbx'\n".to_owned()
            + &clips.collect::<String>()
    };
    write(root, "hero.fbx", body());
    ["walk", "run"].iter().for_each(|name| write(root, &format!("{name}.fbx"), motion()));
    write(root, "sinew.toml", toml(&["walk", "run"]));
    built(root, &[]);
    let run = root.join("build/hero/run.bvh");
    assert!(run.exists());
    write(root, "sinew.toml", toml(&["walk"]));
    let told = built(root, &[]);
    assert!(told.contains("run.bvh  is no longer made"), "{told}");
    // Still known after another build, until it is removed.
    write(root, "walk.fbx", fbx::write(&Pair::default().played()));
    assert!(built(root, &[]).contains("run.bvh  is no longer made"));
    assert!(run.exists());
    built(root, &["--clean"]);
    assert!(!run.exists() && !root.join("build/hero").exists(), "nor the folder, which is empty");
    assert!(root.join("build/hero.bvh").exists());
    assert!(!built(root, &[]).contains("no longer made"));
}

#[test]
fn what_someone_changed_or_uses_is_never_removed() {
    let folder = folder();
    let root = folder.path();
    shared(root, "a", &["hero", "knight"], "'glb'");
    built(root, &["a"]);
    // One was edited, the other became the source of another character.
    write(root, "build/hero.glb", "edited by hand");
    write(
        root,
        "a/sinew.toml",
        "[build]\nout = '../build'\n[characters.queen]\nfile = '../build/knight.glb'\n",
    );
    let told = built(root, &["a", "--clean"]);
    assert!(told.contains("hero.glb") && told.contains("left as it is"), "{told}");
    assert_eq!(names(&root.join("build")), ["hero.glb", "knight.glb", "queen.sinew"]);
}
