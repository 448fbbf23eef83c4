//! `sinew render` and `sinew diff` through the command line: files, the position of the character in the picture, errors.

#![cfg(feature = "render")]
#![allow(clippy::print_stderr, reason = "a skipped test says so")]

mod common;

use common::{can_draw, picture, sinew, text};
use serde_json::Value;
use sinew_render::Picture;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Runs `sinew` with `--json`, which must succeed.
fn json(folder: &Path, arguments: &[&str]) -> Value {
    let output = sinew(folder, &[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", text(&output.stdout)))
}

/// A folder with the humanoid's files and the creature's folder.
fn cast() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    sinew_testkit::humanoid::write_to(folder.path()).expect("files are written");
    let style = sinew_testkit::creature::Style::default();
    sinew_testkit::creature::write_to(&folder.path().join("creature"), &style).expect("files are written");
    folder
}

/// Names of what lies in a folder, hidden files too.
fn listing(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    let mut names: Vec<String> = entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Frames of a GIF: how many, and how long each is shown, in hundredths of a second.
fn gif_delays(path: &Path) -> Vec<u16> {
    let mut decoder = gif::DecodeOptions::new().read_info(std::fs::File::open(path).unwrap()).unwrap();
    let mut delays = Vec::new();
    while let Some(frame) = decoder.next_frame_info().unwrap() {
        delays.push(frame.delay);
    }
    delays
}

/// Number of frames that an animated PNG says it has.
fn apng_frames(path: &Path) -> u32 {
    let bytes = std::fs::read(path).unwrap();
    let at = bytes.windows(4).position(|chunk| chunk == b"acTL").expect("it is animated") + 4;
    u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap())
}

#[test]
fn animations_have_the_frames_of_their_clip() {
    if !can_draw("animations_have_the_frames_of_their_clip") {
        return;
    }
    let folder = cast();
    let small = ["--size", "96x96"];
    let idle = ["render", "creature", "--clip", "battlewait01_loop", "-o", "idle.gif", "--fps", "10"];
    let told = json(folder.path(), &[&idle[..], &small].concat());
    assert_eq!((&told["frames"], &told["fps"]), (&20.into(), &10.0.into()), "two seconds: {told}");
    assert_eq!(gif_delays(&folder.path().join("idle.gif")), [10; 20]);

    let walk = ["render", "hero.fbx", "walk.fbx", "-o", "walk.apng", "--in-place"];
    let told = json(folder.path(), &[&walk[..], &small].concat());
    let frames = (32.0f64 / 30.0 * 25.0).round() as u32;
    assert_eq!(told["frames"], frames);
    assert_eq!(apng_frames(&folder.path().join("walk.apng")), frames);
}

/// Takes a picture on plain green without ground, and says which part of its height the character takes and where joints are.
fn look(folder: &Path, arguments: &[&str]) -> (f32, Value) {
    let out = folder.join("look.png");
    let more = ["-o", "look.png", "--size", "240x240", "--background", "#00ff00", "--no-ground"];
    let told = json(folder, &[&["render"], arguments, &more].concat());
    let shot = picture(&out);
    let (first, last) =
        shot.differing_rows(&Picture::new(240, 240, [0, 255, 0, 255]), 30).expect("it is seen");
    assert!(first > 0 && last < 239, "nothing is cut off");
    ((last + 1 - first) as f32 / 240.0, told)
}

/// Height of a joint in a picture, in pixels from its top.
fn height(told: &Value, name: &str) -> f64 {
    let joints = told["joints"].as_array().expect("joints");
    let joint = joints.iter().find(|joint| joint["name"] == name).unwrap_or_else(|| panic!("no {name}"));
    joint["at"][1].as_f64().unwrap()
}

fn stands(told: &Value, head: &str, hips: &str, feet: [&str; 2]) {
    let (head, hips) = (height(told, head), height(told, hips));
    assert!(head < hips, "head {head} above hips {hips}");
    for foot in feet {
        assert!(hips < height(told, foot), "hips {hips} above {foot}");
    }
}

#[test]
fn the_character_fills_the_picture_upright() {
    if !can_draw("the_character_fills_the_picture_upright") {
        return;
    }
    let folder = cast();
    let human = |name: &str| format!("mixamorig:{name}");
    for camera in ["front", "side", "three-quarter", "-120,30"] {
        let (filled, told) = look(
            folder.path(),
            &[
                "hero.fbx",
                "idle.fbx",
                "walk.fbx",
                "--clip",
                "walk",
                "--time",
                "0.3",
                "--in-place",
                "--camera",
                camera,
            ],
        );
        assert!((0.6..0.95).contains(&filled), "{camera}: {filled}");
        let [head, hips, left, right] = ["Head", "Hips", "LeftFoot", "RightFoot"].map(human);
        stands(&told, &head, &hips, [&left, &right]);
        assert_eq!(told["time"], 0.3);
    }
    let (filled, told) = look(folder.path(), &["creature", "--time", "1"]);
    assert!((0.6..0.95).contains(&filled), "{filled}");
    stands(&told, "Head", "Waist", ["LFoot", "RFoot"]);
    let (filled, told) = look(folder.path(), &["hero.fbx"]);
    assert!(filled > 0.5 && told["time"].is_null() && told["clips"].as_array().unwrap().is_empty());
}

#[test]
fn a_sheet_has_all_clips() {
    if !can_draw("a_sheet_has_all_clips") {
        return;
    }
    let folder = cast();
    let sheet = |more: &[&str]| {
        let base = ["render", "creature", "--sheet", "--frames", "3", "--size", "48x40", "-o", "sheet.png"];
        let told = json(folder.path(), &[&base[..], more].concat());
        (told, picture(&folder.path().join("sheet.png")).size())
    };
    let (told, all) = sheet(&[]);
    assert_eq!((told["clips"].as_array().unwrap().len(), &told["frames"]), (18, &54.into()));
    assert!(all.0 > 3 * 48 && all.1 > 18 * 40, "{all:?}");
    let (told, one) = sheet(&["--clip", "Idle"]);
    assert_eq!(told["clips"], serde_json::json!(["clip_000"]), "by what it is for");
    assert_eq!(told["frames"], 3);
    assert!(one.1 < all.1 / 8, "one row: {one:?}");
    let huge = ["render", "creature", "--sheet", "--frames", "100", "--size", "4000x4000", "-o", "huge.png"];
    let output = sinew(folder.path(), &huge);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("choose smaller pictures"), "{}", text(&output.stderr));
}

