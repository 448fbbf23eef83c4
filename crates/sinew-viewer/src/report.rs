//! Reports events of the window to scripts, as lines of JSON.

use crate::app::{App, News, Show};
use crate::ui::View;
use serde_json::{Value, json};
use std::io::Write;

/// The report, if it is enabled.
pub(crate) struct Report {
    out: Option<Box<dyn Write + Send>>,
    frames: u64,
    news_at: u64,
    drawn: u64,
}

impl Report {
    /// Starts with the event `opened`.
    pub(crate) fn new(out: Option<Box<dyn Write + Send>>, driver: &str) -> Self {
        let mut report = Self { out, frames: 0, news_at: 0, drawn: 0 };
        report.line(|| json!({ "event": "opened", "driver": driver }));
        report
    }

    /// A message of the worker.
    pub(crate) fn heard(&mut self, news: &News) {
        self.news_at = self.frames;
        self.line(|| match news {
            News::Reading => json!({ "event": "reading" }),
            News::Read(document) => {
                let clips: Vec<&str> = document.clips.iter().map(|row| row.name.as_str()).collect();
                json!({ "event": "read", "clips": clips, "joints": document.character.skeleton().len() })
            }
            News::Clips => json!({ "event": "clip" }),
            News::Feet(clip, feet) => json!({ "event": "feet", "clip": clip, "feet": feet.lanes.len() }),
            News::Machine(Ok(machine)) => json!({ "event": "machine", "layers": machine.layers() }),
            News::Machine(Err(message)) => json!({ "event": "no machine", "message": message }),
            News::Examined(findings) => json!({ "event": "examined", "findings": findings.len() }),
            News::Failed(message) => json!({ "event": "failed", "message": message }),
        });
    }

    /// The view was redrawn.
    pub(crate) fn drawn(&mut self, app: &App, view: &View) {
        self.drawn += 1;
        let number = self.drawn;
        self.line(|| {
            let show = app.show();
            let place = [view.rect.min.x, view.rect.min.y, view.rect.width(), view.rect.height()];
            json!({
                "event": "drawn",
                "number": number,
                "clip": app.clip_name(),
                "time": show.map(|show| show.time()),
                "playing": show.is_some_and(|show| show.is_moving()),
                "weight": show.map(|show| show.weight()),
                "joint": app.selected(),
                "layers": show.map(|show| show.layers().len()),
                "states": show.map(states),
                "lanes": app.marks().lanes.len(),
                "targets": show.map(targets),
                "targets_seen": show.map(|show| seen(app, show, view)),
                "yaw": app.orbit().yaw,
                "dark": app.is_dark(),
                "help": app.shows_help(),
                "view": place,
                "pixels": [view.pixels.0, view.pixels.1],
            })
        });
    }

    /// The window was shown.
    pub(crate) fn shown(&mut self) {
        self.frames += 1;
    }

    /// Frames since the last message of the worker.
    pub(crate) fn frames_since_news(&self) -> u64 {
        self.frames - self.news_at
    }

    fn line(&mut self, value: impl FnOnce() -> Value) {
        if let Some(out) = &mut self.out {
            // The reader may have closed the pipe.
            if writeln!(out, "{}", value()).and_then(|()| out.flush()).is_err() {
                self.out = None;
            }
        }
    }
}

/// The state of each layer of the machine that runs.
fn states(show: &Show) -> Vec<&str> {
    let Some(machine) = show.machine().filter(|_| show.runs_machine()) else { return Vec::new() };
    let plan = machine.plan().machine();
    let state = |layer: usize| plan.states(layer).nth(machine.run().state(layer)?);
    (0..plan.layers()).filter_map(state).collect()
}

/// Where the targets of IK are.
/// Where the targets are in the window.
fn seen(app: &App, show: &Show, view: &View) -> Vec<[f32; 2]> {
    let Some(document) = app.document() else { return Vec::new() };
    let size = (view.rect.width() as u32, view.rect.height() as u32);
    let places = targets(show).into_iter().map(|at| document.figure.upright.transform_point3(at.into()));
    let seen = places.filter_map(|at| app.orbit().camera().project(at, size));
    seen.map(|(x, y)| [view.rect.min.x + x, view.rect.min.y + y]).collect()
}

fn targets(show: &Show) -> Vec<[f32; 3]> {
    (0..show.targets().len()).filter_map(|number| Some(show.target_at(number)?.to_array())).collect()
}
