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
    MACHINE_UNREACHABLE: "machine.unreachable-state", Warning,
        "a state that is never entered",
        "No transition that can be taken leads from the start of the layer to this state, or no state runs this machine. What it plays is never seen.",
        "Add a transition to it, correct the names in the ones that there are, or remove it.";
    MACHINE_NEVER_TAKEN: "machine.never-taken", Warning,
        "a transition that is never taken",
        "The condition of the transition cannot hold, its state ends before its time, or one that comes before it is always taken instead.",
        "Correct its condition, move it before the one that is taken instead, or remove it.";
    MACHINE_CLIP_MISSING: "machine.missing-clip", Warning,
        "the character lacks a clip of the machine",
        "A state, or a point of a blend space, names a clip that the character has neither as tag nor as name. The state plays nothing and is over at once; the point is left out.",
        "Give one of the character's clips that tag, or correct the name in the machine.";
    MACHINE_JOINT_MISSING: "machine.missing-joint", Warning,
        "the character lacks a joint of a mask",
        "The mask of a layer names a joint that the character does not have. The joint is left out of the mask.",
        "Correct the name in the machine.";
}
