//! A clip of the layout in chunks.

use super::moments::{self, Event, Marker};
use super::v2::count_chunks;
use crate::cursor::{Cursor, Item};
use crate::error::{XnbError, invalid};
use crate::output::Output;

const HEAD: [u8; 4] = *b"HEAD";
const KEYS: [u8; 4] = *b"KEYS";
const TRAV: [u8; 4] = *b"TRAV";
const EVNT: [u8; 4] = *b"EVNT";
const FIRE: [u8; 4] = *b"FIRE";
const MARK: [u8; 4] = *b"MARK";

/// What happens at the end of a clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopMode {
    /// Stop.
    Once,
    /// Start over.
    Loop,
    /// Turn round at either end.
    PingPong,
    /// Play so many times.
    Times(u32),
}

/// What becomes of a clip's travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootMotion {
    /// The pose travels.
    Keep,
    /// Travel is taken out.
    InPlace,
    /// Travel is taken out and handed to the game.
    Extract,
}

/// How far the model has gone at each time.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Travel {
    /// Seconds from the start, rising.
    pub times: Vec<f32>,
    /// Displacements from where it started.
    pub displacements: Vec<[f32; 3]>,
}

/// Keys of one component of a bone: three numbers each, or four for a rotation.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Which of [`KeysV2::tables`] has its times.
    pub table: u32,
    /// Whether a value holds until the next key.
    pub step: bool,
    /// Numbers of all keys, key after key.
    pub values: Box<[f32]>,
}

/// What moves one bone.
#[derive(Clone, Debug, PartialEq)]
pub struct BoneTracks {
    /// Index of the bone.
    pub bone: u16,
    /// Keys of its translation.
    pub translation: Option<Track>,
    /// Keys of its rotation.
    pub rotation: Option<Track>,
    /// Keys of its scale.
    pub scale: Option<Track>,
}

/// Tracks of bones, with the times that they share.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct KeysV2 {
    /// Lists of times, each rising; two keys at one time are a jump.
    pub tables: Vec<Vec<f32>>,
    /// The tracks, in rising order of bones.
    pub bones: Vec<BoneTracks>,
}

/// Keys, by how they are encoded.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Keys {
    /// As they are.
    Plain(KeysV2),
    /// In an encoding that this version does not know.
    Unknown(u8),
}

/// A clip.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipV2 {
    /// Its name.
    pub name: String,
    /// What it is for; empty if that is not said.
    pub tag: String,
    /// Seconds that it lasts.
    pub duration: f32,
    /// What happens at its end.
    pub loop_mode: LoopMode,
    /// What becomes of its travel.
    pub root_motion: RootMotion,
    /// Its keys.
    pub keys: Keys,
    /// Its travel, where that is taken out.
    pub travel: Option<Travel>,
    /// Its events, in order of time.
    pub events: Vec<Event>,
    /// Its markers, in order of time.
    pub markers: Vec<Marker>,
}

impl BoneTracks {
    /// The three components, with the number of floats that a key of each takes.
    pub fn components(&self) -> [(Option<&Track>, usize); 3] {
        [(self.translation.as_ref(), 3), (self.rotation.as_ref(), 4), (self.scale.as_ref(), 3)]
    }
}

impl ClipV2 {
    pub(super) fn validate(&self, bones: usize) -> Result<(), XnbError> {
        let wrong = |what: String| Err(invalid(format!("clip `{}`: {what}", self.name)));
        if !(self.duration.is_finite() && self.duration >= 0.0) {
            return wrong(format!("lasts {} s", self.duration));
        }
        if let Some(travel) = &self.travel {
            let rising =
                travel.times.is_sorted_by(|a, b| a < b) && travel.times.iter().all(|t| t.is_finite());
            if travel.times.len() != travel.displacements.len() || travel.times.is_empty() || !rising {
                return wrong("has travel that cannot be used".to_owned());
            }
        }
        moments::check("event", self.event_times(), self.duration).or_else(wrong)?;
        moments::check("marker", self.marker_times(), self.duration).or_else(wrong)?;
        match &self.keys {
            Keys::Plain(keys) => keys.check(bones).or_else(wrong),
            Keys::Unknown(_) => Ok(()),
        }
    }

    fn event_times(&self) -> impl ExactSizeIterator<Item = (f32, &str)> + Clone {
        self.events.iter().map(|event| (event.time, &*event.name))
    }

    fn marker_times(&self) -> impl ExactSizeIterator<Item = (f32, &str)> + Clone {
        self.markers.iter().map(|marker| (marker.time, &*marker.name))
    }

