//! Samples of a clip in a row, with those of a loop gone on before its first and behind its last, so that its seam is a time like any other.

/// Samples that a loop goes on for at either end: far more than what happens at one time is felt.
const BEYOND: usize = 600;

#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// Steps of time of the clip.
    steps: usize,
    looping: bool,
}

impl Line {
    pub(super) fn new(steps: usize, looping: bool) -> Self {
        Self { steps, looping: looping && steps > 0 }
    }

    fn beyond(&self) -> usize {
        if self.looping { BEYOND } else { 0 }
    }

    /// Samples of the clip; the last of a loop is its first.
    fn count(&self) -> usize {
        if self.looping { self.steps } else { self.steps + 1 }
    }

    pub(super) fn len(&self) -> usize {
        self.count() + 2 * self.beyond()
    }

    /// The sample of the clip at a place in the row, and in which round it is.
    pub(super) fn sample(&self, at: usize) -> (usize, f32) {
        let from_first = at as i64 - self.beyond() as i64;
        let count = self.count() as i64;
        (from_first.rem_euclid(count) as usize, from_first.div_euclid(count) as f32)
    }

    /// First and last place of a run of samples in each round, as far as they lie in the row.
    pub(super) fn rounds(&self, [from, to]: [usize; 2]) -> impl Iterator<Item = [usize; 2]> + use<> {
        let (count, beyond, last) = (self.count() as i64, self.beyond() as i64, self.len() as i64 - 1);
        let rounds = if self.looping { beyond / count + 2 } else { 0 };
        (-rounds..=rounds).filter_map(move |round| {
            let [from, to] = [from, to].map(|at| at as i64 + round * count + beyond);
            (to >= 0 && from <= last).then(|| [from.max(0) as usize, to.min(last) as usize])
        })
    }

    /// Values of the row that are those of the clip, from its first sample to its last.
    pub(super) fn own<T: Copy>(&self, values: &[T]) -> Vec<T> {
        let beyond = self.beyond();
        let own = &values[beyond..beyond + self.count()];
        own.iter().chain(own.first().filter(|_| self.looping)).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_goes_on_and_a_clip_does_not() {
        let row = Line::new(100, true);
        assert_eq!((row.len(), row.sample(BEYOND), row.sample(BEYOND - 1)), (1300, (0, 0.0), (99, -1.0)));
        assert_eq!(row.sample(BEYOND + 205), (5, 2.0));
        let runs: Vec<[usize; 2]> = row.rounds([90, 110]).collect();
        assert!(runs.contains(&[690, 710]) && runs.contains(&[0, 10]) && runs.contains(&[1290, 1299]));
        let numbers: Vec<usize> = (0..row.len()).collect();
        assert_eq!(row.own(&numbers).len(), 101);
        assert_eq!(row.own(&numbers)[100], BEYOND);

        let row = Line::new(100, false);
        assert_eq!((row.len(), row.sample(100)), (101, (100, 0.0)));
        assert_eq!(row.rounds([90, 110]).collect::<Vec<_>>(), [[90, 100]]);
        assert_eq!(row.own(&[7; 101]).len(), 101);
    }
}
