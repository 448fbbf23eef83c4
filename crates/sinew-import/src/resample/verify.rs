//! Measures the error of the keys against the source in model space, with the run time's arithmetic.

use super::tolerance::{Shares, probes};
use super::{Evaluate, Request, Side};
use crate::decompose::Trs;
use glam::DAffine3;
use rayon::prelude::*;
use sinew::{JointTracks, NO_JOINT, Sampling};

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
    let measure = |&bin: &usize| {
        let time = shares.time(bin);
        if near_jump(&jumps, time, near) { 0.0 } else { error_at(request, tracks, evaluate, time) }
    };
    bins.par_iter().map(measure).collect()
}

fn error_at(request: &Request<'_>, tracks: &[JointTracks], evaluate: &impl Evaluate, time: f64) -> f64 {
    let mut source = request.rest.to_vec();
    let mut played = request.rest.to_vec();
    for tracks in tracks {
        let joint = usize::from(tracks.joint);
        if let (Some(source), Some(played)) = (source.get_mut(joint), played.get_mut(joint)) {
            *source = evaluate(joint, time, Side::After);
            play(tracks, time, played);
        }
    }
    let (mut worst, mut models) = (0.0f64, Vec::with_capacity(source.len()));
    for (joint, (source, played)) in source.iter().zip(&played).enumerate() {
        let mut model = [source.to_affine(), played.to_affine()];
        let parent = request.parents.get(joint).copied().unwrap_or(NO_JOINT);
        if let Some(above) = models.get(usize::from(parent)) {
            let above: &[DAffine3; 2] = above;
            model = [above[0] * model[0], above[1] * model[1]];
        }
        for probe in probes(request.diagonal) {
            let gap = model[0].transform_point3(probe).distance(model[1].transform_point3(probe));
            worst = worst.max(gap);
        }
        models.push(model);
    }
    worst
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
