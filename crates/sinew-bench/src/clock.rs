//! Time of short work: the least of many rounds, which other load on the machine disturbs least.

use std::time::{Duration, Instant};

/// How long one round lasts about.
const ROUND: Duration = Duration::from_micros(500);

/// How often work is measured.
#[derive(Clone, Copy, Debug)]
pub struct Rounds(pub usize);

impl Default for Rounds {
    fn default() -> Self {
        Self(60)
    }
}

impl Rounds {
    /// Nanoseconds that one call takes: the least mean of a round.
    pub fn time(self, mut work: impl FnMut()) -> f64 {
        work();
        let start = Instant::now();
        work();
        let once = start.elapsed().max(Duration::from_nanos(20));
        let calls = (ROUND.as_nanos() / once.as_nanos()).clamp(1, 100_000) as u32;
        let mut least = f64::INFINITY;
        for _ in 0..self.0.max(1) {
            let start = Instant::now();
            for _ in 0..calls {
                work();
            }
            least = least.min(start.elapsed().as_nanos() as f64 / f64::from(calls));
        }
        least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_in_every_round() {
        let mut calls = 0;
        let least = Rounds(3).time(|| {
            calls += 1;
            std::hint::black_box(calls);
        });
        assert!(calls >= 5 && least.is_finite());
    }
}
