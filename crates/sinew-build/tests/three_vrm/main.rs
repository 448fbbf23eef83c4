//! VRM and VRMA as another program sees them: the testkit's files, and what is written here, loaded and played by three-vrm in headless Chromium.

#![allow(clippy::print_stdout, reason = "skip notes and the table are for whoever runs the test")]

use glam::{DMat4, DQuat, DVec3};
use serde_json::{Value, json};
use sinew::{Mat3x4, Pose, job};
use sinew_build::vrma::write_vrma;
use sinew_import::{Imported, Options, import_bytes};
use sinew_testkit::vrm::{SECONDS, Version, animation, model, roles};
use sinew_testkit::{fbx, humanoid, npm};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const PACKAGES: [(&str, &str); 3] =
    [("@pixiv/three-vrm-animation", "3.5.5"), ("@pixiv/three-vrm", "3.5.5"), ("three", "0.187.0")];

/// Distance from where three-vrm has a joint, as a part of the figure's size.
const MOST: f64 = 1e-4;

fn install() -> Result<PathBuf, String> {
    npm::runs("chromium", "three-vrm")?;
    npm::install(Path::new(env!("CARGO_TARGET_TMPDIR")), &PACKAGES)
}

fn read(bytes: &[u8], name: &str) -> Imported {
    import_bytes(bytes, Path::new(name), &Options::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// Where each role is, and its model rotation.
type Places = BTreeMap<String, (DVec3, DQuat)>;

fn ours(imported: &Imported, pose: &Pose) -> Places {
    let skeleton = imported.character.skeleton();
    let mut models = vec![Mat3x4::IDENTITY; skeleton.len()];
    job::local_to_model(skeleton.hierarchy(), pose.blocks(), &Mat3x4::IDENTITY, &mut models).unwrap();
    let vrm = imported.source.vrm.as_deref().expect("it is VRM");
    let place = |(role, joint): &(String, u16)| {
        let model = &models[usize::from(*joint)];
        (role.clone(), (model.translation().as_dvec3(), DQuat::from_mat3(&model.matrix3().as_dmat3())))
    };
    vrm.roles.iter().map(place).collect()
}

fn theirs(bones: &Value) -> Places {
    let place = |(role, numbers): (&String, &Value)| {
        let numbers: Vec<f64> = numbers.as_array().unwrap().iter().map(|n| n.as_f64().unwrap()).collect();
        let model = DMat4::from_cols_slice(&numbers);
        (role.clone(), (model.w_axis.truncate(), DQuat::from_mat4(&model)))
    };
    bones.as_object().unwrap().iter().map(place).collect()
}

/// The largest distance of a joint, or of a point a twentieth of the size along one of its axes, relative to the size.
fn worst(a: &Places, b: &Places, size: f64) -> f64 {
    assert!(a.keys().eq(b.keys()), "{:?} {:?}", a.keys(), b.keys());
    let mut worst = 0.0f64;
    for (role, (place, turn)) in a {
        let (other, other_turn) = b[role];
        for reach in [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|axis| axis * 0.05 * size) {
            worst = worst.max((*place + *turn * reach).distance(other + other_turn * reach) / size);
        }
    }
    worst
}

/// Rotations relative to the rest, which differs between files.
fn from_rest(places: &Places, rest: &Places) -> Places {
    let turned = |(role, (place, turn)): (&String, &(DVec3, DQuat))| {
        (role.clone(), (*place, *turn * rest[role].1.conjugate()))
    };
    places.iter().map(turned).collect()
}

#[test]
fn three_vrm_shows_the_same_poses() {
    let package = match install() {
        Ok(package) => package,
        Err(reason) => {
            println!("SINEW-SKIP: three_vrm_shows_the_same_poses: {reason}");
            return;
        }
    };
    let dance = read(&animation(), "dance.vrma");
    let written = write_vrma(&dance.character, &dance.source).unwrap();
    assert!(written.findings.is_empty(), "{:?}", written.findings);
    // Roles that are found, and joints without roles between them.
    let walk = read(fbx::write(&humanoid::clip(humanoid::Motion::ALL[0])).as_bytes(), "walk.fbx");
    let walk = write_vrma(&walk.character, &walk.source).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let files = [
        ("zero.vrm", model(Version::V0)),
        ("one.vrm", model(Version::V1)),
        ("dance.vrma", animation()),
        ("written.vrma", written.bytes.clone()),
        ("walk.vrma", walk.bytes.clone()),
    ];
    for (name, bytes) in &files {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let times: Vec<f64> = (0..=20).map(|step| SECONDS * f64::from(step) / 20.0).collect();
    let pairs = ["zero.vrm", "one.vrm"]
        .into_iter()
        .flat_map(|model| ["dance.vrma", "written.vrma", "walk.vrma"].map(|clip| (model, clip)));
    let pairs: Vec<(&str, &str)> = pairs.collect();
    let jobs: Vec<Value> = pairs
        .iter()
        .map(|(model, clip)| json!({ "model": model, "animation": clip, "times": times }))
        .collect();
    std::fs::write(folder.path().join("jobs.json"), json!(jobs).to_string()).unwrap();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/three_vrm");
    npm::browse(&package, &page, folder.path(), folder.path()).unwrap_or_else(|error| panic!("{error}"));
    let results = std::fs::read(folder.path().join("results.json")).unwrap();
    let results: Vec<Value> = serde_json::from_slice(&results).unwrap();
    assert_eq!(results.len(), pairs.len());
    for ((model_name, clip_name), result) in pairs.iter().zip(&results) {
        let bytes = |name: &str| &files.iter().find(|(own, _)| *own == name).unwrap().1;
        let (body, motion) = (read(bytes(model_name), model_name), read(bytes(clip_name), clip_name));
        let size = f64::from(body.character.size());
        let rest = ours(&body, body.character.skeleton().rest());
        let their_rest = theirs(&result["rest"]);
        let at_rest = worst(&rest, &their_rest, size);
        assert!(at_rest < MOST, "{model_name} at rest: {at_rest:.1e}");
        let skeleton = motion.character.skeleton();
        let clip = motion.character.clips().get(0).unwrap();
        let motion_rest = ours(&motion, skeleton.rest());
        let mut most = 0.0f64;
        for (time, frame) in times.iter().zip(result["frames"].as_array().unwrap()) {
            let pose = Pose::of_clip(skeleton, &clip, *time).unwrap();
            let mut turns = from_rest(&ours(&motion, &pose), &motion_rest);
            let shown = from_rest(&theirs(&frame["bones"]), &their_rest);
            // The walk is of a figure with other proportions, and with joints in the chest that the model lacks: rotations of legs and trunk are compared.
            let same_body = *clip_name != "walk.vrma";
            let compared =
                |role: &str| same_body || role.contains("Leg") || ["hips", "spine", "chest"].contains(&role);
            turns.retain(|role, _| shown.contains_key(role) && compared(role));
            let mut shown: Places = shown.into_iter().filter(|(role, _)| turns.contains_key(role)).collect();
            if !same_body {
                turns.values_mut().chain(shown.values_mut()).for_each(|(place, _)| *place = DVec3::ZERO);
            } else {
                assert_eq!(turns.len(), roles().count());
                let happy = frame["happy"].as_f64().unwrap();
                assert!((happy - f64::from(pose.scalars()[0])).abs() < 1e-4, "{happy} at {time} s");
            }
            most = most.max(worst(&turns, &shown, size));
        }
        println!("{model_name} with {clip_name}: rest {at_rest:.1e}, poses {most:.1e} of D");
        assert!(most < MOST, "{model_name} with {clip_name}: {most:.1e}");
    }
}
