//! Compressed files of the corpus look like their plain siblings.

#![cfg(feature = "render")]
#![allow(clippy::print_stdout, reason = "figures and skip notes are for whoever runs the tests")]

mod common;

use common::{can_draw, picture, sinew, text};
use std::path::PathBuf;

/// Largest mean difference of a channel, of 255.
const MOST: f64 = 2.0;

/// A file, and the same in a compressed form.
const SIBLINGS: [(&str, &str); 5] = [
    ("CesiumMan/glTF-Binary/CesiumMan.glb", "CesiumMan/glTF-Draco/CesiumMan.gltf"),
    ("RiggedFigure/glTF-Binary/RiggedFigure.glb", "RiggedFigure/glTF-Draco/RiggedFigure.gltf"),
    (
        "AnimatedMorphCube/glTF-Binary/AnimatedMorphCube.glb",
        "AnimatedMorphCube/glTF-Quantized/AnimatedMorphCube.gltf",
    ),
    ("MeshoptCubeTest/glTF/MeshoptCubeTest.gltf", "MeshoptCubeTest/glTF-Meshopt/MeshoptCubeTest.gltf"),
    (
        "ChronographWatch/glTF-WEBP/ChronographWatch.gltf",
        "ChronographWatch/glTF-KTX-BasisU/ChronographWatch.gltf",
    ),
];

#[test]
fn compressed_files_look_like_their_siblings() {
    let test = "compressed_files_look_like_their_siblings";
    let Some(corpus) = std::env::var_os("SINEW_CORPUS").filter(|f| !f.is_empty()).map(PathBuf::from) else {
        println!("SINEW-SKIP: {test}: corpus not set");
        return;
    };
    if !can_draw(test) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let draw = |file: &str, out: &str| {
        let file = corpus.join("khronos").join(file).display().to_string();
        let output = sinew(folder.path(), &["render", &file, "-o", out, "--size", "320x320"]);
        assert!(output.status.success(), "{file}: {}", text(&output.stderr));
        picture(&folder.path().join(out))
    };
    for (plain, compressed) in SIBLINGS {
        let (a, b) = (draw(plain, "plain.png"), draw(compressed, "compressed.png"));
        let off = a.mean_difference(&b);
        println!("{compressed}: {off:.3} of 255 on average");
        assert!(off <= MOST, "{compressed}: {off}");
        // Something is drawn at all.
        assert!(a.differing(&sinew_render::Picture::new(320, 320, a.pixel(0, 0)), 8) > 0.02, "{plain}");
    }
}
