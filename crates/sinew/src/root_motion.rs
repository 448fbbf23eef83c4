//! Travel of the root: a walk that leaves the spot, and what to do with it.

use crate::{Clip, NO_JOINT, Pose, Skeleton};
use glam::Vec3;

/// What becomes of a clip's travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "toml", derive(serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum RootMotion {
    /// The pose travels, as the clip was made; a loop snaps back.
    #[default]
    Keep,
    /// The pose stays on the spot: travel is taken out, sway remains.
    InPlace,
    /// As in place, and each update tells how far the character went, for the game to move it by.
    Extract,
}

/// The straight path of the root from its first to its last key, in model space.
///
/// It is linear in time and not the root's curve: the rest of the root's motion is sway and stays in the pose.
///
/// ```
/// # fn demo(character: std::sync::Arc<sinew::Character>) -> Result<(), Box<dyn std::error::Error>> {
/// let walk = character.clips().by_name("walk")?;
/// let travel = walk.travel(&character, None);
/// println!("one cycle goes {} m", travel.whole().length());
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Travel {
    joint: Option<u16>,
    first: f64,
    last: f64,
    whole: Vec3,
}

impl Travel {
    /// Measures a clip. The root is the joint given, else the highest one that moves by translation keys. Travel along `up` is left to
    /// the pose; pass zero to count all three directions.
    pub fn of(clip: &Clip, skeleton: &Skeleton, root: Option<u16>, up: Vec3) -> Self {
        let own = match root {
            None => clip.traveller(skeleton),
            Some(joint) => Some((joint, clip.travel_times(joint).unwrap_or_default())),
        };
        let Some((joint, [first, last])) = own else { return Self::default() };
        let (first, last) = (f64::from(first), f64::from(last));
        let way = position(clip, skeleton, joint, last) - position(clip, skeleton, joint, first);
        let whole = way - up * way.dot(up);
        if !whole.is_finite() {
            return Self { joint: Some(joint), ..Self::default() };
        }
        Self { joint: Some(joint), first, last, whole }
    }

    /// The joint that was measured, if the clip has a root.
    pub fn joint(&self) -> Option<u16> {
        self.joint
    }

    /// The displacement of one pass.
    pub fn whole(&self) -> Vec3 {
        self.whole
    }

    /// The displacement from the start of the clip to a time.
    pub fn at(&self, time: f64) -> Vec3 {
        let length = self.last - self.first;
        if length <= 0.0 {
            return Vec3::ZERO;
        }
        self.whole * (((time - self.first) / length).clamp(0.0, 1.0) as f32)
    }

    /// Takes the travel out of a pose sampled at `time`. The whole model moves: every root joint is moved back by the same displacement, so
    /// `travel(t) · in_place(t)` is the pose as it was.
    pub fn remove(&self, skeleton: &Skeleton, time: f64, pose: &mut Pose) {
        let way = self.at(time);
        if way == Vec3::ZERO {
            return;
        }
        for root in skeleton.roots() {
            let mut local = pose.get(usize::from(root));
            local.translation -= way;
            pose.set(usize::from(root), local);
        }
    }
}

