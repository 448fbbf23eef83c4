//! Clips of quirk files on the character that they were made for: the position of every joint and vertex must be that which
//! the testkit computes itself.

mod common;

use common::Pair;
use glam::{DMat4, DVec3};
use sinew::skinning::SkinnedVertices;
use sinew::{Character, Image, Mesh, Pose, Sampling, Severity, job};
use sinew_examine::doctor::examine;
use sinew_import::{MergedCharacter, TagTable, merge_all};
use sinew_testkit::fixtures::quirks::{
    self, centimetre_clip, metre_clip, mirrored_mesh, pre_rotation, prefix, shuffled, without_skin, z_up_clip,
};
use sinew_testkit::fixtures::stick::TAKE;
use sinew_testkit::fixtures::{Fixture, Truth, doctor};

/// Diagonal of the stick character in metres, and the largest error of import relative to it.
const DIAGONAL: f64 = 1.9;
const TOLERANCE: f64 = 2.5e-5;
/// Vertices may be farther from their joint than the points that joints are measured by.
const VERTEX_TOLERANCE: f64 = 1e-4;

fn merged(fixture: &Fixture) -> MergedCharacter {
    let pair = Pair::of(fixture);
    let (character, clip) = pair.sources();
    match merge_all(character, &[clip], &TagTable::default()) {
        Ok(merged) => merged,
        Err(error) => panic!("{}: {error}", fixture.name),
    }
}

/// The pose of a clip at a time of its file.
fn evaluate(merged: &MergedCharacter, clip: usize, time: f64) -> (Pose, Vec<sinew::Mat3x4>) {
    let skeleton = merged.character.skeleton();
    let time = time - merged.source.clip(clip).start;
    let clip = merged.character.clips().get(clip).unwrap();
    let mut pose = skeleton.rest().clone();
    let mut models = vec![sinew::Mat3x4::IDENTITY; skeleton.len()];
    job::sample(skeleton, &clip, time, Sampling::Interpolate, &mut pose).unwrap();
    job::local_to_model(skeleton.hierarchy(), pose.blocks(), &sinew::Mat3x4::IDENTITY, &mut models).unwrap();
    (pose, models)
}

/// The largest distance of a joint's origin, and of the points at a twentieth of the diagonal along its axes, from the truth.
fn error(merged: &MergedCharacter, clip: usize, truth: &Truth) -> f64 {
    let (_, models) = evaluate(merged, clip, truth.time);
    let character = &merged.character;
    let distance = |(name, expected): &(String, DMat4)| {
        // A scale that children do not inherit is on a helper.
        let joint = character
            .skeleton()
            .find_exact(&format!("{name}$scale"))
            .or(character.skeleton().find_exact(name));
        let joint = joint.unwrap_or_else(|| panic!("no joint `{name}`"));
        let got = models[usize::from(joint)].to_affine().as_daffine3();
        let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|axis| axis * 0.05 * DIAGONAL);
        points
            .into_iter()
            .map(|p| got.transform_point3(p).distance(expected.transform_point3(p)))
            .fold(0.0, f64::max)
    };
    truth.joints.iter().map(distance).fold(0.0, f64::max)
}

/// The largest distance of a deformed vertex from the truth, over all meshes.
fn vertex_error(merged: &MergedCharacter, clip: usize, truth: &Truth) -> f64 {
    let (pose, models) = evaluate(merged, clip, truth.time);
    let character = &merged.character;
    let skeleton = character.skeleton();
    let mut worst = 0.0f64;
    for (name, expected) in &truth.meshes {
        let on_node = |mesh: &Mesh| skeleton.name(mesh.joint) == name;
        let number = character.meshes().iter().position(on_node);
        let number = number.unwrap_or_else(|| panic!("no mesh on `{name}`"));
        let mesh = &character.meshes()[number];
        let mut matrices = vec![sinew::Mat3x4::IDENTITY; mesh.skin_matrix_count()];
        mesh.skin_matrices(&models, &mut matrices).unwrap();
        let mut out = SkinnedVertices::for_mesh(mesh);
        out.skin(mesh, &matrices, pose.scalars()).unwrap();
        for (position, &source) in out.positions.iter().zip(&merged.source.vertices[number]) {
            worst = worst.max(position.as_dvec3().distance(expected[source as usize]));
        }
    }
    worst
}

/// The clip of an expected result: by the name of its take, or of its file if the take has a generic name.
fn clip_of(character: &Character, truth: &Truth) -> usize {
    let stem = truth.file.trim_end_matches(".fbx");
    let clips = character.clips();
    clips.find(&truth.take).or_else(|| clips.find(stem)).unwrap()
}

#[test]
fn clips_of_quirk_files_play_as_they_were_made() {
    for fixture in quirks::all().iter().filter(|f| !f.name.contains("texture")) {
        let merged = merged(fixture);
        assert!(!fixture.truth.is_empty(), "{}", fixture.name);
        for truth in &fixture.truth {
            let clip = clip_of(&merged.character, truth);
            let place = format!("{} at {} s", fixture.name, truth.time);
            let joints = error(&merged, clip, truth);
            assert!(joints < TOLERANCE * DIAGONAL, "{place}: joints {joints} m");
            let vertices = vertex_error(&merged, clip, truth);
            // Of ten weights eight are kept, so those vertices differ from the result with all ten.
            if fixture.name != "ten_weights" {
                assert!(!truth.meshes.is_empty(), "{place}");
                assert!(vertices < VERTEX_TOLERANCE * DIAGONAL, "{place}: vertices {vertices} m");
            }
        }
        for table in &merged.tables {
            assert_eq!(table.matched(), table.total(), "{}", fixture.name);
            assert_eq!(table.prefix() == table.total(), fixture.name == "prefix", "{}", fixture.name);
        }
        assert!(merged.findings.is_empty(), "{}: {:?}", fixture.name, merged.findings);
    }
}

#[test]
fn textures_are_taken_from_inside_only() {
    let textures = |fixture: &Fixture| {
        let character = Pair::of(fixture).character;
        let outside = character.findings.iter().filter(|f| f.id() == "texture.outside").count();
        (character.character.textures()[0].image.clone(), outside)
    };
    let (image, outside) = textures(&quirks::embedded_texture());
    assert!(matches!(image, Image::Embedded(bytes) if bytes.starts_with(b"\x89PNG")));
    assert_eq!(outside, 0);
    assert_eq!(textures(&quirks::texture_outside()), (Image::Missing, 1));
}

#[test]
fn dropped_weights_are_reported() {
    let pair = Pair::of(&quirks::ten_weights());
    let dropped = pair.character.findings.iter().filter(|f| f.id() == "skin.influences-dropped");
    assert_eq!(dropped.count(), 1);
}

/// Quirks are valid: doctor reports only what a file has on purpose.
#[test]
fn quirks_are_healthy() {
    for fixture in [
        without_skin(),
        shuffled(),
        prefix(),
        metre_clip(),
        centimetre_clip(),
        z_up_clip(),
        pre_rotation(),
        mirrored_mesh(),
    ] {
        let pair = Pair::of(&fixture);
        let (character, clip) = pair.sources();
        let report = examine(character, &[clip]);
        // That a material is of Phong's model is true of all.
        let others = report.findings.iter().filter(|finding| finding.id() != "material.converted");
        assert_eq!(others.count(), 0, "{}: {:#?}", fixture.name, report.findings);
    }
    for fixture in quirks::all() {
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
