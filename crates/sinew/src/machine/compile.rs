//! From a definition to flat lists of states and transitions: names become numbers, nested machines become states of their layer.

use super::MachineError;
use super::define::{ANY, Definition, Graph, Interrupt, Motion, Space, State, Transition};
use super::expression::{Expression, begins_name, in_name};
use super::parameter::{Amount, Parameter, ParameterId, ParameterKind, Word};
use crate::{Ease, LoopMode, PlayOptions, RootMotion, SyncMode};
use std::ops::Range;

/// Most states of a layer, those of nested machines included.
const MOST_STATES: usize = 4096;
/// How deep machines may be nested.
const DEEPEST: usize = 16;
/// Most parameters, and most transitions of a layer.
const MOST: usize = u16::MAX as usize;

/// A layer whose nested machines were taken apart.
#[derive(Clone, Debug)]
pub(super) struct FlatLayer {
    pub start: u16,
    pub states: Vec<FlatState>,
    /// The most important first; those of outer machines before those of inner ones.
    pub transitions: Vec<FlatTransition>,
    pub weight: FlatAmount,
}

#[derive(Clone, Debug)]
pub(super) struct FlatState {
    /// With the names of the states that it is nested in.
    pub name: String,
    pub at: Option<(usize, usize)>,
    pub motion: FlatMotion,
    pub speed: Option<FlatAmount>,
    pub mode: Option<LoopMode>,
    pub root_motion: Option<RootMotion>,
    pub sync: Option<SyncMode>,
    /// Transitions that leave it, in order.
    pub exits: Vec<u16>,
}

#[derive(Clone, Debug)]
pub(super) enum FlatMotion {
    None,
    Clip(Word),
    Space(Space, [Option<ParameterId>; 2]),
}

#[derive(Clone, Debug)]
pub(super) struct FlatTransition {
    pub label: String,
    pub at: Option<(usize, usize)>,
    pub to: u16,
    pub when: Option<Expression>,
    /// Those that it takes.
    pub triggers: Vec<ParameterId>,
    pub after: Option<f64>,
    pub fade: f64,
    pub ease: Ease,
    pub kind: crate::Transition,
    pub interrupt: Interrupt,
}

