//! Left and right changed over: a clip played as in a mirror.

use crate::math::{normalize, product, rotate};
use crate::names::bare;
use crate::pose::{LANES, Lanes};
use crate::{Pose, Skeleton, Transform};
use glam::{Quat, Vec3};

/// What becomes of one joint.
#[derive(Clone, Debug, PartialEq)]
struct Reflected {
    /// The joint whose motion it takes.
    pair: u16,
    /// `local' = before · M·local[pair]·M · after`, with M the reflection.
    before: (Quat, Vec3),
    after: (Quat, Vec3),
}

/// Which joints are left and right of each other, found by name, and how the motion of one looks on the other: made once for a skeleton.
///
/// The mirror is the plane x = 0 of the model at rest. A joint without a partner is its own. With `G` for model transforms, the result is
/// `G'[j] = M·(G[pair]·Rest[pair]⁻¹)·M·Rest[j]`; scale is that of the partner.
///
/// ```
/// # fn demo(skeleton: &sinew::Skeleton) {
/// let mirror = sinew::Mirror::new(skeleton);
/// let hand = skeleton.find("LeftHand").unwrap_or(0);
/// println!("{}", skeleton.name(mirror.pair(hand)));    // RightHand
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mirror {
    joints: Box<[Reflected]>,
}

impl Mirror {
    /// Pairs joints whose names differ in left and right only.
    pub fn new(skeleton: &Skeleton) -> Self {
        let pairs: Vec<u16> = (0..skeleton.len() as u16).map(|joint| partner(skeleton, joint)).collect();
        let joints = (0..skeleton.len() as u16).map(|joint| reflected(skeleton, &pairs, joint));
        Self { joints: joints.collect() }
    }

    /// The joint on the other side; the joint itself if there is none.
    pub fn pair(&self, joint: u16) -> u16 {
        self.joints.get(usize::from(joint)).map_or(joint, |own| own.pair)
    }

    /// Changes over what a clip moves: 1 in the lane of each joint whose partner it moves.
    pub(crate) fn cover(&self, coverage: &[Lanes], out: &mut [Lanes]) {
        out.fill(Lanes::splat(0.0));
        for (joint, own) in self.joints.iter().enumerate() {
            let pair = usize::from(own.pair);
            let moved = coverage.get(pair / LANES).map_or(0.0, |lanes| lanes.0[pair % LANES]);
            if let Some(lanes) = out.get_mut(joint / LANES) {
                lanes.0[joint % LANES] = moved;
            }
        }
    }

    /// Writes the mirror image of a pose; scalars stay as they are. Both are of the skeleton that this was made for, else nothing is written.
    pub fn reflect(&self, pose: &Pose, out: &mut Pose) {
        if pose.len() != self.joints.len() || !pose.same_shape(out) {
            return;
        }
        for (joint, own) in self.joints.iter().enumerate() {
            let local = pose.get(own.pair.into());
            let turned = flip_turn(local.rotation);
            let rotation = product(product(own.before.0, turned), own.after.0);
            // The partner of an even rest lies where the reflection puts it, so that `after` moves nothing.
            let offset = rotate(turned, own.after.1 * local.scale);
            let translation = own.before.1 + rotate(own.before.0, flip(local.translation) + offset);
            let rotation = normalize(rotation.to_array());
            out.set(joint, Transform { translation, rotation, scale: local.scale });
        }
        let (_, scalars) = out.parts_mut();
        scalars.copy_from_slice(pose.scalars());
    }
}

/// The reflection about x = 0.
fn flip(v: Vec3) -> Vec3 {
    Vec3::new(-v.x, v.y, v.z)
}

fn flip_turn(q: Quat) -> Quat {
    Quat::from_xyzw(q.x, -q.y, -q.z, q.w)
}

