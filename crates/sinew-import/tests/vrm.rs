//! VRM 0.x, 1.0 and VRMA of the testkit: where joints and vertices are, which roles they have, and what is refused.

use glam::{DMat4, DQuat, DVec3, Vec3};
use sinew::{Mat3x4, Pose, job};
use sinew_import::{Imported, Options, SpaceMode, Vrm, VrmVersion, import_bytes};
use sinew_retarget::{Humanoid, Known, Method, NotHumanoid, Role};
use sinew_testkit::vrm::{Version, animation, dance, happiness, model, places, roles, times};
use std::path::Path;

fn read(bytes: &[u8], name: &str, options: &Options) -> Result<Imported, String> {
    import_bytes(bytes, Path::new(name), options).map_err(|error| error.to_string())
}

fn canonical(bytes: &[u8], name: &str) -> Imported {
    read(bytes, name, &Options::default()).unwrap()
}

fn vrm(imported: &Imported) -> &Vrm {
    imported.source.vrm.as_deref().expect("it is VRM")
}

/// Model matrices of a pose.
fn models(imported: &Imported, pose: &Pose) -> Vec<Mat3x4> {
    let skeleton = imported.character.skeleton();
    let mut models = vec![Mat3x4::IDENTITY; skeleton.len()];
    job::local_to_model(skeleton.hierarchy(), pose.blocks(), &Mat3x4::IDENTITY, &mut models).unwrap();
    models
}

/// Vertices of the only mesh in a pose.
fn vertices(imported: &Imported, pose: &Pose) -> Vec<Vec3> {
    let mesh = &imported.character.meshes()[0];
    let models = models(imported, pose);
    let mut skin = vec![Mat3x4::IDENTITY; mesh.skin_matrix_count()];
    job::skin_matrices(mesh.skin.as_ref().unwrap(), &models, &mut skin).unwrap();
    let vertex = |(index, position): (usize, &Vec3)| {
        let (joint, _) = mesh.influences.of(index).next().unwrap();
        skin[usize::from(joint)].transform_point3(*position)
    };
    mesh.positions.iter().enumerate().map(vertex).collect()
}

fn ids(imported: &Imported) -> Vec<&str> {
    imported.findings.iter().map(|finding| finding.id()).collect()
}

#[test]
fn both_versions_face_forward_and_have_their_roles() {
    let new = canonical(&model(Version::V1), "dummy.vrm");
    let old = canonical(&model(Version::V0), "dummy.vrm");
    assert_eq!((vrm(&new).version, vrm(&old).version), (VrmVersion::V1, VrmVersion::V0));
    for imported in [&new, &old] {
        let models = models(imported, imported.character.skeleton().rest());
        for (role, place) in roles().zip(places()) {
            let joint = vrm(imported).joint(role).unwrap_or_else(|| panic!("{role} is missing"));
            let found = models[usize::from(joint)].translation();
            assert!(found.distance(place.as_vec3()) < 1e-6, "{role}: {found}");
        }
        assert_eq!(vrm(imported).roles.len(), roles().count());
        assert!(vrm(imported).first_person.is_object() && vrm(imported).look_at.is_object());
        let thumb = Role::parse("leftThumbMetacarpal").unwrap();
        let known = imported.source.known_roles();
        assert_eq!(known.len(), roles().count());
        assert!(known.contains(&(thumb, vrm(imported).joint("leftThumbMetacarpal").unwrap())));
    }
    assert_eq!(ids(&new), ["vrm.springs", "vrm.mtoon"]);
    assert_eq!(ids(&old), ["vrm.springs", "vrm.mtoon", "vrm.turned"]);
}

#[test]
fn vertices_are_turned_with_the_joints() {
    let old = canonical(&model(Version::V0), "dummy.vrm");
    let kept = Options::default().with(|options| options.space = SpaceMode::Keep);
    let before = read(&model(Version::V0), "dummy.vrm", &kept).unwrap();
    let turned = |v: &Vec3| Vec3::new(-v.x, v.y, -v.z);
    let rest = |imported: &Imported| vertices(imported, imported.character.skeleton().rest());
    for (now, then) in rest(&old).iter().zip(rest(&before).iter().map(turned)) {
        assert!(now.distance(then) < 1e-6, "{now} {then}");
    }
    // At rest the skin leaves the vertices where they were bound.
    let mesh = &old.character.meshes()[0];
    assert!(rest(&old).iter().zip(mesh.positions.iter()).all(|(a, b)| a.distance(*b) < 1e-5));
    let delta = mesh.morphs[0].deltas[0].position;
    assert!(delta.distance(Vec3::new(-0.01, 0.0, 0.0)) < 1e-7, "{delta}");
    assert!(!ids(&before).contains(&"vrm.turned"));
}

