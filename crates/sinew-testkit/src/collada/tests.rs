use super::*;
use crate::scene::{Curve, Material, Node, Property, Take, Track, Transform};
use crate::shape::Surface;
use glam::{DQuat, DVec3};

/// Two joints in a ball, the second of which turns.
fn scene() -> Scene {
    let mut scene = Scene::default();
    let root = scene.add(Node::limb("Root", None, Transform::at(DVec3::new(1.0, 2.0, 3.0))));
    let mut arm = Transform::at(DVec3::new(0.0, 5.0, 0.0));
    arm.rotation = DVec3::new(10.0, 20.0, 30.0);
    let arm = scene.add(Node::limb("Arm", Some(root), arm));
    let mut surface = Surface::default();
    let weights = vec![(root, 0.25), (arm, 0.75)];
    surface.ellipsoid(DVec3::ZERO, DQuat::IDENTITY, DVec3::ONE, &weights, (6, 4), 0);
    scene.materials.push(Material::matt("Red", DVec3::X));
    scene.meshes.push(surface.into_mesh("Ball", vec![0]));
    scene.add(Node::mesh("Ball", None, 0));
    scene.bind_to_rest();
    let mut take = Take::new("turn", 0.0, 1.0);
    let x = Curve::linear([(0.0, 10.0), (0.4, 100.0), (1.0, 10.0)]);
    let z = Curve::linear([(0.0, 30.0), (0.7, 0.0)]);
    take.tracks.push(Track { node: arm, property: Property::Rotation, curves: [Some(x), None, Some(z)] });
    scene.takes.push(take);
    scene
}

fn count(text: &str, what: &str) -> usize {
    text.matches(what).count()
}

/// Numbers of the first element that `open` begins.
fn numbers(text: &str, open: &str) -> Vec<f64> {
    let Some((_, rest)) = text.split_once(open) else { panic!("there is no {open}") };
    let Some((_, rest)) = rest.split_once('>') else { panic!("{open} has no end") };
    let Some((inside, _)) = rest.split_once('<') else { panic!("{open} is not closed") };
    inside.split_whitespace().map(|n| n.parse().unwrap_or(f64::NAN)).collect()
}

#[test]
fn the_dialect_is_what_it_is_said_to_be() {
    let text = write(&scene(), &Options::default());
    assert!(text.contains(r#"<node id="Arm_bone_id" name="Arm" sid="Arm" type="JOINT">"#));
    for element in ["<translate", "<rotate", "<scale "] {
        assert!(!text.contains(element), "nodes hold matrices and nothing else");
    }
    assert_eq!(count(&text, "<channel"), 2);
    assert!(text.contains(r#"target="Arm_bone_id/rotation.X""#));
    assert!(text.contains(r#"target="Arm_bone_id/rotation.Z""#));
    assert_eq!(numbers(&text, r#"id="Arm_bone_id_rotation_Z_input_array""#), [0.0, 0.7f32.into()]);
    assert_eq!(numbers(&text, r#"id="Arm_bone_id_rotation_X_output_array""#), [10.0, 100.0, 10.0]);
    // Row by row, the translation at the end of each.
    let matrix = numbers(&text, r#"<matrix sid="transform""#);
    assert_eq!(matrix, [1., 0., 0., 1., 0., 1., 0., 2., 0., 0., 1., 3., 0., 0., 0., 1.]);
    assert!(text.contains(r##"<skin source="#Ball_geom_id">"##));
    assert!(text.contains(r#"<unit name="centimeter" meter="0.01"/>"#));
    assert_eq!(text, write(&scene(), &Options::default()));
}

#[test]
fn every_element_is_closed_and_every_reference_leads_somewhere() {
    let text = write(&scene(), &Options::default());
    let mut open: Vec<&str> = Vec::new();
    for tag in text.split('<').skip(2) {
        let Some((tag, _)) = tag.split_once('>') else { panic!("`{tag}` does not end") };
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
    for reference in text.split(['"', '>']).filter_map(|word| word.strip_prefix('#')) {
        let id = reference.split(['<', '"']).next().unwrap_or_default();
        assert_eq!(count(&text, &format!("id=\"{id}\"")), 1, "#{id}");
    }
}

#[test]
fn angles_ids_and_keys_are_as_asked() {
    let options =
        Options { angles: Angles::Radians, ids: Ids::Id, keys: Keys::Hermite, ..Options::default() };
    let text = write(&scene(), &options);
    let angles = numbers(&text, r#"id="Arm_id_rotation_X_output_array""#);
    assert!((angles[1] - 100f64.to_radians()).abs() < 1e-6);
    assert!(text.contains("HERMITE HERMITE HERMITE"));
    assert!(!text.contains("TANGENT"));
    let bare = Options { ids: Ids::Bare, channels: Channels::Matrices, ..Options::default() };
    assert!(write(&scene(), &bare).contains(r#"target="Arm/transform""#));
}

#[test]
fn matrix_keys_follow_the_curves_between_keys() {
    let scene = scene();
    let arm = scene.index("Arm");
    let text = write(&scene, &Options { channels: Channels::Matrices, ..Options::default() });
    let times = numbers(&text, r#"id="Arm_bone_id_transform_input_array""#);
    let cells = numbers(&text, r#"id="Arm_bone_id_transform_output_array""#);
    assert_eq!(cells.len(), times.len() * 16);
    assert!(times.len() > 10, "only {} keys", times.len());
    for key in [0.4, 0.7] {
        assert!(times.iter().any(|t| (t - key).abs() < 1e-6), "the curves' own keys are there");
    }
    let key = |i: usize| {
        let m = glam::DMat4::from_cols_slice(&cells[i * 16..i * 16 + 16]).transpose();
        DQuat::from_mat4(&m)
    };
    for i in 0..times.len() - 1 {
        let middle = (times[i] + times[i + 1]) / 2.0;
        let want = scene.transform_at(arm, Some(&scene.takes[0]), middle).local_rotation();
        let off = (key(i).slerp(key(i + 1), 0.5).inverse() * want).xyz().length() * 2.0;
        assert!(off < 2e-5, "{off} at {middle}");
    }
}

#[test]
fn a_clip_file_holds_a_clip_and_nothing_else() {
    let clip = scene().without_skin();
    let text = write(&clip, &Options { nodes: false, ..Options::default() });
    for element in ["<library_visual_scenes", "<library_geometries", "<library_materials", "<scene"] {
        assert!(!text.contains(element), "{element}");
    }
    assert_eq!(count(&text, "<channel"), 2);
    let with_nodes = write(&clip, &Options::default());
    assert_eq!(count(&with_nodes, "<node"), 2);
}

#[test]
fn unit_and_up_axis_are_the_scene_s() {
    let clip = scene().without_skin().in_unit(100.0).in_z_up();
    let text = write(&clip, &Options { unit: false, ..Options::default() });
    assert!(text.contains("<up_axis>Z_UP</up_axis>"));
    assert!(!text.contains("<unit"));
    let text = write(&scene().in_unit(2.54), &Options::default());
    assert!(text.contains(r#"meter="0.0254""#));
}
