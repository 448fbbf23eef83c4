//! Reads the output of `cargo test`, line by line.
//!
//! Cargo prints the name of each suite (a test program, or the doc tests of a crate); the suite prints its tests and, at the end,
//! a line of counts. A test that cannot run prints `SINEW-SKIP: <test>: <why>` and returns: its suite counts it as
//! passed, so it is subtracted from that count.

use super::report::{Report, Skip};
use std::collections::BTreeSet;

/// The start of a line about a skipped test.
const SKIP: &str = "SINEW-SKIP: ";

/// The output read so far.
#[derive(Default)]
pub(crate) struct TestOutput {
    suite: Suite,
    report: Report,
}

/// A test program or the doc tests of a crate, while its output is read.
#[derive(Default)]
struct Suite {
    name: String,
    /// Its tests have started, and their counts have not been printed yet.
    running: bool,
    /// The tests that printed a skip line.
    skips: Vec<Skip>,
    /// The tests marked `#[ignore]`.
    ignored: Vec<Skip>,
    /// The names under the last heading `failures:`. An earlier one is followed by the output of failed tests, not by names.
    failures: BTreeSet<String>,
    in_failures: bool,
}

impl TestOutput {
    pub(crate) fn read(&mut self, line: &str) {
        if let Some(name) = suite_name(line) {
            self.close_unfinished();
            self.suite.name = name;
        } else if starts_batch(line) {
            self.close_unfinished();
            self.suite.running = true;
        } else if let Some(counts) = Counts::parse(line) {
            self.close(&counts);
        } else {
            self.suite.read(line);
        }
    }

    /// The report on a run of `cargo test` that has ended.
    pub(crate) fn finish(mut self, stage: &str, success: bool) -> Report {
        self.close_unfinished();
        if !success && !self.report.has_failures() {
            self.report.fail(format!("{stage}: did not build or stopped early"));
        }
        self.report
    }

    /// Adds the tests of a batch to the report. The suite stays current: doc tests come in several batches.
    fn close(&mut self, counts: &Counts) {
        let name = self.suite.name.clone();
        let suite = std::mem::replace(&mut self.suite, Suite { name, ..Suite::default() });

        // A test that fails after its skip line has failed.
        let (_, skips): (Vec<Skip>, Vec<Skip>) =
            suite.skips.iter().cloned().partition(|skip| suite.failures.contains(&skip.test));
        self.report.pass_many(counts.passed.saturating_sub(skips.len()));

        let failures = suite.failures.iter().map(String::as_str).chain(std::iter::repeat("a test"));
        for test in failures.take(counts.failed) {
            self.report.fail(suite.of(test));
        }
        let unnamed = Skip { test: "a test".into(), reasons: vec!["marked #[ignore]".into()] };
        let ignored = suite.ignored.iter().cloned().chain(std::iter::repeat(unnamed));
        for skip in skips.into_iter().chain(ignored.take(counts.ignored)) {
            self.report.skip(Skip { test: suite.of(&skip.test), ..skip });
        }
    }

    /// A suite that has printed no counts has crashed.
    fn close_unfinished(&mut self) {
        let suite = std::mem::take(&mut self.suite);
        if suite.running {
            self.report.fail(suite.of("stopped before its tests were done"));
        }
        self.suite.name = suite.name;
    }
}

impl Suite {
    fn read(&mut self, line: &str) {
        if let Some(skip) = parse_skip(line) {
            self.skipped(skip);
        } else if let Some(skip) = parse_ignored(line) {
            self.ignored.push(skip);
        } else if line == "failures:" {
            self.failures.clear();
            self.in_failures = true;
        } else if self.in_failures && line.starts_with("    ") {
            self.failures.insert(line.trim().to_owned());
        }
    }

    fn skipped(&mut self, new: Skip) {
        match self.skips.iter_mut().find(|skip| skip.test == new.test) {
            Some(known) => known.reasons.extend(new.reasons),
            None => self.skips.push(new),
        }
    }

    fn of(&self, test: &str) -> String {
        if self.name.is_empty() { test.to_owned() } else { format!("{}: {test}", self.name) }
    }
}

/// The suite that a line of cargo names: `Running unittests src/lib.rs (target/debug/deps/sinew-<hash>)` or
/// `Doc-tests sinew`.
fn suite_name(line: &str) -> Option<String> {
    let line = line.strip_prefix("   ")?.trim_start();
    if let Some(package) = line.strip_prefix("Doc-tests ") {
        return Some(format!("doc tests of {package}"));
    }
    let (_, program) = line.strip_prefix("Running ")?.strip_suffix(')')?.rsplit_once('(')?;
    let file = program.rsplit(['/', '\\']).next()?;
    let name = file.strip_suffix(".exe").unwrap_or(file);
    Some(name.rsplit_once('-').map_or(name, |(name, _hash)| name).to_owned())
}

/// Whether the line is `running 3 tests`, the start of a batch of tests.
fn starts_batch(line: &str) -> bool {
    let count = line
        .strip_prefix("running ")
        .and_then(|rest| rest.strip_suffix(" tests").or_else(|| rest.strip_suffix(" test")));
    count.is_some_and(|count| count.parse::<usize>().is_ok())
}

/// `SINEW-SKIP: <test>: <why>`. With a single test thread, the name of the test comes before it on the same line.
fn parse_skip(line: &str) -> Option<Skip> {
    let (before, message) = line.split_once(SKIP)?;
    let after_a_name = before.starts_with("test ") && before.ends_with(" ... ");
    if !before.is_empty() && !after_a_name {
        return None;
    }
    let (test, reasons) = match message.split_once(": ") {
        Some((test, why)) => (test, vec![why.trim().to_owned()]),
        None => (message, Vec::new()),
    };
    Some(Skip { test: test.trim().to_owned(), reasons })
}

/// `test <name> ... ignored`, with or without a reason after a comma.
fn parse_ignored(line: &str) -> Option<Skip> {
    let (test, why) = line.strip_prefix("test ")?.rsplit_once(" ... ignored")?;
    let why = match why.strip_prefix(", ") {
        Some(why) => why,
        None if why.is_empty() => "marked #[ignore]",
        None => return None,
    };
    Some(Skip { test: test.to_owned(), reasons: vec![why.to_owned()] })
}

/// The last line of a batch: `test result: ok. 3 passed; 0 failed; 1 ignored; ...`.
struct Counts {
    passed: usize,
    failed: usize,
    ignored: usize,
}

impl Counts {
    fn parse(line: &str) -> Option<Counts> {
        let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
        let count = |word: &str| {
            let mut fields = counts.split("; ").filter_map(|field| field.split_once(' '));
            fields.find(|(_, name)| *name == word)?.0.parse().ok()
        };
        Some(Counts { passed: count("passed")?, failed: count("failed")?, ignored: count("ignored")? })
    }
}

#[cfg(test)]
mod tests;