    pub(super) fn write(&self, output: &mut Output) -> Result<(), XnbError> {
        output.chunk(HEAD, |head| {
            head.string(&self.name)?;
            head.string(&self.tag)?;
            head.f32(self.duration);
            let (mode, times) = match self.loop_mode {
                LoopMode::Once => (0, 0),
                LoopMode::Loop => (1, 0),
                LoopMode::PingPong => (2, 0),
                LoopMode::Times(times) => (3, times),
            };
            head.u8(mode);
            head.packed(times);
            head.u8(match self.root_motion {
                RootMotion::Keep => 0,
                RootMotion::InPlace => 1,
                RootMotion::Extract => 2,
            });
            Ok(())
        })?;
        let Keys::Plain(keys) = &self.keys else {
            return Err(invalid(format!("clip `{}`: its keys are in an unknown encoding", self.name)));
        };
        output.chunk(KEYS, |chunk| keys.write(chunk))?;
        if let Some(travel) = &self.travel {
            output.chunk(TRAV, |chunk| {
                chunk.u8(0);
                chunk.packed_count("keys of travel", travel.times.len())?;
                chunk.floats(&travel.times);
                travel.displacements.iter().for_each(|way| chunk.floats(way));
                Ok(())
            })?;
        }
        if !self.events.is_empty() {
            output.chunk(EVNT, |chunk| moments::write("events", self.event_times(), chunk))?;
        }
        if self.events.iter().any(|event| event.fire.is_some() || !event.payload.is_empty()) {
            output.chunk(FIRE, |chunk| moments::write_more(&self.events, chunk))?;
        }
        if !self.markers.is_empty() {
            output.chunk(MARK, |chunk| moments::write("markers", self.marker_times(), chunk))?;
        }
        Ok(())
    }

    pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Self, XnbError> {
        for id in [HEAD, KEYS] {
            if count_chunks(cursor.clone(), id)? != 1 {
                return Err(cursor.wrong(format!("a clip needs one chunk `{}`", id.escape_ascii())));
            }
        }
        let mut clip = Self {
            name: String::new(),
            tag: String::new(),
            duration: 0.0,
            loop_mode: LoopMode::Once,
            root_motion: RootMotion::Keep,
            keys: Keys::Plain(KeysV2::default()),
            travel: None,
            events: Vec::new(),
            markers: Vec::new(),
        };
        while cursor.left() > 0 {
            let id = cursor.id("a chunk")?;
            let length = cursor.u32("the length of a chunk")? as usize;
            cursor.within("a chunk", length, |chunk| match id {
                HEAD => clip.read_head(chunk),
                KEYS => read_keys(chunk).map(|keys| clip.keys = keys),
                TRAV => read_travel(chunk).map(|travel| clip.travel = travel),
                EVNT => moments::read(chunk, "events", |time, name| Event { time, name, ..Event::default() })
                    .map(|events| clip.events = events),
                FIRE => moments::read_more(chunk, &mut clip.events),
                MARK => moments::read(chunk, "markers", |time, name| Marker { time, name })
                    .map(|markers| clip.markers = markers),
                _ => Ok(()),
            })?;
        }
        Ok(clip)
    }

    fn read_head(&mut self, head: &mut Cursor<'_>) -> Result<(), XnbError> {
        self.name = head.string("the name of a clip")?;
        self.tag = head.string("the tag of a clip")?;
        self.duration = head.f32("the duration of a clip")?;
        let mode = head.u8("a loop mode")?;
        let times = head.packed("the passes of a loop")?;
        self.loop_mode = match mode {
            0 => LoopMode::Once,
            1 => LoopMode::Loop,
            2 => LoopMode::PingPong,
            3 => LoopMode::Times(times),
            other => return Err(head.wrong(format!("there is no loop mode {other}"))),
        };
        self.root_motion = match head.u8("a root motion mode")? {
            0 => RootMotion::Keep,
            1 => RootMotion::InPlace,
            2 => RootMotion::Extract,
            other => return Err(head.wrong(format!("there is no root motion mode {other}"))),
        };
        Ok(())
    }
}

fn read_travel(chunk: &mut Cursor<'_>) -> Result<Option<Travel>, XnbError> {
    if chunk.u8("the kind of travel")? != 0 {
        return Ok(None);
    }
    let count = chunk.packed("the number of keys of travel")? as usize;
    let times =
        chunk.items(count, &Item { what: "times of travel", least: 16 }, |chunk| chunk.f32("a time"))?;
    let item = Item { what: "travel", least: 12 };
    let displacements = chunk.items(count, &item, |chunk| chunk.floats("travel"))?;
    Ok(Some(Travel { times, displacements }))
}

