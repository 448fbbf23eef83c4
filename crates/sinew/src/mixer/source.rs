//! What a voice plays: a clip, or a blend space of several.

use crate::blend_space::{BlendSpace, Members};
use crate::{Clip, Playback, SyncMode, Travel};
use glam::Vec2;
use std::sync::Arc;

/// Most clips that one voice plays at once: the corners of a triangle.
pub(super) const MOST_PARTS: usize = 3;

#[derive(Clone, Debug)]
pub(super) enum Source {
    Clip { clip: Arc<Clip>, travel: Travel },
    Space { space: Arc<BlendSpace>, members: Members },
}

/// A clip that a voice plays, and its share of the voice.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    /// Number of the part: while a clip counts it keeps its number.
    pub(super) slot: usize,
    pub(super) clip: &'a Clip,
    pub(super) travel: &'a Travel,
    pub(super) weight: f32,
    /// Its own clock.
    pub(super) playback: Playback,
    /// Seconds of the clip that go by in one second, at a speed of one.
    pub(super) rate: f64,
}

impl Source {
    /// The clip, or the first of the space, which the phase of the space is that of.
    pub(super) fn reference(&self) -> &Arc<Clip> {
        match self {
            Self::Clip { clip, .. } => clip,
            Self::Space { space, .. } => space.clip(0),
        }
    }

    /// Length of one turn of the voice's clock, in units of that clock.
    pub(super) fn turn(&self) -> f64 {
        match self {
            Self::Clip { clip, .. } => f64::from(clip.duration()),
            Self::Space { .. } => 1.0,
        }
    }

    /// Seconds that a unit of the voice's clock takes.
    pub(super) fn unit(&self) -> f64 {
        match self {
            Self::Clip { .. } => 1.0,
            Self::Space { space, members } => space.period(members),
        }
    }

    /// Moves within the blend space. Clips that go on counting keep their number.
    pub(super) fn set_parameter(&mut self, at: Vec2) {
        let Self::Space { space, members } = self else { return };
        let new = space.members(at);
        for old in members.iter_mut() {
            old.1 = new.iter().filter(|(member, _)| *member == old.0).map(|(_, weight)| weight).sum();
        }
        // A clip may stand twice, as a filler without weight: it counts once.
        for i in 1..MOST_PARTS {
            if members[..i].iter().any(|other| other.0 == members[i].0) {
                members[i].1 = 0.0;
            }
        }
        for (member, weight) in new.into_iter().filter(|(_, weight)| *weight > 0.0) {
            if members.iter().any(|old| old.0 == member && old.1 > 0.0) {
                continue;
            }
            if let Some(free) = members.iter_mut().find(|old| old.1 == 0.0) {
                *free = (member, weight);
            }
        }
    }

    /// The heaviest clip.
    pub(super) fn leader(&self) -> usize {
        match self {
            Self::Clip { .. } => 0,
            Self::Space { members, .. } => {
                (0..MOST_PARTS).fold(0, |best, i| if members[i].1 > members[best].1 { i } else { best })
            }
        }
    }

    /// Number of the clips that count.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Clip { .. } => 1,
            Self::Space { members, .. } => members.iter().filter(|(_, weight)| *weight > 0.0).count(),
        }
    }

    pub(super) fn part(&self, slot: usize, clock: &Playback) -> Option<Part<'_>> {
        match self {
            Self::Clip { clip, travel } => {
                (slot == 0).then_some(Part { slot, clip, travel, weight: 1.0, playback: *clock, rate: 1.0 })
            }
            Self::Space { space, members } => {
                let (member, weight) = *members.get(slot)?;
                let clip = space.clip(member);
                let positions = clock.positions().map(|position| space.time_of(member, position));
                let playback = clock.driven(clip.duration().into(), positions);
                let rate = match space.sync() {
                    SyncMode::None => 1.0,
                    SyncMode::Phase | SyncMode::Markers => f64::from(clip.duration()) / space.period(members),
                };
                Some(Part { slot, clip, travel: space.travel(member), weight, playback, rate })
            }
        }
    }

    /// Whether several clips of it are kept in step.
    pub(super) fn is_synced(&self) -> bool {
        matches!(self, Self::Space { space, .. } if space.sync() != SyncMode::None)
    }
}
