//! A state machine, its parameters, and the states that it is in.

use super::{Base, Show, VOICES, layers};
use sinew::machine::{
    Definition, Machine, MachinePlan, MachineRun, Motion, ParameterId, ParameterKind, Space, State,
};
use sinew::{Mixer, Transform, Voice};
use std::sync::Arc;

/// What a parameter holds, or is set to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(f32),
    /// True or false.
    Bool(bool),
    /// A trigger, and whether it is set.
    Trigger(bool),
}

/// A parameter as a control.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterRow {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub value: Value,
    /// From where to where a number is worth trying: the places of blend spaces and the numbers that it is compared with.
    pub range: (f32, f32),
}

/// The blend space of a state that is active: its parameters, their places, and the clips.
#[derive(Clone, Debug, PartialEq)]
pub struct SpaceOfState {
    /// The parameters: one for a line, two for a plane.
    pub by: Vec<ParameterId>,
    /// Places and clips.
    pub points: Vec<([f32; 2], String)>,
    /// Where the parameters are.
    pub at: [f32; 2],
}

/// What a machine that is read again keeps, where it still has it: what parameters hold, and the states.
#[derive(Clone, Debug, Default)]
pub struct Held {
    parameters: Vec<ParameterRow>,
    states: Vec<HeldState>,
}

/// A layer's state, and where its clip or blend space is.
#[derive(Clone, Debug)]
struct HeldState {
    layer: String,
    state: String,
    time: f64,
}

/// A machine on a character.
#[derive(Clone, Debug)]
pub struct MachineShow {
    plan: Arc<MachinePlan>,
    run: MachineRun,
    ranges: Vec<(f32, f32)>,
}

impl MachineShow {
    pub(super) fn advance(&mut self, mixer: &mut Mixer, seconds: f64) {
        // It fails only where the mixer has no room, and there is room for all of the machine's layers and ours.
        let advanced = self.run.advance(&self.plan, mixer, seconds);
        debug_assert_eq!(advanced, Ok(()));
    }

