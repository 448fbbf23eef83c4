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
