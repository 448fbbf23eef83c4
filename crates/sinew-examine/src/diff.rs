//! How far two characters, or two builds of one, are apart: joint by joint, clip by clip.
//!
//! Joints are matched by their places in the hierarchy if all have their like, else by name as in [merging](sinew_import::merge()), clips by name; where each character has a single clip, the two are
//! compared whatever their names are. Compared are the positions of each joint and of three points beside it, since a hand with only a wrong
//! rotation has its wrist in the right place.

use crate::doctor::rest::RestPose;
use glam::Vec3;
use sinew::AmbiguousNames;
use sinew::{
    Character, Clip, ClipError, ClipErrorKind, JointMap, Mat3x4, NO_JOINT, Sampling, Skeleton, TextList, job,
};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// The longest side at rest, in metres, of a character for which the lengths below hold. For other sizes they are scaled.
const REFERENCE_SIZE: f32 = 1.8;
/// From a joint to the points beside it, in metres.
const BESIDE: f32 = 0.03;
/// Largest difference of a build from its source, in millimetres.
const BUDGET: f32 = 0.1;
/// No more times than this are sampled.
const MOST_TIMES: f64 = 20_000.0;

/// Why two characters could not be compared.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DiffError {
    /// No joint of one has the name of a joint of the other.
    #[error(
        "`{a}` and `{b}` have no joint in common (`{first_a}` against `{first_b}`): compare characters of one skeleton"
    )]
    NoJoints {
        /// Name of the first character.
        a: String,
        /// Name of the second character.
        b: String,
        /// First joint of the first character.
        first_a: String,
        /// First joint of the second character.
        first_b: String,
    },
    /// One of them has no joints.
    #[error("`{character}` has no joints to compare")]
    Empty {
        /// Its name.
        character: String,
    },
    /// A joint that a clip moves matches several of the other character's.
    #[error("{0}; rename the joints so that each name is there once")]
    Ambiguous(#[from] AmbiguousNames),
    /// The clip that is to be compared is in the first only.
    #[error("`{b}` has no clip `{clip}` to compare it with")]
    NoClip {
        /// Name of the clip.
        clip: String,
        /// Name of the second character.
        b: String,
    },
    /// A clip cannot be loaded.
    #[error(transparent)]
    Clip(#[from] ClipError),
}

/// What only one of the two has.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Unmatched {
    /// Names of joints.
    pub joints: Vec<String>,
    /// Names of clips.
    pub clips: Vec<String>,
}

impl Unmatched {
    /// Whether there are neither joints nor clips.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty() && self.clips.is_empty()
    }
}

/// Distances over time: of a clip, or of the rest pose, which is a single time.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name of the clip; `None` for the rest pose.
    pub clip: Option<String>,
    /// Durations of the clip in the two characters, in seconds. The shorter one holds its last frame while the other continues.
    pub durations: [f32; 2],
    /// The sampled times, in seconds.
    pub times: Vec<f64>,
    /// Millimetres, by joint (in the order of [`Diff::joints`]) and time.
    pub distances: Vec<Vec<f32>>,
}

/// The largest distance of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worst {
    /// Place of the joint in [`Diff::joints`].
    pub joint: usize,
    /// When, in seconds.
    pub time: f64,
    /// How far, in millimetres.
    pub distance: f32,
}

impl Series {
    /// Whether the two durations are equal to within a millisecond.
    pub fn is_of_one_length(&self) -> bool {
        (self.durations[0] - self.durations[1]).abs() <= 1e-3
    }

    /// The largest distance; of equal ones the first.
    pub fn worst(&self) -> Option<Worst> {
        let of_joint = |(joint, row): (usize, &Vec<f32>)| {
            let (at, distance) = largest(row.iter().copied())?;
            Some(Worst { joint, time: *self.times.get(at)?, distance })
        };
        let all: Vec<Worst> = self.distances.iter().enumerate().filter_map(of_joint).collect();
        largest(all.iter().map(|worst| worst.distance)).map(|(index, _)| all[index])
    }
}

