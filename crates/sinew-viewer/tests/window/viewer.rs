//! The viewer as a child process, and its report.

use super::display::Display;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::HashSet;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// A viewer that has said nothing for so long waits for its user.
const SILENCE: Duration = Duration::from_secs(2);
/// Timeout. Usually everything takes about a second.
pub const PATIENCE: Duration = Duration::from_secs(120);
/// Size of the window.
pub const SIZE: (u16, u16) = (960, 600);

/// The viewer process and the lines of its report.
pub struct Viewer {
    pub process: Child,
    pub lines: Receiver<Value>,
    /// Events received so far. Messages of the worker and drawn frames come in no fixed order.
    told: RefCell<HashSet<String>>,
    deadline: Instant,
}

impl Viewer {
    pub fn open(display: &Display, files: &[PathBuf], more: &[&str]) -> Self {
        Self::open_sized(display, files, &format!("{}x{}", SIZE.0, SIZE.1), more)
    }

    pub fn open_sized(display: &Display, files: &[PathBuf], size: &str, more: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_sinew-viewer"))
            .args(files)
            .args(["--report", "--theme", "dark", "--size", size])
            .args(more)
            .env("DISPLAY", display.name())
            .env_remove("WAYLAND_DISPLAY")
            .stdout(Stdio::piped())
            .spawn()
            .expect("the viewer starts");
        let out = process.stdout.take().expect("its output is taken");
        let (tell, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                let value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
                if tell.send(value).is_err() {
                    return;
                }
            }
        });
        Self { process, lines, told: RefCell::default(), deadline: Instant::now() + PATIENCE }
    }

    /// Waits for a line that matches.
    pub fn wait(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let left = self.deadline.saturating_duration_since(Instant::now());
            let Ok(line) = self.lines.recv_timeout(left) else {
                panic!("the viewer did not get to this: {what}");
            };
            self.told.borrow_mut().insert(line["event"].as_str().unwrap_or_default().to_owned());
            if wanted(&line) {
                return line;
            }
        }
    }

    /// The last line that matches before the viewer falls silent.
    pub fn settled(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        let mut last = self.wait("a line to begin with", &wanted);
        while let Ok(line) = self.lines.recv_timeout(SILENCE) {
            if wanted(&line) {
                last = line;
            }
        }
        last
    }

    /// Waits for an event, unless it was received already.
    pub fn wait_until(&self, event: &str) {
        if !self.told.borrow().contains(event) {
            self.wait_for(event);
        }
    }

    pub fn wait_for(&self, event: &str) -> Value {
        self.wait(event, |line| line["event"] == event)
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
