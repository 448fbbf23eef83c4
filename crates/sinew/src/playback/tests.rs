use super::*;
use proptest::prelude::*;

fn clip(times: &[f32]) -> Clip {
    let events = times.iter().map(|&time| Event::new(time, time.to_string())).collect();
    Clip::new("c", 2.0, vec![], vec![]).unwrap().with_events(events).unwrap()
}

fn names(playback: &Playback, clip: &Clip) -> Vec<String> {
    playback.crossed(clip).map(|e| e.name.clone()).collect()
}

#[test]
fn a_loop_wraps_and_never_ends() {
    let mut playback = Playback::new(2.0, LoopMode::Loop, 1.0);
    for (step, time) in [(0.5, 0.5), (1.0, 1.5), (1.0, 0.5), (1000.0, 0.5), (1.5, 0.0)] {
        playback.advance(step);
        assert!((playback.time() - time).abs() < 1e-9, "{} is not {time}", playback.time());
        assert!(!playback.has_ended());
    }
}

#[test]
fn once_stops_at_the_end() {
    let mut playback = Playback::new(2.0, LoopMode::Once, 1.0);
    playback.advance(1.9);
    assert!(!playback.has_ended());
    playback.advance(5.0);
    assert_eq!((playback.time(), playback.has_ended()), (2.0, true));
    playback.set_speed(-1.0);
    assert!(!playback.has_ended(), "there is a way back");
    playback.advance(9.0);
    assert_eq!((playback.time(), playback.has_ended()), (0.0, true));
}

#[test]
fn backward_starts_at_the_end() {
    let mut playback = Playback::new(2.0, LoopMode::Once, -2.0);
    assert_eq!((playback.time(), playback.has_ended()), (2.0, false));
    playback.advance(0.25);
    assert_eq!(playback.time(), 1.5);
    let mut playback = Playback::new(2.0, LoopMode::Loop, -1.0);
    playback.advance(3.0);
    assert_eq!(playback.time(), 1.0);
}

#[test]
fn n_times_then_stops() {
    let mut playback = Playback::new(2.0, LoopMode::Times(3), 1.0);
    playback.advance(5.0);
    assert_eq!((playback.time(), playback.has_ended()), (1.0, false));
    playback.advance(5.0);
    assert_eq!((playback.time(), playback.has_ended()), (2.0, true));
}

#[test]
fn ping_pong_turns_round() {
    let mut playback = Playback::new(2.0, LoopMode::PingPong, 1.0);
    let times: Vec<_> = (0..6)
        .map(|_| {
            playback.advance(0.75);
            playback.time()
        })
        .collect();
    assert_eq!(times, [0.75, 1.5, 1.75, 1.0, 0.25, 0.5]);
}

#[test]
fn a_clip_without_duration_stays_at_zero() {
    for mode in [LoopMode::Once, LoopMode::Loop, LoopMode::PingPong, LoopMode::Times(2)] {
        for duration in [0.0, -1.0, f64::NAN] {
            let mut playback = Playback::new(duration, mode, 1.0);
            playback.advance(1e9);
            assert_eq!(playback.time(), 0.0);
            assert_eq!(playback.has_ended(), matches!(mode, LoopMode::Once | LoopMode::Times(_)));
        }
    }
}

#[test]
fn paused_stays() {
    let mut playback = Playback::new(2.0, LoopMode::Loop, 1.0);
    playback.advance(0.5);
    playback.set_paused(true);
    playback.advance(0.5);
    assert_eq!(playback.time(), 0.5);
    assert_eq!(names(&playback, &clip(&[0.5])).len(), 0, "standing still crosses nothing");
    let mut fresh = Playback::new(2.0, LoopMode::Loop, 1.0);
    fresh.set_paused(true);
    fresh.advance(0.5);
    assert!(names(&fresh, &clip(&[0.0])).is_empty(), "it has not started");
    fresh.set_paused(false);
    fresh.advance(0.5);
    assert_eq!(names(&fresh, &clip(&[0.0])), ["0"]);
}

#[test]
fn events_fire_once_per_crossing() {
    let clip = clip(&[0.0, 0.5, 2.0]);
    let mut playback = Playback::new(2.0, LoopMode::Loop, 1.0);
    playback.advance(0.25);
    assert_eq!(names(&playback, &clip), ["0"], "the start fires events at zero");
    playback.advance(0.25);
    assert_eq!(names(&playback, &clip), ["0.5"], "the new position counts");
    playback.advance(0.0);
    assert!(names(&playback, &clip).is_empty());
    playback.advance(4.0);
    assert_eq!(names(&playback, &clip), ["2", "0", "0.5", "2", "0", "0.5"], "two wraps in one update");
    playback.seek(0.25);
    assert!(names(&playback, &clip).is_empty(), "seeking fires nothing");
    playback.advance(0.1);
    assert!(names(&playback, &clip).is_empty(), "nor does the update after it");
}

#[test]
fn events_fire_in_reverse() {
    let clip = clip(&[0.0, 0.5, 1.0]);
    let mut playback = Playback::new(2.0, LoopMode::Loop, -1.0);
    playback.advance(1.0);
    assert_eq!(names(&playback, &clip), ["0", "1"], "the end of a loop is its start; then [t1, t0)");
    playback.advance(1.0);
    assert_eq!(names(&playback, &clip), ["0.5", "0"]);
    playback.advance(2.0);
    assert_eq!(names(&playback, &clip), ["1", "0.5", "0"]);
}

