//! Times at which keys stand, rounded to single precision.

use super::Knot;

/// A time of the clip at which a key stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stop {
    /// Time of the key: the nearest, but at a jump the nearest that is not behind it, so that nothing at the exact time or
    /// later is read from before the jump.
    pub(super) time: f32,
    /// Exact time to evaluate at from before and from after, where the value may jump.
    pub(super) jump: Option<[f64; 2]>,
}

/// Sorts and rounds knots, drops those outside the clip, and adds its start and end.
///
/// Knots that round to one time become one, at which the value may jump: single precision cannot tell them apart.
pub(super) fn stops(knots: impl Iterator<Item = Knot>, duration: f32) -> Vec<Stop> {
    let mut knots: Vec<Knot> = knots.filter(|k| k.time.is_finite()).collect();
    knots.sort_by(|a, b| a.time.total_cmp(&b.time));
    knots.dedup_by(|next, kept| {
        let same = next.time == kept.time;
        kept.jump |= same && next.jump;
        same
    });
    let mut out: Vec<Stop> = Vec::with_capacity(knots.len());
    let mut first = 0.0;
    for knot in knots {
        let Some(mut time) = round(knot, duration) else { continue };
        // A knot that was rounded up may have overtaken a jump that is rounded down.
        time = out.last().map_or(time, |last: &Stop| time.max(last.time));
        match out.last_mut().filter(|last| last.time == time) {
            Some(last) => merge(last, first, knot),
            None => {
                first = knot.time;
                out.push(Stop { time, jump: knot.jump.then_some([knot.time; 2]) });
            }
        }
    }
    if out.first().is_none_or(|first| first.time > 0.0) {
        out.insert(0, Stop { time: 0.0, jump: None });
    }
    if out.last().is_some_and(|last| last.time < duration) {
        out.push(Stop { time: duration, jump: None });
    }
    out
}

/// The key time of an exact time, which may miss the clip by rounding only.
fn round(knot: Knot, duration: f32) -> Option<f32> {
    let slack = f64::from(duration.next_up() - duration);
    let inside = knot.time >= -slack && knot.time <= f64::from(duration) + slack;
    let nearest = knot.time as f32;
    let behind = knot.jump && f64::from(nearest) > knot.time;
    let time = if behind { nearest.next_down() } else { nearest };
    inside.then_some(time.clamp(0.0, duration))
}

/// Adds a knot to the stop that earlier knots, the earliest at `first`, have become.
fn merge(stop: &mut Stop, first: f64, knot: Knot) {
    match &mut stop.jump {
        Some([_, after]) => *after = knot.time,
        // Two keys that single precision cannot tell apart become a jump.
        None if knot.jump || knot.time != first => stop.jump = Some([first, knot.time]),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(stops: &[Stop]) -> Vec<f32> {
        stops.iter().map(|s| s.time).collect()
    }

    #[test]
    fn the_clip_bounds_its_keys() {
        let knots = [3.0, -1.0, 0.5, 0.25, 9.0, f64::NAN].map(Knot::new);
        let stops = stops(knots.into_iter(), 2.0);
        assert_eq!(times(&stops), [0.0, 0.25, 0.5, 2.0]);
        assert!(stops.iter().all(|s| s.jump.is_none()));
    }

    #[test]
    fn jumps_keep_their_exact_time() {
        let at = 1.0 / 3.0;
        let got = stops([Knot { time: at, jump: true }].into_iter(), 1.0);
        assert_eq!(got[1], Stop { time: (at as f32).next_down(), jump: Some([at; 2]) });
        let end = stops([Knot { time: 1.0 + 1e-12, jump: true }].into_iter(), 1.0);
        assert_eq!(end.last(), Some(&Stop { time: 1.0, jump: Some([1.0 + 1e-12; 2]) }));
    }

    #[test]
    fn keys_that_single_precision_cannot_tell_apart_are_a_jump() {
        let got = stops([Knot::new(0.5), Knot::new(0.5 + 1e-12), Knot::new(0.5 + 2e-12)].into_iter(), 1.0);
        assert_eq!(got[1], Stop { time: 0.5, jump: Some([0.5, 0.5 + 2e-12]) });
        let same = stops([Knot::new(0.5), Knot::new(0.5)].into_iter(), 1.0);
        assert_eq!(same[1].jump, None);
    }

    #[test]
    fn a_jump_and_a_key_at_one_time_are_one_stop() {
        let at = 1.0 / 3.0;
        let near = Knot::new(at - 1e-12);
        let got = stops([Knot::new(at), Knot { time: at, jump: true }, near].into_iter(), 1.0);
        assert_eq!(times(&got), [0.0, at as f32, 1.0]);
        assert_eq!(got[1].jump, Some([near.time, at]));
    }

    #[test]
    fn a_clip_without_length_has_one_stop() {
        assert_eq!(times(&stops([Knot::new(0.0), Knot::new(1.0)].into_iter(), 0.0)), [0.0]);
    }
}
