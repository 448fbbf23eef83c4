//! The joints: 45, named and turned as handheld games have them.
//!
//! X runs along the bone. On the right X runs against it, as in rigs that were mirrored, so that the same angles move
//! both sides alike; binds are full of right angles and half turns.

use crate::math;
use crate::scene::Transform;
pub use crate::skeleton::{Joint, Side, Skeleton};
use glam::{DQuat, DVec3};

/// Joints of the middle line: name, parent, place in centimetres, where the bone points.
const MIDDLE: [(&str, &str, DVec3, DVec3); 17] = [
    ("Origin", "", DVec3::ZERO, DVec3::X),
    ("Waist", "Origin", DVec3::new(0.0, 23.0, 0.0), DVec3::Y),
    ("Hips", "Waist", DVec3::new(0.0, 20.0, -1.0), DVec3::NEG_Y),
    ("Tail1", "Hips", DVec3::new(0.0, 17.5, -8.0), DVec3::new(0.0, -3.5, -8.5)),
    ("Tail2", "Tail1", DVec3::new(0.0, 14.0, -16.5), DVec3::new(0.0, -2.5, -8.0)),
    ("Tail3", "Tail2", DVec3::new(0.0, 11.5, -24.5), DVec3::new(0.0, 0.5, -7.5)),
    ("Tail4", "Tail3", DVec3::new(0.0, 12.0, -32.0), DVec3::new(0.0, 4.0, -6.0)),
    ("Tail5", "Tail4", DVec3::new(0.0, 16.0, -38.0), DVec3::new(0.0, 6.5, -3.0)),
    ("TailFin", "Tail5", DVec3::new(0.0, 22.5, -41.0), DVec3::Y),
    ("Spine", "Waist", DVec3::new(0.0, 27.5, -0.5), DVec3::new(0.0, 7.0, -0.5)),
    ("Belly", "Spine", DVec3::new(0.0, 25.0, 3.0), DVec3::Z),
    ("Chest", "Spine", DVec3::new(0.0, 34.5, -1.0), DVec3::new(0.0, 6.0, 0.5)),
    ("Neck", "Chest", DVec3::new(0.0, 40.5, -0.5), DVec3::new(0.0, 4.0, 0.8)),
    ("Head", "Neck", DVec3::new(0.0, 44.5, 0.3), DVec3::new(0.0, 12.0, 0.7)),
    ("Crest", "Head", DVec3::new(0.0, 67.0, 4.0), DVec3::new(0.0, 5.0, -4.0)),
    ("Jaw", "Head", DVec3::new(0.0, 49.6, 4.5), DVec3::new(0.0, -2.0, 9.0)),
    ("Tongue", "Jaw", DVec3::new(0.0, 48.6, 9.0), DVec3::Z),
];

/// Joints of the left side, likewise; a parent in [`MIDDLE`] is shared by both sides.
const LEFT: [(&str, &str, DVec3, DVec3); 14] = [
    ("Eye", "Head", EYE, DVec3::Z),
    ("Lid", "Head", EYE, DVec3::Z),
    ("Ear1", "Head", DVec3::new(10.0, 64.5, -2.0), DVec3::new(6.5, 9.0, -3.0)),
    ("Ear2", "Ear1", DVec3::new(15.5, 72.0, -4.5), DVec3::new(5.0, 7.0, -3.5)),
    ("Arm", "Chest", DVec3::new(7.6, 37.0, 0.6), DVec3::new(6.4, -4.4, 2.2)),
    ("ForeArm", "Arm", DVec3::new(14.0, 32.6, 2.8), DVec3::new(4.6, -2.6, 4.0)),
    ("Hand", "ForeArm", DVec3::new(18.6, 30.0, 6.8), DVec3::new(2.2, -1.2, 2.2)),
    ("Wing1", "Chest", DVec3::new(4.5, 36.5, -7.0), DVec3::new(9.5, 9.0, -6.0)),
    ("Wing2", "Wing1", DVec3::new(14.0, 45.5, -13.0), DVec3::new(11.0, 5.0, -3.0)),
    ("Wing3", "Wing2", DVec3::new(25.0, 50.5, -16.0), DVec3::new(8.0, -8.0, -2.5)),
    ("Thigh", "Hips", DVec3::new(6.4, 18.5, -0.5), DVec3::new(1.6, -7.2, 4.6)),
    ("Leg", "Thigh", DVec3::new(8.0, 11.3, 4.1), DVec3::new(0.2, -7.0, -4.1)),
    ("Foot", "Leg", DVec3::new(8.2, 4.3, 0.0), DVec3::new(0.3, -2.6, 5.0)),
    ("Toe", "Foot", DVec3::new(8.5, 1.7, 5.0), DVec3::Z),
];

/// Middle of the left eyeball.
pub(super) const EYE: DVec3 = DVec3::new(7.3, 57.0, 9.4);

impl Skeleton {
    /// The creature at rest.
    pub fn creature() -> Self {
        let rest = |translation, rotation| Transform { translation, rotation, ..Transform::default() };
        let mut skeleton = Self { joints: Vec::new(), sides: ["L", "R"], prefix: "", rest };
        for (name, parent, place, along) in MIDDLE {
            let rotation = match name {
                "Origin" => DQuat::IDENTITY,
                "Waist" => DQuat::from_rotation_z(90f64.to_radians()),
                _ => axes(along),
            };
            skeleton.push(name, parent, place, rotation);
        }
        for side in Side::BOTH {
            for (name, parent, place, along) in LEFT {
                let rotation = axes(side.mirror(along) * side.sign());
                skeleton.push_sided(side, name, parent, place, rotation);
            }
        }
        skeleton
    }
}

/// Axes of a joint whose bone runs along `along`: X along it, and Z across the body as far as it can be, so that limbs
/// bend about Z. A limb that bent about Y would pass through the pole of its Euler angles.
fn axes(along: DVec3) -> DQuat {
    let across = if along.normalize().x.abs() > 0.9 { DVec3::NEG_Y } else { DVec3::X };
    let quarter = 90f64.to_radians();
    math::frame(along, across) * DQuat::from_rotation_z(quarter) * DQuat::from_rotation_x(quarter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_waist_stands_turned_by_a_right_angle_about_z() {
        let skeleton = Skeleton::creature();
        let waist = &skeleton.joints[skeleton.index("Waist")];
        let angles = skeleton.transform(waist).rotation;
        assert!(angles.distance(DVec3::Z * 90.0) < 1e-9, "{angles}");
    }
}
