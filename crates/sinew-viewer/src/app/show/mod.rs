//! What is played on one character: a clip, a blend space or a state machine; layers over it; and IK behind them.

mod layers;
mod machine;
mod pad;
mod seen;
mod targets;
#[cfg(test)]
mod tests;

pub use layers::{LayerChange, LayerRow};
pub use machine::{Held, MachineShow, ParameterRow, SpaceOfState, Value};
pub use pad::{Pad, PadChange, PadPoint};
pub use targets::{Handle, Kind, TargetChange, TargetRow, handles};

use layers::Layers;
use sinew::glam::Vec3;
use sinew::{
    Character, Clip, Instance, JobError, LoopMode, Mixer, PlayError, PlayOptions, RootMotion, Sampling,
    Scratch, Transform, VoiceId, job,
};
use std::sync::Arc;
use targets::Targets;

/// Length of a crossfade in seconds.
pub const CROSSFADE: f64 = 0.25;

/// Clips that may be heard at once below the layers: more changes within one crossfade than a person makes.
const VOICES: usize = 16;

/// How clips are shown.
#[derive(Clone, Copy, Debug)]
pub struct ShowOptions {
    /// What happens at the end.
    pub mode: LoopMode,
    /// Factor on time; negative plays backward.
    pub speed: f64,
    /// What becomes of travel.
    pub root_motion: RootMotion,
    /// How clips are read between their keys.
    pub sampling: Sampling,
}

impl Default for ShowOptions {
    fn default() -> Self {
        Self {
            mode: LoopMode::Loop,
            speed: 1.0,
            root_motion: RootMotion::Keep,
            sampling: Sampling::Interpolate,
        }
    }
}

/// What plays below the layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    Rest,
    Clip(VoiceId),
    Space(VoiceId),
    Machine,
}

/// One character and what it shows; the rest pose at first.
#[derive(Clone, Debug)]
pub struct Show {
    mixer: Mixer,
    scratch: Scratch,
    base: Base,
    /// For each voice that is heard: offset of the root from its rest position at the start of the clip, without height.
    starts: Vec<(VoiceId, Vec3)>,
    options: ShowOptions,
    /// Loop mode of clips that have none of their own.
    mode: LoopMode,
    paused: bool,
    layers: Layers,
    pad: Pad,
    machine: Option<MachineShow>,
    /// Where root motion has carried the character, under a machine.
    place: Transform,
    targets: Targets,
    instance: Instance,
}

impl Show {
    /// The rest pose.
    pub fn new(character: Arc<Character>) -> Self {
        Self {
            mixer: Mixer::new(Arc::clone(&character), VOICES + layers::MOST),
            scratch: Scratch::new(character.skeleton()),
            base: Base::Rest,
            starts: Vec::new(),
            options: ShowOptions::default(),
            mode: ShowOptions::default().mode,
            paused: false,
            layers: Layers::default(),
            pad: Pad::default(),
            machine: None,
            place: Transform::IDENTITY,
            targets: Targets::default(),
            instance: Instance::new(character),
        }
    }

    /// The same speed, loop mode, root motion and pause for another character, in its rest pose.
    pub fn renewed(&self, character: Arc<Character>) -> Self {
        Self { options: self.options, mode: self.mode, paused: self.paused, ..Self::new(character) }
    }

    /// Plays a clip from its start, with a crossfade from what was shown: in its own loop mode, if it has one, else in the one that was set last.
    /// On an error everything stays as it was.
    pub fn play(&mut self, clip: Arc<Clip>, own: Option<LoopMode>) -> Result<(), PlayError> {
        let options = ShowOptions { mode: own.unwrap_or(self.mode), ..self.options };
        let play = PlayOptions { crossfade: self.crossfade(), ..options.play() };
        let voice = self.mixer.play_clip(Arc::clone(&clip), play)?;
        let start = start_of(self.character(), &clip).unwrap_or_default();
        self.leave_machine();
        self.base = Base::Clip(voice);
        self.starts.retain(|(voice, _)| self.mixer.voice(*voice).is_some());
        self.starts.push((voice, start));
        self.options = options;
        self.set_speed(self.options.speed);
        self.refresh();
        Ok(())
    }

    /// While paused no time passes, so what is new is shown at once; nor is there a crossfade from the rest pose.
    fn crossfade(&self) -> f64 {
        if self.paused || self.base == Base::Rest { 0.0 } else { CROSSFADE }
    }

    /// Advances by `seconds`, unless paused. Returns whether the pose may have changed.
    pub fn advance(&mut self, seconds: f64) -> bool {
        if !self.is_moving() {
            return false;
        }
        self.pass(seconds);
        true
    }

