//! Bits for everything that moves: what a clip needs, and what that makes at a given error.

use crate::axes::principal;
use crate::figure::{Figure, Reach};
use crate::grid::Sampled;
use crate::room::Room;
use sinew::glam::{DQuat, DVec3};
use sinew::{Keys, LANES, Skeleton};

/// A joint whose stored rotation comes nearer to half a turn than this (as the fourth component of its quaternion) is stored as four numbers.
const NARROW: f64 = 0.35;

/// Widest number in bits.
const WIDEST: u32 = 24;

/// How far a scalar may be off: morph weights run from 0 to 1.
pub(crate) const SCALAR: f64 = 2e-4;

/// A number at every frame.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    pub(crate) index: u16,
    pub(crate) component: u8,
    pub(crate) values: Vec<f64>,
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Tolerance for an error of one.
    weight: f64,
    /// What it is without animation.
    rest: f64,
}

impl Series {
    fn new(index: u16, component: u8, values: Vec<f64>, weight: f64, rest: f64) -> Self {
        let (low, high) = range(&values);
        Self { index, component, values, low, high, weight, rest }
    }

    fn tolerance(&self, error: f64) -> f64 {
        self.weight * error
    }

    pub(crate) fn bits(&self, error: f64) -> u32 {
        bits(self.high - self.low, self.tolerance(error))
    }

    /// Its one value, where it does not move by more than the tolerance, and whether that is the rest.
    pub(crate) fn still(&self, error: f64) -> Option<(f64, bool)> {
        if self.rest.is_nan() {
            return None;
        }
        let tolerance = self.tolerance(error);
        if self.high - self.low > 2.0 * tolerance {
            return None;
        }
        let middle = (self.low + self.high) / 2.0;
        let is_rest = (middle - self.rest).abs() <= tolerance * 0.25;
        Some((if is_rest { self.rest } else { middle }, is_rest))
    }
}

fn range(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::MAX, f64::MIN), |(low, high), &v| (low.min(v), high.max(v)))
}

/// Bits for a range in steps of twice the tolerance.
fn bits(range: f64, tolerance: f64) -> u32 {
    if range <= 2.0 * tolerance {
        return 0;
    }
    let steps = range / (2.0 * tolerance) + 1.0;
    (1..WIDEST).find(|&bits| f64::from(1u32 << bits) >= steps).unwrap_or(WIDEST)
}

/// The rotation of one joint, relative to its mean and along its principal axes.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    /// The mean and the principal axes as the file holds them.
    pub(crate) turns: [[i16; 4]; 2],
    /// What stands before and after the stored rotation.
    around: [DQuat; 2],
    pub(crate) low: DVec3,
    pub(crate) high: DVec3,
    weight: f64,
    /// The value if it does not turn.
    constant: DQuat,
    rest: DQuat,
}

impl Turn {
    pub(crate) fn bits(&self, error: f64) -> [u32; 3] {
        let tolerance = self.weight * error;
        [0, 1, 2].map(|c| bits(self.high[c] - self.low[c], tolerance))
    }

    pub(crate) fn is_still(&self, error: f64) -> bool {
        self.bits(error) == [0; 3]
    }

    /// Its one value, and as the file holds it unless that is the rest.
    pub(crate) fn constant(&self, error: f64) -> (DQuat, Option<[f32; 4]>) {
        let off = self.rest.conjugate() * self.constant;
        let tolerance = self.weight * error * 0.25;
        if DVec3::new(off.x, off.y, off.z).length() <= tolerance {
            return (self.rest, None);
        }
        (self.constant, Some(self.constant.to_array().map(|c| c as f32)))
    }

    /// What comes back of a rotation in model space below another: `store` gets what is to be stored of it and returns what is.
    #[inline]
    pub(crate) fn decoded(&self, above: DQuat, wanted: DQuat, store: impl FnOnce(DVec3) -> DVec3) -> DQuat {
        let [before, after] = self.around;
        let before = above * before;
        let relative = positive(before.conjugate() * wanted * after.conjugate());
        before * with_w(store(DVec3::new(relative.x, relative.y, relative.z))) * after
    }
}

