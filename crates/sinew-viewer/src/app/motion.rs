//! What the motion panel changes: layers, the blend space, the state machine and the targets of IK.

use super::marks::{Feet, Marks};
use super::show::{Handle, Held, LayerChange, PadChange, PadPoint, TargetChange, Value};
use super::{App, Document, Mood, Panel, Show};
use sinew::TaggedClips;
use sinew::machine::{Machine, MachinePlan};
use std::sync::Arc;

/// The state machine as it was read last.
#[derive(Debug, Default)]
pub struct MachineState {
    /// The last one that could be read.
    pub(super) machine: Option<Arc<Machine>>,
    /// Why what was read after it cannot be used.
    pub(super) problem: Option<String>,
    /// Whether clips and joints that the character lacks are let pass.
    pub(super) gaps: bool,
    /// Whether something else was chosen to play.
    pub(super) aside: bool,
}

impl App {
    /// Why the last version of the machine's file cannot be used; the one before it still runs.
    pub fn machine_problem(&self) -> Option<&str> {
        self.machine.problem.as_deref()
    }

    /// Marks of the clip that plays.
    pub fn marks(&self) -> &Marks {
        &self.marks.1
    }

    /// The target at a position in the view, in pixels from its upper left.
    pub fn target_at(&self, x: f32, y: f32) -> Option<usize> {
        let show = self.show.as_ref()?;
        let targets = (0..show.targets().len()).filter_map(|number| Some((number, show.target_at(number)?)));
        self.nearest((x, y), targets)
    }

    /// The target that is being dragged.
    pub fn grabbed(&self) -> Option<usize> {
        self.grabbed
    }

    /// The place that a clip gets in a blend space: how fast it goes over the ground, else a place of its own.
    pub fn pad_point(&self, clip: usize) -> PadPoint {
        let points = self.show.as_ref().map_or(&[][..], |show| show.pad().points());
        let is_free = |x: &f32| points.iter().all(|point| (point.at[0] - x).abs() > 1e-3);
        let speed = self.ground_speed(clip).map(|speed| (speed * 100.0).round() / 100.0).filter(is_free);
        let farthest = points.iter().map(|point| point.at[0]).fold(f32::MIN, f32::max);
        let x = speed.unwrap_or(if points.is_empty() { 0.0 } else { farthest + 1.0 });
        PadPoint { clip, at: [x, 0.0] }
    }

    /// How fast a clip goes over the ground, in metres a second. It may be asked for before the worker has got there.
    fn ground_speed(&self, clip: usize) -> Option<f32> {
        let document = self.document.as_ref()?;
        let known = document.feet.get(clip)?.as_ref().map(|feet| feet.ground_speed);
        let speed = known.or_else(|| {
            let clip = document.character.clips().get(clip).ok()?;
            Some(Feet::find(&document.character, &clip)?.ground_speed)
        });
        speed.map(|speed| speed * document.character.space().unit_meters)
    }

    pub(super) fn change_layer(&mut self, change: &LayerChange) {
        let changed = self.show.as_mut().map_or(Ok(()), |show| show.change_layer(change));
        self.tell(changed);
    }

    pub(super) fn change_pad(&mut self, change: &PadChange) {
        let Some(show) = &mut self.show else { return };
        let changed = show.change_pad(change);
        if changed.is_ok() && show.plays_space() {
            self.clip = None;
            self.machine.aside = true;
        }
        self.tell(changed);
        if !matches!(change, PadChange::At(_)) {
            self.clip_changed();
        }
    }

    pub(super) fn change_target(&mut self, change: &TargetChange) {
        if let Some(show) = &mut self.show {
            show.change_target(change);
        }
    }

    /// Moves a target by a drag in parts of the view's height, in the plane that faces the eye.
    pub(super) fn drag_target(&mut self, number: usize, right: f32, down: f32) {
        let (Some(document), Some(show)) = (&self.document, &mut self.show) else { return };
        let upright = document.figure.upright;
        let Some(point) = show.target_at(number).map(|at| upright.transform_point3(at)) else { return };
        let camera = self.orbit.camera();
        let depth = (camera.eye() - point).dot(camera.back());
        let height = 2.0 * depth * (camera.fov() * 0.5).tan();
        let by = (camera.right() * right - camera.up() * down) * height;
        show.change_target(&TargetChange::MoveBy(number, upright.inverse().transform_vector3(by)));
    }

    pub(super) fn run_machine(&mut self) {
        let ran = self.show.as_mut().map_or(Ok(()), Show::run_machine);
        if ran.is_ok() {
            self.machine.aside = false;
            self.clip = None;
        }
        self.tell(ran);
        self.clip_changed();
    }

