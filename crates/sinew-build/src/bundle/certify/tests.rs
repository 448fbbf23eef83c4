use super::*;
use crate::bundle::{BundleOptions, write_bundle};
use glam::{Quat, Vec3};
use sinew::CharacterData;
use sinew::{
    Clip, ClipLibrary, Influences, Interpolation, Joint, JointTracks, Mesh, Scalar, ScalarTrack, Skeleton,
    Skin, Space, Track, Transform,
};
use sinew_import::{Source, SourceEvaluator, SourceInfo, TagTable, merge_all};

/// The joint that its file calls number `joint` moves along x by t², and scalar 0 is t².
struct Square {
    rest: Vec<Transform>,
    joint: usize,
}

impl SourceEvaluator for Square {
    fn locals(&self, _clip: usize, time: f64, out: &mut [Transform]) {
        out.copy_from_slice(&self.rest);
        out[self.joint].translation.x += (time * time) as f32;
    }

    fn scalars(&self, _clip: usize, time: f64, out: &mut [f32]) {
        out.fill((time * time) as f32);
    }
}

fn mesh() -> Mesh {
    Mesh {
        positions: vec![Vec3::ZERO, Vec3::Y].into(),
        skin: Some(Skin { joints: vec![1].into(), inverse_binds: vec![sinew::Mat3x4::IDENTITY].into() }),
        influences: Influences {
            per_vertex: 4,
            skin_joints: vec![0; 8].into(),
            weights: [1.0, 0.0, 0.0, 0.0].repeat(2).into(),
            ..Influences::default()
        },
        ..Mesh::new("body")
    }
}

/// A file with a clip of one second in which `joint` moves in `steps` straight lines along the parabola.
fn file(names: [&str; 2], joint: u16, steps: u32, meshes: Vec<Mesh>) -> Imported {
    let up = Transform::from_translation(Vec3::Y);
    let turned = Transform { translation: Vec3::Y * 0.5, rotation: Quat::from_rotation_y(1.0), ..up };
    let joints = vec![Joint::new(names[0], None, turned), Joint::new(names[1], Some(0), up)];
    let skeleton = Skeleton::new(joints, vec![Scalar { name: "smile".into(), rest: 0.0 }]).unwrap();
    let rest: Vec<Transform> = skeleton.rest().iter().collect();
    let times: Vec<f32> = (0..=steps).map(|i| i as f32 / steps as f32).collect();
    let at = rest[usize::from(joint)].translation;
    let values = times.iter().map(|t| at + Vec3::X * (t * t)).collect();
    let scalars = times.iter().map(|t| t * t).collect();
    let translation = Track::new(times.clone(), values, Interpolation::Linear).unwrap();
    let tracks = JointTracks { translation: Some(translation), ..JointTracks::new(joint) };
    let track = Track::new(times, scalars, Interpolation::Linear).unwrap();
    let clip = Clip::new("walk", 1.0, vec![tracks], vec![ScalarTrack { scalar: 0, track }]).unwrap();
    let character = Character::new(CharacterData {
        name: "hero".into(),
        skeleton,
        meshes,
        materials: vec![],
        textures: vec![],
        clips: ClipLibrary::new([clip]),
        space: Space::CANONICAL,
    });
    let evaluator = Box::new(Square { rest, joint: usize::from(joint) });
    Imported {
        character: character.unwrap(),
        source: SourceInfo::default(),
        evaluator,
        findings: vec![],
        clip_nodes: None,
        files: vec![],
    }
}

fn hero(steps: u32) -> Imported {
    file(["Hips", "Spine"], 1, steps, vec![mesh()])
}

const OWN: [Option<Origin>; 1] = [Some(Origin { input: 0, clip: 0 })];

/// The largest gap between a parabola and its chord is a quarter of the square of the step.
#[test]
fn the_error_is_what_geometry_says() {
    for steps in [1, 4, 16] {
        let imported = hero(steps);
        let evidence = [Evidence::new("hero.fbx", b"hero", &imported)];
        let certificate = certify(&imported.character, &SourceInfo::default(), &OWN, &evidence).unwrap();
        let gap = 0.25 / f64::from(steps * steps);
        let found = certificate.clips[0];
        assert!((found.joint_max / gap - 1.0).abs() < 0.02, "{steps} steps: {found:?}");
        assert!((found.vertex_max / gap - 1.0).abs() < 0.02, "{steps} steps: {found:?}");
        assert!(found.joint_p99 <= found.joint_max && found.joint_p99 > gap * 0.9);
        assert_eq!((found.worst_joint, found.samples), (1, 256));
        assert_eq!(certificate.whole, found);
        assert_eq!(certificate.inputs[0].name, "hero.fbx");
    }
}

#[test]
fn the_hash_is_the_one_that_other_programs_print() {
    let imported = hero(1);
    let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(hex(&Evidence::new("a", b"abc", &imported).sha256), expected);
}

