//! The clock of one playing clip: where it is, what it crossed, whether it has ended.

use crate::root_motion::Motion;
use crate::{Clip, Event, Travel};
use glam::DVec3;

/// Clips shorter than this, in seconds, are one pose.
const SHORTEST: f64 = 1e-6;

/// Most passes of a loop that one update counts. A longer step ends at the same time of the clip, with whole passes left out.
const MOST_PASSES: f64 = 1e6;

/// What happens at the end of a clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum LoopMode {
    /// Stop at the end.
    Once,
    /// Start over, for ever.
    #[default]
    Loop,
    /// Turn round at either end, for ever.
    PingPong,
    /// Play so many times, then stop at the end.
    Times(u32),
}

/// Time within a clip, its direction and its end.
///
/// The clock runs along an *unrolled* line: a loop's second pass is the stretch from one duration to two. Wrapping happens only when
/// it is read, so an update may cross any number of ends, forward or backward, and nothing is counted twice or lost.
///
/// ```
/// use sinew::{LoopMode, Playback};
///
/// let mut clock = Playback::new(2.0, LoopMode::Loop, 1.0);
/// clock.advance(4.5);
/// assert_eq!(clock.time(), 0.5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playback {
    duration: f64,
    mode: LoopMode,
    speed: f64,
    paused: bool,
    /// Unrolled seconds, now and before the last update.
    position: f64,
    previous: f64,
    /// Whether the last update was the first since the start, which takes in the starting instant.
    state: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    /// Placed at its start; events there have not fired.
    Fresh,
    /// The last update was the first.
    Started,
    /// Further updates.
    Running,
    /// Placed by a seek: the end of a loop is shown as such.
    Sought,
}

/// The clock of nothing: one pose, for ever.
pub(crate) static AT_REST: Playback = Playback {
    duration: 0.0,
    mode: LoopMode::Once,
    speed: 1.0,
    paused: false,
    position: 0.0,
    previous: 0.0,
    state: Stage::Running,
};

impl Playback {
    /// At the start of a clip of so many seconds; at its end if `speed` is negative. A clip of less than a microsecond is one
    /// pose: it stays at zero.
    pub fn new(duration: f64, mode: LoopMode, speed: f64) -> Self {
        let duration = if duration >= SHORTEST && duration.is_finite() { duration } else { 0.0 };
        let speed = if speed.is_finite() { speed } else { 1.0 };
        let mut playback =
            Self { duration, mode, speed, paused: false, position: 0.0, previous: 0.0, state: Stage::Fresh };
        if speed < 0.0 {
            playback.position = playback.end().unwrap_or(duration);
            playback.previous = playback.position;
        }
        playback
    }

    /// Moves on by `seconds` of the game's time. Negative or non-finite steps count as none: reverse by speed. Of a step over more
    /// than a million passes of a loop, whole passes are left out.
    pub fn advance(&mut self, seconds: f64) {
        self.previous = self.position;
        if self.state == Stage::Started {
            self.state = Stage::Running;
        }
        if self.paused || !(seconds >= 0.0 && seconds.is_finite()) {
            return;
        }
        let step = (seconds * self.speed).clamp(-f64::MAX, f64::MAX);
        match self.end() {
            Some(end) => self.position = (self.position + step).clamp(0.0, end),
            None => self.advance_loop(step),
        }
        match self.state {
            Stage::Fresh => self.state = Stage::Started,
            Stage::Sought if step != 0.0 => self.state = Stage::Running,
            _ => {}
        }
    }

    fn advance_loop(&mut self, step: f64) {
        let period = self.period();
        if period <= 0.0 {
            return;
        }
        let most = MOST_PASSES * period;
        if self.position.abs() > most {
            // Large numbers lose precision: go on from the same time of an early pass.
            self.position = wrap(self.position, period);
            self.previous = self.position;
        }
        let step = if step.abs() > most { most.copysign(step) + step % period } else { step };
        self.position += step;
    }

    /// After how many seconds of the unrolled line a loop repeats.
    fn period(&self) -> f64 {
        if self.mode == LoopMode::PingPong { 2.0 * self.duration } else { self.duration }
    }

