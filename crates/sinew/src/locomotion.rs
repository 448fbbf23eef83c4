//! Chooses the tag to play from a character's velocity and ground contact.

use crate::RootMotion;
use crate::{Controller, PlayOptions};
use glam::Vec3;

/// What a character does on its feet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Gait {
    /// Stands.
    #[default]
    Idle,
    /// Walks.
    Walk,
    /// Runs.
    Run,
    /// Runs as fast as it can.
    FastRun,
}

impl Gait {
    /// From slow to fast.
    pub const ALL: [Self; 4] = [Self::Idle, Self::Walk, Self::Run, Self::FastRun];

    /// Its tag.
    pub fn tag(self) -> &'static str {
        match self {
            Self::Idle => crate::tags::IDLE,
            Self::Walk => "Walk",
            Self::Run => "Run",
            Self::FastRun => "FastRun",
        }
    }
}

/// A speed at which a faster gait begins, and a lower one at which it ends. The gap keeps a character at the limit from
/// flickering between the two.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "toml", derive(serde::Deserialize), serde(deny_unknown_fields))]
pub struct Threshold {
    /// From this speed on it begins.
    pub begin: f32,
    /// Below this speed it ends.
    pub end: f32,
}

/// When a character changes its gait. Speeds are in the unit in which velocities are given, by default metres per second.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "toml", derive(serde::Deserialize), serde(default, deny_unknown_fields))]
pub struct LocomotionSettings {
    /// Between standing and walking.
    pub walk: Threshold,
    /// Between walking and running.
    pub run: Threshold,
    /// Between running and running fast.
    pub fast_run: Threshold,
    /// A character that rises at this speed or faster has jumped as soon as it leaves the ground.
    pub jump_speed: f32,
    /// Otherwise it is in the air after so many seconds without ground, so that steps and bumps do not count.
    pub air_delay: f64,
    /// Seconds of the crossfades between gaits.
    pub crossfade: f64,
    /// Seconds of the crossfades into jump and landing.
    pub jump_crossfade: f64,
    /// What becomes of the clips' travel: taken out by default, since it is the game that moves the character here.
    pub root_motion: RootMotion,
}

impl Default for LocomotionSettings {
    fn default() -> Self {
        Self {
            walk: Threshold { begin: 0.2, end: 0.1 },
            run: Threshold { begin: 2.4, end: 2.0 },
            fast_run: Threshold { begin: 5.5, end: 5.0 },
            jump_speed: 0.5,
            air_delay: 0.1,
            crossfade: 0.2,
            jump_crossfade: 0.1,
            root_motion: RootMotion::InPlace,
        }
    }
}

impl LocomotionSettings {
    /// Reads settings; what they do not mention is as by default.
    ///
    /// ```
    /// let settings = sinew::LocomotionSettings::from_toml("crossfade = 0.3\nrun = { begin = 3.0, end = 2.5 }")?;
    /// assert_eq!(settings.run.begin, 3.0);
    /// # Ok::<(), toml::de::Error>(())
    /// ```
    #[cfg(feature = "toml")]
    pub fn from_toml(text: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(text)
    }

    fn threshold(&self, gait: Gait) -> Option<Threshold> {
        match gait {
            Gait::Idle => None,
            Gait::Walk => Some(self.walk),
            Gait::Run => Some(self.run),
            Gait::FastRun => Some(self.fast_run),
        }
    }

    /// The fastest gait whose threshold is met; a gait that is on already, or a slower one, is met down to its end.
    fn gait(&self, before: Gait, speed: f32) -> Gait {
        let met = |gait: &Gait| match self.threshold(*gait) {
            Some(limit) => speed >= if *gait <= before { limit.end.min(limit.begin) } else { limit.begin },
            None => true,
        };
        Gait::ALL.into_iter().rev().find(met).unwrap_or_default()
    }
}

