//! Times at which curves of a target have keys.

use crate::resample::{Curve, Knot};
use sinew::{Interpolation, Key, Keys, Track};
use std::collections::BTreeMap;

/// Times of keys of several tracks, and whether values may jump there.
#[derive(Default)]
pub(super) struct Knots {
    times: BTreeMap<u32, (f32, bool)>,
    tracks: usize,
}

impl Knots {
    pub(super) fn add_rotation(&mut self, keys: &Keys, joint: u16) {
        if let Some(track) = keys.joint(joint).and_then(|tracks| tracks.rotation.as_ref()) {
            self.add(track);
        }
    }

    pub(super) fn add_vectors(&mut self, keys: &Keys, joint: u16, scale: bool) {
        let Some(tracks) = keys.joint(joint) else { return };
        for track in tracks.translation.iter().chain(tracks.scale.iter().filter(|_| scale)) {
            self.add(track);
        }
    }

    fn add<T: Key + PartialEq>(&mut self, track: &Track<T>) {
        // What never changes bends nothing.
        if track.values().windows(2).all(|pair| matches!(pair, [a, b] if a == b)) {
            return;
        }
        self.tracks += 1;
        let steps = track.interpolation() == Interpolation::Step;
        let mut before = None;
        for &time in track.times() {
            self.time(time, steps || before == Some(time));
            before = Some(time);
        }
    }

    /// The times at which values may jump, and others.
    pub(super) fn jumps_and(mut self, times: impl Iterator<Item = f32>) -> Vec<Knot> {
        self.times.retain(|_, (_, jump)| *jump);
        times.for_each(|time| self.time(time, false));
        self.sorted()
    }

    fn time(&mut self, time: f32, jump: bool) {
        // Times are not negative, so their bits rise with them.
        let knot = self.times.entry(time.max(0.0).to_bits()).or_insert((time.max(0.0), false));
        knot.1 |= jump;
    }

    pub(super) fn sorted(self) -> Vec<Knot> {
        self.times.into_values().map(|(time, jump)| Knot { time: time.into(), jump }).collect()
    }

    /// Straight between the keys of a single track, if one is followed as it is.
    pub(super) fn curve(self, single: bool) -> Curve {
        let straight = single && self.tracks <= 1;
        if straight { Curve::Linear(self.sorted()) } else { Curve::Curved(self.sorted()) }
    }
}
