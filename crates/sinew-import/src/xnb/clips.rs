//! Keys of bones as clips.

use super::rig::{Rig, transform};
use crate::{Budget, Cause, findings};
use glam::{Quat, Vec3};
use sinew::{
    Clip, ClipInfo, Event, Finding, Fire, Interpolation, JointTracks, Key, LoopMode, Marker, RootMotion,
    Track, Transform,
};
use sinew_xnb::skinning::{self as xnb, ClipV2, Keys, KeysV2, TICKS_PER_SECOND, V1, V2};
use std::collections::BTreeMap;

/// Clips of the second version.
pub(super) fn of_v2(
    data: &V2,
    rig: &Rig,
    budget: &Budget<'_>,
    findings: &mut Vec<Finding>,
) -> Result<Vec<(ClipInfo, Clip)>, Cause> {
    let mut clips = Vec::new();
    for clip in &data.clips {
        match &clip.keys {
            Keys::Plain(keys) => clips.push((info(clip), clip_v2(clip, keys, rig, budget)?)),
            Keys::Unknown(encoding) => {
                let message = format!("its keys have encoding {encoding}; it was left out");
                findings.push(Finding::new(
                    &findings::XNB_ENCODING,
                    format!("clip `{}`", clip.name),
                    message,
                ));
            }
            _ => {}
        }
    }
    Ok(clips)
}

fn info(clip: &ClipV2) -> ClipInfo {
    ClipInfo {
        name: clip.name.clone().into(),
        tag: Some(&clip.tag).filter(|tag| !tag.is_empty()).map(Into::into),
        mode: Some(match clip.loop_mode {
            xnb::LoopMode::Once => LoopMode::Once,
            xnb::LoopMode::Loop => LoopMode::Loop,
            xnb::LoopMode::PingPong => LoopMode::PingPong,
            xnb::LoopMode::Times(times) => LoopMode::Times(times),
        }),
        root_motion: Some(match clip.root_motion {
            xnb::RootMotion::Keep => RootMotion::Keep,
            xnb::RootMotion::InPlace => RootMotion::InPlace,
            xnb::RootMotion::Extract => RootMotion::Extract,
        }),
        ..ClipInfo::default()
    }
}

fn clip_v2(clip: &ClipV2, keys: &KeysV2, rig: &Rig, budget: &Budget<'_>) -> Result<Clip, Cause> {
    let mut joints: BTreeMap<u16, JointTracks> = BTreeMap::new();
    for tracks in &keys.bones {
        let Some(joint) = rig.of_bone(tracks.bone.into()) else { continue };
        let place = || format!("clip `{}`, bone {}", clip.name, tracks.bone);
        let vector = |source: &Option<xnb::Track>| {
            track(source, keys, budget, &place, |v: [f32; 3]| Vec3::from_array(v))
        };
        let quaternion = |source: &Option<xnb::Track>| {
            track(source, keys, budget, &place, |v: [f32; 4]| Quat::from_array(v))
        };
        let made = JointTracks {
            joint,
            translation: vector(&tracks.translation)?,
            rotation: quaternion(&tracks.rotation)?,
            scale: vector(&tracks.scale)?,
        };
        joints.entry(joint).or_insert(made);
    }
    let markers = clip.markers.iter().map(|m| Marker::new(m.time, &*m.name)).collect();
    let made = Clip::new(clip.name.clone(), clip.duration, joints.into_values().collect(), vec![])?;
    Ok(made.with_events(clip.events.iter().map(event).collect())?.with_markers(markers)?)
}

fn event(event: &xnb::Event) -> Event {
    let fire = event.fire.map(|fire| match fire {
        xnb::Fire::Always => Fire::Always,
        xnb::Fire::Leader => Fire::Leader,
        xnb::Fire::UnlessFading => Fire::UnlessFading,
    });
    Event { payload: event.payload.to_string(), fire, ..Event::new(event.time, &*event.name) }
}

fn track<T: Key, const N: usize>(
    source: &Option<xnb::Track>,
    keys: &KeysV2,
    budget: &Budget<'_>,
    place: &dyn Fn() -> String,
    value: fn([f32; N]) -> T,
) -> Result<Option<Track<T>>, Cause> {
    let Some(source) = source else { return Ok(None) };
    let times = keys.tables.get(source.table as usize).cloned().unwrap_or_default();
    budget.keys(times.len() as u64)?;
    budget.memory((times.len() * (size_of::<T>() + size_of::<f32>())) as u64)?;
    let values = source.values.as_chunks::<N>().0.iter().map(|&numbers| value(numbers)).collect();
    let interpolation = if source.step { Interpolation::Step } else { Interpolation::Linear };
    let made = Track::new(times, values, interpolation);
    made.map(Some).map_err(|error| Cause::Track { error, place: place() })
}

/// Clips of the first version: matrices, which are taken apart.
pub(super) fn of_v1(data: &V1, rig: &Rig, budget: &Budget<'_>) -> Result<Vec<(ClipInfo, Clip)>, Cause> {
    let mut clips = Vec::new();
    for clip in &data.clips {
        budget.keys(clip.keys.len() as u64 * 3)?;
        budget.memory((clip.keys.len() * 2 * size_of::<(f32, Transform)>()) as u64)?;
        let mut bones: BTreeMap<u16, Vec<(f32, Transform)>> = BTreeMap::new();
        for key in &clip.keys {
            let Some(joint) = rig.of_bone(key.bone as usize) else { continue };
            let keys = bones.entry(joint).or_default();
            let time = (key.time as f64 / TICKS_PER_SECOND as f64) as f32;
            // Times that single precision does not tell apart: the last counts, as it does where they are.
            if keys.last().is_some_and(|(last, _)| *last == time) {
                keys.pop();
            }
            keys.push((time, transform(&key.local)));
        }
        let mut joints = Vec::with_capacity(bones.len());
        for (joint, keys) in bones {
            let wrong = |error| Cause::Track { error, place: format!("clip `{}`, joint {joint}", clip.name) };
            joints.push(JointTracks {
                joint,
                translation: Some(component(&keys, |t| t.translation).map_err(wrong)?),
                rotation: Some(component(&keys, |t| t.rotation).map_err(wrong)?),
                scale: Some(component(&keys, |t| t.scale).map_err(wrong)?),
            });
        }
        let duration = (clip.duration as f64 / TICKS_PER_SECOND as f64) as f32;
        clips.push((
            ClipInfo::from(clip.name.as_str()),
            Clip::new(clip.name.clone(), duration, joints, vec![])?,
        ));
    }
    Ok(clips)
}

/// One component of all keys; a value that never changes is one key.
fn component<T: Key + PartialEq>(
    keys: &[(f32, Transform)],
    of: fn(&Transform) -> T,
) -> Result<Track<T>, sinew::TrackError> {
    let same = keys.windows(2).all(|pair| matches!(pair, [(_, a), (_, b)] if of(a) == of(b)));
    let keys = if same { keys.get(..1).unwrap_or_default() } else { keys };
    let (times, values) = keys.iter().map(|(time, transform)| (*time, of(transform))).unzip();
    Track::new(times, values, Interpolation::Linear)
}
