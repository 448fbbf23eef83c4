//! The joints: names and tree as Mixamo has them, 65 in all, 52 of which move anything.

use crate::math;
use crate::scene::{Node, Scene, Transform};
use glam::{DMat4, DQuat, DVec3};

/// Prefix of all joint names.
pub const PREFIX: &str = "mixamorig:";

/// Left or right, as the character sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// +X.
    Left,
    /// −X.
    Right,
}

impl Side {
    /// Both.
    pub const BOTH: [Side; 2] = [Side::Left, Side::Right];

    /// +1 on the left, −1 on the right.
    pub fn sign(self) -> f64 {
        match self {
            Side::Left => 1.0,
            Side::Right => -1.0,
        }
    }

    /// `Left` or `Right`.
    pub fn word(self) -> &'static str {
        match self {
            Side::Left => "Left",
            Side::Right => "Right",
        }
    }

    /// A point of the left side on this side.
    pub fn mirror(self, left: DVec3) -> DVec3 {
        DVec3::new(left.x * self.sign(), left.y, left.z)
    }
}

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

/// A joint in the T-pose.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Name without prefix.
    pub name: String,
    /// Index of the parent, which is smaller than the joint's own.
    pub parent: Option<usize>,
    /// Place in the T-pose, centimetres.
    pub place: DVec3,
    /// Model rotation in the T-pose: Y runs along the bone.
    pub rotation: DQuat,
}

impl Joint {
    /// End joints mark where a bone ends: they have no weights and no curves.
    pub fn is_end(&self) -> bool {
        self.name.ends_with("_End") || self.name.ends_with('4')
    }
}

/// All joints, parents first.
#[derive(Clone, Debug)]
pub struct Skeleton {
    /// The joints.
    pub joints: Vec<Joint>,
}

impl Default for Skeleton {
    fn default() -> Self {
        let mut skeleton = Self { joints: Vec::new() };
        for (name, parent, place) in MIDDLE {
            skeleton.push(name, parent, place);
        }
        for side in Side::BOTH {
            skeleton.push_arm(side);
        }
        for side in Side::BOTH {
            for (name, parent, place) in LEG {
                skeleton.push_sided(side, name, parent, place);
            }
        }
        skeleton.aim();
        skeleton
    }
}

impl Skeleton {
    /// Index of a joint by its name without prefix.
    ///
    /// # Panics
    /// Where there is none.
    pub fn index(&self, name: &str) -> usize {
        match self.joints.iter().position(|j| j.name == name) {
            Some(index) => index,
            None => panic!("there is no joint `{name}`"),
        }
    }

    /// Index of a joint of one side: `sided(Side::Left, "Arm")`.
    pub fn sided(&self, side: Side, name: &str) -> usize {
        self.index(&format!("{}{name}", side.word()))
    }

    /// Place of a joint in the T-pose.
    pub fn place(&self, name: &str) -> DVec3 {
        self.joints[self.index(name)].place
    }

    fn push(&mut self, name: &str, parent: &str, place: DVec3) {
        let parent = (!parent.is_empty()).then(|| self.index(parent));
        self.joints.push(Joint { name: name.into(), parent, place, rotation: DQuat::IDENTITY });
    }

    fn push_sided(&mut self, side: Side, name: &str, parent: &str, left: DVec3) {
        let word = side.word();
        let middle = MIDDLE.iter().any(|m| m.0 == parent);
        let parent = if middle { parent.to_string() } else { format!("{word}{parent}") };
        self.push(&format!("{word}{name}"), &parent, side.mirror(left));
    }

    fn push_arm(&mut self, side: Side) {
        for (name, parent, place) in ARM {
            self.push_sided(side, name, parent, place);
        }
        for (finger, first, direction, lengths) in FINGERS {
            let mut place = first;
            let mut parent = "Hand".to_string();
            for link in 1..=4 {
                let name = format!("Hand{finger}{link}");
                self.push_sided(side, &name, &parent, place);
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

    /// Rest transform of a joint: the T-pose is all in the pre-rotation, `Lcl Rotation` is zero.
    fn transform(&self, joint: &Joint) -> Transform {
        let (place, rotation) = match joint.parent {
            Some(p) => (self.joints[p].place, self.joints[p].rotation),
            None => (DVec3::ZERO, DQuat::IDENTITY),
        };
        let back = rotation.inverse();
        Transform::pre_rotated(back * (joint.place - place), math::to_euler_xyz(back * joint.rotation))
    }

    /// The limb tree as a scene in centimetres; node and joint indices are the same.
    pub fn scene(&self) -> Scene {
        let mut scene = Scene::default();
        for joint in &self.joints {
            scene.add(Node::limb(format!("{PREFIX}{}", joint.name), joint.parent, self.transform(joint)));
        }
        scene
    }

    /// Model matrix of a joint in the T-pose.
    pub fn bind(&self, joint: usize) -> DMat4 {
        let joint = &self.joints[joint];
        DMat4::from_rotation_translation(joint.rotation, joint.place)
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
    fn as_many_joints_as_mixamo() {
        let skeleton = Skeleton::default();
        assert_eq!(skeleton.joints.len(), 65);
        assert_eq!(skeleton.joints.iter().filter(|j| !j.is_end()).count(), 52);
        for (index, joint) in skeleton.joints.iter().enumerate() {
            assert!(joint.parent.is_none_or(|p| p < index));
        }
    }

    #[test]
    fn rest_is_the_t_pose() {
        let skeleton = Skeleton::default();
        let models = skeleton.scene().models(None, 0.0);
        for (index, model) in models.iter().enumerate() {
            assert!(model.abs_diff_eq(skeleton.bind(index), 1e-9));
        }
    }

    #[test]
    fn pre_rotations_twist_legs_and_shoulders() {
        let skeleton = Skeleton::default();
        for (name, least) in [("Hips", 89.0), ("LeftUpLeg", 85.0), ("RightShoulder", 85.0)] {
            let joint = &skeleton.joints[skeleton.index(name)];
            let pre = math::euler_xyz(skeleton.transform(joint).pre_rotation);
            let degrees = pre.angle_between(DQuat::IDENTITY).to_degrees();
            assert!(degrees > least, "{name}: {degrees}");
        }
    }
}