/// The other file's joints are in another order, under other names, and rest elsewhere; it moves the spine, which is joint 1 here and 0
/// there.
#[test]
fn clips_of_other_files_are_measured_where_they_go() {
    let (base, other) = (hero(64), file(["mixamorig:Spine", "mixamorig:Hips"], 0, 64, vec![]));
    let merged =
        merge_all(Source::new("hero.fbx", &base), &[Source::new("walk.fbx", &other)], &TagTable::default())
            .unwrap();
    let origins: Vec<_> = merged.origins.iter().map(|o| Some(super::origin(o))).collect();
    assert_eq!(origins[1], Some(Origin { input: 1, clip: 0 }));
    let evidence = [Evidence::new("hero.fbx", b"hero", &base), Evidence::new("walk.fbx", b"walk", &other)];
    let certificate = certify(&merged.character, &SourceInfo::default(), &origins, &evidence).unwrap();
    let gap = 0.25 / f64::from(64 * 64);
    for found in &certificate.clips {
        assert!((found.joint_max / gap - 1.0).abs() < 0.05, "{found:?}");
    }
    // The origin matters: the other file's spine walks half a unit lower than this one's.
    let wrong =
        certify(&merged.character, &SourceInfo::default(), &[origins[0], origins[0]], &evidence).unwrap();
    assert!(wrong.clips[0].joint_max < 1e-3 && wrong.clips[1].joint_max > 0.49, "{wrong:?}");
    let missing = certify(
        &merged.character,
        &SourceInfo::default(),
        &[None, Some(Origin { input: 2, clip: 0 })],
        &evidence,
    );
    assert!(matches!(missing, Err(CertifyError::NoSuchClip { clip: 1, input: 2, .. })));
    let unmeasured = certify(&merged.character, &SourceInfo::default(), &[None, None], &evidence).unwrap();
    assert_eq!(unmeasured.whole, Measure::default());
}

#[test]
fn a_bundle_stands_up_to_its_certificate() {
    let (base, other) = (hero(16), file(["Spine", "Hips"], 0, 32, vec![]));
    let merged =
        merge_all(Source::new("hero.fbx", &base), &[Source::new("walk.fbx", &other)], &TagTable::default())
            .unwrap();
    let origins: Vec<_> = merged.origins.iter().map(|o| Some(super::origin(o))).collect();
    let evidence = [Evidence::new("hero.fbx", b"hero", &base), Evidence::new("walk.fbx", b"walk", &other)];
    let certificate = certify(&merged.character, &SourceInfo::default(), &origins, &evidence).unwrap();
    let write = |c: &Character| {
        write_bundle(c, &SourceInfo::default(), &BundleOptions::default(), Some(&certificate)).unwrap()
    };
    let bytes = write(&merged.character);

    assert!(verify(&bytes, &[]).unwrap().measured.is_none());
    let [a, b] = evidence;
    let verified = verify(&bytes, &[b, a]).unwrap();
    assert_eq!(verified.measured.as_ref(), Some(&certificate));
    assert_eq!(verified.bundle.certificate.as_ref(), Some(&certificate));

    let changed = verify(&bytes, &[a, Evidence::new("walk.fbx", b"walk 2", &other)]).unwrap_err();
    assert!(
        matches!(&changed, VerifyError::Input { name, changed: true, .. } if name == "walk.fbx"),
        "{changed}"
    );
    assert!(matches!(verify(&bytes, &[a]), Err(VerifyError::Input { changed: false, .. })));
    assert!(matches!(verify(&bytes[1..], &[a]), Err(VerifyError::Bundle(_))));
    let silent =
        write_bundle(&merged.character, &SourceInfo::default(), &BundleOptions::default(), None).unwrap();
    assert!(matches!(verify(&silent, &[a, b]), Err(VerifyError::NoCertificate)));

    // A coarser clip under the certificate of the finer one.
    let coarse = hero(4).character.clips().get(0).unwrap();
    let mut clips = ClipLibrary::default();
    clips.add(coarse);
    clips.add(merged.character.clips().get(1).unwrap());
    let worse = verify(&write(&merged.character.with_clips(clips).unwrap()), &[a, b]).unwrap_err();
    assert!(matches!(worse, VerifyError::Worse { .. }), "{worse}");
    assert!(worse.to_string().contains("all clips: the largest joint error"), "{worse}");
}

#[test]
fn another_character_is_refused() {
    let (base, stranger) = (hero(4), file(["Root", "Tail"], 1, 4, vec![mesh()]));
    let evidence = [Evidence::new("stranger.fbx", b"", &stranger)];
    let error = certify(&base.character, &SourceInfo::default(), &OWN, &evidence).unwrap_err();
    assert!(matches!(error, CertifyError::OtherCharacter { .. }), "{error}");
    assert!(matches!(
        certify(&base.character, &SourceInfo::default(), &OWN, &[]),
        Err(CertifyError::NoEvidence)
    ));
    assert!(matches!(
        certify(&base.character, &SourceInfo::default(), &[], &evidence),
        Err(CertifyError::Origins { .. })
    ));
}
