//! When a curve has keys, also where it repeats itself beyond them.

#![allow(clippy::indexing_slicing, reason = "ranges were measured on the same array")]

use crate::resample::Knot;
use crate::{Budget, Cause};
use std::ops::RangeInclusive;
use ufbx::{AnimCurve, Extrapolation, ExtrapolationMode, Interpolation, Keyframe};

/// A stretch of the source's time, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Range {
    pub(super) begin: f64,
    pub(super) end: f64,
}

/// Whether a curve has other values than that of its first key.
pub(super) fn changes(curve: &AnimCurve) -> bool {
    let first = curve.keyframes.iter().next().map_or(0.0, |key| key.value);
    // Whatever a key is itself: the curve before it may bend by its left handle.
    let departs = |key: &Keyframe| key.value != first || key.left.dy != 0.0 || key.right.dy != 0.0;
    curve.keyframes.iter().any(departs)
}

/// Adds the knots of a curve inside a range, counted from its begin.
pub(super) fn add_knots(
    curve: &AnimCurve,
    range: Range,
    budget: &Budget<'_>,
    out: &mut Vec<Knot>,
) -> Result<(), Cause> {
    let first = out.len();
    let keys = &curve.keyframes;
    // Once in the list, once for the repetitions.
    budget.list::<[Knot; 2]>(keys.len())?;
    let mut steps_before = false;
    for key in keys {
        let steps = matches!(key.interpolation, Interpolation::ConstantPrev | Interpolation::ConstantNext);
        out.push(Knot { time: key.time - range.begin, jump: steps || steps_before });
        steps_before = steps;
    }
    add_repetitions(curve, range, budget, first, out)?;
    // Curves of one property mostly have the same keys: what the curve before added already needs no second copy.
    let count = out.len() - first;
    if let Some(earlier) = first.checked_sub(count)
        && out[earlier..first] == out[first..]
    {
        out.truncate(first);
    }
    Ok(())
}

/// Adds the knots of a curve's repetitions, of which those from `first` on are the original.
fn add_repetitions(
    curve: &AnimCurve,
    range: Range,
    budget: &Budget<'_>,
    first: usize,
    out: &mut Vec<Knot>,
) -> Result<(), Cause> {
    let length = curve.max_time - curve.min_time;
    let own = out.get(first..).unwrap_or_default().to_vec();
    if own.len() < 2 || length <= 0.0 || !length.is_finite() {
        return Ok(());
    }
    let (min, max) = (curve.min_time - range.begin, curve.max_time - range.begin);
    let duration = range.end - range.begin;
    let after = repetitions(&curve.post_extrapolation, -max / length, (duration - max) / length);
    let before = repetitions(&curve.pre_extrapolation, (min - duration) / length, min / length);
    let count = |n: &RangeInclusive<u64>| (n.end() + 1).saturating_sub(*n.start());
    let copies = count(&after).saturating_add(count(&before)).saturating_mul(own.len() as u64);
    budget.source_keys(copies)?;
    budget.steps(copies.saturating_mul(REPEATED_STEPS))?;
    budget.memory(copies.saturating_mul(2 * size_of::<Knot>() as u64))?;
    let shifts = after.clone().map(|n| n as f64).chain(before.clone().map(|n| -(n as f64)));
    for shift in shifts {
        for (index, knot) in own.iter().enumerate() {
            // A repetition jumps at its seams; a mirrored one has its keys where the plain one's mirror has them.
            let jump = knot.jump || index == 0 || index + 1 == own.len();
            out.push(Knot { time: knot.time + shift * length, jump });
            out.push(Knot { time: min + max - knot.time + shift * length, jump });
        }
    }
    // The first seam is the original's own end.
    out.extend((!after.is_empty()).then_some(Knot { time: max, jump: true }));
    out.extend((!before.is_empty()).then_some(Knot { time: min, jump: true }));
    Ok(())
}

/// Steps of evaluating around a repeated key. Such keys take no room in a file, so that their number does not follow from its size.
const REPEATED_STEPS: u64 = 2000;

/// Numbers of the repetitions that lie in the take, which begins `from` and ends `to` times the curve's length away from it.
fn repetitions(extrapolation: &Extrapolation, from: f64, to: f64) -> RangeInclusive<u64> {
    let none = RangeInclusive::new(1, 0);
    let repeating = matches!(
        extrapolation.mode,
        ExtrapolationMode::Repeat | ExtrapolationMode::Mirror | ExtrapolationMode::RepeatRelative
    );
    if !repeating || extrapolation.repeat_count == 0 || to <= 0.0 || to.is_nan() {
        return none;
    }
    // A count below zero means without end. Casts saturate.
    let count = u64::try_from(extrapolation.repeat_count).unwrap_or(u64::MAX - 1);
    let first = (from.floor().max(0.0) as u64).max(1);
    first..=(to.ceil() as u64).min(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::fbx::load;
    use sinew_testkit::scene::{self, Curve, Key, Node, Property, Take, Track, Transform};

    /// Whether a curve with keys of one value at these interpolations changes, and how far it truly gets from that value.
    fn level(interpolations: &[scene::Interpolation]) -> (bool, f64) {
        let key = |(second, &interpolation): (u8, _)| Key { time: second.into(), value: 3.0, interpolation };
        let curve = Curve { keys: (0..).zip(interpolations).map(key).collect() };
        let mut scene = scene::Scene::default();
        scene.add(Node::limb("joint", None, Transform::default()));
        let mut take = Take::new("take", 0.0, 3.0);
        take.tracks.push(Track {
            node: 0,
            property: Property::Translation,
            curves: [Some(curve), None, None],
        });
        scene.takes.push(take);
        let limits = Limits::default();
        let text = sinew_testkit::fbx::write(&scene);
        let scene = load::load(text.as_bytes(), &Budget::new(&limits), &mut Vec::new()).unwrap();
        let curve = &scene.anim_curves[0];
        let far = |step: u8| (ufbx::evaluate_curve(curve, f64::from(step) / 50.0, 0.0) - 3.0).abs();
        (changes(curve), (0..150).map(far).fold(0.0, f64::max))
    }

    #[test]
    fn handles_of_any_key_bend_what_lies_before_it() {
        use scene::Interpolation::{Constant, Linear, User};
        let waving = User { right: 0.0, next_left: 9.0 };
        for next in [Constant, Linear, User { right: 0.0, next_left: 0.0 }] {
            let (changes, far) = level(&[Constant, waving, next, Constant]);
            assert!(changes && far > 0.5, "{next:?}: {far}");
        }
        let (changes, far) = level(&[Constant, Linear, User { right: 0.0, next_left: 0.0 }, Constant]);
        assert!(!changes && far < 1e-14, "{far}");
    }

    #[test]
    fn only_repetitions_in_the_take_count() {
        let endless = Extrapolation { mode: ExtrapolationMode::Repeat, repeat_count: -1 };
        assert_eq!(repetitions(&endless, -0.5, 2.5), 1..=3);
        assert_eq!(repetitions(&endless, 1000.0, 1001.5), 1000..=1002);
        assert!(repetitions(&endless, -3.0, -1.0).is_empty());
        let twice = Extrapolation { mode: ExtrapolationMode::Mirror, repeat_count: 2 };
        assert_eq!(repetitions(&twice, 0.0, 9.0), 1..=2);
        let constant = Extrapolation { mode: ExtrapolationMode::Constant, repeat_count: -1 };
        assert!(repetitions(&constant, 0.0, 9.0).is_empty());
    }
}
