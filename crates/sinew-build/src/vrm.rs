//! What a VRM says beside its model, where a format has no place for it.

use sinew::{Finding, Kind};
use sinew_findings::plural;
use sinew_import::SourceInfo;

/// That it is left out, if the character was read from a VRM.
pub(crate) fn left_out(kind: &'static Kind, source: &SourceInfo) -> Option<Finding> {
    let vrm = source.vrm.as_deref()?;
    let expressions = plural(vrm.expressions.len(), "expression", "expressions");
    let message = format!("{} and {expressions} are left out", plural(vrm.roles.len(), "role", "roles"));
    Some(Finding::new(kind, "the file", message))
}
