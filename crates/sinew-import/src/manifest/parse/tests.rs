use super::*;
use proptest::prelude::*;

fn parse(json: &str) -> (Manifest, Vec<Finding>) {
    Manifest::parse(Path::new("hero/manifest.json"), json.as_bytes()).unwrap()
}

fn refuse(json: &str) -> String {
    Manifest::parse(Path::new("hero/manifest.json"), json.as_bytes()).unwrap_err().to_string()
}

#[test]
fn nested() {
    let (manifest, findings) = parse(
        r#"{ "version": 1, "mode": "split-model-anims", "textures": ["body.png"], "models": [
            { "name": "body", "modelFile": "body.dae", "clips": [
                { "index": 4, "id": "clip_004", "name": "anim_4", "sourceName": "wait01", "semanticName": "Idle",
                  "semanticSource": "manual", "file": "clips/body/clip_004.dae", "frameCount": 42.0, "fps": 30, "new": {} },
                { "name": "anim_1", "semanticName": null, "frameCount": "30" } ] },
            { "modelFile": "parts/hat.dae", "clips": [] } ] }"#,
    );
    assert_eq!((manifest.family, manifest.version), (Family::Nested, Some(1)));
    assert_eq!(manifest.mode.as_deref(), Some("split-model-anims"));
    assert_eq!(
        (manifest.folder(), manifest.textures.as_slice()),
        (Path::new("hero"), &["body.png".to_owned()][..])
    );
    let [body, hat] = manifest.models.as_slice() else { panic!("{:?}", manifest.models) };
    assert_eq!((body.name.as_str(), body.file.as_str(), body.clips.len()), ("body", "body.dae", 2));
    assert_eq!((hat.name.as_str(), hat.file.as_str(), hat.clips.len()), ("hat", "parts/hat.dae", 0));
    assert_eq!(
        body.clips[0],
        ClipEntry {
            index: 4,
            name: "clip_004".into(),
            source_name: Some("wait01".into()),
            semantic_name: Some("Idle".into()),
            semantic_source: Some("manual".into()),
            file: Some("clips/body/clip_004.dae".into()),
            frame_count: Some(42.0),
            fps: Some(30.0),
        }
    );
    let second = &body.clips[1];
    assert_eq!((second.index, second.name.as_str(), second.frame_count), (1, "anim_1", Some(30.0)));
    assert_eq!((&second.semantic_name, &second.file), (&None, &None));
    assert_eq!(second.files(), ["animations/clip_001.dae", "clips/clip_001.dae"]);
    assert_eq!(findings, []);
}

#[test]
fn flat_with_nothing_but_defaults() {
    let (manifest, findings) = parse(r#"{ "clips": [{}, {"id": 7}] }"#);
    assert_eq!((manifest.family, manifest.version, &manifest.mode), (Family::Flat, None, &None));
    let [model] = manifest.models.as_slice() else { panic!("{:?}", manifest.models) };
    assert_eq!((model.name.as_str(), model.file.as_str()), ("model", "model.dae"));
    assert_eq!(model.clips.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["clip_000", "7"]);
    assert_eq!(findings, []);
    let (empty, _) = parse("{}");
    assert_eq!(empty.models[0].clips, []);
}

#[test]
fn exporter() {
    let (manifest, _) = parse(
        r#"{ "name": "tr01", "dir": "C:\\out", "version": 1, "animationMode": "split", "mtlFile": null,
            "models": [ { "file": "hat.dae", "name": "hat", "boneCount": 1 }, { "file": "model.dae", "name": "body" } ],
            "modelFile": "Model.dae", "textures": [], "textureDetails": [{ "name": "body" }],
            "clips": [ { "index": 0.0, "id": "clip_000", "duration": 1.4833 } ] }"#,
    );
    assert_eq!((manifest.family, manifest.mode.as_deref()), (Family::Exporter, Some("split")));
    let clips: Vec<_> = manifest.models.iter().map(|m| (m.file.as_str(), m.clips.len())).collect();
    assert_eq!(clips, [("hat.dae", 0), ("model.dae", 1)], "the clips belong to the model file that is named");
    let (manifest, _) = parse(r#"{ "models": [{ "file": "a.dae" }], "clips": [{}], "dir": "x" }"#);
    assert_eq!((manifest.family, manifest.models[0].clips.len()), (Family::Exporter, 1));
}

#[test]
fn legacy() {
    let (manifest, findings) = parse(
        r#"{ "Version": 1.0, "ModelId": 25, "Textures": [{ "Name": "BodyA1", "File": "BodyA1.tga.png" }],
            "ModelFile": "c0025.dae", "Clips": [{ "Index": 2, "SourceName": "walk01", "SemanticName": "Walk" }] }"#,
    );
    assert_eq!((manifest.family, manifest.version), (Family::Legacy, Some(1)));
    assert_eq!(manifest.textures, ["BodyA1.tga.png"]);
    let [model] = manifest.models.as_slice() else { panic!("{:?}", manifest.models) };
    assert_eq!((model.name.as_str(), model.file.as_str()), ("c0025", "c0025.dae"));
    let info = model.clips[0].info();
    assert_eq!(
        (info.source_index, info.name.as_str(), info.tag.as_deref()),
        (Some(2), "clip_002", Some("Walk"))
    );
    assert_eq!(findings, []);
}