/// Where a clip puts a joint in model space, from the few tracks above it.
fn position(clip: &Clip, skeleton: &Skeleton, joint: u16, time: f64) -> Vec3 {
    let mut point = Vec3::ZERO;
    let mut at = joint;
    while at != NO_JOINT {
        let rest = || skeleton.rest().get(usize::from(at));
        let local = clip.sample_joint(skeleton, at, time).unwrap_or_else(|_| rest());
        point = local.to_affine().transform_point3(point);
        at = skeleton.parent(at).unwrap_or(NO_JOINT);
    }
    point
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Interpolation, Joint, JointTracks, LoopMode, Mat3x4, Playback, Sampling, Track, Transform};
    use glam::{Affine3, DVec3, Quat};

    /// Hips under a turned armature, walking 1.8 m along model +Z with sway and a bounce.
    fn walk() -> (Skeleton, Clip) {
        let turned = Transform::from_rotation(Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2));
        let skeleton = Skeleton::new(
            vec![
                Joint::new("armature", None, turned),
                Joint::new("hips", Some(0), Transform::IDENTITY),
                Joint::new("leg", Some(1), Transform::from_translation(Vec3::X)),
                Joint::new("prop", None, Transform::from_translation(Vec3::splat(3.0))),
            ],
            vec![],
        )
        .unwrap();
        let keys = [[0.0, 0.0, 1.0], [0.05, -0.9, 1.1], [-0.05, -1.2, 1.0], [0.0, -1.8, 1.02]];
        let track =
            Track::new(vec![0.0, 0.4, 0.7, 1.0], keys.map(Vec3::from_array).to_vec(), Interpolation::Linear);
        let tracks = JointTracks { translation: Some(track.unwrap()), ..JointTracks::new(1) };
        (skeleton, Clip::new("walk", 1.0, vec![tracks], vec![]).unwrap())
    }

    fn model(skeleton: &Skeleton, pose: &Pose) -> Vec<Affine3> {
        let mut out = vec![Mat3x4::IDENTITY; skeleton.len()];
        crate::job::local_to_model(skeleton.hierarchy(), pose.blocks(), &Mat3x4::IDENTITY, &mut out).unwrap();
        out.into_iter().map(Affine3::from).collect()
    }

    #[test]
    fn travel_times_extracted_is_kept() {
        let (skeleton, clip) = walk();
        let travel = Travel::of(&clip, &skeleton, None, Vec3::Y);
        assert_eq!(travel.joint(), Some(1));
        assert!(travel.whole().abs_diff_eq(Vec3::new(0.0, 0.0, 1.8), 1e-5), "{}", travel.whole());
        for i in 0..=20 {
            let time = f64::from(i) / 20.0;
            let mut pose = skeleton.rest().clone();
            crate::job::sample(&skeleton, &clip, time, Sampling::Interpolate, &mut pose).unwrap();
            let kept = model(&skeleton, &pose);
            travel.remove(&skeleton, time, &mut pose);
            for (kept, extracted) in kept.iter().zip(model(&skeleton, &pose)) {
                let back = Affine3::from_translation(travel.at(time)) * extracted;
                assert!(back.abs_diff_eq(*kept, 1e-5));
            }
        }
    }

    #[test]
    fn in_place_ends_where_it_began_but_for_height() {
        let (skeleton, clip) = walk();
        let travel = Travel::of(&clip, &skeleton, None, Vec3::Y);
        let hips = |time| {
            let mut pose = skeleton.rest().clone();
            crate::job::sample(&skeleton, &clip, time, Sampling::Interpolate, &mut pose).unwrap();
            travel.remove(&skeleton, time, &mut pose);
            model(&skeleton, &pose)[1].translation
        };
        assert!((hips(1.0) - hips(0.0)).abs_diff_eq(Vec3::new(0.0, 0.02, 0.0), 1e-5));
        assert!(hips(0.4).x.abs() > 0.04, "the sway stays");
    }

    #[test]
    fn deltas_sum_up_over_loops() {
        let (skeleton, clip) = walk();
        let travel = Travel::of(&clip, &skeleton, None, Vec3::Y);
        for speed in [1.0, -0.5, 3.0] {
            let mut playback = Playback::new(1.0, LoopMode::Loop, speed);
            let mut sum = DVec3::ZERO;
            for step in [0.3, 0.9, 0.0, 2.7, 1.1] {
                playback.advance(step);
                sum += playback.displacement(&travel);
            }
            assert!((sum.z - 5.0 * speed * 1.8).abs() < 1e-5, "{sum}");
        }
        let mut playback = Playback::new(1.0, LoopMode::Times(2), 1.0);
        playback.advance(9.0);
        assert!((playback.displacement(&travel).z - 3.6).abs() < 1e-5);
        let mut playback = Playback::new(1.0, LoopMode::PingPong, 1.0);
        playback.advance(2.0);
        assert!(playback.displacement(&travel).length() < 1e-6, "there and back");
    }

    #[test]
    fn a_clip_without_a_moving_root_does_not_travel() {
        let (skeleton, _) = walk();
        let clip = Clip::new("still", 1.0, vec![], vec![]).unwrap();
        let travel = Travel::of(&clip, &skeleton, None, Vec3::Y);
        assert_eq!((travel.joint(), travel.at(0.5)), (None, Vec3::ZERO));
        assert_eq!(Travel::of(&clip, &skeleton, Some(1), Vec3::Y).whole(), Vec3::ZERO);
    }
}
