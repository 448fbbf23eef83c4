//! Clips of quirk files on the character that they were made for: every joint must be where the testkit's own mathematics put it.

mod common;

use common::Pair;
use glam::{Affine3, DMat4, DVec3};
use sinew::{Character, Clip, Sampling, Severity, job};
use sinew_build::doctor::examine;
use sinew_build::{MergedCharacter, merge_all};
use sinew_testkit::fixtures::quirks::{
    centimetre_clip, curves_past_take, metre_clip, pivots, pre_rotation, prefix, scale_not_inherited,
    second_root, several_takes, shuffled, tangents, without_skin, z_up_clip,
};
use sinew_testkit::fixtures::stick::TAKE;
use sinew_testkit::fixtures::{Fixture, Truth, doctor};

/// Diagonal of the stick in metres, and how much of it import may be off by.
const DIAGONAL: f64 = 1.9;
const TOLERANCE: f64 = 2.5e-5;

fn merged(fixture: &Fixture) -> MergedCharacter {
    let pair = Pair::of(fixture);
    let (character, clip) = pair.sources();
    match merge_all(character, &[clip]) {
        Ok(merged) => merged,
        Err(error) => panic!("{}: {error}", fixture.name),
    }
}

fn models(character: &Character, clip: &Clip, time: f64) -> Vec<Affine3> {
    let skeleton = character.skeleton();
    let mut pose = skeleton.rest().clone();
    let mut models = vec![Affine3::IDENTITY; skeleton.len()];
    job::sample(skeleton, clip, time, Sampling::Interpolate, &mut pose).unwrap();
    job::local_to_model(skeleton.parents(), pose.blocks(), &Affine3::IDENTITY, &mut models).unwrap();
    models
}

/// The largest distance of a joint's origin, and of the points at a twentieth of the diagonal along its axes, from the truth.
fn error(character: &Character, clip: &Clip, truth: &Truth) -> f64 {
    let models = models(character, clip, truth.time - clip.source_start());
    let distance = |(name, expected): &(String, DMat4)| {
        // A scale that children do not inherit is on a helper.
        let joint = character.skeleton().find(&format!("{name}$scale")).or(character.skeleton().find(name));
        let joint = joint.unwrap_or_else(|| panic!("no joint `{name}`"));
        let got = models[usize::from(joint)].as_daffine3();
        let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|axis| axis * 0.05 * DIAGONAL);
        points
            .into_iter()
            .map(|p| got.transform_point3(p).distance(expected.transform_point3(p)))
            .fold(0.0, f64::max)
    };
    truth.joints.iter().map(distance).fold(0.0, f64::max)
}

#[test]
fn clips_of_quirk_files_play_as_they_were_made() {
    for fixture in [
        without_skin(),
        shuffled(),
        prefix(),
        metre_clip(),
        centimetre_clip(),
        z_up_clip(),
        pre_rotation(),
        pivots(),
        second_root(),
        scale_not_inherited(),
        several_takes(),
        curves_past_take(),
        tangents(),
    ] {
        let merged = merged(&fixture);
        assert!(!fixture.truth.is_empty());
        for truth in &fixture.truth {
            let clip = merged.character.clips().by_name(&truth.take).unwrap();
            let error = error(&merged.character, &clip, truth);
            assert!(error < TOLERANCE * DIAGONAL, "{} at {} s: {error} m", fixture.name, truth.time);
        }
        let table = &merged.tables[0];
        assert_eq!(table.matched(), table.total(), "{}", fixture.name);
        assert_eq!(table.prefix() == table.total(), fixture.name == "prefix", "{}", fixture.name);
        assert!(merged.findings.is_empty(), "{}: {:?}", fixture.name, merged.findings);
    }
}

/// Nothing is wrong with a quirk: none makes doctor complain of more than what the file does on purpose.
#[test]
fn quirks_are_healthy() {
    for fixture in
        [without_skin(), shuffled(), prefix(), metre_clip(), centimetre_clip(), z_up_clip(), pre_rotation()]
    {
        let pair = Pair::of(&fixture);
        let (character, clip) = pair.sources();
        let report = examine(character, &[clip]);
        assert!(report.findings.is_empty(), "{}: {:#?}", fixture.name, report.findings);
    }
    for fixture in sinew_testkit::fixtures::quirks::all() {
        let pair = Pair::of(&fixture);
        let (character, clip) = pair.sources();
        let report = examine(character, &[clip]);
        assert_eq!(report.count(Severity::Error), 0, "{}: {:#?}", fixture.name, report.findings);
    }
}

#[test]
fn a_clip_of_another_skeleton_is_refused_with_a_finding() {
    let merged = merged(&doctor::channels_matched(0));
    assert_eq!(merged.character.clips().len(), 0);
    assert_eq!(merged.findings.iter().map(|f| f.id()).collect::<Vec<_>>(), ["clip.no-matching-joints"]);
    assert_eq!((merged.tables[0].unmatched(), merged.tables[0].total()), (10, 10));
}

#[test]
fn one_matching_joint_is_enough() {
    let merged = merged(&doctor::channels_matched(1));
    assert_eq!(merged.character.clips().names().collect::<Vec<_>>(), [TAKE]);
    assert_eq!(merged.tables[0].exact(), 1);
}
