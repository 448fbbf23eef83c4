use super::*;
use crate::Pose;
use crate::bone_map::BoneMap;
use crate::tests::{Broken, character, tagged, turn};
use crate::{ClipError, ClipInfo, ClipLibrary, Interpolation, JointTracks, LoopMode, RootMotion, Track};
use glam::{Quat, Vec3};
use proptest::prelude::*;

const JOINTS: [&str; 3] = ["hips", "spine", "head"];

fn hero() -> Arc<Character> {
    let mut clips = tagged([
        ("Idle", turn("idle", 0, 0.2)),
        ("Walk", turn("walk", 1, 1.0)),
        ("Run", turn("run", 2, -1.5)),
    ]);
    clips.add_source(ClipInfo { tag: Some("Jump".into()), ..ClipInfo::from("leap") }, Broken);
    Arc::new(character("hero", &JOINTS, 1.0, clips))
}

fn angle(controller: &Controller, joint: usize) -> f32 {
    let (axis, angle) = controller.pose().get(joint).rotation.to_axis_angle();
    angle * axis.z.signum()
}

#[test]
fn before_the_first_tag_it_rests() {
    let controller = Controller::new(hero());
    assert_eq!(controller.pose(), controller.character().skeleton().rest());
    assert_eq!(controller.model_matrices()[2].translation(), Vec3::Y * 2.0);
    assert!(controller.skin_matrices(0).is_empty());
    assert_eq!((controller.active(), controller.has_ended(), controller.weight()), (None, false, 1.0));
}

#[test]
fn tags_are_played_in_any_case() {
    let mut controller = Controller::new(hero());
    assert!(controller.has_clip("WALK") && !controller.has_clip("swim"));
    assert_eq!(controller.tags().collect::<Vec<_>>(), ["Idle", "Walk", "Run", "Jump"]);
    controller.play("wAlK").unwrap();
    assert_eq!(controller.active(), Some("Walk"));
    controller.update(0.5);
    assert!((angle(&controller, 1) - 0.5).abs() < 1e-5);
}

#[test]
fn an_unknown_tag_leaves_everything_as_it_was() {
    let mut controller = Controller::new(hero());
    controller.play("Walk").unwrap();
    controller.update(0.25);
    let (pose, playback) = (controller.pose().clone(), *controller.playback());
    let error = controller.play_with("Swim", PlayOptions::looping(0.5).reset()).unwrap_err();
    assert_eq!(error, PlayError::Unknown(crate::ShortText::new("Swim")));
    let error = controller.play(ClipId::new(9)).unwrap_err();
    assert_eq!(error, PlayError::NoSuchClip(ClipId::new(9)));
    assert_eq!((controller.pose(), controller.playback()), (&pose, &playback));
    assert_eq!((controller.active(), controller.weight()), (Some("Walk"), 1.0));
    controller.play("Walk").unwrap();
}

#[test]
fn a_clip_that_does_not_load_leaves_everything_as_it_was() {
    let mut controller = Controller::new(hero());
    controller.play("Walk").unwrap();
    controller.update(0.25);
    let pose = controller.pose().clone();
    assert!(controller.has_clip("Jump"));
    for _ in 0..2 {
        let reason = controller.play_with("Jump", PlayOptions::looping(0.5)).unwrap_err().to_string();
        assert!(reason.contains("line 3 is not XML"), "{reason}");
    }
    assert_eq!((controller.active(), controller.pose()), (Some("Walk"), &pose));
    assert!(!controller.prefetch("Jump") && !controller.is_ready("Jump"));
}

#[test]
fn a_clip_of_another_skeleton_is_refused() {
    let mut clips = ClipLibrary::default();
    struct Big;
    impl crate::ClipSource for Big {
        fn load(&self) -> Result<Clip, ClipError> {
            Ok(turn("big", 40, 1.0))
        }
    }
    clips.add_source(ClipInfo { tag: Some("Walk".into()), ..ClipInfo::from("walk") }, Big);
    let mut controller = Controller::new(Arc::new(character("hero", &JOINTS, 1.0, clips)));
    assert!(controller.play("Walk").unwrap_err().to_string().contains("pose.joints"));
    assert_eq!(controller.active(), None);
}

