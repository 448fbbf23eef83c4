//! The joints: names and tree as Mixamo has them, 65 in all, 52 of which move anything.

use crate::math;
use crate::scene::Transform;
pub use crate::skeleton::{Joint, Side, Skeleton};
use glam::{DQuat, DVec3};

/// Prefix of all joint names.
pub const PREFIX: &str = "mixamorig:";

/// The middle line: name, parent, place in centimetres.
const MIDDLE: [(&str, &str, DVec3); 7] = [
    ("Hips", "", DVec3::new(0.0, 98.0, 0.0)),
    ("Spine", "Hips", DVec3::new(0.0, 107.0, -0.5)),
    ("Spine1", "Spine", DVec3::new(0.0, 118.0, -1.0)),
    ("Spine2", "Spine1", DVec3::new(0.0, 130.0, -1.5)),
    ("Neck", "Spine2", DVec3::new(0.0, 149.0, -2.0)),
    ("Head", "Neck", DVec3::new(0.0, 157.0, -0.5)),
    ("HeadTop_End", "Head", DVec3::new(0.0, 180.0, 0.5)),
];

/// The left arm without fingers.
const ARM: [(&str, &str, DVec3); 4] = [
    ("Shoulder", "Spine2", DVec3::new(5.0, 143.5, -1.0)),
    ("Arm", "Shoulder", DVec3::new(17.5, 143.5, -2.0)),
    ("ForeArm", "Arm", DVec3::new(45.5, 143.5, -2.5)),
    ("Hand", "ForeArm", DVec3::new(71.0, 143.5, -2.0)),
];

/// Left fingers: name, first joint, direction and the three lengths.
const FINGERS: [(&str, DVec3, DVec3, [f64; 3]); 5] = [
    ("Thumb", DVec3::new(73.8, 142.8, 1.6), DVec3::new(0.72, -0.2, 0.66), [3.4, 2.7, 2.3]),
    ("Index", DVec3::new(80.4, 143.6, 1.4), DVec3::new(1.0, -0.03, 0.09), [3.8, 2.4, 2.1]),
    ("Middle", DVec3::new(80.8, 143.7, -0.8), DVec3::new(1.0, -0.03, 0.01), [4.2, 2.7, 2.2]),
    ("Ring", DVec3::new(80.3, 143.6, -2.9), DVec3::new(1.0, -0.03, -0.06), [3.9, 2.5, 2.1]),
    ("Pinky", DVec3::new(79.2, 143.4, -4.8), DVec3::new(1.0, -0.03, -0.14), [3.0, 1.9, 1.8]),
];

/// The left leg.
const LEG: [(&str, &str, DVec3); 5] = [
    ("UpLeg", "Hips", DVec3::new(9.0, 92.5, 0.0)),
    ("Leg", "UpLeg", DVec3::new(9.4, 50.0, 0.8)),
    ("Foot", "Leg", DVec3::new(9.6, 8.5, -2.0)),
    ("ToeBase", "Foot", DVec3::new(10.0, 2.6, 11.0)),
    ("Toe_End", "ToeBase", DVec3::new(10.2, 2.4, 18.5)),
];

impl Skeleton {
    /// The humanoid in the T-pose, which is all in the pre-rotations: `Lcl Rotation` is zero. Y runs along the bones.
    pub fn humanoid() -> Self {
        let mut skeleton = Self {
            joints: Vec::new(),
            sides: ["Left", "Right"],
            prefix: PREFIX,
            rest: Transform::pre_rotated,
        };
        for (name, parent, place) in MIDDLE {
            skeleton.push(name, parent, place, DQuat::IDENTITY);
        }
        for side in Side::BOTH {
            skeleton.push_arm(side);
        }
        for side in Side::BOTH {
            for (name, parent, place) in LEG {
                skeleton.push_sided(side, name, parent, place, DQuat::IDENTITY);
            }
        }
        skeleton.aim();
        skeleton
    }

    fn push_arm(&mut self, side: Side) {
        for (name, parent, place) in ARM {
            self.push_sided(side, name, parent, place, DQuat::IDENTITY);
        }
        for (finger, first, direction, lengths) in FINGERS {
            let mut place = first;
            let mut parent = "Hand".to_string();
            for link in 1..=4 {
                let name = format!("Hand{finger}{link}");
                self.push_sided(side, &name, &parent, place, DQuat::IDENTITY);
                place += direction.normalize() * lengths.get(link - 1).copied().unwrap_or(0.0);
                parent = name;
            }
        }
    }

    /// Gives every joint its axes: Y towards the child that goes on with the bone.
    fn aim(&mut self) {
        for index in 0..self.joints.len() {
            let joint = &self.joints[index];
            let goes_on = |name: &str| self.joints[self.index(name)].place - joint.place;
            let child = self.joints.iter().find(|j| j.parent == Some(index));
            let direction = match (joint.name.as_str(), child) {
                // Tools that build characters lying on their backs leave this on the root.
                ("Hips", _) => {
                    self.joints[index].rotation = math::euler_xyz(DVec3::new(-90.0, 0.0, 0.0));
                    continue;
                }
                ("Spine2", _) => goes_on("Neck"),
                ("LeftHand", _) => goes_on("LeftHandMiddle1"),
                ("RightHand", _) => goes_on("RightHandMiddle1"),
                (_, Some(child)) => child.place - joint.place,
                // An end goes on as its parent does.
                (_, None) => {
                    let parent = joint.parent.unwrap_or_default();
                    self.joints[index].rotation = self.joints[parent].rotation;
                    continue;
                }
            };
            self.joints[index].rotation = math::frame(direction, across(&joint.name));
        }
    }
}

/// Where a joint's X axis should point, so that Z faces forward on body and arms and up on feet.
fn across(name: &str) -> DVec3 {
    let leg = ["UpLeg", "Leg", "Foot", "ToeBase", "Toe_End"];
    let Some(bare) = name.strip_prefix("Left").or(name.strip_prefix("Right")) else {
        return DVec3::X;
    };
    if leg.contains(&bare) {
        DVec3::NEG_X
    } else if name.starts_with("Left") {
        DVec3::NEG_Y
    } else {
        DVec3::Y
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_weighted_joints_as_mixamo() {
        assert_eq!(Skeleton::humanoid().joints.iter().filter(|j| !j.is_end()).count(), 52);
    }

    #[test]
    fn pre_rotations_twist_legs_and_shoulders() {
        let skeleton = Skeleton::humanoid();
        for (name, least) in [("Hips", 89.0), ("LeftUpLeg", 85.0), ("RightShoulder", 85.0)] {
            let joint = &skeleton.joints[skeleton.index(name)];
            let pre = math::euler_xyz(skeleton.transform(joint).pre_rotation);
            let degrees = pre.angle_between(DQuat::IDENTITY).to_degrees();
            assert!(degrees > least, "{name}: {degrees}");
        }
    }
}
