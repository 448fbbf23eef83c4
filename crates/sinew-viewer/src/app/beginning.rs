//! What is shown first.

use super::{App, Mood, Overlay};

/// What is shown first.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Beginning {
    /// The clip: by name, by what it is for, or by number as in `#0`.
    pub clip: Option<String>,
    /// Seconds from its start, at which it is paused.
    pub time: Option<f64>,
    /// What is drawn on top.
    pub overlays: Vec<Overlay>,
    /// The joint that is chosen, by its name or the end of it.
    pub joint: Option<String>,
}

impl App {
    /// Shows what is to be shown first. What is not there is told, and the rest shown.
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
