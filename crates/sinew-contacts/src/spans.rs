//! Runs of samples in which something holds, made robust against noise.

/// First sample, and the one after the last; beyond the number of samples where a run crosses the seam of a loop.
pub(crate) type Span = (usize, usize);

/// How a sample is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judged {
    /// It holds clearly: a run may begin.
    Yes,
    /// It holds less clearly: a run goes on.
    Still,
    /// It does not hold.
    No,
}

/// Runs of samples. Each has one that holds clearly; gaps shorter than `gap` are closed, runs shorter than `shortest` are dropped.
pub(crate) fn spans(judged: &[Judged], looping: bool, gap: usize, shortest: usize) -> Vec<Span> {
    let count = judged.len();
    // A loop is gone through from a sample that does not hold, so that no run is cut.
    let first = if looping { judged.iter().position(|j| *j == Judged::No) } else { Some(0) };
    let Some(first) = first else {
        return if judged.contains(&Judged::Yes) { vec![(0, count)] } else { vec![] };
    };
    let mut runs: Vec<Span> = Vec::new();
    let mut at = first;
    while at < first + count {
        let end = (at..first + count).find(|&i| judged[i % count] == Judged::No).unwrap_or(first + count);
        if (at..end).any(|i| judged[i % count] == Judged::Yes) {
            match runs.last_mut() {
                Some(before) if at - before.1 <= gap => before.1 = end,
                _ => runs.push((at, end)),
            }
        }
        at = end + 1;
    }
    if looping && runs.len() > 1 {
        let (last, opening) = (runs[runs.len() - 1], runs[0]);
        if opening.0 + count - last.1 <= gap {
            runs[0].0 = last.0;
            runs[0].1 += count;
            runs.pop();
        }
    }
    runs.retain(|run| run.1 - run.0 >= shortest);
    for run in &mut runs {
        if looping && run.0 >= count {
            *run = (run.0 - count, run.1 - count);
        }
    }
    runs.sort_unstable();
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, looping: bool) -> Vec<Span> {
        let judged: Vec<Judged> = text
            .chars()
            .map(|c| match c {
                '#' => Judged::Yes,
                '+' => Judged::Still,
                _ => Judged::No,
            })
            .collect();
        spans(&judged, looping, 1, 2)
    }

    #[test]
    fn runs_begin_clearly_and_go_on() {
        assert_eq!(of("..+##++...++..", false), [(2, 7)]);
        assert_eq!(of("..##.##..", false), [(2, 7)], "a gap is closed");
        assert_eq!(of("..##..##.", false), [(2, 4), (6, 8)]);
        assert_eq!(of("...#....", false), [], "too short");
        assert_eq!(of("", true), []);
    }

    #[test]
    fn a_loop_has_no_seam() {
        assert_eq!(of("##....##", true), [(6, 10)]);
        assert_eq!(of("##....##", false), [(0, 2), (6, 8)]);
        assert_eq!(of("########", true), [(0, 8)]);
        assert_eq!(of("++++++++", true), []);
        assert_eq!(of("###....##.", true), [(7, 13)], "a gap at the seam");
    }
}
