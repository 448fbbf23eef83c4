//! What the run time reports.

use crate::{Kind, Severity};

catalogue! {
    TAG_TAKEN: "clip.tag-taken", Warning,
        "two clips have one tag",
        "A tag (Idle, Walk) names one clip. The first clip of the tag has it; this one cannot be played by a tag. Sources often hold several takes of one movement whose names match the same pattern.",
        "Give the clip a tag of its own by hand, or a more specific pattern in the tag table.";
    BONE_MAP_UNKNOWN: "bone-map.unknown-joint", Warning,
        "the bone map names a joint that is not there",
        "An entry of the bone map names a source joint that the lending skeleton does not have, or a target joint that the borrowing one does not have. The entry does nothing.",
        "Correct the name in the bone map, or remove the entry.";
    BONE_MAP_UNMATCHED: "bone-map.unmatched", Note,
        "joints without a counterpart",
        "Clips are lent joint by joint. These joints of the lending skeleton have no counterpart in the borrowing one, so what moves them is left out of borrowed clips.",
        "If the character misses a movement, add the joints to the bone map.";
}
