//! What merging and `doctor` report. Among kinds of one severity, the likelier cause stands first.
//!
//! Lengths are measured on a figure scaled to 1.8 m, so that a mouse and a giant are judged alike.

use crate::{Kind, Severity};

catalogue! {
    NO_MATCHING_JOINTS: "clip.no-matching-joints", Error,
        "a clip that moves no joint of the character",
        "Clips are matched to the character by joint name, without prefixes such as `mixamorig:`. Not one channel of this clip has a name that the character knows, so it was made for another skeleton and was left out.",
        "Check that the file belongs to this character. A clip of another humanoid can be carried over with `sinew retarget`; else rename its joints or export the clip on the character's own skeleton.";
    AMBIGUOUS_JOINTS: "clip.ambiguous-joints", Error,
        "a channel that could mean several joints",
        "A name of the clip fits several joints of the character, or several names of the clip fit one joint. Choosing would be a guess, so no clip of the file was taken.",
        "Rename the joints so that each name is there once, in character and clip alike.";
    SPACE_DIFFERS: "clip.space-differs", Error,
        "character and clip in different spaces",
        "The files were imported with their own axes and units, and those differ. The clip's numbers mean something else on the character.",
        "Import both files in canonical space.";
    CLIP_UNREADABLE: "clip.unreadable", Error,
        "a clip that could not be loaded",
        "The clip lies in a file of its own, which could not be read.",
        "See the message for the file and what is wrong with it.";
    POSE_NOT_FINITE: "pose.not-finite", Error,
        "a pose with infinite or NaN matrices",
        "The keys are finite, but multiplied down the hierarchy they exceed what a 32-bit float can hold: model matrices are infinite or NaN, and what hangs on these joints cannot be drawn. Scales of 1e20 on nested joints do that, or values of a damaged file.",
        "Look at the scales and translations of the joint that is named and of those above it, correct them and export again.";
    UNIT_MISMATCH: "clip.unit-mismatch", Error, from 30.0, in "×",
        "translation keys in another unit",
        "The clip puts joints many times farther from their parents, or nearer, than the character's rest does. A factor of 100 is centimetres against metres: the file declares one unit and holds keys in the other, or a scale of 100 stands on a node that only one of the files has.",
        "Export the clip again with the unit that the character has, and apply scales on parent nodes before.";
    AXIS_MISMATCH: "clip.axis-mismatch", Warning, from 75.0, in "°",
        "a root turned by 90° throughout",
        "In every frame the figure lies at a right angle to its rest although it does not lie on the ground. The clip's keys were made for another up axis than the file declares, or a node that turns the skeleton (an `Armature`) is in only one of the files.",
        "Export the clip with the up axis of the character, from the same scene. A clip that swims or flies may be meant so.";
    CHANNELS_UNMATCHED: "clip.channels-unmatched", Warning, from 10.0, in "%",
        "channels without a joint",
        "Some joints that the clip moves are not in the character. Their motion is lost, and joints of the character that should have it stay at rest.",
        "Compare the names in the table of channels. Rename joints, or ignore this if the extra joints are props, cameras or controls.";
    FIRST_KEY_FAR: "clip.first-key-far-from-rest", Warning, from 150.0, in "°",
        "a limb bent back against its rest",
        "The first frame swings a limb by more than a joint of a body can bend. Ordinary poses stay well below, whatever the rest; pre-rotations applied twice or a clip for a skeleton with other joint axes turn upper legs by 180°.",
        "Export clip and character from the same rig. If another tool wrote the clip, check how it treats pre-rotation and joint orientation.";
    BIND_MISMATCH: "skin.bind-mismatch", Warning, from 1.1, in "×",
        "bones of another length at bind than at rest",
        "Bones had another length when the skin was bound than they have at rest. A pose cannot change lengths: skeleton and skin were scaled apart, and the mesh is stretched or shrunk in every frame.",
        "Apply scales on skeleton and mesh, bind the skin again and export.";
    UNWEIGHTED: "skin.unweighted-vertices", Warning, from 1.0, in "vertices",
        "vertices that hang on no joint",
        "Vertices of a skinned mesh have no weight at all. They stay where they were bound while the rest of the mesh moves away.",
        "Paint weights for them, or bind the skin again.";
    NORMALS_INWARDS: "mesh.normals-inwards", Warning, from 50.0, in "%",
        "a surface that points inwards",
        "Most of the mesh's normals point to the backs of its faces, or most of its closed parts are inside out. It is lit from the wrong side, and programs that leave out backs draw its far side only. Mirroring by a negative scale and exporting with flipped normals do that. Outlines and rooms are inside out on purpose.",
        "Recalculate normals to the outside in the authoring tool and export again.";
    BONE_STRETCH: "clip.bone-stretch", Warning, from 25.0, in "%",
        "a bone that changes its length",
        "Translation or scale keys below the root make a bone longer and shorter during the clip, by this share of its shortest length. Bodies do not do that; keys from a figure of other proportions, or translations baked from constraints, do.",
        "Export rotations only for joints below the root. If the stretch is meant, as in a cartoon, ignore this.";
    MOVES_NOTHING: "clip.moves-nothing", Warning, in "mm",
        "a clip in which nothing moves",
        "Over the whole clip no joint moves by a tenth of a millimetre and no scalar changes. Its keys are constant, or the channels that move were not matched.",
        "Check that the right take was exported and that animation was baked.";
    LOOP_SEAM: "clip.loop-seam", Warning, from 20.0, in "mm",
        "a loop that jumps",
        "Most joints of the clip end as they begin, so it is meant to loop; but something ends elsewhere and jumps when the loop starts again. Travel over the ground is not counted, and clips whose name says that they happen once (as in Jump, Land or Faint) are left alone.",
        "Make the last frame equal to the first. If the exporter left the last frame out, export one frame more.";
    LOOP_SPEED: "clip.loop-speed", Warning, from 180.0, in "°/s",
        "a loop with a jerk",
        "The pose closes, but a joint turns at another speed at the end than at the beginning, by more than anywhere else in the clip: the motion jerks where the loop starts again.",
        "Give first and last key of that joint the same tangent.";
    FOOT_SLIDE: "clip.foot-slide", Warning, from 80.0, in "mm",
        "a foot that slides while it stands",
        "While a foot is on the ground it moves over it. The figure travels faster or slower than its feet step: the root was scaled by itself, or the clip was made for legs of another length. Of a clip made in place the ground is taken to move as the standing feet do on average. Only loops are looked at.",
        "Scale the travel of the root with the legs, or let the game move the figure at the clip's own ground speed, which `sinew contacts` says. Feet of a moonwalk are meant to slide.";
    NEGATIVE_SCALE: "skeleton.negative-scale", Warning, in "×",
        "a joint with a negative scale",
        "A negative scale turns the joint's vertices inside out, and mirrors rotations of everything below it. Tools disagree on which axis carries the sign.",
        "Freeze transforms on the mirrored part and bind the skin again.";
    DUPLICATE_NAMES: "skeleton.duplicate-names", Warning, from 2.0, in "joints",
        "joints of one name",
        "Several joints have one name. Clips of this file play all the same, but a channel of another file that has this name could mean each of them and will be refused.",
        "Rename the joints so that each name is there once.";
    JOINTS_OVER_256: "skeleton.joints-over-256", Warning, from 257.0, in "joints",
        "more joints than most engines take",
        "Joints that carry vertices, with those above them, are more than a byte can number. Many engines keep joint indices in bytes.",
        "Remove joints that are not seen, or split the mesh.";
    JOINTS_OVER_72: "skeleton.joints-over-72", Note, from 73.0, in "joints",
        "more joints than MonoGame takes",
        "Joints that carry vertices, with those above them, are more than MonoGame's `SkinnedEffect` has room for (72).",
        "Nothing needs to be done unless the character is for MonoGame; then remove joints, fingers first.";
    TRAVELLING_ROOT: "clip.travelling-root", Note, from 20.0, in "mm",
        "a loop that travels",
        "The clip ends in the pose in which it begins, but elsewhere on the ground. Played in a loop as it is, the figure snaps back.",
        "Play it with root motion extracted, so that the game moves the figure, or in place.";
    REST_DIFFERS: "skin.rest-differs-from-bind", Note, from 10.0, in "mm",
        "a rest that is not the bind",
        "At rest, vertices are away from where they were bound: the file was saved in a pose. That shows before the first clip plays, and where a clip moves only some joints.",
        "Nothing needs to be done if clips move all joints; else save the file in its bind pose.";
    NON_UNIFORM_SCALE: "skeleton.non-uniform-scale", Note, from 1.05, in "×",
        "a scale that differs from axis to axis",
        "A joint is scaled unevenly, at rest or in a clip. What turns below it is sheared, which tools treat in different ways, and normals bend.",
        "Freeze the scale, if it is not meant to squash and stretch.";
    CLIP_EMPTY: "clip.empty", Note,
        "a clip without channels",
        "The clip has no keys at all. It was left out.",
        "Nothing needs to be done.";
    NAME_TAKEN: "clip.name-taken", Note,
        "clips of one name",
        "Another clip has this name already, so the later one was named after its file or got a number.",
        "Give the files or takes names of their own.";
}
