//! What a machine is made of, as it is written in code or in a file.

use super::parameter::{Amount, Parameter, Word};
use super::{Machine, MachineError};
use crate::names::UnknownName;
use crate::{Ease, LoopMode, Mask, RootMotion, Skeleton, SyncMode};

/// What a state plays.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Motion {
    /// Nothing: the layer lets through what lies below.
    #[default]
    None,
    /// A clip by tag or name.
    Clip(Word),
    /// Clips on a line or in a plane, mixed by where one or two parameters lie.
    Space(Space),
    /// Another machine, by its name among [`Definition::machines`].
    Machine(Word),
}

/// A blend space as a state names it: see [`crate::BlendSpace`].
#[derive(Clone, Debug, PartialEq)]
pub struct Space {
    /// The parameter along the first axis and, in a plane, that along the second.
    pub by: Vec<Word>,
    /// Clips by tag or name, each at its place; on a line the second number does not count.
    pub points: Vec<([f32; 2], Word)>,
}

/// A state: what it plays, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Its name, unlike that of any other state of its graph. It has no `/`.
    pub name: Word,
    /// What it plays.
    pub motion: Motion,
    /// Factor on the game's time. What is not given is as the clip is meant to be.
    pub speed: Option<Amount>,
    /// What happens at the end of a clip.
    pub mode: Option<LoopMode>,
    /// What becomes of its travel.
    pub root_motion: Option<RootMotion>,
    /// How it is kept in step with the other states that are kept in step, and the clips of a blend space with each other: a transition between two such states
    /// goes on where the other one was. Not at all by default; by markers for a blend space.
    pub sync: Option<SyncMode>,
}

impl State {
    fn new(name: impl Into<Word>, motion: Motion) -> Self {
        Self { name: name.into(), motion, speed: None, mode: None, root_motion: None, sync: None }
    }

    /// Plays nothing.
    pub fn empty(name: impl Into<Word>) -> Self {
        Self::new(name, Motion::None)
    }

    /// Plays a clip, by tag or name.
    pub fn clip(name: impl Into<Word>, clip: impl Into<Word>) -> Self {
        Self::new(name, Motion::Clip(clip.into()))
    }

    /// Plays clips on a line, mixed by where a parameter lies, in step by their markers.
    pub fn line<'a>(
        name: impl Into<Word>,
        by: &str,
        points: impl IntoIterator<Item = (f32, &'a str)>,
    ) -> Self {
        let points = points.into_iter().map(|(at, clip)| ([at, 0.0], clip.into())).collect();
        Self::new(name, Motion::Space(Space { by: vec![by.into()], points }))
    }

    /// Plays clips in a plane, mixed by where two parameters lie, in step by their markers.
    pub fn plane<'a>(
        name: impl Into<Word>,
        by: [&str; 2],
        points: impl IntoIterator<Item = ([f32; 2], &'a str)>,
    ) -> Self {
        let points = points.into_iter().map(|(at, clip)| (at, clip.into())).collect();
        let by = by.map(Word::from).into();
        Self::new(name, Motion::Space(Space { by, points }))
    }

    /// Runs another machine.
    pub fn machine(name: impl Into<Word>, machine: impl Into<Word>) -> Self {
        Self::new(name, Motion::Machine(machine.into()))
    }

    /// The same at another speed: a factor, or the name of a parameter that holds one.
    pub fn speed(self, speed: impl Into<Amount>) -> Self {
        Self { speed: Some(speed.into()), ..self }
    }

    /// The same, played once.
    pub fn once(self) -> Self {
        Self { mode: Some(LoopMode::Once), ..self }
    }

    /// The same, played in a loop.
    pub fn looping(self) -> Self {
        Self { mode: Some(LoopMode::Loop), ..self }
    }

    /// The same with another choice of what becomes of its travel.
    pub fn root_motion(self, root_motion: RootMotion) -> Self {
        Self { root_motion: Some(root_motion), ..self }
    }

    /// The same, kept in step with other states.
    pub fn sync(self, sync: SyncMode) -> Self {
        Self { sync: Some(sync), ..self }
    }
}

/// Which transitions may be taken while another is still fading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Interrupt {
    /// None.
    None,
    /// Those of the state that it left, as far as they come before it.
    Source,
    /// Those of the state that it goes to.
    #[default]
    Target,
    /// Both.
    Any,
}

/// The word that stands for every state in [`Transition::from`].
pub const ANY: &str = "any";

