mod motion;

use super::*;
use crate::app::testing::{character, clip_of};

fn show() -> Show {
    let mut show = Show::new(character());
    show.play(clip_of(&show, 0), None).unwrap();
    show
}

fn height(show: &Show) -> f32 {
    show.model_matrices()[0].translation().y
}

#[test]
fn a_switch_crossfades_and_ends_in_the_new_clip() {
    let mut show = show();
    assert_eq!(show.weight(), 1.0, "no crossfade from the rest pose");
    show.advance(0.5);
    let before = height(&show);
    show.play(clip_of(&show, 1), None).unwrap();
    assert_eq!((height(&show), show.weight()), (before, 0.0), "nothing jumps");
    show.advance(CROSSFADE / 2.0);
    let half = height(&show);
    show.play(clip_of(&show, 0), None).unwrap();
    assert_eq!(height(&show), half, "nor when a crossfade is interrupted");
    show.advance(CROSSFADE);
    assert_eq!(show.weight(), 1.0);
    assert!((height(&show) - (1.0 + CROSSFADE as f32)).abs() < 1e-5, "{}", height(&show));
}

#[test]
fn paused_it_stands_still_and_switches_at_once() {
    let mut show = show();
    show.set_paused(true);
    assert!(!show.advance(0.5) && !show.is_moving());
    assert_eq!(show.time(), 0.0);
    show.play(clip_of(&show, 1), None).unwrap();
    assert_eq!(show.weight(), 1.0);
}

#[test]
fn what_has_ended_starts_again() {
    let mut show = show();
    show.set_mode(LoopMode::Once);
    show.advance(9.0);
    assert_eq!(show.time(), show.duration());
    assert!(!show.is_moving());
    show.set_paused(false);
    assert_eq!(show.time(), 0.0);
    assert!(show.is_moving());
}

#[test]
fn another_mode_keeps_the_time() {
    let mut show = show();
    show.advance(0.75);
    show.set_mode(LoopMode::PingPong);
    assert_eq!(show.time(), 0.75);
    show.advance(0.5);
    assert_eq!(show.time(), 0.75, "and turns round at the end");
}

#[test]
fn a_clip_is_played_in_its_own_mode() {
    let mut show = show();
    show.play(clip_of(&show, 1), Some(LoopMode::Once)).unwrap();
    show.advance(9.0);
    assert_eq!((show.time(), show.is_moving()), (1.0, false));
    show.play(clip_of(&show, 0), Some(LoopMode::Times(2))).unwrap();
    show.advance(1.5);
    assert_eq!((show.time(), show.is_moving()), (0.5, true));
    show.advance(1.0);
    assert_eq!((show.time(), show.is_moving()), (1.0, false));
    show.play(clip_of(&show, 1), None).unwrap();
    assert_eq!(show.options().mode, LoopMode::Loop, "without one of its own, that of before");
    show.set_mode(LoopMode::PingPong);
    show.play(clip_of(&show, 0), Some(LoopMode::Once)).unwrap();
    show.play(clip_of(&show, 1), None).unwrap();
    assert_eq!(show.options().mode, LoopMode::PingPong);
}

#[test]
fn the_end_of_a_loop_can_be_looked_at_and_goes_on_from_the_start() {
    let mut show = show();
    assert_eq!(show.options().mode, LoopMode::Loop);
    show.seek(show.duration());
    assert_eq!((show.time(), height(&show)), (1.0, 2.0));
    show.set_mode(LoopMode::PingPong);
    show.set_mode(LoopMode::Loop);
    assert_eq!((show.time(), height(&show)), (1.0, 2.0));
    show.advance(0.25);
    assert_eq!((show.time(), height(&show)), (0.25, 1.25));
    show.seek(9.0);
    assert_eq!(show.time(), 1.0);
    show.seek(f64::NAN);
    assert_eq!(show.time(), 0.0);
}

#[test]
fn seeking_ends_the_crossfade() {
    let mut show = show();
    show.advance(0.5);
    show.play(clip_of(&show, 1), None).unwrap();
    show.seek(0.25);
    assert_eq!((show.weight(), show.time()), (1.0, 0.25));
}

#[test]
fn in_place_takes_the_travel_out() {
    let mut show = show();
    show.play(clip_of(&show, 1), None).unwrap();
    show.seek(1.0);
    assert!(show.model_matrices()[0].translation().z > 1.9);
    show.set_root_motion(RootMotion::InPlace);
    assert!(show.model_matrices()[0].translation().z.abs() < 1e-5);
}

#[test]
fn the_way_is_that_of_the_root_and_fades_with_it() {
    let mut show = show();
    assert_eq!(show.way(), Vec3::ZERO, "vertical movement is not travel");
    show.advance(0.5);
    show.play(clip_of(&show, 1), None).unwrap();
    assert_eq!(show.way(), Vec3::ZERO);
    show.advance(CROSSFADE / 2.0);
    let expected = 0.5 * 2.0 * CROSSFADE as f32 / 2.0;
    assert!((show.way().z - expected).abs() < 1e-5, "{}", show.way());
    show.seek(1.0);
    assert_eq!(show.way(), Vec3::Z * 2.0);
    show.set_root_motion(RootMotion::InPlace);
    assert_eq!(show.way(), Vec3::ZERO);
}
