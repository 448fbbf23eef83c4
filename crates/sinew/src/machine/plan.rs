//! A machine worked out for one character: names become clips, masks and blend spaces.

use super::compile::{FlatMotion, FlatState, FlatTransition};
use super::define::{LayerBlend, MaskRule, Space};
use super::parameter::Word;
use super::{Machine, MachineError};
use crate::{
    BlendSpace, Character, Clip, ClipInfo, Finding, Kind, Layering, Mask, Mixer, PlayOptions, Pose,
    SyncGroup, SyncMode, TaggedClips,
};
use sinew_findings::catalogue::play::{MACHINE_CLIP_MISSING, MACHINE_JOINT_MISSING};
use std::sync::Arc;

/// Voices for each layer: the one that plays, and those that it takes the place of.
const VOICES_PER_LAYER: usize = 6;

/// A [`Machine`] worked out for one character: made once, and shared by all its instances and threads. All its clips are loaded.
#[derive(Clone, Debug)]
pub struct MachinePlan {
    machine: Arc<Machine>,
    pub(super) layers: Box<[LayerPlan]>,
    findings: Vec<Finding>,
}

#[derive(Clone, Debug)]
pub(super) struct LayerPlan {
    pub mask: Option<Arc<Mask>>,
    pub layering: Layering,
    pub states: Box<[StatePlan]>,
}

#[derive(Clone, Debug)]
pub(super) struct StatePlan {
    pub source: Source,
    /// Speed, loop and root motion; no fade.
    pub play: PlayOptions,
    pub sync: Option<SyncGroup>,
}

/// All states of a machine that are kept in step are of one group, on all its layers.
const GROUP: u8 = 0;

/// What a state plays.
#[derive(Clone, Debug)]
pub(super) enum Source {
    None,
    Clip(Arc<Clip>),
    Space(Arc<BlendSpace>),
}

impl MachinePlan {
    /// Finds the machine's clips, by tag or name, and the joints of its masks.
    ///
    /// Fails if the character lacks one, or a clip cannot be loaded; the error says where it is named and what may have been meant.
    pub fn new(machine: Arc<Machine>, character: &Character) -> Result<Self, MachineError> {
        Self::with_clips(machine, character, &TaggedClips::new(character.clips()))
    }

    /// The same with clips that were tagged, or borrowed, before.
    pub fn with_clips(
        machine: Arc<Machine>,
        character: &Character,
        clips: &TaggedClips,
    ) -> Result<Self, MachineError> {
        Planner { character, clips, missing: Missing::Refused, findings: vec![] }.plan(machine)
    }

    /// The same for a character that lacks some of it: a state without its clip plays nothing and is over at once, a point without its clip and a
    /// joint that is not there are left out. All of that is among [`MachinePlan::findings`].
    pub fn with_gaps(
        machine: Arc<Machine>,
        character: &Character,
        clips: &TaggedClips,
    ) -> Result<Self, MachineError> {
        Planner { character, clips, missing: Missing::Reported, findings: vec![] }.plan(machine)
    }

    /// The machine.
    pub fn machine(&self) -> &Arc<Machine> {
        &self.machine
    }

    /// What the character lacks: nothing, unless gaps were allowed.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// For how many voices a mixer should have room: enough for several changes within one fade. One more than there are layers is enough for all to
    /// go on, but fading voices are then cut short.
    pub fn voices(&self) -> usize {
        VOICES_PER_LAYER * self.layers.len()
    }

    /// A mixer with room for the machine's voices and inertial transitions.
    pub fn mixer(&self, character: Arc<Character>) -> Mixer {
        let is_inertial = |transition: &FlatTransition| transition.kind == crate::Transition::Inertial;
        let layers = self.machine.layers.iter().filter(|layer| layer.transitions.iter().any(is_inertial));
        Mixer::new(character, self.voices()).with_inertia(layers.count())
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Missing {
    Refused,
    Reported,
}

struct Planner<'a> {
    character: &'a Character,
    clips: &'a TaggedClips,
    missing: Missing,
    findings: Vec<Finding>,
}

type Result<T, E = MachineError> = std::result::Result<T, E>;

impl Planner<'_> {
    fn plan(mut self, machine: Arc<Machine>) -> Result<MachinePlan> {
        let mut layers = Vec::new();
        for (layer, flat) in machine.definition.layers.iter().zip(&machine.layers) {
            let place = format!("layer `{}`", layer.name);
            let states = flat.states.iter().map(|state| self.state(state, &place));
            let states = states.collect::<Result<_>>()?;
            let mask = layer.mask.as_ref().map(|rule| self.mask(rule, &place)).transpose()?;
            let layering = self.layering(&layer.blend, &place)?;
            layers.push(LayerPlan { mask: mask.map(Arc::new), layering, states });
        }
        Ok(MachinePlan { machine, layers: layers.into(), findings: self.findings })
    }

