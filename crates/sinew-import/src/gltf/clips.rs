//! Animations as clips. Steps and straight lines keep their keys; curves are resampled.

#![allow(clippy::indexing_slicing, reason = "indices run over the three parts and the rig's own joints")]

use super::animation::{Animation, Sampler, Way};
use super::json;
use super::rig::Rig;
use crate::resample::{Curve, JointCurves, Knot, Request, Resampled, Side, resample, scalar};
use crate::{Cause, Options, Resample, SourceClip, findings};
use glam::{Quat, Vec3};
use rayon::prelude::*;
use sinew::clip::{Key, TrackError};
use sinew::{Clip, ClipInfo, ClipLibrary, Event, Finding, Interpolation, JointTracks, ScalarTrack, Track};

/// How much of a morph weight may be lost.
const WEIGHT_TOLERANCE: f64 = 1e-5;

pub(super) fn clips(
    sources: &[json::Animation],
    rig: &Rig,
    animations: &[Animation],
    diagonal: f64,
    options: &Options,
    findings: &mut Vec<Finding>,
) -> Result<(ClipLibrary, Vec<SourceClip>), Cause> {
    let built = animations.par_iter().map(|animation| {
        let source = sources.get(animation.index);
        let name = source.map_or("", |s| s.name.as_str());
        let name = if name.is_empty() { format!("animation_{}", animation.index) } else { name.to_owned() };
        clip(&name, source, rig, animation, diagonal, options)
    });
    let built = built.collect::<Result<Vec<_>, Cause>>()?;
    let built = animations.iter().zip(built).map(|(animation, (clip, finding))| {
        findings.extend(finding);
        let extras = sources.get(animation.index).map(|source| &source.extras);
        let text = |key: &str| Some(extras?.get(key)?.as_str()?.to_owned());
        let info = ClipInfo {
            name: clip.name().to_owned(),
            source_name: text("sourceName"),
            tag: text("semanticName"),
            ..ClipInfo::default()
        };
        // Every animation begins at zero.
        (info, clip, 0.0)
    });
    Ok(options.tags.library(built))
}

fn clip(
    name: &str,
    source: Option<&json::Animation>,
    rig: &Rig,
    animation: &Animation,
    diagonal: f64,
    options: &Options,
) -> Result<(Clip, Option<Finding>), Cause> {
    let place = |joint: u16| format!("animation `{name}`, joint {joint}");
    let mut finding = None;
    let mut joints = match curved(rig, animation, diagonal, options)? {
        Some(resampled) => {
            finding = missed(name, resampled.error, options.resample);
            resampled.tracks
        }
        None => animation.joints.iter().map(|j| JointTracks::new(j.joint)).collect(),
    };
    for tracks in &mut joints {
        let wrong = |error| Cause::Track { error, place: place(tracks.joint) };
        let Some(channels) = animation.joint(tracks.joint) else { continue };
        let straight = |part: usize| channels.parts[part].as_ref().filter(|s| s.way != Way::Cubic);
        if let Some(sampler) = straight(0) {
            tracks.translation = Some(keep(sampler, Vec3::from_array).map_err(wrong)?);
        }
        if let Some(sampler) = straight(1) {
            tracks.rotation = Some(keep(sampler, Quat::from_array).map_err(wrong)?);
        }
        if let Some(sampler) = straight(2) {
            tracks.scale = Some(keep(sampler, Vec3::from_array).map_err(wrong)?);
        }
    }
    let scalars = scalars(rig, animation, options, name)?;
    let clip = Clip::new(name, animation.duration, joints, scalars)?;
    let events = source.map(|source| events(source, animation.duration)).unwrap_or_default();
    Ok((clip.with_events(events)?, finding))
}

/// A sampler's own keys; a value that never changes needs only one.
fn keep<const N: usize, T: Key + PartialEq>(
    sampler: &Sampler,
    make: impl Fn([f32; N]) -> T,
) -> Result<Track<T>, TrackError> {
    let mut values: Vec<T> = sampler.values.as_chunks::<N>().0.iter().copied().map(make).collect();
    let mut times = sampler.times.to_vec();
    if values.windows(2).all(|pair| pair[0] == pair[1]) {
        times.truncate(1);
        values.truncate(1);
    }
    Track::new(times, values, interpolation(sampler))
}

