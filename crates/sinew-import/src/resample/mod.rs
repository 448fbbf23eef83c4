//! Turns curves of any shape into keys that are read on straight lines and shortest arcs, within a tolerance at *any* time.
//!
//! Curves are sampled at the source's key times and a few times between (`sampled`), and keys placed by these samples (`fit`). The tolerance holds for the sum
//! of the errors along a chain of joints, so it is divided among them (`tolerance`): in each bin of time, joints whose curves bend more get
//! larger shares. Intervals are divided until they are within their share. At last the
//! error is measured in model space at times that were not used in the fit (`verify`), and refined where it fails.

#![allow(clippy::indexing_slicing, reason = "indices run over arrays made here, of lengths known here")]

mod fit;
mod interval;
mod knots;
mod sampled;
mod tolerance;
mod value;
mod verify;

use crate::decompose::Trs;
use crate::{Budget, Cause, Resample};
use fit::fit;
use rayon::prelude::*;
use sampled::Sampled;
use sinew::TrackError;
use sinew::{JointTracks, Track};

/// The side of a jump to evaluate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Just before the time.
    Before,
    /// At the time and just after it.
    After,
}

/// A time at which a curve has a key: between two of them the curve is smooth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Knot {
    /// Seconds from the start of the clip, exactly as in the source.
    pub time: f64,
    /// Whether the value may jump here.
    pub jump: bool,
}

#[cfg(test)]
impl Knot {
    /// A key at which the value does not jump.
    pub fn new(time: f64) -> Self {
        Self { time, jump: false }
    }
}

/// How one part of a joint (translation, rotation or scale) moves.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Curve {
    /// No curve moves it: it gets no track.
    #[default]
    Still,
    /// On straight lines (rotations: shortest arcs) between its keys, which are kept as they are.
    Linear(Vec<Knot>),
    /// In any way between its keys.
    Curved(Vec<Knot>),
}

impl Curve {
    pub(crate) fn knots(&self) -> &[Knot] {
        match self {
            Self::Still => &[],
            Self::Linear(knots) | Self::Curved(knots) => knots,
        }
    }
}

/// The curves of one joint.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct JointCurves {
    /// Index of the joint.
    pub joint: u16,
    /// Translation, rotation, scale.
    pub parts: [Curve; 3],
}

/// What is to be resampled.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Parents of all joints of the skeleton, [`sinew::NO_JOINT`] for a root; parents come first.
    pub parents: &'a [u16],
    /// Rest of all joints.
    pub rest: &'a [Trs],
    /// Length that the tolerance is relative to: the diagonal of the character at rest.
    pub diagonal: f64,
    /// Duration of the clip in seconds.
    pub duration: f32,
    /// The joints that move, in rising order.
    pub joints: &'a [JointCurves],
    /// Tolerance, or source keys only.
    pub mode: Resample,
    /// Counts the work and the keys.
    pub budget: &'a Budget<'a>,
}

/// The keys, and how well they follow the curves.
#[derive(Clone, Debug, PartialEq)]
pub struct Resampled {
    /// Tracks of the joints that move.
    pub tracks: Vec<JointTracks>,
    /// Largest error in model space that was measured, relative to the diagonal; zero where only source keys were asked for.
    pub error: f64,
}

/// Value of a joint at a time in seconds from the clip's start.
pub trait Evaluate: Fn(usize, f64, Side) -> Trs + Sync {}
impl<F: Fn(usize, f64, Side) -> Trs + Sync> Evaluate for F {}

/// Shares of the tolerance that the fit may use: the rest is for rounding to single precision.
const USABLE: f64 = 0.85;
/// Rounds of refinement where the measurement in model space fails.
const ROUNDS: usize = 5;
/// A few roundings to single precision, relative to a distance.
const ROUNDING: f64 = 2.0 * f32::EPSILON as f64;
/// What counts as no movement, relative to the diagonal.
const STILL: f64 = 2e-8;

