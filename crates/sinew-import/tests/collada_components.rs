//! Channels that replace single components of matrices, as exporters of handheld games write them.

mod common;

use common::dae::{self, Bone, Channel};
use glam::{DMat4, DQuat, DVec3};
use proptest::prelude::*;
use sinew::{Character, Pose, Sampling, Transform, job};
use sinew_import::collada::RawClip;
use sinew_import::{EulerUnit, Imported, Limits, Options, SpaceMode, import, import_bytes};
use std::f64::consts::PI;
use std::path::Path;

fn options() -> Options {
    Options::default().with(|options| options.space = SpaceMode::Keep)
}

fn read(text: &str, options: &Options) -> Imported {
    import_bytes(text.as_bytes(), Path::new("test.dae"), options).unwrap_or_else(|e| panic!("{e}"))
}

/// `T * Rz * Ry * Rx * S`.
fn compose(translation: DVec3, degrees: DVec3, scale: DVec3) -> DMat4 {
    let r = DQuat::from_rotation_z(degrees.z.to_radians())
        * DQuat::from_rotation_y(degrees.y.to_radians())
        * DQuat::from_rotation_x(degrees.x.to_radians());
    DMat4::from_scale_rotation_translation(scale, r, translation)
}

fn linear(target: String, keys: &[[f64; 2]]) -> Channel<'static> {
    let (times, values) = (keys.iter().map(|k| k[0]).collect(), keys.iter().map(|k| k[1]).collect());
    Channel { target, times, values, width: 1, interpolation: "LINEAR" }
}

fn locals(character: &Character, clip: usize, time: f64) -> Pose {
    let skeleton = character.skeleton();
    let mut pose = skeleton.rest().clone();
    job::sample(skeleton, &character.clips().get(clip).unwrap(), time, Sampling::Interpolate, &mut pose)
        .unwrap();
    pose
}

fn models(character: &Character, pose: &Pose) -> Vec<sinew::Mat3x4> {
    let mut out = vec![sinew::Mat3x4::IDENTITY; pose.len()];
    job::local_to_model(character.skeleton().hierarchy(), pose.blocks(), &sinew::Mat3x4::IDENTITY, &mut out)
        .unwrap();
    out
}

/// Diagonal of the box around the joints at rest and in some poses.
fn diagonal(character: &Character, times: &[f64]) -> f32 {
    let mut points: Vec<_> =
        models(character, character.skeleton().rest()).iter().map(|m| m.translation()).collect();
    for &time in times {
        points.extend(models(character, &locals(character, 0, time)).iter().map(|m| m.translation()));
    }
    let low = points.iter().copied().reduce(|a, b| a.min(b)).unwrap();
    let high = points.iter().copied().reduce(|a, b| a.max(b)).unwrap();
    low.distance(high)
}

/// Largest error of a joint between two characters in a pose, relative to the diagonal.
fn difference(a: &Character, b: &Character, time: f64, diagonal: f32) -> f32 {
    let (model_a, model_b) = (models(a, &locals(a, 0, time)), models(b, &locals(b, 0, time)));
    assert_eq!(model_a.len(), model_b.len());
    let reach = 0.05 * diagonal;
    let points = [glam::Vec3::ZERO, glam::Vec3::X * reach, glam::Vec3::Y * reach, glam::Vec3::Z * reach];
    let errors = model_a
        .iter()
        .zip(&model_b)
        .flat_map(|(a, b)| points.map(|p| a.transform_point3(p).distance(b.transform_point3(p)) / diagonal));
    errors.fold(0.0, f32::max)
}