    pub(super) fn set_parameter(&mut self, name: &str, value: Value) {
        let set = self.show.as_mut().map_or(Ok(()), |show| show.set_parameter(name, value));
        self.tell(set);
    }

    /// What was chosen to play instead of the machine.
    pub(super) fn set_machine_aside(&mut self) {
        self.machine.aside = true;
    }

    /// The machine's file was read, or read again.
    pub(super) fn receive_machine(&mut self, read: Result<Arc<Machine>, String>) {
        match read {
            Err(problem) => {
                let kept = if self.show.as_ref().is_some_and(|show| show.machine().is_some()) {
                    "\nThe machine that was read before still runs."
                } else {
                    ""
                };
                self.notify(Mood::Problem, format!("{problem}{kept}"));
                self.machine.problem = Some(problem);
            }
            Ok(machine) => self.plan_machine(machine),
        }
        self.changed();
    }

    /// Works the last machine out for a character that was read again.
    pub(super) fn plan_again(&mut self, old: Option<&Show>) {
        let Some(machine) = self.machine.machine.clone() else { return };
        let held = old.map(Show::held).unwrap_or_default();
        if let Err(problem) = self.use_machine(machine, &held) {
            self.notify(Mood::Problem, problem.clone());
            self.machine.problem = Some(problem);
        }
    }

    fn plan_machine(&mut self, machine: Arc<Machine>) {
        let is_first = self.machine.machine.is_none();
        if self.show.is_none() {
            // It waits for its character.
            self.machine.machine = Some(machine);
            return;
        }
        let held = self.show.as_ref().map(Show::held).unwrap_or_default();
        match self.use_machine(Arc::clone(&machine), &held) {
            Err(problem) => self.receive_machine(Err(problem)),
            Ok(()) => {
                self.machine.machine = Some(machine);
                if !is_first {
                    self.notify(Mood::Fine, "The machine was read again".to_owned());
                }
            }
        }
    }

    fn use_machine(&mut self, machine: Arc<Machine>, held: &Held) -> Result<(), String> {
        let Some(show) = &mut self.show else { return Ok(()) };
        let character = Arc::clone(show.character());
        let clips = TaggedClips::new(character.clips());
        let plan = match self.machine.gaps {
            true => MachinePlan::with_gaps(machine, &character, &clips),
            false => MachinePlan::with_clips(machine, &character, &clips),
        };
        let plan = plan.map_err(|error| format!("The machine does not go with the character: {error}"))?;
        let run = !self.machine.aside;
        show.set_machine(Arc::new(plan), held, run)?;
        self.machine.problem = None;
        if run {
            self.clip = None;
            self.clip_changed();
        }
        Ok(())
    }

    /// What was found out about the feet in a clip.
    pub(super) fn receive_feet(&mut self, clip: usize, feet: Feet) {
        let Some(document) = &mut self.document else { return };
        if let Some(place) = document.feet.get_mut(clip) {
            *place = Some(feet);
        }
        self.marks.0 = None;
        self.changed();
    }

    /// Brings the marks up to date with the clip that plays.
    pub(super) fn mark(&mut self) {
        let clip = self.show.as_ref().and_then(Show::clip);
        let same = match (&self.marks.0, clip) {
            (Some(marked), Some(clip)) => Arc::ptr_eq(marked, clip),
            (marked, clip) => marked.is_none() && clip.is_none(),
        };
        if same {
            return;
        }
        let feet = clip.and_then(|clip| self.document.as_ref()?.feet_of(clip.name()));
        let marks = clip.map(|clip| Marks::of(clip, feet)).unwrap_or_default();
        self.marks = (clip.cloned(), marks);
    }

    /// Layers, blend space and targets of what was shown before, where their clips and joints are still there.
    pub(super) fn carry_motion(before: &Document, old: &Show, document: &Document, show: &mut Show) {
        let clip = |clip: usize| document.same_clip(before, clip);
        let joint = |joint: u16| document.same_joint(before, joint);
        show.take_layers(old, clip, joint);
        show.take_pad(old, clip);
        show.take_targets(old, |handle| {
            let own = document.handles.iter().find(|own| own.name == handle.name).cloned();
            let skeleton = document.character.skeleton();
            own.or_else(|| Handle::of_joint(skeleton, joint(handle.joint()?)?))
        });
    }

    /// Opens the motion panel in place of that of the joints: there is not room for all.
    pub(super) fn open_motion(&mut self) {
        self.panels.insert(Panel::Motion);
        self.panels.remove(&Panel::Joints);
    }

    fn tell(&mut self, done: Result<(), String>) {
        if let Err(problem) = done {
            self.notify(Mood::Problem, problem);
        }
    }
}
