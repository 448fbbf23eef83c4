//! One instance of a machine: what its parameters are worth, and in which state each layer is.

use super::compile::{FlatAmount, FlatMotion, FlatTransition};
use super::define::Interrupt;
use super::expression::Values;
use super::parameter::{ParameterId, ParameterKind};
use super::plan::{MachinePlan, Source};
use super::{Machine, ParameterError};
use crate::{Ease, Mixer, PlayError, PlayOptions, VoiceId, VoiceOptions};

/// Most transitions that a layer takes in one update; a circle of transitions that all hold goes on with the next.
const MOST_STEPS: usize = 8;

/// How a game names a parameter: as it was found before, or by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterRef<'a> {
    /// Found before by [`Machine::parameter`].
    Id(ParameterId),
    /// Its name.
    Name(&'a str),
}

impl From<ParameterId> for ParameterRef<'_> {
    fn from(id: ParameterId) -> Self {
        Self::Id(id)
    }
}

impl<'a> From<&'a str> for ParameterRef<'a> {
    fn from(name: &'a str) -> Self {
        Self::Name(name)
    }
}

/// What a parameter is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    Number(f32),
    Bool(bool),
    Trigger(Trigger),
}

#[derive(Clone, Copy, Debug, PartialEq, Default)]
struct Trigger {
    set: bool,
    /// Seconds until it ends.
    left: f64,
    /// Whether a transition of the layer that is being decided has taken it.
    taken_here: bool,
    /// Whether any has.
    taken: bool,
}

impl Values for [Value] {
    fn number(&self, parameter: ParameterId) -> f32 {
        if let Value::Number(number) = self[parameter.index()] { number } else { 0.0 }
    }

    fn truth(&self, parameter: ParameterId) -> bool {
        match self[parameter.index()] {
            Value::Bool(truth) => truth,
            Value::Trigger(trigger) => trigger.set && !trigger.taken_here,
            Value::Number(_) => false,
        }
    }
}

/// A transition that is still fading.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Running {
    transition: u16,
    source: u16,
    source_voice: Option<VoiceId>,
    left: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct LayerRun {
    state: u16,
    voice: Option<VoiceId>,
    running: Option<Running>,
    entered: u32,
}

/// What one instance of a machine holds: parameters, and the state of each layer. Its voices lie in a [`Mixer`] of the same character, one mixer
/// layer for each of the machine's, from 0 up.
///
/// ```
/// # fn demo(plan: &sinew::machine::MachinePlan, character: std::sync::Arc<sinew::Character>) -> Result<(), Box<dyn std::error::Error>> {
/// use sinew::machine::MachineRun;
///
/// let speed = plan.machine().parameter("speed")?;    // once
/// let mut mixer = plan.mixer(character);
/// let mut run = MachineRun::start(plan, &mut mixer)?;
///
/// run.set_number(plan, speed, 1.4)?;                 // each frame
/// run.advance(plan, &mut mixer, 1.0 / 60.0)?;
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MachineRun {
    values: Box<[Value]>,
    layers: Box<[LayerRun]>,
}

impl MachineRun {
    /// Enters the start of every layer at once: voices of the mixer on those layers end.
    ///
    /// Fails if the mixer is of another character, or has fewer voices than the machine has layers.
    pub fn start(plan: &MachinePlan, mixer: &mut Mixer) -> Result<Self, PlayError> {
        let machine = plan.machine();
        let values = machine.parameters().iter().map(|parameter| Value::at_start(parameter.kind));
        let layers = machine.layers.iter().map(|layer| LayerRun {
            state: layer.start,
            voice: None,
            running: None,
            entered: 0,
        });
        let mut run = Self { values: values.collect(), layers: layers.collect() };
        run.restart(plan, mixer)?;
        Ok(run)
    }

    /// The same anew: parameters as at the start, every layer in its start. Allocates nothing.
    pub fn restart(&mut self, plan: &MachinePlan, mixer: &mut Mixer) -> Result<(), PlayError> {
        let machine = plan.machine();
        for (value, parameter) in self.values.iter_mut().zip(machine.parameters()) {
            *value = Value::at_start(parameter.kind);
        }
        for (index, flat) in machine.layers.iter().enumerate() {
            self.layers[index].entered = 0;
            self.put(plan, mixer, index, flat.start)?;
        }
        self.follow(plan, mixer);
        Ok(())
    }

