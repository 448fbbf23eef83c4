//! What a show tells of itself.

use super::{Base, LayerRow, MachineShow, Pad, Show, ShowOptions, TargetRow};
use sinew::glam::Vec3;
use sinew::{Character, Clip, Instance, Mat3x4, Mixer, Pose, RootMotion, Voice, VoiceId};
use std::sync::Arc;

impl Show {
    /// The voice below the layers; that of a machine is the lowest one that plays something.
    fn playing(&self) -> Option<&Voice> {
        match (self.base, &self.machine) {
            (Base::Clip(voice) | Base::Space(voice), _) => self.mixer.voice(voice),
            (Base::Machine, Some(machine)) => machine.voice(&self.mixer),
            (Base::Machine | Base::Rest, _) => None,
        }
    }

    /// The character.
    pub fn character(&self) -> &Arc<Character> {
        self.instance.character()
    }

    /// The clip that plays: of a blend space the first, which gives the time; of a machine the one that counts most.
    pub fn clip(&self) -> Option<&Arc<Clip>> {
        match self.base {
            Base::Space(_) => self.pad.space().and_then(|space| space.clips().next()),
            _ => self.playing().map(Voice::clip),
        }
    }

    /// Seconds from the start of the clip.
    pub fn time(&self) -> f64 {
        let Some(voice) = self.playing() else { return 0.0 };
        match self.base {
            Base::Clip(_) => voice.playback().time(),
            _ => voice.phase() * self.duration(),
        }
    }

    /// Seconds that the clip lasts; zero for the rest pose.
    pub fn duration(&self) -> f64 {
        match self.base {
            Base::Clip(_) => self.playing().map_or(0.0, |voice| voice.playback().duration()),
            _ => self.clip().map_or(0.0, |clip| clip.duration().into()),
        }
    }

    /// Speed, loop mode and root motion.
    pub fn options(&self) -> &ShowOptions {
        &self.options
    }

    /// Whether it is paused.
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// Whether a state machine decides what plays.
    pub fn runs_machine(&self) -> bool {
        self.base == Base::Machine
    }

    /// Whether the blend space plays.
    pub fn plays_space(&self) -> bool {
        matches!(self.base, Base::Space(_))
    }

    pub(super) fn has_ended(&self) -> bool {
        self.base != Base::Machine && self.playing().is_some_and(|voice| voice.playback().has_ended())
    }

    /// Whether the pose changes with time.
    pub fn is_moving(&self) -> bool {
        let runs = self.base == Base::Machine
            || (self.duration() > 0.0 && !self.has_ended())
            || self.layers.rows().len() > 0;
        !self.paused && ((runs && self.options.speed != 0.0) || self.weight() < 1.0)
    }

    /// Weight of the clip in the pose: below 1 during a crossfade.
    pub fn weight(&self) -> f64 {
        match self.base {
            Base::Machine => 1.0,
            _ => self.playing().map_or(1.0, |voice| voice.share().into()),
        }
    }

    /// Displacement of the figure from its rest position, in the character's space: the travel of the clip without the sway of the hips, for a
    /// camera that follows.
    pub fn way(&self) -> Vec3 {
        let lowest = self.mixer.voices().iter().filter(|voice| voice.layer() == 0);
        self.place.translation + lowest.map(|voice| self.way_of(voice) * voice.share()).sum::<Vec3>()
    }

    /// The same of one voice.
    fn way_of(&self, voice: &Voice) -> Vec3 {
        let start = self.start_at(voice.id());
        match voice.root_motion() {
            RootMotion::Keep => start + voice.travel().at(voice.phase() * f64::from(voice.clip().duration())),
            RootMotion::InPlace | RootMotion::Extract => start,
        }
    }

    fn start_at(&self, voice: VoiceId) -> Vec3 {
        self.starts.iter().find(|(id, _)| *id == voice).map_or(Vec3::ZERO, |(_, start)| *start)
    }

    /// Offset of the root from its rest position at the start of the clip; [`Show::way`] starts with it.
    pub fn start(&self) -> Vec3 {
        match self.base {
            Base::Clip(voice) => self.start_at(voice),
            _ => Vec3::ZERO,
        }
    }

    /// The layers, from the lowest to the highest.
    pub fn layers(&self) -> impl ExactSizeIterator<Item = &LayerRow> {
        self.layers.rows()
    }

    /// The blend space, whether it plays or not.
    pub fn pad(&self) -> &Pad {
        &self.pad
    }

    /// The state machine, whether it runs or not.
    pub fn machine(&self) -> Option<&MachineShow> {
        self.machine.as_ref()
    }

    /// What hands and feet reach for, and what the head looks at.
    pub fn targets(&self) -> &[TargetRow] {
        self.targets.rows()
    }

    /// All voices.
    pub fn mixer(&self) -> &Mixer {
        &self.mixer
    }

    /// Pose and matrices, as the renderer takes them.
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// Local transforms and scalars.
    pub fn pose(&self) -> &Pose {
        self.instance.pose()
    }

    /// Model matrices by joint.
    pub fn model_matrices(&self) -> &[Mat3x4] {
        self.instance.model_matrices()
    }
}
