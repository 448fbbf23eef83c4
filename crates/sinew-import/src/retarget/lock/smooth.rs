//! A path over even steps of time that is near places, moves by steps, and is smooth: what is asked for with more weight is met more closely.

use sinew::glam::DVec3;

/// What is asked of a path. Each wish is an equation with up to three neighbouring samples as unknowns, so that their sums are a symmetric matrix with two bands beside its
/// diagonal.
#[derive(Clone)]
pub(super) struct Wishes {
    bands: Vec<[f64; 3]>,
    right: Vec<DVec3>,
}

impl Wishes {
    /// Nothing but to be smooth: each change from one step to the next counts with the weight `stiff`.
    pub(super) fn new(count: usize, stiff: f64) -> Self {
        let mut wishes = Self { bands: vec![[0.0; 3]; count], right: vec![DVec3::ZERO; count] };
        for at in 0..count.saturating_sub(2) {
            wishes.add(at, [1.0, -2.0, 1.0], DVec3::ZERO, stiff);
        }
        wishes
    }

    /// To be at a place.
    pub(super) fn place(&mut self, at: usize, place: DVec3, weight: f64) {
        self.add(at, [1.0], place, weight);
    }

    /// To move by so much to the next sample.
    pub(super) fn step(&mut self, at: usize, step: DVec3, weight: f64) {
        if at + 1 < self.right.len() {
            self.add(at, [-1.0, 1.0], step, weight);
        }
    }

    /// That the sum of these multiples of values, from a sample on, is so much.
    fn add<const N: usize>(&mut self, at: usize, parts: [f64; N], sum: DVec3, weight: f64) {
        for (i, &part) in parts.iter().enumerate() {
            for (band, &other) in parts[i..].iter().enumerate() {
                self.bands[at + i][band] += weight * part * other;
            }
            self.right[at + i] += sum * (weight * part);
        }
    }

    /// The path that misses least of all that is asked for, in squares: by elimination from the first sample to the last, and back.
    pub(super) fn path(mut self) -> Vec<DVec3> {
        let count = self.right.len();
        for at in 0..count {
            let [own, next, second] = self.bands[at];
            let part = 1.0 / own.max(f64::MIN_POSITIVE);
            let right = self.right[at] * part;
            let bands = [1.0, next * part, second * part];
            if at + 1 < count {
                self.bands[at + 1][0] -= next * bands[1];
                self.bands[at + 1][1] -= next * bands[2];
                self.right[at + 1] -= right * next;
            }
            if at + 2 < count {
                self.bands[at + 2][0] -= second * bands[2];
                self.right[at + 2] -= right * second;
            }
            (self.bands[at], self.right[at]) = (bands, right);
        }
        for at in (0..count).rev() {
            for band in [1, 2].into_iter().filter(|band| at + band < count) {
                let behind = self.right[at + band] * self.bands[at][band];
                self.right[at] -= behind;
            }
        }
        self.right
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn x(path: &[DVec3]) -> Vec<f64> {
        path.iter().map(|place| place.x).collect()
    }

    #[test]
    fn a_straight_line_through_two_places_is_met() {
        let mut wishes = Wishes::new(9, 1.0);
        wishes.place(1, DVec3::X, 1.0);
        wishes.place(5, DVec3::X * 3.0, 1.0);
        for (at, x) in x(&wishes.path()).into_iter().enumerate() {
            assert!((x - (0.5 + 0.5 * at as f64)).abs() < 1e-9, "{at}: {x}");
        }
    }

    #[test]
    fn nothing_else_misses_less() {
        let mut wishes = Wishes::new(20, 0.3);
        let asked = |at: usize| DVec3::new((at * at % 7) as f64, 0.0, 0.0);
        for at in 0..20 {
            wishes.place(at, asked(at), 0.1);
            wishes.step(at, asked(at + 3), if at % 3 == 0 { 2.0 } else { 0.0 });
        }
        let path = x(&wishes.path());
        let missed = |path: &[f64]| {
            let square = |v: f64| v * v;
            let places: f64 = (0..20).map(|at| 0.1 * square(path[at] - asked(at).x)).sum();
            let steps: f64 =
                (0..19).step_by(3).map(|at| 2.0 * square(path[at + 1] - path[at] - asked(at + 3).x)).sum();
            let bends: f64 = path.windows(3).map(|p| 0.3 * square(p[0] - 2.0 * p[1] + p[2])).sum();
            places + steps + bends
        };
        for (at, by) in (0..20).flat_map(|at| [(at, 1e-3), (at, -1e-3)]) {
            let mut other = path.clone();
            other[at] += by;
            assert!(missed(&other) > missed(&path), "{at} {by}");
        }
    }
}