#[test]
fn a_byte_order_mark_is_no_harm() {
    let json = b"\xEF\xBB\xBF{\"clips\": []}";
    assert!(Manifest::parse(Path::new("m"), json).is_ok());
}

#[test]
fn odd_fields_are_reported_by_place() {
    let (manifest, findings) = parse(
        r#"{ "version": -1, "models": [{ "modelFile": ["x"], "clips": [{ "fps": "fast", "index": 1.5, "id": "  " }] }] }"#,
    );
    let clip = &manifest.models[0].clips[0];
    assert_eq!((clip.index, clip.fps, clip.name.as_str()), (0, None, "clip_000"));
    let places: Vec<_> = findings.iter().map(|f| f.place.rsplit(": ").next().unwrap()).collect();
    assert_eq!(
        places,
        ["models[0].modelFile", "models[0].clips[0].index", "models[0].clips[0].fps", "version"]
    );
    assert!(
        findings
            .iter()
            .all(|f| f.id() == "manifest.field-invalid" && f.place.starts_with("hero/manifest.json"))
    );
}

#[test]
fn what_is_no_manifest_is_refused_with_file_and_place() {
    for (json, place) in [
        ("{\n  \"clips\": [}", "line 2, column 13"),
        ("", "line 1, column 0"),
        ("[]", "line 1"),
        (r#"{ "clips": {} }"#, "clips"),
        (r#"{ "clips": [{}, 3] }"#, "clips[1]"),
        (r#"{ "models": [{ "clips": [null] }] }"#, "models[0].clips[0]"),
        (r#"{ "textures": [1] }"#, "textures[0]"),
    ] {
        let error = refuse(json);
        assert!(
            error.starts_with("hero/manifest.json: ") && error.contains(&format!("(at {place})")),
            "{error}"
        );
    }
    let deep = "[".repeat(10_000);
    assert!(refuse(&deep).contains("nested too deeply"), "a hostile depth ends in an error");
}

const SAMPLE: &str = r#"{ "version": 1, "textures": ["a", {"File": "b"}], "modelFile": "m.dae", "models": [{ "file": "m.dae",
    "clips": [{ "index": 4294967295, "id": "x", "frameCount": 1e300, "fps": 30 }] }], "clips": [{ "index": -0.0 }] }"#;

proptest! {
    /// Whatever a file holds, reading it ends in a manifest or an error.
    #[test]
    fn damage_never_panics(damage in proptest::collection::vec((0..SAMPLE.len(), any::<u8>()), 0..6), cut in 0..SAMPLE.len()) {
        let mut bytes = SAMPLE.as_bytes().to_vec();
        for (at, byte) in damage {
            bytes[at] = byte;
        }
        let _ = Manifest::parse(Path::new("m"), &bytes);
        bytes.truncate(cut);
        let _ = Manifest::parse(Path::new("m"), &bytes);
    }
}