    /// The voice of the lowest layer that plays something.
    pub(super) fn voice<'a>(&self, mixer: &'a Mixer) -> Option<&'a Voice> {
        let layers = 0..self.plan.machine().layers();
        layers.filter_map(|layer| self.run.voice(layer)).find_map(|voice| mixer.voice(voice))
    }

    /// As it was worked out for the character.
    pub fn plan(&self) -> &Arc<MachinePlan> {
        &self.plan
    }

    /// Parameters and states.
    pub fn run(&self) -> &MachineRun {
        &self.run
    }

    /// All parameters.
    pub fn parameters(&self) -> Vec<ParameterRow> {
        let machine = self.plan.machine();
        let rows = machine.parameters().iter().zip(&self.ranges);
        rows.map(|(parameter, &range)| ParameterRow {
            name: parameter.name().to_owned(),
            value: self.value(parameter.name()),
            range,
        })
        .collect()
    }

    /// What another version of it is to keep; `mixer` has its voices.
    fn held(&self, mixer: &Mixer) -> Held {
        let machine = self.plan.machine();
        let layers = machine.definition().layers.iter().enumerate();
        let states = layers.filter_map(|(index, layer)| {
            let voice = self.run.voice(index).and_then(|voice| mixer.voice(voice));
            Some(HeldState {
                layer: layer.name.as_str().to_owned(),
                state: machine.states(index).nth(self.run.state(index)?)?.to_owned(),
                time: voice.map_or(0.0, |voice| voice.playback().time()),
            })
        });
        Held { parameters: self.parameters(), states: states.collect() }
    }

    /// Takes over what it has of what another version held.
    fn take(&mut self, held: &Held, mixer: &mut Mixer) {
        for row in held.parameters.iter().filter(|row| !matches!(row.value, Value::Trigger(_))) {
            // A parameter that is gone, or holds something else now, has nothing to keep.
            let _ = self.set(&row.name, row.value);
        }
        for held in &held.states {
            let machine = self.plan.machine();
            let Some(layer) = machine.layer(&held.layer) else { continue };
            let Some(state) = machine.states(layer).position(|name| name == held.state) else { continue };
            // There is room: the voice takes the place of the one that the layer started with.
            let put = self.run.go_to(&self.plan, mixer, layer, state);
            debug_assert_eq!(put, Ok(true));
            if let Some(voice) = self.run.voice(layer) {
                mixer.seek(voice, held.time);
            }
        }
    }

    fn value(&self, name: &str) -> Value {
        let machine = self.plan.machine();
        let Ok(id) = machine.parameter(name) else { return Value::Number(0.0) };
        let truth = self.run.truth(id).unwrap_or_default();
        match machine.parameters()[id.index()].kind() {
            ParameterKind::Number(start) => Value::Number(self.run.number(id).unwrap_or(start)),
            ParameterKind::Bool(_) => Value::Bool(truth),
            ParameterKind::Trigger { .. } => Value::Trigger(truth),
        }
    }

    fn set(&mut self, name: &str, value: Value) -> Result<(), String> {
        let set = match value {
            Value::Number(number) => self.run.set_number(&self.plan, name, number),
            Value::Bool(truth) => self.run.set_bool(&self.plan, name, truth),
            Value::Trigger(true) => self.run.fire(&self.plan, name),
            Value::Trigger(false) => Ok(()),
        };
        set.map_err(|error| format!("parameter `{name}`: {error}"))
    }

    /// Sets a parameter as it is written on a command line: `1.4`, `true`, or nothing for a trigger.
    fn set_written(&mut self, name: &str, text: &str) -> Result<(), String> {
        let machine = self.plan.machine();
        let id = machine.parameter(name).map_err(|error| error.to_string())?;
        let wrong = |what: &str| format!("parameter `{name}`: `{text}` is not {what}");
        let value = match machine.parameters()[id.index()].kind() {
            ParameterKind::Number(_) => Value::Number(text.parse().map_err(|_| wrong("a number"))?),
            ParameterKind::Bool(_) => Value::Bool(text.parse().map_err(|_| wrong("true or false"))?),
            ParameterKind::Trigger { .. } => Value::Trigger(true),
        };
        self.set(name, value)
    }

    /// The longest fade of the transitions that lead to a state of a layer, in seconds.
    pub fn fade_into(&self, layer: usize, state: &str) -> f64 {
        let definition = self.plan.machine().definition();
        let own = definition.layers.get(layer).into_iter().flat_map(|layer| &layer.graph.transitions);
        let nested = definition.machines.iter().flat_map(|(_, graph)| &graph.transitions);
        // A nested state is led to by its own name within its machine, or by that of the state that runs the machine.
        let leads = |to: &str| {
            state == to
                || state.strip_prefix(to).is_some_and(|rest| rest.starts_with('/'))
                || state.strip_suffix(to).is_some_and(|rest| rest.ends_with('/'))
        };
        own.chain(nested).filter(|way| leads(&way.to)).map(|way| way.fade).fold(0.0, f64::max)
    }

    /// The blend space of the state of a layer, if it plays one.
    pub fn space(&self, layer: usize) -> Option<SpaceOfState> {
        let machine = self.plan.machine();
        let name = machine.states(layer).nth(self.run.state(layer)?)?;
        let space = space_of(machine.definition(), layer, name)?;
        let by: Vec<ParameterId> =
            space.by.iter().filter_map(|parameter| machine.parameter(parameter).ok()).collect();
        let number = |place: usize| by.get(place).and_then(|&id| self.run.number(id)).unwrap_or(0.0);
        let at = [number(0), number(1)];
        let points = space.points.iter().map(|(at, clip)| (*at, clip.as_str().to_owned())).collect();
        Some(SpaceOfState { by, points, at })
    }
}

/// The blend space of a state, which may lie in nested machines: `Air/Strafe`.
fn space_of<'a>(definition: &'a Definition, layer: usize, path: &str) -> Option<&'a Space> {
    let mut graph = &definition.layers.get(layer)?.graph;
    let mut rest = path;
    loop {
        // Names of states may themselves have a slash.
        let is_next = |state: &&State| {
            let name = state.name.as_str();
            rest == name || rest.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'))
        };
        let state = graph.states.iter().filter(is_next).max_by_key(|state| state.name.as_str().len())?;
        match &state.motion {
            Motion::Space(space) => return Some(space),
            Motion::Machine(name) => {
                graph = &definition.machines.iter().find(|(own, _)| own == name)?.1;
                rest = rest.get(state.name.as_str().len() + 1..)?;
            }
            _ => return None,
        }
    }
}

