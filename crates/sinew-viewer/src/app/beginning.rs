//! The initial state of the viewer.

use super::{App, Mood, Overlay};

/// The initial clip, time, overlays and joint.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Beginning {
    /// Clip by name, tag, or number as in `#0`.
    pub clip: Option<String>,
    /// Time in seconds at which it is paused.
    pub time: Option<f64>,
    /// Overlays.
    pub overlays: Vec<Overlay>,
    /// Selected joint, with or without namespace.
    pub joint: Option<String>,
}

impl App {
    /// Applies the initial state. Unknown clips and joints are reported, the rest is applied.
    pub(super) fn begin(&mut self) {
        let Beginning { clip, time, overlays, joint } = std::mem::take(&mut self.beginning);
        self.notice = None;
        self.unframed = true;
        self.reveal = true;
        let Some(document) = &self.document else { return };
        let mut problems = Vec::new();
        let clip = clip.and_then(|name| document.choose_clip(&name).map_err(|p| problems.push(p)).ok());
        let clip = clip.or_else(|| document.first_clip());
        let joint = joint.and_then(|name| document.choose_joint(&name).map_err(|p| problems.push(p)).ok());
        if let Some(clip) = clip {
            self.play(clip);
        }
        if let (Some(time), Some(show)) = (time, &mut self.show) {
            show.set_paused(true);
            show.seek(time);
        }
        self.overlays.extend(overlays);
        self.select(joint);
        if !problems.is_empty() {
            self.notify(Mood::Problem, problems.join("\n"));
        }
        self.changed();
    }
}
