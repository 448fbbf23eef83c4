//! The initial state of the viewer.

use super::props::PropChange;
use super::show::{Handle, LayerChange, PadChange, TargetChange};
use super::{App, Document, FRAME, Mood, Overlay};

/// Frames that a machine is run for at most before it is first seen: ten minutes.
const MOST_STEPS: f64 = 18_000.0;

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
    /// Layers: clips, each from a joint on or everywhere.
    pub layers: Vec<(String, Option<String>)>,
    /// Clips of a blend space.
    pub blend: Vec<String>,
    /// Parameters of the state machine, as they are written.
    pub parameters: Vec<(String, String)>,
    /// Whether clips and joints that a state machine names and the character lacks are let pass.
    pub gaps: bool,
    /// Whether a state machine is to be read.
    pub machine: bool,
    /// What follow a target: joints, or `gaze`.
    pub targets: Vec<String>,
    /// Joints with a prop.
    pub props: Vec<String>,
}

impl App {
    /// Applies the initial state. Unknown clips and joints are reported, the rest is applied.
    pub(super) fn begin(&mut self) {
        let beginning = std::mem::take(&mut self.beginning);
        self.notice = None;
        self.unframed = true;
        self.reveal = true;
        let mut problems = Vec::new();
        self.begin_clip(&beginning, &mut problems);
        self.machine.gaps = beginning.gaps;
        self.plan_again(None);
        problems.extend(self.machine.problem.clone());
        self.begin_motion(&beginning, &mut problems);
        if let (Some(time), Some(show)) = (beginning.time, &mut self.show) {
            show.set_paused(true);
            match show.runs_machine() {
                // A machine gets there in steps, as it would by playing.
                true => (0..(time / FRAME).min(MOST_STEPS) as u32).for_each(|_| show.pass(FRAME)),
                false => show.seek(time),
            }
        }
        // A target begins where its hand or foot is at that time.
        self.begin_held(&beginning, &mut problems);
        self.overlays.extend(beginning.overlays);
        if !problems.is_empty() {
            self.notify(Mood::Problem, problems.join("\n"));
        }
        self.changed();
    }

    fn begin_clip(&mut self, beginning: &Beginning, problems: &mut Vec<String>) {
        let Some(document) = &self.document else { return };
        let clip = beginning.clip.as_ref().and_then(|name| noted(document.choose_clip(name), problems));
        let clip = clip.or_else(|| document.first_clip());
        let joint = beginning.joint.as_ref().and_then(|name| noted(document.choose_joint(name), problems));
        if let Some(clip) = clip {
            self.play(clip);
        }
        // A machine runs unless a clip was asked for.
        self.machine.aside = beginning.clip.is_some();
        self.select(joint);
    }

    fn begin_motion(&mut self, beginning: &Beginning, problems: &mut Vec<String>) {
        let Some(document) = &self.document else { return };
        let mut blend = Vec::new();
        for name in &beginning.blend {
            blend.extend(noted(document.choose_clip(name), problems));
        }
        let mut layers = Vec::new();
        for (clip, joint) in &beginning.layers {
            let joint = joint.as_ref().map(|name| document.choose_joint(name)).transpose();
            let layer = document.choose_clip(clip).and_then(|clip| Ok(LayerChange::Add(clip, joint?)));
            layers.extend(noted(layer, problems));
        }
        if beginning.machine || !(blend.is_empty() && layers.is_empty()) {
            self.open_motion();
        }
        blend.into_iter().for_each(|clip| self.change_pad(&PadChange::Add(self.pad_point(clip))));
        if let Some(show) = self.show.as_ref().filter(|show| show.pad().points().len() > 1) {
            let points = show.pad().points();
            let middle = points.iter().map(|point| point.at[0]).sum::<f32>() / points.len() as f32;
            self.change_pad(&PadChange::At([middle, 0.0]));
        }
        layers.iter().for_each(|layer| self.change_layer(layer));
        for (name, text) in &beginning.parameters {
            let set = self.show.as_mut().map_or(Ok(()), |show| show.set_written(name, text));
            problems.extend(set.err());
        }
    }

    /// Targets and props.
    fn begin_held(&mut self, beginning: &Beginning, problems: &mut Vec<String>) {
        let Some(document) = &self.document else { return };
        let (mut targets, mut props) = (Vec::new(), Vec::new());
        for name in &beginning.targets {
            targets.extend(noted(handle(document, name), problems));
        }
        for name in &beginning.props {
            props.extend(noted(document.choose_joint(name), problems));
        }
        if !(targets.is_empty() && props.is_empty()) {
            self.open_motion();
        }
        targets.into_iter().for_each(|target| self.change_target(&TargetChange::Add(target)));
        props.into_iter().for_each(|joint| self.change_prop(&PropChange::Add(joint)));
    }
}

/// What follows a target: hand, foot or gaze of a humanoid, or the limb that ends at a joint.
fn handle(document: &Document, name: &str) -> Result<Handle, String> {
    let own = document.handles.iter().find(|handle| handle.name.eq_ignore_ascii_case(name));
    if let Some(handle) = own {
        return Ok(handle.clone());
    }
    let joint = document.choose_joint(name)?;
    Handle::of_joint(document.character.skeleton(), joint)
        .ok_or_else(|| format!("`{name}` has no two joints above it that could bend"))
}

/// What was found; else the problem is noted.
fn noted<T>(found: Result<T, String>, problems: &mut Vec<String>) -> Option<T> {
    found.map_err(|problem| problems.push(problem)).ok()
}
