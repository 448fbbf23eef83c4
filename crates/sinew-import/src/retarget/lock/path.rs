//! A shift over time: given while a foot stands, smooth between.

use sinew::glam::Vec3;

/// Samples over which a shift comes and goes where the next stand is far away: three tenths of a second.
const EASE: i64 = 36;

/// A cubic from one value to another, with the slopes at both ends.
pub(super) fn hermite([from, to]: [Vec3; 2], [leave, arrive]: [Vec3; 2], t: f32) -> Vec3 {
    let (t2, t3) = (t * t, t * t * t);
    let ease = 3.0 * t2 - 2.0 * t3;
    from * (1.0 - ease) + to * ease + leave * (t3 - 2.0 * t2 + t) + arrive * (t3 - t2)
}

/// Samples within which the speed of a shift at the edge of a stand dies away.
const COAST: f32 = 18.0;

/// How far something gets that moves by one in a sample and is slowed down to nothing, where it came from: within a few samples, so that it does not throw the foot far off on its way.
fn coast(samples: f32, room: f32) -> f32 {
    let room = room.min(COAST);
    let left = (1.0 - samples / room).max(0.0);
    samples * left * left
}

/// Samples at which a foot stands without a break, the last included; beyond the number of samples where a loop begins anew.
pub(super) type Run = [usize; 2];

/// Runs of samples that hold; `whole` for a loop in which all of them do.
pub(super) fn runs(holds: &[bool], looping: bool) -> Vec<Run> {
    let count = holds.len();
    let first = if looping { holds.iter().position(|holds| !holds) } else { Some(0) };
    let Some(first) = first else { return vec![[0, count - 1]] };
    let mut runs: Vec<Run> = Vec::new();
    for at in (first..first + count).filter(|at| holds[at % count]) {
        match runs.last_mut() {
            Some(run) if run[1] + 1 == at => run[1] = at,
            _ => runs.push([at, at]),
        }
    }
    runs
}

/// Fills what lies between runs: from one to the next, or down to `base` and up again where that is far.
pub(super) fn fill(values: &mut [Vec3], runs: &[Run], base: Vec3, looping: bool) {
    let count = values.len();
    let slope = |values: &[Vec3], run: &Run, at: usize| {
        let (a, b) = if at == run[0] { (at, at + 1) } else { (at - 1, at) };
        // Half of it: stopping all of it turns knees faster than the jolt of the other half is seen.
        if run[1] > run[0] { (values[b % count] - values[a % count]) * 0.5 } else { Vec3::ZERO }
    };
    // Begin, end and slopes of each gap, in samples that may lie before the first or after the last.
    let mut gaps: Vec<Gap> = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        let leave = (run[1] as i64, values[run[1] % count], slope(values, run, run[1]));
        let next = runs.get(at + 1).copied().or_else(|| {
            let [a, b] = *runs.first().filter(|_| looping)?;
            Some([a + count, b + count])
        });
        let arrive = next.map(|run| (run[0] as i64, values[run[0] % count], slope(values, &run, run[0])));
        gaps.push(Gap { leave: Some(leave), arrive });
    }
    if let Some(run) = runs.first().filter(|_| !looping) {
        let arrive = (run[0] as i64, values[run[0]], slope(values, run, run[0]));
        gaps.push(Gap { leave: None, arrive: Some(arrive) });
    }
    for gap in gaps {
        let from = gap.leave.map_or(0, |(at, ..)| at + 1);
        let to = gap.arrive.map_or(count as i64, |(at, ..)| at);
        for at in from..to {
            let inside = at as usize;
            values[if looping { inside % count } else { inside }] = gap.at(at, base);
        }
    }
}

/// Where a shift comes from and goes to: sample, value and slope.
#[derive(Clone, Copy)]
struct Gap {
    leave: Option<(i64, Vec3, Vec3)>,
    arrive: Option<(i64, Vec3, Vec3)>,
}

impl Gap {
    fn at(&self, at: i64, base: Vec3) -> Vec3 {
        let between = |from: (i64, Vec3, Vec3), to: (i64, Vec3, Vec3)| {
            let steps = (to.0 - from.0) as f32;
            let still = hermite([from.1, to.1], [Vec3::ZERO; 2], (at - from.0) as f32 / steps);
            still + from.2 * coast((at - from.0) as f32, steps) - to.2 * coast((to.0 - at) as f32, steps)
        };
        let still = |at: i64| (at, base, Vec3::ZERO);
        if let (Some(leave), Some(arrive)) = (self.leave, self.arrive)
            && arrive.0 - leave.0 <= 2 * EASE
        {
            return between(leave, arrive);
        }
        match (self.leave, self.arrive) {
            (Some(leave), _) if at < leave.0 + EASE => between(leave, still(leave.0 + EASE)),
            (_, Some(arrive)) if at > arrive.0 - EASE => between(still(arrive.0 - EASE), arrive),
            _ => base,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_a_loop_have_no_seam() {
        let holds = [true, false, false, true, true];
        assert_eq!(runs(&holds, true), [[3, 5]]);
        assert_eq!(runs(&holds, false), [[0, 0], [3, 4]]);
        assert_eq!(runs(&[true, true], true), [[0, 1]]);
        assert_eq!(runs(&[false, false], true), [] as [Run; 0]);
    }

    /// No jumps, and none of the speed: from the first stand to the second, to the base where the next is far, and round a loop.
    #[test]
    fn gaps_are_smooth() {
        for looping in [false, true] {
            let mut values = vec![Vec3::ZERO; 400];
            let runs = [[50, 60], [90, 110], [300, 310]];
            for (run, x) in runs.iter().zip([1.0, -1.0, 0.5]) {
                for (at, value) in values.iter_mut().enumerate().take(run[1] + 1).skip(run[0]) {
                    *value = Vec3::new(x + 0.01 * at as f32, 0.0, 0.0);
                }
            }
            let base = Vec3::new(0.2, 0.0, 0.0);
            fill(&mut values, &runs, base, looping);
            assert_eq!(values[200], base);
            assert_eq!((values[0], values[399]), (base, base));
            let slopes: Vec<f32> = values.windows(2).map(|pair| pair[1].x - pair[0].x).collect();
            let bend = slopes.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f32::max);
            assert!(bend < 0.025, "{bend}");
        }
    }
}
