//! Clips against the source's own evaluator at times that are no keys: the tolerance must hold at any time.

#![allow(clippy::print_stdout, reason = "the worst errors are for whoever runs the tests")]

mod common;

use common::{corpus, diagonal, entries, joint_error};
use glam::{DAffine3, DMat4};
use sinew::{Character, Clip, NO_JOINT, Pose, Sampling, Transform, job};
use sinew_import::{Imported, InfluenceLimit, Options, Resample, SpaceMode, import};

/// Times looked at in each clip.
const TIMES: usize = 1000;
/// What single precision may add, relative to the distance from the origin: some roundings along a chain of joints.
const ROUNDING: f64 = 2e-6;

fn times(duration: f64) -> impl Iterator<Item = f64> {
    // Multiples of the golden ratio fall evenly and on no key.
    (1..=TIMES).map(move |i| (i as f64 * 0.618_033_988_749_895).fract() * duration)
}

/// Model matrices of the source, in double precision.
fn source(imported: &Imported, clip: usize, time: f64) -> Vec<DAffine3> {
    let skeleton = imported.character.skeleton();
    let mut locals = vec![Transform::IDENTITY; skeleton.len()];
    imported.evaluator.locals(clip, time, &mut locals);
    let mut models: Vec<DAffine3> = Vec::with_capacity(locals.len());
    for (local, &parent) in locals.iter().zip(skeleton.parents()) {
        let local = DAffine3::from_scale_rotation_translation(
            local.scale.as_dvec3(),
            local.rotation.as_dquat().normalize(),
            local.translation.as_dvec3(),
        );
        models.push(if parent == NO_JOINT { local } else { models[usize::from(parent)] * local });
    }
    models
}

/// Model matrices as a game computes them.
fn played(character: &Character, clip: &Clip, time: f64, pose: &mut Pose) -> Vec<sinew::Mat3x4> {
    let skeleton = character.skeleton();
    job::sample(skeleton, clip, time, Sampling::Interpolate, pose).unwrap();
    let mut models = vec![sinew::Mat3x4::IDENTITY; skeleton.len()];
    job::local_to_model(skeleton.hierarchy(), pose.blocks(), &sinew::Mat3x4::IDENTITY, &mut models).unwrap();
    models
}

/// Largest error of a clip beyond what rounding allows, relative to the diagonal; and where.
fn worst(imported: &Imported, index: usize, diagonal: f64) -> (f64, String) {
    let character = &imported.character;
    let clip = character.clips().get(index).unwrap();
    let mut pose = character.skeleton().rest().clone();
    let mut worst = (0.0, String::new());
    for time in times(f64::from(clip.duration())) {
        let played = played(character, &clip, time, &mut pose);
        for (joint, (source, played)) in source(imported, index, time).iter().zip(&played).enumerate() {
            let matrix = |m: &DAffine3| DMat4::from(*m);
            let error = joint_error(matrix(&played.to_affine().as_daffine3()), matrix(source), diagonal);
            let rounding = ROUNDING * (source.translation.length() + 0.05 * diagonal);
            let error = (error - rounding).max(0.0) / diagonal;
            if error > worst.0 {
                worst = (error, format!("joint `{}` at {time} s", &character.skeleton().names()[joint]));
            }
        }
        let mut truth = vec![0.0; pose.scalars().len()];
        imported.evaluator.scalars(index, time, &mut truth);
        for (truth, played) in truth.iter().zip(pose.scalars()) {
            assert!((truth - played).abs() < 2e-3, "scalar {truth} {played}");
        }
    }
    worst
}

/// The shorter way gives the same numbers but for their last bit: it differs by far less in double precision, which may round to the next number in single
/// precision.
fn evaluate_often(imported: &Imported, clip: usize) {
    let duration = f64::from(imported.character.clips().get(clip).unwrap().duration());
    let often = imported.evaluator.often(clip);
    let mut locals = [(); 2].map(|()| vec![Transform::IDENTITY; imported.character.skeleton().len()]);
    for time in times(duration).take(50) {
        imported.evaluator.locals(clip, time, &mut locals[0]);
        often(time, &mut locals[1]);
        for (own, often) in locals[0].iter().zip(&locals[1]) {
            let numbers = |local: &Transform| {
                let [t, s] = [local.translation, local.scale].map(|v| v.to_array());
                [&t[..], &local.rotation.to_array(), &s].concat()
            };
            // Small parts of a vector or rotation are rounded as the large ones are that they come from.
            let size = local_size(own);
            let is_same = |(a, b): (f32, f32)| (a - b).abs() <= f32::EPSILON * size;
            let mut pairs = numbers(own).into_iter().zip(numbers(often));
            assert!(pairs.all(is_same), "clip {clip} at {time} s: {own:?} {often:?}");
        }
    }
}

fn local_size(local: &Transform) -> f32 {
    local.translation.length().max(local.scale.abs().max_element()).max(1.0)
}

#[test]
fn clips_follow_their_source_at_any_time() {
    let Some(corpus) = corpus("clips_follow_their_source_at_any_time") else { return };
    let mut over = Vec::new();
    for entry in entries(&corpus, "fbx_") {
        let options = Options::default().with(|options| {
            options.space = SpaceMode::Keep;
            options.influences = InfluenceLimit::Eight;
        });
        let imported = import(&entry.path, &options).unwrap_or_else(|e| panic!("{e}"));
        let diagonal = diagonal(&entry.gold(&corpus), &[]);
        for index in 0..imported.character.clips().len() {
            evaluate_often(&imported, index);
            let (error, place) = worst(&imported, index, diagonal);
            println!("{:60} {error:.1e} {place}", entry.file);
            if error > Resample::TOLERANCE {
                over.push(format!("{}: {error:.2e}, {place}", entry.file));
            }
        }
    }
    assert!(over.is_empty(), "{}", over.join("\n"));
}
