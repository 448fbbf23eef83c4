//! The creature's files, imported, agree with this crate's truth about it.

use glam::{DMat4, DVec3};
use sinew::skinning::SkinnedVertices;
use sinew::{AlphaMode, Character, Clip, Image, Pose, Wrap};
use sinew::{Sampling, job};
use sinew_import::Options as ImportOptions;
use sinew_import::collada::RawClip;
use sinew_import::manifest::{self, OpenOptions, Opened};
use sinew_testkit::collada::{Angles, Channels, Ids, Keys, Options};
use sinew_testkit::creature::{self, Motion, References, Style};
use sinew_testkit::fixtures::{Truth, handheld};
use sinew_testkit::manifest::Family;
use sinew_testkit::scene::Up;
use sinew_testkit::tree;
use std::path::Path;

/// Diagonal of the box of all vertices at rest, in metres.
fn diagonal() -> f64 {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for (_, vertices) in creature::scene().deformed(None, 0.0) {
        for vertex in vertices {
            (low, high) = (low.min(vertex), high.max(vertex));
        }
    }
    low.distance(high) / 100.0
}

/// A character in a pose.
struct Posed<'c> {
    character: &'c Character,
    models: Vec<sinew::Mat3x4>,
}

impl<'c> Posed<'c> {
    fn new(character: &'c Character, clip: &Clip, time: f64) -> Self {
        let skeleton = character.skeleton();
        let mut pose: Pose = skeleton.rest().clone();
        job::sample(skeleton, clip, time, Sampling::default(), &mut pose).unwrap();
        let mut models = vec![sinew::Mat3x4::IDENTITY; skeleton.len()];
        let root = sinew::Mat3x4::IDENTITY;
        job::local_to_model(skeleton.hierarchy(), pose.blocks(), &root, &mut models).unwrap();
        Self { character, models }
    }

    /// The largest distance of a joint, at its origin and a little along its axes, from where the truth has it.
    fn joints_off(&self, truth: &Truth, diagonal: f64) -> f64 {
        let mut worst = 0f64;
        for (name, want) in &truth.joints {
            let Some(joint) = self.character.skeleton().find(name) else { panic!("there is no `{name}`") };
            let model: DMat4 = glam::Mat4::from(self.models[usize::from(joint)]).as_dmat4();
            for axis in [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z] {
                let point = axis * 0.05 * diagonal;
                worst = worst.max(model.transform_point3(point).distance(want.transform_point3(point)));
            }
        }
        worst
    }

    /// The same for all vertices.
    fn vertices_off(&self, truth: &Truth, vertices: &[Vec<u32>]) -> f64 {
        let mut worst = 0f64;
        for (mesh, sources) in self.character.meshes().iter().zip(vertices) {
            let want = truth.meshes.iter().find(|m| mesh.name == m.0).map(|m| &m.1);
            let Some(want) = want else { panic!("nothing is known of `{}`", mesh.name) };
            let mut matrices = vec![sinew::Mat3x4::IDENTITY; mesh.skin_matrix_count()];
            mesh.skin_matrices(&self.models, &mut matrices).unwrap();
            let mut skinned = SkinnedVertices::for_mesh(mesh);
            skinned.skin(mesh, &matrices, &[]).unwrap();
            assert!(sources.len() == mesh.positions.len());
            for (place, &source) in skinned.positions.iter().zip(sources) {
                worst = worst.max(place.as_dvec3().distance(want[source as usize]));
            }
        }
        worst
    }
}

/// The creature on the disk, with only some of its clips, which saves time.
fn write(folder: &Path, style: &Style, motions: &[Motion]) {
    std::fs::create_dir_all(folder.join("animations")).unwrap();
    std::fs::write(folder.join(creature::MODEL), creature::model(style)).unwrap();
    let manifest = creature::manifest(style).write(style.family);
    std::fs::write(folder.join(style.family.file_name(creature::NAME)), manifest).unwrap();
    for &motion in motions {
        std::fs::write(folder.join(creature::clip_file(motion)), creature::clip(motion, style)).unwrap();
    }
}

