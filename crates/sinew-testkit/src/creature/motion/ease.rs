//! Easing curves.

use crate::math::smoothstep;
use crate::spline::keyed;

/// Curves through values at the same times, as they are at `now`: at rest at both ends, smooth between.
pub(super) fn keys<const N: usize>(times: [f64; N], now: f64) -> impl Fn([f64; N]) -> f64 {
    move |values| keyed(&std::array::from_fn::<_, N, _>(|i| (times[i], values[i])), now)
}

/// A smooth pulse: rises from 0 to 1 and falls back.
pub(super) fn between(time: f64, begin: f64, end: f64, soft: f64) -> f64 {
    smoothstep(begin, begin + soft, time) * smoothstep(end, end - soft, time)
}

/// An eye that shuts for a moment.
pub(super) fn blink(time: f64, at: f64) -> f64 {
    smoothstep(0.11, 0.03, (time - at).abs())
}
