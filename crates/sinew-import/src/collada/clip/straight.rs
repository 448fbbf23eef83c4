//! Clips of matrix keys only: between keys they move on lines and arcs already, so their keys are kept and nothing is resampled.

use super::super::curve::Segment;
use super::super::motion::MatrixCurve;
use super::evaluator::{ClipMotion, JointMotion};
use crate::decompose::Trs;
use crate::space::Conversion;
use crate::{Budget, Cause, resample};
use glam::{Quat, Vec3};
use rayon::prelude::*;
use sinew::{Interpolation, JointTracks, Track, Transform};

/// What counts as no movement: relative to the diagonal for translations, as it is for rotations and scales, as joints are no
/// farther apart than the diagonal.
const STILL: f32 = 2e-8;

/// The tracks of a clip in which matrices move every joint; `None` if something else does, or keys lie outside of the clip.
pub(super) fn tracks(
    motion: &ClipMotion,
    conversion: &Conversion,
    duration: f32,
    diagonal: f64,
    budget: &Budget<'_>,
) -> Result<Option<Vec<JointTracks>>, Cause> {
    let Some(curves) = motion.joints.iter().map(whole).collect::<Option<Vec<_>>>() else { return Ok(None) };
    let keys = 3 * curves.iter().map(|(_, curve)| curve.keys().len() as u64).sum::<u64>();
    budget.keys(keys)?;
    let still = STILL * diagonal as f32;
    let tracks: Option<Vec<JointTracks>> = curves
        .into_par_iter()
        .map(|(joint, curve)| joint_tracks(joint, curve, conversion, motion.start, duration, still))
        .collect();
    // Parts that do not move have one key.
    let used: u64 = tracks.iter().flatten().map(resample::key_count).sum();
    budget.drop_keys(keys.saturating_sub(used));
    Ok(tracks)
}

/// A joint that a matrix moves and nothing else.
fn whole(joint: &JointMotion) -> Option<(&JointMotion, &MatrixCurve)> {
    joint.motion.whole_matrix().filter(|_| joint.inner.is_none()).map(|curve| (joint, curve))
}

fn joint_tracks(
    joint: &JointMotion,
    curve: &MatrixCurve,
    conversion: &Conversion,
    start: f64,
    duration: f32,
    still: f32,
) -> Option<JointTracks> {
    let times: Vec<f32> = curve.curve().times().iter().map(|t| (t - start) as f32).collect();
    let inside = times.iter().all(|t| (0.0..=duration).contains(t));
    // Keys that round to one time in single precision are left to the resampler.
    if !inside || !times.is_sorted_by(|a, b| a < b) {
        return None;
    }
    let interpolation = interpolation(curve.curve().segments())?;
    let keys: Vec<Transform> =
        curve.keys().iter().map(|key: &Trs| conversion.local(joint.is_root, key).to_transform()).collect();
    let first = *keys.first()?;
    let moves = |most: f32| most > 0.0 && !most.is_nan();
    let translation =
        moves(farthest(&keys, |k| (k.translation - first.translation).abs().max_element(), still));
    let rotation = moves(farthest(&keys, |k| turn(k.rotation, first.rotation), STILL));
    let scale = moves(farthest(&keys, |k| (k.scale - first.scale).abs().max_element(), STILL));
    Some(JointTracks {
        joint: joint.joint,
        translation: Some(track(&times, &keys, translation, interpolation, |k| k.translation)?),
        rotation: Some(track(&times, &keys, rotation, interpolation, |k| k.rotation)?),
        scale: Some(track::<Vec3>(&times, &keys, scale, interpolation, |k| k.scale)?),
    })
}

/// One kind for all segments; the last key's own does not matter.
fn interpolation(segments: &[Segment]) -> Option<Interpolation> {
    let between = segments.get(..segments.len().saturating_sub(1)).unwrap_or_default();
    let steps = between.iter().filter(|s| **s == Segment::Step).count();
    match steps {
        0 => Some(Interpolation::Linear),
        n if n == between.len() => Some(Interpolation::Step),
        _ => None,
    }
}

/// Whether any key differs from the first by more than the threshold.
fn farthest(keys: &[Transform], distance: impl Fn(&Transform) -> f32, nothing: f32) -> f32 {
    keys.iter().map(distance).fold(0.0, f32::max) - nothing
}

fn turn(a: Quat, b: Quat) -> f32 {
    let (same, opposite) = ((a - b).length_squared(), (a + b).length_squared());
    same.min(opposite).sqrt()
}

fn track<T: sinew::Key>(
    times: &[f32],
    keys: &[Transform],
    moves: bool,
    interpolation: Interpolation,
    value: impl Fn(&Transform) -> T,
) -> Option<Track<T>> {
    if !moves {
        return Track::constant(value(keys.first()?)).ok();
    }
    Track::new(times.to_vec(), keys.iter().map(value).collect(), interpolation).ok()
}
