//! What the importer makes of each quirk, against the truth that the files were written from.

use glam::{DMat4, DVec3};
use sinew::skinning::SkinnedVertices;
use sinew::{Interpolation, Pose, Sampling, Severity, job};
use sinew_import::{Imported, InfluenceLimit, Options, Resample, import_bytes};
use sinew_testkit::fixtures::{CHARACTER, CLIP, Fixture, Truth, quirks};
use std::path::Path;

/// About the size of the figures, in metres.
const DIAGONAL: f64 = 2.0;

fn read_with(fixture: &Fixture, file: &str, options: &Options) -> Imported {
    import_bytes(fixture.file(file), Path::new(file), options)
        .unwrap_or_else(|e| panic!("{}: {e}", fixture.name))
}

fn read(fixture: &Fixture, file: &str) -> Imported {
    read_with(fixture, file, &Options::default().with(|options| options.influences = InfluenceLimit::Eight))
}

fn ids(imported: &Imported) -> Vec<&'static str> {
    imported.findings.iter().map(|finding| finding.id()).collect()
}

fn bare(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

/// The pose that a truth is about, and its model matrices.
fn posed(imported: &Imported, truth: &Truth) -> (Pose, Vec<sinew::Mat3x4>) {
    let character = &imported.character;
    let skeleton = character.skeleton();
    let stem = truth.file.trim_end_matches(".fbx");
    let clips = character.clips();
    let number = clips.find(&truth.take).or_else(|| clips.find(stem)).unwrap();
    let clip = clips.get(number).unwrap();
    let mut pose = Pose::identity(skeleton.len(), skeleton.scalar_names().len());
    let time = truth.time - imported.source.clip(number).start;
    job::sample(skeleton, &clip, time, Sampling::Interpolate, &mut pose).unwrap();
    let mut models = vec![sinew::Mat3x4::IDENTITY; skeleton.len()];
    job::local_to_model(skeleton.hierarchy(), pose.blocks(), &sinew::Mat3x4::IDENTITY, &mut models).unwrap();
    (pose, models)
}

/// Largest distance of a vertex of the first mesh to where the truth has it.
fn vertex_error(imported: &Imported, truth: &Truth) -> f64 {
    let (pose, models) = posed(imported, truth);
    let mesh = &imported.character.meshes()[0];
    let mut matrices = vec![sinew::Mat3x4::IDENTITY; mesh.skin_matrix_count()];
    mesh.skin_matrices(&models, &mut matrices).unwrap();
    let mut skinned = SkinnedVertices::for_mesh(mesh);
    skinned.skin(mesh, &matrices, pose.scalars()).unwrap();
    let (_, points) = &truth.meshes[0];
    let distances = (0u32..).zip(&skinned.positions).map(|(vertex, position)| {
        position.as_dvec3().distance(points[imported.source.vertex(0, vertex) as usize])
    });
    distances.fold(0.0, f64::max)
}

/// Largest distance, over origin and points on the axes, between joints of a file and the truth about its take.
fn error(imported: &Imported, truth: &Truth) -> f64 {
    let skeleton = imported.character.skeleton();
    let is_helper = |joint: usize| imported.source.joints[joint].helper;
    let (_, models) = posed(imported, truth);
    let mut worst = 0.0f64;
    let mut compared = 0;
    for (joint, name) in skeleton.names().iter().enumerate().filter(|(j, _)| !is_helper(*j)) {
        let Some((_, want)) = truth.joints.iter().find(|(n, _)| bare(n) == bare(name)) else { continue };
        // The helper, where there is one, has the whole matrix of the node.
        let whole = (0..skeleton.len())
            .find(|&j| is_helper(j) && usize::from(skeleton.parents()[j]) == joint)
            .unwrap_or(joint);
        let got = DMat4::from(models[whole].to_affine().as_daffine3());
        for point in [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|axis| axis * 0.05 * DIAGONAL) {
            worst = worst.max(got.transform_point3(point).distance(want.transform_point3(point)));
        }
        compared += 1;
    }
    assert!(compared >= 10, "only {compared} joints were compared");
    worst
}

#[test]
fn joints_follow_the_take_of_their_own_file() {
    for fixture in quirks::all().iter().filter(|f| !f.truth.is_empty()) {
        for truth in &fixture.truth {
            let error = error(&read(fixture, &truth.file), truth);
            assert!(error < 1e-4 * DIAGONAL, "{} at {} s: off by {error} m", fixture.name, truth.time);
        }
    }
}

#[test]
fn empty_takes_are_dropped_and_generic_names_replaced() {
    let imported = read(&quirks::empty_take(), CLIP);
    assert_eq!(imported.character.clips().names().collect::<Vec<_>>(), ["clip"]);
    assert_eq!(ids(&imported), ["clip.empty-take", "clip.renamed"]);
    let several = read(&quirks::several_takes(), CLIP);
    assert_eq!(several.character.clips().len(), 3);
    assert_eq!(several.character.clips().names().nth(1), Some("nod"));
}

#[test]
fn clips_span_their_take() {
    let clip = |fixture: Fixture| read(&fixture, CLIP).character.clips().get(0).unwrap();
    let past = read(&quirks::curves_past_take(), CLIP);
    assert_eq!(past.source.clips[0].start, 0.5);
    let past = past.character.clips().get(0).unwrap();
    assert_eq!(past.duration(), 1.0);
    assert!(
        past.keys()
            .unwrap()
            .joints()
            .iter()
            .flat_map(|t| t.times().collect::<Vec<_>>())
            .all(|t| (0.0..=1.0).contains(&t))
    );
    let pose = clip(quirks::zero_duration());
    assert_eq!(pose.duration(), 0.0);
    assert!(pose.keys().unwrap().joints().iter().all(|tracks| tracks.times().all(|time| time == 0.0)));
    let single = clip(quirks::single_key());
    assert_eq!(single.duration(), 2.0);
    // Curves that hold a joint still are a key each, even where that is its rest.
    assert!(!single.keys().unwrap().joints().is_empty());
    assert!(
        single
            .keys()
            .unwrap()
            .joints()
            .iter()
            .filter_map(|t| t.rotation.as_ref())
            .all(|track| track.times() == [0.0])
    );
}

#[test]
fn steps_stay_steps() {
    let imported = read(&quirks::tangents(), CLIP);
    let clip = imported.character.clips().get(0).unwrap();
    let rotations = clip.keys().unwrap().joints().iter().filter_map(|tracks| tracks.rotation.as_ref());
    assert!(rotations.clone().any(|t| t.interpolation() == Interpolation::Step || has_jump(t.times())));
}

fn has_jump(times: &[f32]) -> bool {
    times.windows(2).any(|pair| pair[0] == pair[1])
}

#[test]
fn several_roots_and_scales_that_are_not_inherited() {
    let roots = read(&quirks::second_root(), CLIP);
    assert_eq!(roots.character.skeleton().roots().count(), 2);
    let scaled = read(&quirks::scale_not_inherited(), CLIP);
    let skeleton = scaled.character.skeleton();
    let helper = skeleton.find("Chest$scale").unwrap();
    assert!(scaled.source.joint(helper).helper);
    assert_eq!(skeleton.parent(helper), skeleton.find("Chest"));
    // What does not inherit hangs beside the helper.
    assert_eq!(skeleton.parent(skeleton.find("Head").unwrap()), skeleton.find("Chest"));
    assert!(ids(&scaled).contains(&"node.scale-helper"));
}

#[test]
fn each_mesh_has_the_bind_it_was_made_with() {
    let imported = read(&quirks::two_binds(), CHARACTER);
    let [body, coat] = imported.character.meshes() else { panic!("two meshes") };
    let (body, coat) = (body.skin.as_ref().unwrap(), coat.skin.as_ref().unwrap());
    let arm = imported.character.skeleton().find("LeftArm").unwrap();
    let bind = |skin: &sinew::Skin| {
        let slot = skin.joints.iter().position(|&j| j == arm).unwrap();
        skin.inverse_binds[slot]
    };
    assert!(!bind(body).to_affine().abs_diff_eq(bind(coat).into(), 0.1));
}

#[test]
fn all_skins_of_a_mesh_move_it() {
    for (fixture, shared) in [(quirks::two_skins(), false), (quirks::shared_skins(), true)] {
        let imported = read(&fixture, CHARACTER);
        assert_eq!(imported.character.meshes()[0].skin.as_ref().unwrap().joints.len(), 10, "bound once");
        for truth in &fixture.truth {
            let error = vertex_error(&imported, truth);
            assert!(error < 1e-4 * DIAGONAL, "{} at {} s: off by {error} m", fixture.name, truth.time);
        }
        let finding = imported.findings.iter().find(|finding| finding.id() == "skin.several");
        assert_eq!(finding.is_some(), shared, "{}", fixture.name);
        assert!(!ids(&imported).contains(&"skin.weights-not-one"));
    }
}

#[test]
fn weights_are_kept_strongest_first() {
    for (limit, kept) in [(InfluenceLimit::Four, 4), (InfluenceLimit::Eight, 8)] {
        let options = Options::default().with(|options| options.influences = limit);
        let imported = read_with(&quirks::ten_weights(), CHARACTER, &options);
        let mesh = &imported.character.meshes()[0];
        assert_eq!(mesh.influences.per_vertex, kept);
        assert!(mesh.influences.weights.chunks(kept).all(|w| w.is_sorted_by(|a, b| a >= b)));
        let lost = imported.findings.iter().find(|f| f.id() == "skin.influences-dropped").unwrap();
        let best: usize = (0..kept).map(|k| 10 - k).sum();
        assert!((lost.measured.unwrap() - (1.0 - best as f64 / 55.0) * 100.0).abs() < 1e-6);
    }
}

#[test]
fn a_prop_hangs_on_its_node() {
    let imported = read(&quirks::prop_on_hand(), CHARACTER);
    let prop = imported.character.meshes().iter().find(|mesh| mesh.skin.is_none()).unwrap();
    assert_ne!(prop.joint, sinew::NO_JOINT);
    assert!(prop.influences.skin_joints.is_empty());
}

#[test]
fn source_keys_alone_are_on_request() {
    let keys = Options::default().with(|options| options.resample = Resample::Keys);
    let fixture = quirks::tangents();
    let count = |options: &Options| {
        read_with(&fixture, CLIP, options).character.clips().get(0).unwrap().keys().unwrap().count()
    };
    assert!(count(&keys) < count(&Options::default()));
}

#[test]
fn every_limit_is_an_error_that_names_it() {
    let error = |fixture: &Fixture, file: &str, name: &str, limit: u64| {
        let options = Options::default().with(|options| options.limits.set(name, limit).unwrap());
        let error = import_bytes(fixture.file(file), Path::new("hero.fbx"), &options).unwrap_err();
        assert_eq!(error.code(), "import.limit");
        error.to_string()
    };
    let fixture = quirks::two_binds();
    for (name, limit) in
        [("bytes", 100), ("memory", 1000), ("nodes", 3), ("joints", 3), ("vertices", 3), ("depth", 2)]
    {
        let error = error(&fixture, CHARACTER, name, limit);
        assert!(error.contains(&format!("`{name}`")) && error.contains("hero.fbx"), "{name}: {error}");
    }
    let keys = error(&fixture, CLIP, "keys", 30);
    assert!(keys.contains("`keys`"), "{keys}");
    let pixels = error(&quirks::embedded_texture(), CHARACTER, "texture_pixels", 1);
    assert!(pixels.contains("`texture_pixels`"), "{pixels}");
}

#[test]
fn sound_files_have_nothing_worse_than_notes() {
    for fixture in quirks::all().iter().filter(|f| !f.name.contains("texture")) {
        for (name, _) in &fixture.files {
            for finding in read(fixture, name).findings {
                assert_eq!(finding.severity(), Severity::Note, "{} {name}: {finding:?}", fixture.name);
            }
        }
    }
}
