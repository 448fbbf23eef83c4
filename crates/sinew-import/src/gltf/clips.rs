//! Animations as clips. Steps and straight lines keep their keys; curves are resampled.

#![allow(clippy::indexing_slicing, reason = "indices run over the three parts and the rig's own joints")]

use super::animation::{Animation, Sampler, Way};
use super::container::File;
use super::json;
use super::rig::Rig;
use crate::resample::{Curve, JointCurves, Knot, Request, Resampled, Side, resample, scalar};
use crate::{Budget, Cause, Options, Resample, SourceClip, findings};
use glam::{Quat, Vec3};
use rayon::prelude::*;
use sinew::{
    Clip, ClipInfo, ClipLibrary, Event, Finding, Fire, Interpolation, JointTracks, Marker, ScalarTrack, Track,
};
use sinew::{Key, TrackError};

/// How much of a morph weight may be lost.
const WEIGHT_TOLERANCE: f64 = 1e-5;

pub(super) fn clips(
    file: &File<'_>,
    rig: &Rig,
    animations: &[Animation],
    diagonal: f64,
    options: &Options,
    findings: &mut Vec<Finding>,
) -> Result<(ClipLibrary, Vec<SourceClip>), Cause> {
    let sources = &file.document.animations;
    let context = Context { rig, diagonal, options, budget: file.budget };
    // One after the other: resampling keeps all threads busy, and memory for one clip at a time.
    let curved = animations.iter().map(|animation| context.curved(animation));
    let curved = curved.collect::<Result<Vec<_>, Cause>>()?;
    let built = animations.par_iter().zip(curved).map(|(animation, resampled)| {
        let source = sources.get(animation.index);
        let name = source.map_or("", |s| s.name.as_str());
        let name = if name.is_empty() { format!("animation_{}", animation.index) } else { name.to_owned() };
        context.clip(&name, source, animation, resampled)
    });
    let built = built.collect::<Result<Vec<_>, Cause>>()?;
    let built = animations.iter().zip(built).map(|(animation, (clip, finding))| {
        findings.extend(finding);
        let extras = sources.get(animation.index).map(|source| &source.extras);
        let text = |key: &str| Some(extras?.get(key)?.as_str()?.into());
        let info = ClipInfo {
            name: clip.name().into(),
            source_name: text("sourceName"),
            tag: text("semanticName"),
            ..ClipInfo::default()
        };
        // Every animation begins at zero.
        (info, clip, 0.0)
    });
    Ok(options.tags.library(built))
}

/// What all clips of a file are made with.
struct Context<'a> {
    rig: &'a Rig,
    diagonal: f64,
    options: &'a Options,
    budget: &'a Budget<'a>,
}