#[test]
fn what_is_wrongly_asked_for_is_met_with_what_may_be_meant() {
    let folder = cast();
    let before = listing(folder.path());
    for (arguments, says) in [
        (&["-o", "a.png", "--overlay", "skeletn"][..], "did you mean `skeleton`?"),
        (&["-o", "a.png", "--overlay", "weights:LeftAmr"], "did you mean `mixamorig:LeftArm`?"),
        (&["-o", "a.png", "--clip", "wlak"], "did you mean `walk`?"),
        (&["-o", "a.bmp"], ".png"),
        (&["-o", "a"], ".gif"),
        (&["-o", "a.gif", "--sheet"], "write it as .png"),
        (&["-o", "a.gif", "--time", "1"], "--time is for .png"),
        (&["-o", "a.png", "--fps", "10"], "--fps is for animations"),
        (&["-o", "a.gif", "--fps", "60"], "at most 50 frames a second"),
        (&["-o", "a.png", "--sheet", "--time", "1"], "--sheet"),
        (&["-o", "a.png", "--frames", "4"], "--sheet"),
        (&["-o", "a.png", "--size", "640"], "640x480"),
        (&["-o", "a.png", "--camera", "above"], "three-quarter"),
        (&["-o", "a.png", "--background", "mauve"], "#rrggbb"),
        (&[], "--output"),
    ] {
        let output = sinew(folder.path(), &[&["render", "hero.fbx", "walk.fbx"], arguments].concat());
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {errors}");
        assert!(errors.contains(says), "{arguments:?}: {errors}");
    }
    let output = sinew(folder.path(), &["render", "hero.fbx", "-o", "a.gif"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("no clip"), "{}", text(&output.stderr));
    assert_eq!(listing(folder.path()), before, "nothing was written");
}

#[test]
fn a_missing_driver_is_told_with_what_to_install() {
    // A backend that this system does not have.
    let backend = if cfg!(target_os = "macos") { "dx12" } else { "metal" };
    let folder = cast();
    let before = listing(folder.path());
    let output = Command::new(env!("CARGO_BIN_EXE_sinew"))
        .current_dir(folder.path())
        .args(["render", "hero.fbx", "-o", "a.png"])
        .env("WGPU_BACKEND", backend)
        .output()
        .unwrap();
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{errors}");
    assert!(errors.contains("install") && errors.contains("mesa-vulkan-drivers"), "{errors}");
    assert_eq!(listing(folder.path()), before);
}

#[test]
fn a_picture_is_written_whole_or_not_at_all() {
    if !can_draw("a_picture_is_written_whole_or_not_at_all") {
        return;
    }
    let folder = cast();
    std::fs::create_dir(folder.path().join("taken.png")).unwrap();
    let before = listing(folder.path());
    for out in ["nowhere/a.png", "taken.png"] {
        let output = sinew(folder.path(), &["render", "hero.fbx", "-o", out, "--size", "32x32"]);
        assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains(out));
        assert!(output.stdout.is_empty());
    }
    assert_eq!(listing(folder.path()), before, "no remains");
}