/// Everything of a clip that goes into frames.
pub(crate) struct Prepared<'a> {
    pub(crate) parents: &'a [u16],
    pub(crate) shells: &'a [f64],
    pub(crate) sampled: &'a Sampled,
    /// By joint.
    pub(crate) turns: Vec<Option<Turn>>,
    /// Joints whose rotations are among the numbers.
    pub(crate) wide: Vec<u16>,
    pub(crate) numbers: Vec<Series>,
    pub(crate) scalars: Vec<Series>,
}

impl<'a> Prepared<'a> {
    /// `smooth` are the tracks that frames can hold. Also returns what is left of the room for it; `None` if it needs more than that.
    pub(crate) fn new(
        skeleton: &'a Skeleton,
        figure: &'a Figure,
        smooth: &Keys,
        sampled: &'a Sampled,
        reach: &Reach,
        mut room: Room,
    ) -> Option<(Self, Room)> {
        let frames = sampled.grid.count();
        let mut series = |count: usize| {
            room = room.without(frames, count * size_of::<f64>())?;
            Some(())
        };
        let mut prepared = Self {
            parents: skeleton.parents(),
            shells: &figure.shells,
            sampled,
            turns: vec![None; skeleton.len()],
            wide: Vec::new(),
            numbers: Vec::new(),
            scalars: Vec::new(),
        };
        let third = 1.0 / 3f64.sqrt();
        for tracks in smooth.joints() {
            let (joint, parts) = (usize::from(tracks.joint), tracks.parts());
            let rest = skeleton.rest().get(joint);
            let column = |pick: &dyn Fn(&crate::Local) -> f64| {
                sampled.joints.iter().map(|pose| pick(&pose[joint])).collect()
            };
            if parts.rotation {
                let weight = 0.5 / reach.far[joint];
                let is_wide = prepared.add_rotation(tracks.joint, rest.rotation.as_dquat(), sampled, weight);
                series(if is_wide { 4 } else { 0 })?;
            }
            series(if parts.translation { 3 } else { 0 } + if parts.scale { 3 } else { 0 })?;
            for c in 0..3 {
                if parts.translation {
                    let weight = third / reach.above[joint];
                    let values = column(&|local| local.translation[c]);
                    prepared.numbers.push(Series::new(
                        tracks.joint,
                        c as u8,
                        values,
                        weight,
                        rest.translation[c].into(),
                    ));
                }
                if parts.scale {
                    let weight = third / reach.far[joint];
                    let values = column(&|local| local.scale[c]);
                    prepared.numbers.push(Series::new(
                        tracks.joint,
                        7 + c as u8,
                        values,
                        weight,
                        rest.scale[c].into(),
                    ));
                }
            }
        }
        for scalar in smooth.scalars() {
            let at = usize::from(scalar.scalar);
            let values = sampled.scalars.iter().map(|scalars| scalars[at]).collect();
            let rest = skeleton.rest().scalars()[at];
            series(1)?;
            prepared.scalars.push(Series::new(scalar.scalar, 0, values, 1.0, rest.into()));
        }
        Some((prepared, room))
    }

