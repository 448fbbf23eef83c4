//! Sections `CLIP`, `EVTS`, `MRKS` and `TAGS`.

#![allow(clippy::indexing_slicing, reason = "indices run over the three parts of a record")]

use super::cursor::{Cursor, Pool};
use super::layout::{
    CLIP_HAS_SOURCE_INDEX, CLIP_HAS_SOURCE_NAME, CLIP_HAS_TAG, ClipHeader, ENCODING_FRAMES, ENCODING_RAW,
    EventRecord, EventsHeader, JointRecord, MODE_LOOP, MODE_ONCE, MODE_PING_PONG, MODE_TIMES, MODE_UNSAID,
    MarkersHeader, ScalarRecord, TagRecord, TagsHeader,
};
use super::{BundleError, Section};
use crate::keys::{Key, TrackError};
use crate::{
    Bytes, Clip, ClipInfo, Event, Fire, Interpolation, JointTracks, LoopMode, Marker, RootMotion,
    ScalarTrack, Skeleton, Text, Track, frames,
};
use glam::{Quat, Vec3};

/// Reads a clip for a skeleton. `file` are the bytes that the section lies in: frames stay there.
pub(crate) fn clip(section: Section<'_>, skeleton: &Skeleton, file: &Bytes) -> Result<Clip, BundleError> {
    let mut cursor = Cursor::within(section, file);
    let header: ClipHeader = cursor.record()?;
    let name = cursor.text()?;
    let wrong = |error| BundleError::Clip { place: section.place(), error };
    match header.encoding {
        ENCODING_RAW => {
            let keys = keys(section, &mut cursor, &header)?;
            cursor.finish()?;
            Clip::from_keys(name, header.duration, keys).map_err(wrong)
        }
        ENCODING_FRAMES => {
            let frames = frames::read(section, cursor, &header, skeleton, file)?;
            Clip::from_frames(name, header.duration, frames).map_err(wrong)
        }
        encoding => Err(BundleError::Encoding { place: section.place(), encoding }),
    }
}

/// Tracks as they are.
pub(crate) fn keys(
    section: Section<'_>,
    cursor: &mut Cursor<'_>,
    header: &ClipHeader,
) -> Result<crate::Keys, BundleError> {
    let joints = cursor.view::<JointRecord>(header.joints as usize)?;
    let scalars = cursor.view::<ScalarRecord>(header.scalars as usize)?;
    cursor.check(joints.iter().all(|j| j.steps < 8), "a joint has unknown flags")?;
    cursor.check(scalars.iter().all(|s| s.steps < 2), "a scalar has unknown flags")?;
    let mut keys = Keys::new(cursor, &joints, &scalars)?;
    let wrong = |error| BundleError::Track { place: section.place(), error };
    // With room for all from the start: results of unknown number would be collected by doubling.
    let (mut joint_tracks, mut scalar_tracks) =
        (Vec::with_capacity(joints.len()), Vec::with_capacity(scalars.len()));
    for record in &*joints {
        joint_tracks.push(keys.joint(record).map_err(wrong)?);
    }
    for record in &*scalars {
        scalar_tracks.push(keys.scalar(record).map_err(wrong)?);
    }
    crate::Keys::new(joint_tracks, scalar_tracks)
        .map_err(|error| BundleError::Clip { place: section.place(), error: error.into() })
}

/// The keys of all tracks, in the order of the records.
struct Keys<'a> {
    times: Pool<'a>,
    vectors: Pool<'a>,
    rotations: Pool<'a>,
    scalars: Pool<'a>,
}

impl<'a> Keys<'a> {
    fn new(
        cursor: &mut Cursor<'a>,
        joints: &[JointRecord],
        scalars: &[ScalarRecord],
    ) -> Result<Self, BundleError> {
        let sum = |part: usize| joints.iter().map(|j| u64::from(j.keys[part])).sum::<u64>();
        let (vectors, rotations) = (sum(0) + sum(2), sum(1));
        let scalars: u64 = scalars.iter().map(|s| u64::from(s.keys)).sum();
        let too_many = |_| cursor.wrong("it has too many keys");
        let times = usize::try_from(vectors + rotations + scalars).map_err(too_many)?;
        // None of them is more than `times`, which fits.
        let [vectors, rotations, scalars] = [vectors, rotations, scalars].map(|count| count as usize);
        Ok(Self {
            times: cursor.pool::<f32>(times)?,
            vectors: cursor.pool::<Vec3>(vectors)?,
            rotations: cursor.pool::<Quat>(rotations)?,
            scalars: cursor.pool::<f32>(scalars)?,
        })
    }

    fn joint(&mut self, record: &JointRecord) -> Result<JointTracks, TrackError> {
        let step = |part: u16| record.steps & (1 << part) != 0;
        let [translation, rotation, scale] = record.keys;
        Ok(JointTracks {
            joint: record.joint,
            translation: track(&mut self.times, &mut self.vectors, translation, step(0))?,
            rotation: track(&mut self.times, &mut self.rotations, rotation, step(1))?,
            scale: track(&mut self.times, &mut self.vectors, scale, step(2))?,
        })
    }

    fn scalar(&mut self, record: &ScalarRecord) -> Result<ScalarTrack, TrackError> {
        let track = track(&mut self.times, &mut self.scalars, record.keys, record.steps == 1)?;
        Ok(ScalarTrack { scalar: record.scalar, track: track.ok_or(TrackError::Empty)? })
    }
}