#[test]
fn differences_are_found_and_named() {
    let folder = cast();
    let same = sinew(folder.path(), &["diff", "walk.fbx", "walk.fbx"]);
    assert_eq!(same.status.code(), Some(0), "{}", text(&same.stdout));
    assert!(text(&same.stdout).contains("within tolerance: at most 0.000 mm"));

    let other = sinew(folder.path(), &["diff", "walk.fbx", "run.fbx", "-o", "strip.png", "--json"]);
    assert_eq!(other.status.code(), Some(1));
    let told: Value = serde_json::from_slice(&other.stdout).unwrap();
    assert_eq!((&told["within"], &told["worst"]["clip"]), (&false.into(), &"walk".into()));
    assert!(told["worst"]["worst"]["millimetres"].as_f64().unwrap() > 500.0, "a run goes farther: {told}");
    let strip = picture(&folder.path().join("strip.png"));
    assert!(strip.height() > 65 * 8 && strip.width() > 300, "{:?}", strip.size());

    let far = sinew(folder.path(), &["diff", "walk.fbx", "run.fbx", "--tolerance", "1e6"]);
    assert_eq!(far.status.code(), Some(1), "near enough, but not of one length");
    assert!(text(&far.stdout).contains("clips of different length"), "{}", text(&far.stdout));
    let only = |clip| sinew(folder.path(), &["diff", "creature", "creature", "--clip", clip]);
    assert_eq!(only("clip_00").status.code(), Some(2));
    let error = text(&only("clip_00").stderr);
    assert!(error.contains("did you mean `clip_000`?"), "{error}");
    let idle = text(&only("Idle").stdout);
    assert!(idle.contains("clip_000") && !idle.contains("clip_002"), "only that: {idle}");
    let others = sinew_testkit::fixtures::doctor::channels_matched(0);
    std::fs::write(folder.path().join("stranger.fbx"), others.file("clip.fbx")).unwrap();
    let stranger = sinew(folder.path(), &["diff", "walk.fbx", "stranger.fbx"]);
    assert_eq!(stranger.status.code(), Some(2));
    assert!(text(&stranger.stderr).contains("no joint in common"), "{}", text(&stranger.stderr));
}