/// `before = Rest[p]⁻¹·M·Rest[pair(p)]·M` and `after = M·Rest[pair]⁻¹·M·Rest[j]`, with p the parent: the reflections at either end of the local transform.
fn reflected(skeleton: &Skeleton, pairs: &[u16], joint: u16) -> Reflected {
    let pair = pairs[usize::from(joint)];
    let rest =
        |joint: Option<u16>| joint.map_or((Quat::IDENTITY, Vec3::ZERO), |joint| placed(skeleton, joint));
    let mirrored = |(turn, place): (Quat, Vec3)| (flip_turn(turn), flip(place));
    let (parent, other_parent) = (skeleton.parent(joint), skeleton.parent(pair));
    Reflected {
        pair,
        before: joined(inverse(rest(parent)), mirrored(rest(other_parent))),
        after: joined(inverse(mirrored(rest(Some(pair)))), rest(Some(joint))),
    }
}

/// Where a joint rests in model space, without scale.
fn placed(skeleton: &Skeleton, joint: u16) -> (Quat, Vec3) {
    let model = skeleton.rest_model()[usize::from(joint)];
    let chain = std::iter::successors(Some(joint), |&joint| skeleton.parent(joint));
    let turn =
        chain.fold(Quat::IDENTITY, |below, joint| product(skeleton.rest().get(joint.into()).rotation, below));
    (normalize(turn.to_array()), model.translation())
}

fn joined(a: (Quat, Vec3), b: (Quat, Vec3)) -> (Quat, Vec3) {
    (normalize(product(a.0, b.0).to_array()), a.1 + rotate(a.0, b.1))
}

fn inverse((turn, place): (Quat, Vec3)) -> (Quat, Vec3) {
    let [x, y, z, w] = turn.to_array();
    let back = Quat::from_xyzw(-x, -y, -z, w);
    (back, rotate(back, -place))
}

/// The joint whose name has right for left, or left for right; the joint itself if there is none.
fn partner(skeleton: &Skeleton, joint: u16) -> u16 {
    let own = skeleton.name(joint);
    let other =
        (0..skeleton.len() as u16).find(|&other| other != joint && is_opposite(own, skeleton.name(other)));
    other.unwrap_or(joint)
}

/// Words for left and right, the longer ones first.
const SIDES: [(&str, &str); 2] = [("left", "right"), ("l", "r")];

/// Whether two names differ in exactly one word, left in one and right in the other. A single letter counts where it is set off: `arm.L`, `l_arm`, `LArm`.
fn is_opposite(a: &str, b: &str) -> bool {
    let (a, b) = (bare(a), bare(b));
    SIDES.iter().any(|&(left, right)| swapped(a, b, left, right) || swapped(b, a, left, right))
}

fn swapped(a: &str, b: &str, left: &str, right: &str) -> bool {
    let places = (0..a.len()).filter(|&at| starts_with(a, at, left));
    places.into_iter().any(|at| {
        let (head, tail) = (&a[..at], &a[at + left.len()..]);
        let is_word = left.len() > 1 || is_set_off(a, at);
        let is_pair = b.len() == head.len() + right.len() + tail.len()
            && b.is_char_boundary(at)
            && b[..at] == *head
            && starts_with(b, at, right)
            && b.ends_with(tail);
        is_word && is_pair
    })
}

fn starts_with(name: &str, at: usize, word: &str) -> bool {
    name.get(at..at + word.len()).is_some_and(|part| part.eq_ignore_ascii_case(word))
}

