//! Every glTF of the corpus against what three.js recorded about it, and the odd ones, which give a value or a clear error.

mod common;

use common::{Bars, Tolerated, compare, conclude, corpus, options, rows};
use sinew_import::import;

const BARS: Bars = Bars { joint: 5e-5, vertex: 5e-5 };

#[test]
fn joints_and_vertices_are_where_gold_has_them() {
    let Some(corpus) = corpus("joints_and_vertices_are_where_gold_has_them") else { return };
    let rows = rows(&corpus, "gltf_", |entry, imported| {
        Some(compare(&entry.file, &entry.gold(&corpus), imported, &[]))
    });
    assert!(!rows.is_empty(), "the corpus has glTF files");
    conclude("glTF", &rows, BARS, &TOLERATED);
}

const NOT_UNIT: Bars = Bars { joint: 5e-4, vertex: 5e-4 };
const REASON: &str = "its rotations are not of length one, and three.js does not scale them";

static TOLERATED: [Tolerated; 3] = [
    Tolerated { file: "khronos/SimpleSkin/glTF/SimpleSkin.gltf", bars: NOT_UNIT, reason: REASON },
    Tolerated { file: "khronos/SimpleSkin/glTF-Embedded/SimpleSkin.gltf", bars: NOT_UNIT, reason: REASON },
    Tolerated { file: "assimp/glTF2/simple_skin/simple_skin.gltf", bars: NOT_UNIT, reason: REASON },
];

/// What becomes of each file that is odd or broken: a part of the error, or none for one that can be read.
const ODD: [(&str, Option<&str>); 14] = [
    ("IndexOutOfRange/IndexOutOfRange.gltf", Some("an index is")),
    ("RecursiveNodes/RecursiveNodes.gltf", Some("met twice")),
    ("SchemaFailures/sceneWrongType.gltf", Some("line")),
    ("wrongTypes/badArray.gltf", Some("line")),
    ("wrongTypes/badExtension.gltf", Some("line")),
    ("wrongTypes/badNumber.gltf", None),
    ("wrongTypes/badObject.gltf", Some("line")),
    ("wrongTypes/badString.gltf", None),
    ("wrongTypes/badUint.gltf", Some("line")),
    ("TestNoRootNode/NoScene.gltf", None),
    ("TestNoRootNode/SceneWithoutNodes.gltf", None),
    ("MissingBin/BoxTextured.gltf", Some("BoxTextured0.bin")),
    ("IncorrectVertexArrays/Cube.gltf", None),
    ("BoxWithInfinites-glTF-Binary/BoxWithInfinites.glb", None),
];

#[test]
fn odd_files_give_a_value_or_a_clear_error() {
    let Some(corpus) = corpus("odd_files_give_a_value_or_a_clear_error") else { return };
    let folder = corpus.join("assimp/glTF2");
    for (file, expected) in ODD {
        let found = import(&folder.join(file), &options());
        match (found, expected) {
            (Ok(_), None) => {}
            (Err(error), Some(part)) => assert!(error.to_string().contains(part), "{error}"),
            (Ok(_), Some(part)) => panic!("{file}: was read, but `{part}` was expected"),
            (Err(error), None) => panic!("{error}"),
        }
    }
}