fn track<T: Key>(
    times: &mut Pool<'_>,
    values: &mut Pool<'_>,
    keys: u32,
    step: bool,
) -> Result<Option<Track<T>>, TrackError> {
    if keys == 0 {
        return Ok(None);
    }
    let interpolation = if step { Interpolation::Step } else { Interpolation::Linear };
    Track::from_buffers(times.take(keys as usize), values.take(keys as usize), interpolation).map(Some)
}

/// Fire modes in the order of their numbers, which count from one.
pub const FIRES: [Fire; 3] = [Fire::Always, Fire::Leader, Fire::UnlessFading];

pub(super) fn events(section: Section<'_>, clip: Clip) -> Result<Clip, BundleError> {
    let mut cursor = Cursor::new(section);
    let header: EventsHeader = cursor.record()?;
    cursor.zero(header.reserved)?;
    let count = header.events as usize;
    let records = cursor.view::<EventRecord>(count)?;
    let (names, payloads) = (cursor.texts(count)?, cursor.texts(count)?);
    cursor.check(records.is_sorted_by(|a, b| a.time <= b.time), "its events are not in order of time")?;
    let mut events = Vec::with_capacity(count);
    for (record, (name, payload)) in records.iter().zip(names.iter().zip(payloads.iter())) {
        let fire =
            numbered(&FIRES, record.fire).ok_or_else(|| cursor.wrong("an event has an unknown fire mode"))?;
        events.push(Event { time: record.time, name: name.to_owned(), payload: payload.to_owned(), fire });
    }
    cursor.finish()?;
    clip.with_events(events).map_err(|error| BundleError::Clip { place: section.place(), error })
}

pub(super) fn markers(section: Section<'_>, clip: Clip) -> Result<Clip, BundleError> {
    let mut cursor = Cursor::new(section);
    let header: MarkersHeader = cursor.record()?;
    cursor.zero(header.reserved)?;
    let times = cursor.view::<f32>(header.markers as usize)?;
    let names = cursor.texts(header.markers as usize)?;
    cursor.check(times.is_sorted(), "its markers are not in order of time")?;
    cursor.finish()?;
    let markers = times.iter().zip(names.iter()).map(|(&time, name)| Marker::new(time, name)).collect();
    clip.with_markers(markers).map_err(|error| BundleError::Clip { place: section.place(), error })
}

/// What a number that counts from one stands for; zero is none. `None` if it is unknown.
fn numbered<T: Copy>(all: &[T], number: u32) -> Option<Option<T>> {
    match number.checked_sub(1) {
        None => Some(None),
        Some(place) => all.get(place as usize).copied().map(Some),
    }
}

/// Modes of root motion in the order of their numbers, which count from one.
pub const ROOT_MOTIONS: [RootMotion; 3] = [RootMotion::Keep, RootMotion::InPlace, RootMotion::Extract];

fn mode(record: &TagRecord) -> Option<Option<LoopMode>> {
    match (record.mode, record.times) {
        (MODE_UNSAID, 0) => Some(None),
        (MODE_ONCE, 0) => Some(Some(LoopMode::Once)),
        (MODE_LOOP, 0) => Some(Some(LoopMode::Loop)),
        (MODE_PING_PONG, 0) => Some(Some(LoopMode::PingPong)),
        (MODE_TIMES, times) => Some(Some(LoopMode::Times(times))),
        _ => None,
    }
}

/// What is known about each clip; the names are filled in by the clips themselves.
pub(super) fn tags(section: Section<'_>, clips: u32, file: &Bytes) -> Result<Vec<ClipInfo>, BundleError> {
    let mut cursor = Cursor::within(section, file);
    let header: TagsHeader = cursor.record()?;
    cursor.zero(header.reserved)?;
    cursor.check(header.clips == clips, "its number of clips differs from the bundle's")?;
    let count = clips as usize;
    let records = cursor.view::<TagRecord>(count)?;
    let (source_names, tags) = (cursor.texts(count)?, cursor.texts(count)?);
    let names = source_names.texts().zip(tags.texts());
    let mut infos = Vec::with_capacity(count);
    for (record, (source_name, tag)) in records.iter().zip(names) {
        let known = CLIP_HAS_SOURCE_NAME | CLIP_HAS_TAG | CLIP_HAS_SOURCE_INDEX;
        cursor.check(record.flags & !known == 0, "a clip has unknown flags")?;
        let has = |bit| record.flags & bit != 0;
        let stray = (!has(CLIP_HAS_SOURCE_NAME) && !source_name.is_empty())
            || (!has(CLIP_HAS_TAG) && !tag.is_empty())
            || (!has(CLIP_HAS_SOURCE_INDEX) && record.source_index != 0);
        cursor.check(!stray, "a clip has values that its flags exclude")?;
        infos.push(ClipInfo {
            name: Text::default(),
            source_name: has(CLIP_HAS_SOURCE_NAME).then_some(source_name),
            tag: has(CLIP_HAS_TAG).then_some(tag),
            source_index: has(CLIP_HAS_SOURCE_INDEX).then_some(record.source_index),
            mode: mode(record).ok_or_else(|| cursor.wrong("a clip has an unknown loop mode"))?,
            root_motion: numbered(&ROOT_MOTIONS, record.root_motion.into())
                .ok_or_else(|| cursor.wrong("a clip has an unknown root motion"))?,
        });
    }
    cursor.finish()?;
    Ok(infos)
}