    /// Goes to a time of the clip without crossing anything: no event fires, no root motion happens.
    pub fn seek(&mut self, time: f64) {
        let time = if time.is_finite() { time.clamp(0.0, self.duration) } else { 0.0 };
        self.position = time;
        self.previous = time;
        self.state = Stage::Sought;
    }

    /// Seconds from the start of the clip, within `0 ..= duration`. The end of a loop is its start, except right after a seek there.
    pub fn time(&self) -> f64 {
        if self.state == Stage::Sought { self.position } else { self.time_at(self.position) }
    }

    /// The time so many seconds ago, as if it had run evenly until now.
    pub(crate) fn time_ago(&self, seconds: f64) -> f64 {
        let speed = if self.paused { 0.0 } else { self.speed };
        self.time_at(self.position - seconds * speed)
    }

    /// Seconds that the clip lasts.
    pub fn duration(&self) -> f64 {
        self.duration
    }

    /// What happens at the end.
    pub fn mode(&self) -> LoopMode {
        self.mode
    }

    /// Factor on the game's time; negative plays backward.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Changes the speed from here on.
    pub fn set_speed(&mut self, speed: f64) {
        if speed.is_finite() {
            self.speed = speed;
        }
    }

    /// Changes what happens at the end; the time stays. Crosses nothing.
    pub fn set_mode(&mut self, mode: LoopMode) {
        let (time, state) = (self.time(), self.state);
        self.mode = mode;
        self.seek(time);
        if state == Stage::Fresh {
            self.state = state;
        }
    }

    /// Whether it is paused.
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// Pauses or resumes.
    pub fn set_paused(&mut self, paused: bool) {
        self.paused = paused;
    }

    /// Whether it has come to a stop: behind the last pass, or before the first when playing backward. A loop never ends.
    pub fn has_ended(&self) -> bool {
        match self.end() {
            Some(_) if self.speed < 0.0 => self.position <= 0.0,
            Some(end) => self.position >= end,
            None => false,
        }
    }

    /// How many times it has gone through the clip, from where it started: 1 is the end of the first pass. A clip that is one pose has no length to go
    /// through: all turns are over.
    pub fn turns(&self) -> f64 {
        let gone = if self.speed < 0.0 {
            self.end().unwrap_or(self.duration) - self.position
        } else {
            self.position
        };
        if self.duration > 0.0 { gone / self.duration } else { f64::INFINITY }
    }

