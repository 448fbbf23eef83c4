//! A blend space made of clips that were chosen, and the place in it.

use super::{Base, Show};
use sinew::{BlendSpace, BlendSpaceError, LoopMode, PlayOptions, SyncMode};
use std::sync::Arc;

/// A clip of a blend space, and its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PadPoint {
    /// Index of the clip.
    pub clip: usize,
    /// Where it is; on a line the second number does not count.
    pub at: [f32; 2],
}

/// A change of the blend space.
#[derive(Clone, Debug, PartialEq)]
pub enum PadChange {
    /// Adds a clip at a place.
    Add(PadPoint),
    /// Takes one away.
    Remove(usize),
    /// Moves one.
    Move(usize, [f32; 2]),
    /// A plane, or a line.
    Plane(bool),
    /// Goes to a place.
    At([f32; 2]),
    /// Plays it.
    Play,
}

/// A blend space of chosen clips.
#[derive(Clone, Debug, Default)]
pub struct Pad {
    points: Vec<PadPoint>,
    plane: bool,
    at: [f32; 2],
    space: Option<Arc<BlendSpace>>,
}

impl Pad {
    /// The clips and their places.
    pub fn points(&self) -> &[PadPoint] {
        &self.points
    }

    /// Whether it is a plane.
    pub fn is_plane(&self) -> bool {
        self.plane
    }

    /// The place in it.
    pub fn at(&self) -> [f32; 2] {
        self.at
    }

    /// The blend space; none while there are no clips.
    pub fn space(&self) -> Option<&Arc<BlendSpace>> {
        self.space.as_ref()
    }

    /// What each clip counts at the place.
    pub fn weights(&self) -> Vec<f32> {
        let mut weights = vec![0.0; self.points.len()];
        if let Some(space) = &self.space {
            for (member, weight) in space.members(self.at) {
                weights[usize::from(member)] += weight;
            }
        }
        weights
    }

    fn change(&mut self, change: &PadChange) {
        match *change {
            PadChange::Add(point) => {
                self.points.push(point);
                if self.points.len() == 1 {
                    self.at = point.at;
                }
            }
            PadChange::Remove(number) if number < self.points.len() => {
                self.points.remove(number);
            }
            PadChange::Move(number, at) => {
                if let Some(point) = self.points.get_mut(number) {
                    point.at = at;
                }
            }
            PadChange::Plane(plane) => self.plane = plane,
            PadChange::At(at) => self.at = at,
            PadChange::Play | PadChange::Remove(_) => {}
        }
    }
}

impl Show {
    /// Changes the blend space, and plays it. On an error everything stays as it was.
    pub fn change_pad(&mut self, change: &PadChange) -> Result<(), String> {
        if let (PadChange::At(at), Base::Space(voice)) = (change, self.base) {
            self.pad.at = *at;
            self.mixer.set_parameter(voice, *at);
            self.refresh();
            return Ok(());
        }
        let mut pad = self.pad.clone();
        pad.change(change);
        pad.space = self.space_of(&pad)?;
        match &pad.space {
            Some(space) => self.play_space(Arc::clone(space), pad.at)?,
            None => self.leave_space(),
        }
        self.pad = pad;
        self.set_speed(self.options.speed);
        self.refresh();
        Ok(())
    }

    /// The blend space of another show, whose clips may have other numbers here; those that are gone are left out.
    pub fn take_pad(&mut self, other: &Self, clip: impl Fn(usize) -> Option<usize>) {
        let points = other.pad.points.iter();
        let points =
            points.filter_map(|point| Some(PadPoint { clip: clip(point.clip)?, ..*point })).collect();
        let mut pad = Pad { points, space: None, ..other.pad };
        // What cannot be made any more is left for the next change to tell.
        pad.space = self.space_of(&pad).unwrap_or_default();
        self.pad = pad;
        if other.plays_space() {
            let _ = self.change_pad(&PadChange::Play);
        }
    }

    /// In step by markers where all clips have the same, else by phase.
    fn space_of(&self, pad: &Pad) -> Result<Option<Arc<BlendSpace>>, String> {
        let character = self.character();
        let point = |point: &PadPoint| {
            let at = if pad.plane { point.at } else { [point.at[0], 0.0] };
            character.clips().get(point.clip).map(|clip| (at, clip)).map_err(|error| error.to_string())
        };
        let points = pad.points.iter().map(point).collect::<Result<Vec<_>, _>>()?;
        if points.is_empty() {
            return Ok(None);
        }
        let space = match BlendSpace::plane(character, points.clone(), SyncMode::Markers) {
            Err(BlendSpaceError::Markers { .. }) => BlendSpace::plane(character, points, SyncMode::Phase),
            made => made,
        };
        space.map(|space| Some(Arc::new(space))).map_err(|error| error.to_string())
    }

    fn play_space(&mut self, space: Arc<BlendSpace>, at: [f32; 2]) -> Result<(), String> {
        let (was_space, phase) = match self.base {
            Base::Space(voice) => (true, self.mixer.voice(voice).map_or(0.0, |voice| voice.phase())),
            _ => (false, 0.0),
        };
        // Another form of the same space takes over at once, at the same phase.
        let crossfade = if was_space { 0.0 } else { self.crossfade() };
        let play = PlayOptions { crossfade, mode: Some(LoopMode::Loop), ..self.options.play() };
        let voice = self.mixer.play_space(space, play).map_err(|error| error.to_string())?;
        self.mixer.set_parameter(voice, at);
        self.mixer.seek(voice, phase);
        self.leave_machine();
        self.base = Base::Space(voice);
        Ok(())
    }

    /// Without clips it ends where it plays.
    fn leave_space(&mut self) {
        if self.plays_space() {
            self.mixer.stop(Some(0));
            self.base = Base::Rest;
        }
    }
}
