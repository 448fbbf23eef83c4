//! What the voices passed in the last advance.

use super::source::Part;
use super::{Mixer, Voice, VoiceId};
use crate::{Event, Fire};

/// An event that a voice passed. Its name and payload can be asked for as of the event itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fired<'a> {
    /// The event.
    pub event: &'a Event,
    /// Who passed it.
    pub voice: VoiceId,
    /// What its clip counted within the layer at that moment, from 0 to 1.
    pub weight: f32,
    /// When it was passed, as a part of the time for which its voice was heard in the advance: from 0 to 1.
    pub at: f64,
}

impl std::ops::Deref for Fired<'_> {
    type Target = Event;

    fn deref(&self) -> &Event {
        self.event
    }
}

impl Mixer {
    /// Events that the last advance passed: voice by voice, each in the order in which it passed them ([`Fired::at`] says when). Every event comes once for
    /// each time that it was passed, however time is cut into updates, for as long as its voice is heard.
    ///
    /// Of voices that are kept in step (in a [`SyncGroup`](crate::SyncGroup), or within a blend space) only the one that leads fires, unless the event says
    /// otherwise ([`Event::fire`]).
    pub fn events(&self) -> impl Iterator<Item = Fired<'_>> {
        self.voices.iter().flat_map(|voice| voice.parts().flat_map(move |part| voice.fired(part)))
    }
}

impl Voice {
    fn fired<'a>(&'a self, part: Part<'a>) -> impl Iterator<Item = Fired<'a>> {
        let passed = part.playback.passings(part.clip.events());
        passed.filter(move |(_, event)| self.fires(&part, event)).map(move |(at, event)| {
            let weight = self.share_before + (self.share - self.share_before) * at as f32;
            Fired { event, voice: self.id, weight: weight * part.weight, at }
        })
    }

    fn fires(&self, part: &Part<'_>, event: &Event) -> bool {
        let is_synced = self.group.is_some() || self.source.is_synced();
        match event.fire.unwrap_or(if is_synced { Fire::Leader } else { Fire::Always }) {
            Fire::Always => true,
            Fire::Leader => {
                let leads_space = !self.source.is_synced() || part.slot == usize::from(self.leading_part);
                // One that is in step with none leads itself.
                self.is_leader && leads_space
            }
            Fire::UnlessFading => !self.is_fading,
        }
    }
}
