//! Measures the error of the keys against the source in model space, with the run time's arithmetic.

use super::tolerance::{Shares, probes};
use super::{Evaluate, Request, Side};
use crate::decompose::Trs;
use glam::DAffine3;
use rayon::prelude::*;
use sinew::{JointTracks, NO_JOINT, Sampling};

/// Poses that are measured together, at the most, and joints of all of them: keys at near times lie near each other, so the times of one joint are played in turn
/// before those of the next.
const POSES: usize = 32;
const JOINTS: usize = 4096;

/// Measures the error of all joints, at one time in each of some bins.
pub(super) fn measure(
    request: &Request<'_>,
    shares: &Shares,
    bins: &[usize],
    tracks: &[JointTracks],
    evaluate: &impl Evaluate,
) -> Vec<f64> {
    let jumps = jumps(request);
    let near = 2.0 * f64::from(f32::EPSILON) * f64::from(request.duration);
    let time = |&bin: &usize| Some(shares.time(bin)).filter(|&time| !near_jump(&jumps, time, near));
    let together = (JOINTS / request.rest.len().max(1)).clamp(1, POSES);
    let measure = |bins: &[usize]| {
        let times: Vec<Option<f64>> = bins.iter().map(time).collect();
        let measured = || times.iter().flatten();
        let mut poses = Poses::new(request, measured().count());
        for tracks in tracks {
            // Apart, so that keys of several times are fetched from memory together.
            poses.of(tracks.joint).zip(measured()).for_each(|(pose, &time)| {
                pose.source = evaluate(usize::from(tracks.joint), time, Side::After);
            });
            let played = poses.of(tracks.joint).zip(measured());
            played.for_each(|(pose, &time)| play(tracks, time, &mut pose.played));
        }
        let mut errors = poses.errors(request).into_iter();
        times.iter().map(|time| time.and_then(|_| errors.next()).unwrap_or(0.0)).collect::<Vec<_>>()
    };
    bins.par_chunks(together).flat_map_iter(measure).collect()
}

/// A joint at a time, as the source and as the keys have it.
#[derive(Clone, Copy)]
struct Posed {
    source: Trs,
    played: Trs,
}

/// All joints at some times, one time after the other.
struct Poses {
    joints: usize,
    all: Vec<Posed>,
}

impl Poses {
    fn new(request: &Request<'_>, times: usize) -> Self {
        let rest = request.rest.iter().map(|&rest| Posed { source: rest, played: rest });
        let rest: Vec<Posed> = rest.collect();
        Self { joints: rest.len(), all: rest.repeat(times) }
    }

    /// A joint at each time; none if the rest lacks it.
    fn of(&mut self, joint: u16) -> impl Iterator<Item = &mut Posed> {
        let joint = usize::from(joint);
        self.all.chunks_mut(self.joints.max(1)).filter_map(move |pose| pose.get_mut(joint))
    }

    /// At each time, the largest distance of a point in model space to where the source has it.
    fn errors(&self, request: &Request<'_>) -> Vec<f64> {
        let mut models = Vec::with_capacity(self.joints);
        self.all.chunks(self.joints.max(1)).map(|pose| error(request, pose, &mut models)).collect()
    }
}

fn error(request: &Request<'_>, pose: &[Posed], models: &mut Vec<[DAffine3; 2]>) -> f64 {
    let mut worst = 0.0f64;
    models.clear();
    for (joint, Posed { source, played }) in pose.iter().enumerate() {
        let mut model = [source.to_affine(), played.to_affine()];
        let parent = request.parents.get(joint).copied().unwrap_or(NO_JOINT);
        if let Some(above) = models.get(usize::from(parent)) {
            model = [above[0] * model[0], above[1] * model[1]];
        }
        for probe in probes(request.diagonal) {
            let [source, played] = model.map(|model| model.transform_point3(probe));
            worst = worst.max(source.distance_squared(played));
        }
        models.push(model);
    }
    worst.sqrt()
}

fn play(tracks: &JointTracks, time: f64, out: &mut Trs) {
    if let Some(track) = &tracks.translation {
        out.translation = track.sample(time, Sampling::Interpolate).as_dvec3();
    }
    if let Some(track) = &tracks.rotation {
        out.rotation = track.sample(time, Sampling::Interpolate).as_dquat();
    }
    if let Some(track) = &tracks.scale {
        out.scale = track.sample(time, Sampling::Interpolate).as_dvec3();
    }
}

/// Times at which anything may jump, rising.
fn jumps(request: &Request<'_>) -> Vec<f64> {
    let curves = request.joints.iter().flat_map(|curves| &curves.parts);
    let jumps = curves.flat_map(|curve| curve.knots()).filter(|knot| knot.jump).map(|knot| knot.time);
    let mut jumps: Vec<f64> = jumps.collect();
    jumps.sort_by(f64::total_cmp);
    jumps.dedup();
    jumps
}

/// Whether a time is too near to a jump for single precision to tell which side it is on.
fn near_jump(jumps: &[f64], time: f64, near: f64) -> bool {
    let next = jumps.partition_point(|&jump| jump < time - near);
    jumps.get(next).is_some_and(|&jump| jump <= time + near)
}