    fn state(&mut self, state: &FlatState, layer: &str) -> Result<StatePlan> {
        let place = format!("{layer}, state `{}`", state.name);
        let given =
            PlayOptions { mode: state.mode, root_motion: state.root_motion, ..PlayOptions::default() };
        let (source, own) = match &state.motion {
            FlatMotion::None => (Source::None, PlayOptions::default()),
            FlatMotion::Clip(word) => match self.clip(word, &place)? {
                Some((clip, own)) => (Source::Clip(clip), own),
                None => (Source::None, PlayOptions::default()),
            },
            FlatMotion::Space(space, _) => self.space(space, state, &place)?,
        };
        let sync = match (&source, state.sync) {
            (Source::None, _) | (Source::Clip(_), None) | (_, Some(SyncMode::None)) => None,
            (_, by) => Some(SyncGroup { group: GROUP, by: by.unwrap_or_default() }),
        };
        Ok(StatePlan { source, play: given.over(own), sync })
    }

    fn space(&mut self, space: &Space, state: &FlatState, place: &str) -> Result<(Source, PlayOptions)> {
        let (mut points, mut own) = (Vec::new(), None);
        for (at, word) in &space.points {
            if let Some((clip, options)) = self.clip(word, place)? {
                own = own.or(Some(options));
                points.push((*at, clip));
            }
        }
        let own = own.unwrap_or_default();
        if points.is_empty() {
            return Ok((Source::None, own));
        }
        let sync = state.sync.unwrap_or_default();
        let space = if space.by.len() == 1 {
            BlendSpace::line(self.character, points.into_iter().map(|([x, _], clip)| (x, clip)), sync)
        } else {
            BlendSpace::plane(self.character, points, sync)
        };
        let space = space.map_err(|error| MachineError::new(state.at, place, error.to_string()))?;
        Ok((Source::Space(Arc::new(space)), own))
    }

    /// A clip by tag or name, loaded, and how it is meant to be played.
    fn clip(&mut self, word: &Word, place: &str) -> Result<Option<(Arc<Clip>, PlayOptions)>> {
        let clips = self.clips.clips();
        let found = self.clips.find(word).or_else(|| clips.id(word).map(|id| id.index()));
        let Some(index) = found else {
            let what = format!("`{}` has no clip", self.character.name());
            // Tags are more telling than names such as `clip_007`.
            let known = self.clips.tags().chain(clips.names());
            let error = MachineError::unknown(place, &what, word, known);
            return self.lacks(&MACHINE_CLIP_MISSING, error).map(|()| None);
        };
        let wrong = |message: String| MachineError::new(word.at, place, message);
        let clip = clips.get(index).map_err(|error| wrong(error.to_string()))?;
        let rest = self.character.skeleton().rest();
        clip.fits(rest.len(), rest.scalars().len())
            .map_err(|error| wrong(format!("clip `{}` does not fit: {error}", clip.name())))?;
        Ok(Some((clip, clips.info(index).map(ClipInfo::options).unwrap_or_default())))
    }

    fn mask(&mut self, rule: &MaskRule, place: &str) -> Result<Mask> {
        let skeleton = self.character.skeleton();
        rule.mask_with(skeleton, |word, unknown| {
            let error = MachineError::new(word.at, format!("{place}, mask"), unknown.to_string());
            self.lacks(&MACHINE_JOINT_MISSING, error)
        })
    }

    fn layering(&mut self, blend: &LayerBlend, place: &str) -> Result<Layering> {
        let rest = || Layering::Additive(Arc::new(self.character.skeleton().rest().clone()));
        match blend {
            LayerBlend::Override => Ok(Layering::Override),
            LayerBlend::Additive => Ok(rest()),
            LayerBlend::AdditiveTo(word, time) => {
                let rest = rest();
                let Some((clip, _)) = self.clip(word, &format!("{place}, reference"))? else {
                    return Ok(rest);
                };
                let pose = Pose::of_clip(self.character.skeleton(), &clip, *time);
                let pose = pose.map_err(|error| MachineError::new(word.at, place, error.to_string()))?;
                Ok(Layering::Additive(Arc::new(pose)))
            }
        }
    }

    /// An error, or a finding where gaps are allowed.
    fn lacks(&mut self, kind: &'static Kind, error: MachineError) -> Result<()> {
        if self.missing == Missing::Refused {
            return Err(error);
        }
        self.findings.push(Finding::new(kind, error.place, error.message));
        Ok(())
    }
}