    /// Puts a layer into a state at once, by its number among [`Machine::states`], without a transition: as after a saved game was loaded. Says whether
    /// there is such a state; if not, everything stays as it was.
    pub fn go_to(
        &mut self,
        plan: &MachinePlan,
        mixer: &mut Mixer,
        layer: usize,
        state: usize,
    ) -> Result<bool, PlayError> {
        let flat = plan.machine().layers.get(layer).filter(|_| layer < self.layers.len());
        if flat.is_none_or(|flat| state >= flat.states.len()) {
            return Ok(false);
        }
        self.layers[layer].entered = self.layers[layer].entered.wrapping_add(1);
        self.put(plan, mixer, layer, state as u16)?;
        self.follow(plan, mixer);
        Ok(true)
    }

    /// Ends what plays on a layer and plays a state of it.
    fn put(
        &mut self,
        plan: &MachinePlan,
        mixer: &mut Mixer,
        layer: usize,
        state: u16,
    ) -> Result<(), PlayError> {
        mixer.stop(Some(layer as u8));
        self.layers[layer] = LayerRun { state, voice: None, running: None, ..self.layers[layer] };
        self.layers[layer].voice = self.enter(plan, mixer, layer, None)?;
        Ok(())
    }

    /// Sets a number. NaN and infinities are refused.
    pub fn set_number<'a>(
        &mut self,
        plan: &MachinePlan,
        parameter: impl Into<ParameterRef<'a>>,
        number: f32,
    ) -> Result<(), ParameterError> {
        if !number.is_finite() {
            return Err(ParameterError::NotFinite(number));
        }
        match self.value(plan.machine(), parameter.into())? {
            Value::Number(value) => *value = number,
            other => return Err(other.is_not("number")),
        }
        Ok(())
    }

    /// Sets a bool.
    pub fn set_bool<'a>(
        &mut self,
        plan: &MachinePlan,
        parameter: impl Into<ParameterRef<'a>>,
        truth: bool,
    ) -> Result<(), ParameterError> {
        match self.value(plan.machine(), parameter.into())? {
            Value::Bool(value) => *value = truth,
            other => return Err(other.is_not("bool")),
        }
        Ok(())
    }

    /// Sets a trigger: for the next update, or until its hold is over.
    pub fn fire<'a>(
        &mut self,
        plan: &MachinePlan,
        parameter: impl Into<ParameterRef<'a>>,
    ) -> Result<(), ParameterError> {
        let id = plan.machine().resolve(parameter.into())?;
        let hold = match plan.machine().parameters().get(id.index()).map(super::Parameter::kind) {
            Some(ParameterKind::Trigger { hold }) => hold.into(),
            _ => 0.0,
        };
        match self.value(plan.machine(), id.into())? {
            Value::Trigger(trigger) => *trigger = Trigger { set: true, left: hold, ..Trigger::default() },
            other => return Err(other.is_not("trigger")),
        }
        Ok(())
    }

    /// Takes the transitions whose time has come, then moves the clocks on by `seconds`.
    ///
    /// Layer by layer: of the transitions that leave its state, and whose condition holds, the first is taken; then those of the state that it led to. Only
    /// the state in which a layer comes to stand gets a voice. Fails if the mixer has no room; that layer stays as it was.
    pub fn advance(&mut self, plan: &MachinePlan, mixer: &mut Mixer, seconds: f64) -> Result<(), PlayError> {
        let seconds = if seconds >= 0.0 && seconds.is_finite() { seconds } else { 0.0 };
        let mut outcome = Ok(());
        for layer in 0..self.layers.len() {
            let decided = self.decide(plan, mixer, layer);
            outcome = outcome.and(decided);
        }
        self.follow(plan, mixer);
        mixer.advance(seconds);
        self.pass(seconds);
        outcome
    }

    /// The state of a layer, by its number among [`Machine::states`].
    pub fn state(&self, layer: usize) -> Option<usize> {
        self.layers.get(layer).map(|layer| usize::from(layer.state))
    }

    /// How many times a layer has entered a state since the start.
    pub fn entered(&self, layer: usize) -> u32 {
        self.layers.get(layer).map_or(0, |layer| layer.entered)
    }

    /// The voice of a layer's state; none if it plays nothing.
    pub fn voice(&self, layer: usize) -> Option<VoiceId> {
        self.layers.get(layer)?.voice
    }

    /// The transition that is fading on a layer: the state that it left, and the seconds until it is over.
    pub fn transition(&self, layer: usize) -> Option<(usize, f64)> {
        let running = self.layers.get(layer)?.running?;
        Some((usize::from(running.source), running.left))
    }

    /// What a number parameter holds.
    pub fn number(&self, parameter: ParameterId) -> Option<f32> {
        match self.values.get(parameter.index())? {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// Whether a bool is true, or a trigger set.
    pub fn truth(&self, parameter: ParameterId) -> Option<bool> {
        match self.values.get(parameter.index())? {
            Value::Bool(truth) => Some(*truth),
            Value::Trigger(trigger) => Some(trigger.set),
            Value::Number(_) => None,
        }
    }

    fn value(
        &mut self,
        machine: &Machine,
        parameter: ParameterRef<'_>,
    ) -> Result<&mut Value, ParameterError> {
        let id = machine.resolve(parameter)?;
        let unknown = ParameterError::Unknown(crate::ShortText::new("of another machine"));
        self.values.get_mut(id.index()).ok_or(unknown)
    }

    /// Takes what transitions of one layer there are to take.
    fn decide(&mut self, plan: &MachinePlan, mixer: &mut Mixer, layer: usize) -> Result<(), PlayError> {
        for value in &mut self.values {
            if let Value::Trigger(trigger) = value {
                trigger.taken_here = false;
            }
        }
        let flat = &plan.machine().layers[layer];
        let before = self.layers[layer];
        let mut taken = None;
        for _ in 0..MOST_STEPS {
            let Some(index) = self.next(plan, mixer, layer, taken.is_some()) else { break };
            let transition = &flat.transitions[usize::from(index)];
            self.take_triggers(transition);
            self.layers[layer].step(index, transition, flat.states.as_slice());
            taken = Some(transition);
        }
        let Some(transition) = taken else { return Ok(()) };
        match self.enter(plan, mixer, layer, Some(transition)) {
            Ok(voice) => self.layers[layer].voice = voice,
            Err(error) => {
                self.layers[layer] = before;
                return Err(error);
            }
        }
        Ok(())
    }

    /// The first transition that can be taken now. `fresh` is a state that was entered in this update.
    fn next(&self, plan: &MachinePlan, mixer: &Mixer, layer: usize, fresh: bool) -> Option<u16> {
        let (flat, run) = (&plan.machine().layers[layer], &self.layers[layer]);
        let interrupt = run
            .running
            .map_or(Interrupt::Target, |running| flat.transitions[usize::from(running.transition)].interrupt);
        let can = |index: &&u16, turns: f64| {
            let transition = &flat.transitions[usize::from(**index)];
            transition.after.is_none_or(|after| turns >= after)
                && transition.when.as_ref().is_none_or(|when| when.holds(&*self.values))
        };
        let own = || {
            let voice = if fresh { None } else { run.voice };
            let turns = self.turns(plan, mixer, layer, run.state, voice, fresh);
            let exits = &flat.states[usize::from(run.state)].exits;
            exits.iter().find(|index| can(index, turns)).copied()
        };
        let of_source = || {
            let running = run.running?;
            let turns = self.turns(plan, mixer, layer, running.source, running.source_voice, false);
            let exits = &flat.states[usize::from(running.source)].exits;
            let earlier = exits.iter().take_while(|index| **index < running.transition);
            earlier.into_iter().find(|index| can(index, turns)).copied()
        };
        match interrupt {
            Interrupt::None => None,
            Interrupt::Target => own(),
            Interrupt::Source => of_source(),
            Interrupt::Any => [of_source(), own()].into_iter().flatten().min(),
        }
    }

    /// Turns of a state's clip that are over; all, for a state that plays nothing.
    fn turns(
        &self,
        plan: &MachinePlan,
        mixer: &Mixer,
        layer: usize,
        state: u16,
        voice: Option<VoiceId>,
        fresh: bool,
    ) -> f64 {
        if fresh {
            return match &plan.layers[layer].states[usize::from(state)].source {
                Source::None => f64::INFINITY,
                Source::Clip(_) | Source::Space(_) => 0.0,
            };
        }
        voice.and_then(|voice| mixer.voice(voice)).map_or(f64::INFINITY, |voice| voice.playback().turns())
    }

    fn take_triggers(&mut self, transition: &FlatTransition) {
        for id in &transition.triggers {
            if let Value::Trigger(trigger) = &mut self.values[id.index()]
                && trigger.set
            {
                (trigger.taken_here, trigger.taken) = (true, true);
            }
        }
    }

    /// Starts the voice of the state in which a layer now stands.
    fn enter(
        &self,
        plan: &MachinePlan,
        mixer: &mut Mixer,
        layer: usize,
        transition: Option<&FlatTransition>,
    ) -> Result<Option<VoiceId>, PlayError> {
        let (layer_plan, state) = (&plan.layers[layer], usize::from(self.layers[layer].state));
        let state_plan = &layer_plan.states[state];
        let flat = &plan.machine().layers[layer];
        let speed = flat.states[state].speed.map(|speed| f64::from(self.amount(speed)));
        let play = PlayOptions { speed: speed.or(state_plan.play.speed), ..state_plan.play };
        let options = VoiceOptions {
            play: transition.map_or(play, |transition| transition.fading(play)),
            layer: layer as u8,
            weight: self.amount(flat.weight),
            mask: layer_plan.mask.clone(),
            layering: layer_plan.layering.clone(),
            mirror: None,
            sync: state_plan.sync,
        };
        match &state_plan.source {
            Source::None => {
                let (seconds, ease) = transition.map_or((0.0, Ease::Linear), |way| (way.fade, way.ease));
                fade_out_layer(mixer, layer as u8, seconds, ease);
                Ok(None)
            }
            Source::Clip(clip) => mixer.play_clip(clip.clone(), options).map(Some),
            Source::Space(space) => mixer.play_space(space.clone(), options).map(Some),
        }
    }

    fn amount(&self, amount: FlatAmount) -> f32 {
        match amount {
            FlatAmount::Fixed(value) => value,
            FlatAmount::Parameter(id) => self.values.number(id),
        }
    }

    /// Hands parameters on to the voices that go by them.
    fn follow(&self, plan: &MachinePlan, mixer: &mut Mixer) {
        for (index, run) in self.layers.iter().enumerate() {
            self.follow_state(plan, mixer, index, run.state, run.voice);
            if let Some(running) = run.running {
                self.follow_state(plan, mixer, index, running.source, running.source_voice);
            }
        }
    }

    fn follow_state(
        &self,
        plan: &MachinePlan,
        mixer: &mut Mixer,
        layer: usize,
        state: u16,
        voice: Option<VoiceId>,
    ) {
        let Some(voice) = voice else { return };
        let flat = &plan.machine().layers[layer];
        let state = &flat.states[usize::from(state)];
        if let Some(speed @ FlatAmount::Parameter(_)) = state.speed {
            mixer.set_speed(voice, self.amount(speed).into());
        }
        if let FlatMotion::Space(_, by) = &state.motion {
            mixer.set_parameter(voice, by.map(|by| by.map_or(0.0, |id| self.values.number(id))));
        }
        if self.layers[layer].voice == Some(voice)
            && let FlatAmount::Parameter(_) = flat.weight
        {
            mixer.set_weight(voice, self.amount(flat.weight), 0.0, Ease::Linear);
        }
    }

    /// Lets fades and triggers come to their end.
    fn pass(&mut self, seconds: f64) {
        for layer in &mut self.layers {
            if let Some(running) = &mut layer.running {
                running.left -= seconds;
            }
            layer.running = layer.running.filter(|running| running.left > 0.0);
        }
        for value in &mut self.values {
            if let Value::Trigger(trigger) = value {
                trigger.left -= seconds;
                trigger.set &= !trigger.taken && trigger.left > 0.0;
                trigger.taken = false;
            }
        }
    }
}

impl Value {
    fn at_start(kind: ParameterKind) -> Self {
        match kind {
            ParameterKind::Number(number) => Self::Number(number),
            ParameterKind::Bool(truth) => Self::Bool(truth),
            ParameterKind::Trigger { .. } => Self::Trigger(Trigger::default()),
        }
    }

    fn is_not(&self, given: &'static str) -> ParameterError {
        let is = match self {
            Self::Number(_) => "number",
            Self::Bool(_) => "bool",
            Self::Trigger(_) => "trigger",
        };
        ParameterError::Kind { is, given }
    }
}

impl LayerRun {
    /// Goes to the state that a transition leads to.
    fn step(&mut self, index: u16, transition: &FlatTransition, states: &[super::compile::FlatState]) {
        let of_source = !states[usize::from(self.state)].exits.contains(&index);
        let running = match self.running.filter(|_| of_source) {
            // It leaves the state that the interrupted one had left.
            Some(running) => Running { transition: index, left: transition.fade, ..running },
            None => Running {
                transition: index,
                source: self.state,
                source_voice: self.voice,
                left: transition.fade,
            },
        };
        self.running = Some(running).filter(|running| running.left > 0.0);
        self.state = transition.to;
        self.entered = self.entered.wrapping_add(1);
    }
}

/// Fades all voices of a layer out.
fn fade_out_layer(mixer: &mut Mixer, layer: u8, seconds: f64, ease: Ease) {
    if seconds <= 0.0 {
        return mixer.stop(Some(layer));
    }
    for place in 0..mixer.voices().len() {
        let voice = &mixer.voices()[place];
        if voice.layer() == layer {
            let id = voice.id();
            mixer.fade_out(id, seconds, ease);
        }
    }
}
