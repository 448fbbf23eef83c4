//! A machine, its voices and its pose, for one instance.

use super::run::ParameterRef;
use super::{MachinePlan, MachineRun, ParameterError, PlanError};
use crate::{Character, Instance, Mixer, PlayError, Pose, Scratch, Voice};
use std::sync::Arc;

/// Runs a state machine on one instance of a character: set parameters, call [`Animator::update`] once a frame, draw [`Animator::instance`].
///
/// Its output is valid from the start: the first pose of the state in which it begins. After construction nothing allocates.
///
/// ```
/// # fn demo(character: std::sync::Arc<sinew::Character>, text: &str) -> Result<(), Box<dyn std::error::Error>> {
/// use sinew::machine::{Animator, Machine, MachinePlan};
/// use std::sync::Arc;
///
/// # #[cfg(feature = "toml")] {
/// let machine = Arc::new(Machine::from_toml(text)?);
/// let plan = Arc::new(MachinePlan::new(machine, &character)?);    // once for all instances
/// let speed = plan.machine().parameter("speed")?;
///
/// let mut hero = Animator::new(character, plan)?;
/// hero.set_number(speed, 1.4)?;
/// hero.fire("jump")?;                                             // names work too
/// hero.update(1.0 / 60.0)?;
/// # }
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Animator {
    plan: Arc<MachinePlan>,
    run: MachineRun,
    mixer: Mixer,
    scratch: Scratch,
    instance: Instance,
}

impl Animator {
    /// An instance in the start of every layer.
    ///
    /// Fails if the plan was made for another character.
    pub fn new(character: Arc<Character>, plan: Arc<MachinePlan>) -> Result<Self, PlanError> {
        let mut mixer = plan.mixer(character.clone());
        let run = MachineRun::start(&plan, &mut mixer)?;
        let scratch = Scratch::new(character.skeleton());
        let mut animator = Self { plan, run, mixer, scratch, instance: Instance::new(character) };
        animator.mix();
        animator.finish();
        Ok(animator)
    }

    /// Starts anew: parameters as at the start, every layer in its start.
    pub fn restart(&mut self) -> Result<(), PlayError> {
        self.run.restart(&self.plan, &mut self.mixer)?;
        self.mix();
        self.finish();
        Ok(())
    }

    /// Puts a layer into a state at once, by its name as [`Self::state`] says it; see [`MachineRun::go_to`].
    pub fn go_to(&mut self, layer: usize, state: &str) -> Result<bool, PlayError> {
        let machine = self.plan.machine();
        let known = layer < machine.layers();
        let Some(state) = known.then(|| machine.states(layer).position(|name| name == state)).flatten()
        else {
            return Ok(false);
        };
        self.run.go_to(&self.plan, &mut self.mixer, layer, state)?;
        self.mix();
        self.finish();
        Ok(true)
    }

    /// Sets a number; see [`MachineRun::set_number`].
    pub fn set_number<'a>(
        &mut self,
        parameter: impl Into<ParameterRef<'a>>,
        number: f32,
    ) -> Result<(), ParameterError> {
        self.run.set_number(&self.plan, parameter, number)
    }

    /// Sets a bool.
    pub fn set_bool<'a>(
        &mut self,
        parameter: impl Into<ParameterRef<'a>>,
        truth: bool,
    ) -> Result<(), ParameterError> {
        self.run.set_bool(&self.plan, parameter, truth)
    }

    /// Sets a trigger; see [`MachineRun::fire`].
    pub fn fire<'a>(&mut self, parameter: impl Into<ParameterRef<'a>>) -> Result<(), ParameterError> {
        self.run.fire(&self.plan, parameter)
    }

    /// Takes transitions, moves on by `seconds`, and brings pose and matrices up to date: [`Self::advance`], [`Self::mix`] and [`Self::finish`].
    pub fn update(&mut self, seconds: f64) -> Result<(), PlayError> {
        let advanced = self.advance(seconds);
        self.mix();
        self.finish();
        advanced
    }

    /// First part of an update: see [`MachineRun::advance`]. It fails only where a game has filled the mixer with voices of its own.
    pub fn advance(&mut self, seconds: f64) -> Result<(), PlayError> {
        self.run.advance(&self.plan, &mut self.mixer, seconds)
    }

    /// Second part: the local pose. What changes it (IK, physics) comes behind it, through [`Self::pose_mut`].
    pub fn mix(&mut self) {
        let checked = self.mixer.mix(&mut self.scratch, self.instance.pose_mut());
        // All are of one skeleton, unless a pose of another was put in its place.
        debug_assert_eq!(checked, Ok(()));
    }

    /// Last part: model matrices and skin matrices from the local pose.
    pub fn finish(&mut self) {
        let checked = self.instance.finish();
        debug_assert_eq!(checked, Ok(()));
    }

    /// The name of a layer's state, with those that it is nested in: `Air/Jump`. Empty if there is no such layer.
    pub fn state(&self, layer: usize) -> &str {
        let state = self.run.state(layer);
        state.and_then(|state| self.plan.machine().states(layer).nth(state)).unwrap_or_default()
    }

    /// The voice of a layer's state: its clip and its clock.
    pub fn voice(&self, layer: usize) -> Option<&Voice> {
        self.mixer.voice(self.run.voice(layer)?)
    }

    /// Parameters and states.
    pub fn run(&self) -> &MachineRun {
        &self.run
    }

    /// The machine as it was worked out for the character.
    pub fn plan(&self) -> &Arc<MachinePlan> {
        &self.plan
    }

    /// All voices: events and root motion come from here.
    pub fn mixer(&self) -> &Mixer {
        &self.mixer
    }

    /// All voices, to add layers of one's own above those of the machine.
    pub fn mixer_mut(&mut self) -> &mut Mixer {
        &mut self.mixer
    }

    /// Pose and matrices, as a renderer takes them.
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// Pose and matrices, to place the model.
    pub fn instance_mut(&mut self) -> &mut Instance {
        &mut self.instance
    }

    /// Local transforms and scalars, to be changed between [`Self::mix`] and [`Self::finish`].
    pub fn pose_mut(&mut self) -> &mut Pose {
        self.instance.pose_mut()
    }
}
