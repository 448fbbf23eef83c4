//! A page of Markdown as the transcripts in it.

use crate::expect;
use std::ops::Range;

/// A page and the commands it shows.
pub(crate) struct Page<'a> {
    lines: Vec<&'a str>,
    pub(crate) steps: Vec<Step>,
}

/// One command of a transcript, and what the page says it does.
pub(crate) struct Step {
    pub(crate) command: String,
    /// The exit status that the page gives.
    status: i32,
    /// The output that the page shows.
    shown: Vec<String>,
    /// The page's line of the command, counted from 1.
    line: usize,
    /// The page's lines, counted from 0, that tell status and output.
    outcome: Range<usize>,
}

/// What a command really did.
pub(crate) struct Actual {
    /// None where a signal ended it.
    pub(crate) status: Option<i32>,
    pub(crate) lines: Vec<String>,
}

impl<'a> Page<'a> {
    /// Finds the transcripts in a page.
    ///
    /// # Errors
    /// A text that opens with the line's number, where a transcript is not well formed.
    pub(crate) fn parse(text: &'a str) -> Result<Page<'a>, String> {
        let lines: Vec<&str> = text.lines().collect();
        let mut steps = Vec::new();
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            at += 1;
            let Some((fence, language)) = opening_fence(line) else {
                if line.trim_start().starts_with("```console") {
                    return Err(format!("{at}: a transcript is not indented, or it would not be run"));
                }
                continue;
            };
            if language != "console" && language.starts_with("console") {
                return Err(format!(
                    "{at}: `{language}` is not run: say `console`, or `text` for what is no transcript"
                ));
            }
            let closes = |line: &&str| line.trim_end() == fence;
            let Some(length) = lines[at..].iter().position(closes) else {
                return Err(format!("{at}: this block is never closed"));
            };
            if language == "console" {
                parse_block(&lines, at..at + length, &mut steps)?;
            }
            at += length + 1;
        }
        Ok(Page { lines, steps })
    }

    /// The page's text with the real outcome of each command; what held is left as it is.
    pub(crate) fn bless(&self, actual: &[Actual]) -> String {
        let mut text: Vec<String> = self.lines.iter().map(|line| (*line).to_owned()).collect();
        // From the end, so that the lines before keep their numbers.
        for (step, actual) in self.steps.iter().zip(actual).rev() {
            if !step.holds(actual) {
                text.splice(step.outcome.clone(), step.blessed(actual));
            }
        }
        text.join("\n") + "\n"
    }
}

impl Step {
    fn holds(&self, actual: &Actual) -> bool {
        actual.status == Some(self.status) && expect::lines_match(&self.shown, &actual.lines)
    }

    fn blessed(&self, actual: &Actual) -> Vec<String> {
        let status = actual.status.unwrap_or_else(|| panic!("`{}` was ended by a signal", self.command));
        let status = (status != 0).then(|| format!("? {status}"));
        status.into_iter().chain(expect::bless(&self.shown, &actual.lines)).collect()
    }

    /// What is wrong about this step of the named page, if it does not hold.
    pub(crate) fn complaint(&self, actual: &Actual, page: &str) -> Option<String> {
        if self.holds(actual) {
            return None;
        }
        let status = actual.status.map_or("a signal".into(), |status| status.to_string());
        Some(format!(
            "{page}:{}: $ {}\n--- the page shows (exit {})\n{}\n--- it really does (exit {status})\n{}",
            self.line,
            self.command,
            self.status,
            self.shown.join("\n"),
            actual.lines.join("\n"),
        ))
    }
}

/// The fence that opens a block, and the first word after it.
fn opening_fence(line: &str) -> Option<(&str, &str)> {
    let ticks = line.len() - line.trim_start_matches('`').len();
    let (fence, info) = line.split_at(ticks);
    (ticks >= 3).then(|| (fence, info.split_whitespace().next().unwrap_or_default()))
}

/// Reads the steps of the transcript in these lines of the page.
fn parse_block(lines: &[&str], block: Range<usize>, steps: &mut Vec<Step>) -> Result<(), String> {
    let mut at = block.start;
    while at < block.end {
        let Some(command) = lines[at].strip_prefix("$ ") else {
            return Err(format!("{}: a transcript starts with `$ ` and a command", at + 1));
        };
        let line = at + 1;
        at += 1;
        let mut command = command.to_owned();
        while let Some(more) = lines[at..block.end].first().and_then(|line| line.strip_prefix("> ")) {
            command = command + "\n" + more;
            at += 1;
        }
        let start = at;
        let rest = &lines[at..block.end];
        at += rest.iter().position(|line| line.starts_with("$ ")).unwrap_or(rest.len());

        let mut shown = &lines[start..at];
        let mut status = 0;
        if let Some(given) = shown.first().and_then(|line| line.strip_prefix("? ")) {
            status = given
                .trim()
                .parse()
                .map_err(|_| format!("{}: `? ` must be followed by an exit status", start + 1))?;
            shown = &shown[1..];
        }
        let shown = shown.iter().map(|line| (*line).to_owned()).collect();
        steps.push(Step { command, status, shown, line, outcome: start..at });
    }
    Ok(())
}
