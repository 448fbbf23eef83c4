//! Which findings are causes, and in which order they are reported.

use super::report::Consequence;
use crate::criteria::{CAUSES, Cause};
use sinew::Finding;
use std::cmp::Reverse;

/// A finding and where it belongs.
pub(super) struct Observed {
    /// Number of the file: 0 is the character's.
    pub(super) file: usize,
    /// Number of the clip in its file, if it is about one clip.
    pub(super) clip: Option<usize>,
    pub(super) finding: Finding,
}

/// Separates the findings that another explains, and sorts the rest: errors first, then by likelihood as the catalogue
/// has it, then by how far the threshold is exceeded.
pub(super) fn rank(observed: Vec<Observed>) -> (Vec<Finding>, Vec<Consequence>) {
    let causes: Vec<_> = observed.iter().map(|o| cause(o, &observed)).collect();
    let (mut findings, mut consequences) = (Vec::new(), Vec::new());
    for (observed, cause) in observed.into_iter().zip(causes) {
        match cause {
            Some(cause) => consequences.push(Consequence { finding: observed.finding, cause }),
            None => findings.push(observed.finding),
        }
    }
    findings.sort_by(|a, b| order(a).cmp(&order(b)).then(size(b).total_cmp(&size(a))));
    consequences.sort_by_key(|c| order(&c.finding));
    (findings, consequences)
}

fn cause(observed: &Observed, all: &[Observed]) -> Option<&'static str> {
    let concerns = |cause: &Cause, other: &Observed| {
        let clip = other.clip.is_none() || observed.clip.is_none() || other.clip == observed.clip;
        other.finding.id() == cause.kind.id && (cause.across_files || other.file == observed.file && clip)
    };
    let explains = |cause: &&Cause| cause.explains.iter().any(|kind| kind.id == observed.finding.id());
    let cause = CAUSES.iter().filter(explains).find(|cause| all.iter().any(|other| concerns(cause, other)));
    cause.map(|cause| cause.kind.id)
}

/// By severity, then by the order of the catalogue, in which this crate's kinds come before those of importers.
fn order(finding: &Finding) -> (Reverse<sinew::Severity>, usize) {
    let position = sinew_findings::catalogue::all().position(|kind| kind.id == finding.id());
    (Reverse(finding.severity()), position.unwrap_or(usize::MAX))
}

fn size(finding: &Finding) -> f64 {
    finding.measured.map_or(0.0, f64::abs)
}