#[test]
fn the_same_tag_goes_on_unless_reset() {
    let mut controller = Controller::new(hero());
    controller.play("Walk").unwrap();
    controller.update(0.5);
    controller.play_with("walk", PlayOptions::once(0.3)).unwrap();
    assert_eq!((controller.playback().time(), controller.weight()), (0.5, 1.0));
    assert_eq!(controller.playback().mode(), LoopMode::Loop);
    controller.play_with("walk", PlayOptions::default().reset()).unwrap();
    assert_eq!(controller.playback().time(), 0.0);
    assert_eq!(controller.pose(), controller.character().skeleton().rest());
}

#[test]
fn idle_falls_back_to_the_first_clip() {
    let clips = tagged([("Dance", turn("dance", 1, 1.0)), ("Walk", turn("walk", 0, 1.0))]);
    let mut controller = Controller::new(Arc::new(character("hero", &JOINTS, 1.0, clips)));
    controller.play("idle").unwrap();
    assert_eq!((controller.active(), controller.clip().unwrap().name()), (Some("Idle"), "dance"));
    let mut still = Controller::new(Arc::new(character("stone", &JOINTS, 1.0, ClipLibrary::default())));
    assert!(still.play("Idle").is_err() && !still.has_clip("Idle"));
}

/// Idle as the fallback to the first clip, and then that clip's own tag, are different tags.
#[test]
fn a_stand_in_is_not_the_tag_itself() {
    let clips = tagged([("Walk", turn("walk", 1, 1.0))]);
    let mut controller = Controller::new(Arc::new(character("hero", &JOINTS, 1.0, clips)));
    controller.play("Idle").unwrap();
    controller.play("Walk").unwrap();
    assert_eq!(controller.active(), Some("Walk"));
}

#[test]
fn nothing_leaks_from_the_clip_before() {
    let mut controller = Controller::new(hero());
    controller.play("Walk").unwrap();
    controller.update(0.5);
    controller.play_with("Run", PlayOptions::looping(0.25)).unwrap();
    controller.update(0.25);
    assert_eq!(controller.pose().get(1).rotation, Quat::IDENTITY);
    controller.stop();
    assert_eq!((controller.pose(), controller.active()), (controller.character().skeleton().rest(), None));
}

#[test]
fn a_crossfade_is_linear_and_both_clips_move() {
    let mut controller = Controller::new(hero());
    controller.play("Walk").unwrap();
    controller.update(0.2);
    controller.play_with("Run", PlayOptions::looping(0.4)).unwrap();
    controller.update(0.1);
    assert!((controller.weight() - 0.25).abs() < 1e-6);
    // The normalised line from no turn to a turn by `angle`.
    let part = |angle: f32, weight: f32| {
        let (sine, cosine) = (libm::sinf(angle / 2.0), libm::cosf(angle / 2.0));
        2.0 * libm::atan2f(weight * sine, 1.0 - weight + weight * cosine)
    };
    assert!(
        (angle(&controller, 1) - part(0.3, 0.75)).abs() < 1e-5,
        "the old clip at 0.3, three quarters of it"
    );
    assert!((angle(&controller, 2) - part(-0.15, 0.25)).abs() < 1e-5, "the new clip at 0.1, a quarter of it");
    controller.update(0.4);
    assert_eq!(controller.weight(), 1.0);
    assert_eq!(angle(&controller, 1), 0.0);
    // The fade is over, so the next one begins with a clip that moves on.
    controller.play_with("Walk", PlayOptions::looping(0.4)).unwrap();
    controller.update(0.2);
    assert!((angle(&controller, 2) - 0.5 * -1.5 * 0.7).abs() < 1e-5, "the old clip at 0.7, half of it");
}