fn interpolation(sampler: &Sampler) -> Interpolation {
    if sampler.way == Way::Step { Interpolation::Step } else { Interpolation::Linear }
}

/// Resamples the joints of an animation with curves; nothing for one that has none.
fn curved(
    rig: &Rig,
    animation: &Animation,
    diagonal: f64,
    options: &Options,
) -> Result<Option<Resampled>, Cause> {
    let cubic = |s: &Option<Sampler>| s.as_ref().is_some_and(|s| s.way == Way::Cubic);
    if !animation.joints.iter().any(|j| j.parts.iter().any(cubic)) {
        return Ok(None);
    }
    let curves = animation.joints.iter().map(|channels| JointCurves {
        joint: channels.joint,
        parts: [0, 1, 2].map(|part| channels.parts[part].as_ref().map_or(Curve::Still, curve)),
    });
    let curves: Vec<JointCurves> = curves.collect();
    let request = Request {
        parents: &rig.parents,
        rest: &rig.rest,
        diagonal,
        duration: animation.duration,
        joints: &curves,
        mode: options.resample,
        key_limit: options.limits.keys,
    };
    let evaluate = |joint: usize, time: f64, side: Side| {
        let rest = &rig.rest[joint];
        let channels = u16::try_from(joint).ok().and_then(|joint| animation.joint(joint));
        channels.map_or(*rest, |channels| channels.at(time, side, rest))
    };
    resample(&request, &evaluate).map(Some)
}

fn curve(sampler: &Sampler) -> Curve {
    let jump = sampler.way == Way::Step;
    let knots = sampler.times.iter().map(|&time| Knot { time: time.into(), jump }).collect();
    if sampler.way == Way::Cubic { Curve::Curved(knots) } else { Curve::Linear(knots) }
}

fn missed(name: &str, error: f64, mode: Resample) -> Option<Finding> {
    let Resample::Within(tolerance) = mode else { return None };
    let message = format!("keys are off by up to {error:.1e} of the diagonal");
    let finding = Finding::new(&findings::TOLERANCE_MISSED, format!("animation `{name}`"), message);
    (error > tolerance && tolerance > 0.0).then(|| finding.measured(error / tolerance))
}

fn scalars(
    rig: &Rig,
    animation: &Animation,
    options: &Options,
    name: &str,
) -> Result<Vec<ScalarTrack>, Cause> {
    let mut out: Vec<ScalarTrack> = Vec::new();
    for channel in &animation.weights {
        for weight in 0..channel.sampler.width {
            let scalar = u16::try_from(weight).ok().and_then(|w| channel.first_scalar.checked_add(w));
            let Some(scalar) = scalar.filter(|&s| usize::from(s) < rig.scalars.len()) else { continue };
            let track = weight_track(&channel.sampler, weight, animation.duration, options, name)?;
            out.extend(track.map(|track| ScalarTrack { scalar, track }));
        }
    }
    out.sort_by_key(|track| track.scalar);
    out.dedup_by_key(|track| track.scalar);
    Ok(out)
}

fn weight_track(
    sampler: &Sampler,
    weight: usize,
    duration: f32,
    options: &Options,
    name: &str,
) -> Result<Option<Track<f32>>, Cause> {
    if sampler.way == Way::Cubic {
        let evaluate = |time: f64, side: Side| sampler.weight(weight, time, side);
        let keys = options.limits.keys;
        return scalar(&curve(sampler), duration, options.resample, WEIGHT_TOLERANCE, keys, &evaluate);
    }
    let values = sampler.values.chunks_exact(sampler.width).filter_map(|key| key.get(weight).copied());
    let own = Sampler { values: values.collect(), width: 1, ..sampler.clone() };
    let wrong = |error| Cause::Track { error, place: format!("animation `{name}`, weight {weight}") };
    keep(&own, |[value]: [f32; 1]| value).map(Some).map_err(wrong)
}

/// Events, where this project's own writer has left them.
fn events(source: &json::Animation, duration: f32) -> Vec<Event> {
    let list = source.extras.get("events").and_then(|events| events.as_array());
    let event = |event: &serde_json::Value| {
        let time = event.get("time")?.as_f64()? as f32;
        let name = event.get("name")?.as_str()?.to_owned();
        (0.0..=duration).contains(&time).then_some(Event { time, name })
    };
    list.into_iter().flatten().filter_map(event).collect()
}
