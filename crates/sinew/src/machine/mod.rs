//! State machines: which clips play, and when they change, decided by parameters that the game sets.
//!
//! A [`Definition`] is written in code or as a file ([`Machine::from_toml`]). A [`Machine`] is a definition that was checked; it names clips by tag or
//! name, so one serves many characters. A [`MachinePlan`] is a machine worked out for one character, shared by its instances. A [`MachineRun`] is what
//! each instance holds: parameters, and the state of each layer; its voices are those of a [`Mixer`](crate::Mixer). An [`Animator`] is all of it for one instance.

mod animator;
mod check;
mod compile;
mod define;
mod error;
mod expression;
#[cfg(feature = "toml")]
mod file;
mod parameter;
mod plan;
mod run;

pub use animator::Animator;
pub use define::{
    ANY, Definition, Graph, Interrupt, Layer, LayerBlend, MaskRule, Motion, Space, State, Transition,
};
pub use error::{MachineError, ParameterError, PlanError};
#[cfg(feature = "toml")]
pub(crate) use file::read_mask;
pub use parameter::{Amount, Parameter, ParameterId, ParameterKind, Word};
pub use plan::MachinePlan;
pub use run::{MachineRun, ParameterRef};

use crate::names::UnknownName;
use crate::{Finding, ShortText};
use compile::FlatLayer;

/// A state machine that was checked and is ready to be worked out for characters ([`MachinePlan`]).
#[derive(Clone, Debug)]
pub struct Machine {
    definition: Definition,
    layers: Box<[FlatLayer]>,
    findings: Vec<Finding>,
}

impl Machine {
    /// Checks a definition and makes it ready: see [`Definition::build`].
    pub fn new(definition: Definition) -> Result<Self, MachineError> {
        let layers = compile::layers(&definition)?;
        let findings = check::findings(&definition, &layers);
        Ok(Self { definition, layers, findings })
    }

    /// Reads a machine from a file's text: see the page on machines for what it holds.
    ///
    /// ```
    /// let machine = sinew::machine::Machine::from_toml(
    ///     r#"
    ///     [parameters]
    ///     speed = 0.0
    ///
    ///     [[layers]]
    ///     name = "body"
    ///     start = "Idle"
    ///     states.Idle.clip = "Idle"
    ///     states.Walk.clip = "Walk"
    ///     transitions = [
    ///         { from = "Idle", to = "Walk", when = "speed > 0.1", fade = 0.2 },
    ///         { from = "Walk", to = "Idle", when = "speed <= 0.1", fade = 0.3 },
    ///     ]
    ///     "#,
    /// )?;
    /// assert_eq!(machine.states(0).collect::<Vec<_>>(), ["Idle", "Walk"]);
    /// # Ok::<(), sinew::machine::MachineError>(())
    /// ```
    #[cfg(feature = "toml")]
    pub fn from_toml(text: &str) -> Result<Self, MachineError> {
        Self::new(file::read(text)?)
    }

    /// What it was made of.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// States that are never entered, and transitions that are never taken.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// What the game tells it.
    pub fn parameters(&self) -> &[Parameter] {
        &self.definition.parameters
    }

    /// A parameter by name: find it once, and set it by what is returned.
    pub fn parameter(&self, name: &str) -> Result<ParameterId, UnknownName> {
        self.find(name).ok_or_else(|| {
            UnknownName::new("there is no parameter", name, self.parameters().iter().map(Parameter::name))
        })
    }

    /// How many layers it has.
    pub fn layers(&self) -> usize {
        self.layers.len()
    }

    /// The layer of that name.
    pub fn layer(&self, name: &str) -> Option<usize> {
        self.definition.layers.iter().position(|layer| &*layer.name == name)
    }

    /// All states of a layer, those of nested machines as `Air/Jump`; none if there is no such layer.
    pub fn states(&self, layer: usize) -> impl Iterator<Item = &str> {
        let states = self.layers.get(layer).map_or(&[][..], |layer| &layer.states);
        states.iter().map(|state| state.name.as_str())
    }

    fn find(&self, name: &str) -> Option<ParameterId> {
        let index = self.parameters().iter().position(|parameter| parameter.name() == name)?;
        Some(ParameterId::new(index))
    }

    /// The same for a game that asks in each frame: the error allocates nothing.
    fn resolve(&self, parameter: ParameterRef<'_>) -> Result<ParameterId, ParameterError> {
        match parameter {
            ParameterRef::Id(id) => Ok(id),
            ParameterRef::Name(name) => {
                self.find(name).ok_or_else(|| ParameterError::Unknown(ShortText::new(name)))
            }
        }
    }
}

#[cfg(test)]
mod tests;