fn read_keys(chunk: &mut Cursor<'_>) -> Result<Keys, XnbError> {
    match chunk.u8("the encoding of keys")? {
        0 => KeysV2::read(chunk).map(Keys::Plain),
        other => Ok(Keys::Unknown(other)),
    }
}

impl KeysV2 {
    /// Bits of a component in the byte that says which there are.
    const LINEAR: u8 = 1;
    const STEP: u8 = 2;

    fn check(&self, bones: usize) -> Result<(), String> {
        for times in &self.tables {
            let rising = times.is_sorted_by(|a, b| a <= b)
                && times.windows(3).all(|w| matches!(w, [a, _, c] if a < c));
            if times.is_empty() || !rising || !times.iter().all(|t| t.is_finite()) {
                return Err("key times do not rise".to_owned());
            }
        }
        if !self.bones.is_sorted_by(|a, b| a.bone < b.bone) {
            return Err("tracks are not in rising order of bones".to_owned());
        }
        for tracks in &self.bones {
            if usize::from(tracks.bone) >= bones {
                return Err(format!("moves bone {}, and there are {bones}", tracks.bone));
            }
            if tracks.components().iter().all(|(track, _)| track.is_none()) {
                return Err(format!("moves nothing of bone {}", tracks.bone));
            }
            for (track, width) in tracks.components() {
                let Some(track) = track else { continue };
                let times = self.tables.get(track.table as usize).map(Vec::len);
                if times.and_then(|times| times.checked_mul(width)) != Some(track.values.len()) {
                    return Err(format!(
                        "bone {} has a track whose times and values differ in number",
                        tracks.bone
                    ));
                }
            }
        }
        Ok(())
    }

    fn write(&self, chunk: &mut Output) -> Result<(), XnbError> {
        chunk.u8(0);
        chunk.packed_count("tables of times", self.tables.len())?;
        for times in &self.tables {
            chunk.packed_count("keys", times.len())?;
            chunk.floats(times);
        }
        chunk.packed_count("bones with keys", self.bones.len())?;
        for tracks in &self.bones {
            chunk.packed(tracks.bone.into());
            let bits = |track: Option<&Track>| match track {
                None => 0,
                Some(track) if track.step => Self::STEP,
                Some(_) => Self::LINEAR,
            };
            let components = tracks.components();
            let flags = components.iter().zip([0, 2, 4]).map(|((track, _), shift)| bits(*track) << shift);
            chunk.u8(flags.fold(0, |all, bits| all | bits));
            for track in components.iter().filter_map(|(track, _)| *track) {
                chunk.packed(track.table);
                chunk.floats(&track.values);
            }
        }
        Ok(())
    }

    fn read(chunk: &mut Cursor<'_>) -> Result<Self, XnbError> {
        let count = chunk.packed("the number of tables of times")? as usize;
        let tables = chunk.items(count, &Item { what: "tables of times", least: 5 }, |chunk| {
            let count = chunk.packed("the number of keys")? as usize;
            chunk.items(count, &Item { what: "times of keys", least: 4 }, |chunk| chunk.f32("a time"))
        })?;
        let count = chunk.packed("the number of bones with keys")? as usize;
        let bones = chunk.items(count, &Item { what: "bones with keys", least: 15 }, |chunk| {
            let bone = chunk.packed("a bone")?;
            let bone = u16::try_from(bone).map_err(|_| chunk.wrong(format!("there is no bone {bone}")))?;
            let flags = chunk.u8("the components of a bone")?;
            if flags >> 6 != 0 {
                return Err(chunk.wrong("a bone has more than three components"));
            }
            let mut track = |shift: u8, width: usize| read_track(chunk, (flags >> shift) & 3, width, &tables);
            Ok(BoneTracks { bone, translation: track(0, 3)?, rotation: track(2, 4)?, scale: track(4, 3)? })
        })?;
        Ok(Self { tables, bones })
    }
}

fn read_track(
    chunk: &mut Cursor<'_>,
    bits: u8,
    width: usize,
    tables: &[Vec<f32>],
) -> Result<Option<Track>, XnbError> {
    let step = match bits {
        0 => return Ok(None),
        KeysV2::LINEAR => false,
        KeysV2::STEP => true,
        _ => return Err(chunk.wrong("a track is neither linear nor stepped")),
    };
    let table = chunk.packed("the times of a track")?;
    let times = tables.get(table as usize);
    let times = times.ok_or_else(|| chunk.wrong(format!("there is no table of times {table}")))?.len();
    let count = times.saturating_mul(width);
    let values = chunk.items(count, &Item { what: "keys", least: 4 }, |chunk| chunk.f32("a key"))?;
    Ok(Some(Track { table, step, values: values.into() }))
}

#[cfg(test)]
mod tests;