    /// Advances by `seconds`, paused or not.
    pub fn pass(&mut self, seconds: f64) {
        match (&mut self.machine, self.base) {
            (Some(machine), Base::Machine) => {
                machine.advance(&mut self.mixer, seconds * self.options.speed.max(0.0));
                let moved = self.mixer.root_delta();
                self.place.translation += self.place.rotation * moved.translation;
                self.place.rotation = (self.place.rotation * moved.rotation).normalize();
            }
            _ => self.mixer.advance(seconds),
        }
        self.refresh();
    }

    /// Goes to a time and ends a crossfade, so that only that time is seen. The clips of layers go to the same time, round their loops. A machine has no
    /// time to go to.
    pub fn seek(&mut self, time: f64) {
        match self.base {
            Base::Machine => return,
            Base::Rest => self.mixer.settle(),
            Base::Clip(voice) => {
                self.mixer.settle();
                self.mixer.seek(voice, time);
            }
            Base::Space(voice) => {
                self.mixer.settle();
                let turn = self.duration();
                self.mixer.seek(voice, if turn > 0.0 { time / turn } else { 0.0 });
            }
        }
        self.layers.seek(&mut self.mixer, time);
        self.refresh();
    }

    /// Pauses or resumes. A clip that has ended starts again.
    pub fn set_paused(&mut self, paused: bool) {
        self.paused = paused;
        if !paused && self.has_ended() {
            self.seek(if self.options.speed < 0.0 { self.duration() } else { 0.0 });
        }
    }

    /// Changes the speed; negative plays backward. A machine does not.
    pub fn set_speed(&mut self, speed: f64) {
        self.options.speed = speed;
        if let Base::Clip(voice) | Base::Space(voice) = self.base {
            self.mixer.set_speed(voice, speed);
        }
        // The time of a machine is scaled as a whole.
        let speed = if self.base == Base::Machine { 1.0 } else { speed };
        self.layers.set_speed(&mut self.mixer, speed);
    }

    /// Changes the loop mode, also of clips to come that have none of their own; the time stays.
    pub fn set_mode(&mut self, mode: LoopMode) {
        self.mode = mode;
        self.set_mode_of_clip(mode);
    }

    /// Changes the loop mode of the clip that plays; the time stays.
    pub fn set_mode_of_clip(&mut self, mode: LoopMode) {
        self.options.mode = mode;
        let time = self.time();
        if let Base::Clip(voice) = self.base {
            self.mixer.set_mode(voice, mode);
        }
        self.seek(time);
    }

    /// Changes the handling of root motion. A machine has its own.
    pub fn set_root_motion(&mut self, root_motion: RootMotion) {
        self.options.root_motion = root_motion;
        if self.base != Base::Machine {
            for place in 0..self.mixer.voices().len() {
                let voice = self.mixer.voices()[place].id();
                self.mixer.set_root_motion(voice, root_motion);
            }
        }
        self.refresh();
    }

    /// The three parts of a frame: mix, IK, finish.
    fn refresh(&mut self) {
        let mixed = self.mixer.mix(&mut self.scratch, self.instance.pose_mut());
        self.instance.set_root(self.place.to_affine());
        let way = self.way();
        let solved = self.targets.solve(way, &mut self.instance);
        let finished = self.instance.finish();
        // All are of one skeleton, and targets of joints that are there.
        debug_assert_eq!(mixed.and(solved).and(finished), Ok(()));
    }

    /// What a machine leaves behind when something else plays.
    fn leave_machine(&mut self) {
        if self.base != Base::Machine {
            return;
        }
        let layers = self.machine.as_ref().map_or(0, |machine| machine.plan().machine().layers());
        (1..layers).for_each(|layer| self.mixer.stop(Some(layer as u8)));
        self.place = Transform::IDENTITY;
    }
}

impl ShowOptions {
    fn play(self) -> PlayOptions {
        PlayOptions {
            mode: Some(self.mode),
            speed: Some(self.speed),
            root_motion: Some(self.root_motion),
            sampling: Some(self.sampling),
            ..PlayOptions::default()
        }
    }
}

/// Offset of the root from its rest position at the start of a clip, without height.
fn start_of(character: &Arc<Character>, clip: &Clip) -> Result<Vec3, JobError> {
    let joint = usize::from(clip.travel(character, None).joint().unwrap_or(0));
    let root = |instance: &Instance| {
        instance.model_matrices().get(joint).map_or(Vec3::ZERO, |model| model.translation())
    };
    let mut instance = Instance::new(Arc::clone(character));
    let rest = root(&instance);
    job::sample(character.skeleton(), clip, 0.0, Sampling::Interpolate, instance.pose_mut())?;
    instance.finish()?;
    let way = root(&instance) - rest;
    let up = Vec3::from(character.space().up);
    Ok(way - up * way.dot(up))
}
