use super::*;
use crate::tests::{Broken, character, tagged, turn};
use crate::{Clip, ClipInfo, ClipLibrary};
use std::sync::Arc;

const FRAME: f64 = 1.0 / 60.0;

fn clips(names: &[&str]) -> ClipLibrary {
    tagged(names.iter().map(|&name| (name, turn(name, 0, 1.0))))
}

fn controller(names: &[&str]) -> Controller {
    Controller::new(Arc::new(character("hero", &["hips"], 1.0, clips(names))))
}

const ALL: [&str; 6] = ["Idle", "Walk", "Run", "FastRun", "Jump", "Land"];

/// Plays one frame and returns the tag.
fn frame(locomotion: &mut Locomotion, controller: &mut Controller, velocity: Vec3, grounded: bool) -> String {
    locomotion.update(controller, velocity, grounded, FRAME);
    controller.update(FRAME);
    controller.active().unwrap_or_default().to_owned()
}

#[test]
fn speed_chooses_the_gait() {
    let (mut controller, mut locomotion) = (controller(&ALL), Locomotion::default());
    for (speed, tag) in
        [(0.0, "Idle"), (1.0, "Walk"), (3.0, "Run"), (7.0, "FastRun"), (0.0, "Idle"), (9.0, "FastRun")]
    {
        assert_eq!(frame(&mut locomotion, &mut controller, Vec3::new(0.0, -4.0, speed), true), tag);
    }
    assert_eq!(frame(&mut locomotion, &mut controller, Vec3::NAN, true), "Idle");
}

#[test]
fn at_the_limit_nothing_flickers() {
    let (mut controller, mut locomotion) = (controller(&ALL), Locomotion::default());
    let mut changes = 0;
    let mut last = String::new();
    // Speed wavers about the begin of a run by less than the gap.
    for i in 0..100 {
        let speed = 2.4 + 0.3 * if i % 2 == 0 { 1.0 } else { -1.0 };
        let tag = frame(&mut locomotion, &mut controller, Vec3::X * speed, true);
        changes += usize::from(tag != last);
        last = tag;
    }
    assert_eq!((changes, last.as_str()), (1, "Run"));
    assert_eq!(frame(&mut locomotion, &mut controller, Vec3::X * 1.99, true), "Walk");
    assert_eq!(frame(&mut locomotion, &mut controller, Vec3::X * 2.3, true), "Walk");
}

#[test]
fn missing_gaits_fall_through() {
    for (names, tag) in
        [(&ALL[..3], "Run"), (&ALL[..2], "Walk"), (&ALL[..1], "Idle"), (&["Dance"][..], "Idle")]
    {
        let (mut controller, mut locomotion) = (controller(names), Locomotion::default());
        assert_eq!(frame(&mut locomotion, &mut controller, Vec3::X * 9.0, true), tag);
    }
    let (mut nothing, mut locomotion) = (controller(&[]), Locomotion::default());
    assert_eq!(frame(&mut locomotion, &mut nothing, Vec3::X * 9.0, true), "");
}

#[test]
fn a_broken_gait_falls_through() {
    let mut library = clips(&["Idle", "Walk"]);
    library.add_source(ClipInfo { tag: Some("Run".into()), ..ClipInfo::from("run") }, Broken);
    let mut controller = Controller::new(Arc::new(character("hero", &["hips"], 1.0, library)));
    assert_eq!(frame(&mut Locomotion::default(), &mut controller, Vec3::X * 4.0, true), "Walk");
}

#[test]
fn a_jump_is_followed_by_its_landing_and_the_gait() {
    let names = ["Idle", "Walk", "Run", "Jump", "LAND"];
    let (mut controller, mut locomotion) = (controller(&names), Locomotion::default());
    frame(&mut locomotion, &mut controller, Vec3::X * 3.0, true);
    let up = Vec3::new(3.0, 4.0, 0.0);
    assert_eq!(frame(&mut locomotion, &mut controller, up, false), "Jump");
    let time = controller.playback().time();
    assert_eq!(frame(&mut locomotion, &mut controller, -up, false), "Jump");
    assert!(controller.playback().time() > time, "it goes on");
    assert_eq!(frame(&mut locomotion, &mut controller, Vec3::X * 3.0, true), "LAND");
    assert!(locomotion.is_landing());
    let frames =
        (0..200).take_while(|_| frame(&mut locomotion, &mut controller, Vec3::X, true) == "LAND").count();
    assert!((55..=60).contains(&frames), "a second of it: {frames}");
    assert_eq!((controller.active(), locomotion.gait()), (Some("Walk"), Gait::Walk));
}

#[test]
fn a_bump_is_no_jump() {
    let (mut controller, mut locomotion) = (controller(&ALL), Locomotion::default());
    frame(&mut locomotion, &mut controller, Vec3::X, true);
    for _ in 0..4 {
        assert_eq!(frame(&mut locomotion, &mut controller, Vec3::X, false), "Walk");
    }
    frame(&mut locomotion, &mut controller, Vec3::X, true);
    let frames =
        (0..99).take_while(|_| frame(&mut locomotion, &mut controller, Vec3::X, false) == "Walk").count();
    assert!((5..=6).contains(&frames), "a tenth of a second without ground is a fall: {frames}");
    assert!(locomotion.is_jumping());
}

#[test]
fn without_jump_or_land_it_keeps_moving() {
    let (mut controller, mut locomotion) = (controller(&["Idle", "Walk", "Land"]), Locomotion::default());
    frame(&mut locomotion, &mut controller, Vec3::X, true);
    for _ in 0..30 {
        assert_eq!(frame(&mut locomotion, &mut controller, Vec3::Y * 5.0, false), "Walk");
    }
    assert_eq!(frame(&mut locomotion, &mut controller, Vec3::X, true), "Walk", "no landing without a jump");
    let (mut controller, mut locomotion) =
        (super::tests::controller(&["Idle", "Jump"]), Locomotion::default());
    assert_eq!(frame(&mut locomotion, &mut controller, Vec3::Y * 5.0, false), "Jump");
    assert_eq!(frame(&mut locomotion, &mut controller, Vec3::ZERO, true), "Idle");
}

#[test]
fn the_game_moves_it_and_not_the_clip() {
    let keys = vec![Vec3::ZERO, Vec3::Z * 1.5];
    let track = crate::Track::new(vec![0.0, 1.0], keys, crate::Interpolation::Linear).unwrap();
    let tracks = crate::JointTracks { translation: Some(track), ..crate::JointTracks::new(0) };
    let library = || tagged([("Walk", Clip::new("walk", 1.0, vec![tracks.clone()], vec![]).unwrap())]);
    let place = |settings: LocomotionSettings| {
        let mut controller = Controller::new(Arc::new(character("hero", &["hips"], 1.0, library())));
        let mut locomotion = Locomotion::new(settings);
        let before = controller.model_matrices()[0].translation();
        (0..45).for_each(|_| drop(frame(&mut locomotion, &mut controller, Vec3::Z, true)));
        (controller.model_matrices()[0].translation() - before).z
    };
    assert!(place(LocomotionSettings::default()).abs() < 1e-5);
    let kept = LocomotionSettings { root_motion: RootMotion::Keep, ..Default::default() };
    assert!(place(kept) > 1.0);
}
