mod events;
mod layers;
pub(crate) mod smooth;
mod sync;

use super::*;
use crate::tests::character;
use crate::{ClipLibrary, Interpolation, JointTracks, PlayOptions, Pose, Track};
use glam::{Quat, Vec3};

pub(crate) const JOINTS: [&str; 4] = ["hips", "spine", "leftarm", "rightarm"];

pub(super) fn hero() -> Arc<Character> {
    Arc::new(character("hero", &JOINTS, 1.0, ClipLibrary::default()))
}

/// A mixer with its scratch and pose.
pub(super) struct Stage {
    pub(super) mixer: Mixer,
    pub(super) scratch: Scratch,
    pub(super) pose: Pose,
}

impl Stage {
    pub(super) fn new(voices: usize) -> Self {
        let hero = hero();
        let mixer = Mixer::new(hero.clone(), voices).with_inertia(1);
        Self { mixer, scratch: Scratch::new(hero.skeleton()), pose: hero.skeleton().rest().clone() }
    }

    pub(super) fn mix(&mut self) -> &Pose {
        self.mixer.mix(&mut self.scratch, &mut self.pose).unwrap();
        &self.pose
    }

    pub(super) fn update(&mut self, seconds: f64) -> &Pose {
        self.mixer.advance(seconds);
        self.mix()
    }
}

/// A smooth loop of so many seconds: joint `j` swings about an axis of its own by `swing[j]`, around `middle[j]`, and moves a little.
pub(crate) fn swinging(name: &str, seconds: f32, joints: &[(u16, f32, f32, f32)]) -> Arc<Clip> {
    let times: Vec<f32> = (0..=64).map(|i| seconds * i as f32 / 64.0).collect();
    let tracks = joints.iter().map(|&(joint, axis, middle, swing)| {
        let (sine, cosine) = (libm::sinf(axis), libm::cosf(axis));
        let angle = |i: usize| middle + swing * libm::sinf(std::f32::consts::TAU * i as f32 / 64.0);
        let turns = (0..=64).map(|i| Quat::from_axis_angle(Vec3::new(sine, 0.0, cosine), angle(i)));
        let places = (0..=64).map(|i| Vec3::Y + Vec3::new(0.3 * angle(i), 0.0, middle));
        JointTracks {
            rotation: Some(Track::new(times.clone(), turns.collect(), Interpolation::Linear).unwrap()),
            translation: Some(Track::new(times.clone(), places.collect(), Interpolation::Linear).unwrap()),
            ..JointTracks::new(joint)
        }
    });
    Arc::new(Clip::new(name, seconds, tracks.collect(), vec![]).unwrap())
}

/// The angle between two rotations, by the chord: an arc cosine would lose half of the digits.
pub(crate) fn angle(a: Quat, b: Quat) -> f32 {
    let chord = (a - b).length().min((a + b).length());
    4.0 * libm::asinf((chord / 2.0).min(1.0))
}

#[test]
fn one_voice_is_the_clip_itself() {
    let mut stage = Stage::new(2);
    let clip = swinging("a", 1.0, &[(0, 0.1, 0.4, 0.7), (2, 2.0, -0.3, 0.2)]);
    stage.mixer.play_clip(clip.clone(), PlayOptions::default()).unwrap();
    let got = stage.update(0.3).clone();
    assert_eq!(got, Pose::of_clip(stage.mixer.character().skeleton(), &clip, 0.3).unwrap());
}

#[test]
fn voices_run_out_and_make_room() {
    let mut stage = Stage::new(2);
    let clip = swinging("a", 1.0, &[(0, 0.0, 0.0, 1.0)]);
    let first = stage.mixer.play_clip(clip.clone(), PlayOptions::default()).unwrap();
    let second = stage.mixer.add_clip(clip.clone(), PlayOptions::default()).unwrap();
    let refused = stage.mixer.add_clip(clip.clone(), PlayOptions::default()).unwrap_err();
    assert_eq!(refused, PlayError::NoVoice { voices: 2 });
    assert_eq!(stage.mixer.voices().len(), 2, "nothing changed");
    stage.mixer.fade_out(first, 1.0, Ease::Linear);
    let third = stage.mixer.add_clip(clip, PlayOptions::default()).unwrap();
    assert!(stage.mixer.voice(first).is_none() && stage.mixer.voice(second).is_some());
    stage.mixer.fade_out(third, 0.5, Ease::SmoothStep);
    stage.mixer.advance(0.6);
    assert!(stage.mixer.voice(third).is_some_and(|voice| voice.share() == 0.0), "heard until then");
    stage.mixer.advance(0.0);
    assert!(stage.mixer.voice(third).is_none());
}

#[test]
fn odd_numbers_do_no_harm() {
    let mut stage = Stage::new(4);
    let rest = stage.pose.clone();
    let clip = swinging("a", 1.0, &[(0, 0.0, 0.5, 1.0)]);
    let options = VoiceOptions::default().weighted(f32::NAN);
    let voice = stage.mixer.play_clip(clip.clone(), options).unwrap();
    assert_eq!(stage.update(0.1), &rest, "weights that sum to zero leave what lies below");
    stage.mixer.set_weight(voice, 7.0, f64::NAN, Ease::Linear);
    for step in [f64::NAN, f64::INFINITY, -1.0, 1e300] {
        assert!(stage.update(step).iter().all(|t| t.is_finite()), "{step}");
    }
    stage.mixer.seek(voice, f64::NAN);
    stage.mixer.set_speed(voice, f64::INFINITY);
    stage.mixer.set_parameter(voice, [f32::NAN, 0.0]);
    let gone = VoiceId(99);
    stage.mixer.set_weight(gone, 1.0, 0.0, Ease::Linear);
    stage.mixer.fade_out(gone, 0.0, Ease::Linear);
    let space =
        BlendSpace::line(&hero(), [(0.0, clip.clone()), (1.0, clip)], crate::SyncMode::Phase).unwrap();
    let space = stage.mixer.play_space(Arc::new(space), PlayOptions::fading(0.1)).unwrap();
    for at in [f32::NAN, f32::INFINITY, -1e30, 1e30, 0.5] {
        stage.mixer.set_parameter(space, [at, f32::NAN]);
        assert!(stage.update(0.03).iter().all(|t| t.is_finite()), "{at}");
    }
    let small = Pose::identity(1, 0);
    assert!(stage.mixer.mix(&mut stage.scratch, &mut small.clone()).is_err());
}
