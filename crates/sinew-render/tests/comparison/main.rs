//! Materials as another renderer shows them: ten public models, drawn by three.js in headless Chromium from the same camera, at the same time,
//! lit by our environment image, with our tone mapping. The pictures lie side by side in `target/comparison`.

#![allow(clippy::print_stdout, reason = "skip notes and the table are for whoever runs the test")]

#[path = "../common/mod.rs"]
mod common;
mod measure;
mod three;

use measure::Measured;
use sinew::Image;
use sinew_import::{Options, import};
use sinew_render::{Camera, Color, Gpu, Look, Picture, Samples, Studio, StudioOptions, write_png};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Width and height of each picture.
const SIZE: u32 = 384;

/// Mean absolute difference over the silhouette, as a part of 255.
const MOST: f64 = 0.08;

/// A model of the corpus, and which clip is shown when.
struct Case {
    name: &'static str,
    path: &'static str,
    clip: Option<(usize, f64)>,
}

const CASES: [Case; 10] = [
    case("DamagedHelmet", "khronos/DamagedHelmet/glTF-Binary/DamagedHelmet.glb", None),
    case("Michelle", "three/gltf/Michelle.glb", Some((0, 4.0))),
    case("Soldier", "three/gltf/Soldier.glb", Some((1, 0.4))),
    case("Xbot", "three/gltf/Xbot.glb", Some((2, 0.3))),
    case("RobotExpressive", "three/gltf/RobotExpressive/RobotExpressive.glb", Some((0, 1.0))),
    case("Fox", "khronos/Fox/glTF-Binary/Fox.glb", Some((1, 0.3))),
    case("CesiumMan", "khronos/CesiumMan/glTF-Binary/CesiumMan.glb", Some((0, 0.8))),
    case("ChronographWatch", "khronos/ChronographWatch/glTF-WEBP/ChronographWatch.gltf", None),
    case("stormtrooper", "three/collada/stormtrooper/stormtrooper.dae", Some((0, 1.5))),
    case("Samba", "three/fbx/Samba_Dancing.fbx", Some((0, 4.0))),
];

const fn case(name: &'static str, path: &'static str, clip: Option<(usize, f64)>) -> Case {
    Case { name, path, clip }
}

/// Our picture of a case, and what another renderer needs to draw the same.
struct Shot {
    picture: Picture,
    camera: Camera,
    look: Look,
    /// Seconds in the source file.
    time: f64,
    /// Pictures of textures that are not beside the model, for which both renderers draw the same checker: what such a row compares is light and shape.
    missing: usize,
}

#[test]
fn pictures_are_as_three_js_draws_them() {
    const TEST: &str = "pictures_are_as_three_js_draws_them";
    let corpus = std::env::var_os("SINEW_CORPUS").filter(|folder| !folder.is_empty());
    let Some(corpus) = corpus.map(PathBuf::from) else {
        return println!("SINEW-SKIP: {TEST}: SINEW_CORPUS does not name the corpus");
    };
    let package = match three::install() {
        Ok(package) => package,
        Err(why) => return println!("SINEW-SKIP: {TEST}: {why}"),
    };
    let Some(gpu) = common::gpu(TEST) else { return };
    let shots: Vec<Shot> = CASES.iter().map(|case| shoot(&gpu, &corpus, case)).collect();
    let folder = common::golden::target_folder().join("comparison");
    three::draw(&package, &folder, &corpus, &shots);

    let mut wrong = Vec::new();
    println!("| model | mean difference | black tiles | textures |\n|---|---|---|---|");
    for (case, shot) in CASES.iter().zip(&shots) {
        let theirs = three::picture(&folder, case.name);
        let measured = Measured::of(&shot.picture, &theirs);
        let textures = match shot.missing {
            0 => "all there".to_owned(),
            missing => format!("{missing} not in the corpus: a checker on both sides"),
        };
        println!("| {} | {:.1} % | {} | {textures} |", case.name, measured.mean * 100.0, measured.black);
        let path = folder.join(format!("{}.png", case.name));
        write_png(&path, &side_by_side(&theirs, &shot.picture)).unwrap();
        if measured.mean > MOST || measured.black > 0 {
            wrong.push(format!("{}: {measured:?}, see {}", case.name, path.display()));
        }
    }
    assert!(wrong.is_empty(), "not as three.js draws them:\n{}", wrong.join("\n"));
}

fn shoot(gpu: &Gpu, corpus: &Path, case: &Case) -> Shot {
    let imported = import(&corpus.join(case.path), &Options::default()).unwrap();
    let mut options = StudioOptions::default();
    options.size = (SIZE, SIZE);
    options.background = Some(Color::TRANSPARENT);
    options.ground = false;
    options.samples = Samples::Four;
    let character = Arc::new(imported.character);
    let clip = case.clip.map(|(index, _)| character.clips().get(index).unwrap());
    let time = case.clip.map_or(0.0, |(_, time)| time);
    let start = case.clip.map_or(0.0, |(index, _)| imported.source.clip(index).start);
    let mut studio = Studio::new(gpu, &character, options).unwrap();
    let picture = studio.still(clip.as_ref(), time).unwrap();
    let (camera, look) = studio.last_view().unwrap();
    let missing = character.textures().iter().filter(|texture| texture.image == Image::Missing).count();
    Shot { picture, camera, look, time: start + time, missing }
}

/// Theirs, ours and the difference, on grey.
fn side_by_side(theirs: &Picture, ours: &Picture) -> Picture {
    measure::on_grey(theirs).compared(&measure::on_grey(ours))
}
