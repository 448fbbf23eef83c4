//! A document that has a bit of everything, down to the numbers.

mod common;

use common::dae::{self, SAMPLE};
use glam::{Vec2, Vec3};
use sinew::{AlphaMode, Character, Image, Mesh, Pose, Sampler, Sampling, Wrap, job};
use sinew_import::{ImportError, Imported, Options, SpaceMode, import_bytes};
use std::path::Path;

fn import(text: &str, space: SpaceMode) -> Result<Imported, ImportError> {
    import_bytes(
        text.as_bytes(),
        Path::new("sample.dae"),
        &Options::default().with(|options| options.space = space),
    )
}

fn keep() -> Imported {
    import(SAMPLE, SpaceMode::Keep).unwrap_or_else(|e| panic!("{e}"))
}

fn mesh<'c>(character: &'c Character, name: &str) -> &'c Mesh {
    character.meshes().iter().find(|m| m.name == name).expect(name)
}

/// Numbers in the document of the vertices of a mesh.
fn vertices<'i>(imported: &'i Imported, name: &str) -> &'i [u32] {
    let mesh = imported.character.meshes().iter().position(|m| m.name == name).expect(name);
    &imported.source.vertices[mesh]
}

fn model(character: &Character, clip: Option<(&str, f64)>) -> (Pose, Vec<sinew::Mat3x4>) {
    let skeleton = character.skeleton();
    let mut pose = skeleton.rest().clone();
    if let Some((name, time)) = clip {
        let clip = character.clips().by_name(name).unwrap();
        job::sample(skeleton, &clip, time, Sampling::Interpolate, &mut pose).unwrap();
    }
    let mut model = vec![sinew::Mat3x4::IDENTITY; skeleton.len()];
    job::local_to_model(skeleton.hierarchy(), pose.blocks(), &sinew::Mat3x4::IDENTITY, &mut model).unwrap();
    (pose, model)
}

fn place(character: &Character, model: &[sinew::Mat3x4], joint: &str) -> sinew::Mat3x4 {
    model[usize::from(character.skeleton().find(joint).expect(joint))]
}

#[test]
fn nodes_become_joints() {
    let imported = keep();
    let names: Vec<_> = imported.character.skeleton().names().iter().collect();
    let expected = ["root", "hip", "knee", "cell", "skewed", "skewed$scale", "looks", "prop", "body_node"];
    assert_eq!(names, expected);
    let (_, model) = model(&imported.character, None);
    let at = |joint: &str, point: Vec3| place(&imported.character, &model, joint).transform_point3(point);
    assert_eq!(at("knee", Vec3::ZERO), Vec3::new(0.0, 2.0, 1.0));
    // Looking down from above, five units up on the looker's back.
    assert!(at("prop", Vec3::ZERO).abs_diff_eq(Vec3::new(0.0, 0.0, 11.0), 1e-5));
    // What a helper holds together is the skew: y turns by 30 degrees towards x.
    let skewed = at("skewed$scale", Vec3::Y) - at("skewed$scale", Vec3::ZERO);
    assert!(skewed.abs_diff_eq(Vec3::new(30f32.to_radians().tan(), 1.0, 0.0), 1e-5), "{skewed}");
    assert_eq!(
        mesh(&imported.character, "Hat").joint,
        imported.character.skeleton().find("skewed$scale").unwrap()
    );
}

#[test]
fn channels_move_what_they_name() {
    let imported = keep();
    let character = &imported.character;
    assert_eq!(character.clips().names().collect::<Vec<_>>(), ["default", "Half"]);
    assert_eq!(character.clips().by_name("Half").unwrap().duration(), 0.5);
    let (pose, posed) = model(character, Some(("default", 1.0)));
    let x = place(character, &posed, "hip").transform_vector3(Vec3::X);
    assert!(x.abs_diff_eq(Vec3::Y, 1e-5), "turned by 90 degrees about z: {x}");
    // The knee is turned by 90 degrees about x and lifted to 90, under the turned hip.
    let knee = place(character, &posed, "knee");
    assert!(knee.transform_vector3(Vec3::Y).abs_diff_eq(Vec3::Z, 1e-5));
    assert!(knee.translation().abs_diff_eq(Vec3::new(-2.0, 0.0, 91.0), 1e-4), "{}", knee.translation());
    assert_eq!(place(character, &posed, "cell").translation(), Vec3::new(0.0, 90.0, 1.0), "column 3, row 1");
    assert_eq!(pose.scalars(), [90.0]);
    let (_, half) = model(character, Some(("Half", 0.5)));
    assert!(place(character, &half, "cell").translation().abs_diff_eq(Vec3::Z, 1e-6), "not in the clip");
    let ids: Vec<_> = imported.findings.iter().map(|f| (f.id(), f.place.as_str())).collect();
    assert!(ids.contains(&("collada.channel-unresolved", "channel `nobody/rotation.X`")), "{ids:?}");
    assert!(ids.contains(&("collada.channel-ignored", "channel `cam/xfov`")), "{ids:?}");
    assert!(ids.iter().any(|(id, _)| *id == "collada.euler-unit"), "{ids:?}");
}

