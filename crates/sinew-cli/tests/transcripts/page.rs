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
    /// The page's lines, counted from 0, that show the output.
    output: Range<usize>,
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
            let Some((fence, language, attributes)) = opening_fence(line) else {
                if line.trim_start().starts_with("```console") {
                    return Err(format!("{at}: a transcript is not indented, or it would not be run"));
                }
                continue;
            };
            if language != "console" && language.starts_with("console") {
                return Err(format!(
                    "{at}: `{language}` is not run: use `console`, or `text` for a block that is not a transcript"
                ));
            }
            let closes = |line: &&str| line.trim_end() == fence;
            let Some(length) = lines[at..].iter().position(closes) else {
                return Err(format!("{at}: this block is never closed"));
            };
            if language == "console" {
                let status = exit_status(attributes)
                    .ok_or_else(|| format!("{at}: `{attributes}` is not an exit status: use `exit-N`"))?;
                parse_block(&lines, at..at + length, status, &mut steps)?;
            }
            at += length + 1;
        }
        Ok(Page { lines, steps })
    }

    /// The page's text with the real output of each command; output that matches is left unchanged.
    pub(crate) fn bless(&self, actual: &[Actual]) -> String {
        let mut text: Vec<String> = self.lines.iter().map(|line| (*line).to_owned()).collect();
        // From the end, so that the lines before keep their numbers.
        for (step, actual) in self.steps.iter().zip(actual).rev() {
            if !expect::lines_match(&step.shown, &actual.lines) {
                text.splice(step.output.clone(), expect::bless(&step.shown, &actual.lines));
            }
        }
        text.join("\n") + "\n"
    }
}

impl Step {
    /// Whether the command ended with the status that the page gives.
    pub(crate) fn has_status(&self, actual: &Actual) -> bool {
        actual.status == Some(self.status)
    }

    /// How this step of the named page differs from what the command did, if it does.
    pub(crate) fn complaint(&self, actual: &Actual, page: &str) -> Option<String> {
        if self.has_status(actual) && expect::lines_match(&self.shown, &actual.lines) {
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

/// The fence that opens a block, the first word after it, and the rest of the line.
fn opening_fence(line: &str) -> Option<(&str, &str, &str)> {
    let ticks = line.len() - line.trim_start_matches('`').len();
    let (fence, info) = line.split_at(ticks);
    let (language, attributes) = info.trim().split_once(' ').unwrap_or((info.trim(), ""));
    (ticks >= 3).then_some((fence, language, attributes))
}

/// The exit status that `exit-N` gives; 0 without it.
fn exit_status(attributes: &str) -> Option<i32> {
    if attributes.is_empty() { Some(0) } else { attributes.strip_prefix("exit-")?.parse().ok() }
}

/// Reads the steps of the transcript in these lines of the page.
fn parse_block(
    lines: &[&str],
    block: Range<usize>,
    status: i32,
    steps: &mut Vec<Step>,
) -> Result<(), String> {
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

        let shown = lines[start..at].iter().map(|line| (*line).to_owned()).collect();
        steps.push(Step { command, status, shown, line, output: start..at });
    }
    Ok(())
}