#[test]
fn once_and_n_times_fire_at_their_ends() {
    let clip = clip(&[0.0, 1.0, 2.0]);
    let mut playback = Playback::new(2.0, LoopMode::Once, 1.0);
    playback.advance(9.0);
    assert_eq!(names(&playback, &clip), ["0", "1", "2"]);
    playback.advance(1.0);
    assert!(names(&playback, &clip).is_empty());
    let mut playback = Playback::new(2.0, LoopMode::Times(2), 1.0);
    playback.advance(9.0);
    assert_eq!(names(&playback, &clip), ["0", "1", "2", "0", "1", "2"]);
}

#[test]
fn ping_pong_fires_turning_points_once() {
    let clip = clip(&[0.0, 0.5, 2.0]);
    let mut playback = Playback::new(2.0, LoopMode::PingPong, 1.0);
    playback.advance(8.25);
    assert_eq!(names(&playback, &clip), ["0", "0.5", "2", "0.5", "0", "0.5", "2", "0.5", "0"]);
}

proptest! {
    /// However a stretch of time is cut into updates, the same events fire in the same order.
    #[test]
    fn cutting_time_changes_nothing(
        times in proptest::collection::vec(0.0f32..=2.0, 0..6),
        steps in proptest::collection::vec(0.0f64..3.0, 1..12),
        speed in -3.0f64..3.0,
        mode in prop_oneof![
            Just(LoopMode::Once), Just(LoopMode::Loop), Just(LoopMode::PingPong), (0u32..4).prop_map(LoopMode::Times)
        ],
    ) {
        let clip = clip(&times);
        let mut whole = Playback::new(2.0, mode, speed);
        let mut cut = whole;
        let mut fired = Vec::new();
        for step in &steps {
            cut.advance(*step);
            fired.extend(names(&cut, &clip));
        }
        // Land on the very position that the cut one reached, whatever rounding the sum of steps had.
        whole.advance(steps.iter().sum());
        whole.position = cut.position;
        prop_assert_eq!(names(&whole, &clip), fired);
    }

    #[test]
    fn time_stays_within_the_clip(
        duration in 1e-6f64..10.0, speed in -1e3f64..1e3, steps in proptest::collection::vec(0.0f64..1e4, 0..8),
        mode in prop_oneof![
            Just(LoopMode::Once), Just(LoopMode::Loop), Just(LoopMode::PingPong), (0u32..4).prop_map(LoopMode::Times)
        ],
    ) {
        let mut playback = Playback::new(duration, mode, speed);
        for step in steps {
            playback.advance(step);
            prop_assert!((0.0..=duration).contains(&playback.time()));
        }
    }
}

#[test]
fn a_clip_shorter_than_a_microsecond_is_one_pose() {
    for duration in [2e-40, 1e-10, 9.9e-7] {
        let clip = Clip::new("c", duration, vec![], vec![]).unwrap();
        let clip = clip.with_events(vec![Event::new(0.0, "start")]).unwrap();
        for mode in [LoopMode::Once, LoopMode::Loop, LoopMode::PingPong, LoopMode::Times(7)] {
            let mut playback = Playback::new(duration.into(), mode, 1.0);
            let fired: usize = (0..10)
                .map(|_| {
                    playback.advance(1e6);
                    assert_eq!(playback.time(), 0.0);
                    playback.crossed(&clip).count()
                })
                .sum();
            assert_eq!(fired, 1, "{duration} s, {mode:?}: the start fires once");
        }
    }
}

#[test]
fn a_huge_step_ends_at_the_right_time_and_counts_a_bounded_number_of_passes() {
    let clip = clip(&[0.5]);
    for (seconds, speed) in [(1e300, 1e300), (f64::MAX, -f64::MAX), (2e9 + 0.75, 1.0), (1e18, -3.0)] {
        for mode in [LoopMode::Loop, LoopMode::PingPong, LoopMode::Times(u32::MAX), LoopMode::Once] {
            let mut playback = Playback::new(2.0, mode, speed);
            playback.advance(seconds);
            assert!((0.0..=2.0).contains(&playback.time()), "{mode:?}");
            assert!(playback.crossed(&clip).take(3).count() > 0);
            if matches!(mode, LoopMode::Loop | LoopMode::PingPong) {
                assert!(playback.crossed(&clip).count() <= 2_000_002, "{mode:?}");
            }
            let travel = playback.displacement(&Travel::default());
            assert!(travel.is_finite());
        }
    }
    let mut playback = Playback::new(2.0, LoopMode::Loop, 1.0);
    playback.advance(2e9 + 0.75);
    assert!((playback.time() - 0.75).abs() < 1e-6, "whole passes are left out: {}", playback.time());
}

/// A loop that runs for a year at sixty frames a second still advances by whole frames.
#[test]
fn a_loop_does_not_lose_precision() {
    let mut playback = Playback::new(2.0, LoopMode::Loop, 1.0);
    (0..50).for_each(|_| playback.advance(1.999e6));
    let before = playback.time();
    playback.advance(1.0 / 64.0);
    assert_eq!(playback.time() - before, 1.0 / 64.0);
}

#[test]
fn a_seek_shows_the_end_of_a_loop() {
    let mut playback = Playback::new(1.0, LoopMode::Loop, 1.0);
    playback.seek(1.0);
    playback.advance(0.0);
    assert_eq!(playback.time(), 1.0);
    playback.advance(0.25);
    assert_eq!(playback.time(), 0.25);
    playback.set_mode(LoopMode::PingPong);
    assert_eq!((playback.time(), playback.mode()), (0.25, LoopMode::PingPong));
    playback.advance(1.0);
    assert_eq!(playback.time(), 0.75, "it turns round at the end");
}