#[test]
fn expressions_are_scalars_over_morph_weights() {
    for version in [Version::V0, Version::V1] {
        let imported = canonical(&model(version), "dummy.vrm");
        let names: Vec<_> = imported.character.skeleton().scalar_names().iter().collect();
        assert_eq!(names, ["Smile", "Wink", "expression:happy", "expression:Sly"], "{version:?}");
        let mut scalars = [0.0, 0.0, 0.25, 0.5];
        vrm(&imported).express(&mut scalars);
        assert!((scalars[0] - 0.25).abs() < 1e-6 && (scalars[1] - 0.25).abs() < 1e-6, "{scalars:?}");
    }
}

#[test]
fn materials_are_read_as_far_as_they_go() {
    for version in [Version::V0, Version::V1] {
        let material = canonical(&model(version), "dummy.vrm").character.materials()[0].clone();
        assert!(material.two_sided && material.metallic == 0.0, "{version:?}");
        assert!(matches!(material.alpha, sinew::AlphaMode::Mask(_)), "{version:?}");
    }
}

/// What glows brighter than white says so in MToon alone in version 0, and by the extension of glTF in 1.0.
#[test]
fn emission_brighter_than_white_is_kept() {
    let glowing = |file: &[u8], factor: &str, further: [&str; 2]| {
        let file = edited(
            file,
            "\"name\":\"Skin\",\"pbr",
            &format!("\"name\":\"Skin\",\"emissiveFactor\":{factor},\"pbr"),
        );
        let file = if further[0].is_empty() { file } else { edited(&file, further[0], further[1]) };
        let material = canonical(&file, "dummy.vrm").character.materials()[0].clone();
        (material.emissive, material.emissive_strength)
    };
    let toon = |color: &str| format!("\"vectorProperties\":{{\"_EmissionColor\":{color}}}");
    let old = |factor: &str, color: &str| {
        glowing(&model(Version::V0), factor, ["\"vectorProperties\":{}", &toon(color)])
    };
    assert_eq!(old("[1,0.5,0]", "[4,2,0,1]"), (Vec3::new(1.0, 0.5, 0.0), 4.0));
    assert_eq!(old("[1,0.5,0]", "[1,0.5,0,1]"), (Vec3::new(1.0, 0.5, 0.0), 1.0));
    assert_eq!(old("[0,0,0]", "[4,2,0,1]"), (Vec3::ZERO, 1.0), "the file has it shown nowhere");
    for odd in ["[4,2]", "\"red\"", "[1e300,1,1,1]", "null"] {
        assert_eq!(old("[1,1,1]", odd), (Vec3::ONE, 1.0), "{odd}");
    }
    let strength = "\"VRMC_materials_mtoon\":{\"specVersion\":\"1.0\"},\"KHR_materials_emissive_strength\":{\"emissiveStrength\":3}";
    let new = edited(
        &model(Version::V1),
        "\"doubleSided\":true,",
        "\"doubleSided\":true,\"emissiveFactor\":[1,1,1],",
    );
    let new = edited(&new, "\"VRMC_materials_mtoon\":{\"specVersion\":\"1.0\"}", strength);
    let material = canonical(&new, "dummy.vrm").character.materials()[0].clone();
    assert_eq!((material.emissive, material.emissive_strength), (Vec3::ONE, 3.0));
}

#[test]
fn a_dance_turns_joints_from_their_rest_as_it_was_made() {
    let imported = canonical(&animation(), "dance.vrma");
    let (skeleton, vrm) = (imported.character.skeleton(), vrm(&imported));
    assert_eq!((vrm.version, vrm.expressions.len()), (VrmVersion::Animation, 1));
    assert_eq!(skeleton.len(), roles().count(), "the node of the expression is no joint");
    assert!(ids(&imported).is_empty(), "{:?}", imported.findings);
    let rotation = |m: &Mat3x4| DQuat::from_mat3(&m.matrix3().as_dmat3());
    let rest: Vec<DQuat> = models(&imported, skeleton.rest()).iter().map(rotation).collect();
    let clip = imported.character.clips().get(0).unwrap();
    for time in times() {
        let pose = Pose::of_clip(skeleton, &clip, time).unwrap();
        let truth: Vec<DMat4> = dance(time);
        for (index, (role, model)) in roles().zip(models(&imported, &pose)).enumerate() {
            assert_eq!(vrm.joint(role), Some(index as u16));
            let place: DVec3 = model.translation().as_dvec3();
            assert!(place.distance(truth[index].w_axis.truncate()) < 1e-5, "{role} at {time} s: {place}");
            let turn = rotation(&model) * rest[index].conjugate();
            let expected = DQuat::from_mat4(&truth[index]);
            let off = (turn * expected.conjugate()).xyz().length();
            assert!(off < 1e-5, "{role} at {time} s: {off:.1e}");
        }
        assert!((f64::from(pose.scalars()[0]) - happiness(time)).abs() < 1e-6);
    }
}