/// How far two characters are apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Diff {
    /// Joints that both have, as the first character calls them.
    pub joints: Vec<String>,
    /// The rest pose, then the clips that both have, in the order of the first character.
    pub series: Vec<Series>,
    /// What only the first has, and only the second.
    pub unmatched: [Unmatched; 2],
    /// Millimetres that a build of the first character may differ from its source: 0.1 for a character of 1.8 m.
    pub budget: f32,
}

impl Diff {
    /// The largest distance of all, and the series that it is in.
    pub fn worst(&self) -> Option<(&Series, Worst)> {
        let all: Vec<_> = self.series.iter().filter_map(|s| Some((s, s.worst()?))).collect();
        largest(all.iter().map(|(_, worst)| worst.distance)).map(|(index, _)| all[index])
    }

    /// Whether both have the same joints and clips, clips have equal durations, and no distance exceeds this many millimetres.
    pub fn is_within(&self, millimetres: f32) -> bool {
        self.unmatched.iter().all(Unmatched::is_empty)
            && self.series.iter().all(Series::is_of_one_length)
            && self.worst().is_none_or(|(_, worst)| worst.distance <= millimetres)
    }
}

/// Compares two characters, with `rate` samples per second: all their clips, or `only` one, by its index in the first.
pub fn diff(a: &Character, b: &Character, only: Option<usize>, rate: f64) -> Result<Diff, DiffError> {
    let (mut pairs, mut unmatched_clips) = pair_clips(a, b);
    if let Some(only) = only {
        pairs.retain(|(clip, _)| *clip == only);
        if pairs.is_empty() {
            let clip = a.clips().names().nth(only).unwrap_or_default().to_owned();
            return Err(DiffError::NoClip { clip, b: b.name().to_owned() });
        }
        unmatched_clips = Default::default();
    }
    let clips = pairs.into_iter().map(|(of_a, of_b)| Ok([a.clips().get(of_a)?, b.clips().get(of_b)?]));
    let clips = clips.collect::<Result<Vec<_>, ClipError>>()?;
    let (sides, unmatched_joints) = sides(a, b, &clips)?;
    let mut series = vec![compare_rest(&sides)];
    for pair in &clips {
        series.push(compare(&sides, pair, rate)?);
    }
    let [joints_a, joints_b] = unmatched_joints;
    let [clips_a, clips_b] = unmatched_clips;
    Ok(Diff {
        joints: sides[0].joints.iter().map(|&joint| a.skeleton().name(joint).to_owned()).collect(),
        series,
        unmatched: [
            Unmatched { joints: joints_a, clips: clips_a },
            Unmatched { joints: joints_b, clips: clips_b },
        ],
        budget: BUDGET * sides[0].longest_side / REFERENCE_SIZE,
    })
}

/// One of the two characters.
struct Side<'a> {
    character: &'a Character,
    /// The joints that both have, in one order for both.
    joints: Vec<u16>,
    /// Lengths of the joints' axes at rest. Dividing by them ignores a unit that a skeleton has as a scale.
    axes: Vec<Vec3>,
    rest: &'a [Mat3x4],
    unit: f32,
    /// Longest side at rest, in metres.
    longest_side: f32,
}