impl FlatTransition {
    /// What is played when it is taken, with its fade.
    pub(super) fn fading(&self, play: PlayOptions) -> PlayOptions {
        PlayOptions { crossfade: self.fade, ease: self.ease, transition: self.kind, ..play }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum FlatAmount {
    Fixed(f32),
    Parameter(ParameterId),
}

type Result<T> = std::result::Result<T, MachineError>;

/// All layers, or what is wrong first.
pub(super) fn layers(definition: &Definition) -> Result<Box<[FlatLayer]>> {
    check_parameters(&definition.parameters)?;
    once_each(definition.machines.iter().map(|(name, _)| name), "machine")?;
    once_each(definition.layers.iter().map(|layer| &layer.name), "layer")?;
    if definition.layers.is_empty() {
        return Err(MachineError::new(None, "", "there is no layer: a machine needs at least one"));
    }
    if definition.layers.len() > usize::from(u8::MAX) {
        return Err(MachineError::new(None, "", format!("more than {} layers", u8::MAX)));
    }
    let layer = |layer: &super::Layer| {
        let place = format!("layer `{}`", layer.name);
        let weight = amount(&layer.weight, definition, &place, "weight")?;
        if let FlatAmount::Fixed(weight) = weight
            && !(0.0..=1.0).contains(&weight)
        {
            let message = format!("a weight of {weight} is not between 0 and 1");
            return Err(MachineError::new(layer.name.at, place, message));
        }
        let mut flat = Flattener { definition, layer: place, states: vec![], ways: vec![], inside: vec![] };
        let start = flat.graph(&layer.graph, "")?.entry;
        Ok(flat.finish(start, weight))
    };
    definition.layers.iter().map(layer).collect()
}

fn check_parameters(parameters: &[Parameter]) -> Result<()> {
    once_each(parameters.iter().map(|parameter| &parameter.name), "parameter")?;
    if parameters.len() > MOST {
        return Err(MachineError::new(None, "", format!("more than {MOST} parameters")));
    }
    for parameter in parameters {
        let name = &parameter.name;
        let wrong = |message: String| Err(MachineError::new(name.at, format!("parameter `{name}`"), message));
        let reserved = ["and", "or", "not", "true", "false"].contains(&name.as_str());
        if reserved || !name.starts_with(begins_name) || !name.chars().all(in_name) {
            return wrong("a name is letters, digits and `_`, and none of `and or not true false`".into());
        }
        match parameter.kind {
            ParameterKind::Number(start) if !start.is_finite() => {
                return wrong(format!("{start} is not a finite number"));
            }
            ParameterKind::Trigger { hold } if !(hold >= 0.0 && hold.is_finite()) => {
                return wrong(format!("it cannot be held for {hold} seconds"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// An error where a name is given twice, or is empty.
fn once_each<'a>(names: impl Iterator<Item = &'a Word> + Clone, what: &str) -> Result<()> {
    for (index, name) in names.clone().enumerate() {
        if name.is_empty() {
            return Err(MachineError::new(name.at, "", format!("a {what} has an empty name")));
        }
        if names.clone().take(index).any(|before| before == name) {
            return Err(MachineError::new(name.at, "", format!("there are two {what}s called `{name}`")));
        }
    }
    Ok(())
}

fn amount(amount: &Amount, definition: &Definition, place: &str, what: &str) -> Result<FlatAmount> {
    match amount {
        Amount::Fixed(value) if !value.is_finite() => {
            Err(MachineError::new(None, place, format!("its {what} is not a finite number")))
        }
        Amount::Fixed(value) => Ok(FlatAmount::Fixed(*value)),
        Amount::Parameter(name) => number_parameter(name, definition, place).map(FlatAmount::Parameter),
    }
}

fn number_parameter(name: &Word, definition: &Definition, place: &str) -> Result<ParameterId> {
    let parameters = &definition.parameters;
    match parameters.iter().position(|parameter| parameter.name == *name) {
        Some(index) if parameters[index].is_number() => Ok(ParameterId::new(index)),
        Some(index) => {
            let message = format!("`{name}` is a {}, not a number", parameters[index].kind.name());
            Err(MachineError::new(name.at, place, message))
        }
        None => {
            let numbers = parameters.iter().filter(|parameter| parameter.is_number());
            let known = numbers.map(Parameter::name);
            Err(MachineError::unknown(place, "there is no number parameter", name, known))
        }
    }
}

/// The states that one state or a whole graph became.
#[derive(Clone)]
struct Spread {
    all: Range<u16>,
    entry: u16,
}

struct Flattener<'a> {
    definition: &'a Definition,
    /// As messages name it.
    layer: String,
    states: Vec<FlatState>,
    /// With the depth of their graph, and the states that they leave.
    ways: Vec<(usize, Vec<u16>, FlatTransition)>,
    /// Machines that are being taken apart.
    inside: Vec<&'a Word>,
}

impl<'a> Flattener<'a> {
    fn graph(&mut self, graph: &'a Graph, path: &str) -> Result<Spread> {
        once_each(graph.states.iter().map(|state| &state.name), "state")?;
        let first = self.states.len() as u16;
        let spreads = graph.states.iter().map(|state| self.state(state, path)).collect::<Result<Vec<_>>>()?;
        let find = |name: &Word, place: &str| {
            let found = graph.states.iter().position(|state| state.name == *name);
            let known = || graph.states.iter().map(|state| state.name.as_str());
            let index =
                found.ok_or_else(|| MachineError::unknown(place, "there is no state", name, known()))?;
            Ok::<Spread, MachineError>(spreads[index].clone())
        };
        let start = find(&graph.start, &format!("{}, start", self.place(path)))?;
        let all = first..self.states.len() as u16;
        for transition in &graph.transitions {
            let place = format!("{}, {}", self.place(path), transition.label());
            let to = find(&transition.to, &place)?;
            let mut from: Vec<u16> = Vec::new();
            for name in &transition.from {
                if &**name == ANY {
                    from.extend(all.clone().filter(|state| !to.all.contains(state)));
                } else {
                    from.extend(find(name, &place)?.all);
                }
            }
            from.sort_unstable();
            from.dedup();
            let way = self.transition(transition, to.entry, &place)?;
            self.ways.push((self.inside.len(), from, way));
        }
        Ok(Spread { all, entry: start.entry })
    }

    fn state(&mut self, state: &'a State, path: &str) -> Result<Spread> {
        let name = &state.name;
        let place = format!("{}, state `{name}`", self.place(path));
        if &**name == ANY || name.contains('/') {
            let message = "a state is not called `any`, and has no `/` in its name";
            return Err(MachineError::new(name.at, place, message));
        }
        if let Motion::Machine(machine) = &state.motion {
            return self.nested(state, machine, &place, &format!("{path}{name}/"));
        }
        if self.states.len() >= MOST_STATES {
            let message = format!("more than {MOST_STATES} states, with those of nested machines");
            return Err(MachineError::new(name.at, place, message));
        }
        let motion = match &state.motion {
            Motion::None | Motion::Machine(_) => FlatMotion::None,
            Motion::Clip(clip) => FlatMotion::Clip(clip.clone()),
            Motion::Space(space) => self.space(space, name, &place)?,
        };
        let speed =
            state.speed.as_ref().map(|speed| amount(speed, self.definition, &place, "speed")).transpose()?;
        self.states.push(FlatState {
            name: format!("{path}{name}"),
            at: name.at,
            motion,
            speed,
            mode: state.mode,
            root_motion: state.root_motion,
            sync: state.sync,
            exits: Vec::new(),
        });
        let index = self.states.len() as u16 - 1;
        Ok(Spread { all: index..index + 1, entry: index })
    }

    fn nested(&mut self, state: &State, machine: &'a Word, place: &str, path: &str) -> Result<Spread> {
        let machines = &self.definition.machines;
        let Some((name, graph)) = machines.iter().find(|(name, _)| name == machine) else {
            let known = machines.iter().map(|(name, _)| name.as_str());
            return Err(MachineError::unknown(place, "there is no machine", machine, known));
        };
        if self.inside.contains(&name) {
            let way: Vec<&str> =
                self.inside.iter().map(|name| name.as_str()).chain([name.as_str()]).collect();
            let message = format!("machines contain each other: {}", way.join(" → "));
            return Err(MachineError::new(machine.at, place, message));
        }
        if self.inside.len() >= DEEPEST {
            let message = format!("machines are nested more than {DEEPEST} deep");
            return Err(MachineError::new(machine.at, place, message));
        }
        let options =
            [state.speed.is_some(), state.mode.is_some(), state.root_motion.is_some(), state.sync.is_some()];
        if options.contains(&true) {
            let message =
                "speed, loop, root motion and sync belong to the states of the machine that it runs";
            return Err(MachineError::new(state.name.at, place, message));
        }
        self.inside.push(name);
        let spread = self.graph(graph, path)?;
        self.inside.pop();
        Ok(spread)
    }

    fn space(&self, space: &Space, name: &Word, place: &str) -> Result<FlatMotion> {
        let wrong = |message: &str| Err(MachineError::new(name.at, place, message));
        let number = |name: &Word| number_parameter(name, self.definition, place);
        let by = match &space.by[..] {
            [x] => [Some(number(x)?), None],
            [x, y] => [Some(number(x)?), Some(number(y)?)],
            _ => return wrong("a blend space goes by one parameter or by two"),
        };
        if space.points.is_empty() {
            return wrong("its blend space has no clips: give it at least one point");
        }
        if space.points.iter().flat_map(|(at, _)| at).any(|number| !number.is_finite()) {
            return wrong("a point of its blend space is not at a finite place");
        }
        Ok(FlatMotion::Space(space.clone(), by))
    }

    fn transition(&self, transition: &Transition, to: u16, place: &str) -> Result<FlatTransition> {
        let wrong = |message: String| Err(MachineError::new(transition.at, place, message));
        if !(transition.fade >= 0.0 && transition.fade.is_finite()) {
            return wrong(format!("a fade of {} seconds is not possible", transition.fade));
        }
        if let Some(after) = transition.after.filter(|after| !(*after >= 0.0 && after.is_finite())) {
            return wrong(format!("`after` cannot be {after}: 1 is the end of the clip"));
        }
        let when = transition.when.as_ref().map(|when| self.condition(when, place)).transpose()?;
        let mut triggers = Vec::new();
        if let Some(when) = &when {
            when.parameters(&mut triggers);
        }
        let is_trigger = |id: &ParameterId| {
            matches!(self.definition.parameters[id.index()].kind, ParameterKind::Trigger { .. })
        };
        triggers.retain(is_trigger);
        Ok(FlatTransition {
            label: place.to_owned(),
            at: transition.at.or(transition.to.at),
            to,
            when,
            triggers,
            after: transition.after,
            fade: transition.fade,
            ease: transition.ease,
            kind: transition.kind,
            interrupt: transition.interrupt,
        })
    }

    fn condition(&self, when: &Word, place: &str) -> Result<Expression> {
        Expression::condition(when, &self.definition.parameters).map_err(|wrong| {
            let at = when.at.map(|(line, column)| (line, column + wrong.letter));
            let letter = if at.is_some() { String::new() } else { format!(" (letter {})", wrong.letter + 1) };
            MachineError::new(at, place, format!("when{letter}: {}", wrong.message))
        })
    }

    /// The layer, or the machine that is being taken apart, as messages name it.
    fn place(&self, path: &str) -> String {
        match self.inside.last() {
            Some(machine) => format!("{}, `{path}` (machine `{machine}`)", self.layer),
            None => self.layer.clone(),
        }
    }

    fn finish(mut self, start: u16, weight: FlatAmount) -> FlatLayer {
        // Stable: within a graph they stay in order.
        self.ways.sort_by_key(|(depth, ..)| *depth);
        let mut transitions = Vec::new();
        for (index, (_, from, transition)) in (0u16..).zip(self.ways) {
            for state in from {
                self.states[usize::from(state)].exits.push(index);
            }
            transitions.push(transition);
        }
        FlatLayer { start, states: self.states, transitions, weight }
    }
}