/// A file with something in its JSON replaced.
fn edited(file: &[u8], from: &str, to: &str) -> Vec<u8> {
    let length = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
    let (json, rest) = file[20..].split_at(length(12));
    let json = std::str::from_utf8(json).unwrap();
    assert!(json.contains(from), "{from}: {json}");
    let mut json = json.replacen(from, to, 1);
    json += &" ".repeat(json.len().next_multiple_of(4) - json.len());
    let number = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
    let total = 20 + json.len() + rest.len();
    [&file[..8], &number(total), &number(json.len()), &file[16..20], json.as_bytes(), rest].concat()
}

#[test]
fn what_cannot_be_meant_is_refused() {
    for (bytes, from, to, expected) in [
        (model(Version::V1), "\"hips\":{\"node\":0}", "\"hips\":{\"node\":9}", "a node has two roles"),
        (model(Version::V1), "\"chest\":{\"node\":2}", "\"chest\":{\"node\":-}", "line"),
        (model(Version::V1), "\"head\":{\"node\":4}", "\"head\":{\"nope\":4}", "its node does not exist"),
        (
            model(Version::V1),
            "\"index\":1,\"weight\":0.5",
            "\"index\":7,\"weight\":0.5",
            "a morph target that does not exist",
        ),
        (
            model(Version::V0),
            "\"bone\":\"spine\",\"node\":1",
            "\"bone\":\"spine\",\"node\":2",
            "a node has two roles",
        ),
        (
            model(Version::V0),
            "\"mesh\":0,\"index\":0",
            "\"mesh\":3,\"index\":0",
            "a morph target that does not exist",
        ),
        (animation(), "\"happy\":{\"node\":20}", "\"happy\":{\"node\":02}", "line"),
        (animation(), "\"happy\":{\"node\":20}", "\"happy\":{\"node\": 2}", "cannot stand for an expression"),
    ] {
        match read(&edited(&bytes, from, to), "a.vrm", &Options::default()) {
            Err(error) => assert!(error.contains(expected), "{error}\n{expected}"),
            Ok(_) => panic!("{to} was read"),
        }
    }
}

/// A file that says which joint has which role is believed, whatever its joints are called.
#[test]
fn roles_of_the_file_count_before_names() {
    // Left is called right, and the other way round.
    let text = |bytes: &[u8], from: &str, to: &str| {
        let mut bytes = bytes.to_vec();
        let found = |bytes: &[u8]| bytes.windows(from.len()).position(|part| part == from.as_bytes());
        while let Some(at) = found(&bytes) {
            bytes[at..at + from.len()].copy_from_slice(to.as_bytes());
        }
        bytes
    };
    let bytes = model(Version::V1);
    let imported = canonical(&bytes, "dummy.vrm");
    let names: Vec<String> = imported.character.skeleton().names().iter().map(str::to_owned).collect();
    let side = |name: &str| name.contains("left");
    let mut swapped = bytes;
    // By way of a name that no joint has: a replacement has as many letters.
    for name in names.iter().filter(|name| side(name)) {
        let other = name.replacen("left", "right", 1);
        if names.contains(&other) {
            let (short, long) = (name.replacen("left", "rght", 1), other.replacen("right", "lefty", 1));
            swapped = text(&swapped, &format!("\"name\":\"{name}\""), &format!("\"name\":\"{short}\""));
            swapped = text(&swapped, &format!("\"name\":\"{other}\""), &format!("\"name\":\"{long}\""));
        }
    }
    let imported = canonical(&swapped, "dummy.vrm");
    let skeleton = imported.character.skeleton();
    assert!(skeleton.names().iter().any(|name| name.contains("rght")), "names were changed");
    let by_name = Humanoid::find(skeleton);
    let known = Known { roles: imported.source.known_roles(), ..Known::default() };
    let found = Humanoid::knowing(skeleton, &known).unwrap();
    for (role, assigned) in found.roles() {
        assert_eq!((assigned.method, assigned.confidence), (Method::Vrm, 1.0), "{role}");
        assert_eq!(vrm(&imported).joint(&role.to_string()), Some(assigned.joint), "{role}");
    }
    assert_eq!(found.roles().len(), roles().count());
    // Names alone say nothing of it, or mislead.
    let right =
        by_name.map(|by_name| by_name.roles().all(|(role, _)| by_name.joint(role) == found.joint(role)));
    assert!(!matches!(right, Ok(true)), "{right:?}");
    let _: Option<NotHumanoid> = right.err();
    // A bone map has the first word.
    let hips = skeleton.name(found.joint(Role::parse("hips").unwrap()).unwrap()).to_owned();
    let map = sinew::BoneMap::new([(hips.as_str(), "hips")]);
    let listed = Humanoid::knowing(skeleton, &Known { map, ..known }).unwrap();
    let method = |roles: &Humanoid| roles.roles().next().map(|(_, found)| found.method);
    assert_eq!((method(&found), method(&listed)), (Some(Method::Vrm), Some(Method::Listed)));
}
