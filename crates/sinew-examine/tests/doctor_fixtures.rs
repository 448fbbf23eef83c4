//! Each check reports its fixture, and nothing else does; it does not report the fixture just below the threshold.

mod common;

use common::{Pair, read};
use sinew::Finding;
use sinew_examine::doctor::{Report, Verdict, examine};
use sinew_findings::catalogue::examine as findings;
use sinew_import::Source;
use sinew_testkit::fixtures::doctor::{
    bind_scaled, bone_stretch, channels_matched, clean, clip_moves, duplicate_names, faster_than_its_feet,
    first_key_far_from_rest, influences, inside_out, inward_normals, joints, negative_scale,
    non_uniform_scale, rest_differs_from_bind, root_rotation, seam_position, seam_rotation, seam_speed,
    translation_ratio, travelling_root, unweighted_vertices, weight_sum,
};
use sinew_testkit::fixtures::{CHARACTER, Fixture};
use sinew_testkit::humanoid;

/// Findings, but for the note that every figure has: its material is of Phong's model.
fn ids(report: &Report) -> Vec<&'static str> {
    report.findings.iter().map(Finding::id).filter(|id| *id != "material.converted").collect()
}

fn examined(fixture: &Fixture) -> Report {
    let pair = Pair::of(fixture);
    let (character, clip) = pair.sources();
    examine(character, &[clip])
}

/// The fixture has exactly this finding, of about this size; the one just below the threshold has none.
fn check(id: &str, measured: impl Into<Option<f64>>, fixture: &Fixture, near_miss: &Fixture) {
    let report = examined(fixture);
    assert_eq!(ids(&report), [id], "{}: {:#?}", fixture.name, report.findings);
    if let Some(expected) = measured.into() {
        let got = report.findings.iter().find(|finding| finding.id() == id).unwrap().measured.unwrap();
        assert!((got - expected).abs() <= expected.abs() * 0.02, "{}: {got}, not {expected}", fixture.name);
    }
    let report = examined(near_miss);
    assert_eq!(ids(&report), [""; 0], "{}: {:#?}", near_miss.name, report.findings);
    assert!(report.consequences.is_empty());
}

/// Millimetres on the stick, which is 150 cm high, as doctor measures them on 180 cm.
fn scaled(centimetres: f64) -> f64 {
    centimetres * 10.0 * 1.8 / 1.5
}

#[test]
fn nothing_is_wrong_with_the_clean_stick() {
    let report = examined(&clean());
    assert_eq!(ids(&report), [""; 0], "{:#?}", report.findings);
    assert_eq!(report.verdict(), Verdict::Healthy);
    assert_eq!((report.tables[0].exact(), report.tables[0].total()), (10, 10));
    assert_eq!((report.files.len(), report.files[0].meshes, report.files[1].clips.len()), (2, 1, 1));
}

#[test]
fn names() {
    check("clip.no-matching-joints", None, &channels_matched(0), &clean());
    assert_eq!(ids(&examined(&channels_matched(1))), ["clip.channels-unmatched"]);
    check("clip.channels-unmatched", 60.0, &channels_matched(4), &channels_matched(10));
    let alike = duplicate_names("Foot", "Foot");
    check("clip.ambiguous-joints", None, &alike, &duplicate_names("Foot", "foot"));
    // Without a clip that would need them, equal names are only worth a warning.
    let character = read(CHARACTER, alike.file(CHARACTER));
    let report = examine(Source::new(CHARACTER, &character), &[]);
    assert_eq!(ids(&report), ["skeleton.duplicate-names"]);
    let consequences = examined(&alike).consequences;
    assert_eq!(
        (consequences[0].finding.id(), consequences[0].cause),
        ("skeleton.duplicate-names", "clip.ambiguous-joints")
    );
}

#[test]
fn motion() {
    check("clip.moves-nothing", None, &clip_moves(0.0), &clip_moves(0.1));
    check(
        "clip.first-key-far-from-rest",
        180.0,
        &first_key_far_from_rest(180.0),
        &first_key_far_from_rest(145.0),
    );
    check("clip.unit-mismatch", 100.0, &translation_ratio(100.0), &translation_ratio(20.0));
    check("clip.unit-mismatch", 100.0, &translation_ratio(0.01), &translation_ratio(0.05));
    check("clip.axis-mismatch", 90.0, &root_rotation(90.0), &root_rotation(72.0));
    check("clip.axis-mismatch", 90.0, &root_rotation(-90.0), &root_rotation(-72.0));
    check("clip.bone-stretch", 30.0, &bone_stretch(1.3), &bone_stretch(1.2));
}

