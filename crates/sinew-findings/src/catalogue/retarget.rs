//! What retargeting reports.

use crate::{Kind, Severity};

catalogue! {
    RESIDUAL: "retarget.residual", Warning, from 20.0, in "%",
        "two figures of very different build",
        "The rests of source and target are laid over one another by a turn and by the ratio of the lengths of the legs. Joints of trunk and legs are then still far apart: the proportions differ much, or a joint has the wrong role.",
        "Look at the roles of both characters with `sinew map`, and correct them in a bone map. If they are right, expect hands and feet to miss what they touch.";
    ROLE_MISSING: "retarget.role-missing", Note,
        "a role that only one of the characters has",
        "Source and target follow one another by roles such as `leftFoot`. A joint of the target whose role no joint of the source has keeps its rest below its parent; what moves a joint of the source whose role the target lacks reaches it only through the joints below.",
        "If the character has such a joint, list it in a bone map.";
    ROLE_REFUSED: "retarget.role-refused", Warning,
        "a role that several joints could have",
        "By names, tree and rest several joints fit a role equally well, or the joint of that name hangs elsewhere. Choosing would be a guess, so none has the role.",
        "List the joint in a bone map, as in `\"Foot.L\" = \"leftFoot\"`.";
    HANGING_REST: "retarget.hanging-rest", Note,
        "a rest that does not stand on the ground",
        "The feet at rest are far from height zero, as in motion capture, whose rest has the hips at the origin. Heights are counted as if the rest stood on the ground.",
        "Nothing, if the figure walks on the ground; else move the rest up or down before exporting.";
    LEANING_REST: "retarget.leaning-rest", Note, from 20.0, in "degrees",
        "a rest whose trunk leans",
        "The line from hip joints to shoulders is this far from upright at rest, as in a file whose rest is a frame of a run. Up is taken from the space of the file, so the motion is not tilted; trunk and head, whose rests are taken as alike, lean less or more than the source's by that much.",
        "Take a file whose rest stands upright, if there is one.";
    ADDED_FRAME: "retarget.added-frame", Note,
        "a first frame that belongs to no motion",
        "The first frame of the clip is the rest or nearly so, and the second is far from it: a T-pose that was put in front of motion capture. It is left out, and the clip begins with the second frame.",
        "Nothing. The source keeps the frame.";
    TRANSLATION_LEFT_OUT: "retarget.translation-left-out", Note, from 2.0, in "%",
        "joints that move away from their parents",
        "Limbs of the target keep their own lengths, so of translations only those of the hips are taken. Joints of the source also move away from their parents, by this much of the character's size.",
        "Nothing, as a rule. A rig that moves by translation, as one with inverse kinematics does, must be baked to rotations before exporting.";
    FEET_NOT_LOCKED: "retarget.feet-not-locked", Warning,
        "feet that were to be locked and are not",
        "Feet of the clip stand, but far above or below the ground on which the target stands at rest, or the legs of the target were not found. Moving the whole figure by that much would be a guess, so the feet are where the transfer puts them.",
        "Move the motion, or the rest of the character, up or down until both stand on the same ground, or leave `--lock-feet` away.";
    SCALE_LEFT_OUT: "retarget.scale-left-out", Note, from 1.0, in "%",
        "scales that are not taken over",
        "The clip scales joints. Scales are left out of retargeted clips.",
        "Nothing, unless the motion depends on stretching.";
}
