//! One clip being played: clip, clock and options. A player has one voice, a crossfade two.

use crate::job;
use crate::{
    Character, Clip, JobError, LoopMode, PlayOptions, Playback, Pose, RootMotion, Sampling, Skeleton, Travel,
};
use glam::Vec3;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(crate) struct Voice {
    clip: Option<Arc<Clip>>,
    pub(crate) playback: Playback,
    sampling: Sampling,
    pub(crate) root_motion: RootMotion,
    travel: Travel,
}

impl Voice {
    /// The rest pose.
    pub(crate) fn rest() -> Self {
        Self {
            clip: None,
            playback: Playback::new(0.0, LoopMode::Once, 1.0),
            sampling: Sampling::Interpolate,
            root_motion: RootMotion::Keep,
            travel: Travel::default(),
        }
    }

    /// A clip at its start, if it fits the character.
    pub(crate) fn new(
        character: &Character,
        clip: Arc<Clip>,
        options: PlayOptions,
        root_joint: Option<u16>,
    ) -> Result<Self, JobError> {
        let rest = character.skeleton().rest();
        clip.fits(rest.len(), rest.scalars().len())?;
        Ok(Self {
            playback: Playback::new(
                clip.duration().into(),
                options.mode.unwrap_or(LoopMode::Loop),
                options.speed.unwrap_or(1.0),
            ),
            sampling: options.sampling.unwrap_or(Sampling::Interpolate),
            root_motion: options.root_motion.unwrap_or(RootMotion::Keep),
            travel: clip.travel(character, root_joint),
            clip: Some(clip),
        })
    }

    pub(crate) fn clip(&self) -> Option<&Arc<Clip>> {
        self.clip.as_ref()
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.clip.is_some() && self.playback.has_ended()
    }

    /// The local pose now, on the skeleton of the character that the voice was made for.
    pub(crate) fn sample(&self, skeleton: &Skeleton, out: &mut Pose) {
        let time = self.playback.time();
        match &self.clip {
            Some(clip) => {
                let checked = job::sample(skeleton, clip, time, self.sampling, out);
                // The clip's fit was checked when the voice was made.
                debug_assert_eq!(checked, Ok(()));
            }
            None => out.copy_from(skeleton.rest()),
        }
        if self.root_motion != RootMotion::Keep {
            self.travel.remove(skeleton, time, out);
        }
    }

    /// How far the last advance moved the character: zero unless root motion is extracted.
    pub(crate) fn root_delta(&self) -> Vec3 {
        match self.root_motion {
            RootMotion::Extract => {
                let way = self.playback.displacement(&self.travel);
                way.clamp(glam::DVec3::splat(f32::MIN.into()), glam::DVec3::splat(f32::MAX.into())).as_vec3()
            }
            RootMotion::Keep | RootMotion::InPlace => Vec3::ZERO,
        }
    }

    pub(crate) fn measure_travel(&mut self, character: &Character, root_joint: Option<u16>) {
        if let Some(clip) = &self.clip {
            self.travel = clip.travel(character, root_joint);
        }
    }
}
