//! Clips.

use super::Writer;
use super::buffer::{Element, Use, named, object};
use super::keys::Keys;
use super::mesh;
use super::nodes::{space_change, unit};
use glam::{Quat, Vec3};
use serde_json::{Value, json};
use sinew::{Clip, ClipInfo, Finding, Fire, Track, Transform};
use sinew_findings::catalogue::build as findings;
use sinew_findings::plural;
use std::collections::HashMap;

/// An animation that is being written.
struct Animation<'w, 'c> {
    writer: &'w mut Writer<'c>,
    duration: f32,
    channels: Vec<Channel>,
    /// Samplers often have the same times; they are written once.
    inputs: HashMap<Vec<u32>, usize>,
}

/// A channel before its keys are written.
struct Channel {
    node: usize,
    path: &'static str,
    keys: ChannelKeys,
}

enum ChannelKeys {
    Vector(Keys<Vec3>),
    Rotation(Keys<Quat>),
    /// All morph targets of one mesh: each key has a value per target.
    Weights {
        times: Vec<f32>,
        values: Vec<f32>,
        step: bool,
    },
}

pub(super) fn clip(writer: &mut Writer<'_>, info: &ClipInfo, clip: &Clip, meshes: &[mesh::Written]) {
    let mut animation =
        Animation { writer, duration: clip.duration(), channels: vec![], inputs: HashMap::new() };
    let keys = clip.to_keys(animation.writer.character.skeleton());
    animation.joints(&keys);
    animation.weights(&keys, clip.name(), meshes);
    animation.last_to_the_end();
    animation.finish(info, clip);
}

impl Animation<'_, '_> {
    fn joints(&mut self, keys: &sinew::Keys) {
        for tracks in keys.joints() {
            let node = usize::from(tracks.joint);
            if let Some(track) = &tracks.translation {
                self.push(node, "translation", ChannelKeys::Vector(Keys::new(track, self.duration)));
            }
            if let Some(track) = &tracks.rotation {
                self.push(node, "rotation", ChannelKeys::Rotation(Keys::new(track, self.duration)));
            }
            if let Some(track) = &tracks.scale {
                self.push(node, "scale", ChannelKeys::Vector(Keys::new(track, self.duration)));
            }
        }
    }

    fn push(&mut self, node: usize, path: &'static str, keys: ChannelKeys) {
        self.channels.push(Channel { node, path, keys });
    }

    /// The weights of a mesh are one channel, so the key times of all its scalars are joined.
    fn weights(&mut self, keys: &sinew::Keys, clip: &str, meshes: &[mesh::Written]) {
        let track = |scalar: u16| keys.scalars().iter().find(|t| t.scalar == scalar).map(|t| &t.track);
        for mesh in meshes.iter().filter(|mesh| mesh.scalars.iter().any(|&s| track(s).is_some())) {
            let keys = |&scalar: &u16| track(scalar).map(|track| Keys::new(track, self.duration));
            let mut all: Vec<Option<Keys<f32>>> = mesh.scalars.iter().map(keys).collect();
            let step = all.iter().flatten().all(|keys| keys.step);
            if !step {
                all = all.into_iter().map(|keys| keys.map(Keys::straight)).collect();
            }
            let mut times: Vec<f32> = all.iter().flatten().flat_map(|keys| keys.times.clone()).collect();
            times.sort_by(f32::total_cmp);
            times.dedup();
            let rests = self.writer.character.skeleton().rest().scalars();
            let value = |time: f32, keys: &Option<Keys<f32>>, scalar: u16| {
                keys.as_ref().and_then(|keys| keys.sample(time)).unwrap_or(rests[usize::from(scalar)])
            };
            let values = times.iter().flat_map(|&time| {
                all.iter().zip(&mesh.scalars).map(move |(keys, &scalar)| value(time, keys, scalar))
            });
            let values = values.collect();
            self.push(mesh.node, "weights", ChannelKeys::Weights { times, values, step });
        }
        let driven = |scalar: u16| meshes.iter().any(|mesh| mesh.scalars.contains(&scalar));
        let lost = keys.scalars().iter().filter(|track| !driven(track.scalar)).count();
        if lost > 0 {
            let message = format!(
                "{} no morph target, and glTF has no other place for that",
                plural(lost, "curve moves", "curves move")
            );
            let finding = Finding::new(&findings::CURVE_DROPPED, clip, message);
            self.writer.findings.push(finding.count(lost));
        }
    }

