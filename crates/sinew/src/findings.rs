//! The kinds of [`Finding`](crate::Finding) that this crate reports.

use crate::{Kind, Severity};

/// Every kind of this crate.
pub static ALL: &[&Kind] = &[&TAG_TAKEN, &BONE_MAP_UNKNOWN, &BONE_MAP_UNMATCHED];

/// A second clip with a tag that another clip has.
pub static TAG_TAKEN: Kind = Kind {
    id: "clip.tag-taken",
    severity: Severity::Warning,
    title: "two clips have one tag",
    explanation: "A tag (Idle, Walk) names one clip. The first clip of the tag has it; this one cannot be played by a tag. \
        Sources often hold several takes of one movement whose names match the same pattern.",
    hint: "give the clip a tag of its own by hand, or a more specific pattern in the tag table",
    threshold: None,
    unit: "",
};

/// A bone map that speaks of a joint that is not there.
pub static BONE_MAP_UNKNOWN: Kind = Kind {
    id: "bone-map.unknown-joint",
    severity: Severity::Warning,
    title: "the bone map names a joint that is not there",
    explanation: "An entry of the bone map names a source joint that the lending skeleton does not have, or a target joint \
        that the borrowing one does not have or has more than once. The entry does nothing.",
    hint: "correct the name in the bone map, or remove the entry",
    threshold: None,
    unit: "",
};

/// Joints of the lender that move nothing.
pub static BONE_MAP_UNMATCHED: Kind = Kind {
    id: "bone-map.unmatched",
    severity: Severity::Note,
    title: "joints without a counterpart",
    explanation: "Clips are lent joint by joint. These joints of the lending skeleton have no counterpart in the borrowing one, \
        so what moves them is left out of borrowed clips.",
    hint: "if the character misses a movement, add the joints to the bone map",
    threshold: None,
    unit: "",
};
