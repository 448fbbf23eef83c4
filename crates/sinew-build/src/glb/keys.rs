//! Keys as glTF requires them: times from zero to the end of the clip, strictly increasing.

use sinew::Key;
use sinew::{Interpolation, Sampling, Track};

/// The keys of one sampler.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Keys<T> {
    pub(super) times: Vec<f32>,
    pub(super) values: Vec<T>,
    pub(super) step: bool,
}

impl<T: Key> Keys<T> {
    /// The same motion within `0 ..= duration`. Of two keys at one time, the first is moved to the next smaller time.
    pub(super) fn new(track: &Track<T>, duration: f32) -> Self {
        let step = track.interpolation() == Interpolation::Step;
        let mut this = Self { times: vec![], values: vec![], step };
        let value_at = |time: f32| track.sample(time.into(), Sampling::Interpolate);
        let keys = track.times().iter().copied().zip(track.values().iter().copied());
        let within = |time: f32| (0.0..=duration).contains(&time);
        if track.times().first().is_none_or(|&first| first < 0.0 || first > duration) {
            this.push(0.0, value_at(0.0));
        }
        for (time, value) in keys.filter(|(time, _)| within(*time)) {
            this.push(time, value);
        }
        let beyond = track.times().iter().any(|&time| time > duration);
        if beyond && this.times.last().is_some_and(|&last| last < duration) {
            this.push(duration, value_at(duration));
        }
        this
    }

    /// Adds a key. A previous key at the same time is moved back by the smallest step, or dropped if there is no room or it is not needed.
    fn push(&mut self, time: f32, value: T) {
        if self.times.last() == Some(&time) {
            let before = time.next_down();
            let room = self.times.iter().nth_back(1).is_none_or(|&second| second < before);
            match self.times.last_mut() {
                Some(last) if room && before >= 0.0 && !self.step => *last = before,
                _ => {
                    self.times.pop();
                    self.values.pop();
                }
            }
        }
        self.times.push(time);
        self.values.push(value);
    }

    /// The last value is held until the end of the clip.
    pub(super) fn extend_to(&mut self, duration: f32) {
        if let (Some(&last), Some(&value)) = (self.times.last(), self.values.last())
            && last < duration
        {
            self.times.push(duration);
            self.values.push(value);
        }
    }

    /// The same motion with linear interpolation only: a held value gets a second key just before the next.
    pub(super) fn straight(self) -> Self {
        if !self.step {
            return self;
        }
        let mut this = Self { times: vec![], values: vec![], step: false };
        for (&time, &value) in self.times.iter().zip(&self.values) {
            if let Some(&held) = this.values.last() {
                this.push(time, held);
            }
            this.push(time, value);
        }
        this
    }

    /// The value at a time.
    pub(super) fn sample(&self, time: f32) -> Option<T> {
        let next = self.times.partition_point(|&key| key <= time);
        let Some(last) = next.checked_sub(1) else { return self.values.first().copied() };
        let from = *self.values.get(last)?;
        match (self.times.get(next), self.values.get(next)) {
            (Some(&end), Some(&to)) if !self.step => {
                let start = f64::from(self.times[last]);
                let t = (f64::from(time) - start) / (f64::from(end) - start);
                Some(from.interpolate(to, t as f32))
            }
            _ => Some(from),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(times: &[f32], values: &[f32], interpolation: Interpolation, duration: f32) -> Keys<f32> {
        let keys = Keys::new(&Track::new(times.to_vec(), values.to_vec(), interpolation).unwrap(), duration);
        assert!(keys.times.is_sorted_by(|a, b| a < b), "{keys:?}");
        assert!(keys.times.iter().all(|t| (0.0..=duration).contains(t)), "{keys:?}");
        keys
    }

    #[test]
    fn a_jump_becomes_two_instants() {
        let found = keys(&[0.0, 1.0, 1.0, 2.0], &[0.0, 1.0, 5.0, 6.0], Interpolation::Linear, 2.0);
        assert_eq!(found.times, [0.0, 1.0f32.next_down(), 1.0, 2.0]);
        assert_eq!(found.values, [0.0, 1.0, 5.0, 6.0]);
        let at_start = keys(&[0.0, 0.0, 1.0], &[1.0, 2.0, 3.0], Interpolation::Linear, 1.0);
        assert_eq!((at_start.times, at_start.values), (vec![0.0, 1.0], vec![2.0, 3.0]));
        let held = keys(&[0.0, 1.0, 1.0], &[1.0, 2.0, 3.0], Interpolation::Step, 1.0);
        assert_eq!((held.times, held.values), (vec![0.0, 1.0], vec![1.0, 3.0]));
        let tight = 1.0f32.next_down();
        let no_room = keys(&[tight, 1.0, 1.0], &[1.0, 2.0, 3.0], Interpolation::Linear, 1.0);
        assert_eq!(no_room.times, [tight, 1.0]);
    }

    #[test]
    fn keys_outside_the_clip_are_cut_off_where_it_ends() {
        let found = keys(&[-1.0, 1.0, 3.0], &[-10.0, 10.0, 30.0], Interpolation::Linear, 2.0);
        assert_eq!((found.times, found.values), (vec![0.0, 1.0, 2.0], vec![0.0, 10.0, 20.0]));
        let late = keys(&[5.0], &[7.0], Interpolation::Linear, 2.0);
        assert_eq!((late.times, late.values), (vec![0.0, 2.0], vec![7.0, 7.0]));
        let early = keys(&[-5.0], &[7.0], Interpolation::Linear, 2.0);
        assert_eq!((early.times, early.values), (vec![0.0], vec![7.0]));
        let nothing = keys(&[1.0], &[7.0], Interpolation::Linear, 0.0);
        assert_eq!((nothing.times, nothing.values), (vec![0.0], vec![7.0]));
    }

    #[test]
    fn steps_become_straight() {
        let found = keys(&[0.0, 1.0, 2.0], &[1.0, 2.0, 3.0], Interpolation::Step, 2.0).straight();
        assert_eq!(found.times, [0.0, 1.0f32.next_down(), 1.0, 2.0f32.next_down(), 2.0]);
        assert_eq!(found.values, [1.0, 1.0, 2.0, 2.0, 3.0]);
        assert_eq!([0.5, 1.0, 1.5, 9.0].map(|t| found.sample(t).unwrap()), [1.0, 2.0, 2.0, 3.0]);
    }
}