    /// A glTF animation ends at its last key, so one channel must have a key at the end of the clip.
    fn last_to_the_end(&mut self) {
        let last = |channel: &Channel| channel.keys.times().last().copied().unwrap_or(0.0);
        if self.channels.iter().any(|channel| last(channel) >= self.duration) {
            return;
        }
        let duration = self.duration;
        match self.channels.first_mut().map(|channel| &mut channel.keys) {
            Some(ChannelKeys::Vector(keys)) => keys.extend_to(duration),
            Some(ChannelKeys::Rotation(keys)) => keys.extend_to(duration),
            Some(ChannelKeys::Weights { times, values, .. }) => {
                let count = values.len() / times.len().max(1);
                values.extend_from_within(values.len() - count..);
                times.push(duration);
            }
            // A clip without channels has a duration too: the first joint gets keys at its rest.
            None => {
                let rest = self.writer.character.skeleton().rest().iter().next();
                if let Some(track) = rest.and_then(|rest| Track::constant(rest.translation).ok()) {
                    let mut keys = Keys::new(&track, duration);
                    keys.extend_to(duration);
                    self.push(0, "translation", ChannelKeys::Vector(keys));
                }
            }
        }
    }

    fn finish(mut self, info: &ClipInfo, clip: &Clip) {
        let channels = std::mem::take(&mut self.channels);
        if channels.is_empty() {
            let message = "it moves nothing, and there is no joint to keep it by; it was left out";
            self.writer.findings.push(Finding::new(&findings::CLIP_DROPPED, &info.name, message));
            return;
        }
        let samplers: Vec<Value> = channels.iter().map(|channel| self.sampler(&channel.keys)).collect();
        let channels = channels.iter().enumerate().map(|(sampler, channel)| {
            json!({ "sampler": sampler, "target": { "node": channel.node, "path": channel.path } })
        });
        let space = space_change(self.writer.character);
        let animation = object(json!({
            "name": named(&info.name),
            "channels": channels.collect::<Vec<_>>(),
            "samplers": samplers,
            "extras": extras(info, clip, &space),
        }));
        self.writer.animations.push(animation);
    }

    fn sampler(&mut self, keys: &ChannelKeys) -> Value {
        let input = self.input(keys.times());
        let (output, step) = match keys {
            ChannelKeys::Vector(keys) => (self.output(&keys.values), keys.step),
            ChannelKeys::Rotation(keys) => {
                let units: Vec<Quat> = keys.values.iter().map(|&q| unit(q)).collect();
                (self.output(&units), keys.step)
            }
            ChannelKeys::Weights { values, step, .. } => (self.output(values), *step),
        };
        let interpolation = if step { "STEP" } else { "LINEAR" };
        json!({ "input": input, "output": output, "interpolation": interpolation })
    }

    fn input(&mut self, times: &[f32]) -> usize {
        let key: Vec<u32> = times.iter().map(|t| t.to_bits()).collect();
        let buffer = &mut self.writer.buffer;
        *self.inputs.entry(key).or_insert_with(|| buffer.bounded(times, Use::Data))
    }

    fn output<T: Element>(&mut self, values: &[T]) -> usize {
        self.writer.buffer.accessor(values, Use::Data)
    }
}

impl ChannelKeys {
    fn times(&self) -> &[f32] {
        match self {
            Self::Vector(keys) => &keys.times,
            Self::Rotation(keys) => &keys.times,
            Self::Weights { times, .. } => times,
        }
    }
}

/// Data without a field in glTF, as `extras`.
fn extras(info: &ClipInfo, clip: &Clip, space: &Transform) -> Value {
    let ground_velocity = space.rotation * clip.ground_velocity() * space.scale;
    let events = clip.events().iter().map(|e| {
        let payload = Some(e.payload.as_str()).filter(|payload| !payload.is_empty());
        object(json!({ "time": e.time, "name": e.name, "payload": payload, "fire": e.fire.map(Fire::name) }))
    });
    let markers = clip.markers().iter().map(|m| json!({ "time": m.time, "name": m.name }));
    let moves = ground_velocity != Vec3::ZERO;
    let list = |list: Vec<Value>| if list.is_empty() { Value::Null } else { json!(list) };
    let extras = object(json!({
        "events": list(events.collect()),
        "markers": list(markers.collect()),
        "groundVelocity": moves.then(|| ground_velocity.to_array()),
        "sourceName": info.source_name.as_deref(),
        "semanticName": info.tag.as_deref(),
    }));
    if extras.as_object().is_some_and(serde_json::Map::is_empty) { Value::Null } else { extras }
}