/// A way from states to another. Of those that could be taken the first is.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// Names of states, or [`ANY`]: every state but the one that it leads to, unless that is named too.
    pub from: Vec<Word>,
    /// The state that it leads to.
    pub to: Word,
    /// A condition over parameters, as `speed > 0.1 and not crouched`; always, if there is none.
    pub when: Option<Word>,
    /// Turns of the state's clip that must be over: 1 is its end. Reached or passed, it counts until the state is left.
    pub after: Option<f64>,
    /// Seconds over which the pose changes.
    pub fade: f64,
    /// How a crossfade goes.
    pub ease: Ease,
    /// How the pose changes.
    pub kind: crate::Transition,
    /// What may be taken before the fade is over.
    pub interrupt: Interrupt,
    pub(super) at: Option<(usize, usize)>,
}

impl Transition {
    /// At once and always: give it a condition.
    pub fn new(from: impl Into<Word>, to: impl Into<Word>) -> Self {
        Self {
            from: vec![from.into()],
            to: to.into(),
            when: None,
            after: None,
            fade: 0.0,
            ease: Ease::Linear,
            kind: crate::Transition::Crossfade,
            interrupt: Interrupt::Target,
            at: None,
        }
    }

    /// From every state but the one that it leads to.
    pub fn from_any(to: impl Into<Word>) -> Self {
        Self::new(ANY, to)
    }

    /// The same from one more state.
    pub fn and_from(mut self, state: impl Into<Word>) -> Self {
        self.from.push(state.into());
        self
    }

    /// The same while a condition holds.
    pub fn when(self, condition: impl Into<Word>) -> Self {
        Self { when: Some(condition.into()), ..self }
    }

    /// The same once so many turns of the state's clip are over.
    pub fn after(self, turns: f64) -> Self {
        Self { after: Some(turns), ..self }
    }

    /// The same as a crossfade of so many seconds.
    pub fn fade(self, seconds: f64) -> Self {
        Self { fade: seconds, kind: crate::Transition::Crossfade, ..self }
    }

    /// The same as an inertial transition of so many seconds.
    pub fn inertial(self, seconds: f64) -> Self {
        Self { fade: seconds, kind: crate::Transition::Inertial, ..self }
    }

    /// The same with another choice of what may interrupt it.
    pub fn interrupt(self, interrupt: Interrupt) -> Self {
        Self { interrupt, ..self }
    }

    /// As messages name it.
    pub(super) fn label(&self) -> String {
        let from: Vec<&str> = self.from.iter().map(Word::as_str).collect();
        format!("{} → {}", from.join(", "), self.to)
    }
}

/// States and the ways between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    /// The state in which it starts.
    pub start: Word,
    /// Its states.
    pub states: Vec<State>,
    /// Its transitions, the most important first.
    pub transitions: Vec<Transition>,
}

impl Graph {
    /// A graph that starts in a state of that name.
    pub fn new(start: impl Into<Word>) -> Self {
        Self { start: start.into(), states: Vec::new(), transitions: Vec::new() }
    }

    /// The same with a state.
    pub fn state(mut self, state: State) -> Self {
        self.states.push(state);
        self
    }

    /// The same with a transition, less important than those before.
    pub fn transition(mut self, transition: Transition) -> Self {
        self.transitions.push(transition);
        self
    }
}

/// Which joints a layer moves: see [`crate::Mask`].
#[derive(Clone, Debug, PartialEq)]
pub struct MaskRule {
    /// Joints that count, with all below them.
    pub below: Vec<Word>,
    /// Joints that do not, with all below them.
    pub without: Vec<Word>,
    /// Over so many joints down each chain the layer grows from nothing to all.
    pub falloff: u16,
    /// How much of the scalars counts, from 0 to 1; all by default.
    pub scalars: f32,
}

impl Default for MaskRule {
    fn default() -> Self {
        Self { below: Vec::new(), without: Vec::new(), falloff: 0, scalars: 1.0 }
    }
}

impl MaskRule {
    /// The mask that it means on a skeleton.
    ///
    /// Fails if it names a joint that the skeleton does not have.
    pub fn mask(&self, skeleton: &Skeleton) -> Result<Mask, MachineError> {
        self.mask_with(skeleton, |word, unknown| Err(MachineError::new(word.at, "", unknown.to_string())))
    }