fn open(folder: &Path) -> Opened {
    manifest::open(folder, &OpenOptions::default()).unwrap()
}

/// Plays some motions of a style and compares them with the truth, in parts of the diagonal.
fn compare(style: &Style, motions: &[Motion], bar: f64) {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), style, motions);
    let opened = open(folder.path());
    let diagonal = diagonal();
    assert_eq!(opened.character.meshes().len(), 7);
    for &motion in motions {
        let clip = opened.character.clips().get(motion.slot()).unwrap();
        assert!((f64::from(clip.duration()) - motion.duration()).abs() < 1e-5, "{motion:?}");
        for truth in creature::truth(motion, &[0.0, 0.31, 0.5 * motion.duration(), motion.duration()]) {
            let posed = Posed::new(&opened.character, &clip, truth.time);
            let joints = posed.joints_off(&truth, diagonal) / diagonal;
            assert!(joints < bar, "{motion:?} at {}: joints are off by {joints} D in {style:?}", truth.time);
            let vertices = posed.vertices_off(&truth, &opened.source.vertices) / diagonal;
            assert!(vertices < 2.0 * bar, "{motion:?} at {}: vertices, {vertices} D", truth.time);
        }
    }
    let unresolved = opened.late.list().into_iter().filter(|f| f.id() == "collada.channel-unresolved");
    assert_eq!(unresolved.count(), 0);
}

#[test]
fn every_clip_is_read_as_it_was_meant_in_degrees() {
    compare(&Style::default(), &Motion::ALL, 5e-5);
}

#[test]
fn every_clip_is_read_as_it_was_meant_in_radians() {
    let options = Options { angles: Angles::Radians, ..Options::default() };
    compare(&Style::with(options), &Motion::ALL, 5e-5);
}

/// A few that differ much: a bounce, a whole turn, one that lies on its side.
const SOME: [Motion; 3] = [Motion::Idle, Motion::Spin, Motion::Faint];

#[test]
fn matrices_say_the_same_in_all_spellings() {
    for ids in Ids::ALL {
        let options = Options { channels: Channels::Matrices, ids, ..Options::default() };
        compare(&Style::with(options), &SOME, 1e-4);
        // Clips that spell it differently from their model.
        let style = Style { model: Options::default(), ..Style::with(options) };
        compare(&style, &SOME[..1], 1e-4);
    }
}

#[test]
fn clip_files_may_bring_their_own_scene() {
    let style = Style { clips: Options::default(), ..Style::default() };
    compare(&style, &SOME, 5e-5);
}

#[test]
fn any_unit_and_axis_lead_to_the_same_place() {
    let inches = Style { unit_scale_factor: 2.54, up: Up::Z, ..Style::default() };
    compare(&inches, &SOME, 5e-5);
    let options = Options { unit: false, keys: Keys::Hermite, ..Options::default() };
    let metres = Style { unit_scale_factor: 100.0, ..Style::with(options) };
    compare(&metres, &SOME, 5e-5);
}

#[test]
fn a_model_may_hold_its_clip_itself() {
    let diagonal = diagonal();
    for channels in [Channels::Components, Channels::Matrices] {
        let style = Style::with(Options { channels, ..Options::default() });
        let text = creature::model_with(Motion::Roar, &style);
        let path = Path::new("model.dae");
        let imported = sinew_import::import_bytes(text.as_bytes(), path, &ImportOptions::default()).unwrap();
        let clip = imported.character.clips().get(0).unwrap();
        for truth in creature::truth(Motion::Roar, &[0.2, 0.77]) {
            let posed = Posed::new(&imported.character, &clip, truth.time);
            let off = posed.joints_off(&truth, diagonal) / diagonal;
            assert!(off < 1e-4, "{off} D");
        }
    }
}

