//! Findings as rows of a list, with the joint or clip they refer to.

use sinew::{Character, Finding, Severity};

/// A row of the list of findings.
#[derive(Clone, Debug, PartialEq)]
pub struct FindingRow {
    /// Severity.
    pub severity: Severity,
    /// Its id, as in `clip.no-matching-joints`.
    pub id: &'static str,
    /// Title of the finding.
    pub title: &'static str,
    /// File, clip, mesh or joint.
    pub place: String,
    /// Details.
    pub message: String,
    /// What to do.
    pub hint: &'static str,
    /// The joint that it refers to.
    pub joint: Option<u16>,
    /// The clip that it refers to.
    pub clip: Option<usize>,
}

impl FindingRow {
    /// The row of a finding about a character.
    pub fn new(finding: &Finding, character: &Character) -> Self {
        let joints = |text: &str| quoted(text).find_map(|name| character.skeleton().find_exact(name));
        // A place has the form `file: clip` or `file: joint`.
        let parts = || finding.place.split(": ").map(|part| part.trim_matches('`'));
        let joint = joints(&finding.message)
            .or_else(|| joints(&finding.place))
            .or_else(|| parts().find_map(|part| character.skeleton().find_exact(part)));
        let named = |name: &str| character.clips().names().position(|clip| clip == name);
        let clip = parts().skip(1).find_map(named).or_else(|| quoted(&finding.place).find_map(named));
        Self {
            severity: finding.severity(),
            id: finding.id(),
            title: finding.kind.title,
            place: finding.place.clone(),
            message: finding.message.clone(),
            hint: finding.kind.hint,
            joint,
            clip,
        }
    }
}

/// Texts between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::testing::character;
    use sinew_findings::catalogue::import::TEXTURE_MISSING;

    #[test]
    fn it_leads_to_the_joint_and_the_clip() {
        let row = |place: &str, message: &str| {
            let row = FindingRow::new(&Finding::new(&TEXTURE_MISSING, place, message), &character());
            (row.joint, row.clip)
        };
        assert_eq!(row("hero.fbx", "`nobody` is before `rig:Head`, and so are 3 more"), (Some(2), None));
        assert_eq!(row("walk.fbx: Walk", "`rig:Leg` is scaled"), (Some(3), Some(1)));
        assert_eq!(row("hero.fbx: rig:Spine", "not finite"), (Some(1), None));
        assert_eq!(row("hero.fbx: mesh `Body`", "5 vertices"), (None, None));
        assert_eq!(row("hero.fbx: take `Rise`", "odd ` tick"), (None, Some(0)));
    }
}