    /// The same, where `lacks` is told of a joint that the skeleton does not have, and may let it pass.
    pub(super) fn mask_with(
        &self,
        skeleton: &Skeleton,
        mut lacks: impl FnMut(&Word, UnknownName) -> Result<(), MachineError>,
    ) -> Result<Mask, MachineError> {
        let all = self.below.is_empty();
        let mut mask = if all { Mask::all(skeleton) } else { Mask::none(skeleton) }.scalars(self.scalars);
        let below = self.below.iter().map(|word| (word, 1.0));
        for (word, weight) in below.chain(self.without.iter().map(|word| (word, 0.0))) {
            match skeleton.joint(word) {
                Ok(top) => mask = mask.set_below(skeleton, top, weight),
                Err(unknown) => lacks(word, unknown)?,
            }
        }
        Ok(if self.falloff > 0 { mask.falloff(skeleton, self.falloff) } else { mask })
    }
}

/// What a layer does with what lies below it.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum LayerBlend {
    /// It takes its place.
    #[default]
    Override,
    /// Its difference from the rest pose is added.
    Additive,
    /// Its difference from the pose of a clip, by tag or name, at a time in seconds is added.
    AdditiveTo(Word, f64),
}

/// A graph that moves the whole character or a part of it, over the layers before.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Its name.
    pub name: Word,
    /// Its states and transitions.
    pub graph: Graph,
    /// From 0 to 1.
    pub weight: Amount,
    /// Where it counts; everywhere by default.
    pub mask: Option<MaskRule>,
    /// Whether it takes the place of what lies below.
    pub blend: LayerBlend,
}

impl Layer {
    /// A layer that counts everywhere.
    pub fn new(name: impl Into<Word>, graph: Graph) -> Self {
        Self { name: name.into(), graph, weight: Amount::Fixed(1.0), mask: None, blend: LayerBlend::Override }
    }

    /// The same with another weight: from 0 to 1, or the name of a parameter that holds it.
    pub fn weight(self, weight: impl Into<Amount>) -> Self {
        Self { weight: weight.into(), ..self }
    }

    /// The same, counting only at a joint and all below it.
    pub fn below(mut self, joint: impl Into<Word>) -> Self {
        self.mask.get_or_insert_default().below.push(joint.into());
        self
    }

    /// The same, not counting at a joint and all below it.
    pub fn without(mut self, joint: impl Into<Word>) -> Self {
        self.mask.get_or_insert_default().without.push(joint.into());
        self
    }

    /// The same, growing from nothing to all over so many joints down each chain.
    pub fn falloff(mut self, joints: u16) -> Self {
        self.mask.get_or_insert_default().falloff = joints;
        self
    }

    /// The same, added to what lies below as a difference from the rest pose.
    pub fn additive(self) -> Self {
        Self { blend: LayerBlend::Additive, ..self }
    }
}

/// A machine as it is written: make it in code, or read it from a file ([`Machine::from_toml`]).
///
/// ```
/// use sinew::machine::{Definition, Graph, Layer, Parameter, State, Transition};
///
/// let legs = Graph::new("Idle")
///     .state(State::clip("Idle", "Idle"))
///     .state(State::clip("Walk", "Walk"))
///     .transition(Transition::new("Idle", "Walk").when("speed > 0.1").fade(0.2))
///     .transition(Transition::new("Walk", "Idle").when("speed <= 0.1").fade(0.3));
/// let machine = Definition::new().parameter(Parameter::number("speed", 0.0)).layer(Layer::new("body", legs)).build()?;
/// assert!(machine.findings().is_empty());
/// # Ok::<(), sinew::machine::MachineError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Definition {
    /// What the game tells the machine.
    pub parameters: Vec<Parameter>,
    /// From the lowest to the highest.
    pub layers: Vec<Layer>,
    /// Machines that states may run, by name.
    pub machines: Vec<(Word, Graph)>,
}

impl Definition {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with a parameter.
    pub fn parameter(mut self, parameter: Parameter) -> Self {
        self.parameters.push(parameter);
        self
    }

    /// The same with a layer over those before.
    pub fn layer(mut self, layer: Layer) -> Self {
        self.layers.push(layer);
        self
    }

    /// The same with a machine that states may run.
    pub fn machine(mut self, name: impl Into<Word>, graph: Graph) -> Self {
        self.machines.push((name.into(), graph));
        self
    }

    /// Checks it and makes it ready.
    ///
    /// Fails if a name is unknown or given twice, a condition cannot be read, a number is out of range, or machines contain each other.
    pub fn build(self) -> Result<Machine, MachineError> {
        Machine::new(self)
    }
}