#[test]
fn odd_steps_and_odd_fades_do_no_harm() {
    let mut controller = Controller::new(hero());
    controller.play("Walk").unwrap();
    for fade in [f64::NAN, -1.0, f64::INFINITY, 0.0] {
        controller.play_with("Run", PlayOptions::looping(fade).reset()).unwrap();
        assert_eq!(controller.weight(), 1.0);
    }
    controller.play_with("Walk", PlayOptions::looping(0.5)).unwrap();
    for step in [f64::NAN, -3.0, f64::INFINITY] {
        controller.update(step);
        assert_eq!(controller.weight(), 0.0);
    }
    controller.update(1e9);
    assert!(controller.pose().iter().all(|t| t.is_finite()));
}

#[test]
fn extracted_motion_is_shared_out_in_a_crossfade() {
    let travel = |name: &str, way: f32| {
        let values = vec![Vec3::ZERO, Vec3::Z * way];
        let track = Track::new(vec![0.0, 1.0], values, Interpolation::Linear).unwrap();
        let tracks = JointTracks { translation: Some(track), ..JointTracks::new(0) };
        Clip::new(name, 1.0, vec![tracks], vec![]).unwrap()
    };
    let clips = tagged([("Walk", travel("walk", 1.0)), ("Run", travel("run", 3.0))]);
    let mut controller = Controller::new(Arc::new(character("hero", &JOINTS, 1.0, clips)));
    let travelling = PlayOptions { root_motion: Some(RootMotion::Extract), ..PlayOptions::default() };
    controller.play_with("Walk", travelling).unwrap();
    controller.update(0.5);
    assert!((controller.root_delta().translation.z - 0.5).abs() < 1e-5);
    controller.play_with("Run", PlayOptions { crossfade: 0.2, ..travelling }).unwrap();
    controller.update(0.1);
    assert!((controller.root_delta().translation.z - 0.2).abs() < 1e-5, "half of 0.1 and half of 0.3");
    assert!(controller.pose().get(0).translation.length() < 1e-5, "the pose stays on the spot");
}

#[test]
fn options_change_only_what_they_give() {
    let mut clips = ClipLibrary::default();
    let info = ClipInfo {
        tag: Some("Jump".into()),
        mode: Some(LoopMode::Once),
        root_motion: Some(RootMotion::InPlace),
        ..ClipInfo::from("jump")
    };
    clips.add_with(info, turn("jump", 0, 1.0));
    let mut controller = Controller::new(Arc::new(character("hero", &JOINTS, 1.0, clips)));
    let mut ends = |options: PlayOptions| {
        controller.play_with("Jump", options.reset()).unwrap();
        controller.update(5.0);
        controller.has_ended()
    };
    assert!(ends(PlayOptions::fading(0.2)), "the clip plays once, and a crossfade does not change that");
    assert!(ends(PlayOptions { speed: Some(0.5), ..PlayOptions::default() }));
    assert!(!ends(PlayOptions::looping(0.2)), "a loop was asked for");
    let options = PlayOptions::looping(0.0);
    assert_eq!(options.over(ClipInfo::from("x").options()), options);
    let own = PlayOptions { root_motion: Some(RootMotion::Extract), ..PlayOptions::default() };
    assert_eq!(PlayOptions::once(0.1).over(own).root_motion, Some(RootMotion::Extract));
}

#[test]
fn events_come_from_all_that_is_heard_with_their_weight() {
    let step = |name: &str| crate::Event::new(0.5, name);
    let late = crate::Event { fire: Some(crate::Fire::UnlessFading), ..step("quiet") };
    let with = |name: &str, events| turn(name, 0, 1.0).with_events(events).unwrap();
    let clips = tagged([
        ("Walk", with("walk", vec![step("slow"), late.clone()])),
        ("Run", with("run", vec![step("fast"), late])),
    ]);
    let mut controller = Controller::new(Arc::new(character("hero", &JOINTS, 1.0, clips)));
    controller.play("Walk").unwrap();
    controller.play_with("Run", PlayOptions::once(2.0)).unwrap();
    controller.update(0.6);
    let fired: Vec<_> = controller.events().map(|e| (e.event.name.as_str(), e.weight)).collect();
    assert_eq!(fired, [("slow", 0.75), ("fast", 0.25), ("quiet", 0.25)]);
    controller.update(0.6);
    assert!(controller.has_ended());
}

