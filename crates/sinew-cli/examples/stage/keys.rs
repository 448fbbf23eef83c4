//! The keyboard, and what stands in for it.

/// A key that scenes know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A letter (lower case) or digit.
    Char(char),
    Shift,
    Space,
}

/// What is held down, and what went down since the last update.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    held: Vec<Key>,
    pressed: Vec<Key>,
}

impl Keys {
    /// Whether a key is down.
    pub fn held(&self, key: Key) -> bool {
        self.held.contains(&key)
    }

    /// Whether a key has just gone down.
    pub fn pressed(&self, key: Key) -> bool {
        self.pressed.contains(&key)
    }

    /// One where the first is held, minus one where the second is.
    pub fn axis(&self, forth: Key, back: Key) -> f32 {
        f32::from(u8::from(self.held(forth))) - f32::from(u8::from(self.held(back)))
    }

    pub(super) fn set(&mut self, key: Key, down: bool) {
        let before = self.held(key);
        match (before, down) {
            (false, true) => {
                self.held.push(key);
                self.pressed.push(key);
            }
            (true, false) => self.held.retain(|held| *held != key),
            _ => {}
        }
    }

    /// After an update: what went down has been seen.
    pub(super) fn seen(&mut self) {
        self.pressed.clear();
    }
}

/// Presses keys by the clock.
pub(super) struct Script {
    lines: &'static [(Key, f64, f64)],
    length: f64,
    time: f64,
    keys: Keys,
}

impl Script {
    pub(super) fn new(lines: &'static [(Key, f64, f64)], length: f64) -> Self {
        Self { lines, length, time: 0.0, keys: Keys::default() }
    }

    /// Goes on by some seconds; gives the keys as they are then.
    pub(super) fn step(&mut self, seconds: f64) -> &Keys {
        self.keys.seen();
        let now = self.time % self.length;
        for &(key, from, until) in self.lines {
            let down = |line: &(Key, f64, f64)| line.0 == key && (line.1..line.2).contains(&now);
            // A key may have several lines: it is up only where none of them holds it.
            if (from..until).contains(&now) {
                self.keys.set(key, true);
            } else if !self.lines.iter().any(down) {
                self.keys.set(key, false);
            }
        }
        self.time += seconds;
        &self.keys
    }
}