#[test]
fn a_quarter_turn_that_nothing_animates_stays() {
    let bind = compose(DVec3::new(0.0, 1.0, 0.0), DVec3::new(0.0, 0.0, 90.0), DVec3::ONE);
    let bone = Bone { name: "Waist".into(), matrix: dae::printed(bind, 6) };
    let keys = [[0.0, 0.0], [0.4, 35.0], [1.0, -70.0]];
    let channel = linear("Waist_bone_id/rotation.X".into(), &keys);
    let text = dae::document(&[&dae::animations(&[channel]), &dae::chain(&[bone])]);
    let imported = read(&text, &options());
    for step in 0..=100 {
        let time = f64::from(step) / 100.0;
        let angle = if time < 0.4 { 35.0 * time / 0.4 } else { 35.0 - 105.0 * (time - 0.4) / 0.6 };
        let expected = DQuat::from_rotation_z(PI / 2.0) * DQuat::from_rotation_x(f64::to_radians(angle));
        let got = locals(&imported.character, 0, time).get(0);
        let off = got.rotation.as_dquat().normalize().angle_between(expected);
        assert!(off < 1e-5, "off by {off} rad at {time}");
        assert_eq!(got.translation, glam::Vec3::Y);
    }
    assert!(imported.findings.iter().any(|f| f.id() == "collada.euler-unit"));
}

/// A chain with channels on some components, in the unit that is asked for.
fn creature(degrees_per_unit: f64) -> String {
    let mut bones = Vec::new();
    let mut channels = Vec::new();
    for i in 0..6 {
        let k = f64::from(i);
        let angles = DVec3::new(20.0 * k - 50.0, 70.0 - 25.0 * k, 15.0 * k);
        let at = DVec3::new(0.3 * k, 1.0, 0.1);
        let matrix = dae::printed(compose(at, angles, DVec3::new(1.0, 1.2, 0.9)), 9);
        bones.push(Bone { name: format!("B{i}"), matrix });
        let target = |what: &str| format!("B{i}_bone_id/{what}");
        let swing = |from: f64| [[0.0, from], [0.3 + 0.05 * k, from + 30.0], [1.0, from - 20.0]];
        let in_unit = |keys: [[f64; 2]; 3]| keys.map(|[t, v]| [t, v / degrees_per_unit]);
        channels.push(linear(target("rotation.X"), &in_unit(swing(angles.x))));
        if i % 2 == 0 {
            channels.push(linear(target("rotation.Z"), &in_unit(swing(angles.z))));
            channels.push(linear(target("translation.Y"), &[[0.0, 1.0], [1.0, 1.5]]));
        } else {
            channels.push(linear(target("scale.X"), &[[0.0, 1.0], [0.7, 1.3]]));
        }
    }
    dae::document(&[&dae::animations(&channels), &dae::chain(&bones)])
}

#[test]
fn degrees_and_radians_are_told_apart() {
    let degrees = read(&creature(1.0), &options());
    let radians = read(&creature(180.0 / PI), &options());
    let times: Vec<f64> = (0..=40).map(|i| f64::from(i) / 40.0).collect();
    let size = diagonal(&degrees.character, &times);
    for &time in &times {
        let error = difference(&degrees.character, &radians.character, time, size);
        assert!(error < 1e-4, "off by {error} at {time}");
    }
    let choice = |imported: &Imported| {
        let finding = imported.findings.iter().find(|f| f.id() == "collada.euler-unit").unwrap();
        (finding.message.contains("as degrees"), finding.measured.unwrap())
    };
    assert_eq!((choice(&degrees).0, choice(&radians).0), (true, false));
    assert!(choice(&degrees).1 < 0.01 && choice(&radians).1 < 0.01);
    // An explicit unit is used even if it is wrong.
    let wrong = read(&creature(1.0), &options().with(|options| options.euler_unit = EulerUnit::Radians));
    assert!(difference(&degrees.character, &wrong.character, 0.5, size) > 0.1);
}

#[test]
fn an_angle_member_is_always_degrees() {
    let bone = || Bone { name: "A".into(), matrix: dae::printed(DMat4::IDENTITY, 6) };
    // Without the name, angles this small would be taken for radians.
    let channel = linear("A_bone_id/rotateX.ANGLE".into(), &[[0.0, 0.0], [1.0, 3.0]]);
    let imported = read(&dae::document(&[&dae::animations(&[channel]), &dae::chain(&[bone()])]), &options());
    let rotation = locals(&imported.character, 0, 1.0).get(0).rotation.as_dquat();
    assert!(rotation.angle_between(DQuat::from_rotation_x(3f64.to_radians())) < 1e-6);
}

