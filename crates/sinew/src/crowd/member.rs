//! One of a crowd: its voices, and when it is posed.

use crate::{Character, Mixer};
use std::sync::Arc;

/// One of a [`Crowd`](super::Crowd): its voices, whether it is seen, and how often it is posed.
#[derive(Clone, Debug)]
pub struct Member {
    pub(super) mixer: Mixer,
    visible: bool,
    /// Whether it was hidden when its turn came, or never had one: it is posed as soon as it is seen.
    missed: bool,
    every: u16,
    pub(super) task: Task,
    /// Whether the last [`Crowd::pose`](super::Crowd::pose) gave it other matrices.
    pub(super) renewed: bool,
    /// Where its matrices lie.
    pub(super) slot: u32,
}

/// What is to be done for a member in this frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Task {
    /// Its matrices stay, or are those of a shared pose.
    Nothing,
    /// Its voices are mixed.
    Mix,
    /// One voice makes its pose, and is sampled at a time that may be a little off its clock.
    Sample { voice: usize, time: f64 },
}

impl Member {
    pub(super) fn new(character: &Arc<Character>, voices: usize, slot: usize) -> Self {
        Self {
            mixer: Mixer::new(character.clone(), voices),
            visible: true,
            missed: true,
            every: 1,
            task: Task::Nothing,
            renewed: false,
            slot: slot as u32,
        }
    }

    /// Its voices, their events and their root motion.
    pub fn mixer(&self) -> &Mixer {
        &self.mixer
    }

    /// Its voices, to play clips with.
    pub fn mixer_mut(&mut self) -> &mut Mixer {
        &mut self.mixer
    }

    /// Whether it is posed at all; it is by default. The clocks of a hidden member run on, and its events fire. Once it is visible again, it is posed
    /// without waiting for its turn.
    pub fn set_visible(&mut self, visible: bool) {
        self.visible = visible;
    }

    /// Whether it is posed at all.
    pub fn is_visible(&self) -> bool {
        self.visible
    }

    /// Poses it in every `frames`-th frame only: in each by default, and less often where it is far away. Neighbours take turns, so that each frame has
    /// its share of the work. Its clocks run on in between. Zero counts as one.
    pub fn set_every(&mut self, frames: u16) {
        self.every = frames.max(1);
    }

    /// In every how many frames it is posed.
    pub fn every(&self) -> u16 {
        self.every
    }

    /// Whether it is to be posed now, as the member of some number in a crowd.
    pub(super) fn is_due(&mut self, number: usize, frame: u64) -> bool {
        let is_turn = (frame + number as u64).is_multiple_of(self.every.into());
        if !self.visible {
            self.missed |= is_turn;
            return false;
        }
        std::mem::take(&mut self.missed) || is_turn
    }
}
