//! The joints of a synthetic character at rest: what the humanoid and the creature share.

use crate::math;
use crate::scene::{Node, Scene, Transform};
use glam::{DMat4, DQuat, DVec3};

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

/// A joint at rest.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Name without prefix, such as `LThigh`.
    pub name: String,
    /// Index of the parent, which is smaller than the joint's own.
    pub parent: Option<usize>,
    /// Place at rest, centimetres.
    pub place: DVec3,
    /// Model rotation at rest.
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
    /// What the names of left and right joints begin with.
    pub(crate) sides: [&'static str; 2],
    /// Prefix of all names in a scene.
    pub(crate) prefix: &'static str,
    /// Rest transform of a node from its translation and Euler angles relative to the parent.
    pub(crate) rest: fn(DVec3, DVec3) -> Transform,
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
        self.index(&self.sided_name(side, name))
    }

    /// Place of a joint at rest.
    pub fn place(&self, name: &str) -> DVec3 {
        self.joints[self.index(name)].place
    }

    fn sided_name(&self, side: Side, name: &str) -> String {
        format!("{}{name}", self.sides[side as usize])
    }

    pub(crate) fn push(&mut self, name: impl Into<String>, parent: &str, place: DVec3, rotation: DQuat) {
        let parent = (!parent.is_empty()).then(|| self.index(parent));
        self.joints.push(Joint { name: name.into(), parent, place, rotation });
    }

    /// Adds a joint of one side. A parent on the middle line, which must be there already, is shared by both sides.
    pub(crate) fn push_sided(&mut self, side: Side, name: &str, parent: &str, left: DVec3, rotation: DQuat) {
        let shared = self.joints.iter().any(|joint| joint.name == parent);
        let parent = if shared { parent.to_string() } else { self.sided_name(side, parent) };
        self.push(self.sided_name(side, name), &parent, side.mirror(left), rotation);
    }

    pub(crate) fn transform(&self, joint: &Joint) -> Transform {
        let (place, rotation) = match joint.parent {
            Some(p) => (self.joints[p].place, self.joints[p].rotation),
            None => (DVec3::ZERO, DQuat::IDENTITY),
        };
        let back = rotation.inverse();
        (self.rest)(back * (joint.place - place), math::to_euler_xyz(back * joint.rotation))
    }

    /// The joint tree as a scene in centimetres; node and joint indices are the same.
    pub fn scene(&self) -> Scene {
        let mut scene = Scene::default();
        for joint in &self.joints {
            scene.add(Node::limb(
                format!("{}{}", self.prefix, joint.name),
                joint.parent,
                self.transform(joint),
            ));
        }
        scene
    }

    /// Model matrix of a joint at rest.
    pub fn bind(&self, joint: usize) -> DMat4 {
        let joint = &self.joints[joint];
        DMat4::from_rotation_translation(joint.rotation, joint.place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rest_is_where_the_tables_say_and_parents_come_first() {
        for (skeleton, count) in [(Skeleton::humanoid(), 65), (Skeleton::creature(), 45)] {
            assert_eq!(skeleton.joints.len(), count);
            let models = skeleton.scene().models(None, 0.0);
            for (index, (joint, model)) in skeleton.joints.iter().zip(models).enumerate() {
                assert!(joint.parent.is_none_or(|p| p < index));
                assert!(model.abs_diff_eq(skeleton.bind(index), 1e-9));
            }
        }
    }
}