/// Whether a character is on the ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
enum Phase {
    #[default]
    Ground,
    Jump,
    Land,
}

/// Tag of a jump.
const JUMP: &str = "Jump";
/// Tag of a landing.
const LAND: &str = "Land";

/// Plays Idle, Walk, Run, FastRun, Jump and Land by velocity and ground contact.
///
/// Tags that a character does not have fall through: FastRun to Run, to Walk, to Idle. Without Jump it goes on with its gait in the air,
/// without Land it lands in its gait. A clip that cannot be loaded counts as missing.
///
/// ```
/// # fn demo(character: std::sync::Arc<sinew::Character>) -> Result<(), Box<dyn std::error::Error>> {
/// use sinew::{Controller, Locomotion, glam::Vec3};
///
/// let mut hero = Controller::new(character);
/// let mut legs = Locomotion::default();
/// legs.update(&mut hero, Vec3::Z * 1.5, true, 1.0 / 60.0);    // plays Walk
/// hero.update(1.0 / 60.0);
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Locomotion {
    settings: LocomotionSettings,
    gait: Gait,
    phase: Phase,
    /// Seconds without ground.
    in_air: f64,
}

impl Locomotion {
    /// A character that stands.
    pub fn new(settings: LocomotionSettings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// Plays what fits the movement. Call it each frame before [`Controller::update`], with the seconds since the last one.
    ///
    /// `velocity` is in model space; its vertical part does not count as speed of a gait. Jump and Land play once; a landing plays
    /// to its end.
    pub fn update(&mut self, controller: &mut Controller, velocity: Vec3, grounded: bool, seconds: f64) {
        let up = Vec3::from(controller.character().space().up);
        let rise = velocity.dot(up);
        self.in_air = if grounded { 0.0 } else { self.in_air + seconds.max(0.0) };
        let flying =
            !grounded && (rise >= self.settings.jump_speed || self.in_air >= self.settings.air_delay);
        if grounded {
            self.gait = self.settings.gait(self.gait, (velocity - up * rise).length());
        }
        self.phase = self.next_phase(controller, flying, grounded);
        if self.phase == Phase::Ground {
            self.play_gait(controller);
        }
    }

    /// The gait on the ground; the last one, in the air.
    pub fn gait(&self) -> Gait {
        self.gait
    }

    /// Whether it shows a jump.
    pub fn is_jumping(&self) -> bool {
        self.phase == Phase::Jump
    }

    /// Whether it shows a landing.
    pub fn is_landing(&self) -> bool {
        self.phase == Phase::Land
    }

    fn next_phase(&self, controller: &mut Controller, flying: bool, grounded: bool) -> Phase {
        let options = self.travelling(PlayOptions::once(self.settings.jump_crossfade).reset());
        let mut try_to = |tag: &str, phase| {
            if controller.has_clip(tag) && controller.play_with(tag, options).is_ok() {
                phase
            } else {
                Phase::Ground
            }
        };
        match self.phase {
            Phase::Ground | Phase::Land if flying => try_to(JUMP, Phase::Jump),
            Phase::Jump if grounded => try_to(LAND, Phase::Land),
            // A game may have played something else meanwhile.
            Phase::Land if controller.has_ended() || !controller.is_active(LAND) => Phase::Ground,
            phase => phase,
        }
    }

    fn travelling(&self, options: PlayOptions) -> PlayOptions {
        PlayOptions { root_motion: Some(self.settings.root_motion), ..options }
    }

    fn play_gait(&self, controller: &mut Controller) {
        let options = self.travelling(PlayOptions::looping(self.settings.crossfade));
        // From the gait down to Idle; the first that plays.
        let mut gaits = Gait::ALL.into_iter().rev().filter(|gait| *gait <= self.gait);
        gaits.find(|gait| {
            controller.has_clip(gait.tag()) && controller.play_with(gait.tag(), options).is_ok()
        });
    }
}

#[cfg(test)]
mod tests;
