//! The parameters of the checks of [`doctor`](crate::doctor), besides the thresholds of the kinds, and which finding explains which:
//! the tables in `docs/doctor.md` are generated from this file.

use sinew::Kind;
use sinew_findings::catalogue::examine::*;
use sinew_findings::catalogue::import::SKIN_SLOTS;

/// A parameter of a check, besides the threshold of its kind.
#[derive(Debug, PartialEq)]
pub struct Criterion {
    /// The check that uses it.
    pub kind: &'static Kind,
    /// The number.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
    /// What it decides.
    pub about: &'static str,
}

macro_rules! criteria {
    ($($name:ident: $kind:ident, $value:literal $unit:literal, $about:literal;)*) => {
        $(
            #[doc = concat!("`", stringify!($value), "` ", $unit, ": ", $about, ".")]
            pub static $name: Criterion = Criterion { kind: &$kind, value: $value, unit: $unit, about: $about };
        )*
        /// All criteria.
        pub static CRITERIA: &[&Criterion] = &[$(&$name),*];
    };
}

criteria! {
    REFERENCE_SIZE: LOOP_SEAM, 1.8 "m", "longest side of the bounding box at rest that a character is scaled to before millimetres are measured";
    REACH: LOOP_SEAM, 100.0 "mm", "distance from a joint of the points that are measured in place of the vertices around it";
    SAMPLES: LOOP_SPEED, 30.0 "/s", "samples per second";
    STILL: MOVES_NOTHING, 0.1 "mm", "distance of a point from its position in the first frame below which it does not move";
    POSE: MOVES_NOTHING, 0.05 "s", "duration up to which a clip counts as a pose, which need not move";
    STILL_SCALAR: MOVES_NOTHING, 0.001 "", "change of a scalar below which it does not move";
    BONE: UNIT_MISMATCH, 2.0 "%", "of the character's longest side: shortest distance from its parent at which a joint's translation is compared";
    UPRIGHT_AGAIN: AXIS_MISMATCH, 105.0 "°", "largest mean tilt of the body that counts as a right angle";
    STEADY: AXIS_MISMATCH, 20.0 "°", "largest change of the tilt during the clip";
    STANDING: AXIS_MISMATCH, 60.0 "%", "of the height at rest: mean height of the body's root from which the body does not lie on the ground";
    ROTATED_TOO: AXIS_MISMATCH, 40.0 "%", "of the height at rest: if the body's root in the first frame is at most this far from its rest position rotated like the body, the axes of its translation are swapped too, and the body is low for that reason";
    BODY: AXIS_MISMATCH, 90.0 "%", "of the rotating joints: share that must be at or below a joint for it to be the body's root";
    LEFT_AT_REST: CHANNELS_UNMATCHED, 10.0 "%", "of the character's joints with vertices: share that a file must leave at rest for its unmatched channels to be reported";
    LIMB: FIRST_KEY_FAR, 10.0 "%", "of the character's longest side: distance to the farthest descendant from which a joint is a limb, not a finger or prop";
    STRETCHING: BONE_STRETCH, 5.0 "%", "of the character's longest side: length from which a bone is checked";
    TURNING: LOOP_SEAM, 1.0 "°", "range of rotation during the clip from which a joint counts as moving";
    CLOSED: LOOP_SEAM, 3.0 "°", "difference of first and last rotation up to which a joint ends as it starts; more for fast joints: 1.5 times the largest change between frames, but at most 0.4 of the range";
    TURNED: LOOP_SEAM, 20.0 "°", "turn of the body about the vertical axis from first to last frame from which it is intended";
    LOOPS: LOOP_SEAM, 75.0 "%", "of the moving joints: share that must end as they start for the clip to count as a loop";
    LIFTED: FOOT_SLIDE, 4.0 "%", "of the character's longest side: how far a foot must be lifted in a clip for its slides to count, since one that is never lifted shuffles on purpose";
    GOING: FOOT_SLIDE, 10.0 "%/s", "of the character's longest side: speed over the ground from which the figure goes somewhere, so that its feet should not slide";
    HIDDEN: NON_UNIFORM_SCALE, 0.001 "×", "scale up to which a joint counts as hidden intentionally";
    CLOSED_SURFACE: NORMALS_INWARDS, 5.0 "%", "of the edges of a part of a mesh: share that may be open, or between faces of opposite winding, for the part to count as closed";
    OPENING: NORMALS_INWARDS, 20.0 "%", "of the area of a part of a mesh: square of the length of its open edges up to which it counts as closed";
    OUTWARD: NORMALS_INWARDS, 5.0 "%", "of the volume of a ball with the same surface: share from which a closed part has an inside";
    JERK: LOOP_SPEED, 2.0 "×", "the largest change of speed within the clip: the change at the seam is reported only above this";
}

/// A finding that causes others.
#[derive(Debug, PartialEq)]
pub struct Cause {
    /// The kind to be fixed.
    pub kind: &'static Kind,
    /// Kinds that need no attention before that is done.
    pub explains: &'static [&'static Kind],
    /// Whether it explains findings of other files too. Otherwise only those of the same clip, or of the same file if one of the two is
    /// not about a clip.
    pub across_files: bool,
}

/// Which kinds of findings explain which.
pub static CAUSES: &[Cause] = &[
    cause(&UNIT_MISMATCH, &[&AXIS_MISMATCH, &BONE_STRETCH, &FOOT_SLIDE, &LOOP_SEAM, &TRAVELLING_ROOT]),
    cause(&AXIS_MISMATCH, &[&FIRST_KEY_FAR, &FOOT_SLIDE, &LOOP_SEAM, &TRAVELLING_ROOT]),
    cause(&CHANNELS_UNMATCHED, &[&FOOT_SLIDE, &MOVES_NOTHING]),
    cause(&BIND_MISMATCH, &[&REST_DIFFERS]),
    cause(&SKIN_SLOTS, &[&UNWEIGHTED]),
    cause(&BONE_STRETCH, &[&LOOP_SEAM]),
    cause(&LOOP_SEAM, &[&LOOP_SPEED]),
    cause(&JOINTS_OVER_256, &[&JOINTS_OVER_72]),
    Cause { kind: &AMBIGUOUS_JOINTS, explains: &[&DUPLICATE_NAMES], across_files: true },
];

const fn cause(kind: &'static Kind, explains: &'static [&'static Kind]) -> Cause {
    Cause { kind, explains, across_files: false }
}

#[cfg(test)]
mod tests {
    use sinew_findings::catalogue::examine::ALL;

    #[test]
    fn the_severest_come_first() {
        assert!(ALL.is_sorted_by(|a, b| a.severity >= b.severity));
    }
}
