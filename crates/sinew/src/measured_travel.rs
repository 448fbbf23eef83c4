//! How far a clip takes its root and turns it, measured once when a bundle is written.

use crate::math::product;
use crate::{Clip, NO_JOINT, Skeleton, Travel};
use glam::{Quat, Vec3};
use std::f32::consts::PI;

/// Travel with turn, from the first to the last key of the joint that travels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredTravel {
    /// The joint.
    pub joint: u16,
    /// When its translation begins and ends, in seconds.
    pub times: [f32; 2],
    /// How far it goes in model space, across the up axis.
    pub displacement: Vec3,
    /// How far it turns about the up axis, on the shorter way: −π to π.
    pub yaw: f32,
}

impl MeasuredTravel {
    /// Measures a clip; `None` if no joint travels. `up` is of length one.
    pub fn of(clip: &Clip, skeleton: &Skeleton, up: Vec3) -> Option<Self> {
        let (joint, times) = clip.traveller(skeleton)?;
        let displacement = Travel::of(clip, skeleton, Some(joint), up).whole();
        let [first, last] = times.map(|time| rotation(clip, skeleton, joint, time.into()));
        Some(Self { joint, times, displacement, yaw: turn(first, last, up) })
    }
}

/// Rotation of a joint in model space, without what uneven scales above it do.
fn rotation(clip: &Clip, skeleton: &Skeleton, joint: u16, time: f64) -> Quat {
    let (mut whole, mut at) = (Quat::IDENTITY, joint);
    while at != NO_JOINT {
        let rest = || skeleton.rest().get(usize::from(at));
        let local = clip.sample_joint(skeleton, at, time).unwrap_or_else(|_| rest());
        whole = product(local.rotation, whole);
        at = skeleton.parent(at).unwrap_or(NO_JOINT);
    }
    whole
}

/// The part of the turn from one rotation to another that is about an axis.
fn turn(from: Quat, to: Quat, axis: Vec3) -> f32 {
    let [x, y, z, w] = product(to, from.conjugate()).to_array();
    let about = x * axis.x + y * axis.y + z * axis.z;
    let angle = 2.0 * libm::atan2f(about, w);
    // Two quaternions stand for one rotation, half a turn of the angle apart.
    if angle > PI {
        angle - 2.0 * PI
    } else if angle < -PI {
        angle + 2.0 * PI
    } else {
        angle
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Interpolation, Joint, JointTracks, Track, Transform};

    /// Hips below a leaning armature, which walk a way and turn about the armature's up.
    fn walk(yaw: f32) -> (Skeleton, Clip) {
        let lean = Quat::from_rotation_x(0.4);
        let armature = Joint::new("armature", None, Transform::from_rotation(lean));
        let hips = Joint::new("hips", Some(0), Transform::IDENTITY);
        let skeleton = Skeleton::new(vec![armature, hips], vec![]).unwrap();
        let back = lean.conjugate();
        let way = Track::new(
            vec![0.25, 1.0],
            vec![Vec3::ZERO, back * Vec3::new(1.0, 5.0, 2.0)],
            Interpolation::Linear,
        );
        let turns = [0.0, yaw].map(|yaw| back * Quat::from_rotation_y(yaw) * Quat::from_rotation_z(0.3));
        let turns = Track::new(vec![0.0, 1.0], turns.to_vec(), Interpolation::Step);
        let tracks = JointTracks {
            translation: Some(way.unwrap()),
            rotation: Some(turns.unwrap()),
            ..JointTracks::new(1)
        };
        (skeleton, Clip::new("turn", 1.0, vec![tracks], vec![]).unwrap())
    }

    #[test]
    fn the_turn_about_the_up_axis_is_found() {
        for yaw in [0.0, 0.5, -0.5, 1.5, 3.0, -3.0] {
            let (skeleton, clip) = walk(yaw);
            let measured = MeasuredTravel::of(&clip, &skeleton, Vec3::Y).unwrap();
            assert_eq!((measured.joint, measured.times), (1, [0.25, 1.0]));
            assert!(measured.displacement.abs_diff_eq(Vec3::new(1.0, 0.0, 2.0), 1e-5), "{measured:?}");
            assert!((measured.yaw - yaw).abs() < 1e-5, "{yaw}: {measured:?}");
        }
    }

    #[test]
    fn more_than_half_a_turn_is_the_shorter_way() {
        let (skeleton, clip) = walk(4.0);
        let measured = MeasuredTravel::of(&clip, &skeleton, Vec3::Y).unwrap();
        assert!((measured.yaw - (4.0 - 2.0 * PI)).abs() < 1e-5, "{measured:?}");
    }

    #[test]
    fn a_clip_that_stays_has_none() {
        let (skeleton, _) = walk(0.0);
        let still = Clip::new("still", 1.0, vec![], vec![]).unwrap();
        assert_eq!(MeasuredTravel::of(&still, &skeleton, Vec3::Y), None);
    }
}
