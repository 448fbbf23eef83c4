use super::*;
use glam::Vec3;
use sinew::{Joint, Transform};

/// How a make of rigs calls its joints. `#` stands for the side.
struct Make {
    name: &'static str,
    sides: [&'static str; 2],
    /// Joints above the hips.
    roots: &'static [&'static str],
    hips: &'static str,
    trunk: &'static [&'static str],
    neck: &'static str,
    head: &'static str,
    /// Shoulder, upper arm, lower arm, hand.
    arm: [&'static str; 4],
    /// Upper leg, lower leg, foot, toes.
    leg: [&'static str; 4],
    /// Thumb and index finger, three joints each.
    fingers: [[&'static str; 3]; 2],
    /// Joints that have no role: name and parent.
    others: &'static [(&'static str, &'static str)],
}

const MAKES: &[Make] = &[
    Make {
        name: "Mixamo, Ready Player Me",
        sides: ["Left", "Right"],
        roots: &[],
        hips: "mixamorig:Hips",
        trunk: &["mixamorig:Spine", "mixamorig:Spine1", "mixamorig:Spine2"],
        neck: "mixamorig:Neck",
        head: "mixamorig:Head",
        arm: ["mixamorig:#Shoulder", "mixamorig:#Arm", "mixamorig:#ForeArm", "mixamorig:#Hand"],
        leg: ["mixamorig:#UpLeg", "mixamorig:#Leg", "mixamorig:#Foot", "mixamorig:#ToeBase"],
        fingers: [
            ["mixamorig:#HandThumb1", "mixamorig:#HandThumb2", "mixamorig:#HandThumb3"],
            ["mixamorig:#HandIndex1", "mixamorig:#HandIndex2", "mixamorig:#HandIndex3"],
        ],
        others: &[
            ("mixamorig:HeadTop_End", "mixamorig:Head"),
            ("mixamorig:#HandIndex4", "mixamorig:#HandIndex3"),
        ],
    },
    Make {
        name: "Unreal mannequin",
        sides: ["l", "r"],
        roots: &["root"],
        hips: "pelvis",
        trunk: &["spine_01", "spine_02", "spine_03", "spine_04", "spine_05"],
        neck: "neck_01",
        head: "head",
        arm: ["clavicle_#", "upperarm_#", "lowerarm_#", "hand_#"],
        leg: ["thigh_#", "calf_#", "foot_#", "ball_#"],
        fingers: [["thumb_01_#", "thumb_02_#", "thumb_03_#"], ["index_01_#", "index_02_#", "index_03_#"]],
        others: &[
            ("ik_foot_root", "root"),
            ("ik_foot_#", "ik_foot_root"),
            ("ik_hand_#", "root"),
            ("upperarm_twist_01_#", "upperarm_#"),
            ("thigh_twist_01_#", "thigh_#"),
        ],
    },
    Make {
        name: "Unity, VRM names",
        sides: ["Left", "Right"],
        roots: &["Armature"],
        hips: "Hips",
        trunk: &["Spine", "Chest", "UpperChest"],
        neck: "Neck",
        head: "Head",
        arm: ["#Shoulder", "#UpperArm", "#LowerArm", "#Hand"],
        leg: ["#UpperLeg", "#LowerLeg", "#Foot", "#Toes"],
        fingers: [
            ["#ThumbMetacarpal", "#ThumbProximal", "#ThumbDistal"],
            ["#IndexProximal", "#IndexIntermediate", "#IndexDistal"],
        ],
        others: &[("#Eye", "Head"), ("Jaw", "Head")],
    },
    Make {
        name: "Rigify",
        sides: ["L", "R"],
        roots: &["root"],
        hips: "DEF-spine",
        trunk: &["DEF-spine.001", "DEF-spine.002", "DEF-spine.003"],
        neck: "DEF-spine.004",
        head: "DEF-spine.006",
        arm: ["DEF-shoulder.#", "DEF-upper_arm.#", "DEF-forearm.#", "DEF-hand.#"],
        leg: ["DEF-thigh.#", "DEF-shin.#", "DEF-foot.#", "DEF-toe.#"],
        fingers: [
            ["DEF-thumb.01.#", "DEF-thumb.02.#", "DEF-thumb.03.#"],
            ["DEF-f_index.01.#", "DEF-f_index.02.#", "DEF-f_index.03.#"],
        ],
        others: &[("ORG-thigh.#", "root"), ("MCH-foot_ik.#", "root")],
    },
    Make {
        name: "Biped",
        sides: ["L", "R"],
        roots: &["Bip01"],
        hips: "Bip01 Pelvis",
        trunk: &["Bip01 Spine", "Bip01 Spine1"],
        neck: "Bip01 Neck",
        head: "Bip01 Head",
        arm: ["Bip01 # Clavicle", "Bip01 # UpperArm", "Bip01 # Forearm", "Bip01 # Hand"],
        leg: ["Bip01 # Thigh", "Bip01 # Calf", "Bip01 # Foot", "Bip01 # Toe0"],
        fingers: [
            ["Bip01 # Finger0", "Bip01 # Finger01", "Bip01 # Finger02"],
            ["Bip01 # Finger1", "Bip01 # Finger11", "Bip01 # Finger12"],
        ],
        others: &[("Bip01 Footsteps", "Bip01"), ("Bip01 HeadNub", "Bip01 Head")],
    },
    Make {
        name: "CMU, MotionBuilder",
        sides: ["Left", "Right"],
        roots: &[],
        hips: "Hips",
        trunk: &["LowerBack", "Spine", "Spine1"],
        neck: "Neck",
        head: "Head",
        arm: ["#Shoulder", "#Arm", "#ForeArm", "#Hand"],
        leg: ["#UpLeg", "#Leg", "#Foot", "#ToeBase"],
        fingers: [
            ["#HandThumb1", "#HandThumb2", "#HandThumb3"],
            ["#HandIndex1", "#HandIndex2", "#HandIndex3"],
        ],
        others: &[("#FingerBase", "#Hand")],
    },
    Make {
        name: "Daz",
        sides: ["l", "r"],
        roots: &["Genesis"],
        hips: "hip",
        trunk: &["abdomenLower", "abdomenUpper", "chestLower", "chestUpper"],
        neck: "neckLower",
        head: "head",
        arm: ["#Collar", "#ShldrBend", "#ForearmBend", "#Hand"],
        leg: ["#ThighBend", "#Shin", "#Foot", "#Toe"],
        fingers: [["#Thumb1", "#Thumb2", "#Thumb3"], ["#Index1", "#Index2", "#Index3"]],
        others: &[("#ShldrTwist", "#ShldrBend"), ("#Eye", "head"), ("lowerJaw", "head")],
    },
    Make {
        name: "joints by anatomy",
        sides: ["L", "R"],
        roots: &["rig"],
        hips: "root_jnt",
        trunk: &["spine_jnt"],
        neck: "neck_jnt",
        head: "head_jnt",
        arm: ["#_clavicle_jnt", "#_shoulder_jnt", "#_elbow_jnt", "#_wrist_jnt"],
        leg: ["#_hip_jnt", "#_knee_jnt", "#_ankle_jnt", "#_ball_jnt"],
        fingers: [
            ["#_thumb1_jnt", "#_thumb2_jnt", "#_thumb3_jnt"],
            ["#_index1_jnt", "#_index2_jnt", "#_index3_jnt"],
        ],
        others: &[],
    },
];

/// Builds the joints, and says which role each should have.
struct Rig {
    joints: Vec<Joint>,
    places: Vec<Vec3>,
    truth: Vec<(Role, u16)>,
}

impl Rig {
    fn of(make: &Make) -> Self {
        let mut rig = Self { joints: vec![], places: vec![], truth: vec![] };
        let mut above = None;
        for root in make.roots {
            above = Some(rig.push(root, above, Vec3::ZERO, None));
        }
        let hips = rig.push(make.hips, above, Vec3::Y, Some(Role::middle(Part::Hips)));
        let mut above = hips;
        let count = make.trunk.len();
        for (at, name) in make.trunk.iter().enumerate() {
            let parts = [Part::Spine, Part::Chest, Part::UpperChest];
            // Of more than three, the first, the middle one and the last.
            let part = match at {
                _ if count <= 3 => Some(parts[at]),
                0 => Some(Part::Spine),
                at if at == count / 2 => Some(Part::Chest),
                at if at + 1 == count => Some(Part::UpperChest),
                _ => None,
            };
            let place = Vec3::new(0.0, 1.1 + 0.3 * at as f32 / count as f32, 0.0);
            above = rig.push(name, Some(above), place, part.map(Role::middle));
        }
        let chest = above;
        let neck = rig.push(make.neck, Some(chest), Vec3::Y * 1.5, Some(Role::middle(Part::Neck)));
        rig.push(make.head, Some(neck), Vec3::Y * 1.6, Some(Role::middle(Part::Head)));
        for (side, letter, sign) in [(Side::Left, make.sides[0], 1.0), (Side::Right, make.sides[1], -1.0)] {
            let place = |x: f32, y: f32, z: f32| Vec3::new(sign * x, y, z);
            let arm = [(0.05, 1.42), (0.18, 1.43), (0.45, 1.43), (0.7, 1.43)].map(|(x, y)| place(x, y, 0.0));
            let parts = [Part::Shoulder, Part::UpperArm, Part::LowerArm, Part::Hand];
            let hand = rig.line(chest, side, letter, &make.arm, &parts, &arm);
            let leg =
                [place(0.1, 0.95, 0.0), place(0.1, 0.5, 0.02), place(0.1, 0.08, 0.0), place(0.1, 0.02, 0.12)];
            let parts = [Part::UpperLeg, Part::LowerLeg, Part::Foot, Part::Toes];
            rig.line(hips, side, letter, &make.leg, &parts, &leg);
            for (finger, z) in [(0, 0.05), (1, 0.02)] {
                let places = [0.76, 0.79, 0.81].map(|x| place(x, 1.43, z));
                rig.line(hand, side, letter, &make.fingers[finger], &Part::FINGERS[finger], &places);
            }
            for (name, parent) in make.others.iter().filter(|(name, _)| name.contains('#')) {
                rig.other(&name.replace('#', letter), &parent.replace('#', letter), side);
            }
        }
        for (name, parent) in make.others.iter().filter(|(name, _)| !name.contains('#')) {
            rig.other(name, parent, Side::Middle);
        }
        rig
    }

    fn push(&mut self, name: &str, parent: Option<u16>, place: Vec3, role: Option<Role>) -> u16 {
        let joint = self.joints.len() as u16;
        let above = parent.map_or(Vec3::ZERO, |parent| self.places[usize::from(parent)]);
        self.joints.push(Joint::new(name, parent, Transform::from_translation(place - above)));
        self.places.push(place);
        self.truth.extend(role.map(|role| (role, joint)));
        joint
    }

    fn line(
        &mut self,
        on: u16,
        side: Side,
        letter: &str,
        names: &[&str],
        parts: &[Part],
        places: &[Vec3],
    ) -> u16 {
        let mut above = on;
        for ((name, part), place) in names.iter().zip(parts).zip(places) {
            above = self.push(&name.replace('#', letter), Some(above), *place, Some(Role::new(side, *part)));
        }
        above
    }

    fn other(&mut self, name: &str, parent: &str, side: Side) {
        let parent = self.joints.iter().position(|joint| joint.name == parent).map(|at| at as u16);
        let place = parent.map_or(Vec3::ZERO, |parent| self.places[usize::from(parent)] + Vec3::Z * 0.03);
        let role = match Aliases::get().spell(name).key.as_str() {
            "eye" => Some(Role::new(side, Part::Eye)),
            "jaw" | "lowerjaw" => Some(Role::middle(Part::Jaw)),
            _ => None,
        };
        self.push(name, parent, place, role);
    }

    fn skeleton(&self) -> Skeleton {
        Skeleton::new(self.joints.clone(), vec![]).unwrap()
    }
}

#[test]
fn every_make_is_found() {
    for make in MAKES {
        let rig = Rig::of(make);
        let skeleton = rig.skeleton();
        let found = Humanoid::find(&skeleton).unwrap_or_else(|error| panic!("{}: {error}", make.name));
        assert_eq!(found.refused(), [], "{}", make.name);
        let name = |joint: Option<u16>| joint.map(|joint| skeleton.name(joint).to_owned());
        for &(role, joint) in &rig.truth {
            assert_eq!(name(found.joint(role)), name(Some(joint)), "{}: {role}", make.name);
        }
        assert_eq!(found.roles().len(), rig.truth.len(), "{}", make.name);
    }
}

/// Names that say nothing: the shape of the tree is enough for the body.
#[test]
fn the_tree_is_enough() {
    let mut rig = Rig::of(&MAKES[0]);
    rig.joints.iter_mut().enumerate().for_each(|(at, joint)| joint.name = format!("bone{at}"));
    let found = Humanoid::find(&rig.skeleton()).unwrap();
    for (role, assigned) in found.roles() {
        assert!(rig.truth.contains(&(role, assigned.joint)), "{role}");
        assert_eq!(assigned.method, Method::Tree);
    }
    assert!(found.roles().len() >= 22);
}

#[test]
fn what_is_listed_counts() {
    let mut rig = Rig::of(&MAKES[0]);
    rig.joints
        .iter_mut()
        .filter(|joint| joint.name.ends_with("LeftArm"))
        .for_each(|joint| joint.name = "Wing".into());
    let skeleton = rig.skeleton();
    let map = BoneMap::new([("Wing", "leftUpperArm"), ("mixamorig:HeadTop_End", "jaw"), ("Neck", "")]);
    let found = Humanoid::with_map(&skeleton, &map).unwrap();
    let of = |role: &str| found.roles().find(|(r, _)| r.to_string() == role).map(|(_, found)| found);
    assert_eq!(of("leftUpperArm").map(|found| found.method), Some(Method::Listed));
    assert_eq!(of("jaw").map(|found| skeleton.name(found.joint)), Some("mixamorig:HeadTop_End"));
    assert_ne!(of("neck").map(|found| skeleton.name(found.joint)), Some("mixamorig:Neck"));
    // What it writes is read again.
    let again =
        Humanoid::with_map(&skeleton, &BoneMap { by_name: false, ..found.bone_map(&skeleton) }).unwrap();
    assert!(found.roles().all(|(role, found)| again.joint(role) == Some(found.joint)));
}

/// Two joints of one name on two branches: neither is taken.
#[test]
fn twins_are_refused() {
    let mut rig = Rig::of(&MAKES[0]);
    let on = rig.joints.iter().position(|joint| joint.name.ends_with("LeftFoot")).unwrap() as u16;
    rig.push("other:LeftToeBase", Some(on), Vec3::new(0.1, 0.02, 0.13), None);
    let found = Humanoid::find(&rig.skeleton()).unwrap();
    let role = Role::new(Side::Left, Part::Toes);
    assert_eq!(found.joint(role), None);
    let [refused] = found.refused() else { panic!("{:?}", found.refused()) };
    assert_eq!((refused.role, refused.candidates.len()), (role, 2));
}

#[test]
fn sides_are_checked() {
    let mut rig = Rig::of(&MAKES[0]);
    for joint in &mut rig.joints {
        joint.name = match joint.name.contains("Left") {
            true => joint.name.replace("Left", "Right"),
            false => joint.name.replace("Right", "Left"),
        };
    }
    assert_eq!(Humanoid::find(&rig.skeleton()), Err(NotHumanoid::Sides));
}

#[test]
fn beasts_are_refused() {
    let mut rig = Rig::of(&MAKES[0]);
    // The trunk lies down.
    let spine = rig.joints.iter().position(|joint| joint.name.ends_with("Spine")).unwrap();
    rig.joints[spine].rest.rotation = glam::Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
    assert!(matches!(Humanoid::find(&rig.skeleton()), Err(NotHumanoid::FourLegs { .. })));
}
