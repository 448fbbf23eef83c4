//! The result of all checks.

use std::fmt;

/// A test that did not run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Skip {
    pub(crate) test: String,
    /// Why it did not run.
    pub(crate) reasons: Vec<String>,
}

impl Skip {
    /// Whether the missing corpus is the only reason.
    fn is_for_corpus(&self) -> bool {
        !self.reasons.is_empty() && self.reasons.iter().all(|reason| reason.to_lowercase().contains("corpus"))
    }
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.test, self.reasons.join("; "))
    }
}

/// Counts of checks, and the names of those that did not pass. Its text ends in `N passed, N failed, N skipped`.
#[derive(Default, PartialEq, Eq, Debug)]
pub(crate) struct Report {
    passed: usize,
    failed: Vec<String>,
    skipped: Vec<Skip>,
}

impl Report {
    pub(crate) fn pass(&mut self) {
        self.passed += 1;
    }

    pub(crate) fn pass_many(&mut self, count: usize) {
        self.passed += count;
    }

    pub(crate) fn fail(&mut self, what: String) {
        self.failed.push(what);
    }

    pub(crate) fn skip(&mut self, skip: Skip) {
        self.skipped.push(skip);
    }

    pub(crate) fn add(&mut self, other: Report) {
        self.passed += other.passed;
        self.failed.extend(other.failed);
        self.skipped.extend(other.skipped);
    }

    /// Turns skips into failures, except those for a missing corpus.
    pub(crate) fn forbid_skips(&mut self) {
        let (allowed, forbidden): (Vec<Skip>, Vec<Skip>) =
            self.skipped.drain(..).partition(Skip::is_for_corpus);
        self.skipped = allowed;
        self.failed.extend(forbidden.iter().map(|skip| format!("{skip} (skipped, but CI is set)")));
    }

    pub(crate) fn has_failures(&self) -> bool {
        !self.failed.is_empty()
    }

    pub(crate) fn is_success(&self) -> bool {
        !self.has_failures()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.skipped.is_empty() {
            writeln!(f, "Skipped:")?;
            for skip in &self.skipped {
                writeln!(f, "  {skip}")?;
            }
        }
        if !self.failed.is_empty() {
            writeln!(f, "Failed:")?;
            for what in &self.failed {
                writeln!(f, "  {what}")?;
            }
        }
        let (failed, skipped) = (self.failed.len(), self.skipped.len());
        write!(f, "{} passed, {failed} failed, {skipped} skipped", self.passed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skip(test: &str, reasons: &[&str]) -> Skip {
        Skip { test: test.into(), reasons: reasons.iter().map(|r| (*r).to_owned()).collect() }
    }

    #[test]
    fn skips_and_failures_are_listed_above_the_counts() {
        let mut report = Report::default();
        report.pass_many(2);
        report.pass();
        report.fail("clippy".into());
        report.skip(skip("poses", &["no corpus"]));
        assert_eq!(
            report.to_string(),
            "Skipped:\n  poses: no corpus\nFailed:\n  clippy\n3 passed, 1 failed, 1 skipped"
        );
        assert_eq!(Report::default().to_string(), "0 passed, 0 failed, 0 skipped");
    }

    #[test]
    fn only_the_corpus_may_be_skipped_when_skips_are_forbidden() {
        let mut report = Report::default();
        report.skip(skip("a", &["the corpus is not here (SINEW_CORPUS)"]));
        assert!(report.is_success());
        report.forbid_skips();
        assert!(report.is_success());

        report.skip(skip("b", &["no GPU"]));
        report.skip(skip("c", &["no corpus", "no GPU"]));
        report.skip(skip("d", &[]));
        report.forbid_skips();
        assert!(!report.is_success());
        let text = report.to_string();
        assert!(text.contains("  b: no GPU (skipped, but CI is set)"), "{text}");
        assert!(text.ends_with("0 passed, 3 failed, 1 skipped"), "{text}");
    }
}