/// Whether a letter stands alone: at an end or a mark, or a capital before a capital.
fn is_set_off(name: &str, at: usize) -> bool {
    let bytes = name.as_bytes();
    let is_mark = |i: usize| bytes.get(i).is_none_or(|b| !b.is_ascii_alphanumeric());
    let before =
        at == 0 || is_mark(at - 1) || (bytes[at].is_ascii_uppercase() && bytes[at - 1].is_ascii_lowercase());
    let after = is_mark(at + 1) || (bytes[at].is_ascii_uppercase() && bytes[at + 1].is_ascii_uppercase());
    before && after
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Joint, Mat3x4, job};
    use glam::{Affine3, Mat3};
    use proptest::prelude::*;

    /// Hips, a spine, two arms whose own axes differ, and hands; not quite even at rest.
    fn skeleton() -> Skeleton {
        let joint = |name: &str, parent, x: f32, turn: Quat| {
            let place =
                Transform { translation: Vec3::new(x, 1.0, 0.1), rotation: turn, ..Transform::IDENTITY };
            Joint::new(name, parent, place)
        };
        let joints = vec![
            joint("rig:Hips", None, 0.0, Quat::from_rotation_x(0.3)),
            joint("rig:LeftArm", Some(0), 0.5, Quat::from_rotation_z(0.4)),
            joint("rig:RightArm", Some(0), -0.55, Quat::from_rotation_y(-0.8)),
            joint("rig:LeftHand", Some(1), 0.2, Quat::from_rotation_x(1.0)),
            joint("rig:RightHand", Some(2), -0.3, Quat::IDENTITY),
        ];
        Skeleton::new(joints, vec![]).unwrap()
    }

    fn model(skeleton: &Skeleton, pose: &Pose) -> Vec<Affine3> {
        let mut out = vec![Mat3x4::IDENTITY; skeleton.len()];
        job::local_to_model(skeleton.hierarchy(), pose.blocks(), &Mat3x4::IDENTITY, &mut out).unwrap();
        out.into_iter().map(Affine3::from).collect()
    }

    #[test]
    fn sides_are_found_by_name() {
        let pairs = [
            ("LeftArm", "RightArm"),
            ("arm.L", "arm.R"),
            ("l_hand", "r_hand"),
            ("Leg_L_01", "Leg_R_01"),
            ("Bip01 L Foot", "Bip01 R Foot"),
            ("LArm", "RArm"),
            ("UpLeftLeg", "UpRightLeg"),
        ];
        for (left, right) in pairs {
            assert!(is_opposite(left, right) && is_opposite(right, left), "{left} {right}");
        }
        for (a, b) in [
            ("Spine", "Spine1"),
            ("Lid", "Rid"),
            ("LeftArm", "RightLeg"),
            ("roll", "rorl"),
            ("LeftArm", "LeftArm"),
        ] {
            assert!(!is_opposite(a, b), "{a} {b}");
        }
        let mirror = Mirror::new(&skeleton());
        assert_eq!([0, 1, 2, 3, 4].map(|joint| mirror.pair(joint)), [0, 2, 1, 4, 3]);
    }

    proptest! {
        /// Second path: the formula itself with matrices, in model space.
        #[test]
        fn it_is_the_formula(turns in prop::collection::vec([-1.0f32..1.0, -1.0..1.0, -1.0..1.0, 0.2..1.0], 5), shift in [-1.0f32..1.0, -1.0..1.0, -1.0..1.0]) {
            let skeleton = skeleton();
            let mirror = Mirror::new(&skeleton);
            let mut pose = skeleton.rest().clone();
            for (joint, turn) in turns.iter().enumerate() {
                let mut local = pose.get(joint);
                local.rotation = normalize(*turn);
                local.translation += Vec3::from(shift) * joint as f32;
                pose.set(joint, local);
            }
            let mut out = pose.clone();
            mirror.reflect(&pose, &mut out);
            let reflection = Affine3::from_mat3(Mat3::from_diagonal(Vec3::new(-1.0, 1.0, 1.0)));
            let (rest, given, got) = (model(&skeleton, skeleton.rest()), model(&skeleton, &pose), model(&skeleton, &out));
            for joint in 0..5 {
                let pair = usize::from(mirror.pair(joint as u16));
                let expected = reflection * given[pair] * rest[pair].inverse() * reflection * rest[joint];
                prop_assert!(got[joint].abs_diff_eq(expected, 1e-4), "{joint}: {} {}", got[joint], expected);
            }
            let mut back = pose.clone();
            mirror.reflect(&out, &mut back);
            for (a, b) in back.iter().zip(pose.iter()) {
                prop_assert!(a.translation.abs_diff_eq(b.translation, 1e-4) && a.rotation.dot(b.rotation).abs() > 1.0 - 1e-4);
            }
        }
    }
}
