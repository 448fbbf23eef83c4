//! What a terminal is sent.

use super::*;
use serde_json::json as object;

/// Names of others do not move the cursor, rename the window or hide what follows.
#[test]
fn control_characters_of_names_are_written_out() {
    let folder = folder();
    let value = object!({
        "asset": { "version": "2.0" },
        "nodes": [{ "name": "a\u{1b}[2Jb", "children": [1] }, { "name": "c\u{1b}]0;d\u{7}\u{202e}" }],
        "images": [{ "uri": "e\u{1b}[2Jf.png" }], "textures": [{ "source": 0 }],
        "materials": [{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }],
        "scenes": [{ "nodes": [0] }], "scene": 0
    });
    write(folder.path(), "model.gltf", serde_json::to_string(&value).unwrap());
    for command in
        [&["inspect", "model.gltf", "-v"][..], &["doctor", "model.gltf", "-v"], &["pose", "model.gltf"]]
    {
        let output = sinew(folder.path(), &[&["--color", "always"], command].concat());
        let printed = text(&output.stdout) + &text(&output.stderr);
        let bad = |bad: &&str| printed.contains(*bad);
        assert_eq!(
            ["\u{1b}[2J", "\u{1b}]", "\u{7}", "\u{202e}"].iter().find(|b| bad(b)),
            None,
            "{command:?}: {printed}"
        );
    }
    let output = sinew(folder.path(), &["inspect", "model.gltf", "-v", "--color", "always"]);
    assert!(text(&output.stdout).contains("a\\u{1b}[2Jb"), "{}", text(&output.stdout));
}
