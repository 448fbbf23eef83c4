//! Smooth curves through given points.

use glam::DVec3;

/// A cubic through points in order of time, with given slopes at its ends.
pub(crate) struct Spline {
    pub(crate) points: Vec<(f64, DVec3)>,
    pub(crate) slopes: (DVec3, DVec3),
}

impl Spline {
    pub(crate) fn at(&self, time: f64) -> DVec3 {
        let last = self.points.len() - 1;
        let next = self.points.partition_point(|p| p.0 <= time).clamp(1, last);
        let ((t0, p0), (t1, p1)) = (self.points[next - 1], self.points[next]);
        let span = t1 - t0;
        let u = ((time - t0) / span).clamp(0.0, 1.0);
        let (m0, m1) = (self.slope(next - 1) * span, self.slope(next) * span);
        let (u2, u3) = (u * u, u * u * u);
        p0 * (2.0 * u3 - 3.0 * u2 + 1.0)
            + m0 * (u3 - 2.0 * u2 + u)
            + p1 * (3.0 * u2 - 2.0 * u3)
            + m1 * (u3 - u2)
    }

    fn slope(&self, index: usize) -> DVec3 {
        let last = self.points.len() - 1;
        if index == 0 {
            self.slopes.0
        } else if index == last {
            self.slopes.1
        } else {
            let (before, after) = (self.points[index - 1], self.points[index + 1]);
            (after.1 - before.1) / (after.0 - before.0)
        }
    }
}

/// A scalar through `(time, value)` points, at rest at both ends.
pub(crate) fn keyed(points: &[(f64, f64)], time: f64) -> f64 {
    let points = points.iter().map(|&(t, v)| (t, DVec3::splat(v)));
    let spline = Spline { points: points.collect(), slopes: (DVec3::ZERO, DVec3::ZERO) };
    spline.at(time).x
}