/// Resamples all joints of a clip. The result does not depend on the number of threads.
pub fn resample(request: &Request<'_>, evaluate: &impl Evaluate) -> Result<Resampled, Cause> {
    let scratch = request.budget.scratch();
    count_chains(request)?;
    let (tolerance, refine) = match request.mode {
        Resample::Within(tolerance) => (tolerance.max(0.0) * request.diagonal, true),
        Resample::Keys => (0.0, false),
    };
    let (gains, extent) = tolerance::gains(request, evaluate);
    // Keys cannot be finer than single precision at the distance from the origin that the joints have.
    let tolerance = tolerance.max(extent * ROUNDING);
    let sampled: Vec<Sampled> = request
        .joints
        .par_iter()
        .map(|curves| Sampled::new(curves, request.duration, refine, evaluate, &scratch))
        .collect::<Result<_, _>>()?;
    let still = request.diagonal * STILL;
    if !refine {
        // No interval is divided: nothing is to be shared.
        let fit = |(sampled, gains)| fit(sampled, gains, &|_, _| [0.0; 3], still, evaluate, request.budget);
        let tracks = sampled.par_iter().zip(&gains).map(fit).collect::<Result<_, _>>()?;
        return Ok(Resampled { tracks, error: 0.0 });
    }
    let mut shares = tolerance::Shares::new(request, &sampled, &gains, tolerance * USABLE, &scratch)?;
    let fit = |index: usize, shares: &tolerance::Shares| {
        fit(&sampled[index], &gains[index], &shares.of(index), still, evaluate, request.budget)
    };
    let mut tracks: Vec<JointTracks> =
        (0..sampled.len()).into_par_iter().map(|index| fit(index, &shares)).collect::<Result<_, _>>()?;
    let mut errors = vec![0.0; shares.len()];
    let mut bins: Vec<usize> = (0..shares.len()).collect();
    for round in 0..=ROUNDS {
        // Every joint is played at every one of the times.
        request.budget.steps((bins.len() as u64).saturating_mul(request.rest.len() as u64 * JOINT_STEPS))?;
        let measured = verify::measure(request, &shares, &bins, &tracks, evaluate);
        bins.iter().zip(measured).for_each(|(&bin, error)| errors[bin] = error);
        bins = shares.tighten(&errors, &bins, tolerance);
        if bins.is_empty() || round == ROUNDS {
            break;
        }
        let again: Vec<usize> = (0..sampled.len()).filter(|&i| sampled[i].touches(&bins, &shares)).collect();
        let refitted: Vec<(usize, JointTracks)> = again
            .into_par_iter()
            .map(|index| Ok((index, fit(index, &shares)?)))
            .collect::<Result<_, Cause>>()?;
        for (index, track) in refitted {
            let replaced = std::mem::replace(&mut tracks[index], track);
            request.budget.drop_keys(key_count(&replaced));
        }
    }
    let error = errors.into_iter().fold(0.0, f64::max);
    let diagonal = if request.diagonal > 0.0 { request.diagonal } else { 1.0 };
    Ok(Resampled { tracks, error: error / diagonal })
}

/// Resamples one scalar to within `tolerance` at any time.
pub fn scalar(
    curve: &Curve,
    duration: f32,
    mode: Resample,
    tolerance: f64,
    budget: &Budget<'_>,
    evaluate: &(impl Fn(f64, Side) -> f64 + Sync),
) -> Result<Option<Track<f32>>, Cause> {
    if *curve == Curve::Still {
        return Ok(None);
    }
    // A scalar is fitted as a translation along x: the same lines, the same measure.
    let evaluate = |_: usize, time: f64, side: Side| Trs {
        translation: glam::DVec3::X * evaluate(time, side),
        ..Trs::IDENTITY
    };
    let curves = JointCurves { joint: 0, parts: [curve.clone(), Curve::Still, Curve::Still] };
    let scratch = budget.scratch();
    let refine = mode != Resample::Keys;
    let sampled = Sampled::new(&curves, duration, refine, &evaluate, &scratch)?;
    let gains = fit::Gains([1.0, 0.0, 0.0]);
    let still = tolerance * 1e-3;
    let track = fit(&sampled, &gains, &|_, _| [tolerance; 3], still, &evaluate, budget)?.translation;
    let scalars = track.map(|track| {
        let values = track.values().iter().map(|v| v.x).collect();
        Track::new(track.times().to_vec(), values, track.interpolation())
    });
    scalars.transpose().map_err(|error| Cause::Track { error, place: "a scalar".to_owned() })
}

/// Steps of playing and measuring one joint.
const JOINT_STEPS: u64 = 8;

/// Steps of taking the points of a joint one joint nearer to its root.
const CHAIN_STEPS: u64 = 16;

/// Counts the poses, and in each the walks from every joint to its root, which tell how far points move.
fn count_chains(request: &Request<'_>) -> Result<(), Cause> {
    let mut depths: Vec<u64> = Vec::with_capacity(request.parents.len());
    for &parent in request.parents {
        let above = depths.get(usize::from(parent)).copied().unwrap_or(0);
        depths.push(above + 1);
    }
    let chains: u64 = depths.iter().sum();
    let work = chains.saturating_mul(CHAIN_STEPS) + depths.len() as u64 * 4 * JOINT_STEPS;
    request.budget.steps(work.saturating_mul(tolerance::poses(request) as u64 + 1))
}

/// Keys of all parts of a joint.
pub(crate) fn key_count(tracks: &JointTracks) -> u64 {
    let vectors = [&tracks.translation, &tracks.scale].into_iter().flatten().map(|track| track.times().len());
    let turns = tracks.rotation.as_ref().map_or(0, |track| track.times().len());
    vectors.sum::<usize>() as u64 + turns as u64
}

pub(crate) fn track_error(joint: u16) -> impl Fn(TrackError) -> Cause {
    move |error| Cause::Track { error, place: format!("joint {joint}") }
}

#[cfg(test)]
mod tests;