    /// Events that the last [`Playback::advance`] crossed, in the order in which it did.
    ///
    /// Forward covers the time after the old position up to and with the new one; backward the time before. The first
    /// advance after a start takes in the start itself. Zero and the end of a loop are one instant: an event there fires once a pass.
    pub fn crossed<'a>(&self, clip: &'a Clip) -> impl Iterator<Item = &'a Event> + use<'a> {
        self.passings(clip.events()).map(|(_, event)| event)
    }

    /// The same, each with the part of the last advance that was over when it was crossed.
    pub(crate) fn passings<'a>(
        &self,
        events: &'a [Event],
    ) -> impl Iterator<Item = (f64, &'a Event)> + use<'a> {
        let this = *self;
        let started = this.state == Stage::Started;
        let start_time = this.time_at(this.previous);
        let at_start =
            events.iter().filter(move |e| started && f64::from(e.time).min(this.duration) == start_time);
        at_start.map(|event| (0.0, event)).chain(this.passed(events))
    }

    fn passed<'a>(self, events: &'a [Event]) -> impl Iterator<Item = (f64, &'a Event)> + use<'a> {
        let forward = self.position >= self.previous;
        let (first, last) = self.legs();
        let count = if first <= last && !events.is_empty() { last - first + 1 } else { 0 };
        (0..count).flat_map(move |i| {
            let leg = if forward { first + i } else { last - i };
            let backward_leg = self.mode == LoopMode::PingPong && leg.rem_euclid(2) == 1;
            let rising = forward != backward_leg;
            (0..events.len()).filter_map(move |i| {
                let event = &events[if rising { i } else { events.len() - 1 - i }];
                let at = self.crossing(leg, backward_leg, f64::from(event.time))?;
                Some(((at - self.previous) / (self.position - self.previous), event))
            })
        })
    }

    /// Passes of the clip that the last advance touched, numbered along the unrolled line.
    fn legs(&self) -> (i64, i64) {
        if self.duration <= 0.0 || self.position == self.previous {
            return (0, -1);
        }
        let (low, high) = (self.position.min(self.previous), self.position.max(self.previous));
        let leg = |position: f64| (position / self.duration).floor() as i64;
        match self.mode {
            LoopMode::Once => (0, 0),
            LoopMode::Times(n) => (leg(low).max(1) - 1, leg(high).min(i64::from(n) - 1)),
            // One more below: an event at the end of a pass lies where the next begins.
            LoopMode::Loop | LoopMode::PingPong => (leg(low) - 1, leg(high)),
        }
    }

    /// Where on the unrolled line the last advance crossed a time of the clip, if it did on that leg.
    fn crossing(&self, leg: i64, backward_leg: bool, time: f64) -> Option<f64> {
        let time = time.min(self.duration);
        if backward_leg && (time == 0.0 || time == self.duration) {
            // The turning points belong to the forward legs, else they would fire twice.
            return None;
        }
        let within = if backward_leg { self.duration - time } else { time };
        let at = leg as f64 * self.duration + within;
        let is_crossed = if self.position >= self.previous {
            self.previous < at && at <= self.position
        } else {
            self.position <= at && at < self.previous
        };
        is_crossed.then_some(at)
    }

    /// How far the root went during the last advance, over all passes.
    pub fn displacement(&self, travel: &Travel) -> DVec3 {
        self.motion(travel).way
    }

    /// The same with its turn.
    pub(crate) fn motion(&self, travel: &Travel) -> Motion {
        let passes = self.passes_at(self.position) - self.passes_at(self.previous);
        travel.between(self.time_at(self.previous), self.time_at(self.position), passes)
    }

    fn passes_at(&self, position: f64) -> f64 {
        match self.mode {
            LoopMode::Loop if self.duration > 0.0 => (position / self.duration).floor(),
            LoopMode::Times(n) if self.duration > 0.0 => {
                (position / self.duration).floor().min(f64::from(n.max(1)) - 1.0)
            }
            _ => 0.0,
        }
    }

    /// A clip whose clock another one drives: a loop that went from one position of its unrolled line to another.
    pub(crate) fn driven(&self, duration: f64, [previous, position]: [f64; 2]) -> Self {
        let duration = if duration >= SHORTEST && duration.is_finite() { duration } else { 0.0 };
        Self { duration, mode: LoopMode::Loop, position, previous, ..*self }
    }

    /// Where it is on the unrolled line, and where it was before the last advance.
    pub(crate) fn positions(&self) -> [f64; 2] {
        [self.previous, self.position]
    }

    /// Goes to another position of the unrolled line, as the last advance.
    pub(crate) fn steer(&mut self, position: f64) {
        self.position = position;
    }

    /// Where the unrolled line ends, unless it is a loop.
    fn end(&self) -> Option<f64> {
        match self.mode {
            LoopMode::Once => Some(self.duration),
            LoopMode::Times(n) => Some(self.duration * f64::from(n)),
            LoopMode::Loop | LoopMode::PingPong => None,
        }
    }

    fn time_at(&self, position: f64) -> f64 {
        let d = self.duration;
        if d <= 0.0 {
            return 0.0;
        }
        match self.mode {
            LoopMode::Once => position.clamp(0.0, d),
            LoopMode::Times(n) if position >= d * f64::from(n) => d,
            LoopMode::Times(_) | LoopMode::Loop => wrap(position, d),
            LoopMode::PingPong => {
                let there_and_back = wrap(position, 2.0 * d);
                if there_and_back <= d { there_and_back } else { 2.0 * d - there_and_back }
            }
        }
    }
}

/// A position within `0 .. length`.
fn wrap(position: f64, length: f64) -> f64 {
    let rest = position.rem_euclid(length);
    // `rem_euclid` may round up to the divisor itself.
    if rest < length { rest } else { 0.0 }
}

#[cfg(test)]
mod tests;
