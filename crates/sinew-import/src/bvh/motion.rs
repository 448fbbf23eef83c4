//! The frames, as they are written.

use super::hierarchy::Hierarchy;
use super::lines::Lines;
use crate::number::floats;
use crate::{Budget, Cause, Given, Options, findings};
use sinew::Finding;
use sinew_findings::plural;

/// Numbers of all frames, one behind the other.
///
/// Single precision is as good as that of tracks, and an hour of motion has tens of millions of them.
#[derive(Debug)]
pub(super) struct Motion {
    values: Vec<f32>,
    /// Numbers of a frame.
    width: usize,
    /// Seconds from a frame to the next.
    pub(super) frame_time: f64,
}

impl Motion {
    /// Reads what is behind the hierarchy; a file may end there.
    pub(super) fn read(
        lines: &mut Lines<'_>,
        hierarchy: &Hierarchy,
        options: &Options,
        budget: &Budget<'_>,
        findings: &mut Vec<Finding>,
    ) -> Result<Self, Cause> {
        let width = hierarchy.channels;
        let mut motion = Self { values: Vec::new(), width, frame_time: 1.0 / USUAL_RATE };
        let Some(word) = lines.word() else { return Ok(motion) };
        if !word.eq_ignore_ascii_case(b"MOTION") {
            let word = String::from_utf8_lossy(word).into_owned();
            return Err(lines.wrong(format!("`{word}` is where `ROOT` or `MOTION` should be")));
        }
        let stated = head(lines, "Frames")?;
        let written = head(lines, "Frame Time")?;
        if !lines.rest_of_line().is_empty() {
            return Err(lines.wrong("frames begin on a line of their own"));
        }
        motion.frame_time = frame_time(written, options, findings);
        motion.frames_of(lines, budget)?;
        let found = motion.frames();
        if stated != Some(found as f64) {
            let stated =
                stated.map_or("does not say how many".to_owned(), |stated| format!("speaks of {stated}"));
            let message = format!("it {stated}, and has {found}, which were read");
            findings.push(Finding::new(&findings::BVH_FRAMES, "motion", message));
        }
        Ok(motion)
    }

    fn frames_of(&mut self, lines: &mut Lines<'_>, budget: &Budget<'_>) -> Result<(), Cause> {
        // A number and the space behind it take two bytes at least, whatever the file says of itself.
        let most = lines.rest().len() / 2 + 1;
        let breaks = lines.rest().iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count();
        let most = most.min((breaks + 1).saturating_mul(self.width));
        budget.list::<f32>(most)?;
        self.values.reserve_exact(most);
        while let Some(line) = lines.line() {
            let before = self.values.len();
            let text = std::str::from_utf8(line).map_err(|_| lines.wrong("it is not text"))?;
            for number in floats(text) {
                let number = number.map_err(|bad| lines.wrong(format!("`{}` is not a number", bad.word)))?;
                if !(number as f32).is_finite() {
                    return Err(lines.wrong(format!("{number} is not finite")));
                }
                if self.values.len() - before < self.width {
                    self.values.push(number as f32);
                } else {
                    let channels = plural(self.width, "channel", "channels");
                    return Err(lines.wrong(format!("a frame has more numbers than the {channels}")));
                }
            }
            let found = self.values.len() - before;
            if found < self.width {
                let message = format!(
                    "a frame has {} for {}",
                    plural(found, "number", "numbers"),
                    plural(self.width, "channel", "channels")
                );
                return Err(lines.wrong(message));
            }
        }
        self.values.shrink_to_fit();
        Ok(())
    }

    /// How many frames there are.
    pub(super) fn frames(&self) -> usize {
        self.values.len().checked_div(self.width).unwrap_or(0)
    }

    /// The numbers of a frame, from that of a channel on.
    pub(super) fn frame(&self, frame: usize, first: usize) -> &[f32] {
        let start = frame * self.width;
        self.values.get(start + first..start + self.width).unwrap_or_default()
    }

    /// When a frame is shown.
    pub(super) fn time(&self, frame: usize) -> f64 {
        frame as f64 * self.frame_time
    }
}

/// The number behind words that may end in a colon; none if another line follows.
fn head(lines: &mut Lines<'_>, words: &str) -> Result<Option<f64>, Cause> {
    let all = words.split(' ');
    for (index, word) in all.enumerate() {
        let found = lines.take(word) || lines.take(&format!("{word}:"));
        match (found, index) {
            (true, _) => {}
            (false, 0) => return Ok(None),
            (false, _) => return Err(lines.wrong(format!("there is no `{words}: `"))),
        }
    }
    lines.take(":");
    lines.number(&format!("`{words}`")).map(Some)
}

/// Frames a second where a file does not say.
const USUAL_RATE: f64 = 30.0;

/// Seconds that a frame can take: what is outside was not meant.
const FRAME_TIMES: std::ops::RangeInclusive<f64> = 1e-4..=10.0;

fn frame_time(written: Option<f64>, options: &Options, findings: &mut Vec<Finding>) -> f64 {
    if let Given::Value(rate) = options.bvh_rate {
        return 1.0 / rate;
    }
    match written.filter(|time| FRAME_TIMES.contains(time)) {
        Some(time) => time,
        None => {
            let found =
                written.map_or("no frame time".to_owned(), |time| format!("a frame time of {time} s"));
            let message = format!("it has {found}; {USUAL_RATE} frames a second were taken");
            findings.push(Finding::new(&findings::BVH_RATE, "motion", message));
            1.0 / USUAL_RATE
        }
    }
}
