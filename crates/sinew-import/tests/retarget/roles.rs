//! Roles of real rigs: what is found is right, and the table of `docs/retargeting.md` says what is found. `SINEW_BLESS=1` writes it.

use super::corpus::{corpus, load};
use sinew::names::bare;
use sinew_retarget::Humanoid;
use std::collections::HashMap;
use std::fmt::Write as _;

/// Joints of Mixamo's and MotionBuilder's rigs, without prefix.
const MIXAMO: &str = "
    hips Hips, spine Spine, chest Spine1, upperChest Spine2, neck Neck, head Head, leftEye LeftEye, rightEye RightEye,
    *Shoulder @Shoulder, *UpperArm @Arm, *LowerArm @ForeArm, *Hand @Hand,
    *UpperLeg @UpLeg, *LowerLeg @Leg, *Foot @Foot, *Toes @ToeBase,
    *ThumbMetacarpal @HandThumb1, *ThumbProximal @HandThumb2, *ThumbDistal @HandThumb3,
    *IndexProximal @HandIndex1, *IndexIntermediate @HandIndex2, *IndexDistal @HandIndex3,
    *MiddleProximal @HandMiddle1, *MiddleIntermediate @HandMiddle2, *MiddleDistal @HandMiddle3,
    *RingProximal @HandRing1, *RingIntermediate @HandRing2, *RingDistal @HandRing3,
    *LittleProximal @HandPinky1, *LittleIntermediate @HandPinky2, *LittleDistal @HandPinky3";

/// What differs in others.
const KENNEY: &str = "chest Chest, upperChest UpperChest, *Toes @Toes";
const PAB: &str = "hips Pelvis, chest Spine2, upperChest Spine3, *Toes @FootThumb1, leftHand Lefthand";
const ASTRO: &str = "
    hips root, spine spine01, chest spine02, neck neck01, head head, *Shoulder @_clavicle, *UpperArm @_shoulder, *LowerArm @_elbow,
    *Hand @_wrist, *UpperLeg @_hip, *LowerLeg @_knee_01, *Foot @_ankle, *Toes @_toeBall, *ThumbMetacarpal @_thumb_01, *ThumbProximal @_thumb_02,
    *IndexProximal @_index_01, *IndexIntermediate @_index_02, *MiddleProximal @_middle_01, *MiddleIntermediate @_middle_02,
    *LittleProximal @_pinky_01, *LittleIntermediate @_pinky_02";
const FIGURE: &str = "
    hips torso_joint_1, spine torso_joint_2, chest torso_joint_3, neck neck_joint_1, head neck_joint_2,
    *UpperArm arm_joint_@_1, *LowerArm arm_joint_@_2, *Hand arm_joint_@_3,
    *UpperLeg leg_joint_@_1, *LowerLeg leg_joint_@_2, *Foot leg_joint_@_3, *Toes leg_joint_@_5";
const CESIUM: &str = "
    hips Skeleton_torso_joint_1, spine Skeleton_torso_joint_2, neck Skeleton_neck_joint_1, head Skeleton_neck_joint_2,
    leftUpperArm Skeleton_arm_joint_L__4_, leftLowerArm Skeleton_arm_joint_L__3_, leftHand Skeleton_arm_joint_L__2_,
    rightUpperArm Skeleton_arm_joint_R, rightLowerArm Skeleton_arm_joint_R__2_, rightHand Skeleton_arm_joint_R__3_";
const ROBOT: &str = "
    hips Body, spine Abdomen, chest Torso, neck Neck, head Head, *Shoulder Shoulder.@, *UpperArm UpperArm.@, *LowerArm LowerArm.@,
    *UpperLeg UpperLeg.@, *LowerLeg LowerLeg.@";
const ROBOT_TRUNK: &str = "spine Hips, chest Abdomen, upperChest Torso";

struct Rig {
    path: &'static str,
    sides: [&'static str; 2],
    /// Later ones count.
    truth: &'static [&'static str],
}

const fn rig(path: &'static str, sides: [&'static str; 2], truth: &'static [&'static str]) -> Rig {
    Rig { path, sides, truth }
}

