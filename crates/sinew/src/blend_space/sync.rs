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
    let Some(matched) = Matched::of(leader, follower) else { return phase };
    let count = matched.count;
    // The stretch in which the phase lies; the one behind the last marker goes on to the first.
    let next = (0..count).find(|&k| matched.knot(k).0 > phase).unwrap_or(count);
    let before = if next == 0 { turned(matched.knot(count - 1), -1.0) } else { matched.knot(next - 1) };
    let after = if next == count { turned(matched.knot(0), 1.0) } else { matched.knot(next) };
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
    let matched = Matched::of(first, clip)?;
    Some((0..matched.count).map(|k| matched.knot(k)).collect())
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

/// Which markers of two clips belong together. A walk has both feet on the ground for a while and a run none, so that their feet are lifted at other places in
/// the order: then the markers called `… up` do not count, and feet come down together.
struct Matched<'a> {
    first: &'a Clip,
    clip: &'a Clip,
    /// Whether those called `… up` count.
    with_ups: bool,
    count: usize,
    /// How far the markers of the clip are turned against those of the first.
    shift: usize,
}

impl<'a> Matched<'a> {
    fn of(first: &'a Clip, clip: &'a Clip) -> Option<Self> {
        [true, false].into_iter().find_map(|with_ups| {
            let names = |clip: &'a Clip| counting(clip, with_ups).map(|marker| marker.name.as_str());
            let count = names(first).count();
            if count == 0 || names(clip).count() != count {
                return None;
            }
            // Both go round, so the second may begin anywhere.
            let fits = |shift: &usize| names(first).eq(names(clip).cycle().skip(*shift).take(count));
            let shift = (0..count).find(fits)?;
            Some(Self { first, clip, with_ups, count, shift })
        })
    }

    /// When a marker comes in the first clip, and when in the other.
    fn knot(&self, k: usize) -> (f64, f64) {
        let at = |clip: &Clip, k: usize| {
            counting(clip, self.with_ups).nth(k).map_or(0.0, |marker| part(clip, marker))
        };
        let other = k + self.shift;
        (at(self.first, k), at(self.clip, other % self.count) + (other / self.count) as f64)
    }
}

/// The markers of a clip that count.
fn counting(clip: &Clip, with_ups: bool) -> impl Iterator<Item = &Marker> + Clone {
    clip.markers().iter().filter(move |marker| with_ups || !marker.name.ends_with(" up"))
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
