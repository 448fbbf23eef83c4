//! Poses that several members show: each state is sampled once, and kept for as long as there is room.

use crate::{Clip, Mirror, RootMotion, Sampling, Travel, Voice};
use std::sync::Arc;

/// The end of a chain.
const NONE: u32 = u32::MAX;

/// All that the pose of one voice depends on.
#[derive(Clone, Debug)]
struct State {
    clip: Arc<Clip>,
    time: f64,
    sampling: Sampling,
    /// What is taken out of the pose.
    travel: Option<Travel>,
    mirror: Option<Arc<Mirror>>,
}

impl State {
    fn is(&self, voice: &Voice, time: f64) -> bool {
        Arc::ptr_eq(&self.clip, voice.clip())
            && self.time == time
            && self.sampling == voice.sampling()
            && self.travel == removed(voice)
            && self.mirror.as_ref().map(Arc::as_ptr) == voice.mirror().map(Arc::as_ptr)
    }
}

fn removed(voice: &Voice) -> Option<Travel> {
    (voice.root_motion() != RootMotion::Keep).then(|| voice.travel())
}

/// One pose that can be shared.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    state: Option<State>,
    /// How many members show it.
    users: u32,
    /// The next of its bucket.
    next: u32,
    /// Who has it sampled in this frame: a member, one of its voices, and the time.
    pub(super) sampled: Option<(u32, usize, f64)>,
}

/// Poses by state. Which of them are kept changes the work, never what is shown.
#[derive(Clone, Debug, Default)]
pub(super) struct Shared {
    step: f64,
    pub(super) entries: Vec<Entry>,
    /// First entries of chains, by hash.
    buckets: Vec<u32>,
    /// Entries that no member shows.
    free: usize,
    /// Where the next one that can be given another state is looked for.
    hand: usize,
}

impl Shared {
    /// Room for so many; times are rounded to multiples of `step`, unless that is zero.
    pub(super) fn new(step: f64, poses: usize) -> Self {
        let empty = Entry { state: None, users: 0, next: NONE, sampled: None };
        Self {
            step: if step.is_finite() { step.max(0.0) } else { 0.0 },
            entries: vec![empty; poses],
            buckets: vec![NONE; poses.next_power_of_two()],
            free: poses,
            hand: 0,
        }
    }

    /// The time at which a voice is shown.
    pub(super) fn time(&self, voice: &Voice) -> f64 {
        let (time, duration) = (voice.playback().time(), voice.playback().duration());
        if self.step > 0.0 { ((time / self.step + 0.5).floor() * self.step).min(duration) } else { time }
    }

    /// Begins a frame.
    pub(super) fn begin(&mut self) {
        for entry in &mut self.entries {
            entry.sampled = None;
        }
    }

    /// One user less.
    pub(super) fn release(&mut self, entry: usize) {
        let users = &mut self.entries[entry].users;
        *users -= 1;
        self.free += usize::from(*users == 0);
    }

    /// The entry of a voice at a time, with one user more; a new one is sampled for `member` in this frame. `None` if all are in use for other states.
    pub(super) fn take(&mut self, member: usize, place: usize, voice: &Voice, time: f64) -> Option<usize> {
        let bucket = self.bucket(voice.clip(), time);
        let found = self.find(bucket, voice, time);
        let entry = match found {
            Some(entry) => entry,
            None => {
                let entry = self.make_room()?;
                let state = State {
                    clip: voice.clip().clone(),
                    time,
                    sampling: voice.sampling(),
                    travel: removed(voice),
                    mirror: voice.mirror().cloned(),
                };
                let next = std::mem::replace(&mut self.buckets[bucket], entry as u32);
                let sampled = Some((member as u32, place, time));
                self.entries[entry] = Entry { state: Some(state), users: 0, next, sampled };
                entry
            }
        };
        let users = &mut self.entries[entry].users;
        self.free -= usize::from(*users == 0);
        *users += 1;
        Some(entry)
    }

    fn find(&self, bucket: usize, voice: &Voice, time: f64) -> Option<usize> {
        let mut at = self.buckets[bucket];
        while let Some(entry) = self.entries.get(at as usize) {
            if entry.state.as_ref().is_some_and(|state| state.is(voice, time)) {
                return Some(at as usize);
            }
            at = entry.next;
        }
        None
    }

    /// An entry without users, taken out of its chain.
    fn make_room(&mut self) -> Option<usize> {
        if self.free == 0 {
            return None;
        }
        while self.entries[self.hand].users > 0 {
            self.hand = (self.hand + 1) % self.entries.len();
        }
        let entry = self.hand;
        self.hand = (self.hand + 1) % self.entries.len();
        if let Some(state) = self.entries[entry].state.take() {
            self.unchain(entry, self.bucket(&state.clip, state.time));
        }
        Some(entry)
    }

    fn unchain(&mut self, entry: usize, bucket: usize) {
        let next = self.entries[entry].next;
        let mut before = self.buckets[bucket] as usize;
        if before == entry {
            self.buckets[bucket] = next;
            return;
        }
        while self.entries[before].next as usize != entry {
            before = self.entries[before].next as usize;
        }
        self.entries[before].next = next;
    }

    fn bucket(&self, clip: &Arc<Clip>, time: f64) -> usize {
        let mixed = (Arc::as_ptr(clip) as usize as u64 ^ time.to_bits().rotate_left(17))
            .wrapping_mul(0x9E37_79B9_7F4A_7C15);
        // The upper half is the better mixed one.
        (mixed >> 32) as usize & (self.buckets.len() - 1)
    }
}