const LEFT: [&str; 2] = ["Left", "Right"];
const RIGS: &[Rig] = &[
    rig("three/gltf/Soldier.glb", LEFT, &[MIXAMO]),
    rig("three/gltf/Xbot.glb", LEFT, &[MIXAMO]),
    rig("three/gltf/Michelle.glb", LEFT, &[MIXAMO]),
    rig("three/fbx/Samba_Dancing.fbx", LEFT, &[MIXAMO]),
    rig("three/collada/stormtrooper/stormtrooper.dae", LEFT, &[MIXAMO]),
    rig("ozz/fbx/pab/arnaud.fbx", LEFT, &[MIXAMO, PAB]),
    rig("ozz/fbx/pab/skeleton.fbx", LEFT, &[MIXAMO, PAB]),
    rig("ozz/fbx/pab/walk.fbx", LEFT, &[MIXAMO, PAB]),
    rig("ozz/fbx/pab/run.fbx", LEFT, &[MIXAMO, PAB]),
    rig("ozz/collada/astro_maya.dae", ["L", "R"], &[ASTRO]),
    rig("ufbx/maya_kenney_character_7700_binary.fbx", LEFT, &[MIXAMO, KENNEY]),
    rig("three/gltf/RobotExpressive/RobotExpressive.glb", ["L", "R"], &[ROBOT, ROBOT_TRUNK]),
    rig("khronos/RiggedFigure/glTF-Binary/RiggedFigure.glb", ["L", "R"], &[FIGURE]),
    rig("khronos/CesiumMan/glTF-Binary/CesiumMan.glb", ["L", "R"], &[FIGURE, CESIUM]),
];

impl Rig {
    /// The joint of each role.
    fn truth(&self) -> HashMap<String, String> {
        let mut truth = HashMap::new();
        let entries = self.truth.iter().flat_map(|text| text.split(','));
        for (role, joint) in entries.filter_map(|entry| entry.trim().split_once(' ')) {
            for (side, named) in ["left", "right"].iter().zip(self.sides) {
                truth.insert(role.replace('*', side), joint.replace('@', named));
            }
        }
        truth
    }
}

#[test]
fn what_is_found_is_right() {
    let Some(folder) = corpus("what_is_found_is_right") else { return };
    let mut table =
        String::from("| file | joints | roles found | wrong | refused |\n|---|---|---|---|---|\n");
    let mut wrong_ones = Vec::new();
    for rig in RIGS {
        let character = load(&folder, rig.path);
        let skeleton = character.skeleton();
        let truth = rig.truth();
        let (found, wrong, refused) = match Humanoid::find(skeleton) {
            Ok(roles) => {
                let is_wrong =
                    |(role, joint): &(String, &str)| truth.get(role).map(String::as_str) != Some(bare(joint));
                let named = roles.roles().map(|(role, found)| (role.to_string(), skeleton.name(found.joint)));
                let wrong: Vec<_> = named.filter(is_wrong).collect();
                wrong_ones
                    .extend(wrong.iter().map(|(role, joint)| format!("{}: {role} is {joint}", rig.path)));
                let refused =
                    roles.refused().iter().map(|refused| refused.role.to_string()).collect::<Vec<_>>();
                (roles.roles().len(), wrong.len(), refused.join(", "))
            }
            Err(error) => {
                println!("{}: {error}", rig.path);
                (0, 0, "all".to_owned())
            }
        };
        writeln!(table, "| `{}` | {} | {found} | {wrong} | {refused} |", rig.path, skeleton.len()).unwrap();
    }
    println!("{table}");
    assert_eq!(wrong_ones, [""; 0]);
    check_page(&table);
}

fn check_page(table: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/retargeting.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once("<!-- roles -->\n").unwrap();
    let (_, after) = rest.split_once("<!-- end of roles -->").unwrap();
    let blessed = format!("{before}<!-- roles -->\n{table}<!-- end of roles -->{after}");
    if std::env::var_os("SINEW_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, blessed).unwrap();
    } else {
        assert!(text == blessed, "docs/retargeting.md differs: run this test with SINEW_BLESS=1");
    }
}
