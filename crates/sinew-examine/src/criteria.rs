//! The numbers that the checks of [`doctor`](crate::doctor) go by, beside the thresholds of the kinds, and which finding explains which: this
//! file and the tables in `docs/doctor.md` are one.

use sinew::Kind;
use sinew_findings::catalogue::examine::*;
use sinew_findings::catalogue::import::SKIN_SLOTS;

/// One of the numbers that say what a check looks at, beside the thresholds of the kinds.
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
    FIGURE: LOOP_SEAM, 1.8 "m", "size that a figure is scaled to before millimetres are measured: the longest side of its box at rest";
    REACH: LOOP_SEAM, 100.0 "mm", "distance from a joint of the points whose motion stands for what the joint carries";
    SAMPLES: LOOP_SPEED, 30.0 "/s", "times a second at which clips are looked at";
    STILL: MOVES_NOTHING, 0.1 "mm", "motion of a point, from its place in the first frame, below which nothing moves";
    POSE: MOVES_NOTHING, 0.05 "s", "duration up to which a clip is a pose, which is not meant to move";
    STILL_SCALAR: MOVES_NOTHING, 0.001 "", "change of a scalar below which nothing moves";
    BONE: UNIT_MISMATCH, 2.0 "%", "of the figure: distance from the parent from which a joint's translation counts as a length";
    UPRIGHT_AGAIN: AXIS_MISMATCH, 105.0 "°", "tilt of the body from which it is no longer a right angle";
    STEADY: AXIS_MISMATCH, 20.0 "°", "most that the tilt may change during the clip";
    STANDING: AXIS_MISMATCH, 60.0 "%", "of its height at rest: height of the body's root from which it does not lie on the ground";
    SWAPPED: AXIS_MISMATCH, 40.0 "%", "of its height at rest: distance of the body's root, in the first frame, from its rest place turned by the same right angle, up to which its translation was turned along";
    BODY: AXIS_MISMATCH, 90.0 "%", "of the moving joints: share that must hang on a joint for it to be the body's root";
    LEFT_AT_REST: CHANNELS_UNMATCHED, 10.0 "%", "of the character's joints with vertices: share that a file must leave at rest for its unmatched channels to be missed";
    LIMB: FIRST_KEY_FAR, 10.0 "%", "of the figure: reach below a joint from which it is a limb, and no finger or prop";
    STRETCHING: BONE_STRETCH, 5.0 "%", "of the figure: length from which a bone counts";
    TURNING: LOOP_SEAM, 1.0 "°", "range of rotation during the clip from which a joint counts as moving";
    CLOSED: LOOP_SEAM, 3.0 "°", "difference of first and last rotation up to which a joint closes; also one and a half times its fastest step, up to two fifths of its range";
    TURNED: LOOP_SEAM, 20.0 "°", "turn of the body about the vertical from first to last frame from which it turns on purpose";
    LOOPS: LOOP_SEAM, 75.0 "%", "of the moving joints: share that must close for the clip to be meant to loop";
    HIDDEN: NON_UNIFORM_SCALE, 0.001 "×", "scale up to which a joint is hidden on purpose";
    JERK: LOOP_SPEED, 2.0 "×", "the largest change of speed within the clip: what the change at the seam must exceed";
}

/// A finding that brings others with it.
#[derive(Debug, PartialEq)]
pub struct Cause {
    /// What is to be mended.
    pub kind: &'static Kind,
    /// What needs no attention before that is done.
    pub explains: &'static [&'static Kind],
    /// Whether it explains findings of other files too, and not only those of the same clip (or, where one of the two is
    /// about no clip, the same file).
    pub across_files: bool,
}

/// What follows from what.
pub static CAUSES: &[Cause] = &[
    cause(&UNIT_MISMATCH, &[&AXIS_MISMATCH, &BONE_STRETCH, &LOOP_SEAM, &TRAVELLING_ROOT]),
    cause(&AXIS_MISMATCH, &[&FIRST_KEY_FAR, &LOOP_SEAM, &TRAVELLING_ROOT]),
    cause(&CHANNELS_UNMATCHED, &[&MOVES_NOTHING]),
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