impl Context<'_> {
    fn clip(
        &self,
        name: &str,
        source: Option<&json::Animation>,
        animation: &Animation,
        resampled: Option<Resampled>,
    ) -> Result<(Clip, Option<Finding>), Cause> {
        let place = |joint: u16| format!("animation `{name}`, joint {joint}");
        let mut finding = None;
        let mut joints = match resampled {
            Some(resampled) => {
                finding = missed(name, resampled.error, self.options.resample);
                resampled.tracks
            }
            None => animation.joints.iter().map(|j| JointTracks::new(j.joint)).collect(),
        };
        for tracks in &mut joints {
            let wrong = |error| Cause::Track { error, place: place(tracks.joint) };
            let Some(channels) = animation.joint(tracks.joint) else { continue };
            let straight = |part: usize| channels.parts[part].as_ref().filter(|s| s.way != Way::Cubic);
            let kept = [0, 1, 2].map(|part| straight(part).map_or(0, |sampler| sampler.times.len() as u64));
            self.budget.keys(kept.iter().sum())?;
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
        let scalars = self.scalars(animation, name)?;
        let clip = Clip::new(name, animation.duration, joints, scalars)?;
        let Some(source) = source else { return Ok((clip, finding)) };
        let (events, markers) = (events(source, animation.duration), markers(source, animation.duration));
        let clip = clip.with_events(events)?.with_markers(markers)?;
        Ok((clip.with_ground_velocity(ground_velocity(source))?, finding))
    }

    /// Resamples the joints of an animation with curves; nothing for one that has none.
    fn curved(&self, animation: &Animation) -> Result<Option<Resampled>, Cause> {
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
            parents: &self.rig.parents,
            rest: &self.rig.rest,
            diagonal: self.diagonal,
            duration: animation.duration,
            joints: &curves,
            mode: self.options.resample,
            budget: self.budget,
        };
        let evaluate = |joint: usize, time: f64, side: Side| {
            let rest = &self.rig.rest[joint];
            let channels = u16::try_from(joint).ok().and_then(|joint| animation.joint(joint));
            channels.map_or(*rest, |channels| channels.at(time, side, rest))
        };
        resample(&request, &evaluate).map(Some)
    }

    fn scalars(&self, animation: &Animation, name: &str) -> Result<Vec<ScalarTrack>, Cause> {
        let mut out: Vec<ScalarTrack> = Vec::new();
        for channel in &animation.weights {
            for weight in 0..channel.sampler.width {
                let scalar = u16::try_from(weight).ok().and_then(|w| channel.first_scalar.checked_add(w));
                let Some(scalar) = scalar.filter(|&s| usize::from(s) < self.rig.scalars.len()) else { break };
                let track = self.weight_track(&channel.sampler, weight, animation.duration, name)?;
                out.extend(track.map(|track| ScalarTrack { scalar, track }));
            }
        }
        out.sort_by_key(|track| track.scalar);
        out.dedup_by_key(|track| track.scalar);
        Ok(out)
    }

    fn weight_track(
        &self,
        sampler: &Sampler,
        weight: usize,
        duration: f32,
        name: &str,
    ) -> Result<Option<Track<f32>>, Cause> {
        if sampler.way == Way::Cubic {
            let evaluate = |time: f64, side: Side| sampler.weight(weight, time, side);
            let mode = self.options.resample;
            return scalar(&curve(sampler), duration, mode, WEIGHT_TOLERANCE, self.budget, &evaluate);
        }
        self.budget.keys(sampler.times.len() as u64)?;
        let values = sampler.values.chunks_exact(sampler.width).filter_map(|key| key.get(weight).copied());
        let times = sampler.times.clone();
        let own = Sampler { times, values: values.collect(), width: 1, way: sampler.way };
        let wrong = |error| Cause::Track { error, place: format!("animation `{name}`, weight {weight}") };
        keep(&own, |[value]: [f32; 1]| value).map(Some).map_err(wrong)
    }
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

/// Events, where this project's own writer has left them.
fn events(source: &json::Animation, duration: f32) -> Vec<Event> {
    let text = |event: &serde_json::Value, key| event.get(key).and_then(|v| v.as_str()).map(str::to_owned);
    let event = |(time, name, event): (f32, &str, &serde_json::Value)| {
        let fire = text(event, "fire").and_then(|fire| Fire::ALL.into_iter().find(|f| f.name() == fire));
        Event { payload: text(event, "payload").unwrap_or_default(), fire, ..Event::new(time, name) }
    };
    moments(source, "events", duration).map(event).collect()
}

/// Markers, likewise.
fn markers(source: &json::Animation, duration: f32) -> Vec<Marker> {
    moments(source, "markers", duration).map(|(time, name, _)| Marker::new(time, name)).collect()
}

/// Velocity over the ground, likewise; zero where it is not there or not finite.
fn ground_velocity(source: &json::Animation) -> Vec3 {
    let numbers = source.extras.get("groundVelocity").and_then(|numbers| numbers.as_array());
    let number = |k: usize| numbers?.get(k)?.as_f64().map(|number| number as f32);
    let read = (|| Some(Vec3::new(number(0)?, number(1)?, number(2)?)))();
    read.filter(|velocity| velocity.is_finite()).unwrap_or_default()
}

/// Named times of a list in the extras.
fn moments<'a>(
    source: &'a json::Animation,
    list: &str,
    duration: f32,
) -> impl Iterator<Item = (f32, &'a str, &'a serde_json::Value)> {
    let list = source.extras.get(list).and_then(|moments| moments.as_array());
    list.into_iter().flatten().filter_map(move |moment| {
        let time = moment.get("time")?.as_f64()? as f32;
        (0.0..=duration).contains(&time).then_some((time, moment.get("name")?.as_str()?, moment))
    })
}