#[test]
fn a_node_of_another_unit_is_reported() {
    let mut text = creature(1.0);
    // One channel in radians among degrees: about as far from zero as the bind is.
    let bind = compose(DVec3::Y, DVec3::new(60.0, 0.0, 0.0), DVec3::ONE);
    let odd = Bone { name: "Odd".into(), matrix: dae::printed(bind, 9) };
    let channel = linear("Odd_bone_id/rotation.X".into(), &[[0.0, PI / 3.0], [1.0, 1.2]]);
    let scene = dae::chain(&[odd]);
    let node = &scene[scene.find("<node").unwrap()..scene.find("</visual_scene>").unwrap()];
    text = text.replace("</visual_scene>", &format!("{node}</visual_scene>"));
    let more = dae::animations(&[channel]).replace("a0", "odd");
    let inner = more.replace("<library_animations>", "").replace("</library_animations>", "");
    text = text.replace("</library_animations>", &format!("{inner}</library_animations>"));
    let imported = read(&text, &options());
    let finding = imported.findings.iter().find(|f| f.id() == "collada.euler-disagrees");
    assert_eq!(finding.map(|f| f.place.as_str()), Some("Odd"));
}

#[test]
fn another_order_is_noticed() {
    let mut bones = Vec::new();
    let mut channels = Vec::new();
    let rotation = |a: DVec3| {
        DQuat::from_rotation_x(a.x.to_radians())
            * DQuat::from_rotation_y(a.y.to_radians())
            * DQuat::from_rotation_z(a.z.to_radians())
    };
    for i in 0..4 {
        let angles = DVec3::new(40.0 + 10.0 * f64::from(i), -30.0, 55.0);
        let matrix = DMat4::from_rotation_translation(rotation(angles), DVec3::Y);
        bones.push(Bone { name: format!("B{i}"), matrix: dae::printed(matrix, 9) });
        for (axis, name) in ["X", "Y", "Z"].iter().enumerate() {
            let keys = [[0.0, angles[axis]], [1.0, angles[axis] + 25.0]];
            channels.push(linear(format!("B{i}_bone_id/rotation.{name}"), &keys));
        }
    }
    let imported = read(&dae::document(&[&dae::animations(&channels), &dae::chain(&bones)]), &options());
    let got = locals(&imported.character, 0, 1.0).get(2).rotation.as_dquat();
    assert!(got.angle_between(rotation(DVec3::new(85.0, -5.0, 80.0))) < 1e-5);
    let finding = imported.findings.iter().find(|f| f.id() == "collada.euler-unit").unwrap();
    assert!(finding.message.contains("order XYZ"), "{}", finding.message);
}

fn angle() -> impl Strategy<Value = f64> {
    prop_oneof![4 => -180.0..180.0f64, 1 => Just(90.0), 1 => Just(-90.0), 1 => Just(0.0), 1 => Just(180.0)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// Whatever branch, pole or mirrored scale a bind was written from, and though its text has six decimals only: channels that
    /// begin at the bind leave what they do not animate as it was.
    #[test]
    fn what_no_channel_animates_stays(
        x in angle(), y in angle(), z in angle(), animated in 1usize..8, mirror in any::<bool>(),
        scale in [0.5f64..2.0, 0.5..2.0, 0.5..2.0], swing in -80.0f64..80.0,
    ) {
        // Near but not at the pole six decimals do not tell the outer angles apart, whoever reads them.
        prop_assume!(y.to_radians().cos().abs() > 0.05 || y.to_radians().cos().abs() < 1e-12);
        let angles = DVec3::new(x, y, z);
        // At the pole only one angle is left of two: a curve that moves neither, or both, tells them apart.
        let at_pole = y.to_radians().cos().abs() < 1e-12;
        prop_assume!(!at_pole || animated & 0b101 != 0);
        let scale = DVec3::from_array(scale) * DVec3::new(if mirror { -1.0 } else { 1.0 }, 1.0, 1.0);
        let at = DVec3::new(1.0, 2.0, -0.5);
        let bone = Bone { name: "A".into(), matrix: dae::printed(compose(at, angles, scale), 6) };
        let mut end = angles;
        let mut channels = Vec::new();
        for (axis, name) in ["X", "Y", "Z"].iter().enumerate() {
            if animated & (1 << axis) != 0 {
                end[axis] += swing;
                let keys = [[0.0, angles[axis]], [1.0, end[axis]]];
                channels.push(linear(format!("A_bone_id/rotation.{name}"), &keys));
            }
        }
        let text = dae::document(&[&dae::animations(&channels), &dae::chain(&[bone])]);
        let imported = read(&text, &options().with(|options| options.euler_unit = EulerUnit::Degrees));
        for time in [0.0, 0.25, 0.5, 1.0] {
            let expected = compose(at, angles.lerp(end, time), scale);
            // What the source says: how closely keys follow it is another matter.
            let mut got = [Transform::IDENTITY];
            imported.evaluator.locals(0, time, &mut got);
            let got = got[0].to_affine();
            let error = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|p| {
                got.transform_point3(p.as_vec3()).as_dvec3().distance(expected.transform_point3(p))
            });
            prop_assert!(error.iter().all(|e| *e < 2e-5), "{error:?} at {time}");
        }
    }
}

