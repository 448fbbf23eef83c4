//! The keyboard, and a script that simulates it.

/// A key that scenes use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A letter (lower case) or digit.
    Char(char),
    Shift,
    Space,
}

/// Keys that are held, and keys that were pressed since the last update.
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

    /// Whether a key was pressed since the last update.
    pub fn pressed(&self, key: Key) -> bool {
        self.pressed.contains(&key)
    }

    /// 1 if the first is held, -1 if the second is, 0 if both or none are.
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

    /// After an update: forgets the presses.
    pub(super) fn seen(&mut self) {
        self.pressed.clear();
    }
}

/// Presses keys at given times.
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

    /// Returns the keys as they are now, and advances by some seconds.
    pub(super) fn step(&mut self, seconds: f64) -> &Keys {
        self.keys.seen();
        let now = self.time % self.length;
        for &(key, from, until) in self.lines {
            let down = |line: &(Key, f64, f64)| line.0 == key && (line.1..line.2).contains(&now);
            // A key may have several lines: it is released only if none of them holds it.
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
