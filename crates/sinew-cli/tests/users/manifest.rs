//! Manifests: written for folders of any kind, and read.

use super::*;
use std::io::Write;

#[test]
fn manifests_of_any_folder_names() {
    let folder = folder();
    tree::write_tree(folder.path(), 2, None).unwrap();
    let (first, second) =
        (folder.path().join(tree::folder_name(0)), folder.path().join(tree::folder_name(1)));
    for folder in [&first, &second] {
        fs::remove_file(manifest_of(folder)).unwrap();
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
    fs::remove_file(manifest_of(&rip)).unwrap();
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
    let path = manifest_of(&rip);
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

/// A manifest whose model is not there says so, and what to do.
#[test]
fn a_model_that_is_missing_is_named_with_a_remedy() {
    let folder = folder();
    tree::write_tree(folder.path(), 1, None).unwrap();
    let rip = folder.path().join(tree::folder_name(0));
    let model = fs::read(rip.join("model.dae")).unwrap();
    fs::remove_file(rip.join("model.dae")).unwrap();
    for command in [&["inspect", "."][..], &["doctor", "."], &["convert", ".", "-o", "x.glb"]] {
        let error = error_of(&sinew(&rip, command));
        assert!(error.contains("`model.dae`") && error.contains("put the model's file into"), "{error}");
        assert!(!error.contains("damaged") && !error.contains("export the file again"), "{error}");
    }
    let value: Value = serde_json::from_str(&text(&sinew(&rip, &["inspect", ".", "--json"]).stderr)).unwrap();
    assert!(value["error"].as_str().unwrap().contains("no such file"), "{value:#}");
    // The remedy: a file of another name is found.
    fs::write(rip.join("body.dae"), model).unwrap();
    assert!(sinew(&rip, &["manifest", "."]).status.success());
    assert!(sinew(&rip, &["inspect", "."]).status.success());
}

/// Names of a manifest's clips, and its models.
fn listed(folder: &Path) -> (Vec<String>, usize, Value) {
    let value: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("manifest.json")).unwrap()).unwrap();
    let models = value["models"].as_array().map_or(1, Vec::len);
    let clips = if value["models"].is_array() { &value["models"][0]["clips"] } else { &value["clips"] };
    let names = clips.as_array().unwrap().iter().map(|clip| clip["file"].as_str().unwrap().to_owned());
    (names.collect(), models, value)
}

/// Clips that were exported "with skin" repeat the model; they are clips all the same.
#[test]
fn clips_with_a_mesh_are_clips() {
    let model = collada::write(&Pair::default().character, &collada::Options::default());
    let skinned = String::from_utf8(with_skin_in_collada()).unwrap();
    assert!(skinned.contains("<mesh") && skinned.contains("<channel"));
    // Beside the model, and in a folder of any name.
    for (names, expected) in [
        (["model.dae", "walk.dae", "run.dae"], ["run.dae", "walk.dae"]),
        (
            ["hero.dae", "Bewegungen/walk.dae", "Bewegungen/run.dae"],
            ["Bewegungen/run.dae", "Bewegungen/walk.dae"],
        ),
    ] {
        let folder = folder();
        write(folder.path(), names[0], &model);
        write(folder.path(), names[1], &skinned);
        write(folder.path(), names[2], &skinned);
        let output = sinew(folder.path(), &["manifest", "."]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let (clips, models, value) = listed(folder.path());
        assert_eq!((clips.as_slice(), models), (&expected.map(str::to_owned)[..], 1), "{value:#}");
        let shown = json(&sinew(folder.path(), &["inspect", ".", "--json"]));
        let clips = shown["files"][0]["clips"].as_array().unwrap();
        assert_eq!(clips.len(), 2, "{shown:#}");
        assert!(clips.iter().all(|clip| clip["duration"].as_f64().unwrap() > 1.0), "{shown:#}");
    }
    // The only file, with its clip in it.
    let folder = folder();
    write(folder.path(), "dance.dae", &skinned);
    assert!(sinew(folder.path(), &["manifest", "."]).status.success());
    let (clips, models, value) = listed(folder.path());
    assert_eq!((clips, models), (vec!["dance.dae".to_owned()], 1), "{value:#}");
    assert_eq!(value["animationMode"], "baked", "{value:#}");
    let shown = json(&sinew(folder.path(), &["inspect", ".", "--json"]));
    assert_eq!(shown["files"][0]["clips"].as_array().unwrap().len(), 1, "{shown:#}");
    // Once written, it is right as it is.
    let again = sinew(folder.path(), &["manifest", "."]);
    assert!(text(&again.stdout).contains("is right as it is"), "{}", text(&again.stdout));
    // Two models are two models.
    let folder = self::folder();
    write(folder.path(), "hero.dae", &model);
    write(folder.path(), "knight.dae", model.replace("Hips", "Pelvis"));
    assert!(sinew(folder.path(), &["manifest", "."]).status.success());
    assert_eq!(listed(folder.path()).1, 2);
}

fn with_skin_in_collada() -> Vec<u8> {
    let pair = Pair::default();
    let mut scene = pair.character;
    scene.takes = pair.clip.takes;
    collada::write(&scene, &collada::Options::default()).into()
}