/// The two characters with the joints that both have, and the names of the other joints of each.
fn sides<'a>(
    a: &'a Character,
    b: &'a Character,
    clips: &[[Arc<Clip>; 2]],
) -> Result<([Side<'a>; 2], [Vec<String>; 2]), DiffError> {
    let (names_a, names_b) = (a.skeleton().names(), b.skeleton().names());
    if let Some(empty) = [a, b].into_iter().find(|character| character.skeleton().is_empty()) {
        return Err(DiffError::Empty { character: empty.name().to_owned() });
    }
    let pairs = match by_place(a.skeleton(), b.skeleton()) {
        Some(pairs) => pairs,
        None => by_name(a, b, clips)?,
    };
    if pairs.is_empty() {
        let first = |names: &TextList| names.get(0).unwrap_or_default().to_owned();
        return Err(DiffError::NoJoints {
            a: a.name().to_owned(),
            b: b.name().to_owned(),
            first_a: first(names_a),
            first_b: first(names_b),
        });
    }
    let (of_a, of_b): (Vec<u16>, Vec<u16>) = pairs.into_iter().unzip();
    let left = |names: &TextList, taken: &[u16]| -> Vec<String> {
        let own = (0u16..).zip(names.iter()).filter(|(joint, _)| !taken.contains(joint));
        own.map(|(_, name)| name.to_owned()).collect()
    };
    let unmatched = [left(names_a, &of_a), left(names_b, &of_b)];
    Ok(([Side::new(a, of_a), Side::new(b, of_b)], unmatched))
}

/// Pairs of joints that have one name below parents that are a pair, those of one name in their order: what two files of one character have, also where names are
/// not unique. `None` unless every joint has its pair.
fn by_place(a: &Skeleton, b: &Skeleton) -> Option<Vec<(u16, u16)>> {
    let mut places: HashMap<(u16, &str), VecDeque<u16>> = HashMap::new();
    for (joint, &parent) in (0u16..).zip(b.parents()) {
        places.entry((parent, b.name(joint))).or_default().push_back(joint);
    }
    let mut pairs: Vec<(u16, u16)> = Vec::with_capacity(a.len());
    for (joint, &parent) in (0u16..).zip(a.parents()) {
        let parent = if parent == NO_JOINT { NO_JOINT } else { pairs.get(usize::from(parent))?.1 };
        pairs.push((joint, places.get_mut(&(parent, a.name(joint)))?.pop_front()?));
    }
    (a.len() == b.len()).then_some(pairs)
}

fn by_name(a: &Character, b: &Character, clips: &[[Arc<Clip>; 2]]) -> Result<Vec<(u16, u16)>, DiffError> {
    let of = |side: usize| clips.iter().map(move |pair| &*pair[side]);
    let map = JointMap::whole(a.skeleton(), b.skeleton(), of(0))?;
    // Joints that only the second character's clips move must not be ambiguous either.
    JointMap::for_clips(b.skeleton(), a.skeleton(), of(1))?;
    let joints = 0..a.skeleton().len() as u16;
    Ok(joints.filter_map(|joint| Some((joint, map.joint(joint)?))).collect())
}

impl<'a> Side<'a> {
    fn new(character: &'a Character, joints: Vec<u16>) -> Self {
        let at_rest = RestPose::of(character);
        let lengths = |joint: &u16| {
            let m = at_rest.models[usize::from(*joint)].matrix3();
            let length = |axis: Vec3| if axis.length() > 1e-12 { axis.length() } else { 1.0 };
            Vec3::new(length(m.x_axis), length(m.y_axis), length(m.z_axis))
        };
        let unit = character.space().unit_meters;
        Self {
            axes: joints.iter().map(lengths).collect(),
            joints,
            unit,
            longest_side: at_rest.longest_side * unit,
            rest: at_rest.models,
            character,
        }
    }

    /// A joint's place and three points beside it, in metres.
    fn points(&self, number: usize, model: &[Mat3x4], beside: f32) -> [Vec3; 4] {
        let matrix = &model[usize::from(self.joints[number])];
        let (at, m, length) = (matrix.translation() * self.unit, matrix.matrix3(), self.axes[number]);
        let point = |axis: Vec3, length: f32| at + axis * (beside / length);
        [at, point(m.x_axis, length.x), point(m.y_axis, length.y), point(m.z_axis, length.z)]
    }

    fn model_at(&self, clip: &Clip, time: f64, out: &mut [Mat3x4]) -> Result<(), ClipError> {
        let skeleton = self.character.skeleton();
        let mut pose = skeleton.rest().clone();
        job::sample(skeleton, clip, time.min(clip.duration().into()), Sampling::Interpolate, &mut pose)
            .and_then(|()| job::local_to_model(skeleton.hierarchy(), pose.blocks(), &Mat3x4::IDENTITY, out))
            .map_err(|error| ClipError::new(ClipErrorKind::DoesNotFit, clip.name(), error.to_string()))
    }
}

/// Millimetres between the two, by joint.
fn distances<'a>(
    sides: &'a [Side<'_>; 2],
    model_a: &'a [Mat3x4],
    model_b: &'a [Mat3x4],
) -> impl Iterator<Item = f32> + 'a {
    let beside = BESIDE * sides[0].longest_side / REFERENCE_SIZE;
    (0..sides[0].joints.len()).map(move |number| {
        let (a, b) = (sides[0].points(number, model_a, beside), sides[1].points(number, model_b, beside));
        let far = a.iter().zip(b).map(|(a, b)| a.distance(b) * 1e3);
        // NaN counts as infinitely far.
        far.fold(0.0, |most, d| if d.is_nan() { f32::INFINITY } else { d.max(most) })
    })
}

