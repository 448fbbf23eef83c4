//! Cameras and lights, which a character does not have.

use sinew::{Finding, Kind};
use sinew_findings::plural;

/// Says how many a file has.
pub(crate) fn report(kind: &'static Kind, cameras: usize, lights: usize, findings: &mut Vec<Finding>) {
    for (count, one, many) in [(cameras, "camera was", "cameras were"), (lights, "light was", "lights were")]
    {
        if count > 0 {
            let message = format!("its {} left out", plural(count, one, many));
            findings.push(Finding::new(kind, "the file", message).count(count));
        }
    }
}
