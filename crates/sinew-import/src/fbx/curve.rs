//! When a curve has keys, also where it repeats itself beyond them.

use crate::Cause;
use crate::resample::Knot;
use ufbx::{AnimCurve, Extrapolation, ExtrapolationMode, Interpolation};

/// A stretch of the source's time, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Range {
    pub(super) begin: f64,
    pub(super) end: f64,
}

/// Adds the knots of a curve inside a range, counted from its begin.
pub(super) fn add_knots(
    curve: &AnimCurve,
    range: Range,
    limit: u64,
    out: &mut Vec<Knot>,
) -> Result<(), Cause> {
    let first = out.len();
    let keys = &curve.keyframes;
    let mut steps_before = false;
    for key in keys {
        let steps = matches!(key.interpolation, Interpolation::ConstantPrev | Interpolation::ConstantNext);
        out.push(Knot { time: key.time - range.begin, jump: steps || steps_before });
        steps_before = steps;
    }
    let own = first..out.len();
    let length = curve.max_time - curve.min_time;
    if keys.len() > 1 && length > 0.0 {
        let (min, max) = (curve.min_time - range.begin, curve.max_time - range.begin);
        let duration = range.end - range.begin;
        let after = repeats(&curve.post_extrapolation, (duration - max) / length, limit)?;
        let before = repeats(&curve.pre_extrapolation, min / length, limit)?;
        let copies = after.saturating_add(before).saturating_mul(own.len() as u64);
        crate::limits::check("keys", copies, limit)?;
        let shifts = (1..=after).map(|n| n as f64).chain((1..=before).map(|n| -(n as f64)));
        for shift in shifts {
            for index in own.clone() {
                let Some(knot) = out.get(index).copied() else { continue };
                // A repetition jumps at its seams; a mirrored one has its keys where the plain one's mirror has them.
                let seam = index == own.start || index + 1 == own.end;
                let jump = knot.jump || seam;
                out.push(Knot { time: knot.time + shift * length, jump });
                out.push(Knot { time: min + max - knot.time + shift * length, jump });
            }
        }
        if after > 0 {
            out.push(Knot { time: max, jump: true });
        }
        if before > 0 {
            out.push(Knot { time: min, jump: true });
        }
    }
    // Curves of one property mostly have the same keys: what the curve before added already needs no second copy.
    let count = out.len() - first;
    if let Some(earlier) = first.checked_sub(count)
        && out[earlier..first] == out[first..]
    {
        out.truncate(first);
    }
    Ok(())
}

/// How often a curve repeats itself to fill `span` times its own length.
fn repeats(extrapolation: &Extrapolation, span: f64, limit: u64) -> Result<u64, Cause> {
    let repeating = matches!(
        extrapolation.mode,
        ExtrapolationMode::Repeat | ExtrapolationMode::Mirror | ExtrapolationMode::RepeatRelative
    );
    if !repeating || extrapolation.repeat_count == 0 || span <= 0.0 || span.is_nan() {
        return Ok(0);
    }
    // A count below zero means without end.
    let count = u64::try_from(extrapolation.repeat_count).unwrap_or(u64::MAX);
    let needed = if span.is_finite() { span.ceil() as u64 } else { u64::MAX };
    let wanted = count.min(needed);
    crate::limits::check("keys", wanted, limit)?;
    Ok(wanted)
}