#[test]
fn all_primitives_become_triangles() {
    let imported = keep();
    let body = mesh(&imported.character, "Body");
    let counts: Vec<_> = body.parts.iter().map(|p| p.count / 3).collect();
    assert_eq!(counts, [8, 3, 2, 2, 1], "polygon with a hole, quad and triangle, strip, fan, triangle");
    let area = |first: usize, count: usize| -> f32 {
        let corner = |i: usize| body.positions[body.indices[i] as usize];
        (first..first + count)
            .step_by(3)
            .map(|i| (corner(i + 1) - corner(i)).cross(corner(i + 2) - corner(i)).z / 2.0)
            .sum()
    };
    let part = |p: usize| (body.parts[p].first as usize, body.parts[p].count as usize);
    assert!((area(part(0).0, part(0).1) - 12.0).abs() < 1e-5, "sixteen without a hole of four");
    assert!((area(part(2).0, part(2).1) - 16.0).abs() < 1e-5, "both triangles of the strip run the same way");
    let loose =
        vertices(&imported, "Body").iter().position(|&s| s == 9).expect("kept though no face uses it");
    assert!(loose >= 8 && !body.indices.contains(&(loose as u32)));
    assert_eq!(body.positions[loose], Vec3::new(19.0, 9.0, 9.0), "moved by the bind shape");
    assert!(
        body.normals
            .iter()
            .all(|n| n.abs_diff_eq(Vec3::Z, 1e-6) || n.abs_diff_eq(Vec3::NEG_Z, 1e-6) || *n == Vec3::Y)
    );
    assert!(body.uvs.contains(&Vec2::new(0.25, 0.25)), "set one, with V running down");
}

#[test]
fn skins_and_morphs() {
    let imported = keep();
    let body = mesh(&imported.character, "Body");
    let skeleton = imported.character.skeleton();
    let skin = body.skin.as_ref().unwrap();
    assert_eq!(skin.joints, [skeleton.find("hip").unwrap(), skeleton.find("knee").unwrap()]);
    assert_eq!(skin.inverse_binds[1].translation(), Vec3::new(0.0, -2.0, -1.0));
    let sources = vertices(&imported, "Body");
    let vertex = |source: u32| sources.iter().position(|&s| s == source).unwrap();
    let influences: Vec<_> = body.influences.of(vertex(2)).filter(|(_, w)| *w > 0.0).collect();
    assert_eq!(influences, [(0, 0.5), (1, 0.5)]);
    assert_eq!(body.influences.of(vertex(1)).next(), Some((1, 1.0)));
    assert_eq!(skeleton.scalar_names(), ["Fat"]);
    assert_eq!(skeleton.rest().scalars(), [0.25]);
    let moved: Vec<_> =
        body.morphs[0].deltas.iter().map(|d| (sources[d.vertex as usize], d.position)).collect();
    assert!(!moved.is_empty() && moved.iter().all(|&m| m == (0, Vec3::Z)), "{moved:?}");
}

#[test]
fn materials_follow_the_chain() {
    let imported = keep();
    let [hide, pane] = imported.character.materials() else { panic!("two materials") };
    let shown = hide.base_color_texture.unwrap();
    assert_eq!(hide.name, "Hide");
    assert_eq!(shown.sampler, Sampler { wrap: [Wrap::Mirror, Wrap::Clamp], ..Sampler::NEAREST });
    assert_eq!((hide.alpha, hide.two_sided, hide.unlit), (AlphaMode::Opaque, true, false));
    let texture = &imported.character.textures()[shown.texture];
    assert_eq!((texture.name.as_str(), texture.reference.as_str()), ("skin", "./skin%20one.png"));
    assert_eq!(texture.image, Image::Missing);
    let missing = imported.findings.iter().find(|f| f.id() == "texture.missing").unwrap();
    assert!(
        missing.message.contains("textures") && missing.message.contains("skin one.png"),
        "{}",
        missing.message
    );
    assert_eq!((pane.name.as_str(), pane.unlit, pane.alpha), ("Pane", true, AlphaMode::Blend));
    assert_eq!(pane.base_color.to_array(), [0.2, 0.4, 0.6, 0.5]);
    let body = mesh(&imported.character, "Body");
    assert_eq!(
        body.parts.iter().map(|p| p.material).collect::<Vec<_>>(),
        [Some(0), Some(1), None, None, None]
    );
}

