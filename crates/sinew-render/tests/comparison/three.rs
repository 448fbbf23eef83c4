//! three.js, installed by npm and run in headless Chromium by Node.js.

use crate::{CASES, SIZE, Shot};
use serde_json::json;
use sinew::glam::Vec3;
use sinew::{Image, Texture};
use sinew_render::Picture;
use sinew_testkit::npm;
use std::path::{Path, PathBuf};

const VERSION: &str = "0.187.0";

/// The folder in which three.js is installed, or why it cannot run.
pub(crate) fn install() -> Result<PathBuf, String> {
    npm::runs("chromium", "three.js")?;
    npm::install(Path::new(env!("CARGO_TARGET_TMPDIR")), &[("three", VERSION)])
}

/// Has three.js draw all cases into a folder.
pub(crate) fn draw(package: &Path, folder: &Path, corpus: &Path, shots: &[Shot]) {
    let _ = std::fs::remove_dir_all(folder);
    std::fs::create_dir_all(folder).unwrap();
    let jobs: Vec<_> = CASES
        .iter()
        .zip(shots)
        .map(|(case, shot)| {
            let (camera, array) = (&shot.camera, |v: Vec3| v.to_array());
            json!({
                "name": case.name,
                "path": case.path,
                "clip": case.clip.map(|(index, _)| index),
                "time": shot.time,
                "size": SIZE,
                "camera": {
                    "eye": array(camera.eye()),
                    "right": array(camera.right()),
                    "up": array(camera.up()),
                    "back": array(camera.back()),
                    "fov": camera.fov(),
                },
            })
        })
        .collect();
    std::fs::write(folder.join("jobs.json"), serde_json::to_vec(&jobs).unwrap()).unwrap();
    let look = shots[0].look;
    assert!(shots.iter().all(|shot| shot.look == look), "all are lit alike");
    std::fs::write(folder.join("environment.hdr"), look.environment(256).to_hdr()).unwrap();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/comparison");
    npm::browse(package, &page, folder, corpus)
        .unwrap_or_else(|error| panic!("three.js did not draw: {error}"));
}

/// The picture of a case.
pub(crate) fn picture(folder: &Path, name: &str) -> Picture {
    let path = folder.join(format!("{name}-three.png"));
    sinew_image::decode(&Texture { image: Image::File(path), ..Texture::default() }).unwrap()
}