#[test]
fn a_borrowed_tag_plays() {
    let own = Arc::new(character(
        "hero",
        &["mixamorig:Hips", "mixamorig:Neck"],
        1.0,
        tagged([("Walk", turn("walk", 0, 1.0))]),
    ));
    let shared = tagged([("Jump", turn("clip_004", 2, 0.8))]);
    let lender = character("common", &["Root", "Pelvis", "Throat"], 1.0, shared);
    let lent = TaggedClips::new(lender.clips());
    let mut clips = TaggedClips::new(own.clips());
    let map = BoneMap::new([("Pelvis", "Hips"), ("Throat", "Neck")]);
    clips.borrow_missing(&own, &lender, &lent, &map).unwrap();
    let mut controller = Controller::with_clips(own, Arc::new(clips));
    assert!(controller.has_clip("jump") && !controller.is_ready("jump"));
    controller.play("jump").unwrap();
    controller.update(0.5);
    assert!((angle(&controller, 1) - 0.4).abs() < 1e-5);
    assert_eq!(angle(&controller, 0), 0.0);
}

fn sampled(clip: &str, time: f64) -> Pose {
    let hero = hero();
    let mut pose = hero.skeleton().rest().clone();
    let clip = hero.clips().by_name(clip).unwrap();
    crate::job::sample(hero.skeleton(), &clip, time, crate::Sampling::Interpolate, &mut pose).unwrap();
    pose
}

/// The largest angle between two rotations of one joint, by the chord: an arc cosine would lose half of the digits.
fn distance(a: &Pose, b: &Pose) -> f32 {
    let chord = |(a, b): (crate::Transform, crate::Transform)| {
        2.0 * (a.rotation - b.rotation).length().min((a.rotation + b.rotation).length())
    };
    a.iter().zip(b.iter()).map(chord).fold(0.0, f32::max)
}

proptest! {
    /// A crossfade begins with the pose that was shown, to the last bit, and ends with the new clip's.
    #[test]
    fn from_the_old_pose_to_the_new(before in 0.0f64..3.0, fade in 0.01f64..2.0, steps in 1usize..20) {
        let mut controller = Controller::new(hero());
        controller.play("Walk").unwrap();
        controller.update(before);
        let old = controller.pose().clone();
        controller.play_with("Run", PlayOptions::looping(fade)).unwrap();
        prop_assert_eq!(controller.pose(), &old);
        controller.update(0.0);
        prop_assert_eq!(controller.pose(), &old);
        for _ in 0..steps {
            controller.update(fade / steps as f64);
        }
        // The sum of the steps may be slightly less than the whole.
        controller.update(1e-9);
        prop_assert_eq!(controller.weight(), 1.0);
        let time = (fade + 1e-9).rem_euclid(1.0);
        prop_assume!(time > 1e-6 && time < 1.0 - 1e-6);
        prop_assert!(distance(controller.pose(), &sampled("run", time)) < 1e-5);
    }

    /// However often a crossfade is interrupted, no frame jumps: a short step makes a small change.
    #[test]
    fn an_interrupted_crossfade_does_not_pop(
        plays in proptest::collection::vec((0usize..3, 0.05f64..0.5, 1usize..60), 1..12),
    ) {
        let mut controller = Controller::new(hero());
        let mut last = controller.pose().clone();
        for (tag, fade, frames) in plays {
            // Once, since the clip itself jumps at the end of a loop.
            controller.play_with(["Idle", "Walk", "Run"][tag], PlayOptions::once(fade).reset()).unwrap();
            prop_assert_eq!(controller.pose(), &last);
            for _ in 0..frames {
                controller.update(0.002);
                // Clips turn 1.5 rad a second at most; a fade of 0.05 s goes over up to 2.5 rad.
                let limit = 0.002 * (1.5 + 2.5 / fade as f32) + 1e-5;
                prop_assert!(distance(controller.pose(), &last) < limit);
                last = controller.pose().clone();
            }
        }
    }
}