#[test]
fn pictures_are_found_however_they_are_referred_to() {
    for references in [References::Path, References::Name, References::Tga, References::Id] {
        let folder = tempfile::tempdir().unwrap();
        let style = Style { references, ..Style::default() };
        creature::write_to(folder.path(), &style).unwrap();
        let opened = open(folder.path());
        let textures = opened.character.textures();
        assert_eq!(textures.len(), 8);
        for texture in textures {
            assert!(!matches!(texture.image, Image::Missing), "{references:?}: {}", texture.reference);
        }
        let material = |name: &str| opened.character.materials().iter().find(|m| m.name == name).unwrap();
        let wrap = |name: &str| material(name).base_color_texture.unwrap().sampler.wrap;
        assert_eq!(wrap("Eye"), [Wrap::Mirror, Wrap::Repeat]);
        assert_eq!(wrap("Wing"), [Wrap::Mirror, Wrap::Clamp]);
        assert_eq!(wrap("Iris"), [Wrap::Clamp, Wrap::Clamp]);
        assert_ne!(material("Cheek").alpha, AlphaMode::Opaque);
        assert_eq!(material("Body").alpha, AlphaMode::Opaque);
    }
}

#[test]
fn eyes_are_tiled_beyond_one_picture() {
    let scene = creature::scene();
    let Some(eye) = scene.meshes.iter().find(|m| m.name == "Eye") else { panic!("there are no eyes") };
    let high = eye.uvs.iter().fold(glam::DVec2::ZERO, |a, b| a.max(*b));
    assert!((high.y - 2.97).abs() < 1e-9, "{high}");
    assert!(high.x > 1.9, "{high}");
}

#[test]
fn every_family_of_manifest_opens() {
    for family in Family::ALL {
        for tags in [true, false] {
            let folder = tempfile::tempdir().unwrap();
            let style = Style { family, tags, ..Style::default() };
            write(folder.path(), &style, &[Motion::Idle]);
            let opened = open(folder.path());
            assert_eq!(opened.character.clips().len(), Motion::ALL.len(), "{family:?}");
            let tagged = tags && matches!(family, Family::Nested | Family::Exporter);
            assert_eq!(opened.tags.tags().any(|t| t == "Attack1"), tagged, "{family:?}");
        }
    }
}

#[test]
fn a_bone_keeps_its_right_angle() {
    let options = ImportOptions::default();
    for angles in [Angles::Degrees, Angles::Radians] {
        let fixture = handheld::turned_bone(angles);
        let model = fixture.file(handheld::MODEL);
        let imported = sinew_import::import_bytes(model, Path::new(handheld::MODEL), &options).unwrap();
        let nodes = imported.clip_nodes.as_ref().unwrap();
        let alone = RawClip::parse(fixture.file(handheld::CLIP), &options.limits).unwrap();
        let alone = alone.bind(nodes, &options).unwrap();
        for truth in &fixture.truth {
            let own = imported.character.clips().get(0).unwrap();
            let clip = if truth.file == handheld::CLIP { &alone.clips[0] } else { &*own };
            let posed = Posed::new(&imported.character, clip, truth.time);
            assert!(posed.joints_off(truth, 0.3) < 1e-5 * 0.3, "{angles:?} at {}", truth.time);
            assert!(posed.vertices_off(truth, &imported.source.vertices) < 1e-5);
        }
    }
}

#[test]
fn a_tree_has_one_broken_folder() {
    let folder = tempfile::tempdir().unwrap();
    tree::write_tree(folder.path(), 20, Some(6)).unwrap();
    let seen = manifest::process_tree(
        folder.path(),
        &OpenOptions::default(),
        |opened| opened.character.clips().len(),
        |_| {},
    );
    let seen = seen.unwrap();
    assert_eq!(seen.done.len(), 19);
    assert_eq!(seen.failed.len(), 1);
    assert!(seen.failed[0].file.to_string_lossy().contains(&tree::folder_name(6)));
    assert_eq!(seen.done.iter().filter(|clips| **clips == 2).count(), 14);
}

#[test]
fn bytes_repeat() {
    let style = Style::default();
    let names: Vec<String> = creature::files(&style).into_iter().map(|f| f.0).collect();
    assert_eq!(names.len(), 1 + 1 + 8 + Motion::ALL.len());
    assert!(creature::files(&style) == creature::files(&style));
}
