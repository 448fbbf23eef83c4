//! What the voices passed in the last advance.

use super::{Mixer, Voice, VoiceId};
use crate::{Event, Fire};

/// An event that a voice passed. Its name and payload can be asked for as of the event itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fired<'a> {
    /// The event.
    pub event: &'a Event,
    /// Who passed it.
    pub voice: VoiceId,
    /// What the voice counted within its layer at that moment, from 0 to 1.
    pub weight: f32,
}

impl std::ops::Deref for Fired<'_> {
    type Target = Event;

    fn deref(&self) -> &Event {
        self.event
    }
}

impl Mixer {
    /// Events that the last advance passed: voice by voice, each in the order in which it passed them. Every event comes once for
    /// each time that it was passed, however time is cut into updates, for as long as its voice is heard.
    pub fn events(&self) -> impl Iterator<Item = Fired<'_>> {
        self.voices.iter().flat_map(Voice::fired)
    }
}

impl Voice {
    fn fired(&self) -> impl Iterator<Item = Fired<'_>> {
        let passed = self.playback.passings(self.clip.events());
        passed.filter(|(_, event)| self.fires(event)).map(|(part, event)| {
            let weight = self.share_before + (self.share - self.share_before) * part as f32;
            Fired { event, voice: self.id, weight }
        })
    }

    fn fires(&self, event: &Event) -> bool {
        match event.fire.unwrap_or(Fire::Always) {
            // A voice outside a sync group leads itself.
            Fire::Always | Fire::Leader => true,
            Fire::UnlessFading => !self.is_fading,
        }
    }
}