fn compare_rest(sides: &[Side<'_>; 2]) -> Series {
    let apart = distances(sides, sides[0].rest, sides[1].rest);
    Series { clip: None, durations: [0.0; 2], times: vec![0.0], distances: apart.map(|d| vec![d]).collect() }
}

fn compare(sides: &[Side<'_>; 2], clips: &[Arc<Clip>; 2], rate: f64) -> Result<Series, ClipError> {
    let durations = [clips[0].duration(), clips[1].duration()];
    let length = f64::from(durations[0].max(durations[1]));
    let steps = (length * rate.max(1.0)).ceil().clamp(1.0, MOST_TIMES);
    let times: Vec<f64> = (0..=steps as u32).map(|i| length * f64::from(i) / steps).collect();
    let mut models = [sides[0].rest.to_vec(), sides[1].rest.to_vec()];
    let mut rows = vec![Vec::with_capacity(times.len()); sides[0].joints.len()];
    for &time in &times {
        for ((side, clip), model) in sides.iter().zip(clips).zip(&mut models) {
            side.model_at(clip, time, model)?;
        }
        for (row, distance) in rows.iter_mut().zip(distances(sides, &models[0], &models[1])) {
            row.push(distance);
        }
    }
    Ok(Series { clip: Some(clips[0].name().to_owned()), durations, times, distances: rows })
}

/// Index pairs of the clips that both have, and the names of those that only one has.
fn pair_clips(a: &Character, b: &Character) -> (Vec<(usize, usize)>, [Vec<String>; 2]) {
    let (clips_a, clips_b) = (a.clips(), b.clips());
    if clips_a.len() == 1 && clips_b.len() == 1 {
        return (vec![(0, 0)], [vec![], vec![]]);
    }
    let mut pairs = Vec::new();
    let mut missed = [vec![], vec![]];
    for (index, name) in clips_a.names().enumerate() {
        match clips_b.find(name) {
            Some(other) => pairs.push((index, other)),
            None => missed[0].push(name.to_owned()),
        }
    }
    let taken = |index: usize| pairs.iter().any(|&(_, other)| other == index);
    missed[1] =
        clips_b.names().enumerate().filter(|(i, _)| !taken(*i)).map(|(_, name)| name.to_owned()).collect();
    (pairs, missed)
}

fn largest(values: impl Iterator<Item = f32>) -> Option<(usize, f32)> {
    values.enumerate().fold(None, |best: Option<(usize, f32)>, (index, value)| match best {
        Some((_, most)) if most >= value => best,
        _ => Some((index, value)),
    })
}

#[cfg(test)]
mod tests;