    /// Returns whether the joint is a wide one, whose rotation is among the numbers.
    fn add_rotation(&mut self, joint: u16, rest: DQuat, sampled: &Sampled, weight: f64) -> bool {
        let mut rotations: Vec<DQuat> =
            sampled.joints.iter().map(|pose| pose[usize::from(joint)].rotation).collect();
        for i in 1..rotations.len() {
            if rotations[i].dot(rotations[i - 1]) < 0.0 {
                rotations[i] = -rotations[i];
            }
        }
        let mean = mean(&rotations);
        let relative = |before: DQuat, after: DQuat| {
            let around = (before.conjugate(), after.conjugate());
            rotations.iter().map(move |&q| positive(around.0 * q * around.1)).collect::<Vec<DQuat>>()
        };
        let plain = relative(mean, DQuat::IDENTITY);
        let narrowest = plain.iter().fold(1f64, |least, q| least.min(q.w));
        if narrowest < NARROW {
            self.wide.push(joint);
            for c in 0..4 {
                let values = rotations.iter().map(|q| q.to_array()[c]).collect();
                let series = Series::new(joint, 3 + c as u8, values, weight * 0.5, f64::NAN);
                self.numbers.push(series);
            }
            return true;
        }
        let points: Vec<DVec3> = plain.iter().map(|q| DVec3::new(q.x, q.y, q.z)).collect();
        let (mean, axes) = (stored(mean), stored(principal(&points)));
        let (before, after) = (from_stored(mean) * from_stored(axes), from_stored(axes).conjugate());
        let values: Vec<DVec3> = relative(before, after).iter().map(|q| DVec3::new(q.x, q.y, q.z)).collect();
        let least = values.iter().fold(DVec3::MAX, |least, v| least.min(*v));
        let most = values.iter().fold(DVec3::MIN, |most, v| most.max(*v));
        let middle = (least + most) / 2.0;
        self.turns[usize::from(joint)] = Some(Turn {
            turns: [mean, axes],
            around: [before, after],
            low: least,
            high: most,
            weight: weight / 3f64.sqrt() * narrowest,
            constant: (before * with_w(middle) * after).normalize(),
            rest: rest.normalize(),
        });
        false
    }

    /// Bits that each joint needs for its rotation.
    pub(crate) fn joint_bits(&self, error: f64) -> Vec<f64> {
        let need = |turn: &Option<Turn>| turn.as_ref().map_or(0, |turn| turn.bits(error).iter().sum());
        self.turns.iter().map(need).map(f64::from).collect()
    }

    /// Groups of eight numbers that move, those of like width together, with the width of each group.
    pub(crate) fn groups(series: &[Series], error: f64) -> Vec<(u32, Vec<&Series>)> {
        // All four components of a rotation are stored, also one that does not move.
        let is_wide = |s: &Series| (3..7).contains(&s.component);
        let mut moving: Vec<(u32, &Series)> = series
            .iter()
            .map(|s| (s.bits(error).max(u32::from(is_wide(s))), s))
            .filter(|(bits, _)| *bits > 0)
            .collect();
        moving.sort_by_key(|(bits, _)| std::cmp::Reverse(*bits));
        moving.chunks(LANES).map(|group| (group[0].0, group.iter().map(|(_, s)| *s).collect())).collect()
    }
}

fn positive(q: DQuat) -> DQuat {
    if q.w < 0.0 { -q } else { q }
}

/// The unit quaternion with these components and w above zero.
fn with_w(v: DVec3) -> DQuat {
    DQuat::from_xyzw(v.x, v.y, v.z, (1.0 - v.length_squared()).max(0.0).sqrt())
}

fn mean(rotations: &[DQuat]) -> DQuat {
    let zero = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    let sum = rotations.iter().fold(zero, |sum, &q| if sum.dot(q) < 0.0 { sum - q } else { sum + q });
    if sum.length() > 1e-3 { sum.normalize() } else { rotations[0] }
}

/// A quaternion as the file holds it: of any length, the largest component at full scale.
fn stored(q: DQuat) -> [i16; 4] {
    let largest = q.to_array().iter().fold(0f64, |most, c| most.max(c.abs()));
    q.to_array().map(|c| (c / largest * 32767.0).round() as i16)
}

fn from_stored(q: [i16; 4]) -> DQuat {
    let [x, y, z, w] = q.map(f64::from);
    DQuat::from_xyzw(x, y, z, w).normalize()
}
