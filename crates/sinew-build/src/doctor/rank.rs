//! Which findings are causes, and in which order they are told.

use super::report::Consequence;
use crate::findings::{
    ALL, AMBIGUOUS_JOINTS, AXIS_MISMATCH, BIND_MISMATCH, BONE_STRETCH, CHANNELS_UNMATCHED, DUPLICATE_NAMES,
    FIRST_KEY_FAR, JOINTS_OVER_72, JOINTS_OVER_256, LOOP_SEAM, LOOP_SPEED, MOVES_NOTHING, REST_DIFFERS,
    TRAVELLING_ROOT, UNIT_MISMATCH, UNWEIGHTED,
};
use sinew::{Finding, Kind};
use std::cmp::Reverse;

/// A finding and where it belongs.
pub(super) struct Observed {
    /// Number of the file: 0 is the character's.
    pub(super) file: usize,
    /// Number of the clip in its file, if it is about one clip.
    pub(super) clip: Option<usize>,
    pub(super) finding: Finding,
}

/// Each cause with what it brings about, in the same clip or, where a side is about no clip, the same file.
const WITHIN_FILE: &[(&Kind, &[&Kind])] = &[
    (&UNIT_MISMATCH, &[&AXIS_MISMATCH, &BONE_STRETCH, &LOOP_SEAM, &TRAVELLING_ROOT]),
    (&AXIS_MISMATCH, &[&FIRST_KEY_FAR, &LOOP_SEAM, &TRAVELLING_ROOT]),
    (&CHANNELS_UNMATCHED, &[&MOVES_NOTHING]),
    (&BONE_STRETCH, &[&LOOP_SEAM]),
    (&LOOP_SEAM, &[&LOOP_SPEED]),
    (&BIND_MISMATCH, &[&REST_DIFFERS]),
    (&JOINTS_OVER_256, &[&JOINTS_OVER_72]),
    (&sinew_import::findings::SKIN_SLOTS, &[&UNWEIGHTED]),
];

/// Causes of what is found in another file.
const ACROSS_FILES: &[(&Kind, &[&Kind])] = &[(&AMBIGUOUS_JOINTS, &[&DUPLICATE_NAMES])];

/// Takes out what follows from something else, and puts the rest in order: errors first, then by likelihood as the catalogue
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
    let brings = |(_, consequences): &&(&Kind, &[&Kind])| {
        consequences.iter().any(|kind| kind.id == observed.finding.id())
    };
    let is = |kind: &Kind, other: &Observed| other.finding.id() == kind.id;
    let same_clip = |other: &&Observed| {
        let clip = other.clip.is_none() || observed.clip.is_none() || other.clip == observed.clip;
        other.file == observed.file && clip
    };
    let within =
        WITHIN_FILE.iter().filter(brings).find(|(kind, _)| all.iter().filter(same_clip).any(|o| is(kind, o)));
    let across = ACROSS_FILES.iter().filter(brings).find(|(kind, _)| all.iter().any(|o| is(kind, o)));
    within.or(across).map(|(kind, _)| kind.id)
}

/// Kinds of importers stand behind this crate's of the same severity, in their catalogue's order.
fn order(finding: &Finding) -> (Reverse<sinew::Severity>, usize) {
    let catalogue = ALL.iter().chain(sinew_import::findings::ALL);
    let position = catalogue.into_iter().position(|kind| kind.id == finding.id());
    (Reverse(finding.severity()), position.unwrap_or(usize::MAX))
}

fn size(finding: &Finding) -> f64 {
    finding.measured.map_or(0.0, f64::abs)
}