#[test]
fn pictures_are_found_beside_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let (file, picture) = (folder.path().join("a.dae"), folder.path().join("textures").join("skin one.png"));
    std::fs::create_dir(folder.path().join("textures")).unwrap();
    std::fs::write(&file, SAMPLE).unwrap();
    std::fs::write(&picture, b"picture").unwrap();
    let imported = sinew_import::import(&file, &Options::default()).unwrap();
    assert_eq!(imported.character.textures()[0].image, Image::File(picture));
}

#[test]
fn canonical_space_is_y_up_in_metres() {
    let raw = keep();
    let converted = import(SAMPLE, SpaceMode::Canonical).unwrap();
    let turn = |p: Vec3| Vec3::new(p.x, p.z, -p.y) * 0.01;
    for clip in [None, Some(("default", 0.3)), Some(("default", 1.0))] {
        let (_, old) = model(&raw.character, clip);
        let (_, new) = model(&converted.character, clip);
        for (joint, (old, new)) in old.iter().zip(&new).enumerate() {
            let error = turn(old.translation()).distance(new.translation());
            assert!(error < 1e-5, "{clip:?}: joint {joint} is off by {error}");
        }
        for (a, b) in raw.character.meshes().iter().zip(converted.character.meshes()) {
            let (mut old_skin, mut new_skin) = (
                vec![sinew::Mat3x4::IDENTITY; a.skin_matrix_count()],
                vec![sinew::Mat3x4::IDENTITY; a.skin_matrix_count()],
            );
            a.skin_matrices(&old, &mut old_skin).unwrap();
            b.skin_matrices(&new, &mut new_skin).unwrap();
            for (p, q) in a.positions.iter().zip(&b.positions) {
                let error = turn(old_skin[0].transform_point3(*p)).distance(new_skin[0].transform_point3(*q));
                assert!(error < 1e-5, "{clip:?}: {} is off by {error}", a.name);
            }
        }
    }
}

#[test]
fn the_evaluator_agrees_with_the_clips() {
    for space in [SpaceMode::Keep, SpaceMode::Canonical] {
        let imported = import(SAMPLE, space).unwrap();
        let skeleton = imported.character.skeleton();
        for (index, name) in ["default", "Half"].iter().enumerate() {
            let clip = imported.character.clips().by_name(name).unwrap();
            for step in 0..=20 {
                let time = f64::from(clip.duration()) * f64::from(step) / 20.0;
                let (pose, _) = model(&imported.character, Some((name, time)));
                let mut truth = vec![sinew::Transform::IDENTITY; skeleton.len()];
                imported.evaluator.locals(index, time, &mut truth);
                for (ours, truth) in pose.iter().zip(&truth) {
                    assert!(ours.to_affine().abs_diff_eq(truth.to_affine(), 2e-3), "{name} at {time}");
                }
                let mut scalars = vec![0.0; skeleton.scalar_names().len()];
                imported.evaluator.scalars(index, time, &mut scalars);
                assert!((scalars[0] - pose.scalars()[0]).abs() < 1e-3, "{name} at {time}");
            }
        }
    }
}

#[test]
fn errors_say_line_and_element() {
    let broken = [
        ("0.25 0.75", "0.25 o.75", ", `<float_array id=\"body_t1a\">`", "`o.75` is not a number"),
        ("<p>0 1 2</p>", "<p>0 1 99</p>", ", `<p>`", "index 99 is out of range of the 10 positions"),
        ("<vcount>4 3</vcount>", "<vcount>4 4</vcount>", ", `<p>`", "fewer corners than `<vcount>`"),
        ("<v>0 0 1 0", "<v>0 0 7 0", ", `<v>`", "joint 7 of 2"),
        (
            "<translate>0 0 1</translate>",
            "<translate>0 0</translate>",
            ", `<translate>`",
            "takes 3 numbers and has 2",
        ),
        ("</library_geometries>", "</library_geometry>", "", "library_geometry"),
    ];
    for (old, new, element, what) in broken {
        let line = SAMPLE[..SAMPLE.find(old).expect(old)].matches('\n').count() + 1;
        let place = format!("line {line}{element}");
        let error = import(&SAMPLE.replacen(old, new, 1), SpaceMode::Keep).unwrap_err().to_string();
        assert!(
            error.starts_with("sample.dae: ") && error.contains(&place) && error.contains(what),
            "{place}: {error}"
        );
    }
    let cut = import(&SAMPLE[..SAMPLE.len() / 2], SpaceMode::Keep).unwrap_err().to_string();
    assert!(cut.contains("line "), "{cut}");
    let clips = dae::without(SAMPLE, &["library_visual_scenes", "scene"]);
    assert!(import(&clips, SpaceMode::Keep).unwrap_err().to_string().contains("clips but no scene"));
}