#[test]
fn compiled_characters_look_as_their_sources_do() {
    if !can_draw("compiled_characters_look_as_their_sources_do") {
        return;
    }
    let folder = cast();
    let convert = |sources: &[&str], out: &str| {
        let output = sinew(folder.path(), &[&["convert"], sources, &["-o", out]].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
    };
    let shot = |sources: &[&str]| {
        let how = ["--clip", "Walk", "--time", "0.4", "--size", "120x120", "-o", "shot.png"];
        json(folder.path(), &[&["render"], sources, &how].concat());
        picture(&folder.path().join("shot.png"))
    };
    for sources in [&["hero.fbx", "idle.fbx", "walk.fbx"][..], &["creature"]] {
        let from_sources = shot(sources);
        for compiled in ["compiled.sinew", "compiled.glb"] {
            convert(sources, compiled);
            let difference = shot(&[compiled]).mean_difference(&from_sources);
            assert!(difference < 0.5, "{compiled} of {sources:?}: {difference}");
        }
        let verified = sinew(folder.path(), &[&["verify", "compiled.sinew"], sources].concat());
        assert!(verified.status.success(), "{}", text(&verified.stderr));
    }
}

#[test]
fn a_clip_that_cannot_be_read_is_no_hindrance_to_the_others() {
    if !can_draw("a_clip_that_cannot_be_read_is_no_hindrance_to_the_others") {
        return;
    }
    let folder = cast();
    std::fs::write(folder.path().join("creature/animations/clip_000.dae"), "broken").unwrap();
    let small = ["--size", "48x48", "-o", "x.png"];
    let other = sinew(folder.path(), &[&["render", "creature", "--clip", "Attack1"], &small[..]].concat());
    assert!(other.status.success(), "{}", text(&other.stderr));
    let same = sinew(folder.path(), &[&["render", "creature", "--clip", "Idle"], &small[..]].concat());
    assert_eq!(same.status.code(), Some(2));
    let sheet = ["render", "creature", "--sheet", "--frames", "2", "--json"];
    let sheet = sinew(folder.path(), &[&sheet, &small[..]].concat());
    assert_eq!(sheet.status.code(), Some(1), "all but one");
    assert!(text(&sheet.stderr).contains("clip_000"), "{}", text(&sheet.stderr));
    let told: Value = serde_json::from_slice(&sheet.stdout).unwrap();
    assert_eq!(told["clips"].as_array().unwrap().len(), 17);

    std::fs::write(folder.path().join("nothing.gltf"), r#"{"asset":{"version":"2.0"}}"#).unwrap();
    let nothing = sinew(folder.path(), &[&["render", "nothing.gltf"], &small[..]].concat());
    assert_eq!(nothing.status.code(), Some(2));
    assert!(text(&nothing.stderr).contains("neither a mesh nor a joint"), "{}", text(&nothing.stderr));
}

/// Two builds that differ in one clip: the second path knows by how much.
#[test]
fn a_difference_has_its_true_size() {
    let folder = cast();
    let text = std::fs::read_to_string(folder.path().join("creature/animations/clip_000.dae")).unwrap();
    let copy = folder.path().join("copy");
    sinew_testkit::creature::write_to(&copy, &sinew_testkit::creature::Style::default()).unwrap();
    assert_eq!(std::fs::read_to_string(copy.join("animations/clip_000.dae")).unwrap(), text);
    std::fs::remove_file(copy.join("animations/clip_000.dae")).unwrap();
    std::fs::copy(copy.join("animations/clip_008.dae"), copy.join("animations/clip_000.dae")).unwrap();
    let output = sinew(folder.path(), &["diff", "creature", "copy", "--json"]);
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let series = told["series"].as_array().unwrap();
    let apart: Vec<&Value> =
        series.iter().filter(|s| s["worst"]["millimetres"].as_f64().unwrap() > 1.0).collect();
    assert_eq!(apart.len(), 1, "only the first clip: {told}");
    let worst = &apart[0]["worst"];
    let (joint, time) = (worst["joint"].as_str().unwrap(), worst["time"].as_f64().unwrap());
    let place = |motion, time: f64| {
        let truth = &sinew_testkit::creature::truth(motion, &[time])[0];
        let found = truth.joints.iter().find(|(name, _)| name == joint).unwrap();
        found.1.w_axis.truncate() * 1e3
    };
    use sinew_testkit::creature::Motion;
    let (a, b) = (place(Motion::Idle, time.min(2.0)), place(Motion::Sleep, time.min(3.2)));
    let told = worst["millimetres"].as_f64().unwrap();
    // The points beside the joint may be up to twice their distance farther apart.
    assert!(told >= a.distance(b) - 0.5 && told < a.distance(b) + 30.0, "{told} against {}", a.distance(b));
}

fn corpus(test: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("SINEW_CORPUS").filter(|f| !f.is_empty());
    if folder.is_none() {
        eprintln!("SINEW-SKIP: {test}: corpus not set");
    }
    folder.map(PathBuf::from)
}

/// Real characters; their pictures are looked at here and not kept.
#[test]
fn real_characters_stand_upright_in_their_pictures() {
    const TEST: &str = "real_characters_stand_upright_in_their_pictures";
    let Some(corpus) = corpus(TEST) else { return };
    if !can_draw(TEST) {
        return;
    }
    let mixamo =
        |prefix: &str| ["Head", "Hips", "LeftFoot", "RightFoot"].map(|name| format!("{prefix}{name}"));
    let fox = ["b_Head_05", "b_Hip_01", "b_LeftFoot01_017", "b_RightFoot01_021"].map(str::to_owned);
    for (file, joints) in [
        ("three/fbx/Samba_Dancing.fbx", mixamo("mixamorig:")),
        ("khronos/Fox/glTF-Binary/Fox.glb", fox),
        ("three/gltf/Soldier.glb", mixamo("mixamorig:")),
        ("three/collada/stormtrooper/stormtrooper.dae", mixamo("mixamorig:")),
    ] {
        let path = corpus.join(file);
        let folder = tempfile::tempdir().unwrap();
        let path = path.display().to_string();
        let (filled, told) =
            look(folder.path(), &[&path, "--camera", "front", "--in-place", "--time", "0.5"]);
        assert!((0.6..0.95).contains(&filled), "{file}: {filled}");
        let [head, hips, left, right] = &joints;
        stands(&told, head, hips, [left, right]);

        let shot = ["render", &path, "-o", "clip.gif", "--fps", "4", "--size", "64x64"];
        let told = json(folder.path(), &shot);
        let pose = json(folder.path(), &["pose", &path]);
        let duration = pose["clips"][0]["duration"].as_f64().unwrap();
        let frames = (duration * 4.0).round().max(1.0) as usize;
        assert_eq!(told["frames"], frames, "{file}: {duration} s");
        assert_eq!(gif_delays(&folder.path().join("clip.gif")).len(), frames, "{file}");
    }
}
