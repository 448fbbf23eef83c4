use super::*;
use crate::tests::{character, turn};
use crate::{ClipLibrary, Interpolation, Joint, Transform};
use glam::Quat;

fn hop(joint: u16, height: f32) -> Clip {
    let values = vec![Vec3::new(0.0, height, 0.0), Vec3::new(0.2, height + 0.5, 1.0)];
    let translation = Track::new(vec![0.0, 1.0], values, Interpolation::Linear).unwrap();
    let rotation = Track::constant(Quat::from_rotation_y(0.7)).unwrap();
    let hips = JointTracks {
        translation: Some(translation.clone()),
        rotation: Some(rotation.clone()),
        scale: Some(Track::constant(Vec3::splat(2.0)).unwrap()),
        ..JointTracks::new(joint)
    };
    let above = JointTracks {
        translation: Some(translation),
        rotation: Some(rotation),
        ..JointTracks::new(joint + 1)
    };
    Clip::new("hop", 1.0, vec![hips, above], vec![]).unwrap()
}

fn none() -> ClipLibrary {
    ClipLibrary::default()
}

/// The borrower's joint for each of the lender's, all of which are moved.
fn counterparts(map: &BoneMap, lender: &Character, borrower: &Character) -> Vec<Option<u16>> {
    let joints = 0..lender.skeleton().len() as u16;
    let clips: Vec<_> = joints.clone().map(|joint| turn("turn", joint, 1.0)).collect();
    let map = JointMap::with_bone_map(map, lender.skeleton(), borrower.skeleton(), &clips).unwrap();
    joints.map(|joint| map.joint(joint)).collect()
}

#[test]
fn a_clip_is_re_indexed() {
    let lender = character("lender", &["Root", "Pelvis", "Chest", "Tail"], 1.0, none());
    let borrower =
        character("borrower", &["mixamorig:Root", "extra", "mixamorig:Hips", "mixamorig:Chest"], 1.0, none());
    let map = BoneMap::new([("Pelvis", "Hips")]);
    let (mapping, findings) = Mapping::new(&map, &lender, &borrower).unwrap();
    assert_eq!(counterparts(&map, &lender, &borrower), [Some(0), Some(2), Some(3), None]);
    assert_eq!(findings.iter().map(Finding::id).collect::<Vec<_>>(), ["bone-map.unmatched"]);
    let clip = mapping.apply(&hop(1, 1.0).with_ground_velocity(Vec3::Z).unwrap()).unwrap();
    assert_eq!(clip.ground_velocity(), Vec3::Z * 2.0, "as far as it hops");
    assert_eq!(clip.keys().unwrap().joints().iter().map(|t| t.joint).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(
        clip.keys().unwrap().joints()[0].rotation,
        hop(1, 1.0).keys().unwrap().joints()[0].rotation,
        "rotations as they are"
    );
    assert!(clip.keys().unwrap().joints()[0].scale.is_none());
    assert!(clip.keys().unwrap().joints()[1].translation.is_none(), "only the root's translation");
    // The borrower's hips stand two above the ground, the lender's one: twice the hop, from the borrower's rest.
    let values = clip.keys().unwrap().joints()[0].translation.as_ref().unwrap().values();
    assert!(values[0].abs_diff_eq(Vec3::Y, 1e-6), "{}", values[0]);
    assert!(values[1].abs_diff_eq(Vec3::new(0.4, 2.0, 2.0), 1e-6), "{}", values[1]);
    assert_eq!(mapping.apply(&turn("tail", 3, 1.0)).unwrap().keys().unwrap().joints(), []);
}

#[test]
fn translation_may_be_off() {
    let lender = character("lender", &["Hips", "Chest"], 1.0, none());
    let map = BoneMap { root_translation: RootTranslation::Off, ..BoneMap::default() };
    let (mapping, _) = Mapping::new(&map, &lender, &lender).unwrap();
    let clip = mapping.apply(&hop(0, 0.0)).unwrap();
    assert!(clip.keys().unwrap().joints().iter().all(|t| t.translation.is_none() && t.rotation.is_some()));
}

/// A root on the ground has no height of its own, so the whole figures are compared.
#[test]
fn a_root_on_the_ground_goes_by_the_whole_height() {
    let lender = character("lender", &["Hips", "Chest"], 1.0, none());
    let borrower = character("borrower", &["Hips", "Chest"], 3.0, none());
    let (mapping, _) = Mapping::new(&BoneMap::default(), &lender, &borrower).unwrap();
    let clip = mapping.apply(&hop(0, 0.0)).unwrap();
    let values = clip.keys().unwrap().joints()[0].translation.as_ref().unwrap().values();
    assert!(values[1].abs_diff_eq(Vec3::new(0.6, 1.5, 3.0), 1e-5), "{}", values[1]);
}

/// An armature in centimetres, lying on its back, moves the borrower by the same way in model space.
#[test]
fn parents_may_be_turned_and_scaled() {
    let lender = character("lender", &["Armature", "Hips"], 1.0, none());
    let armature = Transform {
        rotation: Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2),
        scale: Vec3::splat(0.01),
        ..Transform::IDENTITY
    };
    let hips = Transform::from_translation(Vec3::Z * 100.0);
    let joints = vec![Joint::new("Armature", None, armature), Joint::new("Hips", Some(0), hips)];
    let borrower = crate::Character::new(crate::character::CharacterData {
        name: "borrower".into(),
        skeleton: Skeleton::new(joints, vec![]).unwrap(),
        meshes: vec![],
        materials: vec![],
        textures: vec![],
        clips: none(),
        space: crate::Space::CANONICAL,
    })
    .unwrap();
    let (mapping, _) = Mapping::new(&BoneMap::default(), &lender, &borrower).unwrap();
    let mut clip = hop(1, 1.0);
    clip = Clip::new("hop", 1.0, clip.keys().unwrap().joints()[..1].to_vec(), vec![]).unwrap();
    let borrowed = mapping.apply(&clip).unwrap();
    let values = borrowed.keys().unwrap().joints()[0].translation.as_ref().unwrap().values();
    let model = borrower.skeleton().rest().get(0).to_affine();
    let way = model.transform_point3(values[1]) - model.transform_point3(values[0]);
    assert!(way.abs_diff_eq(Vec3::new(0.2, 0.5, 1.0), 1e-5), "{way}");
    assert!(model.transform_point3(values[0]).abs_diff_eq(Vec3::Y, 1e-5));
}

