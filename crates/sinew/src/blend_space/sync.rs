//! Clips kept in step: which time of one belongs to which time of another.

use super::BlendSpaceError;
use crate::{Clip, Marker};

/// How clips that play together are kept in step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "toml", derive(serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum SyncMode {
    /// By their markers: each stretch between two markers of one clip takes as long as that of the others, so that feet touch the ground together.
    #[default]
    Markers,
    /// By their length: half of one clip is half of the other.
    Phase,
    /// Not at all: each at its own time.
    None,
}

/// From the phase of a reference clip (0 to 1) to that of another: straight between markers. One turn of one is one turn of the other.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Warp {
    /// Phase of the reference, and of the clip, at each marker; both rise, the second perhaps beyond one.
    knots: Box<[(f64, f64)]>,
}

impl Warp {
    /// Fails if both have to have the same markers and do not.
    pub(crate) fn new(first: &Clip, clip: &Clip, sync: SyncMode) -> Result<Self, BlendSpaceError> {
        let knots = match sync {
            SyncMode::None | SyncMode::Phase => Vec::new(),
            SyncMode::Markers => knots(first, clip).ok_or_else(|| BlendSpaceError::Markers {
                clip: clip.name().to_owned(),
                first: first.name().to_owned(),
                own: listed(clip.markers()),
                wanted: listed(first.markers()),
            })?,
        };
        Ok(Self { knots: knots.into() })
    }

    /// Turns of the clip at so many turns of the reference.
    pub(crate) fn time(&self, position: f64) -> f64 {
        map(&self.knots, position)
    }
}

/// The same straight from the markers of two clips that are in one sync group; by phase where they do not match.
pub(crate) fn follow(leader: &Clip, follower: &Clip, phase: f64) -> f64 {
    let (from, to) = (leader.markers(), follower.markers());
    let Some(shift) = shift(from, to) else { return phase };
    let knot = |k: usize| knot(leader, follower, shift, k);
    let count = from.len();
    // The stretch in which the phase lies; the one behind the last marker goes on to the first.
    let next = (0..count).find(|&k| knot(k).0 > phase).unwrap_or(count);
    let before = if next == 0 { turned(knot(count - 1), -1.0) } else { knot(next - 1) };
    let after = if next == count { turned(knot(0), 1.0) } else { knot(next) };
    between(before, after, phase)
}

fn turned((a, b): (f64, f64), turns: f64) -> (f64, f64) {
    (a + turns, b + turns)
}

fn between(before: (f64, f64), after: (f64, f64), at: f64) -> f64 {
    let length = after.0 - before.0;
    if length <= 0.0 { after.1 } else { before.1 + (after.1 - before.1) * ((at - before.0) / length) }
}

fn knots(first: &Clip, clip: &Clip) -> Option<Vec<(f64, f64)>> {
    let shift = shift(first.markers(), clip.markers())?;
    Some((0..first.markers().len()).map(|k| knot(first, clip, shift, k)).collect())
}

/// When a marker comes in one clip, and when in another whose markers are turned against those of the first.
fn knot(first: &Clip, clip: &Clip, shift: usize, k: usize) -> (f64, f64) {
    let (own, other) = (first.markers(), clip.markers());
    let turn = (k + shift) / other.len();
    (part(first, &own[k]), part(clip, &other[(k + shift) % other.len()]) + turn as f64)
}

fn map(knots: &[(f64, f64)], position: f64) -> f64 {
    let (Some(&first), Some(&last)) = (knots.first(), knots.last()) else { return position };
    let turn = position.floor();
    let phase = position - turn;
    let next = knots.partition_point(|knot| knot.0 <= phase);
    let before = if next == 0 { turned(last, -1.0) } else { knots[next - 1] };
    let after = if next == knots.len() { turned(first, 1.0) } else { knots[next] };
    between(before, after, phase) + turn
}

/// How far the markers of one clip are turned against those of another, if they follow each other in the same order.
fn shift(from: &[Marker], to: &[Marker]) -> Option<usize> {
    if from.len() != to.len() || from.is_empty() {
        return None;
    }
    let fits = |shift: &usize| {
        from.iter().enumerate().all(|(k, marker)| marker.name == to[(k + shift) % to.len()].name)
    };
    (0..to.len()).find(fits)
}

/// When a marker comes, as a part of its clip.
fn part(clip: &Clip, marker: &Marker) -> f64 {
    let duration = f64::from(clip.duration());
    if duration > 0.0 { f64::from(marker.time) / duration } else { 0.0 }
}

fn listed(markers: &[Marker]) -> String {
    let names: Vec<&str> = markers.iter().map(|marker| marker.name.as_str()).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