/// From where to where each parameter is worth trying.
fn ranges(machine: &Machine) -> Vec<(f32, f32)> {
    let definition = machine.definition();
    let graphs: Vec<_> = definition.layers.iter().map(|layer| &layer.graph).collect();
    let graphs = || graphs.iter().copied().chain(definition.machines.iter().map(|(_, graph)| graph));
    let range = |name: &str, start: f32| {
        let mut numbers = vec![0.0, start];
        for state in graphs().flat_map(|graph| &graph.states) {
            if let Motion::Space(space) = &state.motion {
                for (axis, by) in space.by.iter().enumerate().filter(|(_, by)| by.as_str() == name) {
                    debug_assert!(axis < 2, "a space has at most two parameters, {by} is more");
                    numbers.extend(space.points.iter().filter_map(|(at, _)| at.get(axis)));
                }
            }
        }
        for when in graphs().flat_map(|graph| &graph.transitions).filter_map(|way| way.when.as_ref()) {
            let words: Vec<&str> = when.as_str().split(|c: char| " ()<>=!&|+*/".contains(c)).collect();
            if words.contains(&name) {
                numbers.extend(words.iter().filter_map(|word| word.parse::<f32>().ok()));
            }
        }
        let finite = numbers.iter().copied().filter(|number| number.is_finite());
        let (low, high) =
            finite.fold((f32::MAX, f32::MIN), |(low, high), number| (low.min(number), high.max(number)));
        // What lies beyond the last number is often another state.
        let more = (high - low) * 0.25;
        if high > low { (if low < 0.0 { low - more } else { low }, high + more) } else { (low, low + 1.0) }
    };
    let parameters = machine.parameters().iter();
    parameters
        .map(|parameter| match parameter.kind() {
            ParameterKind::Number(start) => range(parameter.name(), start),
            _ => (0.0, 1.0),
        })
        .collect()
}

impl Show {
    /// Takes a machine, or another version of it, which keeps what was held. `run` says whether it decides what plays from here on.
    pub fn set_machine(&mut self, plan: Arc<MachinePlan>, held: &Held, run: bool) -> Result<(), String> {
        let (mut mixer, started) = self.started(&plan)?;
        let ranges = ranges(plan.machine());
        let mut machine = MachineShow { plan, run: started, ranges };
        machine.take(held, &mut mixer);
        self.machine = Some(machine);
        if run {
            self.enter_machine(mixer);
        }
        Ok(())
    }

    /// What another version of the machine is to keep: the states only of one that runs.
    pub fn held(&self) -> Held {
        let Some(machine) = &self.machine else { return Held::default() };
        let held = machine.held(&self.mixer);
        if self.runs_machine() { held } else { Held { states: vec![], ..held } }
    }

    /// Runs the machine from its start, with its parameters as they are.
    pub fn run_machine(&mut self) -> Result<(), String> {
        let Some(machine) = &self.machine else { return Ok(()) };
        let held = Held { parameters: machine.parameters(), states: vec![] };
        self.set_machine(Arc::clone(machine.plan()), &held, true)
    }

    /// Sets a parameter. While paused it is taken up at once, so that a blend space follows its handle.
    pub fn set_parameter(&mut self, name: &str, value: Value) -> Result<(), String> {
        self.machine.as_mut().map_or(Ok(()), |machine| machine.set(name, value))?;
        if self.paused && self.runs_machine() {
            self.pass(0.0);
        }
        Ok(())
    }

    /// Sets a parameter as it is written.
    pub fn set_written(&mut self, name: &str, text: &str) -> Result<(), String> {
        let none = || Err(format!("there is no machine to set `{name}` of"));
        self.machine.as_mut().map_or_else(none, |machine| machine.set_written(name, text))
    }

    /// A mixer and a run of a machine, both at their start.
    fn started(&self, plan: &MachinePlan) -> Result<(Mixer, MachineRun), String> {
        let layers = plan.machine().layers();
        let voices = plan.voices() + VOICES + layers::MOST;
        let mut mixer = Mixer::new(Arc::clone(self.character()), voices).with_inertia(layers);
        let run = MachineRun::start(plan, &mut mixer).map_err(|error| error.to_string())?;
        Ok((mixer, run))
    }

    fn enter_machine(&mut self, mixer: Mixer) {
        self.mixer = mixer;
        self.base = Base::Machine;
        self.place = Transform::IDENTITY;
        self.starts.clear();
        self.restart_layers();
        self.refresh();
    }
}