#[test]
fn loops() {
    check("clip.travelling-root", scaled(140.0), &travelling_root(140.0), &travelling_root(1.5));
    check("clip.loop-seam", scaled(10.0), &seam_position(10.0), &seam_position(1.5));
    check("clip.loop-seam", None, &seam_rotation(20.0), &seam_rotation(5.0));
    check("clip.loop-speed", 300.0, &seam_speed(300.0), &seam_speed(160.0));
}

#[test]
fn skins() {
    check("skin.weights-not-one", 20.0, &weight_sum(0.8), &weight_sum(1.005));
    check("skin.unweighted-vertices", 5.0, &unweighted_vertices(5), &unweighted_vertices(0));
    check("skin.influences-dropped", 10.0, &influences(6, 0.05), &influences(4, 0.05));
    check("skin.influences-dropped", 30.0, &influences(10, 0.05), &influences(4, 0.05));
    check("skin.rest-differs-from-bind", None, &rest_differs_from_bind(20.0), &rest_differs_from_bind(0.4));
    check("skin.bind-mismatch", 1.5, &bind_scaled(1.5), &bind_scaled(1.004));
}

#[test]
fn surfaces() {
    check("mesh.normals-inwards", 100.0, &inward_normals(100), &inward_normals(30));
    check("mesh.normals-inwards", 100.0, &inside_out(100), &inside_out(0));
}

#[test]
fn skeletons() {
    check("skeleton.joints-over-72", 73.0, &joints(73), &joints(72));
    let report = examined(&joints(257));
    assert_eq!(ids(&report), ["skeleton.joints-over-256"]);
    assert_eq!(report.consequences.len(), 1);
    assert_eq!(ids(&examined(&joints(256))), ["skeleton.joints-over-72"]);
    check("skeleton.negative-scale", -1.0, &negative_scale(-1.0), &negative_scale(1.0));
    check("skeleton.non-uniform-scale", 1.5, &non_uniform_scale(1.5), &non_uniform_scale(1.03));
}

/// The walk goes 140 cm while its feet step, and its toes stand from 9 % to 60 % of the cycle.
#[test]
fn feet_that_slide() {
    let slide = |ratio: f64| {
        let report = examined(&faster_than_its_feet(ratio));
        let found = report.findings.iter().find(|finding| finding.id() == findings::FOOT_SLIDE.id);
        found.map(|finding| (finding.count, finding.measured.unwrap()))
    };
    for ratio in [1.15, 1.2, 0.85] {
        // From when a foot is flat to when its toes leave, by the gait's own numbers.
        let made = f64::abs(ratio - 1.0) * 1400.0 * (0.6 - 0.09);
        let (count, measured) = slide(ratio).unwrap();
        assert!(count == 2 && f64::abs(measured / made - 1.0) < 0.15, "{ratio}: {measured} of {made}");
    }
    assert_eq!((slide(1.0), slide(1.07)), (None, None));
}

/// A whole character with its motions is healthy; its walk and run travel, which is worth a note.
#[test]
fn the_humanoid_is_healthy() {
    let files: Vec<_> =
        humanoid::files().iter().map(|(name, bytes)| (name.clone(), read(name, bytes))).collect();
    let sources: Vec<_> = files.iter().map(|(name, imported)| Source::new(name, imported)).collect();
    let report = examine(sources[0], &sources[1..]);
    assert_eq!(report.verdict(), Verdict::Healthy, "{:#?}", report.findings);
    let own: Vec<_> = report.findings.iter().filter(|f| findings::ALL.contains(&f.kind)).collect();
    let places: Vec<_> = own.iter().map(|f| (f.id(), f.place.as_str())).collect();
    let id = findings::TRAVELLING_ROOT.id;
    assert_eq!(places, [(id, "run.fbx: run"), (id, "walk.fbx: walk")], "{own:#?}");
    // What the importer notes is true of these files: Mixamo's empty take and its name for every take, and vertices of
    // rings that no face uses.
    let noted = ["clip.empty-take", "clip.renamed", "mesh.loose-vertices", "material.converted"];
    let others = report.findings.iter().filter(|f| !findings::ALL.contains(&f.kind));
    assert!(others.into_iter().all(|f| noted.contains(&f.id())), "{:#?}", report.findings);
    assert!(report.tables.iter().all(|table| table.matched() == table.total()));
}