/// One character as a file of components gives it, and the same with matrix channels in each spelling.
#[test]
fn all_spellings_give_the_same_poses() {
    let components = creature(1.0);
    let original = read(&components, &options());
    let skeleton = original.character.skeleton();
    let times: Vec<f64> = (0..=60).map(|i| f64::from(i) / 60.0).collect();
    let size = diagonal(&original.character, &times);
    let mut values = vec![Vec::new(); skeleton.len()];
    for &time in &times {
        let mut truth = vec![Transform::IDENTITY; skeleton.len()];
        original.evaluator.locals(0, time, &mut truth);
        for (values, t) in values.iter_mut().zip(truth) {
            let m = DMat4::from_scale_rotation_translation(
                t.scale.as_dvec3(),
                t.rotation.as_dquat(),
                t.translation.as_dvec3(),
            );
            values.extend(m.transpose().to_cols_array());
        }
    }
    for spelling in ["_bone_id", "_id", ""] {
        let channels: Vec<_> = (0..skeleton.len())
            .map(|joint| Channel {
                target: format!("B{joint}{spelling}/transform"),
                times: times.clone(),
                values: values[joint].clone(),
                width: 16,
                interpolation: "LINEAR",
            })
            .collect();
        let without = dae::without(&components, &["library_animations"]);
        let text = without.replace(
            "<library_visual_scenes>",
            &format!("{}<library_visual_scenes>", dae::animations(&channels)),
        );
        let matrices = read(&text, &options());
        assert!(matrices.findings.is_empty(), "{:?}", matrices.findings);
        for &time in &times {
            let error = difference(&original.character, &matrices.character, time, size);
            assert!(error < 1e-4, "`{spelling}`: off by {error} at {time}");
        }
    }
}

#[test]
fn clips_without_a_scene_bind_to_the_character() {
    let Some(corpus) = common::corpus("collada_components::clips_without_a_scene_bind_to_the_character")
    else {
        return;
    };
    let files = [
        "matrix_bare",
        "matrix_bone_id",
        "matrix_id",
        "component_degrees",
        "component_radians",
        "component_45_joints",
        "component_hermite",
        "component_mirrored",
        "component_other_branch",
    ];
    for space in [SpaceMode::Keep, SpaceMode::Canonical] {
        let options = options().with(|options| options.space = space);
        for file in files {
            let path = corpus.join("handheld").join(format!("{file}.dae"));
            let whole = import(&path, &options).unwrap_or_else(|e| panic!("{e}"));
            let text = std::fs::read_to_string(&path).unwrap();
            let bare = dae::without(
                &text,
                &["library_geometries", "library_controllers", "library_visual_scenes", "scene", "asset"],
            );
            assert!(!bare.contains("<node") && !bare.contains("<geometry") && bare.contains("<channel"));
            let clip = RawClip::parse(bare.as_bytes(), &Limits::default()).unwrap();
            let nodes = whole.clip_nodes.as_ref().unwrap();
            let bound = clip.bind(nodes, &options).unwrap();
            let character = whole.character.with_clips(sinew::ClipLibrary::new(bound.clips)).unwrap();
            let size = diagonal(&whole.character, &[0.0, 0.7, 1.4]);
            for step in 0..=28 {
                let time = f64::from(step) * 0.05;
                let error = difference(&whole.character, &character, time, size);
                assert!(error < 1e-4, "{file}: off by {error} at {time}");
            }
        }
    }
}