#[test]
fn a_map_that_leads_nowhere_says_so() {
    let lender = character("lender", &["Hips", "Chest"], 1.0, none());
    let borrower = character("borrower", &["a", "b"], 1.0, none());
    let error = Mapping::new(&BoneMap::default(), &lender, &borrower).unwrap_err();
    assert!(error.to_string().contains("`lender`") && error.to_string().contains("`borrower`"), "{error}");
    let map = BoneMap::new([("Hips", "a"), ("Nose", "b"), ("Chest", "c")]);
    let (mapping, findings) = Mapping::new(&map, &lender, &borrower).unwrap();
    assert_eq!(counterparts(&map, &lender, &borrower), [Some(0), None]);
    let places: Vec<_> = findings.iter().map(|f| (f.id(), f.place.as_str())).collect();
    assert_eq!(
        places,
        [
            ("bone-map.unknown-joint", "c"),
            ("bone-map.unknown-joint", "Nose"),
            ("bone-map.unmatched", "lender")
        ]
    );
    assert!(mapping.apply(&turn("other", 7, 1.0)).is_err());
}

#[test]
fn listed_joints_go_before_equal_names() {
    let lender = character("lender", &["Hips", "Pelvis", "Skip"], 1.0, none());
    let borrower = character("borrower", &["Hips", "Skip"], 1.0, none());
    let map = BoneMap::new([("hero:Pelvis", "Hips"), ("Skip", "")]);
    assert_eq!(counterparts(&map, &lender, &borrower), [None, Some(0), None]);
    let strict = BoneMap { by_name: false, ..BoneMap::new([("Skip", "Skip")]) };
    assert_eq!(counterparts(&strict, &lender, &borrower), [None, None, Some(1)]);
}

/// The map may list what several lenders call a joint; only those that this one has compete for it.
#[test]
fn entries_for_other_lenders_do_not_matter() {
    let lender = character("lender", &["Pelvis", "Chest"], 1.0, none());
    let borrower = character("borrower", &["Hips", "Chest"], 1.0, none());
    let map = BoneMap::new([("Pelvis", "Hips"), ("Hip", "Hips")]);
    assert_eq!(counterparts(&map, &lender, &borrower), [Some(0), Some(1)]);
}

#[test]
fn listed_names_that_could_mean_several_joints_are_refused() {
    let lender = character("lender", &["a:Hips", "b:Hips", "Chest"], 1.0, none());
    let borrower = character("borrower", &["Pelvis", "Foot", "Foot"], 1.0, none());
    for (entries, text) in [
        (vec![("Hips", "Pelvis")], "`Hips` could mean `a:Hips` or `b:Hips`"),
        (vec![("Chest", "Foot")], "`Chest` could mean 2 joints called `Foot`"),
        (
            vec![("a:Hips", "Pelvis"), ("Chest", "Pelvis")],
            "`Chest` could mean `Pelvis`, as another channel does",
        ),
    ] {
        let error = Mapping::new(&BoneMap::new(entries), &lender, &borrower).unwrap_err();
        assert!(matches!(error, BoneMapError::Ambiguous(_)) && error.to_string().contains(text), "{error}");
    }
}

/// Of joints that are not listed, only those that the clip moves count.
#[test]
fn a_clip_that_moves_a_joint_in_doubt_is_refused() {
    let lender = character("lender", &["Hips", "x:Foot", "y:Foot", "Head"], 1.0, none());
    let borrower = character("borrower", &["Hips", "Foot", "a:Head", "b:Head"], 1.0, none());
    let (mapping, _) = Mapping::new(&BoneMap::default(), &lender, &borrower).unwrap();
    assert_eq!(mapping.apply(&turn("one foot", 1, 1.0)).unwrap().keys().unwrap().joints()[0].joint, 1);
    let error = mapping.apply(&turn("nod", 3, 1.0)).unwrap_err().to_string();
    assert!(error.contains("`Head` could mean `a:Head` or `b:Head`"), "{error}");
    let [x, y] = [1, 2].map(|foot| turn("", foot, 1.0).keys().unwrap().joints()[0].clone());
    let both = Clip::new("both feet", 1.0, vec![x, y], vec![]).unwrap();
    let error = mapping.apply(&both).unwrap_err().to_string();
    assert!(error.contains("`y:Foot` could mean `Foot`, as another channel does"), "{error}");
}
