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
        let mut poses: Vec<Option<Posed>> =
            bins.iter().map(|bin| time(bin).map(|time| Posed::new(request, time))).collect();
        for tracks in tracks {
            // Apart, so that keys of several times are fetched from memory together.
            poses.iter_mut().flatten().for_each(|pose| pose.set_source(tracks.joint, evaluate));
            poses.iter_mut().flatten().for_each(|pose| pose.play(tracks));
        }
        poses.into_iter().map(|pose| pose.map_or(0.0, |pose| pose.error(request)))
    };
    bins.par_chunks(together).flat_map_iter(measure).collect()
}

/// The joints at a time, as the source and as the keys have them.
struct Posed {
    time: f64,
    source: Vec<Trs>,
    played: Vec<Trs>,
}

impl Posed {
    fn new(request: &Request<'_>, time: f64) -> Self {
        Self { time, source: request.rest.to_vec(), played: request.rest.to_vec() }
    }

    fn set_source(&mut self, joint: u16, evaluate: &impl Evaluate) {
        let joint = usize::from(joint);
        if let Some(source) = self.source.get_mut(joint) {
            *source = evaluate(joint, self.time, Side::After);
        }
    }

    fn play(&mut self, tracks: &JointTracks) {
        let Some(out) = self.played.get_mut(usize::from(tracks.joint)) else { return };
        if let Some(track) = &tracks.translation {
            out.translation = track.sample(self.time, Sampling::Interpolate).as_dvec3();
        }
        if let Some(track) = &tracks.rotation {
            out.rotation = track.sample(self.time, Sampling::Interpolate).as_dquat();
        }
        if let Some(track) = &tracks.scale {
            out.scale = track.sample(self.time, Sampling::Interpolate).as_dvec3();
        }
    }

    /// The largest distance of a point in model space to where the source has it.
    fn error(&self, request: &Request<'_>) -> f64 {
        let (mut worst, mut models) = (0.0f64, Vec::with_capacity(self.source.len()));
        for (joint, (source, played)) in self.source.iter().zip(&self.played).enumerate() {
            let mut model = [source.to_affine(), played.to_affine()];
            let parent = request.parents.get(joint).copied().unwrap_or(NO_JOINT);
            if let Some(above) = models.get(usize::from(parent)) {
                let above: &[DAffine3; 2] = above;
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
